/* profile_work.h - measures single works by their keys, as tables of rows print them. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_PROFILE_WORK_H
#define PALEO_TOOLS_PROFILE_WORK_H

#include "tools/profile.h"

/* Measures the works of --work on the first device, in each mode, and prints a row for each; what
 * goes wrong is said on stderr. Returns the exit code. */
int profile_works(const struct profile_settings *s, const char *device);

#endif
