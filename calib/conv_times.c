/* conv_times.c - what each algorithm takes for each row, priced anew only where it changed. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "calib/conv_times.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
	double launches_s;
	double *kernels_s, *logs;
	long used; /* when; 0: empty */
};

struct paleo_conv_memory {
	struct place places[PALEO_CONV_ALGORITHMS][PLACES];
	long now;
	struct paleo_conv_job *jobs;
	struct paleo_tile_choice *near[PALEO_CONV_ALGORITHMS]; /* what was fastest last */
	double numbers[];                                      /* of all places */
};

int paleo_conv_times_make(const struct paleo_tile_device *d, const struct paleo_conv_row *rows,
			  int count, struct paleo_conv_times *out, struct paleo_error *err)
{
	const size_t n = (size_t)count, numbers = (size_t)PALEO_CONV_ALGORITHMS * PLACES * 2 * n;
	struct paleo_conv_memory *m = malloc(sizeof(*m) + numbers * sizeof(double));
	struct paleo_conv_job *jobs = malloc((n + 1) * sizeof(*jobs));
	struct paleo_tile_choice *near = malloc((PALEO_CONV_ALGORITHMS * n + 1) * sizeof(*near));

	if (!m || !jobs || !near) {
		free(m);
		free(jobs);
		free(near);
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", count);
	}
	memset(m, 0, sizeof(*m));
	m->jobs = jobs;
	for (int i = 0; i < PALEO_CONV_ALGORITHMS * PLACES; i++) {
		struct place *p = &m->places[i / PLACES][i % PLACES];
		p->kernels_s = m->numbers + 2 * (size_t)i * n;
		p->logs = p->kernels_s + n;
	}
	for (int i = 0; i < count; i++)
		jobs[i] = paleo_conv_job_of(d, rows[i].work);
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
	free(t->memory);
	t->memory = NULL;
}

/* Of a key's doubles, without padding; none of them is -0. */
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
	/* Strides matter to the gradient of the data alone, where the products are gathered. */
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

static void take_logs(struct place *p, double launches_s, int count)
{
	p->launches_s = launches_s;
	for (int i = 0; i < count; i++)
		p->logs[i] = log(launches_s + p->kernels_s[i]);
}

static void price(struct paleo_conv_times *t, const struct paleo_conv_model *m,
		  enum paleo_conv_algorithm a, struct place *p)
{
	struct paleo_conv_memory *memory = t->memory;

	for (int i = 0; i < t->count; i++)
		p->kernels_s[i] = paleo_conv_kernels_s(&m->params, t->device, &memory->jobs[i],
						       &m->sets, a, &memory->near[a][i]);
}

const double *paleo_conv_times_log(struct paleo_conv_times *t, const struct paleo_conv_model *m,
				   enum paleo_conv_algorithm a)
{
	const enum paleo_pass pass = t->count ? t->rows[0].work->pass : PALEO_FWD;
	const struct key key = key_of(m, pass, a);
	const double launches_s = paleo_conv_launches_s(&m->params, a);
	struct place *places = t->memory->places[a], *same = NULL, *oldest = &places[0];

	t->memory->now++;
	for (int i = 0; i < PLACES; i++) {
		if (places[i].used < oldest->used)
			oldest = &places[i];
		if (!places[i].used || !same_key(&places[i].key, &key))
			continue;
		same = &places[i];
		if (same->launches_s == launches_s) {
			same->used = t->memory->now;
			return same->logs;
		}
	}
	/* What the launches alone changed keeps its kernels. */
	if (!same)
		price(t, m, a, oldest);
	else if (same != oldest)
		memcpy(oldest->kernels_s, same->kernels_s,
		       (size_t)t->count * sizeof(*same->kernels_s));
	oldest->key = key;
	oldest->used = t->memory->now;
	take_logs(oldest, launches_s, t->count);
	return oldest->logs;
}
