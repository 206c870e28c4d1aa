/* accuracy.c - compares with the labels; counted as free, and no gradient comes from it. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/net/layers/common.h"
#include "model/net/layers/kinds.h"

const struct paleo_layer_kind paleo_kind_accuracy = {
	.type = "Accuracy",
	.min_parents = 1,
	.max_parents = 1,
	.no_gradient = 1,
	.parse = paleo_parse_plain,
	.shape = paleo_shape_as_parent,
};
