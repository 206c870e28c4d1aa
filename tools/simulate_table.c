/* simulate_table.c - the rows of `simulate`: what is fastest, and a table of those wanted. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/columns.h"
#include "base/grow.h"
#include "base/text.h"
#include "tools/simulate.h"

enum {
	COL_NET,
	COL_DTYPE,
	COL_LAYOUT,
	COL_SEQ,
	COL_PARALLEL,
	COL_SCALING,
	COL_SCHEME,
	COL_WORKERS,
	COL_BATCH,
	COL_WORKER_BATCH,
	COL_FWD,
	COL_BWD,
	COL_UPDATE,
	COL_COMM,
	COL_EXPOSED,
	COL_BUBBLE,
	COL_LOWER,
	COL_UPPER,
	COL_STEP,
	COL_SPEEDUP,
	COL_EFFICIENCY,
	COL_RATE,
	COL_EPOCH,
	COL_WEIGHTS,
	COL_GRADIENTS,
	COL_OPTIMIZER,
	COL_ACTIVATIONS,
	COL_WORKSPACE,
	COL_MEMORY,
	COL_FITS,
	COL_SOURCE,
	COL_TOKENS,
	COL_TOKENS_EACH,
	COL_MFU,
	COL_HFU,
	COL_PARTS,
	COLUMNS
};

enum {
	PARTS_BYTES = 96
};

static const struct paleo_column columns[COLUMNS] = {
	[COL_NET] = {.name = "net", .title = "net", .type = PALEO_CELL_STRING},
	[COL_PARALLEL] = {.name = "parallel", .title = "parallel", .type = PALEO_CELL_STRING},
	[COL_SCALING] = {.name = "scaling", .title = "scaling", .type = PALEO_CELL_STRING},
	[COL_SCHEME] = {.name = "scheme", .title = "scheme", .type = PALEO_CELL_STRING},
	[COL_WORKERS] = {.name = "workers", .title = "workers", .type = PALEO_CELL_NUMBER},
	[COL_BATCH] = {.name = "batch", .title = "batch", .type = PALEO_CELL_NUMBER},
	[COL_WORKER_BATCH] = {.name = "worker_batch",
			      .title = "worker batch",
			      .type = PALEO_CELL_NUMBER},
	[COL_FWD] = PALEO_COLUMN_TIME("forward_s", "fwd"),
	[COL_BWD] = PALEO_COLUMN_TIME("backward_s", "bwd"),
	[COL_UPDATE] = PALEO_COLUMN_TIME("update_s", "upd"),
	[COL_COMM] = PALEO_COLUMN_TIME("comm_s", "comm"),
	[COL_EXPOSED] = PALEO_COLUMN_TIME("exposed_comm_s", "exposed"),
	[COL_BUBBLE] = PALEO_COLUMN_TIME("bubble_s", "bubble"),
	[COL_LOWER] = PALEO_COLUMN_TIME("lower_bound_s", "lower"),
	[COL_UPPER] = PALEO_COLUMN_TIME("upper_bound_s", "upper"),
	[COL_STEP] = PALEO_COLUMN_TIME("step_s", "step"),
	[COL_SPEEDUP] = {.name = "speedup",
			 .title = "speed-up",
			 .type = PALEO_CELL_NUMBER,
			 .decimals = 2},
	[COL_EFFICIENCY] = {.name = "efficiency",
			    .title = "eff %",
			    .type = PALEO_CELL_NUMBER,
			    .scale = 100,
			    .decimals = 1},
	[COL_RATE] = {.name = "images_per_s",
		      .title = "images/s",
		      .type = PALEO_CELL_NUMBER,
		      .decimals = 1},
	[COL_EPOCH] = {.name = "epoch_s",
		       .title = "epoch min",
		       .type = PALEO_CELL_NUMBER,
		       .scale = 1.0 / 60,
		       .decimals = 1},
	[COL_WEIGHTS] = PALEO_COLUMN_DATA("weights_bytes"),
	[COL_GRADIENTS] = PALEO_COLUMN_DATA("gradients_bytes"),
	[COL_OPTIMIZER] = PALEO_COLUMN_DATA("optimizer_bytes"),
	[COL_ACTIVATIONS] = PALEO_COLUMN_DATA("activations_bytes"),
	[COL_WORKSPACE] = PALEO_COLUMN_DATA("workspace_bytes"),
	[COL_MEMORY] = PALEO_COLUMN_BYTES("memory_bytes", "memory"),
	[COL_FITS] = {.name = "fits", .title = "fits", .type = PALEO_CELL_STRING},
	[COL_SOURCE] = {.name = "source", .type = PALEO_CELL_STRING, .data_only = 1},
	[COL_TOKENS] = {.name = "tokens_per_s",
			.title = "tokens/s",
			.type = PALEO_CELL_NUMBER,
			.decimals = 1},
	[COL_TOKENS_EACH] = {.name = "tokens_per_s_per_worker",
			     .title = "per worker",
			     .type = PALEO_CELL_NUMBER,
			     .decimals = 1},
	[COL_MFU] = {.name = "mfu",
		     .title = "MFU %",
		     .type = PALEO_CELL_NUMBER,
		     .scale = 100,
		     .decimals = 1},
	[COL_HFU] = {.name = "hfu",
		     .title = "HFU %",
		     .type = PALEO_CELL_NUMBER,
		     .scale = 100,
		     .decimals = 1},
	[COL_PARTS] = {.name = "memory_parts",
		       .title = "GB: weights+gradients+optimizer+activations+workspace",
		       .type = PALEO_CELL_STRING,
		       .text_only = 1},
	[COL_DTYPE] = {.name = "dtype", .title = "type", .type = PALEO_CELL_STRING},
	[COL_LAYOUT] = {.name = "layout", .title = "layout", .type = PALEO_CELL_STRING},
	[COL_SEQ] = {.name = "seq", .title = "seq", .type = PALEO_CELL_NUMBER},
};

/* Where several were asked for, people see of which a row is. */
static void choose_columns(const struct simulate_settings *s, struct paleo_column shown[COLUMNS])
{
	memcpy(shown, columns, sizeof(columns));
	shown[COL_DTYPE].data_only = s->dtypes.count < 2;
	shown[COL_LAYOUT].data_only = s->layouts.count < 2;
	shown[COL_SEQ].data_only = s->seqs.count < 2;
}

