/* prepare.c - from an op to a job that has run once; of a norm, by the faster of two ways. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "bench/backends/cuda/plans/plans.h"
#include "bench/backends/cuda/session.h"

/* By kind of op; NULL: not measured. */
static int (*const plans[PALEO_OP_KINDS])(struct paleo_job *j, struct paleo_error *err) = {
	[PALEO_CONV] = paleo_plan_conv,
	[PALEO_GEMM] = paleo_plan_gemm,
	[PALEO_POOL] = paleo_plan_pool,
	[PALEO_ELTWISE] = paleo_plan_eltwise,
	[PALEO_NORM] = paleo_plan_norm,
	[PALEO_LRN] = paleo_plan_lrn,
	[PALEO_SOFTMAX] = paleo_plan_softmax,
	[PALEO_COPY] = paleo_plan_copy,
	[PALEO_UPSAMPLE] = paleo_plan_upsample,
	[PALEO_UPDATE] = paleo_plan_update,
	[PALEO_REDUCE] = paleo_plan_reduce,
	[PALEO_ATTENTION] = paleo_plan_attention,
	[PALEO_EMBEDDING] = paleo_plan_embedding,
	[PALEO_ROPE] = paleo_plan_rope,
	[PALEO_MOE] = paleo_plan_moe,
	[PALEO_CROSS_ENTROPY] = paleo_plan_cross_entropy,
};

int paleo_job_plan(struct paleo_job *j, struct paleo_error *err)
{
	if (j->rank > 0 && j->op.kind != PALEO_CONV && j->op.kind != PALEO_GEMM)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "there is one algorithm for this kind of op");
	if (plans[j->op.kind])
		return plans[j->op.kind](j, err);
	return paleo_fail(err, PALEO_EUNSUPPORTED,
			  "'%s' is not measured with CUDA: no NVIDIA library has it; predict it, "
			  "or measure it on a CPU",
			  paleo_op_kind_name(j->op.kind));
}

int paleo_job_launch(const struct paleo_job *j, enum paleo_job_phase phase, int copy,
		     struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int i = 0; i < j->step_count[phase] && !rc; i++)
		rc = j->steps[phase][i].launch(&j->steps[phase][i], j, copy, err);
	return rc;
}

int paleo_job_bind(struct paleo_job *j, struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int phase = 0; phase < PALEO_JOB_PHASES; phase++) {
		for (int i = 0; i < j->step_count[phase] && !rc; i++) {
			struct paleo_step *step = &j->steps[phase][i];
			if (step->bind)
				rc = step->bind(step, j, err);
		}
	}
	return rc;
}

/* The first set is filled and set up, then copied to the others; then the op runs once on it. */
static int first_run(struct paleo_job *j, struct paleo_error *err)
{
	int rc = paleo_memory_fill(j, err);

	if (!rc)
		rc = paleo_job_launch(j, PALEO_SETUP, 0, err);
	if (!rc)
		rc = paleo_memory_spread(j, err);
	if (!rc)
		rc = paleo_job_launch(j, PALEO_TIMED, 0, err);
	if (!rc)
		rc = paleo_cuda_check(cudaStreamSynchronize(j->session->stream),
				      "run the op for the first time", err);
	return rc;
}

int paleo_dtype_check(const struct paleo_session *s, enum paleo_dtype dtype,
		      struct paleo_error *err)
{
	/* Compute capability, times ten, of dtypes that came after the first supported
	 * generation. */
	static const int since[PALEO_DTYPES] = {
		[PALEO_TF32] = 80, [PALEO_BF16] = 80, [PALEO_FP8] = 89};
	int capability = 10 * s->properties.major + s->properties.minor;

	if (capability < since[dtype])
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "%s needs compute capability %d.%d, this device has %d.%d",
				  paleo_dtype_name(dtype), since[dtype] / 10, since[dtype] % 10,
				  s->properties.major, s->properties.minor);
	return PALEO_OK;
}

/* Opens a job one way: cuDNN's where it has one, unless o->own_norms. */
static int open_way(struct paleo_session *s, const struct paleo_op *w,
		    const struct paleo_bench_options *o, int rank, struct paleo_job **out,
		    struct paleo_error *err)
{
	int rc = paleo_dtype_check(s, w->dtype, err);

