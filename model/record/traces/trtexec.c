/* trtexec.c - layers of TensorRT, as trtexec --exportProfile writes their times. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/json_stream.h"
#include "model/record/traces/trace.h"

int paleo_trace_is_trtexec(const char *head, size_t size)
{
	return paleo_trace_has(head, size, "\"averageMs\"") &&
	       paleo_trace_has(head, size, "\"percentage\"");
}

/* A layer's median, where this release writes it, else its mean. */
static int add_layer(const struct paleo_json *layer, struct paleo_trace *to,
		     struct paleo_error *err)
{
	const struct paleo_json *name, *time = paleo_json_get(layer, "medianMs");
	const char *text;
	double ms;
	int rc = paleo_json_need(layer, "name", &name, err);

	if (!rc)
		rc = paleo_json_to_string(name, &text, err);
	if (!rc && !time)
		rc = paleo_json_need(layer, "averageMs", &time, err);
	if (!rc)
		rc = paleo_json_to_double(time, 0, 3.6e6, &ms, err);
	if (rc)
		return rc;
	to->out->total_s += 1e-3 * ms;
	return paleo_trace_add_unmatched(to, text, 1e-3 * ms, 1, "layer", err);
}

int paleo_trace_read_trtexec(const char *path, struct paleo_trace *to, struct paleo_error *err)
{
	struct paleo_json_stream *s = NULL;
	struct paleo_json_part part = {0};
	int rc = paleo_json_stream_open(path, "a profile of trtexec", &s, err);

	to->out->steps = 1;
	while (!rc && !(rc = paleo_json_stream_next(s, &part, err)) && part.value)
		if (paleo_json_type(part.value) == PALEO_JSON_OBJECT &&
		    !paleo_json_get(part.value, "count"))
			rc = add_layer(part.value, to, err);
	paleo_json_stream_close(s);
	if (!rc && !(to->out->total_s > 0))
		rc = paleo_fail(err, PALEO_EINPUT,
				"%s: has no layer with a time, expected that of trtexec "
				"--exportProfile",
				path);
	return rc;
}
