/* serving.c - the command `serving`: how fast a transformer answers, and how many at a time. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/serving.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "tools/choice.h"
#include "tools/model_options.h"

/*
 * What a server's host adds to a step, where it is not hidden behind the device's work: as much as
 * rows of measured servers leave room for (docs/method/serving.md).
 */
#define HOST_US 200

/* Of TensorRT-LLM: what trtllm-serve takes by itself (max_num_tokens). */
#define CHUNK 8192

/* Of vLLM: gpu_memory_utilization where it is not given. */
#define MEMORY_SHARE 0.9

/* Of the measured tables of experts, whose shares are drawn from a power law: the middle one of
 * three. */
#define SKEW 1.01

#define AT(field) offsetof(struct serving_settings, field)
#define LIST(word, field, about)                                                                   \
	{                                                                                          \
		.name = (word), .type = OPTION_TEXT, .offset = AT(field), .argument = "LIST",      \
		.help = (about)                                                                    \
	}

#define LIMIT(word, field, about)                                                                  \
	{                                                                                          \
		.name = (word), .type = OPTION_NUMBER, .offset = AT(field), .argument = "MS",      \
		.help = "finds the most requests whose time " about " is no longer, in "           \
			"milliseconds",                                                            \
		.low = 1e-3, .high = 1e9                                                           \
	}

static const struct option_spec options[] = {
	{.name = "device",
	 .type = OPTION_TEXT,
	 .offset = AT(device),
	 .argument = "NAME",
	 .help = "a device that 'paleo devices' lists (default: that of the calibration)"},
	{.like = &option_devices, .offset = AT(devices)},
	LIST("concurrency", concurrency,
	     "requests in flight on one copy of the model (default 1,8,64; with limits of times "
	     "the "
	     "most that keep them)"),
	LIMIT("ttft-ms", ttft_ms, "to the first token, in the mean"),
	LIMIT("tpot-ms", tpot_ms, "per token after it"),
	LIST("isl", isl, "tokens of a prompt (default 1024)"),
	LIST("osl", osl, "tokens of an answer (default 256)"),
	LIST("tp", tp, "GPUs over which heads and inner sizes are divided (default 1)"),
	LIST("pp", pp, "stages of layers (default 1)"),
	LIST("dp", dp,
	     "of models with experts: parts with requests of their own, whose tokens meet at the "
	     "experts (default 1)"),
	LIST("ep", ep,
	     "parts into which experts are divided; each lies on tp x dp / ep GPUs (default as "
	     "--dp)"),
	{.name = "batching",
	 .type = OPTION_WORDS,
	 .offset = AT(batching),
	 .argument = "LIST",
	 .help = "continuous: a request that ends makes room for the next; static: all begin and "
		 "end together; disaggregated: other GPUs, divided alike, take prompts in "
		 "(default continuous)",
	 .words = paleo_batching_names},
	{.name = "chunk",
	 .type = OPTION_INT,
	 .offset = AT(chunk),
	 .argument = "N",
	 .help = "tokens of prompts that a step takes at most (default 8192, TensorRT-LLM's)",
	 .low = 1,
	 .high = 1 << 22},
	{.name = "cached",
	 .type = OPTION_INT,
	 .offset = AT(cached),
	 .argument = "N",
	 .help = "tokens of each prompt that are in the cache already (default 0)",
	 .low = 0,
	 .high = 1 << 22},
	{.name = "drafts",
	 .type = OPTION_INT,
	 .offset = AT(drafts),
	 .argument = "N",
	 .help = "tokens that a step guesses ahead for each answer; what guesses them costs what "
		 "--host-us adds (default 0)",
	 .low = 0,
	 .high = 1024},
	{.name = "accepted",
	 .type = OPTION_NUMBER,
	 .offset = AT(accepted),
	 .argument = "F",
	 .help = "how many of them are right in the mean: goes with --drafts",
	 .low = 0,
	 .high = 1024},
	{.name = "host-us",
	 .type = OPTION_NUMBER,
	 .offset = AT(host_us),
	 .argument = "US",
	 .help = "microseconds that the host adds to a step (default 200; measured servers are "
		 "met as well with none)",
	 .low = 0,
	 .high = 1e6},
	{.name = "skew",
	 .type = OPTION_NUMBER,
	 .offset = AT(skew),
	 .argument = "F",
	 .help = "exponent of the power law by which tokens prefer some experts; 0: all are as "
		 "likely (default 1.01)",
	 .low = 0,
	 .high = 10},
	{.name = "network",
	 .type = OPTION_TEXT,
	 .offset = AT(network),
	 .argument = "NAME",
	 .help = "the link between GPUs (default that of a host with such GPUs: nvlink4 of an "
		 "H100)"},
	{.name = "links",
	 .type = OPTION_TEXT,
	 .offset = AT(links),
	 .argument = "FILE",
	 .help = "a JSON file that describes more links"},
	{.name = "memory-share",
	 .type = OPTION_NUMBER,
	 .offset = AT(memory_share),
	 .argument = "F",
	 .help = "of the device's memory that may be used (default 0.9, vLLM's)",
	 .low = 0.01,
	 .high = 1},
	{.like = &option_model_weights, .offset = AT(weights)},
	{.like = &option_model_kv, .offset = AT(kv)},
	{.name = "pareto",
	 .type = OPTION_FLAG,
	 .offset = AT(pareto),
	 .help = "only rows that no other one beats in tokens/s for a user and for a GPU"},
	{.name = "cases",
	 .type = OPTION_TEXT,
	 .offset = AT(cases),
	 .argument = "FILE",
	 .help = "one JSON object a line, in place of nets and lists: net, device, tp, pp, dp, ep, "
		 "isl, osl, concurrency, batching, and measured ttft_s, tpot_s"},
	{.like = &option_law_of_works, .offset = AT(law)},
	{.like = &option_calibration, .offset = AT(calibration)},
	{.like = &option_format, .offset = AT(format)},
	{0},
};

