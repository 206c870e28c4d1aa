/* graph_runs.c - runs whole nets on an open device, each pass as one thing, and records them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "base/text.h"
#include "bench/clock.h"
#include "paleo/net.h"
#include "tools/session/plan.h"
#include "tools/session/runner.h"

/* The rows of a net's pass; updates by the rule that was asked for. */
static int list_rows(const struct passes_settings *ps, const struct paleo_net *net,
		     enum paleo_extent extent, struct paleo_op_list *out, struct paleo_error *err)
{
	const struct paleo_ops_options o = {.dtype = ps->dtype,
					    .layout = ps->layout,
					    .passes = paleo_graph_passes(extent),
					    .fuse = ps->fuse,
					    .separate_attention = ps->separate_attention};
	int rc = paleo_net_ops_with(net, &o, out, err);

	for (int i = 0; !rc && i < out->count; i++) {
		struct paleo_op *w = &out->items[i].op;
		if (w->kind != PALEO_UPDATE)
			continue;
		w->geom.update.rule = (int)ps->rule;
		rc = paleo_op_finish(w, err);
	}
	return rc;
}

/* Values of the rows that are known without the pass. */
static int fill_rows(const struct paleo_results *alone, const struct paleo_op_list *list,
		     struct paleo_graph_record *f, struct paleo_error *err)
{
	f->rows = calloc((size_t)list->count + 1, sizeof(*f->rows));
	if (!f->rows)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", list->count);
	f->count = list->count;
	for (int i = 0; i < list->count; i++) {
		const struct paleo_net_op *from = &list->items[i];
		struct paleo_net_row *to = &f->rows[i].row;
		const struct paleo_result *r = paleo_results_find(alone, &from->op, "cold");
		plan_short_name(from->layer->name, to->layer, sizeof(to->layer));
		snprintf(to->kind, sizeof(to->kind), "%s", from->what);
		to->pass = from->pass;
		to->op = from->op;
		int known = r && r->status == PALEO_RECORD_OK;
		f->rows[i].isolated_s = known ? r->timing.median_s : NAN;
	}
	return PALEO_OK;
}

/* Steps to rows: an update is several steps. */
static void sum_steps(const struct paleo_graph *p, const struct paleo_pass_times *times,
		      struct paleo_graph_record *f)
{
	for (int i = 0; i < p->step_count; i++) {
		f->rows[p->steps[i].row].in_network_s += times->step_s[i];
		f->rows[p->steps[i].row].change_s += times->change_s[i];
	}
}

static int measure(const struct passes_settings *ps, struct session *s, const struct paleo_graph *p,
		   struct paleo_graph_record *f, struct paleo_error *err)
{
	struct paleo_measure_policy policy = s->policy;
	struct paleo_graph_run_result result = {.status = PALEO_RECORD_OK};
	size_t steps = (size_t)p->step_count;
	double *medians = calloc(2 * steps + 1, sizeof(*medians));

	if (!medians)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d steps", p->step_count);
	struct paleo_pass_times times = {.step_s = medians, .change_s = medians + steps};
	policy.budget_s = ps->budget_s;
	policy.min_samples = PALEO_INTERVAL_SAMPLES;
	policy.warmup_s = fmin(0.5, policy.budget_s / 4);
	int rc = paleo_worker_graph(s->worker, p, NULL, &policy, &result, &times, err);
	if (!rc) {
		f->status = result.status;
		memcpy(f->reason, result.reason, sizeof(f->reason));
		snprintf(f->how, sizeof(f->how), "%s", result.info.how);
		snprintf(f->regime, sizeof(f->regime), "%s",
			 paleo_regime_name(paleo_measure_regime(&policy)));
		f->timing = result.timing;
		f->in_network_samples = result.in_network_samples;
		f->layout_changes = result.info.layout_changes;
		f->memory = result.info.memory;
		if (f->status == PALEO_RECORD_OK)
			sum_steps(p, &times, f);
	}
	free(medians);
	return rc;
}

/* A failed pass has no rows to identify it by. */
static int has_rows(const struct paleo_graph_record *old, const struct paleo_graph_record *f)
{
	if (old->status != PALEO_RECORD_OK)
		return 1;
	if (old->count != f->count)
		return 0;
	for (int i = 0; i < f->count; i++)
		if (!paleo_op_equal(&old->rows[i].row.op, &f->rows[i].row.op))
			return 0;
	return 1;
}

