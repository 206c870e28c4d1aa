/* plan.h - nets as a list of different works, each measured once, the longest first. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_SESSION_PLAN_H
#define PALEO_TOOLS_SESSION_PLAN_H

#include <stddef.h>

#include "bench/backend.h"
#include "model/net/net.h"
#include "model/predict/chosen.h"
#include "model/predict/predict.h"
#include "model/record/record.h"
#include "tools/session/candidates.h"

/* In which modes works are measured: each once; predictions are held against the first. */
struct plan_modes {
	enum paleo_cache_mode items[PALEO_CACHE_MODES];
	int count; /* 0: nothing is measured */
};

/* What there is of a work in one mode. */
struct plan_time {
	struct paleo_record record; /* what stands for it: the best of the candidates */
	int measured;               /* 1: `record` is filled */
	struct candidates candidates;
};

/* One work, however many rows it stands in. */
struct plan_work {
	struct paleo_work work;
	struct paleo_prediction prediction;
	double before_s; /* predicted before it was measured, at the calibration's speed */
	int predicted;   /* 0: the device has no peak for this number type */
	const struct paleo_algorithm *chosen; /* what it is predicted with; NULL: not known */
	struct paleo_method_cost cost;        /* of that */
	enum paleo_method_use use;            /* what the prediction makes of it */
	struct plan_time *times;              /* one for each of the plan's modes */
};

/* One net with its rows. */
struct plan_net {
	struct paleo_net *net;
	struct paleo_work_list rows;
	int *work_of;         /* row -> index into works */
	double *in_network_s; /* each row's time inside of the whole net, NaN: not known; NULL: of
			     all rows */
};

/* Which framework runs the works; `none` of it where it is zero. */
struct plan_framework {
	enum paleo_framework name;
	enum paleo_update_rule optimizer;
	double dispatch_s;      /* of the host, a kernel */
	int no_factor;          /* 1: what was fitted is left out */
	int separate_attention; /* 1: as models ran it before PyTorch 2 */
};

struct plan {
	enum paleo_dtype dtype;
	enum paleo_layout layout;
	int fused; /* 1: the works are those of inference */
	struct plan_framework framework;
	int training; /* 1: not the forward pass alone */
	struct plan_modes modes;
	struct plan_net *nets;
	int net_count;
	struct plan_work *works;
	int work_count;
	struct plan_time *times; /* all works', work by work */
	int is_at_speed;         /* 1: predictions are for the speed seen beside the works */
	int *order;              /* of works: predicted longest first, or the reverse */
};

struct plan_settings {
	int batch;     /* 0: the net's own */
	int batch_max; /* 0: none; otherwise the net's own batch is cut to it */
	enum paleo_dtype dtype;
	enum paleo_layout layout;
	enum paleo_fuse fuse; /* as at inference; only with PALEO_PASSES_FWD */
	unsigned passes;      /* PALEO_PASSES_... */
	struct plan_framework framework;
	struct plan_modes modes;
	const char *filter; /* extended regular expression on layer names; NULL: all */
	int reverse;        /* 1: the order is predicted shortest first */
	const struct paleo_chosen *chosen; /* algorithms to predict convolutions with, which
					      outlives the plan; NULL: none is known */
	struct paleo_net **opened; /* the first net, if it was opened before: it is taken over, and
				      NULL put in its place */
};

/* Whether plan_make() would take these nets and this filter; for telling a user's mistake before
 * anything else is done. EINPUT. */
int plan_check(const struct plan_settings *s, const char *const *names, int count,
	       struct paleo_error *err);

/* A net by the name of paleo_net_open(), at its own batch, or at batch_max where that is more, if
 * batch is 0; a batch_max of 0 is none. *out is owned by the caller: paleo_net_free(). */
int plan_open_net(const char *name, int batch, int batch_max, struct paleo_net **out,
		  struct paleo_error *err);

/*
 * Loads the nets (names as for paleo_net_open()), lists their works, predicts each one.
 * `names` has `count` entries. EINPUT with file and line, or for a filter that
 * leaves no row. plan_release() frees.
 */
int plan_make(const struct plan_settings *s, const struct paleo_calibration *c,
	      const char *const *names, int count, struct plan *out, struct paleo_error *err);
void plan_release(struct plan *p);

/* Predicts its works again, with the algorithms of its settings. */
int plan_predict(struct plan *p, const struct paleo_calibration *c,
		 const struct paleo_chosen *chosen, struct paleo_error *err);

/* What of a plan was measured before: works, in each mode, and those that failed among them. */
struct plan_reused {
	int times, failed;
};

/* Takes over what a results file holds of the works in the plan's modes: of the first `most`
 * algorithms; where that is one, its works count as measured. `retry` 1 leaves out what failed, so
 * that it is measured again; what a library cannot do at all stays. ENOMEM. */
int plan_reuse(struct plan *p, const struct paleo_results *r, int most, int retry,
	       struct plan_reused *reused, struct paleo_error *err);

/* The works, in each mode, whose record says that they failed: neither good nor unsupported. */
int plan_failed(const struct plan *p);

/* The works that have neither a measured nor a predicted time for want of budget or quiet. */
int plan_untold(const struct plan *p);

/* The rows of a net as they are recorded. ENOMEM. *out is owned: free(out->rows). */
int plan_net_rows(const struct plan *p, const struct plan_net *n, struct paleo_net_rows *out,
		  struct paleo_error *err);

/* Copies a layer's name; one that is too long loses its beginning, as what tells layers apart
 * stands last. `size` is at least 8. */
void plan_short_name(const char *name, char *buf, size_t size);

#endif
