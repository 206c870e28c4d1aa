/* training_run.c - a published training step beside what is predicted of it. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/training_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/columns.h"
#include "model/import/hf/hf.h"
#include "model/predict/predict.h"
#include "model/simulate/sim.h"
#include "tools/choice.h"

enum {
	CONFIG_BYTES = 512
};

struct training_runner {
	const struct training_source *source;
	struct paleo_source known; /* the presets of its device */
};

enum {
	COL_CASE,
	COL_MODEL,
	COL_PLAN,
	COL_DEVICE,
	COL_WORKERS,
	COL_BATCH,
	COL_PUBLISHED,
	COL_PREDICTED,
	COL_UNIT,
	COL_ERROR,
	COL_STEP,
	COL_MFU,
	COL_MEMORY,
	COL_SOURCE,
	COLUMNS
};

static const struct paleo_column columns[COLUMNS] = {
	[COL_CASE] = PALEO_COLUMN_TEXT("case", "case"),
	[COL_MODEL] = PALEO_COLUMN_TEXT("model", "model"),
	[COL_PLAN] = PALEO_COLUMN_TEXT("plan", "plan"),
	[COL_DEVICE] = PALEO_COLUMN_TEXT("device", "device"),
	[COL_WORKERS] = PALEO_COLUMN_NUMBER("workers", "workers", 1, 0),
	[COL_BATCH] = PALEO_COLUMN_NUMBER("batch", "batch", 1, 0),
	[COL_PUBLISHED] = PALEO_COLUMN_NUMBER("published", "published", 1, 2),
	[COL_PREDICTED] = PALEO_COLUMN_NUMBER("predicted", "predicted", 1, 2),
	[COL_UNIT] = PALEO_COLUMN_TEXT("unit", "unit"),
	[COL_ERROR] = PALEO_COLUMN_NUMBER("error", "error %", 100, 1),
	[COL_STEP] = PALEO_COLUMN_NUMBER("step_s", "step s", 1, 2),
	[COL_MFU] = PALEO_COLUMN_NUMBER("mfu", "MFU %", 100, 1),
	[COL_MEMORY] = PALEO_COLUMN_NUMBER("memory_bytes", "memory GB", 1e-9, 1),
	[COL_SOURCE] = PALEO_COLUMN_TEXT("source", "source"),
};

struct paleo_table *training_table(void)
{
	return paleo_table_new(columns, COLUMNS);
}

int training_runner_open(const struct training_source *s, struct training_runner **out,
			 struct paleo_error *err)
{
	const struct paleo_source_wish wish = {
		.law = choice_law_of[CHOICE_LAW_PRESETS], .dtype = PALEO_BF16, .device = s->device};
	struct training_runner *r = calloc(1, sizeof(*r));

	if (!r)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	r->source = s;
	int rc = paleo_choose_source(&wish, &r->known, err);
	if (rc)
		free(r);
	else
		*out = r;
	return rc;
}

void training_runner_close(struct training_runner *r)
{
	if (r)
		paleo_source_release(&r->known);
	free(r);
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
			 "%d, "
			 "\"n_head\": %d, \"n_positions\": %d, \"vocab_size\": %d}",
			 m->hidden, m->inner, m->layers, m->heads, m->seq, m->words);
	else
		snprintf(buf, size,
			 "{\"model_type\": \"%s\", \"hidden_size\": %d, \"intermediate_size\": %d, "
			 "\"num_hidden_layers\": %d, \"num_attention_heads\": %d, "
			 "\"num_key_value_heads\": %d, \"vocab_size\": %d}",
			 m->family, m->hidden, m->inner, m->layers, m->heads, m->kv_heads,
			 m->words);
}

static int open_part(const void *self, int tp, int ep, struct paleo_net **out,
		     struct paleo_error *err)
{
	const struct training_model *m = self;
	const struct paleo_hf_options o = {
		.phase = PALEO_HF_TRAIN, .seq = m->seq, .tp = tp, .ep = ep, .unfused = m->unfused};
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
		rc = open_part(m, 1, 1, &net, err);
	struct paleo_sim_config config = {.net = net,
					  .dtype = PALEO_BF16,
					  .optimizer = PALEO_ADAM,
					  .law = {&r->known.calibration, paleo_predict_work_s},
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

int training_run(const struct training_runner *r, const struct training_case *c,
		 const struct training_model *m, struct paleo_table *t, struct paleo_error *err)
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
	const struct paleo_cell cells[COLUMNS] = {
		[COL_CASE] = {.text = c->of},
		[COL_MODEL] = {.text = c->model},
		[COL_PLAN] = {.text = c->plan},
		[COL_DEVICE] = {.text = device_of(r)->name},
		[COL_WORKERS] = {.number = c->workers},
		[COL_BATCH] = {.number = c->batch},
		[COL_PUBLISHED] = {.number = c->published},
		[COL_PREDICTED] = {.number = predicted},
		[COL_UNIT] = {.text = units[c->unit]},
		[COL_ERROR] = {.number = predicted / c->published - 1},
		[COL_STEP] = {.number = s.step_s},
		[COL_MFU] = {.number = s.model_flops / each / device_of(r)->flop_per_s[PALEO_BF16]},
		[COL_MEMORY] = {.number = paleo_sim_memory_sum(&s.memory)},
		[COL_SOURCE] = {.text = r->source->source},
	};

	return paleo_table_add(t, cells, err);
}
