/* cuda.c - the plug-in's table; opens and closes a device. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "bench/backends/cuda/session.h"
#include "bench/backends/cuda/status.h"

static void close_session(struct paleo_session *s)
{
	if (!s)
		return;
	if (s->described) { /* nothing of it is on a device */
		cudnnBackendDestroyDescriptor(s->described);
		free(s);
		return;
	}
	for (int i = 0; i < PALEO_DTYPES; i++)
		if (s->modules[i])
			cudaLibraryUnload(s->modules[i]);
	paleo_nvml_close(s->nvml);
	free(s->ways);
	cudaFree(s->flush);
	if (s->blas)
		cublasLtDestroy(s->blas);
	if (s->cudnn)
		cudnnDestroy(s->cudnn);
	if (s->start)
		cudaEventDestroy(s->start);
	if (s->stop)
		cudaEventDestroy(s->stop);
	if (s->stream)
		cudaStreamDestroy(s->stream);
	free(s);
}

/* Twice the cache is written to empty it. */
static int make_flush(struct paleo_session *s, struct paleo_error *err)
{
	s->flush_bytes = 2 * (size_t)s->properties.l2CacheSize;
	if (s->flush_bytes == 0)
		return PALEO_OK;
	return paleo_cuda_check(cudaMalloc(&s->flush, s->flush_bytes),
				"take memory to empty the L2 cache", err);
}

static int make_stream(struct paleo_session *s, struct paleo_error *err)
{
	int rc = paleo_cuda_check(cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking),
				  "make a stream", err);

	if (!rc)
		rc = paleo_cuda_check(cudaEventCreate(&s->start), "make an event", err);
	if (!rc)
		rc = paleo_cuda_check(cudaEventCreate(&s->stop), "make an event", err);
	return rc;
}

static int open_libraries(struct paleo_session *s, struct paleo_error *err)
{
	int rc = paleo_cudnn_check(cudnnCreate(&s->cudnn), "open the device", err);

	if (!rc)
		rc = paleo_cudnn_check(cudnnSetStream(s->cudnn, s->stream), "use a stream", err);
	if (!rc)
		rc = paleo_cublas_check(cublasLtCreate(&s->blas), "open the device", err);
	return rc;
}

/* Watching is not needed for anything: where it is not possible, nothing is known. */
static void open_nvml(struct paleo_session *s)
{
	char bus_id[32];

	s->nvml = paleo_nvml_open();
	if (cudaDeviceGetPCIBusId(bus_id, (int)sizeof(bus_id), s->index) == cudaSuccess)
		paleo_nvml_find(s->nvml, bus_id);
	else
		(void)cudaGetLastError();
	paleo_nvml_count_users(s->nvml, 0);
}

static void observe_begin(struct paleo_session *s)
{
	paleo_nvml_begin(s->nvml);
}

static void observe_end(struct paleo_session *s, struct paleo_state *out)
{
	paleo_nvml_end(s->nvml, out);
}

static int open_session(int index, int threads, struct paleo_session **out, struct paleo_error *err)
{
	(void)threads;
	int rc = paleo_device_check(index, err);

	if (rc)
		return rc;
	struct paleo_session *s = calloc(1, sizeof(*s));
	if (!s)
		return paleo_fail(err, PALEO_ENOMEM, "no memory for a session");
	s->index = index;
	open_nvml(s); /* before this process is one that uses the device */
	rc = paleo_cuda_check(cudaSetDevice(index), "use the device", err);
	if (!rc)
		rc = paleo_cuda_check(cudaGetDeviceProperties(&s->properties, index),
				      "ask who the device is", err);
	if (!rc)
		rc = make_stream(s, err);
	if (!rc)
		rc = open_libraries(s, err);
	if (!rc)
		rc = make_flush(s, err);
	if (rc) {
		close_session(s);
		return rc;
	}
	paleo_nvml_count_users(s->nvml, 1);
	*out = s;
	return PALEO_OK;
}

static int prepare(struct paleo_session *s, const struct paleo_work *w,
		   const struct paleo_bench_options *o, struct paleo_job **out,
		   struct paleo_job_info *info, struct paleo_error *err)
{
	struct paleo_job *j;
	int rc = paleo_warm_up(s, err);

	if (!rc)
		rc = paleo_job_open(s, w, o, o->rank, &j, err);
	if (rc)
		return rc;
	*info = (struct paleo_job_info){.algorithm = j->chosen,
					.operand_sets = j->layout.copies,
					.is_resident = paleo_memory_is_resident(j)};
	memcpy(info->algorithm.name, j->algorithm, sizeof(info->algorithm.name));
	info->algorithm.workspace_bytes = j->workspace_bytes;
	*out = j;
	return PALEO_OK;
}

static const struct paleo_backend table = {
	.abi = PALEO_BACKEND_ABI,
	.name = "cuda",
	.what = "NVIDIA GPUs: cuDNN, cuBLASLt, and kernels compiled by NVRTC",
	.host_timed = 0,
	.open = open_session,
	.close = close_session,
	.describe = paleo_device_describe,
	.ceilings = paleo_ceilings,
	.prepare = prepare,
	.run = paleo_timing_run,
	.output = paleo_memory_read,
	.release = paleo_job_close,
	.open_described = paleo_described_open,
	.algorithms = paleo_algorithms_list,
	.list_ceilings = paleo_ceilings_list,
	.description = paleo_described_capture,
	.observe_begin = observe_begin,
	.observe_end = observe_end,
	.whole_prepare = paleo_graph_run_prepare,
	.whole_run = paleo_graph_run_run,
	.whole_read = paleo_graph_run_read,
	.whole_release = paleo_graph_run_release,
};

const struct paleo_backend *paleo_backend_table(void)
{
	return &table;
}
