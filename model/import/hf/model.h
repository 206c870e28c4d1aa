/* model.h - what is read from a config.json: the sizes of a transformer. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_IMPORT_HF_MODEL_H
#define PALEO_MODEL_IMPORT_HF_MODEL_H

#include "model/import/hf/hf.h"

enum {
	PALEO_HF_LAYERS_MAX = 1024,
	PALEO_HF_STREAMS_MAX = 16
};

/* Which products have biases: bits. */
enum paleo_hf_bias {
	PALEO_HF_NO_BIAS,
	PALEO_HF_BIAS_QKV = 1,
	PALEO_HF_BIAS_OUT = 2, /* the projection behind attention */
	PALEO_HF_BIAS_ATTENTION = 3,
	PALEO_HF_BIAS_MLP = 4, /* and experts with their router */
	PALEO_HF_BIAS_ALL = 7,
	PALEO_HF_BIAS_HEAD = 8,  /* the product that gives the words */
	PALEO_HF_BIAS_SCAN = 16, /* the products around a scan */
	PALEO_HF_BIAS_CONV = 32,
	PALEO_HF_BIAS_CONTRACT = 64 /* the last product of an MLP */
};

/* What is multiplied by rows of relative places: bits. */
enum paleo_hf_term {
	PALEO_HF_TERM_QUERIES = 1,
	PALEO_HF_TERM_KEYS = 2
};

/* How queries and keys are normalised. */
enum paleo_hf_qk_norm {
	PALEO_HF_NO_QK_NORM,
	PALEO_HF_NORM_HEADS,
	PALEO_HF_NORM_ROPE, /* heads of layers with rotary positions; nothing is learned */
	PALEO_HF_NORM_WIDTH,
	PALEO_HF_NORM_EACH /* heads by factors of their own; always a layer norm without shifts */
};

/* Which normalisation, and what it learns. */
enum paleo_hf_norm {
	PALEO_HF_RMS_NORM,
	PALEO_HF_RMS_NORM_FIXED, /* nothing is learned */
	PALEO_HF_LAYER_NORM,
	PALEO_HF_LAYER_NORM_NO_SHIFT,
	PALEO_HF_LAYER_NORM_FIXED /* nothing */
};

/* Where the norms of a layer are, which is attention and a net of products (MLP). */
enum paleo_hf_place {
	PALEO_HF_NORMS_BEFORE,
	PALEO_HF_NORMS_BEHIND,      /* on what attention and the MLP give */
	PALEO_HF_NORMS_BOTH,        /* before, and on what they give */
	PALEO_HF_NORMS_BEHIND_SUMS, /* on what goes to the next */
	PALEO_HF_PARALLEL,          /* one norm, whose result both read; one sum of three */
	PALEO_HF_PARALLEL_TWO       /* the same with a norm for each */
};

/* What goes from token to token in a layer without attention, or beside it (mixer.c). */
enum paleo_hf_rule {
	PALEO_HF_NO_RULE,
	PALEO_HF_MAMBA2,
	PALEO_HF_MAMBA1,
	PALEO_HF_MAMBA1_NORMS, /* with norms of what its gates come from */
	PALEO_HF_DELTA,
	PALEO_HF_KDA,
	PALEO_HF_SHORT_CONV
};

/* Which mixers a layer has: bits. */
enum paleo_hf_mixer {
	PALEO_HF_NO_MIXER,
	PALEO_HF_ATTENTION = 1,
	PALEO_HF_SCAN = 2
};

/* How places in the text are told. */
enum paleo_hf_positions {
	PALEO_HF_ROTARY,
	PALEO_HF_LEARNED,     /* a table beside that of the words */
	PALEO_HF_NO_POSITIONS /* as numbers on the scores, which cost nothing by themselves */
};

/* What transformers takes for a key that a file leaves out within text_config. */
struct paleo_hf_size {
	const char *key;
	int value;
};

/* A family: files with this model_type. One line in families.c, families_experts.c or
 * families_scan.c. */
