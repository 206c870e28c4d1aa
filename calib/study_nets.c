/* study_nets.c - how well a factor on predicted works predicts whole nets that others measured. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "calib/study_nets.h"

#include <math.h>
#include <stdlib.h>

#include "base/stats.h"

/* `logs` are sorted. The rank p (n + 1), the last one where there is none so high. */
static void judge(const double *logs, int n, struct paleo_study_net *row)
{
	int rank = (int)ceil(0.95 * (n + 1)) - 1;

	if (rank > n - 1)
		rank = n - 1;
	row->factor = exp(paleo_quantile_sorted(logs, (size_t)n, 0.5));
	row->low = exp(logs[n - 1 - rank]);
	row->high = exp(logs[rank]);
}

/* The factor of a row by the other nets of its group; `logs` has room for all. */
static void fit(const struct paleo_study_net *rows, int count, struct paleo_study_net *row,
		double *logs)
{
	int n = 0;

	row->factor = row->low = row->high = NAN;
	for (int i = 0; i < count; i++)
		if (rows[i].group == row->group && rows[i].net != row->net)
			logs[n++] = log(rows[i].measured_s / rows[i].works_s);
	if (!n)
		return;
	paleo_sort(logs, (size_t)n);
	judge(logs, n, row);
}

int paleo_study_nets(struct paleo_study_net *rows, int count, struct paleo_error *err)
{
	double *logs = malloc(sizeof(*logs) * ((size_t)count + 1));

	if (!logs)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for a study of nets");
	for (int i = 0; i < count; i++)
		fit(rows, count, &rows[i], logs);
	free(logs);
	return PALEO_OK;
}

int paleo_study_nets_all(const struct paleo_study_net *rows, int count, int group,
			 struct paleo_study_net *out, struct paleo_error *err)
{
	double *logs = malloc(sizeof(*logs) * ((size_t)count + 1));

	if (!logs)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for a study of nets");
	*out = (struct paleo_study_net){.group = group, .net = -1};
	fit(rows, count, out, logs);
	free(logs);
	return PALEO_OK;
}
