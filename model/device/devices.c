/* devices.c - the shipped devices: what makers say of their chips, with sources. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/device/device.h"

/*
 * How to read the table, and what to keep to when adding to it (docs/reference/devices.md says
 * more):
 *
 * - Peaks are dense: no structured sparsity. Where a datasheet rounds to two digits, the peak is
 *   multiprocessors x cores x 2 x clock, which rounds to the datasheet's number.
 * - f32 is what the CUDA cores do; all other types are what the tensor cores do with f32
 *   accumulation. GeForce cards and the L40 run these at half the rate of f16 accumulation. Only
 *   the P100 has no tensor cores and a peak for f16: its cores do two f16 at once, accumulating in
 *   f16. Where a chip can store a type but has no faster way to compute with it, the peak is 0.
 * - fp4 is what products of e2m1 with scales of 16 or 32 of them reach, with f32 accumulation. That
 *   of the RTX PRO 6000 is four times its f16, as GB202's tensor cores are built.
 * - int8 is what tensor cores do with whole numbers of 8 bits. Where a datasheet of a GeForce or
 * RTX card has none, it is that of the generation's cores, by multiprocessors and clock.
 * - The clock is the boost clock. Hopper and Blackwell run their tensor cores at a lower one, so
 *   their f16 peak is less than the boost clock would give.
 * - Rates are decimal; sizes of memories are powers of two, as the makers use "GB" for memory.
 */
/* In the order of dtypes.def; 0 for those at the end that are left out. */
#define PEAKS(...)                                                                                 \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}
#define KIB 1024.0
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)

// clang-format off
static const struct paleo_device devices[] = {
/*
 * The original Paleo's eight devices with its peaks and bandwidths, on which published predictions
 * rest: at base clocks, and a K80 that is both of its dies. Its clocks of three devices were wrong
 * and are put right here: it had 210 GHz for the i7 and 1000 MHz for the K20 and the K20X.
 */
{ .name = "cpu-i7", .title = "Intel Core i7-5930K", .match = "", .chip = "Haswell-E",
  .flop_per_s = PEAKS(289e9, 0, 0, 0, 0), .mem_bytes_per_s = 68e9,
  .cache_bytes = 15 * MIB, .clock_hz = 3.5e9, .tdp_w = 140, .sm_count = 6,
  .is_processor = 1,
  .source = "original Paleo (289 GFLOP/s, 68 GB/s); Intel product specification: 6 cores x 32 "
	    "FLOP per cycle x 3.5 GHz = 672 GFLOP/s, 4 channels of DDR4-2133 = 68 GB/s" },
{ .name = "geforce-750-m", .title = "NVIDIA GeForce GT 750M", .match = "NVIDIA GeForce GT 750M",
  .chip = "GK107",
  .flop_per_s = PEAKS(722.7e9, 0, 0, 0, 0), .mem_bytes_per_s = 80e9, .mem_bytes = 2 * GIB,
  .cache_bytes = 256 * KIB, .clock_hz = 941e6, .tdp_w = 50, .sm_count = 2,
  .compute_capability = 30,
  .source = "original Paleo; NVIDIA GeForce GT 750M specifications (941 MHz base clock)" },
{ .name = "geforce-780-ti", .title = "NVIDIA GeForce GTX 780 Ti",
  .match = "NVIDIA GeForce GTX 780 Ti", .chip = "GK110",
  .flop_per_s = PEAKS(5.04e12, 0, 0, 0, 0), .mem_bytes_per_s = 336e9, .mem_bytes = 3 * GIB,
  .cache_bytes = 1536 * KIB, .clock_hz = 875e6, .tdp_w = 250, .sm_count = 15,
  .compute_capability = 35,
  .source = "original Paleo; NVIDIA GeForce GTX 780 Ti specifications (875 MHz base clock; boost "
	    "928 MHz, 5.35 TFLOP/s)" },
{ .name = "k20", .title = "NVIDIA Tesla K20", .match = "Tesla K20m", .chip = "GK110",
  .flop_per_s = PEAKS(3.52e12, 0, 0, 0, 0), .mem_bytes_per_s = 208e9, .mem_bytes = 5 * GIB,
  .cache_bytes = 1280 * KIB, .clock_hz = 706e6, .tdp_w = 225, .sm_count = 13,
  .compute_capability = 35,
  .source = "original Paleo; NVIDIA Tesla K20 board specification" },
{ .name = "k20x", .title = "NVIDIA Tesla K20X", .match = "Tesla K20Xm", .chip = "GK110",
  .flop_per_s = PEAKS(3.935e12, 0, 0, 0, 0), .mem_bytes_per_s = 250e9, .mem_bytes = 6 * GIB,
  .cache_bytes = 1536 * KIB, .clock_hz = 732e6, .tdp_w = 235, .sm_count = 14,
  .compute_capability = 35,
  .source = "original Paleo; NVIDIA Tesla K20X board specification" },
{ .name = "k40", .title = "NVIDIA Tesla K40", .match = "Tesla K40m", .chip = "GK110",
  .flop_per_s = PEAKS(4.29e12, 0, 0, 0, 0), .mem_bytes_per_s = 288e9, .mem_bytes = 12 * GIB,
  .cache_bytes = 1536 * KIB, .clock_hz = 745e6, .tdp_w = 235, .sm_count = 15,
  .compute_capability = 35,
  .source = "original Paleo; NVIDIA Tesla K40 board specification (745 MHz base clock; boost "
	    "875 MHz, 5.04 TFLOP/s)" },
{ .name = "k80", .title = "NVIDIA Tesla K80 (both dies)", .match = "", .chip = "GK210",
  .flop_per_s = PEAKS(5.6e12, 0, 0, 0, 0), .mem_bytes_per_s = 480e9, .mem_bytes = 24 * GIB,
  .cache_bytes = 3 * MIB, .clock_hz = 560e6, .tdp_w = 300, .sm_count = 26,
  .compute_capability = 37,
  .source = "original Paleo; NVIDIA Tesla K80 board specification (560 MHz base clock, both dies; "
	    "a program sees one die at a time: k80-die)" },
{ .name = "titan-x", .title = "NVIDIA GeForce GTX TITAN X (Maxwell)",
  .match = "NVIDIA GeForce GTX TITAN X", .chip = "GM200",
  .flop_per_s = PEAKS(6.144e12, 0, 0, 0, 0), .mem_bytes_per_s = 336.5e9, .mem_bytes = 12 * GIB,
  .cache_bytes = 3 * MIB, .clock_hz = 1e9, .tdp_w = 250, .sm_count = 24,
  .compute_capability = 52,
  .source = "original Paleo; NVIDIA GeForce GTX TITAN X specifications (1000 MHz base clock; boost "
	    "1075 MHz, 6.6 TFLOP/s)" },

#include "model/device/devices_amd.def"
#include "model/device/devices_nvidia.def"
};
// clang-format on

const struct paleo_device *paleo_devices(int *count)
{
	*count = (int)(sizeof(devices) / sizeof(devices[0]));
	return devices;
}
