/* data_factors.c - what the predictions of a report are based on: factors with their parameters. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "tools/report/data.h"

void data_put_number(struct paleo_json_writer *w, const char *key, double value)
{
	if (isfinite(value))
		paleo_json_put_double(w, key, value);
}

/* The parameters of a factor, each with its standard error, which is of its logarithm; there is
 * none where the records do not tell it. */
static void put_parameter(struct paleo_json_writer *w, const char *name, const char *unit,
			  double value, double se)
{
	paleo_json_open_object(w, NULL);
	paleo_json_put_string(w, "name", name);
	paleo_json_put_string(w, "unit", strcmp(unit, "1") != 0 ? unit : "");
	data_put_number(w, "value", value);
	data_put_number(w, "se", se);
	paleo_json_close(w);
}

static void put_parameters(struct paleo_json_writer *w, const struct paleo_class_model *f)
{
	paleo_json_open_array(w, "parameters");
	if (!f->model) {
		put_parameter(w, "PPP compute", "", f->ppp_compute, f->se_ppp_compute);
		put_parameter(w, "PPP memory", "", f->ppp_memory, f->se_ppp_memory);
		put_parameter(w, "overhead", "s", f->overhead_s, f->se_overhead);
	}
	for (int i = 0; f->model && i < f->model->kernel->count; i++) {
		const struct paleo_parameter *p = &f->model->kernel->parameters[i];
		put_parameter(w, p->name, p->unit, paleo_parameter_get(p, &f->model->params),
			      f->model->se[i]);
	}
	paleo_json_close(w);
}

void data_put_factor(struct paleo_json_writer *w, const struct paleo_calibration *c,
		     const struct paleo_class_model *f, int rows)
{
	char source[PALEO_SOURCE_TEXT_MAX];

	paleo_class_model_source(c, f, source);
	paleo_json_open_object(w, NULL);
	paleo_json_put_string(w, "class", f->class_name);
	paleo_json_put_string(w, "pass", paleo_pass_name(f->pass));
	paleo_json_put_string(w, "dtype", paleo_dtype_name(f->dtype));
	paleo_json_put_string(w, "source", source);
	paleo_json_put_int(w, "rows", rows);
	paleo_json_put_int(w, "records", f->records);
	paleo_json_put_string(w, "model", f->model ? f->model->kernel->name : "smooth");
	put_parameters(w, f);
	data_put_number(w, "heldout_median", f->heldout_median);
	data_put_number(w, "heldout_p90", f->heldout_p90);
	paleo_json_close(w);
}
