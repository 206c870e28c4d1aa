/* rates.c - ceilings of memory bandwidth, and the cost of launching an op. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>

#include "bench/backends/cuda/session.h"
#include "bench/clock.h"

#define SAMPLE_S 0.005
#define TIMES_MAX 10000
#define PACKS 4         /* that each thread reads in a sweep: several are on their way at once */
#define REREADS 100     /* rounds of a kernel through the L2 cache */
#define REREAD_BLOCKS 8 /* of each multiprocessor, then */

/* Resolution of events, by the runtime's manual: smaller times cannot be resolved, and 0 is not a
 * ceiling. */
#define CLOCK_STEP_S 0.5e-6

enum {
	LAUNCHES = 500,
	QUEUE = 100, /* launches that a stream takes without making the host wait */
	SAMPLES = 20,
	TRANSFERS = 10
};

enum sweep_kind {
	COPY,  /* cudaMemcpyAsync, read and write counted */
	READ,  /* kernel read_all */
	WRITE, /* cudaMemsetAsync */
	SWEEPS
};

/* Puts something into the stream. */
typedef int enqueue(struct paleo_session *s, void *what, struct paleo_error *err);

/* The time of the events around the work that `put` enqueues `times` times. */
static int time_events(struct paleo_session *s, enqueue *put, void *what, int times,
		       double *elapsed_s, struct paleo_error *err)
{
	int rc = paleo_clock_start(s, err);

	for (int i = 0; i < times && !rc; i++)
		rc = put(s, what, err);
	return rc ? rc : paleo_clock_stop(s, elapsed_s, err);
}

/* Two buffers on the device; zero before. */
struct buffers {
	void *a, *b;
	size_t bytes; /* of each */
};

static void give_back(struct buffers *x)
{
	cudaFree(x->a);
	cudaFree(x->b);
	x->a = x->b = NULL;
}

/* Allocates at most `most` bytes each, and less than a quarter of the free memory. */
static int take(struct paleo_session *s, struct buffers *out, double most, struct paleo_error *err)
{
	struct buffers x = {.a = NULL};
	size_t available, total;
	int rc = paleo_cuda_check(cudaMemGetInfo(&available, &total), "query free memory", err);

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
		give_back(&x);
		return rc;
	}
	*out = x;
	return PALEO_OK;
}

/* One sweep, as it is put into the stream. */
struct sweep {
	const struct buffers *buffers;
	enum sweep_kind kind;
	cudaKernel_t kernel;
	struct paleo_frame frame;
	double blocks;
	const char *name, *how; /* of the ceiling */
};

static int enqueue_sweep(struct paleo_session *s, void *what, struct paleo_error *err)
{
	const struct sweep *w = what;
	const struct buffers *x = w->buffers;

	if (w->kind == COPY)
		return paleo_cuda_check(
			cudaMemcpyAsync(x->b, x->a, x->bytes, cudaMemcpyDeviceToDevice, s->stream),
			"copy memory", err);
	if (w->kind == WRITE)
		return paleo_cuda_check(cudaMemsetAsync(x->b, 0, x->bytes, s->stream),
					"write memory", err);
	return paleo_kernels_run(s, w->kernel, w->blocks, &w->frame, err);
}

/* Samples of at least 5 ms, behind at least `load_s` of the same, of which one call moves `bytes`.
 */
