/* sim.c - the original Paleo's simulation of several workers, number for number. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/paleo2017/sim.h"

#include <stdlib.h>

#include "model/simulate/collective.h"

/* The order of operations is the original's, for the sake of the last bit. */
static double transfer_ms(double gbit_per_s, double ppp_comm, double bytes)
{
	return bytes / (gbit_per_s / 8 * 1e9) * 1000 / ppp_comm;
}

double paleo_2017_sync_ms(enum paleo_2017_scheme scheme, double gbit_per_s, double ppp_comm,
			  double bytes, int workers)
{
	int height = paleo_tree_height(workers);
	double once = transfer_ms(gbit_per_s, ppp_comm, bytes);

	switch (scheme) {
	case PALEO_2017_ONE_TO_ALL:
		return 2 * transfer_ms(gbit_per_s, ppp_comm, bytes * (workers - 1));
	case PALEO_2017_TREE_ALL_REDUCE:
		return 2 * height * once;
	case PALEO_2017_BUTTERFLY_ALL_REDUCE:
		return height * once;
	case PALEO_2017_BUTTERFLY_MIXING: /* a lone worker mixes, too */
	case PALEO_2017_SCHEMES:
		break;
	}
	return once;
}

/* Layers that a sum includes. */
enum part {
	ALL,
	OUTSIDE, /* of ModelParallel blocks */
	INSIDE,
};

static int belongs(const struct paleo_2017_layer *l, enum part part)
{
	return part == ALL || l->split == (part == INSIDE);
}

static double chosen(const struct paleo_2017_sim *s, const struct paleo_2017_time *t)
{
	return s->use_pipeline ? paleo_2017_pipelined(t) : t->total_ms;
}

static int sum_pass(const struct paleo_2017_net *net, const struct paleo_2017_sim *s,
		    const struct paleo_2017_options *o, enum part part, enum paleo_2017_pass pass,
		    double *out, struct paleo_error *err)
{
	int count;
	const struct paleo_2017_layer *layers = paleo_2017_layers(net, &count);
	double sum = 0;

	for (int i = 0; i < count; i++) {
		struct paleo_2017_time t;
		if (!belongs(&layers[i], part))
			continue;
		PALEO_TRY(paleo_2017_time(net, i, pass, o, &t, err));
		sum += chosen(s, &t);
	}
	*out = sum;
	return PALEO_OK;
}

static double sum_bytes(const struct paleo_2017_net *net, enum part part)
{
	int count;
	const struct paleo_2017_layer *layers = paleo_2017_layers(net, &count);
	double sum = 0;

	for (int i = 0; i < count; i++)
		if (belongs(&layers[i], part))
			sum += layers[i].weights_bytes;
	return sum;
}

int paleo_2017_data(const struct paleo_2017_net *net, const struct paleo_2017_sim *s, int batch,
		    int workers, int strong, struct paleo_2017_data *out, struct paleo_error *err)
{
	struct paleo_2017_options o = s->options;
	struct paleo_2017_data row = {.workers = workers,
				      .batch = strong ? batch : (double)batch * workers};
	double bytes = sum_bytes(net, ALL);
	struct paleo_2017_time update = paleo_2017_update(o.device, bytes);

	o.batch = strong ? (batch + workers - 1) / workers : batch;
	o.link_gb_per_s = 0;
	PALEO_TRY(sum_pass(net, s, &o, ALL, PALEO_2017_FWD, &row.fwd_ms, err));
	PALEO_TRY(sum_pass(net, s, &o, ALL, PALEO_2017_BWD, &row.bwd_ms, err));
	row.apply_ms = chosen(s, &update);
	row.comp_ms = row.fwd_ms + row.bwd_ms + row.apply_ms;
	for (int k = 0; k < PALEO_2017_SCHEMES; k++)
		row.sync_ms[k] = paleo_2017_sync_ms((enum paleo_2017_scheme)k, s->gbit_per_s,
						    o.ppp_comm, bytes, workers);
	*out = row;
	return PALEO_OK;
}

/* Bounds on the time of a part of the layers. */
static int bounds(const struct paleo_2017_net *net, const struct paleo_2017_options *o,
		  enum part part, enum paleo_2017_pass pass, double *lower, double *upper,
		  struct paleo_error *err)
{
	int count, rc = PALEO_OK;
	const struct paleo_2017_layer *layers = paleo_2017_layers(net, &count);
	double *ms = calloc((size_t)count + 1, sizeof(*ms));

