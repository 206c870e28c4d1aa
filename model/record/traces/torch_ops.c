/* torch_ops.c - whose time is whose in a trace of PyTorch: ops within ops, matched ones. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "model/record/traces/torch.h"

enum {
	NAME_MAX_BYTES = 96
};

/* A time of an op with one here. */
struct sample {
	double us, filter_us;
	int variant; /* of the call */
};

/* An op whose ops within it are under way. */
struct frame {
	int op, owner; /* the outermost one that is matched: op's place; -1: none */
	double end_us, inner_us;
	int in_backward;
};

struct frames {
	struct frame *items;
	int count, room;
};

struct work {
	struct paleo_torch *t;
	struct paleo_trace *to;
	struct paleo_measured *out;  /* of that */
	int *name_of;                /* of each call, a number in t->names */
	struct paleo_aten *matched;  /* of each call, forward and backward */
	struct paleo_torch_gpu *gpu; /* of each op; NULL: there is no kernel */
	double *own_us;              /* of calls without an op here, and how often */
	int *own_calls;
	struct frames open;
	struct sample *samples;
	int sample_count, sample_room;
};

/* A variant of a call: its place in `matched`, and whether it ran in TF32. */
static int variant_of(int call, int in_backward, int is_tf32)
{
	return 4 * call + 2 * in_backward + is_tf32;
}

static int no_memory(struct paleo_error *err)
{
	return paleo_fail(err, PALEO_ENOMEM, "out of memory for a trace");
}

static const char *name_of(const struct work *w, int op)
{
	return w->t->names.texts[w->name_of[w->t->ops[op].call]];
}

static int name_calls(struct work *w, struct paleo_error *err)
{
	char name[NAME_MAX_BYTES];

	for (int i = 0; i < w->t->calls.count; i++) {
		const char *text = w->t->calls.texts[i] + 2;
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(text, "\""), text);
		w->name_of[i] = paleo_intern(&w->t->names, name);
		if (w->name_of[i] < 0)
			return no_memory(err);
	}
	return PALEO_OK;
}

static int match_as(struct work *w, enum paleo_dtype usual, struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < w->t->calls.count; i++)
		for (int k = 0; !rc && k < 2; k++)
			rc = paleo_aten_match(w->t->calls.texts[i], k, usual,
					      &w->matched[2 * i + k], err);
	return rc;
}

/* Matches all calls. Lists are of the dtype of the largest op. */
static int match_calls(struct work *w, struct paleo_error *err)
{
	enum paleo_dtype usual = PALEO_F32;
	double most = 0;
	int rc = match_as(w, usual, err);

	for (int i = 0; !rc && i < 2 * w->t->calls.count; i++) {
		const struct paleo_aten *a = &w->matched[i];
		if (!a->count || a->ops[0].flops <= most)
			continue;
		most = a->ops[0].flops;
		usual = paleo_dtype_wide(a->ops[0].dtype);
	}
	return rc || usual == PALEO_F32 ? rc : match_as(w, usual, err);
}

static int is_within(const struct paleo_torch *t, int op, int inner)
{
	return inner < t->op_count && t->ops[inner].tid == t->ops[op].tid &&
	       t->ops[inner].start_us < t->ops[op].end_us;
}

/* 1 if it calls itself: autocast converts the arguments, then calls the op. */
static int calls_itself(const struct work *w, int op)
{
	for (int i = op + 1; is_within(w->t, op, i); i++)
		if (w->name_of[w->t->ops[i].call] == w->name_of[w->t->ops[op].call])
			return 1;
	return 0;
}

/* The weights that an optimizer's step updates: the elements of what it does once for each. */
static double updated(const struct work *w, int op, const char *const *once)
{
	double elements = 0;

	for (; *once && !(elements > 0); once++)
		for (int i = op + 1; is_within(w->t, op, i); i++)
			if (strstr(name_of(w, i), *once))
				elements += w->matched[(size_t)2 * w->t->ops[i].call].elements;
	return elements;
}

static int is_step(const char *name)
{
	return !strncmp(name, "Optimizer.step#", 15);
}

/* An optimizer's step becomes an op of its weights. */
static int make_step(struct work *w, int op, struct paleo_aten *out)
{
	static const char *const adam[] = {"_fused_adam", "_foreach_addcdiv_", "aten::addcdiv_",
					   NULL};
	static const char *const momentum[] = {"_fused_sgd", "_foreach_mul_", "aten::mul_", NULL};
	static const char *const sgd[] = {"_foreach_add_", "aten::add_", NULL};
	const char *name = name_of(w, op);
	struct paleo_op u = {.kind = PALEO_UPDATE, .pass = PALEO_PASS_UPDATE};
	struct paleo_error ignored;

	if (strstr(name, "Adam")) {
		u.geom.update.rule = PALEO_ADAM;
		u.geom.update.count = updated(w, op, adam);
	} else if (strstr(name, "SGD")) {
		u.geom.update.rule = PALEO_MOMENTUM;
		u.geom.update.count = updated(w, op, momentum);
		if (!(u.geom.update.count > 0)) {
			u.geom.update.rule = PALEO_SGD;
			u.geom.update.count = updated(w, op, sgd);
		}
	}
	*out = (struct paleo_aten){.ops = {u}};
	out->count = u.geom.update.count > 0 && !paleo_op_finish(&out->ops[0], &ignored);
	return out->count;
}

