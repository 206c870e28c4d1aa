/* features.h - what the correction of a law is told of a work. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_PREDICT_FEATURES_H
#define PALEO_MODEL_PREDICT_FEATURES_H

#include "model/predict/kernel_model.h"
#include "model/predict/trees.h"

/* Fills in what is known without a law: first three numbers that paleo_features_of_law() completes,
 * then where the work lies (axes.h), then what its kernel model adds, which may be NULL. Returns
 * how many there are, the same for all works of a kind. */
int paleo_features(const struct paleo_kernel_model *kernel, const struct paleo_tile_device *d,
		   const struct paleo_work *w, double x[PALEO_FEATURES_MAX]);

/* How long the law's larger part is, what it reaches in that, and how much longer it is than the
 * other. Launches are not in them: those of a queue differ from those of one call at a time. Once.
 */
void paleo_features_of_law(const struct paleo_parts *law, double x[PALEO_FEATURES_MAX]);

#endif
