/* study_presets.c - the transfer error of presets: parameters of one GPU on another. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>

#include "base/table.h"
#include "library/source.h"
#include "tools/validate/study.h"

/* As paleo_known_spreads_load() reads them. */
#define COLUMNS(X)                                                                                 \
	X(PALEO_COLUMN_TEXT("ops", "ops"), .text = paleo_known_group_names[g])                     \
	X(PALEO_COLUMN_TEXT("knowledge", "knowledge of"), .text = paleo_nearness_names[n])         \
	X(PALEO_COLUMN_WHOLE("gpus", "GPUs"), .number = s->of[g].cards[n])                         \
	X(PALEO_COLUMN_PERCENT("sd_log", "spread %"), .number = s->of[g].sd[n])                    \
	X(PALEO_COLUMN_DATA_TEXT("presets"), .text = presets)

static const struct paleo_column columns[] = {COLUMNS(PALEO_COLUMN_OF)};

static int add_rows(const struct paleo_known_spreads *s, struct paleo_table *t,
		    struct paleo_error *err)
{
	char presets[17];
	int rc = PALEO_OK;

	snprintf(presets, sizeof(presets), "%016" PRIx64, s->presets);
	for (int g = 0; g < PALEO_KNOWN_GROUPS; g++) {
		for (int n = 0; !rc && n < PALEO_NEARNESSES; n++) {
			const struct paleo_cell cells[] = {COLUMNS(PALEO_CELL_OF)};
			rc = paleo_table_add(t, cells, err);
		}
	}
	return rc;
}

int study_presets(enum paleo_table_format format, struct paleo_error *err)
{
	struct paleo_table *t = PALEO_TABLE_OF(columns);
	struct paleo_known_spreads spreads;
	int rc = t ? paleo_known_study(&spreads, err)
		   : paleo_fail(err, PALEO_ENOMEM, "out of memory for a table");

	if (!rc)
		rc = add_rows(&spreads, t, err);
	if (!rc)
		rc = paleo_table_print(t, format, stdout, err);
	paleo_table_free(t);
	return rc;
}