static int take_samples(struct paleo_session *s, struct sweep *w, double bytes, double load_s,
			double *samples, int n, struct paleo_error *err)
{
	double elapsed_s = 0;
	int times = 1;
	int rc = time_events(s, enqueue_sweep, w, 1, &elapsed_s, err);

	if (!rc) /* once more: the first was not warm */
		rc = time_events(s, enqueue_sweep, w, 1, &elapsed_s, err);
	if (elapsed_s > 0)
		times = (int)fmin(fmax(ceil(SAMPLE_S / elapsed_s), 1), TIMES_MAX);
	for (double end_s = paleo_now_s() + load_s; !rc && paleo_now_s() < end_s;)
		rc = time_events(s, enqueue_sweep, w, times, &elapsed_s, err);
	for (int i = 0; i < n && !rc; i++) {
		rc = time_events(s, enqueue_sweep, w, times, &elapsed_s, err);
		if (!rc && !(elapsed_s > 0))
			return paleo_fail(err, PALEO_EBACKEND,
					  "the device's clock does not advance");
		samples[i] = bytes * times / elapsed_s;
	}
	return rc;
}

/* A kernel that reads the first `bytes` of a buffer, `rounds` times. */
static int find_reader(struct paleo_session *s, struct sweep *w, size_t bytes, int rounds,
		       struct paleo_error *err)
{
	w->kind = READ;
	w->frame = (struct paleo_frame){.x = w->buffers->a,
					.workspace = w->buffers->b,
					.count = (long long)(bytes / sizeof(float)),
					.tensors = rounds,
					.factor = -1};
	return paleo_kernels_find(s, PALEO_F32, "read_all", &w->kernel, err);
}

/* Adds the bandwidth of a sweep, or the reason why there is none. */
static int add_rate(struct paleo_session *s, struct sweep *w, double bytes, int n,
		    struct paleo_ceilings *out, struct paleo_error *err)
{
	double samples[SAMPLES];
	const double load_s = out->regime == PALEO_SUSTAINED ? PALEO_SUSTAIN_S : 0;
	int rc = take_samples(s, w, bytes, load_s, samples, n, err);

	return rc ? rc : paleo_ceilings_add(out, w->name, "B/s", samples, n, w->how, err);
}

static int add_sweep(struct paleo_session *s, const struct buffers *x, enum sweep_kind kind, int n,
		     struct paleo_ceilings *out, struct paleo_error *err)
{
	static const char *const names[SWEEPS] = {"copy", "read", "write"};
	char how[sizeof(out->items->how)];
	struct sweep w = {.buffers = x, .kind = kind, .name = names[kind], .how = how};
	const double bytes = (double)x->bytes;
	int rc = kind == READ ? find_reader(s, &w, x->bytes, 1, err) : PALEO_OK;

	w.blocks = ceil(bytes / (PALEO_KERNEL_THREADS * PALEO_PACK_BYTES * PACKS));
	snprintf(how, sizeof(how), "%.2f GiB", bytes / 1073741824.0);
	if (!rc)
		rc = add_rate(s, &w, kind == COPY ? 2 * bytes : bytes, n, out, err);
	return paleo_ceilings_skip(out, names[kind], rc, err);
}

static int add_l2(struct paleo_session *s, const struct buffers *x, int n,
		  struct paleo_ceilings *out, struct paleo_error *err)
{
	size_t bytes = (size_t)s->properties.l2CacheSize / 4;
	struct sweep w = {
		.buffers = x, .name = "read_l2", .how = "a quarter of the L2 cache, repeatedly"};

	if (bytes == 0 || bytes > x->bytes)
		return PALEO_OK;
	int rc = find_reader(s, &w, bytes, REREADS, err);
	w.blocks = (double)REREAD_BLOCKS * s->properties.multiProcessorCount;
	if (!rc)
		rc = add_rate(s, &w, (double)bytes * REREADS, n, out, err);
	return paleo_ceilings_skip(out, "read_l2", rc, err);
}

int paleo_memory_ceilings(struct paleo_session *s, int n, double bytes, struct paleo_ceilings *out,
			  struct paleo_error *err)
{
	struct buffers x;
	int rc = take(s, &x, bytes, err);

	if (rc)
		return paleo_ceilings_skip(out, "memory", rc, err);
	for (int kind = 0; kind < SWEEPS && !rc; kind++)
		rc = add_sweep(s, &x, (enum sweep_kind)kind, n, out, err);
	if (!rc)
		rc = add_l2(s, &x, n, out, err);
	give_back(&x);
	return rc;
}

