/* record_write.c - writes the lines of a results file. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "model/record/record.h"
#include "model/record/record_fields.h"

struct paleo_json_writer *paleo_results_line(const char *type)
{
	struct paleo_json_writer *w = paleo_json_writer_new();

	if (!w)
		return NULL;
	paleo_json_open_object(w, NULL);
	paleo_json_put_string(w, "type", type);
	return w;
}

int paleo_results_line_end(struct paleo_json_writer *w, FILE *out, struct paleo_error *err)
{
	char *text = NULL;
	int rc = PALEO_OK;

	if (!w)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	paleo_json_close(w);
	rc = paleo_json_writer_text(w, 0, &text, err);
	if (!rc && (fprintf(out, "%s\n", text) < 0 || fflush(out) != 0))
		rc = paleo_fail(err, PALEO_EIO, "cannot write results: %s", strerror(errno));
	free(text);
	paleo_json_writer_free(w);
	return rc;
}

static void put_work(struct paleo_json_writer *w, const struct paleo_work *work)
{
	char key[PALEO_WORK_KEY_MAX];

	paleo_work_key(work, key, sizeof(key));
	paleo_json_put_string(w, "work", key);
}

int paleo_record_meta_write(const struct paleo_record_meta *m, FILE *out, struct paleo_error *err)
{
	struct paleo_json_writer *w = paleo_results_line("meta");

	if (w) {
		paleo_json_put_string(w, "schema", paleo_results_schema.name);
		paleo_json_fields_write(w, paleo_meta_fields, m);
		paleo_device_write(&m->device, w, "device");
	}
	return paleo_results_line_end(w, out, err);
}

/* A number that is not known is null. */
static void put_state(struct paleo_json_writer *w, struct paleo_state s)
{
	double *numbers[] = {&s.sm_mhz, &s.clock_ratio, &s.power_w, &s.temp_c, &s.energy_j};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (*numbers[i] == 0)
			*numbers[i] = NAN;
	paleo_json_open_object(w, "state");
	paleo_json_fields_write(w, paleo_state_fields, &s);
	paleo_json_close(w);
}

int paleo_record_write(const struct paleo_record *r, FILE *out, struct paleo_error *err)
{
	struct paleo_json_writer *w = paleo_results_line("record");

	if (w) {
		put_work(w, &r->work);
		paleo_json_put_string(w, "status", paleo_record_status_name(r->status));
		paleo_json_fields_write(w, paleo_record_fields, r);
		if (r->status == PALEO_RECORD_OK) {
			paleo_json_open_object(w, "timing");
			paleo_json_fields_write(w, paleo_timing_fields, &r->timing);
			paleo_json_close(w);
			put_state(w, r->state);
		}
	}
	return paleo_results_line_end(w, out, err);
}

int paleo_net_rows_write(const struct paleo_net_rows *n, FILE *out, struct paleo_error *err)
{
	struct paleo_json_writer *w = paleo_results_line("net");

	if (w) {
		paleo_json_fields_write(w, paleo_net_fields, n);
		paleo_json_put_string(w, "dtype", paleo_dtype_name(n->dtype));
		paleo_json_open_array(w, "rows");
		for (int i = 0; i < n->count; i++) {
			paleo_json_open_object(w, NULL);
			paleo_json_fields_write(w, paleo_row_fields, &n->rows[i]);
			paleo_json_put_string(w, "pass", paleo_pass_name(n->rows[i].pass));
			put_work(w, &n->rows[i].work);
			paleo_json_close(w);
		}
		paleo_json_close(w);
	}
	return paleo_results_line_end(w, out, err);
}

int paleo_ceiling_write(const struct paleo_ceiling *c, FILE *out, struct paleo_error *err)
{
	struct paleo_json_writer *w = paleo_results_line("ceiling");

	if (w)
		paleo_json_fields_write(w, paleo_ceiling_fields, c);
	return paleo_results_line_end(w, out, err);
}

const char *paleo_phase_name(enum paleo_phase phase)
{
	static const char *const names[PALEO_PHASES] = {
		[PALEO_PHASE_START] = "start",       [PALEO_PHASE_PEAKS] = "peaks",
		[PALEO_PHASE_PREPARE] = "prepare",   [PALEO_PHASE_FILL] = "fill",
		[PALEO_PHASE_CHECK] = "check",       [PALEO_PHASE_WARM_UP] = "warm_up",
		[PALEO_PHASE_PROBES] = "probes",     [PALEO_PHASE_COUNTED] = "counted",
		[PALEO_PHASE_REJECTED] = "rejected", [PALEO_PHASE_WRITE] = "write"};

	return names[phase];
}

int paleo_record_end_write(const struct paleo_spent *spent, double wall_s, FILE *out,
			   struct paleo_error *err)
{
	struct paleo_json_writer *w = paleo_results_line("end");

	if (w && spent) {
		paleo_json_put_double(w, "wall_s", wall_s);
		paleo_json_open_object(w, "spent_s");
		for (int i = 0; i < PALEO_PHASES; i++)
			paleo_json_put_double(w, paleo_phase_name((enum paleo_phase)i),
					      spent->s[i]);
		paleo_json_close(w);
	}
	return paleo_results_line_end(w, out, err);
}
