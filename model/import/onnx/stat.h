/* stat.h - finds layer and RMS normalisations in the operators that exporters make of them. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_IMPORT_ONNX_STAT_H
#define PALEO_MODEL_IMPORT_ONNX_STAT_H

#include "model/import/onnx/job.h"

/* Each sets *done to 1 if the node is a step of a normalisation, and *out to its result. */
int paleo_onnx_stat_mean(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			 struct paleo_onnx_value *out, int *done, struct paleo_error *err);
int paleo_onnx_stat_unary(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			  struct paleo_onnx_value *out, int *done, struct paleo_error *err);
int paleo_onnx_stat_binary(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			   struct paleo_onnx_value *out, int *done, struct paleo_error *err);

/* Makes `out` a normalisation of the output `given`: "LayerNorm" or "RMSNorm". ENOMEM. */
int paleo_onnx_normalise(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			 const char *type, const struct paleo_onnx_value *given,
			 struct paleo_onnx_value *out, struct paleo_error *err);

#endif
