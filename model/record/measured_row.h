/* measured_row.h - from the cells of a table of measured times to a work and its time. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_RECORD_MEASURED_ROW_H
#define PALEO_MODEL_RECORD_MEASURED_ROW_H

#include "model/record/measured.h"

enum {
	PALEO_MEASURED_FIELDS_MAX = 64 /* in a file */
};

/* The columns that are read; measured.h says what they hold. */
enum paleo_measured_column {
	PALEO_MEASURED_GPU,
	PALEO_MEASURED_OP,
	PALEO_MEASURED_DIRECTION,
	PALEO_MEASURED_DTYPE,
	PALEO_MEASURED_LAYOUT,
	PALEO_MEASURED_ALGO,
	PALEO_MEASURED_NOTE,
	PALEO_MEASURED_USABLE,
	PALEO_MEASURED_TIME,
	PALEO_MEASURED_TIME_US,
	PALEO_MEASURED_TIME_S,
	PALEO_MEASURED_TFLOPS,
	PALEO_MEASURED_GFLOPS,
	PALEO_MEASURED_CORRECTED,
	PALEO_MEASURED_TRANS,
	PALEO_MEASURED_M,
	PALEO_MEASURED_N,
	PALEO_MEASURED_K,
	PALEO_MEASURED_BATCH,
	PALEO_MEASURED_C,
	PALEO_MEASURED_H,
	PALEO_MEASURED_W,
	PALEO_MEASURED_R,
	PALEO_MEASURED_S,
	PALEO_MEASURED_PAD_H,
	PALEO_MEASURED_PAD_W,
	PALEO_MEASURED_STRIDE_H,
	PALEO_MEASURED_STRIDE_W,
	PALEO_MEASURED_DIL,
	PALEO_MEASURED_GROUPS,
	PALEO_MEASURED_ROWS,
	PALEO_MEASURED_COLS,
	PALEO_MEASURED_TOKENS,
	PALEO_MEASURED_HIDDEN,
	PALEO_MEASURED_INTER,
	PALEO_MEASURED_EXPERTS,
	PALEO_MEASURED_TOPK,
	PALEO_MEASURED_TP,
	PALEO_MEASURED_EP,
	PALEO_MEASURED_ALPHA,
	PALEO_MEASURED_GATED,
	PALEO_MEASURED_SEQ_Q,
	PALEO_MEASURED_PAST,
	PALEO_MEASURED_HEADS,
	PALEO_MEASURED_KV_HEADS,
	PALEO_MEASURED_HEAD_DIM,
	PALEO_MEASURED_QK_HEAD_DIM,
	PALEO_MEASURED_V_HEAD_DIM,
	PALEO_MEASURED_WINDOW,
	PALEO_MEASURED_CAUSAL,
	PALEO_MEASURED_ROPE,
	PALEO_MEASURED_KV_DTYPE,
	PALEO_MEASURED_CHANNELS,
	PALEO_MEASURED_TAPS,
	PALEO_MEASURED_RULE,
	PALEO_MEASURED_CHUNK,
	PALEO_MEASURED_BYTES,
	PALEO_MEASURED_RANKS,
	PALEO_MEASURED_SOURCE,
	PALEO_MEASURED_LIB,
	PALEO_MEASURED_COLUMNS
};

const char *paleo_measured_column_name(int column);
/* The column that a table's word means, in any case; -1 if it is none. */
int paleo_measured_column_find(const char *word);
/* A column for a size that this operation needs, where place[] is below 0; -1 if none is missing.
 */
int paleo_measured_column_missing(const char *op, const int place[PALEO_MEASURED_COLUMNS]);

/* Fills in work, time and algorithm; -1, or the reason why the row is refused. */
int paleo_measured_row_make(const char *const cells[PALEO_MEASURED_COLUMNS],
			    struct paleo_measured_row *row);

/* The same of a collective operation; -2 if the row is none. */
int paleo_measured_collective_make(const char *const cells[PALEO_MEASURED_COLUMNS],
				   struct paleo_measured_collective *out);

#endif
