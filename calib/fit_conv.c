/* fit_conv.c - fits the cost model of convolution algorithms to measurements of one device. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "calib/fit_conv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/minimum.h"

#define SCALE 0.1 /* of a logarithm, as in fit_tile.c */
#define CLIP 3    /* of a logarithm: larger errors count the same */
#define GAIN 0.98 /* of the loss, that one more block must bring */
/* Minimum reduction of the loss for non-default blocks with few rows, and its growth with their
 * number: both as in fit_tile.c. */
#define SETS_PRICE 3
#define SCALE_ROWS 20

enum {
	BLOCKS_MAX = 4, /* of a set that grows */
	ROUNDS = 2,     /* of choosing sets and fitting parameters to them */
	POLISH_MAX = 2
};

/* Tiles of the library's implicit GEMMs: 128x128, 128x64, 128x32, 64x64, 64x32, 32x32. */
#define IMPLICIT_TILES (1U << 2 | 1U << 5 | 1U << 8 | 1U << 7 | 1U << 10 | 1U << 12)
#define WINOGRAD_BLOCKS ((1U << PALEO_CONV_BLOCKS) - 1)

int paleo_conv_algorithm_find(const char *name)
{
	for (int a = 0; a < PALEO_CONV_ALGORITHMS; a++)
		if (!strcmp(name, paleo_conv_algorithm_name((enum paleo_conv_algorithm)a)))
			return a;
	return -1;
}

/* Input of a pattern search. */
struct problem {
	struct paleo_conv_times *times;
	struct paleo_conv_model *model; /* its sets, and the parameters that are not fitted */
	double scale;                   /* of the loss */
	double prior[PALEO_CONV_PARAMETERS];
	double low[PALEO_CONV_PARAMETERS], high[PALEO_CONV_PARAMETERS];
};

static void set_params(struct paleo_conv_params *p, const double *z)
{
	for (int j = 0; j < PALEO_CONV_PARAMETERS; j++)
		paleo_parameter_set_log(&paleo_conv_parameters[j], p, z[j]);
}

static void get_params(const struct paleo_conv_params *p, double *z)
{
	for (int j = 0; j < PALEO_CONV_PARAMETERS; j++)
		z[j] = log(paleo_parameter_get(&paleo_conv_parameters[j], p));
}

static double robust(double error, double scale)
{
	return paleo_pseudo_huber(fmax(-CLIP, fmin(CLIP, error)) / scale);
}

/* The loss of parameters, or a partial sum not below `limit`. */
static double loss_below(const struct problem *p, const double *z, double limit)
{
	struct paleo_conv_times *t = p->times;
	double sum = 0, priors = 0;

	set_params(&p->model->params, z);
	paleo_conv_times_turn(t, p->model);
	for (int j = 0; j < PALEO_CONV_PARAMETERS; j++) {
		double u = (z[j] - p->prior[j]) / paleo_conv_parameters[j].prior_sd;
		priors += u * u;
	}
	for (int i = 0; i < t->count && sum + priors < limit; i++) {
		const struct paleo_conv_row *row = &t->rows[i];
		double log_s = log(row->time_s), loss;
		loss = robust(log(paleo_conv_times_fastest_s(t, i)) - log_s, p->scale);
		if (row->algorithm >= 0) {
			double chosen_s =
				paleo_conv_times_s(t, i, (enum paleo_conv_algorithm)row->algorithm);
			if (isfinite(chosen_s))
				loss += robust(log(chosen_s) - log_s, p->scale);
		}
		sum += row->weight * loss;
	}
	return sum + priors;
}

struct search {
	const struct problem *problem;
	double *least; /* loss so far: nothing but less than that is a step */
};

static double loss_at(const void *context, const double *z)
{
	const struct search *s = context;
	double loss = loss_below(s->problem, z, *s->least);

	*s->least = fmin(*s->least, loss);
	return loss;
}

/* A model with its parameters as logarithms. */
struct candidate {
	struct paleo_conv_sets sets;
	double z[PALEO_CONV_PARAMETERS];
	double loss;
};

static void search(struct problem *p, double tolerance, struct candidate *c)
{
	double least = INFINITY;
	const struct search context = {p, &least};
	struct paleo_pattern_result result;
	const struct paleo_pattern_problem pattern = {.params = PALEO_CONV_PARAMETERS,
						      .loss = loss_at,
						      .context = &context,
						      .low = p->low,
						      .high = p->high,
						      .step = 0.5,
						      .step_min = tolerance,
						      .evaluations_max = 4000};

	p->model->sets = c->sets;
	paleo_pattern_solve(&pattern, c->z, &result);
	c->loss = result.loss;
}

static double loss_of(struct problem *p, const struct candidate *c, double limit)
{
	p->model->sets = c->sets;
	return loss_below(p, c->z, limit);
}

/* Grows one of a candidate's sets from nothing, at its parameters, out of `known` blocks. */
static void choose_set(struct problem *p, struct candidate *c, unsigned *set, unsigned known)
{
	unsigned chosen = 0;
	double loss = INFINITY;

	for (int n = 0; n < BLOCKS_MAX; n++) {
		unsigned added = 0;
		double least = loss * GAIN;
		for (unsigned block = 1; block <= known; block <<= 1) {
			if (!(known & block & ~chosen))
				continue;
			*set = chosen | block;
			double with = loss_of(p, c, least);
			if (with < least) {
				least = with;
				added = block;
			}
		}
		if (!added)
			break;
		chosen |= added;
		loss = least;
	}
	*set = chosen;
	c->loss = loss;
}

