/* nccl.c - collective operations through NCCL: one process, every GPU is a rank. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <cuda_runtime_api.h>
#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/clock.h"
#include "bench/transport.h"

enum {
	GPUS_MAX = 64
};

struct gpu {
	ncclComm_t comm;
	cudaStream_t stream;
	float *in, *out;
};

struct paleo_transport_session {
	int ranks;
	enum paleo_collective what;
	size_t count;
	struct gpu gpus[GPUS_MAX];
};

static int cuda(cudaError_t code, const char *call, struct paleo_error *err)
{
	if (code == cudaSuccess)
		return PALEO_OK;
	if (code == cudaErrorMemoryAllocation)
		return paleo_fail(err, PALEO_ENOMEM, "%s: %s", call, cudaGetErrorString(code));
	return paleo_fail(err, PALEO_EBACKEND, "%s: %s", call, cudaGetErrorString(code));
}

static int nccl(ncclResult_t code, const char *call, struct paleo_error *err)
{
	if (code == ncclSuccess)
		return PALEO_OK;
	return paleo_fail(err, PALEO_EBACKEND,
			  "%s: %s; NCCL_DEBUG=INFO in the environment says "
			  "more",
			  call, ncclGetErrorString(code));
}

static void release_vectors(struct paleo_transport_session *s)
{
	for (int r = 0; r < s->ranks; r++) {
		struct gpu *g = &s->gpus[r];
		cudaSetDevice(r);
		cudaFree(g->in);
		cudaFree(g->out);
		g->in = g->out = NULL;
	}
}

static void close_session(struct paleo_transport_session *s, int failed)
{
	if (!s)
		return;
	release_vectors(s);
	for (int r = 0; r < s->ranks; r++) {
		struct gpu *g = &s->gpus[r];
		cudaSetDevice(r);
		if (g->comm)
			(failed ? ncclCommAbort : ncclCommDestroy)(g->comm);
		if (g->stream)
			cudaStreamDestroy(g->stream);
	}
	free(s);
}

/* Number of GPUs that take part. */
static int count_gpus(int wanted, int *out, struct paleo_error *err)
{
	int n = 0;
	cudaError_t code = cudaGetDeviceCount(&n);

	if (code != cudaSuccess || n == 0)
		return paleo_fail(err, PALEO_ENODEVICE, "no CUDA device: %s",
				  code ? cudaGetErrorString(code) : "the driver lists none");
	if (!wanted)
		wanted = n;
	if (wanted < 2 || wanted > n || wanted > GPUS_MAX)
		return paleo_fail(err, PALEO_ENODEVICE,
				  "%d GPU%s, of %d that there are: a collective needs 2 to %d",
				  wanted, wanted == 1 ? "" : "s", n, GPUS_MAX);
	*out = wanted;
	return PALEO_OK;
}

static int join(struct paleo_transport_session *s, struct paleo_error *err)
{
	ncclComm_t comms[GPUS_MAX] = {0};
	int rc = PALEO_OK;

	for (int r = 0; !rc && r < s->ranks; r++) {
		rc = cuda(cudaSetDevice(r), "cudaSetDevice", err);
		if (!rc)
			rc = cuda(cudaStreamCreateWithFlags(&s->gpus[r].stream,
							    cudaStreamNonBlocking),
				  "cudaStreamCreateWithFlags", err);
	}
	/* A NULL list means the GPUs 0 .. ranks - 1. */
	if (!rc)
		rc = nccl(ncclCommInitAll(comms, s->ranks, NULL), "ncclCommInitAll", err);
	for (int r = 0; r < s->ranks; r++)
		s->gpus[r].comm = comms[r];
	return rc;
}

static int open_session(int ranks, struct paleo_transport_session **out,
			struct paleo_transport_info *info, struct paleo_error *err)
{
	struct cudaDeviceProp properties;
	int version = 0, gpus = 0;
	int rc = count_gpus(ranks, &gpus, err);

