/* binary.c - operators on two values of one shape, or of shapes that are repeated to one. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/import/onnx/ops.h"
#include "model/import/onnx/point.h"
#include "model/import/onnx/stat.h"
#include "model/import/onnx/turn.h"
#include "model/net/layers/common.h"

static const struct {
	const char *type;
	enum paleo_onnx_op op;
} names[] = {
	{"Add", OP_ADD},         {"Sum", OP_ADD},
	{"Sub", OP_SUB},         {"Mul", OP_MUL},
	{"Div", OP_DIV},         {"Pow", OP_POW},
	{"Max", OP_MAX},         {"Min", OP_MIN},
	{"Mod", OP_MOD},         {"Equal", OP_EQUAL},
	{"Greater", OP_GREATER}, {"GreaterOrEqual", OP_GREATER_EQUAL},
	{"Less", OP_LESS},       {"LessOrEqual", OP_LESS_EQUAL},
	{"And", OP_AND},         {"Or", OP_OR},
	{"Xor", OP_XOR},
};

static enum paleo_onnx_op op_of(const struct paleo_onnx_node *n)
{
	size_t i = 0;

	while (i + 1 < sizeof(names) / sizeof(names[0]) &&
	       !paleo_onnx_span_is(n->type, names[i].type))
		i++;
	return names[i].op;
}

/* Where element `i` of `shape` lies in `v`, whose dimensions of 1 are repeated. */
static size_t place(const struct paleo_onnx_value *v, const struct paleo_onnx_value *shape,
		    size_t i)
{
	size_t at = 0, step = 1;

	for (int d = 1; d <= shape->rank; d++) {
		const size_t size = (size_t)shape->dims[shape->rank - d];
		if (d <= v->rank && v->dims[v->rank - d] > 1)
			at += i % size * step;
		if (d <= v->rank)
			step *= (size_t)v->dims[v->rank - d];
		i /= size ? size : 1;
	}
	return at;
}

/* Both are known: so is the result, unless it is large. Whole numbers are divided as such. */
static int fold(enum paleo_onnx_op op, const struct paleo_onnx_value *a,
		const struct paleo_onnx_value *b, struct paleo_onnx_value *made,
		struct paleo_error *err)
{
	const double count = paleo_onnx_count(made);

	made->state = ONNX_NUMBERS;
	if (!a->numbers || !b->numbers || count > ONNX_NUMBERS_MAX)
		return PALEO_OK;
	made->numbers = malloc(((size_t)count + 1) * sizeof(double));
	if (!made->numbers)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	for (size_t i = 0; i < (size_t)count; i++) {
		double x = paleo_onnx_apply(op, a->numbers[place(a, made, i)],
					    b->numbers[place(b, made, i)], 0);
		made->numbers[i] = op == OP_DIV && !paleo_onnx_is_float(a->type) ? trunc(x) : x;
	}
	return PALEO_OK;
}

static int is_layers(const struct paleo_onnx_value *v)
{
	return v->state == ONNX_TENSOR || v->state == ONNX_POINT;
}

/* The expression of an operand of a function of `x`; -1 without memory. */
static int operand(struct paleo_onnx_job *job, const struct paleo_onnx_value *v)
{
	if (v->state == ONNX_POINT)
		return v->expression;
	if (v->state == ONNX_TENSOR)
		return paleo_onnx_express(job, OP_X, -1, -1, 0);
	return paleo_onnx_express(job, OP_CONSTANT, -1, -1, v->numbers ? v->numbers[0] : 0.5);
}

/* Both operands are functions of the same element, or known. */
static int extend(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		  enum paleo_onnx_op op, const struct paleo_onnx_value *a,
		  const struct paleo_onnx_value *b, struct paleo_onnx_value *out,
		  struct paleo_error *err)
{
	struct paleo_onnx_value *base = paleo_onnx_in(job, n, 0);

	/* The square of what has a factor, as the words that Gemma looks up: of a normalisation. */
	if (op == OP_POW && base->state == ONNX_POINT && b->numbers && b->numbers[0] == 2 &&
	    paleo_onnx_is_factor(job, base)) {
		int rc = paleo_onnx_settle(job, base, err);
		if (rc < 0)
			return rc;
	}
	struct paleo_onnx_value made = is_layers(a) ? *a : *b, shape = {0};
	if (!paleo_onnx_broadcast(a, b, &shape) &&
	    paleo_onnx_count(&shape) > paleo_onnx_count(&made)) {
		int rc = paleo_onnx_tensor(job, n, is_layers(a) ? 0 : 1, &made, err);
		return rc ? (rc < 0 ? rc : PALEO_OK)
			  : paleo_onnx_choose(job, n, &made, shape.dims, shape.rank, err);
	}
	const int x = operand(job, a), y = operand(job, b);

