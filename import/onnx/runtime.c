/* runtime.c - operators of ONNX Runtime: others of whole numbers, fused, or with channels last. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "import/onnx/ops.h"
#include "model/op/dtype.h"

/* The value with its channels first or last, as pictures and lines have them. */
static struct paleo_onnx_value turn(const struct paleo_onnx_value *v, int first)
{
	struct paleo_onnx_value made = *v;
	const int last = v->rank - 1;
	int order[ONNX_RANK_MAX] = {0};

	for (int i = 1; i <= last; i++)
		order[i] = first ? (i == 1 ? last : i - 1) : (i == last ? 1 : i + 1);
	paleo_onnx_transpose(&made, order);
	return made;
}

static int is_turnable(const struct paleo_onnx_value *v)
{
	return v && (v->rank == 3 || v->rank == 4) && paleo_onnx_is_output(v);
}

/* The node with its first operand, a picture, in ONNX's order: channels first. */
static int channels_last(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			 paleo_onnx_convert_node *convert)
{
	struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0), *out = paleo_onnx_out(job, n, 0);
	int inputs[ONNX_SIZES_MAX];
	struct paleo_onnx_node as = *n;

	if (!is_turnable(v) || n->input_count > ONNX_SIZES_MAX)
		return paleo_onnx_refuse(job, n, "of a value that is not an image or a sequence");
	paleo_onnx_settle(job, v);
	memcpy(inputs, n->inputs, (size_t)n->input_count * sizeof(*inputs));
	inputs[0] = job->graph->name_count + 1;
	as.inputs = inputs;
	job->values[inputs[0]] = turn(v, 1);
	convert(job, &as);
	if (is_turnable(out))
		*out = turn(out, 0);
	return 0;
}

/* Blocked channels are the same order to the net. */
int paleo_onnx_op_reorder(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const int from = paleo_onnx_span_is(n->type, "ReorderInput");
	struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0), made;
	const double all = is_turnable(v) ? v->dims[1] : 0;
	const double channels = from ? all : paleo_onnx_int(n, "channels", all);

	if (!(channels >= 1 && channels <= all))
		return paleo_onnx_refuse(job, n, "of a value with other channels");
	if (channels < all) { /* the last block is filled up */
		if (paleo_onnx_part(job, n, v, 1, 0, channels))
			return 1;
		v = paleo_onnx_out(job, n, 0);
	}
	made = paleo_onnx_int(n, "channels_last", 0) == 0 ? *v : turn(v, from);
	return paleo_onnx_put(job, n, 0, &made);
}

/* One value, or two, by an operator of this type, as the value `out`. */
static void apply(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, const char *type,
		  paleo_onnx_convert_node *convert, int a, int b, int out)
{
	int inputs[2] = {a, b};
	struct paleo_onnx_node as = {.name = n->name,
				     .type = paleo_onnx_span_of(type),
				     .inputs = inputs,
				     .outputs = &out,
				     .input_count = b < 0 ? 1 : 2,
				     .output_count = 1,
				     .number = n->number};

	convert(job, &as);
}

static int input(const struct paleo_onnx_node *n, int i)
{
	return i < n->input_count ? n->inputs[i] : -1;
}

/* The node's first output; -1 if it is left out. */
static int output(const struct paleo_onnx_node *n)
{
	return n->output_count > 0 ? n->outputs[0] : -1;
}

/* The node's first output and another value, by an operator of this type, are its first output. */
static int go_on(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, const char *type,
		 paleo_onnx_convert_node *convert, int other)
{
	if (output(n) >= 0 && job->values[output(n)].state != ONNX_UNKNOWN)
		apply(job, n, type, convert, output(n), other, output(n));
	return 0;
}

/* The node's first output plus this input, if there is one, is its first output. */
static int plus(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int i)
{
	return paleo_onnx_in(job, n, i) ? go_on(job, n, "Add", paleo_onnx_op_binary, input(n, i))
					: 0;
}

/* A convolution or a GEMM, a sum with another output, and an activation. Clipping on both sides
 * costs as much as on one. */
