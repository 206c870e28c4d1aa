/* tables.c - tables of a report: sums of a net, all its rows, the rows in which two runs differ. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "tools/report/html.h"

enum {
	DIFFERENCES_SHOWN = 25
};

static void put_cell(FILE *out, double value, int decimals)
{
	char text[HTML_NUMBER_MAX];

	html_number(text, value, decimals);
	paleo_print(out, "<td>%s", text);
}

static void put_word(FILE *out, const char *word)
{
	fputs("<td>", out);
	html_text(out, word && word[0] ? word : "-");
}

/* What was predicted and measured of some parts of a step. */
struct sum {
	struct paleo_prediction_sum predicted; /* of the rows below, or of all */
	double predicted_s, measured_s;
	int rows, counted; /* rows that have the time that counts */
};

static int add_up(const struct view_net *n, unsigned parts, struct sum *out,
		  struct paleo_error *err)
{
	struct paleo_prediction *list = malloc(((size_t)n->count + 1) * sizeof(*list));
	int count = 0, rc = PALEO_OK;

	*out = (struct sum){.predicted.interval = PALEO_NO_INTERVAL};
	if (!list)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", n->count);
	for (int i = 0; i < n->count; i++) {
		const struct view_row *r = &n->rows[i];
		if (!(parts & 1u << step_part_of(r->pass)))
			continue;
		out->rows++;
		if (isnan(view_time(n, r)))
			continue;
		out->counted++;
		if (n->measured)
			out->measured_s += r->measured_s;
		if (r->is_predicted)
			list[count++] = r->prediction;
	}
	if (count) {
		rc = paleo_prediction_add_up(list, count, &out->predicted, err);
		out->predicted_s = out->predicted.parts.total_s;
	}
	free(list);
	return rc;
}

static int put_sum(FILE *out, const struct view_net *n, const char *title, unsigned parts,
		   struct paleo_error *err)
{
	struct sum s;
	int rc = add_up(n, parts, &s, err);

	if (rc)
		return rc;
	paleo_print(out, "<tr><th scope='row'>%s", title);
	put_cell(out, 1e3 * s.predicted_s, 3);
	put_cell(out, 1e3 * s.predicted.interval.low, 3);
	put_cell(out, 1e3 * s.predicted.interval.high, 3);
	if (n->measured) {
		put_cell(out, 1e3 * s.measured_s, 3);
		put_cell(out, 100 * (s.predicted_s / s.measured_s - 1), 1);
	}
	paleo_print(out, "<td>%d of %d\n", s.counted, s.rows);
	return PALEO_OK;
}

int table_of_sums(FILE *out, const struct view_net *n, struct paleo_error *err)
{
	static const struct {
		const char *title;
		unsigned parts;
	} sums[] = {{"forward", 1u << STEP_FORWARD},
		    {"backward", 1u << STEP_BACKWARD},
		    {"update", 1u << STEP_UPDATE},
		    {"training step", (1u << STEP_PARTS) - 1}};
	unsigned there = 0;
	int rc = PALEO_OK;

	for (int i = 0; i < n->count; i++)
		there |= 1u << step_part_of(n->rows[i].pass);
	fputs("<div class='wide'><table>\n<caption>Sums of the rows, in milliseconds. Low and "
	      "high are the ends of the 90 % interval.</caption>\n<thead><tr><th class='t' "
	      "scope='col'>part<th scope='col'>predicted<th scope='col'>low<th scope='col'>high",
	      out);
	if (n->measured)
		fputs("<th scope='col'>measured<th scope='col'>error %", out);
	fputs("<th scope='col'>rows counted<tbody>\n", out);
	for (size_t i = 0; !rc && i < sizeof(sums) / sizeof(sums[0]); i++)
		if ((there & sums[i].parts) == sums[i].parts)
			rc = put_sum(out, n, sums[i].title, sums[i].parts, err);
	fputs("</table></div>\n", out);
	return rc;
}

/* Which columns a table of rows has: those that say something. */
struct columns {
	int measured, at_speed, status, dtype;
};

static struct columns columns_of(const struct view_net *n)
{
	struct columns c = {.measured = n->measured > 0};

	for (int i = 0; i < n->count; i++) {
		c.at_speed |= !isnan(n->rows[i].at_speed_s);
		c.status |= n->rows[i].status != NULL;
		c.dtype |= n->rows[i].work->dtype != n->dtype;
	}
	return c;
}

static void put_heading(FILE *out, const struct columns *c)
{
	fputs("<thead><tr><th class='t' scope='col'>layer<th class='t' scope='col' "
	      "data-choose>kind<th class='t' scope='col' data-choose>pass<th class='t' "
	      "scope='col' data-choose>bound",
	      out);
	if (c->dtype)
		fputs("<th class='t' scope='col' data-choose>type", out);
	fputs("<th scope='col'>GFLOP<th scope='col'>MB<th scope='col'>predicted ms<th "
	      "scope='col'>low ms<th scope='col'>high ms",
	      out);
	if (c->at_speed)
		fputs("<th scope='col'>at speed ms", out);
	if (c->measured)
		fputs("<th scope='col'>measured ms<th scope='col'>\xc2\xb1 %<th scope='col'>error "
		      "%",
		      out);
	fputs("<th scope='col'>share %<th scope='col'>TFLOP/s<th scope='col'>GB/s", out);
	if (c->status)
		fputs("<th class='t' scope='col'>status", out);
	fputs("<tbody>\n", out);
}

