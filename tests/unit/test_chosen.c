/* test_chosen.c - what an algorithm changes of a convolution, worked by hand, and files of them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/predict/chosen.h"
#include "tests/unit/given.h"

/* x and y are 2 x 64 x 56 x 56 elements: 401408, so 1605632 bytes in f32, 802816 in f16. */
#define GEOMETRY "n=2 c=64 h=56 w=56 k=64 r=3 s=3 pad_t=1 pad_l=1 pad_b=1 pad_r=1"
#define F32 "conv fwd f32 " GEOMETRY
#define F16 "conv fwd f16 " GEOMETRY

static struct paleo_method_cost cost_of(const char *key, const char *notes, double workspace_bytes)
{
	struct paleo_algorithm a = {.workspace_bytes = workspace_bytes};
	struct paleo_op w = given_op(key);

	snprintf(a.notes, sizeof(a.notes), "%s", notes);
	return paleo_method_cost(&w, &a);
}

static void methods(void **state)
{
	static const struct {
		const char *key, *notes;
		double workspace_bytes;
		enum paleo_method method;
		double fewer_flops;
	} cases[] = {
		{F32, "", 0, PALEO_METHOD_IMPLICIT, 1},
		/* 4x4 tiles make 2x2 results of 3x3 filters: 4 * 9 / 16 */
		{F32, "winograd winograd_4x4", 409856, PALEO_METHOD_WINOGRAD, 2.25},
		{F32, "winograd winograd_4x4", 1605632, PALEO_METHOD_WINOGRAD_STEPS, 2.25},
		/* 6x6 tiles make 4x4: 16 * 9 / 36 */
		{F32, "winograd winograd_6x6", 0, PALEO_METHOD_WINOGRAD, 4},
		{F32, "winograd", 0, PALEO_METHOD_WINOGRAD, 1}, /* it does not say which */
		{F32, "fft", 1e7, PALEO_METHOD_FFT, 1},
		/* the matrix of patches: 2 * 56 * 56 * 64 * 9 elements of 4 bytes */
		{F32, "", 14450688, PALEO_METHOD_EXPLICIT, 1},
		{F32, "", 14450687, PALEO_METHOD_IMPLICIT, 1},
		{F16, "tensor_core", 1605632, PALEO_METHOD_TRANSPOSED, 1},
		{F16, "tensor_core", 1605631, PALEO_METHOD_IMPLICIT, 1},
		{F16 " layout=nhwc", "tensor_core", 1605632, PALEO_METHOD_IMPLICIT, 1},
		/* 1x1: the patches are the image, which nobody copies for that */
		{"conv fwd f32 n=2 c=64 h=56 w=56 k=64 r=1 s=1", "", 1605632, PALEO_METHOD_IMPLICIT,
		 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct paleo_method_cost c =
			cost_of(cases[i].key, cases[i].notes, cases[i].workspace_bytes);
		assert_int_equal(c.method, cases[i].method);
		assert_true(c.fewer_flops == cases[i].fewer_flops);
		assert_true(c.more_bytes == 2 * cases[i].workspace_bytes);
		assert_int_equal(c.on_cuda_cores, strcmp(cases[i].notes, "tensor_core") != 0);
	}
}

static void op_changes(void **state)
{
	struct paleo_op w = given_op(F32);
	struct paleo_method_cost cost = cost_of(F32, "winograd winograd_4x4", 1000);
	struct paleo_op done = paleo_method_op(&w, &cost);

	(void)state;
	assert_true(done.flops == w.flops / 2.25);
	assert_true(done.read_bytes == w.read_bytes + 1000);
	assert_true(done.write_bytes == w.write_bytes + 1000);
}

/* Writes the text into a file and loads it. */
static int load(const char *text, struct paleo_chosen **out, struct paleo_error *err)
{
	char path[] = "/tmp/paleo-chosen-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	int rc = paleo_chosen_load(path, out, err);
	unlink(path);
	return rc;
}

#define META(device)                                                                               \
	"{\"schema\":\"paleo-algorithms/2\",\"device\":\"" device "\",\"library\":\"cudnn 9\"}\n"
#define ANSWER "{\"op\":\"" F32 "\",\"algorithms\":[{\"engine\":15,\"workspace_bytes\":7}]}\n"

static void files(void **state)
{
	struct paleo_chosen *c = NULL;
	struct paleo_error err;
	struct paleo_op known = given_op(F32), unknown = given_op(F16);

	(void)state;
	assert_int_equal(load(META("a100") "{\"op\":\"" F16
					   "\",\"status\":\"unsupported\"}\n" ANSWER META("a100"),
			      &c, &err),
			 PALEO_OK);
	assert_string_equal(paleo_chosen_library(c), "cudnn 9");
	assert_string_equal(paleo_chosen_find(c, &known)->engine, "15");
	assert_true(paleo_chosen_find(c, &known)->workspace_bytes == 7);
	assert_null(paleo_chosen_find(c, &unknown));
	assert_true(paleo_chosen_is_for(c, "a100") && paleo_chosen_is_for(c, "a100-80-sxm"));
	assert_false(paleo_chosen_is_for(c, "a1000") || paleo_chosen_is_for(c, "a10"));
	paleo_chosen_free(c);
	assert_int_equal(load(META("rtx4090") ANSWER, &c, &err), PALEO_OK);
	assert_true(paleo_chosen_is_for(c, "rtx-4090"));
	paleo_chosen_free(c);
}

static void broken_files(void **state)
{
	static const struct {
		const char *text, *words;
	} cases[] = {
		{"", "no answers in it"},
		{META("t4"), "no answers in it"},
		{ANSWER, "the key 'schema' is missing"},
		{"{\"schema\":\"paleo-results/1\"}\n", "expected the schema 'paleo-algorithms/2'"},
		{META("t4") META("a100"), "is 'a100', but the file began with 't4'"},
		{META("t4") "{\"op\":\"conv\"}\n", "conv"},
		{META("t4") "{\"op\":\"" F32 "\",\"algorithms\":[{\"engine\":1}]}\n",
		 "the key 'workspace_bytes' is missing"},
		{META("t4") "{\"op\":\"" F32
			    "\",\"algorithms\":[{\"workspace_bytes\":1,\"note\":\"\"}]}\n",
		 "note"},
	};
	struct paleo_chosen *c = NULL;
	struct paleo_error err;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(load(cases[i].text, &c, &err), PALEO_EINPUT);
		if (!strstr(err.text, cases[i].words))
			fail_msg("'%s' does not say '%s'", err.text, cases[i].words);
	}
	assert_int_equal(paleo_chosen_load("/nowhere/at/all", &c, &err), PALEO_EIO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(methods),
		cmocka_unit_test(op_changes),
		cmocka_unit_test(files),
		cmocka_unit_test(broken_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
