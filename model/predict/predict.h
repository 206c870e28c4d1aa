/* predict.h - the time that a calibration predicts for an op, and for many. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_PREDICT_PREDICT_H
#define PALEO_MODEL_PREDICT_PREDICT_H

#include "model/net/net.h"
#include "model/predict/calibration.h"
#include "model/predict/chosen.h"

/* The largest part of a predicted time: overhead if that is the launch; else compute or memory,
 * whichever takes longer at the device's peaks. A kernel model's parts do not show the latter:
 * re-reading from a cache is not memory traffic. */
enum paleo_bound {
	PALEO_BOUND_COMPUTE,
	PALEO_BOUND_MEMORY,
	PALEO_BOUND_OVERHEAD
};

/* Standard deviations within which a normal distribution has 90 and 50 %. */
#define PALEO_NORMAL_90 1.6449
#define PALEO_NORMAL_50 0.6745

struct paleo_prediction {
	struct paleo_parts parts;
	struct paleo_interval interval; /* of the total; NaN without held-out ops */
	enum paleo_bound bound;
	const struct paleo_class_model *factor; /* factor used; borrowed from the calibration */
	int exact; /* 1: a factor of this very class, pass and dtype; 0: the nearest there was */
	double speed_sd; /* of the logarithm of the machine's speed, in the interval; 0: known */
};

/*
 * Predicts one op. A class missing from the calibration is predicted by the nearest factor it has:
 * same class in another pass, then another dtype, same kind, any; `exact` is 0 and there is no
 * interval then. EUNSUPPORTED when the device has no peak for the dtype, or no bandwidth.
 */
int paleo_predict_op(const struct paleo_calibration *c, const struct paleo_op *w,
		     struct paleo_prediction *out, struct paleo_error *err);

/* Its time alone; `self` is a calibration: the cost model of a simulation. *out is set on success.
 */
int paleo_predict_op_s(const void *self, const struct paleo_op *w, double *out,
		       struct paleo_error *err);

/* The same on `d`: the calibration's device at another speed. */
int paleo_predict_on(const struct paleo_calibration *c, const struct paleo_device *d,
		     const struct paleo_op *w, struct paleo_prediction *out,
		     struct paleo_error *err);

/* Use that a prediction makes of a library's known algorithm. */
enum paleo_method_use {
	PALEO_METHOD_UNUSED,       /* none: the factor's times are of whatever the library ran */
	PALEO_METHOD_ON_PEAKS,     /* the datasheet's, for its FLOPs and bytes */
	PALEO_METHOD_BY_COST_MODEL /* the time of that algorithm under the factor's kernel model */
};

/*
 * Predicts a convolution computed by this library algorithm. Without a fit its FLOPs and bytes
 * change; a kernel model that has the algorithm prices it. If the model itself would choose
 * another, there is neither a correction by measured ops nor an interval: both belong to the
 * model's choice. *use is set; otherwise as paleo_predict_op().
 */
int paleo_predict_method(const struct paleo_calibration *c, const struct paleo_op *w,
			 const struct paleo_method_cost *how, struct paleo_prediction *out,
			 enum paleo_method_use *use, struct paleo_error *err);

/* The sum of many predictions. */
struct paleo_prediction_sum {
	struct paleo_parts parts;
	struct paleo_interval interval; /* of the total; NaN when one of them has none */
};

/*
 * Adds up predictions of one calibration. Predictions of the same time by the same factor are
 * treated as the same op with a common error: half-widths are added. Different ops of one factor
 * err together by its correlation r: H^2 = r (sum h)^2 + (1 - r) sum h^2; factors of one kind and
 * dtype, which are adjacent in a calibration, by their kind_correlation q: q (sum H)^2 + (1 - q)
 * sum H^2. Kinds have independent errors. The 50 % interval of several is at least the share 0.41
 * of the 90 % one, as in a normal distribution. ENOMEM.
 */
int paleo_prediction_add_up(const struct paleo_prediction *p, int count,
			    struct paleo_prediction_sum *out, struct paleo_error *err);

/* The same of ops that run several times, or a part of a time each. */
int paleo_prediction_add_up_times(const struct paleo_prediction *p, const double *times, int count,
				  struct paleo_prediction_sum *out, struct paleo_error *err);

const char *paleo_bound_name(enum paleo_bound bound); /* "compute" "memory" "overhead" */

/* Overhead of frameworks beyond the ops they run: a fitted factor, and launch overhead. */

/* Measured full passes over the sum of their predicted ops: the median, and the 90 % interval. */
struct paleo_framework_factor {
	enum paleo_framework framework;
	int training;
	enum paleo_layout layout;
	int nets;
	double factor, low, high;
	const char *source;
};

/* NULL: none was fitted. */
const struct paleo_framework_factor *
paleo_framework_factor_find(enum paleo_framework framework, int training, enum paleo_layout layout);

/* Values of --framework, NULL-ended. */
extern const char *const paleo_framework_names[];

/* A pass takes its kernels' time, or the host's to start them, whichever is longer. */
double paleo_framework_pass_s(double kernels_s, int kernels, double dispatch_s);

#endif
