/* page.h - a report as one page of HTML that needs nothing else. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_REPORT_PAGE_H
#define PALEO_TOOLS_REPORT_PAGE_H

#include "tools/report/view.h"

/* What the page begins with, so that a report is known and may be written over. */
#define PAGE_BEGINNING "<!doctype html>\n<!-- paleo report -->\n"

/* The whole page. Its style and script stand in it, and its policy forbids all others and the
 * network. EIO when the stream refuses; ENOMEM. */
int page_print(const struct view *v, FILE *out, struct paleo_error *err);

#endif
