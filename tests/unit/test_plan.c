/* test_plan.c - steps under plans, by hand: memory, exchanges, what cannot be divided. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/hf/hf.h"
#include "model/simulate/exchange.h"
#include "tests/unit/given.h"
#include "tests/unit/sim_help.h"

/* GPT-3 175B, its words padded as in Narayanan et al. 2021; and a small one of the same kind. */
#define GPT3                                                                                       \
	"{\"model_type\": \"gpt2\", \"n_embd\": 12288, \"n_layer\": 96, \"n_head\": 96, "          \
	"\"n_positions\": 2048, \"vocab_size\": 51200}"
#define SMALL                                                                                      \
	"{\"model_type\": \"gpt2\", \"n_embd\": 8, \"n_layer\": 4, \"n_head\": 2, "                \
	"\"n_positions\": 4, \"vocab_size\": 16}"
/* Two layers of 4 experts of 3 x 8 x 16, each token goes to 2. */
#define MIXTRAL                                                                                    \
	"{\"model_type\": \"mixtral\", \"hidden_size\": 8, \"intermediate_size\": 16, "            \
	"\"num_hidden_layers\": 2, \"num_attention_heads\": 2, \"num_key_value_heads\": 2, "       \
	"\"vocab_size\": 16, \"num_local_experts\": 4, \"num_experts_per_tok\": 2}"

/* A model and its sequences' length. */
struct model {
	const char *config;
	int seq;
};

static int open_part(const void *self, const struct paleo_part_key *key, struct paleo_net **out,
		     struct paleo_error *err)
{
	const struct model *m = self;
	struct paleo_hf_options o = {
		.phase = PALEO_HF_TRAIN, .seq = m->seq, .tp = key->tp, .ep = key->ep, .batch = 1};
	struct paleo_json_doc *doc = NULL;
	char *text = NULL;

	int rc = paleo_json_parse("config.json", 1, m->config, strlen(m->config), &doc, err);
	if (!rc)
		rc = paleo_hf_convert(paleo_json_root(doc), NULL, "m", &o, &text, err);
	if (!rc)
		rc = paleo_net_parse("m", text, strlen(text), 0, out, err);
	free(text);
	paleo_json_free(doc);
	return rc;
}

struct asked {
	const char *plan;
	int workers, batch, overlap;
	enum paleo_dtype dtype;
	enum paleo_update_rule optimizer;
};

static int try_step(const struct paleo_net *net, const struct model *m, const struct asked *a,
		    struct paleo_sim_step *out, struct paleo_error *err)
{
	struct paleo_sim_config config = {.net = net,
					  .cost_model = {.op_s = flops_cost_model},
					  .dtype = a->dtype,
					  .optimizer = a->optimizer,
					  .open_part = m ? open_part : NULL,
					  .open_self = m};
	struct paleo_sim_setup s = slow_ring(a->workers, a->batch);
	struct paleo_plan plan;
	struct paleo_sim *sim = NULL;

	s.plan = &plan;
	s.overlap = a->overlap;
	int rc = paleo_plan_read(a->plan, &plan, err);
	if (!rc)
		rc = paleo_sim_open(&config, &sim, err);
	if (!rc)
		rc = paleo_sim_step(sim, paleo_strategy_plan(), &s, out, err);
	paleo_sim_close(sim);
	return rc;
}

static struct paleo_sim_step step(const char *config, int seq, const struct asked *a)
{
	const struct model m = {config, seq};
	struct paleo_sim_step out = {0};
	struct paleo_net *net = NULL;
	struct paleo_error err = {0};

	if (open_part(&m, &(struct paleo_part_key){.tp = 1, .ep = 1}, &net, &err) ||
	    try_step(net, &m, a, &out, &err))
		fail_msg("%s", err.text);
	paleo_net_free(net);
	return out;
}

/*
 * GPT-3 175B over 8 x 8 workers. A block has q, k, v 3 (h h/8 + h/8), projection h/8 h + h, the two
 * of the MLP h 4h/8 + 4h/8 and 4h/8 h + h, norms 4 h: 1.5 h h + 6.875 h. The first stage has 12,
 * 51200/8 words and 2048 places. 2 bytes a weight and a gradient, 12 of Adam.
 *
 * Activations of a block (Korthikanti et al. 2022, 4.1) are sbh (10 + 24/t) bytes, less two dropout
 * masks, which this model has not, and without scores, as attention is one kernel: 8 + 24/8. With
 * sequence parallelism 32/8, recomputed in full 2, and divided then 2/8. Eight micro-batches are
 * under way.
 */
