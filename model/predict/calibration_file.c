/* calibration_file.c - reads and writes calibration.json; refuses unusable ones. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/predict/calibration_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "model/device/backends.h"
#include "model/op/kind.h"

/* Parts of a file to read besides its factors and passes. */
enum {
	TREES = 1,
	SEEN = 2,
	LATER = 4, /* trees stay in the document */
	ALL = TREES | SEEN
};

#define TEXT(type, name)                                                                           \
	{                                                                                          \
#name, PALEO_FIELD_TEXT, offsetof(struct type, name),                              \
			.size = sizeof(((struct type *)0)->name)                                   \
	}
#define COUNT(type, name, to)                                                                      \
	{                                                                                          \
#name, PALEO_FIELD_INT, offsetof(struct type, name), .high = (to)                  \
	}
#define NUMBER(name, from, to)                                                                     \
	{                                                                                          \
#name, PALEO_FIELD_NUMBER, offsetof(struct paleo_class_model, name),               \
			.low = (from), .high = (to)                                                \
	}
/* May be null: not known. */
#define MAYBE(name, from)                                                                          \
	{                                                                                          \
#name, PALEO_FIELD_NUMBER, offsetof(struct paleo_class_model, name),               \
			.low = (from), .high = 1e9, .nullable = 1                                  \
	}

/* The same, and older files lack it. */
#define NEWER(name, from, to)                                                                      \
	{                                                                                          \
#name, PALEO_FIELD_NUMBER, offsetof(struct paleo_class_model, name),               \
			.low = (from), .high = (to), .optional = 1, .nullable = 1                  \
	}

const struct paleo_json_schema paleo_calibration_schema = {.name = "paleo-calibration/4",
							   .advice = "calibrate again"};

#define OTHERS(side)                                                                               \
	{                                                                                          \
		"others_" #side, PALEO_FIELD_NUMBER,                                               \
			offsetof(struct paleo_calibration, others.side), .high = 1e9,              \
									 .optional = 1             \
	}

static const struct paleo_json_field head_fields[] = {
	TEXT(paleo_calibration, backend),
	TEXT(paleo_calibration, versions),
	TEXT(paleo_calibration, mode),
	TEXT(paleo_calibration, created_utc),
	{"regime", PALEO_FIELD_TEXT, offsetof(struct paleo_calibration, regime),
	 .size = sizeof(((struct paleo_calibration *)0)->regime), .optional = 1},
	{"method", PALEO_FIELD_TEXT, offsetof(struct paleo_calibration, method),
	 .size = sizeof(((struct paleo_calibration *)0)->method), .optional = 1},
	{"timed_by", PALEO_FIELD_WORD, offsetof(struct paleo_calibration, timed_by), .optional = 1,
	 .words = paleo_timed_by_names, .expected = "'host', 'events' or 'graph'"},
	{"speed_flop_per_s", PALEO_FIELD_NUMBER,
	 offsetof(struct paleo_calibration, speed.flop_per_s), .high = 1e24, .optional = 1},
	{"speed_bytes_per_s", PALEO_FIELD_NUMBER,
	 offsetof(struct paleo_calibration, speed.bytes_per_s), .high = 1e24, .optional = 1},
	{"speed_flop_sd", PALEO_FIELD_NUMBER, offsetof(struct paleo_calibration, speed_sd.products),
	 .high = 10, .optional = 1},
	{"speed_bytes_sd", PALEO_FIELD_NUMBER, offsetof(struct paleo_calibration, speed_sd.memory),
	 .high = 10, .optional = 1},
	OTHERS(low),
	OTHERS(high),
	OTHERS(low50),
	OTHERS(high50),
	COUNT(paleo_calibration, threads, 65536),
	COUNT(paleo_calibration, records, 1e9),
	{0},
};

