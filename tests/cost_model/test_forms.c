/* test_forms.c - nets of the original worked out by hand, in its cost model and in ours. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "model/paleo2017/paleo2017.h"
#include "tests/unit/given.h"

static const struct paleo_2017_layer *layer_of(struct paleo_2017_net *cost_model, const char *name)
{
	int count;
	const struct paleo_2017_layer *layers = paleo_2017_layers(cost_model, &count);

	for (int i = 0; i < count; i++)
		if (!strcmp(layers[i].layer->name, name))
			return &layers[i];
	fail_msg("there is no layer '%s'", name);
	return NULL;
}

static void expect_dims(struct paleo_2017_net *cost_model, const char *name, int rank,
			const int *dims)
{
	const struct paleo_2017_layer *l = layer_of(cost_model, name);

	assert_non_null(l);
	if (!l)
		return;
	const struct paleo_2017_shape *out = &l->out;

	assert_int_equal(out->rank, rank);
	for (int i = 0; i < rank; i++)
		assert_int_equal(out->dims[i], dims[i]);
}

static struct paleo_2017_net *open_cost_model(const struct paleo_net *net)
{
	struct paleo_2017_net *cost_model = NULL;
	struct paleo_error err;

	if (paleo_2017_open(net, &cost_model, &err))
		fail_msg("%s", err.text);
	return cost_model;
}

/* 3 classes at 2 x 4 x 5 pixels: 40 rows here; [N, last dimension] in the original. */
static void softmax_goes_over_the_classes_of_each_pixel(void **state)
{
	struct paleo_op_list list = {0};
	struct paleo_error err;
	char key[PALEO_OP_KEY_MAX];

	(void)state;
	struct paleo_net *net = given_net(
		"\"data\": {\"type\": \"Input\", \"parents\": [], \"tensor\": [2, 4, 5, 3]}, "
		"\"p\": {\"type\": \"Softmax\", \"parents\": [\"data\"]}, "
		"\"q\": {\"type\": \"Softmax\", \"parents\": [\"data\"], \"num_classes\": 3}");
	assert_int_equal(net->layers[1]->out.rank, 4);
	assert_int_equal(net->layers[2]->out.h, 4);
	assert_int_equal(paleo_net_ops(net, PALEO_F32, PALEO_PASSES_FWD, &list, &err), 0);
	paleo_op_key(&list.items[0].op, key, sizeof(key));
	assert_string_equal(key, "softmax fwd f32 rows=40 cols=3");
	struct paleo_2017_net *cost_model = open_cost_model(net);
	expect_dims(cost_model, "p", 2, (const int[]){2, 3});
	expect_dims(cost_model, "q", 2, (const int[]){2, 3});
	paleo_2017_close(cost_model);
	paleo_op_list_release(&list);
	paleo_net_free(net);
}

/* A GAN's noise: 100 numbers become 7 by 100 x 7 + 7 weights. */
static void numbers_are_an_input(void **state)
{
	(void)state;
	struct paleo_net *net =
		given_net("\"data\": {\"type\": \"Input\", \"parents\": [], \"tensor\": [8, 100]}, "
			  "\"fc\": {\"type\": \"InnerProduct\", \"parents\": [\"data\"], "
			  "\"num_outputs\": 7}");
	assert_int_equal(net->batch, 8);
	assert_true(paleo_net_weights(net) == 707);
	struct paleo_2017_net *cost_model = open_cost_model(net);
	expect_dims(cost_model, "data", 2, (const int[]){8, 100});
	expect_dims(cost_model, "fc", 2, (const int[]){8, 7});
	paleo_2017_close(cost_model);
	paleo_net_free(net);
}

/* 10 channels on 4 workers: 10 / 4 = 2 each, 8 together; a whole number in the original. */
static void a_remainder_of_channels_is_dropped(void **state)
{
	(void)state;
	struct paleo_net *net = given_net(
		"\"data\": {\"type\": \"Input\", \"parents\": [], \"tensor\": [2, 4, 4, 3]}, "
		"\"m\": {\"type\": \"ModelParallel\", \"parents\": [\"data\"], \"splits\": 4, "
		"\"layers\": {\"c\": {\"type\": \"Convolution\", \"parents\": [], "
		"\"filter\": [1, 1, 3, 10], \"strides\": [1, 1, 1, 1], \"padding\": \"VALID\"}}}, "
		"\"all\": {\"type\": \"Concatenate\", \"parents\": [\"m/c@all\"], \"dim\": 3}");
	assert_int_equal(net->layers[1]->out.c, 2);
	assert_int_equal(net->layers[net->count - 1]->out.c, 8);
	assert_true(paleo_net_weights(net) == 4 * (3 * 2 + 2));
	struct paleo_2017_net *cost_model = open_cost_model(net);
	expect_dims(cost_model, "m/c@3", 4, (const int[]){2, 4, 4, 2});
	expect_dims(cost_model, "all", 4, (const int[]){2, 4, 4, 8});
	paleo_2017_close(cost_model);
	paleo_net_free(net);
}

/* 3x3, 97 channels on 101x101 to 89: 2e9 FLOP an image for the filter's gradient, a convolution by
 * the output's. Of so many images they pass 2^53, so products are rounded, in the original's order.
 * On this device 1e9 FLOP take a second. */
static void large_counts_keep_the_originals_order(void **state)
{
	static const struct paleo_2017_device gflops = {
		.clock_mhz = 1e12, .peak_gflops = 1, .mem_gb_per_s = 1000, .is_gpu = 1};
	struct paleo_2017_options o = {.device = &gflops, .ppp_comp = 1, .ppp_comm = 1};
	struct paleo_2017_time t;
	struct paleo_error err;

	(void)state;
	struct paleo_net *net = given_net(
		"\"data\": {\"type\": \"Input\", \"parents\": [], \"tensor\": [1, 101, 101, 97]}, "
		"\"c\": {\"type\": \"Convolution\", \"parents\": [\"data\"], "
		"\"filter\": [3, 3, 97, 89], \"strides\": [1, 1, 1, 1], \"padding\": \"SAME\"}");
	struct paleo_2017_net *cost_model = open_cost_model(net);
	for (o.batch = 2000000011; o.batch < 2000000111; o.batch++) {
		double flops = 2.0 * 101 * 101 * o.batch * 3 * 3 * 89 * 97;
		assert_int_equal(
			paleo_2017_time(cost_model, 1, PALEO_2017_BWD_FILTER, &o, &t, &err), 0);
		assert_true(t.comp_ms == flops / 1e9 * 1000);
	}
	paleo_2017_close(cost_model);
	paleo_net_free(net);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(softmax_goes_over_the_classes_of_each_pixel),
		cmocka_unit_test(numbers_are_an_input),
		cmocka_unit_test(a_remainder_of_channels_is_dropped),
		cmocka_unit_test(large_counts_keep_the_originals_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
