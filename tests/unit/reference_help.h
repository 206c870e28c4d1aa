/* reference_help.h - what the tests of the reference share. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TESTS_REFERENCE_HELP_H
#define PALEO_TESTS_REFERENCE_HELP_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/fill.h"
#include "bench/reference.h"
#include "tests/unit/given.h"

/* The same geometry in another pass. */
static inline struct paleo_op other_pass(const struct paleo_op *w, enum paleo_pass pass)
{
	struct paleo_op v = *w;
	struct paleo_error err = {0};

	v.pass = pass;
	if (v.kind == PALEO_CONV && pass == PALEO_BWD_DATA)
		v.geom.conv.bias = 0;
	if (paleo_op_finish(&v, &err))
		fail_msg("%s", err.text);
	return v;
}

static inline double result(const struct paleo_op *w, enum paleo_role role, int copy, int index)
{
	double value, magnitude;
	struct paleo_error err = {0};

	if (paleo_reference_value(w, role, copy, index, &value, &magnitude, &err))
		fail_msg("%s", err.text);
	assert_true(magnitude >= fabs(value));
	return value;
}

/* `tolerance` is relative to 1 + |expected|. */
static inline void assert_near(double found, double expected, double tolerance)
{
	if (!(fabs(found - expected) <= tolerance * (1 + fabs(expected))))
		fail_msg("found %.17g, expected %.17g", found, expected);
}

#endif
