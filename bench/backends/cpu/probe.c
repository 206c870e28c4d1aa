/* probe.c - probes of the machine's current speed, and the clock of its cores. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/backends/cpu/ceilings.h"

/* Untimed iterations before the loop: they load the data, and after ops of little arithmetic a core
 * reaches its full rate of multiply-adds only after half a millisecond. */
enum {
	WARM_LOOPS = 5,
	SWEEPS_MAX = 3 /* windows that are tried until one is undisturbed */
};
/* Operands of the compute loop, for each thread: in the second cache, as a library's GEMM blocks
 * are. */
static const double product_bytes = 192 * 1024;
/* Size of a probe per thread: the same in every process, so that speeds are comparable. */
static const double product_flops = 1e7;
/* Size of each of two arrays, per thread, that a probe sweeps. */
static const double sweep_bytes = 2e6;
/* Threads on cores of two clusters have the caches of both: only beyond these is memory. */
#define CACHES 4
/* Number of windows of the arrays, at least, so that a probe's window has left the caches. */
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

/* CPU seconds of the slowest thread for so many rounds: time spent waiting for a CPU is
 * excluded. */
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
		double start = paleo_cpu_thread_s();
		l->run_on(data, count, rounds, &sink);
		longest_s = paleo_cpu_thread_s() - start;
	}
	return longest_s;
}

/* Bytes a second of the first undisturbed of a few windows; 0 if all were disturbed: a waiting
 * thread does not measure the memory. */
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

/* kHz of one core by the kernel's governor; 0 where it is not available. */
static double governor_khz(int cpu)
{
	char path[128], text[64] = "";

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq", cpu);
	FILE *f = fopen(path, "r");
	if (!f)
		return 0;
	if (!fgets(text, sizeof(text), f))
		text[0] = '\0';
	fclose(f);
	return strtod(text, NULL);
}

/* The mean over the cores that this process may use; 0 where it is not known. */
static double governor_mhz(const cpu_set_t *set)
{
	double sum = 0;
	int cores = 0;

	for (int i = 0; i < CPU_SETSIZE; i++) {
		double khz = CPU_ISSET(i, set) ? governor_khz(i) : 0;
		sum += khz * 1e-3;
		cores += khz > 0;
	}
	return cores ? sum / cores : 0;
}

/* The same by /proc/cpuinfo, which has a block of lines for each core. */
static double cpuinfo_mhz(const cpu_set_t *set)
{
	FILE *f = fopen("/proc/cpuinfo", "r");
	char line[512];
	double sum = 0;
	int cpu = -1, cores = 0;

	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f)) {
		const char *colon = strchr(line, ':');
		if (!colon)
			continue;
		if (strncmp(line, "processor", 9) == 0)
			cpu = (int)strtol(colon + 1, NULL, 10);
		if (strncmp(line, "cpu MHz", 7) != 0 || cpu < 0 || cpu >= CPU_SETSIZE ||
		    !CPU_ISSET(cpu, set))
			continue;
		sum += strtod(colon + 1, NULL);
		cores++;
	}
	fclose(f);
	return cores ? sum / cores : 0;
}

void paleo_cpu_observe_end(struct paleo_session *s, struct paleo_state *out)
{
	struct paleo_state state = {.sm_mhz = 0};
	cpu_set_t set;

	if (!sched_getaffinity(0, sizeof(set), &set)) {
		state.sm_mhz = governor_mhz(&set);
		if (state.sm_mhz == 0)
			state.sm_mhz = cpuinfo_mhz(&set);
	}
	if (s->host.clock_hz > 0)
		state.clock_ratio = state.sm_mhz * 1e6 / s->host.clock_hz;
	*out = state;
}
