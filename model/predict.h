/* predict.h - calibration factors, and the time they predict for a work. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_PREDICT_H
#define PALEO_MODEL_PREDICT_H

#include <stdint.h>

#include "model/device.h"
#include "model/laws/forms.h"
#include "model/laws/residual.h"
#include "model/program.h"
#include "model/work.h"

/*
 * The law, for one work (after Qi, Sparks, Talwalkar 2017, with their platform
 * percent of peak split in two and a constant added):
 *
 *   compute  = flops / (peak(dtype) * ppp_compute * e)
 *   memory   = (read_bytes + write_bytes) / (bandwidth * ppp_memory)
 *   time     = overhead + (compute^v + memory^v)^(1/v)      v = overlap
 *
 * overlap 1 adds the two, as the paper does; large values take the larger one, as
 * a roofline does.
 *
 * e is 1 but for products of matrices, convolutions among them, which run slower
 * when they are thin:
 *
 *   e = depth/(depth + half_depth) * width/(width + half_width)
 *
 * depth is how many terms one sum has: c/groups*r*s of a forward convolution,
 * k/groups*r*s of BWD_DATA, n*p*q of BWD_FILTER, k of a gemm. width is how many
 * results share an input: k/groups, c/groups, the smaller of k/groups and
 * c/groups*r*s; the smaller of m and n of a gemm.
 */

enum {
	PALEO_BANDS_MAX = 5,
	PALEO_FACTOR_PARAMETERS = 5 /* that a fit moves */
};

/* Prediction intervals of works that are predicted to take from_s or longer: quantiles of measured
 * / predicted, held out. */
struct paleo_band {
	double from_s;
	double low90, high90; /* 5 % and 95 % */
	double low50, high50; /* 25 % and 75 % */
};

struct paleo_factor {
	char class_name[32]; /* paleo_work_class(), or PALEO_CLASS_ANY */
	enum paleo_pass pass;
	enum paleo_dtype dtype;
	double ppp_compute; /* fraction of peak, (0, 2] */
	double ppp_memory;  /* fraction of peak bandwidth, (0, 16]: caches may beat the memory */
	double overhead_s;  /* >= 0 */
	double overlap;     /* [1, 16] */
	double half_depth;  /* depth of a sum at which half the rate is reached; 0: no loss */
	double half_width;  /* the same for the width; 0: no loss */
	/* How well it is known: standard errors of the logarithms. NaN: the records cannot tell
	 * this factor; it stands at its prior, or at a limit that they set. */
	double se_ppp_compute, se_ppp_memory, se_overhead, se_half_depth, se_half_width;
	/* The same number, from 1: the records cannot tell these from one another; by
	 * enum paleo_law_parameter of law.h. */
	unsigned char together[PALEO_FACTOR_PARAMETERS];
	int records; /* fitted to so many; 0: a default, not fitted */
	/* Relative error on works held out of the fit; NaN if none were. */
	double heldout_median, heldout_mean, heldout_p90;
	double ratio_low, ratio_high; /* 5 % and 95 % quantile of measured / predicted, held out */
	/* The intervals by predicted time, from_s ascending; none: ratio_low and ratio_high are for
	 * all, and there is no 50 % interval. */
	struct paleo_band bands[PALEO_BANDS_MAX];
	int band_count;
	/* How much two held-out errors of similar works go together: 0 not at all, 1 wholly; NaN:
	 * not known, and taken as 1. */
	double correlation;
	/* The same of works of different factors of one kind and number type; NaN: not known, and
	 * taken as 0. */
	double kind_correlation;
	/* The paper's one percentage of the peak, as a fraction, on the same records: (flops/peak +
	 * bytes/bandwidth)/time. NaN: not known. */
	double ppp;
	struct paleo_form_model *model; /* owned by the calibration; NULL: the law above. With it,
					   the numbers above are those of the law above on the
					   same records, and are not used. */
	struct paleo_residual residual; /* owned by the calibration; corrects whichever law */
};

/* The parameters that a factor goes by, its form's or its own: the number of them, the name of one,
 * and which stand for one another (as `together` above). */
int paleo_factor_parameters(const struct paleo_factor *f);
const char *paleo_factor_parameter_name(const struct paleo_factor *f, int i);
const unsigned char *paleo_factor_together(const struct paleo_factor *f);

/* What a whole pass takes over the sum of its works timed alone. */
struct paleo_pass_correction {
	enum paleo_extent extent;
	enum paleo_dtype dtype;
	enum paleo_layout layout;
	int fused;     /* 1: works as at inference */
	double factor; /* whole pass / sum: below 1 where caches stay warm, above where layouts
			* change or launches leave gaps */
	/* Of a step: factor is that of its forward and backward works, and this that of its
	 * updates, after which a library may lay out the new weights again. 0: as factor. */
	double update_factor;
	double spread; /* standard deviation of the nets' log(whole / sum); NaN: one net */
	int nets;      /* fitted to so many */
};

enum {
	PALEO_PASS_CORRECTIONS_MAX = PALEO_EXTENTS * PALEO_DTYPES * PALEO_LAYOUTS * 2
};

