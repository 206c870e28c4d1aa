/* design.c - which ops to measure, in which order, within a budget. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "calib/design.h"

#include <math.h>
#include <stdlib.h>

/* Datasheet times between which ops are drawn. One GEMM in eight may take four times longer than
 * usual. Memory-bound ops scale with their size: half the time suffices. After the images, nets
 * have much smaller ops. */
#define TIME_LOW_S 4e-6
#define TIME_TINY_S 1e-7
#define TIME_HIGH_S 30e-3
#define LONG 4.0
#define LONG_DATA 0.5

/* Start of the rare classes within the first round: the others come before them. */
#define RARE_START 0.4

/* Priority factor of ops with wide intervals, at most. */
#define SOONER_MAX 4.0

enum {
	ROUNDS = 20,
	TRIES = 60, /* draws for one op, of which the nearest in time is taken */
};

/* A group and how many of its ops there are in a round. */
struct share {
	struct paleo_design_group group;
	double weight;
};

#define ONE(kind, variant, pass, weight)                                                           \
	{                                                                                          \
		{kind, variant, pass}, weight                                                      \
	}
#define TWO(kind, variant, weight)                                                                 \
	ONE(kind, variant, PALEO_FWD, weight), ONE(kind, variant, PALEO_BWD_DATA, weight)
#define ALL(kind, variant, weight)                                                                 \
	TWO(kind, variant, weight), ONE(kind, variant, PALEO_BWD_FILTER, weight)

/* Convolutions vary most; ops that are rare in nets are measured rarely. */
static const struct share shares[] = {
	ALL(PALEO_CONV, PALEO_CONV_PLAIN, 14),
	ALL(PALEO_CONV, PALEO_CONV_DENSE, 4),
	ALL(PALEO_GEMM, 0, 5),
	ALL(PALEO_CONV, PALEO_CONV_DEPTHWISE, 1.6),
	ALL(PALEO_CONV, PALEO_CONV_GROUPED, 1),
	TWO(PALEO_POOL, PALEO_POOL_MAX, 3),
	TWO(PALEO_ELTWISE, PALEO_RELU, 1.5),
	TWO(PALEO_NORM, PALEO_BATCH_NORM, 4),
	ONE(PALEO_ELTWISE, PALEO_ADD, PALEO_FWD, 2),
	ONE(PALEO_UPDATE, PALEO_SGD, PALEO_PASS_UPDATE, 4),
	TWO(PALEO_COPY, 0, 2),
	TWO(PALEO_POOL, PALEO_POOL_AVG, 3),
	TWO(PALEO_ELTWISE, PALEO_DROPOUT, 0.8),
	TWO(PALEO_LRN, 0, 0.8),
	TWO(PALEO_SOFTMAX, 0, 1.2),
	TWO(PALEO_ELTWISE, PALEO_SIGMOID, 0.4),
	TWO(PALEO_ELTWISE, PALEO_TANH, 0.4),
	TWO(PALEO_ELTWISE, PALEO_RELU6, 0.4),
	TWO(PALEO_ELTWISE, PALEO_LEAKY_RELU, 0.4),
	TWO(PALEO_ELTWISE, PALEO_ELU, 0.4),
	TWO(PALEO_ELTWISE, PALEO_GELU, 0.4),
	TWO(PALEO_ELTWISE, PALEO_SILU, 0.4),
	TWO(PALEO_ELTWISE, PALEO_HARDSWISH, 0.4),
	TWO(PALEO_ELTWISE, PALEO_MUL, 0.4),
	TWO(PALEO_ELTWISE, PALEO_MAX, 0.4),
	TWO(PALEO_UPSAMPLE, PALEO_NEAREST, 0.4),
	TWO(PALEO_UPSAMPLE, PALEO_BILINEAR, 0.4),
	TWO(PALEO_NORM, PALEO_LAYER_NORM, 0.8),
	TWO(PALEO_NORM, PALEO_RMS_NORM, 0.4),
	TWO(PALEO_POOL, PALEO_POOL_AVG_PAD, 0.4),
	ALL(PALEO_GEMM, 1, 0.8),
	TWO(PALEO_ATTENTION, 0, 0.6),
	TWO(PALEO_ATTENTION, 1, 0.6),
	ONE(PALEO_REDUCE, PALEO_REDUCE_SUM, PALEO_FWD, 0.8),
	ONE(PALEO_UPDATE, PALEO_MOMENTUM, PALEO_PASS_UPDATE, 0.4),
	ONE(PALEO_UPDATE, PALEO_ADAM, PALEO_PASS_UPDATE, 0.4),
};

enum {
	SHARES = sizeof(shares) / sizeof(shares[0])
};

/* An op and its place in the order. */
struct entry {
	struct paleo_op op;
	double round;
	int number; /* as drawn: breaks ties */
};

