/* laws.h - the table of laws: what each layer of a net costs, at any batch. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_LAWS_LAWS_H
#define PALEO_MODEL_LAWS_LAWS_H

#include "model/laws/paleo2017.h"
#include "model/net.h"
#include "model/predict.h"

/* What a law needs to know; each says what it reads. What is borrowed must outlive the costs. */
struct paleo_law_options {
	/* paleo2017 */
	const struct paleo_2017_device *device_2017; /* borrowed */
	struct paleo_2017_algorithms algorithms;
	/* paleo, calibrated: paleo_calibration_datasheet() is the first, a fitted one the second */
	const struct paleo_calibration *calibration; /* borrowed */
	enum paleo_dtype dtype;
	/* paleo2017: scales FLOP/s and, as in the original, bandwidth; 0 means 1 */
	double ppp_comp;
};

/* What a layer costs in one pass. */
struct paleo_cost {
	double compute_s, memory_s, overhead_s;
	double total_s; /* less than the sum where compute and memory overlap */
};

/*
 * A law. `open` takes a net, and what it gives answers for any batch, whatever the
 * net's own. Passes are PALEO_FWD, PALEO_BWD_DATA, PALEO_BWD_FILTER and
 * PALEO_PASS_UPDATE; layers are numbered as in the net. Data is never fetched from
 * other devices here: that is the simulation's.
 */
struct paleo_law {
	const char *name; /* "paleo2017", for --law */
	const char *what; /* one line of help */
	int (*open)(const struct paleo_net *net, const struct paleo_law_options *o, void **state,
		    struct paleo_error *err);
	void (*close)(void *state);
	int (*cost)(const void *state, int layer, enum paleo_pass pass, int batch,
		    struct paleo_cost *out, struct paleo_error *err);
	/* Adds up `cost` of all layers in these passes, faster than one by one. May be NULL. */
	int (*sum)(const void *state, unsigned passes, int batch, struct paleo_cost *out,
		   struct paleo_error *err);
};

/* The table of laws, and one by its name; NULL if there is none. */
const struct paleo_law *const *paleo_laws(int *count);
const struct paleo_law *paleo_law_find(const char *name);

/* The costs of one net under one law. Borrows the net. */
struct paleo_costs;

int paleo_costs_open(const struct paleo_law *law, const struct paleo_net *net,
		     const struct paleo_law_options *o, struct paleo_costs **out,
		     struct paleo_error *err);
void paleo_costs_close(struct paleo_costs *c); /* NULL allowed */

/* One layer in one pass. EUNSUPPORTED where the law cannot say. */
int paleo_costs_layer(const struct paleo_costs *c, int layer, enum paleo_pass pass, int batch,
		      struct paleo_cost *out, struct paleo_error *err);

/* Sums over all layers; `passes` are PALEO_PASSES_... bits. */
int paleo_costs_net(const struct paleo_costs *c, unsigned passes, int batch, struct paleo_cost *out,
		    struct paleo_error *err);

#endif