	made.expression = x < 0 || y < 0 ? -1 : paleo_onnx_express(job, op, x, y, 0);
	if (made.expression < 0)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	made.state = ONNX_POINT;
	made.by = n->number;
	made.numbers = NULL;
	free(out->numbers);
	*out = made;
	return PALEO_OK;
}

/* Two layers' outputs: a layer of their sum, product or maximum. A difference costs as a sum, a
 * quotient as a product. */
static int join(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, enum paleo_onnx_op op,
		struct paleo_onnx_value *out, struct paleo_error *err)
{
	struct paleo_onnx_value a, b;
	int rc = paleo_onnx_tensor(job, n, 0, &a, err);

	if (!rc)
		rc = paleo_onnx_tensor(job, n, 1, &b, err);
	if (rc)
		return rc < 0 ? rc : PALEO_OK;
	if (op != OP_ADD && op != OP_SUB && op != OP_MUL && op != OP_DIV && op != OP_MAX)
		return paleo_onnx_refuse(job, n, "of two layers' outputs", err);
	if (paleo_onnx_count(&a) < paleo_onnx_count(&b)) { /* the gate is the second one */
		const struct paleo_onnx_value larger = b;
		b = a;
		a = larger;
	}
	rc = paleo_onnx_fits(job, &a, &b) ? PALEO_OK : paleo_onnx_meet(job, n, &a, &b, err);
	if (!rc && a.view.layer == b.view.layer)
		rc = paleo_onnx_other(job, n, &b.view.layer, err);
	if (rc)
		return rc < 0 ? rc
			      : paleo_onnx_refuse(job, n, "of outputs that lie otherwise", err);
	struct paleo_onnx_value both[2] = {a, b};
	rc = paleo_onnx_alike(job, n, both, 2, err);
	if (rc)
		return rc;
	const int parents[2] = {both[0].view.layer, both[1].view.layer};
	int layer = paleo_onnx_add_layer(job, n, "Elementwise", parents, 2);
	if (layer < 0)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	if (op != OP_ADD && op != OP_SUB)
		paleo_onnx_put_word(job, "op", op == OP_MAX ? "max" : "mul");
	paleo_onnx_on_layer(&a, layer, out);
	return PALEO_OK;
}

/* Weights that are one number for each of the layer's channels, along the channels' axis. */
static int is_per_channel(const struct paleo_onnx_job *job, const struct paleo_onnx_value *v,
			  const struct paleo_onnx_value *w)
{
	for (int i = 0; i < v->rank; i++) {
		const int k = i - v->rank + w->rank;
		if (k >= 0 && w->dims[k] > 1 && !paleo_onnx_axis_is(job, v, i, ONNX_C))
			return 0;
	}
	return w->learned == job->layers[v->view.layer].out.c;
}

/* The same of each head, behind a normalisation of heads. */
static int is_per_head(const struct paleo_onnx_job *job, const struct paleo_onnx_value *v,
		       const struct paleo_onnx_value *w)
{
	const struct paleo_onnx_layer *l = &job->layers[v->view.layer];
	const int heads = paleo_onnx_heads_in(job, v);

	return heads > 1 && !strcmp(l->type, "RMSNorm") && l->key_count == 1 && w->rank > 0 &&
	       w->learned == v->dims[3] && w->dims[w->rank - 1] == v->dims[3];
}

/* The layer that looks words up, itself or one term of a sum, where nothing for places is added
 * yet; -1: none. */
static int embedding_of(const struct paleo_onnx_job *job, int layer)
{
	const struct paleo_onnx_layer *l = &job->layers[layer];

	if (!strcmp(l->type, "Embedding") && l->key_count == 2)
		return layer;
	for (int i = 0; i < l->parent_count && !strcmp(l->type, "Elementwise"); i++) {
		const struct paleo_onnx_layer *p = &job->layers[l->parents[i]];
		if (!strcmp(p->type, "Embedding") && p->key_count == 2)
			return l->parents[i];
	}
	return -1;
}

