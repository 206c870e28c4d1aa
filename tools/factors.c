/* factors.c - prints the factors of a calibration. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/factors.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/columns.h"
#include "base/text.h"

enum {
	COL_CLASS,
	COL_PASS,
	COL_DTYPE,
	COL_RECORDS,
	COL_MODEL,
	COL_PPP,
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

/* Standard errors are of logarithms, so they are shown as percent of the value. */
static const struct paleo_column columns[COLUMNS] = {
	[COL_CLASS] = PALEO_COLUMN_TEXT("class", "kind of work"),
	[COL_PASS] = PALEO_COLUMN_TEXT("pass", "pass"),
	[COL_DTYPE] = PALEO_COLUMN_TEXT("dtype", "type"),
	[COL_RECORDS] = PALEO_COLUMN_NUMBER("records", "records", 1, 0),
	[COL_MODEL] = PALEO_COLUMN_TEXT("kernel_model", "kernel model"),
	[COL_PPP] = PALEO_COLUMN_NUMBER("ppp", "PPP", 1, 3),
	[COL_COMPUTE] = PALEO_COLUMN_NUMBER("ppp_compute", "PPP compute", 1, 3),
	[COL_SE_COMPUTE] = PALEO_COLUMN_NUMBER("se_ppp_compute", "+-%", 100, 0),
	[COL_MEMORY] = PALEO_COLUMN_NUMBER("ppp_memory", "PPP memory", 1, 3),
	[COL_SE_MEMORY] = PALEO_COLUMN_NUMBER("se_ppp_memory", "+-%", 100, 0),
	[COL_OVERHEAD] = PALEO_COLUMN_NUMBER("overhead_s", "overhead us", 1e6, 1),
	[COL_SE_OVERHEAD] = PALEO_COLUMN_NUMBER("se_overhead", "+-%", 100, 0),
	[COL_OVERLAP] = PALEO_COLUMN_NUMBER("overlap", "overlap", 1, 0),
	[COL_DEPTH] = PALEO_COLUMN_NUMBER("half_depth", "half depth", 1, 0),
	[COL_SE_DEPTH] = PALEO_COLUMN_NUMBER("se_half_depth", "+-%", 100, 0),
	[COL_WIDTH] = PALEO_COLUMN_NUMBER("half_width", "half width", 1, 0),
	[COL_SE_WIDTH] = PALEO_COLUMN_NUMBER("se_half_width", "+-%", 100, 0),
	[COL_MEDIAN] = PALEO_COLUMN_NUMBER("heldout_median", "held out: median %", 100, 1),
	[COL_MEAN] = PALEO_COLUMN_NUMBER("heldout_mean", "mean %", 100, 1),
	[COL_P90] = PALEO_COLUMN_NUMBER("heldout_p90", "p90 %", 100, 1),
};

/* A value that the records cannot tell is shown as missing: it stands at its prior. */
static double known(double value, double se)
{
	return isnan(se) ? NAN : value;
}

/* What a kernel model has under a name of the smooth law, and its standard error; NaN if it has
 * none. */
static double form_number(const struct paleo_fitted_kernel *m, const char *name, double *se)
{
	*se = NAN;
	for (int i = 0; i < m->kernel->count; i++) {
		if (strcmp(m->kernel->parameters[i].name, name) != 0)
			continue;
		*se = m->se[i];
		return known(paleo_parameter_get(&m->kernel->parameters[i], &m->params), *se);
	}
	return NAN;
}

/* A kernel model's own numbers in the place of the smooth law's. */
static void put_form(const struct paleo_fitted_kernel *m, struct paleo_cell cells[COLUMNS])
{
	for (int i = COL_COMPUTE; i < COL_MEDIAN; i++)
		cells[i].number = NAN;
	cells[COL_MODEL].text = m->kernel->name;
	cells[COL_COMPUTE].number = form_number(m, "ppp_compute", &cells[COL_SE_COMPUTE].number);
	cells[COL_MEMORY].number = form_number(m, "ppp_memory", &cells[COL_SE_MEMORY].number);
	cells[COL_OVERHEAD].number =
		form_number(m, "launch_us", &cells[COL_SE_OVERHEAD].number) * 1e-6;
}

static int add_factor(struct paleo_table *t, const struct paleo_class_model *f,
		      struct paleo_error *err)
{
	struct paleo_cell cells[COLUMNS] = {
		[COL_MODEL] = {.text = "smooth"},
		[COL_PPP] = {.number = f->ppp},
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

