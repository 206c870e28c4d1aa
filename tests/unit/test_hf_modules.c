/* test_hf_modules.c - lists of modules that are not quantised, in the formats of several tools. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "tests/unit/hf_nets.h"

#define DENSE                                                                                      \
	"\"model_type\": \"llama\", \"hidden_size\": 256, \"intermediate_size\": 512, "            \
	"\"num_hidden_layers\": 12, \"num_attention_heads\": 4, \"num_key_value_heads\": 2, "      \
	"\"vocab_size\": 1000, \"torch_dtype\": \"bfloat16\", \"quantization_config\": "
#define CT(ignore)                                                                                 \
	DENSE "{\"quant_method\": \"compressed-tensors\", \"config_groups\": {\"g\": "             \
	      "{\"targets\":"                                                                      \
	      " [\"Linear\"], \"weights\": {\"num_bits\": 4, \"type\": \"int\", \"group_size\": "  \
	      "128}}}, \"ignore\": [" ignore "]}"
#define TARGETS(targets)                                                                           \
	DENSE "{\"quant_method\": \"compressed-tensors\", \"config_groups\": {\"g\": "             \
	      "{\"targets\":"                                                                      \
	      " [" targets "], \"weights\": {\"num_bits\": 4, \"type\": \"int\", \"group_size\": " \
	      "128}}}}"
#define AWQ(list)                                                                                  \
	DENSE "{\"quant_method\": \"awq\", \"bits\": 4, \"group_size\": 128, "                     \
	      "\"modules_to_not_convert\": [" list "]}"
#define GPTQ(more) DENSE "{\"quant_method\": \"gptq\", \"bits\": 4, \"group_size\": 128, " more "}"
#define BNB(list)                                                                                  \
	DENSE "{\"quant_method\": \"bitsandbytes\", \"load_in_8bit\": true, "                      \
	      "\"llm_int8_skip_modules\": [" list "]}"
#define FP8(list)                                                                                  \
	DENSE "{\"quant_method\": \"fp8\", \"weight_block_size\": [128, 128], "                    \
	      "\"modules_to_not_convert\": [" list "]}"
#define MODELOPT(list)                                                                             \
	DENSE "{\"quant_method\": \"modelopt\", \"quant_algo\": \"NVFP4\", "                       \
	      "\"exclude_modules\": [" list "]}"
#define SCANS(ignore)                                                                              \
	"\"model_type\": \"qwen3_5_text\", \"hidden_size\": 256, \"intermediate_size\": 512, "     \
	"\"num_hidden_layers\": 4, \"num_attention_heads\": 4, \"num_key_value_heads\": 2, "       \
	"\"head_dim\": 64, \"vocab_size\": 1000, \"linear_conv_kernel_dim\": 4, "                  \
	"\"linear_key_head_dim\": 32, \"linear_value_head_dim\": 32, "                             \
	"\"linear_num_key_heads\": 4, \"linear_num_value_heads\": 8, "                             \
	"\"torch_dtype\": \"bfloat16\", \"quantization_config\": {\"quant_method\": "              \
	"\"compressed-tensors\", \"config_groups\": {\"g\": {\"targets\": [\"Linear\"], "          \
	"\"weights\": {\"num_bits\": 4, \"group_size\": 32}}}, \"ignore\": [" ignore "]}"
#define W8A8                                                                                       \
	"\"quant_method\": \"compressed-tensors\", \"config_groups\": {\"g\": {\"weights\": "      \
	"{\"num_bits\": 8, \"type\": \"int\", \"group_size\": null}, "                             \
	"\"input_activations\": {\"num_bits\": 8, \"type\": \"int\"}}}"
#define GROUPS(more)                                                                               \
	"\"quant_method\": \"compressed-tensors\", \"config_groups\": {\"g\": {\"weights\": "      \
	"{\"num_bits\": 4, \"type\": \"int\", " more "}}}"
#define QUARK(dtype)                                                                               \
	"\"quant_method\": \"quark\", \"global_quant_config\": {\"weight\": {\"dtype\": " dtype "}}"
#define MIXTRAL                                                                                    \
	"\"model_type\": \"mixtral\", \"hidden_size\": 256, \"intermediate_size\": 512, "          \
	"\"num_hidden_layers\": 2, \"num_attention_heads\": 4, \"num_key_value_heads\": 2, "       \
	"\"vocab_size\": 1000, \"num_local_experts\": 8, \"num_experts_per_tok\": 2, "             \
	"\"torch_dtype\": \"bfloat16\", \"quantization_config\": "

enum {
	QKV = 256 * (256 + 128 + 128),
	OUT = 256 * 256,
	ATTENTION = QKV + OUT,
	EXPAND = 2 * 256 * 512,
	DOWN = 256 * 512,
	MLP = EXPAND + DOWN,
	LAYER = ATTENTION + MLP,
	HEAD = 256 * 1000,
	EXPERTS = 8 * MLP,
	ROUTER = 8 * 256
};

/* Weights of GEMMs with two bytes each. */
static double wide_weights(const struct paleo_net *net)
{
	const enum paleo_dtype dtype = (enum paleo_dtype)(net->dtype - 1);
	double sum = 0;

	for (int i = 0; i < net->count; i++) {
		const struct paleo_layer *l = net->layers[i];
		const char *type = l->kind->type;
		double bytes = paleo_layer_weight_bytes(l, dtype), all = paleo_layer_weights(l);
		if ((!strcmp(type, "InnerProduct") || !strcmp(type, "Experts")) &&
		    fabs(bytes - 2 * all) < 1)
			sum += all;
	}
	return sum;
}

