/* knowledge_pick.c - chooses the calibration for an op on a device among several. */
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "model/source/knowledge_pick.h"

#include <math.h>
#include <string.h>

#include "model/source/presets.h"

/* Compares all values that determine speed; memory size is ignored. */
static int same_datasheet(const struct paleo_device *a, const struct paleo_device *b)
{
	for (int t = 0; t < PALEO_DTYPES; t++)
		if (a->flop_per_s[t] != b->flop_per_s[t])
			return 0;
	return paleo_device_same_chip(a->name, b->name) &&
	       a->mem_bytes_per_s == b->mem_bytes_per_s && a->clock_hz == b->clock_hz &&
	       a->sm_count == b->sm_count && a->tdp_w == b->tdp_w;
}

enum paleo_nearness paleo_nearness_of(const struct paleo_device *d,
				      const struct paleo_device *measured)
{
	if (!strcmp(d->name, measured->name) || same_datasheet(d, measured))
		return PALEO_NEAR_DEVICE;
	if (paleo_device_same_chip(d->name, measured->name))
		return PALEO_NEAR_CHIP;
	/* The same multiprocessors: 6.0 and 6.1 are as different as 6.1 and 7.0. Since 10.0 code
	 * for one capability of a major number may be for all (sm_100f, CUDA 12.9). */
	int a = d->compute_capability, b = measured->compute_capability;
	return a && (a == b || (a >= 100 && a / 10 == b / 10)) ? PALEO_NEAR_FAMILY : PALEO_NEAR_ALL;
}

static double ratio(double a, double b)
{
	return a > 0 && b > 0 ? fabs(log(a / b)) : 0;
}

static double difference(const struct paleo_device *a, const struct paleo_device *b)
{
	return ratio(a->flop_per_s[PALEO_F32], b->flop_per_s[PALEO_F32]) +
	       ratio(a->mem_bytes_per_s, b->mem_bytes_per_s) + ratio(a->sm_count, b->sm_count) +
	       ratio(a->tdp_w, b->tdp_w);
}

static int is_nearer(const struct paleo_known *a, const struct paleo_known *b)
{
	if (a->nearness != b->nearness)
		return a->nearness < b->nearness;
	return a->other_stack != b->other_stack ? a->other_stack < b->other_stack : a->far < b->far;
}

const char *const paleo_stack_names[PALEO_STACKS + 1] = {"auto", "trtllm", "vllm", "sglang", NULL};

enum paleo_stack paleo_stack_of(const char *versions)
{
	for (int s = PALEO_STACK_AUTO + 1; s < PALEO_STACKS; s++)
		if (strcasestr(versions, paleo_stack_names[s]))
			return (enum paleo_stack)s;
	return PALEO_STACK_AUTO;
}

enum paleo_stack paleo_stack_default(const struct paleo_device *d,
				     const struct paleo_calibration *presets, int count)
{
	enum paleo_nearness nearest = PALEO_NEAR_ALL;
	int factors[PALEO_STACKS] = {0}, best = PALEO_STACK_AUTO;

	for (int i = 0; i < count; i++) {
		enum paleo_nearness n = paleo_nearness_of(d, &presets[i].device);
		enum paleo_stack s = paleo_stack_of(presets[i].versions);
		if (s == PALEO_STACK_AUTO || n > nearest || n == PALEO_NEAR_ALL)
			continue;
		if (n < nearest)
			memset(factors, 0, sizeof(factors));
		nearest = n;
		factors[s] += presets[i].count;
	}
	for (int s = 0; s < PALEO_STACKS; s++)
		if (factors[s] > factors[best])
			best = s;
	return (enum paleo_stack)best;
}

/* In its place, the nearest first; beyond PALEO_KNOWN_MAX it is left out. */
static void add_known(struct paleo_known_list *list, struct paleo_known known)
{
	int at = list->count;

	if (at == PALEO_KNOWN_MAX)
		return;
	known.far = difference(list->device, &known.calibration->device);
	for (; at > 0 && is_nearer(&known, &list->items[at - 1]); at--)
		list->items[at] = list->items[at - 1];
	list->items[at] = known;
	list->count++;
}

