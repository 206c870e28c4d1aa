/* cases_training.c - published steps of training transformers next to what is predicted of them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "import/hf/hf.h"
#include "model/predict/predict.h"
#include "model/simulate/sim.h"
#include "tools/cli/choice.h"
#include "tools/simulate/cases.h"

/* A model by its sizes. */
struct training_model {
	const char *name, *family; /* its model_type: gpt2, llama */
	int hidden, inner, layers, heads, kv_heads, words, seq;
	int separate_attention; /* 1: trained before there was a fused kernel of it */
};

enum training_unit {
	TRAINING_S,              /* of a step */
	TRAINING_TFLOPS,         /* TFLOP/s of a worker, model FLOPs */
	TRAINING_HARDWARE_TFLOPS /* with what is computed again */
};

/* One figure. What a source does not say is in docs/method/training.md. */
struct training_case {
	const char *of, *model, *plan;
	int workers, batch; /* of all, in sequences */
	double published;
	enum training_unit unit;
	int overlap;
};

/* Where the figures are from, and the machine. Hosts have 8 workers and as many links. */
struct training_source {
	const char *of, *device, *network, *host_link, *source;
};

enum {
	CONFIG_BYTES = 512
};

/* A machine with what is known of its device. */
struct training_runner {
	const struct training_source *source;
	struct paleo_source known; /* the presets of its device */
};

#define COLUMNS(X)                                                                                 \
	X(PALEO_COLUMN_TEXT("case", "case"), .text = c->of)                                        \
	X(PALEO_COLUMN_TEXT("model", "model"), .text = c->model)                                   \
	X(PALEO_COLUMN_TEXT("plan", "plan"), .text = c->plan)                                      \
	X(PALEO_COLUMN_TEXT("device", "device"), .text = device_of(r)->name)                       \
	X(PALEO_COLUMN_NUMBER("workers", "workers", 1, 0), .number = c->workers)                   \
	X(PALEO_COLUMN_NUMBER("batch", "batch", 1, 0), .number = c->batch)                         \
	X(PALEO_COLUMN_NUMBER("published", "published", 1, 2), .number = c->published)             \
	X(PALEO_COLUMN_NUMBER("predicted", "predicted", 1, 2), .number = predicted)                \
	X(PALEO_COLUMN_TEXT("unit", "unit"), .text = units[c->unit])                               \
	X(PALEO_COLUMN_NUMBER("error", "error %", 100, 1), .number = predicted / c->published - 1) \
	X(PALEO_COLUMN_NUMBER("step_s", "step s", 1, 2), .number = s.step_s)                       \
	X(PALEO_COLUMN_NUMBER("mfu", "MFU %", 100, 1),                                             \
	  .number = s.model_flops / each / device_of(r)->flop_per_s[PALEO_BF16])                   \
	X(PALEO_COLUMN_NUMBER("memory_bytes", "memory GB", 1e-9, 1),                               \
	  .number = paleo_sim_memory_sum(&s.memory))                                               \
	X(PALEO_COLUMN_TEXT("source", "source"), .text = r->source->source)

static const struct paleo_column columns[] = {COLUMNS(PALEO_COLUMN_OF)};

struct paleo_table *training_table(void)
{
	return PALEO_TABLE_OF(columns);
}

static const struct paleo_device *device_of(const struct training_runner *r)
{
	return &r->known.calibration.device;
}

static void write_config(const struct training_model *m, char *buf, size_t size)
{
	if (!strcmp(m->family, "gpt2"))
		snprintf(buf, size,
			 "{\"model_type\": \"gpt2\", \"n_embd\": %d, \"n_inner\": %d, \"n_layer\": "
			 "%d, \"n_head\": %d, \"n_positions\": %d, \"vocab_size\": %d}",
			 m->hidden, m->inner, m->layers, m->heads, m->seq, m->words);
	else
		snprintf(buf, size,
			 "{\"model_type\": \"%s\", \"hidden_size\": %d, \"intermediate_size\": %d, "
			 "\"num_hidden_layers\": %d, \"num_attention_heads\": %d, "
			 "\"num_key_value_heads\": %d, \"vocab_size\": %d}",
			 m->family, m->hidden, m->inner, m->layers, m->heads, m->kv_heads,
			 m->words);
}

static int open_part(const void *self, const struct paleo_part_key *key, struct paleo_net **out,
		     struct paleo_error *err)
{
	const struct training_model *m = self;
	const struct paleo_hf_options o = {
		.phase = PALEO_HF_TRAIN, .seq = m->seq, .tp = key->tp, .ep = key->ep};
	struct paleo_json_doc *doc = NULL;
	char config[CONFIG_BYTES], *text = NULL;

