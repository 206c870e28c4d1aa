/* verdict.h - says in a sentence what a calibration is good for, by stated rules. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_VERDICT_H
#define PALEO_TOOLS_VERDICT_H

#include <stdio.h>

#include "calib/validate.h"
#include "tools/session/plan.h"

/* Of works that were judged: "verdict: good for ...; not for ...: ...". ENOMEM. */
int verdict_of_validation(const struct paleo_validation *v, FILE *out, struct paleo_error *err);

/* Of a calibration by itself, by the works held out of its fit. ENOMEM. */
int verdict_of_calibration(const struct paleo_calibration *c, FILE *out, struct paleo_error *err);

/* 1: the factor is of the user's own calibration, and not of a preset in its place. */
int verdict_is_own(const struct paleo_calibration *c, const struct paleo_class_model *f);

/* A line that names what the user's own calibration is not good for, of what the plan needs (NULL:
 * of all that it has); nothing if it is good for that. ENOMEM. */
int verdict_warn(const struct paleo_calibration *c, const struct plan *p, FILE *out,
		 struct paleo_error *err);

#endif
