/* fit_conv.c - fits the law of a library's algorithms to measured convolutions of one device. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "calib/fit_conv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/conv_times.h"
#include "calib/pattern.h"

#define SCALE 0.1 /* of a logarithm, as in fit_tile.c */
#define CLIP 3    /* of a logarithm: beyond, a row says no more */
#define GAIN 0.98 /* of the loss, that one more block must bring */

enum {
	BLOCKS_MAX = 4, /* of a set that grows */
	ROUNDS = 2,     /* of choosing sets and fitting parameters to them */
	POLISH_MAX = 2
};

/* Tiles that the library's implicit products have: 128x128, 128x64, 128x32, 64x64, 64x32, 32x32. */
#define IMPLICIT_TILES (1U << 2 | 1U << 5 | 1U << 8 | 1U << 7 | 1U << 10 | 1U << 12)
#define WINOGRAD_BLOCKS ((1U << PALEO_CONV_BLOCKS) - 1)

int paleo_conv_algorithm_find(const char *name)
{
	for (int a = 0; a < PALEO_CONV_ALGORITHMS; a++)
		if (!strcmp(name, paleo_conv_algorithm_name((enum paleo_conv_algorithm)a)))
			return a;
	return -1;
}

/* What a search along the axes is given. */
struct problem {
	struct paleo_conv_times *times;
	struct paleo_conv_model *model; /* its sets, and the parameters that are not fitted */
	double prior[PALEO_CONV_PARAMETERS];
	double low[PALEO_CONV_PARAMETERS], high[PALEO_CONV_PARAMETERS];
	int evaluations;
};

static void set_params(struct paleo_conv_params *p, const double *z)
{
	for (int j = 0; j < PALEO_CONV_PARAMETERS; j++)
		paleo_parameter_set(&paleo_conv_parameters[j], p, exp(z[j]));
}

static void get_params(const struct paleo_conv_params *p, double *z)
{
	for (int j = 0; j < PALEO_CONV_PARAMETERS; j++)
		z[j] = log(paleo_parameter_get(&paleo_conv_parameters[j], p));
}

static double robust(double error)
{
	return paleo_pseudo_huber(fmax(-CLIP, fmin(CLIP, error)) / SCALE);
}

/* The loss of the rows alone. */
static double rows_loss(struct paleo_conv_times *t, const struct paleo_conv_model *m)
{
	const double *logs[PALEO_CONV_ALGORITHMS];
	double sum = 0;

	for (int a = 0; a < PALEO_CONV_ALGORITHMS; a++)
		logs[a] = paleo_conv_times_log(t, m, (enum paleo_conv_algorithm)a);
	for (int i = 0; i < t->count; i++) {
		int chosen = t->rows[i].algorithm;
		double measured = log(t->rows[i].time_s), best = INFINITY;
		for (int a = 0; a < PALEO_CONV_ALGORITHMS; a++)
			best = logs[a][i] < best ? logs[a][i] : best;
		sum += robust(best - measured);
		if (chosen >= 0 && isfinite(logs[chosen][i]))
			sum += robust(logs[chosen][i] - measured);
	}
	return sum;
}

static double loss_at(const void *context, const double *z)
{
	const struct problem *p = context;
	double sum;

	set_params(&p->model->params, z);
	sum = rows_loss(p->times, p->model);
	for (int j = 0; j < PALEO_CONV_PARAMETERS; j++) {
		double u = (z[j] - p->prior[j]) / paleo_conv_parameters[j].prior_sd;
		sum += u * u;
	}
	return sum;
}

/* A model with its parameters as logarithms. */
struct candidate {
	struct paleo_conv_sets sets;
	double z[PALEO_CONV_PARAMETERS];
	double loss;
};

static void search(struct problem *p, double tolerance, struct candidate *c)
{
	struct paleo_pattern_result result;
	const struct paleo_pattern_problem pattern = {.params = PALEO_CONV_PARAMETERS,
						      .loss = loss_at,
						      .context = p,
						      .low = p->low,
						      .high = p->high,
						      .step = 0.5,
						      .step_min = tolerance,
						      .evaluations_max = 4000};

	p->model->sets = c->sets;
	paleo_pattern_solve(&pattern, c->z, &result);
	p->evaluations += result.evaluations;
	c->loss = result.loss;
}

