/* search.c - `simulate --search`: prints the Pareto-optimal configurations for training. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/simulate/search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/table.h"
#include "base/text.h"
#include "import/import.h"
#include "library/source.h"
#include "paleo/net.h"
#include "tools/cli/choice.h"
#include "tools/print/print.h"

enum {
	PLANS_MAX = 2048 /* characters of usual_plans() */
};

#define COLUMNS(X)                                                                                 \
	X(PALEO_COLUMN_TEXT("device", "device"), .text = g->devices[c.device].device.name)         \
	X(PALEO_COLUMN_TEXT("strategy", "strategy"), .text = strategy_name(strategy))              \
	X(PALEO_COLUMN_TEXT("all_reduce", "all-reduce"),                                           \
	  .text = search_uses_scheme(g, &c) ? g->schemes[c.scheme]->name : NULL)                   \
	X(PALEO_COLUMN_TEXT("link", "link"),                                                       \
	  .text = search_uses_link(g, &c) ? g->links[c.link].name : NULL)                          \
	X(PALEO_COLUMN_NUMBER("workers", "workers", 1, 0), .number = r->step.workers)              \
	X(PALEO_COLUMN_NUMBER("batch", "batch", 1, 0), .number = g->batches[c.batch])              \
	X(PALEO_COLUMN_NUMBER("worker_batch", "worker batch", 1, 0),                               \
	  .number = r->step.worker_batch)                                                          \
	X(PALEO_COLUMN_TIME("step_s", "step"), .number = r->step.step_s)                           \
	X(PALEO_COLUMN_TIME("exposed_comm_s", "exposed"), .number = r->step.exposed_s)             \
	X(PALEO_COLUMN_NUMBER("images_per_s", "images/s", 1, 1),                                   \
	  .number = isnan(tokens) ? rate : NAN)                                                    \
	X(PALEO_COLUMN_NUMBER("epoch_s", "epoch min", 1.0 / 60, 2), .number = r->epoch_s)          \
	X(PALEO_COLUMN_NUMBER("cost_usd", "cost USD", 1, 2), .number = r->cost_usd)                \
	X(PALEO_COLUMN_BYTES("memory_bytes", "memory"), .number = r->memory_bytes)                 \
	X(PALEO_COLUMN_DATA_TEXT("source"), .text = source)                                        \
	X(PALEO_COLUMN_NUMBER("tokens_per_s", "tokens/s", 1, 1), .number = tokens)                 \
	X(PALEO_COLUMN_NUMBER("mfu", "MFU %", 100, 1),                                             \
	  .number = peak > 0 ? r->step.model_flops / peak : NAN)                                   \
	X(PALEO_COLUMN_NUMBER("mfu_masked", "masked %", 100, 1),                                   \
	  .number = peak > 0 ? r->step.masked_flops / peak : NAN)

/* A plan by its words. */
static const char *strategy_name(const struct search_strategy *s)
{
	return s->plan.text[0] ? s->plan.text : s->strategy->name;
}

static const struct paleo_column columns[] = {COLUMNS(PALEO_COLUMN_OF)};

static int add_row(const struct search_grid *g, const struct search_findings *f, int at,
		   struct paleo_table *t, struct paleo_error *err)
{
	const struct search_choice c = search_choice_at(g, f->front.points[at].id);
	const struct search_result *r = &f->results[at];
	const struct search_strategy *strategy = &g->strategies[c.strategy];
	const struct paleo_device *device = &g->devices[c.device].device;
	double rate = g->batches[c.batch] / r->step.step_s, tokens = rate * f->tokens;
	double peak = device->flop_per_s[g->dtype] * r->step.workers * r->step.step_s;
	char source[PALEO_SOURCE_TEXT_MAX];
	const struct paleo_cell cells[] = {COLUMNS(PALEO_CELL_OF)};

	paleo_known_source(&g->devices[c.device].source.calibration, source);
	return paleo_table_add(t, cells, err);
}

/* Why choices are no points, if some are none. */
static void print_left_out(const struct search_counts *c, FILE *out)
{
	const struct {
		long long count;
		const char *one, *more;
	} why[] = {
		{c->impossible, "is impossible", "are impossible"},
		{c->too_large, "exceeds the memory", "exceed the memory"},
		{c->too_dear, "exceeds the budget", "exceed the budget"},
	};
	const char *before = "; excluded: ";

	for (size_t i = 0; i < sizeof(why) / sizeof(why[0]); i++) {
		if (!why[i].count)
			continue;
		paleo_print(out, "%s%lld that %s", before, why[i].count,
			    why[i].count == 1 ? why[i].one : why[i].more);
		before = ", ";
	}
	fputc('\n', out);
}

