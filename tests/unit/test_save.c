/* test_save.c - files are written whole, over their like alone, and by one process at a time. */
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/append.h"
#include "base/file.h"
#include "base/save.h"
#include "tests/unit/unit.h"

static const struct paleo_file_kind kind = {.what = "a sample", .marks = {"{\"a\"", "\"sample\""}};
static const char OURS[] = "{\"a\":\"sample\"}\n";

/* A folder of its own for each test, which is the current one meanwhile. */
static int make_folder(void **state)
{
	char *folder = strdup("/tmp/paleo-save-XXXXXX");

	*state = folder;
	return folder && mkdtemp(folder) && !chdir(folder) ? 0 : -1;
}

static int drop_folder(void **state)
{
	DIR *dir = opendir(".");
	const struct dirent *e;

	while (dir && (e = readdir(dir)))
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			remove(e->d_name);
	closedir(dir);
	int rc = chdir("/") || rmdir(*state);
	free(*state);
	return rc;
}

static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void expect_file(const char *path, const char *expected)
{
	struct paleo_error err = {0};
	char *text = NULL;
	size_t size;

	if (paleo_file_read(path, 1 << 20, "a file", &text, &size, &err))
		fail_msg("%s", err.text);
	assert_string_equal(text, expected);
	free(text);
}

/* Nothing else is left in the folder. */
static void expect_names(int count)
{
	DIR *dir = opendir(".");
	int found = 0;

	assert_non_null(dir);
	while (readdir(dir))
		found++;
	closedir(dir);
	assert_int_equal(found, count + 2);
}

static void expect_refused(const char *path, int force, const char *words)
{
	struct paleo_error err = {0};

	assert_int_not_equal(paleo_save(path, &kind, force, OURS, &err), PALEO_OK);
	if (!strstr(err.text, words))
		fail_msg("'%s' says nothing of '%s'", err.text, words);
}