/* 0 is nothing to show, for what most strategies do not have. */
static double or_missing(double x)
{
	return x != 0 ? x : NAN;
}

static void memory_cells(const struct simulate_row *r, struct paleo_cell *c)
{
	const struct paleo_sim_memory *m = &r->step.memory;
	double sum = paleo_sim_memory_sum(m);

	c[COL_WEIGHTS].number = m->weights;
	c[COL_GRADIENTS].number = m->gradients;
	c[COL_OPTIMIZER].number = m->optimizer;
	c[COL_ACTIVATIONS].number = m->activations;
	c[COL_WORKSPACE].number = m->workspace;
	c[COL_MEMORY].number = sum;
	if (r->device_bytes > 0 && !isnan(sum))
		c[COL_FITS].text = sum <= r->device_bytes ? "yes" : "no";
}

/* A net's file without its folder and ".json", as other commands call the net. */
static void short_name(const char *path, char *name, size_t size)
{
	const char *slash = strrchr(path, '/');
	const char *start = slash ? slash + 1 : path;
	size_t length = strlen(start);

	if (length > 5 && !strcmp(start + length - 5, ".json"))
		length -= 5;
	snprintf(name, size, "%.*s", (int)length, start);
}

static void parts_text(const struct paleo_sim_memory *m, char *buf, size_t size)
{
	snprintf(buf, size, "%.2f+%.2f+%.2f+%.2f+%.2f", m->weights * 1e-9, m->gradients * 1e-9,
		 m->optimizer * 1e-9, m->activations * 1e-9, m->workspace * 1e-9);
}

