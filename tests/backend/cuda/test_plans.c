/* test_plans.c - cuDNN accepts our graphs and plans them, for GPUs that are only described. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/backends/cuda/graph/graph.h"
#include "tests/unit/unit.h"

#define GIB 1073741824.0
#define EXPERTS "moe fwd bf16 tokens=512 hidden=2048 inter=768 experts=64 local=64 topk=8 gated=1"

/* What cuDNN knows of a device; bench/backends/cuda/devices/ holds some, written by hand. */
static cudnnBackendDescriptor_t described(const char *name)
{
	cudnnBackendDescriptor_t d;
	char path[128], text[4096];

	snprintf(path, sizeof(path), "bench/backends/cuda/devices/%s.json", name);
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	size_t size = fread(text, 1, sizeof(text), file);
	fclose(file);
	assert_int_equal(cudnnBackendCreateDescriptor(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR, &d), 0);
	assert_int_equal(cudnnBackendSetAttribute(d, CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION,
						  CUDNN_TYPE_CHAR, (int64_t)size, text),
			 0);
	assert_int_equal(cudnnBackendFinalize(d), 0);
	return d;
}

/* Plans an op by a graph. Returns the status, and the plan's name and workspace. */
static int plan(cudnnBackendDescriptor_t device, paleo_cudnn_graph_builder *build, const char *key,
		const struct paleo_engine_rules *rules, struct paleo_plan *out,
		struct paleo_error *err)
{
	struct paleo_cudnn_graph g = {.device = device};
	struct paleo_op w;

	if (paleo_op_parse(key, &w, err))
		fail_msg("%s: %s", key, err->text);
	int rc = build(&g, &w, err);
	if (!rc)
		rc = paleo_plan_choose(&g, rules, out, NULL, err);
	if (!rc)
		assert_non_null(out->plan);
	paleo_cudnn_graph_release(&g);
	return rc;
}

static const struct paleo_engine_rules any = {.workspace_limit_bytes = 4 * GIB};
static const struct paleo_engine_rules exact = {.workspace_limit_bytes = 4 * GIB,
						.forbid_tensor_cores = 1};

/* Geometries after the dtype: VGG-16, AlexNet, Inception v3, ResNet-50, and less usual ones.
 */
static const char *const convolutions[] = {
	"n=32 c=3 h=224 w=224 k=64 r=3 s=3 pad_t=1 pad_l=1 pad_b=1 pad_r=1",
	"n=32 c=64 h=224 w=224 k=64 r=3 s=3 pad_t=1 pad_l=1 pad_b=1 pad_r=1",
	"n=32 c=512 h=14 w=14 k=512 r=3 s=3 pad_t=1 pad_l=1 pad_b=1 pad_r=1",
	"n=128 c=3 h=227 w=227 k=96 r=11 s=11 stride_h=4 stride_w=4",
	"n=128 c=96 h=27 w=27 k=256 r=5 s=5 pad_t=2 pad_l=2 pad_b=2 pad_r=2 groups=2",
	"n=32 c=128 h=17 w=17 k=192 r=1 s=7 pad_l=3 pad_r=3",
	"n=32 c=288 h=35 w=35 k=384 r=3 s=3 stride_h=2 stride_w=2",
	"n=64 c=3 h=224 w=224 k=64 r=7 s=7 stride_h=2 stride_w=2 pad_t=3 pad_l=3 pad_b=3 pad_r=3",
	"n=64 c=256 h=56 w=56 k=64 r=1 s=1",
	"n=64 c=512 h=28 w=28 k=1024 r=1 s=1 stride_h=2 stride_w=2",
	"n=32 c=512 h=14 w=14 k=512 r=3 s=3 pad_t=1 pad_l=1 pad_b=1 pad_r=1 groups=512",
	"n=16 c=64 h=33 w=33 k=64 r=3 s=3 pad_t=2 pad_l=2 pad_b=2 pad_r=2 dil_h=2 dil_w=2",
	"n=8 c=16 h=12 w=12 k=16 r=3 s=3 stride_h=2 stride_w=2 pad_b=1 pad_r=1",
	"n=2 c=3 h=9 w=11 k=5 r=3 s=3",
};

