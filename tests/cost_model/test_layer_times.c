/* test_layer_times.c - paleo2017 gives the layer times of the original, bit for bit. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "tests/cost_model/csv.h"
#include "tests/cost_model/nets.h"
#include "tests/unit/unit.h"

static const char *const passes[] = {"fwd", "bwd_data", "bwd_filter", "bwd"};

static enum paleo_2017_pass pass_of(const char *word)
{
	for (int i = 0; i < PALEO_2017_PASSES; i++)
		if (!strcmp(passes[i], word))
			return (enum paleo_2017_pass)i;
	fail_msg("unknown pass '%s'", word);
	return PALEO_2017_FWD;
}

/* Counts of a table: rows compared, rows that differ. */
struct tally {
	int rows, wrong;
};

/* The options that all tables have. */
static struct paleo_2017_options options_of(const struct csv *c)
{
	return (struct paleo_2017_options){
		.device = paleo_2017_device_find(csv_text(c, "device")),
		.ppp_comp = csv_number(c, "ppp_comp"),
		.ppp_comm = 1,
		.batch = (int)csv_number(c, "batch_size"),
		.no_fetch = 1,
	};
}

static void compare(const struct csv *c, const struct paleo_2017_options *o, struct tally *tally)
{
	const struct paleo_2017_net *net = nets_open(csv_text(c, "net"));
	struct paleo_2017_time t = {0};
	struct paleo_error err = {.text = ""};

	assert_non_null(o->device);
	int layer = nets_layer(net, csv_text(c, "layer"));
	int rc = paleo_2017_time(net, layer, pass_of(csv_text(c, "pass")), o, &t, &err);
	tally->rows++;
	if (!rc && t.comp_ms == csv_number(c, "comp_time_ms") &&
	    t.comm_ms == csv_number(c, "comm_time_ms") && t.total_ms == csv_number(c, "total_ms"))
		return;
	if (tally->wrong++ < 20)
		print_error("%s %s %s batch %d: %s%.17g + %.17g = %.17g, expected %s + %s = %s\n",
			    csv_text(c, "net"), csv_text(c, "pass"), csv_text(c, "layer"), o->batch,
			    err.text, t.comp_ms, t.comm_ms, t.total_ms, csv_text(c, "comp_time_ms"),
			    csv_text(c, "comm_time_ms"), csv_text(c, "total_ms"));
}

static void layers_take_the_originals_time(void **state)
{
	static struct csv c;
	struct tally tally = {0};

	(void)state;
	csv_open(&c, "layer_times");
	while (csv_next(&c)) {
		struct paleo_2017_options o = options_of(&c);
		compare(&c, &o, &tally);
	}
	csv_close(&c);
	assert_int_equal(tally.wrong, 0);
	assert_int_equal(tally.rows, 50360);
}

static void inputs_are_fetched_from_other_devices(void **state)
{
	static struct csv c;
	struct tally tally = {0};

	(void)state;
	csv_open(&c, "layer_times_devices");
	while (csv_next(&c)) {
		struct paleo_2017_options o = options_of(&c);
		const char *link = csv_text(&c, "cross_device_bandwidth_GBps");
		o.ppp_comm = csv_number(&c, "ppp_comm");
		o.link_gb_per_s = *link ? csv_number(&c, "cross_device_bandwidth_GBps") : 0;
		o.no_fetch = 0;
		compare(&c, &o, &tally);
	}
	csv_close(&c);
	assert_int_equal(tally.wrong, 0);
	assert_int_equal(tally.rows, 3320);
}

static void forced_algorithms_take_the_originals_time(void **state)
{
	static struct csv c;
	struct tally tally = {0};

	(void)state;
	csv_open(&c, "forced_algorithms");
	while (csv_next(&c)) {
		struct paleo_2017_options o = options_of(&c);
		int id = (int)csv_number(&c, "algorithm_id");
		o.algorithms = (struct paleo_2017_algorithms){id, id, id};
		compare(&c, &o, &tally);
	}
	csv_close(&c);
	assert_int_equal(tally.wrong, 0);
	assert_int_equal(tally.rows, 11584);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(layers_take_the_originals_time),
		cmocka_unit_test(inputs_are_fetched_from_other_devices),
		cmocka_unit_test(forced_algorithms_take_the_originals_time),
	};

	return cmocka_run_group_tests(tests, NULL, nets_close);
}