/* Numbers for each place that are rows of a learned table, which may be longer than the text. */
static int add_places(struct paleo_onnx_job *job, const struct paleo_onnx_value *v,
		      const struct paleo_onnx_value *w)
{
	const struct paleo_shape *s = &job->layers[v->view.layer].out;
	const int embedding = embedding_of(job, v->view.layer);

	if (embedding < 0 || paleo_onnx_count(w) * s->n != paleo_shape_count(s))
		return 0;
	const double rows = w->learned / s->c; /* fewer than tokens: the types of these */
	if (rows < 1 || rows > PALEO_DIM_MAX)
		return 0;
	paleo_onnx_set(job, embedding, rows < s->h ? "num_types" : "num_places", (int)rows);
	return 1;
}

/* A layer's output and weights: a bias, the factors of a normalisation, positions. */
static int learned(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		   enum paleo_onnx_op op, int which, struct paleo_onnx_value *out,
		   struct paleo_error *err)
{
	const struct paleo_onnx_value w = *paleo_onnx_in(job, n, !which);
	struct paleo_onnx_value v;
	int rc = paleo_onnx_tensor(job, n, which, &v, err);

	if (rc)
		return rc < 0 ? rc : PALEO_OK;
	struct paleo_onnx_layer *l = &job->layers[v.view.layer];
	const int part = op == OP_ADD ? ONNX_OPEN_SHIFT : op == OP_MUL ? ONNX_OPEN_SCALE : 0;
	const char *type;
	if (is_per_channel(job, &v, &w) || is_per_head(job, &v, &w)) {
		if (l->open & part && job->graph->names[n->inputs[which]].readers == 1) {
			l->open &= ~part;
			if (part == ONNX_OPEN_SHIFT && l->shift)
				paleo_onnx_set(job, v.view.layer, l->shift, 1);
			if (!paleo_onnx_learn(job, &w) &&
			    (part == ONNX_OPEN_SCALE || paleo_onnx_has(job, v.view.layer, "tied")))
				paleo_onnx_flag(job, v.view.layer, "shared");
			paleo_onnx_on_layer(&v, v.view.layer, out);
			return PALEO_OK;
		}
	} else if (op == OP_ADD && add_places(job, &v, &w)) {
		paleo_onnx_learn(job, &w);
		paleo_onnx_on_layer(&v, v.view.layer, out);
		return PALEO_OK;
	}
	const double elements = paleo_onnx_count(&w);
	const int shared = !paleo_onnx_learn(job, &w);
	const int by_channel = op == OP_MUL && is_per_channel(job, &v, &w);
	struct paleo_onnx_value shape = {0};
	if (paleo_onnx_count(&v) < elements && !paleo_onnx_broadcast(&v, &w, &shape)) {
		rc = paleo_onnx_choose(job, n, &v, shape.dims, shape.rank, err);
		if (rc || out->state != ONNX_TENSOR)
			return rc;
		v = *out;
	}
	if (w.learned > PALEO_DIM_MAX || paleo_onnx_count(&v) < elements)
		return paleo_onnx_refuse(job, n, "with weights that no layer here has", err);
	type = op == OP_ADD || op == OP_SUB ? "Position" : "Scale";
	int layer = paleo_onnx_add_layer(job, n, type, &v.view.layer, 1);
	if (layer < 0)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	const struct paleo_shape *s = &job->layers[v.view.layer].out;
	const double image = paleo_shape_count(s) / s->n;
	if (!by_channel && (op != OP_ADD || w.learned != image)) {
		paleo_onnx_put_int(job, "numbers", (int)w.learned);
		if (elements < image && fmod(image, elements) == 0)
			paleo_onnx_put_int(job, "elements", (int)elements);
	}
	if (shared)
		paleo_onnx_put_flag(job, "shared", 1);
	paleo_onnx_on_layer(&v, layer, out);
	return PALEO_OK;
}

/* Neither is a layer's output: known, learned, or on the side. */
static int beside(enum paleo_onnx_op op, const struct paleo_onnx_value *a,
		  const struct paleo_onnx_value *b, struct paleo_onnx_value *made,
		  struct paleo_error *err)
{
	if (a->state == ONNX_NUMBERS && b->state == ONNX_NUMBERS)
		return fold(op, a, b, made, err);
	made->state = a->state == ONNX_SIDE || b->state == ONNX_SIDE ? ONNX_SIDE : ONNX_WEIGHT;
	made->learned = a->learned + b->learned;
	made->source = a->learned > 0 ? a->source : b->source;
	made->scale = op == OP_MUL && (a->scale || b->scale);
	return PALEO_OK;
}

/* What is added to scores and is learned differs from head to head and from query to query. What
 * does not is a mask that the exporter has computed. */
