/* test_quantise.c - the kernels that quantise to e4m3, run on the CPU, code by code. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "bench/backends/cuda/job.h"
#include "bench/fill.h"
#include "host_kernels.h"
#include "tests/unit/unit.h"

enum {
	COUNT = 3001, /* a pack of one element at the end */
	BLOCKS = 2
};

/* s eeee mmm: (1 + m/8) 2^(e-7), without a 1 where e is 0. */
static float value_of(unsigned char code)
{
	int e = code >> 3 & 15, m = code & 7;
	float size = e ? ldexpf((float)(8 + m), e - 10) : ldexpf((float)m, -9);

	return code & 0x80 ? -size : size;
}

static uint16_t bf16_of(float v)
{
	uint32_t bits;

	memcpy(&bits, &v, sizeof(bits));
	return (uint16_t)(bits >> 16);
}

static struct {
	_Alignas(16) uint16_t x[COUNT + 7];
	_Alignas(16) unsigned char codes[COUNT + 7];
	float scale[8], found[BLOCKS];
} room;

static void quantise(void)
{
	struct paleo_frame f;

	memset(&f, 0, sizeof(f));
	f.x = room.x;
	f.mask = room.codes;
	f.scale = room.scale;
	f.workspace = room.found;
	f.count = COUNT;
	f.splits = BLOCKS;
	f.factor = 0.25f;
	memset(room.codes, 0xa5, sizeof(room.codes));
	host_kernel_run(host_kernel_find("largest_parts"), BLOCKS, &f, NULL);
	host_kernel_run(host_kernel_find("quantise"), BLOCKS, &f, NULL);
}

static void by_the_largest_element(void **state)
{
	(void)state;
	for (int i = 0; i < COUNT; i++) { /* of all sizes, down to what becomes 0 */
		float v = ldexpf((float)(i * 37 % 257 - 128) / 256, -(i % 19));
		room.x[i] = bf16_of(v);
	}
	room.x[2345] = bf16_of(-1.5f);
	quantise();
	assert_true(room.scale[0] == 1.5f / 448);
	assert_true(room.scale[4] == 0.25f); /* of the weights */
	for (int i = 0; i < COUNT; i++) {
		float expected = paleo_round_to(host_element(room.x, i) * (448 / 1.5f), PALEO_FP8);
		if (!(value_of(room.codes[i]) == expected))
			fail_msg("%d: %g, not %g", i, (double)value_of(room.codes[i]),
				 (double)expected);
	}
	assert_true(value_of(room.codes[2345]) == -448);
	assert_int_equal(room.codes[COUNT], 0xa5); /* nothing beyond the end */
}

static void zeros_stay_zeros(void **state)
{
	(void)state;
	memset(room.x, 0, sizeof(room.x));
	quantise();
	assert_true(room.scale[0] == 1);
	for (int i = 0; i < COUNT; i++)
		assert_int_equal(room.codes[i], 0);
}

/* Weights are those of fill.h without their scale. */
static void fills_weights(void **state)
{
	struct paleo_frame f;
	struct paleo_op w;
	struct paleo_error err;

	(void)state;
	assert_int_equal(paleo_op_parse("gemm fwd fp8 m=1 n=3001 k=1 trans_b=1", &w, &err), 0);
	memset(&f, 0, sizeof(f));
	f.x = room.codes;
	f.count = COUNT;
	f.stream = paleo_fill_stream(PALEO_W, 0);
	host_kernel_run(host_kernel_find("fill_e4m3"), BLOCKS, &f, NULL);
	float scale = (float)paleo_fill_scale(&w, PALEO_W);
	for (int i = 0; i < COUNT; i++)
		assert_true(value_of(room.codes[i]) * scale == paleo_fill_value(&w, PALEO_W, 0, i));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_the_largest_element),
		cmocka_unit_test(zeros_stay_zeros),
		cmocka_unit_test(fills_weights),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
