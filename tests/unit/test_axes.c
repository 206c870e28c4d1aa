/* test_axes.c - where an op lies among others of its kind. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "model/predict/trees.h"
#include "tests/unit/unit.h"

static int near(double x, double y)
{
	return fabs(x - y) <= 1e-12;
}

static void place_of_a_product(void **state)
{
	(void)state;
	struct paleo_op w = {.kind = PALEO_GEMM,
			     .geom.gemm = {.m = 1024, .n = 2, .k = 64, .batch = 1}};
	double at[PALEO_AXES];

	paleo_op_place(&w, at);
	assert_true(near(at[0], 10) && near(at[1], 1) && near(at[2], 6) && at[3] == 0);
	/* Rows of 64 and of 2 elements: 8 bytes are a quarter of a sector, two halvings. */
	assert_true(at[4] == 0 && at[5] == 0 && near(at[6], 1) && at[7] == 0);
	/* Stored the other way: 1.4 doublings apart. */
	w.geom.gemm.trans_b = 1;
	paleo_op_place(&w, at);
	assert_true(near(at[0], 10) && at[4] == 0 && near(at[5], 1.4));
	w.geom.gemm.n = 8;
	paleo_op_place(&w, at);
	assert_true(at[6] == 0);
	w.dtype = PALEO_BF16;
	paleo_op_place(&w, at);
	assert_true(near(at[6], 0.5));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(place_of_a_product),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
