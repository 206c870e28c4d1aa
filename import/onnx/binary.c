/* binary.c - operators on two values of one shape, or of shapes that are repeated to one. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "import/onnx/ops.h"

/* Index of element `i` of `shape` in `v`, whose dimensions of 1 are broadcast. */
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
static void fold(struct paleo_onnx_job *job, enum paleo_onnx_op op,
		 const struct paleo_onnx_value *a, const struct paleo_onnx_value *b,
		 struct paleo_onnx_value *made)
{
	const double count = paleo_onnx_count(made);

	made->state = ONNX_NUMBERS;
	if (!a->numbers || !b->numbers)
		return;
	made->numbers = paleo_onnx_new_numbers(job, count);
	for (size_t i = 0; made->numbers && i < (size_t)count; i++) {
		double x = paleo_onnx_apply(op, a->numbers[place(a, made, i)],
					    b->numbers[place(b, made, i)], 0);
		made->numbers[i] = op == OP_DIV && !paleo_onnx_is_float(a->type) ? trunc(x) : x;
	}
}

/* Both operands are functions of the same element, or known. */
static int extend(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		  enum paleo_onnx_op op, const struct paleo_onnx_value *a,
		  const struct paleo_onnx_value *b)
{
	struct paleo_onnx_value *base = paleo_onnx_in(job, n, 0);

	/* The square of a scaled value is recorded as a normalisation in progress, which Gemma
	 * applies to embeddings. */
	if (op == OP_POW && base->state == ONNX_POINT && paleo_onnx_first(b, 0) == 2 &&
	    paleo_onnx_is_factor(job, base))
		paleo_onnx_settle(job, base);
	struct paleo_onnx_value made = paleo_onnx_is_output(a) ? *a : *b, shape = {0};
	if (!paleo_onnx_broadcast(a, b, &shape) &&
	    paleo_onnx_count(&shape) > paleo_onnx_count(&made))
		return paleo_onnx_tensor(job, n, paleo_onnx_is_output(a) ? 0 : 1, &made) ||
		       paleo_onnx_choose(job, n, &made, shape.dims, shape.rank);
	const int x = paleo_onnx_expression_of(job, a), y = paleo_onnx_expression_of(job, b);
	return paleo_onnx_put_point(job, n, &made, paleo_onnx_express(job, op, x, y, 0));
}

/* Two layers' outputs: a layer of their sum, product or maximum. A difference costs as much as a
 * sum, a quotient as a product. */
