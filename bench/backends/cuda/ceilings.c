/* ceilings.c - brings the clocks up; measures the peaks of the device, and all its ceilings. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>

#include "bench/backends/cuda/bandwidth.h"
#include "bench/clock.h"

#define WARM_UP_S 3.0 /* at most */
#define NEAR_CLOCK 0.95
#define AT_CLOCK_S 0.3
#define MATRIX 8192 /* large enough for every device to reach its peak */
#define FP8_WIDER 8
#define RANKS 8 /* algorithms of cublasLt that are tried */
#define SAMPLES 10

static int gemm_work(enum paleo_dtype dtype, int size, struct paleo_work *out,
		     struct paleo_error *err)
{
	struct paleo_work w = {.kind = PALEO_GEMM, .pass = PALEO_FWD, .dtype = dtype};

	w.geom.gemm = (struct paleo_gemm_geom){.m = size, .n = size, .k = size, .batch = 1};
	if (dtype == PALEO_FP8) { /* so wide that quantising the activations does not count */
		w.geom.gemm.n = FP8_WIDER * size;
		w.geom.gemm.trans_b = 1;
	}
	int rc = paleo_work_finish(&w, err);
	if (!rc)
		*out = w;
	return rc;
}

/* Runs a job until the clock has been near its highest for a moment, or for WARM_UP_S. */
static int run_until_warm(struct paleo_session *s, struct paleo_job *j, struct paleo_error *err)
{
	double now_s = paleo_now_s(), end_s = now_s + WARM_UP_S, low_s = now_s, elapsed_s;
	int rc = PALEO_OK;

	while (!rc && now_s < end_s && now_s - low_s < AT_CLOCK_S) {
		rc = paleo_timing_run(j, 10, &elapsed_s, err);
		now_s = paleo_now_s();
		if (paleo_nvml_clock_ratio(s->nvml) < NEAR_CLOCK)
			low_s = now_s;
	}
	return rc;
}

/* An idle device runs at a fraction of its clock; the first results would be wrong. That it cannot
 * be warmed up is told by what is measured then, unless it is lost. */
int paleo_warm_up(struct paleo_session *s, struct paleo_error *err)
{
	const struct paleo_bench_options options = {.mode = PALEO_COLD};
	struct paleo_error why;
	struct paleo_job *j = NULL;
	struct paleo_work w;

	if (s->is_warm)
		return PALEO_OK;
	int rc = gemm_work(PALEO_F32, 2048, &w, &why);
	if (!rc)
		rc = paleo_job_open(s, &w, &options, 0, &j, &why);
	if (!rc)
		rc = run_until_warm(s, j, &why);
	paleo_job_close(j);
	s->is_warm = 1;
	if (rc != PALEO_ECRASH)
		return PALEO_OK;
	*err = why;
	paleo_error_prefix(err, "warming up");
	return rc;
}

/* A product on large matrices, by one of the library's algorithms. */
struct product {
	struct paleo_work work;
	int rank, zeros;
};

/* FLOP/s of samples of about 20 ms. EUNSUPPORTED where there are not so many algorithms. */
static int product_samples(struct paleo_session *s, const struct product *p, double *samples, int n,
			   struct paleo_error *err)
{
	const struct paleo_bench_options options = {.mode = PALEO_COLD, .zeros = p->zeros};
	struct paleo_job *j = NULL;
	double elapsed_s = 0;
	int rc = paleo_job_open(s, &p->work, &options, p->rank, &j, err);

	if (!rc)
		rc = paleo_timing_run(j, 1, &elapsed_s, err);
	int reps = elapsed_s > 0 && elapsed_s < 0.02 ? (int)(0.02 / elapsed_s) + 1 : 1;
	for (int i = 0; i < n && !rc; i++) {
		rc = paleo_timing_run(j, reps, &elapsed_s, err);
		samples[i] = elapsed_s > 0 ? p->work.flops * reps / elapsed_s : 0;
	}
	paleo_job_close(j);
	return rc;
}

/* The fastest algorithm for a number type. One that fails is passed over, unless the device is lost
 * (ECRASH). Where none gives a time: as the first one fails. */
static int find_fastest(struct paleo_session *s, enum paleo_dtype dtype, struct product *out,
			struct paleo_error *err)
{
	struct product p = {.rank = 0};
	struct paleo_error why;
	double samples[3], best = 0;
	int failure = gemm_work(dtype, MATRIX, &p.work, err);

	if (failure)
		return failure;
	for (; p.rank < RANKS && failure != PALEO_ECRASH; p.rank++) {
		int rc = product_samples(s, &p, samples, 3, &why);
		for (int i = 0; i < 3 && !rc; i++) {
			if (samples[i] <= best)
				continue;
			best = samples[i];
			*out = p;
		}
		if (rc == PALEO_ECRASH || (rc && !failure)) {
			failure = rc;
			*err = why;
		}
	}
	return best > 0 && failure != PALEO_ECRASH ? PALEO_OK : failure;
}

/* How thoroughly the peaks are measured. */
struct effort {
	int samples;
	int zeros; /* 1: products of zeros, too */
	double bytes;
};

static const struct effort quick = {.samples = 3, .bytes = 1073741824.0};
static const struct effort thorough = {.samples = SAMPLES, .zeros = 1, .bytes = 4294967296.0};