static double loss_of(struct problem *p, const struct candidate *c)
{
	p->model->sets = c->sets;
	p->evaluations++;
	return loss_at(p, c->z);
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
			double with = loss_of(p, c);
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

static int allowed(const struct paleo_conv_preset *preset, enum paleo_pass pass,
		   const char *except_gpu)
{
	return preset->pass == pass &&
	       !(except_gpu && paleo_device_same_chip(preset->gpu, except_gpu));
}

/* The preset that fits best once its parameters are fitted, and with few rows its own prior. */
static struct candidate try_presets(struct problem *p, enum paleo_pass pass, const char *except_gpu,
				    int few)
{
	int count, chosen = -1;
	const struct paleo_conv_preset *presets = paleo_conv_presets(&count);
	struct candidate best = {.loss = INFINITY};

	for (int i = 0; i < count; i++) {
		if (!allowed(&presets[i], pass, except_gpu))
			continue;
		struct candidate c = candidate_of(&presets[i].model);
		if (few)
			memcpy(p->prior, c.z, sizeof(p->prior));
		search(p, 0.2, &c);
		if (c.loss < best.loss) {
			best = c;
			chosen = i;
		}
	}
	if (few && chosen >= 0)
		get_params(&presets[chosen].model.params, p->prior);
	return best;
}

/* Blocks that most libraries have, and the table's start. */
static struct paleo_conv_model plain_model(void)
{
	return (struct paleo_conv_model){.params = paleo_conv_params_init(),
					 .sets = {.implicit_tiles = 1U << 8 | 1U << 5,
						  .nonfused_tiles = 1U << 7,
						  .winograd_blocks = 1}};
}

/* Geometric means of the presets, and of the blocks those that at least half of them have. */
static struct paleo_conv_model middle_of_presets(enum paleo_pass pass, const char *except_gpu)
{
	int count, n = 0, have[3][PALEO_TILES] = {{0}};
	const struct paleo_conv_preset *presets = paleo_conv_presets(&count);
	struct paleo_conv_model m = plain_model();
	double sum[PALEO_CONV_PARAMETERS] = {0};

	for (int i = 0; i < count; i++) {
		if (!allowed(&presets[i], pass, except_gpu))
			continue;
		const struct candidate c = candidate_of(&presets[i].model);
		for (int j = 0; j < PALEO_CONV_PARAMETERS; j++)
			sum[j] += c.z[j];
		for (int b = 0; b < PALEO_TILES; b++) {
			have[0][b] += (c.sets.implicit_tiles >> b & 1) != 0;
			have[1][b] += (c.sets.nonfused_tiles >> b & 1) != 0;
			have[2][b] += (c.sets.winograd_blocks >> b & 1) != 0;
		}
		n++;
	}
	if (n == 0)
		return m;
	unsigned sets[3] = {0};
	for (int j = 0; j < PALEO_CONV_PARAMETERS; j++)
		sum[j] /= n;
	for (int i = 0; i < 3 * PALEO_TILES; i++)
		if (2 * have[i / PALEO_TILES][i % PALEO_TILES] >= n)
			sets[i / PALEO_TILES] |= 1U << i % PALEO_TILES;
	set_params(&m.params, sum);
	m.sets.implicit_tiles = sets[0] ? sets[0] : m.sets.implicit_tiles;
	m.sets.nonfused_tiles = sets[1] ? sets[1] : m.sets.nonfused_tiles;
	m.sets.winograd_blocks = sets[2] ? sets[2] : m.sets.winograd_blocks;
	return m;
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

static unsigned bounds_reached(const struct problem *p, const double *z)
{
	unsigned mask = 0;

	for (int j = 0; j < PALEO_CONV_PARAMETERS; j++)
		if (z[j] <= p->low[j] || z[j] >= p->high[j])
			mask |= 1U << j;
	return mask;
}

/* On a part of the rows: where to start, and which blocks there are. */
static struct candidate choose_model(struct problem *p, enum paleo_pass pass,
				     const char *except_gpu, int few)
{
	struct paleo_conv_model plain = plain_model();
	struct candidate best = try_presets(p, pass, except_gpu, few), c = candidate_of(&plain);

	if (few && isfinite(best.loss))
		return best;
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
	struct paleo_conv_model m = plain_model();
	struct paleo_conv_times some = {0}, all = {0};
	struct problem p = {.times = &some};
	struct candidate best;

	*out = (struct paleo_conv_fit){.model = middle_of_presets(pass, except_gpu)};
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
	best = choose_model(&p, pass, except_gpu, count < PALEO_CONV_FREE_ROWS);
	p.times = &all;
	polish(&p, &best);
	set_params(&m.params, best.z);
	m.sets = best.sets;
	*out = (struct paleo_conv_fit){.model = m,
				       .loss = best.loss,
				       .rows = count,
				       .evaluations = p.evaluations,
				       .on_bound = bounds_reached(&p, best.z)};
out:
	free(screen);
	paleo_conv_times_release(&some);
	paleo_conv_times_release(&all);
	return rc;
}
