/* shape.c - writes a shape as net files and tables do. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/shape.h"

#include <stdio.h>

void paleo_shape_text(const struct paleo_shape *s, char *buf, size_t size)
{
	if (s->rank == 2)
		snprintf(buf, size, "%dx%d", s->n, s->c);
	else
		snprintf(buf, size, "%dx%dx%dx%d", s->n, s->h, s->w, s->c);
}
