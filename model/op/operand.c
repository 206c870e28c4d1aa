/* operand.c - the tensors an op reads and writes: roles and sizes, in one place. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>

#include "model/op/kind.h"

enum paleo_dtype paleo_operand_dtype(const struct paleo_op *w, enum paleo_role role)
{
	const struct paleo_op_kind_info *kind = paleo_op_kind_info(w->kind);

	if (kind->dtype_of)
		return kind->dtype_of(w, role);
	return role == PALEO_W ? w->dtype : paleo_dtype_wide(w->dtype);
}

/* The same, of a list that knows its kind. */
static int elem_bytes(const struct paleo_operand_list *l, enum paleo_role role)
{
	if (l->kind->dtype_of)
		return paleo_dtype_bytes(l->kind->dtype_of(l->op, role));
	return role == PALEO_W ? l->bytes : l->wide_bytes;
}

struct paleo_operand *paleo_operand_add(struct paleo_operand_list *l, enum paleo_role role,
					enum paleo_access access)
{
	assert(l->count < PALEO_OPERANDS_MAX);
	struct paleo_operand *o = &l->items[l->count++];

	*o = (struct paleo_operand){
		.role = role,
		.access = access,
		.copies = 1,
		.elem_bytes = elem_bytes(l, role),
	};
	return o;
}

void paleo_operand_count_bytes(struct paleo_operand *o)
{
	o->bytes = paleo_operand_count(o) * o->copies * o->elem_bytes;
}

struct paleo_operand *paleo_operand_1d(struct paleo_operand_list *l, enum paleo_role role,
				       enum paleo_access access, double a)
{
	struct paleo_operand *o = paleo_operand_add(l, role, access);

	o->rank = 1;
	o->dims[0] = a;
	paleo_operand_count_bytes(o);
	return o;
}

struct paleo_operand *paleo_operand_matrix(struct paleo_operand_list *l, enum paleo_role role,
					   enum paleo_access access, double batch, double rows,
					   double cols)
{
	struct paleo_operand *o = paleo_operand_add(l, role, access);

	o->rank = 3;
	o->dims[0] = batch;
	o->dims[1] = rows;
	o->dims[2] = cols;
	paleo_operand_count_bytes(o);
	return o;
}

struct paleo_operand *paleo_operand_4d(struct paleo_operand_list *l, enum paleo_role role,
				       enum paleo_access access, const double dims[4])
{
	struct paleo_operand *o = paleo_operand_add(l, role, access);

	o->rank = 4;
	for (int i = 0; i < 4; i++)
		o->dims[i] = dims[i];
	paleo_operand_count_bytes(o);
	return o;
}

void paleo_operand_index(struct paleo_operand_list *l, double count)
{
	struct paleo_operand *o = paleo_operand_1d(l, PALEO_INDEX, PALEO_READ, count);

	o->elem_bytes = 4;
	paleo_operand_count_bytes(o);
}

int paleo_op_operands(const struct paleo_op *w, struct paleo_operand out[PALEO_OPERANDS_MAX])
{
	struct paleo_operand_list l = {.op = w,
				       .kind = paleo_op_kind_info(w->kind),
				       .bytes = paleo_dtype_bytes(w->dtype),
				       .wide_bytes = paleo_dtype_bytes(paleo_dtype_wide(w->dtype)),
				       .items = out};

	l.kind->operands(w, &l);
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

const char *paleo_role_name(enum paleo_role role)
{
	static const char *const names[PALEO_ROLES] = {
		[PALEO_X] = "x",           [PALEO_W] = "w",           [PALEO_BIAS] = "bias",
		[PALEO_Y] = "y",           [PALEO_DY] = "dy",         [PALEO_DX] = "dx",
		[PALEO_DW] = "dw",         [PALEO_DBIAS] = "dbias",   [PALEO_SCALE] = "scale",
		[PALEO_SHIFT] = "shift",   [PALEO_DSCALE] = "dscale", [PALEO_DSHIFT] = "dshift",
		[PALEO_MASK] = "mask",     [PALEO_STATE1] = "state1", [PALEO_STATE2] = "state2",
		[PALEO_K] = "k",           [PALEO_V] = "v",           [PALEO_DK] = "dk",
		[PALEO_DV] = "dv",         [PALEO_NEW] = "new",       [PALEO_APPENDED] = "appended",
		[PALEO_ANGLES] = "angles", [PALEO_INDEX] = "index",   [PALEO_GATE] = "gate",
		[PALEO_W2] = "w2",         [PALEO_INNER] = "inner",   [PALEO_DINNER] = "dinner",
		[PALEO_DW2] = "dw2",       [PALEO_MASTER] = "master",
	};

	assert(role < PALEO_ROLES);
	return names[role];
}