static void set_defaults(void *settings)
{
	struct serving_settings *s = settings;

	s->isl = "1024";
	s->osl = "256";
	s->batching = (struct option_words){.items = {PALEO_CONTINUOUS}, .count = 1};
	s->chunk = CHUNK;
	s->skew = SKEW;
	s->accepted = NAN;
	s->host_us = HOST_US;
	s->memory_share = MEMORY_SHARE;
}

/* Why a row does not count: limits that it misses, or the largest load that fits. */
static void tell_why(const struct serving_row *r)
{
	const struct paleo_serving_memory *m = &r->result.memory;
	const struct serving_case *c = r->c;
	const char *device = r->on->source->source.calibration.device.name;

	if (serving_counts(r))
		return;
	if (r->result.fits)
		paleo_print(stderr,
			    "paleo-serving: %d at a time on %d of %s, as few as there can be, "
			    "already take %.4g ms to the first token and %.4g ms per token\n",
			    c->load.concurrency, r->result.gpus, device, r->result.ttft.s * 1e3,
			    r->result.tpot.s * 1e3);
	else if (m->largest)
		paleo_print(stderr,
			    "paleo-serving: %d requests of %d tokens do not fit into %.1f GB of %s "
			    "beside %.1f GB of weights: at most %d do\n",
			    c->load.concurrency, c->load.isl + c->load.osl, m->room * 1e-9, device,
			    m->weights * 1e-9, m->largest);
	else
		paleo_print(stderr,
			    "paleo-serving: %.1f GB of weights, and a request of %d tokens, do not "
			    "fit into %.1f GB of %s: divide the model by --tp, --pp or --ep\n",
			    m->weights * 1e-9, c->load.isl + c->load.osl, m->room * 1e-9, device);
}

