/* test_costs.c - costs at any batch are those of the works of a net loaded with that batch. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/laws/laws.h"
#include "tests/unit/unit.h"

static const char *const files[] = {
	"nets/alex_v2_4gpu.json",
	"nets/densenet.json",
	"nets/inception_v3.json",
	"nets/resnet50.json",
	"nets/vgg16.json",
	"tests/nets_extra/all_kinds.json",
	"tests/nets_extra/branches.json",
	"tests/nets_extra/deconvolutions.json",
	"tests/nets_extra/groups_dilation.json",
};
static const int batches[] = {1, 3, 32, 100};

#define COUNT(list) (int)(sizeof(list) / sizeof((list)[0]))

static struct paleo_net *load(const char *path, int batch)
{
	struct paleo_net *net = NULL;
	struct paleo_error err;

	if (paleo_net_load(path, batch, &net, &err))
		fail_msg("%s", err.text);
	return net;
}

/* Sums the predictions of a net's works in the cells of [layer][pass]. */
static struct paleo_cost *sum_works(const struct paleo_net *net, const struct paleo_calibration *c)
{
	struct paleo_cost *cells = calloc((size_t)net->count * PALEO_PASSES, sizeof(*cells));
	struct paleo_work_list works;
	struct paleo_prediction p;
	struct paleo_error err;

	assert_non_null(cells);
	assert_int_equal(paleo_net_works(net, PALEO_F32, PALEO_PASSES_ALL, &works, &err), 0);
	for (int i = 0; i < works.count; i++) {
		const struct paleo_net_work *w = &works.items[i];
		struct paleo_cost *cell = &cells[w->layer->index * PALEO_PASSES + (int)w->pass];
		assert_int_equal(paleo_predict_work(c, &w->work, &p, &err), 0);
		cell->compute_s += p.compute_s;
		cell->memory_s += p.memory_s;
		cell->overhead_s += p.overhead_s;
		cell->total_s += p.total_s;
	}
	paleo_work_list_release(&works);
	return cells;
}

static int differ(double a, double b)
{
	return !(fabs(a - b) <= 1e-12 * fabs(b));
}

/* The sum of a net is that of its layers, in each pass. */
static int compare_sums(const struct paleo_costs *costs, const struct paleo_net *net,
			const struct paleo_cost *expected)
{
	int wrong = 0;

	for (int pass = 0; pass < PALEO_PASSES; pass++) {
		struct paleo_cost got;
		struct paleo_error err;
		double total = 0;
		for (int i = 0; i < net->count; i++)
			total += expected[i * PALEO_PASSES + pass].total_s;
		assert_int_equal(paleo_costs_net(costs, 1u << pass, net->batch, &got, &err), 0);
		wrong += differ(got.total_s, total);
	}
	return wrong;
}

static int compare(const struct paleo_costs *costs, const struct paleo_net *net,
		   const struct paleo_cost *expected)
{
	struct paleo_cost got;
	struct paleo_error err;
	int wrong = 0;

	for (int i = 0; i < net->count * PALEO_PASSES; i++) {
		const struct paleo_cost *e = &expected[i];
		assert_int_equal(paleo_costs_layer(costs, i / PALEO_PASSES,
						   (enum paleo_pass)(i % PALEO_PASSES), net->batch,
						   &got, &err),
				 0);
		if (!differ(got.compute_s, e->compute_s) && !differ(got.memory_s, e->memory_s) &&
		    !differ(got.overhead_s, e->overhead_s) && !differ(got.total_s, e->total_s))
			continue;
		wrong++;
		print_error("%s, '%s', pass %d, batch %d: %.17g, expected %.17g\n", net->name,
			    net->layers[i / PALEO_PASSES]->name, i % PALEO_PASSES, net->batch,
			    got.total_s, e->total_s);
	}
	return wrong;
}

static void check(const struct paleo_law *law, const struct paleo_calibration *c)
{
	const struct paleo_law_options o = {.calibration = c};
	struct paleo_error err;
	int wrong = 0;

	assert_non_null(law);
	for (int f = 0; f < COUNT(files); f++) {
		struct paleo_net *net = load(files[f], 0);
		struct paleo_costs *costs = NULL;
		assert_int_equal(paleo_costs_open(law, net, &o, &costs, &err), 0);
		for (int b = 0; b < COUNT(batches); b++) {
			struct paleo_net *there = load(files[f], batches[b]);
			struct paleo_cost *expected = sum_works(there, c);
			wrong += compare(costs, there, expected);
			wrong += compare_sums(costs, there, expected);
			free(expected);
			paleo_net_free(there);
		}
		paleo_costs_close(costs);
		paleo_net_free(net);
	}
	assert_int_equal(wrong, 0);
}

