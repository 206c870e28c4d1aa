/* design_shapes.c - ops of random shapes, like those of nets, for about a given time. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/hash.h"
#include "calib/design.h"
#include "model/op/op_fields.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

/* Of GEMMs: the batch times the tokens at most, inputs and outputs of many rows, and of any. */
#define ROWS_MAX 8192.0
#define SIDE_MIN 32.0
#define SIDE_MAX 65536.0
#define RATIO_MAX 256.0

static uint64_t roll(struct paleo_dice *d)
{
	uint64_t rolled = paleo_hash(d->state);

	d->state += PALEO_HASH_STEP;
	return rolled;
}

double paleo_dice_uniform(struct paleo_dice *d)
{
	return ((double)(roll(d) >> 12) + 0.5) / 4503599627370496.0; /* 2^52 */
}

static int chance(struct paleo_dice *d, double probability)
{
	return paleo_dice_uniform(d) < probability;
}

static int one_of(struct paleo_dice *d, const int *list, int count)
{
	return list[(int)(paleo_dice_uniform(d) * count)];
}

static double log_uniform(struct paleo_dice *d, double low, double high)
{
	return low * pow(high / low, paleo_dice_uniform(d));
}

static int clamp_int(double x, double low, double high)
{
	return (int)floor(fmin(fmax(x, low), high) + 0.5);
}

/* A size as nets have them: mostly a multiple of 32 or 16, seldom not of 8 or of 4. */
static int usual_size(struct paleo_dice *d, double size, double low, double high)
{
	double u = paleo_dice_uniform(d);
	double step = u < 0.45 ? 32 : u < 0.7 ? 16 : u < 0.85 ? 8 : u < 0.95 ? 4 : 1;

	if (step * floor(size / step + 0.5) >= low)
		size = step * floor(size / step + 0.5);
	return clamp_int(size, low, high);
}

/* A size of a transformer, or of the layers behind images: every second is a small multiple of a
 * power of two, such as 768 or 3072, whose rows share few sets of a cache. */
static int hidden_size(struct paleo_dice *d, double size)
{
	static const int multiples[] = {2, 4}; /* of a step, at least */

	if (size < 64 || chance(d, 0.5))
		return usual_size(d, size, 1, SIDE_MAX);
	double step = exp2(floor(log2(size))) / one_of(d, multiples, COUNT(multiples));
	return clamp_int(step * floor(size / step + 0.5), 1, SIDE_MAX);
}

static int channels(struct paleo_dice *d, double low, double high)
{
	return usual_size(d, log_uniform(d, low, high), low, high);
}

double paleo_design_time(const struct paleo_device *d, const struct paleo_op *w)
{
	double compute = w->flops > 0 ? w->flops / d->flop_per_s[w->dtype] : 0;

	return fmax(compute, (w->read_bytes + w->write_bytes) / d->mem_bytes_per_s);
}

/* Number of ops of batch 1 that fit into the time: the batch that a net would have. */
static int batch_for(const struct paleo_op *w, const struct paleo_device *device, double time_s,
		     double most)
{
	struct paleo_op one = *w;
	struct paleo_error ignored;

	if (paleo_op_finish(&one, &ignored))
		return 1;
	return clamp_int(time_s / paleo_design_time(device, &one), 1, most);
}

/*
 * Channels of an image of h x h: deep layers have many on small images, early ones few on large
 * images. Between 16 and 2048, and so that c * h stays between 448 and 16384, which excludes only
 * shapes that do not occur in layers.
 */
static int channels_at(struct paleo_dice *d, int h)
{
	return channels(d, fmax(16, 448.0 / h), fmin(2048, 16384.0 / h));
}

/* A number of channels given another: often the same, rarely beyond a factor of four. Some layers
 * add a few channels to many. */
static int channels_given(struct paleo_dice *d, int c)
{
	if (chance(d, 0.12))
		return channels(d, 8, 32);
	return chance(d, 0.3) ? c : channels(d, fmax(16, c / 4.0), fmin(2048, 4.0 * c));
}

