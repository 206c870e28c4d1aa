/* families_encoders.c - THE list of families that read a text both ways, or a picture. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/import/hf/family.h"

#define BERT_KEYS "type_vocab_size", "position_embedding_type"
#define NORMS .encoder = 1, .norm = PALEO_HF_LAYER_NORM, .embedding_norm = 1
#define BEHIND NORMS, .place = PALEO_HF_NORMS_BEHIND_SUMS
#define BERT BEHIND, .positions = PALEO_HF_LEARNED, .plain = 1, .bias = PALEO_HF_BIAS_ALL
#define MEGATRON                                                                                   \
	.keys = KEYS(BERT_KEYS), .encoder = 1, .norm = PALEO_HF_LAYER_NORM,                        \
	.positions = PALEO_HF_LEARNED, .plain = 1, .bias = PALEO_HF_BIAS_ALL, .pooler = 1

static const struct paleo_hf_size siglip_sizes[] = {{"hidden_size", 768},
						    {"intermediate_size", 3072},
						    {"num_hidden_layers", 12},
						    {"num_attention_heads", 12},
						    {"vocab_size", 32000},
						    {"max_position_embeddings", 64},
						    {NULL, 0}};

/* Heads for tasks are left out, whatever "architectures" says. */
const struct paleo_hf_family paleo_hf_encoder_families[] = {
	{.type = "bert",
	 .keys = KEYS(BERT_KEYS, "feed_forward_type", "emb_pooler"),
	 .told_positions = 1,
	 .pooler = 1,
	 BERT},
	{.type = "roberta", .keys = KEYS(BERT_KEYS), .pooler = 1, BERT},
	{.type = "xlm-roberta", .keys = KEYS(BERT_KEYS), .pooler = 1, BERT},
	{.type = "camembert", .keys = KEYS(BERT_KEYS), .pooler = 1, BERT},
	{.type = "data2vec-text", .keys = KEYS(BERT_KEYS), .pooler = 1, BERT},
	{.type = "ernie",
	 .keys = KEYS(BERT_KEYS, "use_task_id", "task_type_vocab_size"),
	 .pooler = 1,
	 BERT},
	{.type = "electra", .keys = KEYS(BERT_KEYS, "embedding_size"), BERT},
	{.type = "bert-generation", .keys = KEYS("position_embedding_type"), BERT},
	{.type = "distilbert",
	 .keys = KEYS("dim", "hidden_dim", "n_layers", "n_heads", "activation"),
	 BERT},
	{.type = "rembert",
	 .keys = KEYS("type_vocab_size", "input_embedding_size", "output_embedding_size"),
	 .maps_words = 1,
	 .pooler = 1,
	 BERT},
#define DEBERTA                                                                                    \
	BERT_KEYS, "relative_attention", "max_relative_positions", "pos_att_type",                 \
		"position_biased_input", "embedding_size"
	/* without a convolution beside the first layer */
	{.type = "deberta-v2",
	 .keys = KEYS(DEBERTA, "position_buckets", "norm_rel_ebd", "share_att_key",
		      "conv_kernel_size", "conv_act"),
	 .relative = 1,
	 BERT},
	{.type = "deberta", .keys = KEYS(DEBERTA), .relative = 2, .bare_keys = 1, BERT},
	{.type = "albert",
	 .keys = KEYS(BERT_KEYS, "embedding_size", "num_hidden_groups", "inner_group_num",
		      "gap_size", "net_structure_type", "num_memory_blocks", "down_scale_factor"),
	 .weight_groups = 1,
	 .maps_words = 1,
	 .pooler = 1,
	 BERT},
	{.type = "mpnet",
	 .keys = KEYS(BERT_KEYS, "relative_attention_num_buckets"),
	 .buckets = 32,
	 .pooler = 1,
	 BERT},
	{.type = "megatron-bert", MEGATRON},
	{.type = "xlm-roberta-xl", MEGATRON},
	{.type = "roberta-prelayernorm", .embedding_norm = 1, MEGATRON},
	{.type = "clip_text_model", /* reads forward alone, and keeps nothing */
	 .keys = KEYS("projection_dim"),
	 .encoder = 1,
	 .reads_forward = 1,
	 .norm = PALEO_HF_LAYER_NORM,
	 .positions = PALEO_HF_LEARNED,
	 .plain = 1,
	 .bias = PALEO_HF_BIAS_ALL},
	{.type = "siglip_text_model",
	 .sizes = siglip_sizes, /* its pooler has no activation, and a size of its own */
	 .keys = KEYS("projection_size"),
	 .encoder = 1,
	 .norm = PALEO_HF_LAYER_NORM,
	 .positions = PALEO_HF_LEARNED,
	 .plain = 1,
	 .pooler = 2,
	 .bias = PALEO_HF_BIAS_ALL},
	{.type = "esm", /* without what predicts contacts */
	 .keys = KEYS(BERT_KEYS, "emb_layer_norm_before"),
	 .encoder = 1,
	 .norm = PALEO_HF_LAYER_NORM,
	 .positions = PALEO_HF_LEARNED,
	 .told_positions = 1,
	 .plain = 1,
	 .bias = PALEO_HF_BIAS_ALL},
	{.type = "jina_embeddings_v3",
	 .keys = KEYS(BERT_KEYS),
	 .plain = 1,
	 .pooler = 1,
	 .bias = PALEO_HF_BIAS_ALL,
	 BEHIND},
	{.type = "gte",
	 .keys = KEYS(BERT_KEYS, "layer_norm_type"),
	 .bias = PALEO_HF_BIAS_ATTENTION | PALEO_HF_BIAS_CONTRACT,
	 BEHIND},
	{.type = "nomic_bert",
	 .keys = KEYS(BERT_KEYS, "n_embd", "n_head", "n_layer", "n_inner", "n_positions",
		      "activation_function", "prenorm", "parallel_block",
		      "parallel_block_tied_norm", "causal", "use_rms_norm", "mlp_fc1_bias",
		      "mlp_fc2_bias", "qkv_proj_bias"),
	 BEHIND},
	{.type = "eurobert",
	 .keys = KEYS("attention_bias", "mlp_bias", "pretraining_tp", "classifier_pooling"),
	 .encoder = 1,
	 .with_attention_bias = PALEO_HF_BIAS_ATTENTION},
	{.type = "modernbert",
	 .keys = KEYS(MODERN_KEYS),
	 .encoder = 1,
	 .norm = PALEO_HF_LAYER_NORM_NO_SHIFT,
	 .embedding_norm = 1,
	 .bare_first = 1,
	 .full_every = 3,
	 .full_first = 1,
	 .with_attention_bias = PALEO_HF_BIAS_ATTENTION},
#define TURNED                                                                                     \
	.pictures = 1, .encoder = 1, .norm = PALEO_HF_LAYER_NORM, .plain = 1,                      \
	.bias = PALEO_HF_BIAS_ALL
#define PICTURES TURNED, .positions = PALEO_HF_NO_POSITIONS
#define VIT_KEYS "image_size", "patch_size", "num_channels", "qkv_bias"
#define POOLED "encoder_stride", "pooler_output_size", "pooler_act"
#define DINO                                                                                       \
	VIT_KEYS, "mlp_ratio", "layerscale_value", "drop_path_rate", "use_swiglu_ffn",             \
		"apply_layernorm", "reshape_hidden_states", "out_features", "out_indices",         \
		"stage_names"
	{.type = "vit", .keys = KEYS(VIT_KEYS, POOLED), .front = 1, .pooler = 1, PICTURES},
	{.type = "deit", .keys = KEYS(VIT_KEYS, POOLED), .front = 2, .pooler = 1, PICTURES},
	{.type = "vit_msn", .keys = KEYS(VIT_KEYS), .front = 1, PICTURES},
	{.type = "ijepa", .keys = KEYS(VIT_KEYS, "pooler_output_size", "pooler_act"), PICTURES},
	/* without the token of what is masked, which only training has */
	{.type = "dinov2", .keys = KEYS(DINO, "use_mask_token"), .front = 1, .scaled = 1, PICTURES},
	{.type = "dinov2_with_registers",
	 .keys = KEYS(DINO, "num_register_tokens"),
	 .front = 1,
	 .scaled = 1,
	 PICTURES},
	{.type = "dinov3_vit",
	 .keys = KEYS(VIT_KEYS, "layerscale_value", "drop_path_rate", "apply_layernorm",
		      "reshape_hidden_states", "out_features", "out_indices", "stage_names",
		      "num_register_tokens", "use_gated_mlp", "mlp_bias", "query_bias", "key_bias",
		      "value_bias", "proj_bias", "pos_embed_shift", "pos_embed_jitter",
		      "pos_embed_rescale"),
	 .front = 1,
	 .scaled = 1,
	 .bare_keys = 1,
	 TURNED},
	{.type = "clip_vision_model",
	 .keys = KEYS(VIT_KEYS, "projection_dim"),
	 .front = 1,
	 .bare_patches = 1,
	 .embedding_norm = 1,
	 .first_normed = 1,
	 PICTURES},
	{.type = "siglip_vision_model",
	 .keys = KEYS(VIT_KEYS, "vision_use_head"),
	 .attends = 1,
	 PICTURES},
	{.type = NULL},
};
