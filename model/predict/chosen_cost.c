/* chosen_cost.c - what an algorithm changes of a convolution's operations and bytes. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "model/predict/chosen.h"

const char *paleo_method_name(enum paleo_method method)
{
	static const char *const names[PALEO_METHODS] = {
		[PALEO_METHOD_IMPLICIT] = "implicit",
		[PALEO_METHOD_EXPLICIT] = "explicit",
		[PALEO_METHOD_TRANSPOSED] = "transposed",
		[PALEO_METHOD_WINOGRAD] = "winograd",
		[PALEO_METHOD_WINOGRAD_STEPS] = "winograd in steps",
		[PALEO_METHOD_FFT] = "fft",
	};

	return names[method];
}

/* The edge of Winograd's tiles in "winograd winograd_4x4"; 0 where the notes do not say. */
static int tile_of(const char *notes)
{
	static const char word[] = "winograd_";
	const char *at = strstr(notes, word);

	return at ? (int)strtol(at + sizeof(word) - 1, NULL, 10) : 0;
}

static double fewer_flops(const struct paleo_conv_geom *g, int tile)
{
	int rows = tile - g->r + 1, columns = tile - g->s + 1;

	if (rows < 1 || columns < 1)
		return 1;
	return (double)rows * columns * g->r * g->s / ((double)tile * tile);
}

static enum paleo_method find_method(const struct paleo_work *w, const struct paleo_algorithm *a)
{
	const struct paleo_conv_geom *g = &w->geom.conv;
	double bytes = paleo_dtype_bytes(w->dtype);
	double x = bytes * g->n * g->c * g->h * g->w, y = bytes * g->n * g->k * g->p * g->q;
	double patches = bytes * g->n * g->p * g->q * g->c * g->r * g->s;

	if (strstr(a->notes, "fft"))
		return PALEO_METHOD_FFT;
	if (strstr(a->notes, "winograd"))
		return a->workspace_bytes >= x ? PALEO_METHOD_WINOGRAD_STEPS
					       : PALEO_METHOD_WINOGRAD;
	if ((g->r > 1 || g->s > 1) && a->workspace_bytes >= patches)
		return PALEO_METHOD_EXPLICIT;
	if (w->layout == PALEO_NCHW && strstr(a->notes, "tensor_core") &&
	    a->workspace_bytes >= x + y)
		return PALEO_METHOD_TRANSPOSED;
	return PALEO_METHOD_IMPLICIT;
}

struct paleo_method_cost paleo_method_cost(const struct paleo_work *w,
					   const struct paleo_algorithm *a)
{
	struct paleo_method_cost cost = {
		.method = find_method(w, a),
		.fewer_flops = 1,
		.more_bytes = 2 * a->workspace_bytes,
	};

	if (cost.method == PALEO_METHOD_WINOGRAD || cost.method == PALEO_METHOD_WINOGRAD_STEPS)
		cost.fewer_flops = fewer_flops(&w->geom.conv, tile_of(a->notes));
	return cost;
}

struct paleo_work paleo_method_work(const struct paleo_work *w,
				    const struct paleo_method_cost *cost)
{
	struct paleo_work done = *w;

	done.flops /= cost->fewer_flops;
	done.read_bytes += cost->more_bytes / 2;
	done.write_bytes += cost->more_bytes / 2;
	return done;
}
