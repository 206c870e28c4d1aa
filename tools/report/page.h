/* page.h - the page of a report: its data, and the script that draws it. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_REPORT_PAGE_H
#define PALEO_TOOLS_REPORT_PAGE_H

#include <stdio.h>

/* The begin of the page, by which a report is recognised and may be overwritten. */
#define PAGE_BEGINNING "<!doctype html>\n<!-- paleo report -->\n"

/* Its style and its script, embedded when the program is built (embed.cmake): NUL-ended, and the
 * SHA-256 of each as hexadecimal digits. */
extern const char page_style[], page_script[];
extern const char page_style_sha256[], page_script_sha256[];

/* The whole page of this JSON. Its policy forbids all other styles and scripts, and the network. */
void page_print(const char *json, FILE *out);

#endif
