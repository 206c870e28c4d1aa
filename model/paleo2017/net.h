/* net.h - inside of the law paleo2017: its nets, its convolutions, its units. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_PALEO2017_NET_H
#define PALEO_MODEL_PALEO2017_NET_H

#include "model/paleo2017/paleo2017.h"
#include "model/paleo2017/units.h"

/* A convolution to be priced: [n,h,w,cin] * [kh,kw,cin,cout] -> [n,oh,ow,cout]. Gradients are
 * convolutions, too. Whole numbers, as double: their products do not fit into an int. */
struct paleo_2017_conv {
	double n, h, w, cin;
	double kh, kw, cout;
	double oh, ow;
	double pad_h, pad_w;              /* on both sides */
	double holes_input, holes_filter; /* fractions that are zeros between the elements */
	int batch_is_cin;                 /* 1: the batch is summed over, and stands in cin */
	int fits;                         /* 1: it has the shape that it should have */
};

/* How a layer is priced. */
enum paleo_2017_form {
	PALEO_2017_FREE, /* costs nothing */
	PALEO_2017_CONV,
	PALEO_2017_DECONV,
	PALEO_2017_PRODUCT,
	PALEO_2017_POOL,
	PALEO_2017_DROPOUT,
};

enum {
	PALEO_2017_SINGLE = PALEO_2017_BWD /* passes that are not several */
};

struct paleo_2017_price {
	enum paleo_2017_form form;
	struct paleo_2017_conv fwd; /* a pooling's, too */
	struct paleo_2017_conv bwd_data, bwd_filter;
	struct paleo_2017_line lines[PALEO_2017_SINGLE];
	int fetches; /* 1: an input lies on another device */
};

struct paleo_2017_net {
	const struct paleo_net *source;
	struct paleo_2017_layer *layers;
	struct paleo_2017_price *prices; /* one for each layer */
	int count;
	int *parents; /* of all layers, one after the other */
	const struct paleo_layer **dropped;
	int dropped_count;
	struct paleo_2017_nest *nest;
	int nest_count;
};

/* The forward convolution of a window. */
struct paleo_window;
struct paleo_2017_conv paleo_2017_conv_of(const struct paleo_window *w, const int in[4], int cout);

/* Both gradients of `c`, strided `stride`, padded as the word VALID says if `valid`. */
void paleo_2017_gradients(const struct paleo_2017_conv *c, const int stride[2], int valid,
			  struct paleo_2017_conv *data, struct paleo_2017_conv *filter);

/* Prices a convolution. */
enum paleo_2017_way {
	PALEO_2017_GEMM,
	PALEO_2017_GEMM_MEMORY, /* writes and reads the unrolled input, too */
	PALEO_2017_FFT,
	PALEO_2017_FFT_TILING,
	PALEO_2017_NOTHING,
};

double paleo_2017_gemm_flops(const struct paleo_2017_conv *c);
struct paleo_2017_counts paleo_2017_gemm_counts(const struct paleo_2017_conv *c);
struct paleo_2017_time paleo_2017_conv_time(const struct paleo_2017_units *u,
					    const struct paleo_2017_conv *c,
					    enum paleo_2017_way way);

/* Numbers in a shape at another batch. */
double paleo_2017_count_at(const struct paleo_2017_shape *s, double batch);

static inline const struct paleo_2017_conv *
paleo_2017_conv_of_pass(const struct paleo_2017_price *p, enum paleo_2017_pass pass)
{
	return pass == PALEO_2017_FWD        ? &p->fwd
	       : pass == PALEO_2017_BWD_DATA ? &p->bwd_data
					     : &p->bwd_filter;
}

/* The convolution of a pass at a batch; a reverse keeps that of its file. */
struct paleo_2017_conv paleo_2017_conv_at(const struct paleo_2017_price *p,
					  enum paleo_2017_pass pass, double n);

/* What a pass other than BWD counts, convolutions by gemm. */
struct paleo_2017_counts paleo_2017_counts_at(const struct paleo_2017_net *net, int layer,
					      enum paleo_2017_pass pass, double n);

/* Split "0" is not the device 0 of the layers that are not split (quirk 6). */
static inline int paleo_2017_same_device(const struct paleo_2017_layer *a,
					 const struct paleo_2017_layer *b)
{
	return a->device == b->device && a->split == b->split;
}

/* Fills lines and fetches of prices[i], whose layer is shaped. */
void paleo_2017_count(struct paleo_2017_net *net, int i);

/* Fills nest, layers[].layer and dropped. */
int paleo_2017_walk(struct paleo_2017_net *net, struct paleo_error *err);

/* Fills the rest of layers[i], whose parents are filled. */
int paleo_2017_shape(struct paleo_2017_net *net, int i, struct paleo_error *err);

#endif
