/* test_fit_comm.c - logs of collective operations, and the links that are fitted to them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calib/fit_comm.h"
#include "tests/unit/unit.h"

static char path[] = "/tmp/paleo-comm-XXXXXX";

static void within(double a, double b, double relative)
{
	if (!(fabs(a - b) <= relative * fabs(b)))
		fail_msg("%.12g is not %.12g", a, b);
}

static void read_file(const char *file, int ranks, struct paleo_comm_points *points)
{
	struct paleo_error err = {0};

	if (paleo_comm_log_read(file, ranks, points, &err))
		fail_msg("%s", err.text);
}

/* The files of tests/data/comm hold times made of 5 us and 2 GB/s up to 64 KiB, 20 us and 10 GB/s
 * above, rounded to 1e-6 us. */
static void is_truth(const struct paleo_link *l)
{
	assert_int_equal(l->range_count, 2);
	/* Two ranks: 5 us + B/2 / 2 GB/s = 20 us + B/2 / 10 GB/s at 75000 bytes. Four: at twice as
	 * many, beyond the next size, so it is sqrt(65536 131072) = 92682. */
	assert_true(l->ranges[0].to_bytes == 75000 || l->ranges[0].to_bytes == 92682);
	assert_true(isinf(l->ranges[1].to_bytes));
	within(l->ranges[0].latency_s, 5e-6, 1e-5);
	within(l->ranges[0].bytes_per_s, 2e9, 1e-5);
	within(l->ranges[1].latency_s, 20e-6, 1e-5);
	within(l->ranges[1].bytes_per_s, 10e9, 1e-5);
	within(l->latency_s, 20e-6, 1e-5);
	within(l->bytes_per_s, 10e9, 1e-5);
}

static void test_logs(void **state)
{
	static const char *const files[] = {"tests/data/comm/nccl_4.log",
					    "tests/data/comm/nccl_2.json"};
	struct paleo_comm_points both = {0};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct paleo_comm_points points = {0};
		struct paleo_link link = {.name = "x"};
		struct paleo_comm_fit fit;
		struct paleo_error err = {0};
		read_file(files[i], 0, &points);
		read_file(files[i], 0, &both);
		assert_int_equal(points.count, 17);
		assert_int_equal(points.items[0].ranks, i ? 2 : 4);
		assert_int_equal(paleo_fit_comm(&points, 2, 4, &link, &fit, &err), PALEO_OK);
		is_truth(&link);
		assert_int_equal(fit.points, 17);
		assert_true(fit.max_error < 1e-5);
		assert_int_equal(paleo_fit_comm_best(&points, 2, &link, &fit, &err), PALEO_OK);
		assert_int_equal(fit.form, PALEO_COMM_RANGES);
		is_truth(&link);
		paleo_comm_points_release(&points);
	}
	/* 2 and 4 ranks together: the ring's formula tells them apart */
	struct paleo_link link = {.name = "x"};
	struct paleo_comm_fit fit;
	struct paleo_error err = {0};
	assert_int_equal(paleo_fit_comm(&both, 2, 8, &link, &fit, &err), PALEO_OK);
	is_truth(&link);
	paleo_comm_points_release(&both);
}

static void add(struct paleo_comm_points *points, int ranks, double bytes, double time_s)
{
	struct paleo_comm_point p = {ranks, bytes, time_s};
	struct paleo_error err = {0};

	assert_int_equal(paleo_comm_points_add(points, &p, &err), PALEO_OK);
}

/* Two ranks, one pass: t = latency + B/2 / rate. Times 10 % above and below a line of 1 ms and 1e9
 * bytes/s in turn are told by standard errors of a few per cent that cover the truth. */
static void test_errors_of_a_fit(void **state)
{
	struct paleo_comm_points points = {0};
	struct paleo_link link = {.name = "x"};
	struct paleo_comm_fit fit;
	struct paleo_error err = {0};

	(void)state;
	for (int i = 1; i <= 40; i++) {
		double bytes = 1e5 * i;
		add(&points, 2, bytes, (1e-3 + bytes / 2e9) * (i % 2 ? 1.1 : 0.9));
	}
	assert_int_equal(paleo_fit_comm(&points, 1, 1, &link, &fit, &err), PALEO_OK);
	assert_int_equal(link.range_count, 1);
	const struct paleo_link_range *r = &link.ranges[0];
	assert_true(r->se_latency_s > 0 && r->se_latency_s < 0.1 * r->latency_s);
	assert_true(fabs(r->latency_s - 1e-3) < 3 * r->se_latency_s);
	assert_true(fabs(r->bytes_per_s - 1e9) < 3 * r->se_bytes_per_s);
	within(fit.median_error, 0.1, 0.2);
	paleo_comm_points_release(&points);
}

/* Times that do not grow with the size have no rate, and no standard error of one; times that are
 * all bytes have no latency. */
