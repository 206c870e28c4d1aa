/* study.c - cross-validates cost models on published tables of times of ops. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "calib/study.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "base/text.h"
#include "model/device/device.h"
#include "tools/cli/options.h"
#include "tools/session/measured.h"
#include "tools/session/progress.h"
#include "tools/validate/study.h"

enum {
	FOLDS = 5 /* parts held out in turn */
};

/* Ops of a table that are studied together; texts are borrowed. */
struct studied {
	const char *device, *op, *dtype, *table;
	int rows, fitted;
};

#define COLUMNS(X)                                                                                 \
	X(PALEO_COLUMN_TEXT("device", "device"), .text = of->device)                               \
	X(PALEO_COLUMN_TEXT("op", "op"), .text = of->op)                                           \
	X(PALEO_COLUMN_TEXT("dtype", "type"), .text = of->dtype)                                   \
	X(PALEO_COLUMN_TEXT("cost_model", "cost model"), .text = cost_model)                       \
	X(PALEO_COLUMN_WHOLE("rows", "rows"), .number = of->rows)                                  \
	X(PALEO_COLUMN_WHOLE("fitted", "fitted"), .number = of->fitted)                            \
	X(PALEO_COLUMN_PERCENT("median", "median %"), .number = e->errors.median)                  \
	X(PALEO_COLUMN_PERCENT("mean", "mean %"), .number = e->errors.mean)                        \
	X(PALEO_COLUMN_PERCENT("p90", "p90 %"), .number = e->errors.p90)                           \
	X(PALEO_COLUMN_PERCENT("bias", "bias %"), .number = e->errors.bias)                        \
	X(PALEO_COLUMN_PERCENT("sum", "sum %"), .number = e->errors.sum)                           \
	X(PALEO_COLUMN_PERCENT("coverage", "in 90 % interval"), .number = e->errors.coverage)      \
	X(PALEO_COLUMN_PERCENT("coverage50", "in 50 %"), .number = e->errors.coverage50)           \
	X(PALEO_COLUMN_PERCENT("width", "width %"), .number = e->errors.width)                     \
	X(PALEO_COLUMN_PERCENT("worst", "worst draw %"), .number = e->worst)                       \
	X(PALEO_COLUMN_TEXT("table", "table"), .text = of->table)

static const struct paleo_column columns[] = {COLUMNS(PALEO_COLUMN_OF)};

static int add_row(struct paleo_table *t, const struct studied *of, const char *cost_model,
		   const struct paleo_study_errors *e, struct paleo_error *err)
{
	const struct paleo_cell cells[] = {COLUMNS(PALEO_CELL_OF)};

	return paleo_table_add(t, cells, err);
}

static int is_wanted(const struct paleo_op *w, int dtype)
{
	return dtype == PALEO_DTYPES || (int)w->dtype == dtype;
}

static void tell_rows(const char *path, int count, const char *why)
{
	paleo_print(stderr, "%s: %d row%s left out: %s\n", path, count, count == 1 ? "" : "s", why);
}

/* Rows of a table without a study: of other dtypes, and ops without a cost model. */
static void tell_left_out(const struct paleo_measured *m, int dtype, const char *path)
{
	int others = 0, lawless = 0;

	for (int i = 0; i < m->count; i++) {
		const struct paleo_op *w = &m->rows[i].op;
		if (!is_wanted(w, dtype))
			others++;
		else if (!paleo_study_has(w->kind, w->pass))
			lawless++;
	}
	if (others)
		tell_rows(path, others, "other dtypes");
	if (lawless)
		tell_rows(path, lawless, "no cost model for such ops");
}

/* One kind and pass of a table. */
static int study_ops(const struct paleo_measured *m, const struct paleo_device *d,
		     const struct paleo_study_options *o, const char *path, struct progress *p,
		     struct paleo_table *t, struct paleo_error *err)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	struct paleo_study study;
	char op[32], what[PROGRESS_WHAT_MAX];

	snprintf(op, sizeof(op), o->pass == PALEO_FWD ? "%s" : "%s %s",
		 o->class_name ? o->class_name : paleo_op_kind_name(o->kind),
		 paleo_pass_name(o->pass));
	snprintf(what, sizeof(what), "%s %s, cross-validating: %s", op, paleo_dtype_name(o->dtype),
		 name);
	progress_begin(p, what);
	int rc = paleo_study_ops(m, d, o, &study, err);
	progress_clear(p);
	if (rc)
		return rc;
	const struct studied of = {d->name, op,         paleo_dtype_name(o->dtype),
				   name,    study.rows, study.counts.fitted};
	rc = add_row(t, &of, "tiles", &study.cost_model, err);
	if (!rc && study.counts.corrected)
		rc = add_row(t, &of, "corrected", &study.corrected, err);
	if (!rc)
		rc = add_row(t, &of, "paleo", &study.paleo, err);
	paleo_study_release(&study);
	return rc;
}

/* Element-wise functions are studied one by one, as they are called by a fixed cost of their own,
 * and so are attention, scans and causal convolutions of one token and of many, by kernels of their
 * own; the rest by kind. */
static int has_classes(const struct paleo_op *w)
{
	return w->kind == PALEO_ELTWISE || w->kind == PALEO_ATTENTION || w->kind == PALEO_SCAN ||
	       w->kind == PALEO_CAUSAL_CONV;
}

