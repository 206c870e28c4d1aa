/* export.h - predictions of a device in the formats of other programs. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_DEVICES_EXPORT_H
#define PALEO_TOOLS_DEVICES_EXPORT_H

#include "library/source.h"
#include "model/device/device.h"

/*
 * Writes what `paleo predict` says of the device to stdout, and to stderr what that is based on.
 * `file` describes more devices; NULL: none. EINPUT where the device lacks what the format needs;
 * otherwise as paleo_choose_source() and paleo_predict_op().
 */
#define EXPORT(format)                                                                             \
	int export_##format(const struct paleo_device *d, const char *file,                        \
			    struct paleo_error *err);
#include "tools/cli/exports.def"
#undef EXPORT

/* What `predict` takes for this device and dtype; it is named on stderr. Release with
 * paleo_source_release(). */
int export_source(const struct paleo_device *d, const char *file, enum paleo_dtype dtype,
		  struct paleo_source *out, struct paleo_error *err);

/* The same for AIConfigurator, in fp8 and bf16. EINPUT where the device has no bf16. */
int export_aiconfigurator_source(const struct paleo_device *d, const char *file,
				 struct paleo_source *out, struct paleo_error *err);

/* A GEMM of a linear layer, y = x w^T. EINPUT where the sizes make none. */
int export_gemm(enum paleo_dtype dtype, int m, int n, int k, struct paleo_op *out,
		struct paleo_error *err);

#endif