static void test_one_of_two(void **state)
{
	struct paleo_comm_points flat = {0}, steep = {0};
	struct paleo_link link = {.name = "x"};
	struct paleo_comm_fit fit;
	struct paleo_error err = {0};

	(void)state;
	for (int i = 1; i <= 6; i++) {
		add(&flat, 2, 8 * i, 1e-5 * (i % 2 ? 1.001 : 1));
		add(&steep, 2, 1e6 * i, 1e-3 * i - 1e-5);
	}
	assert_int_equal(paleo_fit_comm(&flat, 1, 4, &link, &fit, &err), PALEO_OK);
	within(link.latency_s, 1e-5, 0.001);
	assert_true(link.bytes_per_s == 1e15 && isnan(link.ranges[0].se_bytes_per_s));
	assert_int_equal(paleo_fit_comm(&steep, 1, 1, &link, &fit, &err), PALEO_OK);
	assert_true(link.latency_s == 0 && isnan(link.ranges[0].se_latency_s));
	within(link.bytes_per_s, 0.5e9, 0.01);
	paleo_comm_points_release(&flat);
	paleo_comm_points_release(&steep);
}

/* 21 sizes, 1 KiB doubled, on 4 ranks: two passes of three messages of B/4 bytes, each
 * (sqrt(5 us) + sqrt(B/4 / 50 GB/s))^2: v is a half. */
static double curve_s(double bytes)
{
	double root = sqrt(5e-6) + sqrt(bytes / 4 / 50e9);

	return 6 * root * root;
}

static void test_curve(void **state)
{
	struct paleo_comm_points points = {0};
	struct paleo_link link = {.name = "x"};
	struct paleo_comm_fit fit;
	struct paleo_error err = {0};

	(void)state;
	for (int i = 0; i <= 20; i++)
		add(&points, 4, 1024 << i, curve_s(1024 << i));
	assert_int_equal(paleo_fit_comm_best(&points, 2, &link, &fit, &err), PALEO_OK);
	assert_int_equal(fit.form, PALEO_COMM_CURVE);
	within(link.latency_s, 5e-6, 0.02);
	within(link.bytes_per_s, 50e9, 0.02);
	within(fit.overlap, 0.5, 0.02);
	/* Chords over sizes 1.6 times apart are below it by less than 1 %. */
	assert_true(fit.max_error < 0.01);
	for (int form = 0; form < PALEO_COMM_FORMS; form++)
		assert_true(fit.held_out[form] >= fit.held_out[PALEO_COMM_CURVE]);
	/* Twice the largest size, on the last chord. */
	const struct paleo_comm_point beyond = {4, 2 * 1024. * (1 << 20), 1};
	within(paleo_comm_link_s(&link, &beyond, 2), curve_s(beyond.bytes), 0.03);
	/* Messages of two numbers of ranks make no curve, but ranges. */
	add(&points, 2, 4096, 2e-5);
	assert_int_equal(paleo_fit_comm_curve(&points, 2, &link, &fit, &err), PALEO_EUNSUPPORTED);
	assert_int_equal(paleo_fit_comm_best(&points, 2, &link, &fit, &err), PALEO_OK);
	assert_true(isnan(fit.held_out[PALEO_COMM_CURVE]));
	paleo_comm_points_release(&points);
}

/* Two ranks, one pass: t = L + B/2 / R. Lines through neighbours: 10 us at 1000 and 2000 bytes are
 * all latency; then 10 us more for 2000 bytes, R = 100 MB/s, and no latency is left; then as much
 * for 4000, R = 200 MB/s, L = 10 us. */
static void test_between(void **state)
{
	struct paleo_comm_points points = {0};
	struct paleo_link link = {.name = "x"};
	struct paleo_comm_fit fit;
	struct paleo_error err = {0};

	(void)state;
	add(&points, 2, 4000, 20e-6);
	add(&points, 2, 1000, 10e-6);
	add(&points, 2, 8000, 30e-6);
	assert_int_equal(paleo_fit_comm_between(&points, 1, &link, &fit, &err), PALEO_OK);
	add(&points, 2, 2000, 10e-6);
	assert_int_equal(paleo_fit_comm_between(&points, 1, &link, &fit, &err), PALEO_OK);
	assert_int_equal(fit.form, PALEO_COMM_BETWEEN);
	assert_int_equal(link.range_count, 3);
	assert_true(link.ranges[0].to_bytes == 2000 && link.ranges[1].to_bytes == 4000);
	assert_true(isinf(link.ranges[2].to_bytes));
	within(link.ranges[0].latency_s, 10e-6, 1e-9);
	assert_true(link.ranges[0].bytes_per_s == 1e15);
	assert_true(link.ranges[1].latency_s < 1e-12);
	within(link.ranges[1].bytes_per_s, 100e6, 1e-9);
	within(link.ranges[2].latency_s, 10e-6, 1e-9);
	within(link.ranges[2].bytes_per_s, 200e6, 1e-9);
	/* 4 sizes: too few to leave one out. */
	assert_int_equal(paleo_fit_comm_best(&points, 1, &link, &fit, &err), PALEO_OK);
	assert_true(fit.form == PALEO_COMM_RANGES && isnan(fit.held_out[PALEO_COMM_RANGES]));
	for (int i = 0; i < PALEO_LINK_RANGES_MAX; i++)
		add(&points, 2, 1e4 + i, 40e-6);
	assert_int_equal(paleo_fit_comm_between(&points, 1, &link, &fit, &err), PALEO_EUNSUPPORTED);
	paleo_comm_points_release(&points);
}

