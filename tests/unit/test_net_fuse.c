/* test_net_fuse.c - the ops of small nets at inference, worked out by hand. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "tests/unit/given.h"

#define DATA "\"data\": {\"type\": \"Input\", \"parents\": [], \"tensor\": [2, 8, 8, 4]}"
#define CONV(name, parent, more)                                                                   \
	", \"" name "\": {\"type\": \"Convolution\", \"parents\": [\"" parent                      \
	"\"], \"filter\": [1, 1, 4, 4], \"strides\": [1, 1, 1, 1], \"padding\": \"VALID\"" more    \
	"}"
#define RELU ", \"activation_fn\": \"relu\""
#define BATCH ", \"normalizer_fn\": \"batch_norm\""
#define LAYER(name, type, parents, more)                                                           \
	", \"" name "\": {\"type\": \"" type "\", \"parents\": [" parents "]" more "}"

static void expect_ops(const char *layers, const char *expected)
{
	const struct paleo_ops_options o = {.passes = PALEO_PASSES_FWD, .fuse = PALEO_FUSE_CHAINS};

	expect_ops_with(layers, &o, 0, expected);
}

/* In the layer itself, and in the next one. The second product ends the net. */
static void an_activation_goes_into_the_product_before_it(void **state)
{
	(void)state;
	expect_ops(DATA CONV("a", "data", RELU) CONV("b", "a", "")
			   LAYER("act", "Activation", "\"b\"", ", \"fn\": \"gelu\"") LAYER(
				   "f", "InnerProduct", "\"act\"", ", \"num_outputs\": 10" RELU)
				   LAYER("g", "InnerProduct", "\"f\"", ", \"num_outputs\": 5"),
		   "a, conv + act: conv fwd f32 n=2 c=4 h=8 w=8 k=4 r=1 s=1 bias=1 act=relu\n"
		   "b, conv + act: conv fwd f32 n=2 c=4 h=8 w=8 k=4 r=1 s=1 bias=1 act=gelu\n"
		   "f, inner_product + act: gemm fwd f32 m=2 n=10 k=256 trans_b=1 bias=1 act=relu\n"
		   "g, inner_product: gemm fwd f32 m=2 n=5 k=10 trans_b=1 bias=1\n");
}

/* The filter is scaled once; a bias is left, with the activation behind it. Of another layer, too.
 */
static void a_normalisation_is_folded_into_the_product_before_it(void **state)
{
	(void)state;
	expect_ops(DATA CONV("a", "data", BATCH RELU) CONV("b", "a", ", \"bias\": false")
			   LAYER("n", "BatchNorm", "\"b\"", ""),
		   "a, conv + act: conv fwd f32 n=2 c=4 h=8 w=8 k=4 r=1 s=1 bias=1 act=relu\n"
		   "b, conv: conv fwd f32 n=2 c=4 h=8 w=8 k=4 r=1 s=1 bias=1\n");
}

/* Where no product is in front it takes the statistics it has, and the activation. */
static void a_normalisation_takes_the_statistics_it_has(void **state)
{
	(void)state;
	expect_ops(DATA LAYER("n", "BatchNorm", "\"data\"", "") LAYER("r", "ReLU", "\"n\"", "")
			   CONV("c", "r", ""),
		   "r, batch_norm: norm fwd f32 mode=batch_inference n=2 c=4 h=8 w=8 scale=1 "
		   "shift=1\n"
		   "c, conv: conv fwd f32 n=2 c=4 h=8 w=8 k=4 r=1 s=1 bias=1\n");
}

/* The factors go into the sum that reads them, the ReLU too; the sum of sums has three inputs. */
static void what_goes_element_by_element_is_one_op(void **state)
{
	(void)state;
	expect_ops(DATA CONV("a", "data", "") CONV("b", "a", "") LAYER("s", "Scale", "\"b\"", "")
			   LAYER("t", "Elementwise", "\"a\", \"s\"", "")
				   LAYER("u", "Elementwise", "\"data\", \"t\"", RELU),
		   "a, conv: conv fwd f32 n=2 c=4 h=8 w=8 k=4 r=1 s=1 bias=1\n"
		   "b, conv: conv fwd f32 n=2 c=4 h=8 w=8 k=4 r=1 s=1 bias=1\n"
		   "u, add: eltwise fwd f32 op=add inputs=3 count=512\n");
}

/* Two layers read the convolution: its result before the activation is wanted, too, and the
 * activation goes into the sum. Dropout is no
 * activation, nor is a pooling followed by one a product. */
static void nothing_else_is_fused(void **state)
{
	(void)state;
	expect_ops(DATA CONV("a", "data", "") LAYER("r", "ReLU", "\"a\"", "") LAYER(
			   "s", "Elementwise", "\"a\", \"r\"", ", \"op\": \"add\"" RELU)
			   LAYER("f", "InnerProduct", "\"s\"", ", \"num_outputs\": 10")
				   LAYER("d", "Dropout", "\"f\"", ", \"dropout_keep_prob\": 0.5"),
		   "a, conv: conv fwd f32 n=2 c=4 h=8 w=8 k=4 r=1 s=1 bias=1\n"
		   "s, add: eltwise fwd f32 op=add inputs=2 count=512\n"
		   "f, inner_product: gemm fwd f32 m=2 n=10 k=256 trans_b=1 bias=1\n"
		   "d, dropout: eltwise fwd f32 op=dropout count=20\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_activation_goes_into_the_product_before_it),
		cmocka_unit_test(a_normalisation_is_folded_into_the_product_before_it),
		cmocka_unit_test(what_goes_element_by_element_is_one_op),
		cmocka_unit_test(a_normalisation_takes_the_statistics_it_has),
		cmocka_unit_test(nothing_else_is_fused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
