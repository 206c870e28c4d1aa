/* cupti_times.c - kernel times by CUPTI, in a library that CUDA_INJECTION64_PATH names. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <cupti.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * A second opinion on the times of events: how long each kernel ran, by the device's own
 * counters. Every buffer that CUPTI hands over rewrites the file that PALEO_CUPTI_OUT
 * names: "kernel<TAB>times<TAB>mean seconds<TAB>least seconds". A worker ends without
 * clean-up, so what ran in its last tenth of a second is missing.
 */
enum {
	KERNELS_MAX = 256,
	BUFFER_BYTES = 1 << 20,
	FLUSH_MS = 100
};

struct kernel {
	char name[256];
	unsigned long long times, total_ns, least_ns;
};

struct kernels {
	struct kernel items[KERNELS_MAX];
	int count;
};

/* CUPTI's callbacks have no argument for this; they are called one at a time. */
static struct kernels *kernels(void)
{
	static struct kernels all;

	return &all;
}

static struct kernel *find(struct kernels *all, const char *name)
{
	for (int i = 0; i < all->count; i++)
		if (!strncmp(all->items[i].name, name, sizeof(all->items[i].name) - 1))
			return &all->items[i];
	if (all->count == KERNELS_MAX)
		return NULL;
	struct kernel *k = &all->items[all->count++];
	snprintf(k->name, sizeof(k->name), "%s", name);
	k->least_ns = UINT64_MAX;
	return k;
}

static void add(const CUpti_ActivityKernel9 *activity)
{
	struct kernel *k = find(kernels(), activity->name ? activity->name : "?");
	unsigned long long ns = activity->end - activity->start;

	if (!k)
		return;
	k->times++;
	k->total_ns += ns;
	if (ns < k->least_ns)
		k->least_ns = ns;
}

static void write_file(void)
{
	const struct kernels *all = kernels();
	const char *path = getenv("PALEO_CUPTI_OUT");
	FILE *f = path ? fopen(path, "w") : NULL;

	if (!f)
		return;
	for (int i = 0; i < all->count; i++) {
		const struct kernel *k = &all->items[i];
		fprintf(f, "%s\t%llu\t%.9g\t%.9g\n", k->name, k->times,
			(double)k->total_ns * 1e-9 / (double)k->times, (double)k->least_ns * 1e-9);
	}
	fclose(f);
}

static void CUPTIAPI give_buffer(uint8_t **buffer, size_t *size, size_t *most_records)
{
	*buffer = aligned_alloc(8, BUFFER_BYTES);
	*size = *buffer ? BUFFER_BYTES : 0;
	*most_records = 0;
}

static void CUPTIAPI take_buffer(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size,
				 size_t valid)
{
	CUpti_Activity *record = NULL;

	(void)context;
	(void)stream;
	(void)size;
	while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS)
		if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
			add((const CUpti_ActivityKernel9 *)(const void *)record);
	free(buffer);
	write_file();
}

/* The driver calls it by this name. */
int InitializeInjection(void);

__attribute__((visibility("default"))) int InitializeInjection(void)
{
	CUptiResult rc = cuptiActivityRegisterCallbacks(give_buffer, take_buffer);

	if (rc == CUPTI_SUCCESS)
		rc = cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
	if (rc == CUPTI_SUCCESS)
		rc = cuptiActivityFlushPeriod(FLUSH_MS);
	return rc == CUPTI_SUCCESS;
}
