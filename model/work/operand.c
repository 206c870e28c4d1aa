/* operand.c - the tensors a work reads and writes: roles and sizes, in one place. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/work/operand.h"

#include <assert.h>

/* The list that is being written. */
struct list {
	const struct paleo_work *work;
	struct paleo_operand *items;
	int count;
};

enum paleo_dtype paleo_operand_dtype(const struct paleo_work *w, enum paleo_role role)
{
	int is_data = role == PALEO_X || role == PALEO_Y || role == PALEO_DX || role == PALEO_DY;

	if (w->kind == PALEO_NORM && !is_data)
		return PALEO_F32;
	return role == PALEO_W ? w->dtype : paleo_dtype_wide(w->dtype);
}

static struct paleo_operand *add(struct list *l, enum paleo_role role, enum paleo_access access)
{
	assert(l->count < PALEO_OPERANDS_MAX);
	struct paleo_operand *o = &l->items[l->count++];

	*o = (struct paleo_operand){
		.role = role,
		.access = access,
		.copies = 1,
		.elem_bytes = paleo_dtype_bytes(paleo_operand_dtype(l->work, role)),
	};
	return o;
}

static void set_bytes(struct paleo_operand *o)
{
	o->bytes = paleo_operand_count(o) * o->copies * o->elem_bytes;
}

static struct paleo_operand *add_1d(struct list *l, enum paleo_role role, enum paleo_access access,
				    double a)
{
	struct paleo_operand *o = add(l, role, access);

	o->rank = 1;
	o->dims[0] = a;
	set_bytes(o);
	return o;
}

static struct paleo_operand *add_matrix(struct list *l, enum paleo_role role,
					enum paleo_access access, double batch, double rows,
					double cols)
{
	struct paleo_operand *o = add(l, role, access);

	o->rank = 3;
	o->dims[0] = batch;
	o->dims[1] = rows;
	o->dims[2] = cols;
	set_bytes(o);
	return o;
}

/* The last four are a tensor's dimensions, outermost first. */
static struct paleo_operand *add_4d(struct list *l, enum paleo_role role, enum paleo_access access,
				    const double dims[4])
{
	struct paleo_operand *o = add(l, role, access);

	o->rank = 4;
	for (int i = 0; i < 4; i++)
		o->dims[i] = dims[i];
	set_bytes(o);
	return o;
}

static void conv_operands(const struct paleo_work *w, struct list *l)
{
	const struct paleo_conv_geom *g = &w->geom.conv;
	const double x[4] = {g->n, g->c, g->h, g->w};
	const double f[4] = {g->k, (double)g->c / g->groups, g->r, g->s};
	const double y[4] = {g->n, g->k, g->p, g->q};

	if (w->pass == PALEO_FWD) {
		add_4d(l, PALEO_X, PALEO_READ, x);
		add_4d(l, PALEO_W, PALEO_READ, f);
		if (g->bias)
			add_1d(l, PALEO_BIAS, PALEO_READ, g->k);
		add_4d(l, PALEO_Y, PALEO_WRITE, y);
	} else if (w->pass == PALEO_BWD_DATA) {
		add_4d(l, PALEO_DY, PALEO_READ, y);
		add_4d(l, PALEO_W, PALEO_READ, f);
		add_4d(l, PALEO_DX, PALEO_WRITE, x);
	} else {
		add_4d(l, PALEO_X, PALEO_READ, x);
		add_4d(l, PALEO_DY, PALEO_READ, y);
		add_4d(l, PALEO_DW, PALEO_WRITE, f);
		if (g->bias)
			add_1d(l, PALEO_DBIAS, PALEO_WRITE, g->k);
	}
}

static void gemm_operands(const struct paleo_work *w, struct list *l)
{
	const struct paleo_gemm_geom *g = &w->geom.gemm;

	add_matrix(l, PALEO_X, PALEO_READ, g->batch, g->trans_a ? g->k : g->m,
		   g->trans_a ? g->m : g->k);
	add_matrix(l, PALEO_W, PALEO_READ, g->batch, g->trans_b ? g->n : g->k,
		   g->trans_b ? g->k : g->n);
	if (g->bias && w->pass == PALEO_FWD)
		add_1d(l, PALEO_BIAS, PALEO_READ, g->n);
	add_matrix(l, PALEO_Y, PALEO_WRITE, g->batch, g->m, g->n);
	if (g->bias && w->pass == PALEO_BWD_FILTER)
		add_1d(l, PALEO_DBIAS, PALEO_WRITE, g->m);
}

