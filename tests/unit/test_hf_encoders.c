/* test_hf_encoders.c - models that read a text both ways: their weights, windows, and refusals. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/hf_nets.h"

/* Two heads of 4 numbers: four products of 64 weights and 8 biases, together 288; a net of two
 * products 96 and 14 biases, of three with a gate 144. A norm has 16. Words and places 16 * 8. */
#define ENCODER                                                                                    \
	"\"hidden_size\": 8, \"intermediate_size\": 6, \"num_hidden_layers\": 2, "                 \
	"\"num_attention_heads\": 2, \"vocab_size\": 10, \"max_position_embeddings\": 6"

/* The sums are worked out by hand; AutoModel of transformers 5.24, on its device "meta", counts the
 * same of these files. */
static const struct {
	const char *members;
	double weights;
} models[] = {
	/* two layers with a norm behind each half; words, places, a type, their norm; a pooler */
	{"\"model_type\": \"roberta\", \"type_vocab_size\": 1, " ENCODER,
	 2 * (288 + 110 + 32) + 17 * 8 + 16 + 72},
	{"\"model_type\": \"data2vec-text\", \"type_vocab_size\": 2, " ENCODER,
	 2 * (288 + 110 + 32) + 18 * 8 + 16 + 72},
	{"\"model_type\": \"ernie\", \"type_vocab_size\": 2, \"use_task_id\": false, " ENCODER,
	 2 * (288 + 110 + 32) + 18 * 8 + 16 + 72},
	{"\"model_type\": \"bert-generation\", " ENCODER, 2 * (288 + 110 + 32) + 16 * 8 + 16},
	{"\"model_type\": \"distilbert\", \"dim\": 8, \"hidden_dim\": 6, \"n_layers\": 2, "
	 "\"n_heads\": 2, \"vocab_size\": 10, \"max_position_embeddings\": 6",
	 2 * (288 + 110 + 32) + 16 * 8 + 16},
	/* words of 4 numbers, and a product that makes 8 of them */
	{"\"model_type\": \"electra\", \"embedding_size\": 4, \"type_vocab_size\": 2, " ENCODER,
	 2 * (288 + 110 + 32) + 18 * 4 + 8 + 40},
	{"\"model_type\": \"rembert\", \"input_embedding_size\": 4, \"type_vocab_size\": "
	 "2, " ENCODER,
	 2 * (288 + 110 + 32) + 18 * 4 + 8 + 40 + 72},
	/* both layers have the same weights; or each its own */
	{"\"model_type\": \"albert\", \"embedding_size\": 4, \"type_vocab_size\": 2, "
	 "\"num_hidden_groups\": 1, \"inner_group_num\": 1, " ENCODER,
	 288 + 110 + 32 + 18 * 4 + 8 + 40 + 72},
	{"\"model_type\": \"albert\", \"embedding_size\": 8, \"type_vocab_size\": 2, "
	 "\"num_hidden_groups\": 2, " ENCODER,
	 2 * (288 + 110 + 32) + 18 * 8 + 16 + 72 + 72},
	/* 5 numbers for each of 2 heads, which all layers share */
	{"\"model_type\": \"mpnet\", \"relative_attention_num_buckets\": 5, " ENCODER,
	 2 * (288 + 110 + 32) + 10 + 16 * 8 + 16 + 72},
	/* norms before, and one behind all; the last with one of the words, too */
	{"\"model_type\": \"megatron-bert\", \"type_vocab_size\": 2, " ENCODER,
	 2 * (288 + 110 + 32) + 18 * 8 + 16 + 72},
	{"\"model_type\": \"xlm-roberta-xl\", \"type_vocab_size\": 1, " ENCODER,
	 2 * (288 + 110 + 32) + 17 * 8 + 16 + 72},
	{"\"model_type\": \"roberta-prelayernorm\", \"type_vocab_size\": 2, " ENCODER,
	 2 * (288 + 110 + 32) + 18 * 8 + 32 + 72},
	/* the same without types and a pooler; each token sees those before it */
	{"\"model_type\": \"clip_text_model\", \"hidden_act\": \"quick_gelu\", " ENCODER,
	 2 * (288 + 110 + 32) + 16 * 8 + 16},
	/* rotary positions */
	{"\"model_type\": \"jina_embeddings_v3\", \"type_vocab_size\": 1, " ENCODER,
	 2 * (288 + 110 + 32) + 11 * 8 + 16 + 72},
	/* and a gate; the last of the three products alone has a bias, or none has */
	{"\"model_type\": \"gte\", \"type_vocab_size\": 1, " ENCODER,
	 2 * (288 + 144 + 8 + 32) + 11 * 8 + 16},
	{"\"model_type\": \"nomic_bert\", \"type_vocab_size\": 2, " ENCODER,
	 2 * (256 + 144 + 32) + 12 * 8 + 16},
	{"\"model_type\": \"eurobert\", " ENCODER, 2 * (256 + 144 + 16) + 80 + 8},
	/* norms without shifts: one of the words, none before the first attention */
	{"\"model_type\": \"modernbert\", \"local_attention\": 2, " ENCODER,
	 2 * (256 + 144 + 16) - 8 + 80 + 8 + 8},
	/* of the last token 4 numbers, as a picture has */
	{"\"model_type\": \"siglip_text_model\", \"projection_size\": 4, " ENCODER,
	 2 * (288 + 110 + 32) + 16 * 8 + 16 + 36},
	/* transformers counts what predicts contacts, too: a number for each head, and one */
	{"\"model_type\": \"esm\", \"position_embedding_type\": \"rotary\", " ENCODER,
	 2 * (288 + 110 + 32) + 80 + 16},
	{"\"model_type\": \"esm\", \"position_embedding_type\": \"absolute\", " ENCODER,
	 2 * (288 + 110 + 32) + 16 * 8 + 16},
	/* Jina 2, which transformers has not, by hand alone: no row for a place, three products */
	{"\"model_type\": \"bert\", \"position_embedding_type\": \"alibi\", "
	 "\"feed_forward_type\": \"geglu\", \"type_vocab_size\": 2, " ENCODER,
	 2 * (288 + 144 + 8 + 32) + 12 * 8 + 16 + 72},
	/* EmbeddingGemma: no head; five norms of 8 and two of heads */
	{"\"model_type\": \"gemma3_text\", \"use_bidirectional_attention\": true, "
	 "\"num_key_value_heads\": 1, \"head_dim\": 4, \"sliding_window\": 2, " ENCODER,
	 2 * (192 + 144 + 32 + 8) + 80 + 8},
	/* DeBERTa 3: rows for 3 distances on each side and their norm, no row for a place; each row
	 * goes through the products of tokens */
	{"\"model_type\": \"deberta-v2\", \"relative_attention\": true, \"position_buckets\": 3, "
	 "\"max_relative_positions\": -1, \"norm_rel_ebd\": \"layer_norm\", \"share_att_key\": "
	 "true, \"pos_att_type\": \"p2c|c2p\", \"position_biased_input\": false, "
	 "\"type_vocab_size\": 0, " ENCODER,
	 2 * (288 + 110 + 32) + 80 + 16 + 6 * 8 + 16},
	/* or through two of their own */
	{"\"model_type\": \"deberta-v2\", \"relative_attention\": true, "
	 "\"max_relative_positions\": 4, \"pos_att_type\": [\"c2p\", \"p2c\"], "
	 "\"type_vocab_size\": 2, " ENCODER,
	 2 * (288 + 2 * 72 + 110 + 32) + 18 * 8 + 16 + 8 * 8},
	{"\"model_type\": \"deberta-v2\", " ENCODER, 2 * (288 + 110 + 32) + 16 * 8 + 16},
	/* the first DeBERTa: keys have no bias, nor has what is made for queries; as many distances
	 * as places on each side */
	{"\"model_type\": \"deberta\", \"relative_attention\": true, "
	 "\"max_relative_positions\": -1, \"pos_att_type\": \"c2p|p2c\", "
	 "\"position_biased_input\": false, \"type_vocab_size\": 0, " ENCODER,
	 2 * (280 + 64 + 72 + 110 + 32) + 80 + 16 + 12 * 8},
};

