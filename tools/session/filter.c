/* filter.c - the layers that --filter keeps. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/session/filter.h"

#include <errno.h>
#include <stddef.h>

int filter_open(const char *pattern, struct filter *out, struct paleo_error *err)
{
	char why[128];

	out->on = 0;
	if (!pattern)
		return PALEO_OK;
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
