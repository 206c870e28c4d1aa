/* serving.c - the command `serving`: how fast a transformer answers, and how many at a time. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/serving/serving.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "tools/cli/choice.h"
#include "tools/serving/export.h"

/* Exposed launch overhead of a step: the most that measured servers allow for
 * (docs/method/serving.md). */
#define HOST_US 200

/* Default of trtllm-serve, TensorRT-LLM (max_num_tokens). */
#define CHUNK 8192

/* Requests of each user in benchmarks of servers (InferenceX). */
#define ROUNDS 10

/* Default gpu_memory_utilization of vLLM. */
#define MEMORY_SHARE 0.9

/* The median of three exponents of the power laws in measured tables of expert loads. */
#define SKEW 1.01

enum {
	DRAFTS_MAX = 1024
};

#define AT(field) offsetof(struct serving_settings, field)
static const struct option_spec options[] = {
	LIKE_BUT(device_predicted, AT(device),
		 "devices to predict: names that 'paleo devices' lists, or cpu or 0 of this "
		 "machine (default: the calibration's device); a comma-separated list gives rows "
		 "for each"),
	LIKE(device_file, AT(devices)),
	LIKE(max_concurrency, AT(concurrency)),
	LIKE(ttft_ms, AT(ttft_ms)),
	LIKE(tpot_ms, AT(tpot_ms)),
	LIKE(isl, AT(isl)),
	LIKE(osl, AT(osl)),
	LIKE(tps, AT(tp)),
	LIKE(pps, AT(pp)),
	LIKE(dps, AT(dp)),
	LIKE(eps, AT(ep)),
	LIKE(batching, AT(batching)),
	LIKE(chunk, AT(chunk)),
	LIKE(rounds_of_requests, AT(rounds)),
	LIKE(prefix_cached, AT(cached)),
	LIKE(speculative, AT(speculative)),
	LIKE_BUT(launch_us, AT(host_us),
		 "launch overhead that the CPU adds to a step, in microseconds (default 200; "
		 "measured "
		 "servers agree with 0 equally well)"),
	LIKE(skew, AT(skew)),
	LIKE_MORE(link, AT(network), " (default: that of a node with such GPUs, nvlink4 for H100)"),
	LIKE(link_file, AT(links)),
	LIKE(memory_share, AT(memory_share)),
	LIKE_BUT(dtype, AT(dtype),
		 "dtype of computation and KV cache: f32, f16 or bf16 (default: the file's)"),
	LIKE(weights, AT(weights)),
	LIKE(kv, AT(kv)),
	LIKE_BUT(search, AT(pareto),
		 "print only rows that are Pareto-optimal in tokens/s per user and per GPU"),
	LIKE(cost_model_of_ops, AT(cost_model)),
	LIKE(stack, AT(stack)),
	LIKE(calibration, AT(calibration)),
	LIKE(format, AT(format)),
	LIKE(export_model, AT(export)),
	{0},
};

static void set_defaults(void *settings)
{
	struct serving_settings *s = settings;

	s->export = SERVING_NO_EXPORT;
	s->dtype = CHOICE_DTYPE_OWN;
	s->batching = (struct option_words){.items = {PALEO_CONTINUOUS}, .count = 1};
	s->chunk = CHUNK;
	s->rounds = ROUNDS;
	s->skew = SKEW;
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
			    "paleo-serving: even %d in flight on %d of %s take %.4g ms to first "
			    "token and %.4g ms per output token\n",
			    c->load.concurrency, r->result.gpus, device, r->result.ttft.s * 1e3,
			    r->result.tpot.s * 1e3);
	else if (m->largest)
		paleo_print(stderr,
			    "paleo-serving: %d requests of %d tokens do not fit in %.1f GB of %s "
			    "with %.1f GB of weights: at most %d do\n",
			    c->load.concurrency, c->load.isl + c->load.osl, m->room * 1e-9, device,
			    m->weights * 1e-9, m->largest);
	else
		paleo_print(stderr,
			    "paleo-serving: %.1f GB of weights and a request of %d tokens do not "
			    "fit in %.1f GB of %s: raise --tp, --pp or --ep\n",
			    m->weights * 1e-9, c->load.isl + c->load.osl, m->room * 1e-9, device);
}

/* Requests that are longer than their model was made for, once for each model. */
static void warn_places(const struct serving_shop *shop, const struct serving_row *rows, int count,
			FILE *out)
{
	for (int i = 0; i < shop->model_count; i++) {
		const struct serving_model *m = shop->models[i];
		int most = 0;
		for (int k = 0; k < count; k++) {
			const int tokens = rows[k].c->load.isl + rows[k].c->load.osl;
			if (rows[k].on->model == m && tokens > most)
				most = tokens;
		}
		if (m->model.places && most > m->model.places)
			paleo_print(out, "%s: %d tokens are more than the model's %d positions\n",
				    m->name, most, m->model.places);
	}
}

