/* predict_2017.c - what the original predicts, for `predict --law paleo2017`. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/predict_2017.h"

#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "paleo/net.h"
#include "tools/session/filter.h"
#include "tools/words.h"

enum {
	COL_NET,
	COL_BATCH,
	COL_LAYER,
	COL_TYPE,
	COL_PASS,
	COL_COMP,
	COL_COMM,
	COL_TOTAL,
	COLUMNS,
	TITLE_MAX = 200
};

/* Milliseconds in every format: seconds would not have the original's bits. */
static const struct paleo_column columns[COLUMNS] = {
	[COL_NET] = {.name = "net", .type = PALEO_CELL_STRING, .data_only = 1},
	[COL_BATCH] = {.name = "batch", .type = PALEO_CELL_NUMBER, .data_only = 1},
	[COL_LAYER] = {.name = "layer", .title = "layer", .type = PALEO_CELL_STRING},
	[COL_TYPE] = {.name = "type", .title = "type", .type = PALEO_CELL_STRING},
	[COL_PASS] = {.name = "pass", .title = "pass", .type = PALEO_CELL_STRING},
	[COL_COMP] = {.name = "compute_ms",
		      .title = "compute ms",
		      .type = PALEO_CELL_NUMBER,
		      .decimals = 4},
	[COL_COMM] = {.name = "memory_ms",
		      .title = "memory ms",
		      .type = PALEO_CELL_NUMBER,
		      .decimals = 4},
	[COL_TOTAL] = {.name = "total_ms",
		       .title = "pred ms",
		       .type = PALEO_CELL_NUMBER,
		       .decimals = 4},
};

static const struct {
	const char *name;
	enum paleo_pass pass;
	enum paleo_2017_pass old;
} passes[] = {
	{"fwd", PALEO_FWD, PALEO_2017_FWD},
	{"bwd_data", PALEO_BWD_DATA, PALEO_2017_BWD_DATA},
	{"bwd_filter", PALEO_BWD_FILTER, PALEO_2017_BWD_FILTER},
};

enum {
	PASSES = (int)(sizeof(passes) / sizeof(passes[0]))
};

/* One net while it is printed. */
struct printing {
	const struct predict_2017 *p;
	const struct filter *filter;
	const struct paleo_net *source;
	struct paleo_2017_net *net;
	struct paleo_2017_options options;
	struct paleo_table *table;
	struct paleo_2017_time forward, backward, update;
	int begun; /* 1: the first line was printed */
};

static int add_row(const struct printing *w, const char *layer, const char *type, const char *pass,
		   const struct paleo_2017_time *t, struct paleo_error *err)
{
	const struct paleo_cell cells[COLUMNS] = {
		[COL_NET] = {.text = w->source->name},
		[COL_BATCH] = {.number = w->p->batch ? w->p->batch : w->source->file_batch},
		[COL_LAYER] = {.text = layer},
		[COL_TYPE] = {.text = type},
		[COL_PASS] = {.text = pass},
		[COL_COMP] = {.number = t->comp_ms},
		[COL_COMM] = {.number = t->comm_ms},
		[COL_TOTAL] = {.number = t->total_ms},
	};

	return paleo_table_add(w->table, cells, err);
}

/* Adds the rows of one pass. */
static int add_pass(struct printing *w, int pass, struct paleo_error *err)
{
	struct paleo_2017_time t,
		*sum = passes[pass].pass == PALEO_FWD ? &w->forward : &w->backward;
	int count, keeps = 0, rc = PALEO_OK;
	const struct paleo_2017_layer *layers = paleo_2017_layers(w->net, &count);

	for (int i = 0; !rc && i < count; i++) {
		const char *name = layers[i].layer->name;
		rc = filter_keeps(w->filter, name, &keeps, err);
		if (!rc && !keeps)
			continue;
		if (!rc)
			rc = paleo_2017_time(w->net, i, passes[pass].old, &w->options, &t, err);
		if (!rc)
			rc = add_row(w, name, layers[i].type, passes[pass].name, &t, err);
		if (!rc)
			paleo_2017_add(sum, &t);
	}
	return rc;
}

/* All weights at once, as the original updates them. */
static int add_update(struct printing *w, struct paleo_error *err)
{
	double bytes = 0;
	int count, keeps = 0;
	const struct paleo_2017_layer *layers = paleo_2017_layers(w->net, &count);

	for (int i = 0; i < count; i++) {
		int rc = filter_keeps(w->filter, layers[i].layer->name, &keeps, err);
		if (rc)
			return rc;
		if (keeps)
			bytes += layers[i].weights_bytes;
	}
	w->update = paleo_2017_update(w->p->device, bytes);
	return add_row(w, "all weights", NULL, "update", &w->update, err);
}

