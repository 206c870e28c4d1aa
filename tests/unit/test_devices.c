/* test_devices.c - the shipped devices: their numbers fit together, and they are found. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "model/device/device.h"
#include "model/paleo2017/paleo2017.h"
#include "tests/unit/unit.h"

/* Chips of one compute capability: what a multiprocessor does in a cycle. */
static const struct {
	int compute_capability;
	int cores;       /* f32, one multiplication and addition a cycle each */
	int tensor_flop; /* f16, dense; GeForce chips do half with f32 accumulation */
	int tf32;        /* 1: its tensor cores also do tf32 and bf16 */
} chips[] = {
	/* CUDA C++ Programming Guide, throughput of arithmetic instructions; the architecture
	 * whitepapers for tensor cores: 8 x 64 FMA (Volta, Turing), 4 x 256 (A100), 4 x 128
	 * (GA10x, Ada, RTX Blackwell), 4 x 512 (Hopper), 4 x 1024 (B200); 2 FLOP each. */
	{30, 192, 0, 0},     {35, 192, 0, 0},     {37, 192, 0, 0},     {52, 128, 0, 0},
	{60, 64, 0, 0},      {61, 128, 0, 0},     {70, 64, 1024, 0},   {75, 64, 1024, 0},
	{80, 64, 2048, 1},   {86, 128, 1024, 1},  {89, 128, 1024, 1},  {90, 128, 4096, 1},
	{100, 128, 8192, 1}, {103, 128, 8192, 1}, {120, 128, 1024, 1}, {121, 128, 1024, 1},
};

enum {
	CHIPS = sizeof(chips) / sizeof(chips[0])
};

static int chip_of(const struct paleo_device *d)
{
	for (int i = 0; i < CHIPS; i++)
		if (chips[i].compute_capability == d->compute_capability)
			return i;
	fail_msg("'%s': compute capability %d is not in the test's table", d->name,
		 d->compute_capability);
	return 0;
}

/* Written so that a NaN fails. */
static void expect_ratio(const struct paleo_device *d, const char *what, double a, double b,
			 double low, double high)
{
	if (!(a / b >= low && a / b <= high))
		fail_msg("'%s': %s is %g of what was worked out, not within %g and %g", d->name,
			 what, a / b, low, high);
}

static void test_f32_is_cores_times_clock(void **state)
{
	int count, gpus = 0;
	const struct paleo_device *d = paleo_devices(&count);

	(void)state;
	for (; count--; d++) {
		if (!d->compute_capability)
			continue;
		double flop = 2.0 * chips[chip_of(d)].cores * d->sm_count * d->clock_hz;
		expect_ratio(d, "f32", d->flop_per_s[PALEO_F32], flop, 0.98, 1.02);
		gpus++;
	}
	assert_true(gpus > 30);
}

/* AMD's chips: what a compute unit does in a cycle. */
static const struct {
	const char *chip;
	double f32, tf32, f16, bf16, fp8; /* FLOP, dense: of its cores, and of its matrix cores */
} amd_chips[] = {
	/* the CDNA, CDNA 2, CDNA 3 and CDNA 4 whitepapers; 64 cores, since CDNA 3 with two f32 at
	 * once; Vega has no matrix cores, but two f16 in one core */
	{"Vega 10", 128, 0, 256, 0, 0},       {"Arcturus", 128, 0, 1024, 512, 0},
	{"Aldebaran", 128, 0, 1024, 1024, 0}, {"Aqua Vanjaram", 256, 1024, 2048, 2048, 4096},
	{"MI350", 256, 0, 4096, 4096, 8192},
};

static void expect_amd(const struct paleo_device *d, enum paleo_dtype dtype, double flop)
{
	double peak = flop * d->sm_count * d->clock_hz;

	if (flop > 0)
		expect_ratio(d, paleo_dtype_name(dtype), d->flop_per_s[dtype], peak, 0.98, 1.02);
	else
		assert_true(d->flop_per_s[dtype] == 0);
}

