/* learned.c - which numbers of a file are learned, wherever it has them, and which are counted. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "import/onnx/ops.h"

/* Operators with inputs that are learned, as bits; of MatMul only next to a layer's output. */
static const struct {
	const char *types;
	unsigned inputs;
} learners[] = {{"Conv ConvTranspose FusedConv NhwcConv NhwcFusedConv Gemm FusedGemm GemmFastGelu "
		 "Attention",
		 6},
		{"MatMul FusedMatMul", 3},
		{"LSTM GRU RNN", 14},
		{"PRelu BiasAdd BiasGelu FastGelu", 2},
		{"Gather", 1}};

static unsigned inputs_of(const struct paleo_onnx_node *n)
{
	for (size_t i = 0; i < sizeof(learners) / sizeof(learners[0]); i++)
		if (paleo_onnx_span_in(n->type, learners[i].types))
			return learners[i].inputs;
	return 0;
}

static unsigned learned_inputs(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	unsigned inputs = inputs_of(n);

	for (int i = 0; i < 2 && inputs == 3; i++) {
		const struct paleo_onnx_value *other = paleo_onnx_in(job, n, !i);
		if (other && paleo_onnx_is_aux(other) && other->state != ONNX_SIDE)
			inputs &= ~(1U << i);
	}
	return inputs;
}

int paleo_onnx_has_learner(const struct paleo_onnx_graph *g, int number)
{
	for (int i = 0; i < g->node_count; i++) {
		const struct paleo_onnx_node *n = &g->nodes[i];
		for (int in = 1; in < n->input_count && in < 4; in++)
			if (n->inputs[in] == number && inputs_of(n) != 3 && inputs_of(n) & 1U << in)
				return 1;
	}
	return 0;
}

/* Zeros of a Constant node are an exporter's for a bias that is not there. */
static int is_nothing(const struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int i,
		      const struct paleo_onnx_value *v)
{
	const double count = paleo_onnx_count(v);
	int zeros = i > 1 && v->numbers && !job->learns_constants;

	if (job->graph->names[n->inputs[i]].is_initializer)
		return 0;
	for (int k = 0; zeros && k < (int)count; k++)
		zeros = v->numbers[k] == 0;
	return zeros;
}

void paleo_onnx_make_learned(struct paleo_onnx_value *v, int name)
{
	v->state = ONNX_WEIGHT;
	v->learned = paleo_onnx_count(v);
	v->source = 1 + name;
	v->stored = v->type == ONNX_INT8 || v->type == ONNX_UINT8 ? "int8" : NULL;
}

void paleo_onnx_learn_inputs(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const unsigned inputs = learned_inputs(job, n);
	const struct paleo_onnx_value *places = paleo_onnx_in(job, n, 1);

	if (inputs == 1 && (!places || places->state == ONNX_NUMBERS))
		return; /* a part of known numbers */
	for (int i = 0; i < n->input_count && i < 4; i++) {
		struct paleo_onnx_value *v = paleo_onnx_in(job, n, i);
		if (!(inputs & 1U << i) || !v || v->state != ONNX_NUMBERS || !v->rank ||
		    !paleo_onnx_is_float(v->type) || is_nothing(job, n, i, v))
			continue;
		paleo_onnx_make_learned(v, n->inputs[i]);
		v->numbers = NULL;
	}
}

double paleo_onnx_floats_of(const struct paleo_onnx_graph *g, int constants, int branches)
{
	struct paleo_onnx_tensor t;
	double sum = 0;

	for (int i = 0; i < g->name_count && !constants; i++)
		if (g->names[i].is_initializer && (branches || !g->names[i].branch) &&
		    paleo_onnx_is_float(g->names[i].tensor.type))
			sum += paleo_onnx_tensor_count(&g->names[i].tensor);
	for (int i = 0; i < g->node_count && constants; i++)
		if (paleo_onnx_span_is(g->nodes[i].type, "Constant") &&
		    (branches || !g->nodes[i].branch) &&
		    paleo_onnx_tensor_of(&g->nodes[i], "value", &t) && t.rank &&
		    paleo_onnx_is_float(t.type))
			sum += paleo_onnx_tensor_count(&t);
	return sum;
}

/* 1 if a list of numbers may be stored once for several layers, as untrained factors are: all are
 * one number, or they are not in the file. */
static int is_even(struct paleo_onnx_job *job, const struct paleo_onnx_tensor *t)
{
	const double count = paleo_onnx_tensor_count(t);
	int even = 1;

	if (t->rank != 1 || count > ONNX_NUMBERS_MAX)
		return 0;
	double *numbers = paleo_onnx_new_numbers(job, count);
	if (numbers && !paleo_onnx_tensor_numbers(t, numbers, (int)count)) {
		for (int i = 1; i < (int)count; i++)
			even = even && numbers[i] == numbers[0];
	}
	return even;
}

int paleo_onnx_learn(struct paleo_onnx_job *job, const struct paleo_onnx_value *v)
{
	struct paleo_onnx_value *from = v && v->source ? &job->values[v->source - 1] : NULL;
	const struct paleo_onnx_name *name = from && v->source <= job->graph->name_count
						     ? &job->graph->names[v->source - 1]
						     : NULL;
	const int first =
		!from || !from->counted ||
		(name && (name->is_initializer || name->is_input) && is_even(job, &name->tensor));

	if (from)
		from->counted = 1;
	return first;
}
