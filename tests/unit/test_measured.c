/* test_measured.c - tables of measured times become ops, or are refused with a reason. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/record/measured.h"
#include "tests/unit/unit.h"

#define FOLDER "tests/data/measured/"

static const struct paleo_measured_wish no_wish = {NULL, NULL};

static struct paleo_measured read_table(const char *path)
{
	struct paleo_measured m;
	struct paleo_error err = {0};

	if (paleo_measured_read(path, &no_wish, &m, &err) != PALEO_OK)
		fail_msg("%s", err.text);
	return m;
}

static void expect_key(const struct paleo_measured_row *row, const char *wanted)
{
	char key[PALEO_OP_KEY_MAX];

	paleo_op_key(&row->op, key, sizeof(key));
	assert_string_equal(key, wanted);
}

static void rows_become_ops(void **state)
{
	(void)state;
	struct paleo_measured m = read_table(FOLDER "table.csv");

	assert_string_equal(m.gpu, "V100_PCIE");
	assert_int_equal(m.count, 10);
	expect_key(&m.rows[0], "gemm fwd f32 m=58 n=141 k=13 trans_b=1 bias=1");
	assert_true(fabs(m.rows[0].time_s - 65.952e-6) < 1e-15);
	assert_int_equal(m.rows[0].line, 2);
	assert_string_equal(m.rows[0].algorithm, "kernel_a");
	/* By columns C[176,16] = A' B is, by rows, C'[16,176] = B' A, with A stored as it is. */
	expect_key(&m.rows[1], "gemm fwd f16 m=16 n=176 k=1760 trans_b=1");
	expect_key(&m.rows[2], "gemm fwd f32 m=27 n=29 k=15 batch=13");
	/* A pad of one half is one column, at the right. */
	expect_key(&m.rows[3], "conv bwd_data f32 n=2 c=3 h=8 w=9 k=4 r=3 s=3 pad_t=1 pad_b=1 "
			       "pad_r=1");
	expect_key(&m.rows[4], "eltwise fwd f32 op=add inputs=2 count=200");
	expect_key(&m.rows[5], "softmax fwd f32 rows=10 cols=20");
	assert_int_equal(m.rows[6].op.kind, PALEO_NORM);
	expect_key(&m.rows[9], "gemm fwd fp8 m=16 n=64 k=32 trans_b=1");
	/* int8, and a batched product in fp8; an all-reduce, for whose bytes there is no column */
	assert_int_equal(m.refused[PALEO_REFUSED_DTYPE], 2);
	assert_int_equal(m.refused[PALEO_REFUSED_COLUMN], 1);
	assert_string_equal(m.missing, "bytes");
	assert_int_equal(m.refused[PALEO_REFUSED_SHAPE], 1);
	assert_int_equal(m.refused[PALEO_REFUSED_TIME], 1);
	assert_int_equal(m.refused[PALEO_REFUSED_UNUSABLE], 1);
	paleo_measured_release(&m);
}

static struct paleo_measured parse(const char *table)
{
	char text[1024];
	struct paleo_measured m;
	struct paleo_error err = {0};

	snprintf(text, sizeof(text), "%s", table);
	if (paleo_measured_parse("t.csv", &no_wish, text, strlen(text), &m, &err) != PALEO_OK)
		fail_msg("%s", err.text);
	return m;
}

/* One stride and one pad are those of both sides; times have their units; a column by its own name
 * goes before another word for it, and in capitals it is the same. */
