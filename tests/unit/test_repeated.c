/* test_repeated.c - ops with what is repeated, and with single tokens, worked out by hand. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "tests/unit/given.h"

#define DATA "\"data\": {\"type\": \"Input\", \"parents\": [], \"tensor\": [2, 8, 8, 4]}"
#define CONV(name, parent)                                                                         \
	"\"" name "\": {\"type\": \"Convolution\", \"parents\": [\"" parent                        \
	"\"], \"filter\": [1, 1, 4, 4], \"strides\": [1, 1, 1, 1], \"padding\": \"VALID\"}"

static void expect_ops(const char *layers, unsigned passes, const char *expected)
{
	const struct paleo_ops_options o = {.dtype = PALEO_F32, .passes = passes};

	expect_ops_with(layers, &o, 1, expected);
}

/*
 * The gate's 4 numbers for each of 2 images go with 8 x 8 = 64 pixels each: 512 elements, 8 that
 * repeat. The factors are 4. Both gradients of a product with what repeats are ops of a forward
 * kind; that of the 8 or 4 is a product of 512 that is summed over 64 or 128 repetitions.
 */
static void what_repeats_has_gradients_by_sums(void **state)
{
	(void)state;
	expect_ops(DATA ", " CONV(
			   "a", "data") ", \"mean\": {\"type\": \"AvgPool\", \"parents\": [\"a\"], "
					"\"global\": true}, \"g\": {\"type\": \"Elementwise\", "
					"\"parents\": [\"a\", "
					"\"mean\"], \"op\": \"mul\"}, \"s\": {\"type\": \"Scale\", "
					"\"parents\": "
					"[\"g\"]}",
		   PALEO_PASSES_BWD,
		   "s, mul, bwd_filter: eltwise fwd f32 op=mul inputs=2 count=512\n"
		   "s, sum of repetitions, bwd_filter: reduce fwd f32 op=sum rows=4 cols=128\n"
		   "s, mul, bwd_data: eltwise fwd f32 op=mul inputs=2 count=512 small=4\n"
		   "g, mul, bwd_data: eltwise fwd f32 op=mul inputs=2 count=512 small=8\n"
		   "g, mul, bwd_data: eltwise fwd f32 op=mul inputs=2 count=512\n"
		   "g, sum of repetitions, bwd_data: reduce fwd f32 op=sum rows=8 cols=64\n"
		   "mean, avg_pool, bwd_data: pool bwd_data f32 mode=avg n=2 c=4 h=8 w=8 r=8 s=8\n"
		   "a, sum of gradients, bwd_data: eltwise fwd f32 op=add inputs=2 count=512\n"
		   "a, conv, bwd_filter: conv bwd_filter f32 n=2 c=4 h=8 w=8 k=4 r=1 s=1 bias=1\n");
}

/*
 * A class token and positions in front of 2 sequences of 3 tokens of 4: 4 tokens are 2 x 16
 * numbers. The token's gradient sums 2 images, that of the 16 positions, too. The first token is 2
 * x 4.
 */
static void tokens_are_copied(void **state)
{
	(void)state;
	expect_ops("\"data\": {\"type\": \"Input\", \"parents\": [], \"tensor\": [2, 3, 4]}, "
		   "\"c\": {\"type\": \"ClassToken\", \"parents\": [\"data\"]}, \"p\": {\"type\": "
		   "\"Position\", \"parents\": [\"c\"]}, \"f\": {\"type\": \"FirstToken\", "
		   "\"parents\": "
		   "[\"p\"]}",
		   PALEO_PASSES_FWD | PALEO_PASSES_BWD,
		   "c, class_token, fwd: copy fwd f32 rows=2 cols=16 parts=2\n"
		   "p, add, fwd: eltwise fwd f32 op=add inputs=2 count=32 small=16\n"
		   "f, first_token, fwd: copy fwd f32 rows=2 cols=4\n"
		   "f, first_token, bwd_data: copy fwd f32 rows=8 cols=4\n"
		   "p, sum of repetitions, bwd_filter: reduce fwd f32 op=sum rows=16 cols=2\n"
		   "c, sum of repetitions, bwd_filter: reduce fwd f32 op=sum rows=4 cols=2\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_repeats_has_gradients_by_sums),
		cmocka_unit_test(tokens_are_copied),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