	if (!ms)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d layers", count);
	for (int i = 0; !rc && i < count; i++) {
		struct paleo_2017_time t = {0};
		if (belongs(&layers[i], part))
			rc = paleo_2017_time(net, i, pass, o, &t, err);
		ms[i] = t.total_ms;
	}
	if (!rc)
		rc = paleo_2017_bounds(net, ms, lower, upper, err);
	free(ms);
	return rc;
}

int paleo_2017_model(const struct paleo_2017_net *net, const struct paleo_2017_sim *s, int batch,
		     enum paleo_2017_pass pass, double *lower_ms, double *upper_ms,
		     struct paleo_error *err)
{
	struct paleo_2017_options o = s->options;

	o.batch = batch;
	o.link_gb_per_s = 0;
	return bounds(net, &o, ALL, pass, lower_ms, upper_ms, err);
}

/* The first layer of a ModelParallel block; -1 if there is none. */
static int first_inside(const struct paleo_2017_net *net)
{
	int count;
	const struct paleo_2017_layer *layers = paleo_2017_layers(net, &count);

	for (int i = 0; i < count; i++)
		if (layers[i].split)
			return i;
	return -1;
}

/* Time to fetch other workers' activations; the original takes the counts of numbers for bytes. */
static double fetch_ms(const struct paleo_2017_net *net, int first, int batch, double link,
		       int workers)
{
	int count;
	const struct paleo_2017_layer *layers = paleo_2017_layers(net, &count);
	const struct paleo_2017_shape *out = &layers[layers[first].parents[0]].out;
	double numbers = batch;

	for (int k = 1; k < out->rank; k++)
		numbers *= out->dims[k];
	return numbers / 1073741824 / link * 1000 * (workers - 1);
}

static int model_part(const struct paleo_2017_net *net, const struct paleo_2017_options *o,
		      int workers, struct paleo_2017_hybrid *row, struct paleo_error *err)
{
	int first = first_inside(net);
	double upper;

	row->apply_ms = paleo_2017_update(o->device, sum_bytes(net, INSIDE)).total_ms;
	row->whole = first < 0;
	/* walked even if there is nothing inside: nested forks end it */
	PALEO_TRY(bounds(net, o, INSIDE, PALEO_2017_FWD, &row->fwd_ms, &upper, err));
	PALEO_TRY(bounds(net, o, INSIDE, PALEO_2017_BWD, &row->bwd_ms, &upper, err));
	if (first < 0)
		return PALEO_OK;
	double fetch = fetch_ms(net, first, o->batch, o->link_gb_per_s, workers);
	row->fwd_ms = (row->fwd_ms - fetch) * workers + fetch;
	row->bwd_ms = (row->bwd_ms - fetch) * workers + fetch;
	return PALEO_OK;
}

int paleo_2017_hybrid(const struct paleo_2017_net *net, const struct paleo_2017_sim *s, int batch,
		      int workers, struct paleo_2017_hybrid *data, struct paleo_2017_hybrid *model,
		      struct paleo_error *err)
{
	struct paleo_2017_options o = s->options;
	struct paleo_2017_hybrid d = {.batch = (double)batch * workers}, m = d;
	double bytes = sum_bytes(net, OUTSIDE);
	struct paleo_2017_time update = paleo_2017_update(o.device, bytes);

	o.batch = batch;
	o.link_gb_per_s = s->gbit_per_s / 8;
	PALEO_TRY(sum_pass(net, s, &o, OUTSIDE, PALEO_2017_FWD, &d.fwd_ms, err));
	PALEO_TRY(sum_pass(net, s, &o, OUTSIDE, PALEO_2017_BWD, &d.bwd_ms, err));
	PALEO_TRY(model_part(net, &o, workers, &m, err));
	d.apply_ms = chosen(s, &update);
	d.sync_ms = paleo_2017_sync_ms(PALEO_2017_TREE_ALL_REDUCE, s->gbit_per_s, o.ppp_comm, bytes,
				       workers);
	*data = d;
	*model = m;
	return PALEO_OK;
}
