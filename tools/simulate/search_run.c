/* search_run.c - simulates all choices in threads, and keeps those that none beats. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "paleo/net.h"
#include "tools/cli/choice.h"
#include "tools/print/print.h"
#include "tools/session/progress.h"
#include "tools/simulate/search.h"

/* A device's cost model, and how often it was asked. */
struct counted_cost_model {
	const struct paleo_calibration *calibration;
	long long *ops;
};

/* State of one thread. */
struct searcher {
	const struct search_grid *grid;
	const struct paleo_trained_net *net; /* of all threads */
	atomic_llong *next; /* group of choices that nobody has begun; of all threads */
	atomic_int *stop;   /* 1: a thread has failed; of all threads */
	struct counted_cost_model cost_models[SEARCH_LIST_MAX];
	struct paleo_sim *sims[SEARCH_LIST_MAX]; /* one for each device */
	struct paleo_sim_setup setup;
	struct paleo_pareto front;
	struct search_cheapest cheapest[SEARCH_LIST_MAX]; /* of each device */
	struct search_counts counts;
	long long impossible_id; /* the lowest */
	struct paleo_error impossible;
	struct paleo_error failure; /* status 0: none */
	struct progress progress;   /* of the first thread alone */
	pthread_t thread;
};

static int op_s(const void *self, const struct paleo_op *w, double *out, struct paleo_error *err)
{
	const struct counted_cost_model *cost_model = self;
	struct paleo_prediction p;
	int rc = paleo_predict_op(cost_model->calibration, w, &p, err);

	++*cost_model->ops;
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

static int open_searcher(struct searcher *e, struct paleo_error *err)
{
	const struct simulate_settings *s = e->grid->s;

	e->impossible_id = LLONG_MAX;
	e->setup = (struct paleo_sim_setup){
		.overlap = s->overlap,
		.bucket_bytes = s->bucket_mib * 1048576,
		.micro_batches = s->micro_batches,
		.recompute = s->recompute,
	};
	for (int i = 0; i < e->grid->device_count; i++) {
		e->cost_models[i] = (struct counted_cost_model){
			.calibration = &e->grid->devices[i].source.calibration,
			.ops = &e->counts.ops,
		};
		struct paleo_sim_config config = {
			.net = e->net->net,
			.dtype = e->grid->dtype,
			.layout = (enum paleo_layout)s->layout,
			.merge = s->fuse,
			.optimizer = (enum paleo_update_rule)s->optimizer,
			.separate_attention = s->separate_attention,
			.framework = (enum paleo_framework)s->framework,
			.factor = choice_framework_factor(s->framework),
			.device = paleo_calibration_timed(e->cost_models[i].calibration),
			.cost_model = {.self = &e->cost_models[i], .op_s = op_s},
			.open_part = paleo_trained_net_part,
			.open_self = e->net,
		};
		PALEO_TRY(paleo_sim_open(&config, &e->sims[i], err));
	}
	return PALEO_OK;
}

static void close_searcher(struct searcher *e)
{
	for (int i = 0; i < e->grid->device_count; i++)
		paleo_sim_close(e->sims[i]);
	paleo_pareto_release(&e->front);
}

/* Joins the workers of a device by a link. */
static void set_fabric(struct searcher *e, int device, int link)
{
	const struct search_grid *g = e->grid;
	double rate = g->devices[device].device.mem_bytes_per_s;

	e->setup.fabric = (struct paleo_fabric){
		.within = g->node_link,
		.between = g->links[link],
		.per_host = g->s->workers_per_node,
		.servers = g->s->servers,
		.reached = g->s->ppp_link,
		/* reads two numbers and writes one */
		.reduce_s_per_byte = rate > 0 ? 3 / rate : 0,
	};
	if (simulate_is_usual_fabric(g->s))
		paleo_fabric_usual(&e->setup.fabric, g->devices[device].device.name);
}

static int simulate(struct searcher *e, const struct search_choice *c, struct search_result *out,
		    struct paleo_error *err)
{
	const struct search_grid *g = e->grid;
	const struct search_strategy *strategy = &g->strategies[c->strategy];
	struct paleo_sim_setup *s = &e->setup;

	s->scheme = g->schemes[c->scheme];
	s->workers = strategy->is_model ? 1 : g->workers[c->workers];
	s->batch = g->batches[c->batch];
	s->plan = strategy->strategy == paleo_strategy_plan() ? &strategy->plan : NULL;
	if (strategy->shares_images && s->batch < s->workers)
		return paleo_fail(err, PALEO_EINPUT,
				  "%s: %d images for %d workers, expected at least one each",
				  strategy->strategy->name, s->batch, s->workers);
	PALEO_TRY(paleo_sim_step(e->sims[c->device], strategy->strategy, s, &out->step, err));
	out->epoch_s = out->step.step_s * g->s->epoch_size / s->batch;
	out->cost_usd =
		g->devices[c->device].usd_per_hour * out->step.workers * out->epoch_s / 3600;
	out->memory_bytes = paleo_sim_memory_sum(&out->step.memory);
	return PALEO_OK;
}

/* Impossible combinations are no failure: they are counted, with the first one's reason. */
static int note_impossible(struct searcher *e, long long id, const struct paleo_error *why)
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

/* Of two that cost the same the faster, the smaller, the one with the lower number: one that is
 * Pareto-optimal among its device's, and the same with any number of threads. */
static int is_cheaper(const struct search_cheapest *a, const struct search_cheapest *b)
{
	if (isnan(b->cost_usd))
		return a->cost_usd >= 0;
	if (a->cost_usd != b->cost_usd)
		return a->cost_usd < b->cost_usd;
	if (a->epoch_s != b->epoch_s)
		return a->epoch_s < b->epoch_s;
	if (a->memory_bytes != b->memory_bytes)
		return a->memory_bytes < b->memory_bytes;
	return a->id < b->id;
}

static void keep_cheaper(struct search_cheapest *best, const struct search_cheapest *other)
{
	if (is_cheaper(other, best))
		*best = *other;
}

static int search_choice(struct searcher *e, long long id, const struct search_choice *c,
			 struct paleo_error *err)
{
	const struct search_grid *g = e->grid;
	struct search_result r;
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
	const struct search_cheapest cost = {.cost_usd = r.cost_usd,
					     .epoch_s = r.epoch_s,
					     .memory_bytes = r.memory_bytes,
					     .id = id};
	keep_cheaper(&e->cheapest[c->device], &cost);
	struct paleo_pareto_point p = {
		.goals = {r.epoch_s, isnan(r.cost_usd) ? 0 : r.cost_usd, r.memory_bytes},
		.id = id,
	};
	return paleo_pareto_add(&e->front, &p, err);
}

static int search_group(struct searcher *e, long long first, struct paleo_error *err)
{
	int size = search_group_size(e->grid), rc = PALEO_OK, link = -1;

	for (long long id = first; !rc && id < first + size; id++) {
		struct search_choice c = search_choice_at(e->grid, id);
		if (!search_distinct(e->grid, &c))
			continue;
		if (c.link != link)
			set_fabric(e, c.device, link = c.link);
		rc = search_choice(e, id, &c, err);
	}
	return rc;
}

/* Of all threads: what the first one has begun stands for them. */
static void show_progress(struct searcher *e, long long done, long long count)
{
	if (count <= INT_MAX)
		progress_step(&e->progress, (int)done, (int)count, NAN, "configurations simulated");
}

static void *search(void *argument)
{
	struct searcher *e = argument;
	struct paleo_error err = {0};
	int size = search_group_size(e->grid);
	long long groups = search_grid_size(e->grid) / size;
	int rc = open_searcher(e, &err);

	while (!rc && !*e->stop) {
		long long group = atomic_fetch_add(e->next, 1);
		if (group >= groups)
			break;
		show_progress(e, group * size, groups * size);
		rc = search_group(e, group * size, &err);
	}
	if (rc) {
		e->failure = err;
		*e->stop = 1;
	}
	return NULL;
}

static int gather(struct searcher *all, int count, struct search_findings *out,
		  struct paleo_error *err)
{
	long long first = LLONG_MAX;
	int rc = PALEO_OK;

	for (int k = 0; !rc && k < count; k++) {
		const struct searcher *e = &all[k];
		if (e->failure.status) {
			*err = e->failure;
			return e->failure.status;
		}
		out->counts.tried += e->counts.tried;
		out->counts.impossible += e->counts.impossible;
		out->counts.too_large += e->counts.too_large;
		out->counts.too_dear += e->counts.too_dear;
		out->counts.ops += e->counts.ops;
		for (int i = 0; i < SEARCH_LIST_MAX; i++)
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
static int fill_results(struct searcher *e, struct search_findings *out, struct paleo_error *err)
{
	out->results = calloc((size_t)out->front.count + 1, sizeof(*out->results));
	if (!out->results)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d points",
				  out->front.count);
	for (int i = 0; i < out->front.count; i++) {
		struct search_choice c = search_choice_at(e->grid, out->front.points[i].id);
		set_fabric(e, c.device, c.link);
		PALEO_TRY(simulate(e, &c, &out->results[i], err));
	}
	return PALEO_OK;
}

/* The interval of a training step's ops on one worker, over their sum; NaN where one has none. */
static int step_interval(const struct search_grid *g, const char *name,
			 const struct search_choice *c, double *low, double *high,
			 struct paleo_error *err)
{
	const struct paleo_calibration *by = &g->devices[c->device].source.calibration;
	int batch = g->batches[c->batch] / g->workers[c->workers], known = 1;
	struct paleo_net *net = NULL;
	struct paleo_op_list ops = {.layout = (enum paleo_layout)g->s->layout};
	struct paleo_prediction *list = NULL;
	struct paleo_prediction_sum sum = {.interval = PALEO_NO_INTERVAL};

	int rc = paleo_net_open(name, batch > 0 ? batch : 1, &net, err);
	if (!rc)
		rc = paleo_net_ops(net, g->dtype, PALEO_PASSES_ALL, &ops, err);
	if (!rc && !(list = calloc((size_t)ops.count + 1, sizeof(*list))))
		rc = paleo_fail(err, PALEO_ENOMEM, "out of memory for %d ops", ops.count);
	for (int i = 0; !rc && known && i < ops.count; i++)
		known = !paleo_predict_op(by, &ops.items[i].op, &list[i], err);
	if (!rc && known)
		rc = paleo_prediction_add_up(list, ops.count, &sum, err);
	*low = sum.interval.low / sum.parts.total_s;
	*high = sum.interval.high / sum.parts.total_s;
	free(list);
	paleo_op_list_release(&ops);
	paleo_net_free(net);
	return rc;
}

static int fill_intervals(const struct search_grid *g, const char *name,
			  struct search_findings *out, struct paleo_error *err)
{
	for (int i = 0; i < g->device_count; i++) {
		struct search_cheapest *of = &out->cheapest[i];
		if (isnan(of->cost_usd))
			continue;
		const struct search_choice c = search_choice_at(g, of->id);
		PALEO_TRY(step_interval(g, name, &c, &of->low, &of->high, err));
		of->low *= of->cost_usd;
		of->high *= of->cost_usd;
	}
	return PALEO_OK;
}

/* The first explorer ops in this thread; where no thread can be had, the others do more. */
static void run_all(struct searcher *all, int count)
{
	int started = 1;

	while (started < count &&
	       !pthread_create(&all[started].thread, NULL, search, &all[started]))
		started++;
	search(&all[0]);
	for (int k = 1; k < started; k++)
		pthread_join(all[k].thread, NULL);
}

static int thread_count(const struct search_grid *g)
{
	long long groups = search_grid_size(g) / search_group_size(g);
	long cores = g->s->threads ? g->s->threads : sysconf(_SC_NPROCESSORS_ONLN);

	if (cores > groups)
		cores = (long)groups;
	return cores < 1 ? 1 : cores > SEARCH_THREADS_MAX ? SEARCH_THREADS_MAX : (int)cores;
}

int search_run(const struct search_grid *g, const struct paleo_trained_net *net,
	       struct search_findings *out, struct paleo_error *err)
{
	struct searcher *all = NULL;
	atomic_llong next = 0;
	atomic_int stop = 0;
	double start = now_s(CLOCK_MONOTONIC), cpu = now_s(CLOCK_PROCESS_CPUTIME_ID);

	*out = (struct search_findings){.threads = thread_count(g), .tokens = net->tokens};
	for (int i = 0; i < SEARCH_LIST_MAX; i++)
		out->cheapest[i].cost_usd = NAN;
	assert(out->threads > 0);
	all = calloc((size_t)out->threads, sizeof(*all));
	if (!all)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d threads", out->threads);
	for (int k = 0; k < out->threads; k++) {
		all[k].grid = g;
		all[k].net = net;
		for (int i = 0; i < SEARCH_LIST_MAX; i++)
			all[k].cheapest[i].cost_usd = NAN;
		all[k].next = &next;
		all[k].stop = &stop;
	}
	progress_open(&all[0].progress, g->s->view.quiet);
	run_all(all, out->threads);
	progress_clear(&all[0].progress);
	int rc = gather(all, out->threads, out, err);
	out->elapsed_s = now_s(CLOCK_MONOTONIC) - start;
	out->cpu_s = now_s(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	if (!rc)
		rc = fill_results(&all[0], out, err);
	if (!rc && g->device_count > 1)
		rc = fill_intervals(g, net->name, out, err);
	for (int k = 0; k < out->threads; k++)
		close_searcher(&all[k]);
	free(all);
	return rc;
}

void search_findings_release(struct search_findings *f)
{
	paleo_pareto_release(&f->front);
	free(f->results);
	f->results = NULL;
}