/* 34 sizes are one more than lines between them can be held for; without an eighth of them they
 * could. Times go with the power 0.75 of the size and bend at every one of them, by 10 % up and
 * down each four: what lines follow best. */
static void test_best_of_many(void **state)
{
	struct paleo_comm_points points = {0};
	struct paleo_link link = {.name = "x"};
	struct paleo_comm_fit fit;
	struct paleo_error err = {0};

	(void)state;
	for (int i = 0; i < PALEO_LINK_RANGES_MAX + 2; i++)
		add(&points, 2, 1024 * pow(1.5, i),
		    1e-5 * pow(1.5, 0.75 * i) * (1 + 0.1 * sin(i * 1.5707963)));
	assert_int_equal(paleo_fit_comm_between(&points, 2, &link, &fit, &err), PALEO_EUNSUPPORTED);
	assert_int_equal(paleo_fit_comm_best(&points, 2, &link, &fit, &err), PALEO_OK);
	assert_true(fit.form != PALEO_COMM_BETWEEN && isnan(fit.held_out[PALEO_COMM_BETWEEN]));
	assert_true(fit.held_out[PALEO_COMM_RANGES] > 0 && fit.held_out[PALEO_COMM_CURVE] > 0);
	paleo_comm_points_release(&points);
}

static void save(const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

#define RANKS "# Rank 0 x\n# Rank 1 x\n"

static void test_bad_logs(void **state)
{
	static const struct {
		const char *text, *message;
	} bad[] = {
		{"", "no header with 'size' and 'time'"},
		{"8 1 2\n", "numbers before a header"},
		{"# size time\n8 1\n", ":2: 0 ranks are named above"},
		{RANKS "# size count time\n8 2\n", ":4: 2 columns"},
		{RANKS "# size time\n8 x\n", ":4: size '8' and time 'x'"},
		{RANKS "# size time #wrong\n8 2 3\n", ":4: 3 results were wrong"},
		{"{\"results\": []}", "has 0 entries"},
		{"{\"config\": {\"devices\": [1, 2]}}", "results"},
		{"{\"config\": {\"devices\": [1, 2]}, \"results\": [{\"size\": 8}]}",
		 "out_of_place"},
		{"{\"config\": {\"devices\": [1, 2]}, \"results\": [{\"size\": 8, "
		 "\"out_of_place\": {\"time\": 1, \"nwrong\": 2}}]}",
		 "2 results were wrong"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct paleo_comm_points points = {0};
		struct paleo_error err = {0};
		save(bad[i].text);
		assert_int_equal(paleo_comm_log_read(path, 0, &points, &err), PALEO_EINPUT);
		if (!strstr(err.text, bad[i].message))
			fail_msg("'%s' lacks '%s'", err.text, bad[i].message);
		paleo_comm_points_release(&points);
	}
}

/* Columns go by their names; what other programs print between is passed over; ranks may be said.
 */
static void test_other_layout(void **state)
{
	struct paleo_comm_points points = {0};
	struct paleo_link link = {.name = "x"};
	struct paleo_comm_fit fit;
	struct paleo_error err = {0};

	(void)state;
	save("starting\n#  time  size\nwarning: 3 hosts\n 1.5  8\n 0.0 16\n 2.5 N/A\n");
	assert_int_equal(paleo_comm_log_read(path, 3, &points, &err), PALEO_EINPUT);
	paleo_comm_points_release(&points);
	save("starting\n#  time  size\nwarning: 3 hosts\n 1.5  8\n 0.0 16\n");
	read_file(path, 3, &points);
	assert_int_equal(points.count, 1);
	assert_int_equal(points.items[0].ranks, 3);
	assert_true(points.items[0].bytes == 8);
	within(points.items[0].time_s, 1.5e-6, 1e-12);
	assert_int_equal(paleo_fit_comm(&points, 2, 4, &link, &fit, &err), PALEO_EINPUT);
	assert_non_null(strstr(err.text, "1 measured times"));
	paleo_comm_points_release(&points);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_logs),       cmocka_unit_test(test_errors_of_a_fit),
		cmocka_unit_test(test_one_of_two), cmocka_unit_test(test_curve),
		cmocka_unit_test(test_between),    cmocka_unit_test(test_best_of_many),
		cmocka_unit_test(test_bad_logs),   cmocka_unit_test(test_other_layout),
	};
	int file = mkstemp(path);

	if (file < 0)
		return 1;
	close(file);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return failed;
}
