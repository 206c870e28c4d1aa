/* measured.h - reads a table of times that somebody measured: CSV, plain or gzip. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_RECORD_MEASURED_H
#define PALEO_MODEL_RECORD_MEASURED_H

#include "model/device/device.h"
#include "model/device/link.h"

/* One time of the table. */
struct paleo_measured_row {
	struct paleo_work work; /* finished */
	double time_s;
	int line;           /* of the file */
	char algorithm[32]; /* as the file calls it; "" if it does not */
};

/* One collective operation. */
struct paleo_measured_collective {
	const char *op; /* "allreduce", "allgather", "reducescatter", "send_recv" */
	int ranks;      /* 2 .. PALEO_WORKERS_MAX */
	double bytes;   /* of the whole vector, as the file counts it; > 0 */
	double time_s;
	char how[64]; /* its number type and way, as the file calls them: "fp16 dgx per_node=2" */
	int line;
};

/* Why rows were refused. */
enum paleo_measured_refusal {
	PALEO_REFUSED_OP,        /* an operation that is no work, or is not read yet */
	PALEO_REFUSED_DTYPE,     /* a number type that works do not have */
	PALEO_REFUSED_SHAPE,     /* sizes that make no work */
	PALEO_REFUSED_COLUMN,    /* the table has no column for one of the sizes */
	PALEO_REFUSED_TIME,      /* a time that is not above zero, or of hours */
	PALEO_REFUSED_UNUSABLE,  /* the file says so itself: usable is 0 */
	PALEO_REFUSED_TOO_FAST,  /* more FLOP/s than the device can do */
	PALEO_REFUSED_TOO_DENSE, /* more bytes/s than the memory can move */
	PALEO_REFUSALS
};

struct paleo_measured {
	struct paleo_measured_row *rows; /* owned */
	int count;
	struct paleo_measured_collective *collectives; /* owned */
	int collective_count;
	char gpu[64];   /* what the file calls the device */
	char stack[96]; /* source and lib of the first row: what ran there; "" if not told */
	int refused[PALEO_REFUSALS];
	int refused_line[PALEO_REFUSALS]; /* of the first one */
	const char *missing; /* a column that rows lack, the first one's; NULL: none does */
};

const char *paleo_measured_refusal_text(enum paleo_measured_refusal why);

/*
 * Reads a table with a header line; columns are found by name in any case, their order is free,
 * others are skipped, and so are blanks around fields. Other words for some of them are listed in
 * measured_row.c and docs/reference/tables.md.
 *
 *   gpu                    the device; the same in all rows
 *   op                     gemm (or matmul), bmm, conv2d (or conv), elementwise, softmax, layernorm
 *                          attention (or prefill_attn, decode_attn, encoder_attn), moe
 *   direction              fwd (or empty), bwd_data, bwd_filter
 *   dtype                  fp32, tf32, fp16, bf16, fp8 (of some), or another usual word for
 *                          one of them: float32, half, bfloat16 ...
 *   time_ms                milliseconds; time_corr_ms is taken instead where there is one, time_us
 *                          or time_s where there is none, and without a time tflops or gflops: the
 *                          work's operations, a multiplication and an addition being two, a second
 *   m n k batch trans      of C[m,n] = A[m,k] B[k,n]; trans as "NT"; layout col: by columns
 *   n c h w k r s pad_h pad_w stride_h stride_w dil groups      of conv2d; n may be called batch, a
 *                          width that is not told is the height's, and without either pads are 0,
 *                          strides 1
 *   rows cols              of the others; algo is the elementwise function, note has
 *                          "nin=2" for its inputs, and "bias" for a gemm that adds one
 *   batch past heads qk_head_dim v_head_dim kv_dtype      of mla_decode, over a latent cache
 *   batch seq_q past heads kv_heads head_dim window causal rope kv_dtype      of attention; without
 *                          them past, window, rope are 0, causal is 1, keys are as queries
 *   tokens hidden inter topk experts tp ep alpha gated      of moe: inter and experts are all, a
 *                          device has a tp-th and an ep-th of them; without them tp, ep, gated
 *                          are 1, alpha is 0
 *   bytes ranks            of allreduce, allgather, reducescatter, send_recv; algo and note tell
 * the ways to do them apart usable                 0 or false refuses a row source lib who
 * measured, and by which libraries
 *
 * Rows that make no work are counted in out->refused. Release with
 * paleo_measured_release(). EINPUT with the line when the file is no such table, or has
 * several devices; EIO; ENOMEM.
 */
int paleo_measured_read(const char *path, struct paleo_measured *out, struct paleo_error *err);
/* The same of `size` bytes of text with a NUL behind them, which it takes apart; `path` is for
 * messages. */
int paleo_measured_parse(const char *path, char *text, size_t size, struct paleo_measured *out,
			 struct paleo_error *err);
void paleo_measured_release(struct paleo_measured *m); /* NULL allowed */

/*
 * Takes out rows that the device cannot have: more than 1.1 times its peak FLOP/s (6
 * times for convolutions with nine positions or more, whose algorithms save
 * products), or more than 1.1 times its bandwidth when the work's bytes exceed the
 * cache three times. Where the device has no such number, nothing is taken out.
 */
void paleo_measured_check(struct paleo_measured *m, const struct paleo_device *d);

#endif
