/* test_json_file.c - which files are read, and what is said of those that are not. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "tests/unit/place.h"

static void write_file(const struct place *p, const char *text)
{
	FILE *f = fopen(p->path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void expect_refused(const char *path, int status, const char *rest)
{
	struct paleo_json_doc *doc = NULL;
	struct paleo_error err = {0};
	char sentence[160];

	snprintf(sentence, sizeof(sentence), "%s%s", path, rest);
	assert_int_equal(paleo_json_load(path, &doc, &err), status);
	assert_string_equal(err.text, sentence);
	assert_null(doc);
}

static void file_is_read(void **state)
{
	const struct place *p = *state;
	struct paleo_json_doc *doc = NULL;
	struct paleo_error err = {0};

	write_file(p, "{\"a\": [1, 2]}\n");
	assert_int_equal(paleo_json_load(p->path, &doc, &err), 0);
	assert_int_equal(paleo_json_size(paleo_json_get(paleo_json_root(doc), "a")), 2);
	paleo_json_free(doc);
	write_file(p, "{\"a\": [1, 2}\n");
	expect_refused(p->path, PALEO_EINPUT,
		       ":1:12: expected ',' or ']' for the one opened at 1:7, found '}'");
}

static void empty_file_is_refused(void **state)
{
	const struct place *p = *state;

	write_file(p, "");
	expect_refused(p->path, PALEO_EINPUT, ":1:1: expected a JSON value, found nothing");
}

static void missing_file_is_refused(void **state)
{
	const struct place *p = *state;

	expect_refused(p->path, PALEO_EIO, ": cannot open: No such file or directory");
}

static void directory_is_refused(void **state)
{
	const struct place *p = *state;

	expect_refused(p->folder, PALEO_EIO, ": is a directory, expected a JSON file");
}

static void unreadable_file_is_refused(void **state)
{
	const struct place *p = *state;

	write_file(p, "{}");
	assert_int_equal(chmod(p->path, 0), 0);
	uid_t user = geteuid();
	if (user == 0) /* root may read everything: be somebody else for a moment */
		assert_int_equal(seteuid(65534), 0);
	expect_refused(p->path, PALEO_EIO, ": cannot open: Permission denied");
	assert_int_equal(seteuid(user), 0);
}

/* A sparse file: a gigabyte that takes no room on the disk, and may take none in memory. */
static void huge_file_is_refused_before_it_is_read(void **state)
{
	const struct place *p = *state;

	write_file(p, "{}");
	assert_int_equal(truncate(p->path, 1000000000), 0);
	expect_refused(p->path, PALEO_EINPUT, ": the file has 1000 MB, expected at most 67 MB");
}

/* Nobody writes to it: reading, or opening it in the plain way, would wait for ever. */
static void fifo_does_not_hang(void **state)
{
	const struct place *p = *state;

	assert_int_equal(mkfifo(p->path, 0600), 0);
	alarm(20);
	expect_refused(p->path, PALEO_EIO, ": is not a regular file, expected a JSON file");
	alarm(0);
}

#define WITH_PLACE(test) cmocka_unit_test_setup_teardown(test, make_place, drop_place)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_PLACE(file_is_read),
		WITH_PLACE(empty_file_is_refused),
		WITH_PLACE(missing_file_is_refused),
		WITH_PLACE(directory_is_refused),
		WITH_PLACE(unreadable_file_is_refused),
		WITH_PLACE(huge_file_is_refused_before_it_is_read),
		WITH_PLACE(fifo_does_not_hang),
	};

	return cmocka_run_group_tests_name("json_file", tests, NULL, NULL);
}