static void gpt3_memory(void **state)
{
	const double h = 12288, sbh = 2048 * h, gb = 12 * (1.5 * h * h + 6.875 * h);
	const double weights = gb + 51200 / 8.0 * h + 2048 * h;
	const struct {
		const char *plan;
		double of_block;
	} cases[] = {
		{"tp8+pp8", 11}, {"tp8+sp+pp8", 4}, {"tp8+pp8+full", 2}, {"tp8+sp+pp8+full", 0.25}};

	(void)state;
	for (int i = 0; i < 4; i++) {
		const struct asked a = {.plan = cases[i].plan,
					.workers = 64,
					.batch = 16,
					.dtype = PALEO_BF16,
					.optimizer = PALEO_ADAM};
		struct paleo_sim_step s = step(GPT3, 2048, &a);
		near(s.memory.weights, 2 * weights);
		near(s.memory.gradients, 2 * weights);
		near(s.memory.optimizer, 12 * weights);
		near(s.memory.activations, 8 * 12 * cases[i].of_block * sbh);
	}
}

/*
 * One block of Korthikanti et al. 2022, table 2: sbh (34 + 5 a s/h). Of the 5 two are the softmax's
 * result, the other three its dropout and its mask, which `Attention` has not. What is computed
 * again keeps q, k and v, so 34. s 4, b 1, h 8, a 2.
 */
#define LAYER(name, type, parents, more)                                                           \
	", \"" name "\": {\"type\": \"" type "\", \"parents\": [" parents "]" more "}"
#define FC(name, parent, outputs)                                                                  \
	LAYER(name, "InnerProduct", "\"" parent "\"", ", \"num_outputs\": " outputs)
static const char block[] =
	"\"data\": {\"type\": \"Input\", \"parents\": [], \"tensor\": [1, 4, 8]}" LAYER(
		"n1", "LayerNorm", "\"data\"", "") FC("q", "n1", "8") FC("k", "n1", "8")
		FC("v", "n1", "8") LAYER("a", "Attention", "\"q\", \"k\", \"v\"",
					 ", \"heads\": 2") FC("o", "a", "8")
			LAYER("d1", "Dropout", "\"o\"", ", \"dropout_keep_prob\": 0.5") LAYER(
				"s1", "Elementwise", "\"data\", \"d1\"",
				"") LAYER("n2", "LayerNorm", "\"s1\"", "")
				LAYER("f1", "InnerProduct", "\"n2\"",
				      ", \"num_outputs\": 32, \"activation_fn\": \"gelu\"")
					FC("f2", "f1", "8") LAYER("d2", "Dropout", "\"f2\"",
								  ", \"dropout_keep_prob\": 0.5")
						LAYER("s2", "Elementwise", "\"s1\", \"d2\"", "");

static void activations_of_a_block(void **state)
{
	const double sbh = 4 * 8, scores = 2 * 2 * 4 * 4;
	struct paleo_sim_step s = {0};
	struct paleo_error err = {0};
	struct paleo_net *net = given_net(block);
	const char *const plans[] = {"dp", "selective", "full"};
	const double kept[] = {34 * sbh + scores, 34 * sbh, 2 * sbh};

	(void)state;
	for (int i = 0; i < 3; i++) {
		const struct asked a = {
			.plan = plans[i], .workers = 1, .batch = 1, .dtype = PALEO_BF16};
		if (try_step(net, NULL, &a, &s, &err))
			fail_msg("%s", err.text);
		near(s.memory.activations, kept[i]);
	}
	paleo_net_free(net);
}

/*
 * The small model over 2 workers, a sequence of 4 tokens, f32: a tensor has 4 * 8 * 4 = 128 bytes,
 * its sum 2 (10 + 64) = 148 s. Forward that of the words and two of each of 4 blocks, backward the
 * same of the blocks and of the head's inputs.
 */
static void tensor_parallel_sums(void **state)
{
	struct paleo_sim_step s =
		step(SMALL, 4, &(struct asked){.plan = "tp2", .workers = 2, .batch = 1});

	(void)state;
	near(s.comm_s, (9 + 9) * 148);
	near(s.exposed_s, (9 + 9) * 148);
	/* products of 4 rows: 12 h h of each block, the head 16 h; attention 4 * 4 * 4 h */
	double forward = 2.0 * 4 * 4 * 12 * 64 + 2.0 * 4 * 16 * 8 + 4 * 4.0 * 4 * 4 * 8;
	near(s.model_flops, 3 * forward);
	near(s.hardware_flops, 3 * forward);
	s = step(SMALL, 4, &(struct asked){.plan = "tp2+full", .workers = 2, .batch = 1});
	near(s.hardware_flops, 4 * forward - 2.0 * 4 * 16 * 8);
	near(s.comm_s, (9 + 9 + 8) * 148);
}

