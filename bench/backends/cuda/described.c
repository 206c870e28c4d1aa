/* described.c - a GPU that is not here, as cuDNN's planner sees it: a description in JSON. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "bench/backends/cuda/session.h"

/* One number of the description; all others are cuDNN's to judge. */
static int read_number(const struct paleo_json *root, const char *key, double *out,
		       struct paleo_error *err)
{
	const struct paleo_json *v;
	int rc = paleo_json_need(root, key, &v, err);

	return rc ? rc : paleo_json_to_double(v, 0, 1e18, out, err);
}

/* What we want to know ourselves: who it is. */
static int read_properties(const struct paleo_json *root, struct paleo_session *s,
			   struct paleo_error *err)
{
	const struct paleo_json *v;
	const char *name = NULL;
	double version = 0, multiprocessors = 0, memory = 0, cache = 0, clock = 0;
	int rc = paleo_json_need(root, "deviceName", &v, err);

	if (!rc)
		rc = paleo_json_to_string(v, &name, err);
	if (!rc)
		rc = read_number(root, "deviceVer", &version, err);
	if (!rc)
		rc = read_number(root, "multiProcessorCount", &multiprocessors, err);
	if (!rc)
		rc = read_number(root, "totalGlobalMem", &memory, err);
	if (!rc)
		rc = read_number(root, "l2CacheSize", &cache, err);
	if (!rc)
		rc = read_number(root, "smClockRateKHz", &clock, err);
	if (rc)
		return rc;
	snprintf(s->properties.name, sizeof(s->properties.name), "%s", name);
	s->properties.major = (int)version / 100; /* 890: compute capability 8.9 */
	s->properties.minor = (int)version / 10 % 10;
	s->properties.multiProcessorCount = (int)multiprocessors;
	s->properties.totalGlobalMem = (size_t)memory;
	s->properties.l2CacheSize = (int)cache;
	s->clock_khz = (int)clock;
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