static int join(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, enum paleo_onnx_op op)
{
	struct paleo_onnx_value v[2]; /* the gate is the second one */

	if (paleo_onnx_tensor(job, n, 0, &v[0]) || paleo_onnx_tensor(job, n, 1, &v[1]))
		return 1;
	if (op != OP_ADD && op != OP_SUB && op != OP_MUL && op != OP_DIV && op != OP_MAX)
		return paleo_onnx_refuse(job, n, "of two layers' outputs");
	if (paleo_onnx_count(&v[0]) < paleo_onnx_count(&v[1])) {
		const struct paleo_onnx_value larger = v[1];
		v[1] = v[0];
		v[0] = larger;
	}
	if (!paleo_onnx_fits(job, &v[0], &v[1]) && paleo_onnx_meet(job, n, &v[0], &v[1]))
		return paleo_onnx_refuse(job, n, "of outputs with different layouts");
	if (v[0].view.layer == v[1].view.layer)
		paleo_onnx_other(job, n, &v[1].view.layer);
	const struct paleo_onnx_value like = v[0];
	paleo_onnx_alike(job, n, v, 2);
	const int parents[2] = {v[0].view.layer, v[1].view.layer};
	int layer = paleo_onnx_add_layer(job, n, "Elementwise", parents, 2);
	if (op != OP_ADD && op != OP_SUB)
		paleo_onnx_put_word(job, "op", op == OP_MAX ? "max" : "mul");
	return paleo_onnx_on_layer(job, n, &like, layer);
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

/* The embedding layer, itself or as one term of a sum, before position embeddings are added; -1:
 * none. */
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

/* Weights that become part of the layer before: its bias, its factors, its places. */
static int joins_layer(struct paleo_onnx_job *job, const struct paleo_onnx_name *name,
		       enum paleo_onnx_op op, const struct paleo_onnx_value *v,
		       const struct paleo_onnx_value *w)
{
	const int part = op == OP_ADD ? ONNX_OPEN_SHIFT : op == OP_MUL ? ONNX_OPEN_SCALE : 0;
	struct paleo_onnx_layer *l = &job->layers[v->view.layer];

	if (!is_per_channel(job, v, w) && !is_per_head(job, v, w)) {
		if (op != OP_ADD || !add_places(job, v, w))
			return 0;
		paleo_onnx_learn(job, w);
		return 1;
	}
	if (!(l->open & part) || name->readers != 1)
		return 0;
	l->open &= ~part;
	if (part == ONNX_OPEN_SHIFT && l->shift)
		paleo_onnx_set(job, v->view.layer, l->shift, 1);
	if (!paleo_onnx_learn(job, w) &&
	    (part == ONNX_OPEN_SCALE || paleo_onnx_has(job, v->view.layer, "tied")))
		paleo_onnx_flag(job, v->view.layer, "shared", 1);
	return 1;
}

/* A layer's output and weights: a bias, the factors of a normalisation, positions. */
static int learned(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		   enum paleo_onnx_op op, int which)
{
	const struct paleo_onnx_value w = *paleo_onnx_in(job, n, !which);
	struct paleo_onnx_value v, shape = {0};

	if (paleo_onnx_tensor(job, n, which, &v))
		return 1;
	if (joins_layer(job, &job->graph->names[n->inputs[which]], op, &v, &w))
		return paleo_onnx_on_layer(job, n, &v, v.view.layer);
	const double elements = paleo_onnx_count(&w);
	const int shared = !paleo_onnx_learn(job, &w);
	const int by_channel = op == OP_MUL && is_per_channel(job, &v, &w);
	if (paleo_onnx_count(&v) < elements && !paleo_onnx_broadcast(&v, &w, &shape)) {
		if (paleo_onnx_choose(job, n, &v, shape.dims, shape.rank))
			return 1;
		v = *paleo_onnx_out(job, n, 0);
	}
	if (w.learned > PALEO_DIM_MAX || paleo_onnx_count(&v) < elements)
		return paleo_onnx_refuse(job, n, "with unsupported weights");
	const char *type = op == OP_ADD || op == OP_SUB ? "Position" : "Scale";
	int layer = paleo_onnx_add_layer(job, n, type, &v.view.layer, 1);
	const struct paleo_shape *s = &job->layers[v.view.layer].out;
	const double image = paleo_shape_count(s) / s->n;
	if (!by_channel && (op != OP_ADD || w.learned != image)) {
		paleo_onnx_put_int(job, "numbers", (int)w.learned);
		if (elements < image && fmod(image, elements) == 0)
			paleo_onnx_put_int(job, "elements", (int)elements);
	}
	if (shared)
		paleo_onnx_put_flag(job, "shared", 1);
	return paleo_onnx_on_layer(job, n, &v, layer);
}

/* Neither is a layer's output: known, learned, or on the side. */
static void aux(struct paleo_onnx_job *job, enum paleo_onnx_op op, const struct paleo_onnx_value *a,
		const struct paleo_onnx_value *b, struct paleo_onnx_value *made)
{
	if (a->state == ONNX_NUMBERS && b->state == ONNX_NUMBERS) {
		fold(job, op, a, b, made);
		return;
	}
	made->state = a->state == ONNX_SIDE || b->state == ONNX_SIDE ? ONNX_SIDE : ONNX_WEIGHT;
	made->learned = a->learned + b->learned;
	made->source = a->learned > 0 ? a->source : b->source;
	made->scale = op == OP_MUL && (a->scale || b->scale);
}

/* A learned bias of scores differs by head and by query. Anything else is a mask computed by the
 * exporter. */
static int is_mask(enum paleo_onnx_op op, const struct paleo_onnx_value *scores,
		   const struct paleo_onnx_value *with)
{
	const int rank = with->rank;

	return op == OP_ADD && (rank < 2 || with->dims[rank - 2] == 1 ||
				(scores->heads > 1 && (rank < 3 || with->dims[rank - 3] == 1)));
}

/* Scores stay scores when they are scaled or masked. */
static int mask(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, enum paleo_onnx_op op,
		const struct paleo_onnx_value *a, const struct paleo_onnx_value *b)
{
	struct paleo_onnx_value scores = a->state == ONNX_SCORES ? *a : *b;
	const struct paleo_onnx_value *with = a->state == ONNX_SCORES ? b : a;

	if (!paleo_onnx_is_aux(with))
		return paleo_onnx_refuse(job, n, "of attention's scores and a layer's output");
	const int table = with->learned > 0 && !is_mask(op, &scores, with);
	if (table && with->learned > PALEO_DIM_MAX - scores.score_table)
		return paleo_onnx_refuse(job, n, "of scores and more than 2^24 parameters");
	if (table && paleo_onnx_learn(job, with))
		scores.score_table += (int)with->learned;
	return paleo_onnx_put(job, n, 0, &scores);
}

/* The rest: at least one is a layer's output, or a function of it. */
static int combine(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		   enum paleo_onnx_op op)
{
	struct paleo_onnx_value *a = paleo_onnx_in(job, n, 0), *b = paleo_onnx_in(job, n, 1);

	for (int i = 0; i < 2; i++) {
		struct paleo_onnx_value *v = i ? b : a;
		if ((!paleo_onnx_is_output(a) && !paleo_onnx_is_output(b)) ||
		    (v->state == ONNX_STAT && v->stat != STAT_MEAN))
			return paleo_onnx_refuse(job, n, "within a partial normalisation");
		if (v->state == ONNX_STAT)
			paleo_onnx_settle_mean(job, n, v);
		if (v->state == ONNX_UNKNOWN)
			return 1;
	}
	const int apart = paleo_onnx_is_aux(a) || paleo_onnx_is_aux(b);
	if (!apart && (!paleo_onnx_is_output(a) || !paleo_onnx_is_output(b)))
		return paleo_onnx_refuse(job, n, "of a value that is not a layer's output");
	if (a->state == ONNX_NUMBERS || b->state == ONNX_NUMBERS ||
	    ((a->state == ONNX_SIDE || b->state == ONNX_SIDE) && a->learned + b->learned == 0) ||
	    (!apart && paleo_onnx_view_same(&a->view, &b->view) && a->view.layer == b->view.layer))
		return extend(job, n, op, a, b);
	return apart ? learned(job, n, op, paleo_onnx_is_aux(a)) : join(job, n, op);
}

/* Before opset 7 numbers said along which axis they lie, 1 for one of each channel. */
static void put_axis(const struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		     const struct paleo_onnx_value *a, struct paleo_onnx_value *b)
{
	const double axis = paleo_onnx_int(n, "axis", a->rank);

	if (job->graph->opset >= 7 || !paleo_onnx_is_aux(b))
		return;
	while (axis >= 0 && axis + b->rank < a->rank)
		b->dims[b->rank++] = 1;
}

int paleo_onnx_op_binary(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const struct paleo_onnx_value *a = paleo_onnx_in(job, n, 0);
	struct paleo_onnx_value *b = paleo_onnx_in(job, n, 1), made = {0};
	const enum paleo_onnx_op op = paleo_onnx_op_of(n);

	if (a && !b && n->input_count == 1)
		return paleo_onnx_put(job, n, 0, a);
	if (!a || !b || n->input_count != 2)
		return paleo_onnx_refuse(job, n, "of more than two operands");
	put_axis(job, n, a, b);
	if (paleo_onnx_broadcast(a, b, &made))
		return paleo_onnx_refuse(job, n, "of shapes that do not fit");
	made.type = op >= OP_EQUAL && op <= OP_XOR ? ONNX_BOOL : a->type;
	if (paleo_onnx_is_aux(a) && paleo_onnx_is_aux(b)) {
		aux(job, op, a, b, &made);
		return paleo_onnx_put(job, n, 0, &made);
	}
	if (paleo_onnx_count(&made) < 1)
		return paleo_onnx_refuse(job, n, "of a layer's output and nothing");
	if (op == OP_MUL && (a->scale || b->scale)) /* of whole numbers back to others */
		return paleo_onnx_put(job, n, 0, a->scale ? b : a);
	if (paleo_onnx_stat_binary(job, n))
		return 0;
	if (a->state == ONNX_SCORES || b->state == ONNX_SCORES)
		return mask(job, n, op, a, b);
	return combine(job, n, op);
}

/* Several operands: the first two, then that result and the next one. */
int paleo_onnx_op_several(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	if (n->input_count <= 2)
		return paleo_onnx_op_binary(job, n);
	if (n->output_count < 1 || n->outputs[0] < 0)
		return 0;
	for (int i = 1; i < n->input_count; i++) {
		int inputs[2] = {i == 1 ? n->inputs[0] : n->outputs[0], n->inputs[i]};
		struct paleo_onnx_node two = *n;
		two.inputs = inputs;
		two.input_count = 2;
		paleo_onnx_op_binary(job, &two);
		if (paleo_onnx_out(job, n, 0)->state == ONNX_UNKNOWN)
			return 1;
	}
	return 0;
}

/* Layers' outputs: a function, where all have the same elements; an elementwise op, where the rest
 * is known or auxiliary; else it costs as much as a multiplication of two. */
static int choose(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const struct paleo_onnx_value *first = NULL;
	int of[3], two[3], differ = 0, count = 0;

	for (int i = 0; i < 3; i++) {
		const struct paleo_onnx_value *v = paleo_onnx_in(job, n, i);
		if (paleo_onnx_is_aux(v))
			continue;
		if (!paleo_onnx_is_output(v))
			return paleo_onnx_refuse(job, n, "of a value that is not a layer's output");
		first = first ? first : v;
		differ |= v->view.layer != first->view.layer ||
			  !paleo_onnx_view_same(&v->view, &first->view);
		two[count++] = n->inputs[i];
	}
	if (differ) {
		struct paleo_onnx_node as = *n;
		as.inputs = two + (count == 3); /* both that are chosen from */
		as.input_count = 2;
		return join(job, &as, OP_MUL);
	}
	for (int i = 0; i < 3; i++)
		of[i] = paleo_onnx_expression_of(job, paleo_onnx_in(job, n, i));
	const int both = paleo_onnx_express(job, OP_PAIR, of[1], of[2], 0);
	return paleo_onnx_put_point(job, n, first,
				    paleo_onnx_express(job, OP_SELECT, of[0], both, 0));
}

int paleo_onnx_op_where(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const struct paleo_onnx_value *c = paleo_onnx_in(job, n, 0), *a = paleo_onnx_in(job, n, 1),
				      *b = paleo_onnx_in(job, n, 2);
	struct paleo_onnx_value shape = {0}, made = {0};

	if (!c || !a || !b)
		return paleo_onnx_refuse(job, n, "of nothing");
	const int scores = a->state == ONNX_SCORES || b->state == ONNX_SCORES;
	if (scores && c->state == ONNX_SIDE && paleo_onnx_is_aux(a->state == ONNX_SCORES ? b : a))
		return mask(job, n, OP_ADD, a, b);
	if (paleo_onnx_broadcast(a, b, &shape) || paleo_onnx_broadcast(c, &shape, &made))
		return paleo_onnx_refuse(job, n, "of shapes that do not fit");
	if (scores)
		return mask(job, n, OP_ADD, a, b);
	if (!paleo_onnx_is_aux(a) || !paleo_onnx_is_aux(b) || !paleo_onnx_is_aux(c))
		return choose(job, n);
	made.type = a->type;
	made.learned = a->learned + b->learned;
	made.source = a->learned > 0 ? a->source : b->source;
	const double count = paleo_onnx_count(&made);
	const int known = c->numbers && a->numbers && b->numbers;
	made.numbers = known ? paleo_onnx_new_numbers(job, count) : NULL;
	made.state = made.numbers ? ONNX_NUMBERS : ONNX_SIDE;
	for (size_t i = 0; known && made.numbers && i < (size_t)count; i++)
		made.numbers[i] = c->numbers[place(c, &made, i)] != 0
					  ? a->numbers[place(a, &made, i)]
					  : b->numbers[place(b, &made, i)];
	return paleo_onnx_put(job, n, 0, &made);
}
