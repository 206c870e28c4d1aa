/* simulate.c - the command `simulate`: training steps on several workers. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/simulate/simulate.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "library/source.h"
#include "tools/cli/choice.h"
#include "tools/cli/options.h"
#include "tools/print/print.h"
#include "tools/session/session.h"
#include "tools/simulate/cases.h"
#include "tools/simulate/search.h"

#define AT(field) offsetof(struct simulate_settings, field)

static const struct option_spec options[] = {
	LIKE(search, AT(search)),
	LIKE(case, AT(cases)),
	LIKE_BUT(device_predicted, AT(device),
		 "device of the workers: a name that 'paleo devices' lists, one with a "
		 "calibration, or cpu or 0 of this machine (default: the calibration's, else "
		 "TITAN_X, the original's); with --search a comma-separated list"),
	LIKE(device_file, AT(devices)),
	LIKE_MORE(link, AT(link),
		  " between nodes, or workers; with --search a list (default: the nodes and "
		  "networks that are usual for the device, else ethernet)"),
	LIKE(link_file, AT(links)),
	LIKE(node_link, AT(node_link)),
	LIKE(workers_per_node, AT(workers_per_node)),
	LIKE(links_per_node, AT(links_per_node)),
	LIKE_MORE(workers, AT(workers), " (default 1,2,4,8,16,32,64,128; with --search to 64)"),
	LIKE_BUT(batches, AT(lists.batches),
		 "batch size per worker (weak scaling) or global batch size (strong) (default: "
		 "the network file's); with --search global (default 64,128,256,512,1024)"),
	LIKE_BUT(seqs, AT(lists.seqs), "of a config.json: tokens of each sequence (default 1024)"),
	LIKE_MORE(strategy, AT(strategy),
		  " (default data; with --search data,tensor,pipeline,zero1,zero2,zero3, of a "
		  "config.json plans with fsdp, tp and pp to 8, without and with full)"),
	LIKE(scaling, AT(scaling)),
	LIKE(all_reduce, AT(schemes)),
	LIKE(servers, AT(servers)),
	LIKE(overlap, AT(overlap)),
	LIKE(bucket_mib, AT(bucket_mib)),
	LIKE(micro_batches, AT(micro_batches)),
	LIKE(recompute, AT(recompute)),
	LIKE(optimizer, AT(optimizer)),
	LIKE(framework, AT(framework)),
	LIKE(separate_attention, AT(separate_attention)),
	LIKE_MORE(epoch_size, AT(epoch_size), "; with --search default 1000000"),
	LIKE_MORE(price, AT(prices), ": with --search, cost counts as well"),
	LIKE_MORE(budget, AT(budget), ", in USD (needs --search and --price)"),
	LIKE(cost_model, AT(cost_model)),
	LIKE(stack, AT(stack)),
	LIKE(calibrations, AT(calibrations)),
	LIKE_BUT(ppp_compute, AT(ppp_compute),
		 "PPP of the device, the fraction of its peaks reached (default 1)"),
	LIKE(ppp_link, AT(ppp_link)),
	LIKE(use_pipeline, AT(use_pipeline)),
	LIKE(algorithm_2017, AT(algorithm)),
	LIKE(dtypes, AT(lists.dtypes)),
	LIKE(layouts, AT(lists.layouts)),
	LIKE_BUT(fuse, AT(fuse), "fuse chains of elementwise ops in the forward pass"),
	LIKE_MORE(threads, AT(threads), ", with --search"),
	LIKE(format_2017, AT(format)),
	LIKE(trace, AT(trace)),
	LIKE(force, AT(force)),
	LIKE_BUT(top, AT(view.top),
		 "show the first N rows, fastest first (default: 10 if there are more than 30)"),
	LIKE(sort_steps, AT(view.sort)),
	LIKE(all, AT(view.all)),
	LIKE_BUT(quiet, AT(view.quiet),
		 "print only the fastest, and no progress line on a terminal"),
	{0},
};

static void set_defaults(void *settings)
{
	struct simulate_settings *s = settings;

	s->dtype = CHOICE_DTYPE_OWN;
	s->view.sort = VIEW_NET;
	s->schemes = "ring";
	s->ppp_link = 1;
	s->bucket_mib = 25;
	s->workers_per_node = s->links_per_node = s->servers = 1;
}

/* Options that the original's formulas do not have. */
static int check_2017(const struct simulate_settings *s, struct paleo_error *err)
{
	int other = s->lists.dtypes.count > 1 || s->lists.layouts.count > 1 || s->lists.seqs.count;

	if (s->lists.dtypes.count == 1)
		other |= s->lists.dtypes.items[0] != PALEO_F32;
	if (s->lists.layouts.count == 1)
		other |= s->lists.layouts.items[0] != PALEO_NCHW;
	if (s->calibration || s->framework || s->fuse || s->trace || s->separate_attention || other)
		return paleo_fail(err, PALEO_EINPUT,
				  "--cost-model paleo2017 is f32, nchw: leave out --calibration, "
				  "--framework, --fuse, --separate-attention, --trace, --seq");
	return PALEO_OK;
}