static void pool_operands(const struct paleo_work *w, struct list *l)
{
	const struct paleo_pool_geom *g = &w->geom.pool;
	const double x[4] = {g->n, g->c, g->h, g->w};
	const double y[4] = {g->n, g->c, g->p, g->q};
	int fwd = w->pass == PALEO_FWD;

	if (fwd)
		add_4d(l, PALEO_X, PALEO_READ, x);
	else
		add_4d(l, PALEO_DY, PALEO_READ, y);
	if (g->mode == PALEO_POOL_MAX) {
		struct paleo_operand *o = add_4d(l, PALEO_MASK, fwd ? PALEO_WRITE : PALEO_READ, y);
		o->elem_bytes = 1;
		set_bytes(o);
	}
	if (fwd)
		add_4d(l, PALEO_Y, PALEO_WRITE, y);
	else
		add_4d(l, PALEO_DX, PALEO_WRITE, x);
}

static void eltwise_operands(const struct paleo_work *w, struct list *l)
{
	const struct paleo_eltwise_geom *g = &w->geom.eltwise;
	int fwd = w->pass == PALEO_FWD;
	int dropout = g->op == PALEO_DROPOUT;

	if (!fwd)
		add_1d(l, PALEO_DY, PALEO_READ, g->count);
	if (fwd || !dropout) {
		struct paleo_operand *x = add_1d(l, PALEO_X, PALEO_READ, g->count);
		x->copies = g->inputs;
		set_bytes(x);
	}
	if (dropout) {
		struct paleo_operand *mask =
			add_1d(l, PALEO_MASK, fwd ? PALEO_WRITE : PALEO_READ, g->count);
		mask->elem_bytes = 1;
		set_bytes(mask);
	}
	struct paleo_operand *out = add_1d(l, fwd ? PALEO_Y : PALEO_DX, PALEO_WRITE, g->count);
	out->copies = fwd ? 1 : g->inputs;
	set_bytes(out);
}

static void norm_operands(const struct paleo_work *w, struct list *l)
{
	const struct paleo_norm_geom *g = &w->geom.norm;
	const double x[4] = {g->n, g->c, g->h, g->w};
	int fwd = w->pass == PALEO_FWD;

	add_4d(l, PALEO_X, PALEO_READ, x);
	if (!fwd)
		add_4d(l, PALEO_DY, PALEO_READ, x);
	if (g->scale)
		add_1d(l, PALEO_SCALE, PALEO_READ, g->c);
	if (g->shift && fwd)
		add_1d(l, PALEO_SHIFT, PALEO_READ, g->c);
	if (g->mode == PALEO_BATCH_INFERENCE) {
		add_1d(l, PALEO_STATE1, PALEO_READ, g->c);
		add_1d(l, PALEO_STATE2, PALEO_READ, g->c);
	}
	add_4d(l, fwd ? PALEO_Y : PALEO_DX, PALEO_WRITE, x);
	if (g->scale && !fwd)
		add_1d(l, PALEO_DSCALE, PALEO_WRITE, g->c);
	if (g->shift && !fwd)
		add_1d(l, PALEO_DSHIFT, PALEO_WRITE, g->c);
}

static void lrn_operands(const struct paleo_work *w, struct list *l)
{
	const struct paleo_lrn_geom *g = &w->geom.lrn;
	const double x[4] = {g->n, g->c, g->h, g->w};

	add_4d(l, PALEO_X, PALEO_READ, x);
	if (w->pass == PALEO_FWD) {
		add_4d(l, PALEO_Y, PALEO_WRITE, x);
	} else {
		add_4d(l, PALEO_DY, PALEO_READ, x);
		add_4d(l, PALEO_DX, PALEO_WRITE, x);
	}
}

static void softmax_operands(const struct paleo_work *w, struct list *l)
{
	const struct paleo_softmax_geom *g = &w->geom.softmax;

	if (w->pass == PALEO_FWD) {
		add_matrix(l, PALEO_X, PALEO_READ, 1, g->rows, g->cols);
		add_matrix(l, PALEO_Y, PALEO_WRITE, 1, g->rows, g->cols);
	} else {
		add_matrix(l, PALEO_Y, PALEO_READ, 1, g->rows, g->cols);
		add_matrix(l, PALEO_DY, PALEO_READ, 1, g->rows, g->cols);
		add_matrix(l, PALEO_DX, PALEO_WRITE, 1, g->rows, g->cols);
	}
}

static void copy_operands(const struct paleo_work *w, struct list *l)
{
	const struct paleo_copy_geom *g = &w->geom.copy;
	int fwd = w->pass == PALEO_FWD;

	struct paleo_operand *part =
		add(l, fwd ? PALEO_X : PALEO_DX, fwd ? PALEO_READ : PALEO_WRITE);
	double total = (double)g->rows * g->cols * part->elem_bytes;
	part->rank = 2;
	part->copies = g->parts;
	part->dims[0] = g->rows;
	part->dims[1] = paleo_copy_part(g, 0, 0);
	part->bytes = total;

	struct paleo_operand *whole =
		add(l, fwd ? PALEO_Y : PALEO_DY, fwd ? PALEO_WRITE : PALEO_READ);
	whole->rank = 2;
	whole->dims[0] = g->rows;
	whole->dims[1] = g->cols;
	whole->bytes = total;
}