	if (rc)
		return rc;
	struct paleo_transport_session *s = calloc(1, sizeof(*s));
	if (!s)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	s->ranks = gpus;
	rc = join(s, err);
	if (!rc)
		rc = cuda(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties", err);
	if (rc) {
		close_session(s, 1);
		return rc;
	}
	ncclGetVersion(&version);
	info->ranks = gpus;
	info->rank = 0;
	/* 22809 is 2.28.9, since 2.9. */
	snprintf(info->what, sizeof(info->what), "NCCL %d.%d.%d, %d x %.100s", version / 10000,
		 version / 100 % 100, version % 100, gpus, properties.name);
	*out = s;
	return PALEO_OK;
}

static ncclResult_t launch_one(const struct paleo_transport_session *s, const struct gpu *g)
{
	size_t part = s->count / (size_t)s->ranks;

	switch (s->what) {
	case PALEO_ALL_REDUCE:
		return ncclAllReduce(g->in, g->out, s->count, ncclFloat, ncclSum, g->comm,
				     g->stream);
	case PALEO_ALL_GATHER:
		return ncclAllGather(g->in, g->out, part, ncclFloat, g->comm, g->stream);
	case PALEO_REDUCE_SCATTER:
		return ncclReduceScatter(g->in, g->out, part, ncclFloat, ncclSum, g->comm,
					 g->stream);
	}
	return ncclInvalidArgument;
}

/* One operation on all GPUs: a group, as one thread serves them all. */
static int launch(const struct paleo_transport_session *s, struct paleo_error *err)
{
	int rc = nccl(ncclGroupStart(), "ncclGroupStart", err);

	for (int r = 0; !rc && r < s->ranks; r++)
		rc = nccl(launch_one(s, &s->gpus[r]), "a collective of NCCL", err);
	return rc ? rc : nccl(ncclGroupEnd(), "ncclGroupEnd", err);
}

static int wait_all(const struct paleo_transport_session *s, struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int r = 0; !rc && r < s->ranks; r++)
		rc = cuda(cudaStreamSynchronize(s->gpus[r].stream), "cudaStreamSynchronize", err);
	return rc;
}

/*
 * One GPU's vectors, filled through `host`, a buffer of `count` floats. The fills run on the
 * default stream, which the collectives' non-blocking streams do not wait for.
 */
static int make_vectors(struct paleo_transport_session *s, int rank, float *host,
			struct paleo_error *err)
{
	struct gpu *g = &s->gpus[rank];
	size_t bytes = s->count * sizeof(*host);
	int rc = cuda(cudaSetDevice(rank), "cudaSetDevice", err);

	if (!rc)
		rc = cuda(cudaMalloc((void **)&g->in, bytes), "cudaMalloc", err);
	if (!rc)
		rc = cuda(cudaMalloc((void **)&g->out, bytes), "cudaMalloc", err);
	for (size_t i = 0; !rc && i < s->count; i++)
		host[i] = paleo_collective_input(rank, i);
	if (!rc)
		rc = cuda(cudaMemcpy(g->in, host, bytes, cudaMemcpyHostToDevice), "cudaMemcpy",
			  err);
	/* All ones is NaN, so that unwritten results are detected. */
	if (!rc)
		rc = cuda(cudaMemset(g->out, 0xFF, bytes), "cudaMemset", err);
	return rc ? rc : cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize", err);
}

static int check_answers(struct paleo_transport_session *s, float *host, struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int r = 0; !rc && r < s->ranks; r++) {
		rc = cuda(cudaMemcpy(host, s->gpus[r].out, s->count * sizeof(*host),
				     cudaMemcpyDeviceToHost),
			  "cudaMemcpy", err);
		if (!rc)
			rc = paleo_collective_check(s->what, s->ranks, r, s->count, host, err);
	}
	return rc;
}

static int prepare(struct paleo_transport_session *s, enum paleo_collective what, size_t count,
		   struct paleo_error *err)
{
	int rc = PALEO_OK;

	release_vectors(s);
	s->what = what;
	s->count = count;
	float *host = malloc(count * sizeof(*host));
	if (!host)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory: %zu bytes for a vector",
				  count * sizeof(*host));
	for (int r = 0; !rc && r < s->ranks; r++)
		rc = make_vectors(s, r, host, err);
	if (!rc)
		rc = launch(s, err);
	if (!rc)
		rc = wait_all(s, err);
	if (!rc)
		rc = check_answers(s, host, err);
	free(host);
	return rc;
}

/* By the host's clock, as nccl-tests do: no GPU's clock knows when the last one is done. */
static int run(struct paleo_transport_session *s, int reps, double *elapsed_s,
	       struct paleo_error *err)
{
	double start = paleo_now_s();
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < reps; i++)
		rc = launch(s, err);
	if (!rc)
		rc = wait_all(s, err);
	*elapsed_s = paleo_now_s() - start;
	return rc;
}

const struct paleo_transport *paleo_transport_table(void)
{
	static const struct paleo_transport table = {
		.abi = PALEO_TRANSPORT_ABI,
		.name = "nccl",
		.open = open_session,
		.close = close_session,
		.prepare = prepare,
		.run = run,
	};

	return &table;
}
