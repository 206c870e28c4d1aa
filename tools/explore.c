/* explore.c - the command `explore`: the configurations for training that no other one beats. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/explore.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/columns.h"
#include "base/text.h"
#include "library/known.h"
#include "tools/choice.h"
#include "tools/option_rows.h"
#include "tools/trained_net.h"
#include "tools/words.h"

static const char *const formats[] = {"text", "csv", "jsonl", "md", NULL};

#define AT(field) offsetof(struct explore_settings, field)

static const struct option_spec options[] = {
	TEXT("devices", AT(devices), "LIST",
	     "the workers' devices: those that 'paleo devices' lists, those with a calibration, "
	     "or cpu or 0 of this machine"),
	TEXT("batches", AT(batches), "LIST",
	     "images of a step over all workers (default 64,128,256,512,1024)"),
	TEXT("workers", AT(workers), "LIST", "how many workers (default 1,2,4,8,16,32,64)"),
	TEXT("strategies", AT(strategies), "LIST",
	     "data, model, hybrid, tensor, pipeline, zero1, zero2, zero3, or plans as "
	     "tp8+sp+pp4+zero1, whose words 'paleo simulate --help' lists (default "
	     "data,tensor,pipeline,zero1,zero2,zero3)"),
	TEXT("schemes", AT(schemes), "LIST",
	     "ring, hierarchical, halving-doubling, recursive-doubling, scatter-gather, "
	     "parameter-server, one-to-all, tree, butterfly, mixing (default ring)"),
	TEXT("links", AT(links), "LIST",
	     "between hosts, or workers: ethernet-100g, infiniband-ndr, nvlink4 ... (default "
	     "ethernet-100g)"),
	TEXT("devices-file", AT(devices_file), "FILE", "a JSON file that describes more devices"),
	TEXT("links-file", AT(links_file), "FILE", "a JSON file that describes more links"),
	{.like = &option_host_link, .offset = AT(host_link)},
	{.like = &option_workers_per_host, .offset = AT(workers_per_host)},
	EACH("price", AT(prices), "DEVICE=USD",
	     "USD per hour of one worker, once for each device; without it costs do not count"),
	NUMBER("budget", AT(budget), "F", 0.000001, 1e15,
	       "USD that an epoch may cost (needs --price)"),
	NUMBER("epoch-size", AT(epoch_size), "F", 1, 1e15, "images of an epoch (default 1000000)"),
	{.like = &option_links_per_host, .offset = AT(links_per_host)},
	{.like = &option_servers, .offset = AT(servers)},
	{.like = &option_overlap, .offset = AT(overlap)},
	{.like = &option_bucket_mib, .offset = AT(bucket_mib)},
	{.like = &option_micro_batches, .offset = AT(micro_batches)},
	{.like = &option_recompute, .offset = AT(recompute)},
	{.like = &option_optimizer, .offset = AT(optimizer)},
	{.like = &option_framework, .offset = AT(framework)},
	{.like = &option_no_factor, .offset = AT(no_factor)},
	{.like = &option_law_of_works, .offset = AT(law)},
	EACH("calibration", AT(calibrations), "FILE",
	     "once for each device (default: the devices' own)"),
	NUMBER("ppp-comp", AT(ppp_comp), "F", 0.001, 2,
	       "fraction of the devices' peaks (default 1)"),
	NUMBER("ppp-comm", AT(ppp_comm), "F", 0.001, 2, "fraction of the links' rates (default 1)"),
	{.like = &option_dtype,
	 .offset = AT(dtype),
	 .help = "number type: {words} (default: the net's own, else the first of bf16, f16 and "
		 "f32 that all devices have)"},
	{.like = &option_layout, .offset = AT(layout)},
	{.like = &option_fuse,
	 .offset = AT(fuse),
	 .help = "merge forward works that go element by element, as a compiler does; "
		 "normalisations learn, and stay"},
	WHOLE("threads", AT(threads), "N", 1, EXPLORE_THREADS_MAX,
	      "threads (default: one per core)"),
	WORD("format", AT(format), "F", formats, "text, csv, jsonl or md (default text)"),
	{.like = &option_quiet, .offset = AT(quiet)},
	{0},
};

static void set_defaults(void *settings)
{
	struct explore_settings *s = settings;

	s->dtype = EXPLORE_OWN_TYPE;
	s->batches = "64,128,256,512,1024";
	s->workers = "1,2,4,8,16,32,64";
	s->strategies = "data,tensor,pipeline,zero1,zero2,zero3";
	s->schemes = "ring";
	s->links = "ethernet-100g";
	s->ppp_comm = 1;
	s->bucket_mib = 25;
	s->epoch_size = 1e6;
	s->workers_per_host = s->links_per_host = s->servers = 1;
}

enum {
	COL_DEVICE,
	COL_PARALLEL,
	COL_SCHEME,
	COL_LINK,
	COL_WORKERS,
	COL_BATCH,
	COL_WORKER_BATCH,
	COL_STEP,
	COL_EXPOSED,
	COL_RATE,
	COL_EPOCH,
	COL_COST,
	COL_MEMORY,
	COL_SOURCE,
	COL_TOKENS,
	COL_MFU,
	COLUMNS
};

static const struct paleo_column columns[COLUMNS] = {
	[COL_DEVICE] = PALEO_COLUMN_TEXT("device", "device"),
	[COL_PARALLEL] = PALEO_COLUMN_TEXT("parallel", "parallel"),
	[COL_SCHEME] = PALEO_COLUMN_TEXT("scheme", "scheme"),
	[COL_LINK] = PALEO_COLUMN_TEXT("link", "link"),
	[COL_WORKERS] = PALEO_COLUMN_NUMBER("workers", "workers", 1, 0),
	[COL_BATCH] = PALEO_COLUMN_NUMBER("batch", "batch", 1, 0),
	[COL_WORKER_BATCH] = PALEO_COLUMN_NUMBER("worker_batch", "worker batch", 1, 0),
	[COL_STEP] = PALEO_COLUMN_TIME("step_s", "step"),
	[COL_EXPOSED] = PALEO_COLUMN_TIME("exposed_comm_s", "exposed"),
	[COL_RATE] = PALEO_COLUMN_NUMBER("images_per_s", "images/s", 1, 1),
	[COL_EPOCH] = PALEO_COLUMN_NUMBER("epoch_s", "epoch min", 1.0 / 60, 2),
	[COL_COST] = PALEO_COLUMN_NUMBER("cost_usd", "cost USD", 1, 2),
	[COL_MEMORY] = PALEO_COLUMN_BYTES("memory_bytes", "memory"),
	[COL_SOURCE] = {.name = "source", .type = PALEO_CELL_STRING, .data_only = 1},
	[COL_TOKENS] = PALEO_COLUMN_NUMBER("tokens_per_s", "tokens/s", 1, 1),
	[COL_MFU] = PALEO_COLUMN_NUMBER("mfu", "MFU %", 100, 1),
};

static int add_row(const struct explore_grid *g, const struct explore_findings *f, int at,
		   struct paleo_table *t, struct paleo_error *err)
{
	const struct explore_choice c = explore_choice_at(g, f->front.points[at].id);
	const struct explore_result *r = &f->results[at];
	const struct explore_strategy *strategy = &g->strategies[c.strategy];
	const struct paleo_device *device = &g->devices[c.device].device;
	double rate = g->batches[c.batch] / r->step.step_s, tokens = rate * f->tokens;
	double peak = device->flop_per_s[g->dtype] * r->step.workers * r->step.step_s;
	char source[PALEO_SOURCE_TEXT_MAX];
	const struct paleo_cell cells[COLUMNS] = {
		[COL_DEVICE] = {.text = g->devices[c.device].device.name},
		[COL_PARALLEL] = {.text = strategy->plan.text[0] ? strategy->plan.text
								 : strategy->strategy->name},
		[COL_SCHEME] = {.text = explore_uses_scheme(g, &c) ? g->schemes[c.scheme]->name
								   : NULL},
		[COL_LINK] = {.text = explore_uses_link(g, &c) ? g->links[c.link].name : NULL},
		[COL_WORKERS] = {.number = r->step.workers},
		[COL_BATCH] = {.number = g->batches[c.batch]},
		[COL_WORKER_BATCH] = {.number = r->step.worker_batch},
		[COL_STEP] = {.number = r->step.step_s},
		[COL_EXPOSED] = {.number = r->step.exposed_s},
		[COL_RATE] = {.number = isnan(tokens) ? rate : NAN},
		[COL_TOKENS] = {.number = tokens},
		[COL_MFU] = {.number = peak > 0 ? r->step.model_flops / peak : NAN},
		[COL_EPOCH] = {.number = r->epoch_s},
		[COL_COST] = {.number = r->cost_usd},
		[COL_MEMORY] = {.number = r->memory_bytes},
		[COL_SOURCE] = {.text = source},
	};

	paleo_known_source(&g->devices[c.device].source.calibration, source);
	return paleo_table_add(t, cells, err);
}

/* Why choices are no points, if some are none. */
static void print_left_out(const struct explore_counts *c, FILE *out)
{
	const struct {
		long long count;
		const char *one, *more;
	} why[] = {
		{c->impossible, "does not go together", "do not go together"},
		{c->too_large, "does not fit the memory", "do not fit the memory"},
		{c->too_dear, "costs too much", "cost too much"},
	};
	const char *before = "; left out: ";

	for (size_t i = 0; i < sizeof(why) / sizeof(why[0]); i++) {
		if (!why[i].count)
			continue;
		paleo_print(out, "%s%lld that %s", before, why[i].count,
			    why[i].count == 1 ? why[i].one : why[i].more);
		before = ", ";
	}
	fputc('\n', out);
}

