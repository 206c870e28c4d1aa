/* tables_other.c - tables of a report: steps, choices, the parameters that predictions stand on. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "tools/report/html.h"
#include "tools/report/tables.h"

/* A column of rows that a command has printed. */
struct column {
	const char *key, *title;
	double scale; /* 0: it is text */
	int decimals;
};

static const struct column steps_columns[] = {
	{"net", "net", 0, 0},
	{"parallel", "parallel", 0, 0},
	{"scaling", "scaling", 0, 0},
	{"scheme", "scheme", 0, 0},
	{"workers", "workers", 1, 0},
	{"batch", "batch", 1, 0},
	{"forward_s", "forward ms", 1e3, 3},
	{"backward_s", "backward ms", 1e3, 3},
	{"update_s", "update ms", 1e3, 3},
	{"comm_s", "communication ms", 1e3, 3},
	{"exposed_comm_s", "exposed ms", 1e3, 3},
	{"step_s", "step ms", 1e3, 3},
	{"speedup", "speed-up", 1, 2},
	{"efficiency", "efficiency %", 100, 1},
	{"memory_bytes", "memory MB", 1e-6, 0},
	{"fits", "fits", 0, 0},
	{NULL, NULL, 0, 0},
};

static const struct column choices_columns[] = {
	{"device", "device", 0, 0},
	{"parallel", "parallel", 0, 0},
	{"scheme", "scheme", 0, 0},
	{"link", "link", 0, 0},
	{"workers", "workers", 1, 0},
	{"batch", "batch", 1, 0},
	{"step_s", "step ms", 1e3, 3},
	{"epoch_s", "epoch min", 1. / 60, 2},
	{"cost_usd", "cost USD", 1, 2},
	{"memory_bytes", "memory MB", 1e-6, 0},
	{NULL, NULL, 0, 0},
};

/* 1: a row has something in this column. */
static int is_used(const struct view_lines *l, const struct column *c)
{
	for (int i = 0; i < l->count; i++)
		if (c->scale == 0 ? view_text(l->docs[i], c->key)[0] != '\0'
				  : !isnan(view_number(l->docs[i], c->key)))
			return 1;
	return 0;
}

static void put_line(FILE *out, const struct view_lines *l, int row, const struct column *columns)
{
	char number[HTML_NUMBER_MAX];

	fputs("<tr>", out);
	for (const struct column *c = columns; c->key; c++) {
		const char *text = view_text(l->docs[row], c->key);
		if (!is_used(l, c))
			continue;
		if (c->scale == 0) {
			fputs("<td class='t'>", out);
			html_text(out, text[0] ? text : "-");
			continue;
		}
		html_number(number, c->scale * view_number(l->docs[row], c->key), c->decimals);
		paleo_print(out, "<td>%s", number);
	}
	fputc('\n', out);
}

static void put_lines(FILE *out, const struct view_lines *l, const struct column *columns,
		      const char *caption)
{
	paleo_print(out,
		    "<div class='wide' role='region' tabindex='0' aria-label='rows'><table "
		    "class='rows'>\n<caption>%s</caption>\n<thead><tr>",
		    caption);
	for (const struct column *c = columns; c->key; c++)
		if (is_used(l, c))
			paleo_print(out, "<th scope='col'%s>%s",
				    c->scale == 0 ? " class='t' data-choose" : "", c->title);
	fputs("<tbody>\n", out);
	for (int i = 0; i < l->count; i++)
		put_line(out, l, i, columns);
	fputs("</table></div>\n", out);
}

void table_of_steps(FILE *out, const struct view_lines *steps)
{
	put_lines(out, steps, steps_columns, "Simulated training steps.");
}

void table_of_choices(FILE *out, const struct view_lines *choices)
{
	put_lines(out, choices, choices_columns, "Choices that no other one beats.");
}

/* A parameter of a factor by its place, with its standard error, which is of its logarithm; NaN
 * where the records do not tell it. */
