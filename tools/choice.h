/* choice.h - the options that several commands have, and the words they offer. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_CHOICE_H
#define PALEO_TOOLS_CHOICE_H

#include "library/choose.h"
#include "tools/options.h"

extern const char *const choice_layout[];    /* in the order of enum paleo_layout */
extern const char *const choice_pass[];      /* "all", "fwd", "bwd", "update" */
extern const unsigned choice_pass_bits[];    /* what each of these lists */
extern const char *const choice_mode[];      /* in the order of enum paleo_cache_mode */
extern const char *const choice_optimizer[]; /* in the order of enum paleo_update_rule */
extern const char *const choice_format[];    /* in the order of enum paleo_table_format */

/* The words of --law: those that price works, and, at the end, the original. */
enum choice_law {
	CHOICE_LAW_AUTO,
	CHOICE_LAW_PALEO, /* the original's word for datasheet */
	CHOICE_LAW_CALIBRATED,
	CHOICE_LAW_PRESETS,
	CHOICE_LAW_UNSEEN,
	CHOICE_LAW_DATASHEET,
	CHOICE_LAW_2017
};
extern const char *const choice_law[];       /* in the order of the enum */
extern const enum paleo_law choice_law_of[]; /* the library's, but of the last */

/* A command takes one by {.like = &option_batch, .offset = ...}; the type of the field stands in
 * tools/options.h beside that of the option. */
extern const struct option_spec option_device;         /* text: auto, a GPU's number, cpu */
extern const struct option_spec option_devices;        /* text: a file of more devices */
extern const struct option_spec option_batch;          /* int; 0: the net's own */
extern const struct option_spec option_batch_measured; /* likewise; a CPU's is cut */
extern const struct option_spec option_dtype;          /* word of paleo_dtype_names */
extern const struct option_spec option_layout;         /* word of choice_layout */
extern const struct option_spec option_batches;        /* ints; none: the net's own */
extern const struct option_spec option_dtypes;         /* words of paleo_dtype_names */
extern const struct option_spec option_layouts;        /* words of choice_layout */
/* Of PyTorch on a processor of today: its maker's order of size; no table here tells it. */
#define CHOICE_DISPATCH_US 5

/* What was fitted to nets that a framework trained, images as n, c, h, w; 0: nothing was, or it is
 * not wanted. */
double choice_framework_factor(int framework, int no_factor);

extern const struct option_spec option_framework, option_dispatch, option_no_factor;
extern const struct option_spec option_fuse;            /* flag */
extern const struct option_spec option_pass;            /* word of choice_pass */
extern const struct option_spec option_mode;            /* word of choice_mode */
extern const struct option_spec option_workspace_limit; /* bytes */
extern const struct option_spec option_no_cudnn_norm;   /* flag */
extern const struct option_spec option_threads;         /* int; 0: one per core */
extern const struct option_spec option_calibration;     /* text */
extern const struct option_spec option_ppp_compute;     /* number */
extern const struct option_spec option_ppp_memory;      /* number */
extern const struct option_spec option_law;             /* word of choice_law */
extern const struct option_spec option_law_of_works;    /* the same without CHOICE_LAW_2017 */
extern const struct option_spec option_operand_sets;    /* int */
extern const struct option_spec option_resume;          /* flag */
extern const struct option_spec option_force;           /* flag */
extern const struct option_spec option_trace;           /* text */
extern const struct option_spec option_retry_failed;    /* flag; it includes resume */
extern const struct option_spec option_format;          /* word of choice_format */
extern const struct option_spec option_quiet;           /* flag */
extern const struct option_spec option_filter;          /* text */

/* Of training on several workers. */
extern const struct option_spec option_host_link;        /* text: a link */
extern const struct option_spec option_workers_per_host; /* int */
extern const struct option_spec option_links_per_host;   /* int */
extern const struct option_spec option_servers;          /* int */
extern const struct option_spec option_overlap;          /* flag */
extern const struct option_spec option_bucket_mib;       /* number, of MiB */
extern const struct option_spec option_micro_batches;    /* int; 0: by the stages */
extern const struct option_spec option_recompute;        /* flag */
extern const struct option_spec option_optimizer;        /* word of choice_optimizer */

#endif