/* Image sides: half of them those to which nets halve 224 pixels, down to 7, the others any. */
static int side(struct paleo_dice *d, double low, double high)
{
	double pixels = log_uniform(d, low, high);

	if (chance(d, 0.5)) {
		pixels = 224 / exp2(floor(log2(224 / pixels) + 0.5));
		if (pixels > high)
			pixels /= 2;
	}
	return clamp_int(pixels, low, high);
}

/* First convolutions, on images of 3 channels: large filters, often with a stride. */
static void draw_conv_first(struct paleo_conv_geom *g, struct paleo_dice *d)
{
	static const int filters[] = {3, 3, 5, 7, 11};

	g->r = one_of(d, filters, COUNT(filters));
	g->c = 3;
	g->k = channels(d, 16, 128);
	g->h = side(d, 64, 320);
	g->stride_h = g->r > 3 ? (g->r + 1) / 3 : 1 + chance(d, 0.4);
}

/* All other layers of nets. First layers need no data gradient. */
static void draw_conv_plain(struct paleo_conv_geom *g, enum paleo_pass pass, struct paleo_dice *d)
{
	static const int filters[] = {1, 1, 1, 1, 3, 3, 3, 3, 3, 5, 7};

	if (chance(d, pass == PALEO_BWD_DATA ? 0.01 : 0.08)) {
		draw_conv_first(g, d);
		return;
	}
	g->r = one_of(d, filters, COUNT(filters));
	g->h = side(d, 7, 240);
	g->c = channels_at(d, g->h);
	g->k = channels_given(d, g->c);
	g->stride_h = 1 + (g->r <= 3 && chance(d, 0.15));
	if (g->r == 1 && g->stride_h == 2) /* which halves an image */
		g->h += g->h % 2;
}

/* Fully connected layers written as convolutions: the filter is as large as the image. */
static void draw_conv_dense(struct paleo_conv_geom *g, int batch_max, struct paleo_dice *d)
{
	g->r = g->h = chance(d, 0.5) ? 1 : clamp_int(log_uniform(d, 3, 8), 3, 8);
	g->c = channels(d, 64, g->r > 1 ? 512 : 4096);
	g->k = channels(d, 64, 4096);
	g->n = clamp_int(log_uniform(d, 1, batch_max), 1, batch_max);
	g->stride_h = 1;
}

/* Channels of a group: as nets have them, a multiple of 8, or any, for which libraries have slower
 * kernels. */
static int group_width(struct paleo_dice *d)
{
	int width = clamp_int(log_uniform(d, 4, 64), 4, 64);

	return chance(d, 0.6) ? (width + 7) / 8 * 8 : width;
}

static void draw_conv_grouped(struct paleo_conv_geom *g, struct paleo_dice *d, int depthwise)
{
	static const int groups[] = {2, 4, 8, 16, 32};
	static const int filters[] = {3, 3, 3, 5, 7};

	g->r = one_of(d, filters, depthwise ? 5 : 4);
	g->h = side(d, 7, 112);
	g->stride_h = 1 + chance(d, 0.25);
	if (depthwise) {
		g->c = g->k = g->groups = channels(d, 16, 1024);
		return;
	}
	g->groups = one_of(d, groups, COUNT(groups));
	g->c = g->groups * group_width(d);
	g->k = chance(d, 0.8) ? g->c : g->groups * group_width(d);
}

/* Padding that keeps the image's size; the largest filters may lose some of its edge. */
static int padding(int filter)
{
	return filter < 7 ? (filter - 1) / 2 : 3;
}

