/* kernel_model.h - a kernel model: the time of one kind of work, with named parameters. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_PREDICT_KERNEL_MODEL_H
#define PALEO_MODEL_PREDICT_KERNEL_MODEL_H

#include "model/predict/chosen.h"
#include "model/predict/parameter.h"
#include "model/predict/result.h"
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
 * A kernel model beside the smooth one of smooth.h, which has every class. Each is a constant,
 * paleo_kernel_NAME, in a file of its own; kernel_models.def lists them. Its parameters are fields
 * of a struct of doubles, which lies at `params` of a fitted one.
 */
struct paleo_kernel_model {
	const char *name;
	const char *what; /* one line */
	const struct paleo_parameter *parameters;
	int count;              /* of parameters */
	int host;               /* 1: a processor's; 0: a GPU's */
	int is_guess;           /* 1: the start of its parameters was fitted to nothing */
	enum paleo_cores cores; /* on which it multiplies codes; their peak is the device's */
	/* Launches that a work needs one after another, which launch_us is of; 0 is 1. */
	int kernels;
	/* The values that the first parameter may have, whole numbers and a 0; NULL: any. A model
	 * that has this is smooth in its other parameters. */
	const double *first;
	int across; /* 1: classes to which it applies are fitted together, each pass by itself */
	/* With `first`: bit i is set if parameter i has to do with this work. */
	unsigned long long (*uses)(const struct paleo_work *w);
	struct paleo_kernel_set sets[PALEO_KERNEL_SETS_MAX]; /* ends with a NULL name, or is full */
	int (*applies)(const struct paleo_work *w);          /* 1: it can price this work */
	/* What the table's start does not say of the params; NULL: nothing. */
	void (*init)(struct paleo_fitted_kernel *m, enum paleo_dtype dtype);
	/* Fills in all parts; m->operand_sets is regarded. */
	void (*price)(const struct paleo_fitted_kernel *m, const struct paleo_tile_device *d,
		      const struct paleo_work *w, struct paleo_parts *out);
	/* What the law's correction is told besides the work's sizes (features.h): fills in x,
	 * returns how many. NULL: nothing. */
	int (*features)(const struct paleo_tile_device *d, const struct paleo_work *w, double *x);
	/* The price of the way in which a library is known to compute the work; 0 where the model
	 * does not have it. NULL: it has none. */
	int (*price_method)(const struct paleo_fitted_kernel *m, const struct paleo_tile_device *d,
			    const struct paleo_work *w, const struct paleo_method_cost *how,
			    struct paleo_parts *out);
};

/* A kernel model with its numbers. A plain value. */
struct paleo_fitted_kernel {
	const struct paleo_kernel_model *kernel;
	double params[PALEO_KERNEL_VALUES_MAX]; /* the struct that the parameters name */
	unsigned sets[PALEO_KERNEL_SETS_MAX];   /* as kernel->sets; none is empty */
	/* What weights find in the cache: with 0 nothing is there (cold records); n: the loop took
	 * turns with n sets of them at most, just enough to fill it; 1: always the same. */
	int operand_sets;
	double se[PALEO_KERNEL_PARAMETERS_MAX]; /* of the logarithms; NaN: not told by the records
						 */
	unsigned long long on_bound;            /* bit i: parameter i stands on one of its bounds */
	/* The same number, from 1: the records cannot tell these parameters from one another. */
	unsigned char together[PALEO_KERNEL_PARAMETERS_MAX];
};

/* All kernel models, *count of them; one by its name; the one for a work, on a processor (host 1)
 * or a GPU. NULL if there is none. */
const struct paleo_kernel_model *const *paleo_kernel_models(int *count);
const struct paleo_kernel_model *paleo_kernel_model_find(const char *name);
const struct paleo_kernel_model *paleo_kernel_model_for(const struct paleo_work *w, int host);

/* A model at the start of its table: standard errors NaN, all of every set, no operand sets. */
void paleo_kernel_model_init(const struct paleo_kernel_model *f, enum paleo_dtype dtype,
			     struct paleo_fitted_kernel *out);

/* Bytes that a timing loop touches before it uses the same weights again, with so many operand
 * sets. */
double paleo_kernel_model_footprint(const struct paleo_tile_product *g,
				    const struct paleo_tile_device *d, int operand_sets);

/* The number type whose presets of other GPUs a product's parameters start from: fp8 for
 * codes. */
static inline enum paleo_dtype paleo_kernel_model_told_by(const struct paleo_kernel_model *kernel,
							  enum paleo_dtype dtype)
{
	return kernel->cores ? PALEO_FP8 : dtype;
}

/* The device as the model sees it: without a cache when operand_sets is 0. EUNSUPPORTED as
 * paleo_tile_device_of(), where a processor needs no cache and no clock. */
int paleo_kernel_model_device(const struct paleo_kernel_model *kernel, const struct paleo_device *d,
			      enum paleo_dtype dtype, int operand_sets,
			      struct paleo_tile_device *out, struct paleo_error *err);

/* The total in seconds. The work is one that the model applies to. */
double paleo_kernel_model_time(const struct paleo_fitted_kernel *m,
			       const struct paleo_tile_device *d, const struct paleo_work *w);

/* A struct of parameters has room. */
#define PALEO_KERNEL_FITS(type)                                                                    \
	_Static_assert(sizeof(type) <= PALEO_KERNEL_VALUES_MAX * sizeof(double),                   \
		       "a fitted kernel has no room for " #type)

#endif
