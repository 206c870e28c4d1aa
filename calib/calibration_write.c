/* calibration_write.c - writes calibration.json; the fields it shares with the reader. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/calibration_fields.h"
#include "calib/calibration_file.h"

#define TEXT(type, name)                                                                           \
	{                                                                                          \
#name, PALEO_FIELD_TEXT, offsetof(struct type, name),                              \
			sizeof(((struct type *)0)->name), 0, 0, 0, 0                               \
	}
#define COUNT(type, name, high)                                                                    \
	{                                                                                          \
#name, PALEO_FIELD_INT, offsetof(struct type, name), 0, 0, high, 0, 0              \
	}
#define NUMBER(name, low, high)                                                                    \
	{                                                                                          \
#name, PALEO_FIELD_NUMBER, offsetof(struct paleo_class_model, name), 0, low, high, \
			0, 0                                                                       \
	}
/* May be null: not known. */
#define MAYBE(name, low)                                                                           \
	{                                                                                          \
#name, PALEO_FIELD_NUMBER, offsetof(struct paleo_class_model, name), 0, low, 1e9,  \
			0, 1                                                                       \
	}

/* The same, and older files lack it. */
#define NEWER(name, low, high)                                                                     \
	{                                                                                          \
#name, PALEO_FIELD_NUMBER, offsetof(struct paleo_class_model, name), 0, low, high, \
			1, 1                                                                       \
	}

static const struct paleo_json_word words[] = {
	{NULL, "pace_flop_per_s", "speed_flop_per_s"},
	{NULL, "pace_bytes_per_s", "speed_bytes_per_s"},
	{NULL, "form", "kernel_model"},
	{"kernel_model", "blocks", "onednn_conv"},
	{"kernel_model", "groups", "onednn_grouped_conv"},
	{"kernel_model", "windows", "onednn_pool"},
	{"kernel_model", "channels", "onednn_batch_norm"},
	{"kernel_model", "loop", "host_kernel"},
	{NULL, "copies", "operand_sets"},
	/* names of parameters, in "parameters" and in "correlated" */
	{"factors", "turn", "accumulator_spill"},
	{"factors", "turn_1x1", "accumulator_spill_1x1"},
	{"factors", "near_kb", "l1_kb"},
	{0},
};

static const struct paleo_json_earlier earlier[] = {{"paleo-calibration/2", words}, {0}};

const struct paleo_json_schema paleo_calibration_schema = {
	.name = "paleo-calibration/3", .earlier = earlier, .advice = "calibrate again"};

const struct paleo_json_field paleo_calibration_fields[] = {
	TEXT(paleo_calibration, backend),
	TEXT(paleo_calibration, versions),
	TEXT(paleo_calibration, mode),
	TEXT(paleo_calibration, created_utc),
	{"method", PALEO_FIELD_TEXT, offsetof(struct paleo_calibration, method),
	 sizeof(((struct paleo_calibration *)0)->method), 0, 0, 1, 0},
	{"speed_flop_per_s", PALEO_FIELD_NUMBER,
	 offsetof(struct paleo_calibration, speed.flop_per_s), 0, 0, 1e24, 1, 0},
	{"speed_bytes_per_s", PALEO_FIELD_NUMBER,
	 offsetof(struct paleo_calibration, speed.bytes_per_s), 0, 0, 1e24, 1, 0},
	COUNT(paleo_calibration, threads, 65536),
	COUNT(paleo_calibration, records, 1e9),
	{0},
};

const struct paleo_json_field paleo_class_model_fields[] = {
	{"class", PALEO_FIELD_TEXT, offsetof(struct paleo_class_model, class_name),
	 sizeof(((struct paleo_class_model *)0)->class_name), 0, 0, 0, 0},
	NUMBER(ppp_compute, 1e-6, 2),
	NUMBER(ppp_memory, 1e-6, 16),
	NUMBER(overhead_s, 0, 1),
	NUMBER(overlap, 1, 16),
	NUMBER(half_depth, 0, 1e6),
	NUMBER(half_width, 0, 1e6),
	MAYBE(se_ppp_compute, 0),
	MAYBE(se_ppp_memory, 0),
	MAYBE(se_overhead, 0),
	MAYBE(se_half_depth, 0),
	MAYBE(se_half_width, 0),
	COUNT(paleo_class_model, records, 1e9),
	MAYBE(heldout_median, 0),
	MAYBE(heldout_mean, 0),
	MAYBE(heldout_p90, 0),
	MAYBE(ratio_low, 1e-9),
	MAYBE(ratio_high, 1e-9),
	NEWER(correlation, 1e-9, 1),
	NEWER(kind_correlation, 0, 1),
	NEWER(ppp, 1e-9, 1e9),
	{0},
};

static void put_factor(struct paleo_json_writer *w, const struct paleo_class_model *f)
{
	paleo_json_open_object(w, NULL);
	paleo_json_put_string(w, "pass", paleo_pass_name(f->pass));
	paleo_json_put_string(w, "dtype", paleo_dtype_name(f->dtype));
	paleo_json_fields_write(w, paleo_class_model_fields, f);
	paleo_kernel_model_write(f, w);
	paleo_json_close(w);
}

int paleo_calibration_text(const struct paleo_calibration *c, char **out, struct paleo_error *err)
{
	struct paleo_json_writer *w = paleo_json_writer_new();
	char hash[32];

	if (!w)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	paleo_json_open_object(w, NULL);
	paleo_json_put_string(w, "schema", paleo_calibration_schema.name);
	paleo_json_fields_write(w, paleo_calibration_fields, c);
	paleo_device_write(&c->device, w, "device");
	paleo_json_open_array(w, "factors");
	for (int i = 0; i < c->count; i++)
		put_factor(w, &c->models[i]);
	paleo_json_close(w);
	paleo_passes_write(c, w);
	paleo_json_open_array(w, "fitted_to");
	for (int i = 0; i < c->seen_count; i++) {
		snprintf(hash, sizeof(hash), "%016" PRIx64, c->seen[i]);
		paleo_json_put_string(w, NULL, hash);
	}
	paleo_json_close(w);
	paleo_json_close(w);
	int rc = paleo_json_writer_text(w, 1, out, err);
	paleo_json_writer_free(w);
	return rc;
}

const struct paleo_file_kind paleo_calibration_kind = {
	.what = "a calibration", .marks = {"{", "\"schema\"", "\"paleo-calibration/"}};

int paleo_calibration_save(const struct paleo_calibration *c, struct paleo_save *to,
			   struct paleo_error *err)
{
	char *text = NULL;
	int rc = paleo_calibration_text(c, &text, err);

	if (!rc)
		rc = paleo_save_commit(to, text, strlen(text), err);
	free(text);
	return rc;
}
