/* tile.h - the time of a matrix product on a GPU: the best of tiles and splits of its sums. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_PREDICT_TILE_H
#define PALEO_MODEL_PREDICT_TILE_H

#include <math.h>

#include "model/device/device.h"
#include "model/predict/parameter.h"

/*
 * A library of matrix products has kernels that each compute the result in tiles
 * of TM x TN, one tile per block, and may split the sums over K among S blocks. The
 * law prices every candidate and takes the fastest, as the library's choice does.
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
 *            where w < 1, m is at most TM r^2/(r + 1), r = ceil(m/TM), and n likewise: the product
 *            may be run padded, in one more row or column of blocks
 *   T      = (Tc^q + Tm^q + Tl^q)^(1/q) + (S > 1: split_us),  q = sharpness
 *   t      = (launch_us^o + T^o)^(1/o),  o = overlap: what dispatch and work hide of each other
 *
 * A split is a candidate only while ceil(k/S) >= 64. The form, its constants and the
 * priors come from a study of 1.46 million public measurements (docs/reference/law.md).
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
	double unpadded;          /* 1: no product is run padded, as the study has it */
};

/* Those that a fit of matrix products moves, of which few rows tell the first ten alone, and the
 * one that those have besides whose A is quantised first; ends with a NULL name. */
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

/* What the law wants to know of a device. */
struct paleo_tile_device {
	double flop_per_s;     /* dense peak of the number type */
	double fp4_flop_per_s; /* of e2m1 by e2m1; 0: none */
	double fp8_flop_per_s, int8_flop_per_s;
	double mem_bytes_per_s, cache_bytes, clock_hz, sm_count;
	int tensor;               /* 1: that peak is of tensor or matrix cores */
	double vector_flop_per_s; /* f32 peak, of the units that are no tensor cores */
	/* The law does without these: presets are carried over by them. */
	double tdp_w;
	int compute_capability;
	enum paleo_dtype dtype;
};

/* EUNSUPPORTED when the device lacks one of these: the law is one of GPUs. */
int paleo_tile_device_of(const struct paleo_device *d, enum paleo_dtype dtype,
			 struct paleo_tile_device *out, struct paleo_error *err);

/*
 * FLOP per second of what a GPU's power lets it sustain, at most; 0: not known. Of all cards of a
 * generation none does much more per joule than the one for computing centres at its lower power,
 * as the datasheets have both; of the tensor cores' peak that one keeps two thirds. Those of Ada
 * are not Hopper's: there the RTX 6000 is the one. The catalogue has none such of Blackwell. Cards
 * of 70 W have peaks that they keep for milliseconds.
 */
double paleo_tile_power_flop_per_s(const struct paleo_tile_device *d);

/* One product; sizes may be fractions where they stand for something else. */
struct paleo_tile_product {
	double m, n, k, batch;
	double element_bytes, result_bytes; /* of an element of the operands, of the result */
	double bytes;                       /* operands once, result once */
	double foot_bytes;                  /* touched between two uses of the same operand */
	double a_share;        /* of the traffic of A from the L2; 1 but for convolutions */
	double quantise_bytes; /* read and written to quantise A before; 0: nothing is */
};

/* A plain product: bytes are counted, the footprint is these bytes. */
struct paleo_tile_product paleo_tile_product_of(double m, double n, double k, double batch,
						double element_bytes);

/* That of a work, a GEMM. In fp8 A, which is counted in e4m3 here, was quantised; with `as_codes`
 * it was to what the weights are stored in. */
struct paleo_tile_product paleo_tile_product_of_work(const struct paleo_work *w, int as_codes);

/* Seconds of quantising A, before the product: 0 where that has none to do. */
double paleo_tile_quantise_s(const struct paleo_tile_params *p, const struct paleo_tile_device *d,
			     const struct paleo_tile_product *g);

/* Seconds of a work with its launch. */
double paleo_tile_launched_s(const struct paleo_tile_params *p, double work_s);

/* Tiles are numbered; a set is a mask of 1 << number. */
enum {
	PALEO_TILES = 13,
	PALEO_TILES_ALL = (1 << PALEO_TILES) - 1,
	PALEO_TILE_SPLIT_MAX = 16 /* of products; a power of two */
};

/* "128x64" of tile 5; NULL beyond the last. */
const char *paleo_tile_name(int tile);
/* Its rows and columns. */
void paleo_tile_size(int tile, double *rows, double *columns);
/* Its number; -1 if there is no such tile. */
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

/* The same, but infinite (and tile -1) where no candidate is faster than limit_s, > 0: what another
 * law does in that time need not be priced to the end. The candidate that *choice names is tried
 * first, after which few of the others are: -1 for its tile says none. The answer is the same. */
double paleo_tile_kernel_near_s(const struct paleo_tile_params *p,
				const struct paleo_tile_device *d,
				const struct paleo_tile_product *g, unsigned tiles, int split_max,
				double limit_s, struct paleo_tile_choice *choice);

/* How the time t of a product with its launch follows each parameter while its candidate, priced
 * with these, stays the fastest: d log t / d log parameter. */
void paleo_tile_slopes(const struct paleo_tile_params *p, const struct paleo_tile_device *d,
		       const struct paleo_tile_product *g, const struct paleo_tile_choice *of,
		       double slope[PALEO_TILE_QUANTISED]);

/* A bound that is past a limit by this factor stays so whatever rounding does. */
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
