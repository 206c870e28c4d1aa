/* fake.c - a backend that runs nothing: times from known factors plus noise, for tests. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench/backend.h"
#include "bench/backends/fake/fake_truth.h"
#include "bench/backends/fake/fake_words.h"
#include "bench/fill.h"
#include "bench/reference.h"

struct paleo_session {
	int index;
	struct paleo_fake_counter counter;
	int is_hot;     /* the last op was asked to be */
	uint64_t first; /* the hash of the first op's key */
	unsigned round; /* how often it was prepared */
};

enum {
	FAKES = 16
};

struct paleo_job {
	struct paleo_session *session;
	struct paleo_op op;
	int rank;
	enum paleo_cache_mode mode;
	char key[PALEO_FAKE_KEY_MAX]; /* with the rank and the mode */
	uint32_t seed;
	uint64_t sample;
	double slowness; /* machine speed in this round */
	double loaded_s; /* it has run for so long, by its own clock */
};

/* Slowdown after a load of so many seconds. */
static double throttled(double loaded_s)
{
	char limit_s[32];

	paleo_fake_value("throttle", limit_s, sizeof(limit_s));
	return limit_s[0] && loaded_s >= strtod(limit_s, NULL) ? 1.25 : 1;
}

static void crash(void)
{
	signal(SIGSEGV, SIG_DFL);
	raise(SIGSEGV);
}

/* A standard normal number (Box and Muller 1958); the same sequence in every run. */
static double normal(struct paleo_job *j)
{
	const double two_pi = 6.283185307179586;
	double a = (paleo_fill_hash(j->seed, 2 * j->sample) + 1.0) * 0x1p-32;
	double b = paleo_fill_hash(j->seed, 2 * j->sample + 1) * 0x1p-32;

	j->sample++;
	return sqrt(-2 * log(a)) * cos(two_pi * b);
}

/* Another standard normal number for each text. */
static double chance(const char *text)
{
	struct paleo_job j = {.seed = (uint32_t)paleo_fake_hash(text)};

	return normal(&j);
}

/* Its clock over the usual one. */
static double clock_share(const struct paleo_session *s)
{
	char word[32], text[32];

	snprintf(word, sizeof(word), s->index ? "clock%d" : "clock", s->index);
	paleo_fake_value(word, text, sizeof(text));
	return text[0] ? strtod(text, NULL) : 1;
}

/* The speed of this device, relative to what is true of it, at something of this name. */
static double own_speed(const struct paleo_session *s, const char *name)
{
	char differs[32], seed[32], drawn[PALEO_FAKE_KEY_MAX + 96];

	paleo_fake_value("differs", differs, sizeof(differs));
	paleo_fake_value("seed", seed, sizeof(seed));
	snprintf(drawn, sizeof(drawn), "%s of %d, %s", name, s->index, seed);
	return clock_share(s) * (differs[0] ? exp(strtod(differs, NULL) * chance(drawn)) : 1);
}

static int fake_open(int index, int threads, struct paleo_session **out, struct paleo_error *err)
{
	(void)threads;
	paleo_fake_delay("open-delay", 1);
	if (paleo_fake_asked("library", NULL))
		return paleo_fail(err, PALEO_ELIBRARY, "the fake library is broken, as asked for");
	if (paleo_fake_asked("die", NULL))
		crash();
	char absent[32];
	snprintf(absent, sizeof(absent), index ? "nodevice%d" : "nodevice", index);
	if (index >= FAKES || paleo_fake_asked(absent, NULL))
		return paleo_fail(err, PALEO_ENODEVICE, "there is no fake device %d", index);
	struct paleo_session *s = calloc(1, sizeof(*s));
	if (!s)
		return paleo_fail(err, PALEO_ENOMEM, "no memory for a session");
	s->index = index;
	*out = s;
	return PALEO_OK;
}

static void fake_close(struct paleo_session *s)
{
	free(s);
}

static int fake_describe(struct paleo_session *s, struct paleo_device_info *out,
			 struct paleo_error *err)
{
	(void)err;
	*out = (struct paleo_device_info){.device = paleo_fake_device(),
					  .versions = "fake 1",
					  .condition = {.power_limit_w = 300,
							.power_default_w = 300,
							.pcie_width = 16,
							.pcie_width_max = 16,
							.pcie_generation = 5,
							.pcie_generation_max = 5,
							.has_ecc = 1}};
	snprintf(out->condition.unit, sizeof(out->condition.unit), "fake-%d", s->index);
	paleo_fake_value("boot", out->boot, sizeof(out->boot));
	return PALEO_OK;
}

