/* test_hf_pairs.c - encoders with decoders: weights, what each phase runs, caches, and refusals. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/hf_nets.h"

/* One layer that reads and two that write, of 8 numbers in 2 heads. Attention has four products of
 * 64 weights, an MLP two of 48 or three; words have 80. */
#define T5                                                                                         \
	"\"d_model\": 8, \"d_kv\": 4, \"d_ff\": 6, \"num_layers\": 1, "                            \
	"\"num_decoder_layers\": 2, \"num_heads\": 2, \"vocab_size\": 10, "                        \
	"\"relative_attention_num_buckets\": 5"
#define BART                                                                                       \
	"\"d_model\": 8, \"encoder_layers\": 1, \"decoder_layers\": 2, "                           \
	"\"encoder_ffn_dim\": 6, \"decoder_ffn_dim\": 6, \"encoder_attention_heads\": 2, "         \
	"\"decoder_attention_heads\": 2, \"vocab_size\": 10"
#define BART6 BART ", \"max_position_embeddings\": 6"
#define WHISPER                                                                                    \
	"\"model_type\": \"whisper\", \"num_mel_bins\": 5, \"max_source_positions\": 3, "          \
	"\"max_target_positions\": 6, " BART

/* The sums are worked out by hand; AutoModelForSeq2SeqLM and AutoModelForSpeechSeq2Seq of
 * transformers 5.24, on its device "meta", count the same of these files. With biases attention has
 * 288, an MLP 110, a norm 16; a layer that writes has attention twice and three norms. */
static const struct {
	const char *members;
	double weights;
} models[] = {
	/* a norm behind each half; numbers by place in the first layers */
	{"\"model_type\": \"t5\", " T5, 368 + 10 + 8 + 2 * 632 + 10 + 8 + 80},
	{"\"model_type\": \"mt5\", \"feed_forward_proj\": \"gated-gelu\", " T5,
	 416 + 10 + 8 + 2 * 680 + 10 + 8 + 80},
	/* in all layers */
	{"\"model_type\": \"umt5\", \"feed_forward_proj\": \"gated-gelu\", " T5,
	 416 + 10 + 8 + 2 * 680 + 20 + 8 + 80},
	/* places of both, with two before the first; norms of the words */
	{"\"model_type\": \"bart\", " BART6, 430 + 2 * 734 + 80 + 128 + 32},
	{"\"model_type\": \"plbart\", " BART6, 430 + 2 * 734 + 80 + 128 + 32},
	/* norms behind all */
	{"\"model_type\": \"mbart\", " BART6, 430 + 2 * 734 + 80 + 128 + 64},
	{"\"model_type\": \"marian\", \"decoder_vocab_size\": 10, " BART6, 430 + 2 * 734 + 80 + 96},
	{"\"model_type\": \"pegasus\", " BART6, 430 + 2 * 734 + 80 + 96 + 32},
	{"\"model_type\": \"blenderbot\", " BART6, 430 + 2 * 734 + 80 + 96 + 32},
	{"\"model_type\": \"blenderbot-small\", " BART6, 430 + 2 * 734 + 80 + 96 + 32},
	{"\"model_type\": \"m2m_100\", " BART6, 430 + 2 * 734 + 80 + 32},
	/* keys without biases; convolutions 3 * 5 * 8 + 8 and 3 * 8 * 8 + 8; 3 places and 6 */
	{WHISPER, 422 + 2 * 718 + 80 + 128 + 200 + 72 + 32},
};

static void counts_weights(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
		struct paleo_net *net = model_net(models[i].members, "");
		if (paleo_net_weights(net) != models[i].weights)
			fail_msg("%zu: %.0f weights, expected %.0f", i, paleo_net_weights(net),
				 models[i].weights);
		paleo_net_free(net);
		net = model_net(models[i].members, "train,seq=2");
		assert_true(paleo_net_weights(net) == models[i].weights);
		paleo_net_free(net);
	}
}

/* Without a tied head it is one more matrix of words. */
static void reads_the_head(void **state)
{
	struct paleo_net *net = model_net(
		"\"model_type\": \"t5\", \"tie_word_embeddings\": false, " T5, "source=3");

	(void)state;
	assert_true(paleo_net_weights(net) == models[0].weights + 80);
	paleo_net_free(net);
}

#define HEADS " heads=2 kv_heads=2 qk=4 v=4"

/* Prefill: the encoder over 5 tokens, and 2 tokens of the decoder, which read them. */
static void starts_an_answer(void **state)
{
	static const char *const source[] = {"attention fwd bf16 batch=3 q=5 keys=5" HEADS, NULL};
	static const char *const own[] = {
		"attention fwd bf16 batch=3 q=2 keys=2" HEADS " causal=1 cache=1", NULL};
	static const char *const cross[] = {"attention fwd bf16 batch=3 q=2 keys=5" HEADS, NULL};
	static const char *const keys[] = {"gemm fwd bf16 m=15 n=16 k=8 trans_b=1", NULL};
	const char *unit;

	(void)state;
	struct paleo_net *net = model_net(models[0].members, "batch=3,seq=2,source=5");
	check_ops(net, "e1_attention", source);
	check_ops(net, "l1_attention", own);
	check_ops(net, "l2_cross", cross);
	check_ops(net, "l2_cross_kv", keys);
	/* two layers keep 2 tokens of their own and 5 of the source, 16 numbers each */
	assert_true(paleo_net_cached_bytes(net, PALEO_BF16, PALEO_CACHED_ALL) ==
		    3 * 2 * (2 + 5) * 32);
	assert_true(paleo_net_cached_bytes(net, PALEO_BF16, PALEO_CACHED_TOKEN) == 2 * 32);
	assert_true(paleo_net_items(net, &unit) == 6);
	assert_string_equal(unit, "tokens");
	paleo_net_free(net);
}