struct paleo_hf_family {
	const char *type;
	const char *const *keys;           /* that it has besides those of all, NULL-ended */
	const char *const *parts;          /* keys whose members stand for its own; NULL: none */
	const struct paleo_hf_size *sizes; /* NULL: none */
	enum paleo_hf_norm norm;
	enum paleo_hf_place place, if_parallel; /* the second where a key says parallel */
	enum paleo_hf_positions positions;
	enum paleo_hf_qk_norm qk_norm;
	int asks_qk_norm;        /* 1: only where a key says so */
	int bias;                /* bits, where no key says more */
	int with_attention_bias; /* what "attention_bias" is about; 0: nothing */
	int with_bias;           /* what "bias" and "use_bias" are about; 0: all */
	int head_dim;            /* without the key; 0: hidden size by heads */
	int full_every;          /* each that many layers one has no window; 0: all have */
	int no_rope_every; /* each that many layers one has no rotary positions; 0: all have */
	int chunked;       /* 1: layers with rotary positions see their chunk of the text alone */
	int shared;        /* experts that all tokens go to, without a key */
	int head_gate;     /* 1: what a head gives is gated */
	int v_norm;        /* 1: of values, too; nothing is learned */
	int blocks;        /* 1: a list has the sizes of each layer */
	int local_sinks;   /* 1: sinks in layers with a window */
	enum paleo_hf_rule rule; /* of layers that are not attention alone */
	int scan_alone;          /* 1: no layer has attention, or an MLP */
	int both;                /* 1: every layer has attention and a scan side by side */
	int one_each;            /* 1: a layer is a mixer or an MLP */
	int scan_norm;           /* 1: what a scan gives is normalised, where no key says it */
	int wide_gate;  /* 1: what attention gives is gated number by number; 2: without biases */
	int shared_mlp; /* 1: beside experts, or without them, an MLP of its own size */
	int attention_every;      /* each that many layers one has attention; 0: lists say it */
	int more_places;          /* of the table, before the first place */
	int plain;                /* 1: two products without a gate */
	int both_inner;           /* 1: its inner size is that of two products together */
	int half_rotary;          /* 1: half of a head is turned, where no key says it */
	int experts_inner;        /* 1: intermediate_size is that of an expert */
	int routing_bias;         /* 1: a number more for each expert, beside the router */
	int shared_gate;          /* 1: what experts share goes through a gate */
	int sinks;                /* 1: a number more for each head */
	int tied;                 /* 1: the head is the embedding, where no key says more */
	int encoder;              /* 1: reads both ways, has no cache and no head */
	int pooler;               /* 1: a product of the first token behind it; 2: of the last */
	int embedding_norm;       /* 1: a norm behind the embedding */
	int inner_norms;          /* 1: of what goes into the products behind attention and MLP */
	int rms_if_told;          /* 1: RMS norms where a key has their epsilon */
	int local_rope;           /* 1: rotary positions in layers with a window alone */
	int windows_behind_dense; /* 1: layers with a window are counted behind dense ones */
	int relu_gate;            /* 1: squared ReLU with a gate, too */
	int twice;      /* 1: a layer has two of each part, and experts beside the first MLP */
	int altup;      /* 1: several streams, of which one goes through layers */
	int compressed; /* 1: compressed keys beside a window, and several streams */

	int reads_forward;  /* 1: an encoder whose tokens see those before them alone */
	int told_positions; /* 1: position_embedding_type may be rotary or alibi */
	int relative; /* 1: scores by relative places (DeBERTa 2); 2: of as many as there are tokens
		       */
	int head_dense;    /* 1: a product and a norm before the head */
	int maps_words;    /* 1: a product behind words even of the hidden size */
	int bare_first;    /* 1: no norm before the first layer's attention */
	int full_first;    /* 1: of each full_every layers the first has no window, not the last */
	int weight_groups; /* of layers that share their weights, without a key; 0: none do */
	int buckets; /* of places, each with a number for each head added to scores; 0: none */

