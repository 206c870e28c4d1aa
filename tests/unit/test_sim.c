/* test_sim.c - steps on several workers, worked out by hand on nets with times of round numbers. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/sim_help.h"

/* A net begins with so many images of c numbers; products have no bias. */
#define NET(images, c)                                                                             \
	"{\"name\": \"t\", \"layers\": {\"data\": {\"type\": \"Input\", \"parents\": [], "         \
	"\"tensor\": [" images ", 1, 1, " c "]}"
#define FC(name, parent, outputs)                                                                  \
	", \"" name "\": {\"type\": \"InnerProduct\", \"parents\": [\"" parent                     \
	"\"], \"num_outputs\": " outputs ", \"bias\": false}"
#define END "}}"

/*
 * fc1 4 -> 8, fc2 8 -> 2 without bias, 8 images: fwd 2*8*4*8 = 512 and 2*8*8*2 = 256;
 * backward fc2 256 for the weights, 256 for the inputs, fc1 512 for the weights: the
 * data needs no gradient. 32 + 16 weights.
 */
static const char fc_net[] = NET("8", "4") FC("fc1", "data", "8") FC("fc2", "fc1", "2") END;

static struct paleo_net *opened; /* one at a time */

static struct paleo_sim *open_net(const char *text, enum paleo_update_rule rule)
{
	struct paleo_sim_config config = {.optimizer = rule,
					  .cost_model = {.op_s = flops_cost_model}};
	struct paleo_sim *sim = NULL;
	struct paleo_error err = {0};

	if (paleo_net_parse("net", text, strlen(text), 0, &opened, &err))
		fail_msg("%s", err.text);
	config.net = opened;
	assert_int_equal(paleo_sim_open(&config, &sim, &err), PALEO_OK);
	return sim;
}

static void close_net(struct paleo_sim *sim)
{
	paleo_sim_close(sim);
	paleo_net_free(opened);
}

static struct paleo_sim_step step(struct paleo_sim *sim, const char *strategy,
				  const struct paleo_sim_setup *s)
{
	struct paleo_sim_step out = {0};
	struct paleo_error err = {0};

	if (paleo_sim_step(sim, paleo_strategy_find(strategy), s, &out, &err))
		fail_msg("%s: %s", strategy, err.text);
	return out;
}

static void test_data(void **state)
{
	struct paleo_sim *sim = open_net(fc_net, PALEO_SGD);
	struct paleo_sim_setup s = slow_ring(1, 8);
	struct paleo_sim_step r = step(sim, "data", &s);

	(void)state;
	near(r.fwd_s, 768);
	near(r.bwd_s, 1024);
	near(r.update_s, 48);
	near(r.step_s, 768 + 1024 + 48);
	assert_true(r.comm_s == 0 && r.memory.optimizer == 0);
	/* 48 weights of 4 bytes; kept: data 32, fc1 64, fc2 16 numbers; at fc1 32 + 64 gradients */
	near(r.memory.weights, 192);
	near(r.memory.gradients, 192);
	near(r.memory.activations, 4 * 112);
	near(r.memory.workspace, 4 * 96);

	/* 2 workers of 4 images each: half the time; a ring of 2 sends half of the 192 bytes
	 * twice: 2 (10 + 96) */
	s = slow_ring(2, 8);
	r = step(sim, "data", &s);
	near(r.fwd_s, 384);
	near(r.comm_s, 212);
	near(r.step_s, 384 + 512 + 48 + 212);
	assert_int_equal(r.worker_batch, 4);
	/* 3 workers share 8 images: 3 each */
	s = slow_ring(3, 8);
	r = step(sim, "data", &s);
	assert_int_equal(r.worker_batch, 3);
	near(r.fwd_s, 3 * 96);
	close_net(sim);
	/* a momentum is as large as its weight */
	sim = open_net(fc_net, PALEO_MOMENTUM);
	near(step(sim, "data", &s).memory.optimizer, 192);
	close_net(sim);
}

