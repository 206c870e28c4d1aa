/* test_dtype.c - the dtypes: each has its names, its bytes, and what is around it. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "model/net/net.h"
#include "tests/unit/unit.h"

static void each_is_found_by_its_names(void **state)
{
	struct paleo_error err;

	(void)state;
	for (int i = 0; i < PALEO_DTYPES; i++) {
		enum paleo_dtype found = PALEO_DTYPES;
		assert_int_equal(paleo_dtype_parse(paleo_dtype_names[i], &found, &err), PALEO_OK);
		assert_int_equal(found, i);
		assert_true(paleo_dtype_bytes(found) > 0);
		/* what is kept around it is no narrower, and is its own */
		enum paleo_dtype wide = paleo_dtype_wide(found);
		assert_true(paleo_dtype_bytes(wide) >= paleo_dtype_bytes(found));
		assert_int_equal(paleo_dtype_wide(wide), wide);
	}
	assert_null(paleo_dtype_names[PALEO_DTYPES]);
}

static void fp8_is_a_byte_amid_bf16(void **state)
{
	enum paleo_dtype found;

	(void)state;
	assert_true(paleo_dtype_of_table("fp8", &found));
	assert_int_equal(found, PALEO_FP8);
	assert_int_equal(paleo_dtype_bytes(PALEO_FP8), 1);
	assert_int_equal(paleo_dtype_wide(PALEO_FP8), PALEO_BF16);
	assert_true(paleo_dtype_is_narrow(PALEO_FP8));
	assert_false(paleo_dtype_is_narrow(PALEO_BF16));
	assert_true(paleo_dtype_of_table("fp32", &found));
	assert_int_equal(found, PALEO_F32);
	/* other words for it, in any case */
	assert_true(paleo_dtype_of_table("Half", &found));
	assert_int_equal(found, PALEO_F16);
	assert_true(paleo_dtype_of_table("BFLOAT16", &found));
	assert_int_equal(found, PALEO_BF16);
	assert_false(paleo_dtype_of_table("int8", &found));
}

static void others_are_refused(void **state)
{
	enum paleo_dtype found;
	struct paleo_error err;

	(void)state;
	assert_int_equal(paleo_dtype_parse("fp32", &found, &err), PALEO_EINPUT);
	assert_string_equal(err.text, "unknown dtype 'fp32', expected f32, tf32, f16, bf16 or fp8");
}

/* The forward product is in fp8, all around it in bf16. */
static void nets_multiply_forward_in_fp8(void **state)
{
	static const char text[] =
		"{\"name\": \"t\", \"layers\": {"
		"\"data\": {\"type\": \"Input\", \"parents\": [], \"tensor\": [2, 1, 1, 256]},"
		"\"a\": {\"type\": \"InnerProduct\", \"parents\": [\"data\"], "
		"\"num_outputs\": 32, \"activation_fn\": \"relu\"},"
		"\"b\": {\"type\": \"InnerProduct\", \"parents\": [\"a\"], "
		"\"num_outputs\": 16}}}";
	static const char *const keys[] = {
		"gemm fwd fp8 m=2 n=32 k=256 trans_b=1 bias=1",
		"eltwise fwd bf16 op=relu count=64",
		"gemm fwd fp8 m=2 n=16 k=32 trans_b=1 bias=1",
		"gemm bwd_filter bf16 m=16 n=32 k=2 trans_a=1 bias=1",
		"gemm bwd_data bf16 m=2 n=32 k=16",
		"eltwise bwd_data bf16 op=relu count=64",
		"gemm bwd_filter bf16 m=32 n=256 k=2 trans_a=1 bias=1",
		"update update bf16 rule=sgd count=8224", /* 256 x 32 + 32 */
		"update update bf16 rule=sgd count=528",  /* 32 x 16 + 16 */
	};
	struct paleo_op_list list = {0};
	struct paleo_net *net = NULL;
	struct paleo_error err;
	char key[PALEO_OP_KEY_MAX];

	(void)state;
	if (paleo_net_parse("t.json", text, strlen(text), 0, &net, &err) ||
	    paleo_net_ops(net, PALEO_FP8, PALEO_PASSES_ALL, &list, &err))
		fail_msg("%s", err.text);
	assert_int_equal(list.count, sizeof(keys) / sizeof(*keys));
	for (int i = 0; i < list.count; i++) {
		paleo_op_key(&list.items[i].op, key, sizeof(key));
		assert_string_equal(key, keys[i]);
	}
	paleo_op_list_release(&list);
	paleo_net_free(net);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_is_found_by_its_names),
		cmocka_unit_test(fp8_is_a_byte_amid_bf16),
		cmocka_unit_test(others_are_refused),
		cmocka_unit_test(nets_multiply_forward_in_fp8),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