/* Neither has any of them a cache. */
static void counts_weights(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
		struct paleo_net *net = model_net(models[i].members, "seq=4");
		if (paleo_net_weights(net) != models[i].weights ||
		    paleo_net_cached_bytes(net, PALEO_BF16, PALEO_CACHED_ALL) != 0)
			fail_msg("%zu: %.0f weights, expected %.0f", i, paleo_net_weights(net),
				 models[i].weights);
		paleo_net_free(net);
	}
}

/* Layers that share their weights do all of the op. */
static void shares_weights(void **state)
{
	static const char *const product[] = {"gemm fwd bf16 m=4 n=6 k=8 trans_b=1 bias=1",
					      "eltwise fwd bf16 op=gelu count=24", NULL};

	(void)state;
	struct paleo_net *net = model_net(models[7].members, "seq=4");
	check_ops(net, "l1_expand", product);
	check_ops(net, "l2_expand", product);
	paleo_net_free(net);
}

/* ModernBERT: of three layers the first sees all, the others a key on each side of their own. */
static void sees_both_sides(void **state)
{
	static const char *const whole[] = {
		"attention fwd bf16 batch=1 q=5 keys=5 heads=2 kv_heads=2 qk=4 v=4", NULL};
	static const char *const window[] = {
		"attention fwd bf16 batch=1 q=5 keys=5 heads=2 kv_heads=2 qk=4 v=4 window=3", NULL};

	(void)state;
	struct paleo_net *net =
		model_net("\"model_type\": \"modernbert\", \"hidden_size\": 8, "
			  "\"intermediate_size\": 6, \"num_hidden_layers\": 4, "
			  "\"num_attention_heads\": 2, \"vocab_size\": 10, "
			  "\"local_attention\": 2, \"global_attn_every_n_layers\": 3",
			  "seq=5");
	check_ops(net, "l1_attention", whole);
	check_ops(net, "l2_attention", window);
	check_ops(net, "l3_attention", window);
	check_ops(net, "l4_attention", whole);
	paleo_net_free(net);
	/* and in training, where nothing else is different */
	net = model_net("\"model_type\": \"modernbert\", \"local_attention\": 2, " ENCODER,
			"train,seq=5");
	check_ops(net, "l2_attention", window);
	paleo_net_free(net);
}