static void straight_costs_follow_the_batch(void **state)
{
	struct paleo_calibration c;
	struct paleo_error err;

	(void)state;
	assert_int_equal(paleo_calibration_datasheet(paleo_device_find("h200"), 0.5, 0.7, &c, &err),
			 0);
	c.factors[0].overhead_s = 3e-6;
	check(paleo_law_find("paleo"), &c);
	paleo_calibration_release(&c);
}

/* Overlapping parts and thin products: no straight line any more. */
static void curved_costs_follow_the_batch(void **state)
{
	struct paleo_calibration c;
	struct paleo_error err;

	(void)state;
	assert_int_equal(paleo_calibration_datasheet(paleo_device_find("h200"), 0.5, 0.7, &c, &err),
			 0);
	c.factors[0].overhead_s = 3e-6;
	c.factors[0].overlap = 2.5;
	c.factors[0].half_depth = 300;
	c.factors[0].half_width = 60;
	check(paleo_law_find("calibrated"), &c);
	paleo_calibration_release(&c);
}

/* Forms of their own for all that they apply to, the smooth law for the rest: gradients of
 * convolutions, and what has rows. */
static void forms_follow_the_batch(void **state)
{
	static const char *const keys[] = {
		"gemm fwd f32 m=64 n=64 k=64", "conv fwd f32 n=1 c=3 h=8 w=8 k=8 r=3 s=3",
		"eltwise fwd f32 op=relu count=100", "softmax fwd f32 rows=4 cols=10"};
	struct paleo_factor factors[COUNT(keys)];
	struct paleo_form_model models[COUNT(keys)];
	struct paleo_calibration c;
	struct paleo_error err;

	(void)state;
	assert_int_equal(paleo_calibration_datasheet(paleo_device_find("h200"), 0.5, 0.7, &c, &err),
			 0);
	for (int i = 0; i < COUNT(keys); i++) {
		struct paleo_work w;
		assert_int_equal(paleo_work_parse(keys[i], &w, &err), 0);
		paleo_form_init(paleo_form_for(&w, 0), PALEO_F32, &models[i]);
		models[i].copies = i % 2;
		factors[i] = c.factors[0];
		factors[i].model = &models[i];
		snprintf(factors[i].class_name, sizeof(factors[i].class_name), "%s",
			 paleo_work_class(&w));
	}
	const struct paleo_calibration formed = {
		.device = c.device, .factors = factors, .count = COUNT(keys)};
	check(paleo_law_find("calibrated"), &formed);
	paleo_calibration_release(&c);
}

/* [2, 6] is said for the batch of 2: at another batch the shape does not fit. */
static void a_fixed_shape_holds_at_its_batch_alone(void **state)
{
	static const char text[] =
		"{\"name\": \"r\", \"layers\": {"
		"\"data\": {\"type\": \"Input\", \"parents\": [], \"tensor\": [2, 1, 2, 3]},"
		"\"flat\": {\"type\": \"Reshape\", \"parents\": [\"data\"],"
		" \"output_shape\": [2, 6]},"
		"\"fc\": {\"type\": \"InnerProduct\", \"parents\": [\"flat\"],"
		" \"num_outputs\": 4, \"bias\": false}}}";
	struct paleo_net *net = NULL;
	struct paleo_costs *costs = NULL;
	struct paleo_calibration c;
	struct paleo_cost cost;
	struct paleo_error err;

	(void)state;
	assert_int_equal(paleo_calibration_datasheet(paleo_device_find("h200"), 1, 1, &c, &err), 0);
	assert_int_equal(paleo_net_parse("r", text, strlen(text), 0, &net, &err), 0);
	const struct paleo_law_options o = {.calibration = &c};
	assert_int_equal(paleo_costs_open(paleo_law_find("paleo"), net, &o, &costs, &err), 0);
	/* 2 images x 6 x 4 multiplications and additions */
	assert_int_equal(paleo_costs_net(costs, PALEO_PASSES_FWD, 2, &cost, &err), 0);
	assert_true(!differ(cost.compute_s, 96 / c.device.flop_per_s[PALEO_F32]));
	assert_int_equal(paleo_costs_net(costs, PALEO_PASSES_FWD, 4, &cost, &err),
			 PALEO_EUNSUPPORTED);
	assert_non_null(strstr(err.text, "a batch of 2 alone, not 4"));
	paleo_costs_close(costs);
	paleo_net_free(net);
	paleo_calibration_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(straight_costs_follow_the_batch),
		cmocka_unit_test(curved_costs_follow_the_batch),
		cmocka_unit_test(forms_follow_the_batch),
		cmocka_unit_test(a_fixed_shape_holds_at_its_batch_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
