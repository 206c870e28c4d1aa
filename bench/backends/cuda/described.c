/* described.c - a GPU that is not here, as cuDNN's planner sees it: a description in JSON. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "bench/backends/cuda/session.h"

/* A number that cuDNN requires, from some version on; its error does not name the missing one. */
struct number_key {
	const char *name;
	size_t since; /* cuDNN's version; 0: all of cuDNN 9 */
	const char *meaning;
};

static const struct number_key number_keys[] = {
	{.name = "deviceVer"},
	{.name = "driverVer"},
	{.name = "cudaDeviceId"},
	{.name = "totalGlobalMem"},
	{.name = "regsPerBlock"},
	{.name = "multiProcessorCount"},
	{.name = "warpSize"},
	{.name = "maxSharedMemoryPerBlock"},
	{.name = "maxSharedMemoryPerBlockOptin"},
	{.name = "reservedSharedMemoryPerBlock"},
	{.name = "maxRegistersPerSM"},
	{.name = "maxCtasPerSM"},
	{.name = "maxThreadsPerBlock"},
	{.name = "maxThreadsPerSM"},
	{.name = "pciDeviceId"},
	{.name = "isTccDriver"},
	{.name = "supportCoopLaunch"},
	{.name = "smClockRateKHz"},
	{.name = "memClockRateKHz"},
	{.name = "memoryBusWidth", .since = 92700, .meaning = "bits of the memory interface"},
	{.name = "l2CacheSize"},
};

/* Below this, cuDNN's answers do not depend on the GPU: it has no code for them. */
#define OLDEST_VERSION 750

/* An integer, as required by cuDNN. */
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

/* A number that the loaded cuDNN may be too old to require. */
static int check_number(const struct paleo_json *root, const struct number_key *key,
			struct paleo_error *err)
{
	double ignored;

	if (!key->since || paleo_json_get(root, key->name))
		return read_number(root, key->name, &ignored, err);
	if (cudnnGetVersion() < key->since)
		return PALEO_OK;
	return paleo_json_fail(root, err,
			       "the key '%s' is missing (%s), which cudnn requires since %zu.%zu: "
			       "add it, or describe the GPU again with cudnn %zu.%zu",
			       key->name, key->meaning, key->since / 10000, key->since / 100 % 100,
			       key->since / 10000, key->since / 100 % 100);
}

/* Checks that all keys required by cuDNN are present. */
static int check_keys(const struct paleo_json *root, struct paleo_error *err)
{
	int rc = check_sizes(root, "maxGridSize", err);

	if (!rc)
		rc = check_sizes(root, "maxBlockSize", err);
	for (size_t i = 0; i < sizeof(number_keys) / sizeof(*number_keys) && !rc; i++)
		rc = check_number(root, &number_keys[i], err);
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

/* Reads the properties that identify the device. */
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

static int fail_to_describe(cudnnStatus_t status, struct paleo_error *err)
{
	char words[512] = "";
	size_t version = cudnnGetVersion();

	cudnnGetLastErrorString(words, sizeof(words));
	if (status == CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED)
		return paleo_fail(err, PALEO_ELIBRARY,
				  "cudnn %zu.%zu does not load all of its parts (%s): since 9.27 "
				  "it requires libcuda.so.1; without a driver, link CUDA's "
				  "stubs/libcuda.so to that name in a folder of LD_LIBRARY_PATH",
				  version / 10000, version / 100 % 100,
				  cudnnGetErrorString(status));
	return paleo_fail(err, PALEO_EINPUT, "cudnn does not accept this device: %s %s",
			  cudnnGetErrorString(status), words);
}

/* cuDNN reads the same text and requires all its keys. */
static int make_descriptor(const char *text, cudnnBackendDescriptor_t *out, struct paleo_error *err)
{
	cudnnBackendDescriptor_t d = NULL;
	cudnnStatus_t status =
		cudnnBackendCreateDescriptor(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR, &d);

	paleo_cudnn_set(&status, d, CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR,
			(int64_t)strlen(text), text);
	if (!status)
		status = cudnnBackendFinalize(d);
	if (!status) {
		*out = d;
		return PALEO_OK;
	}
	int rc = fail_to_describe(status, err);
	if (d)
		cudnnBackendDestroyDescriptor(d);
	return rc;
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

	paleo_cudnn_set(&status, d, CUDNN_ATTR_DEVICEPROP_HANDLE, CUDNN_TYPE_HANDLE, 1, &s->cudnn);
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
