/* record_write.c - writes a results file by one table of fields, which its reader shares. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "model/record/record.h"

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

static void put_op(struct paleo_json_writer *w, const struct paleo_op *op)
{
	char key[PALEO_OP_KEY_MAX];

	paleo_op_key(op, key, sizeof(key));
	paleo_json_put_string(w, "op", key);
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
		put_op(w, &r->op);
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
			put_op(w, &n->rows[i].op);
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

int paleo_condition_write(const struct paleo_condition *c, FILE *out, struct paleo_error *err)
{
	struct paleo_json_writer *w = paleo_results_line("condition");

	if (w)
		paleo_json_fields_write(w, paleo_condition_fields, c);
	return paleo_results_line_end(w, out, err);
}

/* "start", "peaks" ...: as in the `spent` of an "end" line. */
static const char *phase_name(enum paleo_phase phase)
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
			paleo_json_put_double(w, phase_name((enum paleo_phase)i), spent->s[i]);
		paleo_json_close(w);
	}
	return paleo_results_line_end(w, out, err);
}

/* The fields of the lines of a results file: one table for reader and writer. */

#define TEXT(type, name)                                                                           \
	{                                                                                          \
#name, PALEO_FIELD_TEXT, offsetof(struct type, name),                              \
			.size = sizeof(((struct type *)0)->name)                                   \
	}
#define NUMBER(type, name, from, to)                                                               \
	{                                                                                          \
#name, PALEO_FIELD_NUMBER, offsetof(struct type, name), .low = (from),             \
									.high = (to)               \
	}
/* May be null: not known. */
#define MAYBE(type, name, from, to)                                                                \
	{                                                                                          \
#name, PALEO_FIELD_NUMBER, offsetof(struct type, name),                            \
			.low = (from), .high = (to), .nullable = 1                                 \
	}
/* Optional; not written where it is empty. */
#define SOME_TEXT(type, name)                                                                      \
	{                                                                                          \
#name, PALEO_FIELD_TEXT, offsetof(struct type, name),                              \
			.size = sizeof(((struct type *)0)->name), .optional = 1                    \
	}
#define SOME_INT(type, name, from, to)                                                             \
	{                                                                                          \
#name, PALEO_FIELD_INT, offsetof(struct type, name), .low = (from), .high = (to),  \
								     .optional = 1                 \
	}
/* May be missing: 0. */
#define OPTIONAL(key, type, name, from, to)                                                        \
	{                                                                                          \
		key, PALEO_FIELD_NUMBER, offsetof(struct type, name), .low = (from), .high = (to), \
								      .optional = 1                \
	}
#define INT(type, name, from, to)                                                                  \
	{                                                                                          \
#name, PALEO_FIELD_INT, offsetof(struct type, name), .low = (from), .high = (to)   \
	}

enum {
	MANY = 2000000000
};

/* Seconds of one run: a thousandth of a nanosecond to thirty years. */
#define SECONDS_LOW 1e-12
#define SECONDS_HIGH 1e9

const struct paleo_json_schema paleo_results_schema = {
	.name = "paleo-records/4", .advice = "measure again", .former = "paleo-results/"};

const struct paleo_json_field paleo_meta_fields[] = {
	TEXT(paleo_record_meta, backend),
	TEXT(paleo_record_meta, versions),
	TEXT(paleo_record_meta, host),
	TEXT(paleo_record_meta, start_utc),
	TEXT(paleo_record_meta, tool),
	INT(paleo_record_meta, threads, 0, 65536),
	SOME_TEXT(paleo_record_meta, processor),
	SOME_TEXT(paleo_record_meta, boot),
	{0},
};

const struct paleo_json_field paleo_record_fields[] = {
	TEXT(paleo_record, reason),
	TEXT(paleo_record, algorithm),
	TEXT(paleo_record, mode),
	SOME_TEXT(paleo_record, regime),
	SOME_INT(paleo_record, rank, 0, PALEO_ALGORITHMS_MAX - 1),
	SOME_TEXT(paleo_record, engine),
	SOME_TEXT(paleo_record, knobs),
	SOME_TEXT(paleo_record, notes),
	SOME_TEXT(paleo_record, behaviour),
	SOME_INT(paleo_record, is_fallback, 0, 1),
	SOME_INT(paleo_record, has_bias, 0, 1),
	SOME_INT(paleo_record, has_act, 0, 1),
	SOME_TEXT(paleo_record, tags),
	SOME_TEXT(paleo_record, device),
	NUMBER(paleo_record, workspace_bytes, 0, 1e18),
	MAYBE(paleo_record, verify_error, 0, 1e300),
	MAYBE(paleo_record, verify_tolerance, 0, 1e300),
	OPTIONAL("least_s", paleo_record, least_s, 0, SECONDS_HIGH),
	{0},
};

