/* test_pace.c - how much longer a work takes when its device is slower: by hand. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "model/law.h"
#include "tests/unit/unit.h"

static const struct paleo_law_rates usual = {4, 4, 0}, none = {0, 0, 0};

/* 8 FLOPs and 4 bytes at 4 FLOP/s and 4 bytes/s take 2 + 1 s; at 2 and 4, 4 + 1 s: 5/3, of which
 * x = ln(5/3) = 0.5108256 leaves x^3/(x^2 + 0.0004) = 0.5100438. Of a tenth, x = 0.0953102 leaves
 * 0.0912904. */
static void is_longer_when_slower(void **state)
{
	(void)state;
	const struct paleo_work w = {
		.kind = PALEO_ELTWISE, .flops = 8, .read_bytes = 3, .write_bytes = 1};
	const struct paleo_law_rates half = {2, 4, 0}, tenth = {4 / 1.1, 4 / 1.1, 0};

	assert_true(fabs(log(paleo_law_pace(&w, &half, &usual, 3, 0)) - 0.5100438) < 1e-6);
	assert_true(fabs(log(paleo_law_pace(&w, &tenth, &usual, 3, 0)) - 0.0912904) < 1e-6);
	assert_true(paleo_law_pace(&w, &usual, &usual, 3, 0) == 1);
	assert_true(paleo_law_pace(&w, &none, &usual, 3, 0) == 1);
	assert_true(paleo_law_pace(&w, &half, &none, 3, 0) == 1);
	assert_true(paleo_law_pace_of(&w, &none, &usual, 3) == 1);
}

/* 3 s of the loops become 3 exp(0.5100438) = 4.9960923 s. What is beyond them follows the loop of
 * products, at half its pace: x = ln 2 leaves 0.6925706, so 3 s more become 5.9965414, and 9 s
 * 17.9896242. One that takes less than the loops would is as much longer as they are. */
static void the_rest_follows_products(void **state)
{
	(void)state;
	const struct paleo_work w = {
		.kind = PALEO_ELTWISE, .flops = 8, .read_bytes = 3, .write_bytes = 1};
	const struct paleo_law_rates half = {2, 4, 0};

	assert_true(fabs(6 * paleo_law_pace(&w, &half, &usual, 6, 0) - 10.9926337) < 1e-6);
	assert_true(fabs(12 * paleo_law_pace(&w, &half, &usual, 12, 0) - 22.9857165) < 1e-6);
	assert_true(fabs(paleo_law_pace(&w, &half, &usual, 1, 0) - 1.6653641) < 1e-6);
	assert_true(fabs(10.9926337 / paleo_law_pace_of(&w, &half, &usual, 10.9926337) - 6) < 1e-6);
	assert_true(fabs(paleo_law_pace_of(&w, &half, &usual, 1) - 1.6653641) < 1e-6);
}

/* A sweep at a quarter of its pace: the loops take 2 + 4 s for 2 + 1 s, so x = ln 2 leaves
 * 0.6925706, 5.9965414 s. Of x = ln 4 = 1.3862944 are left 1.3860059. The start's exponent of -0.8
 * makes that a factor of 0.3299531, the rest's of -0.12 one of 0.8467746. A start is no more than
 * what goes beyond the loops. */
static void start_and_rest_follow_the_sweep_the_other_way(void **state)
{
	(void)state;
	const struct paleo_work w = {
		.kind = PALEO_ELTWISE, .flops = 8, .read_bytes = 3, .write_bytes = 1};
	const struct paleo_law_rates swept = {4, 1, 0};

	assert_true(fabs(7 * paleo_law_pace(&w, &swept, &usual, 7, 1) - 8.8668184) < 1e-6);
	assert_true(fabs(7 * paleo_law_pace(&w, &swept, &usual, 7, 9) - 7.3163539) < 1e-6);
	assert_true(fabs(7 * paleo_law_pace(&w, &swept, &usual, 7, 0) - 9.3836399) < 1e-6);
	assert_true(fabs(9.3836399 / paleo_law_pace_of(&w, &swept, &usual, 9.3836399) - 7) < 1e-6);
}

/* The work above, as a convolution that reads 4 bytes of weights besides: shared by its threads
 * they do not follow the sweep, and half of all bytes, the rest has the exponent -0.12 - 0.1. Of a
 * gradient of 4 bytes of weights they are written, and follow. */
static void shared_weights_do_not_follow_the_sweep(void **state)
{
	(void)state;
	const struct paleo_law_rates swept = {4, 1, 0}, shared = {4, 4, 1};
	const struct paleo_work plain = {
		.kind = PALEO_ELTWISE, .flops = 8, .read_bytes = 3, .write_bytes = 1};
	struct paleo_work conv = {
		.kind = PALEO_CONV, .flops = 8, .read_bytes = 7, .write_bytes = 1};

	conv.geom.conv.c = conv.geom.conv.k = conv.geom.conv.r = conv.geom.conv.s = 1;
	conv.geom.conv.groups = 1;
	double slower = paleo_law_pace(&plain, &swept, &usual, 7, 0);
	assert_true(fabs(7 * paleo_law_pace(&conv, &swept, &shared, 7, 0) - 8.9452670) < 1e-6);
	assert_true(paleo_law_pace(&conv, &swept, &usual, 7, 0) > 1.1 * slower);
	conv.pass = PALEO_BWD_FILTER;
	conv.read_bytes = 3;
	assert_true(paleo_law_pace(&conv, &swept, &shared, 7, 0) == slower);
	assert_true(paleo_law_shares_weights("oneDNN 2.6.3 avx2"));
	assert_false(paleo_law_shares_weights("oneDNN 2.6.3 avx512_core_bf16"));
	assert_false(paleo_law_shares_weights("CUDA 13.0, cuDNN 9.19.0"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_longer_when_slower),
		cmocka_unit_test(the_rest_follows_products),
		cmocka_unit_test(start_and_rest_follow_the_sweep_the_other_way),
		cmocka_unit_test(shared_weights_do_not_follow_the_sweep),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
