/* reference_tokens.c - reference of embeddings, rotary positions, losses. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "bench/reference_kinds.h"

static uint64_t index_of(const struct paleo_filler *f, uint64_t at)
{
	return (uint64_t)paleo_filler_at(f, at);
}

int paleo_reference_embedding(const struct paleo_work *w, struct paleo_reference *e)
{
	const struct paleo_embedding_geom *g = &w->geom.embedding;
	struct paleo_filler index = paleo_filler_of(w, PALEO_INDEX, 0);
	uint64_t dim = (uint64_t)g->dim, row = e->index / dim, column = e->index % dim;

	if (w->pass == PALEO_FWD && e->role == PALEO_Y) {
		struct paleo_filler table = paleo_filler_of(w, PALEO_W, 0);
		paleo_reference_add(e,
				    paleo_filler_at(&table, index_of(&index, row) * dim + column));
	} else if (w->pass == PALEO_BWD_FILTER && e->role == PALEO_DW) {
		struct paleo_filler dy = paleo_filler_of(w, PALEO_DY, 0);
		for (uint64_t t = 0; t < (uint64_t)g->tokens; t++)
			if (index_of(&index, t) == row)
				paleo_reference_add(e, paleo_filler_at(&dy, t * dim + column));
	} else {
		return 0;
	}
	return 1;
}

int paleo_reference_rope(const struct paleo_work *w, struct paleo_reference *e)
{
	const struct paleo_rope_geom *g = &w->geom.rope;
	int fwd = w->pass == PALEO_FWD;
	struct paleo_filler x = paleo_filler_of(w, fwd ? PALEO_X : PALEO_DY, 0);
	struct paleo_filler angles = paleo_filler_of(w, PALEO_ANGLES, 0);
	uint64_t dim = (uint64_t)g->dim, half = dim / 2, d = e->index % dim;
	uint64_t row = e->index / (dim * (uint64_t)g->heads);

	if (e->role != (fwd ? PALEO_Y : PALEO_DX))
		return 0;
	double cosine = paleo_filler_at(&angles, row * dim + d % half);
	double sine = paleo_filler_at(&angles, row * dim + half + d % half);
	/* the first half takes the sine away, forward; backward the second does */
	double sign = (d < half) == fwd ? -1 : 1;
	uint64_t other = d < half ? e->index + half : e->index - half;
	paleo_reference_add(e, paleo_filler_at(&x, e->index) * cosine);
	paleo_reference_add(e, sign * sine * paleo_filler_at(&x, other));
	return 1;
}

int paleo_reference_cross_entropy(const struct paleo_work *w, struct paleo_reference *e)
{
	const struct paleo_cross_entropy_geom *g = &w->geom.cross_entropy;
	struct paleo_filler x = paleo_filler_of(w, PALEO_X, 0);
	struct paleo_filler index = paleo_filler_of(w, PALEO_INDEX, 0);
	uint64_t cols = (uint64_t)g->cols;
	uint64_t row = w->pass == PALEO_FWD ? e->index : e->index / cols;
	double sum = 0; /* inputs are within [-1, 1]: nothing overflows */

	for (uint64_t i = 0; i < cols; i++)
		sum += exp((double)paleo_filler_at(&x, row * cols + i));
	if (w->pass == PALEO_FWD && e->role == PALEO_Y) {
		paleo_reference_add(e, log(sum));
		paleo_reference_add(e, -paleo_filler_at(&x, row * cols + index_of(&index, row)));
	} else if (w->pass == PALEO_BWD_DATA && e->role == PALEO_DX) {
		paleo_reference_add(e, exp((double)paleo_filler_at(&x, e->index)) / sum / g->rows);
		if (e->index % cols == index_of(&index, row))
			paleo_reference_add(e, -1.0 / g->rows);
	} else {
		return 0;
	}
	return 1;
}
