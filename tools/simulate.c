/* simulate.c - the command `simulate`: a training step on several workers. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/simulate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "library/choose.h"
#include "tools/choice.h"
#include "tools/options.h"
#include "tools/trained_net.h"
#include "tools/verdict.h"

static const char *const formats[] = {"text", "csv", "jsonl", "md", "paleo", NULL};

#define AT(field) offsetof(struct simulate_settings, field)
#define TEXT(word, field, called, about)                                                           \
	{                                                                                          \
		.name = (word), .type = OPTION_TEXT, .offset = AT(field), .argument = (called),    \
		.help = (about)                                                                    \
	}
#define WORD(word, field, called, list, about)                                                     \
	{                                                                                          \
		.name = (word), .type = OPTION_WORD, .offset = AT(field), .argument = (called),    \
		.help = (about), .words = (list)                                                   \
	}
#define FLAG(word, field, about)                                                                   \
	{                                                                                          \
		.name = (word), .type = OPTION_FLAG, .offset = AT(field), .help = (about)          \
	}
#define WHOLE(word, field, from, to, about)                                                        \
	{                                                                                          \
		.name = (word), .type = OPTION_INT, .offset = AT(field), .argument = "N",          \
		.help = (about), .low = (from), .high = (to)                                       \
	}
#define NUMBER(word, field, from, to, about)                                                       \
	{                                                                                          \
		.name = (word), .type = OPTION_NUMBER, .offset = AT(field), .argument = "F",       \
		.help = (about), .low = (from), .high = (to)                                       \
	}

static const struct option_spec options[] = {
	TEXT("device", device, "NAME",
	     "the workers' device (default that of the calibration, or else TITAN_X, as the "
	     "original)"),
	TEXT("device-name", device, "NAME", "the original's word for --device"),
	TEXT("devices", devices, "FILE", "a JSON file that describes more devices"),
	TEXT("network", network, "NAME",
	     "the link between hosts, or workers: ethernet, ethernet20, infiniband, pcie3, aws, "
	     "ethernet-100g, infiniband-ndr, nvlink4 ... (default ethernet)"),
	TEXT("network-name", network, "NAME", "the original's word for --network"),
	TEXT("links", links, "FILE", "a JSON file that describes more links"),
	TEXT("link-calibration", link_calibration, "FILE",
	     "a link as 'paleo calibrate-comm' has fitted it, in place of the table's"),
	{.like = &option_host_link, .offset = AT(host_link)},
	{.like = &option_workers_per_host, .offset = AT(workers_per_host)},
	WHOLE("batch-size", batch, 1, 1 << 20,
	      "images of each worker (weak scaling), or of all (strong) (default 128)"),
	TEXT("parallel", parallel, "LIST",
	     "data, model, hybrid, tensor, pipeline, zero1, zero2, zero3, or plans as "
	     "tp8+sp+pp4+zero1: dp, tp, sp, cp, gather, pp, v, zb1, zb2, ep, fsdp, hsdp, full, "
	     "selective, mb (default data)"),
	TEXT("scaling", scaling, "LIST", "weak, strong (default weak,strong)"),
	TEXT("num-workers", num_workers, "LIST", "default 1,2,4,8,16,32,64,128"),
	WHOLE("hybrid-workers", hybrid_workers, 1, 1 << 20,
	      "workers of hybrid parallelism (default those of --num-workers; 1 with --format "
	      "paleo)"),
	TEXT("scheme", schemes, "LIST",
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
	NUMBER("epoch-size", epoch_size, 1, 1e15, "images of an epoch, for its time"),
	{.like = &option_law, .offset = AT(law)},
	{.like = &option_calibration, .offset = AT(calibration)},
	NUMBER("ppp-comp", ppp_comp, 0.001, 2, "fraction of the device's peaks (default 1)"),
	NUMBER("ppp-comm", ppp_comm, 0.001, 2, "fraction of the links' rates (default 1)"),
	FLAG("use-pipeline", use_pipeline, "a work takes the longer of computing and memory"),
	FLAG("use-only-gemm", use_only_gemm,
	     "the original's way not to ask cuDNN, which is never asked here"),
	TEXT("algorithm", algorithm, "NAME",
	     "for --law paleo2017: gemm, fft, fft_tiling, precomp (default gemm)"),
	{.like = &option_dtype,
	 .offset = AT(dtype),
	 .help = "number type: {words} (default the nets' own, or f32)"},
	WORD("format", format, "F", formats,
	     "text, csv, jsonl, md, or paleo for the original's layout and law (default text)"),
	{.like = &option_trace, .offset = AT(trace)},
	{.like = &option_force,
	 .offset = AT(force),
	 .help = "write over whatever the file of --trace holds, and follow a symbolic link"},
	TEXT("separator", separator, "TEXT", "between the columns of --format paleo (default TAB)"),
	{0},
};

static void set_defaults(void *settings)
{
	struct simulate_settings *s = settings;

	s->dtype = SIMULATE_OWN_TYPE;
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
	if (original && (s->calibration || s->framework || s->trace || s->dtype != PALEO_F32))
		return paleo_fail(err, PALEO_EINPUT,
				  "--law paleo2017 knows no --calibration, no --framework, no "
				  "--trace and no --dtype but f32");
	if (s->algorithm && !original)
		return paleo_fail(err, PALEO_EINPUT, "--algorithm is for --law paleo2017");
	if (s->algorithm && s->use_only_gemm && strcmp(s->algorithm, "gemm") != 0)
		return paleo_fail(err, PALEO_EINPUT,
				  "--use-only-gemm and --algorithm %s contradict each other",
				  s->algorithm);
	return PALEO_OK;
}

static void print_title(const struct simulate_plan *p, const char *law)
{
	const struct paleo_link *l = &p->fabric.between;

	paleo_print(paleo_table_is_data(p->s->format) ? stderr : stdout,
		    "%s over %s (%.4g GB/s, %.3g us%s): %s\n", p->device.title, l->title,
		    l->bytes_per_s / 1e9, l->latency_s * 1e6,
		    l->range_count ? ", fitted by size" : "", law);
}

/* From a source, or as the original did it. */
static int print_rows(const struct simulate_plan *p, const struct paleo_source *b,
		      const char *const *nets, int count, struct paleo_error *err)
{
	struct paleo_table *t = simulate_table();
	int rc = t ? PALEO_OK : paleo_fail(err, PALEO_ENOMEM, "out of memory");

	for (int i = 0; !rc && i < count; i++)
		rc = b ? simulate_rows(p, &b->calibration, t, nets[i], err)
		       : simulate_rows_2017(p, t, nets[i], err);
	if (!rc)
		print_title(p, b ? b->title : "as the original Paleo of 2017");
	if (!rc && b)
		rc = verdict_warn(&b->calibration, NULL,
				  paleo_table_is_data(p->s->format) ? stderr : stdout, err);
	if (!rc)
		rc = paleo_table_print(t, (enum paleo_table_format)p->s->format, stdout, err);
	paleo_table_free(t);
	return rc;
}