static const char *class_of(const struct paleo_op *w)
{
	return has_classes(w) ? paleo_op_class(w) : paleo_op_kind_name(w->kind);
}

/* The first row of its class, pass and dtype, if that is to be studied. */
static int is_first(const struct paleo_measured *m, int row, int dtype)
{
	const struct paleo_op *w = &m->rows[row].op;

	if (!is_wanted(w, dtype) || !paleo_study_has(w->kind, w->pass))
		return 0;
	for (int i = row - 1; i >= 0; i--) {
		const struct paleo_op *v = &m->rows[i].op;
		if (v->dtype == w->dtype && v->pass == w->pass && !strcmp(class_of(v), class_of(w)))
			return 0;
	}
	return 1;
}

/* Every kind of collective operation of a table. *studied grows by how many there are. */
static int study_collectives(const struct paleo_measured *m, const struct paleo_device *d,
			     const struct paleo_study_options *o, const char *path,
			     struct paleo_table *t, int *studied, struct paleo_error *err)
{
	const char *slash = strrchr(path, '/');
	struct paleo_comm_study *studies = NULL;
	int count = 0, left_out = 0;

	int rc = paleo_study_collectives(m, o, &studies, &count, &left_out, err);
	if (left_out)
		tell_rows(path, left_out, "too few collective operations of their kind");
	for (int i = 0; !rc && i < count; i++) {
		const struct paleo_comm_study *s = &studies[i];
		char op[32];
		if (s->of.ranks)
			snprintf(op, sizeof(op), "%s %d", s->of.op, s->of.ranks);
		else
			snprintf(op, sizeof(op), "%s, all", s->of.op);
		const struct studied of = {d->name, op,       s->of.how, slash ? slash + 1 : path,
					   s->rows, s->fitted};
		rc = add_row(t, &of, "best form", &s->best, err);
		if (!rc)
			rc = add_row(t, &of, "curve", &s->curve, err);
		if (!rc)
			rc = add_row(t, &of, "alpha-beta", &s->line, err);
		if (!rc)
			rc = add_row(t, &of, "paleo", &s->paleo, err);
	}
	*studied += count;
	free(studies);
	return rc;
}

/* Every kind and pass of a table for which there is a cost model. */
static int study_table(const struct study_settings *s, const struct paleo_catalog *c,
		       const char *path, struct paleo_table *t, struct paleo_error *err)
{
	struct paleo_study_options o = {.groups = (enum paleo_study_groups)s->groups,
					.folds = FOLDS,
					.rows_max = s->rows,
					.draws = s->draws,
					.operand_sets_max = s->operand_sets};
	const struct paleo_device *d;
	const struct paleo_measured_wish wish = {
		s->device,
		s->dtype < PALEO_DTYPES ? paleo_dtype_name((enum paleo_dtype)s->dtype) : NULL};
	struct paleo_measured m = {0};
	struct progress progress;
	int studied = 0;

	progress_open(&progress, s->quiet);
	o.progress = progress_listener(&progress);
	int rc = paleo_measured_read(path, &wish, &m, err);
	if (rc) /* its sentence begins with the path */
		return rc;
	rc = paleo_catalog_find_measured(c, s->device, m.gpu, &d, err);
	if (!rc) {
		paleo_measured_check(&m, d);
		tables_tell_refused(&m, path, stderr);
		tell_left_out(&m, s->dtype, path);
	}
	for (int i = 0; !rc && i < m.count; i++) {
		const struct paleo_op *w = &m.rows[i].op;
		if (!is_first(&m, i, s->dtype))
			continue;
		o.dtype = w->dtype;
		o.kind = w->kind;
		o.pass = w->pass;
		o.class_name = has_classes(w) ? class_of(w) : NULL;
		rc = study_ops(&m, d, &o, path, &progress, t, err);
		studied += !rc;
		/* Too few of them, or a type that the device lacks: others may do. */
		if (rc == PALEO_EINPUT || rc == PALEO_EUNSUPPORTED) {
			paleo_print(stderr, "%s: left out: %s\n", path, err->text);
			rc = PALEO_OK;
		}
	}
	if (!rc && m.collective_count)
		rc = study_collectives(&m, d, &o, path, t, &studied, err);
	if (!rc && !studied)
		rc = paleo_fail(err, PALEO_EINPUT, "no rows to validate on");
	if (rc)
		paleo_error_prefix(err, "%s", path);
	paleo_measured_release(&m);
	return rc;
}

int study_tables(const struct study_settings *s, const char *const *tables, int count)
{
	struct paleo_table *t = PALEO_TABLE_OF(columns);
	struct paleo_error err = {0};
	struct paleo_catalog c = {0};
	int rc, code = EXIT_GOOD, studied = 0;

	rc = t ? paleo_catalog_make(s->devices, &c, &err)
	       : paleo_fail(&err, PALEO_ENOMEM, "out of memory for a table");
	/* A table that cannot be studied does not take the others' rows away. */
	for (int i = 0; !rc && i < count; i++)
		if (study_table(s, &c, tables[i], t, &err))
			code = command_fail(&command_validate, &err);
		else
			studied++;
	if (!rc && studied)
		rc = paleo_table_print(t, s->format, stdout, &err);
	paleo_catalog_release(&c);
	paleo_table_free(t);
	return rc ? command_fail(&command_validate, &err) : code;
}
