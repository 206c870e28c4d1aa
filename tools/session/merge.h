/* merge.h - several results files of one device as one. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_SESSION_MERGE_H
#define PALEO_TOOLS_SESSION_MERGE_H

#include "model/record/record.h"

/*
 * Reads the files into *out (zero before), records and nets; a work that stands in
 * several counts once, as the last file has it. What each file had stays with its
 * nets: paleo_results_of_net(). EINPUT when they are not of the
 * same backend, device and number of threads. *out is released by the caller, also
 * on failure.
 */
int merge_results(const char *const *paths, int count, struct paleo_results *out,
		  struct paleo_error *err);

/* paleo_results_load(), which says on stderr if the file's last line was cut. */
int merge_load(const char *path, struct paleo_results *out, struct paleo_error *err);

#endif
