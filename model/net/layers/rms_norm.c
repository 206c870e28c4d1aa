/* rms_norm.c - scales the channels of each pixel by their root mean square. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/net/layers/common.h"
#include "model/net/layers/kinds.h"
#include "model/net/layers/norms.h"

/* As layer_norm.c, with no mean to take off and no shift to learn. */
static int work(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
		struct paleo_work_list *out, struct paleo_error *err)
{
	static const struct paleo_norm_geom norm = {.mode = PALEO_RMS_NORM, .scale = 1};
	enum paleo_pass norm_pass = pass == PALEO_FWD ? PALEO_FWD : PALEO_BWD_DATA;

	if (pass == PALEO_BWD_DATA)
		return PALEO_OK;
	return paleo_norm_work(out, &norm, &l->out, norm_pass, dtype, err);
}

static double weights(const struct paleo_layer *l)
{
	return l->out.c;
}

const struct paleo_layer_kind paleo_kind_rms_norm = {
	.type = "RMSNorm",
	.what = "RMS normalisation over the channels of each pixel",
	.min_parents = 1,
	.max_parents = 1,
	.parse = paleo_parse_plain,
	.shape = paleo_shape_as_parent,
	.work = work,
	.weights = weights,
};