void paleo_known_list(const struct paleo_knowledge *k, const struct paleo_calibration *middle,
		      struct paleo_known_list *list)
{
	const enum paleo_stack stack =
		k->stack ? k->stack : paleo_stack_default(k->device, k->presets, k->preset_count);

	*list = (struct paleo_known_list){.device = k->device};
	if (k->own)
		add_known(list, (struct paleo_known){k->own, PALEO_NEAR_OWN, 0, 0});
	for (int i = 0; i < k->preset_count; i++) {
		const struct paleo_calibration *c = &k->presets[i];
		enum paleo_nearness n = paleo_nearness_of(k->device, &c->device);
		enum paleo_stack its = paleo_stack_of(c->versions);
		int other = its != PALEO_STACK_AUTO && its != stack;
		if (n <= PALEO_NEAR_CHIP && other)
			n = PALEO_NEAR_STACK;
		if (n < PALEO_NEAR_ALL)
			add_known(list, (struct paleo_known){c, n, other, 0});
	}
	add_known(list, (struct paleo_known){middle, PALEO_NEAR_ALL, 0, 0});
}

enum paleo_known_group paleo_known_group_of(const struct paleo_op *w)
{
	if (w->kind == PALEO_ATTENTION || w->kind == PALEO_MOE || w->kind == PALEO_SCAN ||
	    w->kind == PALEO_CAUSAL_CONV)
		return PALEO_KNOWN_FUSED;
	return w->kind == PALEO_GEMM   ? PALEO_KNOWN_PRODUCTS
	       : w->kind == PALEO_CONV ? PALEO_KNOWN_CONVOLUTIONS
				       : PALEO_KNOWN_MOVES;
}

/* 1 if their tensor cores do about the same work per clock. GeForce cards run at half their chip's
 * rate, so power limits the others but not them, and fractions of peak do not transfer. */
static int as_wide(const struct paleo_tile_device *a, const struct paleo_tile_device *b)
{
	double x = a->flop_per_s / (a->sm_count * a->clock_hz);
	double y = b->flop_per_s / (b->sm_count * b->clock_hz);

	return fmax(x, y) < 1.5 * fmin(x, y);
}

/* 1 if the same cores compute both dtypes, with elements as long. */
static int same_cores(const struct paleo_device *a, enum paleo_dtype x,
		      const struct paleo_device *b, enum paleo_dtype y)
{
	struct paleo_tile_device of_a, of_b;
	struct paleo_error none;

	if (paleo_dtype_bytes(x) != paleo_dtype_bytes(y) || (x == PALEO_TF32) != (y == PALEO_TF32))
		return 0;
	int tensor_a = !paleo_tile_device_of(a, x, &of_a, &none) && of_a.tensor;
	int tensor_b = !paleo_tile_device_of(b, y, &of_b, &none) && of_b.tensor;
	return tensor_a == tensor_b && (!tensor_a || as_wide(&of_a, &of_b));
}

/* Characters of a class name without its layout. */
static size_t plain_length(const char *name)
{
	const char *suffix = strstr(name, ".nhwc");

	return suffix ? (size_t)(suffix - name) : strlen(name);
}

static int same_plain_class(const char *a, const char *b)
{
	size_t n = plain_length(a);

	return n == plain_length(b) && !strncmp(a, b, n);
}

/* Distance of a factor from the requested op: 0 is the same class, below FAR_CLASS the same class
 * in another pass, dtype or layout; -1: not applicable. */
enum {
	FAR_LAYOUT = 1,
	FAR_PASS = 2,
	FAR_TYPE = 4,
	FAR_LENGTH = 8,
	FAR_CLASS = 16
};

/* 8-bit integers have the size of fp8, and GPUs that support both have equal rates: fp8 kernels
 * stand in for int8 GEMMs. */
