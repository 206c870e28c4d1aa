/* progress.c - a run on a terminal: a line of what is done, and the signals that end it. */
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "tools/session/progress.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "base/table.h"
#include "base/text.h"
#include "bench/clock.h"

static const double REDRAW_S = 0.2;

enum {
	USUAL_WIDTH = 80,
	LINE_MAX_BYTES = 256
};

/* Seconds that are left; NaN: nothing says. */
static double left_s(const struct progress *p, double now)
{
	if (!isnan(p->end_s))
		return fmax(p->end_s - now, 0);
	return p->done > 0 ? (now - p->begun_s) * (p->count - p->done) / p->done : NAN;
}

/* Cuts a line to the terminal's width. */
static void cut_line(char line[LINE_MAX_BYTES])
{
	int width = paleo_terminal_width(stderr);

	if (width <= 1 || width > LINE_MAX_BYTES)
		width = USUAL_WIDTH;
	int cut = width - 1;
	while (cut > 0 && (line[cut] & 0xC0) == 0x80) /* inside of a character of several bytes */
		cut--;
	line[cut] = '\0';
}

/* "3/120  12 s left  conv fwd ...", or "4 s  opening the CPU"; cut to the terminal's width. */
static void draw(struct progress *p, double now)
{
	char line[LINE_MAX_BYTES], counted[32] = "", time[48];
	double left = left_s(p, now);

	if (p->count > 0)
		snprintf(counted, sizeof(counted), "%d/%d  ", p->done, p->count);
	if (isnan(left))
		snprintf(time, sizeof(time), "%.0f s", now - p->begun_s);
	else
		snprintf(time, sizeof(time), "%.0f s left", left);
	snprintf(line, sizeof(line), "%s%s  %s", counted, time, p->what);
	cut_line(line);
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

void progress_leave(struct progress *p, const char *text)
{
	char line[LINE_MAX_BYTES];

	if (!p->is_shown)
		return;
	snprintf(line, sizeof(line), "%s", text);
	cut_line(line);
	progress_clear(p);
	paleo_print(stderr, "%s\n", line);
}

static void report(void *self, int done, int count)
{
	struct progress *p = self;

	if (count > 0)
		progress_step(p, done, count, NAN, NULL);
	else
		redraw(p);
}

struct paleo_progress progress_listener(struct progress *p)
{
	return (struct paleo_progress){.report = report, .self = p};
}

/* A signal handler can speak to the rest through a global only. */
static volatile sig_atomic_t interrupted;

/* The next one does what it does to any program. */
static void note(int signal_number)
{
	static const char told[] =
		"\nInterrupted: stops after the current op; again stops at once\n";

	(void)signal_number;
	interrupted = 1;
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	if (write(STDERR_FILENO, told, sizeof(told) - 1) < 0)
		return; /* nobody is there to be told */
}

void stop_hold(struct stop *old)
{
	struct sigaction first = {.sa_handler = note, .sa_flags = SA_RESTART};

	sigemptyset(&first.sa_mask);
	sigaddset(&first.sa_mask, SIGINT);
	sigaddset(&first.sa_mask, SIGTERM);
	sigaction(SIGINT, NULL, &old->on_int);
	sigaction(SIGTERM, NULL, &old->on_term);
	/* what the caller ignores, as a shell does for what it starts behind it, stays ignored */
	if (old->on_int.sa_handler == SIG_DFL && !interrupted)
		sigaction(SIGINT, &first, NULL);
	if (old->on_term.sa_handler == SIG_DFL && !interrupted)
		sigaction(SIGTERM, &first, NULL);
}

void stop_release(const struct stop *old)
{
	if (interrupted)
		return;
	sigaction(SIGINT, &old->on_int, NULL);
	sigaction(SIGTERM, &old->on_term, NULL);
}

int stop_came(void)
{
	return interrupted;
}