/* Backward on 4 images: fc2's weights' gradient and its inputs' until 256, fc1's until 512. Buckets
 * of one layer: 64 bytes leave at 256, take 2 (10 + 32) = 84; 128 bytes leave at 512, take 2 (10 +
 * 64) = 148. */
static void test_overlap(void **state)
{
	struct paleo_sim *sim = open_net(fc_net, PALEO_SGD);
	struct paleo_sim_setup s = slow_ring(2, 8);

	(void)state;
	s.overlap = 1;
	struct paleo_sim_step r = step(sim, "data", &s);
	near(r.comm_s, 84 + 148);
	near(r.exposed_s, 148);
	/* a bucket that is larger than all: one message at the end */
	s.bucket_bytes = 1000;
	r = step(sim, "data", &s);
	near(r.comm_s, 212);
	near(r.exposed_s, 212);
	/* a slow link is still busy with the first bucket: 256 + 2 (10 + 320) = 916, then
	 * 2 (10 + 640) more, 916 + 1300 - 512 */
	s.bucket_bytes = 0;
	s.fabric.between.bytes_per_s = 0.1;
	near(step(sim, "data", &s).exposed_s, 916 + 1300 - 512);
	close_net(sim);
}

/* Adam keeps 8 bytes for each of 48 weights: 384. Reduce-scatter and all-gather of 2 workers take
 * 10 + 96 each. */
static void test_zero(void **state)
{
	struct paleo_sim *sim = open_net(fc_net, PALEO_ADAM);
	struct paleo_sim_setup s = slow_ring(2, 8);
	struct paleo_sim_step one = step(sim, "zero1", &s), two = step(sim, "zero2", &s);
	struct paleo_sim_step three = step(sim, "zero3", &s), data = step(sim, "data", &s);

	(void)state;
	near(data.memory.optimizer, 384);
	near(one.memory.optimizer, 192);
	near(one.memory.gradients, 192);
	near(one.memory.weights, 192);
	near(two.memory.gradients, 96);
	near(two.memory.weights, 192);
	near(three.memory.weights, 96);
	near(three.memory.gradients, 96);
	near(three.memory.optimizer, 192);
	/* and one layer's weights and gradients, fc1's 128 bytes each */
	near(three.memory.workspace, two.memory.workspace + 256);

	near(one.comm_s, data.comm_s);
	near(one.update_s, 24);
	near(one.step_s, 384 + 512 + 24 + 212);
	near(two.step_s, one.step_s);
	/* fc1's 128 bytes take 10 + 64, fc2's 64 take 10 + 32: gathered twice, scattered once */
	near(three.comm_s, 3 * (74 + 42));
	near(three.step_s, 384 + 512 + 24 + 3 * (74 + 42));
	close_net(sim);
}

/*
 * Gathering one layer ahead. Forward: fc1 is there at 74, computes 256 until 330; fc2
 * is there at 116, computes 128 until 458. Backward: fc2's second copy was sent from 330
 * to 372, fc1's from 458 to 532; fc2 computes 256 until 714, its scatter goes on until
 * 756; fc1 256 until 970, then its scatter takes 74.
 */
static void test_zero3_overlap(void **state)
{
	struct paleo_sim *sim = open_net(fc_net, PALEO_SGD);
	struct paleo_sim_setup s = slow_ring(2, 8);

	(void)state;
	s.overlap = 1;
	struct paleo_sim_step r = step(sim, "zero3", &s);
	near(r.step_s, 970 + 74 + 24);
	near(r.exposed_s, 74 + 74);
	/* one layer's gradients and two layers' weights are in memory, of 128 bytes at most */
	near(r.memory.workspace, 4 * (4 * 12) + 3 * 128);
	close_net(sim);
}

