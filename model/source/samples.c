/* samples.c - a few ops of every class, pass and layout that a calibration may have to price. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "model/source/knowledge_pick.h"

/* A class: its kind, and its fields with a number for the size. */
static const struct sample {
	const char *kind, *fields;
	enum {
		ALL,
		FORWARD,
		NARROW
	} of; /* forward alone; that, and of a type of a byte alone */
} samples[] = {
	{"gemm", "m=%d n=1024 k=1024", 0},
	{"gemm", "m=128 n=128 k=64 batch=%d", 0},
	{"conv", "n=%d c=64 h=28 w=28 k=64 r=3 s=3 pad_t=1 pad_l=1 pad_b=1 pad_r=1", 0},
	{"conv", "n=%d c=64 h=28 w=28 k=64 r=3 s=3 groups=64", 0},
	{"conv", "n=%d c=128 h=28 w=28 k=128 r=3 s=3 groups=32", 0},
	{"conv", "n=%d c=48 h=28 w=28 k=48 r=3 s=3 groups=2", 0},
	{"conv", "n=%d c=256 h=7 w=7 k=256 r=7 s=7", 0},
	{"pool", "mode=max n=%d c=64 h=56 w=56 r=2 s=2", 0},
	{"pool", "mode=avg n=%d c=64 h=56 w=56 r=2 s=2", 0},
	{"eltwise", "op=relu count=%d0000", 0},
	{"eltwise", "op=relu6 count=%d0000", 0},
	{"eltwise", "op=leaky_relu count=%d0000", 0},
	{"eltwise", "op=elu count=%d0000", 0},
	{"eltwise", "op=sigmoid count=%d0000", 0},
	{"eltwise", "op=tanh count=%d0000", 0},
	{"eltwise", "op=gelu count=%d0000", 0},
	{"eltwise", "op=silu count=%d0000", 0},
	{"eltwise", "op=hardswish count=%d0000", 0},
	{"eltwise", "op=dropout count=%d0000", 0},
	{"eltwise", "op=add inputs=2 count=%d0000", 0},
	{"eltwise", "op=mul inputs=2 count=%d0000", 0},
	{"eltwise", "op=max inputs=2 count=%d0000", 0},
	{"eltwise", "op=silu_mul inputs=2 count=%d0000", 0},
	{"norm", "mode=batch n=%d c=64 h=28 w=28 scale=1 shift=1", 0},
	{"norm", "mode=layer n=%d c=1024 h=16 w=1 scale=1 shift=1", 0},
	{"norm", "mode=rms n=%d c=1024 h=16 w=1 scale=1", 0},
	{"norm", "mode=rms n=%d c=1024 h=16 w=1 scale=1 add=1", 0},
	{"norm", "mode=batch_inference n=%d c=64 h=28 w=28 scale=1 shift=1", 0},
	{"lrn", "n=%d c=64 h=28 w=28 size=5", 0},
	{"softmax", "rows=%d0 cols=1024", 0},
	{"copy", "rows=%d0 cols=1024 parts=2", 0},
	{"upsample", "mode=nearest n=%d c=64 h=28 w=28 scale_h=2 scale_w=2", 0},
	{"upsample", "mode=bilinear n=%d c=64 h=28 w=28 scale_h=2 scale_w=2", 0},
	{"update", "rule=sgd count=%d0000", 0},
	{"update", "rule=momentum count=%d0000", 0},
	{"update", "rule=adam count=%d0000", 0},
	{"reduce", "op=sum rows=%d0 cols=1024", 0},
	{"reduce", "op=mean rows=%d0 cols=1024", 0},
	{"reduce", "op=max rows=%d0 cols=1024", 0},
	{"attention", "batch=%d q=512 keys=512 heads=16 kv_heads=4 qk=64 v=64 causal=1", 0},
	{"attention", "batch=%d q=512 keys=512 heads=16 kv_heads=16 qk=64 v=64", 0},
	{"attention", "batch=%d q=1 keys=1024 heads=16 kv_heads=4 qk=64 v=64 causal=1", 0},
	{"moe", "tokens=%d hidden=1024 inter=512 experts=8 local=8 topk=2 gated=1", 0},
	{"attention", "batch=%d q=1 keys=1024 heads=16 kv_heads=1 qk=576 v=512 causal=1 latent=1",
	 0},
	{"gemm", "m=%d n=1024 k=1024 stored=fp8_block", NARROW},
	{"gemm", "m=%d n=1024 k=1024 stored=nvfp4", FORWARD},
	{"gemm", "m=%d n=1024 k=1024 stored=w8a8", FORWARD},
	{"gemm", "m=%d n=1024 k=1024 stored=int4_g128", FORWARD},
	{"moe", "tokens=%d hidden=1024 inter=512 experts=8 local=8 topk=2 gated=1 stored=fp8_block",
	 NARROW},
	{"moe", "tokens=%d hidden=1024 inter=512 experts=8 local=8 topk=2 gated=1 stored=nvfp4",
	 FORWARD},
	{"moe", "tokens=%d hidden=1024 inter=512 experts=8 local=8 topk=2 gated=1 stored=mxfp4",
	 FORWARD},
	{"attention", "batch=%d q=512 keys=512 heads=16 kv_heads=16 qk=192 v=128 causal=1", 0},
	{"embedding", "tokens=%d vocab=32000 dim=1024", 0},
	{"rope", "rows=%d0 heads=16 dim=64", 0},
	{"causal_conv", "batch=%d tokens=512 channels=1024 taps=4 bias=1 act=1", 0},
	{"causal_conv", "batch=%d tokens=1 channels=1024 taps=4 bias=1 act=1 cache=1", 0},
#define SCANS(rule)                                                                                \
	{"scan", "rule=" rule " batch=%d tokens=512 heads=16 groups=8 qk=64 v=64", 0},             \
	{                                                                                          \
		"scan", "rule=" rule " batch=%d tokens=1 heads=16 groups=8 qk=64 v=64 cache=1", 0  \
	}
	SCANS("ssd"),
	SCANS("delta"),
	SCANS("kda"),
	SCANS("selective"),
#undef SCANS
	{"cross_entropy", "rows=%d cols=32000", 0},
};

