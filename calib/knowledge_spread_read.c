/* knowledge_spread_read.c - reads a file of spreads: how much knowledge of other GPUs errs. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/file.h"
#include "base/hash.h"
#include "calib/knowledge_spread.h"

enum {
	FILE_MAX_BYTES = 1 << 16,
	ROWS = PALEO_KNOWN_GROUPS * PALEO_NEARNESSES
};

/* Its columns, in their order. */
enum {
	GROUP,
	NEARNESS,
	CARDS,
	SD,
	PRESETS,
	COLUMNS
};

const char *const paleo_known_group_names[PALEO_KNOWN_GROUPS] = {
	[PALEO_KNOWN_PRODUCTS] = "products",
	[PALEO_KNOWN_CONVOLUTIONS] = "convolutions",
	[PALEO_KNOWN_FUSED] = "attention and experts",
	[PALEO_KNOWN_MOVES] = "what moves data",
};

const char *const paleo_nearness_names[PALEO_NEARNESSES] = {
	[PALEO_NEAR_OWN] = "own",       [PALEO_NEAR_DEVICE] = "device", [PALEO_NEAR_CHIP] = "chip",
	[PALEO_NEAR_FAMILY] = "family", [PALEO_NEAR_ALL] = "all GPUs",
};

uint64_t paleo_presets_identity(uint64_t before, const struct paleo_calibration *preset)
{
	const char *const texts[] = {preset->device.name, preset->created_utc, preset->versions};

	for (int i = 0; i < 3; i++) /* with the NUL that ends it */
		before = paleo_hash_bytes(before, texts[i], strlen(texts[i]) + 1);
	return paleo_hash(before ^ (uint64_t)preset->records);
}

static int parse_row(int row, char *line, struct paleo_known_spreads *out)
{
	char *fields[COLUMNS], *end;
	int group = row / PALEO_NEARNESSES, nearness = row % PALEO_NEARNESSES;
	struct paleo_known_spread *s = &out->of[group];

	if (paleo_csv_split(line, fields, COLUMNS) != COLUMNS ||
	    strcmp(fields[GROUP], paleo_known_group_names[group]) != 0 ||
	    strcmp(fields[NEARNESS], paleo_nearness_names[nearness]) != 0)
		return 0;
	long cards = strtol(fields[CARDS], &end, 10);
	if (end == fields[CARDS] || *end || cards < 0 || cards > 1 << 20)
		return 0;
	s->cards[nearness] = (int)cards;
	s->sd[nearness] = fields[SD][0] ? strtod(fields[SD], &end) : NAN;
	if (fields[SD][0] && (*end || !(s->sd[nearness] >= 0 && s->sd[nearness] < 100)))
		return 0;
	uint64_t presets = strtoull(fields[PRESETS], &end, 16);
	if (end == fields[PRESETS] || *end || (row && presets != out->presets))
		return 0;
	out->presets = presets;
	return 1;
}

int paleo_known_spreads_load(const char *path, struct paleo_known_spreads *out,
			     struct paleo_error *err)
{
	struct paleo_known_spreads read = {.presets = 0};
	char *text = NULL, *line, *rest;
	size_t size = 0;
	int rc = paleo_file_read(path, FILE_MAX_BYTES, "a file of spreads", &text, &size, err);

	if (rc)
		return rc;
	line = strtok_r(text, "\n", &rest); /* the names of the columns */
	for (int row = 0; !rc && row < ROWS; row++) {
		line = line ? strtok_r(NULL, "\n", &rest) : NULL;
		if (!line || !parse_row(row, line, &read))
			rc = paleo_fail(err, PALEO_EINPUT,
					"%s:%d: expected the line of '%s' and '%s': make the file "
					"again (paleo study --presets --format csv)",
					path, row + 2,
					paleo_known_group_names[row / PALEO_NEARNESSES],
					paleo_nearness_names[row % PALEO_NEARNESSES]);
	}
	free(text);
	if (!rc)
		*out = read;
	return rc;
}
