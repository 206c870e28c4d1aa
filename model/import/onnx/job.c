/* job.c - goes through the nodes once, in order, and says what could not be converted. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/import/onnx/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "model/import/onnx/turn.h"
#include "model/net/layers/common.h"

double paleo_onnx_count(const struct paleo_onnx_value *v)
{
	double count = 1;

	for (int i = 0; i < v->rank; i++)
		count *= v->dims[i];
	return count;
}

struct paleo_onnx_value *paleo_onnx_in(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
				       int i)
{
	return i < n->input_count && n->inputs[i] >= 0 ? &job->values[n->inputs[i]] : NULL;
}

struct paleo_onnx_value *paleo_onnx_out(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
					int i)
{
	const int spare = job->graph->name_count;

	return &job->values[i < n->output_count && n->outputs[i] >= 0 ? n->outputs[i] : spare];
}

int paleo_onnx_copy(const struct paleo_onnx_value *from, struct paleo_onnx_value *to,
		    struct paleo_error *err)
{
	double *numbers = NULL;

	if (from->numbers) {
		size_t size = (size_t)(paleo_onnx_count(from) + 1) * sizeof(double);
		numbers = malloc(size);
		if (!numbers)
			return paleo_fail(err, PALEO_ENOMEM, "out of memory");
		memcpy(numbers, from->numbers, size - sizeof(double));
	}
	free(to->numbers);
	*to = *from;
	to->numbers = numbers;
	return PALEO_OK;
}

const double *paleo_onnx_numbers(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int i,
				 int *count)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, i);

	*count = 0;
	if (!v || v->state != ONNX_NUMBERS || !v->numbers)
		return NULL;
	*count = (int)paleo_onnx_count(v);
	return v->numbers;
}

int paleo_onnx_is_beside(const struct paleo_onnx_value *v)
{
	return v->state == ONNX_NUMBERS || v->state == ONNX_SIDE || v->state == ONNX_WEIGHT;
}

/* 1 if a list of numbers may be stored once for several layers, as untrained factors are: all are
 * one number, or they are not in the file. */
static int is_even(const struct paleo_onnx_tensor *t)
{
	const double count = paleo_onnx_tensor_count(t);
	int even = 1;

	if (t->rank != 1 || count > ONNX_NUMBERS_MAX)
		return 0;
	double *numbers = malloc(((size_t)count + 1) * sizeof(*numbers));
	if (numbers && !paleo_onnx_tensor_numbers(t, numbers, (int)count)) {
		for (int i = 1; i < (int)count; i++)
			even = even && numbers[i] == numbers[0];
	}
	free(numbers);
	return even;
}

int paleo_onnx_learn(struct paleo_onnx_job *job, const struct paleo_onnx_value *v)
{
	struct paleo_onnx_value *from = v && v->source ? &job->values[v->source - 1] : NULL;
	const struct paleo_onnx_name *name = from && v->source <= job->graph->name_count
						     ? &job->graph->names[v->source - 1]
						     : NULL;
	const int first =
		!from || !from->counted ||
		(name && (name->is_initializer || name->is_input) && is_even(&name->tensor));

	if (from)
		from->counted = 1;
	return first;
}

void paleo_onnx_print(struct paleo_onnx_span s, char *out, size_t size)
{
	size_t length = (size_t)(s.end - s.at);

	snprintf(out, size, "%.*s", (int)(length < size ? length : size - 1), (const char *)s.at);
	for (char *c = out; *c; c++) {
		if ((unsigned char)*c < 0x20 || (unsigned char)*c >= 0x7f)
			*c = '_';
	}
}

int paleo_onnx_refuse(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, const char *why,
		      struct paleo_error *err)
{
	char type[sizeof(job->refusals->type)];

	paleo_onnx_print(n->type, type, sizeof(type));
	for (int i = 0; i < job->refusal_count; i++) {
		if (!strcmp(job->refusals[i].type, type) && !strcmp(job->refusals[i].why, why)) {
			job->refusals[i].count++;
			return PALEO_OK;
		}
	}
	struct paleo_onnx_refusal *more =
		paleo_grow(job->refusals, job->refusal_count, &job->refusal_room, sizeof(*more));
	if (!more)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	job->refusals = more;
	struct paleo_onnx_refusal *r = &more[job->refusal_count++];
	*r = (struct paleo_onnx_refusal){.count = 1};
	memcpy(r->type, type, sizeof(type));
	paleo_onnx_print(n->name, r->first, sizeof(r->first));
	snprintf(r->why, sizeof(r->why), "%s", why);
	return PALEO_OK;
}

