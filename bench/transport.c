/* transport.c - the list of transports; inputs of ranks, and the check of their results. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/transport.h"

#include <stdlib.h>
#include <string.h>

static const struct paleo_transport_entry transports[] = {
#define TRANSPORT(id, links, needs, ranks, ...) {.name = #id, __VA_ARGS__},
#include "bench/transports.def"
#undef TRANSPORT
};

static const struct paleo_transport_entry unknown = {.name = ""};

enum {
	TRANSPORTS = sizeof(transports) / sizeof(transports[0])
};

const struct paleo_transport_entry *paleo_transports(int *count)
{
	*count = TRANSPORTS;
	return transports;
}

const struct paleo_transport_entry *paleo_transport_find(const char *name)
{
	for (int i = 0; i < TRANSPORTS; i++)
		if (!strcmp(name, transports[i].name))
			return &transports[i];
	return &unknown;
}

const char *paleo_transport_launcher(void)
{
	for (int i = 0; i < TRANSPORTS; i++)
		for (const char *const *mark = transports[i].launched_by; *mark; mark++)
			if (getenv(*mark))
				return transports[i].name;
	return NULL;
}

enum {
	VALUES = 13 /* no power of two, so that a shifted answer is seen */
};

float paleo_collective_input(int rank, size_t i)
{
	return (float)(rank + (int)(i % VALUES));
}

/* Sum over the ranks: sum of r + i mod 13 for r = 0 .. ranks - 1. */
static float expected_sum(int ranks, size_t i)
{
	double n = ranks;

	return (float)(n * (n - 1) / 2 + n * (double)(i % VALUES));
}

int paleo_collective_check(enum paleo_collective what, int ranks, int rank, size_t count,
			   const float *answer, struct paleo_error *err)
{
	size_t part = count / (size_t)ranks;
	size_t first = what == PALEO_REDUCE_SCATTER ? part * (size_t)rank : 0;
	size_t n = what == PALEO_REDUCE_SCATTER ? part : count;

	for (size_t k = 0; k < n; k++) {
		size_t i = first + k;
		float want = what == PALEO_ALL_GATHER
				     ? paleo_collective_input((int)(i / part), i % part)
				     : expected_sum(ranks, i);
		if (answer[k] != want)
			return paleo_fail(
				err, PALEO_EBACKEND,
				"a wrong answer: rank %d has %g at element %zu of %zu, expected %g",
				rank, (double)answer[k], i, count, (double)want);
	}
	return PALEO_OK;
}
