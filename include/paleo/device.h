/* device.h - devices: datasheet values by name. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_DEVICE_H
#define PALEO_DEVICE_H

#include "paleo/api.h"
#include "paleo/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A device with its peaks. It never changes. */
struct paleo_device;

/* Names of the shipped devices; NULL unless 0 <= i < count. */
PALEO_API int paleo_device_count(void);
PALEO_API const char *paleo_device_name_at(int i);

/*
 * A device by its name, in any spelling: "h100-sxm", "Tesla T4". `file` describes more devices
 * (docs/reference/devices.md), which take precedence over the shipped ones; NULL: none.
 * PALEO_EINPUT with the nearest name, or file, line and key; PALEO_EIO; PALEO_ENOMEM.
 */
PALEO_API int paleo_device_open(const char *name, const char *file, struct paleo_device **out,
				struct paleo_error *err);
PALEO_API void paleo_device_close(struct paleo_device *device);

PALEO_API const char *paleo_device_name(const struct paleo_device *device);  /* "h200" */
PALEO_API const char *paleo_device_title(const struct paleo_device *device); /* "NVIDIA H200 ..." */

/* The dense peak in FLOP/s for a dtype: "f32", "tf32", "f16", "bf16", "fp8"; also "fp4" and "int8",
 * where both operands are e2m1 (nvfp4) or 8-bit integers. NaN where the device has none, or the
 * dtype is unknown. */
PALEO_API double paleo_device_peak_flop_per_s(const struct paleo_device *device, const char *dtype);
/* Memory bandwidth in bytes/s, and memory size in bytes. NaN: not known. */
PALEO_API double paleo_device_bytes_per_s(const struct paleo_device *device);
PALEO_API double paleo_device_memory_bytes(const struct paleo_device *device);

#ifdef __cplusplus
}
#endif

#endif
