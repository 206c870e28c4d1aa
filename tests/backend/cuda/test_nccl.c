/* test_nccl.c - collectives through NCCL wait for the fills, on stand-ins for CUDA and NCCL. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <cuda_runtime_api.h>
#include <nccl.h>
#include <stdlib.h>
#include <string.h>

#include "bench/transport.h"
#include "tests/unit/unit.h"

/*
 * The stand-ins are as lazy as CUDA may be: what is filled through the default stream is not
 * there before the GPU is synchronised, while collectives run at once.
 */
enum {
	GPUS = 2,
	FILLS = 8,
	COUNT = 26 /* two periods of paleo_collective_input() */
};

struct fill {
	void *to;
	void *bytes; /* a copy of what was uploaded */
	size_t size;
};

struct ncclComm {
	int rank;
};

struct machine {
	int current; /* GPU of this thread */
	struct fill fills[GPUS][FILLS];
	int fill_count[GPUS];
	struct ncclComm comms[GPUS];
	const float *in[GPUS]; /* of the group that is open */
	float *out[GPUS];
};

static struct machine *machine(void)
{
	static struct machine m;

	return &m;
}

static void take_fill(void *to, void *bytes, size_t size)
{
	struct machine *m = machine();
	int *count = &m->fill_count[m->current];

	assert_true(*count < FILLS);
	m->fills[m->current][(*count)++] = (struct fill){to, bytes, size};
}

cudaError_t cudaDeviceSynchronize(void)
{
	struct machine *m = machine();

	for (int i = 0; i < m->fill_count[m->current]; i++) {
		struct fill *f = &m->fills[m->current][i];
		memcpy(f->to, f->bytes, f->size);
		free(f->bytes);
	}
	m->fill_count[m->current] = 0;
	return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *count)
{
	*count = GPUS;
	return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
	machine()->current = device;
	return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device)
{
	(void)device;
	memset(p, 0, sizeof(*p));
	return cudaSuccess;
}

const char *cudaGetErrorString(cudaError_t error)
{
	(void)error;
	return "an error of the stand-in";
}

cudaError_t cudaMalloc(void **out, size_t size)
{
	*out = calloc(1, size);
	return *out ? cudaSuccess : cudaErrorMemoryAllocation;
}

/* Waits for the GPU, as CUDA does. */
cudaError_t cudaFree(void *memory)
{
	cudaDeviceSynchronize();
	free(memory);
	return cudaSuccess;
}

/* A copy to the CPU waits for all before it in the default stream. */
cudaError_t cudaMemcpy(void *to, const void *from, size_t size, enum cudaMemcpyKind kind)
{
	if (kind == cudaMemcpyDeviceToHost) {
		cudaDeviceSynchronize();
		memcpy(to, from, size);
		return cudaSuccess;
	}
	void *bytes = malloc(size);
	if (!bytes)
		return cudaErrorMemoryAllocation;
	memcpy(bytes, from, size);
	take_fill(to, bytes, size);
	return cudaSuccess;
}

cudaError_t cudaMemset(void *to, int value, size_t size)
{
	void *bytes = malloc(size);

	if (!bytes)
		return cudaErrorMemoryAllocation;
	memset(bytes, value, size);
	take_fill(to, bytes, size);
	return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned int flags)
{
	assert_int_equal(flags, cudaStreamNonBlocking);
	*out = NULL;
	return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
	(void)stream;
	return cudaSuccess;
}

/* Waits for its own stream and not for the default one. */
cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
	(void)stream;
	return cudaSuccess;
}

ncclResult_t ncclCommInitAll(ncclComm_t *comms, int count, const int *devices)
{
	struct machine *m = machine();

	assert_null(devices);
	for (int r = 0; r < count; r++) {
		m->comms[r].rank = r;
		comms[r] = &m->comms[r];
	}
	return ncclSuccess;
}

ncclResult_t ncclCommDestroy(ncclComm_t comm)
{
	(void)comm;
	return ncclSuccess;
}

ncclResult_t ncclCommAbort(ncclComm_t comm)
{
	return ncclCommDestroy(comm);
}

const char *ncclGetErrorString(ncclResult_t result)
{
	(void)result;
	return "an error of the stand-in";
}

ncclResult_t ncclGetVersion(int *version)
{
	*version = 22809;
	return ncclSuccess;
}

/* NCCL's header declares these two without a prototype. */
ncclResult_t ncclGroupStart(void);
ncclResult_t ncclGroupEnd(void);

ncclResult_t ncclGroupStart(void)
{
	return ncclSuccess;
}

ncclResult_t ncclGroupEnd(void)
{
	return ncclSuccess;
}

/* Takes a rank's vectors; 1 with the last rank's, when all are there. */
static int take_rank(const void *in, void *out, ncclDataType_t type, ncclComm_t comm)
{
	struct machine *m = machine();

	assert_int_equal(type, ncclFloat);
	m->in[comm->rank] = in;
	m->out[comm->rank] = out;
	return comm->rank == GPUS - 1;
}

static float sum_at(const struct machine *m, size_t i)
{
	return m->in[0][i] + m->in[1][i];
}

ncclResult_t ncclAllReduce(const void *in, void *out, size_t count, ncclDataType_t type,
			   ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream)
{
	struct machine *m = machine();

	(void)op;
	(void)stream;
	if (take_rank(in, out, type, comm))
		for (size_t i = 0; i < count * GPUS; i++)
			m->out[i / count][i % count] = sum_at(m, i % count);
	return ncclSuccess;
}

ncclResult_t ncclAllGather(const void *in, void *out, size_t part, ncclDataType_t type,
			   ncclComm_t comm, cudaStream_t stream)
{
	struct machine *m = machine();

	(void)stream;
	if (take_rank(in, out, type, comm))
		for (size_t i = 0; i < (size_t)GPUS * GPUS; i++)
			memcpy(m->out[i / GPUS] + i % GPUS * part, m->in[i % GPUS],
			       part * sizeof(float));
	return ncclSuccess;
}

ncclResult_t ncclReduceScatter(const void *in, void *out, size_t part, ncclDataType_t type,
			       ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream)
{
	struct machine *m = machine();

	(void)op;
	(void)stream;
	if (take_rank(in, out, type, comm))
		for (size_t i = 0; i < part * GPUS; i++)
			m->out[i / part][i % part] = sum_at(m, i);
	return ncclSuccess;
}

/* Without a wait the vectors are zeros, or the poison lands on a finished answer. */
static void collectives_wait_for_the_fills(void **state)
{
	static const enum paleo_collective all[] = {PALEO_ALL_REDUCE, PALEO_ALL_GATHER,
						    PALEO_REDUCE_SCATTER};
	const struct paleo_transport *t = paleo_transport_table();
	struct paleo_transport_session *s = NULL;
	struct paleo_transport_info info;
	struct paleo_error err = {0};

	(void)state;
	assert_int_equal(t->open(GPUS, &s, &info, &err), PALEO_OK);
	assert_int_equal(info.ranks, GPUS);
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (t->prepare(s, all[i], COUNT, &err))
			fail_msg("%s", err.text);
	t->close(s, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(collectives_wait_for_the_fills),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
