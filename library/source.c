/* source.c - chooses the parameter source of a prediction by cost model and device. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "library/source.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "library/own.h"
#include "model/device/backends.h"
#include "model/device/device.h"
#include "model/predict/calibration_file.h"

const char *const paleo_cost_model_names[PALEO_COST_MODELS + 1] = {
	"auto", "calibrated", "presets", "presets-excluding-self", "datasheet", NULL};

/* Parameter sources that a cost model allows, in the order of fallback. */
enum {
	OWN = 1,
	PRESETS = 2,
	DATASHEET = 4
};
static const unsigned cost_model_allows[PALEO_COST_MODELS] = {
	[PALEO_COST_MODEL_AUTO] = OWN | PRESETS | DATASHEET,
	[PALEO_COST_MODEL_CALIBRATED] = OWN | PRESETS, /* these for classes that it lacks */
	[PALEO_COST_MODEL_PRESETS] = PRESETS,
	[PALEO_COST_MODEL_EXCLUDING_SELF] = PRESETS,
	[PALEO_COST_MODEL_DATASHEET] = DATASHEET,
};

/* The requested device. */
struct asked {
	struct paleo_device_info who;
	/* 1: not in the table of devices, such as a CPU; described only by its calibration. */
	int unlisted;
	struct paleo_error why_unlisted;
	struct paleo_own own; /* its calibration, if it was looked for */
};

/* The device's name, as it was given. */
static const char *called(const struct paleo_source_wish *w, const struct asked *a)
{
	return w->device ? w->device : a->who.device.name;
}

/* 1 if a fraction of the peaks was given. */
static int by_hand(const struct paleo_source_wish *w)
{
	return w->ppp_compute > 0 || w->ppp_memory > 0;
}

/* Sources that may be used, of those the cost model allows. */
static unsigned may_count(const struct paleo_source_wish *w)
{
	if (by_hand(w))
		return DATASHEET;
	return cost_model_allows[w->cost_model] &
	       (w->dtype == PALEO_DTYPES ? ~(unsigned)PRESETS : ~0U);
}

static int exclude(const struct paleo_source_wish *w, const char *what, struct paleo_error *err)
{
	return paleo_fail(err, PALEO_EINPUT, "the cost model '%s' cannot be combined with %s",
			  paleo_cost_model_names[w->cost_model], what);
}

/* Refuses contradictory requests. */
static int check_wish(const struct paleo_source_wish *w, struct paleo_error *err)
{
	unsigned cost_model = cost_model_allows[w->cost_model];

	if (cost_model == PRESETS && !w->device)
		return paleo_fail(err, PALEO_EINPUT, "the cost model '%s' needs a device",
				  paleo_cost_model_names[w->cost_model]);
	if (!w->device && !w->who && !w->calibration)
		return paleo_fail(
			err, PALEO_EINPUT,
			"no device and no calibration given: use --device NAME ('paleo devices' "
			"lists them; cpu or 0 for this machine) or --calibration FILE");
	if (w->calibration && !(cost_model & OWN))
		return exclude(w, "a calibration", err);
	if (by_hand(w) && !(cost_model & DATASHEET))
		return exclude(w, "fractions of peak (PPP)", err);
	if (w->calibration && by_hand(w))
		return paleo_fail(err, PALEO_EINPUT,
				  "a calibration cannot be combined with fractions of peak (PPP)");
	return PALEO_OK;
}

/* A device from the table. */
static int listed_device(const char *devices, const char *name, struct paleo_device *out,
			 struct paleo_error *err)
{
	const struct paleo_device *d;
	struct paleo_catalog c;

	PALEO_TRY(paleo_catalog_make(devices, &c, err));
	int rc = paleo_catalog_find(&c, name, &d, err);
	if (!rc)
		*out = *d;
	paleo_catalog_release(&c);
	return rc;
}

/* A device in no table without a calibration, unless its peaks are known; `why` says so. */
static int check_described(const struct paleo_device_info *who, const struct paleo_own *own,
			   const struct paleo_error *why, struct paleo_error *err)
{
	if (own->path[0] || who->device.mem_bytes_per_s > 0)
		return PALEO_OK;
	if (own->passed_over[0])
		return paleo_fail(err, PALEO_EINPUT,
				  "'%s' has no calibration that can be used; passed over: %s; name "
				  "one by --calibration, or make one (paleo calibrate)",
				  who->device.name, own->passed_over);
	*err = *why;
	return PALEO_EINPUT;
}

