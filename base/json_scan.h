/* json_scan.h - checks JSON text strictly and notes where each value stands. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BASE_JSON_SCAN_H
#define PALEO_BASE_JSON_SCAN_H

#include <stddef.h>

#include "base/error.h"

/* Only for the json*.c files: cJSON keeps no positions and lets too much pass. */

enum {
	PALEO_JSON_DEPTH_MAX = 64,               /* arrays and objects inside each other */
	PALEO_JSON_NUMBER_MAX = 63,              /* characters; cJSON cuts a longer number */
	PALEO_JSON_VALUES_MAX = 4 * 1024 * 1024, /* bounds memory: about 170 bytes a value */
};

struct paleo_json_place {
	int line, col; /* from 1; columns count characters, not bytes; 0 if there is none */
};

struct paleo_json_mark {
	struct paleo_json_place value;
	struct paleo_json_place key; /* 0, 0 outside an object */
};

/*
 * Accepts the texts of RFC 8259 that are UTF-8 and have no U+0000 in a string and no more depth,
 * values and digits than above. Duplicate keys and numbers too large for a double are left for
 * the caller, who has the decoded values. *out has one mark for each value in the order in which
 * the values begin; free(). EINPUT, ENOMEM.
 */
int paleo_json_scan(const char *name, int first_line, const char *text, size_t size,
		    struct paleo_json_mark **out, size_t *count, struct paleo_error *err);

#endif
