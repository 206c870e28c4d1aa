/* fit_tile.c - fits the tile cost model to measured GEMMs of one device and dtype. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "calib/fit_tile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/minimum.h"

#define SCALE 0.1 /* of a logarithm: errors beyond ten percent count straight, not squared */

#define TOLERANCE 1e-5 /* of the loss, when a search ends */

/* Fitted to n rows, a cost model errs more by a factor of sqrt(1 + this/n) at others: its
 * parameters, and the choice of its tiles. */
#define SCALE_ROWS 20
/* Minimum reduction of the loss for an extra tile, or a separate set: 3 %, and the price of a
 * choice. The information criterion gives 3 for one among 13; with five rows that overfits. */
#define TILE_GAIN 0.97
#define TILE_PRICE 4
/* Launches of one way to time differ by this, as logarithms, between GPUs. */
#define LAUNCH_SD 0.7
/* Start of the search for tlb_rows, and the share of tlb_k below which no k identifies it. */
#define ROWS_START 500
#define ROWS_FROM_K 0.3

enum {
	TILES_MAX = 4,    /* of a set that grows */
	SCREEN_STEPS = 6, /* of a search that compares candidates */
	LAST_STEPS = 40,
	PARAMETERS_MAX = PALEO_TILE_QUANTISED
};

/* *near is as in paleo_tile_kernel_near_s(). */
static double predict_near_s(const struct paleo_tile_model *m, const struct paleo_tile_device *d,
			     const struct paleo_tile_product *g, struct paleo_tile_choice *near)
{
	double kernel_s = paleo_tile_kernel_near_s(&m->params, d, g, m->tiles, PALEO_TILE_SPLIT_MAX,
						   INFINITY, near);

	return paleo_tile_launched_s(&m->params, g->launches,
				     paleo_tile_quantise_s(&m->params, d, g) + kernel_s);
}

double paleo_tile_predict_s(const struct paleo_tile_model *m, const struct paleo_tile_device *d,
			    const struct paleo_tile_product *g)
{
	struct paleo_tile_choice none = {.tile = -1};

	return predict_near_s(m, d, g, &none);
}

/* Input of a search. */
struct problem {
	const struct paleo_tile_device *device;
	const struct paleo_tile_row *rows;
	const struct paleo_tile_params *start; /* centre of the priors */
	double scale;                          /* of the loss */
	int count;
	struct paleo_tile_choice *near; /* of each row, the fastest candidate so far */
	struct paleo_tile_model *tried;
	int params; /* of the table, so many */
	double prior[PARAMETERS_MAX], sd[PARAMETERS_MAX];
	double low[PARAMETERS_MAX], high[PARAMETERS_MAX];
};

static void set_params(const struct problem *p, const double *z, struct paleo_tile_params *out)
{
	*out = *p->start;
	for (int j = 0; j < p->params; j++)
		paleo_parameter_set_log(&paleo_tile_parameters[j], out, z[j]);
}

/* Residual of one row. Its slopes are those of the fastest candidate, as long as that stays the
 * fastest. */
static double residual(const void *context, int i, const double *z, double *slope, double *weight)
{
	const struct problem *p = context;
	const struct paleo_tile_product *g = &p->rows[i].product;
	double slopes[PARAMETERS_MAX];

	if (i == 0)
		set_params(p, z, &p->tried->params);
	double s = predict_near_s(p->tried, p->device, g, &p->near[i]);
	paleo_tile_slopes(&p->tried->params, p->device, g, &p->near[i], slopes);
	for (int j = 0; j < p->params; j++)
		slope[j] = p->low[j] == p->high[j] ? 0 : slopes[j];
	*weight = p->rows[i].weight;
	return log(s / p->rows[i].time_s);
}

/* A set of tiles with its parameters, as logarithms. */
struct candidate {
	unsigned tiles;
	double z[PARAMETERS_MAX];
	double loss;
};

