/* paleo2017.c - `simulate` as the original did it: its text, or its numbers as a table. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "paleo/net.h"
#include "tools/simulate/simulate.h"

/* A net as the original sees it. */
struct opened {
	struct paleo_net *source;
	struct paleo_2017_net *net;
};

static int open_net(struct simulate_plan *p, const char *name, struct opened *out,
		    struct paleo_error *err)
{
	PALEO_TRY(paleo_net_open(name, 0, &out->source, err));
	p->batch = p->s->batch ? p->s->batch : out->source->batch;
	return paleo_2017_open(out->source, &out->net, err);
}

static void close_net(struct opened *o)
{
	paleo_2017_close(o->net);
	paleo_net_free(o->source);
}

/* A number as Python 3 prints it: the fewest digits, a point in it, an exponent below 1e-4 and from
 * 1e16 on. */
static void print_number(double x)
{
	char text[32], plain[512];
	int digits = 0;

	paleo_json_number_text(x, text, sizeof(text));
	if (x != 0 && (fabs(x) < 1e-4 || fabs(x) >= 1e16)) {
		fputs(text, stdout);
		return;
	}
	/* the fewest decimals that read back */
	do
		snprintf(plain, sizeof(plain), "%.*f", ++digits, x);
	while (strtod(plain, NULL) != x);
	fputs(plain, stdout);
}

/* The first two columns of a row. */
static void print_size(int workers, double batch)
{
	paleo_print(stdout, "%d", workers);
	putchar('\t');
	paleo_print(stdout, "%.0f", batch);
}

/* One more, a whole number. */
static void print_digit(int digit)
{
	putchar('\t');
	paleo_print(stdout, "%d", digit);
}

/* Fields of a row, with the separator in front. */
static void print_fields(const double *x, int count)
{
	for (int i = 0; i < count; i++) {
		putchar('\t');
		print_number(x[i]);
	}
}

static void print_names(const char *const *names)
{
	for (int i = 0; names[i]; i++) {
		if (i)
			putchar('\t');
		fputs(names[i], stdout);
	}
	putchar('\n');
}

/* The original takes one number for hybrid parallelism, by default 1. */
static int hybrid_workers(const struct simulate_plan *p)
{
	return p->s->workers ? p->workers[0] : 1;
}

static void print_head(const struct simulate_plan *p, int hybrid)
{
	paleo_print(stdout, "Profiling for device %s and %s (%f GB/s)\n", p->device_2017.title,
		    p->network_title, p->sim_2017.gbit_per_s / 8);
	paleo_print(stdout, "Use pipelining: %s\n", p->s->use_pipeline ? "True" : "False");
	if (hybrid)
		paleo_print(stdout, "Hybrid workers: %d\n", hybrid_workers(p));
	paleo_print(stdout, "Use gemm: %s  PPP comp: %f   PPP comm: %f\n",
		    p->s->algorithm ? "False" : "True", p->s->ppp_compute, p->s->ppp_link);
}

static int print_data(const struct simulate_plan *p, const struct paleo_2017_net *net, int strong,
		      struct paleo_error *err)
{
	static const char *const names[] = {
		"workers",         "batch_size", "iter",     "time_fwd",      "time_bwd",
		"time_apply",      "time_comp",  "OneToAll", "TreeAllReduce", "ButterflyAllReduce",
		"ButterflyMixing", NULL};
	struct paleo_2017_data rows[SIMULATE_LIST_MAX] = {{0}};

	for (int i = 0; i < p->worker_count; i++)
		PALEO_TRY(paleo_2017_data(net, &p->sim_2017, p->batch, p->workers[i], strong,
					  &rows[i], err));
	paleo_print(stdout, "%s scaling\n", strong ? "strong" : "weak");
	print_head(p, 0);
	print_names(names);
	for (int i = 0; i < p->worker_count; i++) {
		const struct paleo_2017_data *r = &rows[i];
		const double times[] = {r->fwd_ms, r->bwd_ms, r->apply_ms, r->comp_ms};
		print_size(r->workers, r->batch);
		print_digit(1);
		print_fields(times, 4);
		print_fields(r->sync_ms, PALEO_2017_SCHEMES);
		putchar('\n');
	}
	return PALEO_OK;
}

static int print_model(const struct simulate_plan *p, const struct paleo_2017_net *net,
		       struct paleo_error *err)
{
	double fwd[2] = {0}, bwd[2] = {0};