struct entries {
	struct entry *list;
	int count;
};

/* Van der Corput's sequence: any beginning of it is spread evenly over [0, 1). */
static double spread(int i)
{
	double x = 0;

	for (double place = 0.5; i > 0; i /= 2, place /= 2)
		x += place * (i % 2);
	return x;
}

static double target_time(const struct paleo_design_group *g, const struct paleo_design_options *o,
			  int i, double shift)
{
	int product = g->kind == PALEO_CONV || g->kind == PALEO_GEMM;
	double fits_s = o->memory_bytes / o->device->mem_bytes_per_s;
	double high = product ? o->longest_s : fmin(LONG_DATA * o->longest_s, fits_s);
	int tiny = g->kind == PALEO_ELTWISE || g->kind == PALEO_UPDATE || g->kind == PALEO_SOFTMAX;
	/* short ops are included, such as a net's last GEMMs */
	tiny |= g->kind == PALEO_GEMM && o->shortest_s < TIME_LOW_S;
	double low = tiny ? TIME_TINY_S : o->shortest_s;
	double u = spread(i) + shift;

	u -= floor(u);
	if (product && i % 8 == 7)
		return high * pow(LONG, u);
	return low * pow(high / low, u);
}

static int is_new(const struct entries *e, const struct paleo_op *w)
{
	for (int i = 0; i < e->count; i++)
		if (paleo_op_equal(&e->list[i].op, w))
			return 0;
	return 1;
}

/* Draws until an op comes near the time, and takes the nearest; 0 when none was valid. */
static int draw_near(const struct paleo_design_group *g, enum paleo_dtype dtype,
		     const struct paleo_design_options *o, double time_s, struct paleo_dice *dice,
		     struct paleo_op *out)
{
	double best = INFINITY;
	struct paleo_error ignored;
	const struct paleo_design_bounds bounds = {o->device, dtype, o->batch_max};
	struct paleo_op w;

	for (int i = 0; i < TRIES && best > 0.25; i++) {
		paleo_design_draw(g, &bounds, time_s, dice, &w);
		w.layout = o->layout;
		if (paleo_op_finish(&w, &ignored) || w.read_bytes + w.write_bytes > o->memory_bytes)
			continue;
		double off = fabs(log(paleo_design_time(o->device, &w) / time_s));
		if (off < best) {
			best = off;
			*out = w;
		}
	}
	return isfinite(best);
}

/* Returns 1 if the group's ops exist in a dtype. */
static int exists(const struct paleo_design_group *g, enum paleo_dtype dtype)
{
	struct paleo_op w = {.kind = g->kind, .pass = g->pass, .dtype = dtype};

	if (g->kind == PALEO_GEMM)
		w.geom.gemm.batch = g->variant ? 2 : 1;
	else if (dtype == PALEO_FP8) /* of networks, only forward GEMMs are */
		return 0;
	return paleo_op_has_dtype(&w);
}

static void draw_group(int share, enum paleo_dtype dtype, const struct paleo_design_options *o,
		       struct entries *e)
{
	const struct paleo_design_group *g = &shares[share].group;
	struct paleo_dice dice = {o->seed + (uint64_t)share * 1000003 + (uint64_t)dtype * 7919};
	double shift = paleo_dice_uniform(&dice);
	double weight = shares[share].weight;
	int n = (int)ceil(ROUNDS * weight);
	double start = weight < 1 ? RARE_START : 0;
	struct paleo_op w;

	for (int i = 0; i < n; i++) {
		double time_s = target_time(g, o, i, shift);
		if (!draw_near(g, dtype, o, time_s, &dice, &w) || !is_new(e, &w))
			continue;
		e->list[e->count] = (struct entry){w, start + i / weight, e->count};
		e->count++;
	}
}

