/* test_simulate.c - steps on several workers are the original's, in every row of its tables. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/paleo2017/sim.h"
#include "tests/cost_model/csv.h"
#include "tests/cost_model/nets.h"
#include "tests/unit/unit.h"

/* Pieces are equal to the last bit, sums over layers to 1e-12. */
static int is_sum(const struct csv *c, const char *column, double value)
{
	double expected = csv_number(c, column);

	if (fabs(value - expected) <= 1e-12 * fabs(expected))
		return 1;
	print_error("%s %s %s: %s is %.17g, expected %.17g\n", c->fields[0], c->fields[1],
		    c->fields[2], column, value, expected);
	return 0;
}

static int is_equal(const struct csv *c, const char *column, double value)
{
	double expected = csv_number(c, column);

	if (value == expected)
		return 1;
	print_error("%s %s %s: %s is %.17g, expected %.17g\n", c->fields[0], c->fields[1],
		    c->fields[2], column, value, expected);
	return 0;
}

static struct paleo_2017_sim sim_of(const struct csv *c)
{
	struct paleo_2017_sim s = {
		.options = {.device = paleo_2017_device_find(csv_text(c, "device")),
			    .ppp_comp = csv_number(c, "ppp_comp"),
			    .ppp_comm = csv_number(c, "ppp_comm")},
		.use_pipeline = (int)csv_number(c, "use_pipeline"),
	};
	const struct paleo_2017_network *n = paleo_2017_network_find(csv_text(c, "network"));

	assert_non_null(s.options.device);
	assert_non_null(n);
	s.gbit_per_s = n->gbit_per_s;
	return s;
}

static const char *const schemes[] = {"OneToAll_ms", "TreeAllReduce_ms", "ButterflyAllReduce_ms",
				      "ButterflyMixing_ms"};

static int check_schemes(const struct csv *c)
{
	int good = 1;

	for (int k = 0; k < PALEO_2017_SCHEMES; k++)
		good &= is_equal(c, schemes[k],
				 paleo_2017_sync_ms(
					 (enum paleo_2017_scheme)k, csv_number(c, "bandwidth_Gbps"),
					 csv_number(c, "ppp_comm"), csv_number(c, "bytes"),
					 (int)csv_number(c, "workers")));
	return good;
}

static int check_data(const struct csv *c)
{
	struct paleo_2017_sim s = sim_of(c);
	struct paleo_2017_data row = {0};
	struct paleo_error err = {.text = ""};
	int good = 1;

	if (paleo_2017_data(nets_open(csv_text(c, "net")), &s, (int)csv_number(c, "cli_batch_size"),
			    (int)csv_number(c, "workers"),
			    !strcmp(csv_text(c, "scaling"), "strong"), &row, &err))
		fail_msg("%s", err.text);
	good &= is_equal(c, "batch_size", row.batch) && is_sum(c, "time_fwd_ms", row.fwd_ms) &&
		is_sum(c, "time_bwd_ms", row.bwd_ms) &&
		is_equal(c, "time_apply_ms", row.apply_ms) &&
		is_sum(c, "time_comp_ms", row.comp_ms);
	for (int k = 0; k < PALEO_2017_SCHEMES; k++)
		good &= is_equal(c, schemes[k], row.sync_ms[k]);
	return good;
}

static int check_model(const struct csv *c)
{
	struct paleo_2017_sim s = sim_of(c);
	double lower = 0, upper = 0;
	struct paleo_error err = {.text = ""};

	if (paleo_2017_model(nets_open(csv_text(c, "net")), &s, (int)csv_number(c, "batch_size"),
			     strcmp(csv_text(c, "pass"), "Fwd") ? PALEO_2017_BWD : PALEO_2017_FWD,
			     &lower, &upper, &err))
		fail_msg("%s", err.text);
	return is_sum(c, "lowerbound_ms", lower) && is_sum(c, "upperbound_ms", upper);
}

static int check_hybrid(const struct csv *c)
{
	struct paleo_2017_sim s = sim_of(c);
	struct paleo_2017_hybrid rows[2] = {{0}};
	struct paleo_error err = {.text = ""};
	const struct paleo_2017_hybrid *row = &rows[!strcmp(csv_text(c, "part"), "model")];

	if (paleo_2017_hybrid(nets_open(csv_text(c, "net")), &s,
			      (int)csv_number(c, "cli_batch_size"), (int)csv_number(c, "workers"),
			      &rows[0], &rows[1], &err))
		fail_msg("%s", err.text);
	return is_equal(c, "batch_size", row->batch) && is_sum(c, "fwd_time_ms", row->fwd_ms) &&
	       is_sum(c, "bwd_time_ms", row->bwd_ms) &&
	       is_equal(c, "apply_time_ms", row->apply_ms) &&
	       is_equal(c, "sync_time_tree_ms", row->sync_ms);
}

static void check_table(const char *name, int (*check)(const struct csv *c), int expected_rows)
{
	static struct csv c;
	int rows = 0, wrong = 0;

	csv_open(&c, name);
	for (; csv_next(&c) && wrong < 20; rows++)
		wrong += !check(&c);
	assert_int_equal(wrong, 0);
	csv_close(&c);
	assert_int_equal(rows, expected_rows);
}

static void schemes_are_the_originals(void **state)
{
	(void)state;
	check_table("comm_schemes", check_schemes, 2160);
}

static void data_parallelism_is_the_originals(void **state)
{
	(void)state;
	check_table("simulate_data_parallel", check_data, 30720);
}

static void model_parallelism_is_the_originals(void **state)
{
	(void)state;
	check_table("simulate_model_parallel", check_model, 2160);
}

static void hybrid_parallelism_is_the_originals(void **state)
{
	(void)state;
	check_table("simulate_hybrid", check_hybrid, 18000);
}

/* The original ends with an exception: no link between groups of four devices; forks in forks. */
static void what_it_cannot_do_is_an_error(void **state)
{
	struct paleo_2017_sim s = {
		.options = {.device = paleo_2017_device_find("K80"), .ppp_comp = 1, .ppp_comm = 1},
		.gbit_per_s = 10};
	struct paleo_2017_data row;
	struct paleo_2017_hybrid d, m;
	struct paleo_error err = {.text = ""};
	double lower, upper;

	(void)state;
	const struct paleo_2017_net *gpus = nets_open("alex_v2_8gpu");
	const struct paleo_2017_net *inception = nets_open("inception_v3");
	assert_int_equal(paleo_2017_data(gpus, &s, 128, 2, 0, &row, &err), PALEO_EUNSUPPORTED);
	assert_int_equal(paleo_2017_model(gpus, &s, 128, PALEO_2017_FWD, &lower, &upper, &err),
			 PALEO_EUNSUPPORTED);
	assert_int_equal(paleo_2017_hybrid(gpus, &s, 128, 2, &d, &m, &err), PALEO_OK);
	assert_int_equal(paleo_2017_data(inception, &s, 128, 2, 0, &row, &err), PALEO_OK);
	assert_int_equal(paleo_2017_model(inception, &s, 128, PALEO_2017_FWD, &lower, &upper, &err),
			 PALEO_EUNSUPPORTED);
	assert_int_equal(paleo_2017_hybrid(inception, &s, 128, 2, &d, &m, &err),
			 PALEO_EUNSUPPORTED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(schemes_are_the_originals),
		cmocka_unit_test(data_parallelism_is_the_originals),
		cmocka_unit_test(model_parallelism_is_the_originals),
		cmocka_unit_test(hybrid_parallelism_is_the_originals),
		cmocka_unit_test(what_it_cannot_do_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, nets_close);
}