static int fake_ceilings(struct paleo_session *s, unsigned wanted, struct paleo_device *d,
			 struct paleo_doubts *doubts, struct paleo_error *err)
{
	const struct paleo_device truth = paleo_fake_device();
	const int share = paleo_fake_asked("doubt", NULL) ? 2 : 1;

	(void)s;
	if (paleo_fake_asked("peaks-crash", NULL))
		crash();
	if (paleo_fake_asked("peaks", NULL))
		return paleo_fail(err, PALEO_EBACKEND,
				  "the fake peaks cannot be measured, as asked for");
	if (wanted & PALEO_PEAK_OF_MEMORY)
		d->mem_bytes_per_s = truth.mem_bytes_per_s / share;
	for (int t = 0; t < PALEO_DTYPES; t++)
		if (wanted >> t & 1)
			d->flop_per_s[t] = truth.flop_per_s[t] / share;
	d->measured = truth.measured;
	memcpy(d->source, truth.source, sizeof(d->source));
	if (paleo_fake_asked("doubt", NULL)) {
		snprintf(doubts->arithmetic, sizeof(doubts->arithmetic),
			 "0 of 60 tries were undisturbed, as asked for");
		snprintf(doubts->memory, sizeof(doubts->memory), "neither were those of memory");
	}
	return PALEO_OK;
}

/* The device's own peaks, as if measured, and one launch of 3 us. */
static int fake_list_ceilings(struct paleo_session *s, struct paleo_ceilings *out,
			      struct paleo_error *err)
{
	struct paleo_device d = paleo_fake_device();
	const int sustained = out->regime == PALEO_SUSTAINED;
	double launch_s = 3e-6;
	int rc = PALEO_OK;

	paleo_fake_delay("ceilings-delay", 1);
	for (int t = 0; t < PALEO_DTYPES && !rc; t++) {
		double flops = d.flop_per_s[t] / throttled(sustained ? PALEO_SUSTAIN_S : 0);
		char name[32];
		snprintf(name, sizeof(name), "gemm_%s", paleo_dtype_name((enum paleo_dtype)t));
		flops *= own_speed(s, name);
		rc = paleo_ceilings_add(out, name, "FLOP/s", &flops, 1, "made up", err);
	}
	d.mem_bytes_per_s *= own_speed(s, "copy");
	double bytes[] = {0.98 * d.mem_bytes_per_s, d.mem_bytes_per_s, 0.97 * d.mem_bytes_per_s,
			  0.99 * d.mem_bytes_per_s};
	if (!rc)
		rc = paleo_ceilings_add(out, "copy", "B/s", bytes, 4, "made up", err);
	if (!rc && !sustained)
		rc = paleo_ceilings_add(out, "launch_stream", "s", &launch_s, 1, "made up", err);
	return rc;
}

/* Only used by a test of this call. */
static int fake_description(struct paleo_session *s, char *text, size_t size,
			    struct paleo_error *err)
{
	(void)s;
	(void)err;
	snprintf(text, size, "{\"deviceName\": \"fake\"}");
	return PALEO_OK;
}

/* Another run has other noise; machine speed is common to all ops. The first repeated op begins a
 * round. */
static void set_moment(struct paleo_session *s, struct paleo_job *j, const char *bare)
{
	char seed[32], moment[32];

	paleo_fake_value("seed", seed, sizeof(seed));
	paleo_fake_value("moment", moment, sizeof(moment));
	j->slowness = 1;
	if (!seed[0])
		return;
	uint64_t first = paleo_fake_hash(bare);
	if (!s->first)
		s->first = first;
	s->round += first == s->first;
	char text[64];
	snprintf(text, sizeof(text), "%s round %u", seed, s->round);
	struct paleo_job shared = {.seed = (uint32_t)paleo_fake_hash(text)};
	j->seed ^= shared.seed;
	j->slowness = exp(strtod(moment, NULL) * normal(&shared));
}

static int fake_prepare(struct paleo_session *s, const struct paleo_op *w,
			const struct paleo_bench_options *o, struct paleo_job **out,
			struct paleo_job_info *info, struct paleo_error *err)
{
	char bare[PALEO_OP_KEY_MAX], key[PALEO_FAKE_KEY_MAX];