enum {
	SAMPLES = sizeof(samples) / sizeof(samples[0])
};

static const int sizes[PALEO_SAMPLE_SIZES] = {2, 32, 512};

/* EUNSUPPORTED where no such op exists. */
static int make_sample(const struct sample *s, enum paleo_pass pass, enum paleo_dtype dtype,
		       int size, struct paleo_op *out, struct paleo_error *err)
{
	const char *number = strchr(s->fields, '%');
	char key[PALEO_OP_KEY_MAX];

	if ((s->of != ALL && pass != PALEO_FWD) ||
	    (s->of == NARROW && paleo_dtype_wide(dtype) == dtype))
		return paleo_fail(err, PALEO_EUNSUPPORTED, "there is no such op");

	snprintf(key, sizeof(key), "%s %s %s %.*s%d%s", s->kind, paleo_pass_name(pass),
		 paleo_dtype_name(dtype), (int)(number - s->fields), s->fields, sizes[size],
		 number + 2);
	return paleo_op_parse(key, out, err);
}

/* In both layouts, where the kind has them. */
static int take_both(paleo_sample_take *take, void *context, struct paleo_op *w,
		     struct paleo_error *err)
{
	int rc = take(context, w, err);

	if (rc || !paleo_op_has_layout(w->kind))
		return rc;
	w->layout = PALEO_NHWC;
	return take(context, w, err);
}

int paleo_samples_each(enum paleo_dtype dtype, int size, paleo_sample_take *take, void *context,
		       struct paleo_error *err)
{
	struct paleo_op w;

	for (int i = 0; i < SAMPLES; i++) {
		for (int p = 0; p < PALEO_PASSES; p++) {
			int rc = make_sample(&samples[i], (enum paleo_pass)p, dtype, size, &w, err);
			if (rc == PALEO_EUNSUPPORTED)
				continue;
			if (!rc)
				rc = take_both(take, context, &w, err);
			if (rc)
				return rc;
		}
	}
	return PALEO_OK;
}
