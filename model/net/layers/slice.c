/* slice.c - a range along one dimension. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "model/net/layers/common.h"
#include "model/net/layers/kinds.h"

struct param {
	int dim, from, size;
	int is_view; /* 1: its readers take it where it lies */
};

static int parse(const struct paleo_json *j, void *param, struct paleo_error *err)
{
	static const char *const keys[] = {"type", "parents", "dim", "from", "size", "view", NULL};
	const struct {
		const char *key;
		int low, high;
		int *to;
	} numbers[] = {
		{"dim", 1, 3, &((struct param *)param)->dim},
		{"from", 0, PALEO_DIM_MAX, &((struct param *)param)->from},
		{"size", 1, PALEO_DIM_MAX, &((struct param *)param)->size},
	};
	const struct paleo_json *v;
	int rc = paleo_json_only(j, keys, err);

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]) && !rc; i++) {
		rc = paleo_json_need(j, numbers[i].key, &v, err);
		if (!rc)
			rc = paleo_json_to_int(v, numbers[i].low, numbers[i].high, numbers[i].to,
					       err);
	}
	return rc ? rc : paleo_read_flag(j, "view", &((struct param *)param)->is_view, err);
}

static int shape(struct paleo_layer *l, struct paleo_error *err)
{
	const struct param *p = l->param;
	int dims[4];

	l->out = *paleo_layer_in(l);
	paleo_shape_dims(&l->out, dims);
	if (p->dim >= l->out.rank)
		return paleo_fail(err, PALEO_EINPUT,
				  "there is no dimension %d in the output of '%s'", p->dim,
				  l->parents[0]->name);
	if (p->from + p->size > dims[p->dim])
		return paleo_fail(err, PALEO_EINPUT,
				  "%d from %d on reaches beyond the %d along dimension %d of '%s'",
				  p->size, p->from, dims[p->dim], p->dim, l->parents[0]->name);
	dims[p->dim] = p->size;
	l->out = paleo_shape_of(l->out.rank, dims);
	return PALEO_OK;
}

/* Forward a copy of what is taken. Backward the parent's whole gradient is written, zeros but for
 * what was taken, whether or not there was a copy. */
static int work(const struct paleo_layer *l, enum paleo_pass pass, enum paleo_dtype dtype,
		struct paleo_work_list *out, struct paleo_error *err)
{
	const struct param *p = l->param;
	const struct paleo_shape s =
		paleo_shape_rows(pass == PALEO_FWD ? &l->out : paleo_layer_in(l));
	const double cols = (double)s.h * s.w * s.c;
	struct paleo_work w = {
		.kind = PALEO_COPY,
		.pass = PALEO_FWD,
		.dtype = dtype,
		.geom.copy = {.rows = s.n, .parts = 1},
	};

	if (pass == PALEO_FWD && p->is_view)
		return PALEO_OK;
	int rc = paleo_check_dim(cols, "an image", err);
	if (rc)
		return rc;
	w.geom.copy.cols = (int)cols;
	return paleo_work_list_add(out, "slice", pass, &w, err);
}

static void describe(const struct paleo_layer *l, char *buf, size_t size)
{
	const struct param *p = l->param;

	snprintf(buf, size, "%d from %d along %d", p->size, p->from, p->dim);
}

const struct paleo_layer_kind paleo_kind_slice = {
	.type = "Slice",
	.param_size = sizeof(struct param),
	.min_parents = 1,
	.max_parents = 1,
	.no_graph = 1,
	.parse = parse,
	.shape = shape,
	.work = work,
	.describe = describe,
};
