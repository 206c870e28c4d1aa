/* read.h - shared by the readers of a config.json: families, and the state of reading. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_IMPORT_HF_READ_H
#define PALEO_IMPORT_HF_READ_H

#include "import/hf/hf.h"

/* Only for the files in this folder. */

enum {
	PALEO_HF_SIZE_MAX = 1 << 24
};

/* Default in transformers of a key missing from text_config. */
struct paleo_hf_size {
	const char *key;
	int value;
};

/* A family: files with this model_type. One row in families.def or families_encoders.def. */
struct paleo_hf_family {
	const char *keys;                  /* that it has besides those of all, spaces between */
	const char *parts;                 /* keys of nested parts; NULL: none */
	const struct paleo_hf_size *sizes; /* ends with a NULL key; NULL: none */
	enum paleo_hf_norm norm;
	enum paleo_hf_place place, if_parallel; /* the second where a key says parallel */
	enum paleo_hf_qk_norm qk_norm;
	int asks_qk_norm;        /* 1: only if a key says so */
	int bias;                /* bits, unless a key adds more */
	int with_attention_bias; /* scope of "attention_bias"; 0: none */
	int with_bias;           /* scope of "bias" and "use_bias"; 0: all */
	int head_dim;            /* without the key; 0: hidden size by heads */
	int full_every;          /* every n-th layer has no window; 0: all have */
	int full_first;    /* 1: the first of each full_every layers has no window, not the last */
	int no_rope_every; /* every n-th layer has no rotary positions; 0: all have */
	int chunked;       /* 1: layers with rotary positions see their chunk of the text alone */
	int local_rope;    /* 1: rotary positions in layers with a window alone */
	int half_rotary;   /* 1: rotary embedding on half of a head, unless a key says otherwise */
	int declared_positions;   /* 1: position_embedding_type may be rotary or alibi */
	int windows_behind_dense; /* 1: layers with a window are counted behind dense ones */
	int sinks, local_sinks;   /* 1: a number more for each head; in layers with a window */
	int rms_if_given;         /* 1: RMS norms where a key has their epsilon */
	int both_inner;           /* 1: its inner size is that of two GEMMs together */
	int relu_gate;            /* 1: squared ReLU with a gate, too */
	int experts_inner;        /* 1: intermediate_size is that of an expert */
	int shared;               /* experts that all tokens go to, without a key */
	int blocks;               /* 1: a list has the sizes of each layer */
	int altup;                /* 1: several streams, of which one goes through layers */
	int pair;                 /* 1: an encoder with a decoder */
	int weight_groups; /* of layers that share their weights, without a key; 0: none do */
	int buckets;      /* of places, each with a number for each head added to scores; 0: none */
	int buckets_each; /* 1: every layer has its own table of relative positions */

	/* of a scan */
	int scan_alone;      /* 1: no layer has attention, or an MLP */
	int both;            /* 1: every layer has attention and a scan side by side */
	int one_each;        /* 1: a layer is a mixer or an MLP */
	int scan_norm;       /* 1: a scan's output is normalised, unless a key says otherwise */
	int shared_mlp;      /* 1: an MLP of its own size, in addition to experts or without them */
	int attention_every; /* each that many layers one has attention; 0: lists say it */

	struct paleo_hf_traits is;
};

/* families.c: by model_type; NULL. */
const struct paleo_hf_family *paleo_hf_family_find(const char *type);
/* Reason why a family known only by name cannot be a net here; NULL: not such a family. */
const char *paleo_hf_family_lacks(const char *type);
/* 1 if some family has such a key. */
int paleo_hf_any_has(const char *key);
/* keys.c: how many keys of an object may change the computation and are not known; their names,
 * with commas, into `list` of `size` bytes unless that is NULL. */
struct paleo_hf_config;
int paleo_hf_unknown_keys(const struct paleo_hf_config *c, const struct paleo_json *at, char *list,
			  size_t size);

/* State of reading a config.json: values by key (keys.c) that differ from the model's; results go
 * to `m`. */
struct paleo_hf_config {
	const struct paleo_json *root, *outer; /* the document, whose text_config `root` may be */
	const struct paleo_hf_family *family;
	struct paleo_hf_model *m;
	struct paleo_error *err;