/* Everything that was refused, in one sentence. */
static int tell_refusals(const struct paleo_onnx_job *job, struct paleo_error *err)
{
	char text[1024] = "";
	size_t used = 0;

	for (int i = 0; i < job->refusal_count && used < sizeof(text); i++) {
		const struct paleo_onnx_refusal *r = &job->refusals[i];
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%d x %s (%s%s%s)",
					 i ? ", " : "", r->count, r->type, r->why,
					 r->first[0] ? "; first " : "", r->first);
	}
	return paleo_fail(err, PALEO_EINPUT,
			  "%s: cannot convert %s; docs/reference/onnx.md lists what can be",
			  job->graph->path, text);
}

/* A file without weights names them as inputs. Then those of floating point behind the first, all
 * of whose sizes are given, are weights. */
static int is_learned(const struct paleo_onnx_job *job, int number, int first, int has_weights)
{
	const struct paleo_onnx_name *n = &job->graph->names[number];

	if (n->is_initializer)
		return 1;
	if (has_weights || number == first || !paleo_onnx_is_float(n->tensor.type))
		return 0;
	for (int i = 0; i < n->tensor.rank; i++) {
		if (n->tensor.dims[i] < 1)
			return 0;
	}
	return 1;
}

/* Numbers that are known: whole ones, and single ones of any type. */
static int read_constant(const struct paleo_onnx_tensor *t, int number, struct paleo_onnx_value *v,
			 struct paleo_error *err)
{
	double count = paleo_onnx_tensor_count(t);

	v->state = ONNX_NUMBERS;
	v->source = count > 1 ? 1 + number : 0;
	if (count > ONNX_NUMBERS_MAX)
		return PALEO_OK;
	v->numbers = calloc((size_t)count + 1, sizeof(double));
	if (!v->numbers)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	if (paleo_onnx_tensor_numbers(t, v->numbers, (int)count)) {
		free(v->numbers);
		v->numbers = NULL;
	}
	return PALEO_OK;
}

/* Which of ours an input becomes: [N, C], [N, T, C] or [N, H, W, C]. */
static int add_input(struct paleo_onnx_job *job, int number, struct paleo_error *err)
{
	const struct paleo_onnx_name *name = &job->graph->names[number];
	const struct paleo_onnx_node n = {.name = name->text, .type = name->text};
	struct paleo_onnx_value *v = &job->values[number];
	int d[4] = {0};

	if (v->rank < 2 || v->rank > 4) {
		v->state = ONNX_SIDE; /* a number or a list, as a threshold is */
		return PALEO_OK;
	}
	for (int i = 0; i < v->rank; i++)
		d[i] = (int)v->dims[i];
	int layer = paleo_onnx_add_layer(job, &n, "Input", NULL, 0);
	if (layer < 0)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	struct paleo_shape *s = &job->layers[layer].out;
	*s = (struct paleo_shape){.rank = v->rank, .n = d[0], .c = d[1], .h = 1, .w = 1};
	if (v->rank == 2) { /* as an image of one pixel */
		s->rank = 4;
		paleo_onnx_put_ints(job, "tensor", 4, d[0], 1, 1, d[1]);
	} else if (v->rank == 3) {
		*s = (struct paleo_shape){.rank = 3,
					  .n = d[job->tokens_first],
					  .h = d[!job->tokens_first],
					  .c = d[2],
					  .w = 1};
		paleo_onnx_put_ints(job, "tensor", 3, s->n, s->h, s->c, 0);
	} else {
		s->h = d[2];
		s->w = d[3];
		paleo_onnx_put_ints(job, "tensor", 4, s->n, s->h, s->w, s->c);
	}
	job->batch = s->n;
	paleo_onnx_is_layer(job, layer, v);
	const double dims[4] = {d[0], d[1], d[2], d[3]};
	if (s->rank == 3 && job->tokens_first) {
		static const int swapped[3] = {1, 0, 2};
		paleo_onnx_view_transpose(&v->view, v->dims, 3, swapped);
	}
	v->rank = name->tensor.rank;
	memcpy(v->dims, dims, sizeof(dims));
	return PALEO_OK;
}