static void other_words_for_columns(void **state)
{
	(void)state;
	struct paleo_measured m =
		parse("Device,op,N,C,H,W,K,R,S,stride,padding,dilation,pass,dtype,time_ms\n"
		      "T4,conv2d,2,3,16,16,4,3,3,2,1,1,bwd_data,fp32,0.1\n"
		      "T4,conv2d,2,3,16,16,4,3,3,1,,2,,fp32,0.1\n");

	assert_string_equal(m.gpu, "T4");
	assert_int_equal(m.count, 2);
	expect_key(&m.rows[0], "conv bwd_data f32 n=2 c=3 h=16 w=16 k=4 r=3 s=3 stride_h=2 "
			       "stride_w=2 pad_t=1 pad_l=1 pad_b=1 pad_r=1");
	expect_key(&m.rows[1], "conv fwd f32 n=2 c=3 h=16 w=16 k=4 r=3 s=3 dil_h=2 dil_w=2");
	paleo_measured_release(&m);

	m = parse("gpu,op,m,n,k,dtype,time_ms,time_us,time_s\n"
		  "T4,gemm,8,10,11,fp32,2,30,4\nT4,gemm,8,10,11,fp32,,30,4\n"
		  "T4,gemm,8,10,11,fp32,,,4\nT4,gemm,8,10,11,fp32,,,\n");
	assert_int_equal(m.count, 3);
	assert_int_equal(m.refused[PALEO_REFUSED_TIME], 1);
	assert_true(fabs(m.rows[0].time_s - 2e-3) < 1e-15);
	assert_true(fabs(m.rows[1].time_s - 30e-6) < 1e-15);
	assert_true(fabs(m.rows[2].time_s - 4) < 1e-15);
	paleo_measured_release(&m);

	/* 2 x 8 x 10 x 11 operations at 2 TFLOP/s and at 2 GFLOP/s; a time goes before a rate. */
	m = parse("device_name,op_name,m,n,k,precision,TFLOPS,gflops,latency_us\n"
		  "T4,matmul,8,10,11,half,2,7,\nT4,matmul,8,10,11,half,,2,\n"
		  "T4,matmul,8,10,11,half,2,7,3\nT4,matmul,8,10,11,half,0,,\n");
	assert_int_equal(m.count, 3);
	assert_int_equal(m.refused[PALEO_REFUSED_TIME], 1);
	assert_true(fabs(m.rows[0].time_s / 880e-12 - 1) < 1e-12);
	assert_true(fabs(m.rows[1].time_s / 880e-9 - 1) < 1e-12);
	assert_true(fabs(m.rows[2].time_s / 3e-6 - 1) < 1e-12);
	paleo_measured_release(&m);

	m = parse("gpu,op,dtype,batch_size,in_channels,out_channels,height,kernel_size,latency_ms\n"
		  "T4,conv,fp32,2,3,4,16,3,0.1\n");
	assert_int_equal(m.count, 1);
	expect_key(&m.rows[0], "conv fwd f32 n=2 c=3 h=16 w=16 k=4 r=3 s=3");
	paleo_measured_release(&m);

	m = parse("device,gpu,op,m,M,n,k,dtype,time_ms\ncuda:0,T4,gemm,8,9,10,11,fp32,0.1\n");
	assert_string_equal(m.gpu, "T4");
	expect_key(&m.rows[0], "gemm fwd f32 m=8 n=10 k=11");
	paleo_measured_release(&m);
}

/* "no_sizes.csv" calls k "depth" and has no column of cols: the first row's is named. An embedding
 * is no operation that is read, whatever its columns. */
static void names_a_column_that_is_missing(void **state)
{
	(void)state;
	struct paleo_measured m = read_table(FOLDER "no_sizes.csv");

	assert_int_equal(m.count, 0);
	assert_int_equal(m.refused[PALEO_REFUSED_COLUMN], 3);
	assert_int_equal(m.refused_line[PALEO_REFUSED_COLUMN], 2);
	assert_string_equal(m.missing, "k");
	assert_int_equal(m.refused[PALEO_REFUSED_OP], 1);
	assert_int_equal(m.refused[PALEO_REFUSED_SHAPE], 0);
	paleo_measured_release(&m);
}

/* "collectives.csv" holds two all-reduces of one way, one of another, an all-gather, one without
 * a size, one on a single rank, and a send. What a note says of a single rank is no way of its own.
 */
