/* factors.c - prints the factors of a calibration. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/factors.h"

#include <math.h>
#include <stddef.h>

enum {
	COL_CLASS,
	COL_PASS,
	COL_DTYPE,
	COL_RECORDS,
	COL_COMPUTE,
	COL_SE_COMPUTE,
	COL_MEMORY,
	COL_SE_MEMORY,
	COL_OVERHEAD,
	COL_SE_OVERHEAD,
	COL_OVERLAP,
	COL_DEPTH,
	COL_SE_DEPTH,
	COL_WIDTH,
	COL_SE_WIDTH,
	COL_MEDIAN,
	COL_MEAN,
	COL_P90,
	COLUMNS
};

#define NUMBER(n, t, s, d)                                                                         \
	{                                                                                          \
		.name = (n), .title = (t), .type = PALEO_CELL_NUMBER, .scale = (s),                \
		.decimals = (d)                                                                    \
	}
#define STRING(n, t)                                                                               \
	{                                                                                          \
		.name = (n), .title = (t), .type = PALEO_CELL_STRING                               \
	}

/* Standard errors are of logarithms, so they are shown as percent of the value. */
static const struct paleo_column columns[COLUMNS] = {
	[COL_CLASS] = STRING("class", "kind of work"),
	[COL_PASS] = STRING("pass", "pass"),
	[COL_DTYPE] = STRING("dtype", "type"),
	[COL_RECORDS] = NUMBER("records", "records", 1, 0),
	[COL_COMPUTE] = NUMBER("ppp_compute", "PPP compute", 1, 3),
	[COL_SE_COMPUTE] = NUMBER("se_ppp_compute", "+-%", 100, 0),
	[COL_MEMORY] = NUMBER("ppp_memory", "PPP memory", 1, 3),
	[COL_SE_MEMORY] = NUMBER("se_ppp_memory", "+-%", 100, 0),
	[COL_OVERHEAD] = NUMBER("overhead_s", "overhead us", 1e6, 1),
	[COL_SE_OVERHEAD] = NUMBER("se_overhead", "+-%", 100, 0),
	[COL_OVERLAP] = NUMBER("overlap", "overlap", 1, 0),
	[COL_DEPTH] = NUMBER("half_depth", "half depth", 1, 0),
	[COL_SE_DEPTH] = NUMBER("se_half_depth", "+-%", 100, 0),
	[COL_WIDTH] = NUMBER("half_width", "half width", 1, 0),
	[COL_SE_WIDTH] = NUMBER("se_half_width", "+-%", 100, 0),
	[COL_MEDIAN] = NUMBER("heldout_median", "held out: median %", 100, 1),
	[COL_MEAN] = NUMBER("heldout_mean", "mean %", 100, 1),
	[COL_P90] = NUMBER("heldout_p90", "p90 %", 100, 1),
};

/* A value that the records cannot tell is shown as missing: it stands at its prior. */
static double known(double value, double se)
{
	return isnan(se) ? NAN : value;
}

static int add_factor(struct paleo_table *t, const struct paleo_factor *f, struct paleo_error *err)
{
	struct paleo_cell cells[COLUMNS] = {
		[COL_CLASS] = {.text = f->class_name},
		[COL_PASS] = {.text = paleo_pass_name(f->pass)},
		[COL_DTYPE] = {.text = paleo_dtype_name(f->dtype)},
		[COL_RECORDS] = {.number = f->records},
		[COL_COMPUTE] = {.number = known(f->ppp_compute, f->se_ppp_compute)},
		[COL_SE_COMPUTE] = {.number = f->se_ppp_compute},
		[COL_MEMORY] = {.number = known(f->ppp_memory, f->se_ppp_memory)},
		[COL_SE_MEMORY] = {.number = f->se_ppp_memory},
		[COL_OVERHEAD] = {.number = known(f->overhead_s, f->se_overhead)},
		[COL_SE_OVERHEAD] = {.number = f->se_overhead},
		[COL_OVERLAP] = {.number = f->overlap},
		[COL_DEPTH] = {.number = known(f->half_depth, f->se_half_depth)},
		[COL_SE_DEPTH] = {.number = f->se_half_depth},
		[COL_WIDTH] = {.number = known(f->half_width, f->se_half_width)},
		[COL_SE_WIDTH] = {.number = f->se_half_width},
		[COL_MEDIAN] = {.number = f->heldout_median},
		[COL_MEAN] = {.number = f->heldout_mean},
		[COL_P90] = {.number = f->heldout_p90},
	};

	return paleo_table_add(t, cells, err);
}

int factors_print(const struct paleo_calibration *c, enum paleo_table_format format, FILE *out,
		  struct paleo_error *err)
{
	struct paleo_table *t = paleo_table_new(columns, COLUMNS);
	int rc = PALEO_OK;

	if (!t)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for the table");
	for (int i = 0; !rc && i < c->count; i++)
		if (c->factors[i].records)
			rc = add_factor(t, &c->factors[i], err);
	if (!rc)
		rc = paleo_table_print(t, format, out, err);
	paleo_table_free(t);
	return rc;
}
