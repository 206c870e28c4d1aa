/* point.c - layers that keep the shape, and ends of a net: activations, norms, Softmax, losses. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "import/caffe/job.h"

/* Every slope costs the same, so the net's leaky_relu is used for all non-zero ones. */
void paleo_caffe_convert_relu(struct paleo_caffe_job *job, struct paleo_caffe_layer *l)
{
	double slope = 0;

	paleo_caffe_get_double(job, l->param, "negative_slope", -FLT_MAX, FLT_MAX, &slope);
	if (slope == 0)
		paleo_caffe_write_plain(job, l, "ReLU", NULL, NULL);
	else
		paleo_caffe_write_plain(job, l, "Activation", "fn", "leaky_relu");
}

/* A factor for each channel, where a number is negative; one for all is a fixed slope. */
void paleo_caffe_convert_prelu(struct paleo_caffe_job *job, struct paleo_caffe_layer *l)
{
	int shared = 0;

	paleo_caffe_get_bool(job, l->param, "channel_shared", &shared);
	if (shared)
		paleo_caffe_write_plain(job, l, "Activation", "fn", "leaky_relu");
	else
		paleo_caffe_write_plain(job, l, "Scale", NULL, NULL);
}

/* (shift + scale x)^power; every one that does something costs the same. */
void paleo_caffe_convert_power(struct paleo_caffe_job *job, struct paleo_caffe_layer *l)
{
	double power = 1, scale = 1, shift = 0;

	paleo_caffe_get_double(job, l->param, "power", -FLT_MAX, FLT_MAX, &power);
	paleo_caffe_get_double(job, l->param, "scale", -FLT_MAX, FLT_MAX, &scale);
	paleo_caffe_get_double(job, l->param, "shift", -FLT_MAX, FLT_MAX, &shift);
	if (power == 1 && scale == 1 && shift == 0)
		paleo_caffe_alias(job, l->bottoms[0], l->tops[0]);
	else
		paleo_caffe_write_plain(job, l, "Activation", "fn", "leaky_relu");
}

void paleo_caffe_convert_plain(struct paleo_caffe_job *job, struct paleo_caffe_layer *l)
{
	paleo_caffe_write_plain(job, l, l->kind->ours, l->kind->fn ? "fn" : NULL, l->kind->fn);
}

/* Caffe gives the dropped fraction, a net the kept one. */
void paleo_caffe_convert_dropout(struct paleo_caffe_job *job, struct paleo_caffe_layer *l)
{
	double ratio = 0.5;

	paleo_caffe_get_double(job, l->param, "dropout_ratio", 0, 1, &ratio);
	/* To six digits, as Caffe's floats have: 1 - 0.9 is not 0.1 in binary. */
	const double keep = round((1 - ratio) * 1e6) / 1e6;
	if (keep <= 0)
		paleo_caffe_refuse(job, paleo_caffe_first(l->param, "dropout_ratio"),
				   "expected less than 1");
	if (!paleo_caffe_begin_layer(job, l, "Dropout"))
		return;
	paleo_json_put_double(job->writer, "dropout_keep_prob", keep);
	paleo_caffe_end_layer(job, l, 0, paleo_caffe_in(job, l, 0));
}

/* alpha, beta and k change no cost. */
void paleo_caffe_convert_lrn(struct paleo_caffe_job *job, struct paleo_caffe_layer *l)
{
	static const char *const regions[] = {"ACROSS_CHANNELS", "WITHIN_CHANNEL", NULL};
	int region = 0, size = 5;

	paleo_caffe_get_enum(job, l->param, "norm_region", regions, &region);
	if (region)
		paleo_caffe_refuse(job, paleo_caffe_first(l->param, "norm_region"),
				   "a net's LRN goes across channels only");
	paleo_caffe_get_int(job, l->param, "local_size", 1, PALEO_CAFFE_DIM_MAX, &size);
	if (size % 2 == 0)
		paleo_caffe_refuse(job, paleo_caffe_first(l->param, "local_size"),
				   "expected an odd number, found %d", size);
	if (!paleo_caffe_begin_layer(job, l, "LRN"))
		return;
	paleo_json_put_int(job->writer, "size", size);
	paleo_caffe_end_layer(job, l, 0, paleo_caffe_in(job, l, 0));
}