static void collectives_are_read(void **state)
{
	(void)state;
	struct paleo_measured m = read_table(FOLDER "collectives.csv");

	assert_int_equal(m.count, 0);
	assert_int_equal(m.collective_count, 5);
	assert_string_equal(m.collectives[0].op, "allreduce");
	assert_string_equal(m.collectives[0].how, "fp16 dgx per_node=1");
	assert_string_equal(m.collectives[1].how, "fp16 dgx per_node=1");
	assert_string_equal(m.collectives[2].how, "fp16 dgx per_node=2");
	assert_string_equal(m.collectives[3].op, "allgather");
	assert_int_equal(m.collectives[3].ranks, 8);
	assert_true(m.collectives[3].bytes == 1024);
	assert_true(fabs(m.collectives[3].time_s - 5e-5) < 1e-15);
	assert_string_equal(m.collectives[4].op, "send_recv");
	assert_int_equal(m.refused[PALEO_REFUSED_SHAPE], 2);
	assert_true(m.missing == NULL);
	paleo_measured_release(&m);
}

/* A mark of UTF-8, lines of Windows, quotes, blanks, other words; and what is no number, or no
 * time, is refused, its first line told. */
static void reads_what_others_write(void **state)
{
	(void)state;
	struct paleo_measured m = read_table(FOLDER "as_others_write.csv");

	assert_string_equal(m.gpu, "T4");
	assert_int_equal(m.count, 2);
	expect_key(&m.rows[0], "gemm fwd f16 m=64 n=32 k=16 trans_b=1");
	expect_key(&m.rows[1], "gemm fwd f32 m=8 n=9 k=10");
	assert_true(fabs(m.rows[1].time_s - 2e-5) < 1e-15);
	assert_int_equal(m.refused[PALEO_REFUSED_SHAPE], 2);
	assert_int_equal(m.refused_line[PALEO_REFUSED_SHAPE], 4);
	assert_int_equal(m.refused[PALEO_REFUSED_UNUSABLE], 1);
	assert_int_equal(m.refused[PALEO_REFUSED_TIME], 2);
	assert_int_equal(m.refused_line[PALEO_REFUSED_TIME], 7);
	paleo_measured_release(&m);
}

static void gzip_reads_the_same(void **state)
{
	(void)state;
	struct paleo_measured plain = read_table(FOLDER "table.csv");
	struct paleo_measured packed = read_table(FOLDER "table.csv.gz");

	assert_int_equal(plain.count, packed.count);
	for (int i = 0; i < plain.count; i++) {
		assert_true(paleo_op_equal(&plain.rows[i].op, &packed.rows[i].op));
		assert_true(plain.rows[i].time_s == packed.rows[i].time_s);
	}
	paleo_measured_release(&plain);
	paleo_measured_release(&packed);
}

/* 2^31 FLOP in 0.1 ms are 21.5 TFLOP/s, more than 1.1 x 14; 40 MB, more than three times 6 MiB, in
 * 0.03 ms are 1.3 TB/s, more than 1.1 x 900 GB/s. Nothing else is near a limit. */
static void impossible_rows_are_refused(void **state)
{
	(void)state;
	struct paleo_measured m = read_table(FOLDER "table.csv");

	paleo_measured_check(&m, paleo_device_find("v100-pcie"));
	assert_int_equal(m.count, 8);
	assert_int_equal(m.refused[PALEO_REFUSED_TOO_FAST], 1);
	assert_int_equal(m.refused[PALEO_REFUSED_TOO_DENSE], 1);
	paleo_measured_release(&m);
}