static int start_value(struct paleo_onnx_job *job, int number, int first, int has_weights,
		       struct paleo_error *err)
{
	const struct paleo_onnx_name *n = &job->graph->names[number];
	struct paleo_onnx_value *v = &job->values[number];

	if (!n->is_input && !n->is_initializer)
		return PALEO_OK; /* a node's output */
	v->type = n->tensor.type;
	v->rank = n->tensor.rank;
	memcpy(v->dims, n->tensor.dims, sizeof(v->dims));
	if (is_learned(job, number, first, has_weights)) {
		const double count = paleo_onnx_tensor_count(&n->tensor);
		if (n->is_initializer && (count == 1 || !paleo_onnx_is_float(v->type)))
			return read_constant(&n->tensor, number, v, err);
		v->state = ONNX_WEIGHT;
		v->learned = count;
		v->source = 1 + number;
		return PALEO_OK;
	}
	if (paleo_onnx_give_sizes(job, number))
		return PALEO_OK;
	if (paleo_onnx_is_float(v->type))
		return add_input(job, number, err);
	v->state = ONNX_SIDE;
	return PALEO_OK;
}

static int start_values(struct paleo_onnx_job *job, struct paleo_error *err)
{
	const struct paleo_onnx_graph *g = job->graph;
	int has_weights = 0, rc = PALEO_OK;

	for (int i = 0; i < g->name_count; i++)
		has_weights |=
			g->names[i].is_initializer && paleo_onnx_is_float(g->names[i].tensor.type);
	for (int i = 0; i < g->name_count && !rc; i++)
		rc = start_value(job, i, g->first_input, has_weights, err);
	return rc ? rc : paleo_onnx_tell_open(job, err);
}

/* Whether every input is known well enough; what follows from an unknown one is unknown. */
static int inputs_known(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	for (int i = 0; i < n->input_count; i++) {
		const struct paleo_onnx_value *v = paleo_onnx_in(job, n, i);
		if (v && v->state == ONNX_UNKNOWN)
			return 0;
	}
	return 1;
}

/* 1 if scores stay scores through nodes of this type, on their way to the values. */
static int keeps_scores(const struct paleo_onnx_node *n)
{
	static const char *const types[] = {
		"Add",      "Sub",     "Mul",      "Div",    "Where",          "Softmax",
		"Cast",     "Dropout", "Identity", "MatMul", "QuantizeLinear", "DequantizeLinear",
		"IsNaN",    "Reshape", "Squeeze",  "Shape",  "Unsqueeze",      "Size",
		"CastLike", "Einsum"};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (paleo_onnx_span_is(n->type, types[i]))
			return 1;
	}
	return 0;
}

/* Where something else reads scores, or they meet another layer's output, they are layers. */
static int unfold_scores(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			 struct paleo_error *err)
{
	int others = 0, rc = PALEO_OK;

	for (int i = 0; i < n->input_count; i++) {
		const struct paleo_onnx_value *v = paleo_onnx_in(job, n, i);
		const int context = i == 1 && paleo_onnx_span_is(n->type, "MatMul");
		others += v && (v->state == ONNX_SCORES
					? context
					: !paleo_onnx_is_beside(v) &&
						  !(i == 1 && n->input_count == 2 &&
						    paleo_onnx_span_is(n->type, "MatMul")));
	}
	for (int i = 0; i < n->input_count && !rc; i++) {
		struct paleo_onnx_value *v = paleo_onnx_in(job, n, i);
		if (v && v->state == ONNX_SCORES && (others || !keeps_scores(n)))
			rc = paleo_onnx_unfold(job, n, v, err);
	}
	return rc;
}

/* 1 if the node may be a step of the normalisation that input `i`, a mean, is one of. */
static int is_step(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int i)
{
	static const char *const types[] = {"Sub", "Shape", "Size"};
	const struct paleo_onnx_value *other = paleo_onnx_in(job, n, !i);
	int found = 0;

	for (size_t k = 0; k < sizeof(types) / sizeof(types[0]); k++)
		found |= i > 0 && paleo_onnx_span_is(n->type, types[k]);
	if (paleo_onnx_span_is(n->type, "Neg")) /* something else takes it away, too */
		return job->graph->names[n->inputs[i]].readers > 1;
	return found || (paleo_onnx_span_is(n->type, "Mul") && other && other->state == ONNX_STAT &&
			 (other->stat == STAT_INVERSE || other->stat == STAT_FACTOR));
}

