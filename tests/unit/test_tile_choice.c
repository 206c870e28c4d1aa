/* test_tile_choice.c - the fastest tile and split is that of pricing each one, to the last bit. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/hash.h"
#include "model/predict/tile.h"
#include "tests/unit/unit.h"

enum {
	CASES = 200000
};

/* The next of a row of numbers that look random, from low to high, even over their logarithms. */
static double next(uint64_t *at, double low, double high)
{
	*at = paleo_hash(*at + 1);
	return low * pow(high / low, (double)(*at >> 11) * 0x1p-53);
}

static double soft_max(double a, double b, double c, double q)
{
	double most = fmax(a, fmax(b, c)), scale = 1 / most;

	a *= scale;
	b *= scale;
	c *= scale;
	if (q == 4)
		return most * sqrt(sqrt(a * a * (a * a) + b * b * (b * b) + c * c * (c * c)));
	double least = fmin(a, fmin(b, c)), middle = fmax(a + b + c - 1 - least, 0);
	return most * exp(log(1 + exp(q * log(middle)) + exp(q * log(least))) / q);
}

/* One candidate by the formulas of tile.h, in the order in which tile_choice.c does them. */
static struct paleo_tile_choice price(const struct paleo_tile_params *p,
				      const struct paleo_tile_device *d,
				      const struct paleo_tile_product *g, int tile, int split)
{
	double tm, tn, y = g->k * g->element_bytes * g->m / (4 * p->tlb_k * (g->m + p->tlb_rows));

	paleo_tile_size(tile, &tm, &tn);
	double rows = ceil(g->m / tm), columns = ceil(g->n / tn);
	double blocks = rows * columns * g->batch / d->sm_count, w = blocks * split;
	double w1 = fmax(w, 1), waves = w1 + p->wave * (fmax(ceil(w), 1) - w1);
	double resident = fmin(tm * tn * w1, 32768);
	double far = y * y > 0 ? 1 + 1.5 * (y * y) / (1 + y * y) : 1;
	double slower = (1 + p->half_intensity * ((tm + tn) / (tm * tn))) * far;
	double steps = ceil(g->k / split) + p->prologue_k;
	double over = waves * 2 * (tm * tn) * steps * slower * (resident + p->half_accumulators);
	double rate =
		d->flop_per_s / d->sm_count * p->ppp_compute * (1 + p->half_accumulators / 32768);
	double under = resident * rate, sum = over + p->droop_us * 1e-6 * under;
	double results = g->batch * g->m * g->n;
	double missed = g->bytes * paleo_tile_miss(p, d, g->foot_bytes);
	double bytes =
		g->batch * g->element_bytes * g->k * (g->m * columns * g->a_share + g->n * rows) +
		g->result_bytes * results;
	double cache_s = bytes * (1 / (p->ppp_cache * 64 * d->sm_count * d->clock_hz));
	struct paleo_tile_choice c = {.tile = tile, .split = split};

	c.compute_s = over * (sum + p->droop * over) / (under * sum);
	c.memory_s = (split > 1 ? missed + 8 * split * results : missed) *
		     (1 / (p->ppp_memory * d->mem_bytes_per_s));
	/* Few blocks: with one more row or column of them where that means less for each. */
	double m = fmin(g->m, rows * rows / ((rows + 1) * (1 / tm)));
	double n = fmin(g->n, columns * columns / ((columns + 1) * (1 / tn)));
	if (p->unpadded != 0) {
		m = g->m;
		n = g->n;
	}
	double fewer = g->batch * g->element_bytes * g->k * (m * columns * g->a_share + n * rows) +
		       g->result_bytes * (g->batch * g->m * g->n) * (m * n / (g->m * g->n));
	double thin_s = fewer * (1 / (p->ppp_cache * 64 * d->sm_count * d->clock_hz));
	c.cache_s = w < 1 ? thin_s / blocks / split : cache_s;
	c.kernel_s = soft_max(c.compute_s, c.memory_s, c.cache_s, p->sharpness) +
		     (split > 1 ? p->split_us * 1e-6 : 0);
	return c;
}

/* The fastest of all; of equal ones any. */
static double fastest_s(const struct paleo_tile_params *p, const struct paleo_tile_device *d,
			const struct paleo_tile_product *g, unsigned tiles, int split_max)
{
	double best_s = INFINITY;

	for (int tile = 0; tile < PALEO_TILES; tile++)
		for (int split = 1; tiles >> tile & 1 && split <= split_max; split *= 2)
			if (split == 1 || ceil(g->k / split) >= 64)
				best_s = fmin(best_s, price(p, d, g, tile, split).kernel_s);
	return best_s;
}

