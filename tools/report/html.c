/* html.c - text and numbers in a page: what files say is shown, and is never markup. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report/html.h"

#include <math.h>
#include <string.h>

#include "base/table.h"
#include "base/text.h"
#include "base/utf8.h"

/* What stands for a character that has a meaning in markup; NULL: itself. */
static const char *entity(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

void html_text(FILE *out, const char *text)
{
	size_t size = strlen(text);
	char shown[PALEO_TEXT_SHOWN_MAX];

	for (size_t at = 0; at < size;) {
		at += (size_t)paleo_text_show(text + at, size - at, shown);
		const char *instead = shown[1] ? NULL : entity(shown[0]);
		fputs(instead ? instead : shown, out);
	}
}

void html_text_end(FILE *out, const char *text, int most)
{
	int count = paleo_utf8_count(text);

	if (count > most) {
		fputs("\xe2\x80\xa6", out); /* an ellipsis */
		for (; count >= most && *text; count--) {
			int length = paleo_utf8_length(text, strlen(text));
			text += length ? length : 1;
		}
	}
	html_text(out, text);
}

void html_px(FILE *out, double value)
{
	char text[32];
	int length = snprintf(text, sizeof(text), "%.1f", value);

	if (length > 2 && !strcmp(text + length - 2, ".0"))
		text[length - 2] = '\0';
	fputs(text, out);
}

/* A value in the unit's prefix that leaves one to three digits before the point. */
static double scale(double value, const char **prefix)
{
	static const char *const prefixes[] = {"n", "\xc2\xb5", "m", "", "k", "M", "G", "T", "P"};
	const int none = 3, last = (int)(sizeof(prefixes) / sizeof(prefixes[0])) - 1;
	int power = value == 0 ? 0 : (int)floor(log10(fabs(value) * (1 + 5e-4)) / 3);
	int at = power + none;

	at = at < 0 ? 0 : at > last ? last : at;
	*prefix = prefixes[at];
	return value / pow(1000, at - none);
}

void html_si(char text[HTML_NUMBER_MAX], double value, const char *unit)
{
	const char *prefix;
	double scaled = scale(value, &prefix);
	int decimals = fabs(scaled) >= 99.95 ? 0 : fabs(scaled) >= 9.995 ? 1 : 2;

	if (isfinite(value))
		snprintf(text, HTML_NUMBER_MAX, "%.*f %s%s", decimals, scaled, prefix, unit);
	else
		snprintf(text, HTML_NUMBER_MAX, "-");
}

void html_tick(char text[HTML_NUMBER_MAX], double value, const char *unit)
{
	const char *prefix = "";
	int plain = !unit[0] && value >= 0.01 && value < 1e4;
	double scaled = plain ? value : scale(value, &prefix);

	snprintf(text, HTML_NUMBER_MAX, "%.4g%s%s%s", scaled, prefix[0] || unit[0] ? " " : "",
		 prefix, unit);
}

void html_number(char text[HTML_NUMBER_MAX], double value, int decimals)
{
	int digits = decimals ? paleo_decimals(value, decimals, 3) : 0;

	if (isfinite(value))
		snprintf(text, HTML_NUMBER_MAX, "%.*f", digits, value);
	else
		snprintf(text, HTML_NUMBER_MAX, "-");
}

void html_base64(char text[HTML_NUMBER_MAX], const char *hex)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	static const char hex_digits[] = "0123456789abcdef";
	unsigned bits = 0;
	int held = 0;
	size_t at = 0;

	for (; *hex && at + 3 < HTML_NUMBER_MAX; hex++) {
		bits = bits << 4 | (unsigned)(strchr(hex_digits, *hex) - hex_digits);
		held += 4;
		if (held < 6)
			continue;
		held -= 6;
		text[at++] = digits[bits >> held & 63];
		bits &= (1u << held) - 1;
	}
	if (held)
		text[at++] = digits[bits << (6 - held) & 63];
	while (at % 4)
		text[at++] = '=';
	text[at] = '\0';
}
