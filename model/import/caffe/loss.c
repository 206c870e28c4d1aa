/* loss.c - what stands at the end of a net: Softmax, losses, Accuracy. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/import/caffe/kinds.h"
#include "model/import/caffe/values.h"
#include "model/import/caffe/write.h"

static const char *const engine_fields[] = {"engine", NULL};
static const char *const softmax_fields[] = {"engine", "axis", NULL};
static const char *const loss_others[] = {"loss_param", NULL};

/* Writes a Softmax and gives its shape. */
static int write_softmax(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l,
			 const char **source, struct paleo_shape *out, struct paleo_error *err)
{
	const struct paleo_shape *in = paleo_caffe_in(job, l, 0);
	char text[48];
	int axis = 1;
	int rc = paleo_caffe_get_axis(l, "axis", in->rank, &axis, err);

	if (!rc && axis != 1)
		rc = paleo_caffe_fail(paleo_caffe_first(l->param, "axis"), err,
				      "expected 1: a net's Softmax goes over channels");
	paleo_caffe_shape_text(in, text, sizeof(text));
	if (!rc && (in->h > 1 || in->w > 1))
		rc = paleo_caffe_fail(
			l->field, err,
			"a net's Softmax has one row of classes for each image, but it "
			"reads %s",
			text);
	if (!rc)
		rc = paleo_caffe_begin_layer(job, l, "Softmax", source, err);
	*out = (struct paleo_shape){.rank = 2, .n = in->n, .c = in->c, .h = 1, .w = 1};
	return rc;
}

static int convert_softmax(struct paleo_caffe_job *job, struct paleo_caffe_layer *l,
			   struct paleo_error *err)
{
	struct paleo_shape out;
	const char *source;
	int rc = write_softmax(job, l, &source, &out, err);

	if (!rc)
		paleo_caffe_end_layer(job, l, source, &out);
	return rc;
}

const struct paleo_caffe_kind paleo_caffe_kind_softmax = {
	.type = "Softmax",
	.old = "SOFTMAX",
	.param = "softmax_param",
	.fields = softmax_fields,
	.min_bottoms = 1,
	.max_bottoms = 1,
	.min_tops = 1,
	.max_tops = 1,
	.convert = convert_softmax,
};

/* The first top is the loss, a number; the second, if it is there, what Softmax gives. */
static int convert_softmax_loss(struct paleo_caffe_job *job, struct paleo_caffe_layer *l,
				struct paleo_error *err)
{
	struct paleo_shape out;
	const char *source;
	int rc = write_softmax(job, l, &source, &out, err);

	if (rc)
		return rc;
	paleo_caffe_end(job);
	if (l->top_count > 1) {
		job->blobs[l->tops[1]].source = source;
		job->blobs[l->tops[1]].shape = out;
	}
	return PALEO_OK;
}

const struct paleo_caffe_kind paleo_caffe_kind_softmax_loss = {
	.type = "SoftmaxWithLoss",
	.old = "SOFTMAX_LOSS",
	.param = "softmax_param",
	.fields = softmax_fields,
	.others = loss_others,
	.reads = PALEO_CAFFE_READS_FIRST,
	.min_bottoms = 2,
	.max_bottoms = 3,
	.max_tops = 2,
	.convert = convert_softmax_loss,
};

/* Layers of which only the first bottom counts, and whose top is a number. */
static int write_end(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l,
		     const char *type, struct paleo_error *err)
{
	const char *source;
	int rc = paleo_caffe_begin_layer(job, l, type, &source, err);

	if (!rc)
		paleo_caffe_end(job);
	return rc;
}

static int convert_sigmoid_loss(struct paleo_caffe_job *job, struct paleo_caffe_layer *l,
				struct paleo_error *err)
{
	return write_end(job, l, "Sigmoid", err);
}

const struct paleo_caffe_kind paleo_caffe_kind_sigmoid_loss = {
	.type = "SigmoidCrossEntropyLoss",
	.old = "SIGMOID_CROSS_ENTROPY_LOSS",
	.param = "sigmoid_param",
	.fields = engine_fields,
	.others = loss_others,
	.reads = PALEO_CAFFE_READS_FIRST,
	.min_bottoms = 2,
	.max_bottoms = 2,
	.max_tops = 1,
	.convert = convert_sigmoid_loss,
};

static int convert_accuracy(struct paleo_caffe_job *job, struct paleo_caffe_layer *l,
			    struct paleo_error *err)
{
	return write_end(job, l, "Accuracy", err);
}

static const char *const accuracy_fields[] = {"top_k", "axis", "ignore_label", NULL};

const struct paleo_caffe_kind paleo_caffe_kind_accuracy = {
	.type = "Accuracy",
	.old = "ACCURACY",
	.param = "accuracy_param",
	.fields = accuracy_fields,
	.reads = PALEO_CAFFE_READS_FIRST,
	.min_bottoms = 2,
	.max_bottoms = 2,
	.max_tops = 2,
	.convert = convert_accuracy,
};
