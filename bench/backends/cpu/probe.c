/* probe.c - how fast this machine is at this moment: it shares its clock and memory with others. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <time.h>

#include "bench/backends/cpu/job.h"
#include "bench/backends/cpu/peak.h"
#include "bench/backends/cpu/stream.h"

/* So many times the loop goes untimed before it: the data come, and behind works of little
 * arithmetic a core reaches its full rate of products only after half a millisecond of them. */
enum {
	WARM_LOOPS = 5,
	SWEEPS_MAX = 3 /* windows that are tried until one is undisturbed */
};
/* What the loop's products are of, for each thread: in the second cache, as blocks of a library's
 * products are. */
static const double product_bytes = 192 * 1024;
/* Of each thread, in a probe: the same in every process, so that their speeds compare. */
static const double product_flops = 1e7;
/* Of each of two arrays, for each thread: what a probe goes through. */
static const double sweep_bytes = 2e6;
/* Threads on cores of two clusters have the caches of both: only beyond these is memory. */
#define CACHES 4
/* The arrays have as many windows at least, so that what a probe goes through has left the caches.
 */
#define WINDOWS 8

struct paleo_cpu_probe {
	struct paleo_cpu_arrays arrays; /* four times the last-level cache */
	int64_t at;                     /* where the next window of them begins */
};

/* The next part of the arrays; of the last part the beginning follows. */
static struct paleo_cpu_arrays next_window(struct paleo_cpu_probe *p)
{
	struct paleo_cpu_arrays w = p->arrays;

	w.count = (int64_t)fmin(sweep_bytes / sizeof(float) * w.threads, (double)w.count / WINDOWS);
	if (p->at + w.count > p->arrays.count)
		p->at = 0;
	w.a += p->at;
	w.b += p->at;
	p->at += w.count;
	return w;
}

static double thread_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Seconds of the processor that the slowest thread takes for so many rounds: waiting for one is no
 * matter of speed. */
static double time_products(const struct paleo_cpu_loop *l, const struct paleo_cpu_arrays *w,
			    long rounds)
{
	const int64_t own = w->count / w->threads;
	const long count = (long)fmin((double)own, product_bytes / sizeof(float));
	double longest_s = 0;

#pragma omp parallel num_threads(w->threads) reduction(max : longest_s)
	{
		const float *data = w->a + own * omp_get_thread_num();
		float sink;

		l->run_on(data, count, rounds * WARM_LOOPS, &sink);
		double start = thread_s();
		l->run_on(data, count, rounds, &sink);
		longest_s = thread_s() - start;
	}
	return longest_s;
}

/* Bytes a second of the first undisturbed of a few windows; 0 if all were disturbed: a thread that
 * waits says nothing of the memory. */
static double sweep_quietly(struct paleo_cpu_probe *p)
{
	for (int i = 0; i < SWEEPS_MAX; i++) {
		const struct paleo_cpu_arrays swept = next_window(p);
		const struct paleo_try t = paleo_cpu_stream_try(&swept, PALEO_STREAM_ADD, 1);
		if (paleo_try_is_quiet(&t))
			return t.amount / t.wall_s;
	}
	return 0;
}

static int prepare(struct paleo_session *s, struct paleo_error *err)
{
	struct paleo_cpu_probe *p = calloc(1, sizeof(*p));
	double bytes = fmax(CACHES * s->host.cache_bytes, 64e6);

	bytes = fmin(bytes, paleo_cpu_host_free_bytes() / 8);
	if (!p || !paleo_cpu_arrays_make(&p->arrays, bytes, s->host.cores)) {
		free(p);
		return paleo_fail(err, PALEO_ENOMEM, "no memory to probe the speed");
	}
	s->probe = p;
	return PALEO_OK;
}

int paleo_cpu_probe(struct paleo_session *s, struct paleo_rates *out, struct paleo_error *err)
{
	const struct paleo_cpu_loop *l = paleo_cpu_loop_f32(s->vector_bytes);
	int rc = s->probe ? PALEO_OK : prepare(s, err);

	if (rc)
		return rc;
	const struct paleo_cpu_arrays products = next_window(s->probe);
	const long rounds = (long)(product_flops / l->flops);

	out->flop_per_s =
		(double)rounds * l->flops * products.threads / time_products(l, &products, rounds);
	out->bytes_per_s = sweep_quietly(s->probe);
	return PALEO_OK;
}

void paleo_cpu_probe_release(struct paleo_session *s)
{
	if (!s->probe)
		return;
	paleo_cpu_arrays_free(&s->probe->arrays);
	free(s->probe);
	s->probe = NULL;
}
