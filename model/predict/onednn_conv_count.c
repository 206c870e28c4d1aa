/* onednn_conv_count.c - vector operations of oneDNN's kernels for a convolution. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "model/predict/onednn_conv.h"

/* Constants of oneDNN's kernels for AVX2; those for AVX-512 have twice the registers. */
enum {
	FORWARD_BLOCKS = 4,  /* in registers */
	WIDE_BLOCKS = 5,     /* forward with AVX-512: at most, as many as divide all */
	BACKWARD_BLOCKS = 4, /* at most */
	PRODUCT_BLOCKS = 3,
	INPUT_BLOCKS = 12,     /* read one after the other for a row ... */
	INPUT_BLOCKS_MAX = 16, /* ... or all, where they are fewer than these */
	READ_AT_ONCE = 128,    /* channels for which a GEMM's sum stays in its register */
	WIDE_LANES = 16,
	DENSE_TAPS = 27, /* of a fully connected filter, above which AVX-512 uses a GEMM */
	THIN = 4,        /* so few input channels stay as they are */
	NARROW = 15,     /* rows of outputs below which a kernel reads four blocks at once ... */
	MIDDLE = 40,     /* ... and below which two */
	SPANS_SHORT = 56 /* pixels of a row beyond which a filter's gradient has short spans */
};

#define SECOND_CACHE_BYTES 524288.0

/* A row of pixels, of the output or, backward, of the input. */
struct row {
	int size, outputs, taps, stride, pad, dilation, backward;
};

/* Overheads of a multiply-add. */
struct cost {
	double accumulator_spill, chains, edge;
};

/* Rows that threads deal among them: of n images, each of `chunks` chunks of blocks, each of `rows`
 * rows; the last chunk may cost less. */
struct deal {
	double n, chunks, rows, cost, last_cost;
};

static int blocks_of(int channels, int lanes)
{
	return (channels + lanes - 1) / lanes;
}

static int registers(int lanes)
{
	return 2 * lanes;
}

static int smaller(int a, int b)
{
	return a < b ? a : b;
}

double paleo_onednn_taps(int size, int outputs, int taps, int stride, int pad, int dilation)
{
	double pairs = 0;

	for (int t = 0; t < taps; t++) {
		/* outputs i with 0 <= i stride + at < size */
		int at = t * dilation - pad;
		double first = at < 0 ? ceil((double)-at / stride) : 0;
		double last = floor((double)(size - 1 - at) / stride);
		pairs += fmax(0, fmin(last, outputs - 1) - first + 1);
	}
	return pairs;
}

/* Each group of an image is computed as an image is. */
static double images_of(const struct paleo_conv_geom *g)
{
	return (double)g->n * g->groups;
}

static double rows_of_taps(const struct paleo_conv_geom *g)
{
	/* A filter that never meets the image has nothing to compute. */
	return fmax(1, paleo_onednn_taps(g->h, g->p, g->r, g->stride_h, g->pad_t, g->dil_h));
}

static int ceil_of(int a, int b) /* of a/b; b > 0 */
{
	return a > 0 ? (a - 1) / b + 1 : -(-a / b);
}

static int at_least_0(int a)
{
	return a > 0 ? a : 0;
}

/* Taps that pixel i of a row is a sum of: of the output, those that meet the image; of the input,
 * those that meet an output (with a stride or a dilation, not both). */
static int taps_at(const struct row *r, int i)
{
	int at = r->backward ? i + r->pad : i * r->stride - r->pad, first, last;

	if (r->backward && r->stride > 1) {
		first = at_least_0(ceil_of(at - r->taps + 1, r->stride));
		last = smaller(at / r->stride, r->outputs - 1);
	} else if (r->backward) {
		first = at_least_0(ceil_of(at - r->outputs + 1, r->dilation));
		last = smaller(at / r->dilation, r->taps - 1);
	} else {
		first = at_least_0(ceil_of(-at, r->dilation));
		last = at < r->size ? smaller((r->size - 1 - at) / r->dilation, r->taps - 1) : -1;
	}
	return at_least_0(last - first + 1);
}

/* The first pixel that has all its taps, and the first behind those. */
static void inner_pixels(const struct row *r, int length, int *from, int *to)
{
	int reach = (r->taps - 1) * r->dilation;

	*from = r->backward ? reach - r->pad : ceil_of(r->pad, r->stride);
	*to = r->backward ? (r->outputs - 1) * r->stride - r->pad + 1
			  : (r->size - 1 + r->pad - reach) / r->stride + 1;
	*to = smaller(*to, length); /* with a padding wider than the reach, there are outputs
				       outside the image */
}

/* Multiply-adds of a row for one channel that is read and one row of taps: groups of pixels stay in
 * registers, and wait for the longest sum among them. */
