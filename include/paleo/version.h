/* version.h - the version of paleo: of the headers at compile time, of the library at run time. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_VERSION_H
#define PALEO_VERSION_H

#include "paleo/api.h"

#define PALEO_VERSION_MAJOR 0
#define PALEO_VERSION_MINOR 2
#define PALEO_VERSION_PATCH 0
#define PALEO_VERSION "0.2.0" /* CMakeLists.txt reads the project's version here */

#ifdef __cplusplus
extern "C" {
#endif

/* PALEO_VERSION of the library that runs. */
PALEO_API const char *paleo_version(void);

#ifdef __cplusplus
}
#endif

#endif
