/* nvml.h - watches a GPU's clock, power and heat through the driver's management library. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_BACKENDS_CUDA_NVML_H
#define PALEO_BENCH_BACKENDS_CUDA_NVML_H

#include <stddef.h>

#include "model/record/record.h"

/*
 * The library comes with the driver and its header with neither, so it is opened at run time and is
 * optional: missing functions give unknown values. Read-only; no clock, limit or mode is ever set.
 */
struct paleo_nvml;

/* The library alone, or NULL where there is none. Closed with paleo_nvml_close(). */
struct paleo_nvml *paleo_nvml_open(void);
void paleo_nvml_close(struct paleo_nvml *n); /* NULL allowed */

/* The driver's release, "580.95.05", or "" where it cannot be asked. NULL allowed. */
void paleo_nvml_driver(const struct paleo_nvml *n, char *text, unsigned size);

/* Finds the device by its place on the bus ("0000:0f:00.0"): its numbers are not CUDA's. 1 if it is
 * there. NULL allowed. */
int paleo_nvml_find(struct paleo_nvml *n, const char *bus_id);

/* The clock now over the highest; 0: not known. NULL allowed. */
double paleo_nvml_clock_ratio(const struct paleo_nvml *n);

/* The device's energy since the driver was loaded; it moves about every 100 ms. 0: not known. NULL
 * allowed. */
int paleo_nvml_joules(const struct paleo_nvml *n, double *joules);

/* Counts other processes on the device, for later observations: called once before this process has
 * a context there (is_ours 0), and once after (is_ours 1). NULL allowed. */
void paleo_nvml_count_users(struct paleo_nvml *n, int is_ours);

/* Which device it is, its power limit, links and errors, and the memory in use before
 * this process used it (paleo_nvml_count_users()). NULL allowed. */
void paleo_nvml_condition(const struct paleo_nvml *n, struct paleo_condition *out);

/* Begins sampling 20 times a second, in a separate thread; ends that and reports the observations.
 * Each begin needs an end. Without a device all is unknown. NULL allowed. */
void paleo_nvml_begin(struct paleo_nvml *n);
void paleo_nvml_end(struct paleo_nvml *n, struct paleo_state *out);

#endif