static double row_adds(const struct row *r, int pixels, double blocks, const struct cost *c)
{
	int length = r->backward ? r->size : r->outputs, from, to, times;
	double whole = r->backward ? (double)r->taps / r->stride : r->taps;
	double inside = 0, all = 0;

	inner_pixels(r, length, &from, &to);
	for (int first = 0; first < length; first += times * pixels) {
		int end = smaller(first + pixels, length);
		double sum = 0, longest = 0, sum_all = 0, longest_all = 0;
		for (int i = first; i < end; i++) {
			double taps = taps_at(r, i), padded = fmax(taps, whole);
			sum += taps;
			sum_all += padded;
			longest = fmax(longest, taps);
			longest_all = fmax(longest_all, padded);
		}
		/* groups of inner pixels are all the same */
		times = first >= from && first + pixels <= to ? (to - first) / pixels : 1;
		double spill = c->accumulator_spill * (end - first);
		inside += times * fmax(blocks * (sum + spill), c->chains * longest);
		all += times * fmax(blocks * (sum_all + spill), c->chains * longest_all);
	}
	return inside * pow(all / inside, c->edge);
}

/* Cost of the first so many rows. */
static double cost_of_first(const struct deal *l, double rows)
{
	double per_image = l->chunks * l->rows;
	double image = l->rows * ((l->chunks - 1) * l->cost + l->last_cost);
	double images = floor(rows / per_image), rest = rows - images * per_image;
	double whole = fmin(rest, per_image - l->rows);

	return images * image + whole * l->cost + (rest - whole) * l->last_cost;
}

/* Load imbalance: time of the slowest thread over the mean. Each takes contiguous rows, as many as
 * the others or one more. */
static double slowest(const struct deal *l, double threads)
{
	double all = l->n * l->chunks * l->rows, from = 0, worst = 0;
	double each = floor(all / threads), more = all - threads * each;

	for (int i = 0; i < threads; i++) {
		double to = from + each + (i < more);
		worst = fmax(worst, cost_of_first(l, to) - cost_of_first(l, from));
		from = to;
	}
	return worst * threads / cost_of_first(l, all);
}

/* Weights come from beyond the first cache for each image; for each row as far as they do not stay
 * there. */
static double fetches(double once, double each_row, double bytes, double near_bytes)
{
	double x = bytes / near_bytes, far = x * x / (1 + x * x);

	return once + fmax(0, each_row - once) * far;
}

/* For one image each thread reads its part of the weights; for several, each reads all of them for
 * each of its images, and some of that comes from the caches of the others. */
static double again_by_images(double n, double threads)
{
	return (n - 1) / threads;
}

static struct paleo_onednn_tile backward_tile(const struct paleo_conv_geom *g, int lanes)
{
	struct paleo_onednn_tile best = {1, 1};
	int blocks = blocks_of(g->c, lanes), most = 0, s = g->stride_w, room = registers(lanes) - 1;
	int left = g->s - 1 - g->pad_l > 0 ? (g->s - 1 - g->pad_l) / s : 0;

	for (int b = 1; b <= BACKWARD_BLOCKS; b++) {
		if (blocks % b)
			continue;
		for (int u = s; u * b + u / s <= room && u < g->w + s; u += s) {
			int pixels = smaller(u, g->w), adds = (pixels + s - 1) / s * b;
			/* a window that begins outside the image must end within the first group */
			if (left * s > pixels && pixels != g->w)
				continue;
			if (adds > most || (adds == most && pixels > best.pixels)) {
				best = (struct paleo_onednn_tile){pixels, b};
				most = adds;
			}
		}
	}
	return best;
}

static struct paleo_onednn_tile forward_tile(const struct paleo_conv_geom *g, int lanes)
{
	int blocks = FORWARD_BLOCKS;

	if (lanes >= WIDE_LANES)
		for (blocks = WIDE_BLOCKS; blocks_of(g->k, lanes) % blocks;)
			blocks--;
	return (struct paleo_onednn_tile){smaller((registers(lanes) - 1) / (blocks + 1), g->q),
					  blocks};
}

struct paleo_onednn_tile paleo_onednn_tile_of(const struct paleo_op *w, int lanes)
{
	const struct paleo_conv_geom *g = &w->geom.conv;

	if (w->pass == PALEO_BWD_DATA)
		return backward_tile(g, lanes);
	return forward_tile(g, lanes);
}

