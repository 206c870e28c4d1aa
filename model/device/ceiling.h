/* ceiling.h - the most that a device does of something, measured: a list of named numbers. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_DEVICE_CEILING_H
#define PALEO_MODEL_DEVICE_CEILING_H

#include "model/device/device.h"

enum {
	PALEO_CEILINGS_MAX = 48
};

/*
 * One ceiling; a plain value. Reserved names:
 *   gemm_TYPE, fma_TYPE      FLOP/s of the best GEMM, of a loop of multiply-adds
 *   gemm_TYPE_zeros          the same on zeros, which a chip may compute faster
 *   copy, read, write, ...   B/s of the memory; a copy counts bytes read and written
 *   read_l2, copy_l3, ...    B/s of a cache
 *   launch_graph, ...        s of one launch, of a fork and join of threads, ...
 */
struct paleo_ceiling {
	char name[32];
	char unit[8];  /* "FLOP/s", "B/s", "s" */
	double value;  /* the best of the samples: of seconds the least, else the largest */
	double spread; /* of the samples: quartile distance / median; NaN: fewer than four */
	char how[128]; /* "cublasLt, 8192^3, best of 8 algorithms, random inputs" */
	char regime[PALEO_REGIME_MAX]; /* "burst", "sustained"; "" as "burst" */
};

struct paleo_ceilings {
	enum paleo_regime regime; /* ops regime of the next ceilings: sustained needs a sustained
				     load before */
	int count;
	struct paleo_ceiling items[PALEO_CEILINGS_MAX];
	int skipped;   /* how many could not be measured */
	char why[256]; /* the first skipped one and the reason, a sentence; "" if none */

	/* Called for each ceiling as it is added, so that none is lost when a later one ends the
	 * process; its status is returned. NULL: no callback. */
	int (*on_add)(const struct paleo_ceiling *c, void *listener, struct paleo_error *err);
	void *listener;
};

/* Adds a ceiling from `n` >= 1 positive samples, which are sorted in place. ENOMEM when the list is
 * full. */
int paleo_ceilings_add(struct paleo_ceilings *list, const char *name, const char *unit,
		       double *samples, int n, const char *how, struct paleo_error *err);

/* Adds one as above. */
int paleo_ceilings_put(struct paleo_ceilings *list, const struct paleo_ceiling *c,
		       struct paleo_error *err);

/* Skips a ceiling that could not be measured for the reason `rc` and `err`: it is counted, and its
 * reason kept. Returns PALEO_OK, so that the next one is measured; only ECRASH, after which this
 * process cannot measure anything, is returned. */
int paleo_ceilings_skip(struct paleo_ceilings *list, const char *name, int rc,
			const struct paleo_error *err);

/* The one with this name among `count`, or NULL. */
const struct paleo_ceiling *paleo_ceiling_find(const struct paleo_ceiling *items, int count,
					       const char *name);

/* Sets the peaks of a device from its ceilings, sustained ones excepted: for each dtype the larger
 * of gemm_TYPE and fma_TYPE, and the largest memory bandwidth; values without a ceiling are
 * unchanged. Sets measured and source if anything was taken. */
void paleo_ceilings_apply(const struct paleo_ceiling *items, int count, struct paleo_device *d);

#endif
