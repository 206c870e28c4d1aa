/* fit_tile.c - fits the law of tiles to measured products of one device and number type. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "calib/fit_tile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/pattern.h"

#define SCALE 0.1 /* of a logarithm: errors beyond ten percent count straight, not squared */

/* Near a preset: of the prior's usual standard deviation, that of cards of one kind. */
#define NEAR 0.4
/* What a preset of other works (batched or not) must be better by. */
#define OTHER_OP 2
/* What a tile more, or a set of its own, must lower the loss by: 3 %, and the information
 * criterion's price of one choice among 13. */
#define TILE_GAIN 0.97
#define TILE_PRICE 3
/* Where a search for tlb_rows begins, and the share of tlb_k below which no k tells of it. */
#define ROWS_START 500
#define ROWS_FROM_K 0.3

enum {
	TILES_MAX = 4, /* of a set that grows */
	POLISH_MAX = 5,
	PARAMETERS_MAX = PALEO_TILE_QUANTISED
};

/* *near is as in paleo_tile_kernel_near_s(). */
static double predict_near_s(const struct paleo_tile_model *m, const struct paleo_tile_device *d,
			     const struct paleo_tile_product *g, struct paleo_tile_choice *near)
{
	return m->params.launch_us * 1e-6 + paleo_tile_quantise_s(&m->params, d, g) +
	       paleo_tile_kernel_near_s(&m->params, d, g, m->tiles, PALEO_TILE_SPLIT_MAX, INFINITY,
					near);
}

double paleo_tile_predict_s(const struct paleo_tile_model *m, const struct paleo_tile_device *d,
			    const struct paleo_tile_product *g)
{
	struct paleo_tile_choice none = {.tile = -1};

	return predict_near_s(m, d, g, &none);
}

/* What a search along the axes is given. */
struct problem {
	const struct paleo_tile_device *device;
	const struct paleo_tile_row *rows;
	const struct paleo_tile_params *start;
	const char *except_gpu; /* may be NULL */
	int count;
	struct paleo_tile_choice *near; /* of each row, what was fastest last */
	unsigned tiles;
	double closeness; /* of the prior: a factor of its standard deviations */
	int params;       /* of the table, so many */
	double prior[PARAMETERS_MAX];
	double low[PARAMETERS_MAX], high[PARAMETERS_MAX];
};

static void set_params(const struct problem *p, const double *z, struct paleo_tile_params *out)
{
	*out = *p->start;
	for (int j = 0; j < p->params; j++)
		paleo_parameter_set(&paleo_tile_parameters[j], out, exp(z[j]));
}

static double loss_at(const void *context, const double *z)
{
	const struct problem *p = context;
	struct paleo_tile_model m = {.tiles = p->tiles};
	double sum = 0;

	set_params(p, z, &m.params);
	for (int i = 0; i < p->count; i++) {
		double predicted = predict_near_s(&m, p->device, &p->rows[i].product, &p->near[i]);
		sum += paleo_pseudo_huber(log(predicted / p->rows[i].time_s) / SCALE);
	}
	for (int j = 0; j < p->params; j++) {
		double sd = p->closeness * paleo_tile_parameters[j].prior_sd;
		double u = (z[j] - p->prior[j]) / sd;
		sum += u * u;
	}
	return sum;
}

/* A set of tiles with its parameters, as logarithms. */
struct candidate {
	unsigned tiles;
	double z[PARAMETERS_MAX];
	double loss;
};

/* Fits the parameters of a candidate from where they stand, to a step of `tolerance`. */
static int search(struct problem *p, double tolerance, struct candidate *c)
{
	struct paleo_pattern_result result;

	p->tiles = c->tiles;
	const struct paleo_pattern_problem pattern = {.params = p->params,
						      .loss = loss_at,
						      .context = p,
						      .low = p->low,
						      .high = p->high,
						      .step = 0.5,
						      .step_min = tolerance,
						      .evaluations_max = 4000};
	paleo_pattern_solve(&pattern, c->z, &result);
	c->loss = result.loss;
	return result.evaluations;
}

/* The best of `base` with each tile that it lacks. */
static struct candidate grow(struct problem *p, const struct candidate *base, int *evaluations)
{
	struct candidate best = *base;

	best.loss = INFINITY;
	for (int i = 0; i < PALEO_TILES; i++) {
		struct candidate c = *base;
		if (c.tiles & 1U << i)
			continue;
		c.tiles |= 1U << i;
		*evaluations += search(p, 0.15, &c);
		if (c.loss < best.loss)
			best = c;
	}
	return best;
}

/* A set from nothing, its parameters at first those of `start`. */
static struct candidate grow_set(struct problem *p, const struct candidate *start, int *evaluations)
{
	struct candidate best = *start;

	best.tiles = 0;
	best = grow(p, &best, evaluations);
	for (int n = 1; n < TILES_MAX; n++) {
		struct candidate larger = grow(p, &best, evaluations);
		if (!(larger.loss < TILE_GAIN * best.loss) ||
		    !(larger.loss < best.loss - TILE_PRICE))
			break;
		best = larger;
	}
	return best;
}

/* Searches again with long steps as long as that helps: parameters that belong together stop a
 * search along the axes early. */
static void polish(struct problem *p, struct candidate *c, int *evaluations)
{
	double before;

	*evaluations += search(p, 0.01, c);
	for (int i = 0; i < POLISH_MAX; i++) {
		before = c->loss;
		*evaluations += search(p, 0.01, c);
		if (!(c->loss < 0.999 * before))
			break;
	}
}

/* A preset with its own parameters. */
static struct candidate candidate_of(const struct paleo_tile_preset *preset)
{
	struct candidate c = {.tiles = preset->model.tiles};