/* Parameter sources, once for each device and dtype. */
static void print_sources(const struct serving_shop *shop, FILE *out)
{
	for (int i = 0; i < shop->source_count; i++)
		paleo_print(out, "%s: %s%s\n", shop->sources[i]->source.calibration.device.title,
			    shop->sources[i]->source.title,
			    shop->sources[i]->stack_count
				    ? "; GEMMs and experts: the fastest of the stacks"
				    : "");
}

/* The link of these GPUs, unless it was printed with those of an earlier one. */
static void print_link(const struct serving_shop *shop, int at, FILE *out)
{
	const struct serving_served *v = shop->served[at];
	const struct paleo_link *l = &v->serving.link;

	if (!l->name[0])
		return;
	for (int i = 0; i < at; i++)
		if (!strcmp(shop->served[i]->serving.link.name, l->name) &&
		    shop->served[i]->source == v->source)
			return;
	fputs("GPU interconnect", out);
	if (shop->source_count > 1)
		paleo_print(out, " of %s", v->source->source.calibration.device.name);
	paleo_print(out, ": %s (%.4g GB/s, %.3g us)\n", l->title, l->bytes_per_s * 1e-9,
		    l->latency_s * 1e6);
}

/* These, and all else that the rows are based on. */
static void print_titles(const struct serving_shop *shop, FILE *out)
{
	const struct serving_settings *s = shop->s;

	print_sources(shop, out);
	for (int i = 0; i < shop->source_count; i++) {
		const struct serving_source *of = shop->sources[i];
		if (of->power)
			paleo_print(out, "joules: by the power model of %s\n",
				    of->power->device.title);
		else
			paleo_print(out, "no joules: the power of %s has not been measured\n",
				    of->source.calibration.device.name);
	}
	for (int i = 0; i < shop->served_count; i++)
		print_link(shop, i, out);
	for (int i = 0; i < shop->served_count; i++) {
		const struct serving_served *v = shop->served[i];
		const struct paleo_serving_split *p = &v->serving.split;
		if (!v->joined)
			continue;
		paleo_print(out,
			    "%d GPUs do not fit a node of %d; its links are assumed between "
			    "all (--link chooses others)\n",
			    p->tp * p->pp * p->dp * (1 + v->apart), v->joined);
		break;
	}
	paleo_print(
		out,
		"launch overhead %g us per step, prefill chunks of at most %d tokens, %g of the "
		"memory used, %d requests per user\n",
		s->host_us, s->chunk, s->memory_share, s->rounds);
	if (s->cached)
		paleo_print(out, "prefix caching: %d tokens of each prompt are in the KV cache\n",
			    s->cached);
	if (s->drafts)
		paleo_print(
			out,
			"speculative decoding: %d draft tokens per step, %g accepted; the draft "
			"model is not timed\n",
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
		FILE *notes = paleo_table_is_data(s->format) ? stderr : stdout;
		print_titles(shop, notes);
		warn_places(shop, rows, count, notes);
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
	for (int i = 0; i < cases->count; i++) {
		rows[i].c = &cases->items[i];
		PALEO_TRY(serving_find(shop, &cases->items[i], &rows[i].on, err));
		PALEO_TRY(price_one(shop->s, &rows[i], &cases->items[i].load, err));
	}
	return PALEO_OK;
}

/* 1: an argument is a file of cases, not a model. */
static int is_cases(const char *argument)
{
	static const char end[] = ".jsonl";
	size_t length = strlen(argument), ends = strlen(end);

	return length > ends && !strcmp(argument + length - ends, end);
}

/* Adds a net's cases on every device of the list. */
static int list_net(const struct serving_settings *s, const char *net, struct serving_cases *out,
		    struct paleo_error *err)
{
	const char *list = s->device ? s->device : "";
	char device[sizeof(out->items->device)];

	do {
		size_t length = strcspn(list, ",");
		if (length >= sizeof(device) || (!length && s->device))
			return paleo_fail(err, PALEO_EINPUT,
					  "--device has '%.*s', expected names, comma-separated",
					  (int)length, list);
		snprintf(device, sizeof(device), "%.*s", (int)length, list);
		PALEO_TRY(serving_grid(s, net, device, out, err));
		list += length;
	} while (*list++ == ',');
	return PALEO_OK;
}

/* Adds what the command line asks for. */
static int list_cases(const struct serving_settings *s, const char *const *arguments, int count,
		      struct serving_cases *out, struct paleo_error *err)
{
	const struct model_options words = {.weights = s->weights, .kv = s->kv};
	struct model_names *names = NULL;
	int rc = model_names_make(&words, arguments, count, &names, err);

	for (int i = 0; !rc && i < count; i++)
		rc = is_cases(arguments[i]) ? serving_cases_load(s, arguments[i], out, err)
					    : list_net(s, names->items[i], out, err);
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

/* --export: a table of one model on one device. */
static int export_model(const struct serving_settings *s, const char *const *nets, int count,
			struct paleo_error *err)
{
	struct serving_shop shop = {.s = s};
	struct serving_cases cases = {0};
	const struct serving_served *on = NULL;
	int rc = list_cases(s, nets, count, &cases, err);

	if (!rc && cases.count != 1)
		rc = paleo_fail(err, PALEO_EINPUT,
				"--export takes one model, one device, one number of --tp and one "
				"of --max-concurrency");
	if (!rc)
		rc = serving_find(&shop, &cases.items[0], &on, err);
	if (!rc)
		print_sources(&shop, stderr);
	if (!rc)
		rc = serving_export(s->export, on, s->chunk, cases.items[0].load.concurrency, err);
	free(cases.items);
	serving_shop_release(&shop);
	return rc;
}

/* Options that do not go together. */
static int check(const struct serving_settings *s, const char *const *arguments, int count,
		 struct paleo_error *err)
{
	int cases = 0;

	for (int i = 0; i < count; i++)
		cases += is_cases(arguments[i]);
	if (has_limits(s) && (s->concurrency || cases))
		return paleo_fail(err, PALEO_EINPUT,
				  "--ttft-ms and --tpot-ms find the concurrency: leave out "
				  "--max-concurrency and files of cases");
	if (s->dtype == PALEO_FP8 || s->dtype == PALEO_TF32)
		return paleo_fail(err, PALEO_EINPUT,
				  "--dtype is f32, f16 or bf16 here: narrower are --weights fp8 "
				  "and --kv fp8");
	if (cases && s->device && strchr(s->device, ','))
		return paleo_fail(err, PALEO_EINPUT,
				  "with a file of cases --device takes one device: that of the "
				  "cases which name none");
	if (s->export != SERVING_NO_EXPORT &&
	    (s->isl || s->osl || s->pp || s->dp || s->ep || s->cached || s->drafts || s->pareto ||
	     s->format || has_limits(s)))
		return paleo_fail(err, PALEO_EINPUT,
				  "--export takes --tp, --chunk, --max-concurrency, --weights and "
				  "--kv, but no other load, split or format");
	return PALEO_OK;
}

/* --speculative N,F: F of N draft tokens are accepted. */
static int read_speculative(struct serving_settings *s, struct paleo_error *err)
{
	char *end = NULL;
	long drafts = s->speculative ? strtol(s->speculative, &end, 10) : 0;

	if (!s->speculative)
		return PALEO_OK;
	s->accepted = *end == ',' ? strtod(end + 1, &end) : NAN;
	if (*end || drafts < 1 || drafts > DRAFTS_MAX || !(s->accepted >= 0) ||
	    s->accepted > (double)drafts)
		return paleo_fail(
			err, PALEO_EINPUT,
			"--speculative is '%s', expected N,F: draft tokens, from 1 to %d, and "
			"how many are accepted, from 0 to N",
			s->speculative, DRAFTS_MAX);
	s->drafts = (int)drafts;
	return PALEO_OK;
}

static int run(const void *settings, const char *const *arguments, int count)
{
	const struct serving_settings *given = settings;
	struct serving_settings s = *given;
	struct paleo_error err = {0};
	int failed = 0;

	if (read_speculative(&s, &err) || check(&s, arguments, count, &err))
		return command_fail(&command_serving, &err);
	if (!count)
		return command_misuse(&command_serving,
				      "no model was given, for example llama-3.1-8b/config.json");
	if (s.export != SERVING_NO_EXPORT ? export_model(&s, arguments, count, &err)
					  : serve(&s, arguments, count, &failed, &err))
		return command_fail(&command_serving, &err);
	return failed ? EXIT_ROWS : EXIT_GOOD;
}

const struct command command_serving = {
	.name = "serving",
	.what = "predict LLM serving: TTFT, TPOT, throughput, max concurrency",
	.usage = "NET... | CASES.jsonl...",
	.about =
		"Predicts time to first token (TTFT), time per output token (TPOT), tokens per "
		"second per user and per GPU, memory by part, and the highest concurrency that "
		"fits. NET is a shipped language model (llama3-8b), a Hugging Face config.json, "
		"or its folder.\n"
		"Of lists, every combination is a row. A step of continuous batching gives every "
		"request in flight a token and prefills a chunk of new prompts; launch overhead is "
		"added to every step. docs/guide/serving.md walks from a file to a decision.\n"
		"A file of cases has one JSON object per line: net, device, tp, pp, dp, ep, isl, "
		"osl, concurrency, batching, and measured ttft_s and tpot_s.\n"
		"--export writes how long each layer takes for other programs: "
		"docs/guide/export.md.\n"
		"Exit status: 0 success, 1 some rows do not fit or miss the limits, nothing to "
		"predict from or out of memory, 2 wrong options or files.",
	.examples = "paleo-serving --device h100-sxm --max-concurrency 1,8,64 --isl 1024 --osl 256 "
		    "my-model/config.json\n"
		    "paleo-serving --device h200 --weights fp8 --tp 1,2,4,8 --search my-model\n"
		    "paleo-serving --device h200 --tp 2 --export llmservingsim_dense my-model\n",
	.options = options,
	.settings_size = sizeof(struct serving_settings),
	.defaults = set_defaults,
	.run = run,
};