/* What a device's times are from, and how its workers are joined where no option says it. */
static void print_device(const struct search_grid *g, int at, FILE *out)
{
	const struct search_device *d = &g->devices[at];
	struct paleo_fabric fabric = {0};
	char text[SIMULATE_FABRIC_TEXT];

	paleo_print(out, "%s: %s\n", d->device.name, d->source.title);
	if (!simulate_is_usual_fabric(g->s))
		return;
	paleo_fabric_usual(&fabric, d->device.name);
	simulate_fabric_text(g->s, &fabric, text, sizeof(text));
	paleo_print(out, "%s: %s\n", d->device.name, text);
}

/* Counts of the choices go with the table; the speed of the search goes to stderr. */
static void print_counts(const struct search_grid *g, const struct search_findings *f)
{
	const struct search_counts *c = &f->counts;
	FILE *out = paleo_table_is_data(g->s->format) ? stderr : stdout;

	for (int i = 0; i < g->device_count; i++)
		print_device(g, i, out);
	paleo_print(out, "in %s, %s\n", paleo_dtype_name(g->dtype),
		    paleo_layout_name((enum paleo_layout)g->s->layout));
	paleo_print(out, "%lld configuration%s, ", c->tried, c->tried == 1 ? "" : "s");
	if (f->front.count)
		paleo_print(out, "%d Pareto-optimal", f->front.count);
	else
		fputs("none left", out);
	print_left_out(c, out);
	if (c->impossible)
		paleo_print(out, "first impossible one: %s\n", f->impossible.text);
	double done = (double)(c->tried - c->impossible);
	paleo_print(stderr,
		    "%.3f s (%.3f s of CPU) on %d thread%s: %.4g configurations/s, from %lld "
		    "estimates of ops\n",
		    f->elapsed_s, f->cpu_s, f->threads, f->threads == 1 ? "" : "s",
		    done / f->elapsed_s, c->ops);
}

static int by_cost(const void *a, const void *b)
{
	const struct search_cheapest *x = a, *y = b;

	return x->cost_usd != y->cost_usd
		       ? (x->cost_usd > y->cost_usd) - (x->cost_usd < y->cost_usd)
		       : (x->id > y->id) - (x->id < y->id);
}

/* "4.096 million", "2,118" */
static void print_amount(double x, FILE *out)
{
	char number[48];

	if (x >= 1e6)
		snprintf(number, sizeof(number), "%.4g million", x / 1e6);
	else if (x < 1e4)
		snprintf(number, sizeof(number), "%.4g", x);
	else
		paleo_group_digits(x, number, sizeof(number));
	fputs(number, out);
}

/* One device's line; `word` is what it is among the others. */
static void print_cost(const struct search_grid *g, const struct search_findings *f,
		       const struct search_cheapest *of, const char *word, FILE *out)
{
	const struct search_choice c = search_choice_at(g, of->id);

	paleo_print(out, "%s %s: ", word, g->devices[c.device].device.name);
	print_amount(g->s->epoch_size / of->cost_usd, out);
	paleo_print(out, " %s per USD", isnan(f->tokens) ? "images" : "sequences");
	if (of->high > 0) {
		fputs(" (90 %: ", out);
		print_amount(g->s->epoch_size / of->high, out);
		fputs(" to ", out);
		print_amount(g->s->epoch_size / of->low, out);
		fputs(")", out);
	}
	paleo_print(out, ", an epoch for %.2f USD (%s, %d worker%s, batch %d)\n", of->cost_usd,
		    strategy_name(&g->strategies[c.strategy]), g->workers[c.workers],
		    g->workers[c.workers] == 1 ? "" : "s", g->batches[c.batch]);
}

/* What a dollar buys, device by device, also of those that another one beats; or why it is not
 * known. Those whose interval overlaps the first one's may be the cheapest as well. */
static void print_costs(const struct search_grid *g, const struct search_findings *f)
{
	FILE *out = paleo_table_is_data(g->s->format) ? stderr : stdout;
	struct search_cheapest order[SEARCH_LIST_MAX];
	int count = 0;

	for (int i = 0; i < g->device_count; i++)
		if (!isnan(f->cheapest[i].cost_usd))
			order[count++] = f->cheapest[i];
	if (!g->s->prices.count && g->device_count > 1)
		paleo_print(out, "No --price: sorted by time, not by cost\n");
	qsort(order, (size_t)count, sizeof(*order), by_cost);
	for (int i = 0; i < count; i++)
		print_cost(g, f, &order[i],
			   i == 0                          ? "cheapest is"
			   : order[i].low <= order[0].high ? "or"
							   : "then",
			   out);
}

