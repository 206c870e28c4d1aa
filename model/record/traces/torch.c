/* torch.c - reads a trace of PyTorch's profiler: Chrome's JSON, event by event. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/record/traces/torch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/json_stream.h"
#include "base/text.h"

enum {
	THREAD_MAX = 64
};

/* An event under way. */
struct event {
	const struct paleo_json *json, *args;
	const char *cat, *name;
	double start_us, us;
};

int paleo_trace_is_torch(const char *head, size_t size)
{
	return paleo_trace_has(head, size, "\"traceEvents\"") ||
	       paleo_trace_has(head, size, "\"deviceProperties\"") ||
	       (paleo_trace_has(head, size, "\"ph\"") && paleo_trace_has(head, size, "\"ts\""));
}

static const char *text_of(const struct paleo_json *object, const char *key)
{
	const struct paleo_json *v = object ? paleo_json_get(object, key) : NULL;
	struct paleo_error ignored;
	const char *text = "";

	if (v && paleo_json_type(v) == PALEO_JSON_STRING)
		paleo_json_to_string(v, &text, &ignored);
	return text;
}

static double number_of(const struct paleo_json *object, const char *key)
{
	const struct paleo_json *v = object ? paleo_json_get(object, key) : NULL;
	struct paleo_error ignored;
	double number = 0;

	if (v && paleo_json_type(v) == PALEO_JSON_NUMBER)
		paleo_json_to_double(v, -1e18, 1e18, &number, &ignored);
	return number;
}

/* 0: there is none. */
static uint64_t id_of(const struct paleo_json *args, const char *key)
{
	const double number = number_of(args, key);

	return number > 0 ? (uint64_t)number : 0;
}

/* The op's number, by which kernels name it; of PyTorch 1.8 in lower case. */
static uint64_t op_id_of(const struct paleo_json *args)
{
	const uint64_t id = id_of(args, "External id");

	return id ? id : id_of(args, "external id");
}

static int thread_of(struct paleo_torch *t, const struct paleo_json *event)
{
	char thread[THREAD_MAX];

	snprintf(thread, sizeof(thread), "%.30s%.0f %.20s%.0f", text_of(event, "pid"),
		 number_of(event, "pid"), text_of(event, "tid"), number_of(event, "tid"));
	return paleo_intern(&t->threads, thread);
}

static void put_text(const char *text, FILE *out)
{
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', out);
		fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
	}
	fputc('"', out);
}

/* A value as compact JSON; lists in lists as they are. */
static void put_value(const struct paleo_json *v, FILE *out)
{
	struct paleo_error ignored;
	const char *text = "";
	char number[32];
	double value = 0;

	if (v && paleo_json_type(v) == PALEO_JSON_ARRAY) {
		fputc('[', out);
		for (const struct paleo_json *e = paleo_json_first(v); e; e = paleo_json_next(e)) {
			put_value(e, out);
			if (paleo_json_next(e))
				fputc(',', out);
		}
		fputc(']', out);
	} else if (v && paleo_json_type(v) == PALEO_JSON_NUMBER) {
		paleo_json_to_double(v, -1e300, 1e300, &value, &ignored);
		paleo_json_number_text(value, number, sizeof(number));
		fputs(number, out);
	} else {
		if (v && paleo_json_type(v) == PALEO_JSON_STRING)
			paleo_json_to_string(v, &text, &ignored);
		put_text(text, out);
	}
}

/* The call's number: its name and its arguments. */
static int call_of(struct paleo_torch *t, const struct event *e)
{
	static const char *const keys[] = {"Input Dims", "Input type", "Concrete Inputs",
					   "Input Strides"};
	struct paleo_collected text = {0};
	FILE *out = paleo_collect(&text);
	int call = -1, shaped = 0;

	if (!out)
		return -1;
	fputc('[', out);
	put_text(e->name, out);
	for (int i = 0; i < 4; i++) {
		const struct paleo_json *v = e->args ? paleo_json_get(e->args, keys[i]) : NULL;
		fputc(',', out);
		put_value(v, out);
		shaped |= v && !i;
	}
	fputc(']', out);
	if (!paleo_collect_close(out))
		call = paleo_intern(&t->calls, text.text);
	free(text.text);
	t->shaped += shaped;
	return call;
}

static int no_room(struct paleo_error *err)
{
	return paleo_fail(err, PALEO_ENOMEM, "out of memory for the events of a trace");
}

static int add_op(struct paleo_torch *t, const struct event *e, struct paleo_error *err)
{
	struct paleo_torch_op op = {.start_us = e->start_us,
				    .end_us = e->start_us + e->us,
				    .id = op_id_of(e->args),
				    .call = call_of(t, e),
				    .tid = thread_of(t, e->json)};
	struct paleo_torch_op *ops = paleo_grow(t->ops, t->op_count, &t->op_room, sizeof(op));

	if (ops)
		t->ops = ops;
	if (!ops || op.call < 0 || op.tid < 0)
		return no_room(err);
	ops[t->op_count++] = op;
	return PALEO_OK;
}

