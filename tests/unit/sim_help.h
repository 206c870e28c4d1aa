/* sim_help.h - times and links of round numbers, for simulations that are worked out by hand. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TESTS_SIM_HELP_H
#define PALEO_TESTS_SIM_HELP_H

#include <math.h>

#include "model/simulate/sim.h"
#include "tests/unit/unit.h"

/* Products take a second per FLOP, updates a second per weight, all else nothing. */
static inline int flops_cost_model(const void *self, const struct paleo_op *w, double *out,
				   struct paleo_error *err)
{
	(void)self;
	(void)err;
	*out = w->kind == PALEO_GEMM || w->kind == PALEO_CONV ? w->flops
	       : w->kind == PALEO_UPDATE                      ? w->geom.update.count
							      : 0;
	return PALEO_OK;
}

/* Workers in a ring whose links have 1 byte/s and a latency of 10 s. */
static inline struct paleo_sim_setup slow_ring(int workers, int batch)
{
	struct paleo_sim_setup s = {
		.scheme = paleo_scheme_find("ring"), .workers = workers, .batch = batch};

	s.fabric = (struct paleo_fabric){
		.between = {.name = "b", .latency_s = 10, .bytes_per_s = 1},
		.per_host = 1,
		.servers = 1,
		.reached = 1,
	};
	return s;
}

static inline void near(double a, double b)
{
	if (!(fabs(a - b) <= 1e-12 * fabs(b)))
		fail_msg("%.17g is not %.17g", a, b);
}

#endif
