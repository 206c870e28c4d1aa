/* test_graph.c - whole passes of small nets: which step hands what to which. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/net/graph.h"
#include "tests/unit/given.h"

static void build_in(const struct paleo_net *net, enum paleo_dtype dtype, enum paleo_extent extent,
		     struct paleo_graph *out)
{
	struct paleo_op_list list = {0};
	struct paleo_error err = {0};

	if (paleo_net_ops(net, dtype, paleo_graph_passes(extent), &list, &err) ||
	    paleo_graph_build(net, &list, extent, PALEO_MOMENTUM, out, &err))
		fail_msg("%s: %s", net->name, err.text);
	paleo_op_list_release(&list);
}

static void build(const struct paleo_net *net, enum paleo_extent extent, struct paleo_graph *out)
{
	build_in(net, PALEO_F32, extent, out);
}

/* Steps as lines "kind pass: role=buffer ...". */
static void describe(const struct paleo_graph *p, char *text, size_t size)
{
	size_t at = 0;

	for (int i = 0; i < p->step_count; i++) {
		const struct paleo_graph_step *s = &p->steps[i];
		at += (size_t)snprintf(text + at, size - at,
				       "%s %s:", paleo_op_kind_name(s->op.kind),
				       paleo_pass_name(s->op.pass));
		for (int u = s->first_use; u < s->first_use + s->use_count; u++)
			at += (size_t)snprintf(text + at, size - at, " %s=%d",
					       paleo_role_name(p->uses[u].role), p->uses[u].buffer);
		at += (size_t)snprintf(text + at, size - at, "\n");
		assert_true(at < size);
	}
}

#define DATA "\"data\": {\"type\": \"Input\", \"parents\": [], \"tensor\": [2, 4, 4, 3]}"
#define CONV(name, parent, in)                                                                     \
	"\"" name "\": {\"type\": \"Convolution\", \"parents\": [\"" parent                        \
	"\"], \"filter\": [1, 1, " in ", 4], \"strides\": [1, 1, 1, 1], \"padding\": \"VALID\", "  \
	"\"bias\": false"

/*
 * data -> a (conv, relu) -> b (conv) -> s = a + b. Buffers by first use: 0 data, 1 filter of a, 2
 * its result, 3 after the relu, 4 filter of b, 5 its result, 6 the sum. Backward: 7 is the gradient
 * of s, given; the sum hands it on to a and b. b: 8 gradient of its filter, 9 of its input. a: 10
 * the sum of 7 (from s) and 9 (from b), in the order in which the layers behind are walked; 11
 * before the relu; 12 gradient of its filter. Data wants none. Momentum: 13 and 14, one each.
 */
static void a_shortcut_is_connected(void **state)
{
	struct paleo_net *net =
		given_net(DATA "," CONV("a", "data", "3") ", \"activation_fn\": \"relu\"}," CONV(
			"b", "a", "4") "},"
				       "\"s\": {\"type\": "
				       "\"Elementwise\", \"parents\": "
				       "[\"a\", \"b\"]}");
	struct paleo_graph p;
	char text[2048];

	(void)state;
	build(net, PALEO_EXTENT_STEP, &p);
	describe(&p, text, sizeof(text));
	assert_string_equal(text, "conv fwd: x=0 w=1 y=2\n"
				  "eltwise fwd: x=2 y=3\n"
				  "conv fwd: x=3 w=4 y=5\n"
				  "eltwise fwd: x=3 x=5 y=6\n"
				  "conv bwd_filter: x=3 dy=7 dw=8\n"
				  "conv bwd_data: dy=7 w=4 dx=9\n"
				  "eltwise fwd: x=7 x=9 y=10\n"
				  "eltwise bwd_data: dy=10 x=2 dx=11\n"
				  "conv bwd_filter: x=0 dy=11 dw=12\n"
				  "update update: w=1 dy=12 state1=13\n"
				  "update update: w=4 dy=8 state1=14\n");
	assert_int_equal(p.output, 6);
	assert_int_equal(p.steps[5].forward, 2);
	assert_int_equal(p.steps[6].forward, -1);
	assert_int_equal(p.steps[7].row, 7);

	/*
	 * Bytes: data 2*4*4*3*4 = 384, an activation 2*4*4*4*4 = 512, filters 48 and 64. Given
	 * besides: the gradient 7, 512. Living at step 6: 2 (until 7), 6 (kept), 9, 10: four of
	 * 512; at step 5: 2, 6, 9 and no more 3; at step 3: 2, 3, 5, 6.
	 */
	struct paleo_graph_memory m = paleo_graph_memory_of(&p);
	assert_true(m.data == 384 + 512);
	assert_true(m.weights == 48 + 64);
	assert_true(m.gradients == 48 + 64);
	assert_true(m.optimizer == 48 + 64);
	assert_true(m.activations == 4 * 512);
	assert_true(paleo_graph_memory_sum(&m) == 896 + 3 * 112 + 2048);
	assert_int_equal(p.buffers[2].first, 0);
	assert_int_equal(p.buffers[2].last, 7);
	assert_int_equal(p.buffers[6].last, p.step_count);
	assert_int_equal(p.buffers[1].first, -1);
	assert_int_equal(p.buffers[1].last, p.step_count);
	paleo_graph_release(&p);
	paleo_net_free(net);
}