	write_config(m, config, sizeof(config));
	int rc = paleo_json_parse(m->name, 1, config, strlen(config), &doc, err);
	if (!rc)
		rc = paleo_hf_convert(paleo_json_root(doc), NULL, m->name, &o, &text, err);
	if (!rc)
		rc = paleo_net_parse(m->name, text, strlen(text), 0, out, err);
	free(text);
	paleo_json_free(doc);
	return rc;
}

/* Eight workers of a host, each with a link of its own to the others. */
static struct paleo_fabric fabric_of(const struct training_runner *r)
{
	struct paleo_fabric f = {.within = *paleo_link_find(r->source->host_link),
				 .between = *paleo_link_find(r->source->network),
				 .per_host = 8,
				 .servers = 1,
				 .reached = 1,
				 .reduce_s_per_byte = 3 / device_of(r)->mem_bytes_per_s};

	paleo_link_bundle(&f.between, f.per_host);
	return f;
}

static int step(const struct training_runner *r, const struct training_case *c,
		const struct training_model *m, struct paleo_sim_step *out, struct paleo_error *err)
{
	struct paleo_plan plan;
	struct paleo_net *net = NULL;
	struct paleo_sim *sim = NULL;
	struct paleo_sim_setup setup = {.fabric = fabric_of(r),
					.scheme = paleo_scheme_find("ring"),
					.workers = c->workers,
					.batch = c->batch,
					.overlap = c->overlap,
					.plan = &plan};
	int rc = paleo_plan_read(c->plan, &plan, err);

	if (!rc)
		rc = open_part(m, &(struct paleo_part_key){.tp = 1, .ep = 1}, &net, err);
	struct paleo_sim_config config = {.net = net,
					  .dtype = PALEO_BF16,
					  .optimizer = PALEO_ADAM,
					  .separate_attention = m->separate_attention,
					  .device = paleo_calibration_timed(&r->known.calibration),
					  .cost_model = {&r->known.calibration, paleo_predict_op_s},
					  .open_part = open_part,
					  .open_self = m};
	if (!rc)
		rc = paleo_sim_open(&config, &sim, err);
	if (!rc)
		rc = paleo_sim_step(sim, paleo_strategy_plan(), &setup, out, err);
	paleo_sim_close(sim);
	paleo_net_free(net);
	return rc;
}

static int training_run(const struct training_runner *r, const struct training_case *c,
			const struct training_model *m, struct paleo_table *t,
			struct paleo_error *err)
{
	static const char *const units[] = {"s", "TFLOP/s", "TFLOP/s with recomputation"};
	struct paleo_sim_step s;
	int rc = step(r, c, m, &s, err);

	if (rc) {
		paleo_error_prefix(err, "%s, %s", c->model, c->plan);
		return rc;
	}
	const double each = s.step_s * c->workers;
	const double values[] = {s.step_s, s.model_flops / each * 1e-12,
				 s.hardware_flops / each * 1e-12};
	double predicted = values[c->unit];
	const struct paleo_cell cells[] = {COLUMNS(PALEO_CELL_OF)};

	return paleo_table_add(t, cells, err);
}

// clang-format off
/* Vocabulary 51,200 and sequences of 2,048 in the first two sources. */
#define GPT(called, hidden, layers, heads) \
	{called, "gpt2", hidden, 4 * (hidden), layers, heads, heads, 51200, 2048, 1}
static const struct training_model models[] = {
	GPT("gpt-1.7b", 2304, 24, 24),
	GPT("gpt-3.6b", 3072, 30, 32),
	GPT("gpt-7.5b", 4096, 36, 32),
	GPT("gpt-18b", 6144, 40, 48),
	GPT("gpt-22b", 6144, 48, 64),
	GPT("gpt-39b", 8192, 48, 64),
	GPT("gpt-76b", 10240, 60, 80),
	GPT("gpt-146b", 12288, 80, 96),
	GPT("gpt-175b", 12288, 96, 96),
	GPT("gpt-310b", 16384, 96, 128),
	GPT("gpt-530b", 20480, 105, 128),
	GPT("gpt-1t", 25600, 128, 160),
	{"llama-405b", "llama", 16384, 53248, 126, 128, 8, 128256, 8192, 0},
	{"llama-405b-128k", "llama", 16384, 53248, 126, 128, 8, 128256, 131072, 0},
};

