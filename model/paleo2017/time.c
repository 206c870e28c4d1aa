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

/* Prices one convolution of a layer; `as` is the pass whose algorithms it takes. */
static int price_conv(const struct paleo_2017_net *net, int layer, const struct paleo_2017_conv *c,
		      enum paleo_2017_pass as, const struct paleo_2017_options *o,
		      struct paleo_2017_time *out, struct paleo_error *err)
{
	const struct paleo_2017_layer *l = &net->layers[layer];
	struct paleo_2017_units u = paleo_2017_units_of(o->device, o->ppp_comp);
	struct paleo_2017_conv at = *c;
	enum paleo_2017_way way;

	if (!c->fits)
		return paleo_fail(
			err, PALEO_EUNSUPPORTED,
			"layer '%s': the original ends here, since its gradient comes out "
			"as %.0fx%.0f; the law 'paleo' has the true one",
			l->layer->name, c->oh, c->ow);
	int rc = find_way(o, as, &way, err);
	if (rc)
		return rc;
	if (l->filter[0] == 1 && l->filter[1] == 1)
		way = PALEO_2017_GEMM;
	if (o->batch && net->prices[layer].form == PALEO_2017_CONV)
		*(c->batch_is_cin ? &at.cin : &at.n) = o->batch;
	*out = paleo_2017_conv_time(&u, &at, way);
	return PALEO_OK;
}

/* The passes of a convolution; those of its reverse are the same, exchanged. */
static int conv_time(const struct paleo_2017_net *net, int layer, enum paleo_2017_pass pass,
		     const struct paleo_2017_options *o, struct paleo_2017_time *out,
		     struct paleo_error *err)
{
	const struct paleo_2017_price *p = &net->prices[layer];
	int reverse = p->form == PALEO_2017_DECONV;
	enum paleo_2017_pass as = pass;

	if (reverse && pass != PALEO_2017_BWD_FILTER)
		as = pass == PALEO_2017_FWD ? PALEO_2017_BWD_DATA : PALEO_2017_FWD;
	const struct paleo_2017_conv *c = pass == PALEO_2017_FWD        ? &p->fwd
					  : pass == PALEO_2017_BWD_DATA ? &p->bwd_data
									: &p->bwd_filter;
	if (as == PALEO_2017_BWD_DATA && c->fits && !net->layers[layer].backprop) {
		*out = (struct paleo_2017_time){0};
		return PALEO_OK;
	}
	return price_conv(net, layer, c, as, o, out, err);
}

/* A product X * W = Y of matrices with so many rows and columns. */
static struct paleo_2017_time product_time(const struct paleo_2017_units *u, double rows,
					   double inner, double cols)
{
	struct paleo_2017_time t;

	t.comm_ms = paleo_2017_comm_ms(u, rows * inner * 4);
	t.comm_ms += paleo_2017_comm_ms(u, inner * cols * 4);
	t.comm_ms += paleo_2017_comm_ms(u, rows * cols * 4);
	t.comp_ms = paleo_2017_comp_ms(u, 2 * (rows * inner) * cols);
	t.total_ms = t.comp_ms + t.comm_ms;
	return t;
}

static struct paleo_2017_time inner_product_time(const struct paleo_2017_units *u, double n,
						 const struct paleo_2017_layer *l,
						 enum paleo_2017_pass pass)
{
	double in = l->filter[2], out = l->filter[3];

	if (pass == PALEO_2017_FWD)
		return product_time(u, n, in, out);
	if (pass == PALEO_2017_BWD_DATA)
		return product_time(u, n, out, in);
	return product_time(u, in, n, out);
}

/* Pooling and dropout: some FLOPs, the input is read, the output written. */
static struct paleo_2017_time stream_time(const struct paleo_2017_units *u, double flops, double in,
					  double out)
{
	struct paleo_2017_time t;

	t.comm_ms = paleo_2017_comm_ms(u, in * 4);
	t.comm_ms += paleo_2017_comm_ms(u, out * 4);
	t.comp_ms = paleo_2017_comp_ms(u, flops);
	t.total_ms = t.comp_ms + t.comm_ms;
	return t;
}

/* Numbers in a shape at another batch. */
static double count_at(const struct paleo_2017_shape *s, double batch)
{
	double count = batch;

	for (int i = 1; i < s->rank; i++)
		count *= s->dims[i];
	return count;
}

/* A pooling's FLOPs: two for each element of each window. */
static double pool_flops(const struct paleo_2017_conv *w, double n)
{
	return 2 * w->kh * w->kw * w->cin * (w->oh * w->ow) * n;
}

