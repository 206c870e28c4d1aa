/* speed.h - what the parts of paleo-speed have in common. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TESTS_BENCHMARK_SPEED_H
#define PALEO_TESTS_BENCHMARK_SPEED_H

#include "base/error.h"

/* CPU time of this thread, which other processes do not add to. */
double speed_cpu_s(void);

/* Tells what went wrong and ends the program. */
_Noreturn void speed_stop(const struct paleo_error *err);

/* speed_2017.c: the cost model paleo2017. */
void speed_print_2017(void);

/* speed_sim.c: configurations of several workers. */
void speed_print_sim(void);

/* speed_cost_models.c: the calibrated cost models, and fits. */
void speed_print_cost_models(void);
void speed_print_fits(void);

#endif
