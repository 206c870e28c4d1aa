/* reference_scan.c - reference of causal convolutions and of scans, token by token. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "bench/reference_kinds.h"

static double sigmoid(double x)
{
	return 1 / (1 + exp(-x));
}

static double softplus(double x)
{
	return log1p(exp(x));
}

/* Value of a channel `before` tokens before token 0 of its sequence, from the state. */
static double channel_at(const struct paleo_op *w, uint64_t sequence, int64_t token,
			 uint64_t channel)
{
	const struct paleo_causal_conv_geom *g = &w->geom.causal_conv;
	int64_t kept = g->taps - 1;
	struct paleo_filler f = paleo_filler_of(w, token < 0 ? PALEO_STATE1 : PALEO_X, 0);
	uint64_t rows = (uint64_t)(token < 0 ? kept : g->tokens);

	if (token < 0 && !g->cache)
		return 0;
	if (token < 0)
		token += kept;
	return paleo_filler_at(&f, (sequence * rows + (uint64_t)token) * (uint64_t)g->channels +
					   channel);
}

int paleo_reference_causal_conv(const struct paleo_op *w, struct paleo_reference *e)
{
	const struct paleo_causal_conv_geom *g = &w->geom.causal_conv;
	struct paleo_filler weights = paleo_filler_of(w, PALEO_W, 0);
	struct paleo_filler bias = paleo_filler_of(w, PALEO_BIAS, 0);
	uint64_t channels = (uint64_t)g->channels, channel = e->index % channels;
	uint64_t row = e->index / channels;

	if (w->pass == PALEO_FWD && e->role == PALEO_STATE1) {
		uint64_t kept = (uint64_t)g->taps - 1;
		int64_t token = g->tokens - (int64_t)(kept - row % kept);
		paleo_reference_add(e, channel_at(w, row / kept, token, channel));
		return 1;
	}
	if (w->pass != PALEO_FWD || e->role != PALEO_Y)
		return 0;
	uint64_t sequence = row / (uint64_t)g->tokens;
	int64_t token = (int64_t)(row % (uint64_t)g->tokens);
	for (int i = 0; i < g->taps; i++)
		paleo_reference_add(
			e, (double)paleo_filler_at(&weights,
						   channel * (uint64_t)g->taps + (uint64_t)i) *
				   channel_at(w, sequence, token - g->taps + 1 + i, channel));
	if (g->bias)
		paleo_reference_add(e, paleo_filler_at(&bias, channel));
	if (g->act)
		e->value *= sigmoid(e->value);
	return 1;
}

enum {
	QK_MAX = 1024 /* numbers of a key, of the scans that have a reference */
};

/* One value of one head of one sequence: its column of the state, and a token's inputs to it. */
struct column {
	const struct paleo_op *op;
	struct paleo_filler x, learned;
	uint64_t sequence, head, value;
	double state[QK_MAX], q[QK_MAX], k[QK_MAX];
	/* The squares of all that was added to each number of the state, and to y. */
	double squares[QK_MAX], of_y;
};

static double learned(const struct column *c, int i)
{
	uint64_t count = (uint64_t)paleo_scan_learned(&c->op->geom.scan);

	return paleo_filler_at(&c->learned, c->head * count + (uint64_t)i);
}

/* Number `at` of a token's inputs. */
static double brought(const struct column *c, uint64_t token, uint64_t at)
{
	const struct paleo_scan_geom *g = &c->op->geom.scan;
	uint64_t columns = (uint64_t)paleo_scan_columns(g);
	uint64_t row = c->sequence * (uint64_t)g->tokens + token;

	return paleo_filler_at(&c->x, row * columns + at);
}

static double gate(const struct column *c, uint64_t token, int i)
{
	const struct paleo_scan_geom *g = &c->op->geom.scan;
	uint64_t first = (uint64_t)paleo_scan_columns(g) -
			 (uint64_t)g->heads * (uint64_t)paleo_scan_gates(g);

	return brought(c, token, first + c->head * (uint64_t)paleo_scan_gates(g) + (uint64_t)i);
}

static void read_keys(struct column *c, uint64_t token, int by_length)
{
	const struct paleo_scan_geom *g = &c->op->geom.scan;
	uint64_t group = c->head / (uint64_t)(g->heads / g->groups), qk = (uint64_t)g->qk;
	double of_q = 0, of_k = 0;

	for (uint64_t i = 0; i < qk; i++) {
		c->q[i] = brought(c, token, group * qk + i);
		c->k[i] = brought(c, token, ((uint64_t)g->groups + group) * qk + i);
		of_q += c->q[i] * c->q[i];
		of_k += c->k[i] * c->k[i];
	}
	for (uint64_t i = 0; by_length && i < qk; i++) {
		c->q[i] /= sqrt(of_q) * sqrt(g->qk);
		c->k[i] /= sqrt(of_k);
	}
}

