/* serving.h - what the command `serving` was asked for, shared by its files. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_SERVING_SERVING_H
#define PALEO_TOOLS_SERVING_SERVING_H

#include "base/table.h"
#include "library/source.h"
#include "model/serving/serving.h"
#include "tools/cli/options.h"

enum {
	SERVING_NO_EXPORT = -1
};

/* Options, as given on the command line. */
struct serving_settings {
	const char *device, *devices, *calibration, *network, *links, *speculative;
	const char *concurrency, *isl, *osl, *tp, *pp, *dp, *ep, *weights, *kv;
	struct option_words batching;
	int cost_model, stack, format, chunk, pareto, cached, rounds;
	int dtype;       /* of models; CHOICE_DTYPE_OWN: their files' */
	int export;      /* of choice_export_model; SERVING_NO_EXPORT: a table of loads */
	int drafts;      /* of --speculative; 0: none */
	double accepted; /* of them, in the mean */
	double host_us, memory_share, skew;
	double ttft_ms, tpot_ms; /* limits; 0: none */
};

/* One load of one model on one device. Parts of a split may be 0: as the net's words say, else 1,
 * and of experts as many as have requests of their own. */
struct serving_case {
	char net[4400];  /* with its words */
	char device[64]; /* "": that of the calibration */
	struct paleo_serving_split split;
	struct paleo_serving_load load;
	double ttft_s, tpot_s; /* measured; NaN: not given */
};

struct serving_cases {
	struct serving_case *items; /* owned */
	int count, room;
};

/* All that the options' lists make of a net on a device ("": the calibration's). EINPUT, ENOMEM. */
int serving_grid(const struct serving_settings *s, const char *net, const char *device,
		 struct serving_cases *out, struct paleo_error *err);

/* The cases of a file, one JSON object a line. EIO, EINPUT with line and key, ENOMEM. */
int serving_cases_load(const struct serving_settings *s, const char *path,
		       struct serving_cases *out, struct paleo_error *err);

/* Shared by several cases: devices, models, and the ops of a model in one split. Starts as all
 * zero but for the settings. */
struct serving_shop {
	const struct serving_settings *s;
	struct serving_source **sources; /* owned */
	int source_count, source_room;
	struct serving_model **models; /* owned */
	int model_count, model_room;
	struct serving_served **served; /* owned */
	int served_count, served_room;
};

struct serving_source {
	char device[64];
	enum paleo_dtype dtype;
	struct paleo_source source;
	struct paleo_calibration shipped_power;
	const struct paleo_calibration *power; /* whose power model gives joules; NULL: none */
	/* Of each stack, where none was asked for. */
	struct paleo_source stacks[PALEO_STACKS];
	const struct paleo_calibration *calibrations[PALEO_STACKS]; /* theirs */
	int stack_count;
};

struct serving_model {
	char net[4400];
	char name[4096];
	struct paleo_hf_options options;
	struct paleo_hf_model model;
};

struct serving_served {
	const struct serving_model *model;
	const struct serving_source *source;
	struct paleo_serving serving;
	struct paleo_served served;
	int apart;  /* 1: prompts are taken in by other GPUs */
	int joined; /* the GPUs that a host's links join, where there are more; else 0 */
};

/* Looks a case's model, device and ops up, or makes them, and completes its split. Borrowed from
 * the shop. */
int serving_find(struct serving_shop *shop, struct serving_case *c,
		 const struct serving_served **out, struct paleo_error *err);
void serving_shop_release(struct serving_shop *shop);

/* One row of the table. */
struct serving_row {
	const struct serving_case *c; /* complete */
	const struct serving_served *on;
	struct paleo_serving_result result;
	int has_limits, is_kept; /* is_kept: 1 where there are none */
};

/* A table of such rows. NULL if memory ran out. */
struct paleo_table *serving_table(void);
int serving_table_add(struct paleo_table *t, const struct serving_row *r, struct paleo_error *err);

/* 1: it fits, and keeps the limits, if there are any. */
int serving_counts(const struct serving_row *r);

/* Marks, in keep[], the rows that no other one beats in tokens/s for a user and for a GPU. ENOMEM.
 */
int serving_front(const struct serving_row *rows, int count, int *keep, struct paleo_error *err);

#endif