static int is_stand_in(const struct paleo_device *asked, const struct paleo_class_model *f,
		       const struct paleo_op *w)
{
	return paleo_op_cores(w) == PALEO_CORES_INT8 && paleo_dtype_bytes(w->dtype) == 2 &&
	       f->dtype == PALEO_FP8 && !strcmp(f->class_name, "gemm") &&
	       asked->int8_flop_per_s == asked->flop_per_s[PALEO_FP8];
}

static int distance(const struct paleo_device *asked, const struct paleo_device *measured,
		    const struct paleo_class_model *f, const struct paleo_op *w)
{
	const char *class_name = paleo_op_class(w);
	int moves = paleo_known_group_of(w) == PALEO_KNOWN_MOVES, far = 0;

	if (!paleo_class_same_kind(f->class_name, class_name))
		return -1;
	if (is_stand_in(asked, f, w))
		return same_cores(asked, PALEO_FP8, measured, PALEO_FP8) ? FAR_TYPE : -1;
	/* One token is another kernel's op than many. */
	if (!moves && f->model && !f->model->kernel->applies(w))
		return -1;
	if (!moves && !same_cores(asked, w->dtype, measured, f->dtype))
		return -1;
	if (!same_plain_class(f->class_name, class_name))
		far += FAR_CLASS;
	else if (strcmp(f->class_name, class_name) != 0)
		far += FAR_LAYOUT;
	/* A convolution's gradients are other algorithms than itself. */
	if (f->pass != w->pass)
		far += w->kind == PALEO_CONV ? FAR_CLASS : FAR_PASS;
	if (f->dtype != w->dtype)
		far += FAR_TYPE;
	if (paleo_dtype_bytes(f->dtype) != paleo_dtype_bytes(w->dtype))
		far += FAR_LENGTH;
	return far;
}

/* The nearest factor of one calibration, no further than `limit`; NULL: none. */
static const struct paleo_class_model *nearest_of(const struct paleo_known_list *list,
						  const struct paleo_known *known,
						  const struct paleo_op *w, int limit)
{
	const struct paleo_class_model *best = NULL;

	for (int i = 0; i < known->calibration->count; i++) {
		const struct paleo_class_model *f = &known->calibration->models[i];
		int far = distance(list->device, &known->calibration->device, f, w);
		if (far < 0 || far > limit)
			continue;
		best = f;
		limit = far - 1;
	}
	return best;
}

struct paleo_pick paleo_known_pick(const struct paleo_known_list *list, const struct paleo_op *w,
				   enum paleo_nearness nearest)
{
	int any = 8 * FAR_CLASS;
	/* GEMMs prefer the same class from any source to another class. */
	int limits[] = {paleo_known_group_of(w) == PALEO_KNOWN_MOVES ? any : FAR_CLASS - 1, any};

	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < list->count; i++) {
			const struct paleo_known *known = &list->items[i];
			const struct paleo_class_model *f =
				known->nearness < nearest
					? NULL
					: nearest_of(list, known, w, limits[round]);
			if (f)
				return (struct paleo_pick){f, i};
		}
	}
	return (struct paleo_pick){NULL, 0};
}

int paleo_known_same_class(const struct paleo_class_model *f, const struct paleo_op *w)
{
	return f->pass == w->pass && same_plain_class(f->class_name, paleo_op_class(w));
}

void paleo_known_power(const struct paleo_device *measured, const struct paleo_device *d,
		       enum paleo_dtype dtype, struct paleo_fitted_kernel *m)
{
	struct paleo_tile_device from, to;
	struct paleo_error none;

	if (m->kernel->host || paleo_tile_device_of(measured, dtype, &from, &none) ||
	    paleo_tile_device_of(d, dtype, &to, &none))
		return;
	double more = paleo_tile_power_droop(&to) - paleo_tile_power_droop(&from);
	for (const struct paleo_parameter *q = m->kernel->parameters; q->name; q++)
		if (!strcmp(q->name, "droop"))
			paleo_parameter_set(
				q, m->params,
				fmin(fmax(paleo_parameter_get(q, m->params) + more, q->low),
				     q->high));
}
