/* window.c - the window of convolutions and poolings, as Caffe's files say it. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/import/caffe/window.h"

#include <string.h>

#include "model/import/caffe/values.h"
#include "model/import/caffe/write.h"

/* One of the numbers of a window and the ways to say it. */
struct part {
	const char *both;        /* once for both directions, or once for each */
	const char *separate[2]; /* or these; NULL: cannot be said so */
	int low, high;
};

static const struct part kernel = {"kernel_size", {"kernel_h", "kernel_w"}, 1, PALEO_CAFFE_DIM_MAX};
static const struct part stride = {"stride", {"stride_h", "stride_w"}, 1, PALEO_CAFFE_DIM_MAX};
static const struct part pad = {"pad", {"pad_h", "pad_w"}, 0, PALEO_CAFFE_PAD_MAX};
static const struct part dilation = {"dilation", {NULL, NULL}, 1, PALEO_CAFFE_DIM_MAX};

/* stride: 2, or stride: 2 stride: 1 */
static int read_both(const struct paleo_caffe_field *f, const struct part *part, int out[2],
		     struct paleo_error *err)
{
	const struct paleo_caffe_field *second = paleo_caffe_again(f);
	int rc = paleo_caffe_to_int(f, part->low, part->high, &out[0], err);

	out[1] = out[0];
	if (rc || !second)
		return rc;
	if (paleo_caffe_again(second))
		return paleo_caffe_fail(paleo_caffe_again(second), err,
					"stands here a third time, but pictures have 2 directions");
	return paleo_caffe_to_int(second, part->low, part->high, &out[1], err);
}

static int read_part(const struct paleo_caffe_field *param, const struct part *part, int out[2],
		     struct paleo_error *err)
{
	const struct paleo_caffe_field *both = paleo_caffe_first(param, part->both);
	const struct paleo_caffe_field *one[2] = {NULL, NULL};
	int rc = PALEO_OK;

	for (int i = 0; i < 2 && !rc && part->separate[i]; i++)
		rc = paleo_caffe_one(param, part->separate[i], &one[i], err);
	if (rc)
		return rc;
	if (both && (one[0] || one[1]))
		return paleo_caffe_fail(one[0] ? one[0] : one[1], err,
					"expected either this or '%s'", part->both);
	if (both)
		return read_both(both, part, out, err);
	/* Only a padding may be said of one direction alone; the other then has none. */
	if (part->low > 0 && !one[0] != !one[1])
		return paleo_caffe_fail(one[0] ? one[0] : one[1], err, "'%s' is missing",
					part->separate[one[0] ? 1 : 0]);
	for (int i = 0; i < 2 && !rc; i++)
		if (one[i])
			rc = paleo_caffe_to_int(one[i], part->low, part->high, &out[i], err);
	return rc;
}

int paleo_caffe_read_window(const struct paleo_caffe_layer *l, struct paleo_caffe_window *out,
			    struct paleo_error *err)
{
	struct paleo_caffe_window w = {.stride = {1, 1}, .dilation = {1, 1}};
	int rc;

	if (!paleo_caffe_find_kernel(l))
		return paleo_caffe_fail(l->param ? l->param : l->field, err,
					"'kernel_size' is missing");
	rc = read_part(l->param, &kernel, w.kernel, err);
	if (!rc)
		rc = read_part(l->param, &stride, w.stride, err);
	if (!rc)
		rc = read_part(l->param, &pad, w.pad, err);
	if (!rc)
		rc = read_part(l->param, &dilation, w.dilation, err);
	if (!rc)
		*out = w;
	return rc;
}

const struct paleo_caffe_field *paleo_caffe_find_kernel(const struct paleo_caffe_layer *l)
{
	const struct paleo_caffe_field *f = l->param ? l->param->first : NULL;

	while (f && strncmp(f->name, "kernel_", 7) != 0)
		f = f->next;
	return f;
}

void paleo_caffe_put_window(struct paleo_caffe_job *job, const struct paleo_caffe_window *w)
{
	const int strides[] = {1, w->stride[0], w->stride[1], 1};

	paleo_caffe_put_ints(job, "strides", strides, 4);
	if (w->pad[0] || w->pad[1])
		paleo_caffe_put_ints(job, "padding", w->pad, 2);
	else
		paleo_json_put_string(job->writer, "padding", "VALID");
}
