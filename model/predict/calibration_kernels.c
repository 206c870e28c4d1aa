/* calibration_kernels.c - fitted kernel models in calibration.json. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/predict/calibration_file.h"

static const struct paleo_json_field band_fields[] = {
	{"from_s", PALEO_FIELD_NUMBER, offsetof(struct paleo_band, from_s), .high = 1e9},
	{"low90", PALEO_FIELD_NUMBER, offsetof(struct paleo_band, ratio.low), .low = 1e-9,
	 .high = 1e9},
	{"high90", PALEO_FIELD_NUMBER, offsetof(struct paleo_band, ratio.high), .low = 1e-9,
	 .high = 1e9},
	{"low50", PALEO_FIELD_NUMBER, offsetof(struct paleo_band, ratio.low50), .low = 1e-9,
	 .high = 1e9},
	{"high50", PALEO_FIELD_NUMBER, offsetof(struct paleo_band, ratio.high50), .low = 1e-9,
	 .high = 1e9},
	{0},
};

const char *const paleo_kernel_model_keys[] = {
	"pass",  "dtype",      "kernel_model", "operand_sets", "parameters", "sets",
	"bands", "correction", "spread",       "residuals",    "correlated", NULL};

static int read_band(const struct paleo_json *v, struct paleo_class_model *f,
		     struct paleo_error *err)
{
	struct paleo_band *b = &f->bands[f->band_count];

	PALEO_TRY(paleo_json_fields_read(v, band_fields, NULL, b, err));
	if (!(b->ratio.low <= b->ratio.low50 && b->ratio.low50 <= b->ratio.high50 &&
	      b->ratio.high50 <= b->ratio.high))
		return paleo_json_fail(v, err,
				       "expected low90 <= low50 <= high50 <= high90 in a band");
	if (f->band_count > 0 && !(b->from_s > b[-1].from_s))
		return paleo_json_fail(v, err, "expected bands in ascending order of from_s");
	f->band_count++;
	return PALEO_OK;
}

int paleo_bands_read(const struct paleo_json *object, struct paleo_class_model *f,
		     struct paleo_error *err)
{
	const struct paleo_json *array = paleo_json_get(object, "bands");

	f->band_count = 0;
	if (!array)
		return PALEO_OK;
	if (paleo_json_type(array) != PALEO_JSON_ARRAY || paleo_json_size(array) > PALEO_BANDS_MAX)
		return paleo_json_fail(array, err, "expected an array of %d bands at most",
				       PALEO_BANDS_MAX);
	for (const struct paleo_json *v = paleo_json_first(array); v; v = paleo_json_next(v))
		PALEO_TRY(read_band(v, f, err));
	return PALEO_OK;
}

/* The number of a parameter, or of an item of a set; -1 if there is none. */
static int find_parameter(const struct paleo_kernel_model *kernel, const char *name)
{
	for (int i = 0; i < kernel->count; i++)
		if (!strcmp(kernel->parameters[i].name, name))
			return i;
	return -1;
}

static int find_item(const struct paleo_kernel_set *set, const char *name)
{
	for (int i = 0; set->item(i); i++)
		if (!strcmp(set->item(i), name))
			return i;
	return -1;
}

/* The first parameter of some kernel models is one of few whole numbers. */
static int check_choice(const struct paleo_kernel_model *kernel, int i, double value,
			const struct paleo_json *at, struct paleo_error *err)
{
	char list[128] = "";

	if (i > 0 || !kernel->first)
		return PALEO_OK;
	for (const double *v = kernel->first; *v > 0; v++) {
		size_t used = strlen(list);
		if (*v == value)
			return PALEO_OK;
		snprintf(list + used, sizeof(list) - used, "%s%g", used ? ", " : "", *v);
	}
	return paleo_json_fail(at, err, "expected one of %s, found %g", list, value);
}

/* {"name": "launch_us", "value": 3, "unit": "us", "se": 0.1, "on_bound": false} */
static int read_parameter(const struct paleo_json *v, struct paleo_fitted_kernel *m,
			  unsigned long long *found, struct paleo_error *err)
{
	static const char *const keys[] = {"name", "value", "unit", "se", "on_bound", NULL};
	const struct paleo_json *at = NULL, *se = paleo_json_get(v, "se");
	const struct paleo_json *bound = paleo_json_get(v, "on_bound");
	const char *name = NULL;
	double value = 0;
	int on_bound = 0;
	int rc = paleo_json_only(v, keys, err);

	if (!rc)
		rc = paleo_json_need(v, "name", &at, err);
	if (!rc)
		rc = paleo_json_to_string(at, &name, err);
	if (rc)
		return rc;
	int i = find_parameter(m->kernel, name);
	if (i < 0 || *found >> i & 1)
		return paleo_json_fail(at, err,
				       i < 0 ? "the kernel model '%s' has no parameter '%s'"
					     : "the kernel model '%s' has its parameter '%s' twice",
				       m->kernel->name, name);
	const struct paleo_parameter *p = &m->kernel->parameters[i];
	rc = paleo_json_need(v, "value", &at, err);
	if (!rc)
		rc = paleo_json_to_double(at, p->low, p->high, &value, err);
	if (!rc)
		rc = check_choice(m->kernel, i, value, at, err);
	if (!rc && se && paleo_json_type(se) != PALEO_JSON_NULL)
		rc = paleo_json_to_double(se, 0, 1e9, &m->se[i], err);
	if (!rc && bound)
		rc = paleo_json_to_bool(bound, &on_bound, err);
	paleo_parameter_set(p, &m->params, value);
	m->on_bound |= (unsigned long long)on_bound << i;
	*found |= 1ULL << i;
	return rc;
}

