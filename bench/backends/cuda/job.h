/* job.h - a prepared op: its operands, the steps that compute it, the memory they need. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_BACKENDS_CUDA_JOB_H
#define PALEO_BENCH_BACKENDS_CUDA_JOB_H

#include <stddef.h>

#include "bench/backend.h"
#include "bench/backends/cuda/kernels/frame.h"

/*
 * A job is made in this order: the operands of the op are listed; plans/ adds
 * steps, hidden operands and workspace; memory is taken; steps are bound to it; inputs
 * are filled; the setup steps run once on each copy. Nothing in this header needs a
 * device, so a test can plan and lay out jobs without one.
 */
enum {
	PALEO_JOB_STEPS = 16,
	PALEO_JOB_OPERANDS = PALEO_OPERANDS_MAX + 8,
	PALEO_JOB_COPIES = 512, /* the most sets of operands that are rotated through */
};

/* One call of a library, or one kernel. Copied into the job, which releases it. */
struct paleo_step {
	void *state; /* the step's own */

	/* Called once when the memory is there. May be NULL. */
	int (*bind)(struct paleo_step *step, const struct paleo_job *j, struct paleo_error *err);

	/* Puts the step, on set `copy` of the operands, into the session's stream. */
	int (*launch)(const struct paleo_step *step, const struct paleo_job *j, int copy,
		      struct paleo_error *err);

	void (*release)(struct paleo_step *step); /* frees the state */
};

enum paleo_job_phase {
	PALEO_SETUP, /* once, untimed: computes the saved results of a forward pass */
	PALEO_TIMED,
	PALEO_JOB_PHASES
};

/* Offsets of each operand of each copy. */
struct paleo_job_layout {
	char *base;                          /* one allocation for all; NULL before */
	size_t offset[PALEO_JOB_OPERANDS];   /* from the beginning of a set */
	size_t distance[PALEO_JOB_OPERANDS]; /* from one tensor of the operand to the next */
	size_t set_bytes;                    /* one set of operands */
	int copies;                          /* sets */
	size_t workspace_offset;             /* after the sets, shared by all */
	size_t total_bytes;
};

struct paleo_replays; /* timing.c */

struct paleo_job {
	struct paleo_session *session;
	struct paleo_op op;
	struct paleo_bench_options options;
	int rank;    /* take the rank-th algorithm that the library offers; 0 is its own choice */
	int is_part; /* of a whole program: its operands are the program's buffers */
	int has_other_way; /* planned by cuDNN, but our own kernels can compute it, too */

	/* The op's, then hidden ones (access 0) of this implementation. */
	struct paleo_operand operands[PALEO_JOB_OPERANDS];
	int operand_count;

	struct paleo_step steps[PALEO_JOB_PHASES][PALEO_JOB_STEPS];
	int step_count[PALEO_JOB_PHASES];
	double workspace_bytes;
	struct paleo_job_layout layout;
	int last_set; /* the set of operands that was launched last */
	char algorithm[sizeof(((struct paleo_algorithm *)0)->name)];
	struct paleo_algorithm chosen; /* reported by the library; its name is `algorithm` */

	struct paleo_replays *replays;

	/* For a step of a whole program: address of each tensor, in the order of `operands`, copies
	 * in theirs, overriding the layout; borrowed. NULL for a single job. */
	void *const *placed;
	int widths[PALEO_PARTS_MAX]; /* columns of each part of a copy then */
};

/* Begins a job with the operands of the op. */
void paleo_job_begin(struct paleo_job *j, const struct paleo_op *w,
		     const struct paleo_bench_options *o);

/* Adds a step, which then belongs to the job: on failure it is released. */
int paleo_job_add(struct paleo_job *j, enum paleo_job_phase phase, struct paleo_step *step,
		  struct paleo_error *err);

/* Adds a hidden operand of one dimension, one for each copy; or one with the shape of another one.
 */
int paleo_job_hide(struct paleo_job *j, enum paleo_role role, double count, int elem_bytes,
		   struct paleo_error *err);

int paleo_job_hide_like(struct paleo_job *j, enum paleo_role role, enum paleo_role like,
			struct paleo_error *err);

/* The steps run one after the other, so they share a workspace of the largest size requested. */
void paleo_job_need_workspace(struct paleo_job *j, double bytes);

/* Appends to the algorithm's name: the library, and further words or "". Steps are separated by " +
 * ". */
void paleo_job_name(struct paleo_job *j, const char *library, const char *words);

/* Releases all steps and forgets hidden operands, workspace and name: planning can start over. */
void paleo_job_clear(struct paleo_job *j);

/* Lays out `copies` sets of operands and the workspace. layout.base stays as it is. */
void paleo_job_lay_out(struct paleo_job *j, int copies);

/* The operand with this role among all, hidden ones included, or NULL. */
const struct paleo_operand *paleo_job_operand(const struct paleo_job *j, enum paleo_role role);

/* Tensor `tensor` of `role` in set `copy`, or in set 0 where the cache mode does not rotate
 * this role; NULL if the job has no such operand. */
void *paleo_job_address(const struct paleo_job *j, enum paleo_role role, int tensor, int copy);

void *paleo_job_workspace(const struct paleo_job *j);

/* Columns of part `i` of a copy op, and the column where it starts. */
int paleo_job_part(const struct paleo_job *j, int i, int *start);

/* Elements of one tensor of an operand; the parts of a copy op differ. */
double paleo_job_tensor_count(const struct paleo_job *j, const struct paleo_operand *o, int tensor);

/* Offset in its tensor of the element with this row-major position in an operand's dims. */
double paleo_job_place(const struct paleo_job *j, const struct paleo_operand *o, double index);

/* The geometry of the op as kernels see it; no pointers yet. */
struct paleo_frame paleo_frame_of(const struct paleo_op *w);

/* Arguments of the kernels `fill` and `fill_mask` for one tensor of the first set. */
struct paleo_frame paleo_frame_of_fill(const struct paleo_job *j, const struct paleo_operand *o,
				       int tensor);

/* Fills the pointers in for set `copy`. */
void paleo_frame_bind(struct paleo_frame *f, const struct paleo_job *j, int copy);

/* For a copy op: addresses of its parts in set `copy`, and the largest units in which all can be
 * moved. Does nothing for other ops. */
void paleo_parts_bind(struct paleo_parts *p, const struct paleo_job *j, int copy);

#endif