/*
 * Two stages of 2 blocks, 4 micro-batches; the cost model takes products alone. A block has 2 * 4 *
 * 12 * 64 of them and 4 * 72 sums of biases, backward twice the products and as many sums. The head
 * is on the second stage, 1024 and 2048. A tensor of 128 bytes takes 138 s. The second stage is the
 * slower one: it waits for the first forward pass, and the first stage ends with its last backward.
 * Both wait for one send, which is no bubble; of four tensors each way each receives one of two.
 */
static void pipeline_of_blocks(void **state)
{
	const double forward = 6144 + 288, backward = 2 * 6144 + 288;
	const double second = 2 * (forward + backward) + 3 * 1024;
	const double bubble = 2 * (forward + backward), waits = 2 * 138;
	/* the first stage has words and places to update */
	const double update = 2 * (12 * 64 + 13 * 8) + 16 * 8 + 4 * 8;
	struct paleo_sim_step s =
		step(SMALL, 4, &(struct asked){.plan = "pp2", .workers = 2, .batch = 4});

	(void)state;
	near(s.fwd_s + s.bwd_s, 4 * second);
	near(s.bubble_s, bubble);
	near(s.exposed_s, waits);
	near(s.comm_s, 4 * 138);
	near(s.update_s, update);
	near(s.step_s, 4 * second + bubble + waits + update);
}

/* Experts over 2 workers: each has 4 tokens of 8 numbers, f32, that go to 2 experts: 256 bytes,
 * half of them to the other worker, 10 + 128 s. Twice forward, twice backward, in 2 layers; then
 * sums of gradients of all but experts. */
static void tokens_go_to_experts(void **state)
{
	const struct asked asked = {.plan = "ep2", .workers = 2, .batch = 2};
	struct paleo_sim_step s = step(MIXTRAL, 4, &asked);

	(void)state;
	/* words 16 * 8 and head, norms 5 * 8, and in 2 layers 4 * 64 and the router 4 * 8 */
	double dense = 2 * 16 * 8 + 5 * 8 + 2 * (4 * 64 + 4 * 8);
	/* of 4 tokens of 8 numbers 3 in 4 have an expert at the other worker: 96 of 128 bytes */
	near(s.comm_s, 2 * 4 * (10 + 96) + 2 * (10 + dense * 4 / 2));
	/* experts are halved: 2 layers, 2 experts of 3 * 8 * 16 */
	near(s.memory.weights, 4 * (dense + 2 * 2 * 384));
}

/* What is seen of so long a journey beside that much computing of 2 blocks. */
static double seen(double compute_s, double travel_s)
{
	struct paleo_sim_setup s = slow_ring(2, 2);
	struct paleo_groups g = {.setup = &s};

	s.overlap = 1;
	return paleo_overlapped(&g, compute_s, travel_s, 2) - compute_s;
}

/* The same tokens beside the passes of other micro-batches. */
static void tokens_travel_beside_passes(void **state)
{
	const struct asked asked = {
		.plan = "ep2+ep-overlap", .workers = 2, .batch = 2, .overlap = 1};
	const double dense = 2 * 16 * 8 + 5 * 8 + 2 * (4 * 64 + 4 * 8);
	const double tokens = 2 * 2 * (10 + 96), sums = 2 * (10 + dense * 4 / 2);
	struct paleo_sim_step s = step(MIXTRAL, 4, &asked);

	(void)state;
	near(s.comm_s, 2 * tokens + sums);
	near(s.exposed_s, seen(s.fwd_s, tokens) + seen(s.bwd_s, tokens) + seen(s.bwd_s, sums));
}

/* Experts that two workers divide get the tokens of each pair: 4 tokens of 8 numbers, f32, once
 * more for a second expert, gathered and scattered in both passes of 2 layers. */
static void divided_experts_get_pairs(void **state)
{
	const struct asked asked = {.plan = "tp2+sp", .workers = 2, .batch = 1};
	char one[sizeof(MIXTRAL)];

	(void)state;
	snprintf(one, sizeof(one), "%s", MIXTRAL);
	one[strlen(one) - 2] = '1'; /* num_experts_per_tok */
	near(step(MIXTRAL, 4, &asked).comm_s, step(one, 4, &asked).comm_s + 2 * 4 * 128 / 2.0);
}

