/* timing.c - times runs of a job on the device: graphs of launches between two events. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "bench/backends/cuda/session.h"
#include "bench/clock.h"

int paleo_cuda_capture(cudaStream_t stream, int (*launch)(const void *of, struct paleo_error *err),
		       const void *of, cudaGraphExec_t *out, struct paleo_error *err)
{
	cudaGraph_t graph = NULL;
	cudaGraphExec_t made = NULL;
	struct paleo_error why;
	int rc = paleo_cuda_check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal),
				  "begin a capture", err);

	if (rc)
		return rc;
	rc = launch(of, err);
	int ended = paleo_cuda_check(cudaStreamEndCapture(stream, &graph), "end a capture", &why);
	if (ended && (!rc || ended == PALEO_ECRASH)) { /* a lost device shows after the capture */
		*err = why;
		rc = ended;
	}
	if (!rc)
		rc = paleo_cuda_check(cudaGraphInstantiate(&made, graph, 0), "make a graph", err);
	if (!rc)
		rc = paleo_cuda_check(cudaGraphUpload(made, stream), "upload a graph", err);
	if (graph)
		cudaGraphDestroy(graph);
	if (rc && made)
		cudaGraphExecDestroy(made);
	if (!rc)
		*out = made;
	return rc;
}

/*
 * Launching one by one leaves gaps of microseconds, so launches are captured into a graph and the
 * graph is replayed. Launch i of a graph uses copy i % copies: with enough copies, each run finds
 * its operands outside of the cache. Before the first event the L2 cache is overwritten, then
 * warmed by one run where something is to be hot. Overwriting it several times keeps the device
 * busy until everything has been enqueued: one run of a small op does not, and the gap would count
 * as the op's.
 */
#define COVER 3
#define LAUNCHES_MAX 512 /* no fewer than PALEO_JOB_COPIES */
#define QUEUE 100        /* launches that a stream takes without making the host wait */

/* A graph of so many launches, from copy 0 on. */
struct replay {
	cudaGraphExec_t graph; /* NULL: none yet */
	int launches;
};

struct paleo_replays {
	int is_captured; /* 0: this job cannot be captured */
	int is_poisoned; /* the first launch's results are overwritten: they were not a replay's */
	struct replay whole; /* the largest graph in use */
	struct replay rest;  /* the remaining repeats */
};

static void forget(struct replay *r)
{
	if (r->graph)
		cudaGraphExecDestroy(r->graph);
	*r = (struct replay){.graph = NULL};
}

static int launch_all(const struct paleo_job *j, int launches, struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int i = 0; i < launches && !rc; i++)
		rc = paleo_job_launch(j, PALEO_TIMED, i % j->layout.copies, err);
	return rc;
}

/* Captured content: so many launches of a job. */
struct launches {
	const struct paleo_job *job;
	int count;
};

static int launch_captured(const void *of, struct paleo_error *err)
{
	const struct launches *l = of;

	return launch_all(l->job, l->count, err);
}

/* Makes sure that the replay has so many launches. */
static int ready(const struct paleo_job *j, struct replay *r, int launches, struct paleo_error *err)
{
	if (r->graph && r->launches == launches)
		return PALEO_OK;
	forget(r);
	const struct launches captured = {.job = j, .count = launches};
	int rc = paleo_cuda_capture(j->session->stream, launch_captured, &captured, &r->graph, err);
	if (!rc)
		r->launches = launches;
	return rc;
}

int paleo_timing_open(struct paleo_job *j, struct paleo_error *err)
{
	struct paleo_replays *r = calloc(1, sizeof(*r));
	struct paleo_error why;

	if (!r)
		return paleo_fail(err, PALEO_ENOMEM, "no memory for a job");
	j->replays = r;
	r->is_captured = ready(j, &r->rest, 1, &why) == PALEO_OK;
	if (r->is_captured)
		return PALEO_OK;
	/* A step that cannot be captured is not an error; a lost device is. */
	(void)cudaGetLastError();
	paleo_job_name(j, "not captured", "");
	return paleo_cuda_check(cudaDeviceSynchronize(), "go on after a failed capture", err);
}

void paleo_timing_close(struct paleo_job *j)
{
	if (!j->replays)
		return;
	forget(&j->replays->whole);
	forget(&j->replays->rest);
	free(j->replays);
	j->replays = NULL;
}

/* Makes the graphs for `reps` runs: `times` the whole one, then the rest. */
static int plan_replays(struct paleo_job *j, int reps, int *times, struct paleo_error *err)
{
	struct paleo_replays *r = j->replays;
	/* Whole rounds over the copies, so that the next graph goes on where this one ends. */
	int most = LAUNCHES_MAX / j->layout.copies * j->layout.copies;
	int rest = reps % most, rc = PALEO_OK;

	*times = reps / most;
	if (*times)
		rc = ready(j, &r->whole, most, err);
	if (!rc && rest)
		rc = ready(j, &r->rest, rest, err);
	else if (!rest)
		forget(&r->rest);
	return rc;
}