int paleo_onnx_op_fused(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const int gemm = paleo_onnx_span_is(n->type, "FusedGemm");
	paleo_onnx_convert_node *const convert = gemm ? paleo_onnx_op_gemm : paleo_onnx_op_conv;
	struct paleo_onnx_node as = *n;
	char type[32];

	as.input_count = n->input_count < 3 ? n->input_count : 3;
	if (paleo_onnx_span_in(n->type, "NhwcConv NhwcFusedConv"))
		channels_last(job, &as, convert);
	else
		convert(job, &as);
	if (!gemm)
		plus(job, n, 3);
	if (paleo_onnx_text(n, "activation", type, sizeof(type)) || !type[0])
		return 0;
	return go_on(job, n, strcmp(type, "Clip") == 0 ? "Relu" : type, paleo_onnx_op_unary, -1);
}

/* Two values by an operator of this type. 1 if there are none. */
static int two(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, const char *type, int a,
	       int b, int out)
{
	const struct paleo_onnx_node as = {.type = paleo_onnx_span_of(type)};

	if (a < 0 || b < 0 || job->values[a].state == ONNX_UNKNOWN ||
	    job->values[b].state == ONNX_UNKNOWN)
		return paleo_onnx_refuse(job, n, "of nothing");
	apply(job, n, type, paleo_onnx_find(&as), a, b, out);
	return 0;
}

/* GroupNorm of a picture, by default with its channels last, and behind it SiLU. SkipGroupNorm has
 * a sum in front, which is its second output. */
int paleo_onnx_op_picture_norm(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const int skip = paleo_onnx_span_is(n->type, "SkipGroupNorm"),
		  sum = n->output_count > 1 && n->outputs[1] >= 0 ? n->outputs[1]
								  : job->graph->name_count + 2;
	int inputs[3] = {skip ? sum : input(n, 0), input(n, 1), input(n, 2)};
	struct paleo_onnx_value *out = paleo_onnx_out(job, n, 0);
	struct paleo_onnx_node as = *n;

	if (skip) {
		job->values[sum].state = ONNX_UNKNOWN;
		two(job, n, "Add", input(n, 0), input(n, 3), sum);
		if (input(n, 4) >= 0 && job->values[sum].state != ONNX_UNKNOWN)
			two(job, n, "Add", sum, input(n, 4), sum);
		if (job->values[sum].state == ONNX_UNKNOWN)
			return 1;
	}
	as.inputs = inputs;
	as.input_count = 3;
	if (paleo_onnx_int(n, "channels_last", 1) != 0)
		channels_last(job, &as, paleo_onnx_op_group_norm);
	else
		paleo_onnx_op_group_norm(job, &as);
	if (out->state != ONNX_TENSOR || paleo_onnx_int(n, "activation", 0) == 0)
		return 0;
	int layer = paleo_onnx_add_layer(job, n, "Activation", &out->view.layer, 1);
	paleo_onnx_put_word(job, "fn", "silu");
	return paleo_onnx_on_layer(job, n, out, layer);
}

/* A learned addend and another output. */
int paleo_onnx_op_bias_add(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	if (output(n) >= 0)
		two(job, n, "Add", input(n, 0), input(n, 1), output(n));
	return plus(job, n, 2);
}

/* A GEMM, a bias if there is one, and GELU. */
int paleo_onnx_op_gemm_gelu(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	if (output(n) >= 0)
		two(job, n, "MatMul", input(n, 0), input(n, 1), output(n));
	return go_on(job, n, "FastGelu", paleo_onnx_op_bias_gelu, input(n, 2));
}

void paleo_onnx_add_bias(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			 struct paleo_onnx_value *v, const struct paleo_onnx_value *bias)
{
	struct paleo_onnx_layer *l = &job->layers[v->view.layer];

	if (!bias || bias->state != ONNX_WEIGHT)
		return;
	if (bias->learned > PALEO_DIM_MAX) {
		paleo_onnx_refuse(job, n, "with too large a bias");
		return;
	}
	paleo_onnx_learn(job, bias);
	if (l->open & ONNX_OPEN_SHIFT && l->shift) {
		l->open &= ~ONNX_OPEN_SHIFT;
		paleo_onnx_set(job, v->view.layer, l->shift, 1);
		return;
	}
	v->view.layer = paleo_onnx_add_before(job, n, "/bias", "Position", &v->view.layer, 1);
	paleo_onnx_put_int(job, "numbers", (int)bias->learned);
	paleo_onnx_put_int(job, "elements", job->layers[v->view.layer].out.c);
}