static void put_times(FILE *out, const struct view_row *r, const struct columns *c)
{
	const struct paleo_prediction none = {.interval = PALEO_NO_INTERVAL};
	const struct paleo_prediction *p = r->is_predicted ? &r->prediction : &none;

	put_cell(out, 1e3 * view_predicted(r), 3);
	put_cell(out, 1e3 * p->interval.low, 3);
	put_cell(out, 1e3 * p->interval.high, 3);
	if (c->at_speed)
		put_cell(out, 1e3 * r->at_speed_s, 3);
	if (!c->measured)
		return;
	put_cell(out, 1e3 * r->measured_s, 3);
	put_cell(out, 50 * (r->high_s - r->low_s) / r->measured_s, 1);
	put_cell(out, 100 * (view_predicted(r) / r->measured_s - 1), 1);
}

static void put_row(FILE *out, const struct view_net *n, const struct view_row *r,
		    const struct columns *c, double all_s)
{
	const struct paleo_work *w = r->work;
	double bytes = w->read_bytes + w->write_bytes, seconds = view_time(n, r);

	fputs("<tr><th scope='row'>", out);
	html_text(out, r->layer);
	put_word(out, r->kind);
	put_word(out, paleo_pass_name(r->pass));
	put_word(out, r->is_predicted ? paleo_bound_name(r->prediction.bound) : NULL);
	if (c->dtype)
		put_word(out, paleo_dtype_name(w->dtype));
	put_cell(out, 1e-9 * w->flops, 3);
	put_cell(out, 1e-6 * bytes, 2);
	put_times(out, r, c);
	put_cell(out, 100 * seconds / all_s, 2);
	put_cell(out, w->flops > 0 ? 1e-12 * w->flops / seconds : NAN, 3);
	put_cell(out, 1e-9 * bytes / seconds, 1);
	if (c->status)
		put_word(out, r->status);
	fputc('\n', out);
}

void table_of_rows(FILE *out, const struct view_net *n)
{
	const struct columns c = columns_of(n);
	double all_s = 0;

	for (int i = 0; i < n->count; i++)
		if (!isnan(view_time(n, &n->rows[i])))
			all_s += view_time(n, &n->rows[i]);
	paleo_print(out,
		    "<div class='wide' role='region' tabindex='0' aria-label='rows'><table "
		    "class='rows t%d'>\n<caption>All %d rows. TFLOP/s and GB/s are of the %s "
		    "time.%s</caption>\n",
		    c.dtype ? 5 : 4, n->count, c.measured ? "measured" : "predicted",
		    c.at_speed ? " At speed: predicted for the speed of the machine that was seen "
				 "beside the work."
			       : "");
	put_heading(out, &c);
	for (int i = 0; i < n->count; i++)
		put_row(out, n, &n->rows[i], &c, all_s);
	fputs("</table></div>\n", out);
}

static int compare_differences(const void *a, const void *b)
{
	const struct pair *p = a, *q = b;
	double x = fabs(p->b_s - p->a_s), y = fabs(q->b_s - q->a_s);

	if (x != y)
		return x < y ? 1 : -1;
	return (p->a > q->a) - (p->a < q->a);
}

/* Whether the difference is beyond both intervals of the measured times. */
static const char *verdict(const struct pair *p)
{
	double a = p->a_s, b = p->b_s;

	if (!(p->a->low_s <= p->a->high_s) || !(p->b->low_s <= p->b->high_s))
		return "-";
	if (p->a->high_s < p->b->low_s || p->b->high_s < p->a->low_s)
		return b < a ? "B faster" : "B slower";
	return "intervals overlap";
}

void table_of_differences(FILE *out, struct pair *pairs, int count)
{
	int shown = count < DIFFERENCES_SHOWN ? count : DIFFERENCES_SHOWN;

	qsort(pairs, (size_t)count, sizeof(*pairs), compare_differences);
	paleo_print(out,
		    "<div class='wide'><table class='t3'>\n<caption>The %d of %d rows whose times "
		    "differ most. Whether that is more than noise is told by paleo "
		    "compare.</caption>\n<thead><tr><th class='t' scope='col'>layer<th "
		    "class='t' scope='col'>kind<th class='t' scope='col'>pass<th scope='col'>A "
		    "ms<th scope='col'>B ms<th scope='col'>difference ms<th scope='col'>B / A<th "
		    "scope='col'>beyond the intervals<tbody>\n",
		    shown, count);
	for (int i = 0; i < shown; i++) {
		const struct pair *p = &pairs[i];
		fputs("<tr><th scope='row'>", out);
		html_text(out, p->a->layer);
		put_word(out, p->a->kind);
		put_word(out, paleo_pass_name(p->a->pass));
		put_cell(out, 1e3 * p->a_s, 3);
		put_cell(out, 1e3 * p->b_s, 3);
		put_cell(out, 1e3 * (p->b_s - p->a_s), 3);
		put_cell(out, p->b_s / p->a_s, 2);
		put_word(out, verdict(p));
		fputc('\n', out);
	}
	fputs("</table></div>\n", out);
}
