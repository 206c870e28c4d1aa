/* test_serving_beside.c - shared experts beside the others: which they are, what it saves. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/serving/rows.h"
#include "tests/unit/serving_help.h"

/* Of the products of a layer those of the shared expert alone: 64 -> 2 x 32 -> 64, and what is
 * between. Its router is waited for, and so is an index. */
static void knows_shared_experts(void **state)
{
	static const char *const files[] = {TINY_LATENT, TINY_SPARSE};

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		const struct paleo_hf_model m = read_model(files[i]);
		const struct paleo_serving s = serving_of(&m);
		struct paleo_served v = served_as_it_is(&s, 10);
		int experts = 0, products = 0, others = 0;
		for (int k = 0; k < v.count; k++) {
			const struct paleo_served_row *r = &v.rows[k];
			if (!r->in_decode || r->overlap == PALEO_OVERLAP_NONE)
				continue;
			experts += r->overlap == PALEO_OVERLAP_EXPERTS;
			assert_true((r->overlap == PALEO_OVERLAP_EXPERTS) ==
				    (r->decode.kind == PALEO_MOE));
			products += r->decode.kind == PALEO_GEMM;
			others += r->decode.kind == PALEO_ELTWISE;
		}
		assert_int_equal(experts, 1); /* one layer stands for three */
		assert_int_equal(products, 2);
		assert_int_equal(others, 1);
		struct paleo_served in_turn = served_of(&s, 10);
		assert_true(step_s(&v, 1, 10, 0) < step_s(&in_turn, 1, 10, 0));
		paleo_served_release(&in_turn);
		paleo_served_release(&v);
	}
}

static void without_one_nothing_is_beside(void **state)
{
	static const char *const files[] = {TINY, TINY_WINDOWS};

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		const struct paleo_hf_model m = read_model(files[i]);
		const struct paleo_serving s = serving_of(&m);
		struct paleo_served v = served_as_it_is(&s, 10);
		for (int k = 0; k < v.count; k++)
			assert_true(v.rows[k].overlap != PALEO_OVERLAP_WITH_EXPERTS);
		paleo_served_release(&v);
	}
}

static struct paleo_prediction taking(double total, double memory, double compute)
{
	return (struct paleo_prediction){
		.parts = {.total_s = total, .memory_s = memory, .compute_s = compute},
		.interval = {.low = total / 2, .high = total * 2}};
}

/*
 * Beside experts of 10, of which 6 wait for the memory, 3 and 2 more of which 2 and 1 do: all 9 fit
 * into the 10. Of another layer's 10 memory has 9, and of 5 beside it 4: the 13 leave 3 of these 5.
 * And 2 x 6 of compute leave 2 of 7.
 */
static void hides_what_there_is_room_for(void **state)
{
	const struct paleo_step_op ops[] = {
		{.layer = 1, .overlap = PALEO_OVERLAP_EXPERTS},
		{.layer = 1, .overlap = PALEO_OVERLAP_WITH_EXPERTS},
		{.layer = 2, .overlap = PALEO_OVERLAP_WITH_EXPERTS},
		{.layer = 1, .overlap = PALEO_OVERLAP_NONE},
		{.layer = 1, .overlap = PALEO_OVERLAP_WITH_EXPERTS},
		{.layer = 2, .overlap = PALEO_OVERLAP_EXPERTS},
		{.layer = 3, .overlap = PALEO_OVERLAP_EXPERTS},
		{.layer = 3, .overlap = PALEO_OVERLAP_WITH_EXPERTS},
	};
	struct paleo_prediction p[] = {
		taking(10, 6, 2), taking(3, 2, 1),  taking(5, 4, 1),  taking(7, 7, 7),
		taking(2, 1, 1),  taking(10, 9, 1), taking(10, 1, 6), taking(7, 1, 6),
	};

	(void)state;
	paleo_overlap_hide(ops, p, 8);
	assert_true(p[0].parts.total_s == 10 && p[3].parts.total_s == 7);
	assert_true(p[1].parts.total_s == 0 && p[4].parts.total_s == 0);
	near(p[2].parts.total_s, 3);
	near(p[2].interval.low, 1.5);
	near(p[2].interval.high, 6);
	assert_true(p[5].parts.total_s == 10 && p[6].parts.total_s == 10);
	near(p[7].parts.total_s, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_shared_experts),
		cmocka_unit_test(without_one_nothing_is_beside),
		cmocka_unit_test(hides_what_there_is_room_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
