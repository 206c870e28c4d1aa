/* conv_times.c - cache of algorithms' times for rows, recomputed on demand. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/fit_conv.h"

enum {
	PLACES = 3 /* of an algorithm: the best so far, the step from there, and one to replace */
};

/* All that the times of an algorithm depend on, but for its launches. */
struct key {
	double ppp_memory, cache_share, ppp_cache, sharpness, droop, droop_us;
	double stride_share;
	struct paleo_conv_kernel kernel;
	double blocks;
};

struct place {
	struct key key;
	/* for each row, without launches. Never 0: a negative value is a lower bound on the time;
	 * 0: not priced yet. */
	double *kernels_s;
	long used; /* when; 0: empty */
};

struct paleo_conv_memory {
	struct place places[PALEO_CONV_ALGORITHMS][PLACES];
	long now;
	const struct paleo_conv_model *model;
	struct place *of_model[PALEO_CONV_ALGORITHMS];
	double launches_s[PALEO_CONV_ALGORITHMS];
	struct paleo_conv_job *jobs;
	struct paleo_tile_choice *near[PALEO_CONV_ALGORITHMS]; /* fastest candidate so far */
	unsigned char *fastest;                                /* algorithm of each row, last */
	double numbers[];                                      /* of all places */
};

int paleo_conv_times_make(const struct paleo_tile_device *d, const struct paleo_conv_row *rows,
			  int count, struct paleo_conv_times *out, struct paleo_error *err)
{
	const size_t n = (size_t)count, numbers = (size_t)PALEO_CONV_ALGORITHMS * PLACES * n;
	struct paleo_conv_memory *m = malloc(sizeof(*m) + numbers * sizeof(double));
	struct paleo_conv_job *jobs = malloc((n + 1) * sizeof(*jobs));
	struct paleo_tile_choice *near = malloc((PALEO_CONV_ALGORITHMS * n + 1) * sizeof(*near));
	unsigned char *fastest = calloc(n + 1, sizeof(*fastest));

	if (!m || !jobs || !near || !fastest) {
		free(m);
		free(jobs);
		free(near);
		free(fastest);
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", count);
	}
	memset(m, 0, sizeof(*m));
	m->jobs = jobs;
	m->fastest = fastest;
	for (int i = 0; i < PALEO_CONV_ALGORITHMS * PLACES; i++)
		m->places[i / PLACES][i % PLACES].kernels_s = m->numbers + (size_t)i * n;
	for (int i = 0; i < count; i++)
		jobs[i] = paleo_conv_job_of(d, rows[i].op);
	for (size_t i = 0; i < PALEO_CONV_ALGORITHMS * n; i++)
		near[i].tile = -1;
	for (size_t a = 0; a < PALEO_CONV_ALGORITHMS; a++)
		m->near[a] = near + a * n;
	*out = (struct paleo_conv_times){.device = d, .rows = rows, .count = count, .memory = m};
	return PALEO_OK;
}

void paleo_conv_times_release(struct paleo_conv_times *t)
{
	if (!t->memory)
		return;
	free(t->memory->jobs);
	free(t->memory->near[0]);
	free(t->memory->fastest);
	free(t->memory);
	t->memory = NULL;
}

/* Compares the doubles of a key, without padding; none of them is -0. */
static int same_key(const struct key *a, const struct key *b)
{
	return !memcmp((const unsigned char *)a, (const unsigned char *)b, sizeof(*a));
}

static struct key key_of(const struct paleo_conv_model *m, enum paleo_pass pass,
			 enum paleo_conv_algorithm a)
{
	const struct paleo_conv_params *p = &m->params;
	struct paleo_conv_kernel kernel = p->kernels[a];
	const unsigned blocks[PALEO_CONV_ALGORITHMS] = {
		[PALEO_CONV_PRECOMP] = m->sets.implicit_tiles,
		[PALEO_CONV_IMPLICIT] = m->sets.implicit_tiles,
		[PALEO_CONV_WINOGRAD] = m->sets.winograd_blocks,
		[PALEO_CONV_NONFUSED] = m->sets.nonfused_tiles,
	};

