/* trained_net.h - opens nets for a training step, and the parts of a model that workers have. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_TRAINED_NET_H
#define PALEO_TOOLS_TRAINED_NET_H

#include "model/net/net.h"

enum {
	TRAINED_NAME_MAX = 4096
};

struct trained_net {
	struct paleo_net *net;       /* owned */
	char name[TRAINED_NAME_MAX]; /* with the words of a config.json */
	double tokens;               /* of one of its sequences; NaN: it has images */
};

/* A config.json is taken with phase=train if its words name no phase. Fails as paleo_net_open();
 * EINPUT for a net without a backward pass. */
int trained_net_open(const char *name, struct trained_net *out, struct paleo_error *err);

/* The part of one worker, for paleo_sim_config; `self` is a struct trained_net. */
int trained_net_part(const void *self, int tp, int ep, struct paleo_net **out,
		     struct paleo_error *err);

/* The number type that all nets name; -1 if they name none. EINPUT where they name several. */
int trained_nets_dtype(const char *const *names, int count, int *out, struct paleo_error *err);

#endif
