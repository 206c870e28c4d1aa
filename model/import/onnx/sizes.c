/* sizes.c - sizes that a file leaves open, as --size gives them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/import/onnx/job.h"
#include "model/net/layers/common.h"

int paleo_onnx_size_parse(const char *text, struct paleo_onnx_size *out, struct paleo_error *err)
{
	const char *equals = strrchr(text, '='), *digits = equals ? equals + 1 : text;
	char *end;

	errno = 0;
	long size = *digits >= '0' && *digits <= '9' ? strtol(digits, &end, 10) : -1;
	if (size < !equals || size > PALEO_DIM_MAX || errno || *end || equals == text)
		return paleo_fail(err, PALEO_EINPUT,
				  "'%s' is no size of a dimension, expected NAME=SIZE, as in "
				  "sequence=128",
				  text);
	*out = (struct paleo_onnx_size){.name = equals ? text : "", .size = (int)size};
	return PALEO_OK;
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

/* The size of a dimension that the file leaves open, -1 if nobody told it. The first one of an
 * input is its batch: 1 unless told. */
static int open_size(const struct paleo_onnx_job *job, int number, int axis)
{
	const struct paleo_onnx_span name = job->graph->names[number].dim_names[axis];
	const size_t length = (size_t)(name.end - name.at);

	for (int i = 0; i < job->options->size_count; i++) {
		const struct paleo_onnx_size *s = &job->options->sizes[i];
		size_t size = s->name[0] ? (size_t)(strrchr(s->name, '=') - s->name) : 0;
		if (size == length && (!size || !memcmp(s->name, name.at, size)))
			return s->size;
	}
	return axis == job->tokens_first || is_of_cached_head(job, number, axis) ? 1 : -1;
}

/* Notes that the dimension has no size; *v is the first input with such a one. */
static void note(struct paleo_onnx_job *job, int number, int axis)
{
	const struct paleo_onnx_name *name = &job->graph->names[number];
	char input[80], dim[80], option[100];
	const size_t used = strlen(job->open_sizes);

	paleo_onnx_print(name->text, input, sizeof(input));
	paleo_onnx_print(name->dim_names[axis], dim, sizeof(dim));
	if (!used)
		snprintf(job->first_open, sizeof(job->first_open),
			 "input '%s': dimension %d%s%s%s has no size in the file", input, axis,
			 dim[0] ? ", '" : "", dim, dim[0] ? "'," : "");
	snprintf(option, sizeof(option), " --size %s%sN", dim, dim[0] ? "=" : "");
	if (!strstr(job->open_sizes, option))
		snprintf(job->open_sizes + used, sizeof(job->open_sizes) - used, "%s", option);
}

int paleo_onnx_give_sizes(struct paleo_onnx_job *job, int number)
{
	struct paleo_onnx_value *v = &job->values[number];
	int none = 0;

	for (int i = 0; i < v->rank; i++) {
		if (v->dims[i] < 1)
			v->dims[i] = open_size(job, number, i);
		if (v->dims[i] < 0 || v->dims[i] > PALEO_DIM_MAX)
			note(job, number, i);
		none = none || v->dims[i] < 1 || v->dims[i] > PALEO_DIM_MAX;
	}
	if (none)
		v->state = ONNX_NUMBERS;
	return none;
}

int paleo_onnx_tell_open(const struct paleo_onnx_job *job, struct paleo_error *err)
{
	if (!job->open_sizes[0])
		return PALEO_OK;
	return paleo_fail(err, PALEO_EINPUT, "%s: %s, give it one with 'paleo convert%s'",
			  job->graph->path, job->first_open, job->open_sizes);
}