	kernel.extra_us = 0; /* a launch */
	/* Strides only matter to the gradient of the data, where the GEMMs gather. */
	return (struct key){.ppp_memory = p->ppp_memory,
			    .cache_share = p->cache_share,
			    .ppp_cache = p->ppp_cache,
			    .sharpness = p->sharpness,
			    .droop = p->droop,
			    .droop_us = p->droop_us,
			    .stride_share = a == PALEO_CONV_PRECOMP && pass == PALEO_BWD_DATA
						    ? p->stride_share
						    : 0,
			    .kernel = kernel,
			    .blocks = blocks[a]};
}

/* The slot of a key: its own, or the least recently used one. */
static struct place *place_of(struct paleo_conv_times *t, enum paleo_conv_algorithm a,
			      const struct key *key)
{
	struct place *places = t->memory->places[a], *oldest = &places[0];

	for (int i = 0; i < PLACES; i++) {
		if (places[i].used && same_key(&places[i].key, key))
			return &places[i];
		if (places[i].used < oldest->used)
			oldest = &places[i];
	}
	oldest->key = *key;
	for (int i = 0; i < t->count; i++)
		oldest->kernels_s[i] = 0;
	return oldest;
}

void paleo_conv_times_turn(struct paleo_conv_times *t, const struct paleo_conv_model *m)
{
	const enum paleo_pass pass = t->count ? t->rows[0].op->pass : PALEO_FWD;
	struct paleo_conv_memory *memory = t->memory;

	memory->now++;
	memory->model = m;
	for (int i = 0; i < PALEO_CONV_ALGORITHMS; i++) {
		const enum paleo_conv_algorithm a = (enum paleo_conv_algorithm)i;
		const struct key key = key_of(m, pass, a);
		memory->of_model[a] = place_of(t, a, &key);
		memory->of_model[a]->used = memory->now;
		memory->launches_s[a] = paleo_conv_launches_s(&m->params, a);
	}
}

/* Seconds without launches; a value not below limit_s may be an underestimate, or infinite. */
static double kernels_below(struct paleo_conv_times *t, int row, enum paleo_conv_algorithm a,
			    double limit_s)
{
	struct paleo_conv_memory *memory = t->memory;
	double *known_s = &memory->of_model[a]->kernels_s[row];
	struct paleo_tile_choice near = memory->near[a][row];

	if (*known_s > 0)
		return *known_s;
	if (-*known_s >= limit_s)
		return INFINITY;
	double s = paleo_conv_kernels_s(&memory->model->params, t->device, &memory->jobs[row],
					&memory->model->sets, a, limit_s, &near);
	if (near.tile >= 0)
		memory->near[a][row] = near;
	*known_s = s < limit_s || limit_s == INFINITY ? s : -limit_s;
	return s;
}

double paleo_conv_times_s(struct paleo_conv_times *t, int row, enum paleo_conv_algorithm a)
{
	return t->memory->launches_s[a] + kernels_below(t, row, a, INFINITY);
}

double paleo_conv_times_fastest_s(struct paleo_conv_times *t, int row)
{
	struct paleo_conv_memory *memory = t->memory;
	const int first = memory->fastest[row];
	double best = paleo_conv_times_s(t, row, (enum paleo_conv_algorithm)first);

	for (int a = 0; a < PALEO_CONV_ALGORITHMS; a++) {
		double launches_s = memory->launches_s[a];
		if (a == first)
			continue;
		double s = launches_s +
			   kernels_below(t, row, (enum paleo_conv_algorithm)a, best - launches_s);
		if (s < best) {
			best = s;
			memory->fastest[row] = (unsigned char)a;
		}
	}
	return best;
}
