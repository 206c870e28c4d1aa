/* host_kernels.c - the text of the plug-in's kernels, compiled for the CPU. */
/* SPDX-License-Identifier: Apache-2.0 */
/* What checks longjmp() takes one to another thread's stack for a mistake. */
#undef _FORTIFY_SOURCE

#include "host_kernels.h"

#include <assert.h>
#include <math.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>

/* The device's compiler does not ask for casts between numbers, and not all that is here is used
 * for every dtype. */
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wcast-align"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-function"

/* One block runs at a time, so that what its threads share can be static. Its threads take turns:
 * each runs up to its next barrier and then hands over to the next one. */
static unsigned host_thread, host_block, host_blocks;
static jmp_buf host_scheduler, host_threads[PALEO_KERNEL_THREADS];

/* Ends when the turn comes back. swapcontext() would tell the kernel each time. */
static void host_barrier(void)
{
	if (setjmp(host_threads[host_thread]))
		return;
	if (++host_thread < PALEO_KERNEL_THREADS)
		longjmp(host_threads[host_thread], 1);
	longjmp(host_scheduler, 1);
}

static float host_float(uint32_t bits)
{
	float v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

static uint32_t host_bits(float v)
{
	uint32_t bits;

	memcpy(&bits, &v, sizeof(bits));
	return bits;
}

static int host_exchange(int *place, int value)
{
	int before = *place;

	*place = value;
	return before;
}

/* The sums over a thread's warp. All threads of the block come. */
static void host_warp_sums(float *a, float *b)
{
	static float values[2][PALEO_KERNEL_THREADS];
	unsigned first = host_thread / PALEO_WARP * PALEO_WARP;

	values[0][host_thread] = *a;
	values[1][host_thread] = *b;
	host_barrier();
	*a = *b = 0;
	for (unsigned i = first; i < first + PALEO_WARP; i++) {
		*a += values[0][i];
		*b += values[1][i];
	}
	host_barrier();
}

/* The words of prelude.inc, in the host's meaning. */
#define KERNEL(name)                                                                               \
	static void name##_on(const struct paleo_frame f);                                         \
	static void name(const struct paleo_frame *f, const struct paleo_parts *p)                 \
	{                                                                                          \
		name##_on(*f);                                                                     \
	}                                                                                          \
	static void name##_on(const struct paleo_frame f)
#define BOUNDED_KERNEL(name, blocks) KERNEL(name)
#define PARTS_KERNEL(name)                                                                         \
	static void name##_on(const struct paleo_frame f, const struct paleo_parts p);             \
	static void name(const struct paleo_frame *f, const struct paleo_parts *p)                 \
	{                                                                                          \
		name##_on(*f, *p);                                                                 \
	}                                                                                          \
	static void name##_on(const struct paleo_frame f, const struct paleo_parts p)
#define FUNC static inline
#define SHARED static
#define BARRIER() host_barrier()
#define WARP_SUMS(a, b) host_warp_sums(&(a), &(b));
#define THREAD host_thread
#define THREADS ((unsigned)PALEO_KERNEL_THREADS)
#define BLOCK host_block
#define BLOCKS host_blocks
#define FLOAT_OF(bits) host_float(bits)
#define BITS_OF(value) host_bits(value)
#define STORE_WORDS(to, words) memcpy(to, words, sizeof(words))
#define EXCHANGE(place, value) host_exchange(place, value)

/* In the order of the plug-in's CMakeLists.txt. */
// clang-format off
#include "bench/backends/cuda/kernels/element.inc"
#include "bench/backends/cuda/kernels/memory.inc"
#include "bench/backends/cuda/kernels/eltwise.inc"
#include "bench/backends/cuda/kernels/sums.inc"
#include "bench/backends/cuda/kernels/norm.inc"
#include "bench/backends/cuda/kernels/pool.inc"
#include "bench/backends/cuda/kernels/tokens.inc"
#include "bench/backends/cuda/kernels/quantise.inc"
#include "bench/backends/cuda/kernels/experts.inc"
// clang-format on
#undef BARRIER

struct kernel {
	const char *name;
	void (*run)(const struct paleo_frame *f, const struct paleo_parts *p);
	int has_barriers;
};

#define PLAIN(name, ...) {#name, name, 0},
#define BARRIER(name, ...) {#name, name, 1},
static const struct kernel kernels[] = {
#include "kernels.def"
};

int host_kernel_find(const char *name)
{
	for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++)
		if (!strcmp(kernels[i].name, name))
			return (int)i;
	return -1;
}

const char *host_kernel_name(int number)
{
	return kernels[number].name;
}

/* What the threads of the block that runs now compute, and how many of them have ended. */
static struct {
	const struct kernel *kernel;
	const struct paleo_frame *frame;
	const struct paleo_parts *parts;
	unsigned ended;
} host_run;

/* A thread, on a stack of its own, for all blocks to come. */
static void run_thread(void)
{
	if (!setjmp(host_threads[host_thread]))
		longjmp(host_scheduler, 1);
	for (;;) {
		host_run.kernel->run(host_run.frame, host_run.parts);
		host_run.ended++;
		host_barrier();
	}
}

/* Begins them all, each up to where it waits for its first turn. */
static void make_threads(void)
{
	enum {
		STACK_BYTES = 1 << 17
	};
	static char stacks[PALEO_KERNEL_THREADS][STACK_BYTES];
	static ucontext_t begin;

	for (host_thread = 0; host_thread < PALEO_KERNEL_THREADS; host_thread++) {
		int failed = getcontext(&begin);
		assert(!failed);
		begin.uc_stack.ss_sp = stacks[host_thread];
		begin.uc_stack.ss_size = STACK_BYTES;
		makecontext(&begin, run_thread, 0);
		if (!setjmp(host_scheduler))
			setcontext(&begin);
	}
}

/* One block. Its threads all end after the same number of barriers. */
static void run_together(const struct kernel *k, const struct paleo_frame *f,
			 const struct paleo_parts *p)
{
	static int made;

	if (!made)
		make_threads();
	made = 1;
	host_run.kernel = k;
	host_run.frame = f;
	host_run.parts = p;
	host_run.ended = 0;
	while (!host_run.ended) {
		host_thread = 0;
		if (!setjmp(host_scheduler))
			longjmp(host_threads[0], 1);
	}
	assert(host_run.ended == PALEO_KERNEL_THREADS);
}

void host_kernel_run(int number, unsigned blocks, const struct paleo_frame *f,
		     const struct paleo_parts *p)
{
	const struct kernel *k = &kernels[number];

	host_blocks = blocks;
	for (host_block = 0; host_block < blocks; host_block++) {
		if (k->has_barriers) {
			run_together(k, f, p);
			continue;
		}
		for (host_thread = 0; host_thread < PALEO_KERNEL_THREADS; host_thread++)
			k->run(f, p);
	}
}

float host_element(const void *tensor, long long index)
{
	return get(((const elem *)tensor)[index]);
}

void host_store(void *tensor, long long index, float v)
{
	((elem *)tensor)[index] = put(v);
}

int host_element_bytes(void)
{
	return (int)sizeof(elem);
}
