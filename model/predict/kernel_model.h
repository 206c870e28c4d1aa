/* kernel_model.h - kernel models, each the time of one kind of op; their table. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_PREDICT_KERNEL_MODEL_H
#define PALEO_MODEL_PREDICT_KERNEL_MODEL_H

#include "model/predict/chosen.h"
#include "model/predict/parameter.h"
#include "model/predict/tile.h"

enum {
	PALEO_KERNEL_PARAMETERS_MAX = 40, /* that a fit moves */
	PALEO_KERNEL_VALUES_MAX = 48,     /* with those that are fixed */
	PALEO_KERNEL_SETS_MAX = 3
};

/* A set of things that a library has: a mask of 1 << number. */
struct paleo_kernel_set {
	const char *name;           /* "tiles" */
	const char *(*item)(int i); /* "128x64" of tile 5; NULL beyond the last */
};

struct paleo_fitted_kernel;

/*
 * A kernel model; the smooth one of smooth.h covers every class without one. Each is a constant,
 * paleo_kernel_NAME, in a separate file; kernel_models.def lists them. Its parameters are fields of
 * a struct of doubles, stored in `params` of a fitted one.
 */
struct paleo_kernel_model {
	const char *name;
	const char *what; /* one line */
	const struct paleo_parameter *parameters;
	int count;              /* of parameters */
	int host;               /* 1: a CPU's; 0: a GPU's */
	int is_guess;           /* 1: the start of its parameters was fitted to nothing */
	enum paleo_cores cores; /* on which it multiplies codes; their peak is the device's */
	/* Launches that an op needs one after another, which launch_us is of; 0 is 1. */
	int kernels;
	/* The values that the first parameter may have, whole numbers and a 0; NULL: any. A model
	 * that has this is smooth in its other parameters. */
	const double *first;
	int across; /* 1: classes to which it applies are fitted together, each pass by itself */
	/* With `first`: bit i is set if parameter i has to do with this op. */
	unsigned long long (*uses)(const struct paleo_op *w);
	struct paleo_kernel_set sets[PALEO_KERNEL_SETS_MAX]; /* ends with a NULL name, or is full */
	int (*applies)(const struct paleo_op *w);            /* 1: it can price this op */
	/* Initialises params beyond the table's start. NULL: nothing to do. */
	void (*init)(struct paleo_fitted_kernel *m, enum paleo_dtype dtype);
	/* Replaces parameters that the fitted ops do not show. NULL: nothing to do. */
	void (*settle)(struct paleo_fitted_kernel *m, const struct paleo_op *const *ops, int count);
	/* Fills in all parts; m->operand_sets is regarded. */
	void (*price)(const struct paleo_fitted_kernel *m, const struct paleo_tile_device *d,
		      const struct paleo_op *w, struct paleo_parts *out);
	/* Extra features for the cost model's correction besides the op's sizes (trees.h): fills in
	 * x, returns their number. NULL: none. */
	int (*features)(const struct paleo_tile_device *d, const struct paleo_op *w, double *x);
	/* The price of the way in which a library is known to compute the op; 0 where the model
	 * does not have it. NULL: it has none. */
	int (*price_method)(const struct paleo_fitted_kernel *m, const struct paleo_tile_device *d,
			    const struct paleo_op *w, const struct paleo_method_cost *how,
			    struct paleo_parts *out);
};

/* A kernel model with its numbers. A plain value. */
struct paleo_fitted_kernel {
	const struct paleo_kernel_model *kernel;
	double params[PALEO_KERNEL_VALUES_MAX]; /* the struct that the parameters name */
	unsigned sets[PALEO_KERNEL_SETS_MAX];   /* as kernel->sets; none is empty */
	/* Cache state of the weights: 0: cold (cold records); n: the loop rotated at most n operand
	 * sets, just enough to fill the cache; 1: always the same set. */
	int operand_sets;
	double se[PALEO_KERNEL_PARAMETERS_MAX]; /* of the logarithms; NaN: not identified by the
						   records */
	unsigned long long on_bound;            /* bit i: parameter i is at one of its bounds */
	/* Equal numbers, from 1: the records cannot identify these parameters separately. */
	unsigned char together[PALEO_KERNEL_PARAMETERS_MAX];
};

/* The dtype whose presets of other GPUs a GEMM's parameters start from: fp8 for codes. */
const struct paleo_kernel_model *const *paleo_kernel_models(int *count);
const struct paleo_kernel_model *paleo_kernel_model_find(const char *name);
const struct paleo_kernel_model *paleo_kernel_model_for(const struct paleo_op *w, int host);

/* A model at the start of its table: standard errors NaN, all of every set, no operand sets. */
void paleo_kernel_model_init(const struct paleo_kernel_model *f, enum paleo_dtype dtype,
			     struct paleo_fitted_kernel *out);

/* Bytes that a timing loop touches before it uses the same weights again, with so many operand
 * sets. */
double paleo_kernel_model_footprint(const struct paleo_tile_product *g,
				    const struct paleo_tile_device *d, int operand_sets);

/* The dtype whose presets of other GPUs a product's parameters start from: fp8 for
 * codes. */
static inline enum paleo_dtype
paleo_kernel_model_preset_dtype(const struct paleo_kernel_model *kernel, enum paleo_dtype dtype)
{
	return kernel->cores ? PALEO_FP8 : dtype;
}

/* The device as the model sees it: without a cache when operand_sets is 0. EUNSUPPORTED as
 * paleo_tile_device_of(), where a CPU needs no cache and no clock. */
int paleo_kernel_model_device(const struct paleo_kernel_model *kernel, const struct paleo_device *d,
			      enum paleo_dtype dtype, int operand_sets,
			      struct paleo_tile_device *out, struct paleo_error *err);

/* The total in seconds. The op is one that the model applies to. */
double paleo_kernel_model_time(const struct paleo_fitted_kernel *m,
			       const struct paleo_tile_device *d, const struct paleo_op *w);

/* A struct of parameters has room. */
#define PALEO_KERNEL_FITS(type)                                                                    \
	_Static_assert(sizeof(type) <= PALEO_KERNEL_VALUES_MAX * sizeof(double),                   \
		       "a fitted kernel has no space for " #type)

/* All kernel models, and helpers that several of them share. */

#define KERNEL(name) extern const struct paleo_kernel_model paleo_kernel_##name;
#include "model/predict/kernel_models.def"
#undef KERNEL

/* Blocks of channels in oneDNN's layouts: 8 for SSE and AVX2, 16 for AVX-512; then a 0. */
extern const double paleo_onednn_lanes[];

/* All parameters apply to every op. */
unsigned long long paleo_kernel_uses_all(const struct paleo_op *w);

#endif
