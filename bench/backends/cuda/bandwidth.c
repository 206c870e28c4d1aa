/* bandwidth.c - how many bytes move in a second through the memory and the L2 cache. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/backends/cuda/bandwidth.h"

#include <math.h>

#include "bench/backends/cuda/kernels.h"
#include "bench/backends/cuda/status.h"

#define SAMPLE_S 0.005
#define TIMES_MAX 10000
#define PACKS 4         /* that each thread reads in a sweep: several are on their way at once */
#define REREADS 100     /* rounds of a kernel through the L2 cache */
#define REREAD_BLOCKS 8 /* of each multiprocessor, then */

static const struct {
	const char *name;
	double factor; /* bytes moved per byte of a buffer */
} sweeps[PALEO_SWEEPS] = {
	[PALEO_SWEEP_COPY] = {"copy", 2},
	[PALEO_SWEEP_READ] = {"read", 1},
	[PALEO_SWEEP_WRITE] = {"write", 1},
};

const char *paleo_sweep_name(enum paleo_sweep what)
{
	return sweeps[what].name;
}

int paleo_time_events(struct paleo_session *s, paleo_enqueue *enqueue, void *what, int times,
		      double *elapsed_s, struct paleo_error *err)
{
	int rc = paleo_clock_start(s, err);

	for (int i = 0; i < times && !rc; i++)
		rc = enqueue(s, what, err);
	return rc ? rc : paleo_clock_stop(s, elapsed_s, err);
}

int paleo_buffers_take(struct paleo_session *s, struct paleo_buffers *out, double most,
		       struct paleo_error *err)
{
	struct paleo_buffers x = {.a = NULL};
	size_t available, total;
	int rc = paleo_cuda_check(cudaMemGetInfo(&available, &total), "ask how much memory is free",
				  err);

	if (rc)
		return rc;
	x.bytes = (size_t)fmin(most, 0.25 * (double)available) / 4096 * 4096;
	rc = paleo_cuda_check(cudaMalloc(&x.a, x.bytes), "take memory", err);
	if (!rc)
		rc = paleo_cuda_check(cudaMalloc(&x.b, x.bytes), "take memory", err);
	if (!rc)
		rc = paleo_cuda_check(cudaMemsetAsync(x.a, 0, x.bytes, s->stream), "clear memory",
				      err);
	if (rc) {
		paleo_buffers_give_back(&x);
		return rc;
	}
	*out = x;
	return PALEO_OK;
}

void paleo_buffers_give_back(struct paleo_buffers *x)
{
	cudaFree(x->a);
	cudaFree(x->b);
	x->a = x->b = NULL;
}

/* One sweep, as it is put into the stream. */
struct sweep {
	const struct paleo_buffers *buffers;
	enum paleo_sweep what;
	cudaKernel_t kernel;
	struct paleo_frame frame;
	double blocks;
};

static int enqueue(struct paleo_session *s, void *what, struct paleo_error *err)
{
	const struct sweep *w = what;
	const struct paleo_buffers *x = w->buffers;

	switch (w->what) {
	case PALEO_SWEEP_COPY:
		return paleo_cuda_check(
			cudaMemcpyAsync(x->b, x->a, x->bytes, cudaMemcpyDeviceToDevice, s->stream),
			"copy memory", err);
	case PALEO_SWEEP_WRITE:
		return paleo_cuda_check(cudaMemsetAsync(x->b, 0, x->bytes, s->stream),
					"write memory", err);
	case PALEO_SWEEP_READ:
	case PALEO_SWEEPS:
		break;
	}
	return paleo_kernels_run(s, w->kernel, w->blocks, &w->frame, err);
}

/* `bytes` are what one call of enqueue() moves. */
static int take_samples(struct paleo_session *s, struct sweep *w, double bytes, double *samples,
			int n, struct paleo_error *err)
{
	double elapsed_s = 0;
	int times = 1;
	int rc = paleo_time_events(s, enqueue, w, 1, &elapsed_s, err);

	if (!rc) /* once more: the first was not warm */
		rc = paleo_time_events(s, enqueue, w, 1, &elapsed_s, err);
	if (elapsed_s > 0)
		times = (int)fmin(fmax(ceil(SAMPLE_S / elapsed_s), 1), TIMES_MAX);
	for (int i = 0; i < n && !rc; i++) {
		rc = paleo_time_events(s, enqueue, w, times, &elapsed_s, err);
		if (!rc && !(elapsed_s > 0))
			return paleo_fail(err, PALEO_EBACKEND, "the device's clock stands still");
		samples[i] = bytes * times / elapsed_s;
	}
	return rc;
}

static int find_reader(struct paleo_session *s, struct sweep *w, size_t bytes, int rounds,
		       struct paleo_error *err)
{
	w->what = PALEO_SWEEP_READ;
	w->frame = (struct paleo_frame){.x = w->buffers->a,
					.workspace = w->buffers->b,
					.count = (long long)(bytes / sizeof(float)),
					.tensors = rounds,
					.factor = -1};
	return paleo_kernels_find(s, PALEO_F32, "read_all", &w->kernel, err);
}

int paleo_sweep_samples(struct paleo_session *s, const struct paleo_buffers *x,
			enum paleo_sweep what, double *samples, int n, struct paleo_error *err)
{
	struct sweep w = {.buffers = x, .what = what};
	double bytes = (double)x->bytes;
	int rc = PALEO_OK;

	if (what == PALEO_SWEEP_READ)
		rc = find_reader(s, &w, x->bytes, 1, err);
	w.blocks = ceil(bytes / (PALEO_KERNEL_THREADS * PALEO_PACK_BYTES * PACKS));
	return rc ? rc : take_samples(s, &w, sweeps[what].factor * bytes, samples, n, err);
}

int paleo_reread_samples(struct paleo_session *s, const struct paleo_buffers *x, size_t bytes,
			 double *samples, int n, struct paleo_error *err)
{
	struct sweep w = {.buffers = x};
	int rc = find_reader(s, &w, bytes, REREADS, err);

	w.blocks = (double)REREAD_BLOCKS * s->properties.multiProcessorCount;
	return rc ? rc : take_samples(s, &w, (double)bytes * REREADS, samples, n, err);
}
