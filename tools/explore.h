/* explore.h - what the command `explore` was asked for, shared by its files. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_EXPLORE_H
#define PALEO_TOOLS_EXPLORE_H

#include "library/source.h"
#include "model/simulate/pareto.h"
#include "model/simulate/sim.h"
#include "tools/options.h"
#include "tools/session/session.h"

enum {
	EXPLORE_LIST_MAX = 64,
	EXPLORE_OWN_TYPE = -1, /* the net's number type, else the devices' */
	EXPLORE_THREADS_MAX = 1024
};

/* Options, as they stand on the command line. */
struct explore_settings {
	const char *devices, *workers, *batches, *strategies, *schemes, *links;
	const char *devices_file, *links_file, *host_link;
	struct option_list calibrations, prices;
	int law, format, dtype, layout, fuse, optimizer, framework, no_factor, overlap, recompute;
	int workers_per_host, links_per_host, servers, micro_batches, threads, quiet;
	double ppp_comp, ppp_comm, bucket_mib, epoch_size, budget;
};

struct explore_device {
	char named[SESSION_NAME_MAX];  /* in --devices */
	char called[SESSION_NAME_MAX]; /* the same, but for this machine's: by its name */
	struct paleo_device device;
	struct paleo_source source;
	double usd_per_hour; /* of one worker; NaN: no price */
};

struct explore_strategy {
	const struct paleo_strategy *strategy;
	struct paleo_plan plan; /* of paleo_strategy_plan(); without words for others */
	int is_model;      /* 1: has as many workers as the net has splits, whatever was asked */
	int uses_scheme;   /* 1: does collective operations */
	int shares_images; /* 1: needs an image for every worker */
};

/* All there is to choose from. */
struct explore_grid {
	const struct explore_settings *s;
	struct explore_device devices[EXPLORE_LIST_MAX];
	int device_count;
	int batches[EXPLORE_LIST_MAX], batch_count;
	int workers[EXPLORE_LIST_MAX], worker_count;
	struct explore_strategy strategies[EXPLORE_LIST_MAX];
	int strategy_count;
	const struct paleo_scheme *schemes[EXPLORE_LIST_MAX];
	int scheme_count;
	struct paleo_link links[EXPLORE_LIST_MAX];
	int link_count;
	struct paleo_link host_link;
	enum paleo_dtype dtype;
};

/* The choice of a device whose epoch costs least. */
struct explore_cheapest {
	double cost_usd; /* NaN: none fits, or it has no price */
	long long id;
};

/* Looks everything up and checks it. The settings are borrowed. Release with explore_release(),
 * also after a failure. EINPUT, EIO, ENOMEM. */
int explore_grid_make(const struct explore_settings *s, struct explore_grid *out,
		      struct paleo_error *err);
void explore_grid_release(struct explore_grid *g);

/* One choice of each: positions in the grid's lists. */
struct explore_choice {
	int device, batch, workers, strategy, scheme, link;
};

/* Choices have numbers, 0 to explore_grid_size() - 1. All of one device, batch and number of
 * workers follow each other, explore_group_size() of them. */
long long explore_grid_size(const struct explore_grid *g);
int explore_group_size(const struct explore_grid *g);
struct explore_choice explore_choice_at(const struct explore_grid *g, long long id);

/* 1 if the choice's scheme, or link, makes a difference. */
int explore_uses_scheme(const struct explore_grid *g, const struct explore_choice *c);
int explore_uses_link(const struct explore_grid *g, const struct explore_choice *c);

/* 0: the choice differs from an earlier one only in what its strategy does not use. */
int explore_distinct(const struct explore_grid *g, const struct explore_choice *c);

/* One choice, simulated. */
struct explore_result {
	struct paleo_sim_step step;
	double epoch_s;
	double cost_usd; /* of an epoch; NaN: no price */
	double memory_bytes;
};

/* What became of the choices. */
struct explore_counts {
	long long tried;      /* simulated, or found impossible */
	long long impossible; /* the strategy, scheme, workers and batch do not go together */
	long long too_large;  /* do not fit the device's memory */
	long long too_dear;   /* cost more than the budget */
	long long works;      /* estimates by the law; each thread makes its own */
};

struct explore_findings {
	struct paleo_pareto front;                          /* sorted; ids are numbers of choices */
	struct explore_result *results;                     /* of the front's points; owned */
	struct explore_cheapest cheapest[EXPLORE_LIST_MAX]; /* of each device */
	struct explore_counts counts;
	struct paleo_error impossible; /* why, of the impossible choice with the lowest number */
	double tokens;                 /* of a sequence; NaN: the net has images */
	int threads;
	double elapsed_s, cpu_s; /* on the clock, and of all threads together */
};

/* Simulates all choices for one net in threads. Release with explore_findings_release(). Fails as
 * paleo_net_open(); ENOMEM. */
int explore_run(const struct explore_grid *g, const char *name, struct explore_findings *out,
		struct paleo_error *err);
void explore_findings_release(struct explore_findings *f);

#endif