static void test_amd_fits_the_chip(void **state)
{
	const size_t chips_known = sizeof(amd_chips) / sizeof(amd_chips[0]);
	int count, gpus = 0, known = 0;
	const struct paleo_device *d = paleo_devices(&count);

	(void)state;
	for (; count--; d++) {
		gpus += !strncmp(d->title, "AMD", 3);
		for (size_t i = 0; i < chips_known; i++) {
			if (strcmp(d->chip, amd_chips[i].chip) != 0)
				continue;
			expect_amd(d, PALEO_F32, amd_chips[i].f32);
			expect_amd(d, PALEO_TF32, amd_chips[i].tf32);
			expect_amd(d, PALEO_F16, amd_chips[i].f16);
			expect_amd(d, PALEO_BF16, amd_chips[i].bf16);
			expect_amd(d, PALEO_FP8, amd_chips[i].fp8);
			known++;
		}
	}
	assert_true(gpus > 5);
	assert_int_equal(known, gpus);
}

/* Tensor cores of Hopper and B200 run at up to 8 % below the boost clock: hence 0.92. Those of the
 * H100 NVL and the H200 NVL at 13 % below it. */
static void test_tensor_cores_fit_the_chip(void **state)
{
	int count;
	const struct paleo_device *d = paleo_devices(&count);

	(void)state;
	for (; count--; d++) {
		if (!d->compute_capability)
			continue;
		int chip = chip_of(d);
		double f16 = d->flop_per_s[PALEO_F16];
		double flop = chips[chip].tensor_flop * (double)d->sm_count * d->clock_hz;
		if (!strcmp(d->name, "h20")) /* slowed: no rate of its chip */
			expect_ratio(d, "f16", f16, 148e12, 1, 1);
		else if (flop > 0)
			expect_ratio(d, "f16", f16, f16 > 0.75 * flop ? flop : flop / 2,
				     strstr(d->name, "-nvl") ? 0.86 : 0.92, 1.02);
		else if (d->compute_capability == 60) /* two f16 in one core */
			expect_ratio(d, "f16", f16, 2 * d->flop_per_s[PALEO_F32], 0.98, 1.02);
		else
			assert_true(f16 == 0);
		assert_true(d->flop_per_s[PALEO_BF16] == (chips[chip].tf32 ? f16 : 0));
		/* Ada, Hopper and Blackwell do twice as many in fp8, all others none. */
		if (d->compute_capability >= 89)
			expect_ratio(d, "fp8", d->flop_per_s[PALEO_FP8], 2 * f16, 0.98, 1.02);
		else
			assert_true(d->flop_per_s[PALEO_FP8] == 0);
		if (chips[chip].tf32)
			expect_ratio(d, "tf32", d->flop_per_s[PALEO_TF32], f16 / 2, 0.98, 1.02);
		else
			assert_true(d->flop_per_s[PALEO_TF32] == 0);
	}
}

static void expect_within(const struct paleo_device *d, const char *what, double value, double low,
			  double high)
{
	if (!(value >= low && value <= high))
		fail_msg("'%s': %s is %g, not within %g and %g", d->name, what, value, low, high);
}

/* Tensor cores do twice as many whole numbers of 8 bits as f16, whatever they add up in; Volta's do
 * none, Blackwell Ultra's and AMD's before CDNA 3 no more or hardly any. */
static void test_whole_numbers_fit_the_chip(void **state)
{
	int count, known = 0;
	const struct paleo_device *d = paleo_devices(&count);

	(void)state;
	for (; count--; d++) {
		double f16 = d->flop_per_s[PALEO_F16], times = d->int8_flop_per_s / f16;
		if (d->compute_capability < 75) {
			assert_true(d->compute_capability ? d->int8_flop_per_s == 0 : 1);
			continue;
		}
		known++;
		if (d->compute_capability == 103)
			expect_within(d, "int8 over f16", times, 0.06, 0.07);
		else if (times > 3) /* f16 is with f32 accumulation, at half the rate */
			expect_ratio(d, "int8", times, 4, 0.98, 1.02);
		else
			expect_ratio(d, "int8", times, 2, 0.98, 1.02);
	}
	assert_true(known > 30);
}