	if (f->model)
		put_form(f->model, cells);
	return paleo_table_add(t, cells, err);
}

static int print_factors(const struct paleo_calibration *c, enum paleo_table_format format,
			 FILE *out, struct paleo_error *err)
{
	struct paleo_table *t = paleo_table_new(columns, COLUMNS);
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

enum {
	OF_CLASS,
	OF_PASS,
	OF_DTYPE,
	OF_MODEL,
	OF_NAME,
	OF_VALUE,
	OF_UNIT,
	OF_SE,
	OF_BOUND,
	OF_MEANING,
	OF_COLUMNS
};

static const struct paleo_column form_columns[OF_COLUMNS] = {
	[OF_CLASS] = PALEO_COLUMN_TEXT("class", "kind of work"),
	[OF_PASS] = PALEO_COLUMN_TEXT("pass", "pass"),
	[OF_DTYPE] = PALEO_COLUMN_TEXT("dtype", "type"),
	[OF_MODEL] = PALEO_COLUMN_TEXT("kernel_model", "kernel model"),
	[OF_NAME] = PALEO_COLUMN_TEXT("parameter", "parameter"),
	[OF_VALUE] = PALEO_COLUMN_NUMBER("value", "value", 1, 3),
	[OF_UNIT] = PALEO_COLUMN_TEXT("unit", "unit"),
	[OF_SE] = PALEO_COLUMN_NUMBER("se", "+-%", 100, 0),
	[OF_BOUND] = PALEO_COLUMN_TEXT("bound", "bound"),
	[OF_MEANING] = PALEO_COLUMN_TEXT("meaning", "meaning"),
};

static int add_parameters(struct paleo_table *t, const struct paleo_class_model *f,
			  struct paleo_error *err)
{
	const struct paleo_fitted_kernel *m = f->model;
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < m->kernel->count; i++) {
		const struct paleo_parameter *p = &m->kernel->parameters[i];
		const struct paleo_cell cells[OF_COLUMNS] = {
			[OF_CLASS] = {.text = f->class_name},
			[OF_PASS] = {.text = paleo_pass_name(f->pass)},
			[OF_DTYPE] = {.text = paleo_dtype_name(f->dtype)},
			[OF_MODEL] = {.text = m->kernel->name},
			[OF_NAME] = {.text = p->name},
			[OF_VALUE] = {.number = paleo_parameter_get(p, &m->params)},
			[OF_UNIT] = {.text = p->unit},
			[OF_SE] = {.number = m->se[i]},
			[OF_BOUND] = {.text = m->on_bound >> i & 1 ? "on it" : ""},
			[OF_MEANING] = {.text = p->meaning},
		};
		rc = paleo_table_add(t, cells, err);
	}
	return rc;
}

/* The parameters of all kernel models; nothing where all factors are smooth. */
static int print_kernel_models(const struct paleo_calibration *c, enum paleo_table_format format,
			       FILE *out, struct paleo_error *err)
{
	struct paleo_table *t = paleo_table_new(form_columns, OF_COLUMNS);
	int rc = PALEO_OK, formed = 0;

	if (!t)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for the table");
	for (int i = 0; !rc && i < c->count; i++) {
		formed += c->models[i].model != NULL;
		if (c->models[i].model)
			rc = add_parameters(t, &c->models[i], err);
	}
	if (!rc && formed) {
		fputs("\nparameters of the kernel models ('-': the records tell no more than the "
		      "prior)\n",
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
	fputs("\nknown together alone: the records cannot tell these parameters from one "
	      "another\n",
	      out);
	for (int i = 0; i < c->count; i++)
		for (int g = 1; print_group(&c->models[i], g, out); g++)
			;
}

enum {
	BY_KIND,
	BY_DTYPE,
	BY_FACTORS,
	BY_RECORDS,
	BY_PPP,
	BY_PPP_TO,
	BY_MEDIAN,
	BY_MEAN,
	BY_WORST,
	BY_COLUMNS
};

static const struct paleo_column kind_columns[BY_COLUMNS] = {
	[BY_KIND] = PALEO_COLUMN_TEXT("kind", "kind of work"),
	[BY_DTYPE] = PALEO_COLUMN_TEXT("dtype", "type"),
	[BY_FACTORS] = PALEO_COLUMN_NUMBER("factors", "factors", 1, 0),
	[BY_RECORDS] = PALEO_COLUMN_NUMBER("records", "records", 1, 0),
	[BY_PPP] = PALEO_COLUMN_NUMBER("ppp_low", "PPP from", 1, 3),
	[BY_PPP_TO] = PALEO_COLUMN_NUMBER("ppp_high", "to", 1, 3),
	[BY_MEDIAN] = PALEO_COLUMN_NUMBER("heldout_median", "held out: median %", 100, 1),
	[BY_MEAN] = PALEO_COLUMN_NUMBER("heldout_mean", "mean %", 100, 1),
	[BY_WORST] = PALEO_COLUMN_NUMBER("heldout_worst", "worst factor's median %", 100, 1),
};

/* NULL is every kind and number type. */
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

/* The factors of one kind and number type, or all, in one row. */
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
	const struct paleo_cell cells[BY_COLUMNS] = {
		[BY_KIND] = {.text = kind},
		[BY_DTYPE] = {.text = like ? paleo_dtype_name(like->dtype) : NULL},
		[BY_FACTORS] = {.number = factors},
		[BY_RECORDS] = {.number = records},
		[BY_PPP] = {.number = low},
		[BY_PPP_TO] = {.number = high},
		[BY_MEDIAN] = {.number = median_of(c, like, judged)},
		[BY_MEAN] = {.number = sum / judged},
		[BY_WORST] = {.number = worst},
	};
	return paleo_table_add(t, cells, err);
}

int factors_print_brief(const struct paleo_calibration *c, enum paleo_table_format format,
			FILE *out, struct paleo_error *err)
{
	struct paleo_table *t = paleo_table_new(kind_columns, BY_COLUMNS);
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
	int rc = print_factors(c, format, out, err);

	if (rc || paleo_table_is_data(format))
		return rc;
	rc = print_kernel_models(c, format, out, err);
	if (!rc)
		print_correlated(c, out);
	return rc;
}
