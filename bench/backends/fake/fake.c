/* fake.c - a backend that runs nothing: times from known factors plus noise, for tests. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench/backend.h"
#include "bench/backends/fake/fake_truth.h"
#include "bench/fill.h"
#include "bench/reference.h"

/*
 * The environment variable PALEO_FAKE makes it misbehave: words with commas
 * between them. Those with a text are for works whose key contains it, with " rank=1 hot"
 * behind it for the algorithm of this rank in this mode:
 *
 *   crash=TEXT        dies of SIGSEGV when it is prepared
 *   hang=TEXT         never returns from its first run
 *   oom=TEXT          memory does not suffice
 *   unsupported=TEXT  cannot be run
 *   fail=TEXT         the library fails when it is run
 *   wrong=TEXT        results are off by one
 *   nan=TEXT          results are NaN
 *   slow=TEXT         each run takes 20 ms of real time; its elapsed time says nothing of it
 *   still             times are without noise
 *   noisy=TEXT        times have twenty times the noise
 *   slower=TEXT       takes 2 % longer
 *   planner-crash     dies of SIGSEGV when it is asked for algorithms
 *   peaks             its peaks cannot be measured; peaks-crash: it dies of it
 *   doubt             they are measured at half of what they are, and not to be believed
 *   boot=NAME         its host is booted under this name
 *   hot=TEXT          its heat slows it down
 *   nodevice          there is no device (nodevice1: no second one)
 *   library           the vendor's library is unusable
 *   die               dies when it is opened
 *
 * those with a number:
 *
 *   seed=N            the noise of another run, and in it of each round another one
 *   moment=F          the machine's speed differs by so much, a share, from one round to the next
 *
 * and those with a number of seconds, as a GPU and its libraries would take them:
 *
 *   open-delay=S      until it is open
 *   work-delay=S      until a work is prepared
 *   step-delay=S      for each step of a whole net, until that is prepared
 *   ceilings-delay=S  until its ceilings are measured
 */
struct paleo_session {
	int index;
	int is_hot;     /* the last work was asked to be */
	uint64_t first; /* the hash of the first work's key */
	unsigned round; /* how often it was prepared */
};

enum {
	KEY_MAX = PALEO_WORK_KEY_MAX + 32
};

struct paleo_job {
	struct paleo_work work;
	int rank;
	enum paleo_cache_mode mode;
	char key[KEY_MAX]; /* with the rank and the mode */
	uint32_t seed;
	uint64_t sample;
	double slowness; /* of this moment */
};

/* 1 if PALEO_FAKE has the word, and for words with a text, the key contains it. */
static int asked(const char *word, const char *key)
{
	const char *at = getenv("PALEO_FAKE");
	size_t length = strlen(word);

	while (at && *at) {
		size_t size = strcspn(at, ",");
		char text[KEY_MAX];
		if (!strncmp(at, word, length) && (size == length || at[length] == '=')) {
			size_t from = size == length ? length : length + 1;
			snprintf(text, sizeof(text), "%.*s", (int)(size - from), at + from);
			if (!key || strstr(key, text))
				return 1;
		}
		at += size;
		at += *at == ',';
	}
	return 0;
}

/* What PALEO_FAKE gives behind a word; "" where it does not. */
static void value(const char *word, char *text, size_t size)
{
	const char *at = getenv("PALEO_FAKE");
	size_t length = strlen(word);

	text[0] = '\0';
	while (at && *at) {
		size_t end = strcspn(at, ",");
		if (!strncmp(at, word, length) && at[length] == '=')
			snprintf(text, size, "%.*s", (int)(end - length - 1), at + length + 1);
		at += end;
		at += *at == ',';
	}
}

/* Takes so long as PALEO_FAKE says, so many times; no time where it says nothing. */
static void delay(const char *word, int times)
{
	const char *at = getenv("PALEO_FAKE");
	size_t length = strlen(word);

	while (at && *at) {
		if (!strncmp(at, word, length) && at[length] == '=') {
			double s = times * strtod(at + length + 1, NULL);
			struct timespec t = {.tv_sec = (time_t)s,
					     .tv_nsec = (long)((s - floor(s)) * 1e9)};
			nanosleep(&t, NULL);
		}
		at += strcspn(at, ",");
		at += *at == ',';
	}
}