static void count_forward(const struct paleo_onednn_conv *p, double threads,
			  const struct paleo_op *w, struct paleo_onednn_count *out)
{
	const struct paleo_conv_geom *g = &w->geom.conv;
	const struct row row = {g->w, g->q, g->s, g->stride_w, g->pad_l, g->dil_w, 0};
	int lanes = (int)p->lanes, in = g->c <= THIN ? 1 : blocks_of(g->c, lanes);
	const struct paleo_onednn_tile tile = paleo_onednn_tile_of(w, lanes);
	int blocks = blocks_of(g->k, lanes), rest = blocks % tile.blocks;
	double block = g->c <= THIN ? g->c : lanes, chunks = ceil((double)blocks / tile.blocks);
	double images = images_of(g), taps = rows_of_taps(g), sums = images * taps * block * in;
	const struct cost cost = {p->accumulator_spill / (block * taps / g->p), p->chains, p->edge};
	struct deal deal = {.n = images, .chunks = chunks, .rows = g->p};

	deal.cost = blocks >= tile.blocks ? row_adds(&row, tile.pixels, tile.blocks, &cost) : 0;
	deal.last_cost = rest ? row_adds(&row, tile.pixels, rest, &cost) : deal.cost;
	out->adds = sums * ((chunks - 1) * deal.cost + deal.last_cost) * slowest(&deal, threads);
	double read = in < INPUT_BLOCKS_MAX ? in : INPUT_BLOCKS, filter = (double)g->r * g->s;
	out->fetched = fetches(images * filter * block * in * blocks, sums * g->s * blocks,
			       4 * filter * block * read * lanes * smaller(blocks, tile.blocks),
			       1024 * p->l1_kb);
	out->calls = images * g->p * chunks * in;
	out->again = again_by_images(g->n, threads);
}

/* Returns 1 if the rows of an image are one piece for a thread, which then reads the weights once
 * for all of them: there are pieces enough, and one fits into the second cache. */
static int by_images(const struct paleo_conv_geom *g, double pieces, double threads, double written,
		     double read)
{
	double bytes = 4 * ((double)g->h * g->w * written + (double)g->p * g->q * read +
			    (double)g->r * g->s * written * read);

	return pieces >= 2 * threads && bytes <= SECOND_CACHE_BYTES;
}

static void count_backward(const struct paleo_onednn_conv *p, double threads,
			   const struct paleo_op *w, struct paleo_onednn_count *out)
{
	const struct paleo_conv_geom *g = &w->geom.conv;
	const struct row row = {g->w, g->q, g->s, g->stride_w, g->pad_l, g->dil_w, 1};
	int lanes = (int)p->lanes, in = blocks_of(g->k, lanes), blocks = blocks_of(g->c, lanes);
	const struct paleo_onednn_tile tile = paleo_onednn_tile_of(w, lanes);
	int at_once = smaller(in, g->q < NARROW ? 4 : g->q < MIDDLE ? 2 : 1);
	double chunks = (double)blocks / tile.blocks, taps = rows_of_taps(g);
	double images = images_of(g), sums = images * taps * lanes * in;
	double filter = (double)g->r * g->s;
	const struct cost cost = {p->accumulator_spill / (at_once * lanes * taps / g->h), p->chains,
				  p->edge};
	double adds = row_adds(&row, tile.pixels, tile.blocks, &cost);
	double written = (double)lanes * tile.blocks, read = (double)lanes * at_once;
	int whole = by_images(g, images * chunks, threads, written, read);
	const struct deal deal = {images, chunks, whole ? 1 : g->h, adds, adds};

	out->adds = sums * chunks * adds * slowest(&deal, threads);
	out->fetched =
		fetches(images * filter * lanes * in * blocks, sums * g->s * blocks,
			4 * filter / g->stride_h * written * (whole ? read : (double)lanes * in),
			1024 * p->l1_kb);
	out->calls = images * g->h * chunks * ceil((double)in / at_once);
	out->again = again_by_images(g->n, threads);
}

/* Pieces of a row that a filter's gradient is added up over: of 28 pixels, of rows longer than 56
 * of 14, and the remainder, which joins the last where the image ends next to it. */
static int filter_spans(const struct paleo_conv_geom *g)
{
	int span = g->q > SPANS_SHORT ? 14 : 28, left = g->q % span;
	int beside = (g->q - 1) * g->stride_w + (g->s - 1) * g->dil_w + 1 - g->w - g->pad_l;

	if (g->q <= span)
		return 1;
	return g->q / span + (left > 0 && beside < left);
}

