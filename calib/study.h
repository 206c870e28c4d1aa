/* study.h - cross-validates cost models on published measurements. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_STUDY_H
#define PALEO_CALIB_STUDY_H

#include "base/error.h"
#include "calib/fit_conv.h"
#include "calib/fit_tile.h"
#include "calib/holdout.h"
#include "model/predict/kernel_model.h"
#include "model/record/measured.h"

/* Grouping of rows that are held out together. */
enum paleo_study_groups {
	PALEO_STUDY_LAYERS,   /* all rows with the same weights: n and k of a GEMM, a convolution
				 whatever its batch; attention with the same heads and window, experts
				 whatever their split; elsewhere, the same sizes */
	PALEO_STUDY_CHANNELS, /* convolutions: with c and k between the same powers of two */
	PALEO_STUDY_IMAGES,   /* convolutions: with the same h and w */
	PALEO_STUDY_ROWS,     /* nothing: each row is drawn alone */
	PALEO_STUDY_GROUPS
};

struct paleo_study_options {
	enum paleo_op_kind kind; /* subject of the study */
	enum paleo_pass pass;
	enum paleo_dtype dtype;
	const char *class_name; /* only ops of this class (paleo_op_class()); NULL: all */
	enum paleo_study_groups groups;
	int folds;    /* >= 2 */
	int rows_max; /* fitted to so many rows at most, chosen by a hash; 0: to none */
	int draws;    /* of these rows, so many; 0 is 1. Errors are those of all of them */
	/* GEMMs: the timing loop rotated at most so many operand sets, just enough to fill the
	 * cache; 1: always the same operands. */
	int operand_sets_max;
	struct paleo_progress progress; /* how many folds are done, or draws of several */
};

/* One cost model on the rows that were held out. */
struct paleo_study_errors {
	struct paleo_errors errors;
	double worst; /* the largest mean error of a draw; NaN of a single one */
};

struct paleo_study {
	struct paleo_study_errors cost_model; /* that of the kind: model/predict/ */
	struct paleo_study_errors corrected;  /* with a correction fitted to similar rows */
	struct paleo_study_errors paleo;      /* (bytes/bandwidth + FLOPs/peak) / PPP, refitted */
	struct paleo_holdout_row *held;       /* owned: every row, as it was predicted, by draws */
	int rows;                             /* held out in turn: all that were studied */
	int draws;                            /* 0 is 1 */
	struct paleo_holdout_counts counts;   /* the largest fit of all draws, their sum of folds */
};

/* Returns 1 if there is a cost model for the ops of a kind and pass. */
int paleo_study_has(enum paleo_op_kind kind, enum paleo_pass pass);

/*
 * Studies the rows of one kind, pass and dtype. Both cost models are fitted to the same rows with
 * the same robust loss; presets of the same chip are excluded. *out is released with
 * paleo_study_release(). EINPUT when paleo_holdout_deal() cannot deal the rows; EUNSUPPORTED when
 * the device lacks a number that the cost model needs; ENOMEM.
 */
int paleo_study_ops(const struct paleo_measured *m, const struct paleo_device *d,
		    const struct paleo_study_options *o, struct paleo_study *out,
		    struct paleo_error *err);
/* The errors of s->rows >= 1 held-out rows of each draw: fills in cost model, corrected and paleo.
 * ENOMEM.
 */
int paleo_study_sum(struct paleo_study *s, struct paleo_error *err);

void paleo_study_release(struct paleo_study *s); /* NULL allowed */

/* The cost models that a study judges, each fitted to rows of measured ops. */

/* Ops of one kind, pass and dtype on one device, and the cost model last fitted to some. */
struct paleo_subject {
	const struct paleo_measured_row **rows;
	int count;
	const struct paleo_device *described;
	struct paleo_tile_device device;
	const char *gpu; /* whose presets have seen these rows */
	enum paleo_pass pass;
	enum paleo_dtype dtype;
	int operand_sets_max;
	struct paleo_fitted_kernel model;
};

/* For paleo_holdout(), with a struct paleo_subject for context (not filled in); NULL: none. */
const struct paleo_holdout_cost_model *paleo_subject_cost_model(enum paleo_op_kind kind,
								enum paleo_pass pass);

/* Validates a factor on predicted ops against full passes that others measured. */

/* One measured time of a net. */
struct paleo_study_net {
	int group;                /* rows of one group have their factor together */
	int net;                  /* rows of one net are held out together; >= 0 */
	double measured_s;        /* > 0 */
	double ops_s;             /* the sum of the predicted ops, > 0 */
	double factor, low, high; /* filled in, of other nets; NaN where there are none */
};

/* Each row's factor: the geometric middle of measured / predicted of its group's other nets, and
 * the range that holds 90 % of these, wider for few (split conformal). ENOMEM. */
int paleo_study_nets(struct paleo_study_net *rows, int count, struct paleo_error *err);

/* The same of all nets of a group, into the factor of *out. ENOMEM. */
int paleo_study_nets_all(const struct paleo_study_net *rows, int count, int group,
			 struct paleo_study_net *out, struct paleo_error *err);

/* Validates a link's cost model against published collective operations. */

/* Operations of one name, algorithm and number of ranks, sizes held out; or all rows of one name,
 * each held out of the series it belongs to. */
struct paleo_comm_study {
	struct paleo_measured_collective of; /* the first of them; of all: its ranks are 0 */
	struct paleo_study_errors best;      /* paleo_fit_comm_best() of the fitted rows */
	struct paleo_study_errors curve;     /* one latency, one rate and how they overlap */
	struct paleo_study_errors line;      /* one latency and one rate */
	struct paleo_study_errors paleo;     /* a rate alone, as PALEO has it */
	int rows, fitted;
};

enum {
	PALEO_COMM_STUDY_ROWS = 200 /* the most that a fit takes: it compares all ranges */
};

/*
 * One study for each such series in a table, in the table's order, and after them one of each
 * operation of which there are several; all rows of one size are held out together. Series that
 * paleo_holdout_deal() finds too short are left out, in *left_out. *out is an array of *count,
 * owned by the caller: free(). ENOMEM; EINPUT.
 */
int paleo_study_collectives(const struct paleo_measured *m, const struct paleo_study_options *o,
			    struct paleo_comm_study **out, int *count, int *left_out,
			    struct paleo_error *err);

#endif