static const struct training_source sources[] = {
	{"megatron", "a100-80-sxm", "infiniband-hdr", "nvlink3",
	 "Narayanan et al. 2021, tables 1 and 2"},
	{"recompute", "a100-80-sxm", "infiniband-hdr", "nvlink3",
	 "Korthikanti et al. 2022, table 5"},
	{"llama3", "h100-sxm", "ethernet-400g", "nvlink4", "Llama Team 2024, table 4"},
};

#define MEGATRON(model, plan, workers, batch, tflops) \
	{"megatron", model, plan "+full", workers, batch, tflops, TRAINING_HARDWARE_TFLOPS, 0}
#define RECOMPUTE(model, plan, workers, batch, seconds) \
	{"recompute", model, plan, workers, batch, seconds, TRAINING_S, 0}
static const struct training_case cases[] = {
	MEGATRON("gpt-1.7b", "dp", 32, 512, 137),
	MEGATRON("gpt-3.6b", "tp2", 64, 512, 138),
	MEGATRON("gpt-7.5b", "tp4", 128, 512, 142),
	MEGATRON("gpt-18b", "tp8", 256, 1024, 135),
	MEGATRON("gpt-39b", "tp8+pp2", 512, 1536, 138),
	MEGATRON("gpt-76b", "tp8+pp4", 1024, 1792, 140),
	MEGATRON("gpt-146b", "tp8+pp8", 1536, 2304, 148),
	MEGATRON("gpt-175b", "tp8+pp12", 384, 1536, 153),
	MEGATRON("gpt-310b", "tp8+pp16", 1920, 2160, 155),
	MEGATRON("gpt-530b", "tp8+pp35", 2520, 2520, 163),
	MEGATRON("gpt-1t", "tp8+pp64", 3072, 3072, 163),
	RECOMPUTE("gpt-22b", "tp8+mb4+full", 8, 4, 1.42),
	RECOMPUTE("gpt-22b", "tp8+sp+mb4+selective", 8, 4, 1.10),
	RECOMPUTE("gpt-175b", "tp8+pp8+v3+full", 64, 64, 18.13),
	RECOMPUTE("gpt-175b", "tp8+sp+pp8+v3+selective", 64, 64, 13.75),
	RECOMPUTE("gpt-530b", "tp8+pp35+v3+full", 280, 280, 49.05),
	RECOMPUTE("gpt-530b", "tp8+sp+pp35+v3+selective", 280, 280, 37.83),
	RECOMPUTE("gpt-1t", "tp8+pp64+full", 512, 512, 94.42),
	RECOMPUTE("gpt-1t", "tp8+sp+pp64+selective", 512, 512, 71.49),
	{"llama3", "llama-405b", "tp8+sp+exposed+pp16+v8+zero1", 8192, 64 * 32, 430, TRAINING_TFLOPS, 1},
	{"llama3", "llama-405b", "tp8+sp+exposed+pp16+v8+zero1", 16384, 128 * 16, 400, TRAINING_TFLOPS, 1},
	{"llama3", "llama-405b-128k", "tp8+sp+exposed+cp16+gather+pp16+v8+zero1", 16384, 8 * 16, 380,
	 TRAINING_TFLOPS, 1},
};
// clang-format on

static const struct training_source *source_find(const char *of)
{
	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
		if (!strcmp(sources[i].of, of))
			return &sources[i];
	return NULL;
}

static const struct training_model *model_of(const struct training_case *c)
{
	size_t i = 0;

	while (strcmp(models[i].name, c->model) != 0) /* all that cases name are there */
		i++;
	return &models[i];
}

int training_has(const char *of)
{
	return source_find(of) != NULL;
}

int training_add(struct paleo_table *t, const char *of, struct paleo_error *err)
{
	struct training_runner r = {.source = source_find(of)};

	assert(r.source); /* training_has() says so */
	const struct paleo_source_wish wish = {.cost_model = PALEO_COST_MODEL_PRESETS,
					       .dtype = PALEO_BF16,
					       .device = r.source->device};
	int rc = paleo_choose_source(&wish, &r.known, err);

	if (rc)
		return rc;
	for (size_t i = 0; !rc && i < sizeof(cases) / sizeof(cases[0]); i++)
		if (!strcmp(cases[i].of, of))
			rc = training_run(&r, &cases[i], model_of(&cases[i]), t, err);
	paleo_source_release(&r.known);
	return rc;
}
