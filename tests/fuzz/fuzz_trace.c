/* fuzz_trace.c - any bytes as a trace of others: rows are ops with times, or it is refused. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "model/record/traces/engine.h"
#include "model/record/traces/trace.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_file.h"

static void check(const struct paleo_measured *m)
{
	demand(m->steps > 0 && m->total_s >= 0);
	for (int i = 0; i < m->count; i++) {
		const struct paleo_measured_row *row = &m->rows[i];
		demand(row->time_s > 0 && isfinite(row->time_s) && row->samples > 0);
		demand(isfinite(row->op.flops) && row->op.flops >= 0);
	}
	for (int i = 0; i < m->other_count; i++)
		demand(m->others[i].time_s >= 0 && isfinite(m->others[i].time_s));
}

/* Names are those of a small net's layers, or none; the file is the layers' JSON, too. */
static void match(const struct paleo_measured *m, const char *path)
{
	static const char text[] =
		"{\"name\": \"n\", \"layers\": {\"data\": {\"type\": \"Input\", \"parents\": [], "
		"\"tensor\": [1, 4, 4, 2]}, \"pool1\": {\"type\": \"ReLU\", \"parents\": "
		"[\"data\"]}, "
		"\"conv1\": {\"type\": \"Tanh\", \"parents\": [\"pool1\"]}}}";
	struct paleo_net *net = NULL;
	struct paleo_engine e;
	struct paleo_error err;

	demand(!paleo_net_parse("n", text, sizeof(text) - 1, 0, &net, &err));
	for (int with = 0; with < 2; with++)
		if (!paleo_engine_match(m, net, PALEO_F32, with ? path : NULL, &e, &err)) {
			demand(e.matched <= e.count && e.matched_s <= 1.001 * e.total_s + 1e-9);
			paleo_engine_release(&e);
		}
	paleo_net_free(net);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct paleo_trace_format *format = NULL;
	struct paleo_measured m;
	struct paleo_error err;
	char path[FUZZ_PATH_MAX];
	int fd = fuzz_file(data, size, path);

	if (!paleo_trace_format_of(path, &format, &err) && format) {
		if (!paleo_trace_read(path, format, &m, &err)) {
			check(&m);
			if (!format->has_sizes)
				match(&m, path);
			paleo_measured_release(&m);
		} else {
			demand(strncmp(err.text, path, strlen(path)) == 0);
		}
	}
	fuzz_file_close(fd);
	return 0;
}