/* What became of the choices, beside the table; how fast it went is no result: stderr. */
static void print_counts(const struct explore_grid *g, const struct explore_findings *f)
{
	const struct explore_counts *c = &f->counts;
	FILE *out = paleo_table_is_data(g->s->format) ? stderr : stdout;

	for (int i = 0; i < g->device_count; i++)
		paleo_print(out, "%s: %s\n", g->devices[i].device.name, g->devices[i].source.title);
	paleo_print(out, "in %s%s\n", paleo_dtype_name(g->dtype),
		    g->s->dtype < 0 ? ", which all devices have (--dtype chooses another)" : "");
	paleo_print(out, "%lld choice%s, ", c->tried, c->tried == 1 ? "" : "s");
	if (f->front.count)
		paleo_print(out, "%d that no other beats", f->front.count);
	else
		fputs("none left", out);
	print_left_out(c, out);
	if (c->impossible)
		paleo_print(out, "the first that does not go together: %s\n", f->impossible.text);
	double done = (double)(c->tried - c->impossible);
	paleo_print(stderr,
		    "%.3f s (%.3f s of CPU) on %d thread%s: %.4g points/s, from %lld estimates of "
		    "works\n",
		    f->elapsed_s, f->cpu_s, f->threads, f->threads == 1 ? "" : "s",
		    done / f->elapsed_s, c->works);
}

