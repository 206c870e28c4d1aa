/* ceilings.c - brings the clocks up; measures the peaks of the device, and all its ceilings. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "bench/backends/cuda/session.h"
#include "bench/clock.h"
#include "bench/peaks.h"

#define WARM_UP_S 3.0 /* at most */
#define NEAR_CLOCK 0.95
#define AT_CLOCK_S 0.3
#define MATRIX 8192 /* large enough for every device to reach its peak */
#define FP8_WIDER 8
#define RANKS 8 /* algorithms of cublasLt that are tried */
#define SAMPLES 10

/* A burst of the list comes behind it: the search for the fastest algorithm has loaded the device.
 */
static const struct timespec rest = {.tv_nsec = 250000000};

static int gemm_op(enum paleo_dtype dtype, int size, struct paleo_op *out, struct paleo_error *err)
{
	struct paleo_op w = {.kind = PALEO_GEMM, .pass = PALEO_FWD, .dtype = dtype};

	w.geom.gemm = (struct paleo_gemm_geom){.m = size, .n = size, .k = size, .batch = 1};
	if (dtype == PALEO_FP8) { /* so wide that quantising the activations does not count */
		w.geom.gemm.n = FP8_WIDER * size;
		w.geom.gemm.trans_b = 1;
	}
	int rc = paleo_op_finish(&w, err);
	if (!rc)
		*out = w;
	return rc;
}

/* Runs a job until the clock has been near its highest for a while, or for WARM_UP_S. */
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

/* An idle device runs at a fraction of its clock; the first results would be wrong. Warm-up errors
 * are ignored (the measurement reports them), except device loss. */
