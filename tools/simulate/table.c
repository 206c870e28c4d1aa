/* table.c - the rows of `simulate`: what is fastest, and a table of those wanted. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/table.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/text.h"
#include "tools/simulate/simulate.h"

enum {
	PARTS_BYTES = 96
};

/* Where several were asked for, people see of which a row is. */
#define COLUMNS(X)                                                                                 \
	X(PALEO_COLUMN_TEXT("net", "net"), .text = net)                                            \
	X(PALEO_COLUMN_TEXT("dtype", "type"),                                                      \
	  .text = all || lists->dtypes.count > 1 ? paleo_dtype_name(r->dtype) : NULL)              \
	X(PALEO_COLUMN_TEXT("layout", "layout"),                                                   \
	  .text = all || lists->layouts.count > 1 ? paleo_layout_name(r->layout) : NULL)           \
	X(PALEO_COLUMN_WHOLE("seq", "seq"),                                                        \
	  .number = all || lists->seqs.count > 1 ? r->seq : (double)NAN)                           \
	X(PALEO_COLUMN_TEXT("strategy", "strategy"), .text = r->parallel)                          \
	X(PALEO_COLUMN_TEXT("scaling", "scaling"), .text = r->scaling)                             \
	X(PALEO_COLUMN_TEXT("all_reduce", "all-reduce"), .text = r->scheme)                        \
	X(PALEO_COLUMN_WHOLE("workers", "workers"), .number = r->workers)                          \
	X(PALEO_COLUMN_WHOLE("batch", "batch"), .number = r->batch)                                \
	X(PALEO_COLUMN_WHOLE("worker_batch", "worker batch"), .number = s->worker_batch)           \
	X(PALEO_COLUMN_TIME("forward_s", "fwd"), .number = s->fwd_s)                               \
	X(PALEO_COLUMN_TIME("backward_s", "bwd"), .number = s->bwd_s)                              \
	X(PALEO_COLUMN_TIME("update_s", "upd"), .number = s->update_s)                             \
	X(PALEO_COLUMN_TIME("comm_s", "comm"), .number = s->comm_s)                                \
	X(PALEO_COLUMN_TIME("exposed_comm_s", "exposed"), .number = s->exposed_s)                  \
	X(PALEO_COLUMN_TIME("bubble_s", "bubble"), .number = or_missing(s->bubble_s))              \
	X(PALEO_COLUMN_TIME("lower_bound_s", "lower"), .number = s->lower_s)                       \
	X(PALEO_COLUMN_TIME("upper_bound_s", "upper"), .number = s->upper_s)                       \
	X(PALEO_COLUMN_TIME("step_s", "step"), .number = s->step_s)                                \
	X(PALEO_COLUMN_DATA("step_low_s"), .number = s->low_s)                                     \
	X(PALEO_COLUMN_DATA("step_high_s"), .number = s->high_s)                                   \
	X(PALEO_COLUMN_SHOWN_TEXT("90 % of steps"), .text = s->low_s > 0 ? interval : NULL)        \
	X(PALEO_COLUMN_NUMBER("speedup", "speedup", 1, 2), .number = rate / r->single_per_s)       \
	X(PALEO_COLUMN_PERCENT("efficiency", "eff %"),                                             \
	  .number = rate / r->single_per_s / r->workers)                                           \
	X(PALEO_COLUMN_NUMBER("images_per_s", "images/s", 1, 1),                                   \
	  .number = isnan(tokens) ? rate : NAN)                                                    \
	X(PALEO_COLUMN_NUMBER("epoch_s", "epoch min", 1.0 / 60, 1),                                \
	  .number = or_missing(r->epoch_size) / rate)                                              \
	X(PALEO_COLUMN_DATA("weights_bytes"), .number = m->weights)                                \
	X(PALEO_COLUMN_DATA("gradients_bytes"), .number = m->gradients)                            \
	X(PALEO_COLUMN_DATA("optimizer_bytes"), .number = m->optimizer)                            \
	X(PALEO_COLUMN_DATA("activations_bytes"), .number = m->activations)                        \
	X(PALEO_COLUMN_DATA("workspace_bytes"), .number = m->workspace)                            \
	X(PALEO_COLUMN_BYTES("memory_bytes", "memory"), .number = paleo_sim_memory_sum(m))         \
	X(PALEO_COLUMN_TEXT("fits", "fits"), .text = !knows_memory(r) ? NULL                       \
						     : fits(r)        ? "yes"                      \
								      : "no")                             \
	X(PALEO_COLUMN_DATA_TEXT("source"), .text = r->source[0] ? r->source : NULL)               \
	X(PALEO_COLUMN_NUMBER("tokens_per_s", "tokens/s", 1, 1), .number = tokens)                 \
	X(PALEO_COLUMN_NUMBER("tokens_per_s_per_worker", "per worker", 1, 1),                      \
	  .number = tokens / r->workers)                                                           \
	X(PALEO_COLUMN_PERCENT("mfu", "MFU %"), .number = s->model_flops / peak)                   \
	X(PALEO_COLUMN_PERCENT("mfu_masked", "masked %"), .number = s->masked_flops / peak)        \
	X(PALEO_COLUMN_PERCENT("hfu", "HFU %"), .number = s->hardware_flops / peak)                \
	X(PALEO_COLUMN_SHOWN_TEXT("GB: weights+gradients+optimizer+activations+workspace"),        \
	  .text = s->model_flops > 0 ? parts : NULL)

