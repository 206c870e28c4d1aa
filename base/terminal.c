/* terminal.c - properties of an output stream: width, and colours. */
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/table.h"
#include "base/table_rows.h"

enum {
	NARROWEST = 20 /* below it the reported width is not plausible */
};

/* A memory stream has no file descriptor, and is not a terminal. */
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