	int act_numbers;      /* that the activation of an MLP has learned */
	int fixed_norms;      /* 1: norms of what a scan's gates come from learn nothing */
	int attention_behind; /* 1: norms behind what layers with attention give, not before */

	/* of an encoder with a decoder */
	int pair;         /* 1: it is one */
	int buckets_each; /* 1: every layer has numbers by place of its own */
	int bare_keys;    /* 1: keys have no bias where queries and values have */

	/* of pictures, which are cut into patches */
	int pictures;     /* 1: it takes these, not words */
	int front;        /* learned tokens before the patches */
	int bare_patches; /* 1: patches become tokens without a bias */
	int scaled;       /* 1: a factor for each channel behind attention and MLP */
	int first_normed; /* 1: the norm behind all is of the first token alone */
	int mean_normed;  /* 1: of the mean of the tokens */
	int by_distance;  /* 1: no row for a place; a number of each head by distance, in each layer
			   */
	int attends;      /* 1: a query of its own reads all tokens, where no key says no */
};

/* families_*.c: those of one kind; the last has no type. */
extern const struct paleo_hf_family paleo_hf_text_families[], paleo_hf_scan_families[],
	paleo_hf_expert_families[], paleo_hf_encoder_families[], paleo_hf_pair_families[];
/* By model_type; NULL. */
const struct paleo_hf_family *paleo_hf_family_find(const char *type);
/* What a family that is known by name alone has and no net here can have; NULL: no such one. */
const char *paleo_hf_family_lacks(const char *type);
/* 1 if some family has such a key. */
int paleo_hf_any_has(const char *key);
/* 1 if a key changes no work, whatever its family. */
int paleo_hf_ignores(const char *key);

/* The heads of an attention, and the numbers of each; of keys and values they may be fewer. */
struct paleo_hf_heads {
	int q, kv;
	int qk, v;  /* numbers of a head: of queries and keys, of values */
	int rotary; /* of which the last have rotary positions (RoPE); 0: none */
};

/* The sizes of a scan and of the convolution before it. */
struct paleo_hf_scan {
	int heads, groups, qk, v; /* as of a work */
	int taps, chunk;
	int inner, expand, rank; /* channels; times the hidden size; numbers that Mamba's d is of */
	int norm;
	int attention_every, attention_first, experts_every, experts_first;
};

/* What may differ from layer to layer. */
struct paleo_hf_layer {
	int mixers; /* bits of enum paleo_hf_mixer */
	int no_mlp; /* 1: it has none */
	struct paleo_hf_heads heads;
	int window;    /* keys that a query sees at most; 0: all */
	int chunk;     /* tokens of the text's parts that see one another; 0: all */
	int sinks;     /* 1: a number more for each head */
	int chooses;   /* 1: sparse attention: an index chooses its keys */
	int shared_kv; /* 1: its values are its keys */
	int ratio;     /* tokens that have a compressed key; 0: there is none */
	int reads;   /* 1 + the layer, from 0, whose keys and values it reads; 0: it has its own */
	int sparse;  /* 1: of its MLP's gates the small ones are left out */
	int hashed;  /* 1: experts by a table of words, without numbers beside the router */
	int inner;   /* of an MLP without experts */
	int dense;   /* 1: no experts */
	int again;   /* 1: its weights are those of the layer before */
	int buckets; /* numbers of each head that are added to scores by place */
};

