/* export.c - the formats of --export: AIConfigurator's table of GEMMs, and what formats share. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/devices/export.h"

#include <stdio.h>

#include "base/table.h"
#include "base/text.h"
#include "paleo/version.h"

int export_source(const struct paleo_device *d, const char *file, enum paleo_dtype dtype,
		  struct paleo_source *out, struct paleo_error *err)
{
	const struct paleo_source_wish wish = {.dtype = dtype, .device = d->name, .devices = file};

	PALEO_TRY(paleo_choose_source(&wish, out, err));
	paleo_print(stderr, "%s, %s: %s\n", d->name, paleo_dtype_name(dtype), out->title);
	return PALEO_OK;
}

int export_gemm(enum paleo_dtype dtype, int m, int n, int k, struct paleo_op *out,
		struct paleo_error *err)
{
	*out = (struct paleo_op){.kind = PALEO_GEMM,
				 .pass = PALEO_FWD,
				 .dtype = dtype,
				 .geom.gemm = {.m = m, .n = n, .k = k, .batch = 1, .trans_b = 1}};
	return paleo_op_finish(out, err);
}

/* The columns of gemm_perf.txt, which its reader finds by name; `trans` is for ours. */
#define COLUMNS(X)                                                                                 \
	X(PALEO_COLUMN_TEXT("framework", "framework"), .text = "paleo")                            \
	X(PALEO_COLUMN_TEXT("version", "version"), .text = PALEO_VERSION)                          \
	X(PALEO_COLUMN_TEXT("device", "device"), .text = c->device.name)                           \
	X(PALEO_COLUMN_TEXT("op_name", "op_name"), .text = "gemm")                                 \
	X(PALEO_COLUMN_TEXT("kernel_source", "kernel_source"), .text = "predicted")                \
	X(PALEO_COLUMN_TEXT("gemm_dtype", "gemm_dtype"), .text = dtype_word)                       \
	X(PALEO_COLUMN_WHOLE("m", "m"), .number = w->geom.gemm.m)                                  \
	X(PALEO_COLUMN_WHOLE("n", "n"), .number = w->geom.gemm.n)                                  \
	X(PALEO_COLUMN_WHOLE("k", "k"), .number = w->geom.gemm.k)                                  \
	X(PALEO_COLUMN_NUMBER("latency", "latency", 1, 6), .number = p.parts.total_s * 1e3)        \
	X(PALEO_COLUMN_TEXT("trans", "trans"), .text = "NT")

static const struct paleo_column columns[] = {COLUMNS(PALEO_COLUMN_OF)};

/* The sizes of its own tables. */
static const int grid_m[] = {1,   2,   4,   8,   16,   32,   48,   64,   80,   96,   112,   128,
			     160, 192, 256, 512, 1024, 1536, 2048, 3072, 4096, 8192, 16384, 32768};
static const int grid_nk[] = {32,   64,    128,   256,   512,   768,  1024, 1536,
			      2048, 2560,  3072,  3584,  4096,  5120, 6144, 7168,
			      8192, 10240, 12288, 16384, 51200, 65536};

enum {
	GRID_M = sizeof(grid_m) / sizeof(grid_m[0]),
	GRID_NK = sizeof(grid_nk) / sizeof(grid_nk[0])
};

static int add_row(struct paleo_table *t, const struct paleo_calibration *c,
		   const struct paleo_op *w, struct paleo_error *err)
{
	const char *dtype_word = w->dtype == PALEO_FP8 ? "fp8" : "bfloat16";
	struct paleo_prediction p;

	PALEO_TRY(paleo_predict_op(c, w, &p, err));
	const struct paleo_cell cells[] = {COLUMNS(PALEO_CELL_OF)};
	return paleo_table_add(t, cells, err);
}

static int add_grid(struct paleo_table *t, const struct paleo_calibration *c,
		    enum paleo_dtype dtype, struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < GRID_M * GRID_NK * GRID_NK; i++) {
		struct paleo_op w;
		rc = export_gemm(dtype, grid_m[i / GRID_NK / GRID_NK],
				 grid_nk[i / GRID_NK % GRID_NK], grid_nk[i % GRID_NK], &w, err);
		if (!rc)
			rc = add_row(t, c, &w, err);
	}
	return rc;
}

int export_aiconfigurator_source(const struct paleo_device *d, const char *file,
				 struct paleo_source *out, struct paleo_error *err)
{
	if (!(d->flop_per_s[PALEO_BF16] > 0))
		return paleo_fail(err, PALEO_EINPUT,
				  "device '%s' has no peak FLOP/s for bf16, and AIConfigurator's "
				  "tables have no wider dtype: export another device",
				  d->name);
	return export_source(d, file, d->flop_per_s[PALEO_FP8] > 0 ? PALEO_FP8 : PALEO_BF16, out,
			     err);
}

int export_aiconfigurator(const struct paleo_device *d, const char *file, struct paleo_error *err)
{
	struct paleo_source source;

	PALEO_TRY(export_aiconfigurator_source(d, file, &source, err));
	struct paleo_table *t = PALEO_TABLE_OF(columns);
	int rc = t ? add_grid(t, &source.calibration, PALEO_BF16, err)
		   : paleo_fail(err, PALEO_ENOMEM, "out of memory for a table");
	if (!rc && d->flop_per_s[PALEO_FP8] > 0)
		rc = add_grid(t, &source.calibration, PALEO_FP8, err);
	if (!rc)
		rc = paleo_table_print(t, PALEO_TABLE_CSV, stdout, err);
	paleo_table_free(t);
	paleo_source_release(&source);
	return rc;
}