	if (rc)
		return rc;
	struct paleo_job *j = malloc(sizeof(*j));
	if (!j)
		return paleo_fail(err, PALEO_ENOMEM, "no memory for a job");
	paleo_job_begin(j, w, o);
	j->session = s;
	j->rank = rank;
	rc = paleo_job_plan(j, err);
	if (!rc)
		rc = paleo_memory_take(j, err);
	if (!rc)
		rc = paleo_job_bind(j, err);
	if (!rc)
		rc = first_run(j, err);
	if (!rc)
		rc = paleo_timing_open(j, err);
	if (rc) {
		paleo_job_close(j);
		return rc;
	}
	*out = j;
	return PALEO_OK;
}

void paleo_job_close(struct paleo_job *j)
{
	if (!j)
		return;
	paleo_timing_close(j);
	paleo_job_clear(j);
	paleo_memory_give_back(j);
	free(j);
}

/*
 * cuDNN's engines for a normalisation are compiled at run time, may change layouts within their
 * call, and may fail when they run. So both ways are tried, once for each op: the one that fails or
 * is slower is dropped, and the record says so.
 */
enum {
	TRIES = 3,
	REPS = 4
};

/* A choice holds for an op in one mode: launch overhead is a different criterion. */
static uint64_t key_of(const struct paleo_op *w, const struct paleo_bench_options *o)
{
	char key[PALEO_OP_KEY_MAX];

	paleo_op_key(w, key, sizeof(key));
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

/* Without memory for it the choice is repeated when the op comes again. */
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

/* An op tried one way. */
struct trial {
	int rc;        /* of opening and running it; why holds the reason */
	double time_s; /* the shortest of one run */
	struct paleo_error why;
};

/* Opens a job and times it; *out is NULL if either fails. */
static struct trial try_way(struct paleo_session *s, const struct paleo_op *w,
			    const struct paleo_bench_options *o, struct paleo_job **out)
{
	struct trial t = {.time_s = INFINITY};
	double elapsed_s;

	*out = NULL;
	t.rc = open_way(s, w, o, 0, out, &t.why);
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

/* Notes the result when both were tried, and one is usable. */
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

/* Tries our kernels, then cuDNN, one at a time, as each may take all memory; the faster one is left
 * open. Our kernels come first, as they are quick to reopen. ECRASH: the device is lost. */
static int open_faster(struct paleo_session *s, const struct paleo_op *w,
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
		return open_way(s, w, &kernels, 0, out, err);
	}
	*out = j;
	return PALEO_OK;
}

/* 1 for ops that our kernels and, it may be, cuDNN compute. */
static int has_ways(const struct paleo_op *w, const struct paleo_bench_options *o)
{
	int is_norm = w->kind == PALEO_NORM && w->geom.norm.mode != PALEO_BATCH_INFERENCE;

	return is_norm && o->rank == 0 && !o->own_norms;
}

int paleo_job_open(struct paleo_session *s, const struct paleo_op *w,
		   const struct paleo_bench_options *o, int rank, struct paleo_job **out,
		   struct paleo_error *err)
{
	struct paleo_bench_options chosen = *o;
	struct paleo_job *j = NULL;

	if (rank > 0 || !has_ways(w, o))
		return open_way(s, w, o, rank, out, err);
	const struct paleo_way *known = find(s, key_of(w, o));
	chosen.own_norms = known && known->by_kernels;
	int rc = known ? open_way(s, w, &chosen, 0, &j, err) : open_faster(s, w, o, &j, err);
	if (rc || !j)
		return rc;
	known = find(s, key_of(w, o));
	if (known && *known->why) { /* the reason is in the notes */
		size_t used = strlen(j->chosen.notes);
		snprintf(j->chosen.notes + used, sizeof(j->chosen.notes) - used, "%s%s",
			 used ? "; " : "", known->why);
	}
	*out = j;
	return PALEO_OK;
}

int paleo_way_choose(struct paleo_session *s, const struct paleo_op *w,
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
