/* session.c - what --device means: which backend and device, who it is, which calibration. */
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "tools/session/session.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "bench/clock.h"
#include "library/own.h"

const char session_device_argument[] = "auto"
#define BACKEND(name, argument, help, ...) argument
#include "model/device/backends.def"
#undef BACKEND
	;

const char session_device_help[] =
#define BACKEND(name, argument, help, ...) help
#include "model/device/backends.def"
#undef BACKEND
	"or the first usable one (default auto)";

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
	c.progress = progress_listener(&out->progress);
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
	if (wish->regime == PALEO_SUSTAINED)
		paleo_measure_sustain(&out->policy);
	out->policy.energy_s = wish->energy && !out->info.no_energy[0] ? PALEO_ENERGY_S : 0;
	out->lacks_energy = wish->energy && out->info.no_energy[0];
	out->spent.s[PALEO_PHASE_START] = paleo_now_s() - start_s;
	if (backend->hardware == PALEO_HOST)
		paleo_busy_look(out->info.threads, out->busy, sizeof(out->busy));
	start_s = paleo_now_s();
	progress_begin(&out->progress, "finding the device's peaks");
	rc = wish->peaks ? peaks_find(out, wish->peaks, err) : PALEO_OK;
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
		return paleo_fail(
			err, PALEO_EINPUT,
			"--device is '%s', a name: expected a device of this machine, %s: %s; "
			"'paleo predict' takes names",
			device, session_device_argument, session_device_help);
	return paleo_fail(err, PALEO_EINPUT, "--device is '%s', expected %s: %s", device,
			  session_device_argument, session_device_help);
}

/* Meaning of a name. *backend is NULL for auto. */
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

/* A CPU stands in no table: what it is known by is its calibration, else its peaks, which are
 * measured. */
static int make_known(struct session *s, const char *device, struct paleo_error *err)
{
	const struct paleo_device *d = &s->info.device;
	struct paleo_calibration c;
	struct paleo_own own;

	if (s->backend->hardware == PALEO_GPU)
		return PALEO_OK;
	int rc = paleo_choose_own(&s->info, &c, &own, err);
	paleo_calibration_release(&c);
	if (rc || own.path[0])
		return rc;
	if (s->backend->hardware == PALEO_HOST)
		return peaks_find(s, 1u << PALEO_F32, err);
	return paleo_fail(err, PALEO_EINPUT,
			  "--device %s is this machine's %s, not calibrated yet%s%s: run 'paleo "
			  "calibrate --device %s --time-budget 60s', or name a device of 'paleo "
			  "devices'",
			  device, d->title, own.passed_over[0] ? "; passed over: " : "",
			  own.passed_over, device);
}

/* 1 if calibrations have this name: it stands for itself, whatever is open to be opened by it. */
static int is_calibrated(const char *device)
{
	char path[PALEO_PATH_MAX];

	return paleo_find_local_calibration(device, path) ||
	       paleo_find_shipped_calibration(device, path);
}

int session_who(const char *device, int calibrated, struct paleo_device_info *who,
		struct paleo_error *err)
{
	const struct session_wish wish = {.peaks = 0};
	struct paleo_error ignored;
	struct session s;
	int has_peaks = 0;

	if (device && strlen(device) >= sizeof(who->device.name))
		return paleo_fail(err, PALEO_EINPUT, "--device has a name of %zu characters",
				  strlen(device));
	*who = (struct paleo_device_info){.threads = 0};
	snprintf(who->device.name, sizeof(who->device.name), "%s", device ? device : "");
	if (!device || is_calibrated(device) || session_check(device, &ignored))
		return PALEO_OK;
	int rc = session_open(device, &wish, &s, err);
	if (rc) {
		const struct paleo_error why = *err;
		return paleo_fail(
			err, rc,
			"--device %s is a device of this machine: %s; other devices have names "
			"('paleo devices' lists them)",
			device, why.text);
	}
	rc = paleo_worker_speed(s.worker, &s.info.now, err);
	if (!rc)
		rc = peaks_recall(&s, &has_peaks, err);
	if (!rc && !calibrated && !has_peaks)
		rc = make_known(&s, device, err);
	if (!rc)
		*who = s.info;
	session_close(&s);
	return rc;
}

int session_open(const char *device, const struct session_wish *wish, struct session *out,
		 struct paleo_error *err)
{
	const struct paleo_backend_entry *backend;
	int index = 0;

	memset(out, 0, sizeof(*out));
	PALEO_TRY(parse_device(device, &backend, &index, err));
	return backend ? open_backend(backend, index, wish, out, err) : open_auto(wish, out, err);
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

void session_node(char *text, size_t size)
{
	if (gethostname(text, size))
		snprintf(text, size, "?");
	text[size - 1] = '\0';
}

void session_condition(const struct session *s, const char *device, struct paleo_condition *out)
{
	*out = s->info.condition;
	session_node(out->node, sizeof(out->node));
	if (!out->unit[0] && s->backend->hardware != PALEO_HOST)
		snprintf(out->unit, sizeof(out->unit), "%s %.40s", s->backend->name, device);
}

/* 1 if this process runs before the others, which wait for it. */
static int is_real_time(void)
{
	int policy = sched_getscheduler(0);

	return policy == SCHED_FIFO || policy == SCHED_RR;
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
			notes, "Machine busy: %s. %s\n", s->busy,
			is_real_time()
				? "At real-time priority, as here, the others wait"
				: "Timings will be too long or missing. Stop other jobs, or raise "
				  "priority: chrt --rr 1 paleo ...");
	if (s->peaks[0])
		paleo_print(notes, "%s\n", s->peaks);
	if (s->policy.sustain_s > 0)
		paleo_print(notes, "sustained: each op runs for %g s before it is timed\n",
			    s->policy.sustain_s);
	if (s->lacks_energy)
		paleo_print(notes, "energy: not measured: %s\n", s->info.no_energy);
	if (s->policy.energy_s > 0)
		paleo_print(
			notes,
			"energy: each op, warm, also runs for %g s or more between steps of the "
			"energy counter; idle power is included\n",
			s->policy.energy_s);
}

static int add_name(const char *name, size_t length, struct device_list *list,
		    struct paleo_error *err)
{
	if (length == 0 || length >= DEVICE_NAME_MAX)
		return paleo_fail(
			err, PALEO_EINPUT,
			"--device has '%.*s', expected GPU numbers, comma-separated, cpu, or "
			"auto",
			(int)(length > 60 ? 60 : length), name);
	if (list->count == DEVICE_LIST_MAX)
		return paleo_fail(err, PALEO_EINPUT, "--device has more than %d devices",
				  DEVICE_LIST_MAX);
	char *to = list->names[list->count];
	memcpy(to, name, length);
	to[length] = '\0';
	for (int i = 0; i < list->count; i++)
		if (!strcmp(list->names[i], to))
			return paleo_fail(err, PALEO_EINPUT, "--device has '%s' twice", to);
	list->count++;
	return PALEO_OK;
}

int device_list_parse(const char *text, struct device_list *out, struct paleo_error *err)
{
	*out = (struct device_list){.count = 0};
	for (;;) {
		size_t length = strcspn(text, ",+");
		PALEO_TRY(add_name(text, length, out, err));
		if (!text[length])
			return PALEO_OK;
		text += length + 1;
	}
}
