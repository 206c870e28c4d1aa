/* fuzz_measured.c - any bytes as a table of measured times: no row of it is lost without a word. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "model/record/measured.h"
#include "tests/fuzz/fuzz.h"

static const struct paleo_measured_wish no_wish = {NULL, NULL};

/* Lines with something in them, below the first one. */
static int count_rows(const char *text)
{
	int lines = 0, rows = 0;

	while (*text) {
		size_t length = strcspn(text, "\n");
		int nothing = length == 0 || (length == 1 && text[0] == '\r');
		rows += lines++ > 0 && !nothing;
		text += length + (text[length] == '\n');
	}
	return rows;
}

static int count_refused(const struct paleo_measured *m)
{
	int refused = 0;

	for (int i = 0; i < PALEO_REFUSALS; i++) {
		demand(!m->refused[i] == !m->refused_line[i]);
		refused += m->refused[i];
	}
	return refused;
}

static void check_rows(const struct paleo_measured *m)
{
	for (int i = 0; i < m->count; i++) {
		const struct paleo_measured_row *row = &m->rows[i];
		demand(row->time_s > 0 && isfinite(row->time_s));
		demand(isfinite(row->op.flops) && row->op.flops >= 0);
		demand(isfinite(row->op.read_bytes) && isfinite(row->op.write_bytes));
	}
	for (int i = 0; i < m->collective_count; i++) {
		const struct paleo_measured_collective *c = &m->collectives[i];
		demand(c->ranks >= 2 && c->bytes > 0 && isfinite(c->bytes));
		demand(c->time_s > 0 && isfinite(c->time_s));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct paleo_measured m;
	struct paleo_error err;
	char *text = malloc(size + 1);

	demand(text != NULL);
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	int rows = count_rows(text);
	if (paleo_measured_parse("fuzz", &no_wish, text, size, &m, &err)) {
		demand(err.status == PALEO_EINPUT && err.text[0] != '\0');
	} else {
		demand(m.gpu[0] != '\0' && rows > 0);
		demand(m.count + m.collective_count + count_refused(&m) == rows);
		check_rows(&m);
		paleo_measured_check(&m, paleo_device_find("t4"));
		demand(m.count + m.collective_count + count_refused(&m) == rows);
		paleo_measured_release(&m);
	}
	free(text);
	return 0;
}
