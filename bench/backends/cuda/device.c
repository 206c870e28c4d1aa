/* device.c - finds a GPU, says who it is and which libraries drive it. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <nvrtc.h>
#include <stdio.h>
#include <string.h>

#include "bench/backends/cuda/session.h"
#include "bench/backends/cuda/status.h"

/* CUDA's number for a version is 1000 * major + 10 * minor. */
static int major_of(int version)
{
	return version / 1000;
}

static int minor_of(int version)
{
	return version % 1000 / 10;
}

/* Says why the runtime finds no device: no driver, one that is too old, or no GPU. */
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

int paleo_device_check(int index, struct paleo_error *err)
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

/* What engines are listed depends on: those that are compiled at run time need a driver. */
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

static void write_versions(const struct paleo_nvml *nvml, char *text, size_t size)
{
	char release[80];
	int nvrtc_major = 0, nvrtc_minor = 0, driver = 0, runtime = 0;
	size_t blas = cublasLtGetVersion();

	paleo_nvml_driver(nvml, release, sizeof(release));
	nvrtcVersion(&nvrtc_major, &nvrtc_minor);
	cudaDriverGetVersion(&driver);
	cudaRuntimeGetVersion(&runtime);
	size_t used = write_cudnn(text, size);
	snprintf(text + used, size - used,
		 ", cublasLt %zu.%zu.%zu, nvrtc %d.%d, cudart %d.%d, driver %s (CUDA %d.%d)",
		 blas / 10000, blas / 100 % 100, blas % 100, nvrtc_major, nvrtc_minor,
		 major_of(runtime), minor_of(runtime), *release ? release : "unknown",
		 major_of(driver), minor_of(driver));
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

int paleo_device_describe(struct paleo_session *s, struct paleo_device_info *out,
			  struct paleo_error *err)
{
	const struct cudaDeviceProp *p = &s->properties;
	const struct paleo_device *known = paleo_device_match(p->name);
	struct paleo_device_info info = {.threads = 0};
	int clock_khz = s->clock_khz;

	if (!s->described) {
		int rc = paleo_cuda_check(
			cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, s->index),
			"ask for the clock rate", err);
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
			 "driver; no datasheet is known for it");
		info.device.clock_hz = clock_khz * 1e3;
	}
	info.device.mem_bytes = (double)p->totalGlobalMem;
	info.device.cache_bytes = p->l2CacheSize;
	info.device.sm_count = p->multiProcessorCount;
	info.device.compute_capability = 10 * p->major + p->minor;
	if (s->described)
		write_planners(info.versions, sizeof(info.versions));
	else
		write_versions(s->nvml, info.versions, sizeof(info.versions));
	*out = info;
	return PALEO_OK;
}
