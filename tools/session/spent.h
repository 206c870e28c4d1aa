/* spent.h - prints where the wall time of a run went. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_SESSION_SPENT_H
#define PALEO_TOOLS_SESSION_SPENT_H

#include "tools/session/records.h"

/* Where it went since the device was opened, with what writing these records took; *wall_s is how
 * long that is. */
struct paleo_spent spent_of(const struct session *s, const struct records *r, double *wall_s);

/* A line for each phase that took any of it, and one for the rest. */
void spent_print(const struct session *s, const struct records *r, FILE *out);

#endif
