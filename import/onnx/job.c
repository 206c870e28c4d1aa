/* job.c - visits the nodes once, in order, and reports those that could not be converted. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "import/onnx/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "import/onnx/ops.h"

struct paleo_onnx_block {
	struct paleo_onnx_block *next;
	double at[];
};

int paleo_onnx_no_memory(struct paleo_onnx_job *job)
{
	return job->rc = paleo_fail(job->err, PALEO_ENOMEM, "out of memory");
}

void *paleo_onnx_new(struct paleo_onnx_job *job, size_t count, size_t size)
{
	struct paleo_onnx_block *block = calloc(1, sizeof(*block) + count * size + 1);

	if (!block) {
		paleo_onnx_no_memory(job);
		return NULL;
	}
	block->next = job->blocks;
	job->blocks = block;
	return block->at;
}

double *paleo_onnx_new_numbers(struct paleo_onnx_job *job, double count)
{
	return count >= 0 && count <= ONNX_NUMBERS_MAX
		       ? paleo_onnx_new(job, (size_t)count, sizeof(double))
		       : NULL;
}

double paleo_onnx_count(const struct paleo_onnx_value *v)
{
	double count = 1;

	for (int i = 0; i < v->rank; i++)
		count *= v->dims[i];
	return count;
}

double paleo_onnx_first(const struct paleo_onnx_value *v, double fallback)
{
	return v->numbers && paleo_onnx_count(v) >= 1 ? v->numbers[0] : fallback;
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

int paleo_onnx_put(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int i,
		   const struct paleo_onnx_value *v)
{
	const struct paleo_onnx_value made = *v; /* it may be that output */

	for (int d = 0; d < made.rank; d++) {
		if (!(made.dims[d] >= 0 && made.dims[d] <= 0x1p63))
			return paleo_onnx_refuse(job, n, "of a negative or too large size");
	}
	*paleo_onnx_out(job, n, i) = made;
	return 0;
}

const double *paleo_onnx_numbers(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int i,
				 int *count)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, i);
	const double *numbers = v && v->state == ONNX_NUMBERS ? v->numbers : NULL;

	*count = numbers ? (int)paleo_onnx_count(v) : 0;
	return numbers;
}

int paleo_onnx_list(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int i,
		    const char *name, double *out, int room)
{
	int count;
	const double *given = paleo_onnx_numbers(job, n, i, &count);

	if (given && count <= room)
		memcpy(out, given, (size_t)count * sizeof(*out));
	else if (paleo_onnx_in(job, n, i))
		return -2;
	else
		count = paleo_onnx_ints(n, name, out, room);
	return count > room ? -2 : count;
}

int paleo_onnx_axis(const struct paleo_onnx_node *n, int fallback, int rank)
{
	const int given = (int)paleo_onnx_int(n, "axis", fallback);
	const int axis = given < 0 ? given + rank : given;

	return axis < 0 || axis >= rank ? -1 : axis;
}

int paleo_onnx_is_aux(const struct paleo_onnx_value *v)
{
	return v->state == ONNX_NUMBERS || v->state == ONNX_SIDE || v->state == ONNX_WEIGHT;
}

int paleo_onnx_is_output(const struct paleo_onnx_value *v)
{
	return v->state == ONNX_TENSOR || v->state == ONNX_POINT;
}

int paleo_onnx_is_small(const struct paleo_onnx_value *v)
{
	for (int i = 0; i < v->rank; i++) {
		if (v->dims[i] > PALEO_DIM_MAX)
			return 0;
	}
	return 1;
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

int paleo_onnx_refuse(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, const char *why)
{
	struct paleo_onnx_refusal made = {.count = 1};

	paleo_onnx_print(n->type, made.type, sizeof(made.type));
	for (int i = 0; i < job->refusal_count; i++) {
		struct paleo_onnx_refusal *r = &job->refusals[i];
		if (!strcmp(r->type, made.type) && !strcmp(r->why, why)) {
			r->count++;
			return 1;
		}
	}
	struct paleo_onnx_refusal *more =
		paleo_grow(job->refusals, job->refusal_count, &job->refusal_room, sizeof(*more));
	if (!more)
		return paleo_onnx_no_memory(job);
	job->refusals = more;
	paleo_onnx_print(n->name, made.first, sizeof(made.first));
	snprintf(made.why, sizeof(made.why), "%s", why);
	more[job->refusal_count++] = made;
	return 1;
}

/* Everything that was refused, in one sentence. */
static int tell_refusals(const struct paleo_onnx_job *job)
{
	char text[1024] = "";
	size_t used = 0;

	for (int i = 0; i < job->refusal_count && used < sizeof(text); i++) {
		const struct paleo_onnx_refusal *r = &job->refusals[i];
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%d x %s (%s%s%s)",
					 i ? ", " : "", r->count, r->type, r->why,
					 r->first[0] ? "; first " : "", r->first);
	}
	return paleo_fail(job->err, PALEO_EINPUT,
			  "%s: cannot convert %s; docs/reference/onnx.md lists what can be",
			  job->graph->path, text);
}