/*
 * Two stages, fc1 and fc2, 4 micro-batches of 2 images: fc1 takes 128 + 128, fc2 64 +
 * 128, and receives 2 x 8 numbers, 64 bytes, and sends their gradient: 2 (10 + 64). The
 * slowest is fc2 with 340: 3 x 340 + 340 + 256. Updates: 32 of fc1.
 */
static void test_pipeline(void **state)
{
	struct paleo_sim *sim = open_net(fc_net, PALEO_SGD);
	struct paleo_sim_setup s = slow_ring(2, 8);

	(void)state;
	s.micro_batches = 4;
	struct paleo_sim_step r = step(sim, "pipeline", &s);
	near(r.step_s, 4 * 340 + 256 + 32);
	near(r.bubble_s, 256);
	near(r.comm_s, 4 * 148);
	assert_int_equal(r.worker_batch, 2);
	/* fc1 holds 2 micro-batches: its outputs and the data, 2 x (8 + 16) numbers of 4 bytes;
	 * and 32 weights */
	near(r.memory.activations, 2 * 4 * 24);
	near(r.memory.weights, 128);
	/* one stage has no bubble: as on one worker, in 4 pieces */
	s.workers = 1;
	r = step(sim, "pipeline", &s);
	near(r.step_s, 768 + 1024 + 48);
	assert_true(r.bubble_s == 0);
	close_net(sim);
}

/* Four equal stages without communication: (m + p - 1) t, Narayanan et al. 2021. */
static void test_pipeline_equal(void **state)
{
	struct paleo_sim *sim =
		open_net(NET("12", "4") FC("l0", "data", "8") FC("l1", "l0", "4")
				 FC("l2", "l1", "8") FC("l3", "l2", "4") FC("l4", "l3", "8") END,
			 PALEO_SGD);
	struct paleo_sim_setup s = slow_ring(4, 12);

	(void)state;
	s.fabric.between.latency_s = 0;
	s.fabric.between.bytes_per_s = 1e300;
	s.micro_batches = 6;
	/* every layer is 4 x 8 or 8 x 4: 64 FLOPs an image and product. Micro-batches of 2:
	 * l0 takes 128 and 128, the others 128 and 256. Five layers on four stages: l0 and l1
	 * take 640, the others 384: 5 x 640 + 640 + 3 x 384, and 64 weights to update */
	near(step(sim, "pipeline", &s).step_s, 6 * 640 + 3 * 384 + 64);
	/* forward once more, 256 in the first stage and 128 in the others */
	s.recompute = 1;
	near(step(sim, "pipeline", &s).step_s, 6 * 896 + 3 * 512 + 64);
	/* five stages of a layer each, 32 weights to update */
	s.recompute = 0;
	s.workers = 5;
	near(step(sim, "pipeline", &s).step_s, 5 * 384 + 256 + 4 * 384 + 32);
	s.workers = 4; /* and a slower link: three stages receive and send back */
	s.fabric.between.latency_s = 7;
	near(step(sim, "pipeline", &s).comm_s, 6 * 3 * 2 * 7);
	close_net(sim);
}

/*
 * a 4 -> 64, b 64 -> 2, c and d 2 -> 2: 1024, 768, 24 and 24 FLOPs an image and so many seconds, 8
 * images at once. Two stages are enough, a alone and the others; the second is cut into three,
 * which receive a's 2048 bytes, and 64 and 64. The first holds most, of a's gradients 2048 + 128
 * bytes.
 */
static void test_pipeline_split(void **state)
{
	struct paleo_sim *sim = open_net(NET("8", "4") FC("a", "data", "64") FC("b", "a", "2")
						 FC("c", "b", "2") FC("d", "c", "2") END,
					 PALEO_SGD);
	struct paleo_sim_setup s = slow_ring(4, 8);

	(void)state;
	s.micro_batches = 1;
	struct paleo_sim_step r = step(sim, "pipeline", &s);
	near(r.comm_s, 2 * (10 + 2048) + 2 * 2 * (10 + 64));
	near(r.step_s, 8 * (1024 + 768 + 24 + 24) + r.comm_s + 256);
	near(r.memory.workspace, 2048 + 128);
	close_net(sim);
}