static int check(const struct simulate_settings *s, struct paleo_error *err)
{
	int original = s->cost_model == CHOICE_COST_MODEL_2017;

	if (s->format == CHOICE_FORMAT_PALEO && !original)
		return paleo_fail(err, PALEO_EINPUT,
				  "--format paleo needs --cost-model paleo2017, not %s",
				  choice_cost_model[s->cost_model]);
	if (s->calibrations.count > 1 || s->prices.count || s->budget > 0 || s->threads)
		return paleo_fail(err, PALEO_EINPUT,
				  "several --calibration, --price, --budget and --threads need "
				  "--search");
	if (original)
		return check_2017(s, err);
	if (s->framework && s->fuse)
		return paleo_fail(err, PALEO_EINPUT,
				  "--framework decides what is fused: leave out --fuse");
	if (s->algorithm)
		return paleo_fail(err, PALEO_EINPUT, "--algorithm needs --cost-model paleo2017");
	return PALEO_OK;
}

static void link_text(const struct paleo_link *l, char *buf, size_t size)
{
	snprintf(buf, size, "%s (%.4g GB/s, %.3g us%s)", l->title, l->bytes_per_s / 1e9,
		 l->latency_s * 1e6, l->range_count ? ", fitted by size" : "");
}

void simulate_fabric_text(const struct simulate_settings *s, const struct paleo_fabric *f,
			  char *buf, size_t size)
{
	char between[128], within[128], nodes[192] = "";

	link_text(&f->between, between, sizeof(between));
	if (f->per_host > 1) {
		link_text(&f->within, within, sizeof(within));
		snprintf(nodes, sizeof(nodes), "%s in nodes of %d and ", within, f->per_host);
	}
	snprintf(buf, size, "over %s%s%s", nodes, between,
		 simulate_is_usual_fabric(s) ? ", as is usual" : "");
}

static void print_title(const struct simulate_plan *p, const struct simulate_settings *s,
			enum paleo_dtype dtype, const char *cost_model)
{
	char fabric[SIMULATE_FABRIC_TEXT];

	simulate_fabric_text(s, &p->fabric, fabric, sizeof(fabric));
	paleo_print(paleo_table_is_data(s->format) ? stderr : stdout, "%s, %s, %s: %s\n",
		    p->device.title, paleo_dtype_name(dtype), fabric, cost_model);
}

/* The device that is meant where nothing says: the original's. */
static const char *device_name(const struct simulate_settings *s)
{
	return s->device || s->calibration ? s->device : "TITAN_X";
}

/* All that one command line simulates. */
struct sweep {
	const char *const *nets;
	int count;
	struct simulate_rows rows;
	struct trace *trace;
	/* Parameter sources of the rows, one for each dtype. */
	struct paleo_source sources[OPTION_WORDS_MAX];
	struct simulate_plan plans[OPTION_WORDS_MAX]; /* the last of each, for its words */
	int source_count;
};

/* One combination under the cost models of ops. */
static int add_ops(struct sweep *w, const struct simulate_settings *s, struct paleo_error *err)
{
	const struct paleo_source *source = &w->sources[w->source_count - 1];
	struct simulate_plan *p = &w->plans[w->source_count - 1];
	const struct model_options words = {.seq = s->seq};
	struct model_names *names = NULL;

	int rc = simulate_plan_make(s, &source->calibration.device, p, err);
	if (!rc)
		rc = model_names_make(&words, w->nets, w->count, &names, err);
	p->trace = w->trace;
	for (int i = 0; !rc && i < w->count; i++)
		rc = simulate_rows(p, &source->calibration, &w->rows, names->items[i], err);
	free(names);
	return rc;
}

