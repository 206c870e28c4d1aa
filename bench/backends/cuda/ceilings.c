/* ceilings.c - brings the clocks up; measures the peaks of the device. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <time.h>

#include "bench/backends/cuda/session.h"

#define WARM_UP_S 3.0
#define MATRIX 8192   /* large enough for every device to reach its peak */
#define RANKS 8       /* algorithms of cublasLt that are tried */
#define COPY_ROWS 256 /* of 4 MiB: a GiB is read and a GiB is written */
#define COPY_COLUMNS 1048576

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int gemm_work(enum paleo_dtype dtype, int size, struct paleo_work *out,
		     struct paleo_error *err)
{
	struct paleo_work w = {.kind = PALEO_GEMM, .pass = PALEO_FWD, .dtype = dtype};

	w.geom.gemm = (struct paleo_gemm_geom){.m = size, .n = size, .k = size, .batch = 1};
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
	double elapsed_s, end_s = now_s() + WARM_UP_S;
	int rc = PALEO_OK;

	if (s->is_warm)
		return PALEO_OK;
	rc = gemm_work(PALEO_F32, 2048, &w, err);
	if (!rc)
		rc = paleo_job_open(s, &w, &options, 0, &j, err);
	while (!rc && now_s() < end_s)
		rc = paleo_timing_run(j, 10, &elapsed_s, err);
	paleo_job_close(j);
	if (rc)
		paleo_error_prefix(err, "warming up");
	else
		s->is_warm = 1;
	return rc;
}

/* Seconds of one run of the work; the best of three samples of about 20 ms. */
static int best_time(struct paleo_session *s, const struct paleo_work *w, int rank, double *best_s,
		     struct paleo_error *err)
{
	const struct paleo_bench_options options = {.mode = PALEO_COLD};
	struct paleo_job *j = NULL;
	double elapsed_s = 0, best = 0;
	int rc = paleo_job_open(s, w, &options, rank, &j, err);

	if (!rc)
		rc = paleo_timing_run(j, 1, &elapsed_s, err);
	int reps = elapsed_s > 0 && elapsed_s < 0.02 ? (int)(0.02 / elapsed_s) + 1 : 1;
	for (int i = 0; i < 3 && !rc; i++) {
		rc = paleo_timing_run(j, reps, &elapsed_s, err);
		if (!rc && (best == 0 || elapsed_s / reps < best))
			best = elapsed_s / reps;
	}
	paleo_job_close(j);
	if (!rc)
		*best_s = best;
	return rc;
}

/* The most FLOP/s of any algorithm; 0 where the device or the library lacks the number type. */
static int measure_flops(struct paleo_session *s, enum paleo_dtype dtype, double *flop_per_s,
			 struct paleo_error *err)
{
	struct paleo_work w;
	double best = 0, time_s;
	int rc = gemm_work(dtype, MATRIX, &w, err);

	for (int rank = 0; rank < RANKS && !rc; rank++) {
		rc = best_time(s, &w, rank, &time_s, err);
		if (!rc && time_s > 0 && w.flops / time_s > best)
			best = w.flops / time_s;
	}
	if (rc == PALEO_EUNSUPPORTED) /* no more algorithms, or none at all */
		rc = PALEO_OK;
	if (!rc)
		*flop_per_s = best;
	return rc;
}

static int measure_copy(struct paleo_session *s, double *bytes_per_s, struct paleo_error *err)
{
	struct paleo_work w = {.kind = PALEO_COPY, .pass = PALEO_FWD, .dtype = PALEO_F32};
	double time_s;

	w.geom.copy = (struct paleo_copy_geom){.rows = COPY_ROWS, .cols = COPY_COLUMNS, .parts = 1};
	int rc = paleo_work_finish(&w, err);
	if (!rc)
		rc = best_time(s, &w, 0, &time_s, err);
	if (!rc && time_s > 0)
		*bytes_per_s = (w.read_bytes + w.write_bytes) / time_s;
	return rc;
}

int paleo_ceilings(struct paleo_session *s, struct paleo_device *d, struct paleo_error *err)
{
	struct paleo_device measured = *d;
	int rc = paleo_warm_up(s, err);

	for (int t = 0; t < PALEO_DTYPES && !rc; t++)
		rc = measure_flops(s, (enum paleo_dtype)t, &measured.flop_per_s[t], err);
	if (!rc)
		rc = measure_copy(s, &measured.mem_bytes_per_s, err);
	if (rc)
		return rc;
	measured.measured = 1;
	snprintf(measured.source, sizeof(measured.source),
		 "measured: best of %d cublasLt algorithms at %d^3, random inputs; device copy of "
		 "1 GiB",
		 RANKS, MATRIX);
	*d = measured;
	return PALEO_OK;
}
