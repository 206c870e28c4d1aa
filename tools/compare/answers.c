/* answers.c - compares two answers of `paleo algorithms` where `compare` is given such files. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "tools/compare/compare.h"
#include "tools/print/print.h"

int compare_answers_are(const char *const files[2], int *are, struct paleo_error *err)
{
	int is[2] = {0, 0}, rc = PALEO_OK;

	for (int i = 0; !rc && i < 2; i++)
		if (!strchr(files[i], ',')) /* several runs of a side are records */
			rc = paleo_chosen_is(files[i], &is[i], err);
	if (rc)
		return rc;
	*are = is[0] && is[1];
	if (is[0] != is[1])
		return paleo_fail(
			err, PALEO_EINPUT,
			"%s: holds answers of paleo algorithms, and %s does not: expected "
			"two files of one kind",
			files[is[1]], files[is[0]]);
	return PALEO_OK;
}

/* 1 in *failed if a predicted change is over a limit in per cent; a negative one is none. */
static int judge(double change, double percent, const char *option, int *failed,
		 struct paleo_error *err)
{
	if (percent < 0)
		return PALEO_OK;
	if (isnan(change))
		return paleo_fail(err, PALEO_EINPUT,
				  "--%s needs predicted times, and the cost models have none for "
				  "these ops on both sides",
				  option);
	*failed |= change > 0 && 100 * change >= percent;
	return PALEO_OK;
}

int compare_answers(const char *const files[2], enum paleo_table_format format, int top,
		    const struct compare_limits *limits, int *failed, struct paleo_error *err)
{
	const struct answers_view v = {files[0], files[1], format, top};
	struct paleo_chosen *a = NULL, *b = NULL;
	struct answers_change change = {NAN, NAN};

	int rc = paleo_chosen_load(files[0], &a, err);
	if (!rc)
		rc = paleo_chosen_load(files[1], &b, err);
	if (!rc)
		rc = answers_print(a, b, &v, &change, err);
	if (!rc)
		rc = judge(change.sum, limits->slower, "fail-slower", failed, err);
	if (!rc)
		rc = judge(change.most, limits->layer, "fail-layer", failed, err);
	paleo_chosen_free(a);
	paleo_chosen_free(b);
	return rc;
}