static void test_numbers_are_plausible(void **state)
{
	int count;
	const struct paleo_device *d = paleo_devices(&count);

	(void)state;
	for (; count--; d++) {
		expect_within(d, "bandwidth", d->mem_bytes_per_s, 50e9, 10e12);
		if (d->compute_capability)
			expect_within(d, "memory", d->mem_bytes, 1e9, 300e9);
		expect_within(d, "cache", d->cache_bytes, 200e3, 300e6);
		expect_within(d, "clock", d->clock_hz, 0.5e9, 4e9);
		expect_within(d, "power", d->tdp_w, 20, 1500);
		expect_within(d, "multiprocessors", d->sm_count, 1, 304);
		assert_int_equal(d->measured, 0);
		/* a text that fills its array has lost its end */
		assert_true(strnlen(d->name, sizeof(d->name)) < sizeof(d->name));
		assert_true(strnlen(d->title, sizeof(d->title)) < sizeof(d->title));
		assert_true(strnlen(d->match, sizeof(d->match)) < sizeof(d->match));
		assert_true(strnlen(d->source, sizeof(d->source)) < sizeof(d->source));
		assert_true(d->name[0] && d->title[0] && strlen(d->source) > 10);
		assert_int_equal(strspn(d->name, "abcdefghijklmnopqrstuvwxyz0123456789-"),
				 strlen(d->name));
	}
}

/* Every device is the one that its name, its title and its driver's word lead to; so none of the
 * three is there twice. */
static void test_each_is_found(void **state)
{
	int count;
	const struct paleo_device *list = paleo_devices(&count);

	(void)state;
	for (int i = 0; i < count; i++) {
		assert_ptr_equal(paleo_device_find(list[i].name), &list[i]);
		assert_ptr_equal(paleo_device_find(list[i].title), &list[i]);
		if (list[i].match[0])
			assert_ptr_equal(paleo_device_match(list[i].match), &list[i]);
	}
}

static void expect_found(const char *word, const char *name)
{
	const struct paleo_device *d = paleo_device_find(word);

	if (!d)
		fail_msg("'%s' finds no device", word);
	assert_string_equal(d->name, name);
}