/*
 * Nothing but fc1 and fc2: a pair. On 2 workers each has 4 of fc1's 8 outputs and fc2's
 * sums over these. Forward fc2's 8 x 2 outputs are summed: 64 bytes, 2 (10 + 32). fc1's
 * inputs need no gradient.
 */
static void test_tensor(void **state)
{
	struct paleo_sim *sim = open_net(fc_net, PALEO_SGD);
	struct paleo_sim_setup s = slow_ring(2, 8);
	struct paleo_sim_step r = step(sim, "tensor", &s);

	(void)state;
	near(r.fwd_s, 384);
	near(r.bwd_s, 512);
	near(r.update_s, 24);
	near(r.comm_s, 84);
	near(r.step_s, 384 + 512 + 24 + 84);
	near(r.memory.weights, 96);
	/* data 32 and fc2 16 numbers whole, fc1 64 halved */
	near(r.memory.activations, 4 * (32 + 32 + 16));
	close_net(sim);
}

/* With a softmax between them there is no pair: fc1 and fc2 gather 64 and 16 numbers, 10 + 128
 * and 10 + 32; backward fc2's 64 input gradients are summed, 2 (10 + 128). */
static void test_tensor_alone(void **state)
{
	struct paleo_sim *sim =
		open_net(NET("8", "4") FC("fc1", "data",
					  "8") ", \"s\": {\"type\": \"Softmax\", "
					       "\"parents\": [\"fc1\"]}" FC("fc2", "s", "2") END,
			 PALEO_SGD);
	struct paleo_sim_setup s = slow_ring(2, 8);
	struct paleo_sim_step r = step(sim, "tensor", &s);

	(void)state;
	near(r.comm_s, 138 + 42 + 276);
	near(r.fwd_s, 384);
	close_net(sim);
}

/*
 * Two splits of fc after a common layer c, joined. 2 images, c 4 -> 4, each split 4 ->
 * 8 -> done, join 16. Per image c 32 FLOPs, a split 64: c takes 64, each split 128.
 * c's 32 bytes go to device 1: 10 + 32; split 1's 2 x 8 numbers back: 10 + 64.
 */
static const char split_net[] =
	"{\"name\": \"t\", \"layers\": {"
	"\"data\": {\"type\": \"Input\", \"parents\": [], \"tensor\": [2, 1, 1, 4]},"
	"\"c\": {\"type\": \"InnerProduct\", \"parents\": [\"data\"], \"num_outputs\": 4, "
	"\"bias\": "
	"false},"
	"\"m\": {\"type\": \"ModelParallel\", \"parents\": [\"c\"], \"splits\": 2, \"layers\": {"
	"\"f\": {\"type\": \"InnerProduct\", \"parents\": [], \"num_outputs\": 16, \"bias\": "
	"false}}},"
	"\"j\": {\"type\": \"Concatenate\", \"parents\": [\"m/f@all\"], \"dim\": 1}}}";

static void test_model(void **state)
{
	struct paleo_sim *sim = open_net(split_net, PALEO_SGD);
	struct paleo_sim_setup s = slow_ring(1, 2);
	struct paleo_sim_step r = step(sim, "model", &s);

	(void)state;
	/* c 64, fetch 42, f@1 128, fetch 74 */
	near(r.fwd_s, 64 + 42 + 128 + 74);
	/* j's gradient to f@1 74, f@1 twice 128, its gradient to c 42, c's weights 64 */
	near(r.bwd_s, 74 + 256 + 42 + 64);
	near(r.lower_s, r.fwd_s + r.bwd_s);
	near(r.upper_s, 64 + 2 * 128 + 4 * 128 + 64 + 2 * (42 + 74));
	/* device 0 has c and f@0: 16 + 32 weights */
	near(r.update_s, 48);
	near(r.memory.weights, 4 * 48);
	close_net(sim);
}