/* What the rows stand on, once for each device and number type. */
static void print_titles(const struct serving_shop *shop, FILE *out)
{
	const struct serving_settings *s = shop->s;

	for (int i = 0; i < shop->source_count; i++)
		paleo_print(out, "%s: %s\n", shop->sources[i]->source.calibration.device.title,
			    shop->sources[i]->source.title);
	for (int i = 0; i < shop->served_count; i++) {
		const struct paleo_link *l = &shop->served[i]->serving.link;
		if (!l->name[0])
			continue;
		paleo_print(out, "GPUs are joined by %s (%.4g GB/s, %.3g us)\n", l->title,
			    l->bytes_per_s * 1e-9, l->latency_s * 1e6);
		break;
	}
	for (int i = 0; i < shop->served_count; i++) {
		const struct serving_served *v = shop->served[i];
		const struct paleo_serving_split *p = &v->serving.split;
		if (!v->joined)
			continue;
		paleo_print(out,
			    "%d GPUs are more than the %d of a host: they are counted as if its "
			    "links joined all; --network names other links\n",
			    p->tp * p->pp * p->dp * (1 + v->apart), v->joined);
		break;
	}
	paleo_print(out,
		    "host %g us a step, prompts in steps of %d tokens at most, %g of the memory "
		    "used\n",
		    s->host_us, s->chunk, s->memory_share);
	if (s->cached)
		paleo_print(out, "%d tokens of each prompt are in the cache already\n", s->cached);
	if (s->drafts)
		paleo_print(out,
			    "%d tokens guessed ahead in each step, %g of them right; what guesses "
			    "them takes no time of its own\n",
			    s->drafts, s->accepted);
}

static int print_rows(const struct serving_shop *shop, const struct serving_row *rows, int count,
		      struct paleo_error *err)
{
	const struct serving_settings *s = shop->s;
	struct paleo_table *t = serving_table();
	int *keep = calloc((size_t)count + 1, sizeof(*keep));
	int rc = t && keep ? PALEO_OK : paleo_fail(err, PALEO_ENOMEM, "out of memory");

	if (!rc && s->pareto)
		rc = serving_front(rows, count, keep, err);
	for (int i = 0; !rc && i < count; i++)
		if (keep[i] || !s->pareto)
			rc = serving_table_add(t, &rows[i], err);
	if (!rc) {
		print_titles(shop, paleo_table_is_data(s->format) ? stderr : stdout);
		rc = paleo_table_print(t, (enum paleo_table_format)s->format, stdout, err);
	}
	for (int i = 0; !rc && i < count; i++)
		tell_why(&rows[i]);
	free(keep);
	paleo_table_free(t);
	return rc;
}

static int has_limits(const struct serving_settings *s)
{
	return s->ttft_ms > 0 || s->tpot_ms > 0;
}

static int price_one(const struct serving_settings *s, struct serving_row *r,
		     struct paleo_serving_load *load, struct paleo_error *err)
{
	const struct paleo_serving_limits limits = {s->ttft_ms * 1e-3, s->tpot_ms * 1e-3};

	r->has_limits = has_limits(s);
	r->is_kept = 1;
	if (!r->has_limits)
		return paleo_serve(&r->on->served, load, &r->result, err);
	return paleo_serve_most(&r->on->served, &limits, load, &r->result, &r->is_kept, err);
}

static int price(struct serving_shop *shop, struct serving_cases *cases, struct serving_row *rows,
		 struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < cases->count; i++) {
		rows[i].c = &cases->items[i];
		rc = serving_find(shop, &cases->items[i], &rows[i].on, err);
		if (!rc)
			rc = price_one(shop->s, &rows[i], &cases->items[i].load, err);
	}
	return rc;
}

