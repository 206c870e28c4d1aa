/* test_sim_tensor.c - tensor parallelism where branches meet: attention, gated layers. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/given.h"
#include "tests/unit/sim_help.h"

/* Two sequences of 3 tokens; products have no bias. */
#define DATA "\"data\": {\"type\": \"Input\", \"parents\": [], \"tensor\": [2, 3, 4]}"
#define LAYER(name, type, parents, more)                                                           \
	", \"" name "\": {\"type\": \"" type "\", \"parents\": [" parents "]" more "}"
#define FC(name, parent, outputs)                                                                  \
	LAYER(name, "InnerProduct", "\"" parent "\"",                                              \
	      ", \"num_outputs\": " outputs ", \"bias\": false")
#define HEADS(name, q, k, v, heads)                                                                \
	LAYER(name, "Attention", "\"" q "\", \"" k "\", \"" v "\"", ", \"heads\": " heads)

static struct paleo_sim_step step_again(const char *layers, int recompute)
{
	struct paleo_net *net = given_net(layers);
	struct paleo_sim_config config = {.net = net, .cost_model = {.op_s = flops_cost_model}};
	struct paleo_sim_setup s = slow_ring(2, 2);
	struct paleo_sim_step out = {0};
	struct paleo_sim *sim = NULL;
	struct paleo_error err;

	s.recompute = recompute;
	if (paleo_sim_open(&config, &sim, &err) ||
	    paleo_sim_step(sim, paleo_strategy_find("tensor"), &s, &out, &err))
		fail_msg("%s", err.text);
	paleo_sim_close(sim);
	paleo_net_free(net);
	return out;
}

/* A step on two workers. */
static struct paleo_sim_step step(const char *layers)
{
	return step_again(layers, 0);
}

/*
 * Each worker has one head of two: q, k and v give 2 of their 4 outputs, o takes these 2.
 * Products of 6 rows, 4 and 2 channels: 2*6*4*2 = 96 each. Two sequences of one head: scores
 * and context 2*2*3*3*2 = 72 each, twice that backward. Backward o, q, k, v have 192 each, c
 * 96: the data needs no gradient. c is read by three, so its 24 numbers are gathered, 10 + 48; o's
 * are summed, 2 (10 + 48). The gradient of q, k and v's common input is summed once.
 */
static void heads_stay_on_their_workers(void **state)
{
	struct paleo_sim_step r = step(DATA FC("c", "data", "4") FC("q", "c", "4") FC(
		"k", "c", "4") FC("v", "c", "4") HEADS("a", "q", "k", "v", "2") FC("o", "a", "4"));

	(void)state;
	near(r.fwd_s, 5 * 96 + 2 * 72);
	near(r.bwd_s, 4 * 192 + 96 + 4 * 72);
	near(r.update_s, 5 * 8);
	near(r.comm_s, 58 + 116 + 116);
	/* numbers of data 24 and c 24; of q, k, v and their copies 12 each; scores and softmax 18
	 * each; context and its copy 12 each; o 24 */
	near(r.memory.activations, 4 * (24 + 24 + 6 * 12 + 2 * 18 + 2 * 12 + 24));
}

/*
 * Of three heads of 2 channels one worker has two, and no worker one and a half. Products of 6 rows
 * are halved: c 2*6*4*3 = 144, the others 2*6*6*3 = 216. Two sequences of two heads: scores and
 * context 2*2 * 2*3*3*2 = 144 each.
 */
static void heads_are_whole(void **state)
{
	struct paleo_sim_step r = step(DATA FC("c", "data", "6") FC("q", "c", "6") FC(
		"k", "c", "6") FC("v", "c", "6") HEADS("a", "q", "k", "v", "3") FC("o", "a", "6"));

	(void)state;
	near(r.fwd_s, 144 + 4 * 216 + 2 * 144);
	near(r.bwd_s, 144 + 4 * 432 + 4 * 144);
	/* numbers of data 24, c 36; of q, k, v half of 36 each, of their copies 6 rows of two
	 * heads; scores and softmax 2*2 * 3*3 each; context and its copy as a copy before; o 36 */
	near(r.memory.activations, 4 * (24 + 36 + 3 * 18 + 3 * 24 + 2 * 36 + 2 * 24 + 36));
}

