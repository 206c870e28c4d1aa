/* test_comm.c - links, and collective operations against numbers worked out by hand. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/simulate/collective.h"
#include "unit.h"

/* Latencies and rates with round numbers: 2 us and 100 MB/s within, 10 us and 10 MB/s between. */
static struct paleo_fabric fabric(int per_host)
{
	return (struct paleo_fabric){
		.within = {.name = "w", .latency_s = 2e-6, .bytes_per_s = 1e8},
		.between = {.name = "b", .latency_s = 10e-6, .bytes_per_s = 1e7},
		.per_host = per_host,
		.servers = 1,
		.reached = 1,
	};
}

static void near(double a, double b)
{
	if (!(fabs(a - b) <= 1e-12 * fabs(b))) {
		print_error("%.17g is not %.17g\n", a, b);
		fail();
	}
}

static double reduce(const char *scheme, const struct paleo_fabric *f, int p, double n)
{
	const struct paleo_scheme *s = paleo_scheme_find(scheme);

	assert_non_null(s);
	return s->all_reduce_s(f, p, n);
}

/* 4 workers on 4 hosts, 1 MB: a whole vector takes 0.1 s, a quarter 0.025 s. */
static void test_flat(void **state)
{
	struct paleo_fabric f = fabric(1);

	(void)state;
	near(reduce("ring", &f, 4, 1e6), 6 * (10e-6 + 0.025));
	near(reduce("one-to-all", &f, 4, 1e6), 6 * (10e-6 + 0.1));
	near(reduce("tree", &f, 4, 1e6), 4 * (10e-6 + 0.1));
	near(reduce("butterfly", &f, 4, 1e6), 2 * (10e-6 + 0.1));
	near(reduce("recursive-doubling", &f, 4, 1e6), 2 * (10e-6 + 0.1));
	near(reduce("mixing", &f, 4, 1e6), 10e-6 + 0.1);
	/* 4 steps, with 1/2, 1/4, 1/4, 1/2 of the vector */
	near(reduce("halving-doubling", &f, 4, 1e6), 4 * 10e-6 + 1.5 * 0.1);
	/* 3 steps of a quarter; then 1 and 2 quarters */
	near(reduce("scatter-gather", &f, 4, 1e6), 5 * 10e-6 + 1.5 * 0.1);
	/* one server takes 4 vectors in and gives 4 out */
	near(reduce("parameter-server", &f, 4, 1e6), 2 * (10e-6 + 0.4));
	f.servers = 2;
	near(reduce("parameter-server", &f, 4, 1e6), 2 * (10e-6 + 0.2));
	f.servers = 16; /* a worker's own link is the limit now */
	near(reduce("parameter-server", &f, 4, 1e6), 2 * (10e-6 + 0.1));
}

/* No power of two: 5 workers are 4 and one that is folded in, 2 more steps of the whole vector. */
static void test_five(void **state)
{
	struct paleo_fabric f = fabric(1);

	(void)state;
	near(reduce("recursive-doubling", &f, 5, 1e6), 4 * (10e-6 + 0.1));
	near(reduce("halving-doubling", &f, 5, 1e6), 6 * 10e-6 + 1.5 * 0.1 + 2 * 0.1);
	near(reduce("butterfly", &f, 5, 1e6), 3 * (10e-6 + 0.1));
	near(reduce("tree", &f, 5, 1e6), 6 * (10e-6 + 0.1));
	near(reduce("ring", &f, 5, 1e6), 8 * (10e-6 + 0.02));
	/* Bruck: 1, 2 and the remaining 1 of fifths */
	near(paleo_scheme_find("scatter-gather")->all_gather_s(&f, 5, 1e6), 3 * 10e-6 + 4 * 0.02);
}

