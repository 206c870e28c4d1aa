/* ceilings.c - brings the clocks up; measures the peaks of the device, and all its ceilings. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>

#include "bench/backends/cuda/bandwidth.h"
#include "bench/clock.h"

#define WARM_UP_S 3.0
#define MATRIX 8192 /* large enough for every device to reach its peak */
#define FP8_WIDER 8
#define RANKS 8 /* algorithms of cublasLt that are tried */
#define SAMPLES 10
#define QUICK_BYTES 1073741824.0 /* of the memory's peak, and of its ceilings */
#define LARGE_BYTES 4294967296.0

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

/* An idle device runs at a fraction of its clock; the first results would be wrong. */
int paleo_warm_up(struct paleo_session *s, struct paleo_error *err)
{
	const struct paleo_bench_options options = {.mode = PALEO_COLD};
	struct paleo_job *j = NULL;
	struct paleo_work w;
	double elapsed_s, end_s = paleo_now_s() + WARM_UP_S;
	int rc = PALEO_OK;

	if (s->is_warm)
		return PALEO_OK;
	rc = gemm_work(PALEO_F32, 2048, &w, err);
	if (!rc)
		rc = paleo_job_open(s, &w, &options, 0, &j, err);
	while (!rc && paleo_now_s() < end_s)
		rc = paleo_timing_run(j, 10, &elapsed_s, err);
	paleo_job_close(j);
	if (rc)
		paleo_error_prefix(err, "warming up");
	else
		s->is_warm = 1;
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

/* The fastest algorithm for a number type; *best is 0 where the device or the library lacks it. */
static int find_fastest(struct paleo_session *s, enum paleo_dtype dtype, struct product *out,
			double *best, struct paleo_error *err)
{
	struct product p = {.rank = 0};
	double samples[3];
	int rc = gemm_work(dtype, MATRIX, &p.work, err);

	*best = 0;
	for (; p.rank < RANKS && !rc; p.rank++) {
		rc = product_samples(s, &p, samples, 3, err);
		for (int i = 0; i < 3 && !rc; i++) {
			if (samples[i] <= *best)
				continue;
			*best = samples[i];
			*out = p;
		}
	}
	return rc == PALEO_EUNSUPPORTED ? PALEO_OK : rc; /* no more algorithms, or none at all */
}

/* The largest of what copying, reading and writing moves in a second. */
static int measure_memory(struct paleo_session *s, double *bytes_per_s, struct paleo_error *err)
{
	struct paleo_buffers x;
	double samples[3], best = 0;
	int rc = paleo_buffers_take(s, &x, QUICK_BYTES, err);

	if (rc)
		return rc;
	for (int what = 0; what < PALEO_SWEEPS && !rc; what++) {
		rc = paleo_sweep_samples(s, &x, (enum paleo_sweep)what, samples, 3, err);
		for (int i = 0; i < 3 && !rc; i++)
			best = fmax(best, samples[i]);
	}
	paleo_buffers_give_back(&x);
	if (!rc)
		*bytes_per_s = best;
	return rc;
}

int paleo_ceilings(struct paleo_session *s, struct paleo_device *d, struct paleo_error *err)
{
	struct paleo_device measured = *d;
	struct product ignored;
	int rc = paleo_warm_up(s, err);

	for (int t = 0; t < PALEO_DTYPES && !rc; t++)
		rc = find_fastest(s, (enum paleo_dtype)t, &ignored, &measured.flop_per_s[t], err);
	if (!rc)
		rc = measure_memory(s, &measured.mem_bytes_per_s, err);
	if (rc)
		return rc;
	measured.measured = 1;
	snprintf(measured.source, sizeof(measured.source),
		 "measured: best of %d cublasLt algorithms at %d^3 (fp8: %d times as wide, "
		 "quantising "
		 "x included), random inputs; device copy, read and write of 1 GiB",
		 RANKS, MATRIX, FP8_WIDER);
	*d = measured;
	return PALEO_OK;
}

/* The fastest algorithm on random values, and the same one on zeros. */
static int add_products(struct paleo_session *s, enum paleo_dtype dtype, struct paleo_ceilings *out,
			struct paleo_error *err)
{
	struct product p = {.rank = 0};
	double best, samples[SAMPLES];
	char name[sizeof(out->items->name)], how[sizeof(out->items->how)];
	int rc = find_fastest(s, dtype, &p, &best, err);

	if (rc || best == 0)
		return rc;
	for (p.zeros = 0; p.zeros < 2 && !rc; p.zeros++) {
		rc = product_samples(s, &p, samples, SAMPLES, err);
		snprintf(name, sizeof(name), "gemm_%s%s", paleo_dtype_name(dtype),
			 p.zeros ? "_zeros" : "");
		snprintf(how, sizeof(how), "cublasLt, %d^3%s, its algorithm %d of %d, %s inputs",
			 MATRIX, dtype == PALEO_FP8 ? " x 8, quantising x included" : "", p.rank,
			 RANKS, p.zeros ? "zero" : "random");
		if (!rc)
			rc = paleo_ceilings_add(out, name, "FLOP/s", samples, SAMPLES, how, err);
	}
	return rc;
}

static int add_memory(struct paleo_session *s, struct paleo_ceilings *out, struct paleo_error *err)
{
	struct paleo_buffers x;
	double samples[SAMPLES];
	char how[sizeof(out->items->how)];
	int rc = paleo_buffers_take(s, &x, LARGE_BYTES, err);

	if (rc)
		return rc;
	snprintf(how, sizeof(how), "%.2f GiB", (double)x.bytes / 1073741824.0);
	for (int what = 0; what < PALEO_SWEEPS && !rc; what++) {
		enum paleo_sweep sweep = (enum paleo_sweep)what;
		rc = paleo_sweep_samples(s, &x, sweep, samples, SAMPLES, err);
		if (!rc)
			rc = paleo_ceilings_add(out, paleo_sweep_name(sweep), "B/s", samples,
						SAMPLES, how, err);
	}
	size_t bytes = (size_t)s->properties.l2CacheSize / 4;
	if (!rc && bytes > 0 && bytes <= x.bytes) {
		rc = paleo_reread_samples(s, &x, bytes, samples, SAMPLES, err);
		if (!rc)
			rc = paleo_ceilings_add(out, "read_l2", "B/s", samples, SAMPLES,
						"a quarter of the L2 cache, again and again", err);
	}
	paleo_buffers_give_back(&x);
	return rc;
}

int paleo_ceilings_list(struct paleo_session *s, struct paleo_ceilings *out,
			struct paleo_error *err)
{
	int rc = paleo_warm_up(s, err);

	for (int t = 0; t < PALEO_DTYPES && !rc; t++)
		rc = add_products(s, (enum paleo_dtype)t, out, err);
	if (!rc)
		rc = add_memory(s, out, err);
	if (!rc)
		rc = paleo_launch_ceilings(s, out, err);
	if (!rc)
		rc = paleo_transfer_ceilings(s, out, err);
	return rc;
}
