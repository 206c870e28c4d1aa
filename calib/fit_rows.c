/* fit_rows.c - the records that a fit uses: inputs of the cost model, grouped and split. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "calib/fit_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/stats.h"
#include "model/op/op_fields.h"

/* A running hash. */
static uint64_t mix(uint64_t hash, double value)
{
	return paleo_hash(hash + (uint64_t)value);
}

/* Hash of a layer's weights, whatever the pass: op.h has their two sizes by pass. */
static uint64_t gemm_shape(uint64_t hash, const struct paleo_gemm_geom *g, enum paleo_pass pass)
{
	double a = pass == PALEO_BWD_FILTER ? g->m : g->k, b = g->n;

	return mix(mix(hash, fmin(a, b)), fmax(a, b));
}

uint64_t paleo_fit_shape(const struct paleo_op *w)
{
	uint64_t hash = mix(0, w->kind);

	if (w->kind == PALEO_GEMM)
		return gemm_shape(hash, &w->geom.gemm, w->pass);
	for (const struct paleo_field *f = paleo_op_fields(w->kind); f->name; f++)
		if (f->of & PALEO_OF_SHAPE)
			hash = mix(hash, paleo_field_get(w, f));
	return hash;
}

uint64_t paleo_fit_part(const struct paleo_op *w)
{
	uint64_t hash = paleo_fit_shape(w);

	for (const struct paleo_field *f = paleo_op_fields(w->kind); f->name; f++)
		if (f->of & PALEO_OF_PART)
			hash = mix(hash, paleo_field_get(w, f));
	return hash;
}

static int compare_kind(const struct paleo_op *a, const struct paleo_op *b)
{
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	return (a->dtype > b->dtype) - (a->dtype < b->dtype);
}

static int compare_class(const struct paleo_op *a, const struct paleo_op *b)
{
	int order = compare_kind(a, b);

	return order ? order : strcmp(paleo_op_class(a), paleo_op_class(b));
}

static int compare_group(const struct paleo_op *a, const struct paleo_op *b)
{
	int order = compare_class(a, b);

	return order ? order : (a->pass > b->pass) - (a->pass < b->pass);
}

static int by_group(const void *a, const void *b)
{
	const struct paleo_fit_row *x = a;
	const struct paleo_fit_row *y = b;
	int order = compare_group(x->op, y->op);

	return order ? order : (x->record > y->record) - (x->record < y->record);
}

int paleo_fit_rows_kind(const struct paleo_fit_row *rows, int count)
{
	int n = 1;

	while (n < count && compare_kind(rows[0].op, rows[n].op) == 0)
		n++;
	return n;
}

int paleo_fit_rows_class(const struct paleo_fit_row *rows, int count)
{
	int n = 1;

	while (n < count && compare_class(rows[0].op, rows[n].op) == 0)
		n++;
	return n;
}

int paleo_fit_rows_group(const struct paleo_fit_row *rows, int count)
{
	int n = 1;

	while (n < count && compare_group(rows[0].op, rows[n].op) == 0)
		n++;
	return n;
}

/* 1 if the record is usable; otherwise its reason is counted. */
static int usable(const struct paleo_result *r, const char *mode, struct paleo_fit_report *report)
{
	if (r->status == PALEO_RECORD_DISTURBED)
		report->disturbed++;
	else if (r->status != PALEO_RECORD_OK || !(r->timing.median_s > 0) ||
		 !isfinite(r->timing.median_s))
		report->not_ok++;
	else if (strcmp(r->mode, mode) != 0)
		report->mode++;
	else if (paleo_record_has_tag(r->tags, PALEO_TAG_DIFFERS))
		report->differs++;
	else
		return 1;
	return 0;
}

/* Copies `most` of n rows to `out`, chosen by a hash of the op. Room for 2 n hashes. */
static int keep(const struct paleo_fit_row *rows, int n, int most, uint64_t *hashes,
		struct paleo_fit_row *out)
{
	uint64_t *sorted = hashes + n, last = UINT64_MAX;
	int kept = 0;

	/* hashed once more, as other choices use the hash itself */
	for (int i = 0; i < n; i++)
		hashes[i] = sorted[i] = mix(0, (double)(paleo_op_hash(rows[i].op) >> 11));
	if (n > most) {
		qsort(sorted, (size_t)n, sizeof(*sorted), paleo_compare_hashes);
		last = sorted[most - 1];
	}
	for (int i = 0; i < n; i++)
		if (hashes[i] <= last)
			out[kept++] = rows[i];
	return kept;
}