/* CLIP's text: no token sees those behind it, and none is kept. */
static void reads_forward(void **state)
{
	static const char *const causal[] = {
		"attention fwd bf16 batch=1 q=4 keys=4 heads=2 kv_heads=2 qk=4 v=4 causal=1", NULL};

	(void)state;
	struct paleo_net *net = model_net(models[13].members, "seq=4");
	check_ops(net, "l2_attention", causal);
	paleo_net_free(net);
}

/* 4 tokens of two texts have 7 distances, which DeBERTa's first takes 8 rows for; DeBERTa 3 takes
 * all of its 6. Queries, then keys, go by rows; each pair of tokens takes one number, which is
 * added. */
static void scores_by_places(void **state)
{
	static const char *const ops[] = {"copy bwd_data bf16 rows=8 cols=8 parts=2",
					  "copy bwd_data bf16 rows=8 cols=8 parts=2",
					  "copy bwd_data bf16 rows=8 cols=8 parts=2",
					  "gemm fwd bf16 m=4 n=4 k=4 batch=4 trans_b=1",
					  "copy bwd_data bf16 rows=6 cols=8 parts=2",
					  "gemm fwd bf16 m=4 n=6 k=4 batch=4 trans_b=1",
					  "copy fwd bf16 rows=16 cols=4",
					  "eltwise fwd bf16 op=add inputs=2 count=64",
					  "copy bwd_data bf16 rows=6 cols=8 parts=2",
					  "gemm fwd bf16 m=4 n=6 k=4 batch=4 trans_b=1",
					  "copy fwd bf16 rows=16 cols=4",
					  "eltwise fwd bf16 op=add inputs=2 count=64",
					  "softmax fwd bf16 rows=16 cols=4",
					  "gemm fwd bf16 m=4 n=4 k=4 batch=4",
					  "copy fwd bf16 rows=8 cols=8 parts=2",
					  NULL};
	static const char *const rows[] = {"gemm fwd bf16 m=6 n=8 k=8 trans_b=1 bias=1", NULL};
	static const char *const near[] = {"gemm fwd bf16 m=8 n=8 k=8 trans_b=1", NULL};
	const size_t count = sizeof(models) / sizeof(models[0]);

	(void)state;
	struct paleo_net *net = model_net(models[count - 4].members, "batch=2,seq=4");
	check_ops(net, "l1_attention", ops);
	check_ops(net, "l2_places_k", rows);
	paleo_net_free(net);
	net = model_net(models[count - 1].members, "batch=2,seq=4");
	check_ops(net, "l1_places_k", near);
	paleo_net_free(net);
}

