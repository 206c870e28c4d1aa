/* serving.h - what a transformer takes to answer: times to tokens, memory, tokens per second. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_SERVING_SERVING_H
#define PALEO_MODEL_SERVING_SERVING_H

#include "model/device/link.h"
#include "model/import/hf/model.h"
#include "model/predict/predict.h"

/* How a model is divided. One copy of it runs on tp x pp x dp GPUs. */
struct paleo_serving_split {
	int tp; /* GPUs over which heads and inner sizes are divided */
	int pp; /* stages of layers */
	int dp; /* parts with requests of their own, whose tokens meet at the experts */
	int ep; /* parts into which experts are divided; each is divided over tp dp / ep GPUs */
};

/* A model on a device. A plain value, whose pointers are borrowed. */
struct paleo_serving {
	const struct paleo_hf_model *model;
	struct paleo_hf_options options; /* what the cache is stored in; all else is set here */
	const struct paleo_calibration *calibration; /* of the device and the number type */
	struct paleo_serving_split split;
	struct paleo_link link; /* between the GPUs */
	double host_s;          /* that the host adds to each step of each stage */
	double memory_share;    /* of the device's memory that may be used, above 0 to 1 */
	int skew;               /* 100 times the exponent by which tokens prefer experts */
	int chunk;              /* tokens of prompts that one step takes at most */
	int cached;             /* tokens of each prompt that are in the cache already */
	int drafts;             /* tokens that a step guesses ahead for each answer */
	double accepted;        /* of them that are right, in the mean: 0 to drafts */
};

enum paleo_batching {
	PALEO_CONTINUOUS,    /* a request that ends makes room for the next at once */
	PALEO_STATIC,        /* all begin together and end together */
	PALEO_DISAGGREGATED, /* other GPUs, divided alike, take prompts in; requests are at answers
			      */
	PALEO_BATCHINGS
};
extern const char *const paleo_batching_names[PALEO_BATCHINGS + 1];

/* What is asked of it. */
struct paleo_serving_load {
	enum paleo_batching batching;
	int concurrency; /* requests in flight in one copy of the model */
	int isl, osl;    /* tokens of a prompt, and of its answer */
};

/* The longest times that are allowed; 0: any. */
struct paleo_serving_limits {
	double ttft_s, tpot_s;
};

/* A time with its intervals, NaN where works have none. */
struct paleo_serving_time {
	double s;
	struct paleo_interval interval;
};

/* Bytes of the fullest GPU. */
struct paleo_serving_memory {
	double weights;
	double cache; /* of whole requests: isl + osl tokens each, of windows what they keep */
	double activations; /* what the largest work reads and writes, and the residual beside it */
	double room;        /* the share of the device's memory; 0: not known */
	int largest;        /* concurrency that fits; 0: none does; -1: the memory is not known */
};

struct paleo_serving_result {
	struct paleo_serving_memory memory;
	struct paleo_serving_time ttft, tpot;
	double comm_s, host_s;    /* of tpot */
	double decoding;          /* requests that are at their answer at a time */
	double per_s, per_user_s; /* tokens of answers per second: of all GPUs, of one request */
	int fits;                 /* 0: does not, and there are no times */
	int gpus;
	double prefill_gpus; /* beside them: those that take prompts in, all the time; else 0 */
	double per_gpu_s;    /* of per_s, for each of both */
};

/* The works of a model in one split and for prompts of one length. Its fields are for this room. */
struct paleo_served {
	const struct paleo_serving *serving;
	int isl;
	int fresh;                     /* tokens of a prompt that are not in the cache already */
	struct paleo_served_row *rows; /* owned */
	int count;
	/* bytes of the fullest GPU: weights, cache of one token, states of one sequence */
	double weights, a_token, a_token_index, a_state;
	double expert_layers;
};

/*
 * Lists the works. EINPUT where the split does not fit the model, the device has no peak for the
 * number type, or there is no cache to answer from; ENOMEM. paleo_served_release().
 */
int paleo_served_make(const struct paleo_serving *s, int isl, struct paleo_served *out,
		      struct paleo_error *err);
void paleo_served_release(struct paleo_served *s); /* NULL allowed */

/* One step: `decoding` requests get a token, and what was guessed ahead, each behind `past` tokens;
 * `prompt` fresh tokens of prompts are taken in. */
struct paleo_serving_step {
	int decoding, past, prompt;
};

/* How long it takes, host and links with it; *comm_s is what the links take. EUNSUPPORTED where
 * the device lacks what the law needs; ENOMEM. */
int paleo_served_step(const struct paleo_served *s, const struct paleo_serving_step *step,
		      struct paleo_serving_time *out, double *comm_s, struct paleo_error *err);

/* What a step's exchange takes over the links: all-reduces of tensor parallelism, all-to-alls of
 * experts, and what is handed from stage to stage. */
double paleo_served_comm_s(const struct paleo_served *s, double tokens);

/* The memory that such a load takes, and the largest one that fits. */
int paleo_served_memory(const struct paleo_served *s, const struct paleo_serving_load *load,
			struct paleo_serving_memory *out, struct paleo_error *err);

/* Widens the intervals of a sum of works to those of a server: what its scheduler, its version and
 * its kernels do beside the works has a spread of its own (docs/method/serving.md). */
void paleo_serving_widen(struct paleo_serving_time *t);

/* All that is to be known of a load, in a server's intervals. As paleo_served_step(). */
int paleo_serve(const struct paleo_served *s, const struct paleo_serving_load *load,
		struct paleo_serving_result *out, struct paleo_error *err);

/*
 * As paleo_serve() with the most requests whose times keep both limits: twice as many while they
 * do, then halving what is between. load->concurrency becomes that number. *kept is 0 where even a
 * single request takes longer, or does not fit: then the result is that request's.
 */
int paleo_serve_most(const struct paleo_served *s, const struct paleo_serving_limits *limits,
		     struct paleo_serving_load *load, struct paleo_serving_result *out, int *kept,
		     struct paleo_error *err);

/* Checks a split: EINPUT where its numbers do not go together, or with the model. */
int paleo_serving_check(const struct paleo_serving *s, struct paleo_error *err);

#endif
