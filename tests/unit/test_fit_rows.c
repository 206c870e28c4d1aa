/* test_fit_rows.c - rows of a fit are dealt to parts. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "calib/fit_rows.h"
#include "tests/unit/given.h"

/* Each part has one of five ops of a class, so that no class is predicted without itself. */
static void parts_have_some_of_each_class(void **state)
{
	(void)state;
	static const char *const names[] = {"relu", "tanh", "elu", "gelu", "silu"};
	struct paleo_fit_row rows[25] = {{.fold = 0}};
	struct paleo_op ops[25];
	struct paleo_error err;

	for (int i = 0; i < 25; i++) {
		char key[64];
		snprintf(key, sizeof(key), "eltwise fwd f32 op=%s count=%d", names[i / 5],
			 1000 + 7 * i);
		ops[i] = given_op(key);
		rows[i].op = &ops[i];
		rows[i].shape = paleo_fit_shape(&ops[i]);
	}
	assert_int_equal(paleo_fit_rows_deal(rows, 25, 5, &err), PALEO_OK);
	for (int first = 0; first < 25; first += 5) {
		int seen = 0;
		for (int i = first; i < first + 5; i++)
			seen |= 1 << rows[i].fold;
		assert_int_equal(seen, 31);
	}
}

/* A layer's passes and batches are predicted together. */
static void parts_have_whole_shapes(void **state)
{
	(void)state;
	static const char *const keys[] = {"gemm fwd f32 m=7 n=10 k=50 trans_b=1",
					   "gemm bwd_data f32 m=7 n=50 k=10",
					   "gemm bwd_filter f32 m=10 n=50 k=3 trans_a=1",
					   "gemm fwd f32 m=7 n=10 k=60 trans_b=1"};
	struct paleo_fit_row rows[4] = {{.fold = 0}};
	struct paleo_op ops[4];
	struct paleo_error err;

	for (int i = 0; i < 4; i++) {
		ops[i] = given_op(keys[i]);
		rows[i].op = &ops[i];
		rows[i].shape = paleo_fit_shape(&ops[i]);
	}
	assert_int_equal(paleo_fit_rows_deal(rows, 4, 5, &err), PALEO_OK);
	assert_true(rows[0].fold == rows[1].fold && rows[1].fold == rows[2].fold);
	assert_true(rows[3].fold != rows[0].fold);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_have_some_of_each_class),
		cmocka_unit_test(parts_have_whole_shapes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
