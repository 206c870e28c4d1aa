/* write.h - what the writers of a transformer's net share. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_IMPORT_HF_WRITE_H
#define PALEO_MODEL_IMPORT_HF_WRITE_H

#include "model/import/hf/model.h"

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
	char memory[PALEO_HF_NAME_BYTES]; /* what an encoder gives to the decoder beside it */
};

/* The name of a layer of the net: "l3_qkv". Each of these yields the name of the layer it writes,
 * which is kept until PALEO_HF_NAMES more were asked for. */
const char *paleo_hf_name(struct paleo_hf_job *j, const char *what);
/* Opens a layer, for more keys; paleo_json_close() ends it. */
const char *paleo_hf_begin(struct paleo_hf_job *j, const char *what, const char *type,
			   const char *first, const char *second);
const char *paleo_hf_begin_of(struct paleo_hf_job *j, const char *what, const char *type,
			      const char *const *parents, int count);
void paleo_hf_put_list(struct paleo_hf_job *j, const char *key, const int *sizes, int count);
const char *paleo_hf_product(struct paleo_hf_job *j, const char *what, const char *x, int outputs,
			     int bias);
/* Says of the open layer that its weights are not quantised, where others are. */
void paleo_hf_put_wide(struct paleo_hf_job *j);
const char *paleo_hf_slice(struct paleo_hf_job *j, const char *what, const char *x, int from,
			   int channels);

/* Several products of one input, which are one with its parts side by side; in training each is on
 * its own, as gradients of parts would have to be joined. */
struct paleo_hf_parts {
	const char *x, *all;
	int bias;
};

struct paleo_hf_parts paleo_hf_together(struct paleo_hf_job *j, const char *what, const char *x,
					int outputs, int bias);
const char *paleo_hf_part(struct paleo_hf_job *j, const char *what, const struct paleo_hf_parts *p,
			  int from, int channels);
const char *paleo_hf_norm(struct paleo_hf_job *j, const char *what, const char *x, int behind_sum);
/* An operation on the numbers of two layers. */
const char *paleo_hf_of_two(struct paleo_hf_job *j, const char *what, const char *op, const char *a,
			    const char *b);
/* `x` times sigmoids of as many gates for each token, made of `from`. */
const char *paleo_hf_gated(struct paleo_hf_job *j, const char *what, const char *x,
			   const char *from, int gates);
const char *paleo_hf_sum(struct paleo_hf_job *j, const char *what, const char *a, const char *b);

/* A scan or a short convolution with its products, the same way. */
const char *paleo_hf_scan(struct paleo_hf_job *j, const char *x);

/* Attention with its projections, from what was normalised to what is added to the stream. */
const char *paleo_hf_attention(struct paleo_hf_job *j, const char *x);

/* The same of a decoder that reads what the encoder beside it gives. */
const char *paleo_hf_cross(struct paleo_hf_job *j, const char *x);
/* source.c: what that encoder reads. */
const char *paleo_hf_begin_source(struct paleo_hf_job *j);

/* compressed.c: the same with compressed keys. What it shares with others: the keys of
 * attention that all have, with the `rope` of a cache; and what chooses keys. */
const char *paleo_hf_compressed(struct paleo_hf_job *j, const char *x);
void paleo_hf_put_heads(struct paleo_hf_job *j, int heads, int kv_heads, int cache, int rope);
void paleo_hf_index(struct paleo_hf_job *j, const char *q, const char *k, const char *weights);

/* per_layer.c: what all layers have for each word; a layer's part of it, made of `x`, added to the
 * stream. */
void paleo_hf_look_up(struct paleo_hf_job *j, const char *embedding);
const char *paleo_hf_with_words(struct paleo_hf_job *j, const char *stream, const char *x);

/* streams.c: the first streams, of what was looked up; streams as one, before a layer's part or,
 * `last`, before the head. */
const char *paleo_hf_spread(struct paleo_hf_job *j, const char *x);
const char *paleo_hf_collapse(struct paleo_hf_job *j, const char *prefix, const char *streams,
			      int last);

/* Numbers that are learned, and go with other works at no cost. */
void paleo_hf_learned(struct paleo_hf_job *j, const char *what, const char *x, int numbers);

/* altup.c: streams of which one goes through a layer: their first, a layer, and one of them all. */
const char *paleo_hf_altup_begin(struct paleo_hf_job *j, const char *x);
const char *paleo_hf_altup_block(struct paleo_hf_job *j, const char *streams);
const char *paleo_hf_altup_end(struct paleo_hf_job *j, const char *streams);

/* 1: queries are multiplied by what expands the latent keys, which stay as they are: in decoding,
 * and where keys are chosen. */
int paleo_hf_absorbs(const struct paleo_hf_model *m, const struct paleo_hf_options *o);

int paleo_hf_divided(int size, int parts); /* rounded up */
/* The type that a layer's weights are stored in, where the net's own does not say it. */
void paleo_hf_put_stored(struct paleo_hf_job *j);
void paleo_hf_put_experts_stored(struct paleo_hf_job *j);
/* Says of the open layer that its weights are those of a layer before, where they are. */
void paleo_hf_put_shared(struct paleo_hf_job *j);
/* A product whose weights are never quantised. */
const char *paleo_hf_wide_product(struct paleo_hf_job *j, const char *what, const char *x,
				  int outputs, int bias);

/* pictures.c: the tokens of one; from the pictures to the stream; and from that to one token. */
int paleo_hf_tokens_of_picture(const struct paleo_hf_model *m);
const char *paleo_hf_begin_pictures(struct paleo_hf_job *j);
const char *paleo_hf_pool(struct paleo_hf_job *j, const char *x);

/* Two products and what is between, or three with a gate; `prefix` begins their names. */
const char *paleo_hf_dense(struct paleo_hf_job *j, const char *x, int inner, const char *prefix);
/* mlp.c: `x` is what the stream is normalised to. */
const char *paleo_hf_mlp(struct paleo_hf_job *j, const char *stream, const char *x);

/* relative.c: the table, where a model has scores by relative places; then of each layer the rows
 * that its queries and its keys are multiplied by, of so many numbers: 0, 1 or 2 names. */
void paleo_hf_begin_places(struct paleo_hf_job *j, const char *tokens);
int paleo_hf_places(struct paleo_hf_job *j, int outputs, const char **parents);

#endif
