/* framework_print.h - what a net takes as a framework runs it: works, host, factor. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_FRAMEWORK_PRINT_H
#define PALEO_TOOLS_FRAMEWORK_PRINT_H

#include <stdio.h>

#include "tools/session/plan.h"

/* Two lines; nothing where the plan is of no framework. */
void framework_print(const struct plan *p, const struct plan_net *n, FILE *out);

#endif
