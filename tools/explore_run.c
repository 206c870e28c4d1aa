/* explore_run.c - simulates all choices in threads, and keeps those that none beats. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "tools/choice.h"
#include "tools/explore.h"
#include "tools/session/progress.h"
#include "tools/trained_net.h"

/* A device's law, and how often it was asked. */
struct counted_law {
	const struct paleo_calibration *calibration;
	long long *works;
};

/* What one thread has for itself. */
struct explorer {
	const struct explore_grid *grid;
	const struct trained_net *net; /* of all threads */
	atomic_llong *next;            /* group of choices that nobody has begun; of all threads */
	atomic_int *stop;              /* 1: a thread has failed; of all threads */
	struct counted_law laws[EXPLORE_LIST_MAX];
	struct paleo_sim *sims[EXPLORE_LIST_MAX]; /* one for each device */
	struct paleo_sim_setup setup;
	struct paleo_pareto front;
	struct explore_cheapest cheapest[EXPLORE_LIST_MAX]; /* of each device */
	struct explore_counts counts;
	long long impossible_id; /* the lowest */
	struct paleo_error impossible;
	struct paleo_error failure; /* status 0: none */
	struct progress progress;   /* of the first thread alone */
	pthread_t thread;
};

static int work_s(const void *self, const struct paleo_work *w, double *out,
		  struct paleo_error *err)
{
	const struct counted_law *law = self;
	struct paleo_prediction p;
	int rc = paleo_predict_work(law->calibration, w, &p, err);

	++*law->works;
	if (!rc)
		*out = p.parts.total_s;
	return rc;
}

