/* error.c - one way to report failure: a negative status and one sentence. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Marks a text that did not fit, so that a cut sentence is seen to be cut, and in front of a whole
 * character. */
static void mark_cut(char *text, size_t size)
{
	char *mark = text + size - sizeof("...");

	while (mark > text && ((unsigned char)*mark & 0xc0) == 0x80)
		mark--;
	memcpy(mark, "...", sizeof("..."));
}

void paleo_error_set(struct paleo_error *err, int status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int n = vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	if (n < 0)
		snprintf(err->text, sizeof(err->text), "(message could not be formatted)");
	if (n >= (int)sizeof(err->text))
		mark_cut(err->text, sizeof(err->text));
	err->status = status;
}

void paleo_error_prefix(struct paleo_error *err, const char *format, ...)
{
	char old[PALEO_ERROR_MAX];
	va_list args;

	memcpy(old, err->text, sizeof(old));
	va_start(args, format);
	int n = vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	if (n < 0)
		n = 0;
	if (n >= (int)sizeof(err->text) - 3) {
		mark_cut(err->text, sizeof(err->text));
		return;
	}
	size_t at = (size_t)n;
	int m = snprintf(err->text + at, sizeof(err->text) - at, ": %s", old);
	if (m >= (int)(sizeof(err->text) - at))
		mark_cut(err->text, sizeof(err->text));
}

const char *paleo_status_name(int status)
{
	switch ((enum paleo_status)status) {
	case PALEO_OK:
		return "ok";
	case PALEO_EINPUT:
		return "input";
	case PALEO_EIO:
		return "io";
	case PALEO_ENOMEM:
		return "oom";
	case PALEO_EUNSUPPORTED:
		return "unsupported";
	case PALEO_EBACKEND:
		return "backend";
	case PALEO_ENODEVICE:
		return "nodevice";
	case PALEO_ELIBRARY:
		return "library";
	case PALEO_ETIMEOUT:
		return "timeout";
	case PALEO_ECRASH:
		return "crash";
	}
	return "unknown";
}