/* Decoding: one token behind 4, and 5 of the source, which are in the cache. What is left out: the
 * encoder with its norm, and two products for each layer that reads it. */
static void goes_on(void **state)
{
	static const char *const own[] = {
		"attention fwd bf16 batch=3 q=1 keys=5" HEADS " causal=1 cache=1 kv=fp8", NULL};
	static const char *const cross[] = {"attention fwd bf16 batch=3 q=1 keys=5" HEADS " kv=fp8",
					    NULL};
	static const char *const none[] = {NULL};

	(void)state;
	struct paleo_net *net =
		model_net(models[0].members, "decode,batch=3,past=4,source=5,kv=fp8");
	check_ops(net, "l1_attention", own);
	check_ops(net, "l1_cross", cross);
	check_ops(net, "e1_attention", none);
	assert_true(paleo_net_cached_bytes(net, PALEO_BF16, PALEO_CACHED_ALL) ==
		    3 * 2 * (5 + 5) * 16);
	assert_true(paleo_net_weights(net) == models[0].weights - 368 - 10 - 8 - 2 * 128);
	paleo_net_free(net);
	/* no more than the 6 places, where nothing is said: 5 behind, a source of 6 */
	net = model_net(models[3].members, "decode");
	assert_true(paleo_net_cached_bytes(net, PALEO_BF16, PALEO_CACHED_ALL) == 2 * (6 + 6) * 32);
	paleo_net_free(net);
}

/* Whisper: twice as many moments as tokens, which the second convolution halves. */
static void hears(void **state)
{
	static const char *const first[] = {
		"conv fwd bf16 n=2 c=5 h=1 w=6 k=8 r=1 s=3 pad_l=1 pad_r=1 bias=1",
		"eltwise fwd bf16 op=gelu count=96", NULL};
	static const char *const second[] = {
		"conv fwd bf16 n=2 c=8 h=1 w=6 k=8 r=1 s=3 stride_w=2 pad_l=1 pad_r=1 bias=1",
		"eltwise fwd bf16 op=gelu count=48", NULL};
	static const char *const cross[] = {"attention fwd bf16 batch=2 q=1 keys=3" HEADS, NULL};

	(void)state;
	struct paleo_net *net = model_net(WHISPER, "batch=2");
	check_ops(net, "conv1", first);
	check_ops(net, "conv2", second);
	check_ops(net, "l2_cross", cross);
	paleo_net_free(net);
}

static void refuses_what_it_cannot(void **state)
{
	static const struct refusal all[] = {
		{WHISPER, "source=4", "a source of 4 tokens exceeds the model's 3"},
		{"\"model_type\": \"bart\", " BART6, "source=7", "exceeds the model's 6"},
		{"\"model_type\": \"bart\", " BART6, "seq=7",
		 "7 tokens exceed the model's 6 positions"},
		{"\"model_type\": \"t5\", " T5, "tp=2", "tp=1 and pp=1"},
		{"\"model_type\": \"t5\", " T5, "past=3", "past requires phase=decode"},
		{"\"model_type\": \"t5\", \"feed_forward_proj\": \"gated-tanh\", " T5, "",
		 "'tanh' is not supported here"},
		{"\"model_type\": \"marian\", \"decoder_vocab_size\": 9, " BART6, "",
		 "vocabularies of decoder (9) and encoder (10)"},
		{"\"model_type\": \"whisper\", \"num_mel_bins\": 5, "
		 "\"max_target_positions\": 6, " BART,
		 "", "audio needs num_mel_bins and max_source_positions"},
	};

	(void)state;
	check_refusals(all, sizeof(all) / sizeof(all[0]));
}

/* The layer by itself. */
static void checks_a_memory(void **state)
{
	static const struct {
		const char *keys, *says;
	} nets[] = {
		{"\"parents\": [\"q\", \"k\", \"v\"], \"memory\": 4", "'memory' is 4, but there"},
		{"\"parents\": [\"q\"], \"memory\": 3, \"causal\": true", "excludes causal"},
		{"\"parents\": [\"q\"]", "expected 3 parents, found 1"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(nets) / sizeof(nets[0]); i++) {
		struct paleo_net *net = NULL;
		struct paleo_error err = {0};
		char text[1024];
		snprintf(text, sizeof(text),
			 "{\"name\": \"n\", \"layers\": {"
			 "\"q\": {\"type\": \"Input\", \"parents\": [], \"tensor\": [1, 2, 8]}, "
			 "\"k\": {\"type\": \"Input\", \"parents\": [], \"tensor\": [1, 3, 8]}, "
			 "\"v\": {\"type\": \"Input\", \"parents\": [], \"tensor\": [1, 3, 8]}, "
			 "\"a\": {\"type\": \"FusedAttention\", \"heads\": 2, %s}}}",
			 nets[i].keys);
		assert_int_equal(paleo_net_parse("n", text, strlen(text), 0, &net, &err),
				 PALEO_EINPUT);
		if (!strstr(err.text, nets[i].says))
			fail_msg("%zu said: %s", i, err.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_weights),
		cmocka_unit_test(reads_the_head),
		cmocka_unit_test(starts_an_answer),
		cmocka_unit_test(goes_on),
		cmocka_unit_test(hears),
		cmocka_unit_test(refuses_what_it_cannot),
		cmocka_unit_test(checks_a_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
