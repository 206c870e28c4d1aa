/* ceiling.h - the most that a device does of something, measured: a list of named numbers. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_DEVICE_CEILING_H
#define PALEO_MODEL_DEVICE_CEILING_H

#include "model/device/device.h"

enum {
	PALEO_CEILINGS_MAX = 48
};

/*
 * One of them; a plain value. The names that have a meaning of their own:
 *   gemm_TYPE, fma_TYPE      FLOP/s of the best matrix product, of a loop of multiply-adds
 *   gemm_TYPE_zeros          the same on zeros, which a chip may compute faster
 *   copy, read, write, ...   B/s of the memory; a copy counts what is read and what is written
 *   read_l2, copy_l3, ...    B/s of a cache
 *   launch_graph, ...        s of one launch, of a fork and join of threads, ...
 */
struct paleo_ceiling {
	char name[32];
	char unit[8];  /* "FLOP/s", "B/s", "s" */
	double value;  /* the best of the samples: of seconds the least, else the largest */
	double spread; /* of the samples: quartile distance / median; NaN: fewer than four */
	char how[128]; /* "cublasLt, 8192^3, best of 8 algorithms, random inputs" */
};

struct paleo_ceilings {
	int count;
	struct paleo_ceiling items[PALEO_CEILINGS_MAX];
	int skipped;   /* how many could not be measured */
	char why[256]; /* the first of these and why, a sentence; "" if there is none */

	/* Called with each one as it is added, so that nothing is lost when the next one ends the
	 * process; what it returns, adding returns. NULL: no one is told. */
	int (*told)(const struct paleo_ceiling *c, void *listener, struct paleo_error *err);
	void *listener;
};

/* Adds what `n` >= 1 positive samples say, which are sorted in place. ENOMEM when the list is full.
 */
int paleo_ceilings_add(struct paleo_ceilings *list, const char *name, const char *unit,
		       double *samples, int n, const char *how, struct paleo_error *err);

/* Adds one as above. */
int paleo_ceilings_put(struct paleo_ceilings *list, const struct paleo_ceiling *c,
		       struct paleo_error *err);

/* Passes over what could not be measured for the reason `rc` and `err`: it is counted, and its
 * reason kept. PALEO_OK, so that the next one is measured; but ECRASH, after which nothing can be
 * measured by this process, is returned as it is. */
int paleo_ceilings_skip(struct paleo_ceilings *list, const char *name, int rc,
			const struct paleo_error *err);

/* The one with this name among `count`, or NULL. */
const struct paleo_ceiling *paleo_ceiling_find(const struct paleo_ceiling *items, int count,
					       const char *name);

/* The peaks of a device by its ceilings: for each number type the larger of gemm_TYPE and fma_TYPE,
 * and the largest of the memory's bytes a second; what has no ceiling stays as it is. Sets measured
 * and source if anything was taken. */
void paleo_ceilings_apply(const struct paleo_ceiling *items, int count, struct paleo_device *d);

#endif