static int print_front(const struct search_grid *g, const struct search_findings *f,
		       struct paleo_error *err)
{
	struct paleo_table *t = PALEO_TABLE_OF(columns);
	int rc = t ? PALEO_OK : paleo_fail(err, PALEO_ENOMEM, "out of memory");

	for (int i = 0; !rc && i < f->front.count; i++)
		rc = add_row(g, f, i, t, err);
	if (!rc)
		print_counts(g, f);
	if (!rc)
		print_costs(g, f);
	if (!rc && f->front.count == 0)
		rc = paleo_fail(err, PALEO_EINPUT, "none of %lld configuration%s is left%s%s",
				f->counts.tried, f->counts.tried == 1 ? "" : "s",
				f->counts.impossible ? "; the first: " : "", f->impossible.text);
	if (!rc)
		rc = paleo_table_print(t, (enum paleo_table_format)g->s->format, stdout, err);
	paleo_table_free(t);
	return rc;
}

/* Plans for a transformer on nodes of up to 8 devices, with and without recomputation. */
static const char *usual_plans(char *text, size_t size)
{
	static const char *const tp[] = {"dp", "tp2+sp", "tp4+sp", "tp8+sp"};
	static const char *const pp[] = {"", "+pp2", "+pp4", "+pp8"};
	int used = snprintf(text, size, "fsdp,fsdp+full");

	for (int i = 0; i < 16; i++)
		used += snprintf(text + used, size - (size_t)used, ",%s%s+zero1,%s%s+zero1+full",
				 tp[i / 4], pp[i % 4], tp[i / 4], pp[i % 4]);
	return text;
}

/* The defaults of a search, where they are others than those of single steps. */
static struct simulate_settings with_defaults(const struct simulate_settings *given,
					      const struct paleo_trained_net *net,
					      char plans[PLANS_MAX])
{
	static const struct option_ints batches = {.items = {64, 128, 256, 512, 1024}, .count = 5};
	struct simulate_settings s = *given;

	if (!s.lists.batches.count)
		s.lists.batches = batches;
	if (!s.workers)
		s.workers = "1,2,4,8,16,32,64";
	if (!s.strategy)
		s.strategy = paleo_import_words(net->name) /* the phase of a config.json */
				     ? usual_plans(plans, PLANS_MAX)
				     : "data,tensor,pipeline,zero1,zero2,zero3";
	if (!(s.epoch_size > 0))
		s.epoch_size = 1e6;
	s.dtype = s.lists.dtypes.count ? s.lists.dtypes.items[0] : (int)paleo_net_dtype(net->net);
	s.layout = s.lists.layouts.items[0];
	return s;
}

/* Options that a search does not take. */
static int check(const struct simulate_settings *s, struct paleo_error *err)
{
	if (s->lists.dtypes.count > 1 || s->lists.layouts.count > 1)
		return paleo_fail(err, PALEO_EINPUT,
				  "--search compares in one dtype and layout, found several");
	if (s->scaling || s->lists.seqs.count || s->use_pipeline || s->algorithm || s->trace ||
	    s->view.top || s->view.all || s->view.sort != VIEW_NET)
		return paleo_fail(
			err, PALEO_EINPUT,
			"--search takes no --scaling, --seq, --use-pipeline, --algorithm, "
			"--trace, --top, --all and --sort");
	if (s->cost_model == CHOICE_COST_MODEL_2017 || s->format == CHOICE_FORMAT_PALEO)
		return paleo_fail(err, PALEO_EINPUT,
				  "--search takes no --cost-model paleo2017 and no --format paleo");
	if (s->framework && s->fuse)
		return paleo_fail(err, PALEO_EINPUT,
				  "--framework decides what is fused: leave out --fuse");
	return PALEO_OK;
}

int search_print(const struct simulate_settings *given, const char *name, struct paleo_error *err)
{
	struct simulate_settings s;
	struct paleo_trained_net net = {0};
	struct search_grid *g = calloc(1, sizeof(*g));
	struct search_findings f = {0};
	char plans[PLANS_MAX];
	int rc = g ? check(given, err) : paleo_fail(err, PALEO_ENOMEM, "out of memory");

	if (!rc)
		rc = paleo_trained_net_open(name, 0, &net, err);
	if (!rc) {
		net_note_print(net.net, stderr);
		s = with_defaults(given, &net, plans);
		rc = search_grid_make(&s, g, err);
	}
	if (!rc)
		rc = search_run(g, &net, &f, err);
	if (!rc)
		rc = print_front(g, &f, err);
	search_findings_release(&f);
	if (g)
		search_grid_release(g);
	free(g);
	paleo_net_free(net.net);
	return rc;
}