/* 8 workers on 2 hosts of 4, 1 MB: within, the whole vector takes 0.01 s, between them 0.1 s. */
static void test_hosts(void **state)
{
	struct paleo_fabric f = fabric(4);

	(void)state;
	/* 3 steps within of a quarter, 1 between of half the vector, and back */
	near(reduce("hierarchical", &f, 8, 1e6), 2 * (3 * (2e-6 + 0.0025) + 10e-6 + 0.05));
	/* one ring through both hosts: a part leaves each host once in 7 steps, and goes at the
	 * rate of the slow link in all of them */
	near(reduce("ring", &f, 8, 1e6), 4 * 10e-6 + 10 * 2e-6 + 14 * 0.0125);
	/* 2 steps within, 1 between where 4 workers share a link */
	near(reduce("recursive-doubling", &f, 8, 1e6), 2 * (2e-6 + 0.01) + 10e-6 + 0.4);
	/* halves and quarters within; an eighth of 4 workers between */
	near(reduce("halving-doubling", &f, 8, 1e6),
	     2 * (2 * 2e-6 + 0.75 * 0.01 + 10e-6 + 0.125 * 0.4));
	/* 2 levels within and 1 between, by one worker of each host */
	near(reduce("tree", &f, 8, 1e6), 4 * (2e-6 + 0.01) + 2 * (10e-6 + 0.1));
	near(reduce("one-to-all", &f, 8, 1e6), 6 * (2e-6 + 0.01) + 8 * (10e-6 + 0.1));
	/* 1 2 3 of 4 leave in the first steps, then 4 steps of all 4: 22 eighths; gathering
	 * 1, 2 and 4 eighths of 1, 2 and 4 workers: 21 */
	near(reduce("scatter-gather", &f, 8, 1e6), 10 * 10e-6 + 43 * 0.0125);
	/* all on one host: nothing goes between */
	near(reduce("hierarchical", &f, 4, 1e6), reduce("ring", &f, 4, 1e6));
	near(reduce("ring", &f, 4, 1e6), 6 * (2e-6 + 0.0025));
	near(paleo_scheme_find("scatter-gather")->reduce_scatter_s(&f, 4, 1e6),
	     3 * (2e-6 + 0.0025));
	f.per_host = 3; /* and no power of two */
	near(reduce("tree", &f, 3, 1e6), 4 * (2e-6 + 0.01));
}

/* Additions: a ring adds 3 quarters of the vector, recursive doubling all of it twice. */
static void test_additions(void **state)
{
	struct paleo_fabric f = fabric(1);

	(void)state;
	f.reduce_s_per_byte = 1e-9;
	near(reduce("ring", &f, 4, 1e6), 6 * (10e-6 + 0.025) + 0.75e-3);
	near(reduce("recursive-doubling", &f, 4, 1e6), 2 * (10e-6 + 0.1) + 2e-3);
	near(reduce("halving-doubling", &f, 4, 1e6), 4 * 10e-6 + 0.15 + 0.75e-3);
	near(reduce("one-to-all", &f, 4, 1e6), 6 * (10e-6 + 0.1) + 3e-3);
	/* two hosts of two: half of the vector within the host, a quarter between the hosts */
	f = fabric(2);
	f.reduce_s_per_byte = 1e-9;
	near(reduce("hierarchical", &f, 4, 1e6), 2 * (2e-6 + 0.005) + 2 * (10e-6 + 0.05) + 0.75e-3);
}

static void test_reached(void **state)
{
	struct paleo_fabric f = fabric(1);

	(void)state;
	f.reached = 0.5;
	near(reduce("ring", &f, 4, 1e6), 6 * (10e-6 + 0.05));
	near(paleo_send_s(&f, 2, 1e6), 10e-6 + 0.2);
}

/* The ranges of a fitted link go by the size of the operation, not of its messages. */
static void test_ranges(void **state)
{
	struct paleo_fabric f = fabric(1);

	(void)state;
	f.between.range_count = 2;
	f.between.ranges[0] =
		(struct paleo_link_range){.to_bytes = 1e5, .latency_s = 1e-6, .bytes_per_s = 1e6};
	f.between.ranges[1] = (struct paleo_link_range){
		.to_bytes = INFINITY, .latency_s = 5e-6, .bytes_per_s = 2e7};
	near(reduce("ring", &f, 4, 1e5), 6 * (1e-6 + 0.025));
	near(reduce("ring", &f, 4, 1e6), 6 * (5e-6 + 0.0125));
}

/* One worker has nobody to wait for; more bytes, slower links and fewer servers never help. */
static void test_monotonic(void **state)
{
	int count;
	const struct paleo_scheme *s = paleo_schemes(&count);

	(void)state;
	assert_true(count >= 10);
	for (int i = 0; i < count; i++)
		for (int q = 1; q <= 8; q *= 2) {
			struct paleo_fabric f = fabric(q);
			if (q == 1)
				f.within = (struct paleo_link){.name = "not set"};
			assert_true(s[i].all_reduce_s(&f, 1, 1e6) == 0);
			if (s[i].all_gather_s)
				assert_true(s[i].all_gather_s(&f, 1, 1e6) == 0 &&
					    s[i].reduce_scatter_s(&f, 1, 1e6) == 0);
			for (int p = 2; p < 70; p++) {
				double t = s[i].all_reduce_s(&f, p, 1e6);
				struct paleo_fabric slow = f;
				slow.between.bytes_per_s /= 2;
				slow.within.bytes_per_s /= 2;
				assert_true(t > 0 && isfinite(t));
				assert_true(s[i].all_reduce_s(&f, p, 2e6) > t);
				assert_true(s[i].all_reduce_s(&slow, p, 1e6) > t);
				if (s[i].all_gather_s)
					near(s[i].all_gather_s(&f, p, 1e6) +
						     s[i].reduce_scatter_s(&f, p, 1e6),
					     t);
				/* No all-reduce sends less than a worker has to: on equal
				 * links 2 (p-1)/p of the vector, [Patarasuk, Yuan 2009]. */
				if (q == 1 && strcmp(s[i].name, "mixing") != 0 &&
				    strcmp(s[i].name, "butterfly") != 0 &&
				    strcmp(s[i].name, "recursive-doubling") != 0)
					assert_true(t >= 2.0 * (p - 1) / p * 0.1);
			}
		}
}