int paleo_warm_up(struct paleo_session *s, struct paleo_error *err)
{
	const struct paleo_bench_options options = {.mode = PALEO_COLD};
	struct paleo_error why;
	struct paleo_job *j = NULL;
	struct paleo_op w;

	if (s->is_warm)
		return PALEO_OK;
	int rc = gemm_op(PALEO_F32, 2048, &w, &why);
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

/* A GEMM on large matrices, by one of the library's algorithms. */
struct product {
	struct paleo_op op;
	int rank, zeros;
	int rests;     /* 1: the device rests before the samples */
	double load_s; /* seconds of GEMMs as load before them */
};

/* FLOP/s of samples of about 20 ms. EUNSUPPORTED where there are not so many algorithms. */
static int product_samples(struct paleo_session *s, const struct product *p, double *samples, int n,
			   struct paleo_error *err)
{
	const struct paleo_bench_options options = {.mode = PALEO_COLD, .zeros = p->zeros};
	struct paleo_job *j = NULL;
	double elapsed_s = 0;
	int rc = paleo_job_open(s, &p->op, &options, p->rank, &j, err);

	if (!rc)
		rc = paleo_timing_run(j, 1, &elapsed_s, err);
	int reps = elapsed_s > 0 && elapsed_s < 0.02 ? (int)(0.02 / elapsed_s) + 1 : 1;
	if (p->rests)
		nanosleep(&rest, NULL);
	for (double end_s = paleo_now_s() + p->load_s; !rc && paleo_now_s() < end_s;)
		rc = paleo_timing_run(j, reps, &elapsed_s, err);
	for (int i = 0; i < n && !rc; i++) {
		rc = paleo_timing_run(j, reps, &elapsed_s, err);
		samples[i] = elapsed_s > 0 ? p->op.flops * reps / elapsed_s : 0;
	}
	paleo_job_close(j);
	return rc;
}

/* The fastest algorithm for a dtype. One that fails is passed over, unless the device is lost
 * (ECRASH). Where none gives a time: as the first one fails. */
static int find_fastest(struct paleo_session *s, enum paleo_dtype dtype, struct product *out,
			struct paleo_error *err)
{
	struct product p = {.rank = 0};
	struct paleo_error why;
	double samples[3], best = 0;
	int failure = gemm_op(dtype, MATRIX, &p.op, err);

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

/* Peaks to measure, and how thoroughly. */
struct effort {
	unsigned wanted; /* PALEO_PEAK_OF_MEMORY */
	int samples;
	int zeros; /* 1: GEMMs of zeros, too */
	int rests; /* 1: bursts come behind a rest */
	double bytes;
};

static int add_product(struct paleo_session *s, const struct product *p, int n,
		       struct paleo_ceilings *out, struct paleo_error *err)
{
	enum paleo_dtype dtype = p->op.dtype;
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
	int rc = find_fastest(s, dtype, &p, err);
	if (rc)
		return paleo_ceilings_skip(out, paleo_dtype_name(dtype), rc, err);
	p.load_s = out->regime == PALEO_SUSTAINED ? PALEO_SUSTAIN_S : 0;
	p.rests = e->rests && p.load_s == 0;
	for (; p.zeros <= e->zeros && !rc; p.zeros++)
		rc = add_product(s, &p, e->samples, out, err);
	return rc;
}

static int add_peaks(struct paleo_session *s, const struct effort *e, struct paleo_ceilings *out,
		     struct paleo_error *err)
{
	int rc = paleo_warm_up(s, err);

	for (int t = 0; t < PALEO_DTYPES && !rc; t++)
		if (e->wanted >> t & 1)
			rc = add_products(s, (enum paleo_dtype)t, e, out, err);
	return rc || !(e->wanted & PALEO_PEAK_OF_MEMORY)
		       ? rc
		       : paleo_memory_ceilings(s, e->samples, e->bytes, out, err);
}

/* Those that this generation has, of the wanted ones. */
static unsigned offered_peaks(const struct paleo_session *s, unsigned wanted)
{
	struct paleo_error ignored;

	for (int t = 0; t < PALEO_DTYPES; t++)
		if (paleo_dtype_check(s, (enum paleo_dtype)t, &ignored))
			wanted &= ~(1u << t);
	return wanted;
}

int paleo_ceilings(struct paleo_session *s, unsigned wanted, struct paleo_device *d,
		   struct paleo_doubts *doubts, struct paleo_error *err)
{
	const struct effort quick = {
		.wanted = offered_peaks(s, wanted), .samples = 3, .bytes = 1073741824.0};
	const unsigned offered = offered_peaks(s, PALEO_PEAKS_ALL);
	struct paleo_ceilings list = {.count = 0};
	char names[48];

	(void)doubts; /* the device's own clock times */
	for (int t = 0; t < PALEO_DTYPES; t++)
		if (!(offered >> t & 1))
			d->flop_per_s[t] = 0;
	if (!quick.wanted)
		return PALEO_OK;
	int rc = add_peaks(s, &quick, &list, err);
	if (rc)
		return rc;
	if (list.count == 0)
		return paleo_fail(err, PALEO_EBACKEND, "no peak could be measured: %s", list.why);
	paleo_ceilings_apply(list.items, list.count, d);
	paleo_peaks_names(quick.wanted, names, sizeof(names));
	snprintf(d->source, sizeof(d->source),
		 "measured (%s): best of %d cublasLt algorithms at %d^3 (fp8: %d times as wide), "
		 "random inputs; copy, read and write of 1 GiB%s%.40s",
		 names, RANKS, MATRIX, FP8_WIDER, list.skipped ? "; not measured: " : "", list.why);
	return PALEO_OK;
}

int paleo_ceilings_list(struct paleo_session *s, struct paleo_ceilings *out,
			struct paleo_error *err)
{
	const struct effort thorough = {.wanted = offered_peaks(s, PALEO_PEAKS_ALL),
					.samples = SAMPLES,
					.zeros = 1,
					.rests = 1,
					.bytes = 4294967296.0};
	int rc = add_peaks(s, &thorough, out, err);

	if (rc || out->regime == PALEO_SUSTAINED)
		return rc;
	rc = paleo_launch_ceilings(s, out, err);
	return rc ? rc : paleo_transfer_ceilings(s, out, err);
}
