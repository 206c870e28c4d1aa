/* peaks.c - where the peaks of an open device are from. */
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "tools/session/peaks.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "calib/calibration_file.h"
#include "library/find.h"
#include "tools/session/records.h"

/* Peaks of one processor that were measured twice differ by less: as in library/source.c. */
#define NEAR 1.25

/* Peaks that were known before, and what they are called. */
struct known {
	struct paleo_device device;
	char called[PALEO_PATH_MAX + 64]; /* "stored on DATE (FILE)"; "": there are none */
	int is_of_this_boot;
};

/* Adds to what is told of the peaks. */
__attribute__((format(printf, 2, 3))) static void tell(struct session *s, const char *form, ...)
{
	char text[sizeof(s->peaks)];
	size_t used = strlen(s->peaks);
	va_list rest;

	va_start(rest, form);
	vsnprintf(text, sizeof(text), form, rest);
	va_end(rest);
	snprintf(s->peaks + used, sizeof(s->peaks) - used, "%s%s", used ? "; " : "", text);
}

/* Why a file of ceilings is not this device's as it is now; NULL: it is. */
static const char *other_ceilings(const struct paleo_record_meta *m,
				  const struct paleo_device_info *who)
{
	if (strcmp(m->device.name, who->device.name) != 0)
		return "another device";
	if (m->processor[0] && strcmp(m->processor, who->processor) != 0)
		return "another processor";
	if (m->threads != who->threads || strcmp(m->versions, who->versions) != 0)
		return "another number of threads or other library versions";
	return NULL;
}

/* 1 if the ceilings tell every peak of the device: of its memory, and of what it is known to
 * compute. */
static int tells_all(const struct paleo_results *r, const struct paleo_device *d)
{
	struct paleo_device told = {.measured = 0};
	int types = 0;

	paleo_ceilings_apply(r->ceilings, r->ceiling_count, &told);
	for (int t = 0; t < PALEO_DTYPES; t++) {
		types += told.flop_per_s[t] > 0;
		if (d->flop_per_s[t] > 0 && !(told.flop_per_s[t] > 0))
			return 0;
	}
	return types > 0 && told.mem_bytes_per_s > 0;
}

/* 1 if something is known of the device's peaks. */
static int has_peaks(const struct paleo_device *d)
{
	int types = 0;

	for (int t = 0; t < PALEO_DTYPES; t++)
		types += d->flop_per_s[t] > 0;
	return types > 0 && d->mem_bytes_per_s > 0;
}

static void take_arithmetic(struct paleo_device *to, const struct paleo_device *from)
{
	memcpy(to->flop_per_s, from->flop_per_s, sizeof(to->flop_per_s));
	memcpy(to->source, from->source, sizeof(to->source));
	to->measured = from->measured;
}

void peaks_age(const char *utc, double now_s, char *text, size_t size)
{
	static const struct {
		double s;
		const char *called;
	} units[] = {{86400, "days"}, {3600, "h"}, {60, "min"}, {0, "s"}};
	struct tm when = {.tm_sec = 0};
	int i = 0;

	text[0] = '\0';
	if (!strptime(utc, "%Y-%m-%dT%H:%M:%SZ", &when))
		return;
	double age_s = fmax(now_s - (double)timegm(&when), 0);
	while (age_s < 2 * units[i].s)
		i++;
	snprintf(text, size, "%.0f %s", floor(age_s / fmax(units[i].s, 1)), units[i].called);
}

/* Those that were kept of this processor, in this boot or in an earlier one. */
static int find_kept(const struct session *s, struct known *out, struct paleo_error *err)
{
	char path[PALEO_PATH_MAX];
	struct paleo_results r;

	if (!paleo_find_peaks(s->info.device.name, s->info.threads, path))
		return PALEO_OK;
	int rc = paleo_results_load(path, &r, err);
	if (rc)
		return rc;
	if (!other_ceilings(&r.meta, &s->info) && has_peaks(&r.meta.device)) {
		char age[32];
		out->device = r.meta.device;
		out->is_of_this_boot = strcmp(r.meta.boot, s->info.boot) == 0;
		peaks_age(r.meta.start_utc, (double)time(NULL), age, sizeof(age));
		if (out->is_of_this_boot && age[0])
			snprintf(out->called, sizeof(out->called), "measured %s ago (%.300s)", age,
				 path);
		else
			snprintf(out->called, sizeof(out->called), "stored on %s (%.300s)",
				 r.meta.start_utc, path);
	}
	paleo_results_release(&r);
	return PALEO_OK;
}

