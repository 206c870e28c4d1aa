/* choice.h - the options of commands, and the words they offer. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_CLI_CHOICE_H
#define PALEO_TOOLS_CLI_CHOICE_H

#include "base/table.h"
#include "library/source.h"
#include "tools/cli/options.h"

extern const char *const choice_layout[];      /* in the order of enum paleo_layout */
extern const char *const choice_pass[];        /* "all", "fwd", "bwd", "update" */
extern const unsigned choice_pass_bits[];      /* what each of these lists */
extern const char *const choice_extent[];      /* "all", then enum paleo_extent */
extern const char *const choice_mode[];        /* in the order of enum paleo_cache_mode */
extern const char *const choice_optimizer[];   /* in the order of enum paleo_update_rule */
extern const char *const choice_format[];      /* in the order of enum paleo_table_format */
extern const char *const choice_format_2017[]; /* the same, then CHOICE_FORMAT_PALEO */

enum {
	CHOICE_FORMAT_PALEO = PALEO_TABLE_MD + 1 /* the original's layout */
};

/* The words of --cost-model: those that price ops, and, at the end, the original. */
enum {
	CHOICE_COST_MODEL_2017 = PALEO_COST_MODELS
};
extern const char *const choice_cost_model[]; /* enum paleo_cost_model, then the original */

extern const char *const choice_phase[];          /* "train", "test", "prefill", "decode" */
extern const char *const choice_algorithm_2017[]; /* of paleo_2017_algorithms_named() */

extern const char *const choice_collective[];   /* in the order of enum paleo_collective */
extern const char *const choice_transport[];    /* "mpi", "nccl" */
extern const char *const choice_groups[];       /* in the order of enum paleo_study_groups */
extern const char *const choice_export[];       /* of tools/cli/exports.def */
extern const char *const choice_export_model[]; /* of tools/cli/model_exports.def */
extern const char *const choice_case[];         /* "all", then the published cases */

enum {
	CHOICE_EVERY_CASE = 0 /* of choice_case */
};

/* The options of options.def. */
#define OPTION(id, ...) extern const struct option_spec option_##id;
#include "tools/cli/options.def"
#undef OPTION
extern const struct option_spec option_transport;         /* word of choice_transport */
extern const struct option_spec option_device_or_library; /* text */

/* Lists of which every combination is taken in turn; one that was not given has one 0. */
struct choice_lists {
	struct option_ints batches, seqs;
	struct option_words layouts, dtypes;
};

/* The dtype of networks that no option chose: the one that their files name, else f32. */
enum {
	CHOICE_DTYPE_OWN = -1
};

/* An item of each list; a dtype that was not given is CHOICE_DTYPE_OWN. */
struct choice_combination {
	int batch, seq, layout, dtype;
};

/* Their number, and each of them: batches vary fastest, dtypes slowest. */
int choice_combinations(const struct choice_lists *l);
struct choice_combination choice_combination(const struct choice_lists *l, int i);

/* Of PyTorch on a CPU of today: its maker's order of size; in no table here. */
#define CHOICE_DISPATCH_US 5

/* The factor fitted to whole networks that a framework trained, images as nchw; 0: none. */
double choice_framework_factor(int framework);

enum {
	MODEL_NETS_MAX = 64,
	MODEL_NAME_BYTES = 4400
};

/* 0 and NULL: not given. */
struct model_options {
	const char *phase, *weights, *kv;
	int seq, past, tp, pp, ep, ignore_keys;
};

/* The options of a struct model_options at `at` of a command's settings. */
#define MODEL_AT(at, field) ((at) + offsetof(struct model_options, field))
#define MODEL_OPTION_ROWS(at) LIKE(seq, MODEL_AT(at, seq)), MODEL_OPTION_ROWS_BUT_SEQ(at)
#define MODEL_OPTION_ROWS_BUT_SEQ(at) LIKE(phase, MODEL_AT(at, phase)), MODEL_PART_ROWS(at)
#define MODEL_PART_ROWS(at)                                                                        \
	LIKE(past, MODEL_AT(at, past)), LIKE(tp, MODEL_AT(at, tp)), LIKE(pp, MODEL_AT(at, pp)),    \
		LIKE(ep, MODEL_AT(at, ep)), LIKE(weights, MODEL_AT(at, weights)),                  \
		LIKE(kv, MODEL_AT(at, kv)), LIKE(ignore_keys, MODEL_AT(at, ignore_keys))

/* The names of nets with the options as words behind them (paleo_net_open()). */
struct model_names {
	char text[MODEL_NETS_MAX][MODEL_NAME_BYTES];
	const char *items[MODEL_NETS_MAX];
};

/* EINPUT where there are too many nets, or too long a name. Without an option the names are as they
 * are. *out is owned by the caller: free(). */
int model_names_make(const struct model_options *o, const char *const *nets, int count,
		     struct model_names **out, struct paleo_error *err);

struct paleo_link;
struct paleo_net;

/* Replaces *dtype by the networks' own if it is CHOICE_DTYPE_OWN. *first is then the first network
 * at `batch`, owned by the caller; NULL: it is not wanted. EINPUT where their dtypes differ. */
int choice_own_dtype(const char *const *nets, int count, int batch, int *dtype,
		     struct paleo_net **first, struct paleo_error *err);

/* Reads --link-file (NULL: none) into *mine, which the caller frees. Where --link names no link
 * (*name NULL) it is the file's only one, else `usual`. EINPUT where a file has several. */
int choice_links(const char *file, const char *usual, struct paleo_link **mine, int *count,
		 const char **name, struct paleo_error *err);

#endif
