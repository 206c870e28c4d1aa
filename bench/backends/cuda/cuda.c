/* cuda.c - the plug-in's table; finds, identifies, opens and closes a GPU. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <nvrtc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/backends/cuda/kernels.h"
#include "bench/backends/cuda/session.h"

/* CUDA's number for a version is 1000 * major + 10 * minor. */
static int major_of(int version)
{
	return version / 1000;
}

static int minor_of(int version)
{
	return version % 1000 / 10;
}

/* Explains why the runtime finds no device: no driver, one that is too old, or no GPU. */
static int fail_without_device(cudaError_t answer, struct paleo_error *err)
{
	int driver = 0, runtime = 0;

	(void)cudaGetLastError();
	cudaDriverGetVersion(&driver);
	cudaRuntimeGetVersion(&runtime);
	if (driver == 0)
		return paleo_fail(err, PALEO_ENODEVICE,
				  "no CUDA device: no NVIDIA driver is loaded on this machine");
	if (answer == cudaErrorInsufficientDriver)
		return paleo_fail(err, PALEO_ELIBRARY,
				  "the NVIDIA driver offers CUDA %d.%d, but this program uses CUDA "
				  "%d.%d: update the driver",
				  major_of(driver), minor_of(driver), major_of(runtime),
				  minor_of(runtime));
	return paleo_fail(err, PALEO_ENODEVICE, "no CUDA device: driver for CUDA %d.%d: %s",
			  major_of(driver), minor_of(driver), cudaGetErrorString(answer));
}

static int check_device(int index, struct paleo_error *err)
{
	int count = 0;
	cudaError_t answer = cudaGetDeviceCount(&count);

	if (answer != cudaSuccess)
		return fail_without_device(answer, err);
	if (count == 0)
		return paleo_fail(err, PALEO_ENODEVICE, "no CUDA device on this machine");
	if (index < 0 || index >= count)
		return paleo_fail(err, PALEO_ENODEVICE,
				  "no CUDA device %d: this machine has %d, numbered from 0", index,
				  count);
	return paleo_device_check_libraries(err);
}

int paleo_device_check_libraries(struct paleo_error *err)
{
	if (cudnnGetVersion() / 10000 != CUDNN_VERSION / 10000)
		return paleo_fail(err, PALEO_ELIBRARY,
				  "cudnn %zu was found, but the plug-in was built for %d: install "
				  "cudnn %d",
				  cudnnGetVersion(), CUDNN_VERSION, CUDNN_VERSION / 10000);
	return PALEO_OK;
}

/* cuDNN, and which one the plug-in was built for if it is another; returns the length. */
static size_t write_cudnn(char *text, size_t size)
{
	size_t cudnn = cudnnGetVersion();
	size_t used = (size_t)snprintf(text, size, "cudnn %zu.%zu.%zu", cudnn / 10000,
				       cudnn / 100 % 100, cudnn % 100);

	if (cudnn != CUDNN_VERSION)
		used += (size_t)snprintf(text + used, size - used, " (built for %d.%d.%d)",
					 CUDNN_MAJOR, CUDNN_MINOR, CUDNN_PATCHLEVEL);
	return used;
}

/* Condition on the list of engines: those compiled at run time need a driver. */
static void write_planners(char *text, size_t size)
{
	int driver = 0;
	size_t used = write_cudnn(text, size);

	cudaDriverGetVersion(&driver);
	if (driver)
		snprintf(text + used, size - used, ", driver for CUDA %d.%d", major_of(driver),
			 minor_of(driver));
	else
		snprintf(text + used, size - used, ", no driver");
}

/* Version of the NVRTC that compiles our kernels for this device, or did when the plug-in was
 * built. */
static void find_compiler(const struct cudaDeviceProp *p, int version[2])
{
	version[0] = version[1] = 0;
	if (paleo_kernel_image(PALEO_F32, 10 * p->major + p->minor))
		paleo_kernel_images_version(version);
	else
		nvrtcVersion(&version[0], &version[1]);
}

