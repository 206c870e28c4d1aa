/* against.c - asks two libraries for their algorithms and prints what differs. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "library/find.h"
#include "tools/algorithms/algorithms.h"

/* EINPUT unless the folder has one of the libraries that the backend takes from there. */
static int check_folder(const struct paleo_backend_entry *b, const char *folder,
			struct paleo_error *err)
{
	char path[PALEO_PATH_MAX + 64], names[128] = "";
	size_t found = 0;

	for (const char *const *name = b->preload.names; *name; name++) {
		glob_t files;
		size_t used = strlen(names);
		snprintf(names + used, sizeof(names) - used, "%s%s", used ? ", " : "", *name);
		snprintf(path, sizeof(path), "%.*s/%s.so.[0-9]*", PALEO_PATH_MAX, folder, *name);
		if (!glob(path, 0, NULL, &files)) {
			found += files.gl_pathc;
			globfree(&files);
		}
	}
	if (found)
		return PALEO_OK;
	if (!names[0])
		return paleo_fail(err, PALEO_EINPUT,
				  "--against: device '%s' takes no library from a folder", b->name);
	return paleo_fail(err, PALEO_EINPUT,
			  "--against %.200s: expected a folder with a file NAME.so.N of %s", folder,
			  names);
}

/* Asks one library, and reads what it answers. */
static int ask(const struct algorithms_settings *s, const char *variable, const char *const *nets,
	       int count, struct algorithms_asked *asked, struct paleo_chosen **out,
	       struct paleo_error *err)
{
	char *text = NULL;
	size_t size = 0;
	FILE *answers = open_memstream(&text, &size);
	int rc = answers ? algorithms_ask(s, variable, nets, count, answers, asked, err) : PALEO_OK;

	if (!answers || (fclose(answers) && !rc))
		rc = paleo_fail(err, PALEO_ENOMEM, "out of memory for the answers");
	if (!rc)
		rc = paleo_chosen_parse(variable ? "the other library's answers"
						 : "this machine's answers",
					text, size, out, err);
	free(text);
	return rc;
}

int algorithms_against(const struct algorithms_settings *s, const char *folder,
		       const struct answers_view *view, const char *const *nets, int count,
		       int *lost, struct paleo_error *err)
{
	struct algorithms_asked of_a = {0}, of_b = {0};
	struct paleo_chosen *a = NULL, *b = NULL;
	struct answers_change ignored;

	int rc = ask(s, NULL, nets, count, &of_a, &a, err);
	if (!rc)
		rc = check_folder(of_a.backend, folder, err);
	if (!rc)
		rc = ask(s, of_a.backend->preload.folders, nets, count, &of_b, &b, err);
	if (!rc)
		rc = answers_print(a, b, view, &ignored, err);
	*lost = of_a.lost + of_b.lost;
	paleo_chosen_free(a);
	paleo_chosen_free(b);
	return rc;
}