/*
 * Hybrid on 2 workers, 2 images each. Outside: c (64 forward, 64 backward), whose 16
 * weights are exchanged: 2 (10 + 32) = 84. Inside: f, 128 forward, 256 backward, two
 * turns; the 2 x 4 numbers that enter take 10 + 32 = 42 for the one other worker.
 */
static void test_hybrid(void **state)
{
	struct paleo_sim *sim = open_net(split_net, PALEO_SGD);
	struct paleo_sim_setup s = slow_ring(2, 4);
	struct paleo_sim_step r = step(sim, "hybrid", &s);

	(void)state;
	near(r.fwd_s, 64 + 42 + 128 + 128);
	near(r.bwd_s, 64 + 42 + 256 + 256);
	near(r.exposed_s, 84);
	near(r.comm_s, 84 + 2 * 2 * 42);
	/* c's 16 and one split's 32 weights, not both splits' */
	near(r.update_s, 48);
	near(r.step_s, r.fwd_s + r.bwd_s + 48 + 84);
	/* one worker has both splits, and nothing to send */
	s = slow_ring(1, 2);
	struct paleo_sim_step one = step(sim, "hybrid", &s), data = step(sim, "data", &s);
	near(one.step_s, data.step_s);
	near(one.memory.weights, data.memory.weights);
	close_net(sim);
}

/* Computing again: forward once more, and less is kept. 16 equal layers are 4 segments of 4. */
static void test_recompute(void **state)
{
	char text[4096] = "{\"name\": \"t\", \"layers\": {\"l0\": {\"type\": \"Input\", "
			  "\"parents\": [], \"tensor\": [2, 1, 1, 4]}";
	size_t at = strlen(text);

	(void)state;
	for (int i = 1; i < 16; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at,
				       ", \"l%d\": {\"type\": \"InnerProduct\", \"parents\": "
				       "[\"l%d\"], \"num_outputs\": 4, \"bias\": false}",
				       i, i - 1);
	snprintf(text + at, sizeof(text) - at, "}}");
	struct paleo_sim *sim = open_net(text, PALEO_SGD);
	struct paleo_sim_setup s = slow_ring(1, 2);
	struct paleo_sim_step whole = step(sim, "data", &s);
	s.recompute = 1;
	struct paleo_sim_step again = step(sim, "data", &s);
	near(again.step_s, whole.step_s + whole.fwd_s);
	/* 16 outputs of 32 bytes; 4 segments of 4, of which 3 keep one output at their cut */
	near(whole.memory.activations, 16 * 32);
	near(again.memory.activations, 3 * 32 + 4 * 32);
	close_net(sim);
}

/* Where messages have no latency overlap never costs; faster links never hurt, more workers never
 * compute longer. */
static void test_monotonic(void **state)
{
	static const char *const names[] = {"data", "hybrid", "tensor", "zero1", "zero2", "zero3"};
	struct paleo_sim *sim = open_net(split_net, PALEO_MOMENTUM);

	(void)state;
	for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
		double fwd = INFINITY;
		for (int n = 1; n <= 64; n *= 2) {
			struct paleo_sim_setup s = slow_ring(n, 64);
			s.fabric.between.latency_s = 0;
			struct paleo_sim_step plain = step(sim, names[k], &s);
			s.overlap = 1;
			struct paleo_sim_step overlapped = step(sim, names[k], &s);
			s.fabric.between.bytes_per_s *= 2;
			struct paleo_sim_step faster = step(sim, names[k], &s);
			if (!(overlapped.step_s <= plain.step_s * (1 + 1e-12)))
				fail_msg("%s, %d workers: %.17g with overlap, %.17g without",
					 names[k], n, overlapped.step_s, plain.step_s);
			assert_true(faster.step_s <= overlapped.step_s);
			if (!(plain.exposed_s <= plain.comm_s * (1 + 1e-9)))
				fail_msg("%s, %d workers: %g exposed of %g", names[k], n,
					 plain.exposed_s, plain.comm_s);
			if (strcmp(names[k], "hybrid") != 0)
				assert_true(plain.fwd_s <= fwd);
			fwd = plain.fwd_s;
		}
	}
	close_net(sim);
}