static int is_mask(enum paleo_onnx_op op, const struct paleo_onnx_value *scores,
		   const struct paleo_onnx_value *with)
{
	const int rank = with->rank;

	return op == OP_ADD && (rank < 2 || with->dims[rank - 2] == 1 ||
				(scores->heads > 1 && (rank < 3 || with->dims[rank - 3] == 1)));
}

/* Scores stay scores when they are scaled or masked. */
static int mask(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, enum paleo_onnx_op op,
		const struct paleo_onnx_value *a, const struct paleo_onnx_value *b,
		struct paleo_onnx_value *out, struct paleo_error *err)
{
	const struct paleo_onnx_value *scores = a->state == ONNX_SCORES ? a : b;

	const struct paleo_onnx_value *with = scores == a ? b : a;

	if (!paleo_onnx_is_beside(with))
		return paleo_onnx_refuse(job, n, "of attention's scores and a layer's output", err);
	const int table = with->learned > 0 && !is_mask(op, scores, with);
	if (table && with->learned > PALEO_DIM_MAX - scores->score_table)
		return paleo_onnx_refuse(job, n, "of scores and more than 2^24 learned numbers",
					 err);
	int rc = paleo_onnx_copy(scores, out, err);
	if (!rc && table && paleo_onnx_learn(job, with))
		out->score_table += (int)with->learned;
	return rc;
}

/* The rest: at least one is a layer's output, or a function of it. */
static int combine(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		   enum paleo_onnx_op op, struct paleo_onnx_value *out, struct paleo_error *err)
{
	const struct paleo_onnx_value *a = paleo_onnx_in(job, n, 0), *b = paleo_onnx_in(job, n, 1);

	if (!is_layers(a) && !is_layers(b))
		return paleo_onnx_refuse(job, n, "of a step of a normalisation", err);
	if (a->state == ONNX_STAT || b->state == ONNX_STAT) {
		for (int i = 0; i < 2; i++) {
			struct paleo_onnx_value *v = paleo_onnx_in(job, n, i);
			if (v->state != ONNX_STAT)
				continue;
			if (v->stat != STAT_MEAN)
				return paleo_onnx_refuse(job, n, "of a step of a normalisation",
							 err);
			int rc = paleo_onnx_settle_mean(job, n, v, err);
			if (rc || v->state != ONNX_TENSOR)
				return rc;
		}
	}
	if (!paleo_onnx_is_beside(a) && !paleo_onnx_is_beside(b) &&
	    (!is_layers(a) || !is_layers(b)))
		return paleo_onnx_refuse(job, n, "of what is no layer's output", err);
	if (a->state == ONNX_NUMBERS || b->state == ONNX_NUMBERS ||
	    ((a->state == ONNX_SIDE || b->state == ONNX_SIDE) && a->learned + b->learned == 0) ||
	    (is_layers(a) && is_layers(b) && paleo_onnx_view_same(&a->view, &b->view) &&
	     a->view.layer == b->view.layer))
		return extend(job, n, op, a, b, out, err);
	if (paleo_onnx_is_beside(a) || paleo_onnx_is_beside(b))
		return learned(job, n, op, paleo_onnx_is_beside(a), out, err);
	return join(job, n, op, out, err);
}

/* Before opset 7 numbers said along which axis they lie, 1 for one of each channel. */
static void put_axis(const struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		     const struct paleo_onnx_value *a, struct paleo_onnx_value *b)
{
	const double axis = paleo_onnx_int(n, "axis", a->rank);

	if (job->graph->opset >= 7 || !paleo_onnx_is_beside(b))
		return;
	while (axis >= 0 && axis + b->rank < a->rank)
		b->dims[b->rank++] = 1;
}

int paleo_onnx_op_binary(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			 struct paleo_error *err)
{
	const struct paleo_onnx_value *a = paleo_onnx_in(job, n, 0);
	struct paleo_onnx_value *b = paleo_onnx_in(job, n, 1), *out = paleo_onnx_out(job, n, 0);
	const enum paleo_onnx_op op = op_of(n);
	struct paleo_onnx_value made = {0};
	int done = 0;

	if (a && !b && n->input_count == 1)
		return paleo_onnx_copy(a, out, err);
	if (!a || !b || n->input_count != 2)
		return paleo_onnx_refuse(job, n, "of more than two operands", err);
	put_axis(job, n, a, b);
	if (paleo_onnx_broadcast(a, b, &made))
		return paleo_onnx_refuse(job, n, "of shapes that do not fit", err);
	made.type = op >= OP_EQUAL && op <= OP_XOR ? ONNX_BOOL : a->type;
	if (paleo_onnx_is_beside(a) && paleo_onnx_is_beside(b)) {
		int rc = beside(op, a, b, &made, err);
		if (rc)
			return rc;
		free(out->numbers);
		*out = made;
		return PALEO_OK;
	}
	if (op == OP_MUL && (a->scale || b->scale)) /* of whole numbers back to others */
		return paleo_onnx_copy(a->scale ? b : a, out, err);
	int rc = paleo_onnx_stat_binary(job, n, out, &done, err);
	if (rc || done)
		return rc;
	if (a->state == ONNX_SCORES || b->state == ONNX_SCORES)
		return mask(job, n, op, a, b, out, err);
	return combine(job, n, op, out, err);
}

