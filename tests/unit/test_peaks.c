/* test_peaks.c - peaks by tries that nothing disturbed, and those that cannot be true. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "bench/peaks.h"
#include "unit.h"

/* So many tries that reach a rate, each of a millisecond, with this share of the CPUs' time.
 */
static struct paleo_peak taken(int tries, double per_s, double share)
{
	struct paleo_peak p = {.tries = 0};

	for (int i = 0; i < tries; i++)
		paleo_peak_take(&p, &(struct paleo_try){per_s * 1e-3, 1e-3, share});
	return p;
}

/* Two cores of at most 5.2 GHz with vectors of 16 floats: 2 x 5.2e9 x 64 = 665.6 GFLOP/s at most.
 * They reach 233 together, 118 alone, and 221 in products; twice that in bf16. */
static struct paleo_peaks quiet(void)
{
	static const double memory[PALEO_STREAMS] = {36e9, 35e9, 37e9, 58e9};
	static const double cache[PALEO_STREAMS] = {199e9, 200e9, 192e9, 277e9};
	struct paleo_peaks p = {.threads = 2,
				.clock_hz = 5.2e9,
				.f32_flops = 64,
				.bf16_flops = 128,
				.f32 = taken(60, 233e9, 1),
				.bf16 = taken(60, 470e9, 1),
				.alone = taken(20, 118e9, 1),
				.products_per_s = 221e9};

	for (int i = 0; i < PALEO_STREAMS; i++) {
		p.memory[i] = taken(8, memory[i], 1);
		p.cache[i] = taken(8, cache[i], 1);
	}
	return p;
}

static void expect(const struct paleo_peaks *p, const char *arithmetic, const char *memory)
{
	struct paleo_doubts d;

	paleo_peaks_doubt(p, &d);
	assert_string_equal(d.arithmetic, arithmetic);
	assert_string_equal(d.memory, memory);
}

static void quiet_ones_are_believed(void **state)
{
	struct paleo_peaks p = quiet();

	(void)state;
	expect(&p, "", "");
	p.products_per_s = 0; /* not known */
	p.alone = (struct paleo_peak){.tries = 0};
	p.bf16_flops = 0; /* not offered */
	p.bf16 = (struct paleo_peak){.tries = 0};
	expect(&p, "", "");
}

/* A try counts if each thread had its CPU for 97 % of it: the slower of 100 and 150 is the
 * one. */
static void only_quiet_tries_count(void **state)
{
	struct paleo_peak p = {.tries = 0};

	(void)state;
	paleo_peak_take(&p, &(struct paleo_try){100, 1, 0.98});
	paleo_peak_take(&p, &(struct paleo_try){150, 1, 0.96});
	assert_true(p.per_s == 100 && p.seen == 150);
	assert_true(p.quiet == 1 && p.tries == 2);
}

/* 3.8e17 FLOP/s were a millisecond's work in a nanosecond by the clock; nor can a thread have had
 * twice the time that passed. */
static void faults_of_clocks_count_nowhere(void **state)
{
	struct paleo_peak p = {.tries = 0};

	(void)state;
	paleo_peak_take(&p, &(struct paleo_try){3.8e8, 1e-9, 1});
	paleo_peak_take(&p, &(struct paleo_try){3.8e8, 1e-6, 1000});
	paleo_peak_take(&p, &(struct paleo_try){3.8e8, -1e-3, 1});
	paleo_peak_take(&p, &(struct paleo_try){3.8e8, NAN, NAN});
	assert_true(p.per_s == 0 && p.seen == 0 && p.quiet == 0 && p.tries == 4);
}

/* And if a clock were wrong all the time: 2 x 5.2e9 x 64 = 6.656e11. */
static void more_than_the_processor_can_do(void **state)
{
	struct paleo_peaks p = quiet();

	(void)state;
	p.f32 = taken(60, 3.8e17, 1);
	expect(&p, "3.8e+17 FLOP/s in f32 are more than the 6.66e+11 that 2 threads can do", "");
}

/* 1.3 GFLOP/s, as others had the CPUs in all but a few tries; or in none, but nothing fits.
 */
static void less_than_products_reach(void **state)
{
	struct paleo_peaks p = quiet();

	(void)state;
	p.f32 = taken(60, 1.3e9, 0.3);
	expect(&p, "0 of 60 tries in f32 were undisturbed", "");
	assert_true(p.f32.seen == 1.3e9);
	p = quiet();
	p.alone = (struct paleo_peak){.tries = 0};
	p.f32 = taken(60, 1.3e9, 1);
	expect(&p, "GEMMs reach 221 GFLOP/s, more than the 1 of multiply-adds alone", "");
}

