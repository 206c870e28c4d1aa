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

/* A class of one model is held out by the parts of it that workers may have; of five, models are
 * held out whole. */
static void parts_of_few_layers_are_shapes(void **state)
{
	(void)state;
	struct paleo_fit_row rows[16] = {{.fold = 0}};
	struct paleo_op ops[16];

	for (int i = 0; i < 6; i++) {
		char key[96];
		snprintf(key, sizeof(key),
			 "moe fwd bf16 tokens=%d hidden=64 inter=%d experts=8 local=%d topk=2",
			 1 + i % 2, i < 4 ? 64 : 32, i < 2 ? 4 : 8);
		ops[i] = given_op(key);
	}
	for (int i = 6; i < 16; i++) {
		char key[96];
		snprintf(key, sizeof(key), "gemm fwd bf16 m=7 n=%d k=64 batch=%d", 8 * (i / 2),
			 2 + i % 2);
		ops[i] = given_op(key);
	}
	for (int i = 0; i < 16; i++) {
		rows[i].op = &ops[i];
		rows[i].shape = paleo_fit_shape(&ops[i]);
		rows[i].part = paleo_fit_part(&ops[i]);
	}
	assert_true(rows[0].shape == rows[5].shape);
	paleo_fit_rows_part(rows, 16);
	for (int i = 0; i < 16; i += 2)
		assert_true(rows[i].shape == rows[i + 1].shape);
	assert_true(rows[0].shape != rows[2].shape && rows[2].shape != rows[4].shape);
	paleo_fit_rows_part(rows + 6, 8);
	assert_true(rows[6].shape != rows[7].shape);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_have_some_of_each_class),
		cmocka_unit_test(parts_have_whole_shapes),
		cmocka_unit_test(parts_of_few_layers_are_shapes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
