/* calibration_passes.c - the corrections of whole passes in calibration.json. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "calib/calibration_fields.h"

static const struct paleo_json_field fields[] = {
	{"factor", PALEO_FIELD_NUMBER, offsetof(struct paleo_pass_correction, factor), 0, 0.01, 100,
	 0, 0},
	{"spread", PALEO_FIELD_NUMBER, offsetof(struct paleo_pass_correction, spread), 0, 0, 100, 0,
	 1},
	{"nets", PALEO_FIELD_INT, offsetof(struct paleo_pass_correction, nets), 0, 1, 1000000, 0,
	 0},
	{"update_factor", PALEO_FIELD_NUMBER, offsetof(struct paleo_pass_correction, update_factor),
	 0, 0.01, 100, 1, 0},
	{"fused", PALEO_FIELD_INT, offsetof(struct paleo_pass_correction, fused), 0, 0, 1, 1, 0},
	{0},
};

void paleo_passes_write(const struct paleo_calibration *c, struct paleo_json_writer *w)
{
	if (!c->pass_count)
		return;
	paleo_json_open_array(w, "passes");
	for (int i = 0; i < c->pass_count; i++) {
		const struct paleo_pass_correction *p = &c->passes[i];
		paleo_json_open_object(w, NULL);
		paleo_json_put_string(w, "extent", paleo_extent_name(p->extent));
		paleo_json_put_string(w, "dtype", paleo_dtype_name(p->dtype));
		if (p->layout)
			paleo_json_put_string(w, "layout", paleo_layout_name(p->layout));
		paleo_json_fields_write(w, fields, p);
		paleo_json_close(w);
	}
	paleo_json_close(w);
}

/* A word and its place; what its own reader says of it gets that place in front. */
static int at_place(const struct paleo_json *v, int rc, struct paleo_error *err)
{
	struct paleo_error inner = *err;

	return rc ? paleo_json_fail(v, err, "%s", inner.text) : PALEO_OK;
}

/* Without the key it is the usual one. */
static int read_layout(const struct paleo_json *object, struct paleo_pass_correction *p,
		       struct paleo_error *err)
{
	const struct paleo_json *v = paleo_json_get(object, "layout");
	const char *word = NULL;

	int rc = v ? paleo_json_to_string(v, &word, err) : PALEO_OK;
	if (!rc && v && strcmp(word, paleo_layout_name(PALEO_NHWC)) != 0)
		rc = paleo_json_fail(v, err, "unknown layout '%s', expected '%s' or no key", word,
				     paleo_layout_name(PALEO_NHWC));
	if (!rc && v)
		p->layout = PALEO_NHWC;
	return rc;
}

static int read_one(const struct paleo_json *v, struct paleo_pass_correction *p,
		    struct paleo_error *err)
{
	static const char *const others[] = {"extent", "dtype", "layout", NULL};
	const struct paleo_json *place = NULL;
	const char *word = NULL;

	int rc = paleo_json_fields_read(v, fields, others, p, err);
	if (!rc)
		rc = paleo_json_need(v, "extent", &place, err);
	if (!rc)
		rc = paleo_json_to_string(place, &word, err);
	if (!rc)
		rc = at_place(place, paleo_extent_parse(word, &p->extent, err), err);
	if (!rc)
		rc = paleo_json_need(v, "dtype", &place, err);
	if (!rc)
		rc = paleo_json_to_string(place, &word, err);
	if (!rc)
		rc = at_place(place, paleo_dtype_parse(word, &p->dtype, err), err);
	return rc ? rc : read_layout(v, p, err);
}

int paleo_passes_read(const struct paleo_json *root, struct paleo_calibration *c,
		      struct paleo_error *err)
{
	const struct paleo_json *array = paleo_json_get(root, "passes");
	int rc = PALEO_OK;

	if (!array)
		return PALEO_OK;
	if (paleo_json_type(array) != PALEO_JSON_ARRAY ||
	    paleo_json_size(array) > PALEO_PASS_CORRECTIONS_MAX)
		return paleo_json_fail(array, err, "expected an array of at most %d corrections",
				       PALEO_PASS_CORRECTIONS_MAX);
	for (const struct paleo_json *v = paleo_json_first(array); !rc && v;
	     v = paleo_json_next(v)) {
		struct paleo_pass_correction p = {.nets = 0};
		rc = read_one(v, &p, err);
		if (!rc && paleo_calibration_pass(c, &p))
			rc = paleo_json_fail(v, err, "a second correction of '%s' in %s",
					     paleo_extent_name(p.extent),
					     paleo_dtype_name(p.dtype));
		if (!rc)
			c->passes[c->pass_count++] = p;
	}
	return rc;
}
