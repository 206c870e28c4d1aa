/* tile.h - the time of a GEMM on a GPU: the best of tiles and splits of its sums. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_PREDICT_TILE_H
#define PALEO_MODEL_PREDICT_TILE_H

#include <math.h>

#include "model/device/device.h"
#include "model/predict/parameter.h"

/*
 * A GEMM library has kernels that each compute the result in tiles
 * of TM x TN, one tile per block, and may split the sums over K among S blocks. The
 * cost model prices every candidate and takes the fastest, as the library's choice does.
 * For C[m,n] = A[m,k] B[k,n], `batch` times, on SM multiprocessors:
 *
 *   blocks = ceil(m/TM) ceil(n/TN) batch S,  w = blocks/SM,  w1 = max(w, 1)
 *   waves  = w1 + wave (max(ceil(w), 1) - w1)          the last wave is not full
 *   R      = min(TM TN w1, 32768)                      accumulators on one SM
 *   e_occ  = R/(R + half_accumulators) (32768 + half_accumulators)/32768
 *   I      = TM TN/(TM + TN),  e_tile = I/(I + half_intensity)
 *   Tc     = waves 2 TM TN (ceil(k/S) + prologue_k) / (peak/SM ppp_compute e_tile e_occ)
 *   Tc    *= 1 + 1.5 y/(1 + y)                                rows leave the TLB's reach:
 *            y = (k e/(4 tlb_k) m/(m + tlb_rows))^2
 *   Tc    *= 1 + droop Tc/(Tc + droop_us)                     power and clock of long work
 *   x      = foot/(cache_share L2),  miss = x^4/(1 + x^4)
 *   Tm     = (bytes miss + (S > 1: 8 S m n batch)) / (ppp_memory bandwidth)
 *   Tl     = (batch e k (m ceil(n/TN) + n ceil(m/TM)) + o batch m n)
 *            / (ppp_cache 64 SM clock min(w, 1))              L2 to the multiprocessors;
 *            where w < 1, m is at most TM r^2/(r + 1), r = ceil(m/TM), and n likewise: the GEMM
 *            may be padded by one more row or column of blocks
 *   T      = (Tc^q + Tm^q + Tl^q)^(1/q) + (S > 1: split_us),  q = sharpness
 *   t      = (launch_us^o + T^o)^(1/o),  o = overlap of launch and execution
 *
 * A split is a candidate only while ceil(k/S) >= 64. The form, its constants and the
 * priors come from a study of 1.46 million public measurements (docs/reference/kernels-gpu.md).
 */
struct paleo_tile_params {
	double launch_us;         /* t0: launch and dispatch, once */
	double ppp_compute;       /* pc: platform percent of peak, of a full machine */
	double prologue_k;        /* K0: start and end of a block, in steps of k */
	double half_accumulators; /* Ah: accumulators on an SM at which half the rate is reached */
	double ppp_memory;        /* pm: fraction of the memory's bandwidth */
	double cache_share;       /* cl2: usable fraction of the L2 */
	double ppp_cache;         /* pl2: L2 bandwidth over 64 bytes per SM and clock */
	double split_us;          /* tsk: penalty of a split */
	double droop;             /* th: how much slower sustained work gets */
	double tlb_k;             /* kc: k (of 4-byte elements) where rows leave the TLB's reach;
				     infinite: never */
	double tlb_rows;          /* mr: rows of A of which half that k is counted; 0: all */
	double ppp_quantise;      /* pq: fraction of the memory's bandwidth while A is quantised */
	double half_intensity;    /* Ih: intensity of a tile at which half the rate is reached */
	double wave;              /* alpha: cost of an unfilled last wave */
	double sharpness;         /* q: how well computing hides memory and L2 */
	double overlap;           /* o: how well launch and work hide each other; 1: not at all */
	double droop_us;          /* tau: computing after which half of the droop has come */
	double unpadded;          /* 1: no padded GEMMs, as in the study */
};

/* Parameters fitted for GEMMs (with few rows only the first ten), and the extra one of GEMMs whose
 * A is quantised first; ends with a NULL name. */
extern const struct paleo_parameter paleo_tile_parameters[];

/* Their places in the table. */
enum {
	PALEO_TILE_LAUNCH,
	PALEO_TILE_COMPUTE,
	PALEO_TILE_PROLOGUE,
	PALEO_TILE_ACCUMULATORS,
	PALEO_TILE_MEMORY,
	PALEO_TILE_SHARE,
	PALEO_TILE_CACHE,
	PALEO_TILE_SPLIT,
	PALEO_TILE_DROOP,
	PALEO_TILE_TLB,
	PALEO_TILE_ROWS,
	PALEO_TILE_INTENSITY,
	PALEO_TILE_WAVE,
	PALEO_TILE_SHARPNESS,
	PALEO_TILE_OVERLAP,
	PALEO_TILE_DROOP_US,
	PALEO_TILE_PARAMETERS,
	PALEO_TILE_QUANTISE = PALEO_TILE_PARAMETERS,
	PALEO_TILE_QUANTISED /* so many, with this one */
};

/* The table's start; a longer prologue for tensor cores: 200 steps for all but f32. */
struct paleo_tile_params paleo_tile_params_init(enum paleo_dtype dtype);

