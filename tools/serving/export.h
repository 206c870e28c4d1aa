/* export.h - predictions of a model's layers in the formats of other programs. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_SERVING_EXPORT_H
#define PALEO_TOOLS_SERVING_EXPORT_H

#include "tools/serving/serving.h"

/* A model on a device, and how far a table goes. */
struct serving_export {
	const struct serving_served *on;
	int tokens;    /* of a step */
	int sequences; /* of a step */
	int context;   /* tokens of a sequence */
};

/* Writes such a table to stdout. EINPUT where the program has no layer for an op of the model;
 * otherwise as paleo_served_parts(). */
#define EXPORT(format)                                                                             \
	int serving_export_##format(const struct serving_export *e, struct paleo_error *err);
#include "tools/cli/model_exports.def"
#undef EXPORT

/* How often a step runs a layer of the other program. */
enum serving_export_often {
	SERVING_EXPORT_ONCE,
	SERVING_EXPORT_LAYERS,  /* in each layer of the model */
	SERVING_EXPORT_TWICE,   /* two times in each */
	SERVING_EXPORT_MLPS,    /* in each one with an MLP */
	SERVING_EXPORT_EXPERTS, /* in each one with experts */
};

struct serving_export_layer {
	const char *name; /* in the other program; NULL: it has none */
	const char *ours; /* the layers here that it is, each between blanks; "": none */
	enum serving_export_often often;
};

struct serving_export_layers {
	const char *program;
	const struct serving_export_layer *items;
	int count;
};

enum {
	SERVING_EXPORT_LAYERS_MAX = 32
};

/* Seconds that each of the layers takes once in a step of `v`; 0: its time is part of another
 * layer's; NaN: nothing of it is in the step. */
int serving_export_times(const struct serving_export *e, const struct paleo_served *v,
			 const struct serving_export_layers *l,
			 const struct paleo_serving_step *step, double *s, struct paleo_error *err);

/* The same of a step that takes in the tokens of prompts alone, each `fresh` ones behind `cached`
 * others. */
int serving_export_prompts(const struct serving_export *e, const struct serving_export_layers *l,
			   int prompts, int fresh, int cached, double *s, struct paleo_error *err);

/* Prints a table and frees it. NULL, or rc not 0, is an error: ENOMEM, or rc. */
int serving_export_print(struct paleo_table *t, int rc, struct paleo_error *err);

/* A table in a format of choice_export_model, up to so many tokens and sequences of a step. */
int serving_export(int format, const struct serving_served *on, int tokens, int sequences,
		   struct paleo_error *err);

#endif
