/* values.c - optional fields of a layer's message, and checks of sizes. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/import/caffe/values.h"

#include <stdio.h>

/* *out is the field, NULL if it or the message is missing. */
static int get(const struct paleo_caffe_field *message, const char *name,
	       const struct paleo_caffe_field **out, struct paleo_error *err)
{
	*out = NULL;
	return message ? paleo_caffe_one(message, name, out, err) : PALEO_OK;
}

int paleo_caffe_get_int(const struct paleo_caffe_field *message, const char *name, int low,
			int high, int *out, struct paleo_error *err)
{
	const struct paleo_caffe_field *f;
	int rc = get(message, name, &f, err);

	return rc || !f ? rc : paleo_caffe_to_int(f, low, high, out, err);
}

int paleo_caffe_get_double(const struct paleo_caffe_field *message, const char *name, double low,
			   double high, double *out, struct paleo_error *err)
{
	const struct paleo_caffe_field *f;
	int rc = get(message, name, &f, err);

	return rc || !f ? rc : paleo_caffe_to_double(f, low, high, out, err);
}

int paleo_caffe_get_bool(const struct paleo_caffe_field *message, const char *name, int *out,
			 struct paleo_error *err)
{
	const struct paleo_caffe_field *f;
	int rc = get(message, name, &f, err);

	return rc || !f ? rc : paleo_caffe_to_bool(f, out, err);
}

int paleo_caffe_get_enum(const struct paleo_caffe_field *message, const char *name,
			 const char *const *words, int *out, struct paleo_error *err)
{
	const struct paleo_caffe_field *f;
	int rc = get(message, name, &f, err);

	return rc || !f ? rc : paleo_caffe_to_enum(f, words, out, err);
}

int paleo_caffe_get_axis(const struct paleo_caffe_layer *l, const char *name, int rank, int *out,
			 struct paleo_error *err)
{
	int rc = paleo_caffe_get_int(l->param, name, -rank, rank - 1, out, err);

	if (!rc && *out < 0)
		*out += rank;
	return rc;
}

int paleo_caffe_need_outputs(const struct paleo_caffe_layer *l, int *out, struct paleo_error *err)
{
	if (!l->param || !paleo_caffe_first(l->param, "num_output"))
		return paleo_caffe_fail(l->param ? l->param : l->field, err,
					"'num_output' is missing");
	return paleo_caffe_get_int(l->param, "num_output", 1, PALEO_CAFFE_DIM_MAX, out, err);
}

int paleo_caffe_check_dim(const struct paleo_caffe_layer *l, double size, const char *what,
			  struct paleo_error *err)
{
	if (!(size >= 1 && size <= PALEO_CAFFE_DIM_MAX))
		return paleo_caffe_fail(l->field, err, "%s is %.0f, expected 1 to %d", what, size,
					PALEO_CAFFE_DIM_MAX);
	return PALEO_OK;
}

const struct paleo_shape *paleo_caffe_in(const struct paleo_caffe_job *job,
					 const struct paleo_caffe_layer *l, int i)
{
	return &job->blobs[l->bottoms[i]].shape;
}

void paleo_caffe_shape_text(const struct paleo_shape *s, char *buf, size_t size)
{
	if (s->rank == 2)
		snprintf(buf, size, "%dx%d", s->n, s->c);
	else
		snprintf(buf, size, "%dx%dx%dx%d", s->n, s->c, s->h, s->w);
}