static int add_sample(struct work *w, int variant, const struct paleo_torch_gpu *gpu, double us,
		      struct paleo_error *err)
{
	struct sample *samples =
		paleo_grow(w->samples, w->sample_count, &w->sample_room, sizeof(*samples));

	if (!samples)
		return no_memory(err);
	w->samples = samples;
	samples[w->sample_count++] = (struct sample){us, gpu ? gpu->filter_us : 0, variant};
	w->out->matched_s += us / 1e6;
	return PALEO_OK;
}

/* Time of the op itself that has none here. What only frames ops is no time of any. */
static void keep_own(struct work *w, const struct frame *f)
{
	const struct paleo_torch_op *op = &w->t->ops[f->op];
	const char *name = name_of(w, f->op);
	double us = w->gpu ? w->gpu[f->op].us : op->end_us - op->start_us - f->inner_us;

	if (!w->gpu && !strstr(name, "::") && !strstr(name, "Backward"))
		return;
	us = us > 0 ? us : 0;
	w->own_us[op->call] += us;
	w->own_calls[op->call] += us > 0;
	if (!w->gpu)
		w->out->total_s += us / 1e6;
}

/* Ends the innermost op: its time goes to its outermost matched one. */
static int close_op(struct work *w, struct paleo_error *err)
{
	struct frame f = w->open.items[--w->open.count];
	struct frame *outer = w->open.count ? &w->open.items[w->open.count - 1] : NULL;
	const struct paleo_torch_op *op = &w->t->ops[f.op];
	double us = op->end_us - op->start_us;

	if (outer)
		outer->inner_us += us;
	if (f.owner < 0) {
		keep_own(w, &f);
		return PALEO_OK;
	}
	if (f.owner != f.op) {
		if (w->gpu) {
			w->gpu[f.owner].us += w->gpu[f.op].us;
			w->gpu[f.owner].filter_us += w->gpu[f.op].filter_us;
			w->gpu[f.owner].is_tf32 |= w->gpu[f.op].is_tf32;
		}
		return PALEO_OK;
	}
	if (w->gpu)
		us = w->gpu[f.op].us;
	else
		w->out->total_s += us / 1e6;
	if (!(us > 0))
		return PALEO_OK;
	return add_sample(w, variant_of(op->call, f.in_backward, w->gpu && w->gpu[f.op].is_tf32),
			  w->gpu ? &w->gpu[f.op] : NULL, us, err);
}

/* A step is added at once: no other has its number of weights. */
static int add_step(struct work *w, int op, double us, const struct paleo_aten *step,
		    struct paleo_error *err)
{
	double time_s = us / 1e6;

	if (!(us > 0))
		return PALEO_OK;
	w->out->matched_s += time_s;
	return paleo_trace_add(w->to, &step->ops[0], name_of(w, op) + 10, &time_s, 1, err);
}

/* The time of a step: of the GPU that of all that it started, which is no time of those. */
static double step_us(struct work *w, int op)
{
	double us = w->t->ops[op].end_us - w->t->ops[op].start_us;

	if (!w->gpu) {
		w->out->total_s += us / 1e6;
		return us;
	}
	us = w->gpu[op].us;
	for (int i = op + 1; is_within(w->t, op, i); i++)
		us += w->gpu[i].us;
	return us;
}

static int open_op(struct work *w, int op, int *next, struct paleo_error *err)
{
	const struct frame *outer = w->open.count ? &w->open.items[w->open.count - 1] : NULL;
	struct frame f = {.op = op, .owner = outer ? outer->owner : -1};
	struct paleo_aten step;

	f.end_us = w->t->ops[op].end_us;
	f.in_backward = (outer && outer->in_backward) || strstr(name_of(w, op), "Backward");
	*next = op + 1;
	if (f.owner < 0 && is_step(name_of(w, op)) && make_step(w, op, &step)) {
		while (is_within(w->t, op, *next))
			++*next;
		if (outer)
			w->open.items[w->open.count - 1].inner_us +=
				w->t->ops[op].end_us - w->t->ops[op].start_us;
		return add_step(w, op, step_us(w, op), &step, err);
	}
	if (f.owner < 0 && w->matched[2 * w->t->ops[op].call + f.in_backward].count &&
	    !calls_itself(w, op))
		f.owner = op;
	struct frame *items =
		paleo_grow(w->open.items, w->open.count, &w->open.room, sizeof(*items));
	if (!items)
		return no_memory(err);
	w->open.items = items;
	items[w->open.count++] = f;
	return PALEO_OK;
}

