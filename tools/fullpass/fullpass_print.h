/* fullpass_print.h - prints measured whole passes: sums of layers, memory, rows. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_FULLPASS_FULLPASS_PRINT_H
#define PALEO_TOOLS_FULLPASS_FULLPASS_PRINT_H

#include <stdio.h>

#include "base/table.h"
#include "model/record/graph_record.h"

/* A whole pass with what else is known of its rows. */
struct fullpass_view {
	struct paleo_graph_record pass; /* owned */
	double *predicted_s;            /* of each row; NaN: the device has no peak; owned */
	int borrowed;   /* rows whose prediction is another class's, layout's, pass's or type's */
	double whole_s; /* predicted with the calibration's correction; NaN: none */
};

void fullpass_view_release(struct fullpass_view *v);

/* Prints one row a pass, then (as text) the memory of each. */
int fullpass_print(const struct fullpass_view *views, int count, enum paleo_table_format format,
		   FILE *out, struct paleo_error *err);

/* Prints for how many rows of each pass the calibration has no class of their own; nothing if it
 * has all of them, or none. */
void fullpass_print_borrowed(const struct fullpass_view *views, int count, FILE *out);

/* Prints the rows of each pass: in the net, and alone. */
int fullpass_print_rows(const struct fullpass_view *views, int count,
			enum paleo_table_format format, FILE *out, struct paleo_error *err);

#endif