/* Parameters of a Scale for each channel: a factor always, and perhaps a bias: 1. */
static int read_scale(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l, int rank)
{
	int axis = 1, axes = 1, bias = 0;

	paleo_caffe_get_axis(job, l, "axis", rank, &axis);
	paleo_caffe_get_int(job, l->param, "num_axes", -1, 4, &axes);
	if (axis != 1 || axes != 1)
		paleo_caffe_refuse(
			job, l->param,
			"expected 'axis' 1 and 'num_axes' 1: a net scales channels only");
	paleo_caffe_get_bool(job, l->param, "bias_term", &bias);
	return bias;
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
void paleo_caffe_convert_batch_norm(struct paleo_caffe_job *job, struct paleo_caffe_layer *l)
{
	const struct paleo_shape *in = paleo_caffe_in(job, l, 0);
	struct paleo_caffe_layer *scale = find_scale(job, l);
	const int bias = scale ? read_scale(job, scale, in->rank) : 0;

	if (!paleo_caffe_begin_layer(job, l, "BatchNorm"))
		return;
	paleo_json_put_bool(job->writer, "scale", scale != NULL);
	if (!bias)
		paleo_json_put_bool(job->writer, "shift", 0);
	if (scale)
		scale->folded = 1;
	paleo_caffe_end_layer(job, l, 0, in);
}

/* y = a x + b for each channel is a convolution 1x1 with a group for each channel. */
void paleo_caffe_convert_scale(struct paleo_caffe_job *job, struct paleo_caffe_layer *l)
{
	static const int ones[] = {1, 1, 1, 1};
	const struct paleo_shape *in = paleo_caffe_in(job, l, 0);
	const int filter[] = {1, 1, in->c, in->c};

	if (l->folded) {
		paleo_caffe_alias(job, l->bottoms[0], l->tops[0]);
		return;
	}
	if (l->bottom_count > 1)
		paleo_caffe_refuse(job, l->field, "a net cannot scale one blob by another");
	const int bias = read_scale(job, l, in->rank);
	if (in->rank != 4)
		paleo_caffe_refuse(job, l->field,
				   "a Scale that does not follow a BatchNorm must read a blob with "
				   "height and width");
	if (!paleo_caffe_begin_layer(job, l, "Convolution"))
		return;
	paleo_caffe_put_ints(job, "filter", filter, 4);
	paleo_caffe_put_ints(job, "strides", ones, 4);
	paleo_json_put_string(job->writer, "padding", "VALID");
	paleo_json_put_int(job->writer, "groups", in->c);
	if (!bias)
		paleo_json_put_bool(job->writer, "bias", 0);
	paleo_caffe_end_layer(job, l, 0, in);
}

/* Writes a Softmax; its output is the top of this number. */
static void write_softmax(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l, int top)
{
	const struct paleo_shape *in = paleo_caffe_in(job, l, 0);
	const struct paleo_shape out = {.rank = 2, .n = in->n, .c = in->c, .h = 1, .w = 1};
	char text[48];

	paleo_caffe_need_channels(job, l, "a net's Softmax goes over channels");
	paleo_caffe_shape_text(in, text, sizeof(text));
	if (in->h > 1 || in->w > 1)
		paleo_caffe_refuse(job, l->field,
				   "a net's Softmax has one row of classes for each image, but it "
				   "reads %s",
				   text);
	if (!paleo_caffe_begin_layer(job, l, "Softmax"))
		return;
	if (top < l->top_count)
		paleo_caffe_end_layer(job, l, top, &out);
	else
		paleo_caffe_end(job);
}

void paleo_caffe_convert_softmax(struct paleo_caffe_job *job, struct paleo_caffe_layer *l)
{
	write_softmax(job, l, 0);
}

/* The first top is the loss, a number; the second, if any, is Softmax's output. */
void paleo_caffe_convert_softmax_loss(struct paleo_caffe_job *job, struct paleo_caffe_layer *l)
{
	write_softmax(job, l, 1);
}

/* Layers of which only the first bottom counts, and whose top is a number. */
void paleo_caffe_convert_sigmoid_loss(struct paleo_caffe_job *job, struct paleo_caffe_layer *l)
{
	if (paleo_caffe_begin_layer(job, l, "Sigmoid"))
		paleo_caffe_end(job);
}

void paleo_caffe_convert_accuracy(struct paleo_caffe_job *job, struct paleo_caffe_layer *l)
{
	if (paleo_caffe_begin_layer(job, l, "Accuracy"))
		paleo_caffe_end(job);
}