#define PALEO_FACTORS_MAX 4096
#define PALEO_CLASS_ANY "any"

struct paleo_calibration {
	struct paleo_device device;
	char backend[16];     /* which backend measured; "" for datasheet defaults */
	char versions[256];   /* of the vendor's libraries and driver */
	char mode[16];        /* cache state the records were measured in: "cold", "hot" */
	char method[16];      /* "": fitted to records; "presets": to other people's */
	char created_utc[32]; /* ISO 8601 */
	/* The middle of what records say of the device's speed beside them; predictions are for
	 * such moments. 0: not known. */
	double pace_flop_per_s, pace_bytes_per_s;
	int threads;                  /* of a CPU backend; 0 otherwise */
	int records;                  /* fitted to so many in all */
	struct paleo_factor *factors; /* owned */
	int count;
	struct paleo_pass_correction passes[PALEO_PASS_CORRECTIONS_MAX];
	int pass_count;
	uint64_t *seen; /* paleo_work_hash() of the fitted works, ascending; owned */
	int seen_count; /* 0: not known */
};

/* 64 bits of a work's key (FNV-1a, Fowler, Noll and Vo): tells whether a calibration saw it. */
uint64_t paleo_work_hash(const struct paleo_work *w);

/* The correction with the extent, number type, layout and fusion of `like`, or NULL. */
const struct paleo_pass_correction *
paleo_calibration_pass(const struct paleo_calibration *c, const struct paleo_pass_correction *like);

/* What a pass takes whose forward and backward works add up to `layers_s`, its updates to
 * `updates_s`. */
double paleo_pass_time(const struct paleo_pass_correction *c, double layers_s, double updates_s);

/* 1 if this work was among those the calibration was fitted to. */
int paleo_calibration_saw(const struct paleo_calibration *c, const struct paleo_work *w);

/*
 * The default when nothing was measured: every class at the given PPP on the
 * datasheet's peaks, no overhead, overlap 1. PPP 1 gives the fastest time the
 * datasheet allows. 0 < ppp <= 2. It has one factor, of the class "any".
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
	double low50_s, high50_s;          /* 50 % interval; NaN likewise */
	enum paleo_bound bound;            /* the largest part */
	const struct paleo_factor *factor; /* what was used; borrowed from the calibration */
	int exact; /* 1: a factor of this very class, pass and dtype; 0: the nearest there was */
};

/*
 * Predicts one work. A class that the calibration does not have is predicted by
 * the nearest factor it has: same class in another pass, then another number type,
 * same kind, any; `exact` says so, and there is no interval then. EUNSUPPORTED when
 * the device has no peak for the number type, or no bandwidth.
 */
int paleo_predict_work(const struct paleo_calibration *c, const struct paleo_work *w,
		       struct paleo_prediction *out, struct paleo_error *err);

/* The same on a device that takes `factor` times as long for this work, intervals included. */
void paleo_prediction_scale(struct paleo_prediction *p, double factor);

/* A factor's intervals for what is predicted to take total_s; NaN where it has none. */
struct paleo_band paleo_factor_band(const struct paleo_factor *f, double total_s);

/* What a prediction makes of the way in which a library is known to compute a convolution. */
enum paleo_method_use {
	PALEO_METHOD_UNUSED,    /* nothing: the factor's times are of whatever the library ran */
	PALEO_METHOD_ON_PEAKS,  /* the datasheet's, for its FLOPs and bytes */
	PALEO_METHOD_BY_THE_LAW /* the time of that algorithm under the factor's form */
};

/*
 * Predicts a convolution that a library computes in this way. Without a fit its FLOPs and bytes
 * change; a form that has the algorithm prices it. If that is not what the form itself
 * would take, there is no correction near measured works, and no interval: both are of its own
 * choice. *use says which; as paleo_predict_work() else.
 */
int paleo_predict_method(const struct paleo_calibration *c, const struct paleo_work *w,
			 const struct paleo_method_cost *how, struct paleo_prediction *out,
			 enum paleo_method_use *use, struct paleo_error *err);

/* The sum of many predictions. */
struct paleo_prediction_sum {
	double compute_s, memory_s, overhead_s, total_s;
	double low_s, high_s;     /* 90 % interval; NaN when one of them has none */
	double low50_s, high50_s; /* 50 % interval; likewise */
	int count;
};

/*
 * Adds up predictions of one calibration. Predictions of the same time by the same
 * factor are taken for the same work, whose errors are one: half-widths are added.
 * Different works of one factor err together by its correlation r:
 * H^2 = r (sum h)^2 + (1 - r) sum h^2; factors of one kind and number type, which stand together
 * in a calibration, by their kind_correlation q: q (sum H)^2 + (1 - q) sum H^2. Kinds err apart.
 * The 50 % interval of several is at least the share 0.41 of the 90 % one, as in a normal
 * distribution. ENOMEM.
 */
int paleo_prediction_add_up(const struct paleo_prediction *p, int count,
			    struct paleo_prediction_sum *out, struct paleo_error *err);

const char *paleo_bound_name(enum paleo_bound bound); /* "compute" "memory" "overhead" */

#endif
