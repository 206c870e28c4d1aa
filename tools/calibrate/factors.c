/* factors.c - prints the factors of a calibration. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/table.h"
#include "base/text.h"
#include "tools/calibrate/calibrate.h"

/* Standard errors are of logarithms, so they are shown as percent of the value. */
#define COLUMNS(X)                                                                                 \
	X(PALEO_COLUMN_TEXT("class", "kind of op"), .text = f->class_name)                         \
	X(PALEO_COLUMN_TEXT("pass", "pass"), .text = paleo_pass_name(f->pass))                     \
	X(PALEO_COLUMN_TEXT("dtype", "type"), .text = paleo_dtype_name(f->dtype))                  \
	X(PALEO_COLUMN_NUMBER("records", "records", 1, 0), .number = f->records)                   \
	X(PALEO_COLUMN_TEXT("kernel_model", "kernel model"),                                       \
	  .text = f->model ? f->model->kernel->name : "smooth")                                    \
	X(PALEO_COLUMN_NUMBER("ppp", "PPP", 1, 3), .number = f->ppp)                               \
	X(PALEO_COLUMN_NUMBER("ppp_compute", "PPP compute", 1, 3), .number = compute.value)        \
	X(PALEO_COLUMN_NUMBER("se_ppp_compute", "+-%", 100, 0), .number = compute.se)              \
	X(PALEO_COLUMN_NUMBER("ppp_memory", "PPP memory", 1, 3), .number = memory.value)           \
	X(PALEO_COLUMN_NUMBER("se_ppp_memory", "+-%", 100, 0), .number = memory.se)                \
	X(PALEO_COLUMN_NUMBER("overhead_s", "overhead us", 1e6, 1), .number = overhead.value)      \
	X(PALEO_COLUMN_NUMBER("se_overhead", "+-%", 100, 0), .number = overhead.se)                \
	X(PALEO_COLUMN_NUMBER("overlap", "overlap", 1, 0), .number = f->model ? NAN : f->overlap)  \
	X(PALEO_COLUMN_NUMBER("half_depth", "half depth", 1, 0), .number = depth.value)            \
	X(PALEO_COLUMN_NUMBER("se_half_depth", "+-%", 100, 0), .number = depth.se)                 \
	X(PALEO_COLUMN_NUMBER("half_width", "half width", 1, 0), .number = width.value)            \
	X(PALEO_COLUMN_NUMBER("se_half_width", "+-%", 100, 0), .number = width.se)                 \
	X(PALEO_COLUMN_NUMBER("heldout_median", "held out: median %", 100, 1),                     \
	  .number = f->heldout_median)                                                             \
	X(PALEO_COLUMN_NUMBER("heldout_mean", "mean %", 100, 1), .number = f->heldout_mean)        \
	X(PALEO_COLUMN_NUMBER("heldout_p90", "p90 %", 100, 1), .number = f->heldout_p90)

static const struct paleo_column columns[] = {COLUMNS(PALEO_COLUMN_OF)};

/* A parameter and its standard error; NaN where it has none. */
struct estimate {
	double value, se;
};

/* A value that the records cannot tell is shown as missing: it stands at its prior. */
static struct estimate known(double value, double se)
{
	return (struct estimate){isnan(se) ? NAN : value, se};
}

/* A parameter of the smooth cost model or, where there is a kernel model, what that has under this
 * name, in units of so many of the smooth one's. */
static struct estimate estimate_of(const struct paleo_class_model *f, struct estimate smooth,
				   const char *name, double unit)
{
	const struct paleo_fitted_kernel *m = f->model;

	if (!m)
		return smooth;
	for (int i = 0; i < m->kernel->count; i++) {
		const struct paleo_parameter *p = &m->kernel->parameters[i];
		if (!strcmp(p->name, name))
			return known(paleo_parameter_get(p, &m->params) * unit, m->se[i]);
	}
	return known(NAN, NAN);
}

static int add_factor(struct paleo_table *t, const struct paleo_class_model *f,
		      struct paleo_error *err)
{
	const struct estimate none = known(NAN, NAN);
	const struct estimate compute =
		estimate_of(f, known(f->ppp_compute, f->se_ppp_compute), "ppp_compute", 1);
	const struct estimate memory =
		estimate_of(f, known(f->ppp_memory, f->se_ppp_memory), "ppp_memory", 1);
	const struct estimate overhead =
		estimate_of(f, known(f->overhead_s, f->se_overhead), "launch_us", 1e-6);
	const struct estimate depth = f->model ? none : known(f->half_depth, f->se_half_depth);
	const struct estimate width = f->model ? none : known(f->half_width, f->se_half_width);
	const struct paleo_cell cells[] = {COLUMNS(PALEO_CELL_OF)};