/* All combinations in one dtype, `count` from `first` on. */
static int add_type(struct sweep *w, const struct simulate_settings *all, int first, int count,
		    struct paleo_error *err)
{
	const struct choice_lists *lists = &all->lists;
	int dtype = lists->dtypes.count ? choice_combination(lists, first).dtype : all->dtype;
	const struct paleo_source_wish wish = {
		.cost_model = (enum paleo_cost_model)all->cost_model,
		.dtype = (enum paleo_dtype)dtype,
		.stack = (enum paleo_stack)all->stack,
		.device = device_name(all),
		.who = all->who,
		.devices = all->devices,
		.calibration = all->calibration,
		.ppp_compute = all->ppp_compute,
		.ppp_memory = all->ppp_compute,
	};

	PALEO_TRY(paleo_choose_source(&wish, &w->sources[w->source_count], err));
	w->source_count++;
	for (int i = first; i < first + count; i++) {
		const struct choice_combination c = choice_combination(lists, i);
		struct simulate_settings s = *all;
		s.dtype = dtype;
		s.batch = c.batch;
		s.seq = c.seq;
		s.layout = c.layout;
		PALEO_TRY(add_ops(w, &s, err));
	}
	return PALEO_OK;
}

/* Prints the parameter sources, then the rows. */
static int print_sweep(const struct sweep *w, const struct simulate_settings *s,
		       struct paleo_error *err)
{
	FILE *notes = paleo_table_is_data(s->format) ? stderr : stdout;

	for (int i = 0; i < w->source_count; i++) {
		const struct paleo_source *b = &w->sources[i];
		const struct choice_lists *l = &s->lists;
		print_title(&w->plans[i], s,
			    (enum paleo_dtype)(l->dtypes.count ? l->dtypes.items[i] : s->dtype),
			    b->title);
		PALEO_TRY(verdict_warn(&b->calibration, NULL, notes, err));
	}
	return simulate_print(s, &w->rows, stdout, err);
}

static int simulate_ops(const struct simulate_settings *s, const char *const *nets, int count,
			struct paleo_error *err)
{
	const int types = s->lists.dtypes.count ? s->lists.dtypes.count : 1;
	const int each = choice_combinations(&s->lists) / types;
	struct sweep *w = calloc(1, sizeof(*w));
	int rc = w ? PALEO_OK : paleo_fail(err, PALEO_ENOMEM, "out of memory");

	if (rc)
		return rc;
	w->nets = nets;
	w->count = count;
	if (s->trace)
		rc = trace_open(s->trace, s->force, &w->trace, err);
	for (int i = 0; !rc && i < types; i++)
		rc = add_type(w, s, i * each, each, err);
	if (!rc)
		rc = print_sweep(w, s, err);
	if (!rc && w->trace)
		rc = trace_save(w->trace, err);
	trace_close(w->trace);
	for (int i = 0; i < w->source_count; i++)
		paleo_source_release(&w->sources[i]);
	free(w->rows.items);
	free(w);
	return rc;
}

/* With the original's defaults, by its names. */
static int simulate_2017(struct simulate_settings s, const char *const *nets, int count,
			 struct paleo_error *err)
{
	struct simulate_rows rows = {.count = 0};
	struct simulate_plan p = {.trace = NULL};
	struct paleo_device device;
	int rc = PALEO_OK;

	s.device = device_name(&s);
	if (!(s.ppp_compute > 0))
		s.ppp_compute = 1;
	rc = paleo_choose_device(s.devices, s.device, s.who, &device, err);
	for (int k = 0; !rc && k < choice_combinations(&s.lists); k++) { /* of batches alone */
		s.batch = choice_combination(&s.lists, k).batch;
		rc = simulate_plan_make(&s, &device, &p, err);
		if (!rc && s.format == CHOICE_FORMAT_PALEO)
			rc = simulate_as_2017(&p, nets, count, err);
		for (int i = 0; !rc && s.format != CHOICE_FORMAT_PALEO && i < count; i++)
			rc = simulate_rows_2017(&p, &rows, nets[i], err);
	}
	if (!rc && s.format != CHOICE_FORMAT_PALEO) {
		print_title(&p, &s, PALEO_F32, "cost model of the original Paleo (2017)");
		rc = simulate_print(&s, &rows, stdout, err);
	}
	free(rows.items);
	return rc;
}