	int kv_heads, latent, multi_query, new_decoder, two_norms;
	int parallel, asked_qk_norm, norm_before, places_join; /* -1 or a flag */
	int window, use_window, first_window, full_every, chunk, no_rope_every, rotary;
	int shared, first_dense, last_sparse, expert_every, dense_inner, hashed_layers, more_layers;
	int gated, swiglu;                   /* 1: an MLP has a gate; and is narrower for that */
	int index_block, index_blocks;       /* of chosen blocks of keys */
	struct paleo_hf_heads local, global; /* of layers with a window, and without; 0: as all */
	int shared_kv;                       /* 1: values are keys, where there is no window */
	int ratios[2];                       /* of compressed keys: all, and with a choice */
	int double_wide;                     /* 1: layers that read others' keys have a wide MLP */
	int weight_groups, buckets;
	int by_places, by_distance, place_buckets, most_places; /* of relative places */
	int encoder_heads, encoder_inner, decoder_layers, decoder_words;
	int ratio; /* of a picture's MLP */
	int scan_inner, scan_expand, attention_every, attention_first, experts_every, experts_first;

	const struct paleo_json *quantised; /* describes the weights' storage; NULL: none */
	int asked;                          /* 1: the command gave the weights' type */
	int lists_all;                      /* 1: modules that it does not name are not quantised */
	int ignores_all;                    /* 1: keys that are not known are free */

	/* members that are read later; NULL: not there, or not of the family */
	const struct paleo_json *activation_sparsity, *adjust_inner, *inner_multiple, *inner_times;
	const struct paleo_json *block_configs, *block_types, *compress_rates, *compress_ratios;
	const struct paleo_json *attention_indices, *full_indices, *linear_attention, *letters;
	const struct paleo_json *layer_types, *layers_apart, *dense_layers, *sparse_layers;
	const struct paleo_json *norm_type, *position_type, *feed_forward_type, *rows_norm;
	const struct paleo_json *place_terms, *sparse_attention, *state_types[2], *expert_dtype;
	const struct paleo_json *window_patterns[2];
};

/* A member; NULL where it is not there, or null. */
const struct paleo_json *paleo_hf_get(const struct paleo_json *root, const char *key);
/* 1 if a member is this word. */
int paleo_hf_is_word(const struct paleo_json *v, const char *word);
/* A member's number or flag; unchanged if missing. */
int paleo_hf_to_int(const struct paleo_json *object, const char *key, int low, int *out,
		    struct paleo_error *err);
int paleo_hf_to_flag(const struct paleo_json *object, const char *key, int *out,
		     struct paleo_error *err);

/* Adds a sentence to the model's note, with a ';' behind it. */
void paleo_hf_say(struct paleo_hf_model *m, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* EINPUT for the file as a whole. */
#define paleo_hf_fail(c, ...) paleo_json_fail((c)->root, (c)->err, __VA_ARGS__)

/* Sizes that are multiplied or added up, the last without a name: EINPUT where one is more than
 * PALEO_HF_SIZE_MAX. */
struct paleo_hf_checked {
	const char *what;
	double size;
};
#define SIZES(...) ((const struct paleo_hf_checked[]){__VA_ARGS__, {.what = NULL}})
int paleo_hf_check(const struct paleo_hf_config *c, const struct paleo_hf_checked *sizes);

/* read.c: the activation between the two GEMMs of an MLP. */
int paleo_hf_read_activation(struct paleo_hf_config *c, const struct paleo_json *v);

/* keys.c: iterates the words of a text separated by spaces, into `word`, of PALEO_HF_KEY_BYTES; 0:
 * no more. */
enum {
	PALEO_HF_KEY_BYTES = 48
};
int paleo_hf_next_word(const char **text, char *word);
int paleo_hf_is_in(const char *text, const char *word);
/* 1 if the model's family has such a key. */
int paleo_hf_is_of(const struct paleo_hf_config *c, const char *key);
/* Fills in transformers' defaults for keys missing from text_config; reads all members of `at`,
 * which is the file or a nested part; the family's key name for the model's field at `offset`, for
 * messages. */
void paleo_hf_fill_sizes(struct paleo_hf_config *c);
int paleo_hf_read_keys(struct paleo_hf_config *c, const struct paleo_json *at);
void paleo_hf_name_key(const struct paleo_hf_config *c, size_t offset, char *name);

/* sizes.c: derives values from those read, and refuses inconsistent ones. */
int paleo_hf_complete(struct paleo_hf_config *c);

/* stored.c: dtypes of computation and of weights; `quantised` and `asked` as in paleo_hf_read(). */
int paleo_hf_read_stored(struct paleo_hf_config *c, const struct paleo_json *quantised,
			 const struct paleo_weight_type *asked);
/* The types of single modules, where a file lists them; layers were read. */
int paleo_hf_read_exceptions(struct paleo_hf_config *c);

/* lists.c: which layers have scans; then lists with a word for each layer. *rope and *keys become 1
 * where one gives rotary positions, or the keys that a layer sees. */
int paleo_hf_read_mixers(struct paleo_hf_config *c);
int paleo_hf_read_lists(struct paleo_hf_config *c, int *rope, int *keys);

/* layers.c: differences between layers; sizes are complete. */
int paleo_hf_read_layers(struct paleo_hf_config *c);

#endif
