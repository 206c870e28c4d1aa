/* described.c - a GPU that is not here, as cuDNN's planner sees it: a description in JSON. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "bench/backends/cuda/session.h"
#include "bench/backends/cuda/status.h"

/* The numbers that cuDNN wants; it does not say which one is missing. */
static const char *const number_keys[] = {
	"deviceVer",
	"driverVer",
	"cudaDeviceId",
	"totalGlobalMem",
	"regsPerBlock",
	"multiProcessorCount",
	"warpSize",
	"maxSharedMemoryPerBlock",
	"maxSharedMemoryPerBlockOptin",
	"reservedSharedMemoryPerBlock",
	"maxRegistersPerSM",
	"maxCtasPerSM",
	"maxThreadsPerBlock",
	"maxThreadsPerSM",
	"pciDeviceId",
	"isTccDriver",
	"supportCoopLaunch",
	"smClockRateKHz",
	"memClockRateKHz",
	"l2CacheSize",
};

/* Below this, what cuDNN answers is not for the GPU: it has no code for them. */
#define OLDEST_VERSION 750

/* A whole number, as cuDNN wants them. */
static int read_number(const struct paleo_json *root, const char *key, double *out,
		       struct paleo_error *err)
{
	const struct paleo_json *v;
	double value;
	int rc = paleo_json_need(root, key, &v, err);

	if (!rc)
		rc = paleo_json_to_double(v, 0, 1e15, &value, err);
	if (!rc && value != floor(value))
		rc = paleo_json_fail(v, err, "is no whole number");
	if (!rc)
		*out = value;
	return rc;
}

static int check_sizes(const struct paleo_json *root, const char *key, struct paleo_error *err)
{
	const struct paleo_json *v;
	int rc = paleo_json_need(root, key, &v, err);

	if (!rc && (paleo_json_type(v) != PALEO_JSON_ARRAY || paleo_json_size(v) != 3))
		return paleo_json_fail(v, err, "expected three numbers in []");
	return rc;
}

/* Everything that cuDNN wants is there. */
static int check_keys(const struct paleo_json *root, struct paleo_error *err)
{
	double ignored;
	int rc = check_sizes(root, "maxGridSize", err);

	if (!rc)
		rc = check_sizes(root, "maxBlockSize", err);
	for (size_t i = 0; i < sizeof(number_keys) / sizeof(*number_keys) && !rc; i++)
		rc = read_number(root, number_keys[i], &ignored, err);
	return rc;
}

/* A number that check_keys() has seen. */
static double number_of(const struct paleo_json *root, const char *key)
{
	struct paleo_error ignored;
	double value = 0;

	(void)read_number(root, key, &value, &ignored);
	return value;
}

/* What we want to know ourselves: who it is. */
static int read_properties(const struct paleo_json *root, struct paleo_session *s,
			   struct paleo_error *err)
{
	const struct paleo_json *v;
	const char *name = NULL;
	int rc = check_keys(root, err);

	if (!rc)
		rc = paleo_json_need(root, "deviceName", &v, err);
	if (!rc)
		rc = paleo_json_to_string(v, &name, err);
	if (rc)
		return rc;
	int version = (int)number_of(root, "deviceVer"); /* 890: compute capability 8.9 */
	if (version < OLDEST_VERSION || version > 9999)
		return paleo_json_fail(paleo_json_get(root, "deviceVer"), err,
				       "is %d, expected %d (compute capability 7.5) or newer: "
				       "cudnn has no code for older GPUs",
				       version, OLDEST_VERSION);
	snprintf(s->properties.name, sizeof(s->properties.name), "%s", name);
	s->properties.major = version / 100;
	s->properties.minor = version / 10 % 10;
	s->properties.multiProcessorCount = (int)number_of(root, "multiProcessorCount");
	s->properties.totalGlobalMem = (size_t)number_of(root, "totalGlobalMem");
	s->properties.l2CacheSize = (int)number_of(root, "l2CacheSize");
	s->clock_khz = (int)number_of(root, "smClockRateKHz");
	return PALEO_OK;
}

static int read_text(const char *text, struct paleo_session *s, struct paleo_error *err)
{
	struct paleo_json_doc *doc = NULL;
	int rc = paleo_json_parse("description", 1, text, strlen(text), &doc, err);

	if (!rc)
		rc = read_properties(paleo_json_root(doc), s, err);
	paleo_json_free(doc);
	return rc;
}

/* cuDNN reads the same text and wants all its keys. */
static int make_descriptor(const char *text, cudnnBackendDescriptor_t *out, struct paleo_error *err)
{
	cudnnBackendDescriptor_t d = NULL;
	char words[512] = "";
	cudnnStatus_t status =
		cudnnBackendCreateDescriptor(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR, &d);

	if (!status)
		status = cudnnBackendSetAttribute(d, CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION,
						  CUDNN_TYPE_CHAR, (int64_t)strlen(text), text);
	if (!status)
		status = cudnnBackendFinalize(d);
	if (!status) {
		*out = d;
		return PALEO_OK;
	}
	cudnnGetLastErrorString(words, sizeof(words));
	if (d)
		cudnnBackendDestroyDescriptor(d);
	return paleo_fail(err, PALEO_EINPUT, "cudnn does not accept this device: %s %s",
			  cudnnGetErrorString(status), words);
}

int paleo_described_open(const char *text, struct paleo_session **out, struct paleo_error *err)
{
	int rc = paleo_device_check_libraries(err);

	if (rc)
		return rc;
	struct paleo_session *s = calloc(1, sizeof(*s));
	if (!s)
		return paleo_fail(err, PALEO_ENOMEM, "no memory for a session");
	rc = read_text(text, s, err);
	if (!rc)
		rc = make_descriptor(text, &s->described, err);
	if (rc) {
		free(s);
		return rc;
	}
	*out = s;
	return PALEO_OK;
}

/* The length of the text, without its end, and the text if there is room. */
static cudnnStatus_t read_representation(cudnnBackendDescriptor_t d, char *text, size_t size,
					 int64_t *length)
{
	cudnnStatus_t status = cudnnBackendGetAttribute(
		d, CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR, 0, length, NULL);

	if (status || *length < 0 || (size_t)*length >= size)
		return status;
	memset(text, 0, size);
	return cudnnBackendGetAttribute(d, CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION,
					CUDNN_TYPE_CHAR, *length, length, text);
}

int paleo_described_capture(struct paleo_session *s, char *text, size_t size,
			    struct paleo_error *err)
{
	cudnnBackendDescriptor_t d = NULL;
	int64_t length = 0;
	cudnnStatus_t status =
		cudnnBackendCreateDescriptor(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR, &d);

	if (!status)
		status = cudnnBackendSetAttribute(d, CUDNN_ATTR_DEVICEPROP_HANDLE,
						  CUDNN_TYPE_HANDLE, 1, &s->cudnn);
	if (!status)
		status = cudnnBackendFinalize(d);
	if (!status)
		status = read_representation(d, text, size, &length);
	if (d)
		cudnnBackendDestroyDescriptor(d);
	if (status)
		return paleo_cudnn_check(status, "describe the device", err);
	if (length <= 0 || (size_t)length >= size)
		return paleo_fail(err, PALEO_EBACKEND,
				  "cudnn describes the device in %lld bytes, expected 1 to %zu",
				  (long long)length, size - 1);
	return PALEO_OK;
}
