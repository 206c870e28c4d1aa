/* attention.c - a kind of op: attention in one kernel, with a cache or without. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "model/op/kind.h"

static const char *const stored[] = {
	"own",
#define DTYPE(constant, name, ...) name,
#include "model/op/dtypes.def"
#undef DTYPE
	NULL,
};

static const struct paleo_field fields[] = {
	PALEO_DIM(attention, batch, PALEO_OF_BATCH),
	PALEO_DIM(attention, q, 0),
	PALEO_DIM(attention, keys, 0),
	PALEO_DIM(attention, heads, PALEO_OF_SHAPE),
	PALEO_DIM(attention, kv_heads, PALEO_OF_SHAPE),
	PALEO_DIM(attention, qk, PALEO_OF_SHAPE),
	PALEO_DIM(attention, v, PALEO_OF_SHAPE),
	PALEO_FLAG(attention, causal),
	PALEO_NUMBER(attention, window, 0, 0, PALEO_OP_DIM_MAX, PALEO_OF_SHAPE),
	PALEO_FLAG(attention, latent),
	PALEO_FLAG(attention, cache),
	PALEO_NUMBER(attention, rope, 0, 0, PALEO_OP_DIM_MAX, 0),
	PALEO_CHOICE(attention, kv, stored),
	PALEO_FIELDS_END,
};

double paleo_attention_pairs(const struct paleo_attention_geom *g)
{
	double past = (double)g->keys - g->q, window = g->window ? g->window : g->keys, all = g->q;
	double side = fmin((g->window - 1) / 2.0, all - 1);

	if (!g->causal) /* at both ends a query sees fewer keys: side, side - 1 ... 1 less */
		return g->window ? all * (2 * side + 1) - side * (side + 1) : all * g->keys;
	/* the first queries see less than a window: past + 1, past + 2 ... keys */
	double growing = window - past < 0 ? 0 : window - past < all ? window - past : all;
	return growing * past + growing * (growing + 1) / 2 + (all - growing) * window;
}

int paleo_attention_seen(const struct paleo_attention_geom *g)
{
	double most = (double)g->window + g->q - 1;

	return g->window && most < g->keys ? (int)most : g->keys;
}

/* The sum over n = 1 ... tokens of min(n, window) + min(n / ratio rounded down, top). */
static double seen_so_far(double tokens, double window, double ratio, double top)
{
	double own = fmin(tokens, window), few = fmin(tokens, ratio * top + ratio - 1);
	double whole = floor(few / ratio), rest = few - whole * ratio;

	return own * (own + 1) / 2 + (tokens - own) * own + ratio * whole * (whole - 1) / 2 +
	       whole * (rest + 1) + (tokens - few) * top;
}

void paleo_attention_compress(struct paleo_attention_geom *g, int window, int ratio, int top)
{
	double most = top ? top : g->keys, low = 1, high = g->keys;
	double pairs = seen_so_far(g->keys, window, ratio, most) -
		       seen_so_far((double)g->keys - g->q, window, ratio, most);

	while (low < high) {
		g->window = (int)((low + high) / 2);
		if (paleo_attention_pairs(g) < pairs)
			low = g->window + 1;
		else
			high = g->window;
	}
	g->window = (int)low;
}

static int check(const struct paleo_op *w, struct paleo_error *err)
{
	const struct paleo_attention_geom *g = &w->geom.attention;

	if (g->heads % g->kv_heads)
		return paleo_fail(err, PALEO_EINPUT, "%d heads cannot share %d evenly", g->heads,
				  g->kv_heads);
	if ((g->causal || g->cache) && g->keys < g->q)
		return paleo_fail(err, PALEO_EINPUT, "%d queries have more than their %d keys",
				  g->q, g->keys);
	if (g->window && !g->causal && (g->window % 2 == 0 || g->q != g->keys || g->cache))
		return paleo_fail(err, PALEO_EINPUT,
				  "a non-causal window needs an odd size (the query's own key and "
				  "as many on each side) and no past");
	if (g->latent && g->v > g->qk)
		return paleo_fail(err, PALEO_EINPUT, "values of %d are not a part of keys of %d",
				  g->v, g->qk);
	if (w->pass != PALEO_FWD && (g->cache || g->latent))
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "attention with a cache or latent keys has no backward pass");
	if (g->rope % 2 || g->rope > g->qk || (g->rope && !g->cache))
		return paleo_fail(
			err, PALEO_EINPUT,
			"'rope' is %d: expected an even part of a head's %d channels, with a cache",
			g->rope, g->qk);
	return PALEO_OK;
}