/* Adds what the command line asks for. */
static int list_cases(const struct serving_settings *s, const char *const *nets, int count,
		      struct serving_cases *out, struct paleo_error *err)
{
	const struct model_options words = {.weights = s->weights, .kv = s->kv};
	struct model_names *names = NULL;
	int rc = s->cases ? serving_cases_load(s, s->cases, out, err) : PALEO_OK;

	if (!rc)
		rc = model_names_make(&words, nets, count, &names, err);
	for (int i = 0; !rc && i < count; i++)
		rc = serving_grid(s, names->items[i], out, err);
	free(names);
	return rc;
}

/* *failed: rows that do not fit, or miss the limits. */
static int serve(const struct serving_settings *s, const char *const *nets, int count, int *failed,
		 struct paleo_error *err)
{
	struct serving_shop shop = {.s = s};
	struct serving_cases cases = {0};
	struct serving_row *rows = NULL;
	int rc = list_cases(s, nets, count, &cases, err);

	if (!rc) {
		rows = calloc((size_t)cases.count + 1, sizeof(*rows));
		rc = rows ? price(&shop, &cases, rows, err)
			  : paleo_fail(err, PALEO_ENOMEM, "out of memory");
	}
	if (!rc)
		rc = print_rows(&shop, rows, cases.count, err);
	for (int i = 0; !rc && i < cases.count; i++)
		*failed += !serving_counts(&rows[i]);
	free(rows);
	free(cases.items);
	serving_shop_release(&shop);
	return rc;
}

/* Options that do not go together. */
static int check(const struct serving_settings *s, struct paleo_error *err)
{
	if (has_limits(s) && (s->concurrency || s->cases))
		return paleo_fail(err, PALEO_EINPUT,
				  "--ttft-ms and --tpot-ms find the concurrency: leave "
				  "--concurrency and --cases out");
	if (!s->drafts && !isnan(s->accepted))
		return paleo_fail(err, PALEO_EINPUT, "--accepted goes with --drafts");
	if (s->drafts && !(s->accepted <= s->drafts))
		return paleo_fail(err, PALEO_EINPUT,
				  "--drafts %d wants --accepted: how many of them are right in the "
				  "mean, from 0 to %d",
				  s->drafts, s->drafts);
	return PALEO_OK;
}

static int run(const void *settings, const char *const *arguments, int count)
{
	const struct serving_settings *s = settings;
	struct paleo_error err = {0};
	int failed = 0;

	if (check(s, &err))
		return command_fail(&command_serving, &err);
	if (!count && !s->cases) {
		paleo_print(stderr, "paleo-serving: no model was given, for example "
				    "llama-3.1-8b/config.json (see --help)\n");
		return EXIT_MISUSE;
	}
	if (serve(s, arguments, count, &failed, &err))
		return command_fail(&command_serving, &err);
	return failed ? EXIT_ROWS : EXIT_GOOD;
}

const struct command command_serving = {
	.name = "serving",
	.what = "tells how fast a transformer answers requests, and how many at a time",
	.usage = "CONFIG.json...",
	.about =
		"From the config.json of a model on Hugging Face, or the folder it lies in: time "
		"to "
		"the first token (TTFT), time per output token after it (TPOT), tokens per second "
		"for a user and for a GPU, memory by part, and the most requests that fit.\n"
		"Each list's numbers are combined with each other's. A step of continuous batching "
		"gives each answer a token and takes in a part of new prompts; the host's time is "
		"added to every step. docs/guide/serving.md walks from a file to a decision.\n"
		"Exit status: 0 good, 1 some rows do not fit or miss the limits, the law cannot "
		"tell or out of "
		"memory, "
		"2 wrong options or files.",
	.examples = "paleo-serving --device h100-sxm --concurrency 1,8,64 --isl 1024 --osl 256 "
		    "my-model/config.json\n"
		    "paleo-serving --device h200 --weights fp8 --tp 1,2,4,8 --pareto my-model\n",
	.options = options,
	.settings_size = sizeof(struct serving_settings),
	.defaults = set_defaults,
	.run = run,
};