/* The pass that the records hold already, or NULL: a net of the same name may be another one by
 * now. */
static const struct paleo_graph_record *find_old(const struct passes_settings *ps,
						 const struct paleo_graph_record *f)
{
	const struct paleo_graph_record *old =
		ps->records ? paleo_results_find_pass(&ps->records->old, f) : NULL;

	if (!old || !records_keeps(old->status, ps->retry_failed))
		return NULL;
	return has_rows(old, f) ? old : NULL;
}

/* Takes over what was measured before; what failed has no rows there. A row may have been measured
 * alone since. */
static void reuse(const struct paleo_graph_record *old, struct paleo_graph_record *f)
{
	struct paleo_graph_record_row *rows = f->rows;
	int count = f->count;

	for (int i = 0; old->status == PALEO_RECORD_OK && i < count; i++) {
		double alone = rows[i].isolated_s;
		rows[i] = old->rows[i];
		if (isnan(rows[i].isolated_s))
			rows[i].isolated_s = alone;
	}
	*f = *old;
	f->rows = rows;
	f->count = count;
}

static int run_new(const struct passes_settings *ps, struct session *s, const struct paleo_graph *p,
		   struct paleo_graph_record *f, struct paleo_error *err)
{
	char what[PROGRESS_WHAT_MAX];

	f->predicted = paleo_graph_memory_of(p);
	snprintf(what, sizeof(what), "%s, batch %d, %s", f->net, f->batch,
		 paleo_extent_name(f->extent));
	progress_step(&s->progress, ps->done, ps->count,
		      paleo_now_s() + (ps->count - ps->done) * (ps->budget_s + s->policy.sustain_s),
		      what);
	int rc = measure(ps, s, p, f, err);
	progress_clear(&s->progress);
	return rc || !ps->records ? rc : records_add_pass(ps->records, f, err);
}

int passes_run(const struct passes_settings *ps, struct session *s, const struct paleo_net *net,
	       enum paleo_extent extent, struct paleo_graph_record *out, struct paleo_error *err)
{
	struct paleo_op_list list = {0};
	struct paleo_graph graph = {.step_count = 0};

	*out = (struct paleo_graph_record){.batch = net->batch,
					   .dtype = ps->dtype,
					   .extent = extent,
					   .rule = ps->rule,
					   .layout = ps->layout,
					   .fused = ps->fuse};
	snprintf(out->net, sizeof(out->net), "%s", net->name);
	int rc = list_rows(ps, net, extent, &list, err);
	if (!rc)
		rc = fill_rows(ps->alone, &list, out, err);
	if (!rc)
		rc = paleo_graph_build(net, &list, extent, ps->rule, &graph, err);
	const struct paleo_graph_record *old = rc ? NULL : find_old(ps, out);
	if (old)
		reuse(old, out);
	else if (!rc)
		rc = run_new(ps, s, &graph, out, err);
	if (!rc && out->reason[0])
		paleo_print(ps->notes, "%s, %s: %s: %s\n", out->net, paleo_extent_name(extent),
			    paleo_record_status_name(out->status), out->reason);
	paleo_graph_release(&graph);
	paleo_op_list_release(&list);
	return rc;
}

int passes_check(const struct passes_settings *ps, const char *name, enum paleo_extent extent,
		 struct paleo_error *err)
{
	struct paleo_op_list list = {0};
	struct paleo_graph graph = {.step_count = 0};
	struct paleo_net *net = NULL;

	/* A net without a plain product has no row in fp8, and its pass would be called one. */
	int rc = paleo_graph_check_dtype(ps->dtype, err);
	if (!rc)
		rc = paleo_net_open(name, ps->batch, &net, err);
	if (rc)
		return rc;
	rc = list_rows(ps, net, extent, &list, err);
	if (!rc)
		rc = paleo_graph_build(net, &list, extent, ps->rule, &graph, err);
	if (rc)
		paleo_error_prefix(err, "%.300s, %s", name, paleo_extent_name(extent));
	paleo_graph_release(&graph);
	paleo_op_list_release(&list);
	paleo_net_free(net);
	return rc;
}
