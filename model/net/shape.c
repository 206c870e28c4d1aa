/* shape.c - writes a shape as net files and tables do. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/net/shape.h"

#include <stdio.h>

struct paleo_shape paleo_shape_of(int rank, const int *dims)
{
	struct paleo_shape s = {.rank = rank, .n = dims[0], .h = 1, .w = 1, .c = dims[rank - 1]};

	if (rank > 2)
		s.h = dims[1];
	if (rank > 3)
		s.w = dims[2];
	return s;
}

struct paleo_shape paleo_shape_rows(const struct paleo_shape *s)
{
	struct paleo_shape rows = {.rank = 2, .n = s->n * s->h, .h = 1, .w = 1, .c = s->c};

	return s->rank == 3 ? rows : *s;
}

void paleo_shape_dims(const struct paleo_shape *s, int dims[4])
{
	dims[0] = s->n;
	dims[1] = s->h;
	dims[2] = s->w;
	dims[s->rank - 1] = s->c;
}

void paleo_shape_text(const struct paleo_shape *s, char *buf, size_t size)
{
	int dims[4], at = 0;

	paleo_shape_dims(s, dims);
	for (int i = 0; i < s->rank && at < (int)size; i++)
		at += snprintf(buf + at, size - (size_t)at, "%s%d", i ? "x" : "", dims[i]);
}
