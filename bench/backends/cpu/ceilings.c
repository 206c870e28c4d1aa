/* ceilings.c - the peaks of this machine, quickly: FLOP/s of each dtype, bytes/s. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/backends/cpu/ceilings.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

#include "bench/clock.h"

enum {
	LOOP_TRIES = 60,
	ALONE_TRIES = 20,
	PRODUCT_TRIES = 20,
	PROBE_TRIES = 5,
	SWEEP_TRIES = 8,
	CALLS = 50, /* of a try */
	ATTEMPTS = 2
};

/* Tries are shorter than the time slices of other processes, so that some are undisturbed, and long
 * relative to the clocks' resolution: a millisecond of a loop that takes six cycles a round, at 3
 * GHz; and of a cache that moves 200 GB/s. */
static const int loop_rounds = 500000;
static const double cache_bytes = 2e8;

/* All tries of one peak may take so long, and those of all peaks: a busy machine makes each a
 * hundred times as long. */
static const double series_s = 0.5, all_s = 3;

/* The longest part of memory that all threads go through between two looks at the clock, for each.
 */
static const double piece_bytes = 8e6;

/* Between attempts: a host moves the CPUs of a virtual machine within seconds. */
static const struct timespec pause_s = {.tv_nsec = 300000000};

/* A kind of try, and one try. */
struct trial {
	struct paleo_try (*once)(void *context);
	void *context;
};

/* Takes tries until there are as many samples as are wanted or time is up; returns how many. */
static int collect(const struct trial *t, const struct paleo_cpu_series *wanted,
		   struct paleo_peak *peak)
{
	const double begin_s = paleo_now_s() + wanted->load_s, end_s = begin_s + wanted->most_s;
	int taken = 0;

	while (paleo_now_s() < begin_s)
		(void)t->once(t->context);
	do {
		struct paleo_try one = t->once(t->context);
		paleo_peak_take(peak, &one);
		if (paleo_try_is_quiet(&one))
			wanted->samples[taken++] = one.amount / one.wall_s;
	} while (taken < wanted->n && paleo_now_s() < end_s);
	return taken;
}

struct loop {
	const struct paleo_cpu_loop *l;
	int threads;
};

static void run_loop(void *context, int thread)
{
	const struct loop *w = context;
	float sink;

	(void)thread;
	w->l->run(loop_rounds, &sink);
}

static struct paleo_try try_loop(void *context)
{
	const struct loop *w = context;

	return paleo_cpu_try(w->threads, loop_rounds * w->l->flops * w->threads, run_loop, context);
}

int paleo_cpu_loop_samples(const struct paleo_cpu_loop *l, int threads,
			   const struct paleo_cpu_series *wanted, struct paleo_peak *peak)
{
	struct loop w = {.l = l, .threads = threads};
	const struct trial t = {try_loop, &w};

	return collect(&t, wanted, peak);
}

struct product {
	struct paleo_job *j;
	double flops;
};

/* Uses oneDNN's threads: only their total wait time is known. */
static struct paleo_try try_product(void *context)
{
	const struct product *p = context;
	struct paleo_error ignored;
	double elapsed_s = 0, waited_s = paleo_quiet_delay_s();
	int rc = paleo_cpu_run(p->j, 1, &elapsed_s, &ignored);

	waited_s = paleo_quiet_delay_s() - waited_s;
	return (struct paleo_try){.amount = rc ? 0 : p->flops,
				  .wall_s = elapsed_s,
				  .share = 1 - waited_s / elapsed_s};
}

int paleo_cpu_product_samples(struct paleo_session *s, enum paleo_dtype dtype, int zeros,
			      const struct paleo_cpu_series *wanted, struct paleo_peak *peak)
{
	struct paleo_op w = {.kind = PALEO_GEMM, .pass = PALEO_FWD, .dtype = dtype};
	struct paleo_bench_options o = {.mode = PALEO_HOT, .zeros = zeros};
	struct product p = {.j = NULL};
	const struct trial t = {try_product, &p};
	struct paleo_job_info info;
	struct paleo_error ignored;

	w.geom.gemm = (struct paleo_gemm_geom){.m = PALEO_CPU_PRODUCT,
					       .n = PALEO_CPU_PRODUCT,
					       .k = PALEO_CPU_PRODUCT,
					       .batch = 1,
					       .trans_b = 1};
	if (paleo_op_finish(&w, &ignored) || paleo_cpu_prepare(s, &w, &o, &p.j, &info, &ignored))
		return 0;
	p.flops = w.flops;
	int taken = collect(&t, wanted, peak);
	paleo_cpu_release(p.j);
	return taken;
}