/* In four parts, each of which travels beside the next one's computing, which it slows down: 20 of
 * 132 multiprocessors send. */
static void parts_beside_each_other(void **state)
{
	struct paleo_sim_setup s = slow_ring(2, 2);
	struct paleo_groups g = {.setup = &s};

	(void)state;
	near(paleo_overlapped(&g, 10, 4, 4), 14);
	s.overlap = 1;
	near(paleo_overlapped(&g, 10, 4, 4), 10 + 1 + 4 * 20.0 / 132);
	near(paleo_overlapped(&g, 4, 10, 4), 10 + 1 + 4 * 20.0 / 132);
	near(paleo_overlapped(&g, 10, 4, 1), 14);
}

/* What is sharded over 4: 4 bytes a weight and gradient, momentum 4. */
static void shards(void **state)
{
	const double n = 4 * (12 * 64 + 13 * 8) + 2 * 8 + 16 * 8 + 4 * 8;
	struct asked a = {.workers = 4, .batch = 4, .optimizer = PALEO_MOMENTUM};
	const struct {
		const char *plan;
		double weights, gradients, optimizer;
	} cases[] = {{"zero1+mb1", 1, 1, 4},
		     {"zero2+mb1", 1, 4, 4},
		     {"fsdp", 4, 4, 4},
		     {"hsdp2", 2, 2, 2}};

	(void)state;
	for (int i = 0; i < 4; i++) {
		a.plan = cases[i].plan;
		struct paleo_sim_step s = step(SMALL, 4, &a);
		near(s.memory.weights, 4 * n / cases[i].weights);
		near(s.memory.gradients, 4 * n / cases[i].gradients);
		near(s.memory.optimizer, 4 * n / cases[i].optimizer);
		/* one micro-batch each, nothing beside anything: a second per weight of the update
		 */
		near(s.update_s, n / cases[i].optimizer);
		near(s.step_s, s.fwd_s + s.bwd_s + s.comm_s + s.update_s);
	}
}

/* Keys and values of 2 tokens of 8 numbers, f32, to the other worker: 2 * 2 * 8 * 4 = 128 bytes,
 * backward twice that. A block's attention is free here, so all is seen. Gathered it is the 256
 * bytes of both: 10 + 128, backward again and scattered. Gradients are summed in the end. */
static void keys_go_around(void **state)
{
	const double n = 4 * (12 * 64 + 13 * 8) + 2 * 8 + 16 * 8 + 4 * 8;
	const double sums = 2 * (10 + n * 4 / 2);
	struct paleo_sim_step s =
		step(SMALL, 4, &(struct asked){.plan = "cp2", .workers = 2, .batch = 1});

	(void)state;
	near(s.comm_s, 4 * (138 + 266) + sums);
	near(s.exposed_s, 4 * (138 + 266) + sums);
	s = step(SMALL, 4, &(struct asked){.plan = "cp2+gather", .workers = 2, .batch = 1});
	near(s.comm_s, 4 * 3 * 138 + sums);
}

/* Logits of 4 tokens and 16 words in f32, and their gradient: 2 * 4 * 64 bytes, where the net has
 * not f32. A second for a FLOP: the loss has as many, and a cast none. */
static void logits_in_f32(void **state)
{
	struct asked asked = {.plan = "dp", .workers = 1, .batch = 1, .dtype = PALEO_BF16};
	struct paleo_sim_step without = step(SMALL, 4, &asked);

	(void)state;
	asked.plan = "f32-logits";
	struct paleo_sim_step with = step(SMALL, 4, &asked);
	near(with.memory.workspace, without.memory.workspace + 512);
	near(with.step_s, without.step_s);
	asked.dtype = PALEO_F32;
	with = step(SMALL, 4, &asked);
	asked.plan = "dp";
	near(with.memory.workspace, step(SMALL, 4, &asked).memory.workspace);
}

/* n bytes at each of p workers: n/p to each of the others. */
static void all_to_all(void **state)
{
	struct paleo_sim_setup s = slow_ring(4, 1);

	(void)state;
	near(paleo_all_to_all_s(&s.fabric, 4, 100), 3 * (10 + 25));
}

/* Of 4 workers on hosts of 2, with 8 experts at random for each token: to 1 - (1/2)^8 of the other
 * host's, by the slower link of two workers, although 1 - (3/4)^8 go to each worker there. */
