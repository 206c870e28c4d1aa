/* session.c - what --device means: which backend and device, who it is, which calibration. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/session.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/calibration_file.h"
#include "tools/find.h"

/* Completes what the backend knows of the device with its datasheet, if there is one. */
static void add_datasheet(struct paleo_device *d)
{
	const struct paleo_device *known = paleo_device_match(d->match);

	if (!known || d->measured)
		return;
	char match[sizeof(d->match)];
	memcpy(match, d->match, sizeof(match));
	*d = *known;
	memcpy(d->match, match, sizeof(match));
}

static int open_backend(const char *backend, int device, const struct paleo_worker_config *config,
			struct session *out, struct paleo_error *err)
{
	struct paleo_worker_config c = *config;

	c.backend = backend;
	c.device = device;
	int rc = paleo_worker_open(&c, &out->worker, &out->info, err);
	if (rc)
		return rc;
	out->backend = backend;
	paleo_measure_defaults(&out->policy);
	add_datasheet(&out->info.device);
	return PALEO_OK;
}

/* Whatever keeps the GPU from being used, the CPU is there; and it is said why. */
static int open_auto(const struct paleo_worker_config *config, struct session *out,
		     struct paleo_error *err)
{
	int rc = open_backend("cuda", 0, config, out, err);

	if (!rc)
		return rc;
	snprintf(out->why_not_gpu, sizeof(out->why_not_gpu), "%s", err->text);
	rc = open_backend("cpu", 0, config, out, err);
	if (rc)
		paleo_error_prefix(err, "no GPU: %.400s; no CPU", out->why_not_gpu);
	return rc;
}

int session_open(const char *device, const struct paleo_worker_config *config, struct session *out,
		 struct paleo_error *err)
{
	char *end;

	memset(out, 0, sizeof(*out));
	if (!strcmp(device, "auto"))
		return open_auto(config, out, err);
	if (!strcmp(device, "cpu") || !strcmp(device, "fake"))
		return open_backend(device[0] == 'c' ? "cpu" : "fake", 0, config, out, err);
	long index = strtol(device, &end, 10);
	if (end == device || *end || index < 0 || index > 1023)
		return paleo_fail(err, PALEO_EINPUT,
				  "--device is '%s', expected auto, cpu or the number of a GPU",
				  device);
	return open_backend("cuda", (int)index, config, out, err);
}

void session_close(struct session *s)
{
	paleo_worker_close(s->worker);
	s->worker = NULL;
}

void session_title(const struct session *s, char *buf, size_t size)
{
	char threads[32] = "";

	if (s->info.threads)
		snprintf(threads, sizeof(threads), ", %d thread%s", s->info.threads,
			 s->info.threads == 1 ? "" : "s");
	snprintf(buf, size, "%s: %s%s, %s", s->backend, s->info.device.title, threads,
		 s->info.versions);
}

static int datasheet_basis(const struct paleo_device *device, double ppp_compute, double ppp_memory,
			   struct basis *out, struct paleo_error *err)
{
	double compute = ppp_compute > 0 ? ppp_compute : 1;
	double memory = ppp_memory > 0 ? ppp_memory : 1;

	snprintf(out->title, sizeof(out->title),
		 "not calibrated: the %s's %s peaks at PPP %g compute, %g memory%s", device->name,
		 device->measured ? "measured" : "datasheet", compute, memory,
		 compute == 1 && memory == 1 ? " (real times are usually longer)" : "");
	return paleo_calibration_datasheet(device, compute, memory, &out->calibration, err);
}

int basis_choose(const char *path, const struct paleo_device *device, int threads,
		 double ppp_compute, double ppp_memory, struct basis *out, struct paleo_error *err)
{
	char found[FIND_PATH_MAX];
	struct basis b = {0};
	int by_hand = ppp_compute > 0 || ppp_memory > 0;

	if (path && by_hand)
		return paleo_fail(
			err, PALEO_EINPUT,
			"--calibration and --ppp-compute or --ppp-memory exclude one another");
	if (!path && device && !by_hand && find_calibration(device->name, found))
		path = found;
	if (!path) {
		assert(device); /* the callers want one of the two */
		int rc = datasheet_basis(device, ppp_compute, ppp_memory, &b, err);
		if (!rc)
			*out = b;
		return rc;
	}
	int rc = paleo_calibration_load(path, &b.calibration, err);
	if (rc)
		return rc;
	if (path == found && b.calibration.threads != threads) {
		/* found, not asked for: made under other conditions, so left aside */
		paleo_calibration_release(&b.calibration);
		rc = datasheet_basis(device, ppp_compute, ppp_memory, &b, err);
		if (!rc)
			*out = b;
		return rc;
	}
	snprintf(b.title, sizeof(b.title), "calibrated by %.300s (%d records of %s, %s)", path,
		 b.calibration.records, b.calibration.device.name, b.calibration.created_utc);
	*out = b;
	return PALEO_OK;
}

void basis_release(struct basis *b)
{
	paleo_calibration_release(&b->calibration);
}