int paleo_onnx_op_bias_gelu(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	struct paleo_onnx_value x;

	if (paleo_onnx_tensor(job, n, 0, &x))
		return 1;
	paleo_onnx_add_bias(job, n, &x, paleo_onnx_in(job, n, 1));
	int layer = paleo_onnx_add_layer(job, n, "Activation", &x.view.layer, 1);
	paleo_onnx_put_word(job, "fn", "gelu");
	return paleo_onnx_on_layer(job, n, &x, layer);
}

/* The sum of both operands, of which one may be learned, as places are; *out is a layer's. 1 if it
 * was refused. */
static int skip_sum(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		    const struct paleo_onnx_value *bias, struct paleo_onnx_value *out)
{
	struct paleo_onnx_value a, b;
	const int spare = job->graph->name_count + 1;

	if (paleo_onnx_in(job, n, 1) && paleo_onnx_is_aux(paleo_onnx_in(job, n, 1))) {
		job->values[spare].state = ONNX_UNKNOWN;
		apply(job, n, "Add", paleo_onnx_op_binary, n->inputs[0], n->inputs[1], spare);
		*out = job->values[spare];
		if (out->state != ONNX_TENSOR)
			return 1;
		paleo_onnx_add_bias(job, n, out, bias);
		return 0;
	}
	if (paleo_onnx_tensor(job, n, 0, &a) || paleo_onnx_tensor(job, n, 1, &b))
		return paleo_onnx_refuse(job, n, "of outputs that do not fit");
	paleo_onnx_add_bias(job, n, &a, bias);
	if (paleo_onnx_lay(job, n, &a, a.rank - 1, a.rank - 1) ||
	    paleo_onnx_lay(job, n, &b, b.rank - 1, b.rank - 1))
		return paleo_onnx_refuse(job, n, "of outputs that do not fit");
	if (a.view.layer == b.view.layer)
		paleo_onnx_other(job, n, &b.view.layer);
	if (paleo_onnx_count(&a) != paleo_onnx_count(&b))
		return paleo_onnx_refuse(job, n, "of outputs that do not fit");
	const int parents[2] = {a.view.layer, b.view.layer};
	a.view.layer = paleo_onnx_add_before(job, n, "/sum", "Elementwise", parents, 2);
	*out = a;
	return 0;
}

/* A sum of two, and its normalisation; the fourth output is the sum. */
int paleo_onnx_op_skip_norm(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const int rms = paleo_onnx_span_is(n->type, "SkipSimplifiedLayerNormalization");
	struct paleo_onnx_value sum;

	if (skip_sum(job, n, paleo_onnx_in(job, n, rms ? 3 : 4), &sum))
		return 1;
	paleo_onnx_put(job, n, 3, &sum);
	if (paleo_onnx_normalise(job, n, rms ? "RMSNorm" : "LayerNorm", &sum))
		return 1;
	job->layers[job->last].open = rms || paleo_onnx_in(job, n, 3) ? 0 : ONNX_OPEN_SHIFT;
	paleo_onnx_put_learned(job, paleo_onnx_in(job, n, 2));
	return 0;
}

/* Inputs: tokens, types, three embedding tables (words, positions, types), scales, shifts. */
int paleo_onnx_op_embed_norm(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const struct paleo_onnx_value *tokens = paleo_onnx_in(job, n, 0),
				      *words = paleo_onnx_in(job, n, 2),
				      *places = paleo_onnx_in(job, n, 3),
				      *types = paleo_onnx_in(job, n, 4);

	if (!tokens || tokens->rank != 2 || tokens->state != ONNX_SIDE || !words ||
	    words->state != ONNX_WEIGHT || words->rank != 2 || !paleo_onnx_is_small(words) ||
	    !paleo_onnx_is_small(tokens) || (places && !paleo_onnx_is_small(places)) ||
	    (types && !paleo_onnx_is_small(types)))
		return paleo_onnx_refuse(job, n, "of a table of another form");
	int as_gather[2] = {n->inputs[2], n->inputs[0]};
	struct paleo_onnx_node gather = *n;
	gather.inputs = as_gather;
	gather.input_count = 2;
	const struct paleo_shape s = paleo_onnx_sequence((int)tokens->dims[0], (int)tokens->dims[1],
							 (int)words->dims[1]);
	paleo_onnx_embed(job, &gather, (int)words->dims[0], &s);
	if (places && places->state == ONNX_WEIGHT)
		paleo_onnx_put_int(job, "num_places", (int)places->dims[0]);
	if (types && types->state == ONNX_WEIGHT)
		paleo_onnx_put_int(job, "num_types", (int)types->dims[0]);
	paleo_onnx_normalise(job, n, "LayerNorm", paleo_onnx_out(job, n, 0));
	job->layers[job->last].open = 0;
	const struct paleo_onnx_value mask = {.state = ONNX_SIDE, .rank = 1, .dims = {s.n}};
	return n->output_count > 1 ? paleo_onnx_put(job, n, 1, &mask) : 0;
}

