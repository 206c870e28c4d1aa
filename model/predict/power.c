/* power.c - the power that a GPU draws while an op runs: a law, and trees for classes of ops. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/predict/power.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/predict/calibration_file.h"
#include "model/predict/kernel_model.h"

#define SHARPNESS 8 /* of the bend at the limit */
#define LEAST_SHARE 1e-6

/* Rates over the device's peaks. */
static double share_of(double amount, double per_s, double time_s)
{
	return fmax(amount / (per_s * time_s), LEAST_SHARE);
}

double paleo_power_law(const struct paleo_power *p, const struct paleo_device *d,
		       const struct paleo_op *w, double time_s)
{
	double u = share_of(w->flops, paleo_device_peak(d, w), time_s);
	double v = share_of(w->read_bytes + w->write_bytes, d->mem_bytes_per_s, time_s);
	double y = p->idle + p->compute * pow(u, p->compute_power) +
		   p->memory * pow(v, p->memory_power);

	return y * pow(1 + pow(y, SHARPNESS), -1.0 / SHARPNESS);
}

int paleo_power_features(const struct paleo_device *d, const struct paleo_op *w, double time_s,
			 double x[PALEO_FEATURES_MAX])
{
	struct paleo_tile_device tile;
	struct paleo_error ignored;
	int rc = paleo_tile_device_of(d, w->dtype, &tile, &ignored);

	if (rc)
		return rc;
	/* The first three are for the cost model's parts, which are not known here. */
	int count = paleo_features(paleo_kernel_model_for(w, 0), &tile, w, x);
	x[0] = log2(time_s);
	x[1] = log2(share_of(w->flops, paleo_device_peak(d, w), time_s));
	x[2] = log2(share_of(w->read_bytes + w->write_bytes, d->mem_bytes_per_s, time_s));
	return count;
}

static const struct paleo_power_class *find_class(const struct paleo_power *p,
						  const struct paleo_op *w)
{
	for (int i = 0; i < p->count; i++) {
		const struct paleo_power_class *c = &p->classes[i];
		if (c->dtype == w->dtype && c->pass == w->pass &&
		    !strcmp(c->class_name, paleo_op_class(w)))
			return c;
	}
	return NULL;
}

int paleo_power_predict(const struct paleo_power *p, const struct paleo_device *fitted,
			const struct paleo_device *d, const struct paleo_op *w, double time_s,
			struct paleo_watts *out, struct paleo_error *err)
{
	const struct paleo_power_class *c = strcmp(fitted->name, d->name) ? NULL : find_class(p, w);
	double x[PALEO_FEATURES_MAX];

	if (!(d->tdp_w > 0) || !(paleo_device_peak(d, w) > 0) || !(d->mem_bytes_per_s > 0))
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "'%s' has no TDP, or no peak for %s: its power is not predicted",
				  d->name, paleo_dtype_name(w->dtype));
	double watts = d->tdp_w * paleo_power_law(p, d, w, time_s);
	int features = c ? paleo_power_features(d, w, time_s, x) : 0;
	if (c && c->trees.count && features == c->trees.features)
		watts *= exp(paleo_trees_at(&c->trees, x));
	else if (c && c->trees.count)
		c = NULL;
	*out = (struct paleo_watts){watts, watts * (c ? c->ratio_low : p->ratio_low),
				    watts * (c ? c->ratio_high : p->ratio_high), c};
	return PALEO_OK;
}

void paleo_power_release(struct paleo_power *p)
{
	if (!p)
		return;
	for (int i = 0; i < p->count; i++)
		paleo_trees_release(&p->classes[i].trees);
	free(p->classes);
	*p = (struct paleo_power){0};
}

/* The key "power" of a calibration. */

#define OF_LAW(name, from, to)                                                                     \
	{                                                                                          \
#name, PALEO_FIELD_NUMBER, offsetof(struct paleo_power, name), .low = (from),      \
									       .high = (to)        \
	}
