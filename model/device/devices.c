/* devices.c - the shipped devices; the peak of an op, and its factor for machine speed. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "model/device/device.h"
#include "model/op/kind.h"
#include "model/op/op.h"

/*
 * How to read the table, and the rules for additions (docs/reference/devices.md says
 * more):
 *
 * - Peaks are dense: no structured sparsity. Where a datasheet rounds to two digits, the peak is
 *   multiprocessors x cores x 2 x clock, which rounds to the datasheet's number.
 * - f32 is that of the CUDA cores; all other types are those of the tensor cores with f32
 * accumulation. GeForce cards and the L40 run these at half the rate of f16 accumulation. Only the
 * P100 has no tensor cores and a peak for f16: its cores do two f16 at once, accumulating in f16.
 * Where a chip can store a type but has no faster way to compute with it, the peak is 0.
 * - fp4 is for e2m1 operands with scales of 16 or 32 elements, with f32 accumulation. That
 *   of the RTX PRO 6000 is four times its f16, as GB202's tensor cores are built.
 * - int8 is for 8-bit integers on tensor cores. Where a datasheet of a GeForce or
 * RTX card has none, it is that of the generation's cores, by multiprocessors and clock.
 * - The clock is the boost clock. Hopper and Blackwell run their tensor cores at a lower one, so
 *   their f16 peak is less than the boost clock would give.
 * - Rates are decimal; sizes of memories are powers of two, as the makers use "GB" for memory, less
 *   what error correction takes of it.
 */
/* In the order of dtypes.def; 0 for those at the end that are left out. */
#define PEAKS(...)                                                                                 \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}
#define KIB 1024.0
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)
/* GDDR memory keeps its error-correction codes in a sixteenth of itself, where ECC is on by
 * default. */
#define WITH_ECC(bytes) ((bytes)*15 / 16)

/* A row: compute capability (0: not NVIDIA's), short name, title, driver's name, chip,
 * multiprocessors, boost clock, bytes per second and bytes of memory, last-level cache, watts;
 * peaks in f32, tf32, f16, bf16, fp8, int8, fp4, and where all this is from. */
// clang-format off
/* NOLINTBEGIN(bugprone-macro-parentheses): strings in parentheses initialise no array */
#define GPU(cc, name_, title_, match_, chip_, sms, hz, rate, memory, cache, watts, f32, tf32, f16, bf16, fp8, \
	    int8, fp4, source_) \
  { .name = name_, .title = title_, .match = match_, .chip = chip_, .flop_per_s = PEAKS(f32, tf32, f16, bf16, fp8), \
    .int8_flop_per_s = (int8), .fp4_flop_per_s = (fp4), .mem_bytes_per_s = (rate), .mem_bytes = (memory), \
    .cache_bytes = (cache), .clock_hz = (hz), .tdp_w = (watts), .sm_count = (sms), .compute_capability = (cc), \
    .source = source_ },
/* NOLINTEND(bugprone-macro-parentheses) */

static const struct paleo_device devices[] = {
/*
 * The original Paleo's eight devices with its peaks and bandwidths, which published predictions
 * used: at base clocks, and a K80 that is both of its dies. Three of its clocks were wrong and are
 * corrected here: it had 210 GHz for the i7 and 1000 MHz for the K20 and the K20X.
 */
{ .name = "cpu-i7", .title = "Intel Core i7-5930K", .match = "", .chip = "Haswell-E",
  .flop_per_s = PEAKS(289e9, 0, 0, 0, 0), .mem_bytes_per_s = 68e9,
  .cache_bytes = 15 * MIB, .clock_hz = 3.5e9, .tdp_w = 140, .sm_count = 6,
  .is_processor = 1,
  .source = "original Paleo (289 GFLOP/s, 68 GB/s); Intel product specification: 6 cores x 32 "
	    "FLOP per cycle x 3.5 GHz = 672 GFLOP/s, 4 channels of DDR4-2133 = 68 GB/s" },
GPU(30, "geforce-750-m", "NVIDIA GeForce GT 750M", "NVIDIA GeForce GT 750M", "GK107", 2, 941e6, 80e9, 2 * GIB, 256 * KIB, 50,
    722.7e9, 0, 0, 0, 0, 0, 0, "original Paleo; NVIDIA GeForce GT 750M specifications (941 MHz base clock)")
GPU(35, "geforce-780-ti", "NVIDIA GeForce GTX 780 Ti", "NVIDIA GeForce GTX 780 Ti", "GK110", 15, 875e6, 336e9, 3 * GIB, 1536 * KIB, 250,
    5.04e12, 0, 0, 0, 0, 0, 0, "original Paleo; NVIDIA GeForce GTX 780 Ti specifications (875 MHz base clock; boost 928 MHz, 5.35 TFLOP/s)")
GPU(35, "k20", "NVIDIA Tesla K20", "Tesla K20m", "GK110", 13, 706e6, 208e9, WITH_ECC(5 * GIB), 1280 * KIB, 225,
    3.52e12, 0, 0, 0, 0, 0, 0, "original Paleo; NVIDIA Tesla K20 board specification")
GPU(35, "k20x", "NVIDIA Tesla K20X", "Tesla K20Xm", "GK110", 14, 732e6, 250e9, WITH_ECC(6 * GIB), 1536 * KIB, 235,
    3.935e12, 0, 0, 0, 0, 0, 0, "original Paleo; NVIDIA Tesla K20X board specification")
GPU(35, "k40", "NVIDIA Tesla K40", "Tesla K40m", "GK110", 15, 745e6, 288e9, WITH_ECC(12 * GIB), 1536 * KIB, 235,
    4.29e12, 0, 0, 0, 0, 0, 0, "original Paleo; NVIDIA Tesla K40 board specification (745 MHz base clock; boost 875 MHz, 5.04 TFLOP/s)")
GPU(37, "k80", "NVIDIA Tesla K80 (both dies)", "", "GK210", 26, 560e6, 480e9, WITH_ECC(24 * GIB), 3 * MIB, 300,
    5.6e12, 0, 0, 0, 0, 0, 0, "original Paleo; NVIDIA Tesla K80 board specification (560 MHz base clock, both dies; a program sees one die at a time: k80-die)")
GPU(52, "titan-x", "NVIDIA GeForce GTX TITAN X (Maxwell)", "NVIDIA GeForce GTX TITAN X", "GM200", 24, 1e9, 336.5e9, 12 * GIB, 3 * MIB, 250,
    6.144e12, 0, 0, 0, 0, 0, 0, "original Paleo; NVIDIA GeForce GTX TITAN X specifications (1000 MHz base clock; boost 1075 MHz, 6.6 TFLOP/s)")

#include "model/device/devices_amd.def"
#include "model/device/devices_cards.def"
#include "model/device/devices_nvidia.def"
};
// clang-format on

