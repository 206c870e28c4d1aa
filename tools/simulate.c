/* simulate.c - the command `simulate`: a training step on several workers. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/simulate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "library/choose.h"
#include "tools/choice.h"
#include "tools/model_options.h"
#include "tools/option_rows.h"
#include "tools/session/session.h"
#include "tools/trained_net.h"
#include "tools/verdict.h"

static const char *const sorts[] = {"speed", "waiting", "name", NULL}; /* as enum view_sort */
static const char *const formats[] = {"text", "csv", "jsonl", "md", "paleo", NULL};

#define AT(field) offsetof(struct simulate_settings, field)

static const struct option_spec options[] = {
	TEXT("device", AT(device), "NAME",
	     "the workers' device: one that 'paleo devices' lists, one with a calibration, or cpu "
	     "or 0 of this machine (default that of the calibration, or else TITAN_X, as the "
	     "original)"),
	TEXT("device-name", AT(device), "NAME", "the original's word for --device"),
	TEXT("devices", AT(devices), "FILE", "a JSON file that describes more devices"),
	TEXT("network", AT(network), "NAME",
	     "the link between hosts, or workers: ethernet, ethernet20, infiniband, pcie3, aws, "
	     "ethernet-100g, infiniband-ndr, nvlink4 ... (default ethernet)"),
	TEXT("network-name", AT(network), "NAME", "the original's word for --network"),
	TEXT("links", AT(links), "FILE", "a JSON file that describes more links"),
	TEXT("link-calibration", AT(link_calibration), "FILE",
	     "a link as 'paleo calibrate-comm' has fitted it, in place of the table's"),
	{.like = &option_host_link, .offset = AT(host_link)},
	{.like = &option_workers_per_host, .offset = AT(workers_per_host)},
	{.like = &option_batches,
	 .offset = AT(batches),
	 .help = "images or sequences of each worker (weak scaling), or of all (strong); several "
		 "with commas between (default 128)"},
	WHOLES("batch-size", AT(batches), "N,...", 1, 1 << 20, "the original's word for --batch"),
	WHOLES("seq", AT(seqs), "N,...", 1, 1 << 24,
	       "of a config.json: tokens of each sequence (default 1024); several with commas "
	       "between"),
	TEXT("parallel", AT(parallel), "LIST",
	     "data, model, hybrid, tensor, pipeline, zero1, zero2, zero3, or plans as "
	     "tp8+sp+pp4+zero1: dp, tp, sp, cp, gather, pp, v, zb1, zb2, ep, fsdp, hsdp, full, "
	     "selective, mb (default data)"),
	TEXT("scaling", AT(scaling), "LIST",
	     "weak: --batch is that of each worker; strong: of all together (default weak,strong)"),
	TEXT("num-workers", AT(num_workers), "LIST",
	     "how many workers, a row for each (default 1,2,4,8,16,32,64,128)"),
	WHOLE("hybrid-workers", AT(hybrid_workers), "N", 1, 1 << 20,
	      "workers of hybrid parallelism (default those of --num-workers; 1 with --format "
	      "paleo)"),
	TEXT("scheme", AT(schemes), "LIST",
	     "how gradients are summed: ring, hierarchical, halving-doubling, recursive-doubling, "
	     "scatter-gather, parameter-server, one-to-all, tree, butterfly, mixing (default "
	     "ring)"),
	{.like = &option_links_per_host, .offset = AT(links_per_host)},
	{.like = &option_servers, .offset = AT(servers)},
	{.like = &option_overlap, .offset = AT(overlap)},
	{.like = &option_bucket_mib, .offset = AT(bucket_mib)},
	{.like = &option_micro_batches, .offset = AT(micro_batches)},
	{.like = &option_recompute, .offset = AT(recompute)},
	{.like = &option_optimizer, .offset = AT(optimizer)},
	{.like = &option_framework, .offset = AT(framework)},
	{.like = &option_no_factor, .offset = AT(no_factor)},
	NUMBER("epoch-size", AT(epoch_size), "F", 1, 1e15, "images of an epoch, for its time"),
	{.like = &option_law, .offset = AT(law)},
	{.like = &option_calibration, .offset = AT(calibration)},
	NUMBER("ppp-comp", AT(ppp_comp), "F", 0.001, 2,
	       "fraction of the device's peaks (default 1)"),
	NUMBER("ppp-comm", AT(ppp_comm), "F", 0.001, 2, "fraction of the links' rates (default 1)"),
	FLAG("use-pipeline", AT(use_pipeline), "a work takes the longer of computing and memory"),
	FLAG("use-only-gemm", AT(use_only_gemm),
	     "the original's way not to ask cuDNN, which is never asked here"),
	TEXT("algorithm", AT(algorithm), "NAME",
	     "for --law paleo2017: gemm, fft, fft_tiling, precomp (default gemm)"),
	{.like = &option_dtypes,
	 .offset = AT(dtypes),
	 .help = "number types, with commas between: {words} (default the nets' own, or f32)"},
	{.like = &option_layouts, .offset = AT(layouts)},
	{.like = &option_fuse,
	 .offset = AT(fuse),
	 .help = "merge forward works that go element by element, as a compiler does; "
		 "normalisations learn, and stay"},
	WORD("format", AT(format), "F", formats,
	     "text, csv, jsonl, md, or paleo for the original's layout and law (default text)"),
	{.like = &option_trace, .offset = AT(trace)},
	{.like = &option_force,
	 .offset = AT(force),
	 .help = "write over whatever the file of --trace holds, and follow a symbolic link"},
	{.like = &view_option_top,
	 .offset = AT(view.top),
	 .help = "show N rows, the fastest first (default: 10 where there are more than 30)"},
	WORD("sort", AT(view.sort), "BY", sorts,
	     "rows by speed, by waiting, the part of a step that communication takes alone, or "
	     "by the "
	     "net's name (default: as they were asked for; by speed where not all are shown)"),
	{.like = &view_option_all, .offset = AT(view.all)},
	{.like = &view_option_quiet, .offset = AT(view.quiet), .help = "what is fastest alone"},
	TEXT("separator", AT(separator), "TEXT",
	     "between the columns of --format paleo (default TAB)"),
	{0},
};