/* Small devices may have no room, so that the workspace is only read, not judged. */
static void plan_convolutions(const char *name, cudnnBackendDescriptor_t device, const char *dtype,
			      const char *layout)
{
	static const char *const passes[] = {"fwd", "bwd_data", "bwd_filter"};
	int is_exact = !strcmp(dtype, "f32");

	for (size_t i = 0; i < sizeof(convolutions) / sizeof(*convolutions); i++) {
		for (size_t pass = 0; pass < sizeof(passes) / sizeof(*passes); pass++) {
			char key[PALEO_OP_KEY_MAX];
			struct paleo_error err;
			struct paleo_plan p = {.workspace_bytes = -1};
			snprintf(key, sizeof(key), "conv %s %s %s%s", passes[pass], dtype,
				 convolutions[i], layout);
			if (plan(device, paleo_cudnn_graph_conv, key, is_exact ? &exact : &any, &p,
				 &err))
				fail_msg("%s: %s: %s", name, key, err.text);
			assert_true(p.workspace_bytes >= 0 && p.workspace_bytes <= 4 * GIB);
			assert_int_equal(strncmp(p.name, "eng", 3), 0);
			if (is_exact && (strstr(p.name, " tc") || strstr(p.name, " cast")))
				fail_msg("%s: %s runs on '%s'", name, key, p.name);
		}
	}
}

static void convolutions_of_real_nets_have_plans(void **state)
{
	static const char *const names[] = {"t4", "a100", "h200"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		cudnnBackendDescriptor_t device = described(names[i]);
		plan_convolutions(names[i], device, "f32", "");
		plan_convolutions(names[i], device, "f16", "");
		plan_convolutions(names[i], device, "f32", " layout=nhwc");
		plan_convolutions(names[i], device, "f16", " layout=nhwc");
		if (strcmp(names[i], "t4") != 0) { /* Turing has neither of these types */
			plan_convolutions(names[i], device, "tf32", "");
			plan_convolutions(names[i], device, "bf16", "");
			plan_convolutions(names[i], device, "tf32", " layout=nhwc");
			plan_convolutions(names[i], device, "bf16", " layout=nhwc");
		}
		cudnnBackendDestroyDescriptor(device);
	}
}

/* Inputs that are rounded to a smaller type are refused always, tensor cores where they may not be
 * used. */
static void rough_engines_are_refused(void **state)
{
	const struct paleo_engine tensor = {.notes = 1u << CUDNN_NUMERICAL_NOTE_TENSOR_CORE};
	const struct paleo_engine cast = {.notes = 1u << CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS};
	const struct paleo_engine winograd = {.notes = 1u << CUDNN_NUMERICAL_NOTE_WINOGRAD};

	(void)state;
	for (int may_use = 0; may_use < 2; may_use++) {
		assert_int_equal(paleo_engine_is_rough(&tensor, may_use), !may_use);
		assert_true(paleo_engine_is_rough(&cast, may_use));
		assert_false(paleo_engine_is_rough(&winograd, may_use));
	}
}

/* A large convolution in tf32 is what tensor cores are for; f32 must not use them. */
static void tensor_cores_are_for_tf32(void **state)
{
	const char *geometry = "n=32 c=256 h=56 w=56 k=256 r=3 s=3 pad_t=1 pad_l=1 pad_b=1 pad_r=1";
	cudnnBackendDescriptor_t device = described("h200");
	char key[PALEO_OP_KEY_MAX];
	struct paleo_error err;
	struct paleo_plan p;

	(void)state;
	snprintf(key, sizeof(key), "conv fwd tf32 %s", geometry);
	assert_int_equal(plan(device, paleo_cudnn_graph_conv, key, &any, &p, &err), PALEO_OK);
	assert_non_null(strstr(p.name, " tc"));
	snprintf(key, sizeof(key), "conv fwd f32 %s", geometry);
	assert_int_equal(plan(device, paleo_cudnn_graph_conv, key, &exact, &p, &err), PALEO_OK);
	assert_null(strstr(p.name, " tc"));
	cudnnBackendDestroyDescriptor(device);
}

/* In bf16 tensor cores read channels that lie together: planes are turned round and back first, and
 * the workspace shows it: x and y have 32 * 256 * 56 * 56 elements of 2 bytes each. */
