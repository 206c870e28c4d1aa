/* predict.h - the time that a calibration predicts for a work, and for many. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_PREDICT_PREDICT_H
#define PALEO_MODEL_PREDICT_PREDICT_H

#include "model/predict/calibration.h"
#include "model/predict/chosen.h"

enum paleo_bound {
	PALEO_BOUND_COMPUTE,
	PALEO_BOUND_MEMORY,
	PALEO_BOUND_OVERHEAD
};

struct paleo_prediction {
	struct paleo_parts parts;
	struct paleo_interval interval; /* of the total; NaN without held-out works */
	enum paleo_bound bound;         /* overhead where that is most, else as a roofline has it */
	const struct paleo_class_model *factor; /* what was used; borrowed from the calibration */
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

/* Its time alone; `self` is a calibration: the law of a simulation. *out is set on success. */
int paleo_predict_work_s(const void *self, const struct paleo_work *w, double *out,
			 struct paleo_error *err);

/* The same on `d`: the calibration's device at another speed. */
int paleo_predict_on(const struct paleo_calibration *c, const struct paleo_device *d,
		     const struct paleo_work *w, struct paleo_prediction *out,
		     struct paleo_error *err);

/* What a prediction makes of the way in which a library is known to compute a convolution. */
enum paleo_method_use {
	PALEO_METHOD_UNUSED,    /* nothing: the factor's times are of whatever the library ran */
	PALEO_METHOD_ON_PEAKS,  /* the datasheet's, for its FLOPs and bytes */
	PALEO_METHOD_BY_THE_LAW /* the time of that algorithm under the factor's kernel model */
};

/*
 * Predicts a convolution that a library computes in this way. Without a fit its FLOPs and bytes
 * change; a kernel model that has the algorithm prices it. If that is not what the model itself
 * would take, there is no correction near measured works, and no interval: both are of its own
 * choice. *use says which; as paleo_predict_work() else.
 */
int paleo_predict_method(const struct paleo_calibration *c, const struct paleo_work *w,
			 const struct paleo_method_cost *how, struct paleo_prediction *out,
			 enum paleo_method_use *use, struct paleo_error *err);

/* The sum of many predictions. */
struct paleo_prediction_sum {
	struct paleo_parts parts;
	struct paleo_interval interval; /* of the total; NaN when one of them has none */
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

/* The same of works that run several times, or a part of a time each. */
int paleo_prediction_add_up_times(const struct paleo_prediction *p, const double *times, int count,
				  struct paleo_prediction_sum *out, struct paleo_error *err);

const char *paleo_bound_name(enum paleo_bound bound); /* "compute" "memory" "overhead" */

#endif
