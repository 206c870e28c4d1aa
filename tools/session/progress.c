/* progress.c - a line on a terminal: what is done of what, what is next, how long it will take. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/session/progress.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "base/terminal.h"
#include "base/text.h"
#include "bench/clock.h"

static const double REDRAW_S = 0.2;

enum {
	USUAL_WIDTH = 80,
	LINE_MAX_BYTES = 256
};

/* Seconds that are left; NaN: nothing tells. */
static double left_s(const struct progress *p, double now)
{
	if (!isnan(p->end_s))
		return fmax(p->end_s - now, 0);
	return p->done > 0 ? (now - p->begun_s) * (p->count - p->done) / p->done : NAN;
}

/* "3/120  12 s left  conv fwd ...", or "4 s  opening the CPU"; cut to the terminal's width. */
static void draw(struct progress *p, double now)
{
	char line[LINE_MAX_BYTES], counted[32] = "", time[48];
	int width = paleo_terminal_width(stderr);
	double left = left_s(p, now);

	if (p->count > 0)
		snprintf(counted, sizeof(counted), "%d/%d  ", p->done, p->count);
	if (isnan(left))
		snprintf(time, sizeof(time), "%.0f s", now - p->begun_s);
	else
		snprintf(time, sizeof(time), "%.0f s left", left);
	snprintf(line, sizeof(line), "%s%s  %s", counted, time, p->what);
	if (width <= 1 || width > LINE_MAX_BYTES)
		width = USUAL_WIDTH;
	int cut = width - 1;
	while (cut > 0 && (line[cut] & 0xC0) == 0x80) /* inside of a character of several bytes */
		cut--;
	line[cut] = '\0';
	paleo_print(stderr, "\r\033[K%s", line);
	fflush(stderr);
	p->drawn_s = now;
}

static void redraw(struct progress *p)
{
	double now = paleo_now_s();

	if (p->is_shown && now - p->drawn_s >= REDRAW_S)
		draw(p, now);
}

void progress_open(struct progress *p, int quiet)
{
	*p = (struct progress){.is_shown = !quiet && isatty(STDERR_FILENO), .end_s = NAN};
}

void progress_begin(struct progress *p, const char *what)
{
	p->done = p->count = 0;
	p->begun_s = paleo_now_s();
	p->end_s = NAN;
	p->drawn_s = 0;
	snprintf(p->what, sizeof(p->what), "%s", what);
	redraw(p);
}

void progress_step(struct progress *p, int done, int count, double end_s, const char *what)
{
	if (count && (count != p->count || done < p->done))
		p->begun_s = paleo_now_s();
	p->done = done;
	p->count = count;
	p->end_s = end_s;
	if (what)
		snprintf(p->what, sizeof(p->what), "%s", what);
	redraw(p);
}

void progress_clear(struct progress *p)
{
	if (p->is_shown && p->drawn_s > 0)
		fputs("\r\033[K", stderr);
	p->drawn_s = 0;
}

static void tell(void *self, int done, int count)
{
	struct progress *p = self;

	if (count > 0)
		progress_step(p, done, count, NAN, NULL);
	else
		redraw(p);
}

struct paleo_told progress_told(struct progress *p)
{
	return (struct paleo_told){.tell = tell, .self = p};
}