/* Of layers' outputs: a function, where all are of the same elements; a pass over them, where the
 * rest is known or on the side; else it costs as a product of two. */
static int choose(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		  struct paleo_onnx_value *out, struct paleo_error *err)
{
	struct paleo_onnx_value *in[3], made = {0};
	int of[3], two[3], differ = 0, count = 0;

	for (int i = 0; i < 3; i++) {
		in[i] = paleo_onnx_in(job, n, i);
		if (!paleo_onnx_is_beside(in[i]) && !is_layers(in[i]))
			return paleo_onnx_refuse(job, n, "of what is no layer's output", err);
		if (paleo_onnx_is_beside(in[i]))
			continue;
		if (!count)
			made = *in[i];
		differ |= in[i]->view.layer != made.view.layer ||
			  !paleo_onnx_view_same(&in[i]->view, &made.view);
		two[count++] = n->inputs[i];
	}
	if (differ) {
		struct paleo_onnx_node as = *n;
		as.inputs = two + (count == 3); /* both that are chosen from */
		as.input_count = 2;
		return join(job, &as, OP_MUL, out, err);
	}
	for (int i = 0; i < 3; i++) {
		of[i] = operand(job, in[i]);
		if (of[i] < 0)
			return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	}
	const int both = paleo_onnx_express(job, OP_PAIR, of[1], of[2], 0);
	made.expression = both < 0 ? -1 : paleo_onnx_express(job, OP_SELECT, of[0], both, 0);
	if (made.expression < 0)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	made.state = ONNX_POINT;
	made.by = n->number;
	made.numbers = NULL;
	free(out->numbers);
	*out = made;
	return PALEO_OK;
}

int paleo_onnx_op_where(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			struct paleo_error *err)
{
	const struct paleo_onnx_value *c = paleo_onnx_in(job, n, 0), *a = paleo_onnx_in(job, n, 1),
				      *b = paleo_onnx_in(job, n, 2);
	struct paleo_onnx_value *out = paleo_onnx_out(job, n, 0);
	struct paleo_onnx_value shape = {0}, made = {0};

	if (!c || !a || !b)
		return paleo_onnx_refuse(job, n, "of nothing", err);
	if (c->state == ONNX_SIDE && (a->state == ONNX_SCORES || b->state == ONNX_SCORES) &&
	    paleo_onnx_is_beside(a->state == ONNX_SCORES ? b : a))
		return mask(job, n, OP_ADD, a, b, out, err);
	if (paleo_onnx_broadcast(a, b, &shape) || paleo_onnx_broadcast(c, &shape, &made))
		return paleo_onnx_refuse(job, n, "of shapes that do not fit", err);
	if (a->state == ONNX_SCORES || b->state == ONNX_SCORES)
		return mask(job, n, OP_ADD, a, b, out, err);
	if (!paleo_onnx_is_beside(a) || !paleo_onnx_is_beside(b) || !paleo_onnx_is_beside(c))
		return choose(job, n, out, err);
	made.type = a->type;
	made.state = ONNX_SIDE;
	made.learned = a->learned + b->learned;
	made.source = a->learned > 0 ? a->source : b->source;
	const double count = paleo_onnx_count(&made);
	if (c->numbers && a->numbers && b->numbers && count <= ONNX_NUMBERS_MAX) {
		made.state = ONNX_NUMBERS;
		made.numbers = malloc(((size_t)count + 1) * sizeof(double));
		if (!made.numbers)
			return paleo_fail(err, PALEO_ENOMEM, "out of memory");
		for (size_t i = 0; i < (size_t)count; i++)
			made.numbers[i] = c->numbers[place(c, &made, i)] != 0
						  ? a->numbers[place(a, &made, i)]
						  : b->numbers[place(b, &made, i)];
	}
	free(out->numbers);
	*out = made;
	return PALEO_OK;
}