static void channels_innermost_need_not_be_turned_round(void **state)
{
	const char *geometry = "n=32 c=256 h=56 w=56 k=256 r=3 s=3 pad_t=1 pad_l=1 pad_b=1 pad_r=1";
	const double two_tensors = 2.0 * 2 * 32 * 256 * 56 * 56;
	cudnnBackendDescriptor_t device = described("h200");
	char key[PALEO_OP_KEY_MAX];
	struct paleo_error err;
	struct paleo_plan p;

	(void)state;
	snprintf(key, sizeof(key), "conv fwd bf16 %s", geometry);
	assert_int_equal(plan(device, paleo_cudnn_graph_conv, key, &any, &p, &err), PALEO_OK);
	assert_true(p.workspace_bytes >= two_tensors);
	snprintf(key, sizeof(key), "conv fwd bf16 %s layout=nhwc", geometry);
	assert_int_equal(plan(device, paleo_cudnn_graph_conv, key, &any, &p, &err), PALEO_OK);
	assert_true(p.workspace_bytes < 0.01 * two_tensors);
	cudnnBackendDestroyDescriptor(device);
}

/* The rules decide: rank after rank there are other engines, until there are none; and none of them
 * takes more workspace than it may. */
static void ranks_go_through_the_engines(void **state)
{
	const char *key = "conv fwd f32 n=32 c=64 h=56 w=56 k=64 r=3 s=3 "
			  "pad_t=1 pad_l=1 pad_b=1 pad_r=1";
	cudnnBackendDescriptor_t device = described("a100");
	struct paleo_engine_rules rules = {.workspace_limit_bytes = 1048576};
	struct paleo_error err;
	struct paleo_plan p;
	int rank, rc = PALEO_OK;
	char words[64];

	(void)state;
	for (rank = 0; !rc && rank < 100; rank++) {
		rules.rank = rank;
		rc = plan(device, paleo_cudnn_graph_conv, key, &rules, &p, &err);
		assert_true(rc || p.workspace_bytes <= 1048576);
	}
	assert_int_equal(rc, PALEO_EUNSUPPORTED);
	assert_true(rank > 3 && rank < 100);
	snprintf(words, sizeof(words), "offers %d engines for this, none of rank %d", rank - 1,
		 rank - 1);
	assert_non_null(strstr(err.text, words));
	rules = (struct paleo_engine_rules){.workspace_limit_bytes = -1}; /* not even none */
	assert_int_equal(plan(device, paleo_cudnn_graph_conv, key, &rules, &p, &err),
			 PALEO_EUNSUPPORTED);
	assert_non_null(strstr(err.text, "GiB of workspace"));
	cudnnBackendDestroyDescriptor(device);
}

/* The list is what ranks go through, in the same order, and tells more of each engine. */
static void lists_tell_what_is_taken(void **state)
{
	const char *key = "conv fwd f32 n=32 c=256 h=56 w=56 k=256 r=3 s=3 "
			  "pad_t=1 pad_l=1 pad_b=1 pad_r=1";
	cudnnBackendDescriptor_t device = described("t4");
	struct paleo_cudnn_graph g = {.device = device};
	struct paleo_algorithms list;
	struct paleo_error err = {0};
	struct paleo_op w;

	(void)state;
	assert_int_equal(paleo_op_parse(key, &w, &err), PALEO_OK);
	assert_int_equal(paleo_cudnn_graph_conv(&g, &w, &err), PALEO_OK);
	assert_int_equal(paleo_plan_list(&g, &any, 5, &list, &err), PALEO_OK);
	paleo_cudnn_graph_release(&g);
	assert_int_equal(list.count, 5);
	for (int rank = 0; rank < list.count; rank++) {
		struct paleo_engine_rules rules = any;
		struct paleo_plan p;
		char number[16];
		rules.rank = rank;
		assert_int_equal(plan(device, paleo_cudnn_graph_conv, key, &rules, &p, &err),
				 PALEO_OK);
		int length = snprintf(number, sizeof(number), "eng%s", list.items[rank].engine);
		assert_int_equal(strncmp(p.name, number, (size_t)length), 0);
		assert_true(p.workspace_bytes == list.items[rank].workspace_bytes);
		assert_string_equal(p.algorithm.knobs, list.items[rank].knobs);
		assert_string_equal(p.algorithm.name, list.items[rank].name);
		int is_winograd = strstr(list.items[rank].notes, "winograd") != NULL;
		assert_int_equal(strstr(p.name, " wino") != NULL, is_winograd);
	}
	cudnnBackendDestroyDescriptor(device);
}