static int add_row(struct paleo_table *t, const struct simulate_row *r, struct paleo_error *err)
{
	const struct paleo_sim_step *s = &r->step;
	double rate = r->batch / s->step_s, tokens = r->tokens > 0 ? rate * r->tokens : NAN;
	double peak = r->flop_per_s > 0 ? r->flop_per_s * r->workers * s->step_s : NAN;
	char net[SIMULATE_NET_MAX], parts[PARTS_BYTES];
	struct paleo_cell c[COLUMNS] = {
		[COL_NET] = {.text = net},
		[COL_PARALLEL] = {.text = r->parallel},
		[COL_SCALING] = {.text = r->scaling},
		[COL_SCHEME] = {.text = r->scheme},
		[COL_WORKERS] = {.number = r->workers},
		[COL_BATCH] = {.number = r->batch},
		[COL_WORKER_BATCH] = {.number = s->worker_batch},
		[COL_FWD] = {.number = s->fwd_s},
		[COL_BWD] = {.number = s->bwd_s},
		[COL_UPDATE] = {.number = s->update_s},
		[COL_COMM] = {.number = s->comm_s},
		[COL_EXPOSED] = {.number = s->exposed_s},
		[COL_BUBBLE] = {.number = or_missing(s->bubble_s)},
		[COL_LOWER] = {.number = s->lower_s},
		[COL_UPPER] = {.number = s->upper_s},
		[COL_STEP] = {.number = s->step_s},
		[COL_SPEEDUP] = {.number = rate / r->single_per_s},
		[COL_EFFICIENCY] = {.number = rate / r->single_per_s / r->workers},
		[COL_RATE] = {.number = isnan(tokens) ? rate : NAN},
		[COL_TOKENS] = {.number = tokens},
		[COL_TOKENS_EACH] = {.number = tokens / r->workers},
		[COL_MFU] = {.number = s->model_flops / peak},
		[COL_HFU] = {.number = s->hardware_flops / peak},
		[COL_PARTS] = {.text = s->model_flops > 0 ? parts : NULL},
		[COL_EPOCH] = {.number = or_missing(r->epoch_size) / rate},
		[COL_SOURCE] = {.text = r->source[0] ? r->source : NULL},
		[COL_DTYPE] = {.text = paleo_dtype_name(r->dtype)},
		[COL_LAYOUT] = {.text = paleo_layout_name(r->layout)},
		[COL_SEQ] = {.number = r->seq},
	};

	short_name(r->net, net, sizeof(net));
	parts_text(&s->memory, parts, sizeof(parts));
	memory_cells(r, c);
	return paleo_table_add(t, c, err);
}

int simulate_add(struct simulate_rows *rows, const struct simulate_row *r, struct paleo_error *err)
{
	struct simulate_row *items =
		paleo_grow(rows->items, rows->count, &rows->room, sizeof(*items));

	if (!items)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", rows->count);
	rows->items = items;
	items[rows->count++] = *r;
	return PALEO_OK;
}

/* Images or sequences per second; NaN: the row has no time. */
static double rate_of(const struct simulate_row *r)
{
	return r->batch / r->step.step_s;
}

/* The part of its step in which nothing is computed for communication's sake. */
static double exposed_of(const struct simulate_row *r)
{
	return r->step.exposed_s / r->step.step_s;
}

static int fits(const struct simulate_row *r)
{
	double sum = paleo_sim_memory_sum(&r->step.memory);

	return !(r->device_bytes > 0) || isnan(sum) || sum <= r->device_bytes;
}