static int simulate(const struct simulate_settings *given, const char *const *nets, int count,
		    struct paleo_error *err)
{
	struct simulate_settings s = *given;
	struct paleo_device_info who;

	s.calibration = s.calibrations.count ? s.calibrations.items[0] : NULL;
	if (s.cost_model == PALEO_COST_MODEL_AUTO && s.format == CHOICE_FORMAT_PALEO)
		s.cost_model = CHOICE_COST_MODEL_2017;
	int rc = check(&s, err);
	if (!rc)
		rc = session_who(given->device, s.calibration != NULL, &who, err);
	s.device = given->device ? who.device.name : NULL;
	s.who = given->device ? &who : NULL;
	if (s.cost_model == CHOICE_COST_MODEL_2017 || s.lists.dtypes.count)
		s.dtype = PALEO_F32;
	if (!rc)
		rc = choice_own_dtype(nets, count, 0, &s.dtype, NULL, err);
	if (rc)
		return rc;
	return s.cost_model == CHOICE_COST_MODEL_2017 ? simulate_2017(s, nets, count, err)
						      : simulate_ops(&s, nets, count, err);
}

static int run(const void *settings, const char *const *arguments, int count)
{
	const struct simulate_settings *s = settings;
	struct paleo_error err = {0};
	int rc;

	if (s->cases.count && (count || s->search || s->format == CHOICE_FORMAT_PALEO))
		return command_misuse(&command_simulate,
				      "--case takes no network, no --search and no --format paleo");
	if (s->search && (count != 1 || !s->device))
		return command_misuse(&command_simulate,
				      "--search needs one network and --device, for example "
				      "--device t4,a100-40-sxm vgg16");
	if (!count && !s->cases.count)
		return command_misuse(&command_simulate, "no network was given, for example vgg16");
	if (s->cases.count)
		rc = cases_print(&s->cases, (enum paleo_table_format)s->format, &err);
	else if (s->search)
		rc = search_print(s, arguments[0], &err);
	else
		rc = simulate(s, arguments, count, &err);
	return rc ? command_fail(&command_simulate, &err) : EXIT_GOOD;
}

const struct command command_simulate = {
	.name = "simulate",
	.what = "simulate distributed training, search for the best configuration",
	.usage = "NET... | --search NET | --case NAME,...",
	.about = "Predicts the time of a training step on several workers, its exposed "
		 "communication, the speedup over one worker, and the memory of a worker. "
		 "docs/reference/simulate.md explains strategies, all-reduce algorithms and "
		 "links.\n"
		 "--search simulates every combination of devices, batch sizes, numbers of "
		 "workers, strategies, all-reduce algorithms and links, and prints those that "
		 "are Pareto-optimal in time and memory, and in cost if --price is given.\n"
		 "--case simulates published cases: it prints the reported speedup, the "
		 "original's estimate (paleo2017), and ours, from the same datasheet and PPP "
		 "and from presets. Training steps of transformers (megatron, recompute, "
		 "llama3) have their own table.\n"
		 "Exit status: 0 success, 1 nothing to predict from or out of memory, 2 wrong "
		 "options or files.",
	.examples = "paleo-simulate --device h100-sxm --cost-model presets --link nvlink4 "
		    "--workers 8 resnet50\n"
		    "paleo-simulate --device t4 --link ethernet-100g --strategy data,zero1 "
		    "--overlap my-net.json\n"
		    "paleo-simulate --search --device t4,l4 --price t4=0.35 --price l4=0.7 "
		    "--budget 20 my-net.json\n"
		    "paleo-simulate --case firecaffe\n",
	.options = options,
	.settings_size = sizeof(struct simulate_settings),
	.defaults = set_defaults,
	.run = run,
};
