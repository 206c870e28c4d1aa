/* test_hf_pictures.c - models that take pictures: weights, tokens, ops, and what is refused. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/hf_nets.h"

/* Pictures of 5 x 5 pixels: four patches of 2 x 2, the last row and column are left out. Two heads
 * of 4 numbers: four products of 64 weights and 8 biases, together 288; two products of 48 with 6
 * and 8 biases, 110; two norms of 16. A patch has 12 numbers: 96 weights and 8 biases. */
#define PICTURES                                                                                   \
	"\"hidden_size\": 8, \"intermediate_size\": 6, \"num_hidden_layers\": 2, "                 \
	"\"num_attention_heads\": 2, \"image_size\": 5, \"patch_size\": 2, \"num_channels\": 3"
#define LAYER (288 + 110 + 32)

/* The sums are worked out by hand; AutoModel of transformers 5.24, on its device "meta", counts the
 * same of these files, with a token of 8 numbers more for DINOv2, which stands for masked patches.
 */
static const struct {
	const char *members;
	double weights;
} models[] = {
	/* places for 4 patches and those in front, these, a norm, a pooler */
	{"\"model_type\": \"vit\", \"pooler_output_size\": 8, " PICTURES,
	 2 * LAYER + 104 + 5 * 8 + 8 + 16 + 72},
	{"\"model_type\": \"vit\", \"qkv_bias\": false, " PICTURES,
	 2 * (LAYER - 24) + 104 + 5 * 8 + 8 + 16 + 72},
	{"\"model_type\": \"deit\", \"pooler_output_size\": 8, " PICTURES,
	 2 * LAYER + 104 + 6 * 8 + 16 + 16 + 72},
	{"\"model_type\": \"vit_msn\", " PICTURES, 2 * LAYER + 104 + 5 * 8 + 8 + 16},
	{"\"model_type\": \"ijepa\", " PICTURES, 2 * LAYER + 104 + 4 * 8 + 16},
	/* a net three times as wide; two factors for each channel of a layer */
	{"\"model_type\": \"dinov2\", \"mlp_ratio\": 3, \"hidden_size\": 8, "
	 "\"num_hidden_layers\": 2, \"num_attention_heads\": 2, \"image_size\": 5, "
	 "\"patch_size\": 2, \"num_channels\": 3",
	 2 * (288 + 2 * 192 + 24 + 8 + 32 + 16) + 104 + 5 * 8 + 8 + 16},
	/* three tokens more, without places */
	{"\"model_type\": \"dinov2_with_registers\", \"num_register_tokens\": 3, "
	 "\"mlp_ratio\": 3, \"hidden_size\": 8, \"num_hidden_layers\": 2, "
	 "\"num_attention_heads\": 2, \"image_size\": 5, \"patch_size\": 2",
	 2 * (288 + 2 * 192 + 24 + 8 + 32 + 16) + 104 + 5 * 8 + 8 + 3 * 8 + 16},
	/* with a gate two thirds of 24, which is 16 */
	{"\"model_type\": \"dinov2\", \"mlp_ratio\": 3, \"use_swiglu_ffn\": true, "
	 "\"hidden_size\": 8, \"num_hidden_layers\": 2, \"num_attention_heads\": 2, "
	 "\"image_size\": 5, \"patch_size\": 2, \"num_channels\": 3",
	 2 * (288 + 3 * 128 + 32 + 8 + 32 + 16) + 104 + 5 * 8 + 8 + 16},
	/* keys without biases, rotary places, two registers */
	{"\"model_type\": \"dinov3_vit\", \"num_register_tokens\": 2, " PICTURES,
	 2 * (LAYER - 8 + 16) + 104 + 8 + 16 + 16},
	{"\"model_type\": \"dinov3_vit\", \"use_gated_mlp\": true, \"hidden_act\": "
	 "\"silu\", " PICTURES,
	 2 * (LAYER - 8 + 16 + 54) + 104 + 8 + 16},
	/* patches without a bias, a norm before the layers */
	{"\"model_type\": \"clip_vision_model\", \"hidden_act\": \"quick_gelu\", " PICTURES,
	 2 * LAYER + 96 + 5 * 8 + 8 + 16 + 16},
	{"\"model_type\": \"siglip_vision_model\", \"vision_use_head\": false, " PICTURES,
	 2 * LAYER + 104 + 4 * 8 + 16},
	/* a query, its attention, a norm, and an MLP */
	{"\"model_type\": \"siglip_vision_model\", " PICTURES,
	 2 * LAYER + 104 + 4 * 8 + 16 + 8 + 288 + 16 + 110},
	{"\"model_type\": \"vit\", \"pooler_output_size\": 9, " PICTURES,
	 2 * LAYER + 104 + 5 * 8 + 8 + 16 + 81},
	/* BEiT: no bias of keys, two factors for each channel, 9 distances and 3 for each head; a
	 * norm of the mean */
	{"\"model_type\": \"beit\", \"use_relative_position_bias\": true, "
	 "\"use_mean_pooling\": true, " PICTURES,
	 2 * (LAYER - 8 + 16 + 24) + 104 + 8 + 16},
	{"\"model_type\": \"beit\", \"use_mean_pooling\": true, " PICTURES,
	 2 * (LAYER - 8 + 16) + 104 + 8 + 16},
};