static void test_find(void **state)
{
	/* the original's names, with its peaks in GFLOP/s and bandwidths in GB/s */
	static const struct {
		const char *name;
		double peak, bandwidth;
	} original[] = {
		{"CPU_I7", 289, 68}, {"GEFORCE_750_M", 722.7, 80}, {"GEFORCE_780_TI", 5040, 336},
		{"K20", 3520, 208},  {"K20X", 3935, 250},          {"K40", 4290, 288},
		{"K80", 5600, 480},  {"TITAN_X", 6144, 336.5},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(original) / sizeof(original[0]); i++) {
		const struct paleo_device *d = paleo_device_find(original[i].name);
		assert_non_null(d);
		expect_ratio(d, "f32", d->flop_per_s[PALEO_F32], original[i].peak * 1e9, 1 - 1e-12,
			     1 + 1e-12);
		expect_ratio(d, "bandwidth", d->mem_bytes_per_s, original[i].bandwidth * 1e9,
			     1 - 1e-12, 1 + 1e-12);
	}
	expect_found("A100_80_SXM", "a100-80-sxm");
	expect_found("a100 sxm 80gb", "a100-80-sxm");
	expect_found("Tesla T4", "t4");
	expect_found("GeForce RTX 4090", "rtx-4090");
	expect_found("rtx3090", "rtx-3090");
	expect_found("NVIDIA H100 80GB HBM3", "h100-sxm"); /* the driver's word */
	expect_found("Tesla K80", "k80-die");              /* the driver names each die so */
	expect_found("NVIDIA GH200 120GB", "gh200");       /* with another amount of CPU memory */
	/* words in another order, and without what only one can have */
	expect_found("A100_80GB_SXM", "a100-80-sxm");
	expect_found("A100_40GB_PCIE", "a100-40-pcie");
	expect_found("A100_SXM4_80GB", "a100-80-sxm");
	expect_found("H200_SXM", "h200");
	expect_found("H200_SXM5", "h200");
	expect_found("H100_SXM5", "h100-sxm");
	expect_found("H100_SXM_80GB", "h100-sxm");
	expect_found("P100_SXM", "p100-sxm2");
	expect_found("TITAN_X_MAXWELL", "titan-x");
	expect_found("Instinct MI300X", "mi300x");
	assert_null(paleo_device_find("A100_SXM")); /* 40 or 80 GB */
	assert_null(paleo_device_find("V100_SXM")); /* 16 or 32 GB */
	assert_null(paleo_device_find("V100_SXM5_32GB"));
	assert_null(paleo_device_find("H100 80GB"));
	assert_null(paleo_device_find("GTX 1085"));
	assert_null(paleo_device_find("L40 48GB PCIe"));
	assert_null(paleo_device_find("80 GB"));
	assert_null(paleo_device_find("rtx-3075-ti"));
	assert_null(paleo_device_find("a100"));
	assert_null(paleo_device_find(""));
	assert_null(paleo_device_find("-_-"));
	assert_null(paleo_device_find("nvidia"));
	assert_null(
		paleo_device_find("a name that is longer than any name of a device can ever be, "
				  "even after the rest is left out"));
}

static void expect_matched(const char *word, const char *name)
{
	const struct paleo_device *d = paleo_device_match(word);

	if (!d)
		fail_msg("'%s' matches no device", word);
	assert_string_equal(d->name, name);
}

static void test_match(void **state)
{
	(void)state;
	expect_matched("NVIDIA H200", "h200");
	expect_matched("nvidia h200", "h200");
	expect_matched("GeForce GTX 1080 Ti", "gtx-1080-ti"); /* as older drivers say */
	expect_matched("NVIDIA H100 80GB HBM3", "h100-sxm");
	expect_matched("NVIDIA H100 PCIe", "h100-pcie");
	expect_matched("NVIDIA H100 NVL", "h100-nvl");
	expect_matched("NVIDIA L4", "l4");
	expect_matched("NVIDIA L40", "l40");
	expect_matched("NVIDIA L40S", "l40s");
	expect_matched("NVIDIA A10", "a10");
	expect_matched("NVIDIA A10G", "a10g");
	expect_matched("NVIDIA H200 NVL", "h200-nvl");
	expect_matched("Tesla K80", "k80-die");
	expect_matched("NVIDIA GeForce RTX 4070 Ti SUPER", "rtx-4070-ti-super");
	expect_matched("NVIDIA A100-SXM-80GB", "a100-80-sxm");
	/* other chips, or parts of one */
	assert_null(paleo_device_match("NVIDIA GeForce RTX 3070 Ti Laptop GPU"));
	assert_null(paleo_device_match("NVIDIA GeForce RTX 4090 Laptop GPU"));
	assert_null(paleo_device_match("NVIDIA H200 MIG 1g.18gb"));
	assert_null(paleo_device_match("NVIDIA H100"));
	assert_null(paleo_device_match("Tesla P100-PCIE-12GB"));
	assert_null(paleo_device_match(""));
	assert_null(paleo_device_match("NVIDIA "));
}

