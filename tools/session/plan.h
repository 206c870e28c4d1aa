/* plan.h - nets as a list of different ops, each measured once, and what was measured of it. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_SESSION_PLAN_H
#define PALEO_TOOLS_SESSION_PLAN_H

#include <regex.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"
#include "bench/backend.h"
#include "model/net/net.h"
#include "model/predict/chosen.h"
#include "model/predict/predict.h"
#include "model/record/record.h"

/* Records of one op in one mode, by rank. Zero is an empty one. */
struct candidates {
	struct paleo_record *records;
	int count;
};

/* Adds a copy, in place of one of the same rank. ENOMEM. */
int candidates_add(struct candidates *c, const struct paleo_record *record,
		   struct paleo_error *err);
void candidates_release(struct candidates *c);

/* The one of this rank, or NULL. */
const struct paleo_record *candidates_find(const struct candidates *c, int rank);

/* The fastest right one; where none is right the one of the lowest rank; NULL if there is none. */
const struct paleo_record *candidates_best(const struct candidates *c);

/* What the library's own choice costs: its time over the fastest one's, less 1. NaN unless several
 * were measured and that choice has a time. */
double candidates_regret(const struct candidates *c);

/* Reads "heuristic", "best:K" or "all": how many of a library's list are to be measured. EINPUT. */
int candidates_parse(const char *text, int *most, struct paleo_error *err);

/* In which modes ops are measured: each once; predictions are held against the first. */
struct plan_modes {
	enum paleo_cache_mode items[PALEO_CACHE_MODES];
	int count; /* 0: nothing is measured */
};

/* What there is of an op in one mode. */
struct plan_time {
	struct paleo_record record; /* what stands for it: the best of the candidates */
	int measured;               /* 1: `record` is filled */
	struct candidates candidates;
};

/* One op, however many rows it stands in. */
struct plan_op {
	struct paleo_op op;
	struct paleo_prediction prediction;
	double before_s;          /* predicted before it was measured, at the calibration's speed */
	struct paleo_watts watts; /* by plan_predict_power(); NaN: not predicted */
	int predicted;            /* 0: the device has no peak for this dtype */
	const struct paleo_algorithm *chosen; /* what it is predicted with; NULL: not known */
	struct paleo_method_cost cost;        /* of that */
	enum paleo_method_use use;            /* what the prediction makes of it */
	struct plan_time *times;              /* one for each of the plan's modes */
};

/* One net with its rows. */
struct plan_net {
	struct paleo_net *net;
	struct paleo_op_list rows;
	int *op_of;           /* row -> index into ops */
	double *in_network_s; /* each row's time inside of the whole net, NaN: not known; NULL: of
			     all rows */
};

/* Which framework runs the ops; `none` of it where it is zero. */
struct plan_framework {
	enum paleo_framework name;
	enum paleo_update_rule optimizer;
	double dispatch_s; /* of the host, a kernel */
	int no_factor;     /* 1: what was fitted is left out */
};

struct plan {
	enum paleo_dtype dtype;
	enum paleo_layout layout;
	int batch_max; /* to which a net's own batch was cut; 0: none was */
	int fused;     /* 1: the ops are those of inference */
	struct plan_framework framework;
	int training; /* 1: not the forward pass alone */
	struct plan_modes modes;
	struct plan_net *nets;
	int net_count;
	struct plan_op *ops;
	int op_count;
	struct plan_time *times; /* all ops', op by op */
	int is_at_speed;         /* 1: predictions are for the speed seen beside the ops */
	int *order;              /* of ops: predicted longest first */
	char power_of[64];       /* device of the power model; "": none */
};

struct plan_settings {
	int batch;     /* 0: the net's own */
	int batch_max; /* 0: none; otherwise the net's own batch is cut to it */
	enum paleo_dtype dtype;
	enum paleo_layout layout;
	enum paleo_fuse fuse; /* as at inference; only with PALEO_PASSES_FWD */
	unsigned passes;      /* PALEO_PASSES_... */
	struct plan_framework framework;
	int separate_attention; /* 1: as in struct paleo_ops_options */
	struct plan_modes modes;
	const char *filter; /* extended regular expression on layer names; NULL: all */
	const struct paleo_chosen *chosen; /* algorithms to predict convolutions with, which
					      outlives the plan; NULL: none is known */
	struct paleo_net **opened; /* the first net, if it was opened before: it is taken over, and
				      NULL put in its place */
};

/* Whether plan_make() would take these nets and this filter; for telling a user's mistake before
 * anything else is done. EINPUT. *dtypes gets a bit for each dtype of their ops; NULL
 * allowed. */
int plan_check(const struct plan_settings *s, const char *const *names, int count, unsigned *dtypes,
	       struct paleo_error *err);

