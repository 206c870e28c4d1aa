/* routing.h - how many tokens the experts of a worker get, and in which tiles. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_PREDICT_ROUTING_H
#define PALEO_MODEL_PREDICT_ROUTING_H

#include "model/op/op.h"

enum {
	PALEO_ROUTING_TILE_MIN = 8
};

/*
 * Pairs of a token and a local expert, and the local experts that get one. Evenly routed, experts
 * take pairs in turn. With skew a the shares of experts are drawn from a density x^-a between 1 and
 * 0.8 tokens; of fewer pairs than experts, between 0.01 and 2. So are the loads of aiconfigurator's
 * tables. The worker is the one with the most pairs: their number is the quantile of the largest of
 * as many gamma distributions as there are workers (Wilson and Hilferty 1931; Blom 1958). What it
 * has above the mean is one expert's, as far as the largest share goes.
 */
struct paleo_routing {
	double pairs, hit;
	double load; /* pairs over those of an even routing */
	double rows; /* of all experts' tiles */
};

/* With tiles of so many rows: each expert's pairs are rounded up to whole tiles. */
struct paleo_routing paleo_routing_of(const struct paleo_moe_geom *g, double tile);

/* Rows of a tile. Libraries choose it before experts are known to have few tokens: the power of two
 * that holds the mean number of pairs if all of them were local, between 8 and `most`. */
double paleo_routing_tile(const struct paleo_moe_geom *g, double most);

#endif
