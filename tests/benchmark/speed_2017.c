/* speed_2017.c - how fast the cost model of the original Paleo prices an open net. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/paleo2017/sim.h"
#include "tests/benchmark/speed.h"

enum {
	TURNS = 50,
	ESTIMATES = 1000 /* of a turn */
};

/* One worker's step at a batch of 128, as the original's `simulate`: forward, backward, update. */
static double estimate_ms(const struct paleo_2017_net *net)
{
	const struct paleo_2017_sim s = {.options = {.device = paleo_2017_device_find("TITAN_X"),
						     .ppp_comp = 1,
						     .ppp_comm = 1},
					 .gbit_per_s = 10};
	struct paleo_2017_data step;
	struct paleo_error err;

	if (paleo_2017_data(net, &s, 128, 1, 0, &step, &err))
		speed_stop(&err);
	return step.comp_ms;
}

void speed_print_2017(void)
{
	struct paleo_net *source;
	struct paleo_2017_net *net;
	struct paleo_error err;
	double best_s = INFINITY, sum = 0;

	if (paleo_net_load("nets/vgg16.json", 0, &source, &err) ||
	    paleo_2017_open(source, &net, &err))
		speed_stop(&err);
	for (int turn = 0; turn < TURNS; turn++) {
		double start = speed_cpu_s();
		for (int i = 0; i < ESTIMATES; i++)
			sum += estimate_ms(net);
		best_s = fmin(best_s, (speed_cpu_s() - start) / ESTIMATES);
	}
	if (!(sum > 0))
		exit(1);
	printf("the cost model paleo2017, VGG-16 opened before: %.2f us an estimate of a step\n",
	       1e6 * best_s);
	paleo_2017_close(net);
	paleo_net_free(source);
}