struct sweep {
	const struct paleo_cpu_arrays *x;
	enum paleo_stream what;
	int rounds;
	double end_s; /* by the CPU's clock: the rest of the arrays is skipped then */
};

/* Sweeps the arrays piece by piece: a disturbed piece does not invalidate the others, as long as
 * half of all are undisturbed. */
static struct paleo_try try_sweep(void *context)
{
	const struct sweep *w = context;
	struct paleo_try all = {.share = INFINITY}, quiet = {.share = 1};
	const int64_t piece = paleo_cpu_arrays_piece(w->x, piece_bytes);
	int64_t at = 0, counted = 0;

	do {
		struct paleo_cpu_arrays part = *w->x;
		part.a += at;
		part.b += at;
		part.count = at + piece < w->x->count ? piece : w->x->count - at;
		struct paleo_try t = paleo_cpu_stream_try(&part, w->what, w->rounds);
		all.amount += t.amount;
		all.wall_s += t.wall_s;
		all.share = fmin(all.share, t.share);
		at += part.count;
		if (!paleo_try_is_quiet(&t))
			continue;
		counted += part.count;
		quiet.amount += t.amount;
		quiet.wall_s += t.wall_s;
	} while (at < w->x->count && paleo_now_s() < w->end_s);
	if (2 * counted >= w->x->count)
		return quiet;
	if (at < w->x->count)
		all.share = 0;
	return all;
}

int paleo_cpu_sweep_samples(const struct paleo_cpu_arrays *x, enum paleo_stream what, int cached,
			    const struct paleo_cpu_series *wanted, struct paleo_peak *peak)
{
	struct sweep w = {.x = x,
			  .what = what,
			  .rounds = 1,
			  .end_s = paleo_now_s() + wanted->load_s + wanted->most_s};
	const struct trial t = {try_sweep, &w};

	/* the first one brings the arrays to where they are to be */
	struct paleo_try first = try_sweep(&w);
	if (cached)
		w.rounds = (int)fmax(1, cache_bytes / first.amount);
	return collect(&t, wanted, peak);
}

struct calls {
	int (*run)(void *context, int calls);
	void *context;
};

static struct paleo_try try_calls(void *context)
{
	const struct calls *w = context;
	double waited_s = paleo_quiet_delay_s(), start_s = paleo_now_s();
	int rc = w->run(w->context, CALLS);
	double wall_s = paleo_now_s() - start_s;

	waited_s = paleo_quiet_delay_s() - waited_s;
	return (struct paleo_try){
		.amount = rc ? 0 : CALLS, .wall_s = wall_s, .share = 1 - waited_s / wall_s};
}

int paleo_cpu_call_samples(int (*run)(void *context, int calls), void *context,
			   const struct paleo_cpu_series *wanted, struct paleo_peak *peak)
{
	struct calls w = {.run = run, .context = context};
	const struct trial t = {try_calls, &w};
	int taken = collect(&t, wanted, peak);

	for (int i = 0; i < taken; i++)
		wanted->samples[i] = 1 / wanted->samples[i];
	return taken;
}

double paleo_cpu_memory_span(const struct paleo_session *s)
{
	double bytes = fmax(4 * s->host.cache_bytes, 256e6);

	return fmin(bytes, paleo_cpu_host_free_bytes() / 4);
}

double paleo_cpu_cache_span(const struct paleo_session *s)
{
	return fmin(s->host.cache_bytes, paleo_cpu_host_free_bytes() / 4) / 2;
}

/* Settings for one of several peaks, all of which are to be measured by `end_s`. */
static struct paleo_cpu_series wanted_by(double end_s, double *samples, int n)
{
	double most_s = fmin(series_s, end_s - paleo_now_s());

	return (struct paleo_cpu_series){.samples = samples, .n = n, .most_s = most_s};
}

/* Adds more tries of arithmetic. In bf16 a oneDNN GEMM is tried in addition to the loop, as there
 * is no loop for matrix units. */
