/* test_devices_load.c - a user's devices: good files are read, broken ones refused with words. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "model/device/device.h"
#include "tests/unit/bad.h"
#include "tests/unit/unit.h"

static void write_and_load(const char *text, struct paleo_device **out, int *count)
{
	char path[] = "/tmp/paleo-devices-XXXXXX";
	struct paleo_error err = {0};
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	int rc = paleo_devices_load(path, out, count, &err);
	unlink(path);
	if (rc)
		fail_msg("%s", err.text);
}

static void test_two_devices(void **state)
{
	struct paleo_device *list = NULL;
	int count = 0;

	(void)state;
	write_and_load(
		"{\"devices\": [{\"name\": \"x1\", \"flop_per_s\": {\"f32\": 1e13, \"bf16\": "
		"4e13}, \"mem_bytes_per_s\": 1e12}, {\"name\": \"x2\", \"title\": \"X 2\", "
		"\"match\": \"X2-16GB\", \"source\": \"a datasheet\", \"flop_per_s\": "
		"{\"tf32\": 5e13}, \"mem_bytes_per_s\": 2e12, \"mem_bytes\": 17179869184, "
		"\"cache_bytes\": 1e6, \"clock_hz\": 1.5e9, \"tdp_w\": 75, \"sm_count\": 40, "
		"\"compute_capability\": 75}]}",
		&list, &count);
	assert_int_equal(count, 2);
	assert_string_equal(list[0].name, "x1");
	assert_string_equal(list[0].title, "x1");
	assert_true(list[0].flop_per_s[PALEO_F32] == 1e13);
	assert_true(list[0].flop_per_s[PALEO_BF16] == 4e13);
	assert_true(list[0].flop_per_s[PALEO_TF32] == 0);
	assert_true(list[0].mem_bytes_per_s == 1e12);
	assert_true(list[0].mem_bytes == 0 && list[0].sm_count == 0);
	assert_string_equal(list[1].title, "X 2");
	assert_string_equal(list[1].match, "X2-16GB");
	assert_true(list[1].mem_bytes == 17179869184.0 && list[1].cache_bytes == 1e6);
	assert_int_equal(list[1].sm_count, 40);
	free(list);
}

static void expect_same(const struct paleo_device *a, const struct paleo_device *b)
{
	assert_string_equal(a->name, b->name);
	assert_string_equal(a->title, b->title);
	assert_string_equal(a->match, b->match);
	assert_string_equal(a->source, b->source);
	for (int t = 0; t < PALEO_DTYPES; t++)
		assert_true(a->flop_per_s[t] == b->flop_per_s[t]);
	assert_true(a->mem_bytes_per_s == b->mem_bytes_per_s);
	assert_true(a->mem_bytes == b->mem_bytes);
	assert_true(a->cache_bytes == b->cache_bytes);
	assert_true(a->clock_hz == b->clock_hz);
	assert_true(a->tdp_w == b->tdp_w);
	assert_int_equal(a->sm_count, b->sm_count);
	assert_int_equal(a->compute_capability, b->compute_capability);
	assert_int_equal(a->measured, b->measured);
}

/* What is written for a device reads back as the same device: for all of the shipped ones. */
static void test_shipped_read_back(void **state)
{
	int count, read_count = 0;
	const struct paleo_device *list = paleo_devices(&count);
	struct paleo_json_writer *w = paleo_json_writer_new();
	struct paleo_device *read = NULL;
	struct paleo_error err = {0};
	char *text = NULL;

	(void)state;
	paleo_json_open_object(w, NULL);
	paleo_json_open_array(w, "devices");
	for (int i = 0; i < count; i++)
		paleo_device_write(&list[i], w, NULL);
	paleo_json_close(w);
	paleo_json_close(w);
	assert_int_equal(paleo_json_writer_text(w, 1, &text, &err), PALEO_OK);
	write_and_load(text, &read, &read_count);
	assert_int_equal(read_count, count);
	for (int i = 0; i < count; i++)
		expect_same(&read[i], &list[i]);
	free(read);
	free(text);
	paleo_json_writer_free(w);
}

static int load_bad(const char *file, struct paleo_error *err)
{
	struct paleo_device *list = NULL;
	int count = -1;
	int rc = paleo_devices_load(file, &list, &count, err);

	return list || count != -1 ? PALEO_OK : rc;
}

static void test_broken_files(void **state)
{
	(void)state;
	assert_true(every_bad_file_is_refused("devices", load_bad, NULL) > 20);
}

/* The example that docs/guide/predict.md shows is a file that is read. */
static void test_example_of_docs(void **state)
{
	char *text = NULL;
	size_t size;
	struct paleo_error err = {0};
	struct paleo_device *list = NULL;
	int count = 0;

	(void)state;
	assert_int_equal(
		paleo_file_read("docs/guide/predict.md", 1 << 20, "a text", &text, &size, &err),
		PALEO_OK);
	char *start = strstr(text, "```json\n");
	assert_non_null(start);
	start += strlen("```json\n");
	char *end = strstr(start, "```");
	assert_non_null(end);
	*end = '\0';
	write_and_load(start, &list, &count);
	assert_int_equal(count, 1);
	assert_string_equal(list[0].name, "my-card");
	free(list);
	free(text);
}

static void test_no_file(void **state)
{
	struct paleo_device *list = NULL;
	struct paleo_error err = {0};
	int count = 0;

	(void)state;
	assert_int_equal(paleo_devices_load("tests/none.json", &list, &count, &err), PALEO_EIO);
	assert_null(list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_devices),  cmocka_unit_test(test_shipped_read_back),
		cmocka_unit_test(test_broken_files), cmocka_unit_test(test_example_of_docs),
		cmocka_unit_test(test_no_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