static void test_heights(void **state)
{
	static const int want[][2] = {{1, 0}, {2, 1}, {3, 2},     {4, 2},     {5, 3},
				      {8, 3}, {9, 4}, {1024, 10}, {1025, 11}, {1 << 30, 30}};

	(void)state;
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		assert_int_equal(paleo_tree_height(want[i][0]), want[i][1]);
}

static void test_links(void **state)
{
	int count;
	const struct paleo_link *links = paleo_links(&count);

	(void)state;
	for (int i = 0; i < count; i++) {
		assert_ptr_equal(paleo_link_find(links[i].name), &links[i]);
		assert_true(links[i].bytes_per_s > 0 && links[i].latency_s >= 0);
		assert_true(links[i].source[0] && links[i].title[0]);
	}
	/* 16 lanes of 16 GT/s, 128 of 130 bits: 256 Gbit/s * 128/130 = 31.508 GB/s */
	near(paleo_link_find("PCIe4_x16")->bytes_per_s, 32e9 * 128 / 130);
	near(paleo_link_find("nvlink4")->bytes_per_s, 450e9);
	near(paleo_link_find("ethernet20")->bytes_per_s, 2.5e9);
	assert_null(paleo_link_find("ethernet2"));
	struct paleo_error err = {0};
	const struct paleo_link mine = {.name = "nvlink4", .bytes_per_s = 1};
	struct paleo_link chosen;
	assert_int_equal(paleo_link_choose(&mine, 1, "NVLink4", &chosen, &err), PALEO_OK);
	near(chosen.bytes_per_s, 1); /* the user's own */
	assert_int_equal(paleo_link_choose(&mine, 1, "nvlink3", &chosen, &err), PALEO_OK);
	assert_string_equal(chosen.name, "nvlink3");
	assert_int_equal(paleo_link_choose(NULL, 0, "ethernet21", &chosen, &err), PALEO_EINPUT);
	assert_string_equal(err.text, "unknown link 'ethernet21' (did you mean 'ethernet20'?)");
	assert_int_equal(paleo_link_choose(NULL, 0, "xyzzy", &chosen, &err), PALEO_EINPUT);
	assert_non_null(strstr(err.text, "aws, ethernet, "));
}

/* Eight H100s, 1 MiB. Waiting: 4.87 + 14 x 0.76 us = 15.51 us, to the 0.633th power 5.671 (of us).
 * Sending: 14 x 131072 B / (0.869 x 450 GB/s) = 4.693 us, likewise 2.661. 8.332^(1/0.633) = 28.5
 * us; NCCL 2.29 took 25.4 us. */
static void test_collectives(void **state)
{
	struct paleo_fabric f = {
		.within = *paleo_link_find("nvlink4"), .per_host = 8, .servers = 1, .reached = 1};
	const struct paleo_scheme *ring = paleo_scheme_find("ring");

	(void)state;
	assert_true(fabs(ring->all_reduce_s(&f, 8, 1 << 20) - 28.5e-6) < 0.05e-6);
	assert_true(fabs(ring->all_reduce_s(&f, 8, 0) - 15.51e-6) < 1e-12);
	near(ring->all_reduce_s(&f, 1, 1 << 20), 0);
	/* a gather has half as many messages, but a start of its own */
	assert_true(ring->all_gather_s(&f, 8, 1 << 20) > ring->all_reduce_s(&f, 8, 1 << 20) / 2);
	/* a link of the same name that was fitted by its user is what he says */
	f.within.range_count = 1;
	f.within.ranges[0] = (struct paleo_link_range){
		.to_bytes = INFINITY, .latency_s = 1, .bytes_per_s = 1 << 20};
	near(ring->all_gather_s(&f, 8, 1 << 20), 7 * (1 + 1.0 / 8));
}

/* HGX H100: eight GPUs by NVLink 4, and 400 Gbit/s a GPU to others; a V100 node has four adapters.
 */