	return paleo_table_add(t, cells, err);
}

static int print_factors(const struct paleo_calibration *c, enum paleo_table_format format,
			 FILE *out, struct paleo_error *err)
{
	struct paleo_table *t = PALEO_TABLE_OF(columns);
	int rc = PALEO_OK;

	if (!t)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for the table");
	for (int i = 0; !rc && i < c->count; i++)
		if (c->models[i].records)
			rc = add_factor(t, &c->models[i], err);
	if (!rc)
		rc = paleo_table_print(t, format, out, err);
	paleo_table_free(t);
	return rc;
}

#define FORM_COLUMNS(X)                                                                            \
	X(PALEO_COLUMN_TEXT("class", "kind of op"), .text = f->class_name)                         \
	X(PALEO_COLUMN_TEXT("pass", "pass"), .text = paleo_pass_name(f->pass))                     \
	X(PALEO_COLUMN_TEXT("dtype", "type"), .text = paleo_dtype_name(f->dtype))                  \
	X(PALEO_COLUMN_TEXT("kernel_model", "kernel model"), .text = m->kernel->name)              \
	X(PALEO_COLUMN_TEXT("parameter", "parameter"), .text = p->name)                            \
	X(PALEO_COLUMN_NUMBER("value", "value", 1, 3),                                             \
	  .number = paleo_parameter_get(p, &m->params))                                            \
	X(PALEO_COLUMN_TEXT("unit", "unit"), .text = p->unit)                                      \
	X(PALEO_COLUMN_NUMBER("se", "+-%", 100, 0), .number = m->se[i])                            \
	X(PALEO_COLUMN_TEXT("bound", "bound"), .text = m->on_bound >> i & 1 ? "on it" : "")        \
	X(PALEO_COLUMN_TEXT("meaning", "meaning"), .text = p->meaning)

static const struct paleo_column form_columns[] = {FORM_COLUMNS(PALEO_COLUMN_OF)};

static int add_parameters(struct paleo_table *t, const struct paleo_class_model *f,
			  struct paleo_error *err)
{
	const struct paleo_fitted_kernel *m = f->model;

	for (int i = 0; i < m->kernel->count; i++) {
		const struct paleo_parameter *p = &m->kernel->parameters[i];
		const struct paleo_cell cells[] = {FORM_COLUMNS(PALEO_CELL_OF)};
		PALEO_TRY(paleo_table_add(t, cells, err));
	}
	return PALEO_OK;
}

/* The parameters of all kernel models; nothing where all factors are smooth. */
static int print_kernel_models(const struct paleo_calibration *c, enum paleo_table_format format,
			       FILE *out, struct paleo_error *err)
{
	struct paleo_table *t = PALEO_TABLE_OF(form_columns);
	int rc = PALEO_OK, formed = 0;

	if (!t)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for the table");
	for (int i = 0; !rc && i < c->count; i++) {
		formed += c->models[i].model != NULL;
		if (c->models[i].model)
			rc = add_parameters(t, &c->models[i], err);
	}
	if (!rc && formed) {
		fputs("\nParameters of the kernel models ('-': not identifiable from the "
		      "records, stays at its prior):\n",
		      out);
		rc = paleo_table_print(t, format, out, err);
	}
	paleo_table_free(t);
	return rc;
}

/* One line with the members of group g; 0, and nothing, if there is none. */
static int print_group(const struct paleo_class_model *f, int g, FILE *out)
{
	const unsigned char *together = paleo_class_model_together(f);
	int found = 0;

	for (int i = 0; i < paleo_class_model_parameters(f); i++) {
		if (together[i] != g)
			continue;
		if (!found++)
			paleo_print(out, "%s %s %s: ", f->class_name, paleo_pass_name(f->pass),
				    paleo_dtype_name(f->dtype));
		else
			fputs(", ", out);
		fputs(paleo_class_model_parameter_name(f, i), out);
	}
	if (found)
		fputc('\n', out);
	return found;
}

/* Parameters that stand for one another, a line for each group of them. */
static void print_correlated(const struct paleo_calibration *c, FILE *out)
{
	int groups = 0;

	for (int i = 0; i < c->count; i++)
		for (int k = 0; k < paleo_class_model_parameters(&c->models[i]); k++)
			groups += paleo_class_model_together(&c->models[i])[k] > 0;
	if (!groups)
		return;
	fputs("\nCorrelated: the records identify these parameters only jointly.\n", out);
	for (int i = 0; i < c->count; i++)
		for (int g = 1; print_group(&c->models[i], g, out); g++)
			;
}

