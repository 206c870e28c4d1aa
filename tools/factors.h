/* factors.h - prints the factors of a calibration. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_FACTORS_H
#define PALEO_TOOLS_FACTORS_H

#include <stdio.h>

#include "base/table.h"
#include "model/predict/calibration.h"

/* A row for each kind of work and number type, and one for all: records, range of PALEO's
 * percentage, held-out error. ENOMEM, EIO. */
int factors_print_brief(const struct paleo_calibration *c, enum paleo_table_format format,
			FILE *out, struct paleo_error *err);

/* A row for each factor: values, standard errors, records, held-out error; in text then what is
 * known of the parameters of kernel models. ENOMEM, EIO. */
int factors_print(const struct paleo_calibration *c, enum paleo_table_format format, FILE *out,
		  struct paleo_error *err);

#endif