static void test_usual(void **state)
{
	struct paleo_node node;
	struct paleo_fabric f = {.servers = 1, .reached = 1};

	(void)state;
	paleo_fabric_usual(&f, "h100-sxm");
	assert_int_equal(f.per_host, 8);
	near(f.within.bytes_per_s, 450e9);
	near(f.between.bytes_per_s, 8 * 50e9);
	assert_true(paleo_node_usual("v100-sxm2", &node));
	assert_int_equal(node.links, 4);
	assert_true(paleo_node_usual("gb200", &node));
	assert_int_equal(node.gpus, 72);
	assert_false(paleo_node_usual("h100", &node));
	paleo_fabric_usual(&f, "k80");
	assert_int_equal(f.per_host, 1);
	assert_string_equal(f.between.name, "ethernet");
}

static char path[] = "/tmp/paleo-links-XXXXXX";

static void save(const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void test_file(void **state)
{
	struct paleo_link *links = NULL;
	struct paleo_link mine = {.name = "mine",
				  .title = "Mine",
				  .latency_s = 1e-6,
				  .bytes_per_s = 3e9,
				  .range_count = 2};
	struct paleo_error err = {0};
	char *text = NULL;
	int count = 0;

	(void)state;
	mine.ranges[0] = (struct paleo_link_range){1024, 1e-6, 1e9, 1e-7, NAN};
	mine.ranges[1] = (struct paleo_link_range){INFINITY, 2e-6, 3e9, 1e-7, 1e6};
	assert_int_equal(paleo_links_text(&mine, 1, &text, &err), PALEO_OK);
	save(text);
	free(text);
	assert_int_equal(paleo_links_load(path, &links, &count, &err), PALEO_OK);
	assert_int_equal(count, 1);
	assert_string_equal(links->title, "Mine");
	assert_int_equal(links->range_count, 2);
	assert_true(links->ranges[0].to_bytes == 1024 && isinf(links->ranges[1].to_bytes));
	assert_true(isnan(links->ranges[0].se_bytes_per_s));
	assert_true(links->ranges[1].se_bytes_per_s == 1e6);
	free(links);
}

static void test_bad_files(void **state)
{
	static const struct {
		const char *text, *message;
	} bad[] = {
		{"[]", "expected an object with the key 'links'"},
		{"{\"links\": []}", "at least one link"},
		{"{\"links\": [{\"name\": \"a\"}]}", "bytes_per_s"},
		{"{\"links\": [{\"name\": \"a\", \"bytes_per_s\": 0}]}", "bytes_per_s"},
		{"{\"links\": [{\"name\": \"a\", \"bytes_per_s\": 1e9, \"speed\": 1}]}", "speed"},
		{"{\"links\": [{\"name\": \"-\", \"bytes_per_s\": 1e9}]}", "letter or a digit"},
		{"{\"links\": [{\"name\": \"a\", \"bytes_per_s\": 1e9}, "
		 "{\"name\": \"A\", \"bytes_per_s\": 1e9}]}",
		 "duplicate link"},
		{"{\"links\": [{\"name\": \"a\", \"bytes_per_s\": 1e9, \"ranges\": []}]}",
		 "1 to 32 ranges"},
		{"{\"links\": [{\"name\": \"a\", \"bytes_per_s\": 1e9, \"ranges\": [{\"to_bytes\": "
		 "5, \"latency_s\": 0, \"bytes_per_s\": 1e9}]}]}",
		 "null in the last range"},
		{"{\"links\": [{\"name\": \"a\", \"bytes_per_s\": 1e9, \"ranges\": [{\"to_bytes\": "
		 "5, \"latency_s\": 0, \"bytes_per_s\": 1e9}, {\"to_bytes\": 5, \"latency_s\": 0, "
		 "\"bytes_per_s\": 1e9}, {\"to_bytes\": null, \"latency_s\": 0, \"bytes_per_s\": "
		 "1e9}]}]}",
		 "must grow"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct paleo_link *links = NULL;
		struct paleo_error err = {0};
		int count = 0;
		save(bad[i].text);
		assert_int_equal(paleo_links_load(path, &links, &count, &err), PALEO_EINPUT);
		assert_null(links);
		if (!strstr(err.text, bad[i].message)) {
			print_error("%s\n", err.text);
			fail();
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flat),        cmocka_unit_test(test_five),
		cmocka_unit_test(test_hosts),       cmocka_unit_test(test_additions),
		cmocka_unit_test(test_reached),     cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_monotonic),   cmocka_unit_test(test_heights),
		cmocka_unit_test(test_links),       cmocka_unit_test(test_file),
		cmocka_unit_test(test_bad_files),   cmocka_unit_test(test_usual),
		cmocka_unit_test(test_collectives),
	};
	int file = mkstemp(path);

	if (file < 0)
		return 1;
	close(file);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return failed;
}