	puts("Model parallel");
	PALEO_TRY(paleo_2017_model(net, &p->sim_2017, p->batch, PALEO_2017_FWD, &fwd[0], &fwd[1],
				   err));
	PALEO_TRY(paleo_2017_model(net, &p->sim_2017, p->batch, PALEO_2017_BWD, &bwd[0], &bwd[1],
				   err));
	print_head(p, 0);
	fputs("Pass", stdout);
	putchar('\t');
	puts("Lowerbound, Upperbound");
	fputs("Fwd", stdout);
	print_fields(fwd, 2);
	fputs("\nBwd", stdout);
	print_fields(bwd, 2);
	putchar('\n');
	return PALEO_OK;
}

static int print_hybrid(const struct simulate_plan *p, const struct paleo_2017_net *net,
			struct paleo_error *err)
{
	static const char *const names[] = {"workers",    "batch_size",      "fwd_time", "bwd_time",
					    "apply_time", "sync_time(tree)", NULL};
	struct paleo_2017_hybrid rows[2] = {{0}};
	int workers = hybrid_workers(p);

	puts("Hybrid parallel");
	PALEO_TRY(paleo_2017_hybrid(net, &p->sim_2017, p->batch, workers, &rows[0], &rows[1], err));
	print_head(p, 1);
	print_names(names);
	for (int i = 0; i < 2; i++) {
		const struct paleo_2017_hybrid *r = &rows[i];
		const double times[] = {r->fwd_ms, r->bwd_ms, r->apply_ms};
		print_size(workers, r->batch);
		if (r->whole) {
			print_digit(0);
			print_digit(0);
			print_fields(times + 2, 1);
		} else {
			print_fields(times, 3);
		}
		if (i)
			print_digit(0);
		else
			print_fields(&r->sync_ms, 1);
		putchar('\n');
	}
	return PALEO_OK;
}

static int print_net(const struct simulate_plan *p, const struct paleo_2017_net *net,
		     const struct paleo_strategy *strategy, struct paleo_error *err)
{
	if (!strcmp(strategy->name, "model") || !strcmp(strategy->name, "hybrid")) {
		puts("==========");
		return strategy->name[0] == 'm' ? print_model(p, net, err)
						: print_hybrid(p, net, err);
	}
	for (int i = 0; i < p->scaling_count; i++) {
		puts("==========");
		PALEO_TRY(print_data(p, net, p->strong[i], err));
	}
	return PALEO_OK;
}

int simulate_as_2017(struct simulate_plan *p, const char *const *nets, int count,
		     struct paleo_error *err)
{
	for (int i = 0; i < count; i++) {
		struct opened o = {0};
		paleo_print(stdout, "%s\n", nets[i]);
		int rc = open_net(p, nets[i], &o, err);
		for (int k = 0; !rc && k < p->strategy_count; k++)
			rc = print_net(p, o.net, p->strategies[k], err);
		close_net(&o);
		if (rc == PALEO_EUNSUPPORTED)
			paleo_error_prefix(err, "%s", nets[i]);
		if (rc)
			return rc;
	}
	return PALEO_OK;
}

/* The four schemes under our names. */
static const char *const scheme_names[PALEO_2017_SCHEMES] = {"one-to-all", "tree", "butterfly",
							     "mixing"};

/* A row of the table with what the original does not know left out. */
static struct simulate_row empty_row(const struct simulate_plan *p, const char *net,
				     const char *parallel)
{
	struct simulate_row r = {
		.seq = NAN,
		.epoch_size = p->s->epoch_size,
		.step = {.worker_batch = p->batch,
			 .comm_s = NAN,
			 .exposed_s = NAN,
			 .lower_s = NAN,
			 .upper_s = NAN,
			 .memory = {NAN, NAN, NAN, NAN, NAN}},
	};

	snprintf(r.net, sizeof(r.net), "%s", net);
	snprintf(r.parallel, sizeof(r.parallel), "%s", parallel);
	return r;
}

static int single_rate(const struct simulate_plan *p, const struct paleo_2017_net *net, double *out)
{
	struct paleo_2017_data one;
	struct paleo_error ignored;
	int rc = paleo_2017_data(net, &p->sim_2017, p->batch, 1, 0, &one, &ignored);

	*out = rc ? NAN : p->batch / (one.comp_ms / 1000);
	return rc;
}