/* What is not forward, or has neither bias nor activation, has one way. */
static void bias_and_activation_have_ways(void **state)
{
	static const struct {
		const char *key;
		int ways, has_bias, has_act; /* of the first way */
	} cases[] = {
		{"conv fwd f32 n=2 c=3 h=9 w=11 k=5 r=3 s=3", 1, 0, 0},
		{"conv fwd f32 n=2 c=3 h=9 w=11 k=5 r=3 s=3 bias=1", 2, 1, 0},
		{"conv fwd f32 n=2 c=3 h=9 w=11 k=5 r=3 s=3 act=relu", 2, 0, 1},
		{"conv fwd f32 n=2 c=3 h=9 w=11 k=5 r=3 s=3 bias=1 act=relu", 3, 1, 1},
		{"conv bwd_filter f32 n=2 c=3 h=9 w=11 k=5 r=3 s=3 bias=1", 1, 0, 0},
	};
	struct paleo_cudnn_way ways[PALEO_CUDNN_WAYS];
	struct paleo_error err;
	struct paleo_op w;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(paleo_op_parse(cases[i].key, &w, &err), PALEO_OK);
		int count = paleo_cudnn_conv_ways(&w, ways);
		assert_int_equal(count, cases[i].ways);
		assert_int_equal(ways[0].has_bias, cases[i].has_bias);
		assert_int_equal(ways[0].has_act, cases[i].has_act);
		/* the last leaves all to kernels, and may resort to cuDNN's last list */
		assert_int_equal(ways[count - 1].has_bias + ways[count - 1].has_act, 0);
		assert_int_equal(ways[count - 1].first_choice_only, 0);
	}
}