static const size_t TRANSFER_BYTES = (size_t)256 << 20;

/* State of the launch ceilings: an empty kernel, and a graph of many. */
struct launches {
	cudaKernel_t kernel;
	cudaGraphExec_t graph;
};

static int enqueue_kernel(struct paleo_session *s, void *what, struct paleo_error *err)
{
	const struct launches *l = what;
	const struct paleo_frame none = {.count = 0};

	return paleo_kernels_run(s, l->kernel, 1, &none, err);
}

static int enqueue_graph(struct paleo_session *s, void *what, struct paleo_error *err)
{
	const struct launches *l = what;

	return paleo_cuda_check(cudaGraphLaunch(l->graph, s->stream), "launch a graph", err);
}

/* Captured content: LAUNCHES launches of the empty kernel. */
struct captured_launches {
	struct paleo_session *session;
	struct launches *launches;
};

static int launch_captured(const void *of, struct paleo_error *err)
{
	const struct captured_launches *c = of;
	int rc = PALEO_OK;

	for (int i = 0; i < LAUNCHES && !rc; i++)
		rc = enqueue_kernel(c->session, c->launches, err);
	return rc;
}

static int make_graph(struct paleo_session *s, struct launches *l, struct paleo_error *err)
{
	const struct captured_launches captured = {.session = s, .launches = l};

	return paleo_cuda_capture(s->stream, launch_captured, &captured, &l->graph, err);
}

/* One of the device's times: of `times` calls, each of which is `ops` launches. */
struct timed {
	const char *name, *how;
	enqueue *put;
	int times, ops;
};

static int add_timed(struct paleo_session *s, struct launches *l, const struct timed *t,
		     struct paleo_ceilings *out, struct paleo_error *err)
{
	double samples[SAMPLES], elapsed_s = 0;
	int rc = time_events(s, t->put, l, t->times, &elapsed_s, err);

	for (int i = 0; i < SAMPLES && !rc; i++) {
		rc = time_events(s, t->put, l, t->times, &elapsed_s, err);
		samples[i] = fmax(elapsed_s, CLOCK_STEP_S) / t->ops;
	}
	if (!rc)
		rc = paleo_ceilings_add(out, t->name, "s", samples, SAMPLES, t->how, err);
	return paleo_ceilings_skip(out, t->name, rc, err);
}

/* CPU time of enqueueing a launch without waiting for it. */
static int add_enqueue(struct paleo_session *s, struct launches *l, struct paleo_ceilings *out,
		       struct paleo_error *err)
{
	double samples[SAMPLES];
	int rc = PALEO_OK;

	for (int i = 0; i < SAMPLES && !rc; i++) {
		double start_s = paleo_now_s();
		for (int k = 0; k < QUEUE && !rc; k++)
			rc = enqueue_kernel(s, l, err);
		samples[i] = (paleo_now_s() - start_s) / QUEUE;
		if (!rc)
			rc = paleo_cuda_check(cudaStreamSynchronize(s->stream), "wait", err);
	}
	if (!rc)
		rc = paleo_ceilings_add(out, "enqueue", "s", samples, SAMPLES,
					"CPU time to launch an empty kernel", err);
	return paleo_ceilings_skip(out, "enqueue", rc, err);
}

int paleo_launch_ceilings(struct paleo_session *s, struct paleo_ceilings *out,
			  struct paleo_error *err)
{
	static const struct timed timed[] = {
		{"launch_graph", "empty kernels, 500 nodes of a graph", enqueue_graph, 1, LAUNCHES},
		{"launch_stream", "empty kernels, 500 back to back in a stream", enqueue_kernel,
		 LAUNCHES, LAUNCHES},
		{"event_floor",
		 "two events with nothing in between, at least 0.5 us, their resolution; never "
		 "subtracted",
		 NULL, 0, 1},
	};
	struct launches l = {.graph = NULL};
	int rc = paleo_kernels_find(s, PALEO_F32, "nothing", &l.kernel, err);