static void bad_tables(void **state)
{
	(void)state;
	static const struct {
		const char *path, *says;
	} bad[] = {
		{FOLDER "no_time.csv", "there is no column of time: 'time_ms'"},
		{FOLDER "two_gpus.csv", ":3: gpu is 'P4', expected 'T4'"},
		{FOLDER "few_fields.csv", ":2: 6 fields, expected 7"},
		{FOLDER "cut_short.csv.gz", "broken or cut short"},
		{FOLDER "there_is_none.csv", "cannot open"},
		{FOLDER "two_columns.csv", ":1: there are two columns 'time_ms'"},
		{FOLDER "two_words.csv", ":1: the columns 'pad' and 'padding' both mean pad_h"},
		{FOLDER "two_pads.csv", ":1: there are two columns 'Pad'"},
		{FOLDER "many_columns.csv", ":1: there are too many columns"},
		{FOLDER "zero_byte.csv", ":2: a NUL byte"},
		{FOLDER "open_quote.csv", ":2: a quote is not closed"},
		{FOLDER "no_gpu.csv", ":2: gpu is empty"},
		{FOLDER "header_alone.csv", "has no rows after its header"},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct paleo_measured m = {.count = 77};
		struct paleo_error err = {0};
		assert_true(paleo_measured_read(bad[i].path, &no_wish, &m, &err) < 0);
		if (!strstr(err.text, bad[i].says))
			fail_msg("'%s' does not say '%s'", err.text, bad[i].says);
		assert_int_equal(m.count, 77);
	}
}

/* Keys are those of the past and of the queries. What is stored as it is computed needs no word. */
static void attention_becomes_ops(void **state)
{
	(void)state;
	struct paleo_measured m =
		parse("gpu,op,batch,seq_q,past,heads,kv_heads,head_dim,window,attn_dtype,kv_dtype,"
		      "causal,rope,time_us\n"
		      "H100,prefill_attn,2,512,0,8,2,128,0,bf16,bf16,1,,50\n"
		      "H100,decode_attn,4,1,1023,8,8,64,128,bf16,fp8,,64,20\n"
		      "H100,attention,1,16,,4,,64,,bf16,,0,,20\n"
		      "H100,attention,1,16,,4,3,64,,bf16,,1,,20\n"
		      "H100,attention,1,16,-1,4,4,64,,bf16,,1,,20\n"
		      "H100,attention,1,16,0,4,4,64,,bf16,int4,1,,20\n"
		      "H100,attention,1,16,0,4,0,64,,bf16,,1,,20\n");

	assert_int_equal(m.count, 3);
	expect_key(&m.rows[0], "attention fwd bf16 batch=2 q=512 keys=512 heads=8 kv_heads=2 "
			       "qk=128 v=128 causal=1 cache=1");
	expect_key(&m.rows[1], "attention fwd bf16 batch=4 q=1 keys=1024 heads=8 kv_heads=8 qk=64 "
			       "v=64 causal=1 window=128 cache=1 rope=64 kv=fp8");
	expect_key(&m.rows[2], "attention fwd bf16 batch=1 q=16 keys=16 heads=4 kv_heads=4 qk=64 "
			       "v=64");
	assert_int_equal(m.refused[PALEO_REFUSED_SHAPE], 3);
	assert_int_equal(m.refused[PALEO_REFUSED_DTYPE], 1);
	paleo_measured_release(&m);
}

