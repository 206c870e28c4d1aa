/* conv_times.c - what each algorithm takes for each row, priced anew only where it changed. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "calib/conv_times.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	PLACES = 3 /* of an algorithm: the best so far, the step from there, and one to replace */
};

/* All that the times of an algorithm depend on. */
struct key {
	double launch_us, ppp_memory, cache_share, ppp_cache, sharpness, droop, droop_us;
	double stride_share;
	struct paleo_conv_kernel kernel;
	double blocks;
};

struct place {
	struct key key;
	double *logs;
	long used; /* when; 0: empty */
};

struct paleo_conv_memory {
	struct place places[PALEO_CONV_ALGORITHMS][PLACES];
	long now;
	double logs[]; /* of all places */
};

int paleo_conv_times_make(const struct paleo_tile_device *d, const struct paleo_conv_row *rows,
			  int count, struct paleo_conv_times *out, struct paleo_error *err)
{
	size_t numbers = (size_t)PALEO_CONV_ALGORITHMS * PLACES * (size_t)count;
	struct paleo_conv_memory *m = malloc(sizeof(*m) + numbers * sizeof(double));

	if (!m)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", count);
	memset(m, 0, sizeof(*m));
	for (int i = 0; i < PALEO_CONV_ALGORITHMS * PLACES; i++)
		m->places[i / PLACES][i % PLACES].logs = m->logs + (size_t)i * (size_t)count;
	*out = (struct paleo_conv_times){.device = d, .rows = rows, .count = count, .memory = m};
	return PALEO_OK;
}

void paleo_conv_times_release(struct paleo_conv_times *t)
{
	free(t->memory);
	t->memory = NULL;
}

/* Of a key's doubles, without padding; none of them is -0. */
static int same_key(const struct key *a, const struct key *b)
{
	return !memcmp((const unsigned char *)a, (const unsigned char *)b, sizeof(*a));
}

static struct key key_of(const struct paleo_conv_model *m, enum paleo_conv_algorithm a)
{
	const struct paleo_conv_params *p = &m->params;
	const unsigned blocks[PALEO_CONV_ALGORITHMS] = {
		[PALEO_CONV_PRECOMP] = m->sets.implicit_tiles,
		[PALEO_CONV_IMPLICIT] = m->sets.implicit_tiles,
		[PALEO_CONV_WINOGRAD] = m->sets.winograd_blocks,
		[PALEO_CONV_NONFUSED] = m->sets.nonfused_tiles,
	};

	return (struct key){.launch_us = p->launch_us,
			    .ppp_memory = p->ppp_memory,
			    .cache_share = p->cache_share,
			    .ppp_cache = p->ppp_cache,
			    .sharpness = p->sharpness,
			    .droop = p->droop,
			    .droop_us = p->droop_us,
			    .stride_share = p->stride_share,
			    .kernel = p->kernels[a],
			    .blocks = blocks[a]};
}

const double *paleo_conv_times_log(struct paleo_conv_times *t, const struct paleo_conv_model *m,
				   enum paleo_conv_algorithm a)
{
	const struct key key = key_of(m, a);
	struct place *places = t->memory->places[a], *oldest = &places[0];

	t->memory->now++;
	for (int i = 0; i < PLACES; i++) {
		if (places[i].used && same_key(&places[i].key, &key)) {
			places[i].used = t->memory->now;
			return places[i].logs;
		}
		if (places[i].used < oldest->used)
			oldest = &places[i];
	}
	oldest->key = key;
	oldest->used = t->memory->now;
	for (int i = 0; i < t->count; i++)
		oldest->logs[i] = log(paleo_conv_algorithm_s(&m->params, t->device, t->rows[i].work,
							     &m->sets, a));
	return oldest->logs;
}