static struct paleo_2017_time window_time(const struct paleo_2017_units *u, double n,
					  const struct paleo_2017_layer *l,
					  const struct paleo_2017_price *p,
					  enum paleo_2017_pass pass)
{
	struct paleo_2017_time nothing = {0};
	double in = count_at(&l->in, n);

	if (pass == PALEO_2017_BWD_FILTER)
		return nothing;
	if (p->form == PALEO_2017_DROPOUT)
		return stream_time(u, in, in, in);
	return stream_time(u, pool_flops(&p->fwd, n), in, count_at(&l->out, n));
}

double paleo_2017_flops(const struct paleo_2017_net *net, int layer, int batch)
{
	const struct paleo_2017_layer *l = &net->layers[layer];
	const struct paleo_2017_price *p = &net->prices[layer];
	struct paleo_2017_conv conv = p->fwd;
	double n = batch ? batch : net->source->file_batch;

	switch (p->form) {
	case PALEO_2017_FREE:
		break;
	case PALEO_2017_CONV:
		conv.n = n;
		return paleo_2017_gemm_flops(&conv);
	case PALEO_2017_DECONV:
		return l->backprop ? paleo_2017_gemm_flops(&conv) : 0;
	case PALEO_2017_PRODUCT:
		return 2 * n * l->filter[2] * l->filter[3];
	case PALEO_2017_POOL:
		return pool_flops(&conv, n);
	case PALEO_2017_DROPOUT:
		return count_at(&l->in, n);
	}
	return 0;
}

/* One pass that is not BWD, without fetches. */
static int single_time(const struct paleo_2017_net *net, int layer, enum paleo_2017_pass pass,
		       const struct paleo_2017_options *o, struct paleo_2017_time *out,
		       struct paleo_error *err)
{
	const struct paleo_2017_layer *l = &net->layers[layer];
	const struct paleo_2017_price *p = &net->prices[layer];
	struct paleo_2017_units u = paleo_2017_units_of(o->device, o->ppp_comp);
	double n = o->batch ? o->batch : net->source->file_batch;

	switch (p->form) {
	case PALEO_2017_FREE:
		*out = (struct paleo_2017_time){0};
		break;
	case PALEO_2017_CONV:
	case PALEO_2017_DECONV:
		return conv_time(net, layer, pass, o, out, err);
	case PALEO_2017_PRODUCT:
		*out = inner_product_time(&u, n, l, pass);
		break;
	case PALEO_2017_POOL:
	case PALEO_2017_DROPOUT:
		*out = window_time(&u, n, l, p, pass);
		break;
	}
	return PALEO_OK;
}

/* Split "0" is not the device 0 of the layers that are not split (quirk 6). */
static int same_device(const struct paleo_2017_layer *a, const struct paleo_2017_layer *b)
{
	return a->device == b->device && a->split == b->split;
}

/* Inputs that lie on other devices. With several parents the link is halved for each that is in
 * another group of four, and stays so for those that follow (quirk 5). */
static int fetch_ms(const struct paleo_2017_net *net, int layer, const struct paleo_2017_options *o,
		    double *out, struct paleo_error *err)
{
	const struct paleo_2017_layer *l = &net->layers[layer];
	struct paleo_2017_units u = paleo_2017_units_of(o->device, o->ppp_comp);
	double link = o->link_gb_per_s > 0 ? o->link_gb_per_s : o->device->mem_gb_per_s;
	double n = o->batch ? o->batch : net->source->file_batch;
	double sum = 0;

	for (int i = 0; i < l->parent_count; i++) {
		const struct paleo_2017_layer *p = &net->layers[l->parents[i]];
		if (same_device(l, p))
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
		sum += paleo_2017_link_ms(&u, count_at(&p->out, n) * 4, link, o->ppp_comm);
	}
	*out = sum;
	return PALEO_OK;
}

int paleo_2017_time(const struct paleo_2017_net *net, int layer, enum paleo_2017_pass pass,
		    const struct paleo_2017_options *o, struct paleo_2017_time *out,
		    struct paleo_error *err)
{
	struct paleo_2017_time time, filter;
	double fetch = 0;
	int both = pass == PALEO_2017_BWD;
	int rc = single_time(net, layer, both ? PALEO_2017_BWD_DATA : pass, o, &time, err);

	if (rc)
		return rc;
	if (both) {
		/* Pooling and dropout have one gradient, and its filter's is nothing. */
		rc = single_time(net, layer, PALEO_2017_BWD_FILTER, o, &filter, err);
		if (rc)
			return rc;
		paleo_2017_add(&time, &filter);
	}
	if (!o->no_fetch)
		rc = fetch_ms(net, layer, o, &fetch, err);
	if (rc)
		return rc;
	time.comm_ms += fetch;
	time.total_ms += fetch;
	*out = time;
	return PALEO_OK;
}
