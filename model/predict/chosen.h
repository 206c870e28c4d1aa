/* chosen.h - a library's algorithms for convolutions, from a file of `paleo algorithms`. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_PREDICT_CHOSEN_H
#define PALEO_MODEL_PREDICT_CHOSEN_H

#include "model/op/op.h"

/* Method of computing a convolution, as far as the library's notes and workspace show. */
enum paleo_method {
	PALEO_METHOD_IMPLICIT,       /* a GEMM whose matrix of patches is never written */
	PALEO_METHOD_EXPLICIT,       /* the workspace has room for that matrix */
	PALEO_METHOD_TRANSPOSED,     /* tensor cores, with both images in another order */
	PALEO_METHOD_WINOGRAD,       /* fused: only filters are transformed beforehand */
	PALEO_METHOD_WINOGRAD_STEPS, /* the workspace has room for the transformed images */
	PALEO_METHOD_FFT,
	PALEO_METHODS
};

/* "implicit", "winograd in steps" ... */
const char *paleo_method_name(enum paleo_method method);

/* Effect of an algorithm on the op's operations and bytes; a plain value. */
struct paleo_method_cost {
	enum paleo_method method;
	double fewer_flops; /* the op's FLOPs are divided by this: 2.25 for Winograd's F(2x2, 3x3)
			     */
	double more_bytes;  /* written and read again in the workspace, in addition to the op's */
	int on_cuda_cores;  /* 1: the notes name no tensor cores */
};

/*
 * For a CONV op. Winograd with input tiles of t x t pixels (the notes' winograd_4x4: t = 4) gives
 * (t - r + 1) x (t - s + 1) results from t x t multiplications, so it divides the FLOPs by (t - r +
 * 1) (t - s + 1) r s / t^2 (Lavin and Gray 2016); its transforms are not counted, nor are savings
 * by an FFT. The whole workspace is assumed to be written once and read once.
 */
struct paleo_method_cost paleo_method_cost(const struct paleo_op *w,
					   const struct paleo_algorithm *a);

/* The op as this algorithm does it: fewer FLOPs, more bytes. */
struct paleo_op paleo_method_op(const struct paleo_op *w, const struct paleo_method_cost *cost);

/* An op of a network, and the library's first choice for it. */
struct paleo_answer {
	struct paleo_op op;
	struct paleo_algorithm first;
	char net[64], layer[96]; /* the first layer with this op */
	int layers;              /* rows of the network with it */
	int is_empty;            /* 1: the library has no algorithm for it */
};

/* A file's answers. */
struct paleo_chosen;

/* Reads a file of JSON lines, schema paleo-algorithms/2, plain or packed by gzip, of at most
 * 64 MB of text. EIO, EINPUT with the line, ENOMEM. *out is owned: paleo_chosen_free(). */
int paleo_chosen_load(const char *path, struct paleo_chosen **out, struct paleo_error *err);
void paleo_chosen_free(struct paleo_chosen *c); /* NULL allowed */

/* The same from `size` bytes of text; `name` is the file's name in messages. */
int paleo_chosen_parse(const char *name, const char *text, size_t size, struct paleo_chosen **out,
		       struct paleo_error *err);

/* 1 in *is if the file's first line has the schema. EIO. */
int paleo_chosen_is(const char *path, int *is, struct paleo_error *err);

/* All of them, in the order of the file: its networks one after the other. */
const struct paleo_answer *paleo_chosen_answers(const struct paleo_chosen *c, int *count);

/* The library's first choice for this op, or NULL. */
const struct paleo_algorithm *paleo_chosen_find(const struct paleo_chosen *c,
						const struct paleo_op *w);

/* Device and library that answered: "h200", "cudnn 9.19.0, no driver". */
const char *paleo_chosen_device(const struct paleo_chosen *c);
const char *paleo_chosen_library(const struct paleo_chosen *c);
const char *paleo_chosen_title(const struct paleo_chosen *c); /* "NVIDIA H200 SXM 141 GB" */

/* 1 if a device of this name is the one that was asked: "a100-80-sxm" is an "a100". */
int paleo_chosen_is_for(const struct paleo_chosen *c, const char *device);

#endif
