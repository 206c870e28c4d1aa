/* start.c - initial states of inputs and initializers, and sizes that a file leaves open. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/onnx/job.h"
#include "model/net/layers/common.h"

enum {
	STATE_DEPTH = 2 /* of parts of parts */
};

int paleo_onnx_size_parse(const char *text, struct paleo_onnx_size *out, struct paleo_error *err)
{
	const char *equals = strrchr(text, '='), *digits = equals ? equals + 1 : text;
	struct paleo_onnx_size made = {.name = equals ? text : ""};
	int good = equals != text;

	for (int more = 1; more && good; digits++) {
		char *end = NULL;
		errno = 0;
		long size = *digits >= '0' && *digits <= '9' ? strtol(digits, &end, 10) : -1;
		good = size >= !equals && size <= PALEO_DIM_MAX && !errno &&
		       made.rank < ONNX_RANK_MAX && (!*end || (equals && *end == 'x'));
		if (!good)
			break;
		made.size[made.rank++] = (int)size;
		digits = end;
		more = *end == 'x';
	}
	if (!good)
		return paleo_fail(err, PALEO_EINPUT,
				  "'%s' is not a dimension size, expected NAME=SIZE, as in "
				  "sequence=128, or an input's shape, as in x=1x3x224x224",
				  text);
	*out = made;
	return PALEO_OK;
}

/* The option for this name; NULL: none. */
static const struct paleo_onnx_size *said(struct paleo_onnx_job *job, struct paleo_onnx_span name,
					  int rank)
{
	const size_t length = (size_t)(name.end - name.at);

	for (int i = 0; i < job->options->size_count; i++) {
		const struct paleo_onnx_size *s = &job->options->sizes[i];
		size_t size = s->name[0] ? (size_t)(strrchr(s->name, '=') - s->name) : 0;
		if (s->rank == rank && size == length &&
		    (!size || !memcmp(s->name, name.at, size))) {
			job->said |= 1U << i;
			return s;
		}
	}
	return NULL;
}

/* 1 if the dimension is that of the numbers of a cached head, which queries have as well. */
static int is_of_cached_head(const struct paleo_onnx_job *job, int number, int axis)
{
	for (int i = 0; axis == 3 && i < job->graph->node_count; i++) {
		const struct paleo_onnx_node *n = &job->graph->nodes[i];
		if (!paleo_onnx_span_is(n->type, "GroupQueryAttention"))
			continue;
		for (int k = 3; k < 5 && k < n->input_count; k++) {
			if (n->inputs[k] == number)
				return 1;
		}
	}
	return 0;
}

/* The size of a dimension that the file leaves open, -1 if unknown. The first one of an input is
 * its batch: 1 unless given. */
static int open_size(struct paleo_onnx_job *job, int number, int axis)
{
	const struct paleo_onnx_name *name = &job->graph->names[number];
	const struct paleo_onnx_size *s = said(job, name->dim_names[axis], 1);

	if (s)
		return s->size[0];
	return axis == job->tokens_first || is_of_cached_head(job, number, axis) ? 1 : -1;
}

/* 1 if another dimension of the input has the same name, and perhaps another size. */
static int is_ambiguous(const struct paleo_onnx_name *name, int axis)
{
	const struct paleo_onnx_span mine = name->dim_names[axis];
	const size_t length = (size_t)(mine.end - mine.at);

	for (int i = 0; i < name->tensor.rank; i++) {
		const struct paleo_onnx_span other = name->dim_names[i];
		if (i != axis && i && name->tensor.dims[i] < 1 &&
		    (size_t)(other.end - other.at) == length &&
		    (!length || !memcmp(other.at, mine.at, length)))
			return 1;
	}
	return 0;
}