static void set_defaults(void *settings)
{
	struct simulate_settings *s = settings;

	s->dtype = SIMULATE_OWN_TYPE;
	s->view.sort = VIEW_NET;
	s->parallel = "data";
	s->scaling = "weak,strong";
	s->num_workers = "1,2,4,8,16,32,64,128";
	s->schemes = "ring";
	s->separator = "\t";
	s->batch = 128;
	s->ppp_comm = 1;
	s->bucket_mib = 25;
	s->workers_per_host = s->links_per_host = s->servers = 1;
}

static int check(const struct simulate_settings *s, struct paleo_error *err)
{
	const int original = s->law == CHOICE_LAW_2017;

	if (s->format == SIMULATE_PALEO && !original)
		return paleo_fail(err, PALEO_EINPUT,
				  "--format paleo prints what --law paleo2017 says, not --law %s",
				  choice_law[s->law]);
	int other = s->dtypes.count > 1 || s->layouts.count > 1 || s->seqs.count;
	if (s->dtypes.count == 1)
		other |= s->dtypes.items[0] != PALEO_F32;
	if (s->layouts.count == 1)
		other |= s->layouts.items[0] != PALEO_NCHW;
	if (original && (s->calibration || s->framework || s->fuse || s->trace || other))
		return paleo_fail(err, PALEO_EINPUT,
				  "--law paleo2017 knows no --calibration, no --framework, no "
				  "--fuse, no --trace, no --seq, no --dtype but f32 and no "
				  "--layout but nchw");
	if (s->framework && s->fuse)
		return paleo_fail(err, PALEO_EINPUT,
				  "--framework says itself what is put together: leave --fuse out");
	if (s->algorithm && !original)
		return paleo_fail(err, PALEO_EINPUT, "--algorithm is for --law paleo2017");
	if (s->algorithm && s->use_only_gemm && strcmp(s->algorithm, "gemm") != 0)
		return paleo_fail(err, PALEO_EINPUT,
				  "--use-only-gemm and --algorithm %s contradict each other",
				  s->algorithm);
	return PALEO_OK;
}

static void print_title(const struct simulate_plan *p, const struct simulate_settings *s,
			const char *law)
{
	const struct paleo_link *l = &p->fabric.between;

	paleo_print(paleo_table_is_data(s->format) ? stderr : stdout,
		    "%s over %s (%.4g GB/s, %.3g us%s): %s\n", p->device.title, l->title,
		    l->bytes_per_s / 1e9, l->latency_s * 1e6,
		    l->range_count ? ", fitted by size" : "", law);
}

/* The device that is meant where nothing tells: the original's. */
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
	/* What the rows stand on, one for each number type. */
	struct paleo_source sources[OPTION_WORDS_MAX];
	struct simulate_plan plans[OPTION_WORDS_MAX]; /* the last of each, for its words */
	int source_count;
};

/* One combination under the laws of works. */
static int add_works(struct sweep *w, const struct simulate_settings *s, struct paleo_error *err)
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

static int at_least_one(int count)
{
	return count ? count : 1;
}

/* All combinations in one number type; the last list goes fastest. */
static int add_type(struct sweep *w, const struct simulate_settings *all, int dtype,
		    struct paleo_error *err)
{
	int layouts = at_least_one(all->layouts.count), seqs = at_least_one(all->seqs.count);
	int batches = at_least_one(all->batches.count);
	const struct paleo_source_wish wish = {
		.law = choice_law_of[all->law],
		.dtype = (enum paleo_dtype)dtype,
		.device = device_name(all),
		.devices = all->devices,
		.calibration = all->calibration,
		.ppp_compute = all->ppp_comp,
		.ppp_memory = all->ppp_comp,
	};