/* Fits the parameters of a candidate from its current values, in at most so many steps. */
static void search(struct problem *p, int steps, struct candidate *c)
{
	struct paleo_lm_result result;

	p->tried->tiles = c->tiles;
	const struct paleo_lm_problem lm = {.params = p->params,
					    .residuals = p->count,
					    .residual = residual,
					    .context = p,
					    .scale = p->scale,
					    .low = p->low,
					    .high = p->high,
					    .prior = p->prior,
					    .prior_sd = p->sd,
					    .step_max = 1,
					    .tolerance = TOLERANCE,
					    .iterations_max = steps};
	paleo_lm_solve(&lm, c->z, &result);
	c->loss = result.loss;
}

/* The best of `base` with each tile that it lacks. */
static struct candidate grow(struct problem *p, const struct candidate *base)
{
	struct candidate best = *base;

	best.loss = INFINITY;
	for (int i = 0; i < PALEO_TILES; i++) {
		struct candidate c = *base;
		if (c.tiles & 1U << i)
			continue;
		c.tiles |= 1U << i;
		search(p, SCREEN_STEPS, &c);
		if (c.loss < best.loss)
			best = c;
	}
	return best;
}

/* A set from nothing, its parameters at first those of `start`. */
static struct candidate grow_set(struct problem *p, const struct candidate *start)
{
	struct candidate best = *start;

	best.tiles = 0;
	best = grow(p, &best);
	for (int n = 1; n < TILES_MAX; n++) {
		struct candidate larger = grow(p, &best);
		if (!(larger.loss < TILE_GAIN * best.loss) ||
		    !(larger.loss < best.loss - TILE_PRICE))
			break;
		best = larger;
	}
	return best;
}

/* Keeps these parameters where the prior has them. */
static void hold(struct problem *p, int first, int last)
{
	for (int j = first; j <= last; j++)
		p->low[j] = p->high[j] = p->prior[j];
}

static void fill_problem(struct problem *p, const struct paleo_tile_params *start, int rows)
{
	p->start = start;
	p->scale = SCALE * sqrt(1 + (double)SCALE_ROWS / rows);
	for (int j = 0; j < p->params; j++) {
		const struct paleo_parameter *q = &paleo_tile_parameters[j];
		p->low[j] = log(q->low);
		p->high[j] = log(q->high);
		p->prior[j] = log(paleo_parameter_get(q, start));
		p->sd[j] = q->prior_sd;
	}
	/* Few rows of A count as all do, until try_rows(). */
	hold(p, PALEO_TILE_ROWS, PALEO_TILE_ROWS);
	if (rows < PALEO_TILE_SHAPE_ROWS)
		hold(p, PALEO_TILE_ROWS + 1, PALEO_TILE_PARAMETERS - 1);
}

static unsigned held(const struct problem *p)
{
	unsigned mask = 0;

	for (int j = 0; j < p->params; j++)
		mask |= (unsigned)(p->low[j] == p->high[j]) << j;
	return mask;
}

/* Lets few rows of A suffer less of a long k, where that lowers the loss by the price of a choice.
 */
static void try_rows(struct problem *p, struct candidate *best)
{
	const struct paleo_parameter *q = &paleo_tile_parameters[PALEO_TILE_ROWS];
	struct problem with = *p;
	double longest = 0;

	for (int i = 0; i < p->count; i++)
		longest =
			fmax(longest, p->rows[i].product.k * p->rows[i].product.element_bytes / 4);
	if (longest < ROWS_FROM_K * exp(best->z[PALEO_TILE_ROWS - 1]))
		return;
	/* Both are searched to the end: else the gain would be that of the longer search. */
	search(p, LAST_STEPS, best);
	struct candidate c = *best;
	with.low[PALEO_TILE_ROWS] = log(q->low);
	with.high[PALEO_TILE_ROWS] = log(q->high);
	with.prior[PALEO_TILE_ROWS] = c.z[PALEO_TILE_ROWS] = log(ROWS_START);
	/* At as many rows half of k is counted: as before, if the reach is half as long. */
	c.z[PALEO_TILE_ROWS - 1] -= log(2);
	search(&with, LAST_STEPS, &c);
	if (c.loss < best->loss - TILE_PRICE) {
		*p = with;
		*best = c;
	}
}

