/* families_pairs.c - THE list of families with an encoder, and a decoder that reads from it. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/import/hf/family.h"

#define T5_KEYS                                                                                    \
	"d_model", "d_kv", "d_ff", "num_layers", "num_decoder_layers", "num_heads",                \
		"relative_attention_num_buckets", "relative_attention_max_distance",               \
		"feed_forward_proj", "dense_act_fn", "is_gated_act", "scale_decoder_outputs",      \
		"n_positions"
#define BART_KEYS                                                                                  \
	"d_model", "encoder_layers", "encoder_ffn_dim", "encoder_attention_heads",                 \
		"encoder_layerdrop", "decoder_layers", "decoder_ffn_dim",                          \
		"decoder_attention_heads", "decoder_layerdrop", "activation_function",             \
		"scale_embedding", "normalize_before", "normalize_embedding",                      \
		"add_final_layer_norm", "add_bias_logits", "static_position_embeddings",           \
		"extra_pos_embeddings", "force_bos_token_to_be_generated"
#define T5 .pair = 1, .plain = 1, .buckets = 32, .positions = PALEO_HF_NO_POSITIONS, .tied = 1
#define BART                                                                                       \
	.pair = 1, .plain = 1, .norm = PALEO_HF_LAYER_NORM, .bias = PALEO_HF_BIAS_ALL, .tied = 1

const struct paleo_hf_family paleo_hf_pair_families[] = {
	{.type = "t5", .keys = KEYS(T5_KEYS), T5},
	{.type = "mt5", .keys = KEYS(T5_KEYS), T5},
	{.type = "umt5", .keys = KEYS(T5_KEYS), .buckets_each = 1, T5},
	{.type = "bart",
	 .keys = KEYS(BART_KEYS),
	 .place = PALEO_HF_NORMS_BEHIND_SUMS,
	 .positions = PALEO_HF_LEARNED,
	 .more_places = 2,
	 .embedding_norm = 1,
	 BART},
	{.type = "plbart",
	 .keys = KEYS(BART_KEYS),
	 .place = PALEO_HF_NORMS_BEHIND_SUMS,
	 .positions = PALEO_HF_LEARNED,
	 .more_places = 2,
	 .embedding_norm = 1,
	 BART},
	{.type = "mbart",
	 .keys = KEYS(BART_KEYS),
	 .positions = PALEO_HF_LEARNED,
	 .more_places = 2,
	 .embedding_norm = 1,
	 BART},
	{.type = "marian",
	 .keys = KEYS(BART_KEYS, "decoder_vocab_size", "share_encoder_decoder_embeddings"),
	 .place = PALEO_HF_NORMS_BEHIND_SUMS,
	 .positions = PALEO_HF_LEARNED,
	 BART},
	{.type = "pegasus", .keys = KEYS(BART_KEYS), .positions = PALEO_HF_LEARNED, BART},
	{.type = "blenderbot-small",
	 .keys = KEYS(BART_KEYS),
	 .place = PALEO_HF_NORMS_BEHIND_SUMS,
	 .positions = PALEO_HF_LEARNED,
	 .embedding_norm = 1,
	 BART},
	{.type = "blenderbot", .keys = KEYS(BART_KEYS), .positions = PALEO_HF_LEARNED, BART},
	/* places by sines, which nothing keeps */
	{.type = "m2m_100", .keys = KEYS(BART_KEYS), .positions = PALEO_HF_NO_POSITIONS, BART},
	{.type = "whisper",
	 .keys = KEYS(BART_KEYS, "num_mel_bins", "max_source_positions", "max_target_positions",
		      "use_weighted_layer_sum", "classifier_proj_size", "apply_spec_augment",
		      "mask_time_prob", "mask_time_length", "mask_time_min_masks",
		      "mask_feature_prob", "mask_feature_length", "mask_feature_min_masks",
		      "median_filter_width"),
	 .positions = PALEO_HF_LEARNED,
	 .bare_keys = 1,
	 BART},
	{.type = NULL},
};