int paleo_fit_rows_thin(struct paleo_fit_row *rows, int *count, int most, struct paleo_error *err)
{
	uint64_t *hashes = malloc((2 * (size_t)*count + 1) * sizeof(*hashes));
	int kept = 0;

	if (!hashes)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	for (int first = 0; first < *count;) {
		int n = paleo_fit_rows_group(rows + first, *count - first);
		kept += keep(rows + first, n, most, hashes, rows + kept);
		first += n;
	}
	*count = kept;
	free(hashes);
	return PALEO_OK;
}

int paleo_fit_rows_share(struct paleo_fit_row *rows, int *count, double share,
			 struct paleo_error *err)
{
	uint64_t *hashes = malloc((2 * (size_t)*count + 1) * sizeof(*hashes));

	if (!hashes)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	*count = keep(rows, *count, (int)ceil(share * *count), hashes, rows);
	free(hashes);
	return PALEO_OK;
}

struct shape_place {
	const struct paleo_op *op;
	uint64_t shape;
	int row;
};

/* The shapes of a class are neighbours, so that they go to different parts: with few of them a part
 * would else have them all. */
static int by_shape(const void *a, const void *b)
{
	const struct shape_place *x = a;
	const struct shape_place *y = b;
	int order = compare_class(x->op, y->op);

	return order ? order : (x->shape > y->shape) - (x->shape < y->shape);
}

int paleo_fit_rows_deal(struct paleo_fit_row *rows, int count, int parts, struct paleo_error *err)
{
	struct shape_place *order = malloc(((size_t)count + 1) * sizeof(*order));
	int fold = -1;

	if (!order)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	for (int i = 0; i < count; i++)
		order[i] = (struct shape_place){rows[i].op, rows[i].shape, i};
	qsort(order, (size_t)count, sizeof(*order), by_shape);
	for (int i = 0; i < count; i++) {
		if (i == 0 || by_shape(&order[i - 1], &order[i]) != 0)
			fold = (fold + 1) % parts;
		rows[order[i].row].fold = fold;
	}
	free(order);
	return PALEO_OK;
}

struct paleo_device paleo_fit_device_at(const struct paleo_calibration *c,
					const struct paleo_timing *t)
{
	struct paleo_device d = c->device;

	d.speed = paleo_speed_over(&t->speed, &c->speed);
	paleo_speed_known(&d);
	return d;
}

enum {
	SHAPES_MIN = 5 /* of a class, to hold some of them out */
};

static int has_few_shapes(const struct paleo_fit_row *rows, int count)
{
	uint64_t known[SHAPES_MIN];
	int n = 0;

	for (int i = 0; i < count && n < SHAPES_MIN; i++) {
		int k = 0;
		while (k < n && known[k] != rows[i].shape)
			k++;
		if (k == n)
			known[n++] = rows[i].shape;
	}
	return n < SHAPES_MIN;
}

void paleo_fit_rows_part(struct paleo_fit_row *rows, int count)
{
	for (int first = 0, n; first < count; first += n) {
		n = paleo_fit_rows_class(rows + first, count - first);
		if (!has_few_shapes(rows + first, n))
			continue;
		for (int i = first; i < first + n; i++)
			rows[i].shape = rows[i].part;
	}
}

/* The median of a list, which is sorted, and half the logarithm of the range that two thirds are
 * in, which a few disturbed ones do not change; 0 where it is empty. */
static void sum_up(double *values, size_t n, double *middle, double *sd)
{
	*middle = *sd = 0;
	if (!n)
		return;
	paleo_sort(values, n);
	*middle = paleo_quantile_sorted(values, n, 0.5);
	*sd = log(paleo_quantile_sorted(values, n, 5. / 6) /
		  paleo_quantile_sorted(values, n, 1. / 6)) /
	      2;
}

int paleo_fit_rates(const struct paleo_timing *(*timing)(const void *of, int i), const void *of,
		    int count, struct paleo_rates *out, struct paleo_speed *sd,
		    struct paleo_error *err)
{
	double *flops = malloc(2 * ((size_t)count + 1) * sizeof(*flops));
	size_t flop_count = 0, byte_count = 0;

	if (!flops)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rates", count);
	double *bytes = flops + count + 1;
	for (int i = 0; i < count; i++) {
		const struct paleo_timing *t = timing(of, i);
		if (t && t->speed.flop_per_s > 0)
			flops[flop_count++] = t->speed.flop_per_s;
		if (t && t->speed.bytes_per_s > 0)
			bytes[byte_count++] = t->speed.bytes_per_s;
	}
	sum_up(flops, flop_count, &out->flop_per_s, &sd->products);
	sum_up(bytes, byte_count, &out->bytes_per_s, &sd->memory);
	free(flops);
	return PALEO_OK;
}

