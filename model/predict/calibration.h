/* calibration.h - a calibration: cost model factors per op class, and their sources. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_PREDICT_CALIBRATION_H
#define PALEO_MODEL_PREDICT_CALIBRATION_H

#include <stdint.h>

#include "base/json.h"
#include "model/device/backends.h"
#include "model/device/device.h"
#include "model/net/graph.h"
#include "model/op/op.h"
#include "model/predict/kernel_model.h"
#include "model/predict/parameter.h"
#include "model/predict/power.h"
#include "model/predict/trees.h"

enum {
	PALEO_BANDS_MAX = 5,
	PALEO_CLASS_MODEL_PARAMETERS = 5 /* that a fit moves */
};

/* Prediction intervals of ops that are predicted to take from_s or longer: quantiles of measured
 * / predicted, held out. */
struct paleo_band {
	double from_s;
	struct paleo_interval ratio;
};

/* Nearness of the measurements that a factor is based on, the nearest first. */
enum paleo_nearness {
	PALEO_NEAR_OWN,    /* a calibration of the device itself */
	PALEO_NEAR_DEVICE, /* a preset of it: others' measurements, shipped */
	PALEO_NEAR_CHIP,   /* a preset of a card with its chip */
	PALEO_NEAR_STACK,  /* of it or such a card, of another serving stack than was asked for */
	PALEO_NEAR_FAMILY, /* of a card of its architecture */
	PALEO_NEAR_ALL,    /* the median over the presets of all GPUs */
	PALEO_NEARNESSES
};

/* Source of some of a calibration's factors. */
struct paleo_class_source {
	enum paleo_nearness nearness;
	char device[64];    /* that was measured; "" of all GPUs */
	char versions[256]; /* of the stack that was measured */
	int records;        /* fitted to so many; 0: not known */
};

struct paleo_class_model {
	char class_name[32]; /* paleo_op_class(), or PALEO_CLASS_ANY */
	enum paleo_pass pass;
	enum paleo_dtype dtype;
	double ppp_compute; /* fraction of peak, (0, 2] */
	double ppp_memory;  /* fraction of peak bandwidth, (0, 16]: caches may beat the memory */
	double overhead_s;  /* >= 0 */
	double overlap;     /* [1, 16] */
	double half_depth;  /* depth of a sum at which half the rate is reached; 0: no loss */
	double half_width;  /* the same for the width; 0: no loss */
	/* Uncertainty: standard errors of the logarithms. NaN: the records do not identify this
	 * factor; it is at its prior, or at a limit that they set. */
	double se_ppp_compute, se_ppp_memory, se_overhead, se_half_depth, se_half_width;
	/* Equal numbers, from 1: the records cannot identify these separately; by enum
	 * paleo_cost_model_parameter of smooth.h. */
	unsigned char together[PALEO_CLASS_MODEL_PARAMETERS];
	int records; /* fitted to so many; 0: a default, not fitted */
	/* Relative error on ops held out of the fit; NaN if none were. */
	double heldout_median, heldout_mean, heldout_p90;
	double ratio_low, ratio_high; /* 5 % and 95 % quantile of measured / predicted, held out */
	/* The intervals by predicted time, from_s ascending; none: ratio_low and ratio_high are for
	 * all, and there is no 50 % interval. */
	struct paleo_band bands[PALEO_BANDS_MAX];
	int band_count;
	/* Correlation of two held-out errors of similar ops: 0 none, 1 full; NaN: not known, and
	 * taken as 1. */
	double correlation;
	/* The same of ops of different factors of one kind and dtype; NaN: not known, and
	 * taken as 0. */
	double kind_correlation;
	/* The paper's one percentage of the peak, as a fraction, on the same records: (flops/peak +
	 * bytes/bandwidth)/time. NaN: not known. */
	double ppp;
	struct paleo_fitted_kernel *model; /* owned by the calibration; NULL: that of smooth.h. With
					   it, the numbers above are those of that cost model on the
					   same records, and are not used. */
	/* Owned by the calibration: correction of the log of the predicted time, by features. */
	struct paleo_trees correction;
	/* Owned: log of the error that is usual for an op like this over that of the class. The
	 * bands are of errors divided by it, ratio_low and ratio_high are not. */
	struct paleo_trees spread;
	/* Borrowed from the calibration's `unread`: the object that still holds both trees; NULL:
	 * they are read. */
	const struct paleo_json *unread;
	int source;          /* of the calibration's sources, where it has some */
	char stands_for[32]; /* the class that was measured, if it is another; else "" */
};

/* An unknown factor: NaN for every field whose 0 would be a value. */
struct paleo_class_model paleo_class_model_unknown(void);

/* Parameters of a factor, its kernel model's or its own: their number, the name of one, and which
 * are not separable (as `together` above). */
int paleo_class_model_parameters(const struct paleo_class_model *f);
const char *paleo_class_model_parameter_name(const struct paleo_class_model *f, int i);
const unsigned char *paleo_class_model_together(const struct paleo_class_model *f);

/* An interval of ratios, around a predicted time. */
struct paleo_interval paleo_interval_around(struct paleo_interval ratio, double time_s);

