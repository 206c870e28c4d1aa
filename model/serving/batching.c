/* batching.c - times to tokens of a load, and the most requests within limits of them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "model/serving/rows.h"
#include "model/serving/serving.h"

const char *const paleo_batching_names[PALEO_BATCHINGS + 1] = {"continuous", "static",
							       "disaggregated", NULL};

enum {
	ROUNDS = 3 /* until the number of requests at their answer has settled */
};

static void add(struct paleo_serving_time *to, double share, const struct paleo_serving_time *t)
{
	to->s += share * t->s;
	to->interval.low += share * t->interval.low;
	to->interval.high += share * t->interval.high;
	to->interval.low50 += share * t->interval.low50;
	to->interval.high50 += share * t->interval.high50;
	to->joules.mean += share * t->joules.mean;
	to->joules.low += share * t->joules.low;
	to->joules.high += share * t->joules.high;
}

static struct paleo_serving_time times(double share, const struct paleo_serving_time *t)
{
	struct paleo_serving_time sum = {0};

	add(&sum, share, t);
	return sum;
}

/* Requests of one part of the GPUs, and of one stage's turn. */
static double turn_of(const struct paleo_served *s, const struct paleo_serving_load *load)
{
	return ceil((double)load->concurrency / s->serving->split.dp);
}

/* Tokens that an answer gets from a step. */
static double gain(const struct paleo_served *s)
{
	return 1 + s->serving->accepted;
}

static int whole(double x)
{
	return x > 1 ? (int)lround(x) : 1;
}

/* A steady state of continuous batching. */
struct steady {
	double requests; /* in flight */
	double decoding; /* of them at their answer */
	double coming;   /* prompts of others in a step */
	double prompt;   /* tokens of prompts in a step of a stage's turn that has any */
	double share;    /* of the steps that have any, as an answer sees them */
	double use;      /* prompts' tokens of a step, of those that it could take */
	int full;        /* 1: prompts come faster than steps take them in */
	struct paleo_serving_time plain, mixed, mean; /* steps */
	double plain_comm_s, mixed_comm_s;
};

/* Number of mixed and pure decode steps while so many requests decode. A decoding request meets the
 * prompts of others, not its own. */
static void settle(const struct paleo_served *s, const struct paleo_serving_load *load,
		   struct steady *t)
{
	double chunk = s->serving->chunk, turns = s->serving->split.pp;
	double a_step = t->coming / turns * s->fresh; /* tokens of prompts */

	t->full = a_step > chunk;
	if (t->full) {
		t->decoding = 1 + turns * chunk * load->osl / (s->fresh * gain(s));
		a_step = chunk;
	}
	t->prompt = fmin(chunk, fmax(s->fresh, a_step));
	t->share = a_step / t->prompt;
	t->use = a_step / chunk;
}

static int price(const struct paleo_served *s, const struct paleo_serving_load *load,
		 struct steady *t, struct paleo_error *err)
{
	int stages = s->serving->split.pp;
	struct paleo_serving_step step = {
		.decoding = whole(t->decoding / stages),
		.past = load->isl + load->osl / 2,
	};
	int rc = paleo_served_step(s, &step, &t->plain, &t->plain_comm_s, err);

	step.prompt = whole(t->prompt);
	if (!rc)
		rc = paleo_served_step(s, &step, &t->mixed, &t->mixed_comm_s, err);
	t->mean = times(1 - t->share, &t->plain);
	add(&t->mean, t->share, &t->mixed);
	return rc;
}

/* Steps that so many parts of prompts take: while one is in a stage, the next is in the stage
 * before. */
static double behind_each_other(double parts, double stages)
{
	return 1 + (parts - 1) / stages;
}

/* Mixed steps of a request's own prompt. */
static double own_steps(const struct paleo_served *s, const struct steady *t)
{
	return behind_each_other(fmax(1, s->fresh / t->prompt), s->serving->split.pp);
}

/* Steps from a request's scheduling to its first token where steps take in all the prompts they
 * can: in so many as all requests need, it is in the server's front, waits, and has its answer
 * (Little's law). */
static double full_steps(const struct paleo_served *s, const struct steady *t,
			 const struct paleo_serving_load *load)
{
	double a_step = (double)s->serving->split.pp * s->serving->chunk / s->fresh; /* prompts */

	return t->requests / a_step - (load->osl - 1) / gain(s) - s->serving->front_steps;
}

