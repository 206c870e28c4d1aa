/* nsys.c - Nsight Systems' export as JSON lines: time of kernels by name, and by NVTX range. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/json_stream.h"
#include "model/record/traces/torch.h"

struct nsys {
	struct paleo_intern texts; /* of names that are given by number, and others */
	int *strings;              /* the file's own numbers to those */
	int string_count, string_room;
	struct paleo_torch t; /* ranges as ops, whose call is their name */
};

int paleo_trace_is_nsys(const char *head, size_t size)
{
	return (paleo_trace_has(head, size, "{\"data\":[") ||
		paleo_trace_has(head, size, "\"CudaEvent\"") ||
		paleo_trace_has(head, size, "\"NvtxEvent\"") ||
		paleo_trace_has(head, size, "\"TraceProcessEvent\"")) &&
	       !paleo_trace_has(head, size, "\"traceEvents\"");
}

static int no_memory(struct paleo_error *err)
{
	return paleo_fail(err, PALEO_ENOMEM, "out of memory for a trace");
}

/* A number, which large ones are as text; 0: there is none. */
static double number_of(const struct paleo_json *object, const char *key)
{
	const struct paleo_json *v = paleo_json_get(object, key);
	struct paleo_error ignored;
	const char *text = "0";
	double number = 0;

	if (v && paleo_json_type(v) == PALEO_JSON_NUMBER)
		paleo_json_to_double(v, 0, 1e19, &number, &ignored);
	if (!v || paleo_json_type(v) != PALEO_JSON_STRING)
		return number;
	paleo_json_to_string(v, &text, &ignored);
	number = strtod(text, NULL);
	return number > 0 && number < 1e19 ? number : 0;
}

/* A text, or the number of one in the file's list, as the number of our own; -1: out of memory. */
static int name_of(struct nsys *n, const struct paleo_json *object, const char *key)
{
	const struct paleo_json *v = paleo_json_get(object, key);
	struct paleo_error ignored;
	const char *text = "?";
	char *end = NULL;

	if (v && paleo_json_type(v) == PALEO_JSON_STRING)
		paleo_json_to_string(v, &text, &ignored);
	double number = v && paleo_json_type(v) == PALEO_JSON_NUMBER
				? number_of(object, key)
				: (double)strtol(text, &end, 10);
	if (n->strings && (!end || (end > text && !*end)) && number >= 0 &&
	    number < n->string_count)
		return n->strings[(int)number];
	return paleo_intern(&n->texts, text);
}

static int add_string(struct nsys *n, const struct paleo_json *v, struct paleo_error *err)
{
	int *strings = paleo_grow(n->strings, n->string_count, &n->string_room, sizeof(*strings));
	struct paleo_error ignored;
	const char *text = "";

	if (strings)
		n->strings = strings;
	if (paleo_json_type(v) == PALEO_JSON_STRING)
		paleo_json_to_string(v, &text, &ignored);
	int name = paleo_intern(&n->texts, text);
	if (!strings || name < 0)
		return no_memory(err);
	strings[n->string_count++] = name;
	return PALEO_OK;
}

static int thread_of(struct nsys *n, const struct paleo_json *v, const char *key)
{
	char text[32];

	snprintf(text, sizeof(text), "%.0f", number_of(v, key));
	return paleo_intern(&n->t.threads, text);
}

static int add_kernel(struct nsys *n, const struct paleo_json *v, struct paleo_error *err)
{
	struct paleo_torch *t = &n->t;
	const struct paleo_json *kernel = paleo_json_get(v, "kernel");
	const int has_name = kernel && paleo_json_type(kernel) == PALEO_JSON_OBJECT;
	const char *key =
		has_name && paleo_json_get(kernel, "demangledName") ? "demangledName" : "shortName";
	struct paleo_torch_kernel k = {.us = (number_of(v, "endNs") - number_of(v, "startNs")) /
					     1e3,
				       .correlation = (uint64_t)number_of(v, "correlationId")};

	if (!has_name && !paleo_json_get(v, "memcpy") && !paleo_json_get(v, "memset"))
		return PALEO_OK;
	k.name = has_name ? name_of(n, kernel, key)
			  : paleo_intern(&n->texts,
					 paleo_json_get(v, "memcpy") ? "memcpy" : "memset");
	struct paleo_torch_kernel *kernels =
		paleo_grow(t->kernels, t->kernel_count, &t->kernel_room, sizeof(k));
	if (kernels)
		t->kernels = kernels;
	if (!kernels || k.name < 0)
		return no_memory(err);
	if (k.us > 0)
		kernels[t->kernel_count++] = k;
	return PALEO_OK;
}

static int add_launch(struct nsys *n, const struct paleo_json *v, struct paleo_error *err)
{
	struct paleo_torch *t = &n->t;
	struct paleo_torch_launch l = {.at_us = number_of(v, "startNs") / 1e3,
				       .correlation = (uint64_t)number_of(v, "correlationId"),
				       .tid = thread_of(n, v, "globalTid")};
	struct paleo_torch_launch *launches =
		paleo_grow(t->launches, t->launch_count, &t->launch_room, sizeof(l));

	if (launches)
		t->launches = launches;
	if (!launches || l.tid < 0)
		return no_memory(err);
	launches[t->launch_count++] = l;
	return PALEO_OK;
}

