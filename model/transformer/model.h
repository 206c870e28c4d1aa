/* model.h - a transformer: its sizes, differences between layers, and the requested part. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_TRANSFORMER_MODEL_H
#define PALEO_MODEL_TRANSFORMER_MODEL_H

#include "base/json.h"
#include "model/net/layers/common.h"
#include "model/net/net.h"

enum paleo_hf_phase {
	PALEO_HF_PREFILL, /* all tokens of new sequences, into the cache */
	PALEO_HF_DECODE,  /* one token more for each sequence */
	PALEO_HF_TRAIN,   /* forward with a loss, and no cache */
	PALEO_HF_PHASES
};

/* Requested part of the model. A plain value; 0 takes the default. */
struct paleo_hf_options {
	enum paleo_hf_phase phase;
	int batch;  /* sequences; default 1 */
	int seq;    /* new tokens of a sequence; default 1024, decoding 1; of an encoder-decoder's
		       decoder 1, except in training */
	int source; /* tokens that an encoder reads for its decoder; default 1024, or the file's */
	int past;   /* tokens that are in the cache already; default 0, decoding 1024 */
	int tp, pp, ep;  /* workers over which each is divided; the net is of one of them */
	int groups;      /* workers that bring batches of their own to the experts; default ep */
	int experts_tp;  /* workers over which an expert is divided; default tp */
	int skew;        /* 100 times the exponent by which tokens prefer experts; 0: evenly */
	int alike;       /* 1: of layers that are alike (paleo_hf_like()) the first alone */
	int has_weights; /* 1: `weights` are given; 0: as in the file */
	struct paleo_weight_type weights;
	int kv;          /* 1 + dtype of the cache; 0: that of the net */
	int ignore_keys; /* 1: keys of the file that are not known are taken for free */
};

/*
 * Reads "NAME=VALUE" words separated by commas, as "phase=decode,past=1024": phase, batch, seq,
 * source, past, tp, pp, ep, etp, weights, kv; a phase alone; or ignore-keys. Values not named are
 * kept. EINPUT names the word.
 */
int paleo_hf_options_read(const char *text, struct paleo_hf_options *o, struct paleo_error *err);

enum {
	PALEO_HF_LAYERS_MAX = 1024,
	PALEO_HF_STREAMS_MAX = 16
};

/* GEMMs with biases: bits. */
enum paleo_hf_bias {
	PALEO_HF_NO_BIAS,
	PALEO_HF_BIAS_QKV = 1,
	PALEO_HF_BIAS_OUT = 2, /* the projection behind attention */
	PALEO_HF_BIAS_ATTENTION = 3,
	PALEO_HF_BIAS_MLP = 4, /* and experts with their router */
	PALEO_HF_BIAS_ALL = 7,
	PALEO_HF_BIAS_HEAD = 8,  /* the language model head */
	PALEO_HF_BIAS_SCAN = 16, /* the projections around a scan */
	PALEO_HF_BIAS_CONV = 32,
	PALEO_HF_BIAS_CONTRACT = 64 /* the last GEMM of an MLP */
};

/* Terms multiplied by relative position embeddings: bits. */
enum paleo_hf_term {
	PALEO_HF_TERM_QUERIES = 1,
	PALEO_HF_TERM_KEYS = 2
};

/* Normalisation of queries and keys. */
enum paleo_hf_qk_norm {
	PALEO_HF_NO_QK_NORM,
	PALEO_HF_NORM_HEADS,
	PALEO_HF_NORM_ROPE, /* heads of layers with rotary positions; nothing is learned */
	PALEO_HF_NORM_WIDTH,
	PALEO_HF_NORM_EACH /* heads by factors of their own; always a layer norm without shifts */
};

/* Kind of normalisation, and its parameters. */
enum paleo_hf_norm {
	PALEO_HF_RMS_NORM,
	PALEO_HF_RMS_NORM_FIXED, /* nothing is learned */
	PALEO_HF_LAYER_NORM,
	PALEO_HF_LAYER_NORM_NO_SHIFT,
	PALEO_HF_LAYER_NORM_FIXED /* nothing */
};

/* Position of the norms of a layer's attention and MLP. */
enum paleo_hf_place {
	PALEO_HF_NORMS_BEFORE,
	PALEO_HF_NORMS_BEHIND,      /* on the outputs of attention and the MLP */
	PALEO_HF_NORMS_BOTH,        /* before, and on their outputs */
	PALEO_HF_NORMS_BEHIND_SUMS, /* on the residual sums */
	PALEO_HF_PARALLEL,          /* one norm, whose result both read; one sum of three */
	PALEO_HF_PARALLEL_TWO       /* the same with a norm for each */
};

