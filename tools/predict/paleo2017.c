/* paleo2017.c - what the original predicts, for `predict --cost-model paleo2017`. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/predict/paleo2017.h"

#include <stdio.h>

#include "base/table.h"
#include "base/text.h"
#include "paleo/net.h"
#include "tools/session/plan.h"

enum {
	TITLE_MAX = 200
};

/* Milliseconds in every format: seconds would not have the original's bits. */
#define COLUMNS(X)                                                                                 \
	X(PALEO_COLUMN_DATA_TEXT("net"), .text = w->source->name)                                  \
	X(PALEO_COLUMN_DATA("batch"), .number = w->p->batch ? w->p->batch : w->source->file_batch) \
	X(PALEO_COLUMN_TEXT("layer", "layer"), .text = layer)                                      \
	X(PALEO_COLUMN_TEXT("type", "type"), .text = type)                                         \
	X(PALEO_COLUMN_TEXT("pass", "pass"), .text = pass)                                         \
	X(PALEO_COLUMN_NUMBER("compute_ms", "compute ms", 1, 4), .number = t->comp_ms)             \
	X(PALEO_COLUMN_NUMBER("memory_ms", "memory ms", 1, 4), .number = t->comm_ms)               \
	X(PALEO_COLUMN_NUMBER("total_ms", "pred ms", 1, 4), .number = t->total_ms)

static const struct paleo_column columns[] = {COLUMNS(PALEO_COLUMN_OF)};

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
	const struct paleo_cell cells[] = {COLUMNS(PALEO_CELL_OF)};

	return paleo_table_add(w->table, cells, err);
}

/* Adds the rows of one pass. */
static int add_pass(struct printing *w, int pass, struct paleo_error *err)
{
	struct paleo_2017_time t,
		*sum = passes[pass].pass == PALEO_FWD ? &w->forward : &w->backward;
	int count, keeps = 0;
	const struct paleo_2017_layer *layers = paleo_2017_layers(w->net, &count);

	for (int i = 0; i < count; i++) {
		const char *name = layers[i].layer->name;
		PALEO_TRY(filter_keeps(w->filter, name, &keeps, err));
		if (!keeps)
			continue;
		PALEO_TRY(paleo_2017_time(w->net, i, passes[pass].old, &w->options, &t, err));
		PALEO_TRY(add_row(w, name, layers[i].type, passes[pass].name, &t, err));
		paleo_2017_add(sum, &t);
	}
	return PALEO_OK;
}

/* All weights at once, as the original updates them. */
static int add_update(struct printing *w, struct paleo_error *err)
{
	double bytes = 0;
	int count, keeps = 0;
	const struct paleo_2017_layer *layers = paleo_2017_layers(w->net, &count);

	for (int i = 0; i < count; i++) {
		PALEO_TRY(filter_keeps(w->filter, layers[i].layer->name, &keeps, err));
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
	for (int pass = 0; pass < PASSES; pass++)
		if (w->p->passes & 1u << passes[pass].pass)
			PALEO_TRY(add_pass(w, pass, err));
	if (w->p->passes & 1u << PALEO_PASS_UPDATE)
		PALEO_TRY(add_update(w, err));
	if (!paleo_table_is_data(w->p->format))
		PALEO_TRY(add_sums(w, err));
	return PALEO_OK;
}

/* The source of the numbers; printed once the first net is known to be good. */
static void print_head(struct printing *w)
{
	const struct predict_2017 *p = w->p;

	if (!w->begun)
		paleo_print(paleo_table_is_data(p->format) ? stderr : stdout,
			    "%s: the cost model paleo2017 at PPP %g, convolutions by %s\n",
			    p->device->title, p->ppp, p->device->is_gpu ? p->algorithm : "gemm");
	w->begun = 1;
}

/* In text a net has a table of its own, with its title above. */
static int print_net(struct printing *w, struct paleo_error *err)
{
	struct paleo_table *all = w->table;

	if (paleo_table_is_data(w->p->format))
		return add_net(w, err);
	w->table = PALEO_TABLE_OF(columns);
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
		.table = PALEO_TABLE_OF(columns),
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
