/* measured.h - reads a table of published times: CSV, plain or gzip. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_RECORD_MEASURED_H
#define PALEO_MODEL_RECORD_MEASURED_H

#include "base/texts.h"
#include "model/device/backends.h"
#include "model/device/device.h"
#include "model/device/link.h"

/* One time of the table. */
struct paleo_measured_row {
	struct paleo_op op; /* finished */
	double time_s;
	double power_w;     /* mean while it ran in a loop; 0: the file does not say */
	int line;           /* of the file */
	char algorithm[32]; /* as the file calls it; "" if it does not */
	/* Of a trace; zeros in a table. */
	char name[64];                       /* as the trace calls the op */
	double calls;                        /* in a step */
	int samples;                         /* of which time_s is the median */
	double low_s, high_s, min_s, mean_s; /* its 95 % interval: NaN with too few */
};

/* Time of a trace that has no op here. */
struct paleo_unmatched {
	const char *name;     /* owned by the trace */
	double time_s, calls; /* in all steps */
	const char *why;      /* a constant; NULL: there is no such op here */
};

/* One collective operation. */
struct paleo_measured_collective {
	const char *op; /* "allreduce", "allgather", "reducescatter", "send_recv" */
	int ranks;      /* 2 .. PALEO_WORKERS_MAX */
	double bytes;   /* of the whole vector, as the file counts it; > 0 */
	double time_s;
	char how[64]; /* its dtype and way, as the file calls them: "fp16 dgx per_node=2" */
	int line;
};

/* Why rows were refused. */
enum paleo_measured_refusal {
	PALEO_REFUSED_OP,        /* an operation that is not an op, or not supported */
	PALEO_REFUSED_DTYPE,     /* a dtype that ops do not have */
	PALEO_REFUSED_SHAPE,     /* sizes that make no op */
	PALEO_REFUSED_COLUMN,    /* the table lacks a column for one of the sizes */
	PALEO_REFUSED_TIME,      /* a time that is not above zero, or of hours */
	PALEO_REFUSED_UNUSABLE,  /* marked in the file: usable is 0 */
	PALEO_REFUSED_TOO_FAST,  /* more FLOP/s than the device can do */
	PALEO_REFUSED_TOO_DENSE, /* more bytes/s than the memory can move */
	PALEO_REFUSALS
};

struct paleo_measured {
	struct paleo_measured_row *rows; /* owned */
	int count;
	struct paleo_measured_collective *collectives; /* owned */
	int collective_count;
	char gpu[64]; /* the file's name for the device */
	enum paleo_timed_by timed_by;
	char stack[96]; /* source and lib of the first row; "" if not given */
	int refused[PALEO_REFUSALS];
	int refused_line[PALEO_REFUSALS]; /* of the first one */
	const char *missing; /* a column that rows lack, the first one's; NULL: none does */
	/* Of a trace. */
	const char *format;             /* "PyTorch trace"; NULL: it is a table */
	int steps;                      /* that it has */
	double total_s, matched_s;      /* of all ops; of those in rows */
	struct paleo_unmatched *others; /* longest first; owned */
	int other_count;
	struct paleo_texts texts; /* of others; owned */
};

/* What is known of a file beside it. */
struct paleo_measured_wish {
	const char *gpu, *dtype; /* in place of columns it lacks; NULL: not known */
};

const char *paleo_measured_refusal_text(enum paleo_measured_refusal why);

/* Counts a refused row. */
void paleo_measured_refuse(struct paleo_measured *m, int why, int line);

/*
 * Reads a trace (traces/formats.def), known by its content, or a table with a header line, whose
 * columns docs/reference/tables.md describes: found by name in any case and order. Others are
 * skipped, and so are blanks around fields.
 *
 * Rows that yield no op are counted in out->refused. Release with
 * paleo_measured_release(). EINPUT with the line when the file is not such a table, or has
 * several devices; EIO; ENOMEM.
 */
int paleo_measured_read(const char *path, const struct paleo_measured_wish *wish,
			struct paleo_measured *out, struct paleo_error *err);
/* The same of `size` bytes of text with a NUL behind them, which it takes apart; `path` is for
 * messages. */
int paleo_measured_parse(const char *path, const struct paleo_measured_wish *wish, char *text,
			 size_t size, struct paleo_measured *out, struct paleo_error *err);
void paleo_measured_release(struct paleo_measured *m); /* NULL allowed */

/*
 * Removes rows that the device cannot reach: more than 1.1 times its peak FLOP/s (6 times for
 * convolutions with nine positions or more, whose algorithms save multiplications), or more than
 * 1.1 times its bandwidth when the op's bytes exceed the cache three times. Where the device has no
 * such number, nothing is removed.
 */
void paleo_measured_check(struct paleo_measured *m, const struct paleo_device *d);

/* From the cells of a table of measured times to an op and its time. */

enum {
	PALEO_MEASURED_FIELDS_MAX = 64 /* in a file */
};

/* The columns that are read. */
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
	PALEO_MEASURED_POWER_W,
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
	PALEO_MEASURED_TIMED_BY,
	PALEO_MEASURED_COLUMNS
};

/* A column for a size that this operation needs, where place[] is below 0; -1 if none is missing.
 */
int paleo_measured_column_missing(const char *op, const int place[PALEO_MEASURED_COLUMNS]);

/* Fills in op, time and algorithm; -1, or the reason why the row is refused. */
int paleo_measured_row_make(const char *const cells[PALEO_MEASURED_COLUMNS],
			    struct paleo_measured_row *row);

/* The same of a collective operation; -2 if the row is none. */
int paleo_measured_collective_make(const char *const cells[PALEO_MEASURED_COLUMNS],
				   struct paleo_measured_collective *out);

#endif