/* For each pair of query and key: forward two dot products, and maximum, subtract, exp, sum,
 * divide. Backward five dot products, subtract and exp, subtract and multiply; and one dot product
 * for each row. */
static int finish(struct paleo_op *w, struct paleo_error *err)
{
	const struct paleo_attention_geom *g = &w->geom.attention;

	PALEO_TRY(check(w, err));
	double rows = (double)g->batch * g->heads, pairs = rows * paleo_attention_pairs(g);
	if (w->pass == PALEO_FWD)
		w->flops = pairs * (2.0 * g->qk + 2.0 * g->v + 5);
	else
		w->flops = pairs * (6.0 * g->qk + 4.0 * g->v + 4) + rows * g->q * 2.0 * g->v;
	w->flops += 3.0 * g->rope * g->batch * g->q * ((double)g->heads + g->kv_heads);
	return PALEO_OK;
}

static void list_keys(const struct paleo_op *w, struct paleo_operand_list *l)
{
	const struct paleo_attention_geom *g = &w->geom.attention;
	double old = paleo_attention_seen(g) - (g->cache ? g->q : 0);
	const double k[4] = {g->batch, old, g->kv_heads, g->qk};
	const double v[4] = {g->batch, old, g->kv_heads, g->v};
	const double fresh[4] = {g->batch, g->q, g->kv_heads, g->qk + (g->latent ? 0 : g->v)};

	if (old > 0)
		paleo_operand_4d(l, PALEO_K, PALEO_READ, k);
	if (old > 0 && !g->latent)
		paleo_operand_4d(l, PALEO_V, PALEO_READ, v);
	if (!g->cache)
		return;
	paleo_operand_4d(l, PALEO_NEW, PALEO_READ, fresh);
	if (g->rope)
		paleo_operand_matrix(l, PALEO_ANGLES, PALEO_READ, 1, g->q, g->rope);
	paleo_operand_4d(l, PALEO_APPENDED, PALEO_WRITE, fresh);
}

static void operands(const struct paleo_op *w, struct paleo_operand_list *l)
{
	const struct paleo_attention_geom *g = &w->geom.attention;
	const double q[4] = {g->batch, g->q, g->heads, g->qk};
	const double y[4] = {g->batch, g->q, g->heads, g->v};
	const double k[4] = {g->batch, paleo_attention_seen(g), g->kv_heads, g->qk};
	const double v[4] = {g->batch, paleo_attention_seen(g), g->kv_heads, g->v};

	paleo_operand_4d(l, PALEO_X, PALEO_READ, q);
	list_keys(w, l);
	if (w->pass == PALEO_FWD) {
		paleo_operand_4d(l, PALEO_Y, PALEO_WRITE, y);
		return;
	}
	paleo_operand_4d(l, PALEO_Y, PALEO_READ, y);
	paleo_operand_4d(l, PALEO_DY, PALEO_READ, y);
	paleo_operand_4d(l, PALEO_DX, PALEO_WRITE, q);
	paleo_operand_4d(l, PALEO_DK, PALEO_WRITE, k);
	paleo_operand_4d(l, PALEO_DV, PALEO_WRITE, v);
}

static enum paleo_dtype dtype_of(const struct paleo_op *w, enum paleo_role role)
{
	int kv = w->geom.attention.kv;

	if (role == PALEO_K || role == PALEO_V || role == PALEO_APPENDED)
		return kv ? (enum paleo_dtype)(kv - 1) : w->dtype;
	return role == PALEO_ANGLES ? PALEO_F32 : paleo_dtype_wide(w->dtype);
}

static int has_narrow(const struct paleo_op *w)
{
	return w->pass == PALEO_FWD;
}

/* One query of each sequence reads the cache; many, or one without a past, compute. Keys longer
 * than values are expanded from latent ones. */
static int variant(const struct paleo_op *w)
{
	const struct paleo_attention_geom *g = &w->geom.attention;

	if (g->q == 1 && g->keys > 1)
		return g->latent ? 3 : 1;
	if (g->qk != g->v)
		return 4;
	return g->causal ? 0 : 2;
}

static const char *const classes[][PALEO_LAYOUTS] = {
	{"attention", "attention"},
	{"attention.decode", "attention.decode"},
	{"attention.full", "attention.full"},
	{"attention.latent", "attention.latent"},
	{"attention.expanded", "attention.expanded"},
	{NULL, NULL},
};

const struct paleo_op_kind_info paleo_op_attention = {
	.name = "attention",
	.passes = 1 << PALEO_FWD | 1 << PALEO_BWD_DATA,
	.fields = fields,
	.finish = finish,
	.operands = operands,
	.dtype_of = dtype_of,
	.classes = classes,
	.variant = variant,
	.has_narrow = has_narrow,
};