static void choose_sets(struct problem *p, struct candidate *c)
{
	choose_set(p, c, &c->sets.implicit_tiles, IMPLICIT_TILES);
	choose_set(p, c, &c->sets.nonfused_tiles, PALEO_TILES_ALL);
	choose_set(p, c, &c->sets.winograd_blocks, WINOGRAD_BLOCKS);
}

/* Searches again with long steps as long as that helps: parameters that belong together stop a
 * search along the axes early. */
static void polish(struct problem *p, struct candidate *c)
{
	for (int i = 0; i < POLISH_MAX; i++) {
		double before = c->loss;
		search(p, 0.01, c);
		if (i > 0 && !(c->loss < 0.999 * before))
			break;
	}
}

static struct candidate candidate_of(const struct paleo_conv_model *m)
{
	struct candidate c = {.sets = m->sets, .loss = INFINITY};

	get_params(&m->params, c.z);
	return c;
}

/* The preset that fits best once its parameters are fitted. */
static struct candidate try_presets(struct problem *p, enum paleo_pass pass, const char *except_gpu)
{
	int count;
	const struct paleo_conv_preset *presets = paleo_conv_presets(&count);
	struct candidate best = {.loss = INFINITY};

	for (int i = 0; i < count; i++) {
		if (!paleo_conv_preset_speaks(&presets[i], pass, except_gpu))
			continue;
		struct candidate c = candidate_of(&presets[i].model);
		search(p, 0.2, &c);
		if (c.loss < best.loss)
			best = c;
	}
	return best;
}

static void fill_problem(struct problem *p, struct paleo_conv_model *m)
{
	p->model = m;
	get_params(&m->params, p->prior);
	for (int j = 0; j < PALEO_CONV_PARAMETERS; j++) {
		p->low[j] = log(paleo_conv_parameters[j].low);
		p->high[j] = log(paleo_conv_parameters[j].high);
	}
}

/* With few rows, stays near the average of the presets, with its blocks or with those of one of
 * them. */
static struct candidate stay_near(struct problem *p, enum paleo_pass pass, const char *except_gpu)
{
	int count;
	const struct paleo_conv_preset *presets = paleo_conv_presets(&count);
	const struct paleo_conv_model middle = paleo_conv_guess(p->times->device, pass, except_gpu);
	struct candidate best = candidate_of(&middle);

	memcpy(p->prior, best.z, sizeof(p->prior));
	search(p, 0.2, &best);
	for (int i = 0; i < count; i++) {
		if (!paleo_conv_preset_speaks(&presets[i], pass, except_gpu))
			continue;
		struct candidate c = candidate_of(&middle);
		c.sets = presets[i].model.sets;
		search(p, 0.2, &c);
		c.loss += SETS_PRICE;
		if (c.loss < best.loss)
			best = c;
	}
	return best;
}

/* On a part of the rows: where to start, and which blocks there are. */
static struct candidate choose_model(struct problem *p, enum paleo_pass pass,
				     const char *except_gpu)
{
	struct candidate c = candidate_of(p->model), best = try_presets(p, pass, except_gpu);

	search(p, 0.2, &c);
	if (c.loss < best.loss)
		best = c;
	for (int i = 0; i < ROUNDS; i++) {
		c = best;
		choose_sets(p, &c);
		search(p, 0.1, &c);
		if (c.loss < best.loss)
			best = c;
	}
	return best;
}

int paleo_fit_conv(const struct paleo_tile_device *d, enum paleo_pass pass,
		   const struct paleo_conv_row *rows, int count, const char *except_gpu,
		   struct paleo_conv_fit *out, struct paleo_error *err)
{
	int part = count < PALEO_CONV_SCREEN_ROWS ? count : PALEO_CONV_SCREEN_ROWS;
	struct paleo_conv_model m = paleo_conv_by_gemms(d) ? paleo_conv_guess(d, pass, except_gpu)
							   : paleo_conv_model_plain();
	struct paleo_conv_times some = {0}, all = {0};
	struct problem p = {.times = &some, .scale = SCALE * sqrt(1 + (double)SCALE_ROWS / count)};
	struct candidate best;

	*out = (struct paleo_conv_fit){.model = paleo_conv_guess(d, pass, except_gpu)};
	if (count == 0)
		return PALEO_OK;
	struct paleo_conv_row *screen = malloc((size_t)part * sizeof(*screen));
	int rc = screen ? PALEO_OK : paleo_fail(err, PALEO_ENOMEM, "out of memory for a fit");
	for (int i = 0; !rc && i < part; i++)
		screen[i] = rows[(long)i * count / part];
	if (!rc)
		rc = paleo_conv_times_make(d, screen, part, &some, err);
	if (!rc)
		rc = paleo_conv_times_make(d, rows, count, &all, err);
	if (rc)
		goto out;
	fill_problem(&p, &m);
	best = count < PALEO_CONV_FREE_ROWS ? stay_near(&p, pass, except_gpu)
					    : choose_model(&p, pass, except_gpu);
	p.times = &all;
	polish(&p, &best);
	set_params(&m.params, best.z);
	m.sets = best.sets;
	*out = (struct paleo_conv_fit){.model = m};
out:
	free(screen);
	paleo_conv_times_release(&some);
	paleo_conv_times_release(&all);
	return rc;
}
