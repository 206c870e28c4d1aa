/* page_files.h - page.css and page.js, embedded when the program is built (embed.cmake). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_REPORT_PAGE_FILES_H
#define PALEO_TOOLS_REPORT_PAGE_FILES_H

extern const char page_css[], page_js[];               /* NUL-ended */
extern const char page_css_sha256[], page_js_sha256[]; /* of each, as hexadecimal digits */

#endif
