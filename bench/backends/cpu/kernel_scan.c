/* kernel_scan.c - kernels of our own: causal convolutions, and scans token by token. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "bench/backends/cpu/kernels.h"

/* A row of a tensor in the op's type, as f32, and back. */
static void load_row(int wide, const void *tensor, int64_t first, int64_t n, float *to)
{
	const uint16_t *narrow = tensor;

	if (wide) {
		memcpy(to, (const float *)tensor + first, (size_t)n * sizeof(float));
		return;
	}
	for (int64_t i = 0; i < n; i++)
		to[i] = paleo_cpu_widen(narrow[first + i]);
}

static void store_row(int wide, const float *from, int64_t n, void *tensor, int64_t first)
{
	uint16_t *narrow = tensor;

	if (wide) {
		memcpy((float *)tensor + first, from, (size_t)n * sizeof(float));
		return;
	}
	for (int64_t i = 0; i < n; i++)
		narrow[first + i] = paleo_cpu_narrow(from[i]);
}

/* Scratch of a thread: the last taps - 1 tokens and the current one, and its result. */
static size_t conv_bytes(const struct paleo_op *w, int threads)
{
	const struct paleo_causal_conv_geom *g = &w->geom.causal_conv;
	size_t channels = (size_t)g->channels, taps = (size_t)g->taps;

	return ((size_t)threads * (taps + 1) + taps + 1) * channels * sizeof(float);
}

/* y = bias + sum of w x over the taps; the oldest of the rows in `ring` is `first`. */
PALEO_CPU_CLONES
static void sum_taps(const struct paleo_causal_conv_geom *g, const float *weights,
		     const float *ring, int first, float *y)
{
	const float *bias = weights + (int64_t)g->taps * g->channels;
	int64_t n = g->channels;

	for (int64_t c = 0; c < n; c++)
		y[c] = bias[c];
	for (int i = 0; i < g->taps; i++) {
		const float *x = ring + (int64_t)((first + i) % g->taps) * n;
		for (int64_t c = 0; c < n; c++)
			y[c] += weights[i * n + c] * x[c];
	}
	for (int64_t c = 0; g->act && c < n; c++)
		y[c] = y[c] / (1 + expf(-y[c]));
}

/* data: x, w, [bias], [state], y; a thread has whole sequences. `weights` are [taps, channels]. */
static void convolve(const struct paleo_op *w, void *const *data, const float *weights, float *ring,
		     int64_t sequence)
{
	const struct paleo_causal_conv_geom *g = &w->geom.causal_conv;
	int wide = w->dtype == PALEO_F32, taps = g->taps, stored = g->cache && taps > 1;
	int64_t n = g->channels, first = sequence * g->tokens * n;
	void *state = stored ? data[2 + g->bias] : NULL, *to = data[2 + g->bias + stored];
	float *y = ring + taps * n;

	for (int i = 0; i + 1 < taps; i++) {
		if (state)
			load_row(wide, state, (sequence * (taps - 1) + i) * n, n, ring + i * n);
		else
			memset(ring + i * n, 0, (size_t)n * sizeof(float));
	}
	for (int64_t t = 0; t < g->tokens; t++) {
		int at = (int)((t + taps - 1) % taps);
		load_row(wide, data[0], first + t * n, n, ring + at * n);
		sum_taps(g, weights, ring, (at + 1) % taps, y);
		store_row(wide, y, n, to, first + t * n);
	}
	for (int i = 0; state && i + 1 < taps; i++)
		store_row(wide, ring + (int64_t)((g->tokens + i) % taps) * n, n, state,
			  (sequence * (taps - 1) + i) * n);
}

static void run_conv(const struct paleo_op *w, void *const *data, void *scratch)
{
	const struct paleo_causal_conv_geom *g = &w->geom.causal_conv;
	int wide = w->dtype == PALEO_F32;
	int64_t n = g->channels, taps = g->taps;
	float *weights = scratch, *rings = weights + (taps + 1) * n;

	for (int64_t c = 0; c < n; c++) {
		load_row(wide, data[1], c * taps, taps, rings);
		for (int64_t i = 0; i < taps; i++)
			weights[i * n + c] = rings[i];
	}
	memset(weights + taps * n, 0, (size_t)n * sizeof(float));
	if (g->bias)
		load_row(wide, data[2], 0, n, weights + taps * n);
#pragma omp parallel for schedule(static)
	for (int64_t b = 0; b < g->batch; b++)
		convolve(w, data, weights, rings + omp_get_thread_num() * (taps + 1) * n, b);
}

const struct paleo_cpu_kernel paleo_cpu_causal_conv = {"paleo:causal_conv", run_conv, conv_bytes};

/* Scratch of a thread for a head: its state [qk, v], and a token's inputs. */
struct scan_room {
	float *state, *q, *k, *v, *gates, *decay, *y, *read;
	const float *learned;
};

static size_t scan_room_floats(const struct paleo_scan_geom *g)
{
	return (size_t)g->qk * (size_t)g->v + 3 * (size_t)g->qk + 3 * (size_t)g->v +
	       (size_t)paleo_scan_gates(g);
}

static size_t scan_bytes(const struct paleo_op *w, int threads)
{
	return (size_t)threads * scan_room_floats(&w->geom.scan) * sizeof(float);
}