static void once_to_a_host(void **state)
{
	struct paleo_sim_setup s = slow_ring(4, 1);
	double between = 10 + (1 - pow(0.5, 8)) * 2 * 100;

	(void)state;
	s.fabric.within = (struct paleo_link){.bytes_per_s = 1e9};
	s.fabric.per_host = 2;
	near(paleo_dispatch_s(&s.fabric, 4, 100, 8), between);
	s.fabric.per_host = 4;
	near(paleo_dispatch_s(&s.fabric, 4, 1e9, 1), 3.0 / 4);
}

/* Three stages have 1, 2 and 1 of 4 blocks: the first and the last have embedding and head. */
static void uneven_stages(void **state)
{
	struct paleo_sim_step s =
		step(SMALL, 4, &(struct asked){.plan = "pp3+full", .workers = 3, .batch = 3});
	struct paleo_sim_step one =
		step(SMALL, 4, &(struct asked){.plan = "pp3+full1", .workers = 3, .batch = 3});

	(void)state;
	/* of the middle stage's two blocks one is computed again, not both */
	assert_true(one.bwd_s < s.bwd_s);
	near(s.bwd_s - one.bwd_s, s.fwd_s / 2);
}

static void refuses(void **state)
{
	const struct model m = {SMALL, 4};
	const struct {
		const char *plan;
		int workers, batch;
		const char *says;
	} bad[] = {
		{"tp3", 3, 1, "tp 3 does not divide 2 heads"},
		{"pp7", 7, 7, "4 blocks are fewer than 7 stages x 1 chunks"},
		{"tp2+exposed", 2, 1, "'exposed' requires 'sp'"},
		{"tp2+etp3", 2, 1, "'etp' is 1 or as tp, not 3"},
		{"full2+selective", 1, 1, "'full2' excludes 'full' and 'selective'"},
		{"offload2", 1, 1, "memory of the host is not modelled"},
		{"tp2+pp2", 6, 1, "6 workers are not a multiple of tp 2 x cp 1 x pp 2"},
		{"dp", 4, 6, "dp 4 does not divide a batch of 6"},
		{"mb2", 1, 3, "micro-batches of 2 do not divide the 3 of a worker"},
		{"pp2+v2", 2, 3, "a multiple of the 2 stages"},
		{"pp2+v2+zb1", 2, 4, "requires one chunk per stage"},
		{"cp4", 4, 1, "a multiple of 8 tokens"},
		{"ep2", 1, 1, "ep 2 does not divide dp 1"},
		{"hsdp3", 4, 4, "groups of 3 do not divide dp 4"},
		{"tp2+tp2", 4, 1, "given twice in a plan"},
		{"sp", 1, 1, "'sp' requires a tp above 1"},
		{"v2", 1, 1, "require a pp above 1"},
		{"hsdp2+zero1", 4, 4, "excludes zero1"},
		{"tp8x", 8, 1, "unknown word 'tp8x'"},
		{"tp0", 1, 1, "unknown word 'tp0'"},
	};
	struct paleo_error err = {0};
	struct paleo_net *net = NULL;

	(void)state;
	assert_int_equal(open_part(&m, &(struct paleo_part_key){.tp = 1, .ep = 1}, &net, &err), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		const struct asked a = {
			.plan = bad[i].plan, .workers = bad[i].workers, .batch = bad[i].batch};
		struct paleo_sim_step s;
		if (try_step(net, &m, &a, &s, &err) != PALEO_EINPUT ||
		    !strstr(err.text, bad[i].says))
			fail_msg("%s said: %s", bad[i].plan, err.text);
	}
	const struct asked a = {.plan = "tp2", .workers = 2, .batch = 1};
	struct paleo_sim_step s;
	assert_int_equal(try_step(net, NULL, &a, &s, &err), PALEO_EINPUT);
	assert_non_null(strstr(err.text, "the model of a config.json"));
	paleo_net_free(net);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gpt3_memory),
		cmocka_unit_test(activations_of_a_block),
		cmocka_unit_test(tensor_parallel_sums),
		cmocka_unit_test(pipeline_of_blocks),
		cmocka_unit_test(logits_in_f32),
		cmocka_unit_test(tokens_go_to_experts),
		cmocka_unit_test(tokens_travel_beside_passes),
		cmocka_unit_test(divided_experts_get_pairs),
		cmocka_unit_test(parts_beside_each_other),
		cmocka_unit_test(shards),
		cmocka_unit_test(keys_go_around),
		cmocka_unit_test(all_to_all),
		cmocka_unit_test(once_to_a_host),
		cmocka_unit_test(uneven_stages),
		cmocka_unit_test(refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
