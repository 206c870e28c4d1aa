/* layers.h - `validate` on a profile of an engine's layers: measured next to predicted. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_VALIDATE_LAYERS_H
#define PALEO_TOOLS_VALIDATE_LAYERS_H

#include "base/table.h"
#include "tools/cli/view.h"
#include "tools/session/engine.h"

/* Prints a row for each layer of a profile that is matched, and, as text, their sums. As
 * engine_open(). */
int layers_print(const struct engine_wish *wish, const struct view *view,
		 enum paleo_table_format format, FILE *out, struct paleo_error *err);

#endif