static int data_rows(const struct simulate_plan *p, struct simulate_rows *rows, const char *name,
		     const struct paleo_2017_net *net, int strong, struct paleo_error *err)
{
	for (int i = 0; i < p->worker_count; i++) {
		struct simulate_row r = empty_row(p, name, "data");
		struct paleo_2017_data d;
		PALEO_TRY(paleo_2017_data(net, &p->sim_2017, p->batch, p->workers[i], strong, &d,
					  err));
		single_rate(p, net, &r.single_per_s);
		r.scaling = strong ? "strong" : "weak";
		r.workers = d.workers;
		r.batch = d.batch;
		r.step.worker_batch = (int)ceil(d.batch / d.workers);
		r.step.fwd_s = d.fwd_ms / 1000;
		r.step.bwd_s = d.bwd_ms / 1000;
		r.step.update_s = d.apply_ms / 1000;
		for (int k = 0; k < PALEO_2017_SCHEMES; k++) {
			r.scheme = scheme_names[k];
			r.step.comm_s = r.step.exposed_s = d.sync_ms[k] / 1000;
			r.step.step_s = (d.comp_ms + d.sync_ms[k]) / 1000;
			PALEO_TRY(simulate_add(rows, &r, err));
		}
	}
	return PALEO_OK;
}

static int model_rows(const struct simulate_plan *p, struct simulate_rows *rows, const char *name,
		      const struct paleo_2017_net *net, struct paleo_error *err)
{
	struct simulate_row r = empty_row(p, name, "model");
	double fwd[2] = {0}, bwd[2] = {0};

	PALEO_TRY(paleo_2017_model(net, &p->sim_2017, p->batch, PALEO_2017_FWD, &fwd[0], &fwd[1],
				   err));
	PALEO_TRY(paleo_2017_model(net, &p->sim_2017, p->batch, PALEO_2017_BWD, &bwd[0], &bwd[1],
				   err));
	single_rate(p, net, &r.single_per_s);
	r.workers = NAN;
	r.batch = p->batch;
	r.step.fwd_s = fwd[0] / 1000;
	r.step.bwd_s = bwd[0] / 1000;
	r.step.update_s = NAN;
	r.step.lower_s = (fwd[0] + bwd[0]) / 1000;
	r.step.upper_s = (fwd[1] + bwd[1]) / 1000;
	r.step.step_s = NAN; /* it lies between the two */
	return simulate_add(rows, &r, err);
}

static int hybrid_rows(const struct simulate_plan *p, struct simulate_rows *rows, const char *name,
		       const struct paleo_2017_net *net, int workers, struct paleo_error *err)
{
	struct simulate_row r = empty_row(p, name, "hybrid");
	struct paleo_2017_hybrid d, m;

	PALEO_TRY(paleo_2017_hybrid(net, &p->sim_2017, p->batch, workers, &d, &m, err));
	single_rate(p, net, &r.single_per_s);
	r.scaling = "weak";
	r.scheme = "tree";
	r.workers = workers;
	r.batch = d.batch;
	r.step.fwd_s = (d.fwd_ms + m.fwd_ms) / 1000;
	r.step.bwd_s = (d.bwd_ms + m.bwd_ms) / 1000;
	r.step.update_s = (d.apply_ms + m.apply_ms) / 1000;
	r.step.comm_s = r.step.exposed_s = d.sync_ms / 1000;
	r.step.step_s = r.step.fwd_s + r.step.bwd_s + r.step.update_s + r.step.comm_s;
	return simulate_add(rows, &r, err);
}

int simulate_rows_2017(struct simulate_plan *p, struct simulate_rows *rows, const char *net,
		       struct paleo_error *err)
{
	struct opened o = {0};
	int rc = open_net(p, net, &o, err);

	for (int k = 0; !rc && k < p->strategy_count; k++) {
		const char *strategy = p->strategies[k]->name;
		if (!strcmp(strategy, "model"))
			rc = model_rows(p, rows, net, o.net, err);
		for (int i = 0; !rc && !strcmp(strategy, "hybrid") && i < p->worker_count; i++)
			rc = hybrid_rows(p, rows, net, o.net, p->workers[i], err);
		for (int i = 0; !rc && !strcmp(strategy, "data") && i < p->scaling_count; i++)
			rc = data_rows(p, rows, net, o.net, p->strong[i], err);
	}
	close_net(&o);
	if (rc == PALEO_EUNSUPPORTED)
		paleo_error_prefix(err, "%s", net);
	return rc;
}
