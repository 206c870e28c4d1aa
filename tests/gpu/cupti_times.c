/* cupti_times.c - kernel times by CUPTI, in a library that CUDA_INJECTION64_PATH names. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <cupti.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * A second opinion on the times of events: how long kernels ran, by the device's own
 * counters. Each launch of a graph is one line of the file that PALEO_CUPTI_OUT
 * names: "segment<TAB>kernels<TAB>sum of their times in s<TAB>from the first to the last in
 * s<TAB>name of the first". A segment begins where inputs are filled after a graph ran: with
 * the next op. A worker ends without clean-up, so what ran in its last tenth of a second is
 * missing. tests/gpu/judge/kernels.awk reads the file.
 */
enum {
	BUFFER_BYTES = 1 << 20,
	FLUSH_MS = 100
};

/* The launch of a graph that kernels come from at present. */
struct launch {
	uint32_t id; /* 0: none yet */
	int kernels;
	uint64_t sum_ns, first_ns, last_ns;
	char name[128];
	int segment;
	int is_used; /* the segment has launches */
};

/* CUPTI's callbacks have no argument for this; they are called one at a time. */
static struct launch *current(void)
{
	static struct launch launch = {.segment = 1};

	return &launch;
}

static void write_launch(const struct launch *l)
{
	const char *path = getenv("PALEO_CUPTI_OUT");
	FILE *f = path && l->id ? fopen(path, "a") : NULL;

	if (!f)
		return;
	fprintf(f, "%d\t%d\t%.9g\t%.9g\t%s\n", l->segment, l->kernels, (double)l->sum_ns * 1e-9,
		(double)(l->last_ns - l->first_ns) * 1e-9, l->name);
	fclose(f);
}

static void begin_launch(struct launch *l, const CUpti_ActivityKernel9 *k)
{
	write_launch(l);
	*l = (struct launch){
		.id = k->correlationId, .first_ns = k->start, .segment = l->segment, .is_used = 1};
	snprintf(l->name, sizeof(l->name), "%s", k->name ? k->name : "?");
}

static void add(const CUpti_ActivityKernel9 *k)
{
	struct launch *l = current();

	if (!k->graphId) {
		if (l->is_used && k->name && !strncmp(k->name, "fill", 4)) {
			write_launch(l);
			*l = (struct launch){.segment = l->segment + 1};
		}
		return;
	}
	if (l->id != k->correlationId)
		begin_launch(l, k);
	l->kernels++;
	l->sum_ns += k->end - k->start;
	l->last_ns = k->end;
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
