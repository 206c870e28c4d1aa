/* model.h - what is read from a config.json: the sizes of a transformer. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_IMPORT_HF_MODEL_H
#define PALEO_MODEL_IMPORT_HF_MODEL_H

#include "model/import/hf/hf.h"

enum {
	PALEO_HF_LAYERS_MAX = 1024
};

/* Which products have biases. */
enum paleo_hf_bias {
	PALEO_HF_NO_BIAS,
	PALEO_HF_BIAS_QKV,
	PALEO_HF_BIAS_ATTENTION, /* and the projection behind it */
	PALEO_HF_BIAS_ALL
};

/* How queries and keys are normalised. */
enum paleo_hf_qk_norm {
	PALEO_HF_NO_QK_NORM,
	PALEO_HF_NORM_HEADS,
	PALEO_HF_NORM_WIDTH
};

/* Which other kind of transformer. */
enum paleo_hf_style {
	PALEO_HF_LLAMA, /* RMS norms, gated, rotary positions */
	PALEO_HF_GPT2,  /* layer norms, learned positions */
	PALEO_HF_BERT   /* the same, both ways, norms behind the sums */
};

/* A family: files with this model_type. One line in families.c. */
struct paleo_hf_family {
	const char *type;
	const char *const *keys; /* that it has besides those of all, NULL-ended */
	enum paleo_hf_style style;
	enum paleo_hf_bias bias; /* without "attention_bias" */
	enum paleo_hf_bias with_attention_bias;
	enum paleo_hf_qk_norm qk_norm;
	int experts_inner; /* 1: intermediate_size is that of an expert */
	int routing_bias;  /* 1: a number more for each expert, beside the router */
	int sinks;         /* 1: a number more for each head */
	int always_tied;   /* 1: the head is the embedding */
};

/* By model_type; NULL. */
const struct paleo_hf_family *paleo_hf_family_find(const char *type);
/* All of them, with commas. */
void paleo_hf_family_names(char *buf, size_t size);
/* Keys that change no work, NULL-ended. */
extern const char *const paleo_hf_ignored[];

struct paleo_hf_model {
	const struct paleo_hf_family *family;
	int hidden, inner, layers, heads, kv_heads, head_dim, words, places, types;
	int tied, attention_bias, mlp_bias, window, use_window, first_window, rotary;
	int experts, topk, expert_inner, shared, first_dense, expert_every;
	int q_rank, kv_rank, nope, rope, v_dim;
	int windows[PALEO_HF_LAYERS_MAX]; /* of each layer; 0: none */
	int dense[PALEO_HF_LAYERS_MAX];   /* 1: no experts in it */
	enum paleo_dtype dtype;           /* of what is computed and stored */
	struct paleo_weight_type weights; /* of products */
	int only_experts;                 /* 1: other products are as `dtype` */
};

/* `quantised` as in paleo_hf_convert(); what is `asked` for by weights=, if not
 * NULL, takes the place of all. */
int paleo_hf_read(const struct paleo_json *root, const struct paleo_json *quantised,
		  const struct paleo_weight_type *asked, struct paleo_hf_model *m,
		  struct paleo_error *err);

/* The first layer, counted from 0, whose works are those of layer `i` in a net that begins with
 * `first`. The first itself is like no other: it has no residual to take in. */
int paleo_hf_like(const struct paleo_hf_model *m, int first, int i);

/* The layer, from 0, that a layer of the net with this name belongs to; -1: what is outside. */
int paleo_hf_layer_of(const char *name);

/* The net's text, of a model that was read. */
int paleo_hf_write(const struct paleo_hf_model *m, const char *title,
		   const struct paleo_hf_options *o, char **out, struct paleo_error *err);

#endif