const struct paleo_device *paleo_devices(int *count)
{
	*count = (int)(sizeof(devices) / sizeof(devices[0]));
	return devices;
}

/* The peak of a device that an op can reach. */

double paleo_device_cores_peak(const struct paleo_device *d, enum paleo_cores cores)
{
	return cores == PALEO_CORES_FP4    ? d->fp4_flop_per_s
	       : cores == PALEO_CORES_INT8 ? d->int8_flop_per_s
					   : 0;
}

double paleo_device_peak(const struct paleo_device *d, const struct paleo_op *w)
{
	double peak = paleo_device_cores_peak(d, paleo_op_cores(w));

	return peak > 0 ? peak : d->flop_per_s[w->dtype];
}

/* Choice of the probe that an op's speed follows. */

/* Smaller ops take about 10 us, most of which is the start of a parallel region: that follows
 * neither probe. The compute probe (multiply-adds in caches) applies to GEMMs and convolutions, the
 * memory probe to memory-bound ops. Windows, normalisations and exponentials are neither. See
 * docs/method/cpu-cost-model.md. */
#define STREAM_BYTES 1e6

static double ratio(double now, double usual)
{
	return now > 0 && usual > 0 ? now / usual : 0;
}

struct paleo_speed paleo_speed_over(const struct paleo_rates *now, const struct paleo_rates *usual)
{
	return (struct paleo_speed){ratio(now->flop_per_s, usual->flop_per_s),
				    ratio(now->bytes_per_s, usual->bytes_per_s)};
}

static double shrunk(double speed, double sd)
{
	double x = log(speed);

	return speed > 0 && speed != 1 ? exp(x * fmax(0, 1 - sd * sd / (x * x))) : speed;
}

struct paleo_speed paleo_speed_shrunk(const struct paleo_speed *now, const struct paleo_speed *sd)
{
	return (struct paleo_speed){shrunk(now->products, sd->products),
				    shrunk(now->memory, sd->memory)};
}

enum paleo_follows paleo_speed_probe(const struct paleo_op *w)
{
	enum paleo_follows follows = paleo_op_kind_info(w->kind)->follows;
	int is_small = w->read_bytes + w->write_bytes < STREAM_BYTES;

	return follows == PALEO_FOLLOWS_MEMORY && is_small ? PALEO_FOLLOWS_NEITHER : follows;
}

double paleo_speed_rate(const struct paleo_rates *now, const struct paleo_op *w)
{
	const double of[] = {[PALEO_FOLLOWS_NEITHER] = 0,
			     [PALEO_FOLLOWS_PRODUCTS] = now->flop_per_s,
			     [PALEO_FOLLOWS_MEMORY] = now->bytes_per_s};

	return of[paleo_speed_probe(w)];
}

/* The number for the probe that the op follows; 0 if it follows none. */
static double of_op(const struct paleo_speed *s, const struct paleo_op *w)
{
	const double of[] = {[PALEO_FOLLOWS_NEITHER] = 0,
			     [PALEO_FOLLOWS_PRODUCTS] = s->products,
			     [PALEO_FOLLOWS_MEMORY] = s->memory};

	return of[paleo_speed_probe(w)];
}

double paleo_speed_of(const struct paleo_speed *s, const struct paleo_op *w)
{
	double speed = of_op(s, w);

	return speed > 0 ? speed : 1;
}

void paleo_speed_known(struct paleo_device *d)
{
	if (d->speed.products > 0)
		d->speed_sd.products = 0;
	if (d->speed.memory > 0)
		d->speed_sd.memory = 0;
}

double paleo_speed_sd_of(const struct paleo_speed *sd, const struct paleo_op *w)
{
	return of_op(sd, w);
}

/* A chip's rate of GEMMs in the regime sustained over that in bursts. */
static const struct {
	const char *chip;
	double rate;
	const char *source;
} sustained[] = {
	{"GH100", 0.88, "8192^3 in bf16 on an H200: 702 of 798 TFLOP/s (results/h200)"},
	{"GB110", 1.06, "fitted to a GB300's, over bursts of a GB200, the nearest with tables"},
	{"GB100", 0.85, "fitted to published steps of a GB200 (docs/method/training.md)"},
};

double paleo_device_sustained(const struct paleo_device *d)
{
	const struct paleo_device *known = paleo_device_find(d->name);

	for (size_t i = 0; known && i < sizeof(sustained) / sizeof(sustained[0]); i++)
		if (!strcmp(known->chip, sustained[i].chip))
			return sustained[i].rate;
	return 1;
}