static void test_errors(void **state)
{
	struct paleo_sim *sim = open_net(fc_net, PALEO_SGD);
	struct paleo_sim_setup s = slow_ring(4, 8);
	struct paleo_sim_step out;
	struct paleo_error err = {0};

	(void)state;
	assert_int_equal(paleo_sim_step(sim, paleo_strategy_find("pipeline"), &s, &out, &err),
			 PALEO_EINPUT);
	assert_non_null(strstr(err.text, "needs as many layers, the net has 3"));
	s.scheme = paleo_scheme_find("tree");
	assert_int_equal(paleo_sim_step(sim, paleo_strategy_find("zero1"), &s, &out, &err),
			 PALEO_EINPUT);
	assert_int_equal(paleo_sim_step(sim, paleo_strategy_find("tensor"), &s, &out, &err),
			 PALEO_EINPUT);
	s.workers = 0;
	assert_int_equal(paleo_sim_step(sim, paleo_strategy_find("data"), &s, &out, &err),
			 PALEO_EINPUT);
	s = slow_ring(1, 0);
	assert_int_equal(paleo_sim_step(sim, paleo_strategy_find("data"), &s, &out, &err),
			 PALEO_EINPUT);
	assert_null(paleo_strategy_find("magic"));
	close_net(sim);
}

static int counted_cost_model(const void *self, const struct paleo_op *w, double *out,
			      struct paleo_error *err)
{
	++**(int *const *)self;
	return flops_cost_model(NULL, w, out, err);
}

/* Three equal layers: the cost model is asked for one product forward, two gradients and one
 * update. At another batch the update is known. */
static void test_ops_are_priced_once(void **state)
{
	static const char net[] = NET("8", "4") FC("fc1", "data", "4") FC("fc2", "fc1", "4")
		FC("fc3", "fc2", "4") END;
	int asked = 0, *const counter = &asked;
	struct paleo_sim_setup s = slow_ring(1, 8);
	struct paleo_sim *sim = open_net(net, PALEO_SGD);
	struct paleo_error err;
	const struct paleo_sim_config config = {
		.net = opened, .cost_model = {.self = &counter, .op_s = counted_cost_model}};

	(void)state;
	paleo_sim_close(sim);
	assert_int_equal(paleo_sim_open(&config, &sim, &err), PALEO_OK);
	near(step(sim, "data", &s).fwd_s, 3 * 256.0);
	assert_int_equal(asked, 4);
	near(step(sim, "data", &s).fwd_s, 3 * 256.0);
	assert_int_equal(asked, 4);
	s.batch = 16;
	near(step(sim, "data", &s).fwd_s, 3 * 512.0);
	assert_int_equal(asked, 7);
	close_net(sim);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_data),
		cmocka_unit_test(test_overlap),
		cmocka_unit_test(test_zero),
		cmocka_unit_test(test_zero3_overlap),
		cmocka_unit_test(test_pipeline),
		cmocka_unit_test(test_pipeline_equal),
		cmocka_unit_test(test_tensor),
		cmocka_unit_test(test_tensor_alone),
		cmocka_unit_test(test_ops_are_priced_once),
		cmocka_unit_test(test_model),
		cmocka_unit_test(test_hybrid),
		cmocka_unit_test(test_recompute),
		cmocka_unit_test(test_monotonic),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_pipeline_split),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
