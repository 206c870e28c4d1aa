/* folders.h - makes the folders on the way to a file. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_SESSION_FOLDERS_H
#define PALEO_TOOLS_SESSION_FOLDERS_H

#include "base/error.h"

/* Makes every folder on the way to a file. EIO. */
int make_folders(const char *path, struct paleo_error *err);

#endif