	for (int j = 0; j < PARAMETERS_MAX; j++)
		c.z[j] = log(paleo_parameter_get(&paleo_tile_parameters[j], &preset->model.params));
	return c;
}

static int is_batched(const struct problem *p)
{
	for (int i = 0; i < p->count; i++)
		if (p->rows[i].product.batch > 1)
			return 1;
	return 0;
}

/* The best of the presets, each one's tiles fitted from its own parameters. Few rows stay near
 * these: they become the prior. Its loss is infinite where no preset may be used. */
static struct candidate try_presets(struct problem *p, int few, int *evaluations)
{
	int count, chosen = -1, batched = is_batched(p);
	const struct paleo_tile_preset *presets = paleo_tile_presets(&count);
	struct candidate best = {.loss = INFINITY};
	double least = INFINITY;

	for (int i = 0; i < count; i++) {
		struct candidate c = candidate_of(&presets[i]);
		if (!paleo_tile_preset_suits(&presets[i], p->device,
					     p->rows[0].product.element_bytes, p->except_gpu))
			continue;
		if (few)
			memcpy(p->prior, c.z, sizeof(p->prior));
		*evaluations += search(p, 0.15, &c);
		double loss = c.loss + (batched != !strcmp(presets[i].op, "bmm") ? OTHER_OP : 0);
		if (loss < least) {
			best = c;
			least = loss;
			chosen = i;
		}
	}
	if (few && chosen >= 0)
		memcpy(p->prior, candidate_of(&presets[chosen]).z, sizeof(p->prior));
	return best;
}

static void fill_problem(struct problem *p, const struct paleo_tile_device *d,
			 const struct paleo_tile_params *start)
{
	p->device = d;
	p->start = start;
	for (int j = 0; j < p->params; j++) {
		const struct paleo_parameter *q = &paleo_tile_parameters[j];
		p->low[j] = log(q->low);
		p->high[j] = log(q->high);
		p->prior[j] = log(paleo_parameter_get(q, start));
	}
	/* Few rows of A count as all do, until try_rows(). */
	p->low[PALEO_TILE_ROWS] = p->high[PALEO_TILE_ROWS] = p->prior[PALEO_TILE_ROWS];
}

static unsigned bounds_reached(const struct problem *p, const double *z)
{
	unsigned mask = 0;

	for (int j = 0; j < p->params; j++)
		if (p->low[j] < p->high[j] && (z[j] <= p->low[j] || z[j] >= p->high[j]))
			mask |= 1U << j;
	return mask;
}

/* All tiles with the parameters of the prior. */
static struct candidate plain_candidate(const struct problem *p)
{
	struct candidate c = {.tiles = PALEO_TILES_ALL, .loss = INFINITY};

	memcpy(c.z, p->prior, sizeof(c.z));
	return c;
}

/* Lets few rows of A suffer less of a long k, where that lowers the loss by the price of a choice.
 */
static void try_rows(struct problem *p, struct candidate *best, int *evaluations)
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
	polish(p, best, evaluations);
	struct candidate c = *best;
	with.low[PALEO_TILE_ROWS] = log(q->low);
	with.high[PALEO_TILE_ROWS] = log(q->high);
	with.prior[PALEO_TILE_ROWS] = c.z[PALEO_TILE_ROWS] = log(ROWS_START);
	/* At as many rows half of k is counted: as before, if the reach is half as long. */
	c.z[PALEO_TILE_ROWS - 1] -= log(2);
	polish(&with, &c, evaluations);
	if (c.loss < best->loss - TILE_PRICE) {
		*p = with;
		*best = c;
	}
}

/* Presets, and a set of its own: the better one. */
static struct candidate choose(struct problem *p, int rows, int *evaluations)
{
	const struct candidate plain = plain_candidate(p);
	int few = rows < PALEO_TILE_FREE_ROWS;

	p->closeness = few ? NEAR : 1;
	struct candidate best = try_presets(p, few, evaluations);
	if (isinf(best.loss)) {
		/* Nobody to stay near. */
		p->closeness = 1;
		best = plain;
		memcpy(p->prior, plain.z, sizeof(p->prior));
		*evaluations += search(p, 0.15, &best);
	}
	if (!few)
		try_rows(p, &best, evaluations);
	if (rows >= PALEO_TILE_GREEDY_ROWS) {
		struct candidate own = grow_set(p, &best, evaluations);
		if (own.loss < best.loss - TILE_PRICE)
			best = own;
	}
	return best;
}

int paleo_fit_tile(const struct paleo_tile_device *d, const struct paleo_tile_row *rows, int count,
		   const struct paleo_tile_params *start, const char *except_gpu,
		   struct paleo_tile_fit *out, struct paleo_error *err)
{
	int few = count < PALEO_TILE_SCREEN_ROWS ? count : PALEO_TILE_SCREEN_ROWS;
	struct paleo_tile_row *screen = malloc((size_t)few * sizeof(*screen));
	struct paleo_tile_choice *near = calloc((size_t)count, sizeof(*near));
	struct problem p = {.rows = screen, .count = few, .except_gpu = except_gpu, .near = near};
	struct paleo_tile_fit fit = {.rows = count};

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
	fill_problem(&p, d, start);
	struct candidate best = choose(&p, count, &fit.evaluations);
	p.rows = rows;
	p.count = count;
	polish(&p, &best, &fit.evaluations);
	set_params(&p, best.z, &fit.model.params);
	fit.model.tiles = best.tiles;
	fit.loss = best.loss;
	fit.on_bound = bounds_reached(&p, best.z);
	*out = fit;
	free(screen);
	free(near);
	return PALEO_OK;
}
