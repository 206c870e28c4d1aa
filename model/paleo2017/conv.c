/* conv.c - convolutions as the original sees them: sizes, gradients, their price. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "model/net/layers/window.h"
#include "model/paleo2017/net.h"

/* Division that rounds down, for a negative `a`, too. */
static int floor_div(int a, int b)
{
	return a / b - (a % b < 0);
}

static int ceil_div(int a, int b)
{
	return -floor_div(-a, b);
}

/* The size that a window leaves of `in`, and the padding of one side. SAME pads both sides alike
 * and drops the odd pixel; where the stride is larger than the window that gives -1 (quirk 11). */
static int window_out(const struct paleo_window *w, int dim, int in, int *pad)
{
	int size = w->size[dim], stride = w->stride[dim], out = 0;

	switch (w->padding) {
	case PALEO_PADDING_VALID:
		*pad = 0;
		out = ceil_div(in - size + 1, stride);
		break;
	case PALEO_PADDING_SAME:
		out = ceil_div(in, stride);
		*pad = floor_div((out - 1) * stride + size - in, 2);
		break;
	case PALEO_PADDING_LIST:
		*pad = w->before[dim];
		out = floor_div(in + 2 * *pad - size, stride) + 1;
		break;
	}
	return out;
}

struct paleo_2017_conv paleo_2017_conv_of(const struct paleo_window *w, const int in[4], int cout)
{
	int pad_h, pad_w;
	int out_h = window_out(w, 0, in[1], &pad_h);
	int out_w = window_out(w, 1, in[2], &pad_w);

	return (struct paleo_2017_conv){
		.n = in[0],
		.h = in[1],
		.w = in[2],
		.cin = in[3],
		.kh = w->size[0],
		.kw = w->size[1],
		.cout = cout,
		.oh = out_h,
		.ow = out_w,
		.pad_h = pad_h,
		.pad_w = pad_w,
		.fits = 1,
	};
}

/*
 * The output's gradient along one dimension: spread to the stride, `size` long,
 * and padded by `pad` for the gradient of the inputs (after TensorFlow's
 * ConvBackpropExtractAndVerifyDimension, as the original says).
 */
static void spread(double in, double k, double out, double pad, int stride, double *size,
		   double *spread_pad)
{
	double before = k - 1 - pad;

	*size = (out - 1) * stride + 1;
	double after = in + k - 1 - *size - before;
	*spread_pad = fmin(before, after);
	if (fabs(before - after) == 1)
		*size += 1;
}

void paleo_2017_gradients(const struct paleo_2017_conv *c, const int stride[2], int valid,
			  struct paleo_2017_conv *data, struct paleo_2017_conv *filter)
{
	double eh, ew, qh, qw;

	spread(c->h, c->kh, c->oh, c->pad_h, stride[0], &eh, &qh);
	spread(c->w, c->kw, c->ow, c->pad_w, stride[1], &ew, &qw);
	double holes = (eh * ew - c->oh * c->ow) / eh / ew;

	*data = (struct paleo_2017_conv){
		.n = c->n,
		.h = eh,
		.w = ew,
		.cin = c->cout,
		.kh = c->kh,
		.kw = c->kw,
		.cout = c->cin,
		.oh = eh + 2 * qh - c->kh + 1,
		.ow = ew + 2 * qw - c->kw + 1,
		.pad_h = qh,
		.pad_w = qw,
		.holes_input = holes,
	};
	data->fits = data->oh == c->h && data->ow == c->w;

	double ph = valid ? 0 : qh, pw = valid ? 0 : qw;
	*filter = (struct paleo_2017_conv){
		.n = c->cin,
		.h = c->h,
		.w = c->w,
		.cin = c->n,
		.kh = eh,
		.kw = ew,
		.cout = c->cout,
		.oh = c->h + 2 * ph - eh + 1,
		.ow = c->w + 2 * pw - ew + 1,
		.pad_h = ph,
		.pad_w = pw,
		.holes_filter = holes,
		.batch_is_cin = 1,
	};
	filter->fits = filter->oh == c->kh && filter->ow == c->kw;
}

/* A spread gradient keeps its dense work, and moving its elements is added (quirk 13). */
static double gemm_flops(const struct paleo_2017_conv *c)
{
	double flops = 2 * c->kh * c->kw * c->cin * c->oh * c->ow * c->cout * c->n *
		       (1.0 - c->holes_filter);

	if (c->holes_input > 0)
		flops += 2 * (c->n * c->h * c->w * c->cin) * (1.0 - c->holes_input);
	return flops;
}