paleo_onnx_convert_node *paleo_onnx_find(const struct paleo_onnx_node *n)
{
	static const struct {
		const char *type;
		paleo_onnx_convert_node *convert;
	} known[] = {
#define OP(type, function) {#type, paleo_onnx_op_##function},
#include "import/onnx/ops.def"
#undef OP
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (paleo_onnx_span_is(n->type, known[i].type))
			return known[i].convert;
	}
	return NULL;
}

/* 1 or 0 as the condition of an If holds or not; -1: not known. */
static int holds(const struct paleo_onnx_job *job, int condition)
{
	const struct paleo_onnx_value *v = condition < 0 ? NULL : &job->values[condition];

	return v && v->state == ONNX_NUMBERS && v->numbers && paleo_onnx_count(v) == 1
		       ? v->numbers[0] != 0
		       : -1;
}

/* 0 if the node is in the graph of an If that its condition does not choose. */
static int is_taken(const struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	for (int b = n->branch; b;) {
		const struct paleo_onnx_branch *of = &job->graph->branches[b - 1];
		if (holds(job, of->condition) != of->is_then)
			return 0;
		b = of->inside;
	}
	return 1;
}

/* Outputs of the branch that was taken. */
int paleo_onnx_op_if(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const int taken = holds(job, n->input_count ? n->inputs[0] : -1);

	if (taken < 0)
		return paleo_onnx_refuse(job, n,
					 "with an unknown condition: give its input a value, as in "
					 "model.onnx:sr=16000");
	const struct paleo_onnx_branch *b =
		&job->graph->branches[taken ? n->first_branch : n->second_branch];
	for (int i = 0; i < n->output_count && i < b->output_count; i++) {
		if (b->outputs[i] >= 0)
			paleo_onnx_put(job, n, i, &job->values[b->outputs[i]]);
	}
	return 0;
}

/* Returns 1 if every input is sufficiently known; results of unknown inputs are unknown. */
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
	return paleo_onnx_span_in(n->type,
				  "Add Sub Mul Div Where Softmax Cast CastLike Dropout Identity "
				  "MatMul QuantizeLinear DequantizeLinear IsNaN Reshape Squeeze "
				  "Unsqueeze Shape Size Einsum");
}

/* Expands scores to layers where another node reads them, or they meet another layer's output. */
static void unfold_scores(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const int is_product = paleo_onnx_span_is(n->type, "MatMul");
	int others = 0;

	for (int i = 0; i < n->input_count; i++) {
		const struct paleo_onnx_value *v = paleo_onnx_in(job, n, i);
		others += v && (v->state == ONNX_SCORES
					? i == 1 && is_product
					: !paleo_onnx_is_aux(v) &&
						  !(i == 1 && n->input_count == 2 && is_product));
	}
	for (int i = 0; i < n->input_count; i++) {
		struct paleo_onnx_value *v = paleo_onnx_in(job, n, i);
		if (v && v->state == ONNX_SCORES && (others || !keeps_scores(n)))
			paleo_onnx_unfold(job, n, v);
	}
}

/* 1 if the node may be a step of the normalisation that input `i`, a mean, is one of. */
static int is_step(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int i)
{
	const struct paleo_onnx_value *other = paleo_onnx_in(job, n, !i);

	if (paleo_onnx_span_is(n->type, "Neg")) /* something else takes it away, too */
		return job->graph->names[n->inputs[i]].readers > 1;
	return (i > 0 && paleo_onnx_span_in(n->type, "Sub Shape Size")) ||
	       (paleo_onnx_span_is(n->type, "Mul") && other && other->state == ONNX_STAT &&
		(other->stat == STAT_INVERSE || other->stat == STAT_FACTOR));
}