static void counts_weights(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
		struct paleo_net *net = model_net(models[i].members, "batch=3");
		if (paleo_net_weights(net) != models[i].weights ||
		    paleo_net_cached_bytes(net, PALEO_BF16, PALEO_CACHED_ALL) != 0)
			fail_msg("%zu: %.0f weights, expected %.0f", i, paleo_net_weights(net),
				 models[i].weights);
		paleo_net_free(net);
	}
}

/* Registers join 4 patches and one token in front: 8 tokens of each picture. */
static void reads_patches(void **state)
{
	static const char *const patches[] = {
		"conv fwd bf16 n=3 c=3 h=5 w=5 k=8 r=2 s=2 stride_h=2 stride_w=2 bias=1", NULL};
	static const char *const attention[] = {
		"attention fwd bf16 batch=3 q=8 keys=8 heads=2 kv_heads=2 qk=4 v=4", NULL};
	static const char *const scale[] = {"eltwise fwd bf16 op=mul inputs=2 count=192 small=8",
					    NULL};

	(void)state;
	struct paleo_net *net = model_net(models[6].members, "batch=3");
	check_ops(net, "patches", patches);
	check_ops(net, "l2_attention", attention);
	check_ops(net, "l2_scale1", scale);
	paleo_net_free(net);
}

/* SigLIP: one query for all tokens. */
static void pools_by_attention(void **state)
{
	static const char *const attention[] = {
		"attention fwd bf16 batch=3 q=1 keys=4 heads=2 kv_heads=2 qk=4 v=4", NULL};

	(void)state;
	struct paleo_net *net = model_net(models[12].members, "batch=3");
	check_ops(net, "pool", attention);
	paleo_net_free(net);
}

static void refuses_what_it_cannot(void **state)
{
	static const struct refusal all[] = {
		{"\"model_type\": \"vit\", " PICTURES, "decode", "a 'vit' has no cache"},
		{"\"model_type\": \"vit\", " PICTURES, "seq=9", "leave seq out"},
		{"\"model_type\": \"vit\", \"pooler_act\": \"relu\", " PICTURES, "",
		 "expected 'tanh'"},
		{"\"model_type\": \"beit\", \"use_shared_relative_position_bias\": true, " PICTURES,
		 "", "are known with the value 0 alone"},
		{"\"model_type\": \"dinov3_vit\", \"key_bias\": true, " PICTURES, "",
		 "are known with the value 0 alone"},
		{"\"model_type\": \"vit\", \"hidden_size\": 8, \"num_hidden_layers\": 2, "
		 "\"num_attention_heads\": 2, \"image_size\": 4, \"patch_size\": 5",
		 "", "an image_size of 4 and a patch_size of 5 are not possible"},
	};

	(void)state;
	check_refusals(all, sizeof(all) / sizeof(all[0]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_weights),
		cmocka_unit_test(reads_patches),
		cmocka_unit_test(pools_by_attention),
		cmocka_unit_test(refuses_what_it_cannot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