/* The lines of op.h; returns y. */
static double space(struct column *c, uint64_t token, double v)
{
	const struct paleo_scan_geom *g = &c->op->geom.scan;
	int own = g->rule == PALEO_SCAN_SELECTIVE ? g->qk : 1; /* decays */
	double d = softplus(gate(c, token, 0) + learned(c, own + 1));
	double y = learned(c, own) * v;

	c->of_y = y * y;
	for (int i = 0; i < g->qk; i++) {
		double decay = exp(-exp(learned(c, own > 1 ? i : 0)) * d);
		double more = c->k[i] * d * v;
		c->state[i] = decay * c->state[i] + more;
		c->squares[i] = decay * decay * c->squares[i] + more * more;
		c->of_y += c->squares[i] * c->q[i] * c->q[i];
		y += c->state[i] * c->q[i];
	}
	return y;
}

static double delta(struct column *c, uint64_t token, double v)
{
	const struct paleo_scan_geom *g = &c->op->geom.scan;
	int own = g->rule == PALEO_SCAN_KDA ? g->qk : 1;
	double b = sigmoid(gate(c, token, own)), read = 0, y = 0, of_read = v * v;

	for (int i = 0; i < g->qk; i++) {
		int at = own > 1 ? i : 0;
		double decay = exp(-exp(learned(c, 0)) *
				   softplus(gate(c, token, at) + learned(c, 1 + at)));
		c->state[i] *= decay;
		c->squares[i] *= decay * decay;
		read += c->state[i] * c->k[i];
		of_read += c->squares[i] * c->k[i] * c->k[i];
	}
	c->of_y = 0;
	for (int i = 0; i < g->qk; i++) {
		c->state[i] += c->k[i] * b * (v - read);
		c->squares[i] += c->k[i] * c->k[i] * b * b * of_read;
		c->of_y += c->squares[i] * c->q[i] * c->q[i];
		y += c->state[i] * c->q[i];
	}
	return y;
}

static double run(struct column *c, uint64_t tokens)
{
	const struct paleo_scan_geom *g = &c->op->geom.scan;
	int by_length = g->rule == PALEO_SCAN_DELTA || g->rule == PALEO_SCAN_KDA;
	uint64_t values = 2 * (uint64_t)g->groups * (uint64_t)g->qk, v = (uint64_t)g->v;
	struct paleo_filler start = paleo_filler_of(c->op, PALEO_STATE1, 0);
	uint64_t head = c->sequence * (uint64_t)g->heads + c->head;
	double y = 0;

	for (uint64_t i = 0; i < (uint64_t)g->qk; i++) {
		uint64_t at = (head * (uint64_t)g->qk + i) * v + c->value;
		c->state[i] = g->cache ? paleo_filler_at(&start, at) : 0;
		c->squares[i] = c->state[i] * c->state[i];
	}
	for (uint64_t t = 0; t < tokens; t++) {
		double at = brought(c, t, values + c->head * v + c->value);
		read_keys(c, t, by_length);
		y = by_length ? delta(c, t, at) : space(c, t, at);
	}
	return y;
}

int paleo_reference_scan(const struct paleo_op *w, struct paleo_reference *e)
{
	const struct paleo_scan_geom *g = &w->geom.scan;
	uint64_t heads = (uint64_t)g->heads, v = (uint64_t)g->v, rest = e->index / v;
	struct column c = {.op = w,
			   .x = paleo_filler_of(w, PALEO_X, 0),
			   .learned = paleo_filler_of(w, PALEO_W, 0),
			   .value = e->index % v};

	if (w->pass != PALEO_FWD || g->qk > QK_MAX ||
	    (e->role != PALEO_Y && e->role != PALEO_STATE1))
		return 0;
	if (e->role == PALEO_Y) {
		c.head = rest % heads;
		c.sequence = rest / heads / (uint64_t)g->tokens;
		e->value = run(&c, rest / heads % (uint64_t)g->tokens + 1);
		e->squares = c.of_y;
		return 1;
	}
	uint64_t key = rest % (uint64_t)g->qk;
	c.head = rest / (uint64_t)g->qk % heads;
	c.sequence = rest / (uint64_t)g->qk / heads;
	run(&c, (uint64_t)g->tokens);
	e->value = c.state[key];
	e->squares = c.squares[key];
	return 1;
}
