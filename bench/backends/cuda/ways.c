/* ways.c - opens a job; of norms and poolings, the faster of cuDNN's plan and our own kernels. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "bench/backends/cuda/session.h"

/*
 * cuDNN's engines for a normalisation or a pooling are compiled at run time, may turn
 * layouts inside of their call, and may fail when they run. So both ways are tried, once
 * for each work: what fails or is slower is left, and the record says so.
 */
enum {
	TRIES = 3,
	REPS = 4
};

static uint64_t key_of(const struct paleo_work *w)
{
	char key[PALEO_WORK_KEY_MAX];

	paleo_work_key(w, key, sizeof(key));
	return paleo_hash_bytes(0, key, strlen(key));
}

static const struct paleo_way *find(const struct paleo_session *s, uint64_t key)
{
	for (int i = 0; i < s->way_count; i++)
		if (s->ways[i].key == key)
			return &s->ways[i];
	return NULL;
}

/* Without memory for it the choice is made anew when the work comes again. */
static void remember(struct paleo_session *s, uint64_t key, int by_kernels, const char *why)
{
	struct paleo_way *ways = paleo_grow(s->ways, s->way_count, &s->way_room, sizeof(*ways));

	if (!ways)
		return;
	s->ways = ways;
	ways[s->way_count] = (struct paleo_way){.key = key, .by_kernels = by_kernels};
	snprintf(ways[s->way_count].why, sizeof(ways->why), "%s", why);
	s->way_count++;
}

/* A work tried one way. */
struct trial {
	struct paleo_job *job; /* NULL: it failed, and why */
	double time_s;         /* the shortest of one run */
	struct paleo_error why;
};

/* Times the job of a trial; it is closed if that fails. */
static int time_trial(struct trial *t)
{
	double elapsed_s;
	int rc = PALEO_OK;

	t->time_s = INFINITY;
	for (int i = 0; i < TRIES && !rc; i++) {
		rc = paleo_timing_run(t->job, REPS, &elapsed_s, &t->why);
		t->time_s = rc ? t->time_s : fmin(t->time_s, elapsed_s / REPS);
	}
	if (rc) {
		paleo_job_close(t->job);
		t->job = NULL;
	}
	return rc;
}

/* What is known when both were tried: at least one has a job. */
static void tell(const struct trial *cudnn, const struct trial *own, char words[PALEO_WAY_WORDS])
{
	if (!cudnn->job)
		snprintf(words, PALEO_WAY_WORDS, "cudnn failed: %.70s", cudnn->why.text);
	else if (!own->job)
		snprintf(words, PALEO_WAY_WORDS, "kernels failed: %.70s", own->why.text);
	else if (own->time_s < cudnn->time_s)
		snprintf(words, PALEO_WAY_WORDS, "cudnn takes %.2f x", cudnn->time_s / own->time_s);
	else
		snprintf(words, PALEO_WAY_WORDS, "kernels take %.2f x",
			 own->time_s / cudnn->time_s);
}

/* Tries cuDNN's way, then, if there are two, our kernels'. ECRASH ends both: the device is lost. */
static int open_faster(struct paleo_session *s, const struct paleo_work *w,
		       const struct paleo_bench_options *o, struct paleo_job **out,
		       struct paleo_error *err)
{
	struct trial cudnn = {.job = NULL}, own = {.job = NULL};
	struct paleo_bench_options kernels = *o;
	char words[PALEO_WAY_WORDS];
	int rc = paleo_job_open_way(s, w, o, 0, &cudnn.job, &cudnn.why);

	if (!rc && !cudnn.job->has_other_way) {
		*out = cudnn.job;
		return PALEO_OK;
	}
	if (!rc)
		rc = time_trial(&cudnn);
	kernels.own_norms = 1;
	if (rc != PALEO_ECRASH)
		rc = paleo_job_open_way(s, w, &kernels, 0, &own.job, &own.why);
	if (!rc)
		rc = time_trial(&own);
	if (rc == PALEO_ECRASH || (!cudnn.job && !own.job)) {
		*err = own.why.status ? own.why : cudnn.why;
		paleo_job_close(cudnn.job);
		return rc;
	}
	tell(&cudnn, &own, words);
	int by_kernels = own.job && (!cudnn.job || own.time_s < cudnn.time_s);
	paleo_job_close(by_kernels ? cudnn.job : own.job);
	*out = by_kernels ? own.job : cudnn.job;
	remember(s, key_of(w), by_kernels, words);
	return PALEO_OK;
}

static int has_ways(const struct paleo_work *w, const struct paleo_bench_options *o)
{
	return (w->kind == PALEO_NORM || w->kind == PALEO_POOL) && o->rank == 0 && !o->own_norms;
}

int paleo_job_open(struct paleo_session *s, const struct paleo_work *w,
		   const struct paleo_bench_options *o, int rank, struct paleo_job **out,
		   struct paleo_error *err)
{
	struct paleo_bench_options chosen = *o;

	if (rank > 0 || !has_ways(w, o))
		return paleo_job_open_way(s, w, o, rank, out, err);
	const struct paleo_way *known = find(s, key_of(w));
	chosen.own_norms = known && known->by_kernels;
	int rc = known ? paleo_job_open_way(s, w, &chosen, 0, out, err)
		       : open_faster(s, w, o, out, err);
	known = rc ? NULL : find(s, key_of(w));
	if (known) { /* what was found stands in the notes */
		char *notes = (*out)->chosen.notes;
		size_t used = strlen(notes);
		snprintf(notes + used, sizeof((*out)->chosen.notes) - used, "%s%s",
			 used ? "; " : "", known->why);
	}
	return rc;
}

int paleo_way_choose(struct paleo_session *s, const struct paleo_work *w,
		     struct paleo_bench_options *o, struct paleo_error *err)
{
	struct paleo_job *j = NULL;
	int rc = PALEO_OK;

	if (!has_ways(w, o))
		return PALEO_OK;
	if (!find(s, key_of(w)))
		rc = paleo_job_open(s, w, o, 0, &j, err);
	paleo_job_close(j);
	const struct paleo_way *known = find(s, key_of(w));
	o->own_norms = known && known->by_kernels;
	return rc;
}
