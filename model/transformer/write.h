/* write.h - shared by the writers of a transformer's net. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_TRANSFORMER_WRITE_H
#define PALEO_MODEL_TRANSFORMER_WRITE_H

#include "model/transformer/model.h"

/* Only for the files in this folder. */

enum {
	PALEO_HF_NAME_BYTES = 48,
	PALEO_HF_NAMES = 64 /* that are kept: more than a layer has */
};

struct paleo_hf_job {
	const struct paleo_hf_model *m;
	struct paleo_hf_options o; /* complete */
	struct paleo_json_writer *w;
	int layer; /* from 0, the encoder's behind the decoder's; -1: outside of them */
	char names[PALEO_HF_NAMES][PALEO_HF_NAME_BYTES];
	unsigned next_name;
	/* keys and values that later layers may read: of the last layer without a window, and with
	 */
	char kept[2][2][PALEO_HF_NAME_BYTES];
	char places[PALEO_HF_NAME_BYTES]; /* rows by relative place */
	char memory[PALEO_HF_NAME_BYTES]; /* the encoder's output for the decoder */
};

/* A key of a layer of the net, and its value. Without a key it is left out. */
struct paleo_hf_key {
	const char *key;
	enum {
		PALEO_HF_INT,
		PALEO_HF_FLAG,
		PALEO_HF_RATE,
		PALEO_HF_WORD,
		PALEO_HF_LIST,
		PALEO_HF_MORE, /* all keys of another list */
		PALEO_HF_END
	} form;
	int number; /* or how many `list` has */
	double rate;
	const char *word;
	const int *list;
	const struct paleo_hf_key *more;
};

#define KEY(...) ((struct paleo_hf_key){__VA_ARGS__})
#define INT(name, value) KEY(.key = (name), .form = PALEO_HF_INT, .number = (value))
#define FLAG(name, value) KEY(.key = (name), .form = PALEO_HF_FLAG, .number = (value))
#define RATE(name, value) KEY(.key = (name), .form = PALEO_HF_RATE, .rate = (value))
#define WORD(name, value) KEY(.key = (name), .form = PALEO_HF_WORD, .word = (value))
#define LIST(name, count, ...)                                                                     \
	KEY(.key = (name), .form = PALEO_HF_LIST, .number = (count),                               \
	    .list = (const int[]){__VA_ARGS__})
#define MORE(keys) KEY(.key = "", .form = PALEO_HF_MORE, .more = (keys))
#define WHERE(is, value) ((is) ? (value) : KEY(.key = NULL))
#define KEYS(...) ((const struct paleo_hf_key[]){__VA_ARGS__, {.form = PALEO_HF_END}})
#define PARENTS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Writes a layer of the net, as "l3_qkv" of `what` "qkv"; `keys` may be NULL. Each function here
 * returns the name of the layer it writes, which is valid until PALEO_HF_NAMES more were
 * written. */
const char *paleo_hf_layer(struct paleo_hf_job *j, const char *what, const char *type,
			   const char *const *parents, const struct paleo_hf_key *keys);
/* The type that a GEMM of this name is stored in. */
const struct paleo_weight_type *paleo_hf_type_of(const struct paleo_hf_job *j, const char *what);
/* For a layer's keys: the type that its weights are stored in, where the net's own does not say it;
 * that its inputs come quantised; that its weights are those of a layer before. */
struct paleo_hf_key paleo_hf_stored(const struct paleo_hf_job *j,
				    const struct paleo_weight_type *t);
struct paleo_hf_key paleo_hf_codes(const struct paleo_hf_job *j, const struct paleo_weight_type *t);
struct paleo_hf_key paleo_hf_shared(const struct paleo_hf_job *j);

/* A GEMM, and one whose weights are never quantised. */
const char *paleo_hf_product(struct paleo_hf_job *j, const char *what, const char *x, int outputs,
			     int bias);
const char *paleo_hf_wide_product(struct paleo_hf_job *j, const char *what, const char *x,
				  int outputs, int bias);
const char *paleo_hf_slice(struct paleo_hf_job *j, const char *what, const char *x, int from,
			   int channels);

/* Several GEMMs of one input, merged into one with concatenated outputs; in training they are
 * separate, as gradients of the parts would have to be joined. */
