/* calibration.h - factors of the law per class of work, and all else that a calibration holds. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_PREDICT_CALIBRATION_H
#define PALEO_MODEL_PREDICT_CALIBRATION_H

#include <stdint.h>

#include "model/device/device.h"
#include "model/net/graph.h"
#include "model/predict/kernel_models.h"
#include "model/predict/result.h"
#include "model/predict/trees.h"
#include "model/work/work.h"

enum {
	PALEO_BANDS_MAX = 5,
	PALEO_CLASS_MODEL_PARAMETERS = 5 /* that a fit moves */
};

/* Prediction intervals of works that are predicted to take from_s or longer: quantiles of measured
 * / predicted, held out. */
struct paleo_band {
	double from_s;
	struct paleo_interval ratio;
};

/* Whose measurements a factor stands on, the nearest first. */
enum paleo_nearness {
	PALEO_NEAR_OWN,    /* a calibration of the device itself */
	PALEO_NEAR_DEVICE, /* a preset of it: others' measurements, shipped */
	PALEO_NEAR_CHIP,   /* a preset of a card with its chip */
	PALEO_NEAR_FAMILY, /* of a card of its architecture */
	PALEO_NEAR_ALL,    /* the middle of the presets of all GPUs */
	PALEO_NEARNESSES
};

/* What stands behind some of a calibration's factors. */
struct paleo_class_source {
	enum paleo_nearness nearness;
	char device[64];    /* that was measured; "" of all GPUs */
	char versions[256]; /* of the stack that was measured */
	int records;        /* fitted to so many; 0: not known */
};

struct paleo_class_model {
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
	unsigned char together[PALEO_CLASS_MODEL_PARAMETERS];
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
	struct paleo_fitted_kernel *model; /* owned by the calibration; NULL: the law of law.h. With
					   it, the numbers above are those of that law on the same
					   records, and are not used. */
	/* Owned by the calibration: by what logarithm whichever law errs, by its features. */
	struct paleo_trees correction;
	int source;          /* of the calibration's sources, where it has some */
	char stands_for[32]; /* the class that was measured, if it is another; else "" */
};

/* A factor of which nothing is known but what is 0: NaN wherever that says so. */
struct paleo_class_model paleo_class_model_unknown(void);

/* The parameters that a factor goes by, its kernel model's or its own: the number of them, the name
 * of one, and which stand for one another (as `together` above). */
int paleo_class_model_parameters(const struct paleo_class_model *f);
const char *paleo_class_model_parameter_name(const struct paleo_class_model *f, int i);
const unsigned char *paleo_class_model_together(const struct paleo_class_model *f);

/* The intervals of a time that this class predicts; NaN where it has none. */
struct paleo_interval paleo_class_model_interval(const struct paleo_class_model *f, double total_s);

/* 1 if two names are of classes of one kind: "conv" and "conv.grouped.nhwc". */
int paleo_class_same_kind(const char *a, const char *b);

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

#define PALEO_CLASS_MODELS_MAX 4096
#define PALEO_CLASS_ANY "any"

struct paleo_calibration {
	struct paleo_device device;
	char backend[16];     /* which backend measured; "" for datasheet defaults */
	char versions[256];   /* of the vendor's libraries and driver */
	char mode[16];        /* cache state the records were measured in: "cold", "hot" */
	char method[16];      /* "": fitted to records; "presets": to other people's */
	char created_utc[32]; /* ISO 8601 */
	/* The device's speed at the time: the medians of what stands beside its records. */
	struct paleo_rates speed;
	int threads;                      /* of a CPU backend; 0 otherwise */
	int records;                      /* fitted to so many in all */
	struct paleo_class_model *models; /* owned */
	int count;
	struct paleo_pass_correction passes[PALEO_PASS_CORRECTIONS_MAX];
	int pass_count;
	uint64_t *seen; /* paleo_work_hash() of the fitted works, ascending; owned */
	int seen_count; /* 0: not known */
	struct paleo_class_source *sources; /* what the factors stand on, nearest first; owned */
	int source_count;                   /* 0: on the calibration's own records, or none */
};

enum {
	PALEO_SOURCE_TEXT_MAX = 160
};

/* Whose measurements a factor stands on, in a few words: "preset of t4", "preset of h200 (same
 * chip) as norm.layer", "calibration", "datasheet". */
void paleo_class_model_source(const struct paleo_calibration *c, const struct paleo_class_model *f,
			      char text[PALEO_SOURCE_TEXT_MAX]);

/* 64 bits of a work's key (FNV-1a, Fowler, Noll and Vo): tells whether a calibration saw it. */
uint64_t paleo_work_hash(const struct paleo_work *w);
/* The order of two of them, for qsort() and bsearch(). */
int paleo_compare_hashes(const void *a, const void *b);

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

#endif