/* Gemm: 0 data, 1 weights, 2 bias, 3 result; softmax gives 4. Its gradient 5 is given; 6 is behind
 * the softmax. The product's x is the gradient, its w the data; weights 7, bias 8. */
static void a_product_knows_its_operands_by_other_names(void **state)
{
	struct paleo_net *net = given_net(
		DATA ",\"f\": {\"type\": \"InnerProduct\", \"parents\": [\"data\"], "
		     "\"num_outputs\": 10},\"s\": {\"type\": \"Softmax\", \"parents\": [\"f\"]}");
	struct paleo_graph p;
	char text[2048];

	(void)state;
	build(net, PALEO_EXTENT_BOTH, &p);
	describe(&p, text, sizeof(text));
	assert_string_equal(text, "gemm fwd: x=0 w=1 bias=2 y=3\n"
				  "softmax fwd: x=3 y=4\n"
				  "softmax bwd_data: y=4 dy=5 dx=6\n"
				  "gemm bwd_filter: x=6 w=0 y=7 dbias=8\n");
	paleo_graph_release(&p);
	paleo_net_free(net);
}

/* Each activation and gradient is written once, before it is read. */
static void check_order(const struct paleo_net *net, const struct paleo_graph *p)
{
	int *writer = malloc((size_t)p->buffer_count * sizeof(*writer));

	assert_non_null(writer);
	for (int i = 0; i < p->buffer_count; i++)
		writer[i] = -1;
	for (int i = 0; i < p->step_count; i++) {
		const struct paleo_graph_step *s = &p->steps[i];
		for (int u = s->first_use; u < s->first_use + s->use_count; u++) {
			const struct paleo_graph_use *use = &p->uses[u];
			const struct paleo_buffer *b = &p->buffers[use->buffer];
			if (use->access == PALEO_READ && b->scale == 0 && writer[use->buffer] < 0)
				fail_msg("%s: step %d reads '%s' that nobody made", net->name, i,
					 paleo_role_name(use->role));
			if (use->access == PALEO_WRITE && writer[use->buffer] >= 0)
				fail_msg("%s: steps %d and %d make the same", net->name,
					 writer[use->buffer], i);
			if (use->access == PALEO_WRITE)
				writer[use->buffer] = i;
		}
	}
	free(writer);
}

/* Tensors are as large as the ops say; of a copy, all parts together are. */
static void check_sizes(const struct paleo_net *net, const struct paleo_graph *p)
{
	struct paleo_operand list[PALEO_OPERANDS_MAX];

	for (int i = 0; i < p->step_count; i++) {
		const struct paleo_graph_step *s = &p->steps[i];
		int n = paleo_op_operands(&s->op, list);
		for (int k = 0; k < n; k++) {
			double bytes = 0;
			for (int copy = 0; copy < list[k].copies; copy++)
				bytes += p->buffers[paleo_graph_find(p, i, list[k].role, copy)
							    ->buffer]
						 .bytes;
			if (bytes != list[k].bytes)
				fail_msg("%s: step %d: '%s' has %.0f bytes, not %.0f", net->name, i,
					 paleo_role_name(list[k].role), bytes, list[k].bytes);
		}
	}
}

/* What lives at the same time does not overlap, and the sum is not much above what must live. */
static void check_places(const struct paleo_graph *p)
{
	struct paleo_span *spans = calloc((size_t)p->buffer_count, sizeof(*spans));
	int n = 0;

	assert_non_null(spans);
	for (int i = 0; i < p->buffer_count; i++) {
		const struct paleo_buffer *b = &p->buffers[i];
		if (b->use >= PALEO_USE_ACTIVATION)
			spans[n++] = (struct paleo_span){
				.bytes = b->bytes, .first = b->first, .last = b->last};
	}
	double total = paleo_spans_place(spans, n, 1);
	double least = paleo_graph_memory_of(p).activations;
	assert_true(total >= least);
	assert_true(total <= 1.2 * least);
	for (int i = 0; i < n; i++)
		for (int k = 0; k < i; k++)
			assert_true(spans[i].last < spans[k].first ||
				    spans[k].last < spans[i].first ||
				    spans[i].offset + spans[i].bytes <= spans[k].offset ||
				    spans[k].offset + spans[k].bytes <= spans[i].offset);
	free(spans);
}