static int add_sums(const struct printing *w, struct paleo_error *err)
{
	struct paleo_2017_time step = w->forward;
	int rc = paleo_table_rule(w->table, err);

	paleo_2017_add(&step, &w->backward);
	paleo_2017_add(&step, &w->update);
	if (!rc && w->p->passes & PALEO_PASSES_FWD)
		rc = add_row(w, "forward", NULL, NULL, &w->forward, err);
	if (!rc && w->p->passes & PALEO_PASSES_BWD)
		rc = add_row(w, "backward", NULL, NULL, &w->backward, err);
	if (!rc && w->p->passes == PALEO_PASSES_ALL)
		rc = add_row(w, "training step", NULL, NULL, &step, err);
	return rc;
}

static int add_net(struct printing *w, struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int pass = 0; !rc && pass < PASSES; pass++)
		if (w->p->passes & 1u << passes[pass].pass)
			rc = add_pass(w, pass, err);
	if (!rc && w->p->passes & 1u << PALEO_PASS_UPDATE)
		rc = add_update(w, err);
	if (!rc && !paleo_table_is_data(w->p->format))
		rc = add_sums(w, err);
	return rc;
}

/* What the numbers stand on; told once the first net is known to be good. */
static void print_head(struct printing *w)
{
	const struct predict_2017 *p = w->p;

	if (!w->begun)
		paleo_print(paleo_table_is_data(p->format) ? stderr : stdout,
			    "%s: the law paleo2017 at PPP %g, convolutions by %s\n",
			    p->device->title, p->ppp, p->device->is_gpu ? p->algorithm : "gemm");
	w->begun = 1;
}

/* In text a net has a table of its own, with its title above. */
static int print_net(struct printing *w, struct paleo_error *err)
{
	struct paleo_table *all = w->table;

	if (paleo_table_is_data(w->p->format))
		return add_net(w, err);
	w->table = paleo_table_new(columns, COLUMNS);
	int rc = w->table ? add_net(w, err) : paleo_fail(err, PALEO_ENOMEM, "out of memory");
	if (!rc) {
		putchar('\n');
		paleo_text_put(w->source->title, TITLE_MAX, stdout);
		paleo_print(stdout, ", batch %d\n",
			    w->p->batch ? w->p->batch : w->source->file_batch);
		rc = paleo_table_print(w->table, w->p->format, stdout, err);
	}
	paleo_table_free(w->table);
	w->table = all;
	return rc;
}

static int predict_net(struct printing *w, const char *name, struct paleo_error *err)
{
	static const struct paleo_2017_time nothing;
	struct paleo_net *source = NULL;

	w->net = NULL;
	w->forward = w->backward = w->update = nothing;
	int rc = paleo_net_open(name, 0, &source, err);
	if (!rc)
		rc = paleo_2017_open(source, &w->net, err);
	w->source = source;
	if (!rc) {
		print_head(w);
		rc = print_net(w, err);
	}
	if (rc == PALEO_EUNSUPPORTED)
		paleo_error_prefix(err, "%s", name);
	paleo_2017_close(w->net);
	paleo_net_free(source);
	return rc;
}

int predict_2017_print(const struct predict_2017 *p, const char *const *nets, int count,
		       struct paleo_error *err)
{
	struct filter filter = {0};
	struct printing w = {
		.p = p,
		.filter = &filter,
		.options = {.device = p->device,
			    .ppp_comp = p->ppp,
			    .ppp_comm = 1,
			    .batch = p->batch,
			    .no_fetch = 1},
		.table = paleo_table_new(columns, COLUMNS),
	};

	int rc = w.table ? PALEO_OK : paleo_fail(err, PALEO_ENOMEM, "out of memory");
	if (!rc)
		rc = paleo_2017_algorithms_named(p->algorithm, &w.options.algorithms, err);
	if (!rc)
		rc = filter_open(p->filter, &filter, err);
	for (int i = 0; !rc && i < count; i++)
		rc = predict_net(&w, nets[i], err);
	if (!rc && paleo_table_is_data(p->format))
		rc = paleo_table_print(w.table, p->format, stdout, err);
	filter_close(&filter);
	paleo_table_free(w.table);
	return rc;
}