/*
 * Time from a request's scheduling to its first token, in mixed steps: those of its prompt, and
 * those it waits for. Random arrivals wait as in an M/D/1 queue, whose service time is a step's
 * share of a prompt.
 */
static double first_in_steps(const struct paleo_served *s, const struct steady *t,
			     const struct paleo_serving_load *load)
{
	double own = own_steps(s, t);
	double others = (t->requests - 1) * own;
	double service = (double)s->fresh / s->serving->chunk / s->serving->split.pp;

	if (t->full)
		return fmax(own, full_steps(s, t, load));
	return own + fmin(others, t->use / (2 * fmax(1 - t->use, 1e-3)) * service);
}

/* The step that takes so many tokens of prompts in, or each of *steps equal ones. */
static int take_in(const struct paleo_served *s, double prompts, double *steps,
		   struct paleo_serving_time *out, struct paleo_error *err)
{
	double comm_s;

	*steps = ceil(prompts / s->serving->chunk);
	const struct paleo_serving_step step = {.prompt = whole(prompts / *steps)};
	return paleo_served_step(s, &step, out, &comm_s, err);
}

/* Mean time to the first token where all requests arrive at once: request i waits for the prompts
 * of i. Where one step has room for all of them, the first prompt has begun alone. */
static int burst(const struct paleo_served *s, double requests, struct paleo_serving_time *out,
		 struct paleo_error *err)
{
	double turns = s->serving->split.pp, alone, all;
	struct paleo_serving_time first, rest;

	PALEO_TRY(take_in(s, s->fresh, &alone, &first, err));
	PALEO_TRY(take_in(s, requests * s->fresh, &all, &rest, err));
	if (all > 1) {
		*out = times(behind_each_other((all + alone) / 2, turns), &rest);
		return PALEO_OK;
	}
	*out = first;
	add(out, (requests - 1) / requests, &rest);
	return PALEO_OK;
}

/* A closed loop: of the requests of a user, the first arrives together with those of all others. */
static int begin_together(const struct paleo_served *s, double requests,
			  struct paleo_serving_time *ttft, struct paleo_error *err)
{
	double rounds = s->serving->rounds;
	struct paleo_serving_time first;

	if (!(rounds > 0))
		return PALEO_OK;
	PALEO_TRY(burst(s, requests, &first, err));
	*ttft = times(1 - 1 / rounds, ttft);
	add(ttft, 1 / rounds, &first);
	return PALEO_OK;
}

static int continuous(const struct paleo_served *s, const struct paleo_serving_load *load,
		      struct paleo_serving_result *out, struct paleo_error *err)
{
	struct steady t = {.requests = turn_of(s, load)};
	int rc = PALEO_OK;

	t.decoding = t.requests;
	t.coming = (t.requests - 1) * gain(s) / load->osl;
	for (int i = 0; !rc && i < ROUNDS; i++) {
		settle(s, load, &t);
		rc = price(s, load, &t, err);
		if (t.full && full_steps(s, &t, load) >= own_steps(s, &t))
			break;
		double answer_s = (load->osl - 1) * t.mean.s / gain(s);
		double first_s = first_in_steps(s, &t, load) * t.mixed.s +
				 s->serving->front_steps * t.mean.s;
		t.decoding = 1 + (t.requests - 1) * answer_s / (answer_s + first_s);
		t.coming = (t.requests - 1) * t.mean.s / (answer_s + first_s);
	}
	if (rc)
		return rc;
	out->decoding = t.decoding * s->serving->split.dp;
	out->tpot = times(1 / gain(s), &t.mean);
	out->ttft = times(first_in_steps(s, &t, load), &t.mixed);
	if (t.requests > 1) /* on average it arrives in mid-step */
		add(&out->ttft, 0.5, &t.mean);
	out->comm_s = ((1 - t.share) * t.plain_comm_s + t.share * t.mixed_comm_s) / gain(s);
	return begin_together(s, t.requests, &out->ttft, err);
}