/* 1 + the name of the weights that an input is, also where their shape has been changed. */
static int source_of(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int i)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, i);

	return v ? (v->source ? v->source : 1 + n->inputs[i]) : 0;
}

/* GatherBlockQuantized: rows of an n-bit table, of which a byte may hold two. */
int paleo_onnx_op_nbit_rows(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const struct paleo_onnx_value *table = paleo_onnx_in(job, n, 0),
				      *tokens = paleo_onnx_in(job, n, 1);
	int inputs[2] = {job->graph->name_count + 1, input(n, 1)};
	struct paleo_onnx_value *whole = &job->values[inputs[0]];
	struct paleo_onnx_node as = *n;

	if (!table || !tokens || table->rank != 2 || paleo_onnx_int(n, "gather_axis", 0) != 0)
		return paleo_onnx_refuse(job, n, "of a table of another form");
	const int packed = table->type == ONNX_UINT8 && paleo_onnx_int(n, "bits", 4) == 4 ? 2 : 1;
	*whole = (struct paleo_onnx_value){.state = ONNX_WEIGHT,
					   .type = ONNX_FLOAT,
					   .rank = 2,
					   .dims = {table->dims[0], table->dims[1] * packed},
					   .source = source_of(job, n, 0)};
	whole->learned = paleo_onnx_count(whole);
	as.inputs = inputs;
	as.input_count = 2;
	return paleo_onnx_op_gather(job, &as);
}

const char *paleo_onnx_stored(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int bits,
			      double block, int scales, int zeros)
{
	const struct paleo_onnx_value *s = paleo_onnx_in(job, n, scales);
	const int scale = s && s->type == ONNX_FLOAT ? 32 : 16,
		  zero = paleo_onnx_in(job, n, zeros) ? bits : 0;

	return paleo_stored_whole(bits, bits + (block > 0 ? (scale + zero) / block : 0));
}

/* MatMulNBits: n-bit weights, with block scales. */
int paleo_onnx_op_nbit(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const double inputs = paleo_onnx_int(n, "K", 0), outputs = paleo_onnx_int(n, "N", 0),
		     bits = paleo_onnx_int(n, "bits", 4),
		     block = paleo_onnx_int(n, "block_size", 32);
	struct paleo_onnx_value x;

	if (paleo_onnx_tensor(job, n, 0, &x))
		return 1;
	if (x.rank < 2 || x.dims[x.rank - 1] != inputs || outputs < 1 || outputs > PALEO_DIM_MAX ||
	    (bits != 4 && bits != 8))
		return paleo_onnx_refuse(job, n, "of other than 4 or 8 bits, or another form");
	const struct paleo_onnx_value w = {.state = ONNX_WEIGHT,
					   .rank = 2,
					   .learned = inputs * outputs,
					   .source = source_of(job, n, 1)};
	const struct paleo_onnx_factor f = {
		.weights = &w,
		.bias = paleo_onnx_in(job, n, 5),
		.stored = paleo_onnx_stored(job, n, (int)bits, block, 2, 3),
		.outputs = (int)outputs};
	return paleo_onnx_inner_product(job, n, &x, &f);
}

enum {
	OPERANDS_MAX = 3
};