/* Convolution, bias and ReLU as one, by engines that need not be compiled at run time. */
static void an_activation_ends_a_convolution(void **state)
{
	static const struct {
		const char *device, *key;
	} cases[] = {
		{"t4", "conv fwd f16 n=32 c=256 h=56 w=56 k=256 r=3 s=3 pad_t=1 pad_l=1 pad_b=1 "
		       "pad_r=1 bias=1 act=relu layout=nhwc"},
		{"a100", "conv fwd bf16 n=32 c=256 h=56 w=56 k=256 r=3 s=3 pad_t=1 pad_l=1 pad_b=1 "
			 "pad_r=1 bias=1 act=relu layout=nhwc"},
		{"h200", "conv fwd bf16 n=32 c=256 h=56 w=56 k=256 r=3 s=3 pad_t=1 pad_l=1 pad_b=1 "
			 "pad_r=1 bias=1 act=relu layout=nhwc"},
		{"h200", "conv fwd bf16 n=32 c=256 h=56 w=56 k=256 r=3 s=3 pad_t=1 pad_l=1 pad_b=1 "
			 "pad_r=1 bias=1 act=relu"},
		{"h200", "conv fwd f16 n=64 c=64 h=56 w=56 k=256 r=1 s=1 bias=1 act=relu"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		cudnnBackendDescriptor_t device = described(cases[i].device);
		struct paleo_engine_rules first = any;
		struct paleo_error err;
		struct paleo_plan p;
		first.first_choice_only = 1;
		if (plan(device, paleo_cudnn_graph_conv_act, cases[i].key, &first, &p, &err))
			fail_msg("%s: %s: %s", cases[i].device, cases[i].key, err.text);
		printf("%s: %s: %s\n", cases[i].device, cases[i].key, p.name);
		cudnnBackendDestroyDescriptor(device);
	}
}

static const struct {
	paleo_cudnn_graph_builder *build;
	const char *key;
} for_a_device[] = {
	{paleo_cudnn_graph_norm, "norm fwd f32 mode=batch n=32 c=64 h=56 w=56 scale=1 shift=1"},
	{paleo_cudnn_graph_norm,
	 "norm bwd_data f32 mode=batch n=32 c=64 h=56 w=56 scale=1 shift=1"},
	{paleo_cudnn_graph_norm, "norm fwd f32 mode=layer n=4096 c=1024 h=1 w=1 scale=1 shift=1"},
	{paleo_cudnn_graph_norm,
	 "norm bwd_data f32 mode=layer n=4096 c=1024 h=1 w=1 scale=1 shift=1"},
	{paleo_cudnn_graph_norm, "norm fwd f32 mode=rms n=4096 c=1024 h=1 w=1 scale=1"},
	{paleo_cudnn_graph_norm, "norm bwd_data f32 mode=rms n=4096 c=1024 h=1 w=1 scale=1"},
	{paleo_cudnn_graph_conv_bias, "conv fwd f32 n=32 c=64 h=56 w=56 k=64 r=3 s=3 bias=1"},
	{paleo_cudnn_graph_norm,
	 "norm fwd f32 mode=batch n=32 c=64 h=56 w=56 scale=1 shift=1 layout=nhwc"},
	{paleo_cudnn_graph_norm,
	 "norm bwd_data f32 mode=batch n=32 c=64 h=56 w=56 scale=1 shift=1 layout=nhwc"},
	/* the channels of a pixel lie together: rows of 32 */
	{paleo_cudnn_graph_norm,
	 "norm fwd bf16 mode=layer n=4 c=32 h=8 w=8 scale=1 shift=1 layout=nhwc"},
	{paleo_cudnn_graph_norm,
	 "norm bwd_data bf16 mode=rms n=4 c=32 h=8 w=8 scale=1 layout=nhwc"},
	{paleo_cudnn_graph_norm,
	 "norm fwd bf16 mode=batch n=32 c=64 h=56 w=56 scale=1 shift=1 layout=nhwc"},
	{paleo_cudnn_graph_norm,
	 "norm bwd_data f16 mode=batch n=32 c=64 h=56 w=56 scale=1 shift=1 layout=nhwc"},
	{paleo_cudnn_graph_norm,
	 "norm bwd_data bf16 mode=layer n=4096 c=1024 h=1 w=1 scale=1 shift=1"},
	{paleo_cudnn_graph_norm, "norm fwd f16 mode=rms n=4096 c=1024 h=1 w=1 scale=1"},
	{paleo_cudnn_graph_conv_bias,
	 "conv fwd bf16 n=32 c=64 h=56 w=56 k=64 r=3 s=3 bias=1 layout=nhwc"},
	/* a transformer's prefill, its training step, an encoder of images */
	{paleo_cudnn_graph_attention, "attention fwd bf16 batch=2 q=512 keys=512 heads=32 "
				      "kv_heads=8 qk=128 v=128 causal=1"},
	{paleo_cudnn_graph_attention,
	 "attention bwd_data bf16 batch=2 q=512 keys=512 heads=32 kv_heads=8 qk=128 v=128 "
	 "causal=1"},
	{paleo_cudnn_graph_attention_state,
	 "attention bwd_data bf16 batch=2 q=512 keys=512 heads=32 kv_heads=8 qk=128 v=128 "
	 "causal=1"},
	{paleo_cudnn_graph_attention,
	 "attention fwd f16 batch=8 q=197 keys=197 heads=12 kv_heads=12 qk=64 v=64"},
	{paleo_cudnn_graph_attention, "attention fwd bf16 batch=1 q=256 keys=1024 heads=16 "
				      "kv_heads=16 qk=192 v=128 causal=1 window=512"},
	/* an answer's next token; latent keys; experts */
	{paleo_cudnn_graph_attention, "attention fwd bf16 batch=8 q=1 keys=1024 heads=32 "
				      "kv_heads=8 qk=128 v=128 causal=1 cache=1 rope=128"},
	{paleo_cudnn_graph_attention, "attention fwd bf16 batch=8 q=1 keys=512 heads=16 "
				      "kv_heads=1 qk=576 v=512 causal=1 latent=1 cache=1"},
	{paleo_cudnn_graph_experts_first, EXPERTS},
	{paleo_cudnn_graph_experts_second, EXPERTS},
};

/* Engines for these are compiled when planned, which takes a driver. Without one, cuDNN must accept
 * the graph and offer no engine; a wrong descriptor fails earlier, with another sentence. */
static void graphs_for_a_device_are_accepted(void **state)
{
	cudnnBackendDescriptor_t device = described("h200");

	(void)state;
	for (size_t i = 0; i < sizeof(for_a_device) / sizeof(*for_a_device); i++) {
		struct paleo_error err;
		struct paleo_plan p;
		int rc = plan(device, for_a_device[i].build, for_a_device[i].key, &any, &p, &err);
		if (rc && (rc != PALEO_EUNSUPPORTED || !strstr(err.text, "offers no engine")))
			fail_msg("%s: %s", for_a_device[i].key, err.text);
	}
	cudnnBackendDestroyDescriptor(device);
}

/* What cuDNN has no graph for is said before it is asked; what it has no engine for, after. */
static void other_ops_are_refused(void **state)
{
	static const struct {
		paleo_cudnn_graph_builder *build;
		const char *device, *key, *says;
	} cases[] = {
		{paleo_cudnn_graph_norm, "h200", "norm fwd f32 mode=batch n=2 c=3 h=4 w=5 scale=1",
		 "with parameters unlike"},
		{paleo_cudnn_graph_norm, "h200",
		 "norm fwd f32 mode=layer n=2 c=3 h=4 w=5 scale=1 shift=1", "not adjacent"},
		{paleo_cudnn_graph_norm, "h200",
		 "norm fwd f32 mode=batch_inference n=2 c=3 h=4 w=5 scale=1 shift=1",
		 "given statistics"},
		{paleo_cudnn_graph_conv_act, "h200",
		 "conv fwd f32 n=2 c=3 h=9 w=11 k=5 r=3 s=3 act=hardswish", "no activation like"},
		{paleo_cudnn_graph_experts_first, "h200",
		 "moe bwd_data bf16 tokens=5 hidden=16 inter=16 experts=4 local=4 topk=2",
		 "no gradients"},
		{paleo_cudnn_graph_conv, "t4", "conv fwd bf16 n=2 c=3 h=9 w=11 k=5 r=3 s=3",
		 "offers no engine"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		cudnnBackendDescriptor_t device = described(cases[i].device);
		struct paleo_error err = {.text = ""};
		struct paleo_plan p;
		assert_int_equal(plan(device, cases[i].build, cases[i].key, &any, &p, &err),
				 PALEO_EUNSUPPORTED);
		if (!strstr(err.text, cases[i].says))
			fail_msg("'%s' said: %s", cases[i].key, err.text);
		cudnnBackendDestroyDescriptor(device);
	}
}

/* A descriptor that contradicts itself is a fault of ours, never "unsupported". */
static void wrong_descriptors_are_faults(void **state)
{
	cudnnBackendDescriptor_t device = described("h200");
	struct paleo_cudnn_graph g = {.device = device};
	struct paleo_error err;
	struct paleo_op w;

	(void)state;
	assert_int_equal(paleo_op_parse("conv fwd f32 n=2 c=3 h=9 w=11 k=5 r=3 s=3", &w, &err), 0);
	w.geom.conv.p++; /* one row more than the geometry gives */
	int rc = paleo_cudnn_graph_conv(&g, &w, &err);
	assert_int_equal(rc, PALEO_EBACKEND);
	assert_non_null(strstr(err.text, "BAD_PARAM"));
	paleo_cudnn_graph_release(&g);
	cudnnBackendDestroyDescriptor(device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(convolutions_of_real_nets_have_plans),
		cmocka_unit_test(rough_engines_are_refused),
		cmocka_unit_test(tensor_cores_are_for_tf32),
		cmocka_unit_test(channels_innermost_need_not_be_turned_round),
		cmocka_unit_test(ranks_go_through_the_engines),
		cmocka_unit_test(lists_tell_what_is_taken),
		cmocka_unit_test(bias_and_activation_have_ways),
		cmocka_unit_test(an_activation_ends_a_convolution),
		cmocka_unit_test(graphs_for_a_device_are_accepted),
		cmocka_unit_test(other_ops_are_refused),
		cmocka_unit_test(wrong_descriptors_are_faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