int paleo_timing_flush(const struct paleo_session *s, int times, struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int i = 0; i < times && s->flush && !rc; i++)
		rc = paleo_cuda_check(cudaMemsetAsync(s->flush, 0, s->flush_bytes, s->stream),
				      "empty the L2 cache", err);
	return rc;
}

/* Brings the cache into the state that the mode asks for, and gives the host time to enqueue. */
static int begin(const struct paleo_job *j, struct paleo_error *err)
{
	int rc = paleo_timing_flush(j->session, COVER, err);

	/* non-rotating operands are already cached */
	if (!rc && j->options.mode != PALEO_COLD)
		rc = paleo_job_launch(j, PALEO_TIMED, 0, err);
	return rc;
}

static int launch_graphs(const struct paleo_job *j, int times, struct paleo_error *err)
{
	const struct paleo_replays *r = j->replays;
	cudaStream_t stream = j->session->stream;
	int rc = PALEO_OK;

	for (int i = 0; i < times && !rc; i++)
		rc = paleo_cuda_check(cudaGraphLaunch(r->whole.graph, stream), "launch a graph",
				      err);
	if (!rc && r->rest.graph)
		rc = paleo_cuda_check(cudaGraphLaunch(r->rest.graph, stream), "launch a graph",
				      err);
	return rc;
}

int paleo_clock_start(const struct paleo_session *s, struct paleo_error *err)
{
	return paleo_cuda_check(cudaEventRecord(s->start, s->stream), "record an event", err);
}

int paleo_clock_stop(const struct paleo_session *s, double *elapsed_s, struct paleo_error *err)
{
	float elapsed_ms = 0;
	int rc = paleo_cuda_check(cudaEventRecord(s->stop, s->stream), "record an event", err);

	if (!rc)
		rc = paleo_cuda_check(cudaStreamSynchronize(s->stream), "run the op", err);
	if (!rc)
		rc = paleo_cuda_check(cudaEventElapsedTime(&elapsed_ms, s->start, s->stop),
				      "read the time", err);
	if (!rc)
		*elapsed_s = elapsed_ms * 1e-3;
	return rc;
}

static int run_captured(struct paleo_job *j, int reps, double *elapsed_s, struct paleo_error *err)
{
	const struct paleo_session *s = j->session;
	int times = 0, rc = plan_replays(j, reps, &times, err);

	if (!rc)
		rc = begin(j, err);
	if (!rc)
		rc = paleo_clock_start(s, err);
	if (!rc)
		rc = launch_graphs(j, times, err);
	return rc ? rc : paleo_clock_stop(s, elapsed_s, err);
}

/* For jobs that cannot be captured: a pair of events around each launch, after enough other work to
 * keep the device busy until the launch has been enqueued. */
static int run_in_pairs(const struct paleo_job *j, int reps, double *elapsed_s,
			struct paleo_error *err)
{
	double sum_s = 0, one_s = 0;
	int rc = PALEO_OK;

	for (int i = 0; i < reps && !rc; i++) {
		rc = begin(j, err);
		if (!rc)
			rc = paleo_clock_start(j->session, err);
		if (!rc)
			rc = paleo_job_launch(j, PALEO_TIMED, i % j->layout.copies, err);
		if (!rc)
			rc = paleo_clock_stop(j->session, &one_s, err);
		sum_s += one_s;
	}
	*elapsed_s = sum_s;
	return rc;
}

/* Launch overhead on the CPU: its own clock, over launches without waiting. A full queue would
 * block, so it is emptied in between. */
static int run_enqueue(const struct paleo_job *j, int reps, double *elapsed_s,
		       struct paleo_error *err)
{
	double sum_s = 0;
	int rc = PALEO_OK;

	for (int done = 0; done < reps && !rc; done += QUEUE) {
		int n = reps - done < QUEUE ? reps - done : QUEUE;
		double start_s = paleo_now_s();
		rc = launch_all(j, n, err);
		sum_s += paleo_now_s() - start_s;
		if (!rc)
			rc = paleo_cuda_check(cudaStreamSynchronize(j->session->stream),
					      "run the op", err);
	}
	*elapsed_s = sum_s;
	return rc;
}

int paleo_timing_cold_reps(const struct paleo_job *j)
{
	/* a flush comes before each run, or each launch that is not captured */
	return j->replays->is_captured && paleo_memory_is_resident(j) ? j->layout.copies : 0;
}

int paleo_timing_run(struct paleo_job *j, int reps, double *elapsed_s, struct paleo_error *err)
{
	int rc = j->replays->is_poisoned ? PALEO_OK : paleo_memory_poison(j, err);

	if (rc)
		return rc;
	j->replays->is_poisoned = 1;
	j->last_set = (reps - 1) % j->layout.copies;
	if (j->options.mode == PALEO_ENQUEUE)
		return run_enqueue(j, reps, elapsed_s, err);
	if (!j->replays->is_captured)
		return run_in_pairs(j, reps, elapsed_s, err);
	return run_captured(j, reps, elapsed_s, err);
}
