/* merge.c - several results files of one device as one. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/session/merge.h"

#include <string.h>

#include "base/text.h"

/* What two files must agree on to be taken together. */
static int check_together(const struct paleo_record_meta *a, const struct paleo_record_meta *b,
			  struct paleo_error *err)
{
	if (strcmp(a->backend, b->backend) != 0 || strcmp(a->device.name, b->device.name) != 0 ||
	    a->threads != b->threads)
		return paleo_fail(err, PALEO_EINPUT,
				  "holds records of %s %s with %d threads, the files before it of "
				  "%s %s with %d; they do not go together",
				  b->backend, b->device.name, b->threads, a->backend,
				  a->device.name, a->threads);
	return PALEO_OK;
}

int merge_load(const char *path, struct paleo_results *out, struct paleo_error *err)
{
	int rc = paleo_results_load(path, out, err);

	if (!rc && out->is_cut)
		paleo_print(stderr, "%s: its last line was cut and is left out\n", path);
	return rc;
}

static int merge_file(const char *path, int first, struct paleo_results *out,
		      struct paleo_error *err)
{
	struct paleo_results r;

	int rc = merge_load(path, &r, err);
	if (rc)
		return rc;
	if (first)
		out->meta = r.meta;
	else
		rc = check_together(&out->meta, &r.meta, err);
	if (rc)
		paleo_error_prefix(err, "%s", path);
	if (!rc)
		return paleo_results_join(out, &r, err);
	paleo_results_release(&r);
	return rc;
}

int merge_results(const char *const *paths, int count, struct paleo_results *out,
		  struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < count; i++)
		rc = merge_file(paths[i], i == 0, out, err);
	return rc;
}
