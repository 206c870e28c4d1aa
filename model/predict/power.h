/* power.h - the power that a GPU draws while an op runs, and the energy of the op. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_PREDICT_POWER_H
#define PALEO_MODEL_PREDICT_POWER_H

#include "base/json.h"
#include "model/device/device.h"
#include "model/op/op.h"
#include "model/predict/trees.h"

/* A correction of the law for one class of ops, from measured ones. */
struct paleo_power_class {
	char class_name[32]; /* paleo_op_class() */
	enum paleo_pass pass;
	enum paleo_dtype dtype;
	int records;                         /* fitted to so many */
	double heldout_mean, heldout_median; /* relative errors of held-out rows */
	double ratio_low, ratio_high;        /* measured / predicted, 5 and 95 %, held out */
	double covered;                      /* of rows held out from these quantiles, too */
	struct paleo_trees trees;            /* owned: of log(measured / law) */
};

/*
 * P = limit (y^-8 + 1)^(-1/8), y = idle + compute u^compute_power + memory v^memory_power: u and v
 * are the FLOP/s and bytes/s over the peaks, the limit is the device's TDP. Zero idle: no law.
 */
struct paleo_power {
	double idle, compute, compute_power, memory, memory_power;
	double ratio_low,
		ratio_high; /* of the law alone, on kinds of ops that it was not fitted to */
	struct paleo_power_class *classes; /* owned */
	int count;
};

/* What is known of one op. */
struct paleo_watts {
	double mean_w, low_w, high_w;       /* 90 % interval; NaN: there is none */
	const struct paleo_power_class *by; /* NULL: the law alone */
};

/* Share of the power limit by the law alone, of an op that takes `time_s`. */
double paleo_power_law(const struct paleo_power *p, const struct paleo_device *d,
		       const struct paleo_op *w, double time_s);

/* Features for a class's trees; returns their number, or EUNSUPPORTED. */
int paleo_power_features(const struct paleo_device *d, const struct paleo_op *w, double time_s,
			 double x[PALEO_FEATURES_MAX]);

/* The power of an op that takes `time_s` on `d`; `fitted` is the device that `p` was fitted to. On
 * another, or of a class without a correction, it is that of the law alone. EUNSUPPORTED where the
 * device's TDP or peaks are not known. */
int paleo_power_predict(const struct paleo_power *p, const struct paleo_device *fitted,
			const struct paleo_device *d, const struct paleo_op *w, double time_s,
			struct paleo_watts *out, struct paleo_error *err);

void paleo_power_release(struct paleo_power *p); /* NULL allowed */

/* The optional key "power" of a calibration. EINPUT, ENOMEM. */
int paleo_power_read(const struct paleo_json *root, struct paleo_power *out,
		     struct paleo_error *err);
void paleo_power_write(const struct paleo_power *p, struct paleo_json_writer *w);

#endif