	paleo_fake_delay("op-delay", 1);
	paleo_op_key(w, bare, sizeof(bare));
	snprintf(key, sizeof(key), "%s rank=%d %s", bare, o->rank, paleo_cache_mode_name(o->mode));
	s->is_hot = paleo_fake_asked("hot", key);
	if (paleo_fake_asked("crash", key))
		crash();
	if (paleo_fake_asked("oom", key))
		return paleo_fail(err, PALEO_ENOMEM, "the fake memory is full, as asked for");
	if (!(w->read_bytes + w->write_bytes <= paleo_fake_device().mem_bytes))
		return paleo_fail(err, PALEO_ENOMEM, "%.3g bytes do not fit into the fake memory",
				  w->read_bytes + w->write_bytes);
	if (paleo_fake_asked("unsupported", key))
		return paleo_fail(err, PALEO_EUNSUPPORTED, "not supported, as asked for");
	if (o->rank >= paleo_fake_offered(w))
		return paleo_fail(err, PALEO_EUNSUPPORTED, "there is no algorithm of rank %d",
				  o->rank);
	struct paleo_job *j = calloc(1, sizeof(*j));
	if (!j)
		return paleo_fail(err, PALEO_ENOMEM, "no memory for a job");
	j->session = s;
	j->op = *w;
	j->rank = o->rank;
	j->mode = o->mode;
	memcpy(j->key, key, sizeof(key));
	j->seed = (uint32_t)paleo_fake_hash(bare);
	set_moment(s, j, bare);
	j->slowness /= own_speed(s, bare);
	*info = (struct paleo_job_info){.algorithm = paleo_fake_algorithm(o->rank),
					.operand_sets = 1};
	*out = j;
	return PALEO_OK;
}

static const struct timespec slow_run = {.tv_nsec = 20000000};

static int fake_run(struct paleo_job *j, int reps, double *elapsed_s, struct paleo_error *err)
{
	if (paleo_fake_asked("fail", j->key))
		return paleo_fail(err, PALEO_EBACKEND, "the fake library failed, as asked for");
	while (paleo_fake_asked("hang", j->key))
		pause();
	if (paleo_fake_asked("slow", j->key))
		nanosleep(&slow_run, NULL);
	if (paleo_fake_asked("disturbed", j->key))
		raise(SIGCONT);
	double noise = paleo_fake_asked("still", NULL) ? 0 : PALEO_FAKE_NOISE * normal(j);
	if (paleo_fake_asked("noisy", j->key))
		noise *= 20;
	double cold_s = paleo_fake_time(&j->op) * paleo_fake_slowness(j->rank) * j->slowness;
	if (paleo_fake_asked("slower", j->key))
		cold_s *= 1.02;
	cold_s *= throttled(j->loaded_s);
	*elapsed_s = reps * paleo_fake_mode_s(j->mode, cold_s) * exp(noise);
	j->loaded_s += *elapsed_s;
	paleo_fake_spend(&j->session->counter, &j->op, *elapsed_s);
	return PALEO_OK;
}

static int fake_energy(struct paleo_session *s, double *joules, struct paleo_error *err)
{
	if (paleo_fake_asked("no-energy", NULL))
		return paleo_fail(err, PALEO_EUNSUPPORTED, "no energy counter, as asked for");
	*joules = s->counter.shown_j;
	return PALEO_OK;
}

static int fake_output(struct paleo_job *j, enum paleo_role role, int copy, const double *index,
		       int n, float *out, struct paleo_error *err)
{
	double value, magnitude;

	for (int i = 0; i < n; i++) {
		int rc = paleo_reference_value(&j->op, role, copy, index[i], &value, &magnitude,
					       err);
		if (rc)
			return rc;
		if (paleo_fake_asked("wrong", j->key))
			value += 1;
		if (paleo_fake_asked("nan", j->key))
			value = NAN;
		out[i] = paleo_round_to((float)value, paleo_dtype_wide(j->op.dtype));
	}
	return PALEO_OK;
}

static int fake_algorithms(struct paleo_session *s, const struct paleo_op *w,
			   const struct paleo_bench_options *o, int most,
			   struct paleo_algorithms *out, struct paleo_error *err)
{
	(void)s;
	(void)o;
	int count = paleo_fake_offered(w);

	if (paleo_fake_asked("planner-crash", NULL))
		crash();
	if (count == 1)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "the fake library has one algorithm for this");
	*out = (struct paleo_algorithms){.count = count < most ? count : most};
	for (int rank = 0; rank < out->count; rank++)
		out->items[rank] = paleo_fake_algorithm(rank);
	return PALEO_OK;
}