static void test_among(void **state)
{
	static const struct paleo_device list[] = {
		{.name = "Mine"},
		{.name = "other", .title = "My Card"},
		{.name = "my-card"},
	};

	(void)state;
	assert_ptr_equal(paleo_device_among(list, 3, "mine"), &list[0]);
	assert_ptr_equal(paleo_device_among(list, 3, "my card"), &list[2]); /* names first */
	assert_ptr_equal(paleo_device_among(list, 2, "my card"), &list[1]);
	assert_null(paleo_device_among(list, 3, "h200"));
	assert_null(paleo_device_among(NULL, 0, "mine"));
}

/* Cards with one chip have the same word for it, whatever they are called; unknown ones share the
 * first word; ways to call one card are the same card. */
static void knows_one_chip(void **state)
{
	(void)state;
	assert_true(paleo_device_same_chip("P100_PCIE", "P100_SXM2"));
	assert_true(paleo_device_same_chip("p100-pcie", "P100_SXM2"));
	assert_true(paleo_device_same_chip("GTX1080TI", "gtx-1080-ti"));
	assert_false(paleo_device_same_chip("P100_PCIE", "P4"));
	assert_false(paleo_device_same_chip("H100_SXM", "P100_SXM2"));
	assert_true(paleo_device_same_chip("titan-v", "V100_PCIE"));
	assert_true(paleo_device_same_chip("GTX1080TI", "p40"));
	assert_true(paleo_device_same_chip("TITAN_X_MAXWELL", "m40"));
	assert_true(paleo_device_same_chip("h200", "gh200"));
	assert_true(paleo_device_same_chip("mi250x", "mi210"));
	assert_false(paleo_device_same_chip("titan-x", "titan-xp"));
	assert_false(paleo_device_same_chip("rtx-3090", "rtx-4090"));
	assert_false(paleo_device_same_chip("t4", "titan-rtx"));
	assert_true(paleo_device_same_chip("X9_PCIE", "x9-sxm"));
	assert_false(paleo_device_same_chip("X9_PCIE", "x8-sxm"));
}

static void test_each_has_its_chip(void **state)
{
	int count;
	const struct paleo_device *list = paleo_devices(&count);

	(void)state;
	for (int i = 0; i < count; i++)
		if (!list[i].chip[0])
			fail_msg("%s lacks its chip", list[i].name);
}

/* GFLOP/s, GB/s and MHz of a user's device: 2e12 FLOP/s, 3e11 B/s, 1.5e9 Hz. */
static void test_the_original_gets_its_units(void **state)
{
	struct paleo_device d = {.name = "mine",
				 .title = "Mine",
				 .flop_per_s = {[PALEO_F32] = 2e12},
				 .mem_bytes_per_s = 3e11,
				 .clock_hz = 1.5e9,
				 .compute_capability = 70};
	struct paleo_2017_device old;
	struct paleo_error err;

	(void)state;
	assert_int_equal(paleo_2017_device_from(&d, &old, &err), PALEO_OK);
	assert_true(old.peak_gflops == 2000 && old.mem_gb_per_s == 300 && old.clock_mhz == 1500);
	assert_true(old.is_gpu);
	assert_string_equal(old.name, "mine");
	assert_string_equal(old.title, "Mine");
	d.clock_hz = 0;
	assert_int_equal(paleo_2017_device_from(&d, &old, &err), PALEO_EUNSUPPORTED);
	assert_string_equal(err.text, "the cost model paleo2017 needs a device's f32 peak, "
				      "bandwidth and clock; of 'mine' one is unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_one_chip),
		cmocka_unit_test(test_each_has_its_chip),
		cmocka_unit_test(test_f32_is_cores_times_clock),
		cmocka_unit_test(test_amd_fits_the_chip),
		cmocka_unit_test(test_tensor_cores_fit_the_chip),
		cmocka_unit_test(test_whole_numbers_fit_the_chip),
		cmocka_unit_test(test_numbers_are_plausible),
		cmocka_unit_test(test_each_is_found),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_match),
		cmocka_unit_test(test_among),
		cmocka_unit_test(test_the_original_gets_its_units),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