/* Those of a calibration for this device, its threads and libraries. */
static int find_calibrated(const struct session *s, struct known *out, struct paleo_error *err)
{
	char path[PALEO_PATH_MAX];
	struct paleo_calibration c;

	if (!paleo_find_calibration(s->info.device.name, path))
		return PALEO_OK;
	int rc = paleo_calibration_load(path, &c, err);
	if (rc)
		return rc;
	if (c.threads == s->info.threads && !strcmp(c.versions, s->info.versions) &&
	    has_peaks(&c.device)) {
		out->device = c.device;
		snprintf(out->called, sizeof(out->called), "of the calibration of %s (%.300s)",
			 c.created_utc, path);
	}
	paleo_calibration_release(&c);
	return PALEO_OK;
}

/* 1 if what was seen now can be of the processor whose peaks are known: never faster; and as fast
 * where nothing disturbed it. */
static int agrees(const struct paleo_device *known, const struct paleo_device *now,
		  const struct paleo_doubts *doubts)
{
	for (int t = 0; t < PALEO_DTYPES; t++) {
		double k = known->flop_per_s[t], n = now->flop_per_s[t];
		if (n > NEAR * k || (!doubts->arithmetic[0] && n * NEAR < k))
			return 0;
	}
	return now->mem_bytes_per_s <= NEAR * known->mem_bytes_per_s;
}

static int keep(const struct session *s, struct paleo_error *err)
{
	const struct records_wish wish = {.force = 1};
	char path[PALEO_PATH_MAX];
	struct records file;

	paleo_find_peaks(s->info.device.name, s->info.threads, path);
	int rc = records_open(path, &wish, s, &file, err);
	if (rc)
		return rc;
	rc = records_finish(&file, 1, err);
	records_close(&file);
	return rc;
}

/* What was disturbed is replaced by what is known. */
static int replace(struct session *s, struct known *known, const struct paleo_doubts *doubts,
		   struct paleo_error *err)
{
	struct paleo_device *d = &s->info.device;
	const char *why = doubts->arithmetic[0] ? doubts->arithmetic : doubts->memory;
	const char *what = !doubts->memory[0]       ? "arithmetic"
			   : !doubts->arithmetic[0] ? "memory"
						    : "arithmetic and memory";

	if (known->called[0] && !agrees(&known->device, d, doubts))
		known->called[0] = '\0';
	if (!known->called[0]) {
		int rc = find_calibrated(s, known, err);
		if (rc)
			return rc;
	}
	if (!known->called[0] || !agrees(&known->device, d, doubts)) {
		tell(s, "peaks: measured now; those of %s may be too low: %s", what, why);
		return PALEO_OK;
	}
	if (doubts->arithmetic[0])
		take_arithmetic(d, &known->device);
	if (doubts->memory[0])
		d->mem_bytes_per_s = known->device.mem_bytes_per_s;
	tell(s, "peaks: those of %s are %s, as they cannot be measured now: %s", what,
	     known->called, why);
	return PALEO_OK;
}

/* Of a processor: what this boot remembers, or what is measured now. */
static int remember_peaks(struct session *s, struct paleo_error *err)
{
	struct paleo_doubts doubts = {.arithmetic = ""};
	struct known known = {.called = ""};

	int rc = find_kept(s, &known, err);
	if (rc)
		tell(s, "%.200s: left aside", err->text);
	if (known.is_of_this_boot) {
		take_arithmetic(&s->info.device, &known.device);
		s->info.device.mem_bytes_per_s = known.device.mem_bytes_per_s;
		tell(s, "peaks: %s", known.called);
		return PALEO_OK;
	}
	rc = paleo_worker_peaks(s->worker, &s->info.device, &doubts, err);
	if (rc)
		return rc;
	if (doubts.arithmetic[0] || doubts.memory[0])
		return replace(s, &known, &doubts, err);
	tell(s, "peaks: measured now");
	return keep(s, err);
}