/* The intervals of a time that this class predicts, of an op that errs by `spread` times what is
 * usual; NaN where it has none. */
struct paleo_interval paleo_class_model_interval(const struct paleo_class_model *f, double total_s,
						 double spread);

/* 1 if two names are of classes of one kind: "conv" and "conv.grouped.nhwc". */
int paleo_class_same_kind(const char *a, const char *b);

/* Ratio of a full pass to the sum of its ops timed alone. */
struct paleo_pass_correction {
	enum paleo_extent extent;
	enum paleo_dtype dtype;
	enum paleo_layout layout;
	int fused;     /* 1: ops as at inference */
	double factor; /* whole pass / sum: below 1 where caches stay warm, above where layouts
			* change or launches leave gaps */
	/* For a step: `factor` applies to its forward and backward ops, and this to its updates,
	 * after which a library may reorder the new weights. 0: as factor. */
	double update_factor;
	double spread; /* standard deviation of the nets' log(whole / sum); NaN: one net */
	int nets;      /* fitted to so many */
};

enum {
	PALEO_PASS_CORRECTIONS_MAX = PALEO_EXTENTS * PALEO_DTYPES * PALEO_LAYOUTS * 2
};

#define PALEO_CLASS_MODELS_MAX 4096
#define PALEO_CLASS_ANY "any"

struct paleo_calibration {
	struct paleo_device device;
	char backend[16];              /* which backend measured; "" for datasheet defaults */
	char versions[256];            /* of the vendor's libraries and driver */
	char mode[16];                 /* cache state the records were measured in: "cold", "hot" */
	char regime[PALEO_REGIME_MAX]; /* of the records; "" as "burst" */
	enum paleo_timed_by timed_by;  /* of tables: how their times were taken */
	char method[16];               /* "": fitted to records; "presets": to other people's */
	char created_utc[32];          /* ISO 8601 */
	/* Machine speed at the time: the medians over its records. */
	struct paleo_rates speed;
	struct paleo_speed speed_sd; /* of the logarithms of these rates; 0: unknown */
	/* Measured over predicted of a class that has no model here, by the nearest; 0: unknown. */
	struct paleo_interval others;
	int threads;                      /* of a CPU backend; 0 otherwise */
	int records;                      /* fitted to so many in all */
	struct paleo_class_model *models; /* owned */
	int count;
	struct paleo_pass_correction passes[PALEO_PASS_CORRECTIONS_MAX];
	int pass_count;
	struct paleo_power power; /* of the records that have an energy; owned */
	uint64_t *seen;           /* paleo_op_hash() of the fitted ops, ascending; owned */
	int seen_count;           /* 0: not known */
	struct paleo_class_source *sources; /* sources of the factors, nearest first; owned */
	int source_count;                   /* 0: on the calibration's own records, or none */
	struct paleo_json_doc *unread; /* document whose trees are not read yet; owned, or NULL */
};

/* The device, if kernels were timed on one like it; NULL for fractions of a datasheet's peaks. */
static inline const struct paleo_device *paleo_calibration_timed(const struct paleo_calibration *c)
{
	return c->backend[0] || c->method[0] ? &c->device : NULL;
}

enum {
	PALEO_SOURCE_TEXT_MAX = 160
};

/* Short name of the source of a factor: "preset of t4", "preset of h200 (same chip) as norm.layer",
 * "calibration", "datasheet". */
void paleo_class_model_source(const struct paleo_calibration *c, const struct paleo_class_model *f,
			      char text[PALEO_SOURCE_TEXT_MAX]);

/* 64 bits of an op's key (FNV-1a, Fowler, Noll and Vo): identifies ops that a calibration has
 * seen. */
uint64_t paleo_op_hash(const struct paleo_op *w);
/* The order of two of them, for qsort() and bsearch(). */
int paleo_compare_hashes(const void *a, const void *b);

/* The correction with the extent, dtype, layout and fusion of `like`, or NULL. */
const struct paleo_pass_correction *
paleo_calibration_pass(const struct paleo_calibration *c, const struct paleo_pass_correction *like);

/* Time of a pass whose forward and backward ops add up to `layers_s`, its updates to
 * `updates_s`. */
double paleo_pass_time(const struct paleo_pass_correction *c, double layers_s, double updates_s);

/* Median held-out error: that of its factors, each counted as often as it has records. NaN: not
 * known. */
double paleo_calibration_heldout(const struct paleo_calibration *c);

/* 1 if this op was among those the calibration was fitted to. */
int paleo_calibration_saw(const struct paleo_calibration *c, const struct paleo_op *w);

/*
 * The default when nothing was measured: every class at the given PPP on the
 * datasheet's peaks, no overhead, overlap 1. PPP 1 gives the fastest time the
 * datasheet allows. 0 < ppp <= 2. It has one factor, of the class "any".
 */
int paleo_calibration_datasheet(const struct paleo_device *d, double ppp_compute, double ppp_memory,
				struct paleo_calibration *out, struct paleo_error *err);
void paleo_calibration_release(struct paleo_calibration *c); /* frees what it owns; NULL allowed */

#endif