static void every_shipped_net_is_connected(void **state)
{
	static const char *const nets[] = {
		"alex_v2",      "vgg16",           "nin",          "overfeat",
		"resnet50",     "densenet",        "inception_v3", "dcgan_discriminator",
		"alex_v2_2gpu", "dcgan_generator",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(nets) / sizeof(nets[0]); i++) {
		struct paleo_net *net = NULL;
		struct paleo_error err = {0};
		struct paleo_graph p;
		char path[64];
		snprintf(path, sizeof(path), "nets/%s.json", nets[i]);
		if (paleo_net_load(path, 2, &net, &err))
			fail_msg("%s", err.text);
		for (int e = 0; e < PALEO_EXTENTS; e++) {
			build(net, (enum paleo_extent)e, &p);
			check_order(net, &p);
			check_sizes(net, &p);
			check_places(&p);
			paleo_graph_release(&p);
		}
		paleo_net_free(net);
	}
}

/* In bf16 scale and shift (3 channels, 4 bytes each) are f32, and so are their updates; the filter
 * is not, and its update has an f32 master. */
static void what_a_norm_learns_is_f32(void **state)
{
	struct paleo_net *net = given_net(
		DATA ", " CONV("a", "data", "3") ", \"normalizer_fn\": \"batch_norm\", "
						 "\"normalizer_params\": {\"scale\": true}}");
	struct paleo_graph p;
	int wide = 0, own = 0, masters = 0;

	(void)state;
	build_in(net, PALEO_BF16, PALEO_EXTENT_STEP, &p);
	for (int i = 0; i < p.step_count; i++) {
		const struct paleo_op *w = &p.steps[i].op;
		if (w->kind != PALEO_UPDATE)
			continue;
		int weights = paleo_graph_find(&p, i, PALEO_W, 0)->buffer;
		int is_filter = p.buffers[weights].rank == 4;
		assert_int_equal(w->dtype, is_filter ? PALEO_BF16 : PALEO_F32);
		for (int u = 0; u < p.steps[i].use_count; u++) {
			int buffer = p.uses[p.steps[i].first_use + u].buffer;
			enum paleo_buffer_use use = p.buffers[buffer].use;
			int kept = use == PALEO_USE_MASTER || use == PALEO_USE_STATE;
			assert_int_equal(paleo_graph_dtype(&p, buffer),
					 kept ? PALEO_F32 : w->dtype);
			assert_true(p.buffers[buffer].bytes ==
				    w->geom.update.count * (is_filter && !kept ? 2 : 4));
			masters += use == PALEO_USE_MASTER;
		}
		wide += !is_filter;
		own += is_filter;
	}
	assert_int_equal(masters, own);
	assert_int_equal(wide, 2);
	assert_int_equal(own, 1);
	paleo_graph_release(&p);
	paleo_net_free(net);
}

/* Worked out by hand: 10 bytes at steps 0-1, 6 at 1-2, 10 at 2-3, to multiples of 4: the two of 10
 * never meet and share the bottom; the 6 meet both, and lie from 12 to 18. */
static void spans_share_a_place(void **state)
{
	struct paleo_span s[] = {{.bytes = 10, .first = 0, .last = 1},
				 {.bytes = 6, .first = 1, .last = 2},
				 {.bytes = 10, .first = 2, .last = 3}};

	(void)state;
	assert_true(paleo_spans_place(s, 3, 4) == 18);
	assert_true(s[0].offset == 0 && s[1].offset == 12 && s[2].offset == 0);
}

static void an_extent_has_a_name(void **state)
{
	enum paleo_extent e = PALEO_EXTENT_FWD;
	struct paleo_error err = {0};

	(void)state;
	assert_int_equal(paleo_extent_parse("fwd+bwd", &e, &err), PALEO_OK);
	assert_int_equal(e, PALEO_EXTENT_BOTH);
	assert_int_equal(paleo_extent_parse("bwd", &e, &err), PALEO_EINPUT);
	assert_string_equal(err.text, "unknown pass 'bwd', expected fwd, fwd+bwd or step");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_shortcut_is_connected),
		cmocka_unit_test(a_product_knows_its_operands_by_other_names),
		cmocka_unit_test(every_shipped_net_is_connected),
		cmocka_unit_test(what_a_norm_learns_is_f32),
		cmocka_unit_test(spans_share_a_place),
		cmocka_unit_test(an_extent_has_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