static void try_arithmetic(struct paleo_session *s, double end_s, struct paleo_peaks *p)
{
	const struct paleo_cpu_loop *f32 = paleo_cpu_loop_f32(s->vector_bytes);
	const struct paleo_cpu_loop *bf16 = paleo_cpu_loop_bf16(s->vector_bytes);
	double samples[LOOP_TRIES];
	struct paleo_rates seen;
	struct paleo_error ignored;
	struct paleo_cpu_series wanted = wanted_by(end_s, samples, LOOP_TRIES);

	paleo_cpu_loop_samples(f32, p->threads, &wanted, &p->f32);
	wanted = wanted_by(end_s, samples, ALONE_TRIES);
	if (p->threads > 1)
		paleo_cpu_loop_samples(f32, 1, &wanted, &p->alone);
	wanted = wanted_by(end_s, samples, LOOP_TRIES);
	if (s->has_bf16 && bf16)
		paleo_cpu_loop_samples(bf16, p->threads, &wanted, &p->bf16);
	wanted = wanted_by(end_s, samples, PRODUCT_TRIES);
	if (s->has_bf16)
		paleo_cpu_product_samples(s, PALEO_BF16, 0, &wanted, &p->bf16);
	for (int i = 0; i < PROBE_TRIES && (!i || paleo_now_s() < end_s); i++)
		if (!paleo_cpu_probe(s, &seen, &ignored))
			p->products_per_s = fmax(p->products_per_s, seen.flop_per_s);
}

static void try_streams(const struct paleo_session *s, double bytes, double end_s,
			struct paleo_peak peaks[PALEO_STREAMS])
{
	const int cached = bytes <= s->host.cache_bytes;
	struct paleo_cpu_arrays x;
	double samples[SWEEP_TRIES];

	if (!paleo_cpu_arrays_make(&x, bytes, s->host.cores))
		return;
	for (int what = 0; what < PALEO_STREAMS; what++) {
		const struct paleo_cpu_series wanted = wanted_by(end_s, samples, SWEEP_TRIES);
		paleo_cpu_sweep_samples(&x, (enum paleo_stream)what, cached, &wanted, &peaks[what]);
	}
	paleo_cpu_arrays_free(&x);
}

/* The best undisturbed try, or if there was none, the best. */
static double best_of(const struct paleo_peak *p)
{
	return p->quiet ? p->per_s : p->seen;
}

static void tell_source(const struct paleo_session *s, double span_bytes, char *text, size_t size)
{
	const struct paleo_cpu_loop *f32 = paleo_cpu_loop_f32(s->vector_bytes);
	const struct paleo_cpu_loop *bf16 = paleo_cpu_loop_bf16(s->vector_bytes);
	int n = snprintf(text, size, "measured: f32 by an %s loop", f32->name);

	if (s->has_bf16)
		n += snprintf(text + n, size - (size_t)n,
			      ", bf16 by the better of %s and a oneDNN product of %d",
			      bf16 ? bf16->name : "no loop", PALEO_CPU_PRODUCT);
	snprintf(text + n, size - (size_t)n,
		 ", memory by reading, writing, copying and adding %.0f MB, %d threads",
		 span_bytes * 1e-6, s->host.cores);
}

int paleo_cpu_ceilings(struct paleo_session *s, unsigned wanted, struct paleo_device *d,
		       struct paleo_doubts *doubts, struct paleo_error *err)
{
	const double span_bytes = paleo_cpu_memory_span(s), end_s = paleo_now_s() + all_s;
	struct paleo_peaks p = {.threads = s->host.cores,
				.clock_hz = s->host.clock_limit_hz,
				.f32_flops = s->f32_flops,
				.bf16_flops = s->bf16_flops};
	double memory = 0;

	(void)wanted; /* all of them, in about a second: they are kept for other commands */
	for (int i = 0; i < ATTEMPTS; i++) {
		if (i)
			nanosleep(&pause_s, NULL);
		if (!i || doubts->arithmetic[0])
			try_arithmetic(s, end_s, &p);
		if (!i || doubts->memory[0]) {
			try_streams(s, span_bytes, end_s, p.memory);
			try_streams(s, paleo_cpu_cache_span(s), end_s, p.cache);
		}
		paleo_peaks_doubt(&p, doubts);
		if ((!doubts->arithmetic[0] && !doubts->memory[0]) || paleo_now_s() >= end_s)
			break;
	}
	for (int what = 0; what < PALEO_STREAMS; what++)
		memory = fmax(memory, best_of(&p.memory[what]));
	if (!(memory > 0))
		return paleo_fail(err, PALEO_ENOMEM, "no memory to measure its bandwidth");
	d->flop_per_s[PALEO_F32] = fmin(best_of(&p.f32), paleo_peaks_most(&p, p.f32_flops));
	d->flop_per_s[PALEO_BF16] = fmin(best_of(&p.bf16), paleo_peaks_most(&p, p.bf16_flops));
	d->mem_bytes_per_s = memory;
	tell_source(s, span_bytes, d->source, sizeof(d->source));
	d->measured = 1;
	return PALEO_OK;
}
