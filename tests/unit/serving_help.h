/* serving_help.h - small transformers that tests serve, on a device of round numbers. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TESTS_SERVING_HELP_H
#define PALEO_TESTS_SERVING_HELP_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/hf/hf.h"
#include "model/serving/rows.h"
#include "tests/unit/given.h"

#define TINY                                                                                       \
	"\"model_type\": \"llama\", \"hidden_size\": 64, \"intermediate_size\": 128, "             \
	"\"num_hidden_layers\": 3, \"num_attention_heads\": 4, \"num_key_value_heads\": 2, "       \
	"\"vocab_size\": 256, \"torch_dtype\": \"bfloat16\""
/* One dense layer, three with experts; latent attention. */
#define TINY_LATENT                                                                                \
	"\"model_type\": \"deepseek_v3\", \"hidden_size\": 64, \"intermediate_size\": 128, "       \
	"\"num_hidden_layers\": 4, \"num_attention_heads\": 4, \"num_key_value_heads\": 4, "       \
	"\"vocab_size\": 256, \"moe_intermediate_size\": 32, \"n_routed_experts\": 8, "            \
	"\"n_shared_experts\": 1, \"num_experts_per_tok\": 2, \"first_k_dense_replace\": 1, "      \
	"\"moe_layer_freq\": 1, \"q_lora_rank\": 32, \"kv_lora_rank\": 16, "                       \
	"\"qk_nope_head_dim\": 16, \"qk_rope_head_dim\": 8, \"v_head_dim\": 16"
/* Windows in every second layer. */
#define TINY_WINDOWS                                                                               \
	"\"model_type\": \"gpt_oss\", \"hidden_size\": 64, \"intermediate_size\": 32, "            \
	"\"num_hidden_layers\": 4, \"num_attention_heads\": 4, \"num_key_value_heads\": 2, "       \
	"\"head_dim\": 16, \"vocab_size\": 256, \"num_local_experts\": 8, "                        \
	"\"experts_per_token\": 2, \"sliding_window\": 8, \"layer_types\": "                       \
	"[\"sliding_attention\", \"full_attention\", \"sliding_attention\", \"full_attention\"]"

/* Three layers of four see chunks of 4 tokens. */
#define TINY_CHUNKS                                                                                \
	"\"model_type\": \"llama4_text\", \"hidden_size\": 64, \"intermediate_size\": 32, "        \
	"\"num_hidden_layers\": 4, \"num_attention_heads\": 4, \"num_key_value_heads\": 2, "       \
	"\"head_dim\": 16, \"vocab_size\": 256, \"num_local_experts\": 8, "                        \
	"\"num_experts_per_tok\": 1, \"attention_chunk_size\": 4"
/* An index chooses 8 keys. */
#define TINY_SPARSE                                                                                \
	"\"model_type\": \"deepseek_v32\", \"hidden_size\": 64, \"intermediate_size\": 128, "      \
	"\"num_hidden_layers\": 4, \"num_attention_heads\": 4, \"num_key_value_heads\": 4, "       \
	"\"vocab_size\": 256, \"moe_intermediate_size\": 32, \"n_routed_experts\": 8, "            \
	"\"n_shared_experts\": 1, \"num_experts_per_tok\": 2, \"first_k_dense_replace\": 1, "      \
	"\"moe_layer_freq\": 1, \"q_lora_rank\": 32, \"kv_lora_rank\": 16, "                       \
	"\"qk_nope_head_dim\": 16, \"qk_rope_head_dim\": 8, \"v_head_dim\": 16, "                  \
	"\"index_n_heads\": 2, \"index_head_dim\": 8, \"index_topk\": 8"
/* Layers of linear attention, and one of four with a cache. */
#define TINY_DELTA                                                                                 \
	"\"model_type\": \"qwen3_5_text\", \"hidden_size\": 64, \"intermediate_size\": 128, "      \
	"\"num_hidden_layers\": 4, \"num_attention_heads\": 4, \"num_key_value_heads\": 2, "       \
	"\"head_dim\": 16, \"vocab_size\": 256, \"linear_conv_kernel_dim\": 4, "                   \
	"\"linear_key_head_dim\": 8, \"linear_value_head_dim\": 8, "                               \
	"\"linear_num_key_heads\": 2, \"linear_num_value_heads\": 4, "                             \
	"\"full_attention_interval\": 4"
/* A window of 4; keys of 2 tokens each, of which 2 are chosen; keys of 4 tokens; two streams. */
#define TINY_COMPRESSED                                                                            \
	"\"model_type\": \"deepseek_v4\", \"hidden_size\": 64, \"num_hidden_layers\": 3, "         \
	"\"num_attention_heads\": 4, \"num_key_value_heads\": 1, \"head_dim\": 16, "               \
	"\"vocab_size\": 256, \"moe_intermediate_size\": 32, \"n_routed_experts\": 8, "            \
	"\"n_shared_experts\": 1, \"num_experts_per_tok\": 2, \"q_lora_rank\": 32, "               \
	"\"o_lora_rank\": 8, \"o_groups\": 2, \"qk_rope_head_dim\": 8, \"index_n_heads\": 2, "     \
	"\"index_head_dim\": 8, \"index_topk\": 2, \"sliding_window\": 4, \"hc_mult\": 2, "        \
	"\"layer_types\": [\"sliding_attention\", \"compressed_sparse_attention\", "               \
	"\"heavily_compressed_attention\"], \"compress_rates\": "                                  \
	"{\"compressed_sparse_attention\": 2, \"heavily_compressed_attention\": 4}"