/* A net by the name of paleo_net_open(), at its own batch, or at batch_max where that is more, if
 * batch is 0; a batch_max of 0 is none. *out is owned by the caller: paleo_net_free(). */
int plan_open_net(const char *name, int batch, int batch_max, struct paleo_net **out,
		  struct paleo_error *err);

/*
 * Loads the nets (names as for paleo_net_open()), lists their ops, predicts each one.
 * `names` has `count` entries. EINPUT with file and line, or for a filter that
 * leaves no row. plan_release() frees.
 */
int plan_make(const struct plan_settings *s, const struct paleo_calibration *c,
	      const char *const *names, int count, struct plan *out, struct paleo_error *err);
void plan_release(struct plan *p);

/* Predicts its ops again, with the algorithms of its settings. */
int plan_predict(struct plan *p, const struct paleo_calibration *c,
		 const struct paleo_chosen *chosen, struct paleo_error *err);

/* Predicts the power of a plan's ops by the calibration's power model, else by that shipped for its
 * device, else, if any_gpu is 1, by another GPU's; not that of a CPU. Those of its errors that
 * reading the model has. */
int plan_predict_power(struct plan *p, const struct paleo_calibration *c, int any_gpu,
		       struct paleo_error *err);

/* What of a plan was measured before: ops, in each mode, and those that failed among them. */
struct plan_reused {
	int times, failed;
};

/* 1 if a run that goes on with a file keeps what it holds of an op: what was disturbed is measured
 * again, and with --retry-failed (`retry`) what has failed. */
int records_keeps(enum paleo_record_status status, int retry);

/* Takes over what a results file holds of the ops in the plan's modes: of the first `most`
 * algorithms; where that is one, its ops count as measured. `retry` 1 leaves out what failed, so
 * that it is measured again; what a library cannot do at all stays. ENOMEM. */
int plan_reuse(struct plan *p, const struct paleo_results *r, int most, int retry,
	       struct plan_reused *reused, struct paleo_error *err);

/* The ops, in each mode, whose record says that they failed: neither good nor unsupported. */
int plan_failed(const struct plan *p);

/* What the time of an op is. */
enum plan_basis {
	PLAN_MEASURED,
	PLAN_LEAST,     /* low confidence: its least sample, all of which were disturbed */
	PLAN_PREDICTED, /* it was not measured */
	PLAN_BASES
};

/* The time of an op in the first mode, so that sums cover whole nets; NaN: there is none.
 * `basis` says what it is; NULL allowed. Without modes it is predicted. */
double plan_op_s(const struct plan *p, const struct plan_op *w, enum plan_basis *basis);

/* The measured energy of one run of an op in the first mode, in joules; NaN: there is none. */
double plan_op_joules(const struct plan *p, const struct plan_op *w);

/* Share of the predicted time of all nets' rows that was measured without disturbance; rows that
 * failed or are unsupported do not count. NaN: nothing is predicted. */
double plan_measured_share(const struct plan *p);

/* The ops that have neither a measured nor a predicted time for want of budget or quiet. */
int plan_untold(const struct plan *p);

/* The rows of a net as they are recorded. ENOMEM. *out is owned: free(out->rows). */
int plan_net_rows(const struct plan *p, const struct plan_net *n, struct paleo_net_rows *out,
		  struct paleo_error *err);

/* Copies a layer's name; one that is too long loses its beginning, as what tells layers apart
 * stands last. `size` is at least 8. */
void plan_short_name(const char *name, char *buf, size_t size);

/* The layers that --filter keeps. */
struct filter {
	int on; /* 0: every layer is kept */
	regex_t re;
};

/* `pattern` is an extended regular expression, or NULL. EINPUT. filter_close() frees. */
int filter_open(const char *pattern, struct filter *out, struct paleo_error *err);
void filter_close(struct filter *f);

/* *keeps: 1 or 0. ENOMEM, as the search itself wants memory. */
int filter_keeps(const struct filter *f, const char *layer, int *keeps, struct paleo_error *err);

/*
 * Predicts each op of the plan again, on the calibration's device at the speed seen beside the
 * op's own record, or in the middle of all where it has none; says in *out what that middle is.
 * What was predicted before stays as before_s. Where no speed is known *out is 0, and nothing
 * changes. ENOMEM.
 */
int plan_speed_predict(struct plan *p, const struct paleo_calibration *c, struct paleo_rates *out,
		       struct paleo_error *err);

/* One line on the speeds seen and the calibration's; nothing where none was. */
void plan_speed_print(const struct paleo_rates *seen, const struct paleo_calibration *c, FILE *out);

/* Fills in the in_network_s of each net of the plan, from the pass that has most of its rows; of
 * equal ones the shortest. Says on `notes` which that is and whether its times are disturbed, or
 * that there is none. ENOMEM. */
int in_network_fill(struct plan *p, const struct paleo_results *passes, FILE *notes,
		    struct paleo_error *err);

#endif
