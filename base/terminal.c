/* terminal.c - what a stream is shown on: how wide it is, and whether it has colours. */
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "base/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
	NARROWEST = 20 /* below it is no terminal that anybody reads */
};

/* A stream in memory has no file, and is none. */
static int is_terminal(FILE *out)
{
	int file = fileno(out);

	return file >= 0 && isatty(file);
}

int paleo_terminal_width(FILE *out)
{
	const char *given = getenv("COLUMNS");
	struct winsize size = {0};

	if (!is_terminal(out))
		return 0;
	long columns = given ? strtol(given, NULL, 10) : 0;
	if (columns < NARROWEST && !ioctl(fileno(out), TIOCGWINSZ, &size))
		columns = size.ws_col;
	return columns >= NARROWEST && columns < 10000 ? (int)columns : 0;
}

int paleo_terminal_has_colour(FILE *out)
{
	const char *unwanted = getenv("NO_COLOR"), *kind = getenv("TERM");

	return is_terminal(out) && !(unwanted && unwanted[0]) && kind && strcmp(kind, "dumb") != 0;
}