#define KIND_COLUMNS(X)                                                                            \
	X(PALEO_COLUMN_TEXT("kind", "kind of op"), .text = kind)                                   \
	X(PALEO_COLUMN_TEXT("dtype", "type"), .text = like ? paleo_dtype_name(like->dtype) : NULL) \
	X(PALEO_COLUMN_NUMBER("factors", "factors", 1, 0), .number = factors)                      \
	X(PALEO_COLUMN_NUMBER("records", "records", 1, 0), .number = records)                      \
	X(PALEO_COLUMN_NUMBER("ppp_low", "PPP from", 1, 3), .number = low)                         \
	X(PALEO_COLUMN_NUMBER("ppp_high", "to", 1, 3), .number = high)                             \
	X(PALEO_COLUMN_NUMBER("heldout_median", "held out: median %", 100, 1),                     \
	  .number = median_of(c, like, judged))                                                    \
	X(PALEO_COLUMN_NUMBER("heldout_mean", "mean %", 100, 1), .number = sum / judged)           \
	X(PALEO_COLUMN_NUMBER("heldout_worst", "worst factor's median %", 100, 1), .number = worst)

static const struct paleo_column kind_columns[] = {KIND_COLUMNS(PALEO_COLUMN_OF)};

/* NULL is every kind and dtype. */
static int is_of(const struct paleo_class_model *f, const struct paleo_class_model *like)
{
	return f->records && (!like || (f->dtype == like->dtype &&
					paleo_class_same_kind(f->class_name, like->class_name)));
}

/* The median of the factors' medians, each as often as it has records. */
static double median_of(const struct paleo_calibration *c, const struct paleo_class_model *like,
			double records)
{
	double below = -1, at = NAN, counted = 0;

	while (counted < records / 2) {
		at = NAN;
		for (int i = 0; i < c->count; i++)
			if (is_of(&c->models[i], like) && c->models[i].heldout_median > below)
				at = fmin(at, c->models[i].heldout_median);
		for (int i = 0; i < c->count; i++)
			if (is_of(&c->models[i], like) && c->models[i].heldout_median == at)
				counted += c->models[i].records;
		below = at;
	}
	return at;
}

/* The factors of one kind and dtype, or all, in one row. */
static int add_kind(struct paleo_table *t, const struct paleo_calibration *c,
		    const struct paleo_class_model *like, struct paleo_error *err)
{
	char kind[sizeof(like->class_name)] = "all";
	double factors = 0, records = 0, judged = 0, sum = 0;
	double low = NAN, high = NAN, worst = NAN; /* fmin and fmax pass NaN over */

	if (like)
		snprintf(kind, sizeof(kind), "%.*s", (int)strcspn(like->class_name, "."),
			 like->class_name);
	for (int i = 0; i < c->count; i++) {
		const struct paleo_class_model *f = &c->models[i];
		if (!is_of(f, like))
			continue;
		factors++;
		records += f->records;
		low = fmin(low, f->ppp);
		high = fmax(high, f->ppp);
		if (isnan(f->heldout_median))
			continue;
		worst = fmax(worst, f->heldout_median);
		judged += f->records;
		sum += f->records * f->heldout_mean;
	}
	const struct paleo_cell cells[] = {KIND_COLUMNS(PALEO_CELL_OF)};
	return paleo_table_add(t, cells, err);
}

int factors_print_brief(const struct paleo_calibration *c, enum paleo_table_format format,
			FILE *out, struct paleo_error *err)
{
	struct paleo_table *t = PALEO_TABLE_OF(kind_columns);
	int rc = PALEO_OK;

	if (!t)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for the table");
	for (int i = 0; !rc && i < c->count; i++) {
		const struct paleo_class_model *f = &c->models[i];
		int before = 0;
		for (int k = 0; k < i; k++)
			before |= is_of(&c->models[k], f);
		if (f->records && !before)
			rc = add_kind(t, c, f, err);
	}
	if (!rc)
		rc = paleo_table_rule(t, err);
	if (!rc)
		rc = add_kind(t, c, NULL, err);
	if (!rc)
		rc = paleo_table_print(t, format, out, err);
	paleo_table_free(t);
	return rc;
}

int factors_print(const struct paleo_calibration *c, enum paleo_table_format format, FILE *out,
		  struct paleo_error *err)
{
	PALEO_TRY(print_factors(c, format, out, err));

	if (paleo_table_is_data(format))
		return PALEO_OK;
	PALEO_TRY(print_kernel_models(c, format, out, err));
	print_correlated(c, out);
	return PALEO_OK;
}