/* The mean of steps over a growing cache: Simpson's rule, as attention grows nearly linearly. */
static int mean_step(const struct paleo_served *s, const struct paleo_serving_load *load,
		     double requests, struct paleo_serving_result *out, struct paleo_error *err)
{
	static const double weights[3] = {1.0 / 6, 4.0 / 6, 1.0 / 6};
	struct paleo_serving_step step = {.decoding = whole(requests / s->serving->split.pp)};
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < 3; i++) {
		struct paleo_serving_time t;
		double comm_s;
		step.past = load->isl + (int)((load->osl - 1) * (i / 2.0));
		rc = paleo_served_step(s, &step, &t, &comm_s, err);
		if (rc)
			break;
		add(&out->tpot, weights[i] / gain(s), &t);
		out->comm_s += weights[i] / gain(s) * comm_s;
	}
	return rc;
}

static int all_together(const struct paleo_served *s, const struct paleo_serving_load *load,
			struct paleo_serving_result *out, struct paleo_error *err)
{
	double requests = turn_of(s, load), steps;
	struct paleo_serving_time t;

	PALEO_TRY(take_in(s, requests * s->fresh, &steps, &t, err));
	PALEO_TRY(mean_step(s, load, requests, out, err));
	out->ttft = times(behind_each_other(steps, s->serving->split.pp), &t);
	out->decoding = load->concurrency;
	return PALEO_OK;
}

/* Time to transfer a prompt's KV cache to the GPUs that decode. */
static double hand_over_s(const struct paleo_served *s, const struct paleo_serving_load *load)
{
	const struct paleo_link *l = &s->serving->link;
	const struct paleo_serving_load prompt = {.isl = load->isl};

	return l->latency_s + paleo_served_cache(s, &prompt) / l->bytes_per_s;
}

/* Disaggregated prefill: decode steps only; each prompt is processed alone on separate GPUs, as
 * many as are busy all the time. Nothing waits. */
static int disaggregated(const struct paleo_served *s, const struct paleo_serving_load *load,
			 struct paleo_serving_result *out, struct paleo_error *err)
{
	const struct paleo_serving_split *p = &s->serving->split;
	struct paleo_serving_time t;
	double parts, way_s = hand_over_s(s, load);

	if (load->osl < 2)
		return paleo_fail(err, PALEO_EINPUT,
				  "disaggregated prefill needs answers of at least 2 tokens: the "
				  "first comes with the prompt");
	PALEO_TRY(take_in(s, s->fresh, &parts, &t, err));
	PALEO_TRY(mean_step(s, load, turn_of(s, load), out, err));
	const struct paleo_serving_time way = {way_s, {way_s, way_s, way_s, way_s}, {0, 0, 0}};
	out->ttft = times(behind_each_other(parts, p->pp), &t);
	add(&out->ttft, 1, &way);
	out->decoding = load->concurrency;
	/* of each request its steps but the first, which the prompt's GPUs give */
	out->per_s = load->concurrency * (double)load->osl / ((load->osl - 1) * out->tpot.s);
	out->prefill_gpus = out->per_s / load->osl * parts * t.s * p->tp;
	out->token = times(parts * p->tp / load->osl, &t).joules; /* of its prompt */
	return PALEO_OK;
}

/* Widens a bound's distance from t by an independent error; NaN stays. */
static double further(double t, double bound, double more)
{
	double own = log(bound / t), both = sqrt(own * own + more * more);

	return t * exp(own < 0 ? -both : both);
}

void paleo_serving_widen(struct paleo_serving_time *t)
{
	/* Standard deviation of the logarithm, in addition to the ops' errors; fitted to measured
	 * servers. */
	static const double sd = 0.27, z90 = 1.6449, z50 = 0.6745;
	struct paleo_interval *i = &t->interval;

	i->low = further(t->s, i->low, z90 * sd);
	i->high = further(t->s, i->high, z90 * sd);
	i->low50 = further(t->s, i->low50, z50 * sd);
	i->high50 = further(t->s, i->high50, z50 * sd);
}

/* The interval of a time to the first token: quantiles of measured over predicted, of servers
 * (docs/method/serving.md). They contain the ops' errors; where these are not known, nothing is. */
static void bound_first(struct paleo_serving_time *t)
{
	if (!isnan(t->interval.low))
		t->interval = (struct paleo_interval){.low = 0.6 * t->s,
						      .high = 7.2 * t->s,
						      .low50 = 0.85 * t->s,
						      .high50 = 1.82 * t->s};
}