static void draw_conv(int variant, int batch_max, struct paleo_op *w, struct paleo_dice *d)
{
	struct paleo_conv_geom *g = &w->geom.conv;
	int pad = variant != PALEO_CONV_DENSE && chance(d, 0.8);

	g->groups = 1;
	if (variant == PALEO_CONV_PLAIN)
		draw_conv_plain(g, w->pass, d);
	else if (variant == PALEO_CONV_DENSE)
		draw_conv_dense(g, batch_max, d);
	else
		draw_conv_grouped(g, d, variant == PALEO_CONV_DEPTHWISE);
	g->s = g->r;
	/* Large filters on small images are often one-dimensional, in either direction. */
	if (variant == PALEO_CONV_PLAIN && pad && g->c > 3 && g->r > 1 && g->stride_h == 1 &&
	    chance(d, g->r == 7 ? 0.8 : 0.15)) {
		if (chance(d, 0.5))
			g->s = 1;
		else
			g->r = 1;
	}
	g->w = g->h;
	g->stride_w = g->stride_h;
	g->pad_t = g->pad_b = pad ? padding(g->r) : 0;
	g->pad_l = g->pad_r = pad ? padding(g->s) : 0;
	g->bias = w->pass != PALEO_BWD_DATA && chance(d, 0.6);
}

/* A layer y = x w^T of `rows` samples, `in` inputs, `out` outputs, as op.h lays it out. */
static void set_layer(struct paleo_op *w, int rows, int in, int out, int bias)
{
	struct paleo_gemm_geom *g = &w->geom.gemm;

	g->batch = 1;
	g->m = w->pass == PALEO_BWD_FILTER ? out : rows;
	g->n = w->pass == PALEO_FWD ? out : in;
	g->k = w->pass == PALEO_FWD ? in : w->pass == PALEO_BWD_DATA ? out : rows;
	g->trans_b = w->pass == PALEO_FWD;
	g->trans_a = w->pass == PALEO_BWD_FILTER;
	g->bias = bias && w->pass != PALEO_BWD_DATA;
}

/*
 * Rows are samples in a classifier and tokens in a transformer: any number up to ROWS_MAX, as far
 * as the time leaves inputs and outputs of SIDE_MIN. These two share the rest of the time, one of
 * them up to RATIO_MAX times the other.
 */
static void draw_gemm(struct paleo_op *w, const struct paleo_design_bounds *b, double time_s,
		      struct paleo_dice *d)
{
	const struct paleo_device *device = b->device;
	double products = time_s * device->flop_per_s[w->dtype] / 2;
	double elements = time_s * device->mem_bytes_per_s / paleo_dtype_bytes(w->dtype);
	double most = fmin(fmax(products / (SIDE_MIN * SIDE_MIN), 4.0 * b->batch_max), ROWS_MAX);
	int rows = clamp_int(log_uniform(d, 1, most), 1, most);
	double area = fmin(products / rows, elements), side = sqrt(area);
	int out = hidden_size(d, side * sqrt(log_uniform(d, 1 / RATIO_MAX, RATIO_MAX)));
	int in = hidden_size(d, area / out);

	if (paleo_dtype_is_narrow(w->dtype)) { /* libraries require rows of whole 16 bytes */
		out = (out + 15) / 16 * 16;
		in = (in + 15) / 16 * 16;
	}
	set_layer(w, rows, in, out, chance(d, 0.8));
}

static void draw_batched(struct paleo_op *w, struct paleo_dice *d)
{
	struct paleo_gemm_geom *g = &w->geom.gemm;

	g->batch = clamp_int(log_uniform(d, 2, 256), 2, 256);
	g->m = clamp_int(log_uniform(d, 16, 512), 16, 512);
	g->n = clamp_int(log_uniform(d, 16, 512), 16, 512);
	g->k = clamp_int(log_uniform(d, 16, 512), 16, 512);
	g->trans_b = w->pass == PALEO_FWD;
	g->trans_a = w->pass == PALEO_BWD_FILTER;
}