static const struct paleo_timing *timing_of(const void *of, int i)
{
	const struct paleo_result *r = &((const struct paleo_results *)of)->records[i];

	return r->status == PALEO_RECORD_OK ? &r->timing : NULL;
}

static void add_row(const struct paleo_results *r, int i, struct paleo_fit_rows *rows,
		    struct paleo_fit_report *report)
{
	const struct paleo_result *record = &r->records[i];
	struct paleo_error ignored;
	const struct paleo_timing *t = &record->timing;
	const struct paleo_speed speed = paleo_speed_over(&t->speed, &rows->speed);
	struct paleo_fit_row row = {
		.op = &record->op,
		.algorithm = record->algorithm,
		.log_s = log(t->median_s * paleo_speed_of(&speed, &record->op)),
		.speed = speed,
		.weight = 1,
		.shape = paleo_fit_shape(&record->op),
		.part = paleo_fit_part(&record->op),
		.record = i,
	};

	if (paleo_cost_model_terms(&r->meta.device, row.op, &row.terms, &ignored)) {
		report->no_peak++;
		return;
	}
	rows->rows[rows->count++] = row;
}

static int fail_empty(const struct paleo_results *r, const char *mode,
		      const struct paleo_fit_report *n, struct paleo_error *err)
{
	if (!r->count)
		return paleo_fail(err, PALEO_EINPUT, "there are no records to fit");
	return paleo_fail(
		err, PALEO_EINPUT,
		"no record can be used for a fit in mode '%s': of %d, %d are not ok, %d "
		"in another mode, %d of devices that differ, %d of dtypes for which device "
		"'%s' has no peak, %d left out",
		mode, r->count, n->not_ok, n->mode, n->differs, n->no_peak, r->meta.device.name,
		n->skipped);
}

int paleo_fit_rows_collect(const struct paleo_results *r, const struct paleo_fit_options *o,
			   struct paleo_fit_rows *out, struct paleo_fit_report *report,
			   struct paleo_error *err)
{
	const char *mode = o->mode ? o->mode : "cold";
	struct paleo_fit_report n = {0};
	struct paleo_fit_rows rows = {.folds = o->folds > 0 ? o->folds : 5};
	int rc = PALEO_OK;

	rows.rows = malloc(((size_t)r->count + 1) * sizeof(*rows.rows));
	if (!rows.rows)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	rc = paleo_fit_rates(timing_of, r, r->count, &rows.speed, &rows.speed_sd, err);
	if (rc)
		goto out;
	for (int i = 0; i < r->count; i++) {
		if (!paleo_results_stands(r, i))
			continue; /* another algorithm for the same op is faster */
		if (o->skip && o->skip[i])
			n.skipped++;
		else if (usable(&r->records[i], mode, &n))
			add_row(r, i, &rows, &n);
	}
	if (rows.count == 0) {
		rc = fail_empty(r, mode, &n, err);
		goto out;
	}
	qsort(rows.rows, (size_t)rows.count, sizeof(*rows.rows), by_group);
	n.surplus = rows.count;
	rc = paleo_fit_rows_thin(rows.rows, &rows.count, PALEO_FIT_ROWS_MAX, err);
	n.surplus -= rows.count;
	if (!rc) {
		paleo_fit_rows_part(rows.rows, rows.count);
		rc = paleo_fit_rows_deal(rows.rows, rows.count, rows.folds, err);
	}
out:
	if (rc) {
		paleo_fit_rows_release(&rows);
		return rc;
	}
	n.used = rows.count;
	*out = rows;
	if (report)
		*report = n;
	return PALEO_OK;
}

int paleo_fit_rows_ppp(const struct paleo_fit_row *rows, int count, double *ppp,
		       struct paleo_error *err)
{
	double *each = malloc((size_t)count * sizeof(*each));

	if (!each)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	for (int i = 0; i < count; i++)
		each[i] = (rows[i].terms.compute_s + rows[i].terms.memory_s) / exp(rows[i].log_s);
	paleo_sort(each, (size_t)count);
	*ppp = paleo_quantile_sorted(each, (size_t)count, 0.5);
	free(each);
	return PALEO_OK;
}

void paleo_fit_rows_release(struct paleo_fit_rows *rows)
{
	if (!rows)
		return;
	free(rows->rows);
	*rows = (struct paleo_fit_rows){0};
}