/* 243 of 509 GFLOP/s: two threads on one core, which does 254 alone; each does 121.5, below 0.6 x
 * 254. */
static void threads_that_share_a_core(void **state)
{
	struct paleo_peaks p = quiet();

	(void)state;
	p.f32 = taken(60, 243e9, 1);
	p.alone = taken(20, 254e9, 1);
	p.products_per_s = 230e9;
	p.bf16 = taken(60, 486e9, 1);
	expect(&p, "2 threads reach 243 GFLOP/s, and one alone 254: they share cores", "");
	p.f32 = taken(60, 509e9, 1);
	p.products_per_s = 477e9;
	p.bf16 = taken(60, 999e9, 1);
	expect(&p, "", "");
}

/* bf16 does one to two times what f32 does: 4.04 times says that f32 was slow, 0.25 that bf16 was.
 */
static void bf16_beside_f32(void **state)
{
	struct paleo_peaks p = quiet();

	(void)state;
	p.alone = (struct paleo_peak){.tries = 0};
	p.products_per_s = 0;
	p.f32 = taken(60, 116.5e9, 1);
	expect(&p, "bf16 is 4.03 times as fast as f32, expected 1 to 2", "");
	p.f32 = taken(60, 233e9, 1);
	p.bf16 = taken(60, 58e9, 1);
	expect(&p, "bf16 is 0.25 times as fast as f32, expected 1 to 2", "");
}

/* A stream of 0.8 GB/s predicted an update of 1867 ms that took 88. */
static void a_stream_that_stood_still(void **state)
{
	struct paleo_peaks p = quiet();

	(void)state;
	for (int i = 0; i < PALEO_STREAMS; i++)
		p.memory[i] = taken(8, 0.8e9, 0.4);
	expect(&p, "", "0 of 8 tries of reading were undisturbed");
	for (int i = 0; i < PALEO_STREAMS; i++)
		p.memory[i] = taken(8, 0.8e9, 1);
	expect(&p, "", "reading reaches 0.8 GB/s in memory and 199 in the last cache");
	p = quiet();
	p.memory[PALEO_STREAM_WRITE] = taken(8, 5e9, 1);
	expect(&p, "", "memory streams reach 5 to 58 GB/s");
}

/* A cache of 2.01 GB/s below a memory of 35: the cache's tries were disturbed. */
static void memory_beside_its_cache(void **state)
{
	struct paleo_peaks p = quiet();

	(void)state;
	p.cache[PALEO_STREAM_WRITE] = taken(8, 2.01e9, 1);
	expect(&p, "", "writing reaches 35 GB/s in memory and 2.01 in the last cache");
}

/* Copying reads and writes as many bytes: it counts twice the slower of the two at most. */
static void copying_beside_its_parts(void **state)
{
	struct paleo_peaks p = quiet();

	(void)state;
	p.memory[PALEO_STREAM_COPY] = taken(8, 95e9, 1);
	expect(&p, "", "copying reaches 95 GB/s, reading alone 36, writing 35");
}

/* The spread of write_l3 was 7808 %: tries that others had disturbed stood among the quiet ones. Of
 * those alone it is that of 198, 199, 200, 201 and 202: 201 - 199 over 200. */
static void quiet_tries_lie_together(void **state)
{
	static const double rates[] = {198, 2, 199, 2.5, 200, 2, 201, 3, 202, 2};
	struct paleo_ceilings list = {.count = 0};
	struct paleo_error err;
	double samples[10];
	int n = 0;

	(void)state;
	for (int i = 0; i < 10; i++) {
		const struct paleo_try t = {rates[i] * 1e-3, 1e-3, i % 2 ? 0.5 : 1};
		if (paleo_try_is_quiet(&t))
			samples[n++] = t.amount / t.wall_s;
	}
	assert_int_equal(n, 5);
	assert_int_equal(paleo_ceilings_add(&list, "write_l3", "B/s", samples, n, "", &err), 0);
	assert_true(fabs(list.items[0].spread - 0.01) < 1e-9);
	assert_true(fabs(list.items[0].value - 202) < 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quiet_ones_are_believed),
		cmocka_unit_test(only_quiet_tries_count),
		cmocka_unit_test(faults_of_clocks_count_nowhere),
		cmocka_unit_test(more_than_the_processor_can_do),
		cmocka_unit_test(less_than_products_reach),
		cmocka_unit_test(threads_that_share_a_core),
		cmocka_unit_test(bf16_beside_f32),
		cmocka_unit_test(a_stream_that_stood_still),
		cmocka_unit_test(memory_beside_its_cache),
		cmocka_unit_test(copying_beside_its_parts),
		cmocka_unit_test(quiet_tries_lie_together),
	};

	return cmocka_run_group_tests_name("peaks", tests, NULL, NULL);
}