/* Goes through the ops of each thread. */
static int walk(struct work *w, struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int i = 0, next; !rc && i < w->t->op_count; i = next) {
		const struct paleo_torch_op *op = &w->t->ops[i];
		while (!rc && w->open.count) {
			const struct frame *f = &w->open.items[w->open.count - 1];
			if (w->t->ops[f->op].tid == op->tid && f->end_us > op->start_us)
				break;
			rc = close_op(w, err);
		}
		next = i + 1;
		if (!rc)
			rc = open_op(w, i, &next, err);
	}
	while (!rc && w->open.count)
		rc = close_op(w, err);
	return rc;
}

static int by_variant(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;

	return x->variant != y->variant ? x->variant - y->variant
					: (x->us > y->us) - (x->us < y->us);
}

static int by_size(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The part of an op's time that is of its k-th op here: kernels tell those of filters, else FLOPs.
 */
static double part_of(const struct paleo_aten *a, int k, const struct sample *s)
{
	if (a->count < 2)
		return 1;
	double filter = s->filter_us > 0 && s->filter_us < s->us
				? s->filter_us / s->us
				: a->ops[1].flops / (a->ops[0].flops + a->ops[1].flops);
	return k ? filter : 1 - filter;
}

static int add_variant(struct work *w, const struct sample *s, int count, double *times_s,
		       struct paleo_error *err)
{
	const struct paleo_aten *a = &w->matched[s->variant / 2];
	const char *name = w->t->names.texts[w->name_of[s->variant / 4]];
	struct paleo_error ignored;
	int rc = PALEO_OK;

	for (int k = 0; !rc && k < a->count; k++) {
		struct paleo_op op = a->ops[k];
		if (s->variant % 2 && op.dtype == PALEO_F32 &&
		    (op.kind == PALEO_CONV || op.kind == PALEO_GEMM)) {
			op.dtype = PALEO_TF32;
			if (paleo_op_finish(&op, &ignored))
				op = a->ops[k];
		}
		for (int i = 0; i < count; i++)
			times_s[i] = s[i].us * part_of(a, k, &s[i]) / 1e6;
		qsort(times_s, (size_t)count, sizeof(*times_s), by_size);
		rc = paleo_trace_add(w->to, &op, name, times_s, count, err);
	}
	return rc;
}

static int add_samples(struct work *w, struct paleo_error *err)
{
	double *times_s = malloc(((size_t)w->sample_count + 1) * sizeof(*times_s));
	int rc = times_s ? PALEO_OK : no_memory(err);

	if (w->sample_count)
		qsort(w->samples, (size_t)w->sample_count, sizeof(*w->samples), by_variant);
	for (int from = 0, to; !rc && from < w->sample_count; from = to) {
		for (to = from + 1;
		     to < w->sample_count && w->samples[to].variant == w->samples[from].variant;)
			to++;
		rc = add_variant(w, &w->samples[from], to - from, times_s, err);
	}
	free(times_s);
	return rc;
}

static int add_unmatched(struct work *w, struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < w->t->calls.count; i++)
		if (w->own_calls[i])
			rc = paleo_trace_add_unmatched(w->to, w->t->names.texts[w->name_of[i]],
						       w->own_us[i] / 1e6, w->own_calls[i],
						       w->matched[(size_t)2 * i].why, err);
	return rc;
}

int paleo_torch_attribute(struct paleo_torch *t, struct paleo_trace *to, struct paleo_error *err)
{
	const size_t calls = (size_t)t->calls.count + 1;
	struct work w = {.t = t,
			 .to = to,
			 .out = to->out,
			 .name_of = calloc(calls, sizeof(*w.name_of)),
			 .matched = calloc(2 * calls, sizeof(*w.matched)),
			 .own_us = calloc(calls, sizeof(*w.own_us)),
			 .own_calls = calloc(calls, sizeof(*w.own_calls))};
	int rc = w.name_of && w.matched && w.own_us && w.own_calls ? PALEO_OK : no_memory(err);

	paleo_torch_sort(t);
	if (!rc && t->kernel_count)
		rc = paleo_torch_give_kernels(t, to, &w.gpu, err);
	if (!rc)
		rc = name_calls(&w, err);
	if (!rc)
		rc = match_calls(&w, err);
	if (!rc)
		rc = walk(&w, err);
	if (!rc)
		rc = add_samples(&w, err);
	if (!rc)
		rc = add_unmatched(&w, err);
	free(w.name_of);
	free(w.matched);
	free(w.gpu);
	free(w.own_us);
	free(w.own_calls);
	free(w.open.items);
	free(w.samples);
	return rc;
}
