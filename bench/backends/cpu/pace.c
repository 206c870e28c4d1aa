/* pace.c - how fast this machine is at this moment: it shares its clock and memory with others. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <time.h>

#include "bench/backends/cpu/job.h"
#include "bench/backends/cpu/peak.h"
#include "bench/backends/cpu/sweeps.h"
#include "bench/clock.h"

/* So many short tries, of which the mean counts: what others take of a core comes and goes within
 * less, and a work meets all of it. */
enum {
	LOOPS = 10,
	SWEEPS = 2
};
/* What the loop's products are of, for each thread: in the second cache, as blocks of a library's
 * products are. */
static const double product_bytes = 192 * 1024;
/* Threads on cores of two clusters have the caches of both: only beyond these is memory. */
#define CACHES 4
static const double loop_s = 0.0002;
/* The pace after one work is that before the next, if it was so long ago at most. */
static const double recent_s = 0.1;

struct paleo_cpu_pace {
	struct paleo_cpu_arrays arrays; /* four times the last-level cache */
	long rounds;                    /* of the loop, that take about loop_s */
	struct paleo_pace last;
	double last_s; /* when that was */
	int is_used;   /* a work has been timed since */
};

/* Seconds of the processor that the slowest thread takes: waiting for one is no matter of pace. */
static double time_loop(const struct paleo_cpu_loop *l, const struct paleo_cpu_arrays *arrays,
			long rounds, int threads)
{
	const int64_t own = arrays->count / threads;
	const long count = (long)fmin((double)own, product_bytes / sizeof(float));
	double longest_s = 0;

#pragma omp parallel num_threads(threads) reduction(max : longest_s)
	{
		const float *data = arrays->a + own * omp_get_thread_num();
		struct timespec start, end;
		float sink;

		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
		l->run_on(data, count, rounds, &sink);
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
		longest_s = (double)(end.tv_sec - start.tv_sec) +
			    1e-9 * (double)(end.tv_nsec - start.tv_nsec);
	}
	return longest_s;
}

static int prepare(struct paleo_session *s, const struct paleo_cpu_loop *l, struct paleo_error *err)
{
	struct paleo_cpu_pace *p = calloc(1, sizeof(*p));
	double bytes = fmax(CACHES * s->host.cache_bytes, 64e6);

	bytes = fmin(bytes, paleo_cpu_host_free_bytes() / 8);
	if (!p || !paleo_cpu_arrays_make(&p->arrays, bytes, s->host.cores)) {
		free(p);
		return paleo_fail(err, PALEO_ENOMEM, "no memory to measure the pace");
	}
	for (p->rounds = 1000; time_loop(l, &p->arrays, p->rounds, s->host.cores) < loop_s;)
		p->rounds *= 2;
	s->pace = p;
	return PALEO_OK;
}

static struct paleo_pace look(const struct paleo_session *s, const struct paleo_cpu_loop *l)
{
	const struct paleo_cpu_pace *p = s->pace;
	const double flops = (double)p->rounds * l->flops * s->host.cores;
	double loop = 0, sweep = 0;

	time_loop(l, &p->arrays, p->rounds, s->host.cores); /* the data come */
	for (int i = 0; i < LOOPS; i++)
		loop += time_loop(l, &p->arrays, p->rounds, s->host.cores);
	for (int i = 0; i < SWEEPS; i++)
		sweep += 1 / paleo_cpu_sweep_bytes_per_s(&p->arrays, PALEO_SWEEP_ADD, 1);
	return (struct paleo_pace){LOOPS * flops / loop, SWEEPS / sweep};
}

int paleo_cpu_pace(struct paleo_session *s, struct paleo_pace *out, struct paleo_error *err)
{
	const struct paleo_cpu_loop *l = paleo_cpu_loop_f32(s->vector_bytes);
	int rc = s->pace ? PALEO_OK : prepare(s, l, err);

	if (rc)
		return rc;
	struct paleo_cpu_pace *p = s->pace;
	if (p->is_used || paleo_now_s() - p->last_s > recent_s) {
		p->last = look(s, l);
		p->last_s = paleo_now_s();
		p->is_used = 0;
	}
	*out = p->last;
	return PALEO_OK;
}

void paleo_cpu_pace_use(struct paleo_session *s)
{
	if (s->pace)
		s->pace->is_used = 1;
}

void paleo_cpu_pace_release(struct paleo_session *s)
{
	if (!s->pace)
		return;
	paleo_cpu_arrays_free(&s->pace->arrays);
	free(s->pace);
	s->pace = NULL;
}
