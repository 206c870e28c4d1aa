/* kernel_images.c - the kernels' machine code that was made when the plug-in was built. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/backends/cuda/kernels.h"

/* kernel_images.def is made by CMake: IMAGE(90, BF16, "FILE.cubin") for each. An ELF image must be
 * aligned to 8 bytes. */
#define IMAGE(architecture, dtype, path)                                                           \
	__asm__(".pushsection .rodata\n\t.balign 16\n"                                             \
		"paleo_image_" #architecture "_" #dtype ":\n\t.incbin \"" path "\"\n"              \
		"paleo_image_" #architecture "_" #dtype "_end:\n\t.byte 0\n\t.popsection");        \
	extern const char paleo_image_##architecture##_##dtype[],                                  \
		paleo_image_##architecture##_##dtype##_end[];
#include "bench/backends/cuda/kernel_images.def"
#undef IMAGE

#define IMAGE(architecture, dtype, path)                                                           \
	{architecture, PALEO_##dtype, paleo_image_##architecture##_##dtype,                        \
	 paleo_image_##architecture##_##dtype##_end},
static const struct {
	int compute_capability;
	enum paleo_dtype dtype;
	const char *begin, *end;
} images[] = {
#include "bench/backends/cuda/kernel_images.def"
	{0, PALEO_DTYPES, "", ""},
};
#undef IMAGE

const char *paleo_kernel_image(enum paleo_dtype dtype, int compute_capability)
{
	for (int i = 0; images[i].compute_capability; i++)
		if (images[i].compute_capability == compute_capability &&
		    images[i].dtype == dtype && images[i].end > images[i].begin)
			return images[i].begin;
	return NULL;
}

void paleo_kernel_images_version(int version[2])
{
	static const int compiler[2] =
#include "bench/backends/cuda/kernel_images_version.def"
		;

	version[0] = compiler[0];
	version[1] = compiler[1];
}
