/* test_residual.c - the correction near measured shapes: by hand, and when it is kept. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "calib/fit_residual.h"
#include "tests/unit/unit.h"

enum {
	POINTS = 300
};

static int near(double x, double y)
{
	return fabs(x - y) <= 1e-12;
}

static void place_of_a_product(void **state)
{
	(void)state;
	struct paleo_work w = {.kind = PALEO_GEMM,
			       .geom.gemm = {.m = 1024, .n = 2, .k = 64, .batch = 1}};
	double at[PALEO_RESIDUAL_AXES];

	paleo_residual_place(&w, at);
	assert_true(near(at[0], 10) && near(at[1], 1) && near(at[2], 6) && at[3] == 0);
	/* Rows of 64 and of 2 elements: 8 bytes are a quarter of a sector, two halvings. */
	assert_true(at[4] == 0 && at[5] == 0 && near(at[6], 1) && at[7] == 0);
	/* Stored the other way: 1.4 doublings apart. */
	w.geom.gemm.trans_b = 1;
	paleo_residual_place(&w, at);
	assert_true(near(at[0], 10) && at[4] == 0 && near(at[5], 1.4));
	w.geom.gemm.n = 8;
	paleo_residual_place(&w, at);
	assert_true(at[6] == 0);
	w.dtype = PALEO_BF16;
	paleo_residual_place(&w, at);
	assert_true(near(at[6], 0.5));
}

/* Points that are not owned: free the leaves alone. */
static void sort(struct paleo_residual *r)
{
	struct paleo_error err;

	assert_int_equal(paleo_residual_sort(r, &err), 0);
}

/*
 * Reach 1.6, shrink 0.5. A point at the place itself weighs 1, one at a distance of 0.8 weighs
 * (1 - 1/4)^2 = 9/16, one at 2 nothing: (0.3 + 0.9/16) / (1 + 9/16 + 0.5) = 5.7/33.
 */
static void is_a_shrunk_average(void **state)
{
	(void)state;
	struct paleo_residual_point points[] = {
		{.at = {5, 2}, .log_ratio = 9, .group = 0},
		{.at = {3, 2.8}, .log_ratio = 0.1, .group = 1},
		{.at = {3, 2}, .log_ratio = 0.3, .group = 2},
	};
	struct paleo_residual r = {.points = points, .count = 3};
	const double at[PALEO_RESIDUAL_AXES] = {3, 2}, far[PALEO_RESIDUAL_AXES] = {3, 9};

	sort(&r);
	assert_true(near(paleo_residual_log(&r, at, -1), 5.7 / 33));
	/* Without group 2: (0.9/16)/(9/16 + 0.5) = 0.9/17. */
	assert_true(near(paleo_residual_log(&r, at, 2), 0.9 / 17));
	assert_true(paleo_residual_log(&r, far, -1) == 0);
	r.count = 0;
	assert_true(paleo_residual_log(&r, at, -1) == 0);
	free(r.leaves);
}

/* Of 20 points at one place twelve count: 12 x 0.25/(12 + 0.5) = 0.24. */
static void has_twelve_neighbours(void **state)
{
	(void)state;
	struct paleo_residual_point points[20] = {0};
	struct paleo_residual r = {.points = points, .count = 20};
	const double at[PALEO_RESIDUAL_AXES] = {0};

	for (int i = 0; i < 20; i++)
		points[i].log_ratio = 0.25;
	sort(&r);
	assert_true(near(paleo_residual_log(&r, at, -1), 0.24));
	free(r.leaves);
}

/* Three points of one place fill no leaf: what stands in for the others is nowhere. Without group 1
 * (0.2 + 0.3)/(2 + 0.5) = 0.2; along an axis on which none differ a place may be off: by 0.8, it is
 * (0.2 + 0.3) x 9/16 / (2 x 9/16 + 0.5) = 9/52, by 2 nothing. */
static void is_of_one_place(void **state)
{
	(void)state;
	struct paleo_residual_point points[] = {
		{.at = {3, 2}, .log_ratio = 0.2, .group = 0},
		{.at = {3, 2}, .log_ratio = 9, .group = 1},
		{.at = {3, 2}, .log_ratio = 0.3, .group = 2},
	};
	struct paleo_residual r = {.points = points, .count = 3};
	double at[PALEO_RESIDUAL_AXES] = {3, 2};

	sort(&r);
	assert_true(near(paleo_residual_log(&r, at, 1), 0.2));
	at[7] = 0.8;
	assert_true(near(paleo_residual_log(&r, at, 1), 9.0 / 52));
	at[7] = 2;
	assert_true(paleo_residual_log(&r, at, 1) == 0);
	free(r.leaves);
}

