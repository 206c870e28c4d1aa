/* calibration_read.c - reads calibration.json and refuses one that could not predict. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "calib/calibration_fields.h"
#include "calib/calibration_file.h"
#include "model/device/backends.h"
#include "model/work/kind.h"

/* What of a file is read beside its head. */
enum {
	FACTORS = 1, /* and passes */
	TREES = 2,
	SEEN = 4,
	ALL = FACTORS | TREES | SEEN,
	HEAD_BYTES = 4096 /* a head that is longer is read with the rest */
};

static int check_class(const struct paleo_json *v, const char *class_name, struct paleo_error *err)
{
	enum {
		CLASSES_MAX = 160
	};
	const char *names[CLASSES_MAX + 1] = {PALEO_CLASS_ANY};
	int n = 1;

	for (int kind = 0; kind < PALEO_WORK_KINDS; kind++) {
		const struct paleo_kind_of_work *k = paleo_kind_of_work((enum paleo_work_kind)kind);
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
		return paleo_json_fail(v, err, "unknown class of work '%s' (did you mean '%s'?)",
				       class_name, near);
	return paleo_json_fail(v, err,
			       "unknown class of work '%s', expected one such as 'conv' or "
			       "'eltwise.relu'",
			       class_name);
}

/* What is wrong with a word is said by its own reader; this puts the place in front. */
static int at_place(const struct paleo_json *v, struct paleo_error *err)
{
	struct paleo_error inner = *err;

	return paleo_json_fail(v, err, "%s", inner.text);
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
	int rc = check_class(paleo_json_get(object, "class"), f->class_name, err);

	if (!rc)
		rc = need_word(object, "pass", &v, &word, err);
	if (!rc && paleo_pass_parse(word, &f->pass, err))
		rc = at_place(v, err);
	if (!rc)
		rc = need_word(object, "dtype", &v, &word, err);
	if (!rc && paleo_dtype_parse(word, &f->dtype, err))
		rc = at_place(v, err);
	return rc;
}

static int read_factor(const struct paleo_json *object, int parts, struct paleo_calibration *c,
		       struct paleo_error *err)
{
	struct paleo_class_model f = {.correlation = NAN, .kind_correlation = NAN, .ppp = NAN};
	int rc = paleo_json_fields_read(object, paleo_class_model_fields, paleo_kernel_model_keys,
					&f, err);

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
			return paleo_json_fail(object, err, "'%s %s %s' stands twice", f.class_name,
					       paleo_pass_name(f.pass), paleo_dtype_name(f.dtype));
	rc = paleo_kernel_model_read(object, &f, err);
	if (!rc)
		rc = paleo_correlated_read(object, &f, err);
	if (!rc && parts & TREES)
		rc = paleo_trees_read(object, &f.correction, err);
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
	int rc = paleo_json_need(root, "factors", &array, err);

	if (rc)
		return rc;
	int n = paleo_json_size(array);
	if (paleo_json_type(array) != PALEO_JSON_ARRAY || n < 1 || n > PALEO_CLASS_MODELS_MAX)
		return paleo_json_fail(array, err, "expected an array of 1 to %d factors",
				       PALEO_CLASS_MODELS_MAX);
	c->models = calloc((size_t)n, sizeof(*c->models));
	if (!c->models)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	for (const struct paleo_json *v = paleo_json_first(array); !rc && v; v = paleo_json_next(v))
		rc = read_factor(v, parts, c, err);
	return rc;
}

static int read_hash(const struct paleo_json *v, uint64_t *out, struct paleo_error *err)
{
	const char *text = NULL;
	char *end = NULL;
	int rc = paleo_json_to_string(v, &text, err);

	if (rc)
		return rc;
	if (strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16)
		return paleo_json_fail(v, err, "expected 16 hexadecimal digits, found '%s'", text);
	*out = strtoull(text, &end, 16);
	return PALEO_OK;
}

/* May be missing: then it is not known what the calibration has seen. */
static int read_seen(const struct paleo_json *root, struct paleo_calibration *c,
		     struct paleo_error *err)
{
	const struct paleo_json *array = paleo_json_get(root, "fitted_to");
	int rc = PALEO_OK;

	if (!array)
		return PALEO_OK;
	if (paleo_json_type(array) != PALEO_JSON_ARRAY)
		return paleo_json_fail(array, err, "expected an array of hashes of works");
	c->seen = malloc(((size_t)paleo_json_size(array) + 1) * sizeof(*c->seen));
	if (!c->seen)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	for (const struct paleo_json *v = paleo_json_first(array); v; v = paleo_json_next(v)) {
		int n = c->seen_count;
		rc = read_hash(v, &c->seen[n], err);
		if (rc)
			return rc;
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
	int rc = paleo_json_need(root, "device", &v, err);

	if (!rc)
		rc = paleo_device_read(v, d, err);
	if (rc)
		return rc;
	for (int t = 0; t < PALEO_DTYPES; t++)
		peak = fmax(peak, d->flop_per_s[t]);
	if (!(peak > 0) || !(d->mem_bytes_per_s > 0))
		return paleo_json_fail(v, err,
				       "the device needs a peak in 'flop_per_s' and "
				       "'mem_bytes_per_s', both above 0");
	return PALEO_OK;
}

static int renew(struct paleo_json_doc *doc, struct paleo_error *err)
{
	int behind = 0;
	int rc = paleo_json_schema_read(paleo_json_root(doc), &paleo_calibration_schema, &behind,
					err);

	return rc ? rc : paleo_json_schema_renew(doc, &paleo_calibration_schema, behind, err);
}

static int read_root(const struct paleo_json *root, int parts, struct paleo_calibration *c,
		     struct paleo_error *err)
{
	static const char *const others[] = {"schema", "device",    "factors",
					     "passes", "fitted_to", NULL};
	int rc = paleo_json_fields_read(root, paleo_calibration_fields, others, c, err);

	if (!rc)
		rc = read_device(root, &c->device, err);
	/* Files without the key are of a backend that knows. */
	if (paleo_backend_find(c->backend)->hardware == PALEO_HOST)
		c->device.is_processor = 1;
	if (!rc && parts & FACTORS)
		rc = read_factors(root, parts, c, err);
	if (!rc && parts & FACTORS)
		rc = paleo_passes_read(root, c, err);
	if (!rc && parts & SEEN)
		rc = read_seen(root, c, err);
	return rc;
}

static int parse(const char *name, const char *text, size_t size, int parts,
		 struct paleo_calibration *out, struct paleo_error *err)
{
	struct paleo_calibration c = {.count = 0};
	struct paleo_json_doc *doc = NULL;
	int rc = parts ? paleo_json_parse(name, 1, text, size, &doc, err)
		       : paleo_json_parse_head(name, text, size, "factors", &doc, err);

	if (!rc)
		rc = renew(doc, err);
	if (!rc)
		rc = read_root(paleo_json_root(doc), parts, &c, err);
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
	return parse(name, text, size, ALL, out, err);
}

static int load(const char *path, int parts, struct paleo_calibration *out, struct paleo_error *err)
{
	const char *what = "a calibration";
	char *text = NULL;
	size_t size = 0;
	int rc = parts ? paleo_file_read(path, PALEO_JSON_FILE_MAX, what, &text, &size, err)
		       : paleo_file_read_head(path, HEAD_BYTES, what, &text, &size, err);

	if (rc)
		return rc;
	rc = parse(path, text, size, parts, out, err);
	free(text);
	return rc;
}

int paleo_calibration_load(const char *path, struct paleo_calibration *out, struct paleo_error *err)
{
	return load(path, ALL, out, err);
}

int paleo_calibration_load_preset(const char *path, int trees, struct paleo_calibration *out,
				  struct paleo_error *err)
{
	return load(path, trees ? FACTORS | TREES : FACTORS, out, err);
}

int paleo_calibration_load_head(const char *path, struct paleo_calibration *out,
				struct paleo_error *err)
{
	struct paleo_error ignored;

	/* Keys may stand in another order: then the whole file tells. */
	return load(path, 0, out, &ignored) ? load(path, FACTORS, out, err) : PALEO_OK;
}
