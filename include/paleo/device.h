/* device.h - devices: what their makers say of them, by name. */
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

/* The names of the shipped devices; NULL where there is none `i`, 0 .. count - 1. */
PALEO_API int paleo_device_count(void);
PALEO_API const char *paleo_device_name_at(int i);

/*
 * A device by its name, in any spelling: "h100-sxm", "Tesla T4". `file` describes more devices
 * (docs/reference/devices.md), which stand before the shipped ones; NULL: none. PALEO_EINPUT with
 * the nearest name, or file, line and key; PALEO_EIO; PALEO_ENOMEM.
 */
PALEO_API int paleo_device_open(const char *name, const char *file, struct paleo_device **out,
				struct paleo_error *err);
PALEO_API void paleo_device_close(struct paleo_device *device);

PALEO_API const char *paleo_device_name(const struct paleo_device *device);  /* "h200" */
PALEO_API const char *paleo_device_title(const struct paleo_device *device); /* "NVIDIA H200 ..." */

/* The dense peak in FLOP/s for a number type: "f32", "tf32", "f16", "bf16", "fp8"; and
 * for "fp4" and "int8": of products whose numbers are both e2m1 (nvfp4), or whole of 8 bits. NaN
 * where the device has none, or there is no such type. */
PALEO_API double paleo_device_peak_flop_per_s(const struct paleo_device *device, const char *dtype);
/* Of its memory: the bandwidth in bytes/s, the size in bytes. NaN: not known. */
PALEO_API double paleo_device_bytes_per_s(const struct paleo_device *device);
PALEO_API double paleo_device_memory_bytes(const struct paleo_device *device);

#ifdef __cplusplus
}
#endif

#endif