static int by_cost(const void *a, const void *b)
{
	const struct explore_cheapest *x = a, *y = b;

	return x->cost_usd != y->cost_usd
		       ? (x->cost_usd > y->cost_usd) - (x->cost_usd < y->cost_usd)
		       : (x->id > y->id) - (x->id < y->id);
}

/* What a dollar buys, device by device, also of those that another one beats; or why it is not
 * told. */
static void print_costs(const struct explore_grid *g, const struct explore_findings *f)
{
	FILE *out = paleo_table_is_data(g->s->format) ? stderr : stdout;
	struct explore_cheapest order[EXPLORE_LIST_MAX];
	int count = 0;

	for (int i = 0; i < g->device_count; i++)
		if (!isnan(f->cheapest[i].cost_usd))
			order[count++] = f->cheapest[i];
	if (!g->s->prices.count && g->device_count > 1)
		paleo_print(out,
			    "no --price was given: what is printed is fastest, not cheapest\n");
	qsort(order, (size_t)count, sizeof(*order), by_cost);
	for (int i = 0; i < count; i++) {
		const struct explore_choice c = explore_choice_at(g, order[i].id);
		double each = g->s->epoch_size / order[i].cost_usd;
		char number[48];
		if (each >= 1e6)
			snprintf(number, sizeof(number), "%.4g million", each / 1e6);
		else if (each < 1e4)
			snprintf(number, sizeof(number), "%.4g", each);
		else
			words_group_digits(each, number, sizeof(number));
		paleo_print(out,
			    "%s %s: %s %s per USD, an epoch for %.2f USD (%s, %d worker%s, "
			    "batch %d)\n",
			    i ? "then" : "cheapest is", g->devices[c.device].device.name, number,
			    isnan(f->tokens) ? "images" : "sequences", order[i].cost_usd,
			    g->strategies[c.strategy].strategy->name, g->workers[c.workers],
			    g->workers[c.workers] == 1 ? "" : "s", g->batches[c.batch]);
	}
}

