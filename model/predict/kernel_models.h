/* kernel_models.h - the kernel models: laws for one kind of work each, with their parameters. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_PREDICT_KERNEL_MODELS_H
#define PALEO_MODEL_PREDICT_KERNEL_MODELS_H

#include "model/predict/chosen.h"
#include "model/predict/host_kernel.h"
#include "model/predict/onednn_conv.h"
#include "model/predict/onednn_grouped_conv.h"
#include "model/predict/stream.h"
#include "model/predict/tile_conv.h"
#include "model/predict/vector.h"

enum {
	PALEO_KERNEL_PARAMETERS_MAX = 40,
	PALEO_KERNEL_SETS_MAX = 3
};

/* A set of things that a library has: a mask of 1 << number. */
struct paleo_kernel_set {
	const char *name;           /* "tiles" */
	const char *(*item)(int i); /* "128x64" of tile 5; NULL beyond the last */
};

struct paleo_fitted_kernel;

/*
 * A form of the law beside the smooth one of law.h: "tile" for matrix products, "quantised" for
 * those in fp8, "vector" for depthwise convolutions, "conv" for others, "stream" and "stream_rows"
 * for what moves data, on GPUs; "blocks" and "groups" for convolutions, "windows" for poolings,
 * "channels" for batch normalisations and "loop" for what the program computes itself, on
 * processors. Each has a table of named parameters, which are fields of the struct at `params` of
 * its model.
 */
struct paleo_kernel_model {
	const char *name;
	const char *what; /* one line */
	const struct paleo_parameter *parameters;
	int count; /* of parameters */
	int host;  /* 1: a processor's; 0: a GPU's */
	/* The values that the first parameter may have, whole numbers and a 0; NULL: any. A form
	 * that has this is smooth in its other parameters. */
	const double *first;
	int across; /* 1: classes to which it applies are fitted together, each pass by itself */
	/* With `first`: bit i is set if parameter i has to do with this work. */
	unsigned long long (*uses)(const struct paleo_work *w);
	struct paleo_kernel_set sets[PALEO_KERNEL_SETS_MAX]; /* ends with a NULL name, or is full */
	int (*applies)(const struct paleo_work *w);          /* 1: it can price this work */
	/* What the table's start does not say of the params; NULL: nothing. */
	void (*init)(struct paleo_fitted_kernel *m, enum paleo_dtype dtype);
	/* Fills in the three parts and the total; m->copies is regarded. */
	void (*price)(const struct paleo_fitted_kernel *m, const struct paleo_tile_device *d,
		      const struct paleo_work *w, double parts_s[3], double *total_s);
	/* The same of the way in which a library is known to compute the work; 0 where the form
	 * does not have it. NULL: it has none. */
	int (*price_method)(const struct paleo_fitted_kernel *m, const struct paleo_tile_device *d,
			    const struct paleo_work *w, const struct paleo_method_cost *how,
			    double parts_s[3], double *total_s);
};

/* A form with its numbers. A plain value. */
struct paleo_fitted_kernel {
	const struct paleo_kernel_model *kernel;
	union {
		struct paleo_tile_params tile;
		struct paleo_conv_params conv;
		struct paleo_vector_params vector;
		struct paleo_stream_params stream;
		struct paleo_onednn_conv blocks;
		struct paleo_onednn_pool windows;
		struct paleo_onednn_grouped groups;
		struct paleo_host_norm norm;
		struct paleo_host_loop loop;
	} params;
	unsigned sets[PALEO_KERNEL_SETS_MAX]; /* as kernel->sets; none is empty */
	/* What weights find in the cache: with 0 nothing is there (cold records); n: the loop took
	 * turns with n copies of them at most, just enough to fill it; 1: always the same. */
	int copies;
	double se[PALEO_KERNEL_PARAMETERS_MAX]; /* of the logarithms; NaN: not told by the records
						 */
	unsigned long long on_bound;            /* bit i: parameter i stands on one of its bounds */
	/* The same number, from 1: the records cannot tell these parameters from one another. */
	unsigned char together[PALEO_KERNEL_PARAMETERS_MAX];
};

/* All forms, *count of them; one by its name; the one for a work, on a processor (host 1) or a GPU.
 * NULL if there is none. */
const struct paleo_kernel_model *paleo_kernel_models(int *count);
const struct paleo_kernel_model *paleo_kernel_model_find(const char *name);
const struct paleo_kernel_model *paleo_kernel_model_for(const struct paleo_work *w, int host);

/* A model at the start of the form's table: standard errors NaN, all of every set, copies 0. */
void paleo_kernel_model_init(const struct paleo_kernel_model *f, enum paleo_dtype dtype,
			     struct paleo_fitted_kernel *out);

/* Bytes that a timing loop touches before it uses the same weights again, with so many copies. */
double paleo_kernel_model_footprint(const struct paleo_tile_product *g,
				    const struct paleo_tile_device *d, int copies);

/* The device as the form's law sees it: without a cache when copies is 0. EUNSUPPORTED as
 * paleo_tile_device_of(), where a processor needs no cache and no clock. */
int paleo_kernel_model_device(const struct paleo_kernel_model *kernel, const struct paleo_device *d,
			      enum paleo_dtype dtype, int copies, struct paleo_tile_device *out,
			      struct paleo_error *err);

/* Seconds; compute, memory and overhead in parts_s. The work is one that the form applies to. */
double paleo_kernel_model_time(const struct paleo_fitted_kernel *m,
			       const struct paleo_tile_device *d, const struct paleo_work *w,
			       double parts_s[3]);

#endif