/* Recurrence of a layer without attention, or in parallel with it (scan.c). */
enum paleo_hf_rule {
	PALEO_HF_NO_RULE,
	PALEO_HF_MAMBA2,
	PALEO_HF_MAMBA1,
	PALEO_HF_MAMBA1_NORMS, /* with norms of the inputs of its gates */
	PALEO_HF_DELTA,
	PALEO_HF_KDA,
	PALEO_HF_SHORT_CONV
};

/* GEMMs of a layer whose weights may be stored in types of their own. */
enum paleo_hf_gemm {
	PALEO_HF_GEMM_QKV,
	PALEO_HF_GEMM_OUT,
	PALEO_HF_GEMM_EXPAND, /* the first of an MLP, with its gate */
	PALEO_HF_GEMM_CONTRACT,
	PALEO_HF_GEMM_SHARED_EXPAND, /* of experts that all tokens go to */
	PALEO_HF_GEMM_SHARED_CONTRACT,
	PALEO_HF_GEMM_EXPERTS,
	PALEO_HF_GEMM_DOWN, /* of latent attention */
	PALEO_HF_GEMM_Q_B,
	PALEO_HF_GEMM_KV_B,
	PALEO_HF_GEMM_INDEX,
	PALEO_HF_GEMM_SCAN_IN,
	PALEO_HF_GEMM_SCAN_OUT,
	PALEO_HF_GEMMS
};

enum {
	PALEO_HF_TYPES = 8 /* of weights */
};

/* Mixers of a layer: bits. */
enum paleo_hf_mixer {
	PALEO_HF_NO_MIXER,
	PALEO_HF_ATTENTION = 1,
	PALEO_HF_SCAN = 2
};

/* Position encoding. */
enum paleo_hf_positions {
	PALEO_HF_ROTARY,
	PALEO_HF_LEARNED,     /* a table added to the token embedding */
	PALEO_HF_NO_POSITIONS /* as numbers on the scores, which cost nothing by themselves */
};

/* Traits of a family of transformers. A file may override the first five. */
struct paleo_hf_traits {
	const char *type; /* its model_type */
	enum paleo_hf_positions positions;
	int plain;   /* 1: an MLP is two GEMMs without a gate */
	int tied;    /* 1: the head is the embedding */
	int encoder; /* 1: bidirectional, without cache and head */
	int attends; /* 1: attention pooling: a learned query reads all tokens of a picture */

	enum paleo_hf_rule rule; /* of layers that are not attention alone */
	int more_places;         /* of the table, before the first place */
	int embedding_norm;      /* 1: a norm behind the embedding */
	int maps_words;          /* 1: a projection after the embedding even of the hidden size */
	int bare_first;          /* 1: no norm before the first layer's attention */
	int inner_norms;      /* 1: norms of the inputs of attention's and the MLP's output GEMMs */
	int attention_behind; /* 1: norms after layers with attention, not before */
	int fixed_norms;      /* 1: norms of the inputs of a scan's gates learn nothing */
	int bare_keys;        /* 1: keys have no bias although queries and values have */
	int v_norm;           /* 1: values are normalised, too; nothing is learned */
	int head_gate;        /* 1: a head's output is gated */
	int wide_gate;        /* 1: attention's output is gated per element; 2: without biases */
	int compressed;       /* 1: compressed keys with a window, and several streams */
	int relative; /* 1: scores by relative places (DeBERTa 2); 2: of as many as there are tokens
		       */
	int act_numbers;  /* that the activation of an MLP has learned */
	int routing_bias; /* 1: a bias for each expert in the router */
	int shared_gate;  /* 1: the shared experts' output is gated */
	int twice; /* 1: a layer has two of each part, and experts in parallel with the first MLP */
	int head_dense; /* 1: a GEMM and a norm before the head */

	/* of an encoder */
	int reads_forward; /* 1: its tokens see those before them alone */
	int pooler;        /* 1: a pooling GEMM of the first token at the end; 2: of the last */

	/* of pictures, which are cut into patches */
	int pictures;     /* 1: it takes images, not tokens */
	int front;        /* learned tokens before the patches */
	int bare_patches; /* 1: patches become tokens without a bias */
	int scaled;       /* 1: a factor for each channel behind attention and MLP */
	int first_normed; /* 1: the norm behind all is of the first token alone */
	int mean_normed;  /* 1: of the mean of the tokens */
	int by_distance;  /* 1: no row for a place; a number of each head by distance, in each layer
			   */
};

/* The heads of an attention, and the numbers of each; of keys and values they may be fewer. */
struct paleo_hf_heads {
	int q, kv;
	int qk, v;  /* numbers of a head: of queries and keys, of values */
	int rotary; /* of which the last have rotary positions (RoPE); 0: none */
};

/* The sizes of a scan and of the convolution before it. */
struct paleo_hf_scan {
	int heads, groups, qk, v; /* as of an op */
	int taps, chunk;
	int rank; /* numbers that Mamba's d is of */
	int norm; /* 1: a scan's output is normalised */
};

