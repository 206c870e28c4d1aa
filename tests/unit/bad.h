/* bad.h - reads every file of a list in tests/bad, which must be refused as it says there. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TESTS_BAD_H
#define PALEO_TESTS_BAD_H

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "tests/unit/unit.h"

/*
 * Calls load() with every file of PALEO_BAD/kind, a folder that tests/bad/split.sh has written,
 * from within it. It must be refused (PALEO_EINPUT); same() tells whether the sentence said is the
 * expected one, NULL: byte for byte. Returns how many files there are.
 */
static inline int every_bad_file_is_refused(const char *kind,
					    int (*load)(const char *file, struct paleo_error *err),
					    int (*same)(const char *said, const char *expected))
{
	char root[4096], path[4096], line[2 * PALEO_ERROR_MAX];
	int wrong = 0, files = 0;

	assert_non_null(getcwd(root, sizeof(root)));
	snprintf(path, sizeof(path), "%s/%s", PALEO_BAD, kind);
	assert_int_equal(chdir(path), 0);
	FILE *list = fopen("expected.txt", "r");
	assert_non_null(list);
	for (; fgets(line, sizeof(line), list); files++) {
		struct paleo_error err = {0};
		char file[128];
		line[strcspn(line, "\n")] = '\0';
		snprintf(file, sizeof(file), "%.*s", (int)strcspn(line, ":"), line);
		int rc = load(file, &err);
		if (rc == PALEO_EINPUT && (same ? same(err.text, line) : !strcmp(err.text, line)))
			continue;
		print_error("expected %s\ngot %d: %s\n", line, rc, err.text);
		wrong++;
	}
	fclose(list);
	assert_int_equal(chdir(root), 0);
	assert_int_equal(wrong, 0);
	return files;
}

#endif