static int by_round(const void *a, const void *b)
{
	const struct entry *x = a;
	const struct entry *y = b;

	if (x->round != y->round)
		return x->round < y->round ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* Runs for as long as is timed, but a dozen at least, at half of the peaks' speed. */
static double cost(const struct paleo_design_options *o, const struct paleo_op *w)
{
	return o->setup_s + fmax(o->timed_s, 12 * 2 * paleo_design_time(o->device, w));
}

/* Copies ops in order, as far as the budget goes; one that is too dear makes room for others. */
static void fill(const struct paleo_design_options *o, const struct entries *e,
		 struct paleo_design *out)
{
	for (int i = 0; i < e->count; i++) {
		double more = cost(o, &e->list[i].op);
		if (o->budget_s > 0 && out->cost_s + more > o->budget_s)
			continue;
		out->ops[out->count++] = e->list[i].op;
		out->cost_s += more;
	}
}

static int check_device(const struct paleo_design_options *o, struct paleo_error *err)
{
	for (int t = 0; t < PALEO_DTYPES; t++)
		if (o->dtypes >> t & 1 && !(o->device->flop_per_s[t] > 0))
			return paleo_fail(err, PALEO_EUNSUPPORTED,
					  "device '%s' has no peak FLOP/s for %s", o->device->name,
					  paleo_dtype_name((enum paleo_dtype)t));
	if (!(o->device->mem_bytes_per_s > 0))
		return paleo_fail(err, PALEO_EUNSUPPORTED, "device '%s' has no memory bandwidth",
				  o->device->name);
	return PALEO_OK;
}

static struct paleo_design_options with_defaults(const struct paleo_design_options *o)
{
	struct paleo_design_options d = *o;

	if (d.dtypes == 0)
		d.dtypes = 1u << PALEO_F32;
	if (d.passes == 0)
		d.passes = (1u << PALEO_PASSES) - 1;
	if (!(d.setup_s > 0))
		d.setup_s = 0.1;
	if (!(d.timed_s > 0))
		d.timed_s = 0.1;
	if (!(d.shortest_s > 0))
		d.shortest_s = TIME_LOW_S;
	if (!(d.longest_s > 0))
		d.longest_s = TIME_HIGH_S;
	if (d.batch_max <= 0)
		d.batch_max = 128;
	if (!(d.memory_bytes > 0))
		d.memory_bytes = d.device->mem_bytes > 0 ? d.device->mem_bytes / 8 : 1e9;
	return d;
}

int paleo_design(const struct paleo_design_options *options, struct paleo_design *out,
		 struct paleo_error *err)
{
	const struct paleo_design_options o = with_defaults(options);
	struct paleo_design design = {.count = 0};
	struct entries e = {.count = 0};
	double most = 0;

	PALEO_TRY(check_device(&o, err));
	for (int i = 0; i < SHARES; i++)
		most += ceil(ROUNDS * shares[i].weight) * PALEO_DTYPES;
	e.list = malloc((size_t)most * sizeof(*e.list));
	design.ops = malloc((size_t)most * sizeof(*design.ops));
	if (!e.list || !design.ops) {
		free(e.list);
		free(design.ops);
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	}
	for (int t = 0; t < PALEO_DTYPES; t++)
		for (int i = 0; o.dtypes >> t & 1 && i < SHARES; i++)
			if (o.passes >> shares[i].group.pass & 1 &&
			    exists(&shares[i].group, (enum paleo_dtype)t))
				draw_group(i, (enum paleo_dtype)t, &o, &e);
	qsort(e.list, (size_t)e.count, sizeof(*e.list), by_round);
	fill(&o, &e, &design);
	free(e.list);
	*out = design;
	return PALEO_OK;
}

/* The width of each op's interval, NaN where there is none, and their mean. */
static int find_widths(const struct paleo_design *d, const struct paleo_calibration *prior,
		       double *widths, double *mean, struct paleo_error *err)
{
	struct paleo_prediction p;
	double sum = 0;
	int n = 0;

	for (int i = 0; i < d->count; i++) {
		PALEO_TRY(paleo_predict_op(prior, &d->ops[i], &p, err));
		widths[i] = p.exact ? log(p.interval.high / p.interval.low) : NAN;
		if (!isfinite(widths[i]))
			continue;
		sum += widths[i];
		n++;
	}
	*mean = n ? sum / n : 0;
	return PALEO_OK;
}

static double sooner(double width, double mean)
{
	if (!isfinite(width))
		return SOONER_MAX;
	return mean > 0 ? fmin(fmax(width / mean, 1 / SOONER_MAX), SOONER_MAX) : 1;
}

int paleo_design_prefer(struct paleo_design *d, const struct paleo_calibration *prior,
			struct paleo_error *err)
{
	struct entry *entries = malloc(((size_t)d->count + 1) * sizeof(*entries));
	double *widths = malloc(((size_t)d->count + 1) * sizeof(*widths));
	double mean;
	int rc = entries && widths ? find_widths(d, prior, widths, &mean, err)
				   : paleo_fail(err, PALEO_ENOMEM, "out of memory");

	for (int i = 0; !rc && i < d->count; i++)
		entries[i] = (struct entry){d->ops[i], (i + 1) / sooner(widths[i], mean), i};
	if (!rc)
		qsort(entries, (size_t)d->count, sizeof(*entries), by_round);
	for (int i = 0; !rc && i < d->count; i++)
		d->ops[i] = entries[i].op;
	free(entries);
	free(widths);
	return rc;
}

void paleo_design_release(struct paleo_design *d)
{
	if (!d)
		return;
	free(d->ops);
	*d = (struct paleo_design){.count = 0};
}