/* Parameters that may differ from layer to layer. */
struct paleo_hf_layer {
	int mixers; /* bits of enum paleo_hf_mixer */
	int no_mlp; /* 1: it has none */
	struct paleo_hf_heads heads;
	int window;    /* keys that a query sees at most; 0: all */
	int chunk;     /* tokens of the text's parts that see one another; 0: all */
	int sinks;     /* 1: a number more for each head */
	int chooses;   /* 1: sparse attention: an index chooses its keys */
	int shared_kv; /* 1: its values are its keys */
	int ratio;     /* tokens per compressed key; 0: none */
	int reads;   /* 1 + the layer, from 0, whose keys and values it reads; 0: it has its own */
	int sparse;  /* 1: of its MLP's gates the small ones are left out */
	int hashed;  /* 1: experts selected by token, without a router bias */
	int inner;   /* of an MLP without experts */
	int dense;   /* 1: no experts */
	int again;   /* 1: its weights are those of the layer before */
	int buckets; /* numbers of each head that are added to scores by place */
	unsigned char stored[PALEO_HF_GEMMS]; /* types of weights, of the model's */
};

struct paleo_hf_model {
	struct paleo_hf_traits is;
	int hidden, inner, layers, heads, head_dim, words, places, types, embed;
	int experts, topk, expert_inner, shared_inner;
	int beside;                            /* 1: layers have an MLP and experts */
	int latent_experts;                    /* numbers of a token that experts take; 0: all */
	int idle_experts;                      /* that pass tokens through unchanged */
	int index_heads, index_dim, index_top; /* of a choice of keys */
	struct paleo_hf_scan scan;
	enum paleo_dtype state; /* of a sequence's scan state */
	int q_rank, kv_rank, nope, rope, v_dim;
	int out_rank, out_groups;       /* of a projection behind attention in two steps */
	int streams;                    /* residual streams; 0: one, without factors */
	int altup, laurel;              /* streams (one goes through layers); LAuReL rank */
	int per_layer, per_layer_words; /* numbers that each layer has for a word; 0: none */
	int sharing_layers;             /* the last ones, which read others' keys */
	int encoder_layers;             /* of the encoder, stored after the decoder's layers */
	int source, mels;               /* audio frames it reads, and features of each; 0: tokens */
	int image, patch, channels, registers, pooled; /* of pictures */
	/* relative position scores: rows of a table, 0 without; 1: normalised; 1: projected with
	 * the tokens' weights; terms multiplied by them: bits */
	int places_rows, places_normed, places_shared, places_terms;
	/* of scores, and of what is added to the stream; in training */
	double scores_dropout, dropout;
	int bias; /* bits of enum paleo_hf_bias */
	enum paleo_hf_place place;
	enum paleo_hf_norm norm;
	enum paleo_hf_qk_norm qk_norm;
	const char *activation;                           /* of a net without a gate */
	struct paleo_hf_layer layer[PALEO_HF_LAYERS_MAX]; /* the decoder's, then the encoder's */
	enum paleo_dtype dtype;                           /* of computation and storage */
	/* of GEMMs: of most, then {0}, which is `dtype`, then others */
	struct paleo_weight_type weights[PALEO_HF_TYPES];
	int type_count;
	int head_stored; /* the head's, of these */
	int codes;       /* 1: inputs of GEMMs are quantised by the op before, as their scales are
			    in the checkpoint; 0: by a kernel before each GEMM */
	char note[240];  /* what to know about reading the file: sentences, each with a ';' */
};

/* The number, or the default where it is 0. */
static inline int paleo_hf_or(int value, int otherwise)
{
	return value ? value : otherwise;
}

/* The first layer, counted from 0, with the same ops as layer `i` in a net that begins with
 * `first`. The first itself is unique: it has no residual to add. */
int paleo_hf_like(const struct paleo_hf_model *m, int first, int i);

/* Number of all-reduces among tensor-parallel workers, for the layers from `first`: after attention
 * and after the MLP, or one for both where they are parallel. */
int paleo_hf_sums(const struct paleo_hf_model *m, int first);

/* Experts of a token that compute, where others pass the token on: the fraction of all. */
int paleo_hf_busy_experts(const struct paleo_hf_model *m);

/* Numbers that so many tokens leave in the cache of layer `i`, an index's apart. */
double paleo_hf_cached(const struct paleo_hf_model *m, int i, double tokens);

/* The model's layer, from 0, of a layer of the net with this name; -1: none. */
int paleo_hf_layer_of(const char *name);

/* The net's text, of a model that was read. */
int paleo_hf_write(const struct paleo_hf_model *m, const char *title,
		   const struct paleo_hf_options *o, char **out, struct paleo_error *err);

#endif
