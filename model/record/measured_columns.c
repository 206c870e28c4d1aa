/* measured_columns.c - the columns of a table of measured times, by their names and other words. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <strings.h>

#include "model/record/measured_row.h"

static const char *const names[PALEO_MEASURED_COLUMNS] = {
	[PALEO_MEASURED_GPU] = "gpu",
	[PALEO_MEASURED_OP] = "op",
	[PALEO_MEASURED_DIRECTION] = "direction",
	[PALEO_MEASURED_DTYPE] = "dtype",
	[PALEO_MEASURED_LAYOUT] = "layout",
	[PALEO_MEASURED_ALGO] = "algo",
	[PALEO_MEASURED_NOTE] = "note",
	[PALEO_MEASURED_USABLE] = "usable",
	[PALEO_MEASURED_TIME] = "time_ms",
	[PALEO_MEASURED_TIME_US] = "time_us",
	[PALEO_MEASURED_TIME_S] = "time_s",
	[PALEO_MEASURED_TFLOPS] = "tflops",
	[PALEO_MEASURED_GFLOPS] = "gflops",
	[PALEO_MEASURED_CORRECTED] = "time_corr_ms",
	[PALEO_MEASURED_TRANS] = "trans",
	[PALEO_MEASURED_M] = "m",
	[PALEO_MEASURED_N] = "n",
	[PALEO_MEASURED_K] = "k",
	[PALEO_MEASURED_BATCH] = "batch",
	[PALEO_MEASURED_C] = "c",
	[PALEO_MEASURED_H] = "h",
	[PALEO_MEASURED_W] = "w",
	[PALEO_MEASURED_R] = "r",
	[PALEO_MEASURED_S] = "s",
	[PALEO_MEASURED_PAD_H] = "pad_h",
	[PALEO_MEASURED_PAD_W] = "pad_w",
	[PALEO_MEASURED_STRIDE_H] = "stride_h",
	[PALEO_MEASURED_STRIDE_W] = "stride_w",
	[PALEO_MEASURED_DIL] = "dil",
	[PALEO_MEASURED_GROUPS] = "groups",
	[PALEO_MEASURED_ROWS] = "rows",
	[PALEO_MEASURED_COLS] = "cols",
	[PALEO_MEASURED_TOKENS] = "tokens",
	[PALEO_MEASURED_HIDDEN] = "hidden",
	[PALEO_MEASURED_INTER] = "inter",
	[PALEO_MEASURED_EXPERTS] = "experts",
	[PALEO_MEASURED_TOPK] = "topk",
	[PALEO_MEASURED_TP] = "tp",
	[PALEO_MEASURED_EP] = "ep",
	[PALEO_MEASURED_ALPHA] = "alpha",
	[PALEO_MEASURED_GATED] = "gated",
	[PALEO_MEASURED_SEQ_Q] = "seq_q",
	[PALEO_MEASURED_PAST] = "past",
	[PALEO_MEASURED_HEADS] = "heads",
	[PALEO_MEASURED_KV_HEADS] = "kv_heads",
	[PALEO_MEASURED_HEAD_DIM] = "head_dim",
	[PALEO_MEASURED_QK_HEAD_DIM] = "qk_head_dim",
	[PALEO_MEASURED_V_HEAD_DIM] = "v_head_dim",
	[PALEO_MEASURED_WINDOW] = "window",
	[PALEO_MEASURED_CAUSAL] = "causal",
	[PALEO_MEASURED_ROPE] = "rope",
	[PALEO_MEASURED_KV_DTYPE] = "kv_dtype",
	[PALEO_MEASURED_CHANNELS] = "channels",
	[PALEO_MEASURED_TAPS] = "taps",
	[PALEO_MEASURED_RULE] = "rule",
	[PALEO_MEASURED_CHUNK] = "chunk",
	[PALEO_MEASURED_BYTES] = "bytes",
	[PALEO_MEASURED_RANKS] = "ranks",
	[PALEO_MEASURED_SOURCE] = "source",
	[PALEO_MEASURED_LIB] = "lib",
};

const char *paleo_measured_column_name(int column)
{
	return names[column];
}

int paleo_measured_column_find(const char *word)
{
	static const struct {
		const char *word;
		enum paleo_measured_column column;
	} also[] = {
		{"device", PALEO_MEASURED_GPU},
		{"gpu_name", PALEO_MEASURED_GPU},
		{"device_name", PALEO_MEASURED_GPU},
		{"op_name", PALEO_MEASURED_OP},
		{"opname", PALEO_MEASURED_OP},
		{"pass", PALEO_MEASURED_DIRECTION},
		{"precision", PALEO_MEASURED_DTYPE},
		{"data_type", PALEO_MEASURED_DTYPE},
		{"gemm_dtype", PALEO_MEASURED_DTYPE},
		{"attn_dtype", PALEO_MEASURED_DTYPE},
		{"seq", PALEO_MEASURED_SEQ_Q},
		{"latency_ms", PALEO_MEASURED_TIME},
		{"latency_us", PALEO_MEASURED_TIME_US},
		{"latency_s", PALEO_MEASURED_TIME_S},
		{"batch_size", PALEO_MEASURED_BATCH},
		{"in_channels", PALEO_MEASURED_C},
		{"out_channels", PALEO_MEASURED_K},
		{"height", PALEO_MEASURED_H},
		{"width", PALEO_MEASURED_W},
		{"kernel_size", PALEO_MEASURED_R},
		{"stride", PALEO_MEASURED_STRIDE_H},
		{"pad", PALEO_MEASURED_PAD_H},
		{"padding", PALEO_MEASURED_PAD_H},
		{"dilation", PALEO_MEASURED_DIL},
	};

	for (int i = 0; i < PALEO_MEASURED_COLUMNS; i++)
		if (!strcasecmp(word, paleo_measured_column_name(i)))
			return i;
	for (size_t i = 0; i < sizeof(also) / sizeof(also[0]); i++)
		if (!strcasecmp(word, also[i].word))
			return also[i].column;
	return -1;
}