static int print_front(const struct explore_grid *g, const struct explore_findings *f,
		       struct paleo_error *err)
{
	struct paleo_table *t = paleo_table_new(columns, COLUMNS);
	int rc = t ? PALEO_OK : paleo_fail(err, PALEO_ENOMEM, "out of memory");

	for (int i = 0; !rc && i < f->front.count; i++)
		rc = add_row(g, f, i, t, err);
	if (!rc)
		print_counts(g, f);
	if (!rc)
		print_costs(g, f);
	if (!rc && f->front.count == 0)
		rc = paleo_fail(err, PALEO_EINPUT, "none of %lld choice%s is left%s%s",
				f->counts.tried, f->counts.tried == 1 ? "" : "s",
				f->counts.impossible ? "; the first: " : "", f->impossible.text);
	if (!rc)
		rc = paleo_table_print(t, (enum paleo_table_format)g->s->format, stdout, err);
	paleo_table_free(t);
	return rc;
}

static int explore_net(const struct explore_settings *s, const char *net, struct paleo_error *err)
{
	struct explore_grid *g = calloc(1, sizeof(*g));
	struct explore_findings f = {0};
	int rc;

	if (!g)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	rc = explore_grid_make(s, g, err);
	if (!rc)
		rc = explore_run(g, net, &f, err);
	if (!rc)
		rc = print_front(g, &f, err);
	explore_findings_release(&f);
	explore_grid_release(g);
	free(g);
	return rc;
}

static int run(const void *settings, const char *const *arguments, int count)
{
	const struct explore_settings *given = settings;
	struct explore_settings s = *given;
	struct paleo_error err = {0};
	int rc = PALEO_OK;

	if (count != 1 || !s.devices) {
		paleo_print(stderr, "paleo-explore: one net and --devices are needed, for example "
				    "vgg16.json --devices t4,a100-40-sxm (see --help)\n");
		return EXIT_MISUSE;
	}
	if (s.framework && s.fuse)
		rc = paleo_fail(&err, PALEO_EINPUT,
				"--framework says itself what is put together: leave --fuse out");
	if (!rc && s.dtype == EXPLORE_OWN_TYPE)
		rc = trained_nets_dtype(arguments, 1, &s.dtype, &err);
	if (!rc)
		rc = explore_net(&s, arguments[0], &err);
	return rc ? command_fail(&command_explore, &err) : EXIT_GOOD;
}

const struct command command_explore = {
	.name = "explore",
	.what = "searches devices, batches, strategies and links for the best ones",
	.usage = "NET.json",
	.about = "Simulates a training step for every choice of a device, a batch, a number of "
		 "workers, a strategy, a scheme and a link, and prints those that no other one "
		 "beats in time and memory, and in cost if there are prices.\n"
		 "docs/reference/simulate.md explains strategies, schemes and links.\n"
		 "Exit status: 0 good, 1 the law cannot tell or out of memory, 2 wrong options or "
		 "files.",
	.examples = "paleo-explore --devices h100-sxm --law presets --workers 1 --batches "
		    "32,64,128 resnet50\n"
		    "paleo-explore --devices t4,l4 --price t4=0.35 --price l4=0.7 --budget 20 "
		    "my-net.json\n",
	.options = options,
	.settings_size = sizeof(struct explore_settings),
	.defaults = set_defaults,
	.run = run,
};