static const struct paleo_column columns[] = {COLUMNS(PALEO_COLUMN_OF)};

/* 0 is nothing to show, for what most strategies do not have. */
static double or_missing(double x)
{
	return x != 0 ? x : NAN;
}

/* 1: how much memory a worker needs is known, and how much it has. */
static int knows_memory(const struct simulate_row *r)
{
	return r->device_bytes > 0 && !isnan(paleo_sim_memory_sum(&r->step.memory));
}

static int fits(const struct simulate_row *r)
{
	return !knows_memory(r) || paleo_sim_memory_sum(&r->step.memory) <= r->device_bytes;
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

static int add_row(const struct simulate_settings *settings, const struct simulate_row *r,
		   struct paleo_table *t, struct paleo_error *err)
{
	const int all = paleo_table_is_data(settings->format);
	const struct choice_lists *lists = &settings->lists;
	const struct paleo_sim_step *s = &r->step;
	const struct paleo_sim_memory *m = &s->memory;
	double rate = r->batch / s->step_s, tokens = r->tokens > 0 ? rate * r->tokens : NAN;
	double peak = r->flop_per_s > 0 ? r->flop_per_s * r->workers * s->step_s : NAN;
	char net[SIMULATE_NET_MAX], parts[PARTS_BYTES], interval[PARTS_BYTES];

	short_name(r->net, net, sizeof(net));
	parts_text(m, parts, sizeof(parts));
	snprintf(interval, sizeof(interval), "%.3g to %.3g s", s->low_s, s->high_s);
	const struct paleo_cell cells[] = {COLUMNS(PALEO_CELL_OF)};
	return paleo_table_add(t, cells, err);
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
		paleo_print(out, "; speedup %.2f", rate / r->single_per_s);
	if (exposed_of(r) >= 0.0005)
		paleo_print(out, "; %.1f %% of the step is exposed communication",
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
			tell_row(best,
				 "none fits in memory (--search looks for what does); fastest",
				 out);
	}
}

static int print_some(const struct simulate_settings *s, const struct simulate_rows *rows,
		      struct view_row *order, FILE *out, struct paleo_error *err)
{
	static const char *const first_is[] = {
		[VIEW_TIME] = "fastest first",
		[VIEW_ERROR] = "most exposed communication first",
		[VIEW_NAME] = "by name",
		[VIEW_NET] = "fastest first",
	};
	int is_data = paleo_table_is_data(s->format), rc = PALEO_OK;

	for (int i = 0; i < rows->count; i++) {
		const struct simulate_row *r = &rows->items[i];
		order[i] = (struct view_row){r->net, rate_of(r), exposed_of(r), i, 0};
	}
	int wanted = view_choose(&s->view, is_data, order, rows->count);
	struct paleo_table *t = PALEO_TABLE_OF(columns);
	if (!t)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	for (int i = 0; !rc && i < wanted; i++)
		rc = add_row(s, &rows->items[order[i].at], t, err);
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
