/* correlated.c - parameters that records cannot tell from one another. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "calib/correlated.h"

#include <math.h>
#include <string.h>

static int go_together(const double *c, int stride, int i, int j)
{
	double scale = sqrt(c[i * stride + i] * c[j * stride + j]);

	return scale > 0 && fabs(c[i * stride + j]) > PALEO_CORRELATED * scale;
}

/* Gives everything that i is joined to, at one remove or more, its number. */
static int spread(const double *c, int stride, int n, const unsigned char *left_out,
		  unsigned char *group)
{
	int found = 0;

	for (int i = 0; i < n; i++)
		for (int j = 0; group[i] && j < n; j++) {
			if (group[j] || (left_out && left_out[j]) || !go_together(c, stride, i, j))
				continue;
			group[j] = group[i];
			found = 1;
		}
	return found;
}

void paleo_correlated_groups(const double *covariance, int stride, int n,
			     const unsigned char *left_out, unsigned char *group)
{
	unsigned char number = 1;

	memset(group, 0, (size_t)n);
	for (int i = 0; i < n; i++) {
		if (group[i] || (left_out && left_out[i]))
			continue;
		group[i] = number;
		int joined = 0;
		while (spread(covariance, stride, n, left_out, group))
			joined = 1;
		if (joined)
			number++;
		else
			group[i] = 0;
	}
}