static void write_versions(const struct paleo_session *s, char *text, size_t size)
{
	char release[80];
	int nvrtc[2], driver = 0, runtime = 0;
	size_t blas = cublasLtGetVersion();

	paleo_nvml_driver(s->nvml, release, sizeof(release));
	find_compiler(&s->properties, nvrtc);
	cudaDriverGetVersion(&driver);
	cudaRuntimeGetVersion(&runtime);
	size_t used = write_cudnn(text, size);
	snprintf(text + used, size - used,
		 ", cublasLt %zu.%zu.%zu, nvrtc %d.%d, cudart %d.%d, driver %s (CUDA %d.%d)",
		 blas / 10000, blas / 100 % 100, blas % 100, nvrtc[0], nvrtc[1], major_of(runtime),
		 minor_of(runtime), *release ? release : "unknown", major_of(driver),
		 minor_of(driver));
}

/* "NVIDIA H200" -> "nvidia-h200": a name for a device that is in no table. */
static void slug(const char *name, char *out, size_t size)
{
	size_t used = 0;

	for (; *name && used + 1 < size; name++) {
		if (isalnum((unsigned char)*name))
			out[used++] = (char)tolower((unsigned char)*name);
		else if (used && out[used - 1] != '-')
			out[used++] = '-';
	}
	while (used && out[used - 1] == '-')
		used--;
	out[used] = '\0';
}

static int describe(struct paleo_session *s, struct paleo_device_info *out, struct paleo_error *err)
{
	const struct cudaDeviceProp *p = &s->properties;
	const struct paleo_device *known = paleo_device_match(p->name);
	struct paleo_device_info info = {.threads = 0};
	int clock_khz = s->clock_khz;

	if (!s->described) {
		int rc = paleo_cuda_check(
			cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, s->index),
			"query the clock rate", err);
		if (rc)
			return rc;
	}
	if (known) {
		info.device = *known;
	} else {
		slug(p->name, info.device.name, sizeof(info.device.name));
		snprintf(info.device.title, sizeof(info.device.title), "%.63s", p->name);
		snprintf(info.device.match, sizeof(info.device.match), "%.63s", p->name);
		snprintf(info.device.source, sizeof(info.device.source),
			 "driver; no datasheet known");
		info.device.clock_hz = clock_khz * 1e3;
	}
	info.device.mem_bytes = (double)p->totalGlobalMem;
	info.device.cache_bytes = p->l2CacheSize;
	info.device.sm_count = p->multiProcessorCount;
	info.device.compute_capability = 10 * p->major + p->minor;
	if (s->described)
		write_planners(info.versions, sizeof(info.versions));
	else
		write_versions(s, info.versions, sizeof(info.versions));
	paleo_nvml_condition(s->nvml, &info.condition);
	*out = info;
	return PALEO_OK;
}

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

static int energy(struct paleo_session *s, double *joules, struct paleo_error *err)
{
	return paleo_nvml_joules(s->nvml, joules)
		       ? PALEO_OK
		       : paleo_fail(err, PALEO_EUNSUPPORTED, "the driver has no energy counter");
}

static void observe_end(struct paleo_session *s, struct paleo_state *out)
{
	paleo_nvml_end(s->nvml, out);
}

static int open_session(int index, int threads, struct paleo_session **out, struct paleo_error *err)
{
	(void)threads;
	int rc = check_device(index, err);

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
				      "query the device's properties", err);
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

static int prepare(struct paleo_session *s, const struct paleo_op *w,
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
					.cold_reps = paleo_timing_cold_reps(j)};
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
	.replays = 1,
	.open = open_session,
	.close = close_session,
	.describe = describe,
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
	.energy = energy,
	.whole_prepare = paleo_graph_run_prepare,
	.whole_run = paleo_graph_run_run,
	.whole_read = paleo_graph_run_read,
	.whole_release = paleo_graph_run_release,
};

const struct paleo_backend *paleo_backend_table(void)
{
	return &table;
}