static void test_lists(void **state)
{
	static const struct {
		const char *members;
		double wide;
	} all[] = {
		/* compressed-tensors names modules as they are, or by patterns */
		{CT("\"lm_head\""), HEAD},
		{CT(""), 0},
		{CT("\"lm_head\", \"re:.*self_attn.*\""), HEAD + 12.0 * ATTENTION},
		{CT("\"lm_head\", \"re:.*down_proj\""), HEAD + 12.0 * DOWN},
		{CT("\"lm_head\", \"re:.*down_proj$\", \"re:.*o_proj$\""),
		 HEAD + 12.0 * (DOWN + OUT)},
		{CT("\"re:.*lm_head\", \"re:model\\\\.layers\\\\.0\\\\..*\""), HEAD + LAYER},
		{CT("\"lm_head\", \"re:.*layers\\\\.(0|11)\\\\.mlp.*\""), HEAD + 2.0 * MLP},
		{CT("\"lm_head\", \"re:.*layers\\\\.1[0-9]\\\\.mlp\\\\.(?:gate|up)_proj\""),
		 HEAD + 2.0 * EXPAND},
		{CT("\"lm_head\", \"model.layers.1.mlp.down_proj\""), HEAD + DOWN},
		{CT("\"lm_head\", \"model.layers.1.self_attn.q_proj\", "
		    "\"model.layers.1.self_attn.k_proj\", \"model.layers.1.self_attn.v_proj\""),
		 HEAD + QKV},
		{CT("\"lm_head\", \"re:visual.*\", \"mtp.fc\""), HEAD},
		{TARGETS("\"re:.*mlp.*\""), HEAD + 12.0 * ATTENTION},
		{TARGETS("\"re:.*self_attn.*\", \"re:.*mlp.down_proj\""), HEAD + 12.0 * EXPAND},
		/* others by parts of names */
		{AWQ("\"self_attn\""), HEAD + 12.0 * ATTENTION},
		{AWQ("\"lm_head\", \"mlp\""), HEAD + 12.0 * MLP},
		{AWQ("\"model.layers.1\""), HEAD + LAYER},
		{AWQ("\"model.layers.0.\", \"model.layers.11.mlp\""), HEAD + LAYER + MLP},
		{AWQ("\"down\""), HEAD + 12.0 * DOWN},
		{GPTQ("\"dynamic\": {\"-:.*down_proj\": {}}"), HEAD + 12.0 * DOWN},
		{GPTQ("\"dynamic\": {\"-:model\\\\.layers\\\\.[0-3]\\\\.\": {}}"),
		 HEAD + 4.0 * LAYER},
		{GPTQ("\"modules_in_block_to_quantize\": [[\"self_attn.q_proj\", "
		      "\"self_attn.k_proj\", \"self_attn.v_proj\"], [\"mlp.down_proj\"]]"),
		 HEAD + 12.0 * (OUT + EXPAND)},
		{GPTQ("\"lm_head\": true"), 0},
		{BNB("\"lm_head\", \"down_proj\""), HEAD + 12.0 * DOWN},
		{BNB("\"self_attn\", \"model.layers.3.mlp.down_proj\""),
		 HEAD + 12.0 * ATTENTION + DOWN},
		{FP8("\"lm_head\", \"o_proj\""), HEAD + 12.0 * OUT},
		{FP8("\"model.layers.2.self_attn.o_proj\", \"model.layers.2.mlp.down_proj\""),
		 HEAD + OUT + DOWN},
		{MODELOPT("\"lm_head\", \"*self_attn*\""), HEAD + 12.0 * ATTENTION},
		{MODELOPT("\"lm_head\", \"model.layers.4.self_attn*\", \"model.layers.5.mlp\""),
		 HEAD + ATTENTION + MLP},
		{MODELOPT("\"lm_head\", \"model.layers.*.self_attn.o_proj\""), HEAD + 12.0 * OUT},
		/* experts; a router is never quantised */
		{MIXTRAL "{\"quant_method\": \"awq\", \"bits\": 4, \"group_size\": 128, "
			 "\"modules_to_not_convert\": [\"gate\"]}",
		 HEAD + 2.0 * ROUTER},
		{MIXTRAL "{\"quant_method\": \"fp8\", \"modules_to_not_convert\": [\"experts\"]}",
		 HEAD + 2.0 * (ROUTER + EXPERTS)},
		{MIXTRAL
		 "{\"quant_method\": \"quark\", \"global_quant_config\": {\"weight\": "
		 "{\"dtype\": \"fp8_e4m3\"}}, \"exclude\": [\"lm_head\", \"re:.*self_attn.*\"]}",
		 HEAD + 2.0 * (ROUTER + ATTENTION)},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct paleo_net *net = model_net(all[i].members, "decode");
		if (wide_weights(net) != all[i].wide)
			fail_msg("%zu: %.0f instead of %.0f", i, wide_weights(net), all[i].wide);
		paleo_net_free(net);
	}
}