/* Describes a device in no table, as *err says, by its own calibration. */
static int calibrated_device(struct paleo_device_info *who, struct paleo_error *err)
{
	const struct paleo_error why = *err;
	struct paleo_calibration c;
	struct paleo_own own;
	int rc = paleo_choose_own(who, &c, &own, err);

	if (!rc && own.path[0])
		who->device = c.device;
	paleo_calibration_release(&c);
	return rc ? rc : check_described(who, &own, &why, err);
}

int paleo_choose_device(const char *devices, const char *name, const struct paleo_device_info *here,
			struct paleo_device *out, struct paleo_error *err)
{
	struct paleo_device_info who = here ? *here : (struct paleo_device_info){.threads = 0};
	int rc = listed_device(devices, name, &who.device, err);

	if (rc == PALEO_EINPUT) {
		snprintf(who.device.name, sizeof(who.device.name), "%s", name);
		rc = calibrated_device(&who, err);
	}
	if (!rc)
		*out = who.device;
	return rc;
}

/* 1 if the calibration that is given is of this device, which it then describes. */
static int is_given(const struct paleo_source_wish *w, struct paleo_device *d)
{
	struct paleo_error ignored;
	struct paleo_calibration c;

	if (!w->calibration || paleo_calibration_load(w->calibration, &c, &ignored))
		return 0;
	int is_of = paleo_own_is_of(&c, d);
	if (is_of)
		*d = c.device;
	paleo_calibration_release(&c);
	return is_of;
}

/* A device missing from the table, as *err says, is described by the given calibration, or by its
 * own. */
static int find_unlisted(const struct paleo_source_wish *w, struct asked *a,
			 struct paleo_error *err)
{
	snprintf(a->who.device.name, sizeof(a->who.device.name), "%s", w->device);
	if (is_given(w, &a->who.device))
		return PALEO_OK;
	a->unlisted = may_count(w) & OWN && !w->calibration;
	if (!a->unlisted)
		return calibrated_device(&a->who, err);
	a->why_unlisted = *err;
	return PALEO_OK;
}

/* The device: by its name, with the conditions of `who` if it is there; else `who`. */
static int find_device(const struct paleo_source_wish *w, struct asked *a, struct paleo_error *err)
{
	struct paleo_device listed;

	if (w->who)
		a->who = *w->who;
	if (!w->device)
		return PALEO_OK;
	int rc = listed_device(w->devices, w->device, &listed, err);
	if (!rc)
		a->who.device = listed;
	return rc == PALEO_EINPUT ? find_unlisted(w, a, err) : rc;
}

