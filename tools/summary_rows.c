/* summary_rows.c - what a summary says of each layer, under either law. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/summary_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/paleo2017/paleo2017.h"

static int out_of_memory(struct paleo_error *err)
{
	return paleo_fail(err, PALEO_ENOMEM, "out of memory for a summary");
}

void summary_release(struct summary *s)
{
	free(s->rows);
	free(s->dropped);
	*s = (struct summary){0};
}

static int allocate(struct summary *s, int count, struct paleo_error *err)
{
	s->rows = calloc((size_t)count + 1, sizeof(*s->rows));
	s->count = count;
	return s->rows ? PALEO_OK : out_of_memory(err);
}

static void write_shape(struct summary_row *row, const int *dims, int rank)
{
	size_t x = 0, y = 0;

	for (int i = 0; i < rank; i++) {
		x += (size_t)snprintf(row->output + x, sizeof(row->output) - x, "%s%d",
				      i ? "x" : "", dims[i]);
		y += (size_t)snprintf(row->shape + y, sizeof(row->shape) - y, "%s%d",
				      i ? ", " : "[", dims[i]);
	}
	snprintf(row->shape + y, sizeof(row->shape) - y, "]");
}

static void add_up(struct summary *s)
{
	for (int i = 0; i < s->count; i++) {
		s->weights += s->rows[i].weights;
		s->output_bytes += s->rows[i].output_bytes;
		s->forward_flops += s->rows[i].forward_flops;
		s->backward_flops += s->rows[i].backward_flops;
	}
}

static void describe(const struct paleo_layer *l, struct summary_row *row)
{
	if (l->kind->describe)
		l->kind->describe(l, row->details, sizeof(row->details));
}

static void fill_row(const struct paleo_layer *l, struct summary_row *row)
{
	const struct paleo_shape *o = &l->out;
	int dims[4];

	row->layer = l->name;
	snprintf(row->type, sizeof(row->type), "%s", l->kind->type);
	paleo_shape_dims(o, dims);
	write_shape(row, dims, o->rank);
	describe(l, row);
	snprintf(row->words, sizeof(row->words), "%s", row->details);
	row->weights = paleo_layer_weights(l);
	/* Inputs and layers without work write nothing of their own. */
	row->output_bytes = l->kind->work ? 4 * paleo_shape_count(o) : 0;
}

int summary_make(const struct paleo_net *net, struct summary *out, struct paleo_error *err)
{
	struct summary s = {.batch = net->batch};
	struct paleo_work_list works = {0};
	unsigned passes = PALEO_PASSES_FWD | PALEO_PASSES_BWD;

	int rc = allocate(&s, net->count, err);
	if (!rc)
		rc = paleo_net_works(net, PALEO_F32, passes, &works, err);
	if (rc) {
		summary_release(&s);
		return rc;
	}
	for (int i = 0; i < net->count; i++)
		fill_row(net->layers[i], &s.rows[i]);
	for (int i = 0; i < works.count; i++) {
		struct summary_row *row = &s.rows[works.items[i].layer->index];
		double *flops = works.items[i].pass == PALEO_FWD ? &row->forward_flops
								 : &row->backward_flops;
		*flops += works.items[i].work.flops;
	}
	paleo_work_list_release(&works);
	add_up(&s);
	*out = s;
	return PALEO_OK;
}

/* `l` is a copy whose shapes have the batch. */
static void fill_row_2017(const struct paleo_2017_layer *l, struct summary_row *row)
{
	row->layer = l->layer->name;
	snprintf(row->type, sizeof(row->type), "%s", l->type);
	write_shape(row, l->out.dims, l->out.rank);
	describe(l->layer, row);
	paleo_2017_describe(l, row->words, sizeof(row->words));
	row->again = l->again;
	row->weights = l->params;
	row->output_bytes = 4;
	for (int i = 0; i < l->out.rank; i++)
		row->output_bytes *= l->out.dims[i];
	row->backward_flops = NAN;
}

static int list_dropped(const struct paleo_2017_net *net, struct summary *s,
			struct paleo_error *err)
{
	int count;
	const struct paleo_layer *const *dropped = paleo_2017_dropped(net, &count);

	s->dropped = malloc(((size_t)count + 1) * sizeof(*s->dropped));
	if (!s->dropped)
		return out_of_memory(err);
	for (int i = 0; i < count; i++)
		s->dropped[i] = dropped[i]->name;
	s->dropped_count = count;
	return PALEO_OK;
}

int summary_make_2017(const struct paleo_net *net, int batch, struct summary *out,
		      struct paleo_error *err)
{
	struct summary s = {.batch = batch ? batch : net->file_batch};
	struct paleo_2017_net *old = NULL;
	int count = 0;

	int rc = paleo_2017_open(net, &old, err);
	if (rc)
		return rc;
	const struct paleo_2017_layer *layers = paleo_2017_layers(old, &count);
	rc = allocate(&s, count, err);
	if (!rc)
		rc = list_dropped(old, &s, err);
	for (int i = 0; !rc && i < count; i++) {
		struct paleo_2017_layer l = layers[i];
		l.out.dims[0] = s.batch;
		fill_row_2017(&l, &s.rows[i]);
		s.rows[i].forward_flops = paleo_2017_flops(old, i, s.batch);
	}
	paleo_2017_close(old);
	if (rc) {
		summary_release(&s);
		return rc;
	}
	add_up(&s);
	*out = s;
	return PALEO_OK;
}