/* A range has a text and an end; other events of NVTX have not. */
static int add_range(struct nsys *n, const struct paleo_json *v, struct paleo_error *err)
{
	struct paleo_torch *t = &n->t;
	const char *key = paleo_json_get(v, "Text") ? "Text" : "TextId";
	struct paleo_torch_op range = {.start_us = number_of(v, "Timestamp") / 1e3,
				       .end_us = number_of(v, "EndTimestamp") / 1e3,
				       .call = name_of(n, v, key),
				       .tid = thread_of(n, v, "GlobalTid")};
	struct paleo_torch_op *ops = paleo_grow(t->ops, t->op_count, &t->op_room, sizeof(range));

	if (ops)
		t->ops = ops;
	if (!ops || range.call < 0 || range.tid < 0)
		return no_memory(err);
	if (range.end_us > range.start_us)
		ops[t->op_count++] = range;
	return PALEO_OK;
}

static int add_part(struct nsys *n, const struct paleo_json_part *part, struct paleo_error *err)
{
	if (!strcmp(part->key, "data"))
		return add_string(n, part->value, err);
	if (paleo_json_type(part->value) != PALEO_JSON_OBJECT)
		return PALEO_OK;
	if (!strcmp(part->key, "CudaEvent"))
		return add_kernel(n, part->value, err);
	if (!strcmp(part->key, "NvtxEvent"))
		return add_range(n, part->value, err);
	return strcmp(part->key, "TraceProcessEvent") != 0 && strcmp(part->key, "CudaApiEvent") != 0
		       ? PALEO_OK
		       : add_launch(n, part->value, err);
}

static int read_parts(const char *path, struct nsys *n, struct paleo_error *err)
{
	struct paleo_json_stream *s = NULL;
	struct paleo_json_part part = {0};
	int rc = paleo_json_stream_open(path, "an export of nsys", &s, err);

	while (!rc && !(rc = paleo_json_stream_next(s, &part, err)) && part.value)
		rc = add_part(n, &part, err);
	paleo_json_stream_close(s);
	if (!rc && !n->t.kernel_count)
		rc = paleo_fail(err, PALEO_EINPUT,
				"%s: has no kernel of a GPU, expected an export of 'nsys profile "
				"--trace cuda,nvtx'",
				path);
	return rc;
}

/* What a kernel is, as its name tells; the first word that it has. */
static const char *class_of(const char *name)
{
	static const char *const classes[][2] = {{"ncclDevKernel", "collective"},
						 {"ncclKernel", "collective"},
						 {"flash", "attention"},
						 {"fmha", "attention"},
						 {"attention", "attention"},
						 {"wgrad", "convolution"},
						 {"dgrad", "convolution"},
						 {"fprop", "convolution"},
						 {"conv", "convolution"},
						 {"nvjet", "GEMM"},
						 {"gemm", "GEMM"},
						 {"softmax", "softmax"},
						 {"norm", "normalisation"},
						 {"pool", "pooling"},
						 {"elementwise", "elementwise"},
						 {"reduce", "reduction"},
						 {"memcpy", "copy"},
						 {"memset", "copy"},
						 {"copy", "copy"}};

	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (strstr(name, classes[i][0]))
			return classes[i][1];
	return "other kernel";
}

/* Kernels by their names; then by the innermost range that launched them. */
static int add_times(struct nsys *n, struct paleo_trace *to, struct paleo_error *err)
{
	struct paleo_measured unused = {.count = 0};
	struct paleo_trace scratch = {.out = &unused};
	struct paleo_torch_gpu *gpu = NULL;
	char range[128];
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < n->t.kernel_count; i++) {
		const struct paleo_torch_kernel *k = &n->t.kernels[i];
		const char *name = n->texts.texts[k->name];
		to->out->total_s += k->us / 1e6;
		rc = paleo_trace_add_unmatched(to, name, k->us / 1e6, 1, class_of(name), err);
	}
	paleo_torch_sort(&n->t);
	n->t.names = n->texts;
	if (!rc)
		rc = paleo_torch_give_kernels(&n->t, &scratch, &gpu, err);
	for (int i = 0; !rc && i < n->t.op_count; i++) {
		snprintf(range, sizeof(range), "range %.100s", n->texts.texts[n->t.ops[i].call]);
		if (gpu[i].us > 0)
			rc = paleo_trace_add_unmatched(to, range, gpu[i].us / 1e6, 1, "NVTX range",
						       err);
	}
	for (int i = 0; !rc && i < unused.other_count; i++)
		rc = paleo_trace_add_unmatched(to, "in no range", unused.others[i].time_s,
					       unused.others[i].calls, "NVTX range", err);
	free(gpu);
	paleo_intern_release(&scratch.names);
	paleo_measured_release(&unused);
	return rc;
}

int paleo_trace_read_nsys(const char *path, struct paleo_trace *to, struct paleo_error *err)
{
	struct nsys n = {.string_count = 0};
	int rc = read_parts(path, &n, err);

	if (!rc)
		rc = add_times(&n, to, err);
	paleo_intern_release(&n.texts);
	paleo_intern_release(&n.t.threads);
	free(n.strings);
	free(n.t.ops);
	free(n.t.kernels);
	free(n.t.launches);
	return rc;
}