static int add_kernel(struct paleo_torch *t, const struct event *e, struct paleo_error *err)
{
	struct paleo_torch_kernel kernel = {.us = e->us,
					    .id = op_id_of(e->args),
					    .correlation = id_of(e->args, "correlation"),
					    .name = paleo_intern(&t->names, e->name)};
	struct paleo_torch_kernel *kernels =
		paleo_grow(t->kernels, t->kernel_count, &t->kernel_room, sizeof(kernel));

	if (kernels)
		t->kernels = kernels;
	if (!kernels || kernel.name < 0)
		return no_room(err);
	kernels[t->kernel_count++] = kernel;
	return PALEO_OK;
}

static int add_launch(struct paleo_torch *t, const struct event *e, struct paleo_error *err)
{
	struct paleo_torch_launch launch = {.at_us = e->start_us,
					    .correlation = id_of(e->args, "correlation"),
					    .tid = thread_of(t, e->json)};
	struct paleo_torch_launch *launches =
		paleo_grow(t->launches, t->launch_count, &t->launch_room, sizeof(launch));

	if (launches)
		t->launches = launches;
	if (!launches || launch.tid < 0)
		return no_room(err);
	launches[t->launch_count++] = launch;
	return PALEO_OK;
}

/* Marks of the user: steps are counted, an optimizer's step is an op. */
static int add_mark(struct paleo_torch *t, const struct event *e, struct paleo_measured *out,
		    struct paleo_error *err)
{
	out->steps += !strncmp(e->name, "ProfilerStep", 12);
	return strncmp(e->name, "Optimizer.", 10) != 0 ? PALEO_OK : add_op(t, e, err);
}

static int is_among(const char *word, const char *const *words)
{
	while (*words && strcmp(word, *words) != 0)
		words++;
	return *words != NULL;
}

static int add_event(struct paleo_torch *t, const struct paleo_json *json,
		     struct paleo_measured *out, struct paleo_error *err)
{
	/* the latter are of PyTorch 1.8 to 1.10 */
	static const char *const ops[] = {"cpu_op", "Operator", "operator", NULL};
	static const char *const kernels[] = {"kernel", "gpu_memcpy", "gpu_memset", "Kernel",
					      "Memcpy", "Memset",     NULL};
	static const char *const launches[] = {"cuda_runtime", "cuda_driver", "hip_runtime",
					       "Runtime",      "runtime",     NULL};
	struct event e = {.json = json,
			  .cat = text_of(json, "cat"),
			  .name = text_of(json, "name"),
			  .start_us = number_of(json, "ts"),
			  .us = number_of(json, "dur")};

	if (paleo_json_type(json) != PALEO_JSON_OBJECT || strcmp(text_of(json, "ph"), "X") != 0)
		return PALEO_OK;
	e.args = paleo_json_get(json, "args");
	if (e.args && paleo_json_type(e.args) != PALEO_JSON_OBJECT)
		e.args = NULL;
	if (e.us < 0 || e.us > 1e12)
		return paleo_json_fail(json, err, "dur is %g, expected microseconds from 0 to 1e12",
				       e.us);
	if (!strcmp(e.cat, "user_annotation"))
		return add_mark(t, &e, out, err);
	if (is_among(e.cat, ops))
		return add_op(t, &e, err);
	if (is_among(e.cat, kernels))
		return add_kernel(t, &e, err);
	return is_among(e.cat, launches) ? add_launch(t, &e, err) : PALEO_OK;
}

/* The GPU that the trace names; several are of one kind. */
static void take_device(const struct paleo_json *device, struct paleo_measured *out)
{
	if (paleo_json_type(device) == PALEO_JSON_OBJECT && !out->gpu[0])
		snprintf(out->gpu, sizeof(out->gpu), "%s", text_of(device, "name"));
}

static int read_events(const char *path, struct paleo_torch *t, struct paleo_measured *out,
		       struct paleo_error *err)
{
	struct paleo_json_stream *s = NULL;
	struct paleo_json_part part = {0};
	int rc = paleo_json_stream_open(path, "a trace", &s, err);

	while (!rc && !(rc = paleo_json_stream_next(s, &part, err)) && part.value) {
		if (!strcmp(part.key, "deviceProperties"))
			take_device(part.value, out);
		else if (!part.key[0] || !strcmp(part.key, "traceEvents"))
			rc = add_event(t, part.value, out, err);
	}
	paleo_json_stream_close(s);
	if (!rc && !t->op_count && !t->kernel_count)
		rc = paleo_fail(err, PALEO_EINPUT,
				"%s: has no op of PyTorch, expected a trace of torch.profiler",
				path);
	if (!rc && t->op_count && !t->shaped)
		rc = paleo_fail(err, PALEO_EINPUT,
				"%s: ops have no 'Input Dims': record it with "
				"torch.profiler.profile(record_shapes=True)",
				path);
	return rc;
}

static void release(struct paleo_torch *t)
{
	paleo_intern_release(&t->calls);
	paleo_intern_release(&t->names);
	paleo_intern_release(&t->threads);
	free(t->ops);
	free(t->kernels);
	free(t->launches);
}

int paleo_trace_read_torch(const char *path, struct paleo_trace *to, struct paleo_error *err)
{
	struct paleo_torch t = {.op_count = 0};
	int rc = read_events(path, &t, to->out, err);

	if (!rc)
		rc = paleo_torch_attribute(&t, to, err);
	release(&t);
	return rc;
}