	int rc = paleo_choose_source(&wish, &w->sources[w->source_count], err);
	if (rc)
		return rc;
	w->source_count++;
	for (int i = 0; !rc && i < layouts * seqs * batches; i++) {
		struct simulate_settings s = *all;
		s.dtype = dtype;
		s.batch = all->batches.count ? all->batches.items[i % batches] : all->batch;
		s.seq = all->seqs.items[i / batches % seqs];
		s.layout = all->layouts.items[i / batches / seqs];
		rc = add_works(w, &s, err);
	}
	return rc;
}

/* What the rows stand on, then the rows. */
static int print_sweep(const struct sweep *w, const struct simulate_settings *s,
		       struct paleo_error *err)
{
	FILE *notes = paleo_table_is_data(s->format) ? stderr : stdout;
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < w->source_count; i++) {
		const struct paleo_source *b = &w->sources[i];
		if (i && !strcmp(b->title, w->sources[i - 1].title))
			continue;
		print_title(&w->plans[i], s, b->title);
		rc = verdict_warn(&b->calibration, NULL, notes, err);
	}
	return rc ? rc : simulate_print(s, &w->rows, stdout, err);
}

static int simulate_works(const struct simulate_settings *s, const char *const *nets, int count,
			  struct paleo_error *err)
{
	struct sweep *w = calloc(1, sizeof(*w));
	int rc = w ? PALEO_OK : paleo_fail(err, PALEO_ENOMEM, "out of memory");

	if (rc)
		return rc;
	w->nets = nets;
	w->count = count;
	if (s->trace)
		rc = trace_open(s->trace, s->force, &w->trace, err);
	for (int i = 0; !rc && i < at_least_one(s->dtypes.count); i++)
		rc = add_type(w, s, s->dtypes.count ? s->dtypes.items[i] : s->dtype, err);
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
	if (!s.network && !s.link_calibration)
		s.network = "ethernet";
	if (!(s.ppp_comp > 0))
		s.ppp_comp = 1;
	rc = paleo_choose_device(s.devices, s.device, &device, err);
	for (int k = 0; !rc && k < at_least_one(s.batches.count); k++) {
		s.batch = s.batches.count ? s.batches.items[k] : s.batch;
		rc = simulate_plan_make(&s, &device, &p, err);
		if (!rc && s.format == SIMULATE_PALEO)
			rc = simulate_as_2017(&p, nets, count, err);
		for (int i = 0; !rc && s.format != SIMULATE_PALEO && i < count; i++)
			rc = simulate_rows_2017(&p, &rows, nets[i], err);
	}
	if (!rc && s.format != SIMULATE_PALEO) {
		print_title(&p, &s, "as the original Paleo of 2017");
		rc = simulate_print(&s, &rows, stdout, err);
	}
	free(rows.items);
	return rc;
}

static int simulate(const struct simulate_settings *given, const char *const *nets, int count,
		    struct paleo_error *err)
{
	struct simulate_settings s = *given;
	char device[SESSION_NAME_MAX];

	if (s.law == CHOICE_LAW_AUTO && s.format == SIMULATE_PALEO)
		s.law = CHOICE_LAW_2017;
	int rc = check(&s, err);
	if (!rc)
		rc = session_name(given->device, given->calibration != NULL, device, err);
	s.device = given->device ? device : NULL;
	if (!rc && !s.dtypes.count && s.law != CHOICE_LAW_2017)
		rc = trained_nets_dtype(nets, count, &s.dtype, err);
	if (s.dtype == SIMULATE_OWN_TYPE)
		s.dtype = PALEO_F32;
	if (rc)
		return rc;
	return s.law == CHOICE_LAW_2017 ? simulate_2017(s, nets, count, err)
					: simulate_works(&s, nets, count, err);
}

static int run(const void *settings, const char *const *arguments, int count)
{
	struct paleo_error err = {0};

	if (!count) {
		paleo_print(
			stderr,
			"paleo-simulate: no net was given, for example vgg16.json (see --help)\n");
		return EXIT_MISUSE;
	}
	return simulate(settings, arguments, count, &err) ? command_fail(&command_simulate, &err)
							  : EXIT_GOOD;
}

const struct command command_simulate = {
	.name = "simulate",
	.what = "simulates a training step on several workers",
	.usage = "NET.json...",
	.about =
		"Tells how long a training step takes on several workers, what of it is "
		"communication, how much faster that is than one worker, and what memory a "
		"worker needs. docs/reference/simulate.md explains strategies, schemes and links.\n"
		"Options may be spelled as the original's, --num_workers.\n"
		"Exit status: 0 good, 1 the law cannot tell or out of memory, 2 wrong options or "
		"files.",
	.examples = "paleo-simulate --device h100-sxm --law presets --network nvlink4 "
		    "--num-workers 8 resnet50\n"
		    "paleo-simulate --device t4 --network ethernet-100g --parallel data,zero1 "
		    "--overlap my-net.json\n",
	.options = options,
	.settings_size = sizeof(struct simulate_settings),
	.defaults = set_defaults,
	.run = run,
};