static int add_product(struct paleo_session *s, const struct product *p, int n,
		       struct paleo_ceilings *out, struct paleo_error *err)
{
	enum paleo_dtype dtype = p->work.dtype;
	double samples[SAMPLES];
	char name[sizeof(out->items->name)], how[sizeof(out->items->how)];
	int rc = product_samples(s, p, samples, n, err);

	snprintf(name, sizeof(name), "gemm_%s%s", paleo_dtype_name(dtype),
		 p->zeros ? "_zeros" : "");
	snprintf(how, sizeof(how), "cublasLt, %d^3%s, its algorithm %d of %d, %s inputs", MATRIX,
		 dtype == PALEO_FP8 ? " x 8, quantising x included" : "", p->rank, RANKS,
		 p->zeros ? "zero" : "random");
	if (!rc)
		rc = paleo_ceilings_add(out, name, "FLOP/s", samples, n, how, err);
	return paleo_ceilings_skip(out, name, rc, err);
}

/* The fastest algorithm on random values, and the same one on zeros. */
static int add_products(struct paleo_session *s, enum paleo_dtype dtype, const struct effort *e,
			struct paleo_ceilings *out, struct paleo_error *err)
{
	struct product p = {.rank = 0};
	struct paleo_error ignored;

	if (paleo_dtype_check(s, dtype, &ignored)) /* this generation lacks it: nothing is missed */
		return PALEO_OK;
	int rc = find_fastest(s, dtype, &p, err);
	if (rc)
		return paleo_ceilings_skip(out, paleo_dtype_name(dtype), rc, err);
	for (; p.zeros <= e->zeros && !rc; p.zeros++)
		rc = add_product(s, &p, e->samples, out, err);
	return rc;
}

static int add_sweep(struct paleo_session *s, const struct paleo_buffers *x, enum paleo_sweep sweep,
		     int n, struct paleo_ceilings *out, struct paleo_error *err)
{
	const char *name = paleo_sweep_name(sweep);
	double samples[SAMPLES];
	char how[sizeof(out->items->how)];
	int rc = paleo_sweep_samples(s, x, sweep, samples, n, err);

	snprintf(how, sizeof(how), "%.2f GiB", (double)x->bytes / 1073741824.0);
	if (!rc)
		rc = paleo_ceilings_add(out, name, "B/s", samples, n, how, err);
	return paleo_ceilings_skip(out, name, rc, err);
}

static int add_l2(struct paleo_session *s, const struct paleo_buffers *x, int n,
		  struct paleo_ceilings *out, struct paleo_error *err)
{
	size_t bytes = (size_t)s->properties.l2CacheSize / 4;
	double samples[SAMPLES];

	if (bytes == 0 || bytes > x->bytes)
		return PALEO_OK;
	int rc = paleo_reread_samples(s, x, bytes, samples, n, err);
	if (!rc)
		rc = paleo_ceilings_add(out, "read_l2", "B/s", samples, n,
					"a quarter of the L2 cache, again and again", err);
	return paleo_ceilings_skip(out, "read_l2", rc, err);
}

static int add_memory(struct paleo_session *s, const struct effort *e, struct paleo_ceilings *out,
		      struct paleo_error *err)
{
	struct paleo_buffers x;
	int rc = paleo_buffers_take(s, &x, e->bytes, err);

	if (rc)
		return paleo_ceilings_skip(out, "memory", rc, err);
	for (int what = 0; what < PALEO_SWEEPS && !rc; what++)
		rc = add_sweep(s, &x, (enum paleo_sweep)what, e->samples, out, err);
	if (!rc)
		rc = add_l2(s, &x, e->samples, out, err);
	paleo_buffers_give_back(&x);
	return rc;
}

static int add_peaks(struct paleo_session *s, const struct effort *e, struct paleo_ceilings *out,
		     struct paleo_error *err)
{
	int rc = paleo_warm_up(s, err);

	for (int t = 0; t < PALEO_DTYPES && !rc; t++)
		rc = add_products(s, (enum paleo_dtype)t, e, out, err);
	return rc ? rc : add_memory(s, e, out, err);
}

int paleo_ceilings(struct paleo_session *s, struct paleo_device *d, struct paleo_doubts *doubts,
		   struct paleo_error *err)
{
	struct paleo_ceilings list = {.count = 0};
	struct paleo_error ignored;
	int rc = add_peaks(s, &quick, &list, err);

	(void)doubts; /* the device's own clock times */

	if (rc)
		return rc;
	if (list.count == 0)
		return paleo_fail(err, PALEO_EBACKEND, "no peak could be measured: %s", list.why);
	for (int t = 0; t < PALEO_DTYPES; t++)
		if (paleo_dtype_check(s, (enum paleo_dtype)t, &ignored))
			d->flop_per_s[t] = 0;
	paleo_ceilings_apply(list.items, list.count, d);
	snprintf(d->source, sizeof(d->source),
		 "measured: best of %d cublasLt algorithms at %d^3 (fp8: %d times as wide, "
		 "quantising x included), random inputs; copy, read and write of 1 GiB%s%.60s",
		 RANKS, MATRIX, FP8_WIDER, list.skipped ? "; not measured: " : "", list.why);
	return PALEO_OK;
}

int paleo_ceilings_list(struct paleo_session *s, struct paleo_ceilings *out,
			struct paleo_error *err)
{
	int rc = add_peaks(s, &thorough, out, err);

	if (!rc)
		rc = paleo_launch_ceilings(s, out, err);
	return rc ? rc : paleo_transfer_ceilings(s, out, err);
}
