/* peaks.c - where the peaks of an open device are from. */
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "bench/peaks.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "library/own.h"
#include "tools/session/records.h"
#include "tools/session/session.h"

/* Peaks of one CPU that were measured twice differ by less: as in library/own.c. */
#define NEAR 1.25

/* Peaks that were known before, and what they are called. */
struct known {
	struct paleo_device device;
	char called[PALEO_PATH_MAX + 64]; /* "stored on DATE (FILE)"; "": there are none */
	int is_of_this_boot;
};

/* Adds to what is reported of the peaks. */
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

/* Why a file of ceilings is not this device's as it is now; NULL: it is. Where most ops were
 * disturbed, so were the peaks. */
static const char *other_ceilings(const struct paleo_results *r,
				  const struct paleo_device_info *who)
{
	const struct paleo_record_meta *m = &r->meta;

	if (strcmp(m->device.name, who->device.name) != 0)
		return "another device";
	if (m->processor[0] && strcmp(m->processor, who->processor) != 0)
		return "another CPU";
	if (m->threads != who->threads || strcmp(m->versions, who->versions) != 0)
		return "another number of threads or other library versions";
	if (paleo_results_disturbed(r) > 0.5)
		return "a machine that other processes kept busy";
	return NULL;
}

/* Those of the wanted peaks that the ceilings do not tell. */
static unsigned untold(const struct paleo_results *r, unsigned wanted)
{
	struct paleo_device told = {.measured = 0};

	paleo_ceilings_apply(r->ceilings, r->ceiling_count, &told);
	for (int t = 0; t < PALEO_DTYPES; t++)
		if (told.flop_per_s[t] > 0)
			wanted &= ~(1u << t);
	return told.mem_bytes_per_s > 0 ? wanted & ~PALEO_PEAK_OF_MEMORY : wanted;
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

/* Age of a time, for people: "12 s", "3 min", "5 h", "2 days". `utc` as in a "meta" line.
 * "" where it is no time. */
static void peaks_age(const char *utc, double now_s, char *text, size_t size)
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

/* Those that were kept of this CPU, in this boot or in an earlier one. */
static int find_kept(const struct session *s, struct known *out, struct paleo_error *err)
{
	char path[PALEO_PATH_MAX];
	struct paleo_results r;

	if (!paleo_find_peaks(s->info.device.name, s->info.threads, path))
		return PALEO_OK;
	PALEO_TRY(paleo_results_load(path, &r, err));
	if (!other_ceilings(&r, &s->info) && has_peaks(&r.meta.device)) {
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

/* Those of the calibration that predicts for this device as it is. */
static int find_calibrated(const struct session *s, struct known *out, struct paleo_error *err)
{
	struct paleo_calibration c;
	struct paleo_own own;

	PALEO_TRY(paleo_choose_own(&s->info, &c, &own, err));
	if (own.path[0] && has_peaks(&c.device)) {
		out->device = c.device;
		snprintf(out->called, sizeof(out->called), "of the calibration of %s (%.300s)",
			 c.created_utc, own.path);
	}
	paleo_calibration_release(&c);
	return PALEO_OK;
}

/* 1 if known peaks are not lower than what was seen, disturbed, of this CPU. */
static int may_replace(const struct paleo_device *known, const struct paleo_device *seen,
		       const struct paleo_doubts *doubts)
{
	for (int t = 0; doubts->arithmetic[0] && t < PALEO_DTYPES; t++)
		if (seen->flop_per_s[t] > NEAR * known->flop_per_s[t])
			return 0;
	return !doubts->memory[0] || seen->mem_bytes_per_s <= NEAR * known->mem_bytes_per_s;
}

static int keep(const struct session *s, struct paleo_error *err)
{
	const struct records_wish wish = {.force = 1};
	char path[PALEO_PATH_MAX];
	struct records file;

	paleo_find_peaks(s->info.device.name, s->info.threads, path);
	PALEO_TRY(records_open(path, &wish, s, &file, err));
	int rc = records_finish(&file, 1, err);
	records_close(&file);
	return rc;
}

/* "arithmetic", "memory", or both: what is in doubt. */
static const char *doubted(const struct paleo_doubts *doubts)
{
	return !doubts->memory[0]       ? "arithmetic"
	       : !doubts->arithmetic[0] ? "memory"
					: "arithmetic and memory";
}

static const char *doubt(const struct paleo_doubts *doubts)
{
	return doubts->arithmetic[0] ? doubts->arithmetic : doubts->memory;
}

/* Replaces doubtful peaks by known ones; *taken is 0 if none is known. */
static int replace(struct session *s, struct known *known, const struct paleo_doubts *doubts,
		   int *taken, struct paleo_error *err)
{
	struct paleo_device *d = &s->info.device;

	s->info.is_doubted = 1;
	if (known->called[0] && !may_replace(&known->device, d, doubts))
		known->called[0] = '\0';
	if (!known->called[0])
		PALEO_TRY(find_calibrated(s, known, err));
	*taken = known->called[0] && may_replace(&known->device, d, doubts);
	if (!*taken)
		return PALEO_OK;
	if (doubts->arithmetic[0])
		take_arithmetic(d, &known->device);
	if (doubts->memory[0])
		d->mem_bytes_per_s = known->device.mem_bytes_per_s;
	tell(s, "peaks: %s %s; not measured now: %s", doubted(doubts), known->called,
	     doubt(doubts));
	return PALEO_OK;
}

/* Of a CPU: takes what this boot remembers, or says in *known what an earlier one does. */
static void recall_kept(struct session *s, struct known *known)
{
	struct paleo_error why;

	*known = (struct known){.called = ""};
	if (find_kept(s, known, &why))
		tell(s, "%.200s: ignored", why.text);
	if (!known->is_of_this_boot)
		return;
	take_arithmetic(&s->info.device, &known->device);
	s->info.device.mem_bytes_per_s = known->device.mem_bytes_per_s;
	tell(s, "peaks: %s", known->called);
}

/* Of a CPU: what this boot remembers; on a busy machine what else is known; or what is measured
 * now.
 */
static int remember_peaks(struct session *s, struct paleo_error *err)
{
	struct paleo_doubts doubts = {.arithmetic = "the machine is busy",
				      .memory = "the machine is busy"};
	struct known known;
	int taken = 0;

	recall_kept(s, &known);
	if (known.is_of_this_boot)
		return PALEO_OK;
	PALEO_TRY(s->busy[0] ? replace(s, &known, &doubts, &taken, err) : PALEO_OK);
	if (taken)
		return PALEO_OK;
	doubts = (struct paleo_doubts){.arithmetic = ""};
	PALEO_TRY(paleo_worker_peaks(s->worker, PALEO_PEAKS_ALL, &s->info.device, &doubts, err));
	s->info.is_doubted = 0;
	if (!doubts.arithmetic[0] && !doubts.memory[0]) {
		tell(s, "peaks: measured now");
		return keep(s, err);
	}
	PALEO_TRY(replace(s, &known, &doubts, &taken, err));
	if (!taken)
		tell(s, "peaks: measured now; %s may be too low: %s", doubted(&doubts),
		     doubt(&doubts));
	return PALEO_OK;
}

/* Where measuring fails, those of the datasheet stand, and it is said why. */
static int measure_peaks(struct session *s, unsigned wanted, struct paleo_error *err)
{
	struct paleo_error why = {.text = ""};
	struct paleo_doubts doubts;
	int rc = s->info.boot[0]
			 ? remember_peaks(s, &why)
			 : paleo_worker_peaks(s->worker, wanted, &s->info.device, &doubts, &why);

	if (!rc)
		return PALEO_OK;
	if (!has_peaks(&s->info.device)) {
		*err = why;
		return rc;
	}
	tell(s, "peaks: datasheet, as none could be measured: %.300s", why.text);
	return PALEO_OK;
}

int peaks_recall(struct session *s, int *found, struct paleo_error *err)
{
	char path[PALEO_PATH_MAX];
	struct paleo_results r;
	struct known known = {.called = ""};

	if (s->info.boot[0])
		recall_kept(s, &known);
	*found = known.is_of_this_boot;
	if (!paleo_find_ceilings(s->info.device.name, path))
		return PALEO_OK;
	PALEO_TRY(paleo_results_load(path, &r, err));
	if (!other_ceilings(&r, &s->info)) {
		paleo_ceilings_apply(r.ceilings, r.ceiling_count, &s->info.device);
		*found = has_peaks(&s->info.device);
	}
	paleo_results_release(&r);
	return PALEO_OK;
}

int peaks_find(struct session *s, unsigned wanted, struct paleo_error *err)
{
	struct paleo_device *d = &s->info.device;
	char path[PALEO_PATH_MAX], names[64];
	struct paleo_results r;

	wanted |= PALEO_PEAK_OF_MEMORY;
	if (!(d->flop_per_s[PALEO_F32] > 0)) /* no datasheet says its rate without tensor cores */
		wanted |= 1u << PALEO_F32;
	if (!paleo_find_ceilings(d->name, path))
		return measure_peaks(s, wanted, err);
	int rc = paleo_results_load(path, &r, err);
	if (rc)
		return rc;
	const char *other = other_ceilings(&r, &s->info);
	unsigned missing = other ? wanted : untold(&r, wanted);
	paleo_peaks_names(missing, names, sizeof(names));
	if (other)
		tell(s, "%.300s is for %s: peaks measured now", path, other);
	else
		tell(s, "peaks by %.300s (%s)%s%s%s", path, r.meta.start_utc, missing ? "; " : "",
		     names, missing ? " measured now" : "");
	if (missing)
		rc = measure_peaks(s, missing, err);
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
	if (!s->info.boot[0] ||
	    paleo_worker_peaks(s->worker, PALEO_PEAKS_ALL, &now, &doubts, &ignored) ||
	    doubts.arithmetic[0] || doubts.memory[0])
		return PALEO_OK;
	*changed = has_risen(now.mem_bytes_per_s, d->mem_bytes_per_s);
	for (int t = 0; t < PALEO_DTYPES; t++)
		*changed |= has_risen(now.flop_per_s[t], d->flop_per_s[t]);
	if (!*changed)
		return PALEO_OK;
	s->peaks[0] = '\0';
	tell(s, "peaks: measured again, as some ops were faster");
	for (int t = 0; t < PALEO_DTYPES; t++) {
		tell_risen(s, paleo_dtype_names[t], now.flop_per_s[t], d->flop_per_s[t], "GFLOP/s");
		d->flop_per_s[t] = fmax(now.flop_per_s[t], d->flop_per_s[t]);
	}
	tell_risen(s, "memory", now.mem_bytes_per_s, d->mem_bytes_per_s, "GB/s");
	d->mem_bytes_per_s = fmax(now.mem_bytes_per_s, d->mem_bytes_per_s);
	return keep(s, err);
}
