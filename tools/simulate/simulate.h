/* simulate.h - what `simulate` was asked for, its nets and rows; shared by its files. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_SIMULATE_SIMULATE_H
#define PALEO_TOOLS_SIMULATE_SIMULATE_H

#include "base/table.h"
#include "library/source.h"
#include "library/trained.h"
#include "model/net/net.h"
#include "model/paleo2017/sim.h"
#include "model/predict/predict.h"
#include "model/simulate/sim.h"
#include "tools/cli/choice.h"
#include "tools/cli/view.h"
#include "tools/print/print.h"

enum {
	SIMULATE_LIST_MAX = 64,
	SIMULATE_NET_MAX = 256, /* of a net's name in a row */
	SIMULATE_FABRIC_TEXT = 512,
};

/* Options, as they are based on the command line. */
struct simulate_settings {
	/* NULL: not given, for a default of its own with each of the ways to simulate */
	const char *device, *devices, *link, *links, *node_link, *strategy, *scaling, *workers;
	const char *schemes, *calibration, *trace;
	const struct paleo_device_info *who; /* of `device`; NULL: none is given */
	struct option_list calibrations, prices;
	struct option_words cases;
	int force, cost_model, stack, algorithm, format, optimizer, fuse, framework,
		separate_attention;
	int search, threads;
	struct view view;
	/* Lists; each combination in turn becomes the fields below. */
	struct choice_lists lists;
	int batch, seq, dtype, layout;
	double ppp_compute, ppp_link, bucket_mib, epoch_size, budget;
	int use_pipeline, workers_per_node, links_per_node, servers, overlap, micro_batches,
		recompute;
};

/* The same, looked up and checked. */
struct simulate_plan {
	const struct simulate_settings *s;
	struct paleo_device device;
	struct paleo_fabric fabric;
	const struct paleo_strategy *strategies[SIMULATE_LIST_MAX];
	struct paleo_plan plans[SIMULATE_LIST_MAX]; /* of each; without words for most */
	int strategy_count;
	const struct paleo_scheme *schemes[SIMULATE_LIST_MAX];
	int scheme_count;
	int workers[SIMULATE_LIST_MAX], worker_count;
	int strong[SIMULATE_LIST_MAX], scaling_count; /* 1: strong, 0: weak */
	struct paleo_2017_device device_2017;
	struct paleo_2017_sim sim_2017; /* its device is device_2017 */
	const char *network_title;
	int batch; /* of the net at hand: of a worker (weak scaling), or of all (strong) */
	struct trace *trace; /* where steps are drawn; NULL: nowhere */
};

/* Whether nothing was said of links and nodes, so that what is usual for the device is meant. */
int simulate_is_usual_fabric(const struct simulate_settings *s);

/* "over NVLink 4 ... in nodes of 8 and InfiniBand NDR 4x (50 GB/s, 14 us)" */
void simulate_fabric_text(const struct simulate_settings *s, const struct paleo_fabric *f,
			  char *buf, size_t size);

/* Looks everything up and checks it; for the cost model CHOICE_COST_MODEL_2017 in the original's
 * terms, too. The settings are borrowed. EINPUT. */
int simulate_plan_make(const struct simulate_settings *s, const struct paleo_device *device,
		       struct simulate_plan *out, struct paleo_error *err);

/* Prints nets as the original does (--format paleo). */
int simulate_as_2017(struct simulate_plan *p, const char *const *nets, int count,
		     struct paleo_error *err);

/* One row. Times in seconds, NaN for what there is none of. */
struct simulate_row {
	char net[SIMULATE_NET_MAX], parallel[PALEO_PLAN_TEXT];
	const char *scaling, *scheme; /* constants; NULL: none */
	double workers, batch, seq;   /* seq NaN: the net has images */
	enum paleo_dtype dtype;
	enum paleo_layout layout;
	struct paleo_sim_step step;
	double single_per_s;                /* images/s of one worker; NaN: not known */
	double tokens;                      /* of a sequence; 0 or NaN: the net has images */
	double flop_per_s;                  /* the device's peak; 0: not known */
	double device_bytes;                /* 0: not known */
	double epoch_size;                  /* 0: not asked for */
	char source[PALEO_SOURCE_TEXT_MAX]; /* what the times are based on; "": not said */
};

struct simulate_rows {
	struct simulate_row *items; /* owned: free() */
	int count, room;
};

/* A copy of the row at the end. ENOMEM. */
int simulate_add(struct simulate_rows *rows, const struct simulate_row *r, struct paleo_error *err);

/* Rows under the cost model of the original. */
int simulate_rows_2017(struct simulate_plan *p, struct simulate_rows *rows, const char *net,
		       struct paleo_error *err);

/* Rows under the cost models of ops, which a calibration stands for. */
int simulate_rows(struct simulate_plan *p, const struct paleo_calibration *c,
		  struct simulate_rows *rows, const char *name, struct paleo_error *err);

/* The fastest configuration, for people; then the chosen rows as a table. ENOMEM, EIO. */
int simulate_print(const struct simulate_settings *s, const struct simulate_rows *rows, FILE *out,
		   struct paleo_error *err);

#endif
