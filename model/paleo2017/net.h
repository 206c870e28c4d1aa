/* net.h - inside of the cost model paleo2017: its nets, its convolutions, its units. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_PALEO2017_NET_H
#define PALEO_MODEL_PALEO2017_NET_H

#include <string.h>

#include "model/paleo2017/paleo2017.h"

/* Counts of a pass: bytes read and written, tensor by tensor, and FLOPs. */
enum {
	PALEO_2017_FLOPS = 3, /* behind the bytes of 2 or 3 tensors */
	PALEO_2017_COUNTS
};

struct paleo_2017_counts {
	double of[PALEO_2017_COUNTS];
	int tensors; /* 0: takes no time */
};

/* The counts of a pass, a line over the batch. They are whole numbers below 2^53, so neither the
 * order in which they are multiplied nor this line changes a bit. */
struct paleo_2017_line {
	double none[PALEO_2017_COUNTS], image[PALEO_2017_COUNTS]; /* without an image; of each */
	int tensors;
	int batch_max; /* up to here; 0: to be counted in the original's order */
};

/* Factors that convert counts into times. */
struct paleo_2017_units {
	double tick_ms; /* one period of the clock: nothing is shorter */
	double peak_gflops, mem_gb_per_s;
	double ppp_comp;
};

static inline struct paleo_2017_units paleo_2017_units_of(const struct paleo_2017_device *d,
							  double ppp_comp)
{
	return (struct paleo_2017_units){
		.tick_ms = 1 / d->clock_mhz / 1000,
		.peak_gflops = d->peak_gflops,
		.mem_gb_per_s = d->mem_gb_per_s,
		.ppp_comp = ppp_comp,
	};
}

double paleo_2017_comp_ms(const struct paleo_2017_units *u, double flops);
double paleo_2017_comm_ms(const struct paleo_2017_units *u, double bytes);

/* Two counts side by side. */
typedef double paleo_2017_pair __attribute__((vector_size(2 * sizeof(double))));

static inline paleo_2017_pair paleo_2017_pair_at(const double *of)
{
	paleo_2017_pair p;

	memcpy(&p, of, sizeof(p));
	return p;
}

static inline double paleo_2017_at_least(double ms, double tick_ms)
{
	return ms > tick_ms ? ms : tick_ms;
}

/* Times of four counts; the bits are those of the functions above, one after the other. */
static inline struct paleo_2017_time paleo_2017_times_of(const struct paleo_2017_units *u,
							 paleo_2017_pair first,
							 paleo_2017_pair last, int tensors)
{
	const double gb = 1073741824.0;
	struct paleo_2017_time t = {0};

	if (!tensors)
		return t;
	first = first * (1 / gb) / u->mem_gb_per_s *
		1000; /* a power of two: the multiplication is exact */
	paleo_2017_pair peaks = {u->mem_gb_per_s, u->peak_gflops}, units = {gb, 1e9};
	paleo_2017_pair flops = last;
	last = last / units / peaks * 1000;
	if (u->ppp_comp != 1) {
		first /= u->ppp_comp;
		last /= u->ppp_comp;
	}
	t.comm_ms = paleo_2017_at_least(first[0], u->tick_ms) +
		    paleo_2017_at_least(first[1], u->tick_ms);
	if (tensors > 2)
		t.comm_ms += paleo_2017_at_least(last[0], u->tick_ms);
	if (flops[1] != 0)
		t.comp_ms = paleo_2017_at_least(last[1], u->tick_ms);
	t.total_ms = t.comp_ms + t.comm_ms;
	return t;
}

static inline struct paleo_2017_time
paleo_2017_line_time(const struct paleo_2017_units *u, const struct paleo_2017_line *line, double n)
{
	return paleo_2017_times_of(
		u, paleo_2017_pair_at(line->none) + paleo_2017_pair_at(line->image) * n,
		paleo_2017_pair_at(line->none + 2) + paleo_2017_pair_at(line->image + 2) * n,
		line->tensors);
}

static inline struct paleo_2017_time paleo_2017_counted(const struct paleo_2017_units *u,
							const struct paleo_2017_counts *c)
{
	return paleo_2017_times_of(u, paleo_2017_pair_at(c->of), paleo_2017_pair_at(c->of + 2),
				   c->tensors);
}

/* A convolution to price: [n,h,w,cin] * [kh,kw,cin,cout] -> [n,oh,ow,cout]. Gradients are
 * convolutions, too. Integers, as double: their products do not fit into an int. */
struct paleo_2017_conv {
	double n, h, w, cin;
	double kh, kw, cout;
	double oh, ow;
	double pad_h, pad_w;              /* on both sides */
	double holes_input, holes_filter; /* fractions that are zeros between the elements */
	int batch_is_cin;                 /* 1: the sum is over the batch, which is in cin */
	int fits;                         /* 1: it has the shape that it should have */
};

/* Form of a layer's cost. */
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

/* Both gradients of `c`, strided `stride`, with VALID padding if `valid`. */
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

/* Counts of a pass other than BWD, convolutions by gemm. */
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

/* Fills the rest of layers[i]; its parents are complete. */
int paleo_2017_shape(struct paleo_2017_net *net, int i, struct paleo_error *err);

#endif
