/* time.c - the time of a layer in the law of the original Paleo (2017). */
/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "model/paleo2017/net.h"

int paleo_2017_algorithms_named(const char *name, struct paleo_2017_algorithms *out,
				struct paleo_error *err)
{
	static const struct {
		const char *name;
		struct paleo_2017_algorithms algorithms;
	} known[] = {
		{"gemm", {0, 0, 0}},
		{"precomp", {1, 1, 1}},
		{"fft", {4, 2, 2}},
		{"fft_tiling", {5, 3, 2}},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(known[i].name, name) != 0)
			continue;
		*out = known[i].algorithms;
		return PALEO_OK;
	}
	return paleo_fail(err, PALEO_EINPUT,
			  "unknown algorithm '%s', expected gemm, precomp, fft or fft_tiling",
			  name);
}

/* Which of its ways the original takes for a number of cuDNN's. */
static int find_way(const struct paleo_2017_options *o, enum paleo_2017_pass pass,
		    enum paleo_2017_way *out, struct paleo_error *err)
{
	static const enum paleo_2017_way fwd[] = {
		PALEO_2017_GEMM, PALEO_2017_GEMM,       PALEO_2017_GEMM,   PALEO_2017_GEMM,
		PALEO_2017_FFT,  PALEO_2017_FFT_TILING, PALEO_2017_NOTHING};
	static const enum paleo_2017_way data[] = {PALEO_2017_GEMM, PALEO_2017_GEMM_MEMORY,
						   PALEO_2017_FFT, PALEO_2017_FFT_TILING,
						   PALEO_2017_NOTHING};
	static const enum paleo_2017_way filter[] = {PALEO_2017_GEMM, PALEO_2017_GEMM,
						     PALEO_2017_FFT, PALEO_2017_GEMM};
	const enum paleo_2017_way *ways = fwd;
	int id = o->algorithms.fwd, count = 7;

	if (!o->device->is_gpu) {
		*out = PALEO_2017_GEMM;
		return PALEO_OK;
	}
	if (pass == PALEO_2017_BWD_DATA) {
		ways = data;
		id = o->algorithms.bwd_data;
		count = 5;
	} else if (pass == PALEO_2017_BWD_FILTER) {
		ways = filter;
		id = o->algorithms.bwd_filter;
		count = 4;
	}
	if (id < 0 || id >= count)
		return paleo_fail(
			err, PALEO_EUNSUPPORTED,
			"the original knows no algorithm %d for this pass, expected 0 to %d", id,
			count - 1);
	*out = ways[id];
	return PALEO_OK;
}

/* A layer that is priced: what all its passes share. */
struct pricing {
	const struct paleo_2017_net *net;
	int layer, n;
	const struct paleo_2017_options *options;
	struct paleo_2017_units units;
};

static int no_gradient(const struct paleo_2017_layer *l, const struct paleo_2017_conv *c,
		       struct paleo_error *err)
{
	return paleo_fail(err, PALEO_EUNSUPPORTED,
			  "layer '%s': the original ends here, since its gradient comes out as "
			  "%.0fx%.0f; the law 'paleo' has the true one",
			  l->layer->name, c->oh, c->ow);
}

/* The way of a convolution's pass; those of its reverse are the same, exchanged, and take the
 * algorithms of the other. */
static int conv_way(const struct pricing *r, enum paleo_2017_pass pass, enum paleo_2017_way *out,
		    struct paleo_error *err)
{
	const struct paleo_2017_layer *l = &r->net->layers[r->layer];
	const struct paleo_2017_price *p = &r->net->prices[r->layer];
	const struct paleo_2017_conv *c = paleo_2017_conv_of_pass(p, pass);
	enum paleo_2017_pass as = pass;

