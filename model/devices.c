/* devices.c - the shipped devices: what makers say of their chips, with sources. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/device.h"

/*
 * How to read the table, and what to keep to when adding to it (docs/devices.md says more):
 *
 * - Peaks are dense: no structured sparsity. Where a datasheet rounds to two digits, the peak is
 *   multiprocessors x cores x 2 x clock, which rounds to the datasheet's number.
 * - f32 is what the CUDA cores do; tf32, f16, bf16 and fp8 are what the tensor cores do with f32
 *   accumulation. GeForce cards and the L40 run these at half the rate of f16 accumulation. Only
 *   the P100 has no tensor cores and a peak for f16: its cores do two f16 at once, accumulating in
 *   f16. Where a chip can store a type but has no faster way to compute with it, the peak is 0.
 * - The clock is the boost clock. Hopper and Blackwell run their tensor cores at a lower one, so
 *   their f16 peak is less than the boost clock would give.
 * - Rates are decimal; sizes of memories are powers of two, as the makers use "GB" for memory.
 */
#define PEAKS(f32, tf32, f16, bf16, fp8)                                                           \
	{                                                                                          \
		[PALEO_F32] = (f32), [PALEO_TF32] = (tf32), [PALEO_F16] = (f16),                   \
		[PALEO_BF16] = (bf16), [PALEO_FP8] = (fp8)                                         \
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
{ .name = "cpu-i7", .title = "Intel Core i7-5930K", .match = "",
  .flop_per_s = PEAKS(289e9, 0, 0, 0, 0), .mem_bytes_per_s = 68e9,
  .cache_bytes = 15 * MIB, .clock_hz = 3.5e9, .tdp_w = 140, .sm_count = 6,
  .source = "original Paleo (289 GFLOP/s, 68 GB/s); Intel product specification: 6 cores x 32 "
	    "FLOP per cycle x 3.5 GHz = 672 GFLOP/s, 4 channels of DDR4-2133 = 68 GB/s" },
{ .name = "geforce-750-m", .title = "NVIDIA GeForce GT 750M", .match = "NVIDIA GeForce GT 750M",
  .flop_per_s = PEAKS(722.7e9, 0, 0, 0, 0), .mem_bytes_per_s = 80e9, .mem_bytes = 2 * GIB,
  .cache_bytes = 256 * KIB, .clock_hz = 941e6, .tdp_w = 50, .sm_count = 2,
  .compute_capability = 30,
  .source = "original Paleo; NVIDIA GeForce GT 750M specifications (941 MHz base clock)" },
{ .name = "geforce-780-ti", .title = "NVIDIA GeForce GTX 780 Ti",
  .match = "NVIDIA GeForce GTX 780 Ti",
  .flop_per_s = PEAKS(5.04e12, 0, 0, 0, 0), .mem_bytes_per_s = 336e9, .mem_bytes = 3 * GIB,
  .cache_bytes = 1536 * KIB, .clock_hz = 875e6, .tdp_w = 250, .sm_count = 15,
  .compute_capability = 35,
  .source = "original Paleo; NVIDIA GeForce GTX 780 Ti specifications (875 MHz base clock; boost "
	    "928 MHz, 5.35 TFLOP/s)" },
{ .name = "k20", .title = "NVIDIA Tesla K20", .match = "Tesla K20m",
  .flop_per_s = PEAKS(3.52e12, 0, 0, 0, 0), .mem_bytes_per_s = 208e9, .mem_bytes = 5 * GIB,
  .cache_bytes = 1280 * KIB, .clock_hz = 706e6, .tdp_w = 225, .sm_count = 13,
  .compute_capability = 35,
  .source = "original Paleo; NVIDIA Tesla K20 board specification" },
{ .name = "k20x", .title = "NVIDIA Tesla K20X", .match = "Tesla K20Xm",
  .flop_per_s = PEAKS(3.935e12, 0, 0, 0, 0), .mem_bytes_per_s = 250e9, .mem_bytes = 6 * GIB,
  .cache_bytes = 1536 * KIB, .clock_hz = 732e6, .tdp_w = 235, .sm_count = 14,
  .compute_capability = 35,
  .source = "original Paleo; NVIDIA Tesla K20X board specification" },
{ .name = "k40", .title = "NVIDIA Tesla K40", .match = "Tesla K40m",
  .flop_per_s = PEAKS(4.29e12, 0, 0, 0, 0), .mem_bytes_per_s = 288e9, .mem_bytes = 12 * GIB,
  .cache_bytes = 1536 * KIB, .clock_hz = 745e6, .tdp_w = 235, .sm_count = 15,
  .compute_capability = 35,
  .source = "original Paleo; NVIDIA Tesla K40 board specification (745 MHz base clock; boost "
	    "875 MHz, 5.04 TFLOP/s)" },
{ .name = "k80", .title = "NVIDIA Tesla K80 (both dies)", .match = "",
  .flop_per_s = PEAKS(5.6e12, 0, 0, 0, 0), .mem_bytes_per_s = 480e9, .mem_bytes = 24 * GIB,
  .cache_bytes = 3 * MIB, .clock_hz = 560e6, .tdp_w = 300, .sm_count = 26,
  .compute_capability = 37,
  .source = "original Paleo; NVIDIA Tesla K80 board specification (560 MHz base clock, both dies; "
	    "a program sees one die at a time: k80-die)" },
{ .name = "titan-x", .title = "NVIDIA GeForce GTX TITAN X (Maxwell)",
  .match = "NVIDIA GeForce GTX TITAN X",
  .flop_per_s = PEAKS(6.144e12, 0, 0, 0, 0), .mem_bytes_per_s = 336.5e9, .mem_bytes = 12 * GIB,
  .cache_bytes = 3 * MIB, .clock_hz = 1e9, .tdp_w = 250, .sm_count = 24,
  .compute_capability = 52,
  .source = "original Paleo; NVIDIA GeForce GTX TITAN X specifications (1000 MHz base clock; boost "
	    "1075 MHz, 6.6 TFLOP/s)" },

/* Kepler, Maxwell and Pascal, at boost clocks from here on. */
{ .name = "k80-die", .title = "NVIDIA Tesla K80 (one die)", .match = "Tesla K80",
  .flop_per_s = PEAKS(4.37e12, 0, 0, 0, 0), .mem_bytes_per_s = 240e9, .mem_bytes = 12 * GIB,
  .cache_bytes = 1536 * KIB, .clock_hz = 875e6, .tdp_w = 150, .sm_count = 13,
  .compute_capability = 37,
  .source = "NVIDIA Tesla K80 datasheet (8.74 TFLOP/s and 480 GB/s for both dies)" },
{ .name = "m40", .title = "NVIDIA Tesla M40 12 GB", .match = "Tesla M40",
  .flop_per_s = PEAKS(6.84e12, 0, 0, 0, 0), .mem_bytes_per_s = 288e9, .mem_bytes = 12 * GIB,
  .cache_bytes = 3 * MIB, .clock_hz = 1.114e9, .tdp_w = 250, .sm_count = 24,
  .compute_capability = 52,
  .source = "NVIDIA Tesla M40 datasheet (rounds to 7 TFLOP/s) and product brief" },
{ .name = "gtx-1080-ti", .title = "NVIDIA GeForce GTX 1080 Ti",
  .match = "NVIDIA GeForce GTX 1080 Ti",
  .flop_per_s = PEAKS(11.34e12, 0, 0, 0, 0), .mem_bytes_per_s = 484e9, .mem_bytes = 11 * GIB,
  .cache_bytes = 2816 * KIB, .clock_hz = 1.582e9, .tdp_w = 250, .sm_count = 28,
  .compute_capability = 61,
  .source = "NVIDIA GeForce GTX 1080 Ti specifications" },
{ .name = "titan-x-pascal", .title = "NVIDIA TITAN X (Pascal)", .match = "NVIDIA TITAN X (Pascal)",
  .flop_per_s = PEAKS(10.97e12, 0, 0, 0, 0), .mem_bytes_per_s = 480e9, .mem_bytes = 12 * GIB,
  .cache_bytes = 3 * MIB, .clock_hz = 1.531e9, .tdp_w = 250, .sm_count = 28,
  .compute_capability = 61,
  .source = "NVIDIA TITAN X (Pascal) specifications" },
{ .name = "p4", .title = "NVIDIA Tesla P4", .match = "Tesla P4",
  .flop_per_s = PEAKS(5.5e12, 0, 0, 0, 0), .mem_bytes_per_s = 192e9, .mem_bytes = 8 * GIB,
  .cache_bytes = 2 * MIB, .clock_hz = 1.063e9, .tdp_w = 75, .sm_count = 20,
  .compute_capability = 61,
  .source = "NVIDIA Tesla P4 datasheet; boost clock from its announcement" },
{ .name = "p100-pcie", .title = "NVIDIA Tesla P100 PCIe 16 GB", .match = "Tesla P100-PCIE-16GB",
  .flop_per_s = PEAKS(9.3e12, 0, 18.7e12, 0, 0), .mem_bytes_per_s = 732e9, .mem_bytes = 16 * GIB,
  .cache_bytes = 4 * MIB, .clock_hz = 1.303e9, .tdp_w = 250, .sm_count = 56,
  .compute_capability = 60,
  .source = "NVIDIA Tesla P100 datasheet; NVIDIA Pascal architecture whitepaper; f16 without "
	    "tensor cores, f16 accumulation" },
{ .name = "p100-sxm2", .title = "NVIDIA Tesla P100 SXM2 16 GB", .match = "Tesla P100-SXM2-16GB",
  .flop_per_s = PEAKS(10.6e12, 0, 21.2e12, 0, 0), .mem_bytes_per_s = 732e9, .mem_bytes = 16 * GIB,
  .cache_bytes = 4 * MIB, .clock_hz = 1.48e9, .tdp_w = 300, .sm_count = 56,
  .compute_capability = 60,
  .source = "NVIDIA Tesla P100 datasheet; NVIDIA Pascal architecture whitepaper; f16 without "
	    "tensor cores, f16 accumulation" },

/* Volta and Turing: tensor cores for f16. */
{ .name = "v100-pcie", .title = "NVIDIA Tesla V100 PCIe 16 GB", .match = "Tesla V100-PCIE-16GB",
  .flop_per_s = PEAKS(14e12, 0, 112e12, 0, 0), .mem_bytes_per_s = 900e9, .mem_bytes = 16 * GIB,
  .cache_bytes = 6 * MIB, .clock_hz = 1.38e9, .tdp_w = 250, .sm_count = 80,
  .compute_capability = 70,
  .source = "NVIDIA V100 datasheet; NVIDIA Tesla V100 architecture whitepaper" },
{ .name = "v100-pcie-32", .title = "NVIDIA Tesla V100 PCIe 32 GB", .match = "Tesla V100-PCIE-32GB",
  .flop_per_s = PEAKS(14e12, 0, 112e12, 0, 0), .mem_bytes_per_s = 900e9, .mem_bytes = 32 * GIB,
  .cache_bytes = 6 * MIB, .clock_hz = 1.38e9, .tdp_w = 250, .sm_count = 80,
  .compute_capability = 70,
  .source = "NVIDIA V100 datasheet; NVIDIA Tesla V100 architecture whitepaper" },
{ .name = "v100-sxm2", .title = "NVIDIA Tesla V100 SXM2 16 GB", .match = "Tesla V100-SXM2-16GB",
  .flop_per_s = PEAKS(15.7e12, 0, 125e12, 0, 0), .mem_bytes_per_s = 900e9, .mem_bytes = 16 * GIB,
  .cache_bytes = 6 * MIB, .clock_hz = 1.53e9, .tdp_w = 300, .sm_count = 80,
  .compute_capability = 70,
  .source = "NVIDIA V100 datasheet; NVIDIA Tesla V100 architecture whitepaper" },
{ .name = "v100-sxm2-32", .title = "NVIDIA Tesla V100 SXM2 32 GB", .match = "Tesla V100-SXM2-32GB",
  .flop_per_s = PEAKS(15.7e12, 0, 125e12, 0, 0), .mem_bytes_per_s = 900e9, .mem_bytes = 32 * GIB,
  .cache_bytes = 6 * MIB, .clock_hz = 1.53e9, .tdp_w = 300, .sm_count = 80,
  .compute_capability = 70,
  .source = "NVIDIA V100 datasheet; NVIDIA Tesla V100 architecture whitepaper" },
{ .name = "t4", .title = "NVIDIA Tesla T4", .match = "Tesla T4",
  .flop_per_s = PEAKS(8.1e12, 0, 65e12, 0, 0), .mem_bytes_per_s = 320e9, .mem_bytes = 16 * GIB,
  .cache_bytes = 4 * MIB, .clock_hz = 1.59e9, .tdp_w = 70, .sm_count = 40,
  .compute_capability = 75,
  .source = "NVIDIA T4 datasheet; NVIDIA Turing architecture whitepaper" },
{ .name = "rtx-2080-ti", .title = "NVIDIA GeForce RTX 2080 Ti",
  .match = "NVIDIA GeForce RTX 2080 Ti",
  .flop_per_s = PEAKS(13.4e12, 0, 53.8e12, 0, 0), .mem_bytes_per_s = 616e9, .mem_bytes = 11 * GIB,
  .cache_bytes = 5632 * KIB, .clock_hz = 1.545e9, .tdp_w = 250, .sm_count = 68,
  .compute_capability = 75,
  .source = "NVIDIA Turing architecture whitepaper (reference clocks; f16 with f32 accumulation)" },

/* Ampere: tensor cores also for tf32 and bf16. */
{ .name = "a100-40-pcie", .title = "NVIDIA A100 PCIe 40 GB", .match = "NVIDIA A100-PCIE-40GB",
  .flop_per_s = PEAKS(19.5e12, 156e12, 312e12, 312e12, 0), .mem_bytes_per_s = 1.555e12,
  .mem_bytes = 40 * GIB, .cache_bytes = 40 * MIB, .clock_hz = 1.41e9, .tdp_w = 250,
  .sm_count = 108, .compute_capability = 80,
  .source = "NVIDIA A100 datasheet; NVIDIA A100 architecture whitepaper" },
{ .name = "a100-40-sxm", .title = "NVIDIA A100 SXM 40 GB", .match = "NVIDIA A100-SXM4-40GB",
  .flop_per_s = PEAKS(19.5e12, 156e12, 312e12, 312e12, 0), .mem_bytes_per_s = 1.555e12,
  .mem_bytes = 40 * GIB, .cache_bytes = 40 * MIB, .clock_hz = 1.41e9, .tdp_w = 400,
  .sm_count = 108, .compute_capability = 80,
  .source = "NVIDIA A100 datasheet; NVIDIA A100 architecture whitepaper" },
{ .name = "a100-80-pcie", .title = "NVIDIA A100 PCIe 80 GB", .match = "NVIDIA A100 80GB PCIe",
  .flop_per_s = PEAKS(19.5e12, 156e12, 312e12, 312e12, 0), .mem_bytes_per_s = 1.935e12,
  .mem_bytes = 80 * GIB, .cache_bytes = 40 * MIB, .clock_hz = 1.41e9, .tdp_w = 300,
  .sm_count = 108, .compute_capability = 80,
  .source = "NVIDIA A100 datasheet; NVIDIA A100 architecture whitepaper" },
{ .name = "a100-80-sxm", .title = "NVIDIA A100 SXM 80 GB", .match = "NVIDIA A100-SXM4-80GB",
  .flop_per_s = PEAKS(19.5e12, 156e12, 312e12, 312e12, 0), .mem_bytes_per_s = 2.039e12,
  .mem_bytes = 80 * GIB, .cache_bytes = 40 * MIB, .clock_hz = 1.41e9, .tdp_w = 400,
  .sm_count = 108, .compute_capability = 80,
  .source = "NVIDIA A100 datasheet; NVIDIA A100 architecture whitepaper" },
{ .name = "a10", .title = "NVIDIA A10", .match = "NVIDIA A10",
  .flop_per_s = PEAKS(31.2e12, 62.5e12, 125e12, 125e12, 0), .mem_bytes_per_s = 600e9,
  .mem_bytes = 24 * GIB, .cache_bytes = 6 * MIB, .clock_hz = 1.695e9, .tdp_w = 150,
  .sm_count = 72, .compute_capability = 86,
  .source = "NVIDIA A10 datasheet; NVIDIA A10 product brief" },
{ .name = "rtx-3090", .title = "NVIDIA GeForce RTX 3090", .match = "NVIDIA GeForce RTX 3090",
  .flop_per_s = PEAKS(35.6e12, 35.6e12, 71e12, 71e12, 0), .mem_bytes_per_s = 936e9,
  .mem_bytes = 24 * GIB, .cache_bytes = 6 * MIB, .clock_hz = 1.695e9, .tdp_w = 350,
  .sm_count = 82, .compute_capability = 86,
  .source = "NVIDIA Ampere GA102 architecture whitepaper (f16 with f32 accumulation)" },

/* Ada. */
{ .name = "l4", .title = "NVIDIA L4", .match = "NVIDIA L4",
  .flop_per_s = PEAKS(30.3e12, 60e12, 121e12, 121e12, 242e12), .mem_bytes_per_s = 300e9,
  .mem_bytes = 24 * GIB, .cache_bytes = 48 * MIB, .clock_hz = 2.04e9, .tdp_w = 72,
  .sm_count = 58, .compute_capability = 89,
  .source = "NVIDIA L4 datasheet (its tensor peaks are with sparsity: halved here)" },
{ .name = "l40", .title = "NVIDIA L40", .match = "NVIDIA L40",
  .flop_per_s = PEAKS(90.5e12, 90.5e12, 181.05e12, 181.05e12, 362.1e12), .mem_bytes_per_s = 864e9,
  .mem_bytes = 48 * GIB, .cache_bytes = 96 * MIB, .clock_hz = 2.49e9, .tdp_w = 300,
  .sm_count = 142, .compute_capability = 89,
  .source = "NVIDIA L40 datasheet" },
{ .name = "l40s", .title = "NVIDIA L40S", .match = "NVIDIA L40S",
  .flop_per_s = PEAKS(91.6e12, 183e12, 362.05e12, 362.05e12, 733e12), .mem_bytes_per_s = 864e9,
  .mem_bytes = 48 * GIB, .cache_bytes = 96 * MIB, .clock_hz = 2.52e9, .tdp_w = 350,
  .sm_count = 142, .compute_capability = 89,
  .source = "NVIDIA L40S datasheet" },
{ .name = "rtx-4090", .title = "NVIDIA GeForce RTX 4090", .match = "NVIDIA GeForce RTX 4090",
  .flop_per_s = PEAKS(82.6e12, 82.6e12, 165.2e12, 165.2e12, 330.3e12), .mem_bytes_per_s = 1.008e12,
  .mem_bytes = 24 * GIB, .cache_bytes = 72 * MIB, .clock_hz = 2.52e9, .tdp_w = 450,
  .sm_count = 128, .compute_capability = 89,
  .source = "NVIDIA Ada GPU architecture whitepaper (f16 with f32 accumulation)" },

/* Hopper. */
{ .name = "h100-pcie", .title = "NVIDIA H100 PCIe 80 GB", .match = "NVIDIA H100 PCIe",
  .flop_per_s = PEAKS(51.2e12, 378e12, 756e12, 756e12, 1513e12), .mem_bytes_per_s = 2e12,
  .mem_bytes = 80 * GIB, .cache_bytes = 50 * MIB, .clock_hz = 1.755e9, .tdp_w = 350,
  .sm_count = 114, .compute_capability = 90,
  .source = "NVIDIA H100 datasheet; NVIDIA H100 architecture whitepaper" },
{ .name = "h100-sxm", .title = "NVIDIA H100 SXM 80 GB", .match = "NVIDIA H100 80GB HBM3",
  .flop_per_s = PEAKS(66.9e12, 494.7e12, 989.4e12, 989.4e12, 1978.9e12), .mem_bytes_per_s = 3.35e12,
  .mem_bytes = 80 * GIB, .cache_bytes = 50 * MIB, .clock_hz = 1.98e9, .tdp_w = 700,
  .sm_count = 132, .compute_capability = 90,
  .source = "NVIDIA H100 datasheet; NVIDIA H100 architecture whitepaper" },
{ .name = "h200", .title = "NVIDIA H200 SXM 141 GB", .match = "NVIDIA H200",
  .flop_per_s = PEAKS(66.9e12, 494.7e12, 989.4e12, 989.4e12, 1978.9e12), .mem_bytes_per_s = 4.8e12,
  .mem_bytes = 141 * GIB, .cache_bytes = 60 * MIB, .clock_hz = 1.98e9, .tdp_w = 700,
  .sm_count = 132, .compute_capability = 90,
  .source = "NVIDIA H200 datasheet; NVIDIA H100 architecture whitepaper (L2 of the full chip: all "
	    "six memory stacks are in use)" },

/* Blackwell. */
{ .name = "b200", .title = "NVIDIA B200 SXM 180 GB", .match = "NVIDIA B200",
  .flop_per_s = PEAKS(74.4e12, 1.125e15, 2.25e15, 2.25e15, 4.5e15), .mem_bytes_per_s = 8e12,
  .mem_bytes = 180 * GIB, .cache_bytes = 126 * MIB, .clock_hz = 1.965e9, .tdp_w = 1000,
  .sm_count = 148, .compute_capability = 100,
  .source = "NVIDIA DGX B200 and HGX B200 datasheets (per GPU, tensor peaks without sparsity); "
	    "clock and L2 as the driver reports them" },
{ .name = "rtx-5090", .title = "NVIDIA GeForce RTX 5090", .match = "NVIDIA GeForce RTX 5090",
  .flop_per_s = PEAKS(104.8e12, 104.8e12, 209.5e12, 209.5e12, 419e12), .mem_bytes_per_s = 1.792e12,
  .mem_bytes = 32 * GIB, .cache_bytes = 96 * MIB, .clock_hz = 2.407e9, .tdp_w = 575,
  .sm_count = 170, .compute_capability = 120,
  .source = "NVIDIA RTX Blackwell GPU architecture whitepaper (f16 with f32 accumulation)" },
{ .name = "rtx-pro-6000", .title = "NVIDIA RTX PRO 6000 Blackwell Workstation Edition",
  .match = "NVIDIA RTX PRO 6000 Blackwell Workstation Edition",
  .flop_per_s = PEAKS(126e12, 251.9e12, 503.8e12, 503.8e12, 1007.6e12), .mem_bytes_per_s = 1.792e12,
  .mem_bytes = 96 * GIB, .cache_bytes = 128 * MIB, .clock_hz = 2.617e9, .tdp_w = 600,
  .sm_count = 188, .compute_capability = 120,
  .source = "NVIDIA RTX PRO 6000 Blackwell Workstation Edition datasheet; NVIDIA RTX Blackwell PRO "
	    "GPU architecture whitepaper" },
{ .name = "rtx-pro-6000-server", .title = "NVIDIA RTX PRO 6000 Blackwell Server Edition",
  .match = "NVIDIA RTX PRO 6000 Blackwell Server Edition",
  .flop_per_s = PEAKS(117e12, 234e12, 468e12, 468e12, 936e12), .mem_bytes_per_s = 1.597e12,
  .mem_bytes = 96 * GIB, .cache_bytes = 128 * MIB, .clock_hz = 2.43e9, .tdp_w = 600,
  .sm_count = 188, .compute_capability = 120,
  .source = "NVIDIA RTX PRO 6000 Blackwell Server Edition datasheet" },
};
// clang-format on

const struct paleo_device *paleo_devices(int *count)
{
	*count = (int)(sizeof(devices) / sizeof(devices[0]));
	return devices;
}