struct paleo_hf_model {
	const struct paleo_hf_family *family;
	int hidden, inner, layers, heads, kv_heads, head_dim, words, places, types, embed;
	int tied, window, use_window, first_window, full_every, rotary;
	int experts, topk, expert_inner, shared, shared_inner, first_dense, last_sparse;
	int expert_every, dense_inner, chunk, no_rope_every;
	int index_block, index_blocks;
	int index_heads, index_dim, index_top; /* of a choice of keys */
	struct paleo_hf_heads local, global;   /* of layers with a window, and without; 0: as all */
	int shared_kv;                         /* 1: values are keys, where there is no window */
	int beside;                            /* 1: layers have an MLP and experts */
	int latent_experts;                    /* numbers of a token that experts take; 0: all */
	struct paleo_hf_scan scan;
	enum paleo_dtype state; /* of what a sequence keeps of a scan */
	int q_rank, kv_rank, nope, rope, v_dim;
	int out_rank, out_groups; /* of a projection behind attention in two steps */
	int ratios[2];            /* of compressed keys: all, and with a choice */
	int altup, laurel; /* streams of which one goes through layers; numbers beside attention */
	int idle_experts;  /* that give what they take */
	int per_layer, per_layer_words;  /* numbers that each layer has for a word; 0: none */
	int sharing_layers, double_wide; /* the last ones read others' keys; with a wide MLP */
	int streams;                     /* residual streams; 0: one, without factors */
	int hashed_layers, more_layers;  /* the first ones; behind the last, of which lists tell */
	int encoder;                     /* 1: as of a family */
	int weight_groups, buckets;
	int plain;         /* 1: as of a family */
	int gated, swiglu; /* 1: an MLP has a gate; and is narrower for that */
	int norm_before;   /* 0: norms are behind the sums; -1: as of a family */
	/* of the encoder beside a decoder: its layers stand behind those of the decoder */
	int encoder_layers, encoder_heads, encoder_inner, decoder_layers, decoder_words;
	int source, mels; /* moments of sound that it reads, and numbers of each; 0: words */
	int image, patch, channels, registers, ratio, pooled, attends; /* of pictures */
	/* of scores by relative places: rows of a table, 0 without; 1: they are normalised, go
	 * through the products of tokens; which of both are multiplied by them: bits */
	int places_rows, places_normed, places_shared, places_terms;
	int by_distance, by_places, place_buckets, most_places,
		places_join; /* as a file says it; the last: -1 or a flag */
	int latent;          /* 1: a file says that attention is latent */
	int parallel, two_norms, new_decoder, multi_query, asked_qk_norm;
	int bias; /* bits of enum paleo_hf_bias */
	enum paleo_hf_place place;
	enum paleo_hf_positions positions;
	enum paleo_hf_norm norm;
	enum paleo_hf_qk_norm qk_norm;
	const char *activation;                           /* of a net without a gate */
	struct paleo_hf_layer layer[PALEO_HF_LAYERS_MAX]; /* the decoder's, then the encoder's */
	enum paleo_dtype dtype;                           /* of what is computed and stored */
	struct paleo_weight_type weights;                 /* of products */
	int only_experts;                                 /* 1: other products are as `dtype` */
	struct paleo_weight_type experts_weights;         /* where they differ; {0}: as `weights` */
};

/* `quantised` as in paleo_hf_convert(); what is `asked` for by weights=, if not
 * NULL, takes the place of all. */
int paleo_hf_read(const struct paleo_json *root, const struct paleo_json *quantised,
		  const struct paleo_weight_type *asked, struct paleo_hf_model *m,
		  struct paleo_error *err);

/* The first layer, counted from 0, whose works are those of layer `i` in a net that begins with
 * `first`. The first itself is like no other: it has no residual to take in. */
int paleo_hf_like(const struct paleo_hf_model *m, int first, int i);

/* Sums over workers among which layers are divided, of the layers from `first`: behind attention
 * and behind the MLP, or one of both where they stand side by side. */
int paleo_hf_sums(const struct paleo_hf_model *m, int first);

/* Of a token's experts those that compute, where others give what they take: their share of all. */
int paleo_hf_busy_experts(const struct paleo_hf_model *m);

/* Numbers that so many tokens leave in the cache of layer `i`, an index's apart. */
double paleo_hf_cached(const struct paleo_hf_model *m, int i, double tokens);

/* The layer, from 0, that a layer of the net with this name belongs to; -1: what is outside. */
int paleo_hf_layer_of(const char *name);

/* The net's text, of a model that was read. */
int paleo_hf_write(const struct paleo_hf_model *m, const char *title,
		   const struct paleo_hf_options *o, char **out, struct paleo_error *err);

#endif