/* As many keys as queries, as encoders have, or decoders with a causal mask. */
static void draw_attention(int causal, struct paleo_op *w, struct paleo_dice *d)
{
	static const int heads[] = {4, 8, 12, 16}, sizes[] = {32, 64, 64, 128};
	struct paleo_attention_geom *g = &w->geom.attention;

	g->heads = g->kv_heads = one_of(d, heads, COUNT(heads));
	g->qk = g->v = one_of(d, sizes, COUNT(sizes));
	g->q = g->keys = clamp_int(log_uniform(d, 32, 2048), 32, 2048);
	g->causal = causal;
}

static void draw_pool(int mode, struct paleo_op *w, struct paleo_dice *d)
{
	struct paleo_pool_geom *g = &w->geom.pool;
	int global = mode != PALEO_POOL_MAX && chance(d, 0.3);

	g->mode = mode;
	g->h = g->w = global ? side(d, 5, 16) : side(d, 7, 160);
	g->c = channels_at(d, g->h);
	/* Windows that overlap wholly are those of averages between convolutions. */
	int dense = !global && chance(d, mode == PALEO_POOL_MAX ? 0.15 : 0.4);
	g->r = g->s = global ? g->h : dense ? 3 : 2 + chance(d, 0.5);
	g->stride_h = g->stride_w = global || dense ? 1 : 2;
	if (!global && g->r == 3 && chance(d, dense ? 0.9 : 0.5))
		g->pad_t = g->pad_l = g->pad_b = g->pad_r = 1;
}

/* Elements of a tensor that is passed over `passes` times in the time. */
static double elements(const struct paleo_op *w, const struct paleo_device *device, double time_s,
		       double passes)
{
	double bytes = time_s * device->mem_bytes_per_s;

	return floor(fmin(fmax(bytes / (passes * paleo_dtype_bytes(w->dtype)), 64), 1e9));
}

static void draw_eltwise(int op, struct paleo_op *w, const struct paleo_device *device,
			 double time_s, struct paleo_dice *d)
{
	struct paleo_eltwise_geom *g = &w->geom.eltwise;
	int binary = op == PALEO_MUL || op == PALEO_MAX;

	g->op = op;
	g->inputs = op == PALEO_ADD && chance(d, 0.3) ? 3 : op == PALEO_ADD || binary ? 2 : 1;
	g->count = elements(w, device, time_s, g->inputs + 1);
}

static void draw_norm(int mode, struct paleo_op *w, struct paleo_dice *d)
{
	struct paleo_norm_geom *g = &w->geom.norm;

	g->mode = mode;
	g->h = g->w = mode == PALEO_BATCH_NORM ? side(d, 7, 160) : 1;
	g->c = mode == PALEO_BATCH_NORM ? channels_at(d, g->h) : channels(d, 16, 4096);
	g->scale = 1;
	g->shift = mode != PALEO_RMS_NORM;
}

static void draw_rows(struct paleo_op *w, const struct paleo_design_bounds *b, double time_s,
		      struct paleo_dice *d)
{
	double count = elements(w, b->device, time_s, 2);

	if (w->kind == PALEO_SOFTMAX) {
		struct paleo_softmax_geom *g = &w->geom.softmax;
		/* as many rows as images, or as tokens */
		double rows = chance(d, 0.5) ? log_uniform(d, 1, b->batch_max) : count / 1000;
		g->rows = clamp_int(rows, 1, 65536);
		g->cols = clamp_int(count / g->rows, 10, 32768);
		return;
	}
	/* rows are images of some channels, mostly multiples of 8, that are joined or split */
	struct paleo_copy_geom *g = &w->geom.copy;
	int h = side(d, 4, 64), most = b->batch_max < 64 ? b->batch_max : 64;
	double step = chance(d, 0.8) ? 8.0 * h * h : (double)h * h;
	g->rows = clamp_int(log_uniform(d, 1, most), 1, most);
	g->parts = clamp_int(log_uniform(d, 2, 8), 2, 8);
	g->cols = (int)(step * clamp_int(count / g->rows / step, 1, floor(16777216 / step)));
}

