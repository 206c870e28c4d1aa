/* op.c - checks an op, counts its FLOPs and bytes, names its class: by the table of kinds. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/op/op.h"

#include <assert.h>

#include "model/op/kind.h"

static const struct paleo_op_kind_info *const kinds[PALEO_OP_KINDS] = {
#define OP(constant, name) [PALEO_##constant] = &paleo_op_##name,
#include "model/op/kinds.def"
#undef OP
};

const struct paleo_op_kind_info *paleo_op_kind_info(enum paleo_op_kind kind)
{
	return kinds[kind];
}

const char *paleo_op_kind_name(enum paleo_op_kind kind)
{
	return kinds[kind]->name;
}

static void count_bytes(struct paleo_op *w)
{
	struct paleo_operand list[PALEO_OPERANDS_MAX];
	int n = paleo_op_operands(w, list);

	w->read_bytes = 0;
	w->write_bytes = 0;
	for (int i = 0; i < n; i++) {
		if (list[i].access & PALEO_READ)
			w->read_bytes += list[i].bytes;
		if (list[i].access & PALEO_WRITE)
			w->write_bytes += list[i].bytes;
	}
}

int paleo_op_has_dtype(const struct paleo_op *w)
{
	const struct paleo_op_kind_info *kind = kinds[w->kind];

	return !paleo_dtype_is_narrow(w->dtype) || (kind->has_narrow && kind->has_narrow(w));
}

int paleo_op_finish(struct paleo_op *w, struct paleo_error *err)
{
	assert(w->kind < PALEO_OP_KINDS && w->pass < PALEO_PASSES && w->dtype < PALEO_DTYPES);
	if (!(kinds[w->kind]->passes & 1u << w->pass))
		return paleo_fail(err, PALEO_EUNSUPPORTED, "'%s' has no pass '%s'",
				  paleo_op_kind_name(w->kind), paleo_pass_name(w->pass));
	if (!paleo_op_has_dtype(w))
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "'%s %s' does not run in %s, which is for forward GEMMs of batch "
				  "1, attention and experts; use %s",
				  paleo_op_kind_name(w->kind), paleo_pass_name(w->pass),
				  paleo_dtype_name(w->dtype),
				  paleo_dtype_name(paleo_dtype_wide(w->dtype)));

	const struct paleo_op given = *w;
	int rc = paleo_op_fields_fill(w, err);
	if (!rc)
		rc = kinds[w->kind]->finish(w, err);
	if (rc) {
		*w = given;
		paleo_error_prefix(err, "%s", paleo_op_kind_name(w->kind));
		return rc;
	}
	count_bytes(w);
	return PALEO_OK;
}

const char *paleo_op_class(const struct paleo_op *w)
{
	const struct paleo_op_kind_info *kind = kinds[w->kind];

	return kind->classes[kind->variant ? kind->variant(w) : 0][w->layout];
}

static double attention_flops(const struct paleo_attention_geom *a, int is_masked)
{
	double seen = a->window && a->window < a->keys ? a->window : a->keys;
	double pairs = is_masked ? paleo_attention_pairs(a) : a->q * seen;

	return 2.0 * a->batch * a->heads * pairs * (a->qk + a->v);
}

double paleo_op_model_flops(const struct paleo_op *w, int is_masked)
{
	const struct paleo_gemm_geom *g = &w->geom.gemm;
	const struct paleo_moe_geom *m = &w->geom.moe;

	switch ((int)w->kind) {
	case PALEO_GEMM:
		return 2.0 * g->m * g->n * g->k * g->batch;
	case PALEO_CONV:
	case PALEO_SCAN:
		return w->flops;
	case PALEO_ATTENTION:
		return attention_flops(&w->geom.attention, is_masked);
	case PALEO_MOE:
		return paleo_moe_pairs(m) * (m->gated ? 6.0 : 4.0) * m->hidden * m->inter;
	default:
		return 0;
	}
}
