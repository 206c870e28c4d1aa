/* test_ceiling.c - ceilings: which sample counts, which peaks follow, who is above them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/record/record.h"
#include "tests/unit/unit.h"

static void add(struct paleo_ceilings *list, const char *name, const char *unit, double value)
{
	struct paleo_error err;

	assert_int_equal(paleo_ceilings_add(list, name, unit, &value, 1, "", &err), PALEO_OK);
}

/* Of 4, 1, 3, 2 the best is 4 of a rate and 1 of a time; the quartiles lie at 1.75 and 3.25 and the
 * median at 2.5: (3.25 - 1.75) / 2.5 = 0.6. */
static void takes_the_best(void **state)
{
	struct paleo_ceilings list = {.count = 0};
	double rate[] = {4, 1, 3, 2}, time[] = {4, 1, 3, 2}, few[] = {2, 3, 1};
	struct paleo_error err;

	(void)state;
	assert_int_equal(paleo_ceilings_add(&list, "copy", "B/s", rate, 4, "x", &err), PALEO_OK);
	assert_int_equal(paleo_ceilings_add(&list, "launch", "s", time, 4, "", &err), PALEO_OK);
	assert_int_equal(paleo_ceilings_add(&list, "read", "B/s", few, 3, "", &err), PALEO_OK);
	assert_int_equal(list.count, 3);
	assert_true(list.items[0].value == 4 && list.items[1].value == 1);
	assert_true(fabs(list.items[0].spread - 0.6) < 1e-12);
	assert_true(list.items[2].value == 3 && isnan(list.items[2].spread));
	assert_string_equal(list.items[0].how, "x");
	assert_ptr_equal(paleo_ceiling_find(list.items, 3, "launch"), &list.items[1]);
	assert_null(paleo_ceiling_find(list.items, 3, "launch_graph"));
}

static void refuses_too_many(void **state)
{
	struct paleo_ceilings list = {.count = 0};
	struct paleo_error err;
	double value = 1;

	(void)state;
	for (int i = 0; i < PALEO_CEILINGS_MAX; i++)
		add(&list, "x", "s", 1);
	assert_int_equal(paleo_ceilings_add(&list, "y", "s", &value, 1, "", &err), PALEO_ENOMEM);
	assert_int_equal(list.count, PALEO_CEILINGS_MAX);
}

/* The larger of a product and a loop; zeros and caches are no peaks; tf32 keeps its datasheet. */
static void applies(void **state)
{
	struct paleo_ceilings list = {.count = 0};
	struct paleo_device d = {.flop_per_s = {[PALEO_TF32] = 7}, .mem_bytes_per_s = 9};

	(void)state;
	paleo_ceilings_apply(list.items, 0, &d);
	assert_true(!d.measured && d.mem_bytes_per_s == 9);
	add(&list, "gemm_f32", "FLOP/s", 3);
	add(&list, "fma_f32", "FLOP/s", 5);
	add(&list, "gemm_bf16", "FLOP/s", 11);
	add(&list, "gemm_bf16_zeros", "FLOP/s", 20);
	add(&list, "copy", "B/s", 2);
	add(&list, "read", "B/s", 4);
	add(&list, "read_l2", "B/s", 100);
	paleo_ceilings_apply(list.items, list.count, &d);
	assert_true(d.flop_per_s[PALEO_F32] == 5 && d.flop_per_s[PALEO_TF32] == 7);
	assert_true(d.flop_per_s[PALEO_BF16] == 11 && d.flop_per_s[PALEO_F16] == 0);
	assert_true(d.mem_bytes_per_s == 4);
	assert_int_equal(d.measured, 1);
	assert_string_equal(list.items[0].regime, "burst");
}

/* What is sustained does not limit a burst, even where it is all that is known. */
static void sustained_is_no_peak(void **state)
{
	struct paleo_ceilings list = {.regime = PALEO_SUSTAINED};
	struct paleo_device d = {.mem_bytes_per_s = 9};

	(void)state;
	add(&list, "gemm_f32", "FLOP/s", 3);
	add(&list, "copy", "B/s", 2);
	assert_string_equal(list.items[1].regime, "sustained");
	paleo_ceilings_apply(list.items, list.count, &d);
	assert_true(!d.measured && d.flop_per_s[PALEO_F32] == 0 && d.mem_bytes_per_s == 9);
}

