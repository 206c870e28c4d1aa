/* filter.c - the layers that --filter keeps. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/session/filter.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
	LENGTH_MAX = 1000,
	REPEATS_MAX = 1000 /* of all counts together: the C library writes repeats out */
};

/* The larger number of "{3}", "{3,}" or "{3,9}"; *at is behind the brace. */
static double count_of(const char **at)
{
	double most = 1;

	while (**at && **at != '}') {
		char *end = NULL;
		double number = (double)strtoul(*at, &end, 10);
		most = number > most ? number : most;
		*at = end > *at ? end : *at + 1;
	}
	return most;
}

/* Refuses what the C library may take for ever to compile or to search. */
static int check_cost(const char *pattern, struct paleo_error *err)
{
	double repeats = 1;

	if (strlen(pattern) > LENGTH_MAX)
		return paleo_fail(err, PALEO_EINPUT,
				  "--filter has %zu characters, expected at most %d",
				  strlen(pattern), LENGTH_MAX);
	for (const char *at = pattern; *at; at++) {
		if (*at == '{')
			repeats *= count_of(&at);
		if (*at == '\\' && at[1] >= '1' && at[1] <= '9')
			return paleo_fail(err, PALEO_EINPUT,
					  "--filter '%s': a back-reference (\\%c) may be searched "
					  "for without end: write out what it stands for",
					  pattern, at[1]);
		if (!*at)
			break;
		at += *at == '\\' && at[1];
	}
	if (repeats > REPEATS_MAX)
		return paleo_fail(
			err, PALEO_EINPUT,
			"--filter '%s' repeats up to %.0f times, expected at most %d: use * "
			"or +",
			pattern, repeats, REPEATS_MAX);
	return PALEO_OK;
}

int filter_open(const char *pattern, struct filter *out, struct paleo_error *err)
{
	char why[128];

	out->on = 0;
	if (!pattern)
		return PALEO_OK;
	int rc = check_cost(pattern, err);
	if (rc)
		return rc;
	int code = regcomp(&out->re, pattern, REG_EXTENDED | REG_NOSUB);
	if (code) {
		regerror(code, &out->re, why, sizeof(why));
		return paleo_fail(err, PALEO_EINPUT, "--filter '%s': %s", pattern, why);
	}
	out->on = 1;
	return PALEO_OK;
}

void filter_close(struct filter *f)
{
	if (f->on)
		regfree(&f->re);
	f->on = 0;
}

/* The C library says REG_NOMATCH, too, where the search itself had no memory. */
int filter_keeps(const struct filter *f, const char *layer, int *keeps, struct paleo_error *err)
{
	errno = 0;
	int code = f->on ? regexec(&f->re, layer, 0, NULL, 0) : 0;

	if (code && errno == ENOMEM)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for --filter");
	*keeps = !code;
	return PALEO_OK;
}
