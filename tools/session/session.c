/* session.c - what --device means: which backend and device, who it is, which calibration. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/session/session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "bench/busy.h"
#include "bench/clock.h"
#include "library/find.h"
#include "tools/session/peaks.h"

const char session_device_argument[] = "auto"
#define BACKEND(name, argument, help, ...) argument
#include "model/device/backends.def"
#undef BACKEND
	;

const char session_device_help[] =
#define BACKEND(name, argument, help, ...) help
#include "model/device/backends.def"
#undef BACKEND
	"or the first of these that is usable (default auto)";

static int open_backend(const struct paleo_backend_entry *backend, int index,
			const struct session_wish *wish, struct session *out,
			struct paleo_error *err)
{
	struct paleo_worker_config c = wish->worker;
	double start_s = paleo_now_s();

	if (backend->called) /* a sign of life: peaks take a second, and a busy device longer */
		paleo_print(stderr, "opening the %s\n", backend->called);
	progress_open(&out->progress, wish->quiet);
	progress_begin(&out->progress, "opening the device");
	c.told = progress_told(&out->progress);
	c.backend = backend->name;
	c.device = index;
	out->begun_s = start_s;
	int rc = paleo_worker_open(&c, &out->worker, &out->info, err);
	progress_clear(&out->progress);
	if (rc)
		return rc;
	out->backend = backend;
	out->options = c.options;
	paleo_measure_defaults(&out->policy);
	out->spent.s[PALEO_PHASE_START] = paleo_now_s() - start_s;
	if (backend->hardware == PALEO_HOST)
		paleo_busy_look(out->info.threads, out->busy, sizeof(out->busy));
	start_s = paleo_now_s();
	progress_begin(&out->progress, "looking for the device's peaks");
	rc = wish->peaks ? peaks_find(out, err) : PALEO_OK;
	progress_clear(&out->progress);
	out->spent.s[PALEO_PHASE_PEAKS] = paleo_now_s() - start_s;
	if (rc)
		session_close(out);
	return rc;
}

/* Whatever keeps one from being used, the next is there; and it is said why. */
static int open_auto(const struct session_wish *wish, struct session *out, struct paleo_error *err)
{
	int count, rc = PALEO_ENODEVICE;
	const struct paleo_backend_entry *backends = paleo_backends(&count);

	for (int i = 0; rc && i < count; i++) {
		const struct paleo_backend_entry *b = &backends[i];
		size_t used = strlen(out->passed_over);
		if (!b->called)
			continue;
		rc = open_backend(b, 0, wish, out, err);
		if (rc)
			snprintf(out->passed_over + used, sizeof(out->passed_over) - used,
				 "%sno %s: %.400s", used ? "; " : "", b->called, err->text);
	}
	if (rc)
		return paleo_fail(err, rc, "%s", out->passed_over);
	return PALEO_OK;
}

/* 1 if `device` is the backend's word and an index. */
static int is_called(const struct paleo_backend_entry *b, const char *device, int *index)
{
	size_t length = strlen(b->word);
	int lowest = length > 0; /* "fake" is 0, "fake1" the next */

	if (strncmp(device, b->word, length) != 0)
		return 0;
	device += length;
	size_t digits = strspn(device, "0123456789");
	if (device[digits] || digits > 4 || (!digits && !lowest))
		return 0;
	int number = (int)strtol(digits ? device : "0", NULL, 10); /* at most 9999 */
	*index = number;
	return !digits || (number >= lowest && number <= b->index_max);
}

/* 1 if `device` is the backend's own name, alone or with ":" and an index: "cuda", "cuda:1". */
static int is_named(const struct paleo_backend_entry *b, const char *device, int *index)
{
	size_t length = strlen(b->name), digits;

	if (strncmp(device, b->name, length) != 0)
		return 0;
	*index = 0;
	if (!device[length])
		return 1;
	digits = strspn(device + length + 1, "0123456789");
	if (device[length] != ':' || !digits || digits > 4 || device[length + 1 + digits])
		return 0;
	*index = (int)strtol(device + length + 1, NULL, 10);
	return *index <= b->index_max;
}

