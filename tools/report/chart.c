/* chart.c - the frame of a picture in a page: title, axes, marks, legend. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report/chart.h"

#include "base/text.h"
#include "tools/report/html.h"

/* One for each series: they are told apart without colours, too. */
static const char *const shapes[CHART_SERIES] = {
	"<circle r='3.6'/>",
	"<path d='m-3.4-3.4h6.8v6.8h-6.8z'/>",
	"<path d='m0-4.6 4.6 8h-9.2z'/>",
	"<path d='m0-5 5 5-5 5-5-5z'/>",
	"<path d='m0 4.6 4.6-8h-9.2z'/>",
	"<path d='m-1.3-4.4h2.6v3.1h3.1v2.6h-3.1v3.1h-2.6v-3.1h-3.1v-2.6h3.1z'/>",
};

/* What lies over a bar's colour. */
static const char *const hatches[CHART_SERIES] = {
	"",
	"<path d='m-1 1 2-2m-1 7 6-6m-1 7 2-2'/>",
	"<circle cx='1.5' cy='1.5' r='1.1'/><circle cx='4.5' cy='4.5' r='1.1'/>",
	"<path d='m0 3h6'/>",
	"<path d='m-1 5 2 2m-1-7 6 6m-1-7 2 2'/>",
	"<path d='m3 0v6'/>",
};

void chart_signs(FILE *out)
{
	fputs("<svg class='signs' width='0' height='0' aria-hidden='true'><defs>\n", out);
	for (int i = 0; i < CHART_SERIES; i++)
		paleo_print(out, "<g id='m%d'>%s</g>\n", i, shapes[i]);
	for (int i = 0; i < CHART_SERIES; i++)
		paleo_print(out,
			    "<pattern id='h%d' width='6' height='6' patternUnits='userSpaceOnUse'>"
			    "<rect class='b%d' width='6' height='6'/><g class='hatch'>%s</g>"
			    "</pattern>\n",
			    i, i, hatches[i]);
	fputs("</defs></svg>\n", out);
}

void chart_begin(struct chart *c, int height, const char *title, const char *description)
{
	c->number++;
	paleo_print(c->out,
		    "<figure>\n<svg class='chart' role='img' viewBox='0 0 %d %d' "
		    "aria-labelledby='t%d d%d'>\n<title id='t%d'>%s</title>\n"
		    "<desc id='d%d'>%s</desc>\n",
		    CHART_WIDTH, height, c->number, c->number, c->number, title, c->number,
		    description);
}

void chart_line(const struct chart *c, const char *class_name, const double from[2],
		const double to[2])
{
	paleo_print(c->out, "<path class='%s' d='M%.1f %.1fL%.1f %.1f'/>\n", class_name, from[0],
		    from[1], to[0], to[1]);
}

static void tick_x(const struct chart *c, double value, const char *unit)
{
	char text[HTML_NUMBER_MAX];
	double x = axis_at(&c->x, value);

	chart_line(c, "grid", (double[]){x, CHART_TOP}, (double[]){x, CHART_BOTTOM});
	html_tick(text, value, unit);
	paleo_print(c->out, "<text x='%.1f' y='%d' text-anchor='middle'>%s</text>\n", x,
		    CHART_BOTTOM + 18, text);
}

static void tick_y(const struct chart *c, double value, const char *unit)
{
	char text[HTML_NUMBER_MAX];
	double y = axis_at(&c->y, value);

	chart_line(c, "grid", (double[]){CHART_LEFT, y}, (double[]){CHART_RIGHT, y});
	html_tick(text, value, unit);
	paleo_print(c->out, "<text x='%d' y='%.1f' text-anchor='end'>%s</text>\n", CHART_LEFT - 7,
		    y + 4, text);
}

void chart_axes(const struct chart *c, const struct chart_axis *x, const struct chart_axis *y)
{
	const double corner[2] = {CHART_LEFT, CHART_BOTTOM};
	double ticks[AXIS_TICKS_MAX];

	fputs("<g class='axes'>\n", c->out);
	int count = x->unit ? axis_ticks(&c->x, 66, ticks) : 0;
	for (int i = 0; i < count; i++)
		tick_x(c, ticks[i], x->unit);
	count = y->unit ? axis_ticks(&c->y, 30, ticks) : 0;
	for (int i = 0; i < count; i++)
		tick_y(c, ticks[i], y->unit);
	chart_line(c, "frame", corner, (double[]){CHART_RIGHT, CHART_BOTTOM});
	chart_line(c, "frame", corner, (double[]){CHART_LEFT, CHART_TOP});
	paleo_print(c->out, "<text class='name' x='%d' y='%d' text-anchor='middle'>%s</text>\n",
		    (CHART_LEFT + CHART_RIGHT) / 2, CHART_BOTTOM + 42, x->title);
	paleo_print(c->out,
		    "<text class='name' transform='translate(14 %d) rotate(-90)' "
		    "text-anchor='middle'>%s</text>\n</g>\n",
		    (CHART_TOP + CHART_BOTTOM) / 2, y->title);
}

void chart_series_begin(const struct chart *c, int series)
{
	paleo_print(c->out, "<g class='s%d marks'>\n", series);
}

void chart_mark_begin(const struct chart *c, int series, double x, double y)
{
	paleo_print(c->out, "<use href='#m%d' x='", series);
	html_px(c->out, axis_at(&c->x, x));
	fputs("' y='", c->out);
	html_px(c->out, axis_at(&c->y, y));
	fputs("'><title>", c->out);
}

void chart_mark_end(const struct chart *c)
{
	fputs("</title></use>\n", c->out);
}

void chart_series_end(const struct chart *c)
{
	fputs("</g>\n", c->out);
}

void chart_picture_end(const struct chart *c)
{
	fputs("</svg>\n", c->out);
}

void chart_legend_begin(const struct chart *c)
{
	fputs("<ul class='legend'>\n", c->out);
}

void chart_legend_entry(const struct chart *c, enum chart_sign sign, int series, const char *words)
{
	paleo_print(c->out,
		    "<li><svg class='s%d' width='24' height='14' viewBox='-12 -7 24 14' "
		    "aria-hidden='true'>",
		    series);
	if (sign == CHART_SIGN_AREA)
		paleo_print(c->out,
			    "<rect x='-11' y='-6' width='22' height='12' fill='url(#h%d)'/>",
			    series);
	if (sign == CHART_SIGN_LINE)
		paleo_print(c->out, "<path class='curve l%d' d='M-12 0H12'/>", series);
	if (sign != CHART_SIGN_AREA)
		paleo_print(c->out, "<use href='#m%d'/>", series);
	fputs("</svg> ", c->out);
	html_text(c->out, words);
	fputs("</li>\n", c->out);
}

void chart_legend_end(const struct chart *c)
{
	fputs("</ul>\n", c->out);
}

void chart_caption_begin(const struct chart *c)
{
	fputs("<figcaption>", c->out);
}

void chart_end(const struct chart *c)
{
	fputs("</figcaption>\n</figure>\n", c->out);
}