static void draw_reduce(int op, struct paleo_op *w, const struct paleo_device *device,
			double time_s, struct paleo_dice *d)
{
	struct paleo_reduce_geom *g = &w->geom.reduce;
	double count = elements(w, device, time_s, 1);

	g->op = op;
	g->cols = clamp_int(log_uniform(d, 1, 4096), 1, count);
	g->rows = clamp_int(count / g->cols, 1, 1e9);
}

static void draw_upsample(int mode, struct paleo_op *w, struct paleo_dice *d)
{
	struct paleo_upsample_geom *g = &w->geom.upsample;

	g->mode = mode;
	g->c = channels(d, 16, 512);
	g->h = g->w = clamp_int(log_uniform(d, 7, 56), 7, 56);
	g->scale_h = g->scale_w = 2;
}

static void draw_lrn(struct paleo_op *w, struct paleo_dice *d)
{
	struct paleo_lrn_geom *g = &w->geom.lrn;

	g->c = channels(d, 32, 384);
	g->h = g->w = clamp_int(log_uniform(d, 7, 56), 7, 56);
	g->size = 5;
}

static void draw_update(int rule, struct paleo_op *w, const struct paleo_device *device,
			double time_s)
{
	double bytes = 4 * (3 + 2.0 * rule); /* of a weight, in every dtype (update.c) */

	w->geom.update.rule = rule;
	w->geom.update.count = elements(w, device, time_s, bytes / paleo_dtype_bytes(w->dtype));
}

/* Everything but the batch of ops that have one; that is left at 0. */
static void draw(const struct paleo_design_group *g, const struct paleo_design_bounds *b,
		 double time_s, struct paleo_dice *d, struct paleo_op *w)
{
	const struct paleo_device *device = b->device;

	switch ((int)g->kind) {
	case PALEO_CONV:
		draw_conv(g->variant, b->batch_max, w, d);
		break;
	case PALEO_GEMM:
		if (g->variant)
			draw_batched(w, d);
		else
			draw_gemm(w, b, time_s, d);
		break;
	case PALEO_ATTENTION:
		draw_attention(g->variant, w, d);
		break;
	case PALEO_REDUCE:
		draw_reduce(g->variant, w, device, time_s, d);
		break;
	case PALEO_POOL:
		draw_pool(g->variant, w, d);
		break;
	case PALEO_ELTWISE:
		draw_eltwise(g->variant, w, device, time_s, d);
		break;
	case PALEO_NORM:
		draw_norm(g->variant, w, d);
		break;
	case PALEO_LRN:
		draw_lrn(w, d);
		break;
	case PALEO_SOFTMAX:
	case PALEO_COPY:
		draw_rows(w, b, time_s, d);
		break;
	case PALEO_UPSAMPLE:
		draw_upsample(g->variant, w, d);
		break;
	case PALEO_UPDATE:
		draw_update(g->variant, w, device, time_s);
		break;
	default: /* no design has others */
		break;
	}
}

/* The batch of an op that has one, for the time; others have it among their sizes. */
static void choose_batch(struct paleo_op *w, const struct paleo_device *device, double time_s,
			 double most)
{
	const struct paleo_field *n = paleo_field_of(w->kind, PALEO_OF_BATCH);

	if (!n || paleo_field_get(w, n) > 0)
		return;
	/* Rows of tokens are not images. */
	if (w->kind == PALEO_NORM && w->geom.norm.mode != PALEO_BATCH_NORM)
		most = 65536;
	paleo_field_put(w, n, 1);
	paleo_field_put(w, n, batch_for(w, device, time_s, most));
}

void paleo_design_draw(const struct paleo_design_group *g, const struct paleo_design_bounds *b,
		       double time_s, struct paleo_dice *dice, struct paleo_op *out)
{
	struct paleo_op w = {.kind = g->kind, .pass = g->pass, .dtype = b->dtype};

	draw(g, b, time_s, dice, &w);
	choose_batch(&w, b->device, time_s, b->batch_max);
	*out = w;
}
