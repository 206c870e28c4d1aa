/* model_options.h - the options that say what of a config.json's model is wanted. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_MODEL_OPTIONS_H
#define PALEO_TOOLS_MODEL_OPTIONS_H

#include "tools/options.h"

enum {
	MODEL_NETS_MAX = 64,
	MODEL_NAME_BYTES = 4400
};

/* 0 and NULL: not given. */
struct model_options {
	const char *phase, *weights, *kv;
	int seq, source, past, tp, pp, ep;
};

extern const struct option_spec option_model_phase;   /* text */
extern const struct option_spec option_model_seq;     /* int */
extern const struct option_spec option_model_source;  /* int */
extern const struct option_spec option_model_past;    /* int */
extern const struct option_spec option_model_tp;      /* int */
extern const struct option_spec option_model_pp;      /* int */
extern const struct option_spec option_model_ep;      /* int */
extern const struct option_spec option_model_weights; /* text */
extern const struct option_spec option_model_kv;      /* text */

/* The rows of a command's table for a struct model_options that lies at `at` of its settings. */
#define MODEL_OPTION_ROWS(at)                                                                      \
	{.like = &option_model_seq, .offset = (at) + offsetof(struct model_options, seq)},         \
		MODEL_OPTION_ROWS_BUT_SEQ(at)

/* The same without that of --seq. */
#define MODEL_OPTION_ROWS_BUT_SEQ(at)                                                              \
	{.like = &option_model_phase, .offset = (at) + offsetof(struct model_options, phase)},     \
		{.like = &option_model_source,                                                     \
		 .offset = (at) + offsetof(struct model_options, source)},                         \
		{.like = &option_model_past,                                                       \
		 .offset = (at) + offsetof(struct model_options, past)},                           \
		{.like = &option_model_tp, .offset = (at) + offsetof(struct model_options, tp)},   \
		{.like = &option_model_pp, .offset = (at) + offsetof(struct model_options, pp)},   \
		{.like = &option_model_ep, .offset = (at) + offsetof(struct model_options, ep)},   \
		{.like = &option_model_weights,                                                    \
		 .offset = (at) + offsetof(struct model_options, weights)},                        \
	{                                                                                          \
		.like = &option_model_kv, .offset = (at) + offsetof(struct model_options, kv)      \
	}

/* The names of nets with the options as words behind them (paleo_net_open()). */
struct model_names {
	char text[MODEL_NETS_MAX][MODEL_NAME_BYTES];
	const char *items[MODEL_NETS_MAX];
};

/* EINPUT where there are too many nets, or too long a name. Without an option the names are as they
 * are. *out is owned by the caller: free(). */
int model_names_make(const struct model_options *o, const char *const *nets, int count,
		     struct model_names **out, struct paleo_error *err);

#endif