static double now_s(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int open_explorer(struct explorer *e, struct paleo_error *err)
{
	const struct explore_settings *s = e->grid->s;
	int rc = PALEO_OK;

	e->impossible_id = LLONG_MAX;
	e->setup = (struct paleo_sim_setup){
		.overlap = s->overlap,
		.bucket_bytes = s->bucket_mib * 1048576,
		.micro_batches = s->micro_batches,
		.recompute = s->recompute,
	};
	for (int i = 0; !rc && i < e->grid->device_count; i++) {
		e->laws[i] = (struct counted_law){
			.calibration = &e->grid->devices[i].source.calibration,
			.works = &e->counts.works,
		};
		struct paleo_sim_config config = {
			.net = e->net->net,
			.dtype = e->grid->dtype,
			.layout = (enum paleo_layout)s->layout,
			.merge = s->fuse,
			.optimizer = (enum paleo_update_rule)s->optimizer,
			.framework = (enum paleo_framework)s->framework,
			.factor = choice_framework_factor(s->framework, s->no_factor),
			.law = {.self = &e->laws[i], .work_s = work_s},
			.open_part = trained_net_part,
			.open_self = e->net,
		};
		rc = paleo_sim_open(&config, &e->sims[i], err);
	}
	return rc;
}

static void close_explorer(struct explorer *e)
{
	for (int i = 0; i < e->grid->device_count; i++)
		paleo_sim_close(e->sims[i]);
	paleo_pareto_release(&e->front);
}

/* Joins the workers of a device by a link. */
static void set_fabric(struct explorer *e, int device, int link)
{
	const struct explore_grid *g = e->grid;
	double rate = g->devices[device].device.mem_bytes_per_s;

	e->setup.fabric = (struct paleo_fabric){
		.within = g->host_link,
		.between = g->links[link],
		.per_host = g->s->workers_per_host,
		.servers = g->s->servers,
		.reached = g->s->ppp_comm,
		/* reads two numbers and writes one */
		.reduce_s_per_byte = rate > 0 ? 3 / rate : 0,
	};
}

static int simulate(struct explorer *e, const struct explore_choice *c, struct explore_result *out,
		    struct paleo_error *err)
{
	const struct explore_grid *g = e->grid;
	const struct explore_strategy *strategy = &g->strategies[c->strategy];
	struct paleo_sim_setup *s = &e->setup;

	s->scheme = g->schemes[c->scheme];
	s->workers = strategy->is_model ? 1 : g->workers[c->workers];
	s->batch = g->batches[c->batch];
	s->plan = strategy->strategy == paleo_strategy_plan() ? &strategy->plan : NULL;
	if (strategy->shares_images && s->batch < s->workers)
		return paleo_fail(err, PALEO_EINPUT,
				  "%s: %d images are too few for %d workers, expected one for each",
				  strategy->strategy->name, s->batch, s->workers);
	int rc = paleo_sim_step(e->sims[c->device], strategy->strategy, s, &out->step, err);
	if (rc)
		return rc;
	out->epoch_s = out->step.step_s * g->s->epoch_size / s->batch;
	out->cost_usd =
		g->devices[c->device].usd_per_hour * out->step.workers * out->epoch_s / 3600;
	out->memory_bytes = paleo_sim_memory_sum(&out->step.memory);
	return PALEO_OK;
}

/* What does not go together is no failure: it is counted, and the first one's reason kept. */
static int note_impossible(struct explorer *e, long long id, const struct paleo_error *why)
{
	if (why->status != PALEO_EINPUT && why->status != PALEO_EUNSUPPORTED)
		return why->status;
	e->counts.impossible++;
	if (id < e->impossible_id) {
		e->impossible_id = id;
		e->impossible = *why;
	}
	return PALEO_OK;
}

/* The lower number of two that cost the same, so that threads do not matter. */
static void keep_cheaper(struct explore_cheapest *best, const struct explore_cheapest *other)
{
	if (other->cost_usd < best->cost_usd || (isnan(best->cost_usd) && other->cost_usd >= 0) ||
	    (other->cost_usd == best->cost_usd && other->id < best->id))
		*best = *other;
}

static int explore_choice(struct explorer *e, long long id, const struct explore_choice *c,
			  struct paleo_error *err)
{
	const struct explore_grid *g = e->grid;
	struct explore_result r;
	double room = g->devices[c->device].device.mem_bytes;

	e->counts.tried++;
	if (simulate(e, c, &r, err))
		return note_impossible(e, id, err);
	if (room > 0 && r.memory_bytes > room) {
		e->counts.too_large++;
		return PALEO_OK;
	}
	if (g->s->budget > 0 && r.cost_usd > g->s->budget) {
		e->counts.too_dear++;
		return PALEO_OK;
	}
	const struct explore_cheapest cost = {r.cost_usd, id};
	keep_cheaper(&e->cheapest[c->device], &cost);
	struct paleo_pareto_point p = {
		.goals = {r.epoch_s, isnan(r.cost_usd) ? 0 : r.cost_usd, r.memory_bytes},
		.id = id,
	};
	return paleo_pareto_add(&e->front, &p, err);
}

static int explore_group(struct explorer *e, long long first, struct paleo_error *err)
{
	int size = explore_group_size(e->grid), rc = PALEO_OK, link = -1;

	for (long long id = first; !rc && id < first + size; id++) {
		struct explore_choice c = explore_choice_at(e->grid, id);
		if (!explore_distinct(e->grid, &c))
			continue;
		if (c.link != link)
			set_fabric(e, c.device, link = c.link);
		rc = explore_choice(e, id, &c, err);
	}
	return rc;
}

/* Of all threads: what the first one has begun stands for them. */
static void show_progress(struct explorer *e, long long done, long long count)
{
	if (count <= INT_MAX)
		progress_step(&e->progress, (int)done, (int)count, NAN, "choices simulated");
}

static void *explore(void *argument)
{
	struct explorer *e = argument;
	struct paleo_error err = {0};
	int size = explore_group_size(e->grid);
	long long groups = explore_grid_size(e->grid) / size;
	int rc = open_explorer(e, &err);

	while (!rc && !*e->stop) {
		long long group = atomic_fetch_add(e->next, 1);
		if (group >= groups)
			break;
		show_progress(e, group * size, groups * size);
		rc = explore_group(e, group * size, &err);
	}
	if (rc) {
		e->failure = err;
		*e->stop = 1;
	}
	return NULL;
}

static int gather(struct explorer *all, int count, struct explore_findings *out,
		  struct paleo_error *err)
{
	long long first = LLONG_MAX;
	int rc = PALEO_OK;

	for (int k = 0; !rc && k < count; k++) {
		const struct explorer *e = &all[k];
		if (e->failure.status) {
			*err = e->failure;
			return e->failure.status;
		}
		out->counts.tried += e->counts.tried;
		out->counts.impossible += e->counts.impossible;
		out->counts.too_large += e->counts.too_large;
		out->counts.too_dear += e->counts.too_dear;
		out->counts.works += e->counts.works;
		for (int i = 0; i < EXPLORE_LIST_MAX; i++)
			keep_cheaper(&out->cheapest[i], &e->cheapest[i]);
		if (e->impossible_id < first) {
			first = e->impossible_id;
			out->impossible = e->impossible;
		}
		for (int i = 0; !rc && i < e->front.count; i++)
			rc = paleo_pareto_add(&out->front, &e->front.points[i], err);
	}
	paleo_pareto_sort(&out->front);
	return rc;
}

/* Simulates the front's points once more, for all their numbers. */
static int fill_results(struct explorer *e, struct explore_findings *out, struct paleo_error *err)
{
	int rc = PALEO_OK;

	out->results = calloc((size_t)out->front.count + 1, sizeof(*out->results));
	if (!out->results)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d points",
				  out->front.count);
	for (int i = 0; !rc && i < out->front.count; i++) {
		struct explore_choice c = explore_choice_at(e->grid, out->front.points[i].id);
		set_fabric(e, c.device, c.link);
		rc = simulate(e, &c, &out->results[i], err);
	}
	return rc;
}