const struct paleo_json_field paleo_timing_fields[] = {
	NUMBER(paleo_timing, median_s, SECONDS_LOW, SECONDS_HIGH),
	MAYBE(paleo_timing, ci_low_s, 0, SECONDS_HIGH),
	MAYBE(paleo_timing, ci_high_s, 0, SECONDS_HIGH),
	NUMBER(paleo_timing, min_s, 0, SECONDS_HIGH),
	NUMBER(paleo_timing, mean_s, 0, SECONDS_HIGH),
	NUMBER(paleo_timing, mad_s, 0, SECONDS_HIGH),
	NUMBER(paleo_timing, p05_s, 0, SECONDS_HIGH),
	NUMBER(paleo_timing, p95_s, 0, SECONDS_HIGH),
	MAYBE(paleo_timing, drift, -1, 1e9),
	INT(paleo_timing, samples, 1, MANY),
	INT(paleo_timing, rejected, 0, MANY),
	INT(paleo_timing, reps, 0, MANY),
	INT(paleo_timing, operand_sets, 0, MANY),
	TEXT(paleo_timing, stop),
	SOME_INT(paleo_timing, repetitions, 2, MANY),
	OPTIONAL("ci_degrees", paleo_timing, ci_degrees, 0, 1e9),
	OPTIONAL("shared_half", paleo_timing, shared_half, 0, 1e9),
	OPTIONAL("shared_degrees", paleo_timing, shared_degrees, 0, 1e9),
	OPTIONAL("speed_flop_per_s", paleo_timing, speed.flop_per_s, 0, 1e24),
	OPTIONAL("speed_bytes_per_s", paleo_timing, speed.bytes_per_s, 0, 1e24),
	OPTIONAL("speed_slope", paleo_timing, speed_slope, 0, 1),
	OPTIONAL("speed_slope_se", paleo_timing, speed_slope_se, 0, 1),
	OPTIONAL("speed_sd", paleo_timing, speed_sd, 0, 1e3),
	{0},
};

const struct paleo_json_field paleo_state_fields[] = {
	MAYBE(paleo_state, sm_mhz, 0, 1e6),
	MAYBE(paleo_state, clock_ratio, 0, 1e3),
	MAYBE(paleo_state, power_w, 0, 1e6),
	MAYBE(paleo_state, temp_c, 0, 1e3),
	MAYBE(paleo_state, energy_j, 0, 1e12),
	OPTIONAL("energy_s", paleo_state, energy_s, 0, 1e9),
	OPTIONAL("energy_runs", paleo_state, energy_runs, 0, 1e15),
	SOME_INT(paleo_state, others, 0, MANY),
	TEXT(paleo_state, reasons),
	{0},
};

const struct paleo_json_field paleo_net_fields[] = {
	TEXT(paleo_net_rows, net),
	INT(paleo_net_rows, batch, 1, 1 << 24),
	{0},
};

const struct paleo_json_field paleo_row_fields[] = {
	TEXT(paleo_net_row, layer),
	TEXT(paleo_net_row, kind),
	{0},
};

const struct paleo_json_field paleo_ceiling_fields[] = {
	TEXT(paleo_ceiling, name),
	TEXT(paleo_ceiling, unit),
	NUMBER(paleo_ceiling, value, SECONDS_LOW, 1e300),
	MAYBE(paleo_ceiling, spread, 0, 1e300),
	TEXT(paleo_ceiling, how),
	SOME_TEXT(paleo_ceiling, regime),
	{0},
};

const struct paleo_json_field paleo_condition_fields[] = {
	TEXT(paleo_condition, node),
	SOME_TEXT(paleo_condition, unit),
	OPTIONAL("power_limit_w", paleo_condition, power_limit_w, 0, 1e6),
	OPTIONAL("power_default_w", paleo_condition, power_default_w, 0, 1e6),
	OPTIONAL("used_bytes", paleo_condition, used_bytes, 0, 1e18),
	SOME_INT(paleo_condition, pcie_width, 0, MANY),
	SOME_INT(paleo_condition, pcie_width_max, 0, MANY),
	SOME_INT(paleo_condition, pcie_generation, 0, MANY),
	SOME_INT(paleo_condition, pcie_generation_max, 0, MANY),
	SOME_INT(paleo_condition, nvlinks, 0, MANY),
	SOME_INT(paleo_condition, has_ecc, 0, 1),
	SOME_INT(paleo_condition, ecc_errors, 0, MANY),
	{0},
};
