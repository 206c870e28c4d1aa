/* html.h - text and numbers in a page: what files say is shown, and is never markup. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_REPORT_HTML_H
#define PALEO_TOOLS_REPORT_HTML_H

#include <stddef.h>
#include <stdio.h>

/* Text between tags or within a quoted attribute, of HTML and of SVG. Characters that steer (see
 * base/text.h) are shown as their codes. */
void html_text(FILE *out, const char *text);

/* The same, but of a text with more than `most` characters its end, behind an ellipsis: what tells
 * layers apart stands last. */
void html_text_end(FILE *out, const char *text, int most);

/* A coordinate, with a tenth of a pixel. */
void html_px(FILE *out, double value);

enum {
	HTML_NUMBER_MAX = 48
};

/* Three digits and the unit with its prefix, "1.23 ms"; "-" for NaN. */
void html_si(char text[HTML_NUMBER_MAX], double value, const char *unit);

/* A round number of an axis in the same way, "20 ms", "1 G". */
void html_tick(char text[HTML_NUMBER_MAX], double value, const char *unit);

/* A fixed number of digits behind the point, and, but of whole numbers (0), more of a small one so
 * that three count. */
void html_number(char text[HTML_NUMBER_MAX], double value, int decimals);

/* 256 bits, given as hexadecimal digits, in base 64, as policies of content want it. */
void html_base64(char text[HTML_NUMBER_MAX], const char *hex);

#endif