/* The tiles of the start, and the way to time that the rows look like: as where the presets have
 * it, or either of the usual ones. */
static struct candidate choose_launch(struct problem *p, unsigned tiles,
				      const struct paleo_tile_launch *launches)
{
	struct candidate best = {.tiles = tiles};
	double least = INFINITY, chosen = log(launches[0].us);

	p->sd[PALEO_TILE_LAUNCH] = LAUNCH_SD;
	memcpy(best.z, p->prior, sizeof(best.z));
	for (int i = -1; i < PALEO_TILE_LAUNCHES; i++) {
		struct candidate c = {.tiles = tiles};
		double us = i < 0 ? p->start->launch_us : launches[i].us;
		p->prior[PALEO_TILE_LAUNCH] = log(us);
		memcpy(c.z, p->prior, sizeof(c.z));
		search(p, LAST_STEPS, &c);
		double priced = c.loss + (i < 0 || launches[i].seen ? 0 : TILE_PRICE);
		if (priced < least) {
			best = c;
			least = priced;
			chosen = p->prior[PALEO_TILE_LAUNCH];
		}
	}
	p->prior[PALEO_TILE_LAUNCH] = chosen;
	return best;
}

/* The tiles of the start, and a separate set: the better one. */
static struct candidate choose(struct problem *p, unsigned tiles, int rows,
			       const struct paleo_tile_launch *launches)
{
	struct candidate best = choose_launch(p, tiles, launches);

	if (rows >= PALEO_TILE_FREE_ROWS)
		try_rows(p, &best);
	if (rows >= PALEO_TILE_GREEDY_ROWS) {
		struct candidate own = grow_set(p, &best);
		if (own.loss < best.loss - TILE_PRICE)
			best = own;
	}
	return best;
}

static int is_batched(const struct paleo_tile_row *rows, int count)
{
	for (int i = 0; i < count; i++)
		if (rows[i].product.batch > 1)
			return 1;
	return 0;
}

int paleo_fit_tile(const struct paleo_tile_device *d, enum paleo_dtype dtype,
		   const struct paleo_tile_row *rows, int count, const char *except_gpu,
		   struct paleo_tile_fit *out, struct paleo_error *err)
{
	int few = count < PALEO_TILE_SCREEN_ROWS ? count : PALEO_TILE_SCREEN_ROWS;
	struct paleo_tile_row *screen = malloc((size_t)few * sizeof(*screen));
	struct paleo_tile_choice *near = calloc((size_t)count, sizeof(*near));
	struct paleo_tile_launch launches[PALEO_TILE_LAUNCHES];
	struct paleo_tile_model start, tried;
	struct problem p = {
		.device = d, .rows = screen, .count = few, .near = near, .tried = &tried};
	struct paleo_tile_fit fit = {0};

	if (!screen || !near) {
		free(screen);
		free(near);
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for a fit to %d rows", count);
	}
	for (int i = 0; i < count; i++)
		near[i].tile = -1;
	for (int i = 0; i < few; i++)
		screen[i] = rows[(long)i * count / few];
	p.params =
		rows[0].product.quantise_bytes > 0 ? PALEO_TILE_QUANTISED : PALEO_TILE_PARAMETERS;
	paleo_tile_guess(d, dtype, is_batched(rows, count), except_gpu, &start);
	paleo_tile_launches(dtype, except_gpu, launches);
	fill_problem(&p, &start.params, count);
	struct candidate best = choose(&p, start.tiles, count, launches);
	p.rows = rows;
	p.count = count;
	search(&p, LAST_STEPS, &best);
	set_params(&p, best.z, &fit.model.params);
	fit.model.tiles = best.tiles;
	fit.held = held(&p);
	*out = fit;
	free(screen);
	free(near);
	return PALEO_OK;
}
