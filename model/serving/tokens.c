/* tokens.c - how long the works of a step are: most of them have a row for each token. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/serving/rows.h"

/* The field that counts rows; NULL: the kind has none, or it is a double. */
static int *rows_of(struct paleo_work *w)
{
	switch (w->kind) {
	case PALEO_GEMM:
		return &w->geom.gemm.m;
	case PALEO_NORM:
		return &w->geom.norm.n;
	case PALEO_SOFTMAX:
		return &w->geom.softmax.rows;
	case PALEO_COPY:
		return &w->geom.copy.rows;
	case PALEO_REDUCE:
		return &w->geom.reduce.rows;
	case PALEO_EMBEDDING:
		return &w->geom.embedding.tokens;
	case PALEO_ROPE:
		return &w->geom.rope.rows;
	case PALEO_MOE:
		return &w->geom.moe.tokens;
	case PALEO_CROSS_ENTROPY:
		return &w->geom.cross_entropy.rows;
	case PALEO_ELTWISE:
	case PALEO_ATTENTION:
	case PALEO_CAUSAL_CONV:
	case PALEO_SCAN:
	case PALEO_CONV:
	case PALEO_POOL:
	case PALEO_LRN:
	case PALEO_UPSAMPLE:
	case PALEO_UPDATE:
	case PALEO_WORK_KINDS:
		break;
	}
	return NULL;
}

int paleo_has_tokens(const struct paleo_work *w)
{
	struct paleo_work copy = *w;

	return w->kind == PALEO_ELTWISE || rows_of(&copy);
}

double paleo_token_rows(const struct paleo_work *w)
{
	struct paleo_work copy = *w;
	const int *rows = rows_of(&copy);

	return rows ? *rows : w->geom.eltwise.count;
}

void paleo_set_token_rows(struct paleo_work *w, double rows)
{
	int *to = rows_of(w);

	if (to) {
		*to = (int)rows;
		return;
	}
	/* what is repeated goes with the tokens, as a gate of each does */
	w->geom.eltwise.small *= rows / w->geom.eltwise.count;
	w->geom.eltwise.count = rows;
}