/* A product of 100 x 100 x 100: 2e6 FLOP, 3 * 40,000 = 120,000 bytes. */
static struct paleo_record product(double time_s)
{
	struct paleo_record r = {.mode = "cold", .timing = {.median_s = time_s}};
	struct paleo_error err;

	if (paleo_op_parse("gemm fwd f32 m=100 n=100 k=100", &r.op, &err))
		fail_msg("%s", err.text);
	assert_true(r.op.flops == 2e6);
	assert_true(r.op.read_bytes + r.op.write_bytes == 120000);
	return r;
}

static int is_above(struct paleo_record r, const struct paleo_device *d)
{
	paleo_record_judge(&r, d);
	return paleo_record_has_tag(r.tags, PALEO_TAG_ABOVE);
}

/* At 2e9 FLOP/s the product takes 1 ms; 1.05 times as fast, 1 / 1.05 = 0.952 ms. */
static void knows_what_is_above(void **state)
{
	struct paleo_device d = {.flop_per_s = {[PALEO_F32] = 2e9}, .measured = 1};
	struct paleo_record r = product(0.95e-3);

	(void)state;
	assert_true(is_above(r, &d));
	assert_false(is_above(product(0.955e-3), &d));
	d.measured = 0; /* a datasheet is no measurement */
	assert_false(is_above(r, &d));
	d.measured = 1;
	strcpy(r.mode, "hot");
	assert_false(is_above(r, &d));
	r = product(0.5e-3);
	strcpy(r.algorithm, "cudnn eng12 wino");
	assert_false(is_above(r, &d));
	d.mem_bytes_per_s =
		120e6; /* by its bytes, too, it takes 1 ms: Winograd saves none of these */
	assert_true(is_above(r, &d));
	r.status = PALEO_RECORD_INCORRECT;
	assert_false(is_above(r, &d));
}

static const char *tags_of(const char *reasons)
{
	static const struct paleo_device d = {.measured = 1};
	struct paleo_record r = product(1);

	snprintf(r.state.reasons, sizeof(r.state.reasons), "%s", reasons);
	paleo_record_judge(&r, &d);
	if (paleo_record_has_tag(r.tags, PALEO_TAG_THROTTLED))
		return paleo_record_has_tag(r.tags, PALEO_TAG_CAPPED) ? "both" : "throttled";
	return paleo_record_has_tag(r.tags, PALEO_TAG_CAPPED) ? "capped" : "";
}

static void knows_why_it_is_slow(void **state)
{
	(void)state;
	assert_string_equal(tags_of(""), "");
	assert_string_equal(tags_of("idle app_clocks sync_boost"), "");
	assert_string_equal(tags_of("power_cap"), "capped");
	assert_string_equal(tags_of("idle hw_slowdown"), "throttled");
	assert_string_equal(tags_of("sw_thermal"), "throttled");
	assert_string_equal(tags_of("hw_thermal"), "throttled");
	assert_string_equal(tags_of("power_cap power_brake"), "both");
}

static void tags_once(void **state)
{
	const struct paleo_device d = {.measured = 1};
	struct paleo_record r = product(1);

	(void)state;
	r.timing.drift = 0.01;
	paleo_record_judge(&r, &d);
	assert_string_equal(r.tags, "");
	r.timing.drift = -0.011;
	paleo_record_judge(&r, &d);
	paleo_record_judge(&r, &d);
	assert_string_equal(r.tags, "drift");
	paleo_record_tag(&r, "other");
	assert_string_equal(r.tags, "drift other");
	assert_true(paleo_record_has_tag(r.tags, "other"));
	assert_false(paleo_record_has_tag(r.tags, "oth"));
	assert_false(paleo_record_has_tag(r.tags, ""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_the_best),
		cmocka_unit_test(refuses_too_many),
		cmocka_unit_test(applies),
		cmocka_unit_test(sustained_is_no_peak),
		cmocka_unit_test(knows_what_is_above),
		cmocka_unit_test(tags_once),
		cmocka_unit_test(knows_why_it_is_slow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
