/* frame.h - the argument of a kernel: pointers and geometry; compiled for host and device. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_BACKENDS_CUDA_KERNELS_FRAME_H
#define PALEO_BENCH_BACKENDS_CUDA_KERNELS_FRAME_H

/* Threads of every block; a power of two. */
#define PALEO_KERNEL_THREADS 256

/* Bytes that a thread of an element-wise kernel reads at once. */
#define PALEO_PACK_BYTES 16

/* Threads that hand values to one another without a barrier. */
#define PALEO_WARP 32

/* Packs of a row that a thread of pack_row_* keeps in registers. */
#define PALEO_ROW_PACKS 4

/* The most parts of a copy. */
#define PALEO_PARTS_MAX 128

/*
 * Every kernel takes one frame by value. A tensor that the op lacks is NULL; a kernel uses the
 * fields it needs and ignores the others. Plain types only: the device's compiler has no headers.
 */
struct paleo_frame {
	/* Tensors of the op's dtype, by role; of norm all but x, y, dx, dy are float. */
	void *x, *w, *bias, *y, *dy, *dx, *dw, *dbias, *scale, *shift, *dscale, *dshift;
	void *more;                     /* the second of two: of x, or of dy where that has two */
	void *sum;                      /* the second y */
	void *mask;                     /* bytes */
	const int *index;               /* rows of a table, classes */
	const float *angles;            /* cosines and sines */
	const void *k, *v, *fresh;      /* attention: keys, values, new ones of both */
	void *keys, *values, *appended; /* its cache; the appended rows */
	void *master; /* optimiser: f32 weights, of which w is the rounded copy; f32: none */
	void *state1, *state2; /* optimiser: float; norm: float, mean and 1/deviation */
	float *workspace;

	long long count;    /* elements to go through */
	long long distance; /* elements from one tensor of x (or dx) to the next */
	int tensors;        /* how many of these */
	long long small;    /* elements of w, which is repeated */

	/* A tensor [n, c, in_h, in_w], or [n, c, out_h, out_w] after a window. From one pixel to
	 * the next there are pixel_step elements: 1, or c where channels are innermost. */
	int n, c, in_h, in_w, out_h, out_w;
	int pixel_step;
	int r, s, stride_h, stride_w, pad_t, pad_l;
	int scale_h, scale_w; /* up-sampling */
	int whole_window;     /* average over r * s, not over the pixels inside */
	int per_row;          /* statistics over c at each n, h, w; else per channel */
	int centred;          /* the mean is subtracted */
	int splits;           /* of a channel's sum, of a row */
	int lanes;            /* threads of a row or of a part of it, a power of two */
	int in_place;         /* in place: x is y */

	/* Attention: of n sequences out_h queries and in_h keys, c heads of in_w numbers; kv_heads
	 * of keys, with values of out_w, which is 0 where these are a part of the keys. */
	int kv_heads;
	int rope; /* the last numbers of a head, which are rotated */

	/* Experts: n tokens of c numbers go to topk experts each; locals of these are here. */
	int topk, locals;
	const float *gate;
	void *inner, *between; /* results of the first GEMMs, operands of the second */

	int turned;       /* the step reads rows of tokens: x is dx */
	int from_between; /* it reads the operands of experts' second GEMMs: x is between */

	/* Numbers that share scales in blocks: weights [n, c]. */
	int block_rows, block_columns;
	int blocks;    /* of a row */
	int code_bits; /* 8: e4m3, 4: e2m1 */

	unsigned stream;   /* fill.h */
	float factor;      /* of values filled in; of a row's result or gradient */
	int second_moment; /* fill: |v| + 2^-10 */
	int wide;          /* fill: x is float in every dtype */
	int in_turn;       /* fill: an index counts, and begins again at its limit */
	unsigned limit;    /* of an index */
};

/* Second argument of join and split: the tensors' addresses. They move units of 16, 8, 4 or 2
 * bytes, of which all widths and addresses are multiples. */
struct paleo_parts {
	char *whole; /* rows of row_units */
	long long rows;
	int count;
	int unit_bytes, row_units;
	int start[PALEO_PARTS_MAX], units[PALEO_PARTS_MAX]; /* in a row of the whole */
	char *part[PALEO_PARTS_MAX];                        /* rows of its units */
};

#endif
