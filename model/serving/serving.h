/* serving.h - serving of a transformer: times to tokens, memory, tokens per second. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_SERVING_SERVING_H
#define PALEO_MODEL_SERVING_SERVING_H

#include "model/device/link.h"
#include "model/predict/predict.h"
#include "model/transformer/model.h"

/* Parallelism of a model. One copy of it runs on tp x pp x dp GPUs. */
struct paleo_serving_split {
	int tp; /* GPUs over which heads and inner sizes are divided */
	int pp; /* stages of layers */
	int dp; /* parts with requests of their own, whose tokens meet at the experts */
	int ep; /* parts into which experts are divided; each is divided over tp dp / ep GPUs */
};

/* A model on a device. A plain value, whose pointers are borrowed. */
struct paleo_serving {
	const struct paleo_hf_model *model;
	struct paleo_hf_options options; /* storage type of the cache; all others are set here */
	const struct paleo_calibration *calibration; /* of the device and the dtype */
	/* Those of other stacks: servers try several kernels and keep the fastest. */
	const struct paleo_calibration *const *others;
	int other_count;
	const struct paleo_calibration *power; /* whose power model gives joules; NULL: none */
	struct paleo_serving_split split;
	struct paleo_link link; /* between the GPUs */
	double host_s;          /* that the host adds to each step of each stage */
	double memory_share;    /* of the device's memory that may be used, above 0 to 1 */
	int skew;               /* 100 times the exponent by which tokens prefer experts */
	int chunk;              /* tokens of prompts that one step takes at most */
	int cached;             /* tokens of each prompt that are in the cache already */
	int drafts;             /* tokens that a step guesses ahead for each answer */
	double accepted;        /* of them that are right, in the mean: 0 to drafts */
	int rounds;             /* requests of a user in turn, the first of all at once; 0: a steady
				   stream, as if there were no first */
	double front_steps;     /* steps that pass in the server before a request is scheduled */
};

enum paleo_batching {
	PALEO_CONTINUOUS,    /* a request that ends makes room for the next at once */
	PALEO_STATIC,        /* all begin together and end together */
	PALEO_DISAGGREGATED, /* other GPUs, divided alike, take prompts in; requests are at answers
			      */
	PALEO_BATCHINGS
};
extern const char *const paleo_batching_names[PALEO_BATCHINGS + 1];

/* Load of the server. */
struct paleo_serving_load {
	enum paleo_batching batching;
	int concurrency; /* requests in flight in one copy of the model */
	int isl, osl;    /* tokens of a prompt, and of its answer */
};

/* The longest times that are allowed; 0: any. */
struct paleo_serving_limits {
	double ttft_s, tpot_s;
};

/* Energy, and its 90 % interval as far as power is concerned; NaN: not known. */
struct paleo_joules {
	double mean, low, high;
};

/* A time with its intervals, NaN where ops have none, and the energy that a GPU takes in it. */
struct paleo_serving_time {
	double s;
	struct paleo_interval interval;
	struct paleo_joules joules;
};

/* Bytes of the fullest GPU. */
struct paleo_serving_memory {
	double weights;
	double cache; /* of whole requests: isl + osl tokens each, for windows only those kept */
	double activations; /* operands of the largest op, and the residual */
	double room;        /* the share of the device's memory; 0: not known */
	int largest;        /* concurrency that fits; 0: none does; -1: the memory is not known */
};

struct paleo_serving_result {
	struct paleo_serving_memory memory;
	struct paleo_serving_time ttft, tpot;
	double comm_s, host_s;    /* of tpot */
	double decoding;          /* requests that are at their answer at a time */
	double per_s, per_user_s; /* tokens of answers per second: of all GPUs, of one request */
	int fits;                 /* 0: does not fit, and there are no times */
	int gpus;
	double prefill_gpus; /* additional GPUs for prefill, busy all the time; else 0 */
	/* of all GPUs for a token of an answer, with its share of the prompt; with its interval,
	 * that of the time included */
	struct paleo_joules token;
	double per_gpu_s; /* of per_s, for each of both */
};

/* The ops of a model in one split and for prompts of one length. Its fields are for this room. */
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
 * Lists the ops. EINPUT where the split does not fit the model, the device has no peak for the
 * dtype, or the model has no cache to decode from; ENOMEM. paleo_served_release().
 */
int paleo_served_make(const struct paleo_serving *s, int isl, struct paleo_served *out,
		      struct paleo_error *err);
void paleo_served_release(struct paleo_served *s); /* NULL allowed */

/* One step: `decoding` requests get a token and speculative ones, each after `past` tokens;
 * `prompt` new prompt tokens are processed. */
struct paleo_serving_step {
	int decoding, past, prompt;
};

/* Its duration, with launch overhead and links; *comm_s is the links' part. EUNSUPPORTED where the
 * device lacks what the cost model needs; ENOMEM. */
int paleo_served_step(const struct paleo_served *s, const struct paleo_serving_step *step,
		      struct paleo_serving_time *out, double *comm_s, struct paleo_error *err);

/* An op of a step: the layer that it is of, without the layer of the model, as "qkv"; how often it
 * runs in the model, and how long it takes once. */
struct paleo_served_part {
	const char *layer; /* borrowed from the ops of the model */
	double times, s;
};

/* The ops of such a step without launch overhead and links; their sum is the rest of its duration.
 * *out is owned by the caller: free(). As paleo_served_step(). */
int paleo_served_parts(const struct paleo_served *s, const struct paleo_serving_step *step,
		       struct paleo_served_part **out, int *count, struct paleo_error *err);

/* Communication time of a step: all-reduces of tensor parallelism, all-to-alls of experts, and
 * transfers between pipeline stages. */
double paleo_served_comm_s(const struct paleo_served *s, double tokens);

/* The memory that such a load takes, and the largest one that fits. */
int paleo_served_memory(const struct paleo_served *s, const struct paleo_serving_load *load,
			struct paleo_serving_memory *out, struct paleo_error *err);

/* Widens the intervals of a total of ops to those of a server: scheduler, version and kernels add
 * their own spread (docs/method/serving.md). */
void paleo_serving_widen(struct paleo_serving_time *t);

/* All that is to be known of a load, in a server's intervals. As paleo_served_step(). */
int paleo_serve(const struct paleo_served *s, const struct paleo_serving_load *load,
		struct paleo_serving_result *out, struct paleo_error *err);

/*
 * Like paleo_serve() at the maximum concurrency that meets the SLO: doubling while both limits are
 * met, then bisection. load->concurrency becomes that number. *kept is 0 where even a single
 * request takes longer, or does not fit: then the result is that request's.
 */
int paleo_serve_most(const struct paleo_served *s, const struct paleo_serving_limits *limits,
		     struct paleo_serving_load *load, struct paleo_serving_result *out, int *kept,
		     struct paleo_error *err);

#endif
