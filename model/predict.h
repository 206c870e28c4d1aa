/* predict.h - calibration factors, and the time they predict for a work. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_PREDICT_H
#define PALEO_MODEL_PREDICT_H

#include "model/device.h"
#include "model/work.h"

/*
 * The law, for one work (after Qi, Sparks, Talwalkar 2017, with their platform
 * percent of peak split in two and a constant added):
 *
 *   compute  = flops / (peak(dtype) * ppp_compute)
 *   memory   = (read_bytes + write_bytes) / (bandwidth * ppp_memory)
 *   time     = overhead + (compute^v + memory^v)^(1/v)      v = overlap
 *
 * overlap 1 adds the two, as the paper does; large values take the larger one, as
 * a roofline does.
 */
struct paleo_factor {
	char class_name[32]; /* paleo_work_class() */
	enum paleo_pass pass;
	enum paleo_dtype dtype;
	double ppp_compute; /* fraction of peak, (0, 2] */
	double ppp_memory;  /* fraction of peak bandwidth, (0, 16]: caches may beat the memory */
	double overhead_s;  /* >= 0 */
	double overlap;     /* [1, 16] */
	/* How well it is known: standard errors of the logarithms. NaN: the records cannot tell
	 * this factor, and it stands at its prior. */
	double se_ppp_compute, se_ppp_memory, se_overhead;
	int records; /* fitted to so many; 0: a default, not fitted */
	/* Relative error on works held out of the fit; NaN if none were. */
	double heldout_median, heldout_mean, heldout_p90;
	double ratio_low, ratio_high; /* 5 % and 95 % quantile of measured / predicted, held out */
};

#define PALEO_FACTORS_MAX 4096

struct paleo_calibration {
	struct paleo_device device;
	char backend[16];             /* which backend measured; "" for datasheet defaults */
	char versions[256];           /* of the vendor's libraries and driver */
	char mode[16];                /* cache state the records were measured in: "cold", "hot" */
	char created_utc[32];         /* ISO 8601 */
	int threads;                  /* of a CPU backend; 0 otherwise */
	int records;                  /* fitted to so many in all */
	struct paleo_factor *factors; /* owned */
	int count;
};

/*
 * The default when nothing was measured: every class at the given PPP on the
 * datasheet's peaks, no overhead, overlap 1. PPP 1 gives the fastest time the
 * datasheet allows. 0 < ppp <= 2.
 */
int paleo_calibration_datasheet(const struct paleo_device *d, double ppp_compute, double ppp_memory,
				struct paleo_calibration *out, struct paleo_error *err);
void paleo_calibration_release(struct paleo_calibration *c); /* frees what it owns; NULL allowed */

enum paleo_bound {
	PALEO_BOUND_COMPUTE,
	PALEO_BOUND_MEMORY,
	PALEO_BOUND_OVERHEAD
};

struct paleo_prediction {
	double compute_s, memory_s, overhead_s;
	double total_s;
	double low_s, high_s;              /* 90 % interval; NaN without held-out works */
	enum paleo_bound bound;            /* the largest part */
	const struct paleo_factor *factor; /* what was used; borrowed from the calibration */
	int exact; /* 1: a factor of this very class, pass and dtype; 0: the nearest there was */
};

/*
 * Predicts one work. A class that the calibration does not have is predicted by
 * the nearest factor it has: same class in another pass, same kind, any; `exact`
 * says so. EUNSUPPORTED when the device has no peak for the number type.
 */
int paleo_predict_work(const struct paleo_calibration *c, const struct paleo_work *w,
		       struct paleo_prediction *out, struct paleo_error *err);

const char *paleo_bound_name(enum paleo_bound bound); /* "compute" "memory" "overhead" */

#endif