/* The sums are the weights' gradients: loaded and stored for each row of taps and outputs. */
static void count_filter(const struct paleo_onednn_conv *p, double threads,
			 const struct paleo_op *w, struct paleo_onednn_count *out)
{
	const struct paleo_conv_geom *g = &w->geom.conv;
	int lanes = (int)p->lanes, in = g->c == 3 ? 1 : blocks_of(g->c, lanes);
	double blocks = blocks_of(g->k, lanes), block = g->c == 3 ? 3 : lanes;
	double pairs =
		fmax(1, paleo_onednn_taps(g->w, g->q, g->s, g->stride_w, g->pad_l, g->dil_w));
	double all = (double)g->q * g->s, spans = filter_spans(g);
	double rows = g->n * rows_of_taps(g), jobs = blocks * in * g->groups;
	double share = jobs < threads ? 1 : ceil(jobs / threads) * threads / jobs;

	out->adds = share * rows * block * jobs *
		    (pairs * pow(all / pairs, p->edge) + p->accumulator_spill * g->s * spans);
	out->fetched = (double)g->n * g->r * g->s * block * jobs;
	out->calls = rows * jobs;
	out->again = 2 * (g->n - 1.0);
}

void paleo_onednn_count_rows(const struct paleo_onednn_conv *p, double threads,
			     const struct paleo_op *w, struct paleo_onednn_count *out)
{
	if (w->pass == PALEO_BWD_FILTER)
		count_filter(p, threads, w, out);
	else if (w->pass == PALEO_BWD_DATA)
		count_backward(p, threads, w, out);
	else
		count_forward(p, threads, w, out);
}

/* Fully connected: a filter as large as its image. */
static int is_dense(const struct paleo_conv_geom *g)
{
	return g->p == 1 && g->q == 1 && g->r == g->h && g->s == g->w && g->n > 1 &&
	       (double)g->r * g->s > DENSE_TAPS;
}

int paleo_onednn_is_product(const struct paleo_conv_geom *g, int lanes)
{
	if (lanes >= WIDE_LANES && is_dense(g))
		return 1;
	return g->r == 1 && g->s == 1 && g->p * g->stride_h == g->h && g->q * g->stride_w == g->w;
}

/* Multiply-adds for one channel that is read, of `blocks` blocks and one image. */
static double product_adds(const struct paleo_onednn_conv *p, enum paleo_pass pass, double pixels,
			   double blocks, double channels)
{
	double group = floor((registers((int)p->lanes) - 1.0 - PRODUCT_BLOCKS) / PRODUCT_BLOCKS);
	double spill = 1 + p->accumulator_spill_1x1 / channels, rest = fmod(pixels, group);

	/* to the filter, the group is one of input channels, and the pixels are added up */
	if (pass == PALEO_BWD_FILTER)
		return (pixels + p->accumulator_spill_1x1) * fmax(group * blocks, p->chains) /
		       group;
	return floor(pixels / group) * fmax(group * blocks * spill, p->chains) +
	       (rest > 0 ? fmax(rest * blocks * spill, p->chains) : 0);
}

/* The same of all blocks: three at once, but no single one is left where two pairs do, 4 = 2 + 2.
 */
static double all_adds(const struct paleo_onednn_conv *p, enum paleo_pass pass, double pixels,
		       double blocks, double channels)
{
	int rest = (int)fmod(blocks, PRODUCT_BLOCKS), pairs = rest == 2;
	double threes = floor(blocks / PRODUCT_BLOCKS);

	if (blocks == 1)
		return product_adds(p, pass, pixels, 1, channels);
	if (rest == 1) {
		threes--;
		pairs = 2;
	}
	return threes * product_adds(p, pass, pixels, PRODUCT_BLOCKS, channels) +
	       pairs * product_adds(p, pass, pixels, 2, channels);
}

void paleo_onednn_count_product(const struct paleo_onednn_conv *p, double threads,
				const struct paleo_op *w, struct paleo_onednn_count *out)
{
	const struct paleo_conv_geom *g = &w->geom.conv;
	int lanes = (int)p->lanes, backward = w->pass == PALEO_BWD_DATA;
	double filter = (double)g->r * g->s;
	/* fully connected: images are treated as pixels, and taps as channels */
	double images = filter > 1 ? g->groups : images_of(g),
	       pixels = filter > 1 ? g->n : (double)g->p * g->q;
	double in = blocks_of(g->c, lanes) * filter, result = blocks_of(g->k, lanes);
	double blocks = backward ? in : result;
	double channels = lanes * (backward ? result : in);
	double groups = images * ceil(pixels / 4), share = 1;

	if (w->pass != PALEO_BWD_FILTER && filter == 1)
		share = ceil(groups / threads) * threads / groups;
	out->adds = share * images * channels *
		    all_adds(p, w->pass, pixels, blocks, fmin(channels, READ_AT_ONCE));
	out->fetched = images * channels * blocks;
	out->calls = 0;
	out->again = 0;
	if (w->pass == PALEO_FWD && lanes < WIDE_LANES)
		out->again = again_by_images(g->n, threads);
	else if (w->pass == PALEO_BWD_FILTER && lanes >= WIDE_LANES)
		out->again = filter > 1 ? 0 : 2 * (g->n - 1.0);
}
