/* hf.h - turns a config.json of Hugging Face into the text of one of our net files. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_IMPORT_HF_HF_H
#define PALEO_MODEL_IMPORT_HF_HF_H

#include "base/json.h"
#include "model/net/layers/common.h"
#include "model/net/net.h"

enum paleo_hf_phase {
	PALEO_HF_PREFILL, /* all tokens of new sequences, into the cache */
	PALEO_HF_DECODE,  /* one token more for each sequence */
	PALEO_HF_TRAIN,   /* forward with a loss, and no cache */
	PALEO_HF_PHASES
};

/* What of the model is wanted. A plain value; 0 takes the default. */
struct paleo_hf_options {
	enum paleo_hf_phase phase;
	int batch;  /* sequences; default 1 */
	int seq;    /* tokens of a sequence that are new; default 1024, decoding 1; of a
		     * decoder beside an encoder 1, but in training */
	int source; /* tokens that an encoder reads for its decoder; default 1024, or the file's */
	int past;   /* tokens that are in the cache already; default 0, decoding 1024 */
	int tp, pp, ep;  /* workers over which each is divided; the net is of one of them */
	int unfused;     /* 1: in training, attention as products with a softmax between */
	int groups;      /* workers that bring batches of their own to the experts; default ep */
	int experts_tp;  /* workers over which an expert is divided; default tp */
	int skew;        /* 100 times the exponent by which tokens prefer experts; 0: evenly */
	int alike;       /* 1: of layers that are alike (paleo_hf_like()) the first alone */
	int has_weights; /* 1: `weights` are wanted; 0: what the file says */
	struct paleo_weight_type weights;
	int kv; /* 1 + number type of the cache; 0: that of the net */
};

/*
 * Reads "NAME=VALUE" words with commas between, as "phase=decode,past=1024": phase, batch, seq,
 * source, past, tp, pp, ep, unfused, weights, kv, or a phase alone. What is not named stays. EINPUT
 * names the word.
 */
int paleo_hf_options_read(const char *text, struct paleo_hf_options *o, struct paleo_error *err);

/* 1 if a document is a config.json rather than a net file. */
int paleo_hf_is_config(const struct paleo_json *root);

/*
 * `quantised` is the hf_quant_config.json beside it, or NULL. *out is the text of a net file, owned
 * by the caller: free(). EINPUT with file, line and key for a family that is not known, a key that
 * may change the work and is not known, or sizes that do not go together; ENOMEM.
 */
int paleo_hf_convert(const struct paleo_json *root, const struct paleo_json *quantised,
		     const char *title, const struct paleo_hf_options *o, char **out,
		     struct paleo_error *err);

#endif