/* The energy of a token: of all GPUs, in the time that all requests in flight take. */
static void add_token(const struct paleo_serving_load *load, struct paleo_serving_result *r)
{
	struct paleo_serving_time all = {.joules = r->token};
	double share = r->gpus / ((double)load->concurrency * load->osl);

	if (load->batching != PALEO_DISAGGREGATED)
		add(&all, share, &r->ttft);
	add(&all, share * (load->osl - 1), &r->tpot);
	r->token = all.joules;
	r->token.low =
		further(all.joules.mean, all.joules.low, log(r->tpot.interval.low / r->tpot.s));
	r->token.high =
		further(all.joules.mean, all.joules.high, log(r->tpot.interval.high / r->tpot.s));
}

int paleo_serve(const struct paleo_served *s, const struct paleo_serving_load *load,
		struct paleo_serving_result *out, struct paleo_error *err)
{
	static int (*const ways[PALEO_BATCHINGS])(
		const struct paleo_served *, const struct paleo_serving_load *,
		struct paleo_serving_result *, struct paleo_error *) = {
		[PALEO_CONTINUOUS] = continuous,
		[PALEO_STATIC] = all_together,
		[PALEO_DISAGGREGATED] = disaggregated,
	};
	const struct paleo_serving_split *p = &s->serving->split;
	struct paleo_serving_result r = {.gpus = p->tp * p->pp * p->dp};

	int rc = paleo_served_memory(s, load, &r.memory, err);
	r.fits = !rc && (r.memory.largest < 0 || load->concurrency <= r.memory.largest);
	if (r.fits) {
		rc = ways[load->batching](s, load, &r, err);
		add(&r.ttft, s->serving->front_steps * gain(s), &r.tpot);
		bound_first(&r.ttft);
		paleo_serving_widen(&r.tpot);
		add_token(load, &r);
		r.host_s = s->serving->host_s * p->pp / gain(s);
		if (load->batching != PALEO_DISAGGREGATED)
			r.per_s = load->concurrency * (double)load->osl /
				  (r.ttft.s + (load->osl - 1) * r.tpot.s);
		r.per_gpu_s = r.per_s / (r.gpus + r.prefill_gpus);
		r.per_user_s = 1 / r.tpot.s;
	}
	if (!rc)
		*out = r;
	return rc;
}

/* The most requests that a split serves within limits of times to tokens. */

enum {
	MOST = 1 << 20 /* requests that are thought of */
};

static int keeps(const struct paleo_serving_limits *limits, const struct paleo_serving_result *r)
{
	return r->fits && (limits->ttft_s <= 0 || r->ttft.s <= limits->ttft_s) &&
	       (limits->tpot_s <= 0 || r->tpot.s <= limits->tpot_s);
}

/* Tries so many requests for each part; where they keep the limits, they are the best so far. */
static int try(const struct paleo_served *s, const struct paleo_serving_limits *limits,
	       int requests, struct paleo_serving_load *best, struct paleo_serving_result *out,
	       int *kept, struct paleo_error *err)
{
	struct paleo_serving_load load = *best;
	struct paleo_serving_result r;

	load.concurrency = requests * s->serving->split.dp;
	PALEO_TRY(paleo_serve(s, &load, &r, err));
	*kept = keeps(limits, &r);
	if (*kept || requests == 1) {
		*best = load;
		*out = r;
	}
	return PALEO_OK;
}

int paleo_serve_most(const struct paleo_served *s, const struct paleo_serving_limits *limits,
		     struct paleo_serving_load *load, struct paleo_serving_result *out, int *kept,
		     struct paleo_error *err)
{
	int low = 0, high = 1, good = 0;
	int rc = try(s, limits, high, load, out, &good, err);

	while (!rc && good && high < MOST) {
		low = high;
		high *= 2;
		rc = try(s, limits, high, load, out, &good, err);
	}
	while (!rc && low && high - low > 1) {
		int middle = low + (high - low) / 2;
		rc = try(s, limits, middle, load, out, &good, err);
		*(good ? &low : &high) = middle;
	}
	if (!rc)
		*kept = low > 0;
	return rc;
}
