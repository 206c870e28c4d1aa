/* fake_truth.h - the factors that the fake backend's times are made of. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_BACKENDS_FAKE_FAKE_TRUTH_H
#define PALEO_BENCH_BACKENDS_FAKE_FAKE_TRUTH_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/backend.h"
#include "model/net/graph.h"
#include "model/op/op.h"
#include "model/predict/calibration.h"

/* The standard deviation of the logarithm of a sample. */
#define PALEO_FAKE_NOISE 0.01

/* FNV-1a (Fowler, Noll, Vo): the same number for the same text, everywhere. */
static inline uint64_t paleo_fake_hash(const char *text)
{
	uint64_t hash = UINT64_C(14695981039346656037);

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
	return hash;
}

/* The fake device: 10 TFLOP/s in f32, twice and four times that in the others, 1 TB/s. */
static inline struct paleo_device paleo_fake_device(void)
{
	return (struct paleo_device){
		.name = "fake",
		.title = "fake device with known factors, for tests",
		.source = "made up",
		.flop_per_s = {[PALEO_F32] = 1e13,
			       [PALEO_TF32] = 2e13,
			       [PALEO_F16] = 4e13,
			       [PALEO_BF16] = 4e13,
			       [PALEO_FP8] = 8e13},
		.mem_bytes_per_s = 1e12,
		.mem_bytes = 1e12,
		.cache_bytes = 4e6,
		.clock_hz = 1e9,
		.sm_count = 10,
		.measured = 1,
	};
}

/* Convolutions and GEMMs have three algorithms, all others one. */
static inline int paleo_fake_offered(const struct paleo_op *w)
{
	return w->kind == PALEO_CONV || w->kind == PALEO_GEMM ? 3 : 1;
}

/* Time of an algorithm relative to the first one, whose choice costs 25 %. */
static inline double paleo_fake_slowness(int rank)
{
	return rank == 1 ? 0.8 : rank == 2 ? 1.5 : 1;
}

static inline struct paleo_algorithm paleo_fake_algorithm(int rank)
{
	const char *name = rank == 1   ? "better_factors"
			   : rank == 2 ? "worse_factors"
				       : "known_factors";
	struct paleo_algorithm a = {.workspace_bytes = 1000.0 * rank, .is_fallback = rank == 2};

	snprintf(a.name, sizeof(a.name), "%s", name);
	snprintf(a.engine, sizeof(a.engine), "%d", 10 + rank);
	snprintf(a.knobs, sizeof(a.knobs), "factor=%d", rank);
	return a;
}

/* A number in [low, high) from eight bits of the hash. */
static inline double paleo_fake_pick(uint64_t hash, int shift, double low, double high)
{
	return low + (high - low) * (double)(hash >> shift & 255) / 256;
}

/*
 * The true factors of a class, pass and dtype: they differ from one to the
 * next, compute 0.3 to 0.9, memory 0.4 to 0.95, overhead 2 to 20 microseconds,
 * overlap 1, 2 or 4.
 */
static inline struct paleo_class_model
paleo_fake_factor(const char *class_name, enum paleo_pass pass, enum paleo_dtype dtype)
{
	struct paleo_class_model f = {.pass = pass, .dtype = dtype};
	char text[96];

	snprintf(f.class_name, sizeof(f.class_name), "%s", class_name);
	snprintf(text, sizeof(text), "%s %d %d", class_name, (int)pass, (int)dtype);
	uint64_t hash = paleo_fake_hash(text);
	f.ppp_compute = paleo_fake_pick(hash, 8, 0.3, 0.9);
	f.ppp_memory = paleo_fake_pick(hash, 16, 0.4, 0.95);
	f.overhead_s = paleo_fake_pick(hash, 24, 2e-6, 20e-6);
	f.overlap = 1 << (hash >> 32) % 3;
	return f;
}

/* The true time of an op, without noise: the cost model of model/predict/smooth.h. */
static inline double paleo_fake_time(const struct paleo_op *w)
{
	struct paleo_device d = paleo_fake_device();
	struct paleo_class_model f = paleo_fake_factor(paleo_op_class(w), w->pass, w->dtype);
	double compute = w->flops / (d.flop_per_s[w->dtype] * f.ppp_compute);
	double memory = (w->read_bytes + w->write_bytes) / (d.mem_bytes_per_s * f.ppp_memory);

	return f.overhead_s + pow(pow(compute, f.overlap) + pow(memory, f.overlap), 1 / f.overlap);
}

/* Its power: 30 W when idle, and 70 W more for arithmetic at the peak. */
static inline double paleo_fake_watts(const struct paleo_op *w)
{
	const struct paleo_device d = paleo_fake_device();

	return 30 + 70 * fmin(w->flops / (d.flop_per_s[w->dtype] * paleo_fake_time(w)), 1);
}

/* An energy counter, which moves about every 100 ms, as a driver's does. */
struct paleo_fake_counter {
	double run_s, joules;    /* of all runs, by their own clock */
	double shown_s, shown_j; /* as it has last moved */
};

static inline void paleo_fake_spend(struct paleo_fake_counter *c, const struct paleo_op *w,
				    double time_s)
{
	const double step_s = 0.1;

	c->run_s += time_s;
	c->joules += time_s * paleo_fake_watts(w);
	if (c->run_s - c->shown_s < step_s)
		return;
	c->shown_s = step_s * floor(c->run_s / step_s);
	c->shown_j = c->joules;
}

/* Launch overhead of an op. */
#define PALEO_FAKE_LAUNCH_S 3e-6

/* The true time in a cache mode, of an op that takes `cold_s` when cold. */
static inline double paleo_fake_mode_s(enum paleo_cache_mode mode, double cold_s)
{
	static const double shares[PALEO_CACHE_MODES] = {
		[PALEO_COLD] = 1, [PALEO_HOT] = 0.7, [PALEO_WEIGHTS_COLD] = 0.85};

	return mode == PALEO_ENQUEUE ? PALEO_FAKE_LAUNCH_S : shares[mode] * cold_s;
}

/* In a whole program: between two steps, and before each GEMM for another layout. */
#define PALEO_FAKE_GAP_S 2e-6
#define PALEO_FAKE_CHANGE_S 5e-6

/* Factor of a step that reads the previous step's result: it is in the cache. */
#define PALEO_FAKE_WARM 0.8

/* 1 if step `i` reads something that the step before it wrote. */
static inline int paleo_fake_is_warm(const struct paleo_graph *p, int i)
{
	const struct paleo_graph_step *s = &p->steps[i];

	for (int u = s->first_use; i > 0 && u < s->first_use + s->use_count; u++) {
		const struct paleo_graph_step *before = s - 1;
		for (int k = before->first_use; k < before->first_use + before->use_count; k++)
			if (p->uses[u].access & PALEO_READ && p->uses[k].access & PALEO_WRITE &&
			    p->uses[u].buffer == p->uses[k].buffer)
				return 1;
	}
	return 0;
}

/* The time of a step inside of a whole graph, with the gap behind it; and of the change of layout
 * before it. */
static inline double paleo_fake_step_s(const struct paleo_graph *p, int i)
{
	double warm = paleo_fake_is_warm(p, i) ? PALEO_FAKE_WARM : 1;

	return warm * paleo_fake_time(&p->steps[i].op) + PALEO_FAKE_GAP_S;
}

static inline double paleo_fake_change_s(const struct paleo_graph *p, int i)
{
	return p->steps[i].op.kind == PALEO_GEMM ? PALEO_FAKE_CHANGE_S : 0;
}

#endif
