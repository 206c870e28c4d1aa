/* device_list.h - several devices named in one option: "0,1". */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_SESSION_DEVICE_LIST_H
#define PALEO_TOOLS_SESSION_DEVICE_LIST_H

#include "base/error.h"

enum {
	DEVICE_LIST_MAX = 16,
	DEVICE_NAME_MAX = 32
};

/* Names as for session_open(). */
struct device_list {
	char names[DEVICE_LIST_MAX][DEVICE_NAME_MAX];
	int count;
};

/* Splits at commas. EINPUT for an empty or repeated name, or too many. */
int device_list_parse(const char *text, struct device_list *out, struct paleo_error *err);

#endif
