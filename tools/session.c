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

/* Puts what paleo ceilings measured in place of what is measured when a device is opened, which is
 * done in a hurry. */
static int take_ceilings(struct session *s, struct paleo_error *err)
{
	struct paleo_device_info *who = &s->info;
	char path[FIND_PATH_MAX];
	struct paleo_results r;

	if (!find_ceilings(who->device.name, path))
		return PALEO_OK;
	int rc = paleo_results_load(path, &r, err);
	if (rc)
		return rc;
	const struct paleo_record_meta *m = &r.meta;
	if (m->threads != who->threads || strcmp(m->versions, who->versions) != 0) {
		snprintf(s->peaks, sizeof(s->peaks),
			 "%.300s is for another number of threads or other library versions: "
			 "peaks measured now",
			 path);
	} else {
		paleo_ceilings_apply(r.ceilings, r.ceiling_count, &who->device);
		snprintf(s->peaks, sizeof(s->peaks), "peaks by %.300s (%s)", path, m->start_utc);
	}
	paleo_results_release(&r);
	return PALEO_OK;
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
	out->options = config->options;
	paleo_measure_defaults(&out->policy);
	add_datasheet(&out->info.device);
	rc = config->need_ceilings ? take_ceilings(out, err) : PALEO_OK;
	if (rc)
		session_close(out);
	return rc;
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

/* What a name stands for; backend NULL: it is auto. */
static int parse_device(const char *device, const char **backend, int *index,
			struct paleo_error *err)
{
	static const struct {
		const char *name, *backend;
		int index;
	} names[] = {
		{"auto", NULL, 0}, {"cpu", "cpu", 0}, {"fake", "fake", 0}, {"fake1", "fake", 1}};
	char *end;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(device, names[i].name)) {
			*backend = names[i].backend;
			*index = names[i].index;
			return PALEO_OK;
		}
	}
	long number = strtol(device, &end, 10);
	if (end == device || *end || number < 0 || number > 1023)
		return paleo_fail(err, PALEO_EINPUT,
				  "--device is '%s', expected auto, cpu or the number of a GPU",
				  device);
	*backend = "cuda";
	*index = (int)number;
	return PALEO_OK;
}

int session_check(const char *device, struct paleo_error *err)
{
	const char *backend;
	int index;

	return parse_device(device, &backend, &index, err);
}

int session_open(const char *device, const struct paleo_worker_config *config, struct session *out,
		 struct paleo_error *err)
{
	const char *backend = NULL;
	int index = 0;

	memset(out, 0, sizeof(*out));
	int rc = parse_device(device, &backend, &index, err);
	if (rc)
		return rc;
	return backend ? open_backend(backend, index, config, out, err)
		       : open_auto(config, out, err);
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

static void calibrated_title(const char *path, struct basis *b)
{
	const struct paleo_calibration *c = &b->calibration;

	snprintf(b->title, sizeof(b->title), "calibrated by %.300s (%d records of %s, %s)", path,
		 c->records, c->device.name, c->created_utc);
}

/* 1 if a peak that was measured twice is about the same. A busy machine measures less. */
static int is_near(double a, double b)
{
	return a == b || (a < 1.25 * b && b < 1.25 * a);
}

/* Why a calibration that was found by the device's name is of other conditions; NULL if it is not.
 */
static const char *other_conditions(const struct paleo_calibration *c,
				    const struct paleo_device_info *who)
{
	if (c->threads != who->threads)
		return "another number of threads";
	if (who->versions[0] && strcmp(c->versions, who->versions) != 0)
		return "other library versions";
	if (!c->device.measured || !who->device.measured)
		return NULL;
	for (int i = 0; i < PALEO_DTYPES; i++)
		if (!is_near(c->device.flop_per_s[i], who->device.flop_per_s[i]))
			return "other peaks than those measured now";
	return NULL;
}

/* The one that was found, unless it is of other conditions: then the datasheet, and why. */
static int found_basis(const char *path, const struct paleo_device_info *who, struct basis *out,
		       struct paleo_error *err)
{
	struct basis b = {0};

	int rc = paleo_calibration_load(path, &b.calibration, err);
	if (rc)
		return rc;
	const char *other = other_conditions(&b.calibration, who);
	if (!other) {
		calibrated_title(path, &b);
		*out = b;
		return PALEO_OK;
	}
	paleo_calibration_release(&b.calibration);
	rc = datasheet_basis(&who->device, 0, 0, &b, err);
	if (rc)
		return rc;
	size_t at = strlen(b.title);
	snprintf(b.title + at, sizeof(b.title) - at, "; %.200s is for %s", path, other);
	*out = b;
	return PALEO_OK;
}

int basis_choose(const char *path, const struct paleo_device_info *who, double ppp_compute,
		 double ppp_memory, struct basis *out, struct paleo_error *err)
{
	char found[FIND_PATH_MAX];
	struct basis b = {0};
	int by_hand = ppp_compute > 0 || ppp_memory > 0;

	if (path && by_hand)
		return paleo_fail(
			err, PALEO_EINPUT,
			"--calibration and --ppp-compute or --ppp-memory exclude one another");
	assert(path || who); /* the callers want one of the two */
	if (!path && !by_hand && find_calibration(who->device.name, found))
		return found_basis(found, who, out, err);
	int rc = path ? paleo_calibration_load(path, &b.calibration, err)
		      : datasheet_basis(&who->device, ppp_compute, ppp_memory, &b, err);
	if (rc)
		return rc;
	if (path)
		calibrated_title(path, &b);
	*out = b;
	return PALEO_OK;
}

void basis_release(struct basis *b)
{
	paleo_calibration_release(&b->calibration);
}
