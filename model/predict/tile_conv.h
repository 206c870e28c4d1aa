/* tile_conv.h - the time of a convolution on a GPU: the best of a library's algorithms. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_PREDICT_TILE_CONV_H
#define PALEO_MODEL_PREDICT_TILE_CONV_H

#include "model/predict/tile.h"

/*
 * Convolution algorithms, each modelled as GEMMs (tile.h) with the library's own rounding, and
 * mem(b) = b miss/(ppp_memory bandwidth) + b (1 - miss)/(ppp_cache 64 SM clock) for extra memory
 * traffic:
 *
 * implicit GEMM      m = n p q, n = k/groups, k = c/groups r s, in `groups` batches;
 *                    three tenths of the usual traffic of A, for neighbouring rows share
 *                    their inputs; splits up to 64
 * fused Winograd     3x3 stride 1: blocks of a images x b x c tiles of 2x2 results and 32
 *                    filters, each 32 x 32 x 16 multiply-adds for 8 channels a step
 * Winograd in steps  3x3 stride 1: 36 GEMMs of all tiles of 4x4 results, and three
 *                    transforms through memory
 * FFT                stride 1: 544 complex GEMMs of all tiles of 32x32, likewise
 *
 * The gradient of the data is the same with c and k, and the two images, swapped; a stride skips
 * some of its k r s terms: they are divided by (stride_h stride_w)^stride_share. There the second
 * implicit GEMM scatters: m = n p q, n = c/groups r s, k = k/groups, each result added to the
 * image. The gradient of the filter is the GEMMs' third form: m = k/groups, n = c/groups r s, k = n
 * p q; in steps and by FFT the sum is over tiles, and there is no fused Winograd. The library is
 * assumed to choose the fastest. On tensor cores there is only implicit GEMM, which does not
 * scatter, nor split the sums of windows but in the gradient of the filter, and NCHW images in f16
 * or bf16 are transposed before and after: cuDNN's first choices for a T4, an A100 and an H200 do
 * not use Winograd or FFT there, transpose nearly always, and split 24 of 293 windows forward, 23
 * of 173 in the gradient of the data (results/algorithms).
 */
enum paleo_conv_algorithm {
	PALEO_CONV_PRECOMP,  /* implicit GEMM with offsets computed before */
	PALEO_CONV_IMPLICIT, /* implicit GEMM */
	PALEO_CONV_WINOGRAD, /* fused, F(2x2, 3x3) */
	PALEO_CONV_NONFUSED, /* in steps, F(4x4, 3x3) */
	PALEO_CONV_FFT,
	PALEO_CONV_ALGORITHMS
};

/* Parameters of one algorithm; fields as in struct paleo_tile_params. */
struct paleo_conv_kernel {
	double ppp_compute, half_intensity, prologue_k, wave, half_accumulators, split_us;
	double extra_us; /* tl: launches and transforms in addition to the GEMMs */
};

struct paleo_conv_params {
	double launch_us, ppp_memory, cache_share, ppp_cache, sharpness, droop, droop_us;
	double stride_share; /* zs: of BWD_DATA with strides alone */
	struct paleo_conv_kernel kernels[PALEO_CONV_ALGORITHMS];
	double unpadded; /* 1: no padded GEMMs, as in the study */
};

/* Parameters fitted for convolutions; names are "winograd.ppp_compute", symbols "winograd.pc". Ends
 * with a NULL name. */
extern const struct paleo_parameter paleo_conv_parameters[];

enum {
	PALEO_CONV_PARAMETERS = 29
};

/* The table's start; fixed parameters are in the other fields. */
struct paleo_conv_params paleo_conv_params_init(void);

/* Shapes of blocks that the library has: masks, tiles numbered as in tile.h. */
struct paleo_conv_sets {
	unsigned implicit_tiles, nonfused_tiles; /* of tile.h */
	unsigned winograd_blocks;                /* of paleo_conv_block_name() */
};

enum {
	PALEO_CONV_BLOCKS = 6
};

/* "148" of block 0: images, rows and columns of tiles; NULL beyond the last. */
const char *paleo_conv_block_name(int block);

/* Name in libraries and tables: "implicit_precomp_gemm" ... */
const char *paleo_conv_algorithm_name(enum paleo_conv_algorithm a);

/*
 * Sizes of a pass needed by every algorithm, independent of the parameters. The gradient of the
 * data is a convolution of the result's gradient: inputs and outputs are swapped. That of the
 * filter sums over the images and positions of both.
 */
struct paleo_conv_job {
	enum paleo_pass pass;
	double images, in, out; /* channels that are read, and written or read as well */
	double rows, columns;   /* of the image that is tiled */
	double read_positions;  /* of the image that is read */
	double r, s, groups;
	double group_in, group_out; /* channels of a group, padded for tensor cores */
	double skipped;             /* stride_h stride_w */
	double element;             /* bytes */
	double in_bytes, out_bytes; /* of the two images */
	double bytes;               /* with the filters: each operand once */
	int turned;                 /* both images, from n, c, h, w to n, h, w, c or back */
	int plain;                  /* stride 1, no dilation, one group, no tensor cores */
};

/* For a finished CONV in pass FWD, BWD_DATA or BWD_FILTER, on a device of its dtype. */
struct paleo_conv_job paleo_conv_job_of(const struct paleo_tile_device *d,
					const struct paleo_op *w);

/* Seconds of an algorithm, in two parts that are added: launches, and the rest, for which limit_s
 * and *near are as in paleo_tile_kernel_near_s(); infinite where it does not apply. */
double paleo_conv_launches_s(const struct paleo_conv_params *p, enum paleo_conv_algorithm a);
double paleo_conv_kernels_s(const struct paleo_conv_params *p, const struct paleo_tile_device *d,
			    const struct paleo_conv_job *j, const struct paleo_conv_sets *sets,
			    enum paleo_conv_algorithm a, double limit_s,
			    struct paleo_tile_choice *near);

/* Seconds to move so many bytes by themselves, outside of a GEMM. */
double paleo_conv_move_s(const struct paleo_conv_params *p, const struct paleo_tile_device *d,
			 double bytes);

/*
 * Prices each algorithm, launch included, in seconds: infinite where it does not apply. `w` is a
 * finished CONV in pass FWD, BWD_DATA or BWD_FILTER, d of its dtype. Returns the fastest one, whose
 * time is finite.
 */
enum paleo_conv_algorithm paleo_conv_times(const struct paleo_conv_params *p,
					   const struct paleo_tile_device *d,
					   const struct paleo_op *w,
					   const struct paleo_conv_sets *sets,
					   double times_s[PALEO_CONV_ALGORITHMS]);

/* The same of one of them. */
double paleo_conv_algorithm_s(const struct paleo_conv_params *p, const struct paleo_tile_device *d,
			      const struct paleo_op *w, const struct paleo_conv_sets *sets,
			      enum paleo_conv_algorithm a);

/* The fastest one's time, without pricing the others to the end; `which` may be NULL. */
double paleo_conv_fastest_s(const struct paleo_conv_params *p, const struct paleo_tile_device *d,
			    const struct paleo_op *w, const struct paleo_conv_sets *sets,
			    enum paleo_conv_algorithm *which);

#endif