/* Two products of a term have four gradients; each takes twice the operations of its own. */
static void trains_places(void **state)
{
	struct paleo_op_list list = {0};
	struct paleo_error err = {0};
	double forward = 0, backward = 0;
	const size_t count = sizeof(models) / sizeof(models[0]);

	(void)state;
	struct paleo_net *net = model_net(models[count - 4].members, "train,seq=4");
	assert_int_equal(paleo_net_ops(net, PALEO_BF16, PALEO_PASSES_ALL, &list, &err), PALEO_OK);
	for (int i = 0; i < list.count; i++)
		if (!strcmp(list.items[i].layer->name, "l1_attention") &&
		    !strcmp(list.items[i].what, "places"))
			*(list.items[i].pass == PALEO_FWD ? &forward : &backward) +=
				list.items[i].op.flops;
	assert_true(forward == 2 * 2 * (2 * 4 * 6 * 4)); /* terms, heads */
	assert_true(backward == 2 * forward);
	paleo_op_list_release(&list);
	paleo_net_free(net);
}

/* Where nothing is said there are as many tokens as places, if that is less than 1,024. */
static void fills_its_places(void **state)
{
	const char *unit;

	(void)state;
	struct paleo_net *net = model_net(models[0].members, "batch=2");
	assert_true(paleo_net_items(net, &unit) == 2 * 6);
	paleo_net_free(net);
	net = model_net(models[14].members, ""); /* rotary */
	assert_true(paleo_net_items(net, &unit) == 1024);
	paleo_net_free(net);
}

static void refuses_what_it_cannot(void **state)
{
	static const struct refusal all[] = {
		{"\"model_type\": \"modernbert\", " ENCODER, "decode",
		 "a 'modernbert' has no cache"},
		{"\"model_type\": \"modernbert\", \"norm_bias\": true, " ENCODER, "",
		 "are known with the value 0 alone"},
		{"\"model_type\": \"albert\", \"inner_group_num\": 2, " ENCODER, "",
		 "are known with the value 1 alone"},
		{"\"model_type\": \"bert\", \"position_embedding_type\": "
		 "\"relative_key\", " ENCODER,
		 "", "'relative_key' is not supported here, expected 'absolute'"},
		{"\"model_type\": \"deberta-v2\", \"relative_attention\": true, "
		 "\"pos_att_type\": \"c2p|p2p\", " ENCODER,
		 "", "'p2p' is not supported, expected c2p or p2c"},
		{"\"model_type\": \"deberta-v2\", \"conv_kernel_size\": 3, " ENCODER, "",
		 "are known with the value 0 alone"},
		{"\"model_type\": \"bert\", " ENCODER, "seq=7",
		 "7 tokens exceed the model's 6 positions"},
		{"\"model_type\": \"gemma3_text\", \"use_bidirectional_attention\": true, " ENCODER,
		 "decode", "has no cache"},
	};

	(void)state;
	check_refusals(all, sizeof(all) / sizeof(all[0]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_weights),   cmocka_unit_test(shares_weights),
		cmocka_unit_test(sees_both_sides),  cmocka_unit_test(reads_forward),
		cmocka_unit_test(scores_by_places), cmocka_unit_test(trains_places),
		cmocka_unit_test(fills_its_places), cmocka_unit_test(refuses_what_it_cannot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