static void crash(void)
{
	signal(SIGSEGV, SIG_DFL);
	raise(SIGSEGV);
}

static int fake_open(int index, int threads, struct paleo_session **out, struct paleo_error *err)
{
	(void)threads;
	delay("open-delay", 1);
	if (asked("library", NULL))
		return paleo_fail(err, PALEO_ELIBRARY, "the fake library is broken, as asked for");
	if (asked("die", NULL))
		crash();
	if (index > 1 || asked(index ? "nodevice1" : "nodevice", NULL))
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
	(void)s;
	(void)err;
	*out = (struct paleo_device_info){.device = paleo_fake_device(), .versions = "fake 1"};
	value("boot", out->boot, sizeof(out->boot));
	return PALEO_OK;
}

static int fake_ceilings(struct paleo_session *s, struct paleo_device *d,
			 struct paleo_doubts *doubts, struct paleo_error *err)
{
	(void)s;
	if (asked("peaks-crash", NULL))
		crash();
	if (asked("peaks", NULL))
		return paleo_fail(err, PALEO_EBACKEND,
				  "the fake peaks cannot be measured, as asked for");
	*d = paleo_fake_device();
	if (asked("doubt", NULL)) {
		d->mem_bytes_per_s /= 2;
		for (int t = 0; t < PALEO_DTYPES; t++)
			d->flop_per_s[t] /= 2;
		snprintf(doubts->arithmetic, sizeof(doubts->arithmetic),
			 "0 of 60 tries were undisturbed, as asked for");
		snprintf(doubts->memory, sizeof(doubts->memory), "neither were those of memory");
	}
	return PALEO_OK;
}

/* The device's own peaks, as if they had been measured, and one launch of 3 us. */
static int fake_list_ceilings(struct paleo_session *s, struct paleo_ceilings *out,
			      struct paleo_error *err)
{
	const struct paleo_device d = paleo_fake_device();
	double launch_s = 3e-6;
	int rc = PALEO_OK;

	(void)s;
	delay("ceilings-delay", 1);
	for (int t = 0; t < PALEO_DTYPES && !rc; t++) {
		double flops = d.flop_per_s[t];
		char name[32];
		snprintf(name, sizeof(name), "gemm_%s", paleo_dtype_name((enum paleo_dtype)t));
		rc = paleo_ceilings_add(out, name, "FLOP/s", &flops, 1, "made up", err);
	}
	double bytes[] = {0.98 * d.mem_bytes_per_s, d.mem_bytes_per_s, 0.97 * d.mem_bytes_per_s,
			  0.99 * d.mem_bytes_per_s};
	if (!rc)
		rc = paleo_ceilings_add(out, "copy", "B/s", bytes, 4, "made up", err);
	if (!rc)
		rc = paleo_ceilings_add(out, "launch_stream", "s", &launch_s, 1, "made up", err);
	return rc;
}