static int read_parameters(const struct paleo_json *object, struct paleo_fitted_kernel *m,
			   struct paleo_error *err)
{
	const struct paleo_json *array = NULL;
	unsigned long long found = 0;

	PALEO_TRY(paleo_json_need(object, "parameters", &array, err));
	if (paleo_json_type(array) != PALEO_JSON_ARRAY)
		return paleo_json_fail(array, err, "expected an array of parameters");
	for (const struct paleo_json *v = paleo_json_first(array); v; v = paleo_json_next(v))
		PALEO_TRY(read_parameter(v, m, &found, err));
	for (int i = 0; i < m->kernel->count; i++)
		if (!(found >> i & 1))
			return paleo_json_fail(array, err, "the parameter '%s' of '%s' is missing",
					       m->kernel->parameters[i].name, m->kernel->name);
	return PALEO_OK;
}

static int read_set(const struct paleo_json *sets, const struct paleo_kernel_set *set,
		    unsigned *mask, struct paleo_error *err)
{
	const struct paleo_json *array = NULL;
	const char *name = NULL;
	int rc = paleo_json_need(sets, set->name, &array, err);

	if (!rc && (paleo_json_type(array) != PALEO_JSON_ARRAY || !paleo_json_size(array)))
		rc = paleo_json_fail(array, err, "expected an array of one name or more");
	*mask = 0;
	if (rc)
		return rc;
	for (const struct paleo_json *v = paleo_json_first(array); !rc && v;
	     v = paleo_json_next(v)) {
		rc = paleo_json_to_string(v, &name, err);
		int i = rc ? 0 : find_item(set, name);
		if (i < 0)
			return paleo_json_fail(v, err, "'%s' is not one of the %s", name,
					       set->name);
		*mask |= 1U << i;
	}
	return rc;
}

static int read_sets(const struct paleo_json *object, struct paleo_fitted_kernel *m,
		     struct paleo_error *err)
{
	const struct paleo_json *sets = NULL;

	if (!m->kernel->sets[0].name)
		return PALEO_OK;
	PALEO_TRY(paleo_json_need(object, "sets", &sets, err));
	for (int i = 0; i < PALEO_KERNEL_SETS_MAX && m->kernel->sets[i].name; i++)
		PALEO_TRY(read_set(sets, &m->kernel->sets[i], &m->sets[i], err));
	return PALEO_OK;
}

static int refuse_model(const struct paleo_json *v, const char *name, struct paleo_error *err)
{
	int count = 0;
	const struct paleo_kernel_model *const *models = paleo_kernel_models(&count);
	char list[512] = "";

	for (int i = 0; i < count; i++) {
		size_t used = strlen(list);
		snprintf(list + used, sizeof(list) - used, "%s'%s'", used ? ", " : "",
			 models[i]->name);
	}
	return paleo_json_fail(v, err, "unknown kernel model '%s' (expected one of: %s)", name,
			       list);
}

int paleo_kernel_model_read(const struct paleo_json *object, struct paleo_class_model *f,
			    struct paleo_error *err)
{
	const struct paleo_json *word = paleo_json_get(object, "kernel_model");
	const struct paleo_json *operand_sets = paleo_json_get(object, "operand_sets");
	const char *name = NULL;

	f->model = NULL;
	if (!word)
		return PALEO_OK;
	int rc = paleo_json_to_string(word, &name, err);
	const struct paleo_kernel_model *kernel = rc ? NULL : paleo_kernel_model_find(name);
	if (!rc && !kernel)
		rc = refuse_model(word, name, err);
	if (rc)
		return rc;
	struct paleo_fitted_kernel *m = malloc(sizeof(*m));
	if (!m)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	paleo_kernel_model_init(kernel, f->dtype, m);
	if (operand_sets)
		rc = paleo_json_to_int(operand_sets, 0, 1000, &m->operand_sets, err);
	if (!rc)
		rc = read_parameters(object, m, err);
	if (!rc)
		rc = read_sets(object, m, err);
	if (rc)
		free(m);
	else
		f->model = m;
	return rc;
}

