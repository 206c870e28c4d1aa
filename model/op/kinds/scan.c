/* scan.c - a kind of op: a state that goes from token to token, by one of several rules. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/op/kind.h"

const char *const paleo_scan_rules[PALEO_SCAN_RULES + 1] = {
	[PALEO_SCAN_SSD] = "ssd",
	[PALEO_SCAN_DELTA] = "delta",
	[PALEO_SCAN_KDA] = "kda",
	[PALEO_SCAN_SELECTIVE] = "selective",
};

static const char *const stored[] = {
	"f32_state",
#define DTYPE(constant, name, ...) name,
#include "model/op/dtypes.def"
#undef DTYPE
	NULL,
};

/* A number that a head has, with as many for each number of a key. */
struct sized {
	int once, per_key;
};

/*
 * Table of rules. Operations of a token, in the order of op.h's lines. For each number of the
 * state: decay, multiplication by the key, sum, and two for the query's read; the delta rule also
 * reads by the key; a decay per number takes a multiplication and an exp. For each value: d v, w1
 * v, its sum; or the difference and the multiplication by b. For the gates: softplus is three after
 * a sum, then multiply and exp; sigmoid three. For each number of a key and a query: squares, sums,
 * multiplications by 1/length; for a query one more; and root and division of each.
 */
static const struct {
	struct sized gates, learned, gate_flops, key_flops;
	int state_flops, value_flops;
	// clang-format off
} rules[PALEO_SCAN_RULES] = {
	[PALEO_SCAN_SSD] = {.gates = {1, 0}, .learned = {3, 0}, .gate_flops = {6, 0},
	 .state_flops = 5, .value_flops = 3},
	[PALEO_SCAN_DELTA] = {.gates = {2, 0}, .learned = {2, 0}, .gate_flops = {9, 0},
	 .key_flops = {4, 7}, .state_flops = 7, .value_flops = 2},
	[PALEO_SCAN_KDA] = {.gates = {1, 1}, .learned = {1, 1}, .gate_flops = {3, 6},
	 .key_flops = {4, 7}, .state_flops = 7, .value_flops = 2},
	[PALEO_SCAN_SELECTIVE] = {.gates = {1, 0}, .learned = {2, 1}, .gate_flops = {4, 0},
	 .state_flops = 7, .value_flops = 3},
};
// clang-format on

static int sized(const struct sized *s, const struct paleo_scan_geom *g)
{
	return s->once + s->per_key * g->qk;
}

static const struct paleo_field fields[] = {
	PALEO_WORD(scan, rule, paleo_scan_rules),
	PALEO_DIM(scan, batch, PALEO_OF_BATCH),
	PALEO_DIM(scan, tokens, 0),
	PALEO_DIM(scan, heads, PALEO_OF_SHAPE),
	PALEO_DIM(scan, groups, PALEO_OF_SHAPE),
	PALEO_DIM(scan, qk, PALEO_OF_SHAPE),
	PALEO_DIM(scan, v, PALEO_OF_SHAPE),
	PALEO_NUMBER(scan, chunk, 0, 0, PALEO_OP_DIM_MAX, 0),
	PALEO_FLAG(scan, cache),
	PALEO_CHOICE(scan, kv, stored),
	PALEO_FIELDS_END,
};

int paleo_scan_gates(const struct paleo_scan_geom *g)
{
	return sized(&rules[g->rule].gates, g);
}

int paleo_scan_learned(const struct paleo_scan_geom *g)
{
	return sized(&rules[g->rule].learned, g);
}

double paleo_scan_columns(const struct paleo_scan_geom *g)
{
	return 2.0 * g->groups * g->qk + (double)g->heads * (g->v + paleo_scan_gates(g));
}