/* Of four layers one has attention, with a gate as wide as its queries: what is said of it is not
 * of the scans of the others, although another family calls their products so. */
static void test_scans(void **state)
{
	static const char *const lists[] = {SCANS("\"lm_head\""),
					    SCANS("\"lm_head\", \"re:.*self_attn.*\"")};
	double wide[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct paleo_net *net = model_net(lists[i], "decode");
		wide[i] = wide_weights(net);
		paleo_net_free(net);
	}
	assert_true(wide[1] - wide[0] == ATTENTION + 256 * 256);
}

/* Modules with types of their own: groups of 128 numbers of 4 bits, and of 8. */
static void test_types(void **state)
{
	static const char *const q_keys[] = {"gemm fwd bf16 m=1 n=512 k=256 trans_b=1 "
					     "stored=int4_g128_zero",
					     NULL};
	static const char *const down[] = {"gemm fwd bf16 m=1 n=256 k=512 trans_b=1 "
					   "stored=int8_g128_zero",
					   NULL};
	struct paleo_net *net =
		model_net(GPTQ("\"dynamic\": {\"+:.*down_proj\": {\"bits\": 8}}"), "decode,past=8");

	(void)state;
	check_ops(net, "l1_qkv", q_keys);
	check_ops(net, "l12_contract", down);
	paleo_net_free(net);
}

/* Whole numbers in groups have a scale of 16 bits; all of AWQ, GPTQ and AutoRound a zero of as many
 * bits as a number, too; HQQ, torchao, quanto and MLX an addend of 16. All else has two bytes:
 * words and 25 norms. */