/* Says how fast a row is, and what it is. */
static void tell_row(const struct simulate_row *r, const char *word, FILE *out)
{
	char net[SIMULATE_NET_MAX];
	double rate = rate_of(r), memory = paleo_sim_memory_sum(&r->step.memory);
	int has_tokens = r->tokens > 0;

	short_name(r->net, net, sizeof(net));
	paleo_print(out, "%s, %s: %.1f %s/s with %.0f worker%s, %s%s%s%s%s, batch %.0f", net, word,
		    has_tokens ? rate * r->tokens : rate, has_tokens ? "tokens" : "images",
		    r->workers, r->workers == 1 ? "" : "s", r->parallel, r->scaling ? ", " : "",
		    r->scaling ? r->scaling : "", r->scheme ? ", " : "", r->scheme ? r->scheme : "",
		    r->batch);
	if (rate > 0 && r->single_per_s > 0)
		paleo_print(out, "; %.2f times one worker", rate / r->single_per_s);
	if (exposed_of(r) >= 0.0005)
		paleo_print(out, "; %.1f %% of the step waits for communication",
			    100 * exposed_of(r));
	if (memory > 0) {
		double scale;
		const char *unit = paleo_unit_name(PALEO_UNIT_BYTES, memory, &scale);
		paleo_print(out, "; %.*f %s each", paleo_decimals(memory * scale, 0, 3),
			    memory * scale, unit);
	}
	fputc('\n', out);
}

/* The fastest row of one net, of those that fit or of all; NULL: none has a time. */
static const struct simulate_row *fastest(const struct simulate_rows *rows, const char *net,
					  int fitting)
{
	const struct simulate_row *best = NULL;

	for (int i = 0; i < rows->count; i++) {
		const struct simulate_row *r = &rows->items[i];
		if (strcmp(r->net, net) != 0 || isnan(rate_of(r)) || (fitting && !fits(r)))
			continue;
		if (!best || rate_of(r) > rate_of(best))
			best = r;
	}
	return best;
}

/* The answer, for each net: its fastest row, where there is more than one. */
static void tell_fastest(const struct simulate_rows *rows, FILE *out)
{
	for (int i = 0; rows->count > 1 && i < rows->count; i++) {
		const char *net = rows->items[i].net;
		int first = 0;
		while (strcmp(rows->items[first].net, net) != 0)
			first++;
		if (first < i)
			continue;
		const struct simulate_row *best = fastest(rows, net, 1);
		if (best)
			tell_row(best, "fastest", out);
		else if ((best = fastest(rows, net, 0)))
			tell_row(best, "none fits the memory; fastest", out);
	}
}

static int print_some(const struct simulate_settings *s, const struct simulate_rows *rows,
		      struct view_row *order, FILE *out, struct paleo_error *err)
{
	static const char *const first_is[] = {
		[VIEW_TIME] = "the fastest first",
		[VIEW_ERROR] = "those first that wait most",
		[VIEW_NAME] = "by name",
		[VIEW_NET] = "the fastest first",
	};
	struct paleo_column shown[COLUMNS];
	int is_data = paleo_table_is_data(s->format), rc = PALEO_OK;

	for (int i = 0; i < rows->count; i++) {
		const struct simulate_row *r = &rows->items[i];
		order[i] = (struct view_row){r->net, rate_of(r), exposed_of(r), i, 0};
	}
	int wanted = view_choose(&s->view, is_data, order, rows->count);
	choose_columns(s, shown);
	struct paleo_table *t = paleo_table_new(shown, COLUMNS);
	if (!t)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	for (int i = 0; !rc && i < wanted; i++)
		rc = add_row(t, &rows->items[order[i].at], err);
	if (!rc)
		rc = paleo_table_print(t, (enum paleo_table_format)s->format, out, err);
	paleo_table_free(t);
	if (!rc && !is_data && wanted < rows->count)
		paleo_print(out, "%d of %d rows, %s (--all: all of them)\n", wanted, rows->count,
			    first_is[s->view.sort]);
	return rc;
}

int simulate_print(const struct simulate_settings *s, const struct simulate_rows *rows, FILE *out,
		   struct paleo_error *err)
{
	if (!paleo_table_is_data(s->format))
		tell_fastest(rows, out);
	if (s->view.quiet && !paleo_table_is_data(s->format))
		return PALEO_OK;
	struct view_row *order = malloc(((size_t)rows->count + 1) * sizeof(*order));
	if (!order)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", rows->count);
	int rc = print_some(s, rows, order, out, err);
	free(order);
	return rc;
}