/* gate and up 4 -> 8 and their product are halved: 2*6*4*4 = 192 each, as down 8 -> 4. */
static void gated_halves_stay_on_their_workers(void **state)
{
	struct paleo_sim_step r = step(DATA FC("c", "data", "4") FC("gate", "c", "8") LAYER(
		"silu", "Activation", "\"gate\"", ", \"fn\": \"silu\"") FC("up", "c", "8")
					       LAYER("mul", "Elementwise", "\"silu\", \"up\"",
						     ", \"op\": \"mul\"") FC("down", "mul", "4"));

	(void)state;
	near(r.fwd_s, 96 + 3 * 192);
	near(r.comm_s, 58 + 116 + 116);
}

/* Keys that are no product's are whole, and so is attention, 144 each; c, q, v and o gather, and
 * sum their inputs' gradients but for c. */
static void all_that_meets_must_be_divided(void **state)
{
	struct paleo_sim_step r =
		step(DATA FC("c", "data", "4") FC("q", "c", "4") LAYER("k", "RMSNorm", "\"c\"", "")
			     FC("v", "c", "4") HEADS("a", "q", "k", "v", "2") FC("o", "a", "4"));

	(void)state;
	near(r.fwd_s, 4 * 96 + 2 * 144);
	near(r.comm_s, 4 * 58 + 3 * 116);
}

/*
 * c1 and c2 are a pair, the nearest to the data, so c3 is alone, and so is what takes the sum. c2's
 * outputs are summed, c3's and f's gathered; of f's inputs the gradient is summed.
 */
#define C1_C2 FC("c1", "data", "4") FC("c2", "c1", "4")
#define C3 FC("c3", "data", "4")
#define SUM_F LAYER("sum", "Elementwise", "\"c3\", \"c2\"", "") FC("f", "sum", "4")
static void order_in_the_file_changes_nothing(void **state)
{
	const struct paleo_sim_step r[] = {step(DATA C1_C2 C3 SUM_F), step(DATA C3 C1_C2 SUM_F)};

	(void)state;
	for (int i = 0; i < 2; i++) {
		near(r[i].fwd_s, 4 * 96);
		near(r[i].bwd_s, 2 * 96 + 2 * 192);
		near(r[i].comm_s, 116 + 2 * 58 + 116);
		/* numbers of data, c2, c3, their sum and f 24 each, of c1 12 */
		near(r[i].memory.activations, 4 * (5 * 24 + 12));
	}
}

/* c1 and c2 are a pair, as above; what c2 gives is summed forward, 116, and once more where it is
 * computed again. Of c1's input, the data, no gradient is wanted. */
static void what_is_computed_again_is_sent_again(void **state)
{
	struct paleo_sim_step once = step_again(DATA C1_C2, 0), again = step_again(DATA C1_C2, 1);

	(void)state;
	near(once.comm_s, 116);
	near(again.comm_s, 2 * 116);
	near(again.bwd_s, once.bwd_s + once.fwd_s);
	near(again.step_s, once.step_s + once.fwd_s + 116);
}

/* A product of 2 images, 4 pixels and 4 to 4 channels is divided by them, 2*8*4*2 FLOPs. In two
 * groups an output has half as many inputs, and no worker has a part alone: 2*8*4*2, too, but
 * whole, and nothing is sent. */
#define IMAGE "\"data\": {\"type\": \"Input\", \"parents\": [], \"tensor\": [2, 2, 2, 4]}"
#define CONV(more)                                                                                 \
	LAYER("conv", "Convolution", "\"data\"",                                                   \
	      ", \"filter\": [1, 1, 4, 4], \"strides\": [1, 1, 1, 1], \"padding\": \"SAME\", "     \
	      "\"bias\": false" more)
static void groups_are_not_divided(void **state)
{
	struct paleo_sim_step whole = step(IMAGE CONV(""));
	struct paleo_sim_step grouped = step(IMAGE CONV(", \"groups\": 2"));

	(void)state;
	near(whole.fwd_s, 128);
	near(whole.update_s, 8);
	near(whole.comm_s, 10 + 4 * 32 / 2.0);
	near(grouped.fwd_s, 128);
	near(grouped.update_s, 8);
	near(grouped.comm_s, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(heads_stay_on_their_workers),
		cmocka_unit_test(heads_are_whole),
		cmocka_unit_test(gated_halves_stay_on_their_workers),
		cmocka_unit_test(all_that_meets_must_be_divided),
		cmocka_unit_test(order_in_the_file_changes_nothing),
		cmocka_unit_test(what_is_computed_again_is_sent_again),
		cmocka_unit_test(groups_are_not_divided),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