static void upsample_operands(const struct paleo_work *w, struct list *l)
{
	const struct paleo_upsample_geom *g = &w->geom.upsample;
	const double x[4] = {g->n, g->c, g->h, g->w};
	const double y[4] = {g->n, g->c, (double)g->h * g->scale_h, (double)g->w * g->scale_w};

	if (w->pass == PALEO_FWD) {
		add_4d(l, PALEO_X, PALEO_READ, x);
		add_4d(l, PALEO_Y, PALEO_WRITE, y);
	} else {
		add_4d(l, PALEO_DY, PALEO_READ, y);
		add_4d(l, PALEO_DX, PALEO_WRITE, x);
	}
}

static void update_operands(const struct paleo_work *w, struct list *l)
{
	const struct paleo_update_geom *g = &w->geom.update;

	add_1d(l, PALEO_W, PALEO_READ_WRITE, g->count);
	add_1d(l, PALEO_DY, PALEO_READ, g->count);
	if (g->rule != PALEO_SGD)
		add_1d(l, PALEO_STATE1, PALEO_READ_WRITE, g->count);
	if (g->rule == PALEO_ADAM)
		add_1d(l, PALEO_STATE2, PALEO_READ_WRITE, g->count);
}

static void reduce_operands(const struct paleo_work *w, struct list *l)
{
	const struct paleo_reduce_geom *g = &w->geom.reduce;

	if (w->pass == PALEO_FWD) {
		add_matrix(l, PALEO_X, PALEO_READ, 1, g->rows, g->cols);
		add_1d(l, PALEO_Y, PALEO_WRITE, g->rows);
	} else {
		add_1d(l, PALEO_DY, PALEO_READ, g->rows);
		add_matrix(l, PALEO_DX, PALEO_WRITE, 1, g->rows, g->cols);
	}
}

int paleo_work_operands(const struct paleo_work *w, struct paleo_operand out[PALEO_OPERANDS_MAX])
{
	struct list l = {.work = w, .items = out};

	switch (w->kind) {
	case PALEO_CONV:
		conv_operands(w, &l);
		break;
	case PALEO_GEMM:
		gemm_operands(w, &l);
		break;
	case PALEO_POOL:
		pool_operands(w, &l);
		break;
	case PALEO_ELTWISE:
		eltwise_operands(w, &l);
		break;
	case PALEO_NORM:
		norm_operands(w, &l);
		break;
	case PALEO_LRN:
		lrn_operands(w, &l);
		break;
	case PALEO_SOFTMAX:
		softmax_operands(w, &l);
		break;
	case PALEO_COPY:
		copy_operands(w, &l);
		break;
	case PALEO_UPSAMPLE:
		upsample_operands(w, &l);
		break;
	case PALEO_UPDATE:
		update_operands(w, &l);
		break;
	case PALEO_REDUCE:
		reduce_operands(w, &l);
		break;
	case PALEO_WORK_KINDS:
		break;
	}
	return l.count;
}

double paleo_operand_count(const struct paleo_operand *o)
{
	double count = 1;

	for (int i = 0; i < o->rank; i++)
		count *= o->dims[i];
	return count;
}

const struct paleo_operand *paleo_operand_find(const struct paleo_operand *list, int count,
					       enum paleo_role role)
{
	for (int i = 0; i < count; i++)
		if (list[i].role == role)
			return &list[i];
	return NULL;
}

int paleo_copy_part(const struct paleo_copy_geom *g, int i, int *start)
{
	int base = g->cols / g->parts;
	int wider = g->cols % g->parts;

	if (start)
		*start = i * base + (i < wider ? i : wider);
	return base + (i < wider ? 1 : 0);
}

const char *paleo_role_name(enum paleo_role role)
{
	static const char *const names[PALEO_ROLES] = {
		[PALEO_X] = "x",         [PALEO_W] = "w",           [PALEO_BIAS] = "bias",
		[PALEO_Y] = "y",         [PALEO_DY] = "dy",         [PALEO_DX] = "dx",
		[PALEO_DW] = "dw",       [PALEO_DBIAS] = "dbias",   [PALEO_SCALE] = "scale",
		[PALEO_SHIFT] = "shift", [PALEO_DSCALE] = "dscale", [PALEO_DSHIFT] = "dshift",
		[PALEO_MASK] = "mask",   [PALEO_STATE1] = "state1", [PALEO_STATE2] = "state2",
	};

	assert(role < PALEO_ROLES);
	return names[role];
}