/* 0 .. 1, without pattern: the finaliser of MurmurHash3. */
static double noise(unsigned i)
{
	i = (i ^ i >> 16) * 0x85ebca6bU;
	i = (i ^ i >> 13) * 0xc2b2ae35U;
	return (double)(i ^ i >> 16) / 4294967296.0;
}

/* Places on a plane of 8 x 8 doublings; errors that change slowly over it, or that do not hang
 * together at all. */
static void fill(struct paleo_residual_point *points, int slow)
{
	for (unsigned i = 0; i < POINTS; i++) {
		double x = 8 * noise(3 * i), y = 8 * noise(3 * i + 1);
		double error = slow ? 0.3 * sin(x) : 0.3 * (noise(3 * i + 2) - 0.5);
		points[i] = (struct paleo_residual_point){
			.at = {x, y}, .log_ratio = error, .group = (int)i};
	}
}

static void is_kept_only_where_it_helps(void **state)
{
	(void)state;
	static struct paleo_residual_point points[POINTS];
	struct paleo_residual r;
	struct paleo_residual_gain gain;
	struct paleo_error err;

	fill(points, 1);
	assert_int_equal(paleo_fit_residual(points, POINTS, &r, &gain, &err), 0);
	assert_int_equal(r.count, POINTS);
	assert_true(gain.kept && gain.with < 0.5 * gain.without);
	paleo_residual_release(&r);
	assert_int_equal(paleo_fit_residual(points, 99, &r, &gain, &err), 0);
	assert_int_equal(r.count, 0);
	fill(points, 0);
	assert_int_equal(paleo_fit_residual(points, POINTS, &r, &gain, &err), 0);
	assert_true(!gain.kept && gain.with > 0.98 * gain.without);
	assert_null(r.points);
	/* One group alone has no others to be corrected by. */
	fill(points, 1);
	for (int i = 0; i < POINTS; i++)
		points[i].group = 7;
	assert_int_equal(paleo_fit_residual(points, POINTS, &r, &gain, &err), 0);
	assert_true(!gain.kept && gain.with == gain.without);
}

/* The same points backwards give the same bits. */
static void order_does_not_matter(void **state)
{
	(void)state;
	static struct paleo_residual_point points[POINTS], backwards[POINTS];
	struct paleo_residual r = {.points = points, .count = POINTS};
	struct paleo_residual b = {.points = backwards, .count = POINTS};

	fill(points, 0);
	for (int i = 0; i < POINTS; i++)
		backwards[i] = points[POINTS - 1 - i];
	sort(&r);
	sort(&b);
	for (int i = 0; i < 20; i++) {
		const double at[PALEO_RESIDUAL_AXES] = {0.4 * i, 4};
		assert_true(paleo_residual_log(&r, at, -1) == paleo_residual_log(&b, at, -1));
	}
	free(r.leaves);
	free(b.leaves);
}

/* The tree finds what looking at every point finds: 12 of 300 on a plane. */
static void finds_the_nearest(void **state)
{
	(void)state;
	static struct paleo_residual_point points[POINTS];
	struct paleo_residual r = {.points = points, .count = POINTS};

	fill(points, 0);
	sort(&r);
	for (unsigned k = 0; k < 50; k++) {
		const double at[PALEO_RESIDUAL_AXES] = {8 * noise(7 * k), 8 * noise(7 * k + 3)};
		double sum = 0, weights = 0.5, last = -1;
		for (int found = 0; found < PALEO_RESIDUAL_NEIGHBOURS; found++) {
			double least = INFINITY, ratio = 0;
			for (int i = 0; i < POINTS; i++) {
				double x = points[i].at[0] - at[0], y = points[i].at[1] - at[1];
				double d2 = x * x + y * y;
				if (d2 > last && d2 < least) {
					least = d2;
					ratio = points[i].log_ratio;
				}
			}
			double w = pow(fmax(1 - least / 2.56, 0), 2);
			sum += w * ratio;
			weights += w;
			last = least;
		}
		assert_true(near(paleo_residual_log(&r, at, -1), sum / weights));
	}
	free(r.leaves);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(place_of_a_product),
		cmocka_unit_test(is_a_shrunk_average),
		cmocka_unit_test(has_twelve_neighbours),
		cmocka_unit_test(is_of_one_place),
		cmocka_unit_test(is_kept_only_where_it_helps),
		cmocka_unit_test(order_does_not_matter),
		cmocka_unit_test(finds_the_nearest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
