/* tables.h - the tables of a report: sums, rows, steps, choices, parameters, differences. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_REPORT_TABLES_H
#define PALEO_TOOLS_REPORT_TABLES_H

#include <stdio.h>

#include "tools/report/points.h"

/* What the parts of a step come to, predicted and measured. ENOMEM. */
int table_of_sums(FILE *out, const struct view_net *n, struct paleo_error *err);

/* All rows of a net; it can be sorted and filtered. */
void table_of_rows(FILE *out, const struct view_net *n);

/* Rows of `simulate`, of `explore`. */
void table_of_steps(FILE *out, const struct view_lines *steps);
void table_of_choices(FILE *out, const struct view_lines *choices);

/* The parameters of the factors that the run's predictions stand on. */
void table_of_parameters(FILE *out, const struct view_run *run);

/* The rows of two runs that differ most in time; reorders the pairs. */
void table_of_differences(FILE *out, struct pair *pairs, int count);

#endif
