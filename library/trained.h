/* trained.h - a net to train, also one of a config.json, and the part of it that a worker has. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_LIBRARY_TRAINED_H
#define PALEO_LIBRARY_TRAINED_H

#include "model/net/net.h"
#include "model/simulate/sim.h"

enum {
	PALEO_TRAINED_NAME_MAX = 4096
};

/* A zero struct is empty. */
struct paleo_trained_net {
	struct paleo_net *net;             /* owned: paleo_net_free() */
	char name[PALEO_TRAINED_NAME_MAX]; /* with the words of a config.json */
	double tokens;                     /* of one of its sequences; NaN: it has images */
};

/* A config.json is opened with phase train if its words name no phase. `batch` 0 is the file's own.
 * Fails as paleo_net_open(); EINPUT for a net without a backward pass. */
int paleo_trained_net_open(const char *name, int batch, struct paleo_trained_net *out,
			   struct paleo_error *err);

/* The part of one worker, for paleo_sim_config; `self` is a struct paleo_trained_net. */
int paleo_trained_net_part(const void *self, const struct paleo_part_key *key,
			   struct paleo_net **out, struct paleo_error *err);

#endif