static int check(const struct paleo_op *w, struct paleo_error *err)
{
	const struct paleo_scan_geom *g = &w->geom.scan;

	if (g->heads % g->groups)
		return paleo_fail(err, PALEO_EINPUT, "%d heads cannot share %d groups evenly",
				  g->heads, g->groups);
	if (g->kv && !g->cache)
		return paleo_fail(err, PALEO_EINPUT, "'kv' requires a cache");
	if (paleo_scan_columns(g) > PALEO_OP_DIM_MAX)
		return paleo_fail(err, PALEO_EINPUT, "a token has more than %.0f channels",
				  PALEO_OP_DIM_MAX);
	if (w->pass != PALEO_FWD && g->cache)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "a scan with a cache has no backward pass");
	return PALEO_OK;
}

static int finish(struct paleo_op *w, struct paleo_error *err)
{
	const struct paleo_scan_geom *g = &w->geom.scan;

	PALEO_TRY(check(w, err));
	double head = (double)rules[g->rule].state_flops * g->qk * g->v +
		      (double)rules[g->rule].value_flops * g->v +
		      sized(&rules[g->rule].gate_flops, g);
	double group = sized(&rules[g->rule].key_flops, g);
	w->flops = (double)g->batch * g->tokens * (g->heads * head + g->groups * group) *
		   (w->pass == PALEO_FWD ? 1 : 2);
	return PALEO_OK;
}

static void operands(const struct paleo_op *w, struct paleo_operand_list *l)
{
	const struct paleo_scan_geom *g = &w->geom.scan;
	const double state[4] = {g->batch, g->heads, g->qk, g->v};
	double columns = paleo_scan_columns(g), values = (double)g->heads * g->v;

	paleo_operand_matrix(l, PALEO_X, PALEO_READ, g->batch, g->tokens, columns);
	paleo_operand_matrix(l, PALEO_W, PALEO_READ, 1, g->heads, paleo_scan_learned(g));
	if (w->pass == PALEO_FWD) {
		if (g->cache)
			paleo_operand_4d(l, PALEO_STATE1, PALEO_READ_WRITE, state);
		paleo_operand_matrix(l, PALEO_Y, PALEO_WRITE, g->batch, g->tokens, values);
		return;
	}
	paleo_operand_matrix(l, PALEO_DY, PALEO_READ, g->batch, g->tokens, values);
	paleo_operand_matrix(l, PALEO_DX, PALEO_WRITE, g->batch, g->tokens, columns);
	paleo_operand_matrix(l, PALEO_DW, PALEO_WRITE, 1, g->heads, paleo_scan_learned(g));
}

static enum paleo_dtype dtype_of(const struct paleo_op *w, enum paleo_role role)
{
	int kv = w->geom.scan.kv;

	if (role == PALEO_STATE1 && kv)
		return (enum paleo_dtype)(kv - 1);
	return role == PALEO_STATE1 || role == PALEO_W || role == PALEO_DW
		       ? PALEO_F32
		       : paleo_dtype_wide(w->dtype);
}

/* One token of each sequence moves the state; many are computed in chunks. */
static int variant(const struct paleo_op *w)
{
	const struct paleo_scan_geom *g = &w->geom.scan;

	return 2 * g->rule + (g->cache && g->tokens == 1);
}

static const char *const classes[][PALEO_LAYOUTS] = {
	{"scan.ssd", "scan.ssd"},
	{"scan.ssd_step", "scan.ssd_step"},
	{"scan.delta", "scan.delta"},
	{"scan.delta_step", "scan.delta_step"},
	{"scan.kda", "scan.kda"},
	{"scan.kda_step", "scan.kda_step"},
	{"scan.selective", "scan.selective"},
	{"scan.selective_step", "scan.selective_step"},
	{NULL, NULL},
};

const struct paleo_op_kind_info paleo_op_scan = {
	.name = "scan",
	.passes = 1 << PALEO_FWD | 1 << PALEO_BWD_DATA,
	.fields = fields,
	.finish = finish,
	.operands = operands,
	.dtype_of = dtype_of,
	.classes = classes,
	.variant = variant,
};