static void replaces_its_like(void **state)
{
	(void)state;
	struct paleo_error err = {0};
	struct stat st;

	assert_int_equal(paleo_save("a", &kind, 0, OURS, &err), PALEO_OK);
	expect_file("a", OURS);
	assert_int_equal(chmod("a", 0640), 0);
	assert_int_equal(paleo_save("a", &kind, 0, "{\"a\":\"sample 2\"}", &err), PALEO_OK);
	expect_file("a", "{\"a\":\"sample 2\"}");
	assert_int_equal(stat("a", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	put("empty", "");
	assert_int_equal(paleo_save("empty", &kind, 0, OURS, &err), PALEO_OK);
	expect_names(2);
}

static void refuses_what_is_not_ours(void **state)
{
	(void)state;
	struct paleo_error err = {0};

	put("foreign", "a letter to somebody\n");
	put("near", "{\"a\":\"other\"}");
	assert_int_equal(mkdir("folder", 0777), 0);
	expect_refused("foreign", 0, "foreign: does not hold a sample");
	expect_refused("near", 0, "near: does not hold a sample");
	expect_refused("folder", 1, "folder: is a directory");
	expect_refused("none/a", 0, "none/a: cannot be written: No such file");
	expect_file("foreign", "a letter to somebody\n");
	expect_names(3);
	assert_int_equal(paleo_save("foreign", &kind, 1, OURS, &err), PALEO_OK);
	expect_file("foreign", OURS);
}

static void refuses_symbolic_links(void **state)
{
	(void)state;
	struct paleo_error err = {0};
	struct stat st;

	put("real", OURS);
	assert_int_equal(symlink("real", "link"), 0);
	assert_int_equal(symlink("nowhere", "broken"), 0);
	expect_refused("link", 0, "link: is a symbolic link");
	expect_refused("broken", 0, "broken: is a symbolic link");
	expect_refused("broken", 1, "broken symbolic link");
	assert_int_equal(paleo_save("link", &kind, 1, "{\"a\":\"sample 3\"}", &err), PALEO_OK);
	expect_file("real", "{\"a\":\"sample 3\"}");
	assert_int_equal(lstat("link", &st), 0);
	assert_true(S_ISLNK(st.st_mode));
}

static void a_second_writer_is_refused(void **state)
{
	(void)state;
	struct paleo_error err = {0};
	struct paleo_save *s = NULL;

	assert_int_equal(paleo_save_begin("a", &kind, 0, &s, &err), PALEO_OK);
	expect_refused("a", 0, "a: another paleo is writing to this file");
	assert_int_equal(paleo_save("b", &kind, 0, OURS, &err), PALEO_OK);
	assert_int_equal(paleo_save_commit(s, OURS, strlen(OURS), &err), PALEO_OK);
	paleo_save_end(s);
	paleo_save_end(NULL);
	assert_int_equal(paleo_save("a", &kind, 0, OURS, &err), PALEO_OK);
	expect_names(2);
}

static struct paleo_append *begin(const char *path, int resume, int force)
{
	const struct paleo_append_wish wish = {.kind = &kind, .resume = resume, .force = force};
	struct paleo_append *a = NULL;
	struct paleo_error err = {0};

	if (paleo_append_open(path, &wish, &a, &err))
		fail_msg("%s", err.text);
	return a;
}

static void add(struct paleo_append *a, const char *line)
{
	struct paleo_error err = {0};

	if (paleo_append_lines(a, line, strlen(line), &err))
		fail_msg("%s", err.text);
}

static void keeps_what_was_there(void **state)
{
	(void)state;

	for (int i = 0; i < 3; i++) {
		char line[] = "line 0\n";
		line[5] = (char)('0' + i);
		struct paleo_append *a = begin("a", 0, 0);
		assert_false(paleo_append_resumes(a));
		add(a, OURS);
		add(a, line);
		if (i)
			assert_string_equal(paleo_append_kept(a), i == 1 ? "a.1" : "a.2");
		else
			assert_null(paleo_append_kept(a));
		paleo_append_close(a);
	}
	expect_file("a.1", "{\"a\":\"sample\"}\nline 0\n");
	expect_file("a.2", "{\"a\":\"sample\"}\nline 1\n");
	expect_file("a", "{\"a\":\"sample\"}\nline 2\n");
	struct paleo_append *a = begin("a", 0, 1); /* forced: not kept */
	add(a, OURS);
	assert_null(paleo_append_kept(a));
	paleo_append_close(a);
	expect_file("a", OURS);
	a = begin("a", 0, 0); /* a first line alone is not worth keeping */
	add(a, OURS);
	paleo_append_close(a);
	expect_names(3);
}

static void only_so_many_are_kept(void **state)
{
	(void)state;
	const struct paleo_append_wish wish = {.kind = &kind};
	struct paleo_append *a = NULL;
	struct paleo_error err = {0};
	char name[16];

	put("a", "{\"a\":\"sample\"}\nline\n");
	for (int i = 1; i <= 9999; i++) {
		snprintf(name, sizeof(name), "a.%d", i);
		assert_int_equal(symlink("nowhere", name), 0); /* a name is a name */
	}
	assert_int_equal(paleo_append_open("a", &wish, &a, &err), PALEO_EINPUT);
	assert_string_equal(err.text, "a: 9999 earlier files are kept next to it: remove those not "
				      "needed, or overwrite this one with --force");
	expect_file("a", "{\"a\":\"sample\"}\nline\n");
	assert_int_equal(unlink("a.5000"), 0);
	a = begin("a", 0, 0);
	add(a, OURS);
	assert_string_equal(paleo_append_kept(a), "a.5000");
	paleo_append_close(a);
	expect_file("a.5000", "{\"a\":\"sample\"}\nline\n");
}

static void changes_nothing_before_the_first_line(void **state)
{
	(void)state;

	put("a", "{\"a\":\"sample\"}\nline\ncut");
	paleo_append_close(begin("a", 0, 0));
	paleo_append_close(begin("a", 1, 0));
	paleo_append_close(begin("b", 0, 0));
	paleo_append_close(NULL);
	expect_file("a", "{\"a\":\"sample\"}\nline\ncut");
	expect_names(1);
}

static void goes_on_behind_the_last_whole_line(void **state)
{
	(void)state;
	char *many = malloc(20000);

	assert_non_null(many);
	memset(many, 'x', 20000);
	many[19999] = '\0';
	put("a", "{\"a\":\"sample\"}\nline\n");
	FILE *f = fopen("a", "a");
	assert_non_null(f);
	assert_true(fputs(many, f) >= 0); /* several blocks without a line end */
	assert_int_equal(fclose(f), 0);
	free(many);
	struct paleo_append *a = begin("a", 1, 0);
	assert_true(paleo_append_resumes(a) && paleo_append_was_cut(a));
	add(a, "more\n");
	paleo_append_close(a);
	expect_file("a", "{\"a\":\"sample\"}\nline\nmore\n");
	a = begin("a", 1, 0);
	assert_true(paleo_append_resumes(a) && !paleo_append_was_cut(a));
	paleo_append_close(a);
	put("torn", "{\"a"); /* not even the first line is whole */
	a = begin("torn", 1, 0);
	assert_true(!paleo_append_resumes(a) && paleo_append_was_cut(a));
	add(a, OURS);
	paleo_append_close(a);
	expect_file("torn", OURS);
}

/* What is done to the file of a run, and what the run's next line meets. */
static void expect_noticed(int (*harm)(void), const char *words)
{
	struct paleo_append *a = begin("a", 0, 0);
	struct paleo_error err = {0};

	add(a, OURS);
	add(a, "line\n");
	assert_int_equal(harm(), 0);
	assert_int_equal(paleo_append_lines(a, "more\n", 5, &err), PALEO_EIO);
	assert_non_null(strstr(err.text, words));
	assert_int_equal(paleo_append_sync(a, &err), PALEO_EIO);
	assert_non_null(strstr(err.text, words));
	paleo_append_close(a);
}

static int remove_it(void)
{
	return unlink("a");
}

static int replace_it(void)
{
	put("b", OURS);
	return rename("b", "a");
}

static int cut_it(void)
{
	return truncate("a", 3);
}

static void harm_by_others_is_noticed(void **state)
{
	(void)state;
	expect_noticed(remove_it, "a: the file was removed or replaced");
	expect_noticed(replace_it, "a: the file was removed or replaced");
	/* 15 bytes of the first line and 5 of the second */
	expect_noticed(cut_it, "a: the file was truncated during writing: of 20 bytes 3 are left");
}

static void a_second_run_is_refused(void **state)
{
	(void)state;
	const struct paleo_append_wish wishes[] = {{.kind = &kind, .resume = 1},
						   {.kind = &kind, .force = 1}};
	struct paleo_append *a = begin("a", 0, 0), *b = NULL;
	struct paleo_error err = {0};

	add(a, OURS);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(paleo_append_open("a", &wishes[i], &b, &err), PALEO_EINPUT);
		assert_non_null(strstr(err.text, "a: another paleo is writing"));
	}
	add(a, "line\n");
	paleo_append_close(a);
	expect_file("a", "{\"a\":\"sample\"}\nline\n");
	put("foreign", "a letter to somebody\n");
	for (int resume = 0; resume < 2; resume++) {
		const struct paleo_append_wish wish = {.kind = &kind, .resume = resume};
		assert_int_equal(paleo_append_open("foreign", &wish, &b, &err), PALEO_EINPUT);
	}
	expect_file("foreign", "a letter to somebody\n");
}

/* A loss of power can keep the length of a file without its bytes: nothing is lost there. */
static void takes_zeros_alone_as_empty(void **state)
{
	(void)state;
	enum {
		SIZE = 5000
	};
	const struct paleo_append_wish wish = {.kind = &kind, .resume = 1};
	static const char *const names[] = {"saved", "added", "else"};
	struct paleo_append *a = NULL;
	struct paleo_error err = {0};

	for (int i = 0; i < 3; i++) {
		put(names[i], "");
		assert_int_equal(truncate(names[i], SIZE), 0);
	}
	assert_int_equal(paleo_save("saved", &kind, 0, OURS, &err), PALEO_OK);
	expect_file("saved", OURS);
	assert_int_equal(paleo_append_open("added", &wish, &a, &err), PALEO_OK);
	assert_false(paleo_append_resumes(a));
	add(a, OURS);
	paleo_append_close(a);
	expect_file("added", OURS);
	FILE *f = fopen("else", "a");
	assert_non_null(f);
	assert_int_equal(fputc('x', f), 'x');
	assert_int_equal(fclose(f), 0);
	expect_refused("else", 0, "else: does not hold a sample");
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, drop_folder)
	const struct CMUnitTest tests[] = {
		IN_FOLDER(replaces_its_like),
		IN_FOLDER(refuses_what_is_not_ours),
		IN_FOLDER(takes_zeros_alone_as_empty),
		IN_FOLDER(refuses_symbolic_links),
		IN_FOLDER(a_second_writer_is_refused),
		IN_FOLDER(keeps_what_was_there),
		IN_FOLDER(only_so_many_are_kept),
		IN_FOLDER(changes_nothing_before_the_first_line),
		IN_FOLDER(goes_on_behind_the_last_whole_line),
		IN_FOLDER(harm_by_others_is_noticed),
		IN_FOLDER(a_second_run_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
