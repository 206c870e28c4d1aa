/* bars.c - time as bars: by kind, by layer. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report/bars.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "tools/report/html.h"

enum {
	KINDS_MOST = 10,
	LAYERS_SHOWN = 20,   /* by name */
	PROFILE_MOST = 1200, /* layers of a profile, which is about two for a pixel */
	LABEL_WIDTH = 190,
	LABEL_CHARACTERS = 25,
	BAR_HEIGHT = 13,
	BAR_GAP = 9,
	VALUE_WIDTH = 130,
	HATCHED_WIDTH = 4 /* of a column: in a narrower one no pattern can be seen */
};

/* Pixels by which narrow columns overlap, so that no ground shines through. */
#define OVERLAP 0.6

/* Bars lie under one another: the places of names, of bars, of their values. */
struct lying {
	struct chart *chart;
	struct axis axis;
	double y, all_s;
};

static void draw_name(const struct lying *l, const char *name, double height)
{
	FILE *out = l->chart->out;

	paleo_print(out, "<text x='%d' y='%.1f' text-anchor='end'>", LABEL_WIDTH - 8,
		    l->y + height / 2 + 4);
	html_text_end(out, name, LABEL_CHARACTERS);
	fputs("</text>\n", out);
}

/* One bar of three parts, and its value behind it. `shift` is added to the series of its parts. */
static void draw_bar(struct lying *l, const double parts[STEP_PARTS], int shift, const char *words)
{
	FILE *out = l->chart->out;
	char number[HTML_NUMBER_MAX];
	double at = 0;

	for (int p = 0; p < STEP_PARTS; p++) {
		double from = axis_at(&l->axis, at), to = axis_at(&l->axis, at + parts[p]);
		at += parts[p];
		if (!(parts[p] > 0))
			continue;
		html_si(number, parts[p], "s");
		paleo_print(out,
			    "<rect class='bar' x='%.1f' y='%.1f' width='%.2f' height='%d' "
			    "fill='url(#h%d)'><title>%s%s: %s</title></rect>\n",
			    from, l->y, fmax(to - from, 0.3), BAR_HEIGHT, p + shift, words,
			    step_part_names[p], number);
	}
	html_si(number, at, "s");
	paleo_print(out, "<text x='%.1f' y='%.1f'>%s", axis_at(&l->axis, at) + 6,
		    l->y + BAR_HEIGHT - 2.5, number);
	if (l->all_s > 0)
		paleo_print(out, ", %.*f %%", at < 0.0995 * l->all_s ? 1 : 0, 100 * at / l->all_s);
	fputs("</text>\n", out);
	l->y += BAR_HEIGHT + 2;
}

/* The parts of a step that rows have. */
static void parts_legend(const struct chart *c, const struct view_net *n, int both)
{
	static const char *const measured[] = {"forward, measured", "backward, measured",
					       "update, measured"};
	static const char *const predicted[] = {"forward, predicted", "backward, predicted",
						"update, predicted"};
	int rows[STEP_PARTS] = {0};

	for (int i = 0; i < n->count; i++)
		rows[step_part_of(n->rows[i].pass)]++;
	chart_legend_begin(c);
	for (int p = 0; p < STEP_PARTS; p++)
		if (rows[p])
			chart_legend_entry(c, CHART_SIGN_AREA, p,
					   both ? measured[p] : step_part_names[p]);
	for (int p = 0; both && p < STEP_PARTS; p++)
		if (rows[p])
			chart_legend_entry(c, CHART_SIGN_AREA, p + STEP_PARTS, predicted[p]);
	chart_legend_end(c);
}

