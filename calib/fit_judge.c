/* fit_judge.c - from rows held out of a fit to the intervals of all its factors. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "calib/fit_judge.h"

#include <stdlib.h>
#include <string.h>

#include "calib/fit_group.h"

/* The intervals of another factor, until there are better ones. */
static void take_intervals(struct paleo_class_model *f, const struct paleo_class_model *from)
{
	f->ratio_low = from->ratio_low;
	f->ratio_high = from->ratio_high;
	f->band_count = from->band_count;
	memcpy(f->bands, from->bands, sizeof(f->bands));
}

/* Copies the rows of groups that have too few for intervals of their own. Returns how many. */
static int gather_few(const struct paleo_fit_row *rows, int count,
		      const struct paleo_heldout_row *held, struct paleo_heldout_row *out)
{
	int n = 0;

	for (int first = 0; first < count;) {
		int size = paleo_fit_rows_group(rows + first, count - first), predicted;
		paleo_intervals_error(held + first, size, &predicted);
		if (predicted < PALEO_INTERVALS_MIN) {
			memcpy(out + n, held + first, (size_t)size * sizeof(*out));
			n += size;
		}
		first += size;
	}
	return n;
}

/* What groups with too few rows take if those of their kind do not tell more. */
struct fallback {
	struct paleo_class_model all, few; /* of all rows, and of all such groups */
	struct paleo_heldout_row *rows;    /* room for all */
};

/* What the groups of a kind take that have too few rows: they err more than others, so it is that
 * of all such groups of the kind, else of all such groups, else of the kind, else of all. */
static int judge_kind(const struct paleo_fit_row *rows, int count,
		      const struct paleo_heldout_row *held, const struct fallback *from,
		      struct paleo_class_model *kind, struct paleo_error *err)
{
	*kind = paleo_fit_first_guess();
	take_intervals(kind, &from->all);
	kind->kind_correlation = paleo_intervals_correlation(held, count, 1);
	int rc = paleo_intervals_judge(held, count, kind, err);
	if (rc)
		return rc;
	if (from->few.band_count)
		take_intervals(kind, &from->few);
	return paleo_intervals_judge(from->rows, gather_few(rows, count, held, from->rows), kind,
				     err);
}

int paleo_fit_judge(const struct paleo_fit_row *rows, int count,
		    const struct paleo_heldout_row *held, struct paleo_class_model *factors,
		    struct paleo_error *err)
{
	struct fallback from = {paleo_fit_first_guess(), paleo_fit_first_guess(),
				malloc((size_t)count * sizeof(*from.rows))};
	struct paleo_class_model kind, *f = factors;
	int rc = from.rows ? paleo_intervals_judge(held, count, &from.all, err)
			   : paleo_fail(err, PALEO_ENOMEM, "out of memory");

	if (!rc)
		rc = paleo_intervals_judge(from.rows, gather_few(rows, count, held, from.rows),
					   &from.few, err);
	for (int start = 0; !rc && start < count;) {
		int size = paleo_fit_rows_kind(rows + start, count - start);
		rc = judge_kind(rows + start, size, held + start, &from, &kind, err);
		for (int first = start; !rc && first < start + size; f++) {
			int n = paleo_fit_rows_group(rows + first, start + size - first);
			take_intervals(f, &kind);
			f->kind_correlation = kind.kind_correlation;
			rc = paleo_intervals_judge(held + first, n, f, err);
			first += n;
		}
		start += size;
	}
	free(from.rows);
	return rc;
}