struct paleo_hf_parts {
	const char *x, *all;
	int bias;
};

struct paleo_hf_parts paleo_hf_together(struct paleo_hf_job *j, const char *what, const char *x,
					int outputs, int bias);
const char *paleo_hf_part(struct paleo_hf_job *j, const char *what, const struct paleo_hf_parts *p,
			  int from, int channels);
/* A norm of the model's kind; and an RMS norm for each of so many heads, with factors or
 * without. */
const char *paleo_hf_norm(struct paleo_hf_job *j, const char *what, const char *x, int behind_sum);
const char *paleo_hf_rms_norm(struct paleo_hf_job *j, const char *what, const char *x, int heads,
			      int learns);
/* An operation on the numbers of two layers; their sum. */
const char *paleo_hf_of_two(struct paleo_hf_job *j, const char *what, const char *op, const char *a,
			    const char *b);
const char *paleo_hf_sum(struct paleo_hf_job *j, const char *what, const char *a, const char *b);
/* In training `x` with the model's dropout, before it is added to the stream. */
const char *paleo_hf_dropped(struct paleo_hf_job *j, const char *what, const char *x);
/* `x` times sigmoids of as many gates for each token, made of `from`. */
const char *paleo_hf_gated(struct paleo_hf_job *j, const char *what, const char *x,
			   const char *from, int gates);
/* Numbers that are learned, and go with other ops at no cost. */
void paleo_hf_learned(struct paleo_hf_job *j, const char *what, const char *x, int numbers);
int paleo_hf_divided(int size, int parts); /* rounded up */

/* scan.c: a scan or a short convolution with its projections. */
const char *paleo_hf_scan(struct paleo_hf_job *j, const char *x);

/* attention.c: attention with its projections, from the normalised input to the residual; and a
 * decoder's cross-attention to the encoder's output. */
const char *paleo_hf_attention(struct paleo_hf_job *j, const char *x);
const char *paleo_hf_cross(struct paleo_hf_job *j, const char *x);
/* 1: the key expansion is absorbed into the queries, and latent keys are used directly: in
 * decoding, and where keys are selected. */
int paleo_hf_absorbs(const struct paleo_hf_model *m, const struct paleo_hf_options *o);

/* mlp.c: two GEMMs with an activation, or three with a gate, with names that start with `prefix`;
 * and the part after a layer's attention, where `x` is the normalised stream. */
const char *paleo_hf_dense(struct paleo_hf_job *j, const char *x, int inner, const char *prefix);
const char *paleo_hf_mlp(struct paleo_hf_job *j, const char *stream, const char *x);

/* streams.c: per-layer embeddings; a layer's part of them, made of `x`, added to the stream. */
void paleo_hf_look_up(struct paleo_hf_job *j, const char *embedding);
const char *paleo_hf_with_words(struct paleo_hf_job *j, const char *stream, const char *x);
/* The first streams, from the embedding; streams joined, before a layer's part or, `last`, before
 * the head. */
const char *paleo_hf_spread(struct paleo_hf_job *j, const char *x);
const char *paleo_hf_collapse(struct paleo_hf_job *j, const char *prefix, const char *streams,
			      int last);
/* Streams of which one goes through a layer: their start, a layer, and their end. */
const char *paleo_hf_altup_begin(struct paleo_hf_job *j, const char *x);
const char *paleo_hf_altup_block(struct paleo_hf_job *j, const char *streams);
const char *paleo_hf_altup_end(struct paleo_hf_job *j, const char *streams);

/* options.c: fills in defaults, and refuses options that the model does not support: EINPUT. */
int paleo_hf_options_complete(const struct paleo_hf_model *m, struct paleo_hf_options *o,
			      struct paleo_error *err);

/* inputs.c: the net's inputs, from tokens or pictures to the stream; those of an encoder-decoder's
 * encoder, which may read audio; the tokens of a picture; and pooling. */
const char *paleo_hf_begin_net(struct paleo_hf_job *j);
const char *paleo_hf_begin_source(struct paleo_hf_job *j);
int paleo_hf_tokens_of_picture(const struct paleo_hf_model *m);
const char *paleo_hf_pool(struct paleo_hf_job *j, const char *x);

#endif