/* Device data for the cost model. */
struct paleo_tile_device {
	double flop_per_s;     /* dense peak of the dtype */
	double fp4_flop_per_s; /* of e2m1 by e2m1; 0: none */
	double fp8_flop_per_s, int8_flop_per_s;
	double mem_bytes_per_s, cache_bytes, clock_hz, sm_count;
	int tensor;               /* 1: that peak is of tensor or matrix cores */
	double vector_flop_per_s; /* f32 peak of the CUDA cores */
	/* The cost model does without these: presets are carried over by them. */
	double tdp_w;
	int compute_capability;
	enum paleo_dtype dtype;
};

/* EUNSUPPORTED when the device lacks one of these: the cost model is one of GPUs. */
int paleo_tile_device_of(const struct paleo_device *d, enum paleo_dtype dtype,
			 struct paleo_tile_device *out, struct paleo_error *err);

/*
 * Upper bound of the FLOP/s that a GPU's power sustains; 0: not known. By the datasheets, no card
 * of a generation does much more per joule than the data-centre card at its lower power, which
 * sustains two thirds of its tensor cores' peak. For Ada the reference is the RTX 6000, not a
 * Hopper card. The catalogue has none for Blackwell. Cards of 70 W have peaks that they keep for
 * milliseconds.
 */
double paleo_tile_power_flop_per_s(const struct paleo_tile_device *d);

/* One GEMM; sizes may be fractional where it models something else. */
struct paleo_tile_product {
	double m, n, k, batch;
	double element_bytes, result_bytes; /* of an element of the operands, of the result */
	double bytes;                       /* operands once, result once */
	double foot_bytes;                  /* touched between two uses of the same operand */
	double a_share;        /* of the traffic of A from the L2; 1 but for convolutions */
	double quantise_bytes; /* read and written to quantise A before; 0: nothing is */
	double launches;       /* of all those that launch_us is of: 1, less without quantising */
};

/* A plain GEMM: its bytes are counted, the footprint is these bytes. */
struct paleo_tile_product paleo_tile_product_of(double m, double n, double k, double batch,
						double element_bytes);

struct paleo_kernel_model;

/* The GEMM of an op, as this kernel model has it (NULL: as `tile`). In fp8 A was quantised and is
 * counted in e4m3; on cores for codes it was quantised to the weights' storage type. Where A comes
 * so, the launches of quantising it are left out: each kernel has an equal part. */
struct paleo_tile_product paleo_tile_product_of_op(const struct paleo_op *w,
						   const struct paleo_kernel_model *kernel);

/* Seconds of quantising A, before the GEMM: 0 where it is not quantised. */
double paleo_tile_quantise_s(const struct paleo_tile_params *p, const struct paleo_tile_device *d,
			     const struct paleo_tile_product *g);

/* Seconds of an op with its launch, `launches` of launch_us. */
double paleo_tile_launched_s(const struct paleo_tile_params *p, double launches, double op_s);

/* Tiles are numbered; a set is a mask of 1 << number. */
enum {
	PALEO_TILES = 13,
	PALEO_TILES_ALL = (1 << PALEO_TILES) - 1,
	PALEO_TILE_SPLIT_MAX = 16 /* of GEMMs; a power of two */
};

/* "128x64" of tile 5; NULL beyond the last. */
const char *paleo_tile_name(int tile);
/* Its rows and columns. */
void paleo_tile_size(int tile, double *rows, double *columns);
/* Index of a tile by name; -1 if there is none. */
int paleo_tile_find(const char *name);

/* The fastest candidate. */
struct paleo_tile_choice {
	double kernel_s;                     /* without the launch */
	double compute_s, memory_s, cache_s; /* Tc, Tm, Tl */
	int tile, split;
};

/*
 * Prices all candidates: tiles of a set that is not empty, splits 1, 2, 4 ...
 * split_max. Returns the kernel's time without launch_us, in seconds, > 0; `choice`
 * may be NULL.
 */
double paleo_tile_kernel_s(const struct paleo_tile_params *p, const struct paleo_tile_device *d,
			   const struct paleo_tile_product *g, unsigned tiles, int split_max,
			   struct paleo_tile_choice *choice);

/* The same, but infinite (and tile -1) where no candidate is faster than limit_s, > 0: stops early
 * when another cost model is already faster. The candidate in *choice is tried first, so that few
 * others need pricing; tile -1: none. The result is the same. */
double paleo_tile_kernel_near_s(const struct paleo_tile_params *p,
				const struct paleo_tile_device *d,
				const struct paleo_tile_product *g, unsigned tiles, int split_max,
				double limit_s, struct paleo_tile_choice *choice);

/* Sensitivity of the time t of a GEMM with its launch to each parameter while its candidate, priced
 * with these, stays the fastest: d log t / d log parameter. */
void paleo_tile_slopes(const struct paleo_tile_params *p, const struct paleo_tile_device *d,
		       const struct paleo_tile_product *g, const struct paleo_tile_choice *of,
		       double slope[PALEO_TILE_QUANTISED]);

/* A bound that exceeds a limit by this factor does so despite rounding. */
#define PALEO_TILE_SURELY (1 + 1e-9)

/* Fraction of `bytes` that miss a cache of which ones uses cache_share: 0 to 1. */
static inline double paleo_tile_miss(const struct paleo_tile_params *p,
				     const struct paleo_tile_device *d, double bytes)
{
	double x = bytes / (p->cache_share * d->cache_bytes);
	double x4 = x * x * x * x;

	return x4 < INFINITY ? x4 / (1 + x4) : 1;
}

#endif