	if (p->form == PALEO_2017_DECONV && pass != PALEO_2017_BWD_FILTER)
		as = pass == PALEO_2017_FWD ? PALEO_2017_BWD_DATA : PALEO_2017_FWD;
	if (!c->fits)
		return no_gradient(l, c, err);
	if (as == PALEO_2017_BWD_DATA && !l->backprop) {
		*out = PALEO_2017_NOTHING;
		return PALEO_OK;
	}
	int rc = find_way(r->options, as, out, err);
	if (!rc && l->filter[0] == 1 && l->filter[1] == 1)
		*out = PALEO_2017_GEMM;
	return rc;
}

/* One pass that is not BWD, without fetches. */
static struct paleo_2017_time price(const struct pricing *r, enum paleo_2017_pass pass,
				    enum paleo_2017_way way)
{
	const struct paleo_2017_price *p = &r->net->prices[r->layer];
	const struct paleo_2017_line *line = &p->lines[pass];

	if (way != PALEO_2017_GEMM) {
		const struct paleo_2017_conv at = paleo_2017_conv_at(p, pass, r->n);
		return paleo_2017_conv_time(&r->units, &at, way);
	}
	if (r->n <= line->batch_max)
		return paleo_2017_line_time(&r->units, line, r->n);
	const struct paleo_2017_counts c = paleo_2017_counts_at(r->net, r->layer, pass, r->n);
	return paleo_2017_counted(&r->units, &c);
}

/* Inputs that lie on other devices. With several parents the link is halved for each that is in
 * another group of four, and stays so for those that follow (quirk 5). */
static int fetch_ms(const struct pricing *r, double *out, struct paleo_error *err)
{
	const struct paleo_2017_options *o = r->options;
	const struct paleo_2017_layer *l = &r->net->layers[r->layer];
	double link = o->link_gb_per_s > 0 ? o->link_gb_per_s : o->device->mem_gb_per_s;
	double sum = 0;

	for (int i = 0; i < l->parent_count; i++) {
		const struct paleo_2017_layer *p = &r->net->layers[l->parents[i]];
		if (paleo_2017_same_device(l, p))
			continue;
		if (l->parent_count > 1 && l->device / 4 != p->device / 4) {
			if (!(o->link_gb_per_s > 0))
				return paleo_fail(
					err, PALEO_EUNSUPPORTED,
					"layer '%s': the original ends here, since it halves "
					"a link between groups of four devices, and there "
					"is none without hybrid parallelism",
					l->layer->name);
			link /= 2;
		}
		sum += paleo_2017_link_ms(&r->units, paleo_2017_count_at(&p->out, r->n) * 4, link,
					  o->ppp_comm);
	}
	*out = sum;
	return PALEO_OK;
}

int paleo_2017_time(const struct paleo_2017_net *net, int layer, enum paleo_2017_pass pass,
		    const struct paleo_2017_options *o, struct paleo_2017_time *out,
		    struct paleo_error *err)
{
	const struct pricing r = {
		.net = net,
		.layer = layer,
		.n = o->batch ? o->batch : net->source->file_batch,
		.options = o,
		.units = paleo_2017_units_of(o->device, o->ppp_comp),
	};
	const enum paleo_2017_form form = net->prices[layer].form;
	const int both = pass == PALEO_2017_BWD, last = both ? PALEO_2017_BWD_FILTER : (int)pass;
	struct paleo_2017_time time = {0};
	double fetch = 0;
	int rc;

	for (int k = both ? PALEO_2017_BWD_DATA : last; k <= last; k++) {
		enum paleo_2017_way way = PALEO_2017_GEMM;
		if (form == PALEO_2017_CONV || form == PALEO_2017_DECONV) {
			rc = conv_way(&r, (enum paleo_2017_pass)k, &way, err);
			if (rc)
				return rc;
		}
		const struct paleo_2017_time t = price(&r, (enum paleo_2017_pass)k, way);
		paleo_2017_add(&time, &t);
	}
	if (net->prices[layer].fetches && !o->no_fetch) {
		rc = fetch_ms(&r, &fetch, err);
		if (rc)
			return rc;
		time.comm_ms += fetch;
		time.total_ms += fetch;
	}
	*out = time;
	return PALEO_OK;
}