/* Where measuring fails, those of the datasheet stand, and it is said why. */
static int measure_peaks(struct session *s, struct paleo_error *err)
{
	struct paleo_error why = {.text = ""};
	struct paleo_doubts doubts;
	int rc = s->info.boot[0] ? remember_peaks(s, &why)
				 : paleo_worker_peaks(s->worker, &s->info.device, &doubts, &why);

	if (!rc)
		return PALEO_OK;
	if (!has_peaks(&s->info.device)) {
		*err = why;
		return rc;
	}
	tell(s, "peaks of the datasheet, as none could be measured: %.300s", why.text);
	return PALEO_OK;
}

int peaks_find(struct session *s, struct paleo_error *err)
{
	struct paleo_device *d = &s->info.device;
	char path[PALEO_PATH_MAX];
	struct paleo_results r;

	if (!paleo_find_ceilings(d->name, path))
		return measure_peaks(s, err);
	int rc = paleo_results_load(path, &r, err);
	if (rc)
		return rc;
	const char *other = other_ceilings(&r.meta, &s->info);
	int all = tells_all(&r, d);
	if (other)
		tell(s, "%.300s is for %s: peaks measured now", path, other);
	else
		tell(s, "peaks by %.300s (%s)%s", path, r.meta.start_utc,
		     all ? "" : "; the others measured now");
	if (other || !all)
		rc = measure_peaks(s, err);
	if (!other && !rc)
		paleo_ceilings_apply(r.ceilings, r.ceiling_count, d);
	paleo_results_release(&r);
	return rc;
}

/* 1 if a peak rose by so much that it shows in tenths of a per cent. */
static int has_risen(double now, double before)
{
	return now > 0 && now >= before * 1.0005;
}

static void tell_risen(struct session *s, const char *name, double now, double before,
		       const char *unit)
{
	if (has_risen(now, before) && before > 0)
		tell(s, "%s %.1f, not %.1f %s (+%.1f %%)", name, 1e-9 * now, 1e-9 * before, unit,
		     100 * (now / before - 1));
	else if (has_risen(now, before))
		tell(s, "%s %.1f %s, not known before", name, 1e-9 * now, unit);
}

int peaks_again(struct session *s, int *changed, struct paleo_error *err)
{
	struct paleo_device now = s->info.device, *d = &s->info.device;
	struct paleo_doubts doubts = {.arithmetic = ""};
	struct paleo_error ignored;

	*changed = 0;
	if (!s->info.boot[0] || paleo_worker_peaks(s->worker, &now, &doubts, &ignored) ||
	    doubts.arithmetic[0] || doubts.memory[0])
		return PALEO_OK;
	*changed = has_risen(now.mem_bytes_per_s, d->mem_bytes_per_s);
	for (int t = 0; t < PALEO_DTYPES; t++)
		*changed |= has_risen(now.flop_per_s[t], d->flop_per_s[t]);
	if (!*changed)
		return PALEO_OK;
	s->peaks[0] = '\0';
	tell(s, "peaks: measured again, as works were faster");
	for (int t = 0; t < PALEO_DTYPES; t++) {
		tell_risen(s, paleo_dtype_names[t], now.flop_per_s[t], d->flop_per_s[t], "GFLOP/s");
		d->flop_per_s[t] = fmax(now.flop_per_s[t], d->flop_per_s[t]);
	}
	tell_risen(s, "memory", now.mem_bytes_per_s, d->mem_bytes_per_s, "GB/s");
	d->mem_bytes_per_s = fmax(now.mem_bytes_per_s, d->mem_bytes_per_s);
	return keep(s, err);
}
