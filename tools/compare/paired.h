/* paired.h - measures two sides op by op in turn: two libraries, builds, layouts, threads ... */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_COMPARE_PAIRED_H
#define PALEO_TOOLS_COMPARE_PAIRED_H

#include "tools/cli/choice.h"
#include "tools/compare/compare.h"

/* What both sides have in common. */
struct paired_settings {
	const char *device; /* NULL: auto */
	int batch, dtype, layout, passes, mode, threads;
	double budget_s; /* of both together; 0: the backend's, twice */
	const char *filter;
};

/* 1 if `text` is WHAT=A,B and so names what differs between two sides. */
int paired_is(const char *text);

/* The name of a side, "WHAT=A" for 0 and "WHAT=B" for 1. */
void paired_name(const char *text, int side, char *out, size_t size);

/*
 * Measures the ops of the networks for both sides of `what`, A B B A in turn, and fills the sides:
 * the times of b have the noise of their ratio to those of a, which have none. EINPUT for a wrong
 * `what`; as session_open() and plan_make(). Release both in any case.
 */
int paired_measure(const struct paired_settings *s, const char *what, const char *const *nets,
		   int count, struct compare_side *a, struct compare_side *b,
		   struct paleo_error *err);

#endif
