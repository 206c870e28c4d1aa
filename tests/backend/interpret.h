/* interpret.h - runs a whole program in double precision, as plainly as can be. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TESTS_BACKEND_INTERPRET_H
#define PALEO_TESTS_BACKEND_INTERPRET_H

#include "model/net/graph.h"

/* Values of every buffer of a graph, in the order of its dims. */
struct values {
	const struct paleo_graph *graph;
	double **of; /* one array a buffer */
};

/* Fills what is given as bench/fill.h says, the rest with NaN. Exits where memory runs out. */
struct values values_make(const struct paleo_graph *p);
void values_free(struct values *v);

/* Runs step `i`; 0 if it does not know the op. */
int interpret_step(struct values *v, int i);
int interpret_attention(struct values *v, int step);

#endif
