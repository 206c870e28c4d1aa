/* study_presets.c - the study of presets: how much what is known of one GPU errs on another. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/study_presets.h"

#include <inttypes.h>
#include <stdio.h>

#include "library/known.h"

/* As calib/knowledge_spread_read.c reads them. */
enum {
	GROUP,
	NEARNESS,
	CARDS,
	SD,
	PRESETS,
	COLUMNS
};

static const struct paleo_column columns[COLUMNS] = {
	[GROUP] = {.name = "works", .title = "works", .type = PALEO_CELL_STRING},
	[NEARNESS] = {.name = "knowledge", .title = "knowledge of", .type = PALEO_CELL_STRING},
	[CARDS] = {.name = "gpus", .title = "GPUs", .type = PALEO_CELL_NUMBER},
	[SD] = {.name = "sd_log",
		.title = "spread %",
		.type = PALEO_CELL_NUMBER,
		.scale = 100,
		.decimals = 1},
	[PRESETS] = {.name = "presets",
		     .title = "presets",
		     .type = PALEO_CELL_STRING,
		     .data_only = 1},
};

static int add_rows(const struct paleo_known_spreads *s, struct paleo_table *t,
		    struct paleo_error *err)
{
	char presets[17];
	int rc = PALEO_OK;

	snprintf(presets, sizeof(presets), "%016" PRIx64, s->presets);
	for (int g = 0; g < PALEO_KNOWN_GROUPS; g++) {
		for (int n = 0; !rc && n < PALEO_NEARNESSES; n++) {
			const struct paleo_cell cells[COLUMNS] = {
				[GROUP] = {.text = paleo_known_group_names[g]},
				[NEARNESS] = {.text = paleo_nearness_names[n]},
				[CARDS] = {.number = s->of[g].cards[n]},
				[SD] = {.number = s->of[g].sd[n]},
				[PRESETS] = {.text = presets},
			};
			rc = paleo_table_add(t, cells, err);
		}
	}
	return rc;
}

int study_presets(enum paleo_table_format format, struct paleo_error *err)
{
	struct paleo_table *t = paleo_table_new(columns, COLUMNS);
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