/* Records that the dimension has no size; *v is the first such input. */
static void note(struct paleo_onnx_job *job, int number, int axis)
{
	const struct paleo_onnx_name *name = &job->graph->names[number];
	char input[80], dim[80], word[100];
	const size_t used = strlen(job->open_sizes);

	paleo_onnx_print(name->text, input, sizeof(input));
	paleo_onnx_print(name->dim_names[axis], dim, sizeof(dim));
	if (!used)
		snprintf(job->first_open, sizeof(job->first_open),
			 "input '%s': dimension %d%s%s%s has no size in the file", input, axis,
			 dim[0] ? ", '" : "", dim, dim[0] ? "'," : "");
	snprintf(word, sizeof(word), ",%s%sN", dim, dim[0] ? "=" : "");
	if (is_ambiguous(name, axis)) {
		int at = snprintf(word, sizeof(word), ",%.40s=", input);
		for (int i = 0; i < name->tensor.rank && at < 80; i++)
			at += snprintf(word + at, sizeof(word) - (size_t)at,
				       name->tensor.dims[i] < 1 ? "%sN" : "%s%.0f", i ? "x" : "",
				       name->tensor.dims[i]);
	}
	if (!strstr(job->open_sizes, word))
		snprintf(job->open_sizes + used, sizeof(job->open_sizes) - used, "%s", word);
}

/* Gives an input the sizes that the file leaves open. 1 if it is empty, or a size is not known. */
static int give_sizes(struct paleo_onnx_job *job, int number)
{
	struct paleo_onnx_value *v = &job->values[number];
	const struct paleo_onnx_size *whole =
		v->rank > 1 ? said(job, job->graph->names[number].text, v->rank) : NULL;
	int none = 0;

	for (int i = 0; i < v->rank; i++) {
		if (whole)
			v->dims[i] = whole->size[i];
		else if (v->dims[i] < 1)
			v->dims[i] = open_size(job, number, i);
		if (v->dims[i] < 0 || v->dims[i] > PALEO_DIM_MAX)
			note(job, number, i);
		none = none || v->dims[i] < 1 || v->dims[i] > PALEO_DIM_MAX;
	}
	if (none)
		v->state = ONNX_NUMBERS;
	return none;
}

/* A file without weights names them as inputs. Then those of floating point behind the first, all
 * of whose sizes are given, are weights; but not those of three axes or more with the first's batch
 * that no operator takes for its weights, as keys and values are. */
static int is_learned(const struct paleo_onnx_job *job, int number, int has_weights)
{
	const struct paleo_onnx_name *n = &job->graph->names[number];
	const struct paleo_onnx_tensor *first =
		job->graph->first_input < 0 ? NULL
					    : &job->graph->names[job->graph->first_input].tensor;

	if (n->is_initializer)
		return 1;
	if (has_weights || number == job->graph->first_input ||
	    !paleo_onnx_is_float(n->tensor.type))
		return 0;
	for (int i = 0; i < n->tensor.rank; i++) {
		if (n->tensor.dims[i] < 1)
			return 0;
	}
	return !first || n->tensor.rank < 3 || n->tensor.rank != first->rank ||
	       n->tensor.dims[0] != first->dims[0] || paleo_onnx_has_learner(job->graph, number);
}

/* Gives an input that is a number the value that the options say. 0: none. */
static int give_value(struct paleo_onnx_job *job, int number)
{
	struct paleo_onnx_value *v = &job->values[number];
	const struct paleo_onnx_size *s =
		v->rank < 2 ? said(job, job->graph->names[number].text, 1) : NULL;

	if (!s || (v->rank && v->dims[0] > 1))
		return 0;
	v->state = ONNX_NUMBERS;
	v->dims[0] = 1;
	v->numbers = paleo_onnx_new_numbers(job, 1);
	if (v->numbers)
		v->numbers[0] = s->size[0];
	return 1;
}

/* Input layer for a graph input: [N, C], [N, T, C] or [N, H, W, C]. */
static void add_input(struct paleo_onnx_job *job, int number)
{
	const struct paleo_onnx_name *name = &job->graph->names[number];
	const struct paleo_onnx_node n = {.name = name->text, .type = name->text};
	struct paleo_onnx_value *v = &job->values[number];
	const int t = job->tokens_first;
	int d[4] = {0};

	if (v->rank < 2 || v->rank > 4) {
		v->state = ONNX_SIDE; /* a number or a list, as a threshold is */
		return;
	}
	for (int i = 0; i < v->rank; i++)
		d[i] = (int)v->dims[i];
	const int layer = paleo_onnx_add_layer(job, &n, "Input", NULL, 0);
	struct paleo_shape s = {.rank = 4, .n = d[0], .c = d[1], .h = 1, .w = 1};
	if (v->rank == 3) {
		s = (struct paleo_shape){.rank = 3, .n = d[t], .h = d[!t], .c = d[2], .w = 1};
		paleo_onnx_put_ints(job, "tensor", 3, s.n, s.h, s.c, 0);
	} else {
		s.h = v->rank == 2 ? 1 : d[2]; /* numbers are an image of one pixel */
		s.w = v->rank == 2 ? 1 : d[3];
		paleo_onnx_put_ints(job, "tensor", 4, s.n, s.h, s.w, s.c);
	}
	job->batch = s.n;
	job->layers[layer].out = s;
	paleo_onnx_is_layer(job, layer, v);
	if (s.rank == 3 && t)
		paleo_onnx_swap(v, 0, 1);
	v->rank = name->tensor.rank;
}