static void test_whole_numbers(void **state)
{
	static const struct {
		const char *how;
		double bits;
	} all[] = {
		{"\"quant_method\": \"gptq\", \"bits\": 4, \"group_size\": 128", 4 + 20.0 / 128},
		{"\"quant_method\": \"gptq\", \"bits\": 4, \"sym\": true", 4 + 20.0 / 128},
		{"\"quant_method\": \"gptq\", \"bits\": 8, \"group_size\": 32", 8 + 24.0 / 32},
		{"\"quant_method\": \"gptq\", \"bits\": 8, \"group_size\": -1", 8},
		{"\"quant_method\": \"awq\", \"w_bit\": 4, \"q_group_size\": 64", 4 + 20.0 / 64},
		{"\"quant_method\": \"auto-round\", \"bits\": 4, \"group_size\": 32",
		 4 + 20.0 / 32},
		{GROUPS("\"group_size\": 32"), 4 + 16.0 / 32},
		{GROUPS("\"group_size\": 128, \"symmetric\": true"), 4 + 16.0 / 128},
		{GROUPS("\"group_size\": 128, \"symmetric\": false"), 4 + 20.0 / 128},
		{GROUPS("\"group_size\": null, \"strategy\": \"channel\""), 4},
		{"\"quant_method\": \"compressed-tensors\", \"config_groups\": {\"g\": "
		 "{\"weights\": "
		 "{\"num_bits\": 4, \"type\": \"float\", \"group_size\": 16}}}",
		 4.5},
		{W8A8, 8},
		/* a scale of 32 bits for 64; scales of 8 bits, nearly */
		{"\"quant_method\": \"bitsandbytes\", \"load_in_4bit\": true", 4 + 32.0 / 64},
		{"\"load_in_4bit\": true, \"bnb_4bit_use_double_quant\": true", 4 + 8.0 / 64},
		{"\"quant_method\": \"bitsandbytes\", \"load_in_8bit\": true", 8},
		{"\"bits\": 4, \"group_size\": 64", 4 + 32.0 / 64},
		{"\"bits\": 8, \"group_size\": 64, \"mode\": \"affine\"", 8 + 32.0 / 64},
		{"\"bits\": 4, \"group_size\": 32, \"mode\": \"mxfp4\"", 4.25},
		{"\"quant_method\": \"hqq\", \"quant_config\": {\"weight_quant_params\": "
		 "{\"nbits\": 4, \"group_size\": 64}}",
		 4 + 32.0 / 64},
		{"\"quant_method\": \"torchao\", \"quant_type\": \"int8_weight_only\"", 8},
		{"\"quant_method\": \"torchao\", \"quant_type\": {\"default\": {\"_type\": "
		 "\"Int4WeightOnlyConfig\", \"_data\": {\"group_size\": 32}}}",
		 4 + 32.0 / 32},
		{QUARK("\"int4\", \"group_size\": 128, \"symmetric\": true"), 4 + 16.0 / 128},
		{QUARK("\"uint4\", \"group_size\": 128, \"symmetric\": false"), 4 + 20.0 / 128},
		{QUARK("\"fp4\""), 4.25},
		{"\"quant_method\": \"modelopt\", \"quant_algo\": \"W4A16_AWQ\", \"group_size\": "
		 "64",
		 4 + 16.0 / 64},
		{"\"quant_method\": \"quanto\", \"weights\": \"int8\"", 8},
		{"\"quant_method\": \"quanto\", \"weights\": \"int4\"", 4 + 32.0 / 128},
		{"\"quant_method\": \"fp_quant\", \"forward_dtype\": \"mxfp4\"", 4.25},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		char members[1024];
		snprintf(members, sizeof(members), "\"tie_word_embeddings\": true, " DENSE "{%s}",
			 all[i].how);
		struct paleo_net *net = model_net(members, "");
		const double bytes = paleo_net_weight_bytes(net, PALEO_BF16),
			     right = 12.0 * LAYER * all[i].bits / 8 + 2 * (HEAD + 25 * 256);
		if (bytes != right)
			fail_msg("%s: %.1f bytes instead of %.1f", all[i].how, bytes, right);
		paleo_net_free(net);
	}
}

