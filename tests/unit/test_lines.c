/* test_lines.c - lines of files, plain and packed, of any length; broken ones and bombs refused. */
/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/lines.h"
#include "tests/unit/unit.h"

#define MB (1 << 20)

struct place {
	char path[64];
};

static int set_up(void **state)
{
	static struct place p;

	snprintf(p.path, sizeof(p.path), "/tmp/paleo-lines-XXXXXX");
	*state = &p;
	int fd = mkstemp(p.path);
	return fd < 0 || close(fd) ? -1 : 0;
}

static int tear_down(void **state)
{
	const struct place *p = *state;

	return unlink(p->path);
}

static void write_plain(const char *path, const char *text, size_t size)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
}

/* A gzip member, behind those that are there if mode is "a". */
static void write_packed(const char *path, const char *mode, const char *text, size_t size)
{
	gzFile f = gzopen(path, mode);

	assert_non_null(f);
	assert_int_equal(gzwrite(f, text, (unsigned)size), (int)size);
	assert_int_equal(gzclose(f), Z_OK);
}

static void expect(struct paleo_lines *l, const char *text, int is_whole)
{
	struct paleo_line line;
	struct paleo_error err;
	int is_there = 0;

	assert_int_equal(paleo_lines_next(l, &line, &is_there, &err), PALEO_OK);
	assert_int_equal(is_there, text != NULL);
	if (!text)
		return;
	assert_string_equal(line.text, text);
	assert_int_equal(line.size, strlen(text));
	assert_int_equal(line.is_whole, is_whole);
}

static void expect_all(const char *path)
{
	struct paleo_lines *l;
	struct paleo_error err;

	assert_int_equal(paleo_lines_open(path, MB, "a text", &l, &err), PALEO_OK);
	expect(l, "one", 1);
	expect(l, "", 1);
	expect(l, "three", 1);
	expect(l, "cut", 0);
	expect(l, NULL, 0);
	expect(l, NULL, 0);
	paleo_lines_close(l);
}

static void plain_and_packed_are_the_same(void **state)
{
	const struct place *p = *state;

	write_plain(p->path, "one\n\nthree\ncut", 14);
	expect_all(p->path);
	write_packed(p->path, "w", "one\n\nthree\ncut", 14);
	expect_all(p->path);
	write_packed(p->path, "w", "one\n\nth", 7); /* two members, parted within a line */
	write_packed(p->path, "a", "ree\ncut", 7);
	expect_all(p->path);
}

static void an_empty_file_has_no_line(void **state)
{
	const struct place *p = *state;
	struct paleo_lines *l;
	struct paleo_error err;

	write_plain(p->path, "", 0);
	assert_int_equal(paleo_lines_open(p->path, MB, "a text", &l, &err), PALEO_OK);
	expect(l, NULL, 0);
	paleo_lines_close(l);
}

/* Lines that grow by one character each go over every border of what is read at once. */
static void lines_of_all_lengths_come_whole(void **state)
{
	enum {
		LINES = 1500
	};
	const struct place *p = *state;
	static char text[LINES * (LINES + 1) / 2 + LINES];
	struct paleo_line line;
	struct paleo_lines *l;
	struct paleo_error err;
	size_t size = 0;
	int is_there = 1;

	for (int n = 0; n < LINES; n++) {
		for (int i = 0; i < n; i++)
			text[size++] = (char)('a' + (n + i) % 26);
		text[size++] = '\n';
	}
	for (int packed = 0; packed < 2; packed++) {
		if (packed)
			write_packed(p->path, "w", text, size);
		else
			write_plain(p->path, text, size);
		assert_int_equal(paleo_lines_open(p->path, MB, "a text", &l, &err), PALEO_OK);
		for (int n = 0; n < LINES; n++) {
			assert_int_equal(paleo_lines_next(l, &line, &is_there, &err), PALEO_OK);
			assert_true(is_there && line.is_whole && line.size == (size_t)n);
			assert_true(n == 0 || line.text[n - 1] == 'a' + (2 * n - 1) % 26);
		}
		expect(l, NULL, 0);
		paleo_lines_close(l);
	}
}

/* Opens and reads to the end, or to what is refused. */
static int read_all(const char *path, size_t max_bytes, struct paleo_error *err)
{
	struct paleo_line line;
	struct paleo_lines *l;
	int is_there = 1, rc = paleo_lines_open(path, max_bytes, "a text", &l, err);

	if (rc)
		return rc;
	while (!rc && is_there)
		rc = paleo_lines_next(l, &line, &is_there, err);
	paleo_lines_close(l);
	return rc;
}

static void refuses_what_is_too_large(void **state)
{
	const struct place *p = *state;
	static char blanks[17 * MB];
	struct paleo_error err;

	memset(blanks, ' ', sizeof(blanks));
	write_plain(p->path, blanks, 2 * MB);
	assert_int_equal(read_all(p->path, MB, &err), PALEO_EINPUT);
	assert_non_null(strstr(err.text, "a line has more than 1 MB"));
	assert_int_equal(read_all(p->path, 3 * MB, &err), PALEO_OK);
	/* 17 MiB of blanks, a line end at each 1 MiB, are packed to about 17 KiB. */
	for (size_t i = 1; i <= 17; i++)
		blanks[i * MB - 1] = '\n';
	write_packed(p->path, "w", blanks, sizeof(blanks));
	assert_int_equal(read_all(p->path, 3 * MB, &err), PALEO_EINPUT);
	assert_non_null(strstr(err.text, "unpacks to more than 100 times its size"));
	write_plain(p->path, blanks, sizeof(blanks));
	assert_int_equal(read_all(p->path, 3 * MB, &err), PALEO_OK);
}

static void refuses_what_is_broken(void **state)
{
	const struct place *p = *state;
	struct paleo_error err;

	write_packed(p->path, "w", "one\ntwo\n", 8);
	FILE *f = fopen(p->path, "a");
	assert_non_null(f);
	long size = ftell(f);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(truncate(p->path, size - 1), 0);
	assert_int_equal(read_all(p->path, MB, &err), PALEO_EIO);
	assert_non_null(strstr(err.text, "broken or cut short"));
	write_packed(p->path, "w", "one\ntwo\n", 8);
	f = fopen(p->path, "a");
	assert_non_null(f);
	fputs("what is no member", f);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(read_all(p->path, MB, &err), PALEO_EIO);
	assert_int_equal(read_all("/tmp", MB, &err), PALEO_EIO);
	assert_non_null(strstr(err.text, "is a directory, expected a text"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(plain_and_packed_are_the_same, set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_empty_file_has_no_line, set_up, tear_down),
		cmocka_unit_test_setup_teardown(lines_of_all_lengths_come_whole, set_up, tear_down),
		cmocka_unit_test_setup_teardown(refuses_what_is_too_large, set_up, tear_down),
		cmocka_unit_test_setup_teardown(refuses_what_is_broken, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