static const struct paleo_json_field factor_fields[] = {
	{"class", PALEO_FIELD_TEXT, offsetof(struct paleo_class_model, class_name),
	 .size = sizeof(((struct paleo_class_model *)0)->class_name)},
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

static int check_class(const struct paleo_json *v, const char *class_name, struct paleo_error *err)
{
	enum {
		CLASSES_MAX = 160
	};
	const char *names[CLASSES_MAX + 1] = {PALEO_CLASS_ANY};
	int n = 1;

	for (int kind = 0; kind < PALEO_OP_KINDS; kind++) {
		const struct paleo_op_kind_info *k = paleo_op_kind_info((enum paleo_op_kind)kind);
		for (int i = 0; n + PALEO_LAYOUTS <= CLASSES_MAX && k->classes[i][0]; i++)
			for (int layout = 0; layout < PALEO_LAYOUTS; layout++)
				names[n++] = k->classes[i][layout];
	}
	names[n] = NULL;
	for (int i = 0; i < n; i++)
		if (strcmp(names[i], class_name) == 0)
			return PALEO_OK;
	const char *near = paleo_nearest(class_name, names);
	if (near)
		return paleo_json_fail(v, err, "unknown class of op '%s' (did you mean '%s'?)",
				       class_name, near);
	return paleo_json_fail(v, err,
			       "unknown class of op '%s', expected one such as 'conv' or "
			       "'eltwise.relu'",
			       class_name);
}

int paleo_calibration_place(const struct paleo_json *v, int rc, struct paleo_error *err)
{
	struct paleo_error inner = *err;

	return rc ? paleo_json_fail(v, err, "%s", inner.text) : PALEO_OK;
}

static int need_word(const struct paleo_json *object, const char *key, const struct paleo_json **v,
		     const char **word, struct paleo_error *err)
{
	int rc = paleo_json_need(object, key, v, err);

	return rc ? rc : paleo_json_to_string(*v, word, err);
}

static int read_names(const struct paleo_json *object, struct paleo_class_model *f,
		      struct paleo_error *err)
{
	const struct paleo_json *v = NULL;
	const char *word = NULL;

	PALEO_TRY(check_class(paleo_json_get(object, "class"), f->class_name, err));
	PALEO_TRY(need_word(object, "pass", &v, &word, err));
	PALEO_TRY(paleo_calibration_place(v, paleo_pass_parse(word, &f->pass, err), err));
	PALEO_TRY(need_word(object, "dtype", &v, &word, err));
	return paleo_calibration_place(v, paleo_dtype_parse(word, &f->dtype, err), err);
}

/* Without its trees, the intervals of a class are those of all its errors. */
static int read_trees(const struct paleo_json *object, int parts, struct paleo_class_model *f,
		      struct paleo_error *err)
{
	if (parts & LATER) {
		f->unread = object;
		return PALEO_OK;
	}
	if (!(parts & TREES)) {
		if (paleo_json_get(object, "spread"))
			f->band_count = 0;
		return PALEO_OK;
	}
	PALEO_TRY(paleo_trees_read(object, "correction", &f->correction, err));
	int rc = paleo_trees_read(object, "spread", &f->spread, err);
	if (rc)
		paleo_trees_release(&f->correction);
	return rc;
}

static int read_factor(const struct paleo_json *object, int parts, struct paleo_calibration *c,
		       struct paleo_error *err)
{
	struct paleo_class_model f = {.correlation = NAN, .kind_correlation = NAN, .ppp = NAN};
	int rc = paleo_json_fields_read(object, factor_fields, paleo_kernel_model_keys, &f, err);

	if (!rc)
		rc = read_names(object, &f, err);
	if (!rc)
		rc = paleo_bands_read(object, &f, err);
	if (rc)
		return rc;
	if (isnan(f.ratio_low) != isnan(f.ratio_high) || f.ratio_low > f.ratio_high)
		return paleo_json_fail(paleo_json_get(object, "ratio_low"), err,
				       "expected 'ratio_low' at most 'ratio_high', or both null");
	for (int i = 0; i < c->count; i++)
		if (strcmp(c->models[i].class_name, f.class_name) == 0 &&
		    c->models[i].pass == f.pass && c->models[i].dtype == f.dtype)
			return paleo_json_fail(object, err, "'%s %s %s' occurs twice", f.class_name,
					       paleo_pass_name(f.pass), paleo_dtype_name(f.dtype));
	rc = paleo_kernel_model_read(object, &f, err);
	if (!rc)
		rc = paleo_correlated_read(object, &f, err);
	if (!rc)
		rc = read_trees(object, parts, &f, err);
	if (rc)
		free(f.model);
	else
		c->models[c->count++] = f;
	return rc;
}

static int read_factors(const struct paleo_json *root, int parts, struct paleo_calibration *c,
			struct paleo_error *err)
{
	const struct paleo_json *array = NULL;

	PALEO_TRY(paleo_json_need(root, "factors", &array, err));
	int n = paleo_json_size(array);
	if (paleo_json_type(array) != PALEO_JSON_ARRAY || n < 1 || n > PALEO_CLASS_MODELS_MAX)
		return paleo_json_fail(array, err, "expected an array of 1 to %d factors",
				       PALEO_CLASS_MODELS_MAX);
	c->models = calloc((size_t)n, sizeof(*c->models));
	if (!c->models)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	for (const struct paleo_json *v = paleo_json_first(array); v; v = paleo_json_next(v))
		PALEO_TRY(read_factor(v, parts, c, err));
	return PALEO_OK;
}

static int read_hash(const struct paleo_json *v, uint64_t *out, struct paleo_error *err)
{
	const char *text = NULL;
	char *end = NULL;

	PALEO_TRY(paleo_json_to_string(v, &text, err));
	if (strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16)
		return paleo_json_fail(v, err, "expected 16 hexadecimal digits, found '%s'", text);
	*out = strtoull(text, &end, 16);
	return PALEO_OK;
}

/* Optional: without it the ops that the calibration has seen are unknown. */
static int read_seen(const struct paleo_json *root, struct paleo_calibration *c,
		     struct paleo_error *err)
{
	const struct paleo_json *array = paleo_json_get(root, "fitted_to");

	if (!array)
		return PALEO_OK;
	if (paleo_json_type(array) != PALEO_JSON_ARRAY)
		return paleo_json_fail(array, err, "expected an array of hashes of ops");
	c->seen = malloc(((size_t)paleo_json_size(array) + 1) * sizeof(*c->seen));
	if (!c->seen)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	for (const struct paleo_json *v = paleo_json_first(array); v; v = paleo_json_next(v)) {
		int n = c->seen_count;
		PALEO_TRY(read_hash(v, &c->seen[n], err));
		if (n > 0 && c->seen[n] < c->seen[n - 1])
			return paleo_json_fail(v, err, "expected hashes in ascending order");
		c->seen_count++;
	}
	return PALEO_OK;
}

static int read_device(const struct paleo_json *root, struct paleo_device *d,
		       struct paleo_error *err)
{
	const struct paleo_json *v = NULL;
	double peak = 0;

	PALEO_TRY(paleo_json_need(root, "device", &v, err));
	PALEO_TRY(paleo_device_read(v, d, err));
	for (int t = 0; t < PALEO_DTYPES; t++)
		peak = fmax(peak, d->flop_per_s[t]);
	if (!(peak > 0) || !(d->mem_bytes_per_s > 0))
		return paleo_json_fail(v, err,
				       "the device needs a peak in 'flop_per_s' and "
				       "'mem_bytes_per_s', both above 0");
	return PALEO_OK;
}

static int read_root(const struct paleo_json *root, int parts, struct paleo_calibration *c,
		     struct paleo_error *err)
{
	static const char *const others[] = {"schema", "device",    "factors", "passes",
					     "power",  "fitted_to", NULL};
	int rc = paleo_json_fields_read(root, head_fields, others, c, err);

	if (!rc)
		rc = read_device(root, &c->device, err);
	c->device.speed_sd = c->speed_sd;
	/* Files without the key are of a backend that knows. */
	if (paleo_backend_find(c->backend)->hardware == PALEO_HOST)
		c->device.is_processor = 1;
	if (!rc)
		rc = read_factors(root, parts, c, err);
	if (!rc)
		rc = paleo_passes_read(root, c, err);
	if (!rc && parts & TREES)
		rc = paleo_power_read(root, &c->power, err);
	if (!rc && parts & SEEN)
		rc = read_seen(root, c, err);
	return rc;
}

/* Frees the document, or keeps it for later. */
static int read_doc(struct paleo_json_doc *doc, int parts, struct paleo_calibration *out,
		    struct paleo_error *err)
{
	struct paleo_calibration c = {.unread = parts & LATER ? doc : NULL};
	int rc = paleo_json_schema_check(paleo_json_root(doc), &paleo_calibration_schema, err);

	if (!rc)
		rc = read_root(paleo_json_root(doc), parts, &c, err);
	if (!c.unread)
		paleo_json_free(doc);
	if (rc) {
		paleo_calibration_release(&c);
		return rc;
	}
	*out = c;
	return PALEO_OK;
}

int paleo_calibration_parse(const char *name, const char *text, size_t size,
			    struct paleo_calibration *out, struct paleo_error *err)
{
	struct paleo_json_doc *doc;

	PALEO_TRY(paleo_json_parse(name, 1, text, size, &doc, err));
	return read_doc(doc, ALL, out, err);
}

static int load(const char *path, int parts, struct paleo_calibration *out, struct paleo_error *err)
{
	struct paleo_json_doc *doc;
	char *text;
	size_t size;

	PALEO_TRY(paleo_file_read(path, PALEO_JSON_FILE_MAX, "a calibration", &text, &size, err));
	PALEO_TRY(paleo_json_adopt(path, text, size, &doc, err));
	return read_doc(doc, parts, out, err);
}

int paleo_calibration_load(const char *path, struct paleo_calibration *out, struct paleo_error *err)
{
	return load(path, ALL, out, err);
}

int paleo_calibration_load_preset(const char *path, int trees, struct paleo_calibration *out,
				  struct paleo_error *err)
{
	return load(path, trees ? LATER : 0, out, err);
}

static void put_factor(struct paleo_json_writer *w, const struct paleo_class_model *f)
{
	paleo_json_open_object(w, NULL);
	paleo_json_put_string(w, "pass", paleo_pass_name(f->pass));
	paleo_json_put_string(w, "dtype", paleo_dtype_name(f->dtype));
	paleo_json_fields_write(w, factor_fields, f);
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
	paleo_json_fields_write(w, head_fields, c);
	paleo_device_write(&c->device, w, "device");
	paleo_json_open_array(w, "factors");
	for (int i = 0; i < c->count; i++)
		put_factor(w, &c->models[i]);
	paleo_json_close(w);
	paleo_passes_write(c, w);
	paleo_power_write(&c->power, w);
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
