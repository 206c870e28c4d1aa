/* find.h - finds nets, calibrations and results by name: the path itself, ./, shipped data. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_LIBRARY_FIND_H
#define PALEO_LIBRARY_FIND_H

#include "base/error.h"

enum {
	PALEO_PATH_MAX = 4096
};

/*
 * The file of a net: `name` itself if there is such a file; otherwise, for a bare name, NAME or
 * NAME.json in ./nets and in the nets and language models (nets/llm) that were shipped with the
 * program. EINPUT names the folders searched and the nearest name.
 */
int paleo_find_net(const char *name, char path[PALEO_PATH_MAX], struct paleo_error *err);

/* The calibration of a device by its short name: ./paleo-results/DEVICE/calibration.json, and the
 * shipped results/DEVICE/calibration.json. Return 1 and fill path if there is one. Which of them is
 * used, paleo_choose_own() decides. */
int paleo_find_local_calibration(const char *device, char path[PALEO_PATH_MAX]);
int paleo_find_shipped_calibration(const char *device, char path[PALEO_PATH_MAX]);

/* Calls `take` with the path of each preset that was shipped, results/presets/NAME.json, by name,
 * until it returns something else than 0, which is returned. */
int paleo_find_presets(int (*take)(void *context, const char *path, struct paleo_error *err),
		       void *context, struct paleo_error *err);

/* Fills path with a file of the shipped data, as "results/presets/spreads.csv", which may be
 * missing. EIO if there is no folder of it. */
int paleo_find_shipped(const char *file, char path[PALEO_PATH_MAX], struct paleo_error *err);

/* The same with each shipped net of a folder, "nets" or "nets/llm". */
int paleo_find_nets(const char *folder,
		    int (*take)(void *context, const char *path, struct paleo_error *err),
		    void *context, struct paleo_error *err);

/* The same with each shipped calibration, results/DEVICE/calibration.json. */
int paleo_find_calibrations(int (*take)(void *context, const char *path, struct paleo_error *err),
			    void *context, struct paleo_error *err);

/* File of a device's measured ceilings, by its short name: ./paleo-results/DEVICE/ceilings.jsonl.
 * They are this machine's, so none are shipped. Fills path in any case; returns 1 if they are
 * there. */
int paleo_find_ceilings(const char *device, char path[PALEO_PATH_MAX]);

/* File of the peaks measured on a CPU with so many threads:
 * ./paleo-results/DEVICE/peaks-tTHREADS.jsonl. Fills path in any case; returns 1 if it exists. */
int paleo_find_peaks(const char *device, int threads, char path[PALEO_PATH_MAX]);

/* The description of a GPU for cuDNN's planner: `name` itself if there is such a file, otherwise
 * NAME.json, or that of the device's chip, among the shipped ones. EINPUT names the nearest. */
int paleo_find_described(const char *name, char path[PALEO_PATH_MAX], struct paleo_error *err);

#endif