static void write_parameters(const struct paleo_fitted_kernel *m, struct paleo_json_writer *w)
{
	paleo_json_open_array(w, "parameters");
	for (int i = 0; i < m->kernel->count; i++) {
		const struct paleo_parameter *p = &m->kernel->parameters[i];
		paleo_json_open_object(w, NULL);
		paleo_json_put_string(w, "name", p->name);
		paleo_json_put_double(w, "value", paleo_parameter_get(p, &m->params));
		paleo_json_put_string(w, "unit", p->unit);
		paleo_json_put_double(w, "se", m->se[i]);
		paleo_json_put_bool(w, "on_bound", (int)(m->on_bound >> i & 1));
		paleo_json_close(w);
	}
	paleo_json_close(w);
}

static void write_sets(const struct paleo_fitted_kernel *m, struct paleo_json_writer *w)
{
	paleo_json_open_object(w, "sets");
	for (int i = 0; i < PALEO_KERNEL_SETS_MAX && m->kernel->sets[i].name; i++) {
		const struct paleo_kernel_set *set = &m->kernel->sets[i];
		paleo_json_open_array(w, set->name);
		for (int j = 0; set->item(j); j++)
			if (m->sets[i] >> j & 1)
				paleo_json_put_string(w, NULL, set->item(j));
		paleo_json_close(w);
	}
	paleo_json_close(w);
}

/* ["ppp_compute", "half_accumulators"]: a group by the names of its members. */
static int read_group(const struct paleo_json *v, struct paleo_class_model *f, int number,
		      struct paleo_error *err)
{
	unsigned char *together = f->model ? f->model->together : f->together;
	const char *name = NULL;
	int rc = PALEO_OK;

	if (paleo_json_type(v) != PALEO_JSON_ARRAY || paleo_json_size(v) < 2)
		return paleo_json_fail(v, err, "expected an array of two names or more");
	for (const struct paleo_json *at = paleo_json_first(v); !rc && at;
	     at = paleo_json_next(at)) {
		rc = paleo_json_to_string(at, &name, err);
		int i = rc ? 0 : paleo_class_model_parameters(f) - 1;
		while (!rc && i >= 0 && strcmp(paleo_class_model_parameter_name(f, i), name) != 0)
			i--;
		if (i < 0 || (!rc && together[i]))
			return paleo_json_fail(at, err,
					       i < 0 ? "there is no parameter '%s'"
						     : "the parameter '%s' occurs twice",
					       name);
		if (!rc)
			together[i] = (unsigned char)number;
	}
	return rc;
}

int paleo_correlated_read(const struct paleo_json *object, struct paleo_class_model *f,
			  struct paleo_error *err)
{
	const struct paleo_json *array = paleo_json_get(object, "correlated");
	int rc = PALEO_OK, number = 1;

	if (!array)
		return PALEO_OK;
	if (paleo_json_type(array) != PALEO_JSON_ARRAY)
		return paleo_json_fail(array, err, "expected an array of groups of names");
	for (const struct paleo_json *v = paleo_json_first(array); !rc && v; v = paleo_json_next(v))
		rc = read_group(v, f, number++, err);
	return rc;
}

static void write_correlated(const struct paleo_class_model *f, struct paleo_json_writer *w)
{
	const unsigned char *together = paleo_class_model_together(f);
	int count = paleo_class_model_parameters(f), groups = 0;

	for (int i = 0; i < count; i++)
		groups = together[i] > groups ? together[i] : groups;
	if (!groups)
		return;
	paleo_json_open_array(w, "correlated");
	for (int g = 1; g <= groups; g++) {
		paleo_json_open_array(w, NULL);
		for (int i = 0; i < count; i++)
			if (together[i] == g)
				paleo_json_put_string(w, NULL,
						      paleo_class_model_parameter_name(f, i));
		paleo_json_close(w);
	}
	paleo_json_close(w);
}

void paleo_kernel_model_write(const struct paleo_class_model *f, struct paleo_json_writer *w)
{
	if (f->model) {
		paleo_json_put_string(w, "kernel_model", f->model->kernel->name);
		paleo_json_put_int(w, "operand_sets", f->model->operand_sets);
		write_parameters(f->model, w);
		if (f->model->kernel->sets[0].name)
			write_sets(f->model, w);
	}
	write_correlated(f, w);
	if (f->correction.count)
		paleo_trees_write(&f->correction, "correction", w);
	if (f->spread.count)
		paleo_trees_write(&f->spread, "spread", w);
	if (!f->band_count)
		return;
	paleo_json_open_array(w, "bands");
	for (int i = 0; i < f->band_count; i++) {
		paleo_json_open_object(w, NULL);
		paleo_json_fields_write(w, band_fields, &f->bands[i]);
		paleo_json_close(w);
	}
	paleo_json_close(w);
}