/* Of 128 experts of 1536 a sixteenth and a half is here: 8 of 768. */
static void experts_become_ops(void **state)
{
	(void)state;
	struct paleo_measured m =
		parse("gpu,op,dtype,tokens,hidden,inter,topk,experts,tp,ep,alpha,gated,time_us\n"
		      "H100,moe,fp8,96,4096,1536,8,128,2,16,1.01,1,77\n"
		      "H100,moe,bf16,96,4096,1536,8,128,,,,0,77\n"
		      "H100,moe,bf16,96,4096,1536,8,128,1,3,0,1,77\n"
		      "H100,moe,bf16,96,4096,1536,8,128,1,1,-1,1,77\n");

	assert_int_equal(m.count, 2);
	expect_key(&m.rows[0], "moe fwd fp8 tokens=96 hidden=4096 inter=768 experts=128 local=8 "
			       "topk=8 gated=1 skew=101");
	expect_key(&m.rows[1], "moe fwd bf16 tokens=96 hidden=4096 inter=1536 experts=128 "
			       "local=128 topk=8");
	assert_int_equal(m.refused[PALEO_REFUSED_SHAPE], 2);
	paleo_measured_release(&m);
	m = parse("gpu,op,dtype,m,n,k,time_us\nH100,gemm,fp8_block,4,32,8,9\n"
		  "H100,gemm,nvfp4,4,32,8,9\nH100,gemm,int8,4,32,8,9\n");
	assert_int_equal(m.count, 2);
	expect_key(&m.rows[1], "gemm fwd bf16 m=4 n=32 k=8 stored=nvfp4");
	expect_key(&m.rows[0], "gemm fwd fp8 m=4 n=32 k=8 stored=fp8_block");
	assert_string_equal(paleo_op_class(&m.rows[0].op), "gemm.block");
	assert_int_equal(m.refused[PALEO_REFUSED_DTYPE], 1);
	paleo_measured_release(&m);
	/* 576 numbers of a key, of which 512 are its value; the other 64 are turned */
	m = parse("gpu,op,dtype,batch,past,heads,qk_head_dim,v_head_dim,kv_dtype,time_us\n"
		  "H100,mla_decode,bf16,4,1023,16,576,512,bf16,9\n");
	expect_key(&m.rows[0], "attention fwd bf16 batch=4 q=1 keys=1024 heads=16 kv_heads=1 "
			       "qk=576 v=512 causal=1 latent=1 cache=1 rope=64");
	assert_string_equal(paleo_op_class(&m.rows[0].op), "attention.latent");
	paleo_measured_release(&m);
	m = parse("gpu,op,dtype,batch,seq_q,heads,qk_head_dim,v_head_dim,time_us\n"
		  "H100,mla_prefill,bf16,4,128,16,192,128,9\n");
	expect_key(&m.rows[0], "attention fwd bf16 batch=4 q=128 keys=128 heads=16 kv_heads=16 "
			       "qk=192 v=128 causal=1 cache=1");
	assert_string_equal(paleo_op_class(&m.rows[0].op), "attention.expanded");
	paleo_measured_release(&m);
	m = parse("gpu,op,dtype,m,n,k,time_us\nA100,gemm,int4_wo,4,32,8,9\n"
		  "A100,gemm,int8_wo,4,32,8,9\nA100,gemm,sq,4,32,8,9\n");
	expect_key(&m.rows[0], "gemm fwd bf16 m=4 n=32 k=8 stored=int4_g128");
	expect_key(&m.rows[1], "gemm fwd bf16 m=4 n=32 k=8 stored=int8");
	expect_key(&m.rows[2], "gemm fwd bf16 m=4 n=32 k=8 stored=w8a8");
	paleo_measured_release(&m);
	m = parse("gpu,op,dtype,tokens,hidden,inter,experts,topk,time_us\n"
		  "B200,moe,nvfp4,9,64,64,8,2,77\nB200,moe,w4a16_mxfp4,9,64,64,8,2,77\n"
		  "B200,moe,w4a8_mxfp4_mxfp8,9,64,64,8,2,77\n");
	assert_string_equal(paleo_op_class(&m.rows[0].op), "moe.fp4");
	assert_string_equal(paleo_op_class(&m.rows[1].op), "moe.weight_only");
	assert_string_equal(paleo_op_class(&m.rows[2].op), "moe.weight_only");
	assert_int_equal(m.rows[1].op.dtype, PALEO_BF16);
	assert_int_equal(m.rows[2].op.dtype, PALEO_FP8);
	paleo_measured_release(&m);
	m = parse("gpu,op,dtype,tokens,hidden,inter,experts,time_us\nH100,moe,bf16,9,8,8,8,77\n");
	assert_string_equal(m.missing, "topk");
	paleo_measured_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_become_ops),
		cmocka_unit_test(other_words_for_columns),
		cmocka_unit_test(attention_becomes_ops),
		cmocka_unit_test(experts_become_ops),
		cmocka_unit_test(names_a_column_that_is_missing),
		cmocka_unit_test(collectives_are_read),
		cmocka_unit_test(reads_what_others_write),
		cmocka_unit_test(gzip_reads_the_same),
		cmocka_unit_test(impossible_rows_are_refused),
		cmocka_unit_test(bad_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