static void add_to_title(struct paleo_source *b, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void add_to_title(struct paleo_source *b, const char *format, ...)
{
	size_t at = strlen(b->title);
	va_list list;

	va_start(list, format);
	vsnprintf(b->title + at, sizeof(b->title) - at, format, list); /* NOLINT: va_start() */
	va_end(list);
}

static void title_own(struct paleo_source *b, const char *path)
{
	const struct paleo_calibration *c = &b->calibration;

	add_to_title(b, "calibrated by %.300s (%d record%s of %s, %s)", path, c->records,
		     c->records == 1 ? "" : "s", c->device.name, c->created_utc);
}

/* Names what was not used, and why. */
static void title_passed_over(struct paleo_source *b, const struct asked *a)
{
	if (a->own.passed_over[0])
		add_to_title(b, "; passed over: %s", a->own.passed_over);
}

static void add_speed(struct paleo_source *b, const char *what, double speed)
{
	if (speed > 0)
		add_to_title(b, " %s %+.0f %%", what, 100 * (speed - 1));
}

/* Predicts at the speed that the machine has now, where it was probed. */
static void take_speed(struct paleo_source *b, const struct paleo_device_info *who)
{
	struct paleo_calibration *c = &b->calibration;
	const struct paleo_speed now = paleo_speed_over(&who->now, &c->speed);
	const struct paleo_speed *sd = &c->device.speed_sd;

	c->device.speed = paleo_speed_shrunk(&now, sd);
	if (now.products > 0 || now.memory > 0) {
		add_to_title(b, "; machine speed probed now, relative to the calibration:");
		add_speed(b, "arithmetic", now.products);
		add_speed(b, "memory", now.memory);
		add_to_title(b, "; used, less the probes' noise:");
		add_speed(b, "arithmetic", c->device.speed.products);
		add_speed(b, "memory", c->device.speed.memory);
	} else if (sd->products > 0) {
		add_to_title(b, "; at its machine speed, which varied by +-%.0f %%",
			     100 * PALEO_NORMAL_90 * sd->products);
	}
}

/* Loads the calibration that was named, whatever its conditions, which the title says. */
static int take_given(const struct paleo_source_wish *w, const struct asked *a,
		      struct paleo_source *b, struct paleo_error *err)
{
	struct paleo_calibration *c = &b->calibration;
	int machines = 0;
	char why[320];

	PALEO_TRY(paleo_calibration_load(w->calibration, c, err));
	if ((w->device || w->who) && !paleo_own_is_of(c, &a->who.device))
		return paleo_fail(err, PALEO_EINPUT,
				  "the device is '%s', but '%s' was made on '%s'", called(w, a),
				  w->calibration, c->device.name);
	title_own(b, w->calibration);
	if (paleo_own_differs(c, &a->who, why))
		add_to_title(b, "; %s", why);
	if (c->device.is_processor && a->who.versions[0] &&
	    strcmp(c->versions, a->who.versions) != 0)
		PALEO_TRY(paleo_widen_prior(c, &machines, err));
	if (machines)
		add_to_title(b, ", so that intervals are by how %d CPUs differ", machines);
	take_speed(b, &a->who);
	return PALEO_OK;
}

/* Loads the device's own calibration, if there is one that may be used. */
static int take_own(const struct paleo_source_wish *w, struct asked *a, struct paleo_source *b,
		    struct paleo_error *err)
{
	if (w->calibration)
		return take_given(w, a, b, err);
	if (!w->device && !w->who)
		return PALEO_OK;
	int rc = paleo_choose_own(&a->who, &b->calibration, &a->own, err);
	if (!rc && a->unlisted)
		rc = check_described(&a->who, &a->own, &a->why_unlisted, err);
	if (rc || !a->own.path[0])
		return rc;
	title_own(b, a->own.path);
	take_speed(b, &a->who);
	title_passed_over(b, a);
	return PALEO_OK;
}

static int check_peak(const struct paleo_device *d, enum paleo_dtype dtype, struct paleo_error *err)
{
	if (d->flop_per_s[dtype] > 0)
		return PALEO_OK;
	return paleo_fail(err, PALEO_EINPUT,
			  "device '%s' has no peak FLOP/s for %s: choose another dtype%s", d->name,
			  paleo_dtype_name(dtype),
			  paleo_dtype_is_narrow(dtype) ? ", or for a config.json weights=int8, "
							 "which compute in the network's dtype"
						       : "");
}

/* Checks whether presets can replace a calibration. */
static int check_presets(const struct paleo_knowledge *k, struct paleo_error *err)
{
	if (k->device->is_processor)
		return paleo_fail(err, PALEO_EINPUT,
				  "'%s' is a CPU, and presets exist only for GPUs: use the cost "
				  "model 'datasheet' or a calibration",
				  k->device->name);
	return check_peak(k->device, k->dtype, err);
}

/* Presets for the classes that a GPU's calibration lacks, or for all; where there are none and none
 * are required, nothing changes. */
static int take_presets(const struct paleo_source_wish *w, const struct asked *a,
			struct paleo_source *b, struct paleo_error *err)
{
	struct paleo_calibration *c = &b->calibration, best;
	struct paleo_knowledge k = {.device = c->count ? &c->device : &a->who.device,
				    .dtype = w->dtype,
				    .stack = w->stack,
				    .own = c->backend[0] ? c : NULL,
				    .except_self =
					    w->cost_model == PALEO_COST_MODEL_EXCLUDING_SELF};
	int launches = 0, needed = !(cost_model_allows[w->cost_model] & OWN);

	if (k.own && paleo_backend_find(c->backend)->hardware != PALEO_GPU)
		return PALEO_OK;
	int rc = k.own ? PALEO_OK : check_presets(&k, err);
	if (rc)
		return needed ? rc : PALEO_OK;
	if (k.own)
		launches = paleo_calibration_queue(c);
	rc = paleo_known_make(&k, &best, err);
	if (rc)
		return rc == PALEO_EUNSUPPORTED && !needed ? PALEO_OK : rc;
	b->stack = k.own ? PALEO_STACK_AUTO : k.stack;
	if (!k.own)
		snprintf(b->title, sizeof(b->title),
			 "published benchmarks%s%s%s, nothing measured here",
			 k.except_self ? " of other chips" : "", k.stack ? ", stack " : "",
			 k.stack ? paleo_stack_names[k.stack] : "");
	if (launches)
		add_to_title(b, "; launches without CPU dispatch");
	paleo_known_describe(&best, k.own ? "; missing ops from published benchmarks: " : ": ",
			     b->title, sizeof(b->title));
	if (!k.own)
		title_passed_over(b, a);
	best.power = c->power;
	c->power = (struct paleo_power){0};
	paleo_calibration_release(c);
	*c = best;
	return PALEO_OK;
}

/* The factors of another CPU for one without a calibration. */
static int take_prior(const struct paleo_source_wish *w, const struct asked *a,
		      struct paleo_source *b, struct paleo_error *err)
{
	const struct paleo_device *d = &a->who.device;
	struct paleo_calibration *c = &b->calibration;
	int machines = 0;

	if (!d->is_processor || !d->measured || w->cost_model != PALEO_COST_MODEL_AUTO)
		return PALEO_OK;
	int rc = paleo_choose_prior(&a->who, c, &machines, err);
	if (rc || !machines)
		return rc;
	add_to_title(b, "not calibrated: factors of %s (%d records) at the peaks measured here%s",
		     c->device.name, c->records,
		     a->who.is_doubted ? ", which other processes disturbed" : "");
	if (machines > 1)
		add_to_title(b, ", with intervals by how %d CPUs differ", machines);
	title_passed_over(b, a);
	c->device = *d;
	c->device.speed_sd = c->speed_sd;
	c->speed = (struct paleo_rates){0, 0};
	c->backend[0] = '\0';
	return PALEO_OK;
}

static int take_datasheet(const struct paleo_source_wish *w, const struct asked *a,
			  struct paleo_source *b, struct paleo_error *err)
{
	const struct paleo_device *d = &a->who.device;
	double compute = w->ppp_compute > 0 ? w->ppp_compute : 1;
	double memory = w->ppp_memory > 0 ? w->ppp_memory : 1;

	add_to_title(b, "not calibrated: the %s's %s peaks at PPP %g compute, %g memory%s", d->name,
		     d->measured ? "measured" : "datasheet", compute, memory,
		     compute == 1 && memory == 1 ? " (real times are usually longer)" : "");
	title_passed_over(b, a);
	return paleo_calibration_datasheet(d, compute, memory, &b->calibration, err);
}

int paleo_choose_source(const struct paleo_source_wish *w, struct paleo_source *out,
			struct paleo_error *err)
{
	struct paleo_source b = {.title = ""};
	struct asked a = {.unlisted = 0};
	unsigned may = may_count(w);

	int rc = check_wish(w, err);
	if (!rc)
		rc = find_device(w, &a, err);
	if (!rc && may & OWN)
		rc = take_own(w, &a, &b, err);
	if (!rc && w->cost_model == PALEO_COST_MODEL_CALIBRATED && !b.calibration.backend[0])
		rc = paleo_fail(err, PALEO_EINPUT,
				"there is no calibration for '%s'%s%s: give a calibration's file, "
				"or make one (paleo calibrate)",
				called(w, &a), a.own.passed_over[0] ? "; passed over: " : "",
				a.own.passed_over);
	if (!rc && may & PRESETS && !a.unlisted)
		rc = take_presets(w, &a, &b, err);
	if (!rc && may & OWN && !b.calibration.count)
		rc = take_prior(w, &a, &b, err);
	if (!rc && !b.calibration.count)
		rc = take_datasheet(w, &a, &b, err);
	if (!rc && w->dtype != PALEO_DTYPES && (w->device || !w->who)) /* `who` was measured */
		rc = check_peak(&b.calibration.device, w->dtype, err);
	if (rc)
		paleo_source_release(&b);
	else
		*out = b;
	return rc;
}

void paleo_source_release(struct paleo_source *b)
{
	paleo_calibration_release(&b->calibration);
}
