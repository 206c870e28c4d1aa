/* training_cases.h - published steps of training transformers, to be predicted. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_TRAINING_CASES_H
#define PALEO_TOOLS_TRAINING_CASES_H

#include "base/table.h"

/* A model by its sizes. */
struct training_model {
	const char *name, *family; /* its model_type: gpt2, llama */
	int hidden, inner, layers, heads, kv_heads, words, seq;
	int unfused; /* 1: trained before there was a kernel for all of attention */
};

enum training_unit {
	TRAINING_S,              /* of a step */
	TRAINING_TFLOPS,         /* TFLOP/s of a worker, model FLOPs */
	TRAINING_HARDWARE_TFLOPS /* with what is computed again */
};

/* One figure. What a source does not say is in docs/method/training.md. */
struct training_case {
	const char *of, *model, *plan;
	int workers, batch; /* of all, in sequences */
	double published;
	enum training_unit unit;
	int overlap;
};

/* Where the figures are from, and the machine. Hosts have 8 workers and as many links. */
struct training_source {
	const char *of, *device, *network, *host_link, *source;
};

const struct training_source *training_source_find(const char *of); /* NULL if there is none */
const char *const *training_case_names(void);                       /* NULL-ended */

/* Adds a row for each figure of these names to a table of its own kind. */
struct paleo_table *training_table(void);
int training_add(struct paleo_table *t, const char *of, struct paleo_error *err);

#endif