/* Activations of 8 bits, too: products of whole numbers. With other activations, weights alone. */
static void test_activations(void **state)
{
	static const char *const both[] = {"gemm fwd bf16 m=4 n=512 k=256 trans_b=1 stored=w8a8",
					   NULL};
	static const char *const weights[] = {"gemm fwd bf16 m=4 n=512 k=256 trans_b=1 stored=int8",
					      NULL};
	struct paleo_net *net = model_net(DENSE "{" W8A8 "}", "seq=4");

	(void)state;
	check_ops(net, "l1_qkv", both);
	paleo_net_free(net);
	net = model_net(DENSE
			"{\"quant_method\": \"compressed-tensors\", \"config_groups\": "
			"{\"g\": {\"weights\": {\"num_bits\": 8}, \"input_activations\": null}}}",
			"seq=4");
	check_ops(net, "l1_qkv", weights);
	paleo_net_free(net);
}

/* A text that names nothing is said; a GEMM in two types, and what no pattern can be, is refused.
 */
static void test_said(void **state)
{
	static const struct refusal bad[] = {
		{CT("\"re:.*q_proj\""), "decode", "but both are one GEMM"},
		{AWQ("\"gate_proj\""), "decode", "'mlp.up_proj' is stored in another type"},
		{AWQ("\"model.layers.7.self_attn.k_proj\""), "decode", "layer 7: "},
		{CT("\"re:(?!x).*\""), "decode", "without lookaround"},
		{CT("\"re:(\""), "decode", "cannot read the pattern"},
		{GPTQ("\"modules_to_not_convert\": 3"), "decode", "expected a list"},
		{CT("3"), "decode", "expected a string"},
	};
	struct paleo_net *net = model_net(CT("\"lm_head\", \"self_attn\", \"re:.*attn_x\""), "");

	(void)state;
	assert_non_null(strstr(net->note, "'self_attn' and 1 more match no layer"));
	paleo_net_free(net);
	net = model_net(AWQ("\"visual\", \"lm_head\""), "");
	assert_null(net->note);
	paleo_net_free(net);
	check_refusals(bad, sizeof(bad) / sizeof(bad[0]));
}

/* Keys of training, writing and splitting are free, as are switches that are off; the others are
 * named at once, unless they are to be ignored; a family of a llama's keys is read as one. */
static void test_keys(void **state)
{
	static const char free_keys[] =
		"\"model_type\": \"llama\", " TINY ", \"forced_decoder_ids\": [[1, 2]], "
		"\"sequence_parallel_enabled\": true, \"selective_checkpoint_enabled\": true, "
		"\"move_model_to_device\": true, \"learning_rate\": 0.1, \"odd_switch\": false, "
		"\"odd_number\": 0, \"odd_null\": null, \"odd_list\": [], \"odd_text\": \"\"";
	static const struct refusal bad[] = {
		{"\"model_type\": \"llama\", " TINY ", \"odd_a\": 1, \"odd_b\": [2]", "",
		 "unknown keys for model_type 'llama': odd_a, odd_b;"},
		{"\"model_type\": \"llama\", " TINY ", \"odd_a\": 1", "",
		 "odd_a: unknown key for model_type 'llama';"},
		{"\"model_type\": \"odd\", " TINY ", \"odd_a\": 1", "", "unsupported model_type"},
		{"\"model_type\": \"llama\", \"architectures\": "
		 "[\"LlamaForCausalLMEagle3\"], " TINY,
		 "", "drafts tokens"},
	};
	struct paleo_net *net = model_net(free_keys, "");

	(void)state;
	assert_null(net->note);
	paleo_net_free(net);
	net = model_net("\"model_type\": \"llama\", " TINY ", \"odd_a\": 1, \"odd_b\": 2",
			"ignore-keys");
	assert_non_null(strstr(net->note, "ignored: odd_a, odd_b"));
	paleo_net_free(net);
	net = model_net("\"model_type\": \"odd\", " TINY, "");
	assert_non_null(strstr(net->note, "'odd' is not known: read as a llama"));
	paleo_net_free(net);
	check_refusals(bad, sizeof(bad) / sizeof(bad[0]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists),       cmocka_unit_test(test_scans),
		cmocka_unit_test(test_types),       cmocka_unit_test(test_whole_numbers),
		cmocka_unit_test(test_activations), cmocka_unit_test(test_said),
		cmocka_unit_test(test_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
