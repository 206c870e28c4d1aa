/* record_fields.c - the fields of the lines of a results file: one table for reader and writer. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/record/record_fields.h"

#include "model/record/record.h"

#define TEXT(type, name)                                                                           \
	{                                                                                          \
#name, PALEO_FIELD_TEXT, offsetof(struct type, name),                              \
			sizeof(((struct type *)0)->name), 0, 0, 0, 0                               \
	}
#define NUMBER(type, name, low, high)                                                              \
	{                                                                                          \
#name, PALEO_FIELD_NUMBER, offsetof(struct type, name), 0, low, high, 0, 0         \
	}
/* May be null: not known. */
#define MAYBE(type, name, low, high)                                                               \
	{                                                                                          \
#name, PALEO_FIELD_NUMBER, offsetof(struct type, name), 0, low, high, 0, 1         \
	}
/* May be missing, and is not written where it says nothing. */
#define SOME_TEXT(type, name)                                                                      \
	{                                                                                          \
#name, PALEO_FIELD_TEXT, offsetof(struct type, name),                              \
			sizeof(((struct type *)0)->name), 0, 0, 1, 0                               \
	}
#define SOME_INT(type, name, low, high)                                                            \
	{                                                                                          \
#name, PALEO_FIELD_INT, offsetof(struct type, name), 0, low, high, 1, 0            \
	}
/* May be missing: 0. */
#define OPTIONAL(key, type, name, low, high)                                                       \
	{                                                                                          \
		key, PALEO_FIELD_NUMBER, offsetof(struct type, name), 0, low, high, 1, 0           \
	}
#define INT(type, name, low, high)                                                                 \
	{                                                                                          \
#name, PALEO_FIELD_INT, offsetof(struct type, name), 0, low, high, 0, 0            \
	}

enum {
	MANY = 2000000000
};

/* Seconds of one run: a thousandth of a nanosecond to thirty years. */
#define SECONDS_LOW 1e-12
#define SECONDS_HIGH 1e9

static const struct paleo_json_word words_of_1[] = {
	{NULL, "copies", "operand_sets"},
	{NULL, "visits", "repetitions"},
	{NULL, "pace_flop_per_s", "speed_flop_per_s"},
	{NULL, "pace_bytes_per_s", "speed_bytes_per_s"},
	{NULL, "insitu_samples", "in_network_samples"},
	{NULL, "insitu_s", "in_network_s"},
	{0},
};

static const struct paleo_json_word words_of_2[] = {
	{"type", "fullpass", "graph_run"},
	{0},
};

static const struct paleo_json_earlier earlier[] = {
	{"paleo-results/2", words_of_2},
	{"paleo-results/1", words_of_1},
	{0},
};

const struct paleo_json_schema paleo_results_schema = {
	.name = "paleo-results/3", .earlier = earlier, .advice = "measure again"};

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
	SOME_INT(paleo_record, rank, 0, PALEO_ALGORITHMS_MAX - 1),
	SOME_TEXT(paleo_record, engine),
	SOME_TEXT(paleo_record, knobs),
	SOME_TEXT(paleo_record, notes),
	SOME_TEXT(paleo_record, behaviour),
	SOME_INT(paleo_record, is_fallback, 0, 1),
	SOME_INT(paleo_record, has_bias, 0, 1),
	SOME_INT(paleo_record, has_act, 0, 1),
	SOME_TEXT(paleo_record, tags),
	NUMBER(paleo_record, workspace_bytes, 0, 1e18),
	MAYBE(paleo_record, verify_error, 0, 1e300),
	MAYBE(paleo_record, verify_tolerance, 0, 1e300),
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
	INT(paleo_timing, samples, 0, MANY),
	INT(paleo_timing, rejected, 0, MANY),
	INT(paleo_timing, reps, 0, MANY),
	INT(paleo_timing, operand_sets, 0, MANY),
	TEXT(paleo_timing, stop),
	SOME_INT(paleo_timing, repetitions, 2, MANY),
	OPTIONAL("shared_half", paleo_timing, shared_half, 0, 1e9),
	OPTIONAL("speed_flop_per_s", paleo_timing, speed.flop_per_s, 0, 1e24),
	OPTIONAL("speed_bytes_per_s", paleo_timing, speed.bytes_per_s, 0, 1e24),
	{0},
};

const struct paleo_json_field paleo_state_fields[] = {
	MAYBE(paleo_state, sm_mhz, 0, 1e6),
	MAYBE(paleo_state, clock_ratio, 0, 1e3),
	MAYBE(paleo_state, power_w, 0, 1e6),
	MAYBE(paleo_state, temp_c, 0, 1e3),
	MAYBE(paleo_state, energy_j, 0, 1e12),
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
	{0},
};