/* Nobody reads it but a test of the way it takes. */
static int fake_description(struct paleo_session *s, char *text, size_t size,
			    struct paleo_error *err)
{
	(void)s;
	(void)err;
	snprintf(text, size, "{\"deviceName\": \"fake\"}");
	return PALEO_OK;
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

/* Another run has other noise; what a moment does to the machine it does to all works. The first
 * work that comes again begins a round. */
static void set_moment(struct paleo_session *s, struct paleo_job *j, const char *bare)
{
	char seed[32], moment[32];

	value("seed", seed, sizeof(seed));
	value("moment", moment, sizeof(moment));
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

static int fake_prepare(struct paleo_session *s, const struct paleo_work *w,
			const struct paleo_bench_options *o, struct paleo_job **out,
			struct paleo_job_info *info, struct paleo_error *err)
{
	char bare[PALEO_WORK_KEY_MAX], key[KEY_MAX];

	delay("work-delay", 1);
	paleo_work_key(w, bare, sizeof(bare));
	snprintf(key, sizeof(key), "%s rank=%d %s", bare, o->rank, paleo_cache_mode_name(o->mode));
	s->is_hot = asked("hot", key);
	if (asked("crash", key))
		crash();
	if (asked("oom", key))
		return paleo_fail(err, PALEO_ENOMEM, "the fake memory is full, as asked for");
	if (!(w->read_bytes + w->write_bytes <= paleo_fake_device().mem_bytes))
		return paleo_fail(err, PALEO_ENOMEM, "%.3g bytes do not fit into the fake memory",
				  w->read_bytes + w->write_bytes);
	if (asked("unsupported", key))
		return paleo_fail(err, PALEO_EUNSUPPORTED, "not supported, as asked for");
	if (o->rank >= paleo_fake_offered(w))
		return paleo_fail(err, PALEO_EUNSUPPORTED, "there is no algorithm of rank %d",
				  o->rank);
	struct paleo_job *j = calloc(1, sizeof(*j));
	if (!j)
		return paleo_fail(err, PALEO_ENOMEM, "no memory for a job");
	j->work = *w;
	j->rank = o->rank;
	j->mode = o->mode;
	memcpy(j->key, key, sizeof(key));
	j->seed = (uint32_t)paleo_fake_hash(bare);
	set_moment(s, j, bare);
	*info = (struct paleo_job_info){.algorithm = paleo_fake_algorithm(o->rank),
					.operand_sets = 1};
	*out = j;
	return PALEO_OK;
}

static const struct timespec slow_run = {.tv_nsec = 20000000};

static int fake_run(struct paleo_job *j, int reps, double *elapsed_s, struct paleo_error *err)
{
	if (asked("fail", j->key))
		return paleo_fail(err, PALEO_EBACKEND, "the fake library failed, as asked for");
	while (asked("hang", j->key))
		pause();
	if (asked("slow", j->key))
		nanosleep(&slow_run, NULL);
	double noise = asked("still", NULL) ? 0 : PALEO_FAKE_NOISE * normal(j);
	if (asked("noisy", j->key))
		noise *= 20;
	double cold_s = paleo_fake_time(&j->work) * paleo_fake_slowness(j->rank) * j->slowness;
	if (asked("slower", j->key))
		cold_s *= 1.02;
	*elapsed_s = reps * paleo_fake_mode_s(j->mode, cold_s) * exp(noise);
	return PALEO_OK;
}

static int fake_output(struct paleo_job *j, enum paleo_role role, int copy, const double *index,
		       int n, float *out, struct paleo_error *err)
{
	double value, magnitude;

	for (int i = 0; i < n; i++) {
		int rc = paleo_reference_value(&j->work, role, copy, index[i], &value, &magnitude,
					       err);
		if (rc)
			return rc;
		if (asked("wrong", j->key))
			value += 1;
		if (asked("nan", j->key))
			value = NAN;
		out[i] = paleo_round_to((float)value, paleo_dtype_wide(j->work.dtype));
	}
	return PALEO_OK;
}

static int fake_algorithms(struct paleo_session *s, const struct paleo_work *w,
			   const struct paleo_bench_options *o, int most,
			   struct paleo_algorithms *out, struct paleo_error *err)
{
	(void)s;
	(void)o;
	int count = paleo_fake_offered(w);

	if (asked("planner-crash", NULL))
		crash();
	if (count == 1)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "the fake library has one algorithm for this");
	*out = (struct paleo_algorithms){.count = count < most ? count : most};
	for (int rank = 0; rank < out->count; rank++)
		out->items[rank] = paleo_fake_algorithm(rank);
	return PALEO_OK;
}

/* 900 of 1000 MHz, as if it had been asked; its power is not known. */
static void fake_observe_end(struct paleo_session *s, struct paleo_state *out)
{
	*out = (struct paleo_state){.sm_mhz = 900, .clock_ratio = 0.9, .temp_c = 40};
	if (s->is_hot)
		snprintf(out->reasons, sizeof(out->reasons), "sw_thermal");
}

static void fake_release(struct paleo_job *j)
{
	free(j);
}

struct paleo_graph_run {
	const struct paleo_graph *graph;
};

/* 1 if the word is asked for with a text that a step's key contains. */
static int asked_of_any(const char *word, const struct paleo_graph *p)
{
	char key[PALEO_WORK_KEY_MAX];

	if (!asked(word, NULL)) /* mostly: nets may be long */
		return 0;
	for (int i = 0; i < p->step_count; i++) {
		paleo_work_key(&p->steps[i].work, key, sizeof(key));
		if (asked(word, key))
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
	delay("step-delay", p->step_count);
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
	};

	return &table;
}