/* The device that is meant where nothing tells: the original's. */
static const char *device_name(const struct simulate_settings *s)
{
	return s->device || s->calibration ? s->device : "TITAN_X";
}

static int simulate_works(const struct simulate_settings *s, const char *const *nets, int count,
			  struct paleo_error *err)
{
	const struct paleo_source_wish wish = {
		.law = choice_law_of[s->law],
		.dtype = (enum paleo_dtype)s->dtype,
		.device = device_name(s),
		.devices = s->devices,
		.calibration = s->calibration,
		.ppp_compute = s->ppp_comp,
		.ppp_memory = s->ppp_comp,
	};
	struct simulate_plan p;
	struct paleo_source source;

	int rc = paleo_choose_source(&wish, &source, err);
	if (rc)
		return rc;
	rc = simulate_plan_make(s, &source.calibration.device, &p, err);
	if (!rc && s->trace)
		rc = trace_open(s->trace, s->force, &p.trace, err);
	if (!rc)
		rc = print_rows(&p, &source, nets, count, err);
	if (!rc && p.trace)
		rc = trace_save(p.trace, err);
	trace_close(p.trace);
	paleo_source_release(&source);
	return rc;
}

/* With the original's defaults, by its names. */
static int simulate_2017(struct simulate_settings s, const char *const *nets, int count,
			 struct paleo_error *err)
{
	struct simulate_plan p;
	struct paleo_device device;

	s.device = device_name(&s);
	if (!s.network && !s.link_calibration)
		s.network = "ethernet";
	if (!(s.ppp_comp > 0))
		s.ppp_comp = 1;
	int rc = paleo_choose_device(s.devices, s.device, &device, err);
	if (!rc)
		rc = simulate_plan_make(&s, &device, &p, err);
	if (rc)
		return rc;
	if (s.format == SIMULATE_PALEO)
		return simulate_as_2017(&p, nets, count, err);
	return print_rows(&p, NULL, nets, count, err);
}

static int simulate(const struct simulate_settings *given, const char *const *nets, int count,
		    struct paleo_error *err)
{
	struct simulate_settings s = *given;

	if (s.law == CHOICE_LAW_AUTO && s.format == SIMULATE_PALEO)
		s.law = CHOICE_LAW_2017;
	int rc = PALEO_OK;
	if (s.dtype == SIMULATE_OWN_TYPE && s.law == CHOICE_LAW_2017)
		s.dtype = PALEO_F32;
	else if (s.dtype == SIMULATE_OWN_TYPE)
		rc = trained_nets_dtype(nets, count, &s.dtype, err);
	if (s.dtype == SIMULATE_OWN_TYPE)
		s.dtype = PALEO_F32;
	if (!rc)
		rc = check(&s, err);
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