/* The ONNX operator it maps to, and which of its inputs are that one's; ends with -1. */
static const struct kind {
	const char *type, *as;
	int inputs[OPERANDS_MAX];
	int bias; /* an input that is added; 0: none */
	paleo_onnx_convert_node *convert;
} kinds[] = {
	{"QLinearConv", "Conv", {0, 3, 8}, 0, paleo_onnx_op_conv},
	{"ConvInteger", "Conv", {0, 1, -1}, 0, paleo_onnx_op_conv},
	{"QLinearMatMul", "MatMul", {0, 3, -1}, 0, paleo_onnx_op_matmul},
	{"MatMulInteger", "MatMul", {0, 1, -1}, 0, paleo_onnx_op_matmul},
	{"MatMulIntegerToFloat", "MatMul", {0, 1, -1}, 6, paleo_onnx_op_matmul},
	{"DynamicQuantizeMatMul", "MatMul", {0, 1, -1}, 4, paleo_onnx_op_matmul},
	{"QGemm", "Gemm", {0, 3, 6}, 0, paleo_onnx_op_gemm},
	{"QLinearAdd", "Add", {0, 3, -1}, 0, paleo_onnx_op_binary},
	{"QLinearMul", "Mul", {0, 3, -1}, 0, paleo_onnx_op_binary},
	{"QLinearSigmoid", "Sigmoid", {0, -1, -1}, 0, paleo_onnx_op_unary},
	{"QLinearLeakyRelu", "LeakyRelu", {0, -1, -1}, 0, paleo_onnx_op_unary},
	{"QLinearSoftmax", "Softmax", {0, -1, -1}, 0, paleo_onnx_op_softmax},
	{"QLinearAveragePool", "AveragePool", {0, -1, -1}, 0, paleo_onnx_op_pool},
	{"QLinearGlobalAveragePool",
	 "GlobalAveragePool",
	 {0, -1, -1},
	 0,
	 paleo_onnx_op_global_pool},
	{"NhwcMaxPool", "MaxPool", {0, -1, -1}, 0, paleo_onnx_op_pool},
	{"DynamicQuantizeLinear", "Identity", {0, -1, -1}, 0, paleo_onnx_op_same},
};

/* Whole numbers that are stored are learned. */
static void make_weights(struct paleo_onnx_job *job, int name)
{
	struct paleo_onnx_value *v = name < 0 ? NULL : &job->values[name];

	if (!v || v->state != ONNX_NUMBERS || !v->rank || !job->graph->names[name].is_initializer)
		return;
	paleo_onnx_make_learned(v, name);
	v->numbers = NULL;
}

int paleo_onnx_op_whole(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	/* of a DynamicQuantizeLinear: a scale and a zero point, that come with the input */
	const struct paleo_onnx_value scale = {.state = ONNX_SIDE, .type = ONNX_FLOAT, .scale = 1};
	int inputs[OPERANDS_MAX], count = 0;
	size_t k = 0;

	while (k + 1 < sizeof(kinds) / sizeof(kinds[0]) &&
	       !paleo_onnx_span_is(n->type, kinds[k].type))
		k++;
	for (int i = 0; i < OPERANDS_MAX && kinds[k].inputs[i] >= 0; i++) {
		if (kinds[k].inputs[i] >= n->input_count)
			break;
		inputs[count] = n->inputs[kinds[k].inputs[i]];
		if ((i || kinds[k].convert == paleo_onnx_op_binary) && k < 9)
			make_weights(job, inputs[count]);
		count++;
	}
	struct paleo_onnx_node as = *n;
	as.type = paleo_onnx_span_of(kinds[k].as);
	as.inputs = inputs;
	as.input_count = count;
	for (int i = 1; i < n->output_count; i++)
		paleo_onnx_put(job, n, i, &scale);
	if (paleo_onnx_int(n, "channels_last", 0) != 0 ||
	    paleo_onnx_span_is(n->type, "NhwcMaxPool"))
		channels_last(job, &as, kinds[k].convert);
	else
		kinds[k].convert(job, &as);
	return kinds[k].bias ? plus(job, n, kinds[k].bias) : 0;
}

/* Inputs are two numbers, then a part with its two numbers, and so on. */
int paleo_onnx_op_whole_concat(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	struct paleo_onnx_node as = *n;

	as.input_count = (n->input_count - 2) / 3;
	if (as.input_count < 1)
		return paleo_onnx_refuse(job, n, "of nothing");
	as.inputs = paleo_onnx_new(job, (size_t)as.input_count, sizeof(*as.inputs));
	for (int i = 0; i < as.input_count && as.inputs; i++)
		as.inputs[i] = n->inputs[2 + 3 * i];
	as.type = paleo_onnx_span_of("Concat");
	return as.inputs ? paleo_onnx_op_concat(job, &as) : 1;
}
