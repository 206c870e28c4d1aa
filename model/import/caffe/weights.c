/* weights.c - refuses what would make a layer's weights or gradients other than a net's. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <float.h>

#include "model/import/caffe/kinds.h"
#include "model/import/caffe/values.h"

/* Two layers that name their weights alike have the same ones. */
static int check_shared(struct paleo_caffe_job *job, const struct paleo_caffe_field *name,
			struct paleo_error *err)
{
	const char *text;
	int rc = paleo_caffe_to_string(name, &text, err);

	if (rc || !text[0])
		return rc;
	int line = paleo_caffe_names_get(&job->param_names, text);
	if (line >= 0)
		return paleo_caffe_fail(
			name, err,
			"the weights '%s' are those of line %d, but layers of a net "
			"share no weights",
			text, line);
	if (paleo_caffe_names_put(&job->param_names, text, name->line))
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	return PALEO_OK;
}

static int check_rate(const struct paleo_caffe_layer *l, const struct paleo_caffe_field *rate,
		      struct paleo_error *err)
{
	double value;
	int rc = paleo_caffe_to_double(rate, -FLT_MAX, FLT_MAX, &value, err);

	if (!rc && value == 0 && l->kind->learns)
		return paleo_caffe_fail(rate, err,
					"0 freezes weights, but all layers of a net are trained; "
					"remove it to have the layer counted as trained");
	return rc;
}

/* param { name: "a" lr_mult: 1 }; in the old form param: "a". */
static int check_param(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l,
		       const struct paleo_caffe_field *param, struct paleo_error *err)
{
	static const char *const names[] = {"name", "share_mode", "lr_mult", "decay_mult", NULL};
	const struct paleo_caffe_field *name = NULL, *rate = NULL;

	if (param->type == PALEO_CAFFE_STRING)
		return check_shared(job, param, err);
	int rc = paleo_caffe_to_message(param, err);
	if (!rc)
		rc = paleo_caffe_only(param, names, err);
	if (!rc)
		rc = paleo_caffe_one(param, "name", &name, err);
	if (!rc && name)
		rc = check_shared(job, name, err);
	if (!rc)
		rc = paleo_caffe_one(param, "lr_mult", &rate, err);
	if (!rc && rate && !job->options->test)
		rc = check_rate(l, rate, err);
	return rc;
}

int paleo_caffe_check_weights(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l,
			      struct paleo_error *err)
{
	const struct paleo_caffe_field *f;
	int rc = PALEO_OK;

	for (f = paleo_caffe_first(l->field, "param"); f && !rc; f = paleo_caffe_again(f))
		rc = check_param(job, l, f, err);
	if (job->options->test)
		return rc;
	for (f = paleo_caffe_first(l->field, "blobs_lr"); f && !rc; f = paleo_caffe_again(f))
		rc = check_rate(l, f, err);
	for (f = paleo_caffe_first(l->field, "propagate_down"); f && !rc;
	     f = paleo_caffe_again(f)) {
		int down = 1;
		rc = paleo_caffe_to_bool(f, &down, err);
		if (!rc && !down)
			rc = paleo_caffe_fail(f, err,
					      "a net cannot stop a gradient; remove it to have "
					      "the gradient counted");
	}
	return rc;
}
