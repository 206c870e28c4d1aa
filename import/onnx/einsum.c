/* einsum.c - Einsum: with letters for axes, a GEMM of two values or a permutation of one. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "import/onnx/ops.h"

enum {
	LETTERS = 128,
	TERMS = 2
};

/* "bhqd,bhkd->bhqk" */
struct equation {
	char term[TERMS][ONNX_RANK_MAX + 1], result[ONNX_RANK_MAX + 1];
	int terms;
	double size[LETTERS]; /* of each letter's axis */
};

static int is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Letters of one term behind `at`, without blanks. 0, or -1. */
static int read_term(const char **at, char *out)
{
	int count = 0;

	for (; **at && **at != ',' && **at != '-'; ++*at) {
		if (**at == ' ')
			continue;
		if (!is_letter(**at) || count == ONNX_RANK_MAX || strchr(out, **at))
			return -1;
		out[count++] = **at;
		out[count] = '\0';
	}
	return 0;
}

/* 0, or -1: dots, a letter twice in one term, more than two terms, no result. */
static int parse(const char *text, struct equation *e)
{
	const char *at = text;

	memset(e, 0, sizeof(*e));
	do {
		at += *at == ',';
		if (e->terms == TERMS || read_term(&at, e->term[e->terms++]))
			return -1;
	} while (*at == ',');
	if (strncmp(at, "->", 2) != 0)
		return -1;
	at += 2;
	return read_term(&at, e->result) || *at ? -1 : 0;
}

static int measure(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, struct equation *e)
{
	for (int t = 0; t < e->terms; t++) {
		const struct paleo_onnx_value *v = paleo_onnx_in(job, n, t);
		if (!v || v->rank != (int)strlen(e->term[t]))
			return -1;
		for (int i = 0; i < v->rank; i++) {
			double *size = &e->size[(int)e->term[t][i]];
			if (*size > 1 && v->dims[i] > 1 && *size != v->dims[i])
				return -1;
			*size = *size > v->dims[i] ? *size : v->dims[i];
		}
	}
	for (const char *c = e->result; *c; c++) {
		if (e->size[(int)*c] == 0)
			return -1;
	}
	return 0;
}

/* The letters of `from` that are, or are not, in a and b: -1 asks not. */
static void pick(const char *from, const char *a, int in_a, const char *b, int in_b, char *out)
{
	for (; *from; from++) {
		if ((strchr(a, *from) != NULL) == in_a &&
		    (in_b < 0 || (strchr(b, *from) != NULL) == in_b))
			*out++ = *from;
	}
	*out = '\0';
}

/* The value with its axes in this order of letters; letters are those that it has. */
static void turn(struct paleo_onnx_value *v, const char *letters, const char *order)
{
	int perm[ONNX_RANK_MAX];

	for (int i = 0; order[i]; i++)
		perm[i] = (int)(strchr(letters, order[i]) - letters);
	paleo_onnx_transpose(v, perm);
}

/* Makes the last axes, which these letters name, one. */
static void merge(struct paleo_onnx_value *v, int from, const char *letters)
{
	const int count = (int)strlen(letters);
	double size = 1;

	for (int i = from; i < from + count; i++)
		size *= v->dims[i];
	memmove(v->dims + from + 1, v->dims + from + count,
		(size_t)(v->rank - from - count) * sizeof(v->dims[0]));
	v->dims[from] = size;
	v->rank += 1 - count;
}

struct letters {
	char batch[ONNX_RANK_MAX + 1], rows[ONNX_RANK_MAX + 1], inner[ONNX_RANK_MAX + 1],
		columns[ONNX_RANK_MAX + 1];
};

/* Restores the GEMM's axes: [batch.., rows.., columns..], then in the order of the result. */
static int finish(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		  const struct equation *e, const struct letters *l)
{
	struct paleo_onnx_value *out = paleo_onnx_out(job, n, 0);
	char order[3 * ONNX_RANK_MAX + 1];

	if (out->state != ONNX_TENSOR && out->state != ONNX_SCORES)
		return 0;
	snprintf(order, sizeof(order), "%s%s%s", l->batch, l->rows, l->columns);
	if (out->state == ONNX_SCORES) {
		if (strlen(l->rows) == 1 && strlen(l->columns) == 1 && !strcmp(order, e->result))
			return 0;
		if (paleo_onnx_unfold(job, n, out))
			return 1;
	}
	out->rank = (int)strlen(order);
	for (int i = 0; i < out->rank; i++)
		out->dims[i] = e->size[(int)order[i]];
	turn(out, order, e->result);
	return 0;
}

