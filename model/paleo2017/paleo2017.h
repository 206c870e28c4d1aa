/* paleo2017.h - the cost model of the original Paleo (2017), number for number. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_PALEO2017_PALEO2017_H
#define PALEO_MODEL_PALEO2017_PALEO2017_H

#include "model/device/device.h"
#include "model/net/net.h"

/*
 * The cost model of the program by Qi, Sparks and Talwalkar (ICLR 2017), reproduced to the last bit
 * of each layer, quirks included; docs/reference/paleo2017.md lists them. They are confined to
 * model/paleo2017/. Units are the original's: milliseconds, MHz, GFLOPS, and gigabytes that are
 * 10^9 in a device's description and 2^30 where they are divided by.
 *
 * Also ignored, as in the original: activations, normalisation, groups, dilation, rounding up.
 * Where it raises an exception, functions return EUNSUPPORTED and a sentence.
 */

/* One of the original's devices, or another one in its units. A plain value. */
struct paleo_2017_device {
	char name[64];  /* "TITAN_X", as on the original's command line */
	char title[64]; /* "Titan X" */
	double clock_mhz;
	double peak_gflops;
	double mem_gb_per_s;
	int is_gpu; /* 0: a CPU, which ignores the choice of algorithms */
};

/* One of the original's eight, by its name there, without letter case; NULL if there is none. */
const struct paleo_2017_device *paleo_2017_device_find(const char *name);

/* Any other device in these units; its peak is that of f32. EUNSUPPORTED when peak, bandwidth or
 * clock are not known. A device without a compute capability is a CPU. */
int paleo_2017_device_from(const struct paleo_device *d, struct paleo_2017_device *out,
			   struct paleo_error *err);

/* One of the original's six networks. */
struct paleo_2017_network {
	const char *name;  /* "ethernet20", as on the original's command line */
	const char *title; /* "Ethernet" */
	double gbit_per_s;
};

const struct paleo_2017_network *paleo_2017_network_find(const char *name); /* as for devices */

/* Shapes as in net files: [N, H, W, C] or [N, C]. */
struct paleo_2017_shape {
	int rank; /* 2 or 4 */
	int dims[4];
};

/* A layer as the original sees it, at the batch of the net's file. */
struct paleo_2017_layer {
	const struct paleo_layer *layer;
	char type[40]; /* the original's word: "conv2d", "pool2d", "generic_BatchNorm" */
	struct paleo_2017_shape in; /* of the first parent; flattened for an InnerProduct */
	struct paleo_2017_shape out;
	int filter[4];      /* of convolutions and their reverse: height, width, in, out, split */
	int pad[2];         /* of convolutions and their reverse; SAME may give -1 */
	const int *parents; /* as numbers in the cost model's list of layers */
	int parent_count;
	double params;        /* with a bias for every convolution and inner product */
	double weights_bytes; /* 4 for each param */
	double activations;   /* numbers in the output */
	int device;           /* split 0, 1 ...; 0 outside of a ModelParallel */
	int split;    /* 1: inside of a ModelParallel: "0" there is another device than 0 outside */
	int again;    /* 1: the walk passed it before, so it counts twice */
	int backprop; /* 0: a convolution that reads 'data', whose input needs no gradient */
};

/* A net as the original sees it. Refers to the paleo_net, which must outlive it. */
struct paleo_2017_net;

/*
 * Walks the graph from the layer named 'data', as the original does, and gives
 * every layer its shape. EUNSUPPORTED when the original would end with an
 * exception. A net may be loaded with any batch: shapes are those of the file's.
 */
int paleo_2017_open(const struct paleo_net *net, struct paleo_2017_net **out,
		    struct paleo_error *err);
void paleo_2017_close(struct paleo_2017_net *net); /* NULL allowed */

/* The layers, in the original's topological order. */
const struct paleo_2017_layer *paleo_2017_layers(const struct paleo_2017_net *net, int *count);

/* Layers that the original's walk silently drops (where joints overlap, and what a second Input
 * reaches): they are not among its layers and cost nothing. In the file's order. */
const struct paleo_layer *const *paleo_2017_dropped(const struct paleo_2017_net *net, int *count);

/*
 * Dependencies of the layers, as the original nests them: "[data, conv1, ([a], [b, c]), join]" as a
 * list of marks. A fork holds branches, a branch holds layers and forks. The outermost list has no
 * marks.
 */
