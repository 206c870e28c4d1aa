/* predict.h - how long a net takes on a device: a row for each layer and pass, and their totals. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_PREDICT_H
#define PALEO_PREDICT_H

#include "paleo/net.h"
#include "paleo/predictor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Selection of the ops of a net to predict. NULL selects the defaults. */
struct paleo_predict_options {
	const char *passes; /* "all" (default): a training step; "fwd", "bwd", "update" */
	const char *layout; /* memory layout of images: "nchw" (default), "nhwc" */
	int fuse; /* 1: inference graph: activations fused into the GEMMs before them, batch
		     normalisation with stored statistics; only with "fwd" */
};

/* The times of one net. Independent of the net and the predictor once made. */
struct paleo_net_prediction;

/* PALEO_EINPUT for an unknown word, or fuse without "fwd"; PALEO_ENOMEM. */
PALEO_API int paleo_net_predict(const struct paleo_predictor *predictor,
				const struct paleo_net *net,
				const struct paleo_predict_options *options,
				struct paleo_net_prediction **out, struct paleo_error *err);
PALEO_API void paleo_net_prediction_close(struct paleo_net_prediction *prediction);

/*
 * A predicted time in seconds: total_s is the time, whose parts may overlap, so that their sum may
 * be more. The intervals hold the measured time in 90 % and in 50 % of the cases; NaN where the
 * calibration has no held-out data.
 */
struct paleo_predicted_time {
	double total_s;
	double compute_s, memory_s, overhead_s; /* arithmetic, memory traffic, launches */
	double low_s, high_s;                   /* 90 % */
	double low50_s, high50_s;               /* 50 % */
};

/* One op of one layer's pass. */
struct paleo_predicted_row {
	const char *layer;  /* full name of the layer */
	const char *kind;   /* of the op: "conv", "relu", "sum of gradients" */
	const char *pass;   /* "fwd", "bwd_data", "bwd_filter", "update" */
	const char *dtype;  /* "f32" */
	const char *op;     /* its key; rows of equal keys take equal times */
	const char *bound;  /* the largest part of the predicted time: "overhead" if that is the
			       launch; else "compute" or "memory", whichever takes longer at the
			       device's peaks */
	const char *source; /* source of the parameters: "preset of t4" */
	double flops, bytes;
	int predicted; /* 0: the device lacks what it needs; then bound and source are NULL, and all
			  times are NaN */
	struct paleo_predicted_time time;
};

PALEO_API int paleo_net_prediction_row_count(const struct paleo_net_prediction *prediction);

/* Row `i`, 0 .. count - 1, forward in topological order, then backward, then updates. Its strings
 * belong to the prediction. PALEO_EINPUT where there is no such row; no sentence is needed. */
PALEO_API int paleo_net_prediction_row(const struct paleo_net_prediction *prediction, int i,
				       struct paleo_predicted_row *out);

/* Totals over rows. */
enum paleo_total {
	PALEO_TOTAL_FORWARD,
	PALEO_TOTAL_BACKWARD,
	PALEO_TOTAL_FORWARD_BACKWARD,
	PALEO_TOTAL_UPDATE,
	PALEO_TOTAL_STEP, /* forward, backward and update */
	PALEO_TOTALS
};

struct paleo_predicted_total {
	struct paleo_predicted_time time; /* of the rows that are predicted */
	double flops;                     /* of all rows */
	int rows, predicted;
	double one_pass_s; /* the full pass: full passes on the device took more or less than the
			      sum of their layers; NaN: the calibration has none */
};

/* PALEO_EINPUT where the total includes a pass that was not predicted. */
PALEO_API int paleo_net_prediction_total(const struct paleo_net_prediction *prediction,
					 enum paleo_total which, struct paleo_predicted_total *out);

#ifdef __cplusplus
}
#endif

#endif