/* A mean that no step of a normalisation reads is a layer. */
static void settle_means(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	for (int i = 0; i < n->input_count; i++) {
		struct paleo_onnx_value *v = paleo_onnx_in(job, n, i);
		if (v && v->state == ONNX_STAT && v->stat == STAT_MEAN && !is_step(job, n, i))
			paleo_onnx_settle_mean(job, n, v);
	}
}

static void walk(struct paleo_onnx_job *job)
{
	const struct paleo_onnx_graph *g = job->graph;

	for (int i = 0; i < g->node_count && !job->rc && !job->wants_tokens_first; i++) {
		const struct paleo_onnx_node *n = &g->nodes[i];
		paleo_onnx_convert_node *convert = paleo_onnx_find(n);
		if (!is_taken(job, n))
			continue;
		if (!convert) /* whatever it follows from */
			paleo_onnx_refuse(job, n, "unsupported operator");
		if (!convert || !inputs_known(job, n))
			continue;
		paleo_onnx_learn_inputs(job, n);
		unfold_scores(job, n);
		settle_means(job, n);
		if (inputs_known(job, n) && !paleo_onnx_turn(job, n))
			convert(job, n);
	}
}

/* Makes model outputs that are not layers yet into layers. */
static void settle_outputs(struct paleo_onnx_job *job)
{
	for (int i = 0; i < job->graph->name_count; i++) {
		struct paleo_onnx_value *v = &job->values[i];
		if (job->graph->names[i].is_output && v->state == ONNX_POINT)
			paleo_onnx_settle(job, v);
		if (job->graph->names[i].is_output && v->state == ONNX_STAT && v->stat == STAT_MEAN)
			paleo_onnx_settle_mean(job, job->graph->nodes, v);
		if (job->graph->names[i].is_output && v->state == ONNX_SCORES)
			paleo_onnx_unfold(job, job->graph->nodes, v);
	}
}

static void release(struct paleo_onnx_job *job)
{
	paleo_onnx_layers_release(job);
	while (job->blocks) {
		struct paleo_onnx_block *next = job->blocks->next;
		free(job->blocks);
		job->blocks = next;
	}
	free(job->expressions);
	free(job->refusals);
}

static int convert(struct paleo_onnx_job *job, char **json)
{
	job->values = paleo_onnx_new(job, (size_t)job->graph->name_count + ONNX_SPARE,
				     sizeof(*job->values));
	job->layers = paleo_grow(NULL, 0, &job->layer_room, sizeof(*job->layers));
	paleo_onnx_express(job, OP_X, -1, -1, 0);
	if (job->rc || !job->layers)
		return paleo_onnx_no_memory(job);
	int rc = paleo_onnx_start(job);
	if (rc)
		return rc;
	walk(job);
	settle_outputs(job);
	if (job->rc || job->wants_tokens_first)
		return job->rc;
	if (job->refusal_count)
		return tell_refusals(job);
	if (!job->batch)
		return paleo_fail(job->err, PALEO_EINPUT,
				  "%s: no input reaches a layer, expected a floating-point input, "
				  "or tokens for an embedding",
				  job->graph->path);
	return paleo_onnx_write(job, json);
}

int paleo_onnx_convert(const struct paleo_onnx_graph *graph, const struct paleo_onnx_options *o,
		       char **json, struct paleo_error *err)
{
	int rc = PALEO_OK, tokens_first = 0, no_turns = 0, again = 1;

	while (again) {
		struct paleo_onnx_job job = {.graph = graph,
					     .options = o,
					     .err = err,
					     .tokens_first = tokens_first,
					     .no_turns = no_turns};
		rc = convert(&job, json);
		again = job.wants_tokens_first ||
			(rc == PALEO_EINPUT && job.not_turned && !no_turns);
		tokens_first |= job.wants_tokens_first;
		no_turns |= !job.wants_tokens_first;
		release(&job);
	}
	return rc;
}