/* Bars of groups: one each, or two where what was measured stands beside what was predicted. */
static void draw_groups(struct chart *c, const struct view_net *n, const struct groups *g,
			int count)
{
	double longest = 0;
	struct lying l = {.chart = c, .y = 6};

	for (int i = 0; i < g->count; i++)
		l.all_s += group_time(&g->items[i]);
	for (int i = 0; i < count; i++)
		longest = fmax(longest, fmax(group_time(&g->items[i]),
					     n->measured ? group_predicted(&g->items[i]) : 0));
	l.axis = (struct axis){.high = longest > 0 ? longest : 1,
			       .from = LABEL_WIDTH,
			       .to = CHART_WIDTH - VALUE_WIDTH};
	for (int i = 0; i < count; i++) {
		draw_name(&l, g->items[i].name, n->measured ? 2 * BAR_HEIGHT : BAR_HEIGHT);
		draw_bar(&l, g->items[i].time_s, 0, n->measured ? "measured " : "");
		double all_s = l.all_s;
		l.all_s = 0; /* its share is not of what was measured */
		if (n->measured)
			draw_bar(&l, g->items[i].predicted_s, STEP_PARTS, "predicted ");
		l.all_s = all_s;
		l.y += BAR_GAP - 2;
	}
}

static int bars_height(const struct view_net *n, int count)
{
	return 12 + count * ((BAR_HEIGHT + 2) * (n->measured ? 2 : 1) + BAR_GAP - 2);
}

int bars_by_kind(struct chart *c, const struct view_net *n, struct paleo_error *err)
{
	struct groups g;
	int rc = groups_by_kind(n, KINDS_MOST, &g, err);

	if (rc)
		return rc;
	chart_begin(c, bars_height(n, g.count), "Time by kind of work",
		    "Bars, the longest kind first. The numbers stand behind the bars.");
	draw_groups(c, n, &g, g.count);
	chart_picture_end(c);
	parts_legend(c, n, n->measured > 0);
	chart_caption_begin(c);
	fputs("Time by kind of work, with its share of the whole.", c->out);
	chart_end(c);
	groups_release(&g);
	return PALEO_OK;
}

/* One standing bar of a profile: the layers from `from` to before `to`. */
static void draw_column(const struct chart *c, const struct groups *g, int from, int to)
{
	FILE *out = c->out;
	char number[HTML_NUMBER_MAX];
	double x = axis_at(&c->x, from), width = axis_at(&c->x, to) - x, at = 0;
	double parts[STEP_PARTS] = {0};

	for (int i = from; i < to; i++)
		for (int p = 0; p < STEP_PARTS; p++)
			parts[p] += g->items[i].time_s[p];
	html_si(number, parts[0] + parts[1] + parts[2], "s");
	fputs("<g class='layer'><title>", out);
	html_text(out, g->items[from].name);
	if (to > from + 1)
		paleo_print(out, " and %d more", to - from - 1);
	paleo_print(out, ": %s</title>", number);
	for (int p = 0; p < STEP_PARTS; p++) {
		double low = axis_at(&c->y, at), high = axis_at(&c->y, at + parts[p]);
		at += parts[p];
		if (low - high < 0.05)
			continue;
		if (width < HATCHED_WIDTH)
			paleo_print(out, "<path class='b%d' d='M", p);
		else
			paleo_print(out, "<path fill='url(#h%d)' d='M", p);
		html_px(out, x);
		fputs(" ", out);
		html_px(out, low);
		fputs("V", out);
		html_px(out, high);
		paleo_print(out, "h%.2fV", width < HATCHED_WIDTH ? width + OVERLAP : width - 1);
		html_px(out, low);
		fputs("z'/>", out);
	}
	fputs("</g>\n", out);
}

