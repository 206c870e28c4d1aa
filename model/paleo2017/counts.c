/* counts.c - bytes and FLOPs of a layer in the cost model of the original Paleo. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <math.h>

#include "model/paleo2017/net.h"

/* Numbers in a shape at another batch. */
double paleo_2017_count_at(const struct paleo_2017_shape *s, double batch)
{
	double count = batch;

	for (int i = 1; i < s->rank; i++)
		count *= s->dims[i];
	return count;
}

/* A GEMM X * W = Y of matrices with so many rows and columns. */
static struct paleo_2017_counts product_counts(double rows, double inner, double cols)
{
	return (struct paleo_2017_counts){
		.of = {rows * inner * 4, inner * cols * 4, rows * cols * 4,
		       2 * (rows * inner) * cols},
		.tensors = 3,
	};
}

static struct paleo_2017_counts inner_product_counts(const struct paleo_2017_layer *l, double n,
						     enum paleo_2017_pass pass)
{
	double in = l->filter[2], out = l->filter[3];

	if (pass == PALEO_2017_FWD)
		return product_counts(n, in, out);
	if (pass == PALEO_2017_BWD_DATA)
		return product_counts(n, out, in);
	return product_counts(in, n, out);
}

/* A pooling's FLOPs: two for each element of each window. */
static double pool_flops(const struct paleo_2017_conv *w, double n)
{
	return 2 * w->kh * w->kw * w->cin * (w->oh * w->ow) * n;
}

/* Pooling and dropout: some FLOPs, the input is read, the output written. They have one gradient.
 */
static struct paleo_2017_counts window_counts(const struct paleo_2017_layer *l,
					      const struct paleo_2017_price *p, double n,
					      enum paleo_2017_pass pass)
{
	struct paleo_2017_counts c = {.tensors = 2};
	double in = paleo_2017_count_at(&l->in, n);

	if (pass == PALEO_2017_BWD_FILTER)
		return (struct paleo_2017_counts){0};
	c.of[0] = in * 4;
	c.of[1] = (p->form == PALEO_2017_DROPOUT ? in : paleo_2017_count_at(&l->out, n)) * 4;
	c.of[PALEO_2017_FLOPS] = p->form == PALEO_2017_DROPOUT ? in : pool_flops(&p->fwd, n);
	return c;
}

struct paleo_2017_conv paleo_2017_conv_at(const struct paleo_2017_price *p,
					  enum paleo_2017_pass pass, double n)
{
	struct paleo_2017_conv c = *paleo_2017_conv_of_pass(p, pass);

	if (p->form == PALEO_2017_CONV)
		*(c.batch_is_cin ? &c.cin : &c.n) = n;
	return c;
}

struct paleo_2017_counts paleo_2017_counts_at(const struct paleo_2017_net *net, int layer,
					      enum paleo_2017_pass pass, double n)
{
	const struct paleo_2017_layer *l = &net->layers[layer];
	const struct paleo_2017_price *p = &net->prices[layer];
	struct paleo_2017_conv conv;

	switch (p->form) {
	case PALEO_2017_FREE:
		break;
	case PALEO_2017_CONV:
	case PALEO_2017_DECONV:
		conv = paleo_2017_conv_at(p, pass, n);
		return paleo_2017_gemm_counts(&conv);
	case PALEO_2017_PRODUCT:
		return inner_product_counts(l, n, pass);
	case PALEO_2017_POOL:
	case PALEO_2017_DROPOUT:
		return window_counts(l, p, n, pass);
	}
	return (struct paleo_2017_counts){0};
}

/* The line through the counts of one image and of two, and how far all of them are exact. */
static struct paleo_2017_line line_of(const struct paleo_2017_net *net, int layer,
				      enum paleo_2017_pass pass)
{
	const double exact = 0x1p53;
	struct paleo_2017_counts one = paleo_2017_counts_at(net, layer, pass, 1);
	struct paleo_2017_counts two = paleo_2017_counts_at(net, layer, pass, 2);
	struct paleo_2017_line line = {.tensors = one.tensors};
	double most = 1, fixed = 0;

	for (int i = 0; i < PALEO_2017_COUNTS; i++) {
		line.image[i] = two.of[i] - one.of[i];
		line.none[i] = one.of[i] - line.image[i];
		most = fmax(most, fabs(line.image[i]));
		fixed = fmax(fixed, fabs(line.none[i]));
	}
	double batches = (exact - fixed) / most;
	line.batch_max = batches < 2 ? 0 : batches < INT_MAX ? (int)batches : INT_MAX;
	return line;
}

/* Gradient shapes may be fractional where they are spread; the order of multiplications matters. */
void paleo_2017_count(struct paleo_2017_net *net, int i)
{
	const struct paleo_2017_layer *l = &net->layers[i];
	struct paleo_2017_price *p = &net->prices[i];

	for (int pass = 0; pass < PALEO_2017_SINGLE; pass++) {
		struct paleo_2017_conv c = paleo_2017_conv_at(p, (enum paleo_2017_pass)pass, 1);
		if (c.holes_input == 0 && c.holes_filter == 0)
			p->lines[pass] = line_of(net, i, (enum paleo_2017_pass)pass);
	}
	for (int k = 0; k < l->parent_count; k++) {
		const struct paleo_2017_layer *parent = &net->layers[l->parents[k]];
		p->fetches |= !paleo_2017_same_device(l, parent);
	}
}

double paleo_2017_flops(const struct paleo_2017_net *net, int layer, int batch)
{
	const struct paleo_2017_price *p = &net->prices[layer];

	if (p->form == PALEO_2017_DECONV && !net->layers[layer].backprop)
		return 0;
	return paleo_2017_counts_at(net, layer, PALEO_2017_FWD,
				    batch ? batch : net->source->file_batch)
		.of[PALEO_2017_FLOPS];
}
