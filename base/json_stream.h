/* json_stream.h - the values of a JSON file of any size, one after the other. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BASE_JSON_STREAM_H
#define PALEO_BASE_JSON_STREAM_H

#include "base/json.h"

/*
 * A text of JSON values, such as one object, or JSON lines; plain or gzip. It is handed out in
 * parts: each element of an array that is such a value, or the value of a member of such an object;
 * each member of an object; other values whole. So a trace of a gigabyte is read in the memory of
 * one event.
 */
struct paleo_json_stream;

/* A part. Both are valid until the next one is read. */
struct paleo_json_part {
	const char *key;                /* the member it belongs to; "" outside of an object */
	const struct paleo_json *value; /* NULL: the text has ended */
};

/* `what` names the expected kind in messages. EIO, ENOMEM. paleo_json_stream_close() frees. */
int paleo_json_stream_open(const char *path, const char *what, struct paleo_json_stream **out,
			   struct paleo_error *err);
void paleo_json_stream_close(struct paleo_json_stream *s); /* NULL is allowed */

/* The next part. EINPUT with file and line where the text is no JSON, also where it ends too soon,
 * or a part has more than PALEO_JSON_FILE_MAX bytes; EIO, ENOMEM. */
int paleo_json_stream_next(struct paleo_json_stream *s, struct paleo_json_part *out,
			   struct paleo_error *err);

#endif