static struct scan_room scan_room_at(const struct paleo_scan_geom *g, float *at)
{
	struct scan_room r = {0};

	r.state = at;
	r.q = r.state + (int64_t)g->qk * g->v;
	r.k = r.q + g->qk;
	r.decay = r.k + g->qk;
	r.v = r.decay + g->qk;
	r.y = r.v + g->v;
	r.read = r.y + g->v;
	r.gates = r.read + g->v;
	return r;
}

static float smooth_step(float x)
{
	return log1pf(expf(x));
}

static void to_length_one(float *x, int n, float factor)
{
	float sum = 0;

	for (int i = 0; i < n; i++)
		sum += x[i] * x[i];
	for (int i = 0; i < n; i++)
		x[i] *= factor / sqrtf(sum);
}

/* state = decay state + k v^T, y += state^T q */
PALEO_CPU_CLONES
static void update_state(const struct paleo_scan_geom *g, const struct scan_room *r, float *out)
{
	for (int i = 0; i < g->qk; i++) {
		float *s = r->state + (int64_t)i * g->v, decay = r->decay[i], k = r->k[i];
		for (int j = 0; j < g->v; j++) {
			s[j] = decay * s[j] + k * r->v[j];
			out[j] += s[j] * r->q[i];
		}
	}
}

/* read = (decay state)^T k */
PALEO_CPU_CLONES
static void read_state(const struct paleo_scan_geom *g, const struct scan_room *r)
{
	memset(r->read, 0, (size_t)g->v * sizeof(float));
	for (int i = 0; i < g->qk; i++) {
		const float *s = r->state + (int64_t)i * g->v;
		for (int j = 0; j < g->v; j++)
			r->read[j] += r->decay[i] * r->k[i] * s[j];
	}
}

/* The lines of op.h. */
static void one_token(const struct paleo_scan_geom *g, const struct scan_room *r)
{
	int own = g->rule == PALEO_SCAN_SELECTIVE || g->rule == PALEO_SCAN_KDA ? g->qk : 1;
	int delta = g->rule == PALEO_SCAN_DELTA || g->rule == PALEO_SCAN_KDA;
	float d = delta ? 0 : smooth_step(r->gates[0] + r->learned[own + 1]);
	float b = delta ? 1 / (1 + expf(-r->gates[own])) : 0;

	for (int i = 0; i < g->qk; i++) {
		int at = own > 1 ? i : 0;
		if (i > 0 && own == 1)
			r->decay[i] = r->decay[0];
		else if (delta)
			r->decay[i] = expf(-expf(r->learned[0]) *
					   smooth_step(r->gates[at] + r->learned[1 + at]));
		else
			r->decay[i] = expf(-expf(r->learned[at]) * d);
	}
	if (delta) {
		to_length_one(r->q, g->qk, 1 / sqrtf((float)g->qk));
		to_length_one(r->k, g->qk, 1);
		read_state(g, r);
	}
	for (int j = 0; j < g->v; j++) {
		r->y[j] = delta ? 0 : r->learned[own] * r->v[j];
		r->v[j] = delta ? b * (r->v[j] - r->read[j]) : d * r->v[j];
	}
	update_state(g, r, r->y);
}

/* data: x, w, [state], y */
static void scan_head(const struct paleo_op *w, void *const *data, struct scan_room *r,
		      int64_t head)
{
	const struct paleo_scan_geom *g = &w->geom.scan;
	int64_t h = head % g->heads, group = h / (g->heads / g->groups), qk = g->qk;
	int64_t columns = (int64_t)paleo_scan_columns(g), gates = paleo_scan_gates(g);
	int64_t size = qk * g->v, values = 2 * qk * g->groups;
	int wide = w->dtype == PALEO_F32, single = g->kv == 0 || g->kv == 1 + PALEO_F32;
	void *state = g->cache ? data[2] : NULL;

	r->learned = (const float *)data[1] + h * paleo_scan_learned(g);
	if (state)
		load_row(single, state, head * size, size, r->state);
	else
		memset(r->state, 0, (size_t)size * sizeof(float));
	for (int64_t t = 0; t < g->tokens; t++) {
		int64_t row = head / g->heads * g->tokens + t, at = row * columns;
		load_row(wide, data[0], at + group * qk, qk, r->q);
		load_row(wide, data[0], at + (g->groups + group) * qk, qk, r->k);
		load_row(wide, data[0], at + values + h * g->v, g->v, r->v);
		load_row(wide, data[0], at + values + (int64_t)g->heads * g->v + h * gates, gates,
			 r->gates);
		one_token(g, r);
		store_row(wide, r->y, g->v, data[2 + g->cache], (row * g->heads + h) * g->v);
	}
	if (state)
		store_row(single, r->state, size, state, head * size);
}

static void run_scan(const struct paleo_op *w, void *const *data, void *scratch)
{
	const struct paleo_scan_geom *g = &w->geom.scan;
	int64_t heads = (int64_t)g->batch * g->heads, floats = (int64_t)scan_room_floats(g);

#pragma omp parallel for schedule(static)
	for (int64_t head = 0; head < heads; head++) {
		struct scan_room r =
			scan_room_at(g, (float *)scratch + omp_get_thread_num() * floats);
		scan_head(w, data, &r, head);
	}
}

const struct paleo_cpu_kernel paleo_cpu_scan = {"paleo:token_scan", run_scan, scan_bytes};