	/* A kernel is loaded at its first launch, which a capture does not allow. */
	if (!rc)
		rc = enqueue_kernel(s, &l, err);
	if (!rc)
		rc = make_graph(s, &l, err);
	if (rc)
		return paleo_ceilings_skip(out, "launches", rc, err);
	for (size_t i = 0; i < sizeof(timed) / sizeof(*timed) && !rc; i++)
		rc = add_timed(s, &l, &timed[i], out, err);
	if (!rc)
		rc = add_enqueue(s, &l, out, err);
	cudaGraphExecDestroy(l.graph);
	return rc;
}

/* Memory and a second stream for transfers in both directions at once. */
struct transfer {
	void *host_in, *host_out;
	struct buffers device;
	cudaStream_t other;
	int in, out; /* which directions are wanted */
};

static int transfer(struct paleo_session *s, const struct transfer *t, struct paleo_error *err)
{
	int rc = PALEO_OK;

	if (t->in)
		rc = paleo_cuda_check(cudaMemcpyAsync(t->device.a, t->host_in, t->device.bytes,
						      cudaMemcpyHostToDevice, s->stream),
				      "copy to the device", err);
	if (!rc && t->out)
		rc = paleo_cuda_check(cudaMemcpyAsync(t->host_out, t->device.b, t->device.bytes,
						      cudaMemcpyDeviceToHost, t->other),
				      "copy from the device", err);
	if (!rc)
		rc = paleo_cuda_check(cudaStreamSynchronize(s->stream), "wait", err);
	if (!rc)
		rc = paleo_cuda_check(cudaStreamSynchronize(t->other), "wait", err);
	return rc;
}

/* Timed by the CPU's clock, as two streams are active: 256 MiB take milliseconds. */
static int add_transfer(struct paleo_session *s, const struct transfer *t, const char *name,
			struct paleo_ceilings *out, struct paleo_error *err)
{
	double samples[TRANSFERS];
	int rc = transfer(s, t, err);

	for (int i = 0; i < TRANSFERS && !rc; i++) {
		double start_s = paleo_now_s();
		rc = transfer(s, t, err);
		samples[i] = (double)t->device.bytes * (t->in + t->out) / (paleo_now_s() - start_s);
	}
	return rc ? rc
		  : paleo_ceilings_add(out, name, "B/s", samples, TRANSFERS, "256 MiB, pinned",
				       err);
}

int paleo_transfer_ceilings(struct paleo_session *s, struct paleo_ceilings *out,
			    struct paleo_error *err)
{
	struct transfer t = {.host_in = NULL};
	int rc = take(s, &t.device, (double)TRANSFER_BYTES, err);

	if (!rc)
		rc = paleo_cuda_check(cudaMallocHost(&t.host_in, t.device.bytes),
				      "take pinned memory", err);
	if (!rc)
		rc = paleo_cuda_check(cudaMallocHost(&t.host_out, t.device.bytes),
				      "take pinned memory", err);
	if (!rc)
		rc = paleo_cuda_check(cudaStreamCreateWithFlags(&t.other, cudaStreamNonBlocking),
				      "make a stream", err);
	for (int way = 1; way <= 3 && !rc; way++) {
		static const char *const names[] = {"", "h2d", "d2h", "h2d_d2h"};
		t.in = way & 1;
		t.out = way >> 1;
		rc = add_transfer(s, &t, names[way], out, err);
	}
	if (t.other)
		cudaStreamDestroy(t.other);
	cudaFreeHost(t.host_in);
	cudaFreeHost(t.host_out);
	give_back(&t.device);
	return paleo_ceilings_skip(out, "transfers", rc, err);
}
