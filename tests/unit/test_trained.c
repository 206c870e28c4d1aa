/* test_trained.c - ops as a training step runs them, by hand: narrow gradients, experts, rings. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/device/device.h"
#include "model/simulate/sim_parts.h"
#include "tests/unit/sim_help.h"

/* A second for a FLOP of GEMMs and attention, for an element that is added up, and for a tensor
 * that is quantised. */
static int seconds(const void *self, const struct paleo_op *w, double *out, struct paleo_error *err)
{
	const struct paleo_gemm_geom *g = &w->geom.gemm;

	(void)self;
	(void)err;
	*out = w->kind == PALEO_GEMM        ? w->flops + (paleo_gemm_quantises(w) && !g->codes)
	       : w->kind == PALEO_ATTENTION ? w->flops
	       : w->kind == PALEO_ELTWISE && w->geom.eltwise.op == PALEO_ADD ? w->geom.eltwise.count
									     : 0;
	return PALEO_OK;
}

static double trained(struct paleo_op w, const char *device, int dtype, int cp)
{
	static const char net_text[] = "{\"name\": \"n\", \"layers\": {\"data\": {\"parents\": [], "
				       "\"type\": \"Input\", \"tensor\": [1, 4]}}}";
	const struct paleo_weight_type type = {.dtype = dtype};
	struct paleo_net *net = NULL;
	struct paleo_sim *sim = NULL;
	struct paleo_error err = {0};
	double out = 0;
	int rc = paleo_net_parse("n", net_text, strlen(net_text), 0, &net, &err);
	struct paleo_sim_config config = {.net = net,
					  .device = device ? paleo_device_find(device) : NULL,
					  .cost_model = {.op_s = seconds}};

	if (!rc)
		rc = paleo_sim_open(&config, &sim, &err);
	if (!rc)
		rc = cp ? paleo_trained_ring_s(sim, &w, cp, &out, &err)
			: paleo_trained_op_s(sim, &w, &type, &out, &err);
	if (rc)
		fail_msg("%s", err.text);
	paleo_sim_close(sim);
	paleo_net_free(net);
	return out;
}

/* The gradient that comes in is quantised once, for the gradients of inputs; those of weights read
 * it and the input as they are stored. */
static void a_tensor_is_quantised_once(void **state)
{
	struct paleo_op w = {.kind = PALEO_GEMM, .pass = PALEO_BWD_DATA, .dtype = PALEO_BF16};

	(void)state;
	w.geom.gemm = (struct paleo_gemm_geom){.m = 2, .n = 3, .k = 4, .batch = 1};
	near(trained(w, NULL, 0, 0), 48);
	near(trained(w, NULL, 1 + PALEO_FP8, 0), 48 + 1);
	w.pass = PALEO_BWD_FILTER;
	w.geom.gemm.trans_a = 1;
	near(trained(w, NULL, 1 + PALEO_FP8, 0), 48);
}

/* Of 8 tokens that 2 of 4 experts get, 8 pairs have one of the worker's two: three GEMMs of 16 by
 * 32 each, gate and up as one. The chip is not known, so that its rate is that of a burst. */
static void experts_are_grouped_gemms(void **state)
{
	struct paleo_op w = {.kind = PALEO_MOE, .dtype = PALEO_BF16};

	(void)state;
	w.geom.moe = (struct paleo_moe_geom){.tokens = 8,
					     .hidden = 16,
					     .inter = 32,
					     .experts = 4,
					     .local = 2,
					     .topk = 2,
					     .gated = 1};
	for (int pass = PALEO_FWD; pass <= PALEO_BWD_FILTER; pass++) {
		w.pass = (enum paleo_pass)pass;
		near(trained(w, "v100-sxm2", 0, 0), 8 * 3 * 2 * 16 * 32);
	}
}

/* 8 tokens, causal, over 2 workers: two kernels of 4 by 4 with 10 pairs; one sum of 4 tokens'
 * outputs, backward of the gradients of queries, keys and values. A pair has 2 (3 + 5) FLOPs and
 * its softmax. */
static void a_ring_has_a_kernel_a_worker(void **state)
{
	struct paleo_op w = {.kind = PALEO_ATTENTION, .dtype = PALEO_BF16};
	struct paleo_error err = {0};

	(void)state;
	w.geom.attention = (struct paleo_attention_geom){.batch = 1,
							 .q = 8,
							 .keys = 8,
							 .heads = 2,
							 .kv_heads = 1,
							 .qk = 3,
							 .v = 5,
							 .causal = 1};
	for (int pass = PALEO_FWD; pass <= PALEO_BWD_DATA; pass++) {
		struct paleo_op own = w;
		w.pass = own.pass = (enum paleo_pass)pass;
		own.geom.attention.q = own.geom.attention.keys = 4;
		assert_int_equal(paleo_op_finish(&own, &err), PALEO_OK);
		double sums = pass == PALEO_FWD ? 4 * 2 * 5 : 4 * 2 * 3 + 4 * (3 + 5);
		near(trained(w, NULL, 0, 2), 2 * own.flops + sums);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_tensor_is_quantised_once),
		cmocka_unit_test(experts_are_grouped_gemms),
		cmocka_unit_test(a_ring_has_a_kernel_a_worker),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
