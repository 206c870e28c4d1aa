/* training_run.h - predicts a published training step, a row of a table. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_TRAINING_RUN_H
#define PALEO_TOOLS_TRAINING_RUN_H

#include "tools/training_cases.h"

/* A machine with what is known of its device. */
struct training_runner;

int training_runner_open(const struct training_source *s, struct training_runner **out,
			 struct paleo_error *err);
void training_runner_close(struct training_runner *r); /* NULL allowed */

int training_run(const struct training_runner *r, const struct training_case *c,
		 const struct training_model *m, struct paleo_table *t, struct paleo_error *err);

#endif
