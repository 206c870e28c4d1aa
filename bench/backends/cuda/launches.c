/* launches.c - what starting a work costs, and the transfers between the host and the device. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "bench/backends/cuda/bandwidth.h"
#include "bench/backends/cuda/capture.h"
#include "bench/backends/cuda/kernels.h"
#include "bench/backends/cuda/status.h"
#include "bench/clock.h"

/* What events resolve, by the runtime's manual: less than that is not told from it, and 0 is no
 * ceiling. */
#define CLOCK_STEP_S 0.5e-6

enum {
	LAUNCHES = 500,
	QUEUE = 100, /* launches that a stream takes without making the host wait */
	SAMPLES = 20,
	TRANSFERS = 10
};

static const size_t TRANSFER_BYTES = (size_t)256 << 20;

/* The state of what follows: an empty kernel, and a graph of many. */
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

/* What is captured: LAUNCHES launches of the empty kernel. */
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

/* One of the device's times: of `times` calls, each of which is `works` launches. */
struct timed {
	const char *name, *how;
	paleo_enqueue *enqueue;
	int times, works;
};

static int add_timed(struct paleo_session *s, struct launches *l, const struct timed *t,
		     struct paleo_ceilings *out, struct paleo_error *err)
{
	double samples[SAMPLES], elapsed_s = 0;
	int rc = paleo_time_events(s, t->enqueue, l, t->times, &elapsed_s, err);

	for (int i = 0; i < SAMPLES && !rc; i++) {
		rc = paleo_time_events(s, t->enqueue, l, t->times, &elapsed_s, err);
		samples[i] = fmax(elapsed_s, CLOCK_STEP_S) / t->works;
	}
	if (!rc)
		rc = paleo_ceilings_add(out, t->name, "s", samples, SAMPLES, t->how, err);
	return paleo_ceilings_skip(out, t->name, rc, err);
}

/* The host's time of handing over a launch that nobody waits for. */
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
					"host's time of an empty kernel's launch", err);
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
		 "two events with nothing in between, at least 0.5 us, a step of their clock; "
		 "never subtracted",
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
	struct paleo_buffers device;
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

/* By the host's clock, as two streams are on their way: 256 MiB take milliseconds. */
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
	int rc = paleo_buffers_take(s, &t.device, (double)TRANSFER_BYTES, err);

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
	paleo_buffers_give_back(&t.device);
	return paleo_ceilings_skip(out, "transfers", rc, err);
}