/* The first explorer works in this thread; where no thread can be had, the others do more. */
static void run_all(struct explorer *all, int count)
{
	int started = 1;

	while (started < count &&
	       !pthread_create(&all[started].thread, NULL, explore, &all[started]))
		started++;
	explore(&all[0]);
	for (int k = 1; k < started; k++)
		pthread_join(all[k].thread, NULL);
}

static int thread_count(const struct explore_grid *g)
{
	long long groups = explore_grid_size(g) / explore_group_size(g);
	long cores = g->s->threads ? g->s->threads : sysconf(_SC_NPROCESSORS_ONLN);

	if (cores > groups)
		cores = (long)groups;
	return cores < 1 ? 1 : cores > EXPLORE_THREADS_MAX ? EXPLORE_THREADS_MAX : (int)cores;
}

int explore_run(const struct explore_grid *g, const char *name, struct explore_findings *out,
		struct paleo_error *err)
{
	struct explorer *all = NULL;
	struct trained_net net;
	atomic_llong next = 0;
	atomic_int stop = 0;
	double start = now_s(CLOCK_MONOTONIC), cpu = now_s(CLOCK_PROCESS_CPUTIME_ID);

	*out = (struct explore_findings){.threads = thread_count(g)};
	for (int i = 0; i < EXPLORE_LIST_MAX; i++)
		out->cheapest[i].cost_usd = NAN;
	int rc = trained_net_open(name, &net, err);
	if (rc)
		return rc;
	assert(out->threads > 0);
	all = calloc((size_t)out->threads, sizeof(*all));
	if (!all) {
		rc = paleo_fail(err, PALEO_ENOMEM, "out of memory for %d threads", out->threads);
		goto out;
	}
	for (int k = 0; k < out->threads; k++) {
		all[k].grid = g;
		all[k].net = &net;
		for (int i = 0; i < EXPLORE_LIST_MAX; i++)
			all[k].cheapest[i].cost_usd = NAN;
		all[k].next = &next;
		all[k].stop = &stop;
	}
	progress_open(&all[0].progress, g->s->quiet);
	run_all(all, out->threads);
	progress_clear(&all[0].progress);
	rc = gather(all, out->threads, out, err);
	out->elapsed_s = now_s(CLOCK_MONOTONIC) - start;
	out->cpu_s = now_s(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	if (!rc)
		rc = fill_results(&all[0], out, err);
	for (int k = 0; k < out->threads; k++)
		close_explorer(&all[k]);
out:
	out->tokens = net.tokens;
	free(all);
	paleo_net_free(net.net);
	return rc;
}

void explore_findings_release(struct explore_findings *f)
{
	paleo_pareto_release(&f->front);
	free(f->results);
	f->results = NULL;
}