double *paleo_onnx_tensor_new(struct paleo_onnx_job *job, const struct paleo_onnx_tensor *t)
{
	const double count = paleo_onnx_tensor_count(t);
	double *numbers = paleo_onnx_new_numbers(job, count);

	return numbers && !paleo_onnx_tensor_numbers(t, numbers, (int)count) ? numbers : NULL;
}

/* 1 if nothing but recurrent layers read the value, as their states, or parts of it. */
static int gives_states(const struct paleo_onnx_graph *g, int value, int depth)
{
	static const char parts[] =
		"Gather Slice Split Squeeze Unsqueeze Identity Reshape Transpose";
	int found = 0;

	for (int i = 0; i < g->node_count; i++) {
		const struct paleo_onnx_node *n = &g->nodes[i];
		const int is_part = paleo_onnx_span_in(n->type, parts),
			  is_recurrent = paleo_onnx_span_in(n->type, "LSTM GRU RNN");
		for (int in = 0; in < n->input_count; in++) {
			if (n->inputs[in] != value)
				continue;
			if (!(is_recurrent && in > 4) && (!is_part || in || depth == STATE_DEPTH))
				return 0;
			for (int o = 0; is_part && o < n->output_count; o++)
				if (n->outputs[o] >= 0 &&
				    !gives_states(g, n->outputs[o], depth + 1))
					return 0;
			found = 1;
		}
	}
	return found;
}

static void start_value(struct paleo_onnx_job *job, int number, int has_weights)
{
	const struct paleo_onnx_name *n = &job->graph->names[number];
	struct paleo_onnx_value *v = &job->values[number];

	if (!n->is_input && !n->is_initializer)
		return; /* a node's output */
	v->type = n->tensor.type;
	v->rank = n->tensor.rank;
	memcpy(v->dims, n->tensor.dims, sizeof(v->dims));
	if (is_learned(job, number, has_weights)) {
		const double count = paleo_onnx_tensor_count(&n->tensor);
		const int is_known =
			n->is_initializer && (count == 1 || !paleo_onnx_is_float(v->type));
		v->state = is_known ? ONNX_NUMBERS : ONNX_WEIGHT;
		v->source = is_known && count <= 1 ? 0 : 1 + number;
		v->learned = is_known ? 0 : count;
		if (is_known)
			v->numbers = paleo_onnx_tensor_new(job, &n->tensor);
	} else if (!give_value(job, number) && !give_sizes(job, number)) {
		v->state = ONNX_SIDE;
		if (paleo_onnx_is_float(v->type) && !gives_states(job->graph, number, 0))
			add_input(job, number);
	}
}

int paleo_onnx_start(struct paleo_onnx_job *job)
{
	const struct paleo_onnx_graph *g = job->graph;
	int has_weights = 0;

	job->learns_constants = paleo_onnx_floats_of(g, 1, 1) > paleo_onnx_floats_of(g, 0, 1);
	for (int i = 0; i < g->name_count; i++)
		has_weights |=
			g->names[i].is_initializer && paleo_onnx_is_float(g->names[i].tensor.type);
	for (int i = 0; i < g->name_count; i++)
		start_value(job, i, has_weights);
	for (int i = 0; i < job->options->size_count && !job->rc; i++)
		if (!(job->said & 1U << i) && job->options->sizes[i].name[0])
			return paleo_fail(job->err, PALEO_EINPUT,
					  "%s: '%s' is of no input and no dimension without a size",
					  g->path, job->options->sizes[i].name);
	if (job->rc || !job->open_sizes[0])
		return job->rc;
	return paleo_fail(job->err, PALEO_EINPUT, "%s: %s, give it one after the name: %s:%s",
			  g->path, job->first_open, g->path, job->open_sizes + 1);
}