/* A mean that no step of a normalisation reads is a layer. */
static int settle_means(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int i = 0; i < n->input_count && !rc; i++) {
		struct paleo_onnx_value *v = paleo_onnx_in(job, n, i);
		if (v && v->state == ONNX_STAT && v->stat == STAT_MEAN && !is_step(job, n, i))
			rc = paleo_onnx_settle_mean(job, n, v, err);
	}
	return rc;
}

static int walk(struct paleo_onnx_job *job, struct paleo_error *err)
{
	const struct paleo_onnx_graph *g = job->graph;
	int rc = PALEO_OK;

	for (int i = 0; i < g->node_count && !rc && !job->wants_tokens_first; i++) {
		const struct paleo_onnx_node *n = &g->nodes[i];
		paleo_onnx_convert_node *convert = paleo_onnx_find(n);
		if (!paleo_onnx_is_taken(job, n))
			continue;
		if (!convert) /* whatever it follows from */
			rc = paleo_onnx_refuse(job, n, "no such kind is known", err);
		if (!convert || !inputs_known(job, n))
			continue;
		rc = unfold_scores(job, n, err);
		if (!rc)
			rc = settle_means(job, n, err);
		if (rc || !inputs_known(job, n))
			continue;
		int done = 0;
		rc = paleo_onnx_turn(job, n, &done, err);
		if (rc || done)
			continue;
		rc = convert(job, n, err);
	}
	return rc;
}

/* What the model gives and is not a layer yet becomes one. */
static int settle_outputs(struct paleo_onnx_job *job, struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int i = 0; i < job->graph->name_count && rc >= 0; i++) {
		struct paleo_onnx_value *v = &job->values[i];
		if (job->graph->names[i].is_output && v->state == ONNX_POINT)
			rc = paleo_onnx_settle(job, v, err);
		if (job->graph->names[i].is_output && v->state == ONNX_STAT && v->stat == STAT_MEAN)
			rc = paleo_onnx_settle_mean(job, job->graph->nodes, v, err);
		if (job->graph->names[i].is_output && v->state == ONNX_SCORES)
			rc = paleo_onnx_unfold(job, job->graph->nodes, v, err);
	}
	return rc < 0 ? rc : PALEO_OK;
}

static void release(struct paleo_onnx_job *job)
{
	for (int i = 0; job->values && i < job->graph->name_count + ONNX_SPARE; i++)
		free(job->values[i].numbers);
	free(job->values);
	free(job->expressions);
	free(job->refusals);
	paleo_onnx_layers_release(job);
}

static int convert(struct paleo_onnx_job *job, char **json, struct paleo_error *err)
{
	job->values = calloc((size_t)job->graph->name_count + ONNX_SPARE, sizeof(*job->values));
	if (!job->values)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	int rc = start_values(job, err);
	if (!rc)
		rc = walk(job, err);
	if (!rc)
		rc = settle_outputs(job, err);
	if (rc || job->wants_tokens_first)
		return rc;
	if (job->refusal_count)
		return tell_refusals(job, err);
	if (!job->batch)
		return paleo_fail(err, PALEO_EINPUT,
				  "%s: no input reaches a layer, expected one of floating point, "
				  "or of tokens that are looked up",
				  job->graph->path);
	return paleo_onnx_write(job, json, err);
}

int paleo_onnx_convert(const struct paleo_onnx_graph *graph, const struct paleo_onnx_options *o,
		       char **json, struct paleo_error *err)
{
	int rc = PALEO_OK, tokens_first = 0, no_turns = 0, again = 1;

	while (again) {
		struct paleo_onnx_job job = {.graph = graph,
					     .options = o,
					     .tokens_first = tokens_first,
					     .no_turns = no_turns};
		rc = convert(&job, json, err);
		again = job.wants_tokens_first ||
			(rc == PALEO_EINPUT && job.not_turned && !no_turns);
		tokens_first |= job.wants_tokens_first;
		no_turns |= !job.wants_tokens_first;
		release(&job);
	}
	return rc;
}
