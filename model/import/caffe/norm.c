/* norm.c - LRN; BatchNorm and Scale, which are one layer of a net. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "model/import/caffe/kinds.h"
#include "model/import/caffe/values.h"
#include "model/import/caffe/write.h"

/* alpha, beta and k change no cost. */
static int convert_lrn(struct paleo_caffe_job *job, struct paleo_caffe_layer *l,
		       struct paleo_error *err)
{
	static const char *const regions[] = {"ACROSS_CHANNELS", "WITHIN_CHANNEL", NULL};
	const char *source;
	int region = 0, size = 5;
	int rc = paleo_caffe_get_enum(l->param, "norm_region", regions, &region, err);

	if (!rc && region)
		rc = paleo_caffe_fail(paleo_caffe_first(l->param, "norm_region"), err,
				      "a net's LRN goes across channels only");
	if (!rc)
		rc = paleo_caffe_get_int(l->param, "local_size", 1, PALEO_CAFFE_DIM_MAX, &size,
					 err);
	if (!rc && size % 2 == 0)
		rc = paleo_caffe_fail(paleo_caffe_first(l->param, "local_size"), err,
				      "expected an odd number, found %d", size);
	if (!rc)
		rc = paleo_caffe_begin_layer(job, l, "LRN", &source, err);
	if (rc)
		return rc;
	paleo_json_put_int(job->writer, "size", size);
	paleo_caffe_end_layer(job, l, source, paleo_caffe_in(job, l, 0));
	return PALEO_OK;
}

static const char *const lrn_fields[] = {"local_size", "alpha",  "beta", "norm_region",
					 "k",          "engine", NULL};

const struct paleo_caffe_kind paleo_caffe_kind_lrn = {
	.type = "LRN",
	.old = "LRN",
	.param = "lrn_param",
	.fields = lrn_fields,
	.min_bottoms = 1,
	.max_bottoms = 1,
	.min_tops = 1,
	.max_tops = 1,
	.picture = 1,
	.convert = convert_lrn,
};

/* What a Scale learns for each channel: a factor always, and perhaps a bias. */
static int read_scale(const struct paleo_caffe_layer *l, int rank, int *bias,
		      struct paleo_error *err)
{
	int axis = 1, axes = 1;
	int rc = paleo_caffe_get_axis(l, "axis", rank, &axis, err);

	*bias = 0;
	if (!rc)
		rc = paleo_caffe_get_int(l->param, "num_axes", -1, 4, &axes, err);
	if (!rc && (axis != 1 || axes != 1))
		rc = paleo_caffe_fail(l->param, err,
				      "expected 'axis' 1 and 'num_axes' 1: a net scales channels "
				      "only");
	return rc ? rc : paleo_caffe_get_bool(l->param, "bias_term", bias, err);
}

/* The Scale that is the only reader of the layer's output, or NULL. */
static struct paleo_caffe_layer *find_scale(const struct paleo_caffe_job *job,
					    const struct paleo_caffe_layer *l)
{
	const struct paleo_caffe_blob *top = &job->blobs[l->tops[0]];
	struct paleo_caffe_layer *reader = top->readers == 1 ? &job->layers[top->reader] : NULL;
	int is_scale = reader && !strcmp(reader->kind->type, "Scale") && reader->bottom_count == 1;

	return is_scale ? reader : NULL;
}

/*
 * Caffe's BatchNorm learns nothing; the Scale behind it learns factor and bias. A net's
 * BatchNorm is both. Statistics are those of training, even with use_global_stats.
 */
static int convert_batch_norm(struct paleo_caffe_job *job, struct paleo_caffe_layer *l,
			      struct paleo_error *err)
{
	const struct paleo_shape *in = paleo_caffe_in(job, l, 0);
	struct paleo_caffe_layer *scale = find_scale(job, l);
	const char *source;
	int bias = 0;
	int rc = scale ? read_scale(scale, in->rank, &bias, err) : PALEO_OK;

	if (!rc)
		rc = paleo_caffe_begin_layer(job, l, "BatchNorm", &source, err);
	if (rc)
		return rc;
	paleo_json_put_bool(job->writer, "scale", scale != NULL);
	if (!bias)
		paleo_json_put_bool(job->writer, "shift", 0);
	if (scale)
		scale->folded = 1;
	paleo_caffe_end_layer(job, l, source, in);
	return PALEO_OK;
}

static const char *const batch_norm_fields[] = {"use_global_stats", "moving_average_fraction",
						"eps", NULL};

const struct paleo_caffe_kind paleo_caffe_kind_batch_norm = {
	.type = "BatchNorm",
	.param = "batch_norm_param",
	.fields = batch_norm_fields,
	.min_bottoms = 1,
	.max_bottoms = 1,
	.min_tops = 1,
	.max_tops = 1,
	.convert = convert_batch_norm,
};

/* y = a x + b for each channel is a convolution 1x1 with a group for each channel. */
static int write_alone(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l, int bias,
		       struct paleo_error *err)
{
	static const int ones[] = {1, 1, 1, 1};
	const struct paleo_shape *in = paleo_caffe_in(job, l, 0);
	const int filter[] = {1, 1, in->c, in->c};
	const char *source;

	if (in->rank != 4)
		return paleo_caffe_fail(l->field, err,
					"a Scale that is not behind a BatchNorm must read a blob "
					"with height and width");
	int rc = paleo_caffe_begin_layer(job, l, "Convolution", &source, err);
	if (rc)
		return rc;
	paleo_caffe_put_ints(job, "filter", filter, 4);
	paleo_caffe_put_ints(job, "strides", ones, 4);
	paleo_json_put_string(job->writer, "padding", "VALID");
	paleo_json_put_int(job->writer, "groups", in->c);
	if (!bias)
		paleo_json_put_bool(job->writer, "bias", 0);
	paleo_caffe_end_layer(job, l, source, in);
	return PALEO_OK;
}

static int convert_scale(struct paleo_caffe_job *job, struct paleo_caffe_layer *l,
			 struct paleo_error *err)
{
	int bias;

	if (l->folded) {
		paleo_caffe_alias(job, l->bottoms[0], l->tops[0]);
		return PALEO_OK;
	}
	if (l->bottom_count > 1)
		return paleo_caffe_fail(l->field, err,
					"a net has no layer that scales one blob by another");
	int rc = read_scale(l, paleo_caffe_in(job, l, 0)->rank, &bias, err);
	return rc ? rc : write_alone(job, l, bias, err);
}

static const char *const scale_fields[] = {"axis",      "num_axes",    "filler",
					   "bias_term", "bias_filler", NULL};

const struct paleo_caffe_kind paleo_caffe_kind_scale = {
	.type = "Scale",
	.param = "scale_param",
	.fields = scale_fields,
	.min_bottoms = 1,
	.max_bottoms = 2,
	.min_tops = 1,
	.max_tops = 1,
	.learns = 1,
	.convert = convert_scale,
};