struct value {
	const char *name, *unit;
	double value, se;
};

static struct value value_of(const struct paleo_class_model *f, int i)
{
	const struct value smooth[] = {
		{"PPP compute", "", f->ppp_compute, f->se_ppp_compute},
		{"PPP memory", "", f->ppp_memory, f->se_ppp_memory},
		{"overhead", "s", f->overhead_s, f->se_overhead},
	};

	if (!f->model)
		return i < (int)(sizeof(smooth) / sizeof(smooth[0])) ? smooth[i]
								     : (struct value){0};
	if (i >= f->model->kernel->count)
		return (struct value){0};
	const struct paleo_parameter *p = &f->model->kernel->parameters[i];
	return (struct value){p->name, p->unit, paleo_parameter_get(p, &f->model->params),
			      f->model->se[i]};
}

static void put_values(FILE *out, const struct paleo_class_model *f)
{
	fputs("<td class='long'>", out);
	for (int i = 0; value_of(f, i).name; i++) {
		const struct value v = value_of(f, i);
		paleo_print(out, "%s%s %.3g", i ? ", " : "", v.name, v.value);
		if (v.unit[0] && strcmp(v.unit, "1") != 0)
			paleo_print(out, " %s", v.unit);
		if (!isnan(v.se))
			paleo_print(out, " \xc2\xb1 %.0f %%", 100 * v.se);
	}
}

static void put_percent(FILE *out, double share)
{
	char number[HTML_NUMBER_MAX];

	html_number(number, 100 * share, 1);
	paleo_print(out, "<td>%s", number);
}

/* How many of the run's rows stand on this factor. */
static int rows_on(const struct view_run *run, const struct paleo_class_model *f)
{
	int rows = 0;

	for (int i = 0; i < run->count; i++)
		for (int k = 0; k < run->nets[i].count; k++)
			rows += run->nets[i].rows[k].is_predicted &&
				run->nets[i].rows[k].prediction.factor == f;
	return rows;
}

static void put_factor(FILE *out, const struct paleo_calibration *c,
		       const struct paleo_class_model *f, int rows)
{
	char source[PALEO_SOURCE_TEXT_MAX];

	paleo_class_model_source(c, f, source);
	fputs("<tr><th scope='row'>", out);
	html_text(out, f->class_name);
	paleo_print(out, "<td class='t'>%s<td class='t'>%s<td class='t'>", paleo_pass_name(f->pass),
		    paleo_dtype_name(f->dtype));
	html_text(out, source);
	paleo_print(out, "<td>%d<td>%d<td class='t'>%s", rows, f->records,
		    f->model ? f->model->kernel->name : "smooth");
	put_values(out, f);
	put_percent(out, f->heldout_median);
	put_percent(out, f->heldout_p90);
	fputc('\n', out);
}

void table_of_parameters(FILE *out, const struct view_run *run)
{
	const struct paleo_calibration *c = &run->source.calibration;

	fputs("<div class='wide' role='region' tabindex='0' aria-label='parameters'><table "
	      "class='rows'>\n<caption>The factors that these rows stand on. The spread behind a "
	      "value is its standard error; a value without one stands at its prior or was not "
	      "fitted. The errors are of works that the fit has not "
	      "seen.</caption>\n<thead><tr><th "
	      "class='t' scope='col'>kind of work<th class='t' scope='col' data-choose>pass<th "
	      "class='t' scope='col'>type<th class='t' scope='col'>source<th scope='col'>rows<th "
	      "scope='col'>records<th class='t' scope='col'>model<th class='t' "
	      "scope='col'>parameters<th scope='col'>held out: median %<th scope='col'>p90 "
	      "%<tbody>\n",
	      out);
	for (int i = 0; i < c->count; i++) {
		int rows = rows_on(run, &c->models[i]);
		if (rows)
			put_factor(out, c, &c->models[i], rows);
	}
	fputs("</table></div>\n", out);
}
