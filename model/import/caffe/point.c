/* point.c - layers that look at each number by itself: activations, Dropout. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <math.h>

#include "model/import/caffe/kinds.h"
#include "model/import/caffe/values.h"
#include "model/import/caffe/write.h"

static const char *const engine_fields[] = {"engine", NULL};

/* An Activation with this function. */
static int write_activation(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l,
			    const char *fn, struct paleo_error *err)
{
	const char *source;
	int rc = paleo_caffe_begin_layer(job, l, "Activation", &source, err);

	if (rc)
		return rc;
	paleo_json_put_string(job->writer, "fn", fn);
	paleo_caffe_end_layer(job, l, source, paleo_caffe_in(job, l, 0));
	return PALEO_OK;
}

/* Every slope costs the same, so the net's leaky_relu stands for all that are not 0. */
static int convert_relu(struct paleo_caffe_job *job, struct paleo_caffe_layer *l,
			struct paleo_error *err)
{
	double slope = 0;
	int rc = paleo_caffe_get_double(l->param, "negative_slope", -FLT_MAX, FLT_MAX, &slope, err);

	if (rc)
		return rc;
	return slope == 0 ? paleo_caffe_write_plain(job, l, "ReLU", err)
			  : write_activation(job, l, "leaky_relu", err);
}

static const char *const relu_fields[] = {"negative_slope", "engine", NULL};

const struct paleo_caffe_kind paleo_caffe_kind_relu = {
	.type = "ReLU",
	.old = "RELU",
	.param = "relu_param",
	.fields = relu_fields,
	.min_bottoms = 1,
	.max_bottoms = 1,
	.min_tops = 1,
	.max_tops = 1,
	.convert = convert_relu,
};

/* Every alpha costs the same. */
static int convert_elu(struct paleo_caffe_job *job, struct paleo_caffe_layer *l,
		       struct paleo_error *err)
{
	return write_activation(job, l, "elu", err);
}

static const char *const elu_fields[] = {"alpha", NULL};

const struct paleo_caffe_kind paleo_caffe_kind_elu = {
	.type = "ELU",
	.param = "elu_param",
	.fields = elu_fields,
	.min_bottoms = 1,
	.max_bottoms = 1,
	.min_tops = 1,
	.max_tops = 1,
	.convert = convert_elu,
};

static int convert_sigmoid(struct paleo_caffe_job *job, struct paleo_caffe_layer *l,
			   struct paleo_error *err)
{
	return paleo_caffe_write_plain(job, l, "Sigmoid", err);
}

const struct paleo_caffe_kind paleo_caffe_kind_sigmoid = {
	.type = "Sigmoid",
	.old = "SIGMOID",
	.param = "sigmoid_param",
	.fields = engine_fields,
	.min_bottoms = 1,
	.max_bottoms = 1,
	.min_tops = 1,
	.max_tops = 1,
	.convert = convert_sigmoid,
};

static int convert_tanh(struct paleo_caffe_job *job, struct paleo_caffe_layer *l,
			struct paleo_error *err)
{
	return paleo_caffe_write_plain(job, l, "Tanh", err);
}

const struct paleo_caffe_kind paleo_caffe_kind_tanh = {
	.type = "TanH",
	.old = "TANH",
	.param = "tanh_param",
	.fields = engine_fields,
	.min_bottoms = 1,
	.max_bottoms = 1,
	.min_tops = 1,
	.max_tops = 1,
	.convert = convert_tanh,
};

/* x times the sigmoid of beta x; every beta costs the same. */
static int convert_swish(struct paleo_caffe_job *job, struct paleo_caffe_layer *l,
			 struct paleo_error *err)
{
	return write_activation(job, l, "swish", err);
}

static const char *const swish_fields[] = {"beta", NULL};

const struct paleo_caffe_kind paleo_caffe_kind_swish = {
	.type = "Swish",
	.param = "swish_param",
	.fields = swish_fields,
	.min_bottoms = 1,
	.max_bottoms = 1,
	.min_tops = 1,
	.max_tops = 1,
	.convert = convert_swish,
};

/* Caffe says which part is dropped, a net which is kept. */
static int convert_dropout(struct paleo_caffe_job *job, struct paleo_caffe_layer *l,
			   struct paleo_error *err)
{
	const char *source;
	double ratio = 0.5;
	int rc = paleo_caffe_get_double(l->param, "dropout_ratio", 0, 1, &ratio, err);

	/* To six digits, as Caffe's floats have: 1 - 0.9 is not 0.1 in binary. */
	double keep = round((1 - ratio) * 1e6) / 1e6;
	if (!rc && keep <= 0)
		rc = paleo_caffe_fail(paleo_caffe_first(l->param, "dropout_ratio"), err,
				      "expected less than 1, so that something is kept");
	if (!rc)
		rc = paleo_caffe_begin_layer(job, l, "Dropout", &source, err);
	if (rc)
		return rc;
	paleo_json_put_double(job->writer, "dropout_keep_prob", keep);
	paleo_caffe_end_layer(job, l, source, paleo_caffe_in(job, l, 0));
	return PALEO_OK;
}

static const char *const dropout_fields[] = {"dropout_ratio", "scale_train", NULL};

const struct paleo_caffe_kind paleo_caffe_kind_dropout = {
	.type = "Dropout",
	.old = "DROPOUT",
	.param = "dropout_param",
	.fields = dropout_fields,
	.min_bottoms = 1,
	.max_bottoms = 1,
	.min_tops = 1,
	.max_tops = 1,
	.convert = convert_dropout,
};