/* 900 of 1000 MHz, as if queried; its power is not known. A lower clock is lower for its heat. */
static void fake_observe_end(struct paleo_session *s, struct paleo_state *out)
{
	const double share = clock_share(s);

	*out = (struct paleo_state){
		.sm_mhz = 900 * share, .clock_ratio = 0.9 * share, .temp_c = 40};
	if (s->is_hot || share < 1)
		snprintf(out->reasons, sizeof(out->reasons), "sw_thermal");
}

static void fake_release(struct paleo_job *j)
{
	free(j);
}

struct paleo_graph_run {
	const struct paleo_graph *graph;
};

/* 1 if the word is given with a text that a step's key contains. */
static int asked_of_any(const char *word, const struct paleo_graph *p)
{
	char key[PALEO_OP_KEY_MAX];

	if (!paleo_fake_asked(word, NULL)) /* mostly: nets may be long */
		return 0;
	for (int i = 0; i < p->step_count; i++) {
		paleo_op_key(&p->steps[i].op, key, sizeof(key));
		if (paleo_fake_asked(word, key))
			return 1;
	}
	return 0;
}

static int fake_whole_prepare(struct paleo_session *s, const struct paleo_graph *p,
			      const struct paleo_bench_options *o, struct paleo_graph_run **out,
			      struct paleo_pass_info *info, struct paleo_error *err)
{
	(void)s;
	(void)o;
	paleo_fake_delay("step-delay", p->step_count);
	if (asked_of_any("crash", p))
		crash();
	if (asked_of_any("oom", p))
		return paleo_fail(err, PALEO_ENOMEM, "the fake memory is full, as asked for");
	if (asked_of_any("unsupported", p))
		return paleo_fail(err, PALEO_EUNSUPPORTED, "not supported, as asked for");
	struct paleo_graph_run *w = calloc(1, sizeof(*w));
	if (!w)
		return paleo_fail(err, PALEO_ENOMEM, "no memory for a program");
	w->graph = p;
	*info = (struct paleo_pass_info){.how = "fake", .memory = paleo_graph_memory_of(p)};
	info->memory.workspace = 1e6;
	for (int i = 0; i < p->step_count; i++)
		info->layout_changes += paleo_fake_change_s(p, i) > 0;
	*out = w;
	return PALEO_OK;
}

static int fake_whole_run(struct paleo_graph_run *w, double *elapsed_s,
			  struct paleo_pass_times *times, struct paleo_error *err)
{
	const struct paleo_graph *p = w->graph;
	double sum = 0;

	if (asked_of_any("fail", p))
		return paleo_fail(err, PALEO_EBACKEND, "the fake library failed, as asked for");
	while (asked_of_any("hang", p))
		pause();
	if (asked_of_any("slow", p))
		nanosleep(&slow_run, NULL);
	for (int i = 0; i < p->step_count; i++) {
		double step = paleo_fake_step_s(p, i), change = paleo_fake_change_s(p, i);
		sum += step + change;
		if (!times)
			continue;
		times->step_s[i] = step;
		times->change_s[i] = change;
	}
	*elapsed_s = sum;
	return PALEO_OK;
}

static int fake_whole_read(struct paleo_graph_run *w, int buffer, const double *index, int n,
			   float *out, struct paleo_error *err)
{
	(void)index;
	if (buffer != w->graph->output)
		return paleo_fail(err, PALEO_EINPUT, "the fake keeps only the net's result");
	for (int i = 0; i < n; i++)
		out[i] = asked_of_any("nan", w->graph) ? NAN : 0.5f;
	return PALEO_OK;
}

static void fake_whole_release(struct paleo_graph_run *w)
{
	free(w);
}

const struct paleo_backend *paleo_backend_table(void)
{
	static const struct paleo_backend table = {
		.abi = PALEO_BACKEND_ABI,
		.name = "fake",
		.what = "known times, for tests only: measures nothing",
		.open = fake_open,
		.close = fake_close,
		.describe = fake_describe,
		.ceilings = fake_ceilings,
		.prepare = fake_prepare,
		.run = fake_run,
		.output = fake_output,
		.release = fake_release,
		.whole_prepare = fake_whole_prepare,
		.whole_run = fake_whole_run,
		.whole_read = fake_whole_read,
		.whole_release = fake_whole_release,
		.algorithms = fake_algorithms,
		.list_ceilings = fake_list_ceilings,
		.description = fake_description,
		.observe_end = fake_observe_end,
		.energy = fake_energy,
	};

	return &table;
}
