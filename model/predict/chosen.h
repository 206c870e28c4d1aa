/* chosen.h - what a library would run for convolutions, from a file of `paleo algorithms`. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_PREDICT_CHOSEN_H
#define PALEO_MODEL_PREDICT_CHOSEN_H

#include "model/work/algorithm.h"
#include "model/work/work.h"

/* How a convolution is computed, as far as the library's notes and its workspace tell. */
enum paleo_method {
	PALEO_METHOD_IMPLICIT,       /* a product whose matrix of patches is nowhere written */
	PALEO_METHOD_EXPLICIT,       /* the workspace has room for that matrix */
	PALEO_METHOD_TRANSPOSED,     /* tensor cores, with both images in another order */
	PALEO_METHOD_WINOGRAD,       /* fused: only filters are transformed beforehand */
	PALEO_METHOD_WINOGRAD_STEPS, /* the workspace has room for the transformed images */
	PALEO_METHOD_FFT,
	PALEO_METHODS
};

/* "implicit", "winograd in steps" ... */
const char *paleo_method_name(enum paleo_method method);

/* What an algorithm changes of the work's operations and bytes; a plain value. */
struct paleo_method_cost {
	enum paleo_method method;
	double fewer_flops; /* the work's FLOPs are divided by this: 2.25 for Winograd's F(2x2, 3x3)
			     */
	double more_bytes;  /* written and read again in the workspace, beside the work's */
};

/*
 * Of a CONV work. Winograd with input tiles of t x t pixels (the notes' winograd_4x4: t =
 * 4) gives (t - r + 1) x (t - s + 1) results from t x t products, so it divides the FLOPs by
 * (t - r + 1) (t - s + 1) r s / t^2 (Lavin and Gray 2016); its transforms are not counted, nor what
 * an FFT saves. All of the workspace is taken to be written once and read once.
 */
struct paleo_method_cost paleo_method_cost(const struct paleo_work *w,
					   const struct paleo_algorithm *a);

/* The work as this algorithm does it: fewer FLOPs, more bytes. */
struct paleo_work paleo_method_work(const struct paleo_work *w,
				    const struct paleo_method_cost *cost);

/* A file's answers. */
struct paleo_chosen;

/* Reads a file of JSON lines, schema paleo-algorithms/1, plain or packed by gzip, of at most
 * 64 MB of text. EIO, EINPUT with the line, ENOMEM. *out is owned: paleo_chosen_free(). */
int paleo_chosen_load(const char *path, struct paleo_chosen **out, struct paleo_error *err);
void paleo_chosen_free(struct paleo_chosen *c); /* NULL allowed */

/* The library's first choice for this work, or NULL. */
const struct paleo_algorithm *paleo_chosen_find(const struct paleo_chosen *c,
						const struct paleo_work *w);

/* Who was asked: "h200", "cudnn 9.19.0, no driver". */
const char *paleo_chosen_device(const struct paleo_chosen *c);
const char *paleo_chosen_library(const struct paleo_chosen *c);

/* 1 if a device of this name is the one that was asked: "a100-80-sxm" is an "a100". */
int paleo_chosen_is_for(const struct paleo_chosen *c, const char *device);

#endif
