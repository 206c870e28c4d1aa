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

/* A choice holds for a work in one mode: what a launch costs the host is another question. */
static uint64_t key_of(const struct paleo_work *w, const struct paleo_bench_options *o)
{
	char key[PALEO_WORK_KEY_MAX];

	paleo_work_key(w, key, sizeof(key));
	uint64_t hash = paleo_hash_bytes(0, key, strlen(key));
	hash = paleo_hash_bytes(hash, &o->mode, sizeof(o->mode));
	return paleo_hash_bytes(hash, &o->workspace_limit_bytes, sizeof(o->workspace_limit_bytes));
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
	int rc;        /* of opening and running it; why holds the reason */
	double time_s; /* the shortest of one run */
	struct paleo_error why;
};

/* Opens a job and times it; *out is NULL if either fails. */
static struct trial try_way(struct paleo_session *s, const struct paleo_work *w,
			    const struct paleo_bench_options *o, struct paleo_job **out)
{
	struct trial t = {.time_s = INFINITY};
	double elapsed_s;

	*out = NULL;
	t.rc = paleo_job_open_way(s, w, o, 0, out, &t.why);
	for (int i = 0; i < TRIES && !t.rc; i++) {
		t.rc = paleo_timing_run(*out, REPS, &elapsed_s, &t.why);
		t.time_s = t.rc ? t.time_s : fmin(t.time_s, elapsed_s / REPS);
	}
	if (t.rc) {
		paleo_job_close(*out);
		*out = NULL;
	}
	return t;
}

/* What is known when both were tried, and one is good. */
static void tell(const struct trial *cudnn, const struct trial *own, char words[PALEO_WAY_WORDS])
{
	if (cudnn->rc)
		snprintf(words, PALEO_WAY_WORDS, "cudnn failed: %.70s", cudnn->why.text);
	else if (own->rc)
		snprintf(words, PALEO_WAY_WORDS, "kernels failed: %.70s", own->why.text);
	else if (own->time_s < cudnn->time_s)
		snprintf(words, PALEO_WAY_WORDS, "cudnn takes %.2f x", cudnn->time_s / own->time_s);
	else
		snprintf(words, PALEO_WAY_WORDS, "kernels take %.2f x",
			 own->time_s / cudnn->time_s);
}

/* Tries our kernels, then cuDNN, one at a time, as each takes all the memory it may; what is faster
 * is open then. Our kernels come first, as they are soon opened again. ECRASH: the device is lost.
 */
static int open_faster(struct paleo_session *s, const struct paleo_work *w,
		       const struct paleo_bench_options *o, struct paleo_job **out,
		       struct paleo_error *err)
{
	struct paleo_bench_options kernels = *o;
	char words[PALEO_WAY_WORDS] = "";
	struct paleo_job *j;

	kernels.own_norms = 1;
	struct trial own = try_way(s, w, &kernels, &j), cudnn = own;
	paleo_job_close(j);
	if (own.rc != PALEO_ECRASH)
		cudnn = try_way(s, w, o, &j);
	if (cudnn.rc == PALEO_ECRASH || (cudnn.rc && own.rc)) {
		*err = cudnn.why;
		return cudnn.rc;
	}
	int has_two = cudnn.rc || j->has_other_way;
	int by_kernels = has_two && own.time_s < cudnn.time_s;
	if (has_two)
		tell(&cudnn, &own, words);
	remember(s, key_of(w, o), by_kernels, words);
	if (by_kernels) {
		paleo_job_close(j);
		return paleo_job_open_way(s, w, &kernels, 0, out, err);
	}
	*out = j;
	return PALEO_OK;
}

/* 1 for works that our kernels and, it may be, cuDNN compute. */
static int has_ways(const struct paleo_work *w, const struct paleo_bench_options *o)
{
	int is_norm = w->kind == PALEO_NORM && w->geom.norm.mode != PALEO_BATCH_INFERENCE;
	int is_pool = w->kind == PALEO_POOL && w->geom.pool.mode != PALEO_POOL_MAX;

	return (is_norm || is_pool) && o->rank == 0 && !o->own_norms;
}

int paleo_job_open(struct paleo_session *s, const struct paleo_work *w,
		   const struct paleo_bench_options *o, int rank, struct paleo_job **out,
		   struct paleo_error *err)
{
	struct paleo_bench_options chosen = *o;
	struct paleo_job *j = NULL;

	if (rank > 0 || !has_ways(w, o))
		return paleo_job_open_way(s, w, o, rank, out, err);
	const struct paleo_way *known = find(s, key_of(w, o));
	chosen.own_norms = known && known->by_kernels;
	int rc = known ? paleo_job_open_way(s, w, &chosen, 0, &j, err)
		       : open_faster(s, w, o, &j, err);
	if (rc || !j)
		return rc;
	known = find(s, key_of(w, o));
	if (known && *known->why) { /* what was found stands in the notes */
		size_t used = strlen(j->chosen.notes);
		snprintf(j->chosen.notes + used, sizeof(j->chosen.notes) - used, "%s%s",
			 used ? "; " : "", known->why);
	}
	*out = j;
	return PALEO_OK;
}

int paleo_way_choose(struct paleo_session *s, const struct paleo_work *w,
		     struct paleo_bench_options *o, struct paleo_error *err)
{
	struct paleo_job *j = NULL;
	int rc = PALEO_OK;

	if (!has_ways(w, o))
		return PALEO_OK;
	if (!find(s, key_of(w, o)))
		rc = paleo_job_open(s, w, o, 0, &j, err);
	paleo_job_close(j);
	const struct paleo_way *known = find(s, key_of(w, o));
	o->own_norms = known && known->by_kernels;
	return rc;
}