static struct paleo_tile_params random_params(uint64_t *at)
{
	struct paleo_tile_params p = paleo_tile_params_init(PALEO_F32);

	for (const struct paleo_parameter *q = paleo_tile_parameters; q->name; q++)
		paleo_parameter_set(
			q, &p, next(at, fmax(q->low, q->init / 20), fmin(q->high, q->init * 20)));
	if (next(at, 1, 4) < 2)
		p.sharpness = 4; /* where roots do */
	p.unpadded = next(at, 1, 4) < 2;
	return p;
}

static struct paleo_tile_product random_product(uint64_t *at)
{
	double most = next(at, 1, 2) < 1.5 ? 60000 : 300;
	double m = floor(next(at, 1, most)), n = floor(next(at, 1, most));
	double k = floor(next(at, 1, most)), batch = floor(next(at, 1, 40));
	struct paleo_tile_product g =
		paleo_tile_product_of(m, n, k, batch, next(at, 1, 4) < 2 ? 4 : 2);

	if (next(at, 1, 4) < 2)
		g.a_share = 0.3;
	return g;
}

static unsigned random_tiles(uint64_t *at)
{
	unsigned tiles = (unsigned)next(at, 1, PALEO_TILES_ALL + 1);

	return next(at, 1, 2) < 1.5 ? PALEO_TILES_ALL : tiles & PALEO_TILES_ALL;
}

static void is_that_of_all_candidates(void **state)
{
	int device_count = 0;
	const struct paleo_device *devices = paleo_devices(&device_count);
	uint64_t at = 1;
	struct paleo_tile_device d;
	struct paleo_error err;

	(void)state;
	for (int i = 0; i < CASES; i++) {
		const struct paleo_device *device = &devices[i % device_count];
		if (paleo_tile_device_of(device, PALEO_F32, &d, &err))
			continue;
		const struct paleo_tile_params p = random_params(&at);
		const struct paleo_tile_product g = random_product(&at);
		unsigned tiles = random_tiles(&at);
		int split_max = 1 << (int)next(&at, 1, 7.99);
		struct paleo_tile_choice chosen, near;
		double s = paleo_tile_kernel_s(&p, &d, &g, tiles, split_max, &chosen);
		const struct paleo_tile_choice same = price(&p, &d, &g, chosen.tile, chosen.split);

		assert_true(s == fastest_s(&p, &d, &g, tiles, split_max));
		assert_true(s == same.kernel_s && chosen.compute_s == same.compute_s &&
			    chosen.memory_s == same.memory_s && chosen.cache_s == same.cache_s);
		assert_true(tiles >> chosen.tile & 1 && chosen.split <= split_max);

		/* With a limit that it meets, from wherever one starts; and with one that it does
		 * not. */
		near = (struct paleo_tile_choice){.tile = (int)next(&at, 1, 13.9) - 1,
						  .split = 1 << (int)next(&at, 1, 3.9) >> 1};
		assert_true(s == paleo_tile_kernel_near_s(&p, &d, &g, tiles, split_max,
							  s * (1 + 1e-12), &near));
		near.tile = -1;
		assert_true(
			isinf(paleo_tile_kernel_near_s(&p, &d, &g, tiles, split_max, s, &near)));
		assert_int_equal(near.tile, -1);
	}
}

/* 64 x 64 results of little work: memory is all that counts, and takes the same with every tile.
 * The one that computes fastest is said to be chosen. */
static void of_equal_ones_the_fastest_to_compute(void **state)
{
	struct paleo_tile_params p = paleo_tile_params_init(PALEO_F32);
	const struct paleo_tile_product g = paleo_tile_product_of(8192, 8192, 1, 1, 4);
	struct paleo_tile_choice chosen;
	struct paleo_tile_device d;
	struct paleo_error err;
	double least_s = INFINITY;
	int fastest = -1;

	(void)state;
	p.sharpness = 16;
	p.ppp_memory = 0.001;
	assert_int_equal(paleo_tile_device_of(paleo_device_find("v100-pcie"), PALEO_F32, &d, &err),
			 0);
	double s = paleo_tile_kernel_s(&p, &d, &g, PALEO_TILES_ALL, 1, &chosen);
	for (int tile = 0; tile < PALEO_TILES; tile++) {
		const struct paleo_tile_choice c = price(&p, &d, &g, tile, 1);
		assert_true(c.kernel_s == s && s == c.memory_s);
		if (c.compute_s < least_s) {
			least_s = c.compute_s;
			fastest = tile;
		}
	}
	assert_int_equal(chosen.tile, fastest);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_that_of_all_candidates),
		cmocka_unit_test(of_equal_ones_the_fastest_to_compute),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