enum paleo_2017_mark {
	PALEO_2017_LAYER,
	PALEO_2017_FORK,
	PALEO_2017_BRANCH,
	PALEO_2017_BRANCH_END,
	PALEO_2017_FORK_END,
};

struct paleo_2017_nest {
	enum paleo_2017_mark mark;
	int layer; /* its number, for PALEO_2017_LAYER */
};

const struct paleo_2017_nest *paleo_2017_nested(const struct paleo_2017_net *net, int *count);

/*
 * The sums of model parallelism over the nested list: *upper adds the `ms` of all layers, *lower
 * takes the longest branch of each fork. `ms` has one number for each layer, in the cost model's
 * order (0 for those to ignore). EUNSUPPORTED when a fork is nested in a branch, where the original
 * ends with an exception.
 */
int paleo_2017_bounds(const struct paleo_2017_net *net, const double *ms, double *lower,
		      double *upper, struct paleo_error *err);

enum paleo_2017_pass {
	PALEO_2017_FWD,
	PALEO_2017_BWD_DATA,   /* gradient of the inputs alone */
	PALEO_2017_BWD_FILTER, /* gradient of the weights alone; of all others 0 */
	PALEO_2017_BWD,        /* both, as 'simulate' uses it */
	PALEO_2017_PASSES
};

/* cuDNN's numbers (version 4), one for each of FWD, BWD_DATA, BWD_FILTER. 1x1 filters and CPUs
 * always use gemm. Winograd (6 forward, 4 for the inputs) takes no time at all. */
struct paleo_2017_algorithms {
	int fwd;        /* 0 .. 3 gemm, 4 FFT, 5 FFT in tiles, 6 Winograd */
	int bwd_data;   /* 0 gemm, 1 gemm with more memory, 2 FFT, 3 FFT in tiles, 4 Winograd */
	int bwd_filter; /* 0, 1, 3 gemm, 2 FFT */
};

/* "gemm", "fft", "fft_tiling" (plain FFT for filters: there is no tiled one), "precomp". EINPUT for
 * other names. All zero is "gemm", the original's --use_only_gemm. */
int paleo_2017_algorithms_named(const char *name, struct paleo_2017_algorithms *out,
				struct paleo_error *err);

struct paleo_2017_options {
	const struct paleo_2017_device *device;
	double ppp_comp, ppp_comm; /* fractions of peak, > 0 */
	double link_gb_per_s; /* between devices; 0: the original's None, the memory's bandwidth */
	int batch;            /* 0: that of the file */
	struct paleo_2017_algorithms algorithms;
	int no_fetch; /* 1: inputs are never fetched from other devices, as in 'profile' */
};

/* Milliseconds. The total is kept apart: sums of it differ from comp + comm in the last bit. */
struct paleo_2017_time {
	double comp_ms, comm_ms, total_ms;
};

/* The time of one layer (its number in the cost model's list). EUNSUPPORTED where the original ends
 * with an exception: gradients that do not fit, an unknown algorithm, no link between groups of
 * four devices. */
int paleo_2017_time(const struct paleo_2017_net *net, int layer, enum paleo_2017_pass pass,
		    const struct paleo_2017_options *o, struct paleo_2017_time *out,
		    struct paleo_error *err);

/* *sum += t, as the original adds. */
static inline void paleo_2017_add(struct paleo_2017_time *sum, const struct paleo_2017_time *t)
{
	sum->comp_ms += t->comp_ms;
	sum->comm_ms += t->comm_ms;
	sum->total_ms += t->total_ms;
}

/* max(comp, comm): the original's "pipelined" time. */
double paleo_2017_pipelined(const struct paleo_2017_time *t);

/* Applying an update to weights of so many bytes; no fraction of peak applies. */
struct paleo_2017_time paleo_2017_update(const struct paleo_2017_device *device, double bytes);

/* FLOPs of a layer's forward pass by gemm; `batch` 0 is that of the file. */
double paleo_2017_flops(const struct paleo_2017_net *net, int layer, int batch);

/* The original's summary of a layer after its name and shape, "Kernel: [3, 3]  Stride: [2, 2]"; cut
 * at `size`. */
void paleo_2017_describe(const struct paleo_2017_layer *l, char *buf, size_t size);

#endif