static int by_weights(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		      struct paleo_onnx_value *x, const struct paleo_onnx_value *w,
		      const struct letters *l)
{
	const struct paleo_onnx_factor f = {.weights = w,
					    .outputs = paleo_onnx_fit_int(w->dims[w->rank - 1])};

	if (w->dims[w->rank - 1] > PALEO_DIM_MAX)
		return paleo_onnx_refuse(job, n, "of too many outputs");
	return l->batch[0] ? paleo_onnx_product_by_weights(job, n, x, w)
			   : paleo_onnx_inner_product(job, n, x, &f);
}

/* One value with its axes in another order. */
static int reorder(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		   const struct equation *e)
{
	struct paleo_onnx_value v;

	if (strlen(e->term[0]) != strlen(e->result))
		return paleo_onnx_refuse(job, n, "with sums of only one operand");
	if (paleo_onnx_repeated(job, n, 0, &v))
		return 1;
	turn(&v, e->term[0], e->result);
	return paleo_onnx_put(job, n, 0, &v);
}

int paleo_onnx_op_einsum(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	char text[64];
	struct equation e;
	struct letters l;
	struct paleo_onnx_value v[2];

	if (paleo_onnx_text(n, "equation", text, sizeof(text)) || parse(text, &e) ||
	    n->input_count != e.terms || measure(job, n, &e))
		return paleo_onnx_refuse(job, n, "of another form than a GEMM of two");
	if (e.terms == 1)
		return reorder(job, n, &e);
	/* weights come second */
	const int turned = paleo_onnx_in(job, n, 0)->state == ONNX_WEIGHT;
	const char *a = e.term[turned], *b = e.term[!turned];
	pick(a, b, 1, e.result, 1, l.batch);
	pick(a, b, 0, e.result, 1, l.rows);
	pick(a, b, 1, e.result, 0, l.inner);
	pick(b, a, 0, e.result, 1, l.columns);
	if (strlen(l.batch) + strlen(l.rows) + strlen(l.inner) != strlen(a) ||
	    strlen(l.batch) + strlen(l.columns) + strlen(l.inner) != strlen(b))
		return paleo_onnx_refuse(job, n, "with sums of only one operand");
	for (int i = 0; i < 2; i++) {
		struct paleo_onnx_value *in = paleo_onnx_in(job, n, i ^ turned);
		v[i] = *in;
		if (i && in->state == ONNX_WEIGHT)
			continue;
		if (in->state == ONNX_SCORES)
			paleo_onnx_unfold(job, n, in);
		if (paleo_onnx_repeated(job, n, i ^ turned, &v[i]))
			return 1;
	}
	char order[3 * ONNX_RANK_MAX + 1];
	snprintf(order, sizeof(order), "%s%s%s", l.batch, l.rows, l.inner);
	turn(&v[0], a, order);
	snprintf(order, sizeof(order), "%s%s%s", l.batch, l.inner, l.columns);
	turn(&v[1], b, order);
	const int batch = (int)strlen(l.batch);
	if (v[0].rank + !l.rows[0] + !l.inner[0] > ONNX_RANK_MAX ||
	    v[1].rank + !l.columns[0] + !l.inner[0] > ONNX_RANK_MAX)
		return paleo_onnx_refuse(job, n, "of too many axes");
	merge(&v[0], batch, l.rows);
	merge(&v[0], batch + 1, l.inner);
	merge(&v[1], batch, l.inner);
	merge(&v[1], batch + 1, l.columns);
	if (v[1].state == ONNX_WEIGHT ? by_weights(job, n, &v[0], &v[1], &l)
				      : paleo_onnx_multiply(job, n, &v[0], &v[1]))
		return 1;
	return finish(job, n, &e, &l);
}
