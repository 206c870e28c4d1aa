/* summary_rows.h - what a summary says of each layer, under either law. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_SUMMARY_ROWS_H
#define PALEO_TOOLS_SUMMARY_ROWS_H

#include "model/net/net.h"

/* One layer. Texts are borrowed from the net, or stand here. */
struct summary_row {
	const char *layer;
	char type[40];
	char output[48];      /* "64x224x224x64" */
	char shape[64];       /* "[64, 224, 224, 64]" */
	char details[96];     /* "3x3 64->64 s1 same" */
	char words[160];      /* the original's, or the details */
	int again;            /* 1: the original counts the layer twice */
	double weights;       /* learnt numbers */
	double output_bytes;  /* f32; 0 where the output is that of another layer */
	double forward_flops; /* additions and multiplications */
	double backward_flops;
};

struct summary {
	struct summary_row *rows;
	int count;
	int batch;
	double weights, output_bytes, forward_flops, backward_flops; /* sums of the rows */
	/* Layers that the original leaves out; borrowed names, owned list. */
	const char **dropped;
	int dropped_count;
};

/* The net at its batch, as paleo counts: all works of a layer, its own outputs. */
int summary_make(const struct paleo_net *net, struct summary *out, struct paleo_error *err);

/* The same as the original counts it, at `batch` (0: that of the file). Backward is not known. */
int summary_make_2017(const struct paleo_net *net, int batch, struct summary *out,
		      struct paleo_error *err);

void summary_release(struct summary *s);

#endif
