/* search.h - `simulate --search`: the grid of configurations, and its Pareto front. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_SIMULATE_SEARCH_H
#define PALEO_TOOLS_SIMULATE_SEARCH_H

#include "library/source.h"
#include "library/trained.h"
#include "model/simulate/sim.h"
#include "tools/session/session.h"
#include "tools/simulate/simulate.h"

enum {
	SEARCH_LIST_MAX = 64,
	SEARCH_THREADS_MAX = 1024
};

struct search_device {
	char named[64];               /* in --device */
	struct paleo_device_info who; /* by session_who() */
	struct paleo_device device;
	struct paleo_source source;
	double usd_per_hour; /* of one worker; NaN: no price */
};

struct search_strategy {
	const struct paleo_strategy *strategy;
	struct paleo_plan plan; /* of paleo_strategy_plan(); without words for others */
	int is_model;      /* 1: has as many workers as the net has splits, whatever was asked */
	int is_pipeline;   /* 1: one worker is none, but takes its batch in parts */
	int uses_scheme;   /* 1: does collective operations */
	int shares_images; /* 1: needs an image for every worker */
};

/* All there is to choose from. */
struct search_grid {
	const struct simulate_settings *s;
	struct search_device devices[SEARCH_LIST_MAX];
	int device_count;
	int batches[SEARCH_LIST_MAX], batch_count;
	int workers[SEARCH_LIST_MAX], worker_count;
	struct search_strategy strategies[SEARCH_LIST_MAX];
	int strategy_count;
	const struct paleo_scheme *schemes[SEARCH_LIST_MAX];
	int scheme_count;
	struct paleo_link links[SEARCH_LIST_MAX];
	int link_count;
	struct paleo_link node_link;
	enum paleo_dtype dtype;
};

/* The choice of a device whose epoch costs least. */
struct search_cheapest {
	double cost_usd; /* NaN: none fits, or it has no price */
	double epoch_s, memory_bytes;
	long long id;
	double low, high; /* 90 % interval of the cost by that of the step's ops; NaN: none */
};

/* Looks everything up and checks it. The settings are borrowed. Release with search_release(),
 * also after a failure. EINPUT, EIO, ENOMEM. */
int search_grid_make(const struct simulate_settings *s, struct search_grid *out,
		     struct paleo_error *err);
void search_grid_release(struct search_grid *g);

/* One choice of each: positions in the grid's lists. */
struct search_choice {
	int device, batch, workers, strategy, scheme, link;
};

/* Choices have numbers, 0 to search_grid_size() - 1. All of one device, batch and number of
 * workers follow each other, search_group_size() of them. */
long long search_grid_size(const struct search_grid *g);
int search_group_size(const struct search_grid *g);
struct search_choice search_choice_at(const struct search_grid *g, long long id);

/* 1 if the choice's scheme, or link, makes a difference. */
int search_uses_scheme(const struct search_grid *g, const struct search_choice *c);
int search_uses_link(const struct search_grid *g, const struct search_choice *c);

/* 0: the choice differs from an earlier one only in what its strategy does not use, or is a
 * pipeline of one worker among other strategies. */
int search_distinct(const struct search_grid *g, const struct search_choice *c);

/* One choice, simulated. */
struct search_result {
	struct paleo_sim_step step;
	double epoch_s;
	double cost_usd; /* of an epoch; NaN: no price */
	double memory_bytes;
};

/* Counts of the choices. */
struct search_counts {
	long long tried;      /* simulated, or found impossible */
	long long impossible; /* the strategy, scheme, workers and batch do not go together */
	long long too_large;  /* do not fit the device's memory */
	long long too_dear;   /* cost more than the budget */
	long long ops;        /* estimates by the cost model; each thread makes its own */
};

struct search_findings {
	struct paleo_pareto front;                        /* sorted; ids are numbers of choices */
	struct search_result *results;                    /* of the front's points; owned */
	struct search_cheapest cheapest[SEARCH_LIST_MAX]; /* of each device */
	struct search_counts counts;
	struct paleo_error impossible; /* why, of the impossible choice with the lowest number */
	double tokens;                 /* of a sequence; NaN: the net has images */
	int threads;
	double elapsed_s, cpu_s; /* on the clock, and of all threads together */
};

/* Simulates all choices for one net in threads. Release with search_findings_release(). Fails as
 * paleo_net_open(); ENOMEM. */
int search_run(const struct search_grid *g, const struct paleo_trained_net *net,
	       struct search_findings *out, struct paleo_error *err);
void search_findings_release(struct search_findings *f);

/* Searches for one net and prints what is found: the command. Fails as
 * paleo_trained_net_open(), search_grid_make() and search_run(), and where nothing is left. */
int search_print(const struct simulate_settings *given, const char *name, struct paleo_error *err);

#endif
