/* test_growth.c - larger works take longer, by every preset of products and of convolutions. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "calib/calibration_file.h"
#include "model/predict/predict.h"
#include "tests/unit/unit.h"

enum {
	DRAWS = 1000,
	SIDES = 4
};

/* A whole number from 1 to `most`, small ones as often as large ones; one in three a power of two,
 * one in three a multiple of 64: what nets have, and where libraries' kernels change. */
static int draw(int i, int what, double most)
{
	uint64_t h = paleo_hash((uint64_t)(SIDES * i + what));
	int size = (int)exp(log(most) * (double)(h >> 11) / 9007199254740992.0); /* 2^53 */

	if (h % 3 == 0)
		return 1 << ilogb(size);
	return h % 3 == 1 ? (size + 63) / 64 * 64 : size;
}

static double time_of(const struct paleo_calibration *c, const char *key)
{
	struct paleo_prediction p;
	struct paleo_work w;
	struct paleo_error err;

	if (paleo_work_parse(key, &w, &err) || paleo_predict_work(c, &w, &p, &err))
		fail_msg("%s: %s", key, err.text);
	return p.parts.total_s;
}

static double product_s(const struct paleo_calibration *c, const char *type, const int a[SIDES])
{
	char key[PALEO_WORK_KEY_MAX];

	snprintf(key, sizeof(key), "gemm fwd %s m=%d n=%d k=%d batch=%d", type, a[0], a[1], a[2],
		 a[3]);
	return time_of(c, key);
}

static double convolution_s(const struct paleo_calibration *c, const char *type, const int a[SIDES])
{
	char key[PALEO_WORK_KEY_MAX];

	snprintf(key, sizeof(key),
		 "conv fwd %s n=%d c=%d h=%d w=%d k=%d r=3 s=3 pad_t=1 pad_l=1 pad_b=1 pad_r=1",
		 type, a[0], a[1], a[3], a[3], a[2]);
	return time_of(c, key);
}

/* How often of all steps a work that is larger in one side is predicted to take 5 % less or still
 * less, and the least ratio. */
struct falls {
	int steps, below;
	double least;
};

static void try_steps(const struct paleo_calibration *c, const char *type, const int a[SIDES],
		      double (*time_s)(const struct paleo_calibration *, const char *,
				       const int[SIDES]),
		      int sides, struct falls *f)
{
	double before_s = time_s(c, type, a);

	for (int side = 0; side < sides; side++) {
		const int sizes[] = {a[side] + 1, (int)ceil(1.1 * a[side]),
				     (int)ceil(1.5 * a[side]), 2 * a[side]};
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			int b[SIDES] = {a[0], a[1], a[2], a[3]};
			b[side] = sizes[i];
			double ratio = time_s(c, type, b) / before_s;
			f->steps++;
			f->below += ratio < 0.95;
			f->least = fmin(f->least, ratio);
		}
	}
}

static void load(const char *name, int corrected, struct paleo_calibration *c)
{
	char path[128];
	struct paleo_error err;

	snprintf(path, sizeof(path), "results/presets/%s.json", name);
	if (paleo_calibration_load(path, c, &err))
		fail_msg("%s", err.text);
	for (int i = 0; !corrected && i < c->count; i++)
		c->models[i].correction.count = 0;
}

/* Measured times fall by 5 % and more in 7 to 12 % of the steps from one m to the next, and so
 * would those of any law that follows them (docs/method/answers.md): a correction may, seldom and
 * by little. The laws themselves may not, but where a timing loop takes one copy of the weights
 * less and finds more of them in the cache. */
static void larger_products_take_longer(void **state)
{
	static const struct {
		const char *preset, *type;
		int corrected;
		double share, least;
	} cases[] = {
		{"h200", "bf16", 0, 0.002, 0.9},        {"b200", "fp8", 0, 0.002, 0.9},
		{"v100-pcie-32", "f32", 0, 0.002, 0.8}, {"h200", "bf16", 1, 0.01, 0.88},
		{"b200", "fp8", 1, 0.01, 0.88},         {"v100-pcie-32", "f32", 1, 0.02, 0.8},
		{"p100-pcie", "f32", 1, 0.03, 0.8},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct paleo_calibration c;
		struct falls f = {.least = 1};
		load(cases[i].preset, cases[i].corrected, &c);
		for (int n = 0; n < DRAWS; n++) {
			const int a[SIDES] = {draw(n, 0, 32768), draw(n, 1, 65536),
					      draw(n, 2, 65536), 1};
			try_steps(&c, cases[i].type, a, product_s, 3, &f);
		}
		if (f.below > cases[i].share * f.steps || f.least < cases[i].least)
			fail_msg("%s %s: %d of %d steps fall by more than 5 %%, one to %.3f",
				 cases[i].preset, cases[i].type, f.below, f.steps, f.least);
		paleo_calibration_release(&c);
	}
}

static void larger_convolutions_take_longer(void **state)
{
	static const struct {
		const char *preset;
		int corrected;
		double share, least;
	} cases[] = {{"t4", 0, 0.001, 0.93}, {"t4", 1, 0.01, 0.8}, {"p100-pcie", 1, 0.03, 0.7}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct paleo_calibration c;
		struct falls f = {.least = 1};
		load(cases[i].preset, cases[i].corrected, &c);
		for (int n = 0; n < DRAWS; n++) {
			const int a[SIDES] = {draw(n, 0, 64), draw(n, 1, 512), draw(n, 2, 512),
					      draw(n, 3, 112)};
			try_steps(&c, "f32", a, convolution_s, SIDES, &f);
		}
		if (f.below > cases[i].share * f.steps || f.least < cases[i].least)
			fail_msg("%s: %d of %d steps fall by more than 5 %%, one to %.3f",
				 cases[i].preset, f.below, f.steps, f.least);
		paleo_calibration_release(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(larger_products_take_longer),
		cmocka_unit_test(larger_convolutions_take_longer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