/* Two layers of four read the keys of the others; words of each layer. */
#define TINY_SHARED                                                                                \
	"\"model_type\": \"gemma4_text\", \"hidden_size\": 64, \"intermediate_size\": 128, "       \
	"\"num_hidden_layers\": 4, \"num_attention_heads\": 4, \"num_key_value_heads\": 2, "       \
	"\"head_dim\": 16, \"vocab_size\": 256, \"sliding_window\": 4, "                           \
	"\"hidden_size_per_layer_input\": 8, \"num_kv_shared_layers\": 2, \"layer_types\": "       \
	"[\"sliding_attention\", \"full_attention\", \"sliding_attention\", \"full_attention\"]"
/* Three streams, of which one goes through the layers. */
#define TINY_STREAMS                                                                               \
	"\"model_type\": \"gemma3n_text\", \"hidden_size\": 64, \"intermediate_size\": 128, "      \
	"\"num_hidden_layers\": 4, \"num_attention_heads\": 4, \"num_key_value_heads\": 2, "       \
	"\"head_dim\": 16, \"vocab_size\": 256, \"sliding_window\": 4, \"altup_num_inputs\": 3, "  \
	"\"laurel_rank\": 8, \"hidden_size_per_layer_input\": 8, \"num_kv_shared_layers\": 2, "    \
	"\"activation_sparsity_pattern\": 0.95, \"layer_types\": "                                 \
	"[\"sliding_attention\", \"full_attention\", \"sliding_attention\", \"full_attention\"]"

static struct paleo_class_model any = {.class_name = "gemm",
				       .dtype = PALEO_BF16,
				       .ppp_compute = 0.5,
				       .ppp_memory = 0.8,
				       .overhead_s = 2e-6,
				       .overlap = 1,
				       .ratio_low = 0.9,
				       .ratio_high = 1.2,
				       .correlation = 1};
static struct paleo_calibration calibration = {
	.device = {.name = "unit",
		   .flop_per_s = {[PALEO_BF16] = 1e12, [PALEO_F32] = 1e12},
		   .mem_bytes_per_s = 1e11,
		   .mem_bytes = 1e6},
	.models = &any,
	.count = 1};

static inline struct paleo_hf_model read_model(const char *members)
{
	struct paleo_json_doc *doc = NULL;
	struct paleo_hf_model m = {0};
	struct paleo_error err = {0};
	char text[2048];

	snprintf(text, sizeof(text), "{%s}", members);
	int rc = paleo_json_parse("config.json", 1, text, strlen(text), &doc, &err);
	if (!rc)
		rc = paleo_hf_read(paleo_json_root(doc), NULL, NULL, &m, &err);
	paleo_json_free(doc);
	if (rc)
		fail_msg("%s", err.text);
	return m;
}

static inline struct paleo_serving serving_of(const struct paleo_hf_model *m)
{
	return (struct paleo_serving){
		.model = m,
		.calibration = &calibration,
		.split = {1, 1, 1, 1},
		.link = {.latency_s = 1e-6, .bytes_per_s = 1e9},
		.host_s = 100e-6,
		.memory_share = 0.5,
		.chunk = 8192,
	};
}

static inline struct paleo_served served_as_it_is(const struct paleo_serving *s, int isl)
{
	struct paleo_served v;
	struct paleo_error err = {0};

	if (paleo_served_make(s, isl, &v, &err))
		fail_msg("%s", err.text);
	return v;
}

/* Its ops one after another, as a net has them. */
static inline struct paleo_served served_of(const struct paleo_serving *s, int isl)
{
	struct paleo_served v = served_as_it_is(s, isl);

	for (int i = 0; i < v.count; i++)
		v.rows[i].overlap = PALEO_OVERLAP_NONE;
	return v;
}

static inline double step_s(const struct paleo_served *v, int decoding, int past, int prompt)
{
	const struct paleo_serving_step step = {decoding, past, prompt};
	struct paleo_serving_time t;
	struct paleo_error err = {0};
	double comm_s;

	if (paleo_served_step(v, &step, &t, &comm_s, &err))
		fail_msg("%s", err.text);
	return t.s;
}

static inline struct paleo_serving_result serve(const struct paleo_served *v,
						struct paleo_serving_load load)
{
	struct paleo_serving_result r;
	struct paleo_error err = {0};

	if (paleo_serve(v, &load, &r, &err))
		fail_msg("%s", err.text);
	return r;
}

static inline void near(double a, double b)
{
	if (!(fabs(a - b) <= 1e-12 * fabs(b)))
		fail_msg("%.17g is not %.17g", a, b);
}

/* The sum over the ops of the whole net, layer by layer. */
static inline double whole_net_s(const struct paleo_hf_model *m, struct paleo_hf_options o)
{
	struct paleo_op_list list = {0};
	struct paleo_net *net = NULL;
	struct paleo_error err = {0};
	char *text = NULL;
	double sum = 0;

	int rc = paleo_hf_write(m, "whole", &o, &text, &err);
	if (!rc)
		rc = paleo_net_parse("whole", text, strlen(text), 0, &net, &err);
	if (!rc)
		rc = paleo_net_ops(net, PALEO_BF16, PALEO_PASSES_FWD, &list, &err);
	for (int i = 0; !rc && i < list.count; i++) {
		struct paleo_prediction p;
		rc = paleo_predict_op(&calibration, &list.items[i].op, &p, &err);
		sum += p.parts.total_s;
	}
	if (rc)
		fail_msg("%s", err.text);
	paleo_op_list_release(&list);
	paleo_net_free(net);
	free(text);
	return sum;
}

static const char *const models[] = {TINY,        TINY_LATENT, TINY_WINDOWS,    TINY_CHUNKS,
				     TINY_SPARSE, TINY_DELTA,  TINY_COMPRESSED, TINY_SHARED,
				     TINY_STREAMS};

#endif