/* The padding is read as if it were stored (quirk 14). */
struct paleo_2017_counts paleo_2017_gemm_counts(const struct paleo_2017_conv *c)
{
	double filled = 1.0 - c->holes_filter;
	double input = c->n * (c->h + 2 * c->pad_h) * (c->w + 2 * c->pad_w) * c->cin;

	return (struct paleo_2017_counts){
		.of = {input * 4, c->kh * c->kw * c->cin * c->cout * filled * 4,
		       c->n * c->oh * c->ow * c->cout * 4, gemm_flops(c)},
		.tensors = 3,
	};
}

static struct paleo_2017_time gemm_time(const struct paleo_2017_units *u,
					const struct paleo_2017_conv *c, int more_memory)
{
	struct paleo_2017_counts counts = paleo_2017_gemm_counts(c);
	struct paleo_2017_time t = paleo_2017_counted(u, &counts);

	if (more_memory) {
		t.comm_ms +=
			paleo_2017_comm_ms(u, c->n * c->oh * c->ow * c->kh * c->kw * c->cin * 8);
		t.total_ms = t.comp_ms + t.comm_ms;
	}
	return t;
}

/* FLOPs of one complex-to-real transform of `size` numbers: a square of the next power of two, with
 * 5 n log2(n) for a line of n, along both sides or along one. */
static double transform_flops(double size, int one_side)
{
	double side = pow(2, ceil(log(sqrt(size)) / log(2)));
	double flops = 2 * side * 5 * side * (log(side) / log(2));

	return one_side ? flops / 2 : flops;
}

/* Tiles have no margins, the GEMM operands are read once for all tiles, the filters are transformed
 * once, and FLOPs are of padded transforms where bytes are not (quirk 24). */
static struct paleo_2017_time fft_time(const struct paleo_2017_units *u,
				       const struct paleo_2017_conv *c, int tiling)
{
	double ph = fmax(c->h + 2 * c->pad_h, c->kh), pw = fmax(c->w + 2 * c->pad_w, c->kw);
	double tiles = tiling ? ceil(c->h / 32) * ceil(c->w / 32) : 1;
	double size = tiling ? 1024 : ph * pw;
	double side = tiling ? 32 : fmax(ph, pw);
	int one_side = c->kh == 1 || c->kw == 1;
	double inverse = transform_flops(size, one_side), forward = inverse / 2;
	double nc = c->n * c->cin, ck = c->cin * c->cout, nk = c->n * c->cout;
	double filter_bytes = ck * (one_side ? side : size) * 8;
	struct paleo_2017_time t = {0};

	t.comp_ms += tiles * paleo_2017_comp_ms(u, nc * forward);
	t.comp_ms += tiles * paleo_2017_comp_ms(u, 4 * nc * c->cout * size);
	t.comp_ms += tiles * paleo_2017_comp_ms(u, nk * inverse);
	t.comp_ms += paleo_2017_comp_ms(u, ck * forward);

	t.comm_ms += tiles * paleo_2017_comm_ms(u, nc * size * 4);
	t.comm_ms += tiles * paleo_2017_comm_ms(u, nc * size * 8);
	t.comm_ms += tiles * paleo_2017_comm_ms(u, nc * size * 8);
	t.comm_ms += tiles * paleo_2017_comm_ms(u, nk * size * 8);
	t.comm_ms += paleo_2017_comm_ms(u, nk * size * 8);
	t.comm_ms += paleo_2017_comm_ms(u, c->n * c->oh * c->ow * c->cout * 4);

	double filters_ms = paleo_2017_comm_ms(u, ck * size * 4);
	filters_ms += paleo_2017_comm_ms(u, filter_bytes);
	filters_ms += tiles * paleo_2017_comm_ms(u, filter_bytes);
	t.comm_ms += filters_ms;
	t.total_ms = t.comp_ms + t.comm_ms;
	return t;
}

struct paleo_2017_time paleo_2017_conv_time(const struct paleo_2017_units *u,
					    const struct paleo_2017_conv *c,
					    enum paleo_2017_way way)
{
	struct paleo_2017_time nothing = {0};

	switch (way) {
	case PALEO_2017_GEMM:
		return gemm_time(u, c, 0);
	case PALEO_2017_GEMM_MEMORY:
		return gemm_time(u, c, 1);
	case PALEO_2017_FFT:
		return fft_time(u, c, 0);
	case PALEO_2017_FFT_TILING:
		return fft_time(u, c, 1);
	case PALEO_2017_NOTHING:
		break;
	}
	return nothing;
}