/* A device of a table is not one of this machine. */
static int refuse(const char *device, struct paleo_error *err)
{
	if (paleo_device_find(device))
		return paleo_fail(err, PALEO_EINPUT,
				  "--device is '%s', a device by its name: here expected is one of "
				  "this machine, %s: %s; 'paleo predict' needs none",
				  device, session_device_argument, session_device_help);
	return paleo_fail(err, PALEO_EINPUT, "--device is '%s', expected %s: %s", device,
			  session_device_argument, session_device_help);
}

/* What a name stands for. *backend is NULL for auto. */
static int parse_device(const char *device, const struct paleo_backend_entry **backend, int *index,
			struct paleo_error *err)
{
	int count;
	const struct paleo_backend_entry *backends = paleo_backends(&count);

	*backend = NULL;
	if (!strcmp(device, "auto"))
		return PALEO_OK;
	for (int i = 0; i < count; i++) {
		if (is_called(&backends[i], device, index) ||
		    is_named(&backends[i], device, index)) {
			*backend = &backends[i];
			return PALEO_OK;
		}
	}
	return refuse(device, err);
}

int session_check(const char *device, struct paleo_error *err)
{
	const struct paleo_backend_entry *backend;
	int index;

	return parse_device(device, &backend, &index, err);
}

/* A processor stands in no table: what it is known by is its calibration. */
static int check_known(const struct session *s, const char *device, struct paleo_error *err)
{
	const struct paleo_device *d = &s->info.device;
	char path[PALEO_PATH_MAX];

	if (s->backend->hardware == PALEO_GPU || paleo_find_calibration(d->name, path))
		return PALEO_OK;
	return paleo_fail(
		err, PALEO_EINPUT,
		"--device %s is this machine's %s, which has no calibration yet: make one with "
		"'paleo calibrate --device %s --time-budget 60s', or name a device that "
		"'paleo devices' lists",
		device, d->title, device);
}

int session_name(const char *device, int calibrated, char name[SESSION_NAME_MAX],
		 struct paleo_error *err)
{
	char path[PALEO_PATH_MAX];
	const struct session_wish wish = {.peaks = 0};
	struct paleo_error ignored;
	struct session s;

	if (device && strlen(device) >= SESSION_NAME_MAX)
		return paleo_fail(err, PALEO_EINPUT, "--device has a name of %zu characters",
				  strlen(device));
	snprintf(name, SESSION_NAME_MAX, "%s", device ? device : "");
	if (!device || paleo_find_calibration(device, path) || session_check(device, &ignored))
		return PALEO_OK;
	int rc = session_open(device, &wish, &s, err);
	if (rc) {
		const struct paleo_error why = *err;
		return paleo_fail(
			err, rc,
			"--device %s is one of this machine: %s; devices that need not be "
			"here are called by their names, which 'paleo devices' lists",
			device, why.text);
	}
	rc = calibrated ? PALEO_OK : check_known(&s, device, err);
	if (!rc)
		snprintf(name, SESSION_NAME_MAX, "%s", s.info.device.name);
	session_close(&s);
	return rc;
}

int session_open(const char *device, const struct session_wish *wish, struct session *out,
		 struct paleo_error *err)
{
	const struct paleo_backend_entry *backend;
	int index = 0;

	memset(out, 0, sizeof(*out));
	int rc = parse_device(device, &backend, &index, err);
	if (rc)
		return rc;
	return backend ? open_backend(backend, index, wish, out, err) : open_auto(wish, out, err);
}

double session_left_s(const struct session *s, double budget_s)
{
	return fmax(budget_s - (paleo_now_s() - s->begun_s), budget_s / 2);
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
	snprintf(buf, size, "%s: %s%s, %s", s->backend->name, s->info.device.title, threads,
		 s->info.versions);
}

void session_tell(const struct session *s, FILE *notes)
{
	char title[1024];

	session_title(s, title, sizeof(title));
	paleo_print(notes, "%s\n", title);
	if (s->passed_over[0])
		paleo_print(notes, "%s\n", s->passed_over);
	if (s->busy[0])
		paleo_print(
			notes,
			"this machine is busy: %s: times get longer, and some cannot be had; end "
			"what else runs, measure later, or go before it as root: chrt --rr 1 paleo "
			"...\n",
			s->busy);
	if (s->peaks[0])
		paleo_print(notes, "%s\n", s->peaks);
}