#define OF_CLASS(name, from, to)                                                                   \
	{                                                                                          \
#name, PALEO_FIELD_NUMBER, offsetof(struct paleo_power_class, name),               \
			.low = (from), .high = (to), .nullable = 1                                 \
	}

static const struct paleo_json_field law_fields[] = {
	OF_LAW(idle, 1e-6, 10),          OF_LAW(compute, 0, 10),
	OF_LAW(compute_power, 1e-3, 10), OF_LAW(memory, 0, 10),
	OF_LAW(memory_power, 1e-3, 10),  OF_LAW(ratio_low, 1e-3, 1e3),
	OF_LAW(ratio_high, 1e-3, 1e3),   {0},
};

static const struct paleo_json_field class_fields[] = {
	{"class", PALEO_FIELD_TEXT, offsetof(struct paleo_power_class, class_name),
	 .size = sizeof(((struct paleo_power_class *)0)->class_name)},
	{"pass", PALEO_FIELD_WORD, offsetof(struct paleo_power_class, pass),
	 .words = paleo_pass_names, .expected = "a pass, such as 'fwd'"},
	{"dtype", PALEO_FIELD_WORD, offsetof(struct paleo_power_class, dtype),
	 .words = paleo_dtype_names, .expected = "a dtype, such as 'bf16'"},
	{"records", PALEO_FIELD_INT, offsetof(struct paleo_power_class, records), .high = 1e9},
	OF_CLASS(heldout_mean, 0, 1e3),
	OF_CLASS(heldout_median, 0, 1e3),
	OF_CLASS(ratio_low, 1e-3, 1e3),
	OF_CLASS(ratio_high, 1e-3, 1e3),
	OF_CLASS(covered, 0, 1),
	{0},
};

static int read_classes(const struct paleo_json *array, struct paleo_power *p,
			struct paleo_error *err)
{
	static const char *const others[] = {"correction", NULL};
	int n = paleo_json_size(array), rc = PALEO_OK;

	if (paleo_json_type(array) != PALEO_JSON_ARRAY)
		return paleo_json_fail(array, err, "expected an array of classes of ops");
	p->classes = calloc((size_t)n + 1, sizeof(*p->classes));
	if (!p->classes)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	for (const struct paleo_json *v = paleo_json_first(array); !rc && v;
	     v = paleo_json_next(v)) {
		struct paleo_power_class *c = &p->classes[p->count++];
		rc = paleo_json_fields_read(v, class_fields, others, c, err);
		if (!rc)
			rc = paleo_trees_read(v, "correction", &c->trees, err);
	}
	return rc;
}

int paleo_power_read(const struct paleo_json *root, struct paleo_power *out,
		     struct paleo_error *err)
{
	static const char *const others[] = {"classes", NULL};
	const struct paleo_json *power = paleo_json_get(root, "power"), *array = NULL;
	struct paleo_power p = {0};

	if (!power)
		return PALEO_OK;
	int rc = paleo_json_fields_read(power, law_fields, others, &p, err);
	if (!rc)
		rc = paleo_json_need(power, "classes", &array, err);
	if (!rc)
		rc = read_classes(array, &p, err);
	if (rc)
		paleo_power_release(&p);
	else
		*out = p;
	return rc;
}

void paleo_power_write(const struct paleo_power *p, struct paleo_json_writer *w)
{
	if (!(p->idle > 0))
		return;
	paleo_json_open_object(w, "power");
	paleo_json_fields_write(w, law_fields, p);
	paleo_json_open_array(w, "classes");
	for (int i = 0; i < p->count; i++) {
		paleo_json_open_object(w, NULL);
		paleo_json_fields_write(w, class_fields, &p->classes[i]);
		if (p->classes[i].trees.count)
			paleo_trees_write(&p->classes[i].trees, "correction", w);
		paleo_json_close(w);
	}
	paleo_json_close(w);
	paleo_json_close(w);
}