/* All layers in their order, each a column. */
static void draw_profile(struct chart *c, const struct view_net *n, const struct groups *g)
{
	int stride = (g->count + PROFILE_MOST - 1) / PROFILE_MOST;
	double most = 0;

	stride = stride < 1 ? 1 : stride;
	for (int i = 0; i < g->count; i += stride) {
		double sum = 0;
		for (int k = i; k < g->count && k < i + stride; k++)
			sum += group_time(&g->items[k]);
		most = fmax(most, sum);
	}
	c->x = (struct axis){.high = g->count, .from = CHART_LEFT, .to = CHART_RIGHT};
	c->y = axis_linear(most, CHART_BOTTOM, CHART_TOP);
	chart_begin(c, CHART_HEIGHT, "Time by layer, in the order of the net",
		    "A column for each layer. The names and times stand in the table.");
	chart_axes(c, &(struct chart_axis){"layers, from the first to the last", ""},
		   &(struct chart_axis){stride > 1 ? "time of a column" : "time of a layer", "s"});
	for (int i = 0; i < g->count; i += stride)
		draw_column(c, g, i, i + stride < g->count ? i + stride : g->count);
	chart_picture_end(c);
	parts_legend(c, n, 0);
	chart_caption_begin(c);
	paleo_print(c->out,
		    "Time by layer: %d layers in the order of the net, "
		    "from below: forward, backward, update%s.",
		    g->count, stride > 1 ? "; a column stands for several" : "");
	chart_end(c);
}

int bars_by_layer(struct chart *c, const struct view_net *n, struct paleo_error *err)
{
	struct groups g;
	int rc = groups_by_layer(n, &g, err);

	if (rc)
		return rc;
	draw_profile(c, n, &g);
	groups_sort(&g);
	int shown = g.count < LAYERS_SHOWN ? g.count : LAYERS_SHOWN;
	chart_begin(c, bars_height(n, shown), "The longest layers",
		    "Bars, the longest layer first. The numbers stand behind the bars.");
	draw_groups(c, n, &g, shown);
	chart_picture_end(c);
	parts_legend(c, n, n->measured > 0);
	chart_caption_begin(c);
	paleo_print(c->out, "The %d longest of %d layers.", shown, g.count);
	chart_end(c);
	groups_release(&g);
	return PALEO_OK;
}

/* The group of this name; NULL: there is none. */
static const struct group *find_group(const struct groups *g, const char *name)
{
	for (int i = 0; i < g->count; i++)
		if (!strcmp(g->items[i].name, name))
			return &g->items[i];
	return NULL;
}

int bars_of_two(struct chart *c, const struct view_net *a, const struct view_net *b,
		struct paleo_error *err)
{
	static const double nothing[STEP_PARTS];
	struct groups first, second = {0};
	double longest = 0;
	int rc = groups_by_kind(a, a->count, &first, err);

	if (!rc)
		rc = groups_by_kind(b, b->count, &second, err);
	if (rc) {
		groups_release(&first);
		return rc;
	}
	int shown = first.count < KINDS_MOST ? first.count : KINDS_MOST;
	for (int i = 0; i < first.count; i++)
		longest = fmax(longest, group_time(&first.items[i]));
	for (int i = 0; i < second.count; i++)
		longest = fmax(longest, group_time(&second.items[i]));
	struct lying l = {.chart = c,
			  .y = 6,
			  .axis = {.high = longest > 0 ? longest : 1,
				   .from = LABEL_WIDTH,
				   .to = CHART_WIDTH - VALUE_WIDTH}};
	chart_begin(c, 12 + shown * (2 * (BAR_HEIGHT + 2) + BAR_GAP - 2),
		    "Time by kind in two runs", "Two bars for each kind, with their numbers.");
	for (int i = 0; i < shown; i++) {
		const struct group *other = find_group(&second, first.items[i].name);
		draw_name(&l, first.items[i].name, 2 * BAR_HEIGHT);
		draw_bar(&l, first.items[i].time_s, 0, "A ");
		draw_bar(&l, other ? other->time_s : nothing, STEP_PARTS, "B ");
		l.y += BAR_GAP - 2;
	}
	chart_picture_end(c);
	chart_legend_begin(c);
	for (int s = 0; s < CHART_SERIES; s++)
		chart_legend_entry(c, CHART_SIGN_AREA, s,
				   (const char *const[]){"A forward", "A backward", "A update",
							 "B forward", "B backward", "B update"}[s]);
	chart_legend_end(c);
	chart_caption_begin(c);
	fputs("Time by kind of work in both runs.", c->out);
	chart_end(c);
	groups_release(&first);
	groups_release(&second);
	return PALEO_OK;
}
