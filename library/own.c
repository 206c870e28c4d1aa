/* own.c - a device's calibration: the first of those found that is for it as it is now. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "library/own.h"

#include <stdio.h>
#include <string.h>

#include "model/predict/calibration_file.h"

/* A choice in progress. */
struct choice {
	const struct paleo_device_info *who;
	struct paleo_calibration *out;
	struct paleo_own *own;
};

/* 1 if a peak that was measured twice is about the same. A busy machine measures less. */
static int is_near(double a, double b)
{
	return a == b || (a < 1.25 * b && b < 1.25 * a);
}

/* The first dtype whose measured peaks differ; PALEO_DTYPES: none, or they are not comparable. */
static int other_peak(const struct paleo_device *a, const struct paleo_device_info *who)
{
	int t = 0;

	if (!a->measured || !who->device.measured || who->is_doubted)
		return PALEO_DTYPES;
	while (t < PALEO_DTYPES && is_near(a->flop_per_s[t], who->device.flop_per_s[t]))
		t++;
	return t;
}

int paleo_own_differs(const struct paleo_calibration *c, const struct paleo_device_info *who,
		      char why[320])
{
	double error = paleo_calibration_heldout(c);
	int t = other_peak(&c->device, who), is_known = who->versions[0] != '\0';

	why[0] = '\0';
	if (is_known && strcmp(c->versions, who->versions) != 0)
		snprintf(why, 320, "of %.140s, here %.140s", c->versions, who->versions);
	else if (is_known && c->threads != who->threads)
		snprintf(why, 320, "of %d thread%s, here %d", c->threads,
			 c->threads == 1 ? "" : "s", who->threads);
	else if (t < PALEO_DTYPES)
		snprintf(why, 320, "of %.0f GFLOP/s in %s, measured here %.0f",
			 1e-9 * c->device.flop_per_s[t], paleo_dtype_name((enum paleo_dtype)t),
			 1e-9 * who->device.flop_per_s[t]);
	else if (error > PALEO_OWN_ERROR_MAX)
		snprintf(why, 320, "median held-out error %.0f %%", 100 * error);
	return why[0] != '\0';
}

int paleo_own_is_of(const struct paleo_calibration *c, const struct paleo_device *d)
{
	return !strcmp(c->device.name, d->name) ||
	       (d->match[0] && !strcmp(c->device.match, d->match));
}

static void pass_over(struct choice *x, const char *path, const char *why)
{
	char *to = x->own->passed_over;
	size_t used = strlen(to);

	snprintf(to + used, sizeof(x->own->passed_over) - used, "%s%.300s (%s)", used ? "; " : "",
		 path, why);
}

/* Takes the calibration of this file, unless it is of other conditions. */
static int try_file(struct choice *x, const char *path, struct paleo_error *err)
{
	char why[320];

	PALEO_TRY(paleo_calibration_load(path, x->out, err));
	if (!paleo_own_is_of(x->out, &x->who->device))
		snprintf(why, sizeof(why), "made on '%.60s'", x->out->device.name);
	else
		paleo_own_differs(x->out, x->who, why);
	if (why[0]) {
		pass_over(x, path, why);
		paleo_calibration_release(x->out);
		return PALEO_OK;
	}
	snprintf(x->own->path, sizeof(x->own->path), "%s", path);
	return PALEO_OK;
}

/* One of the shipped calibrations, if it was made on this device under another name, as a CPU has
 * with fewer instructions. */
static int try_renamed(void *context, const char *path, struct paleo_error *err)
{
	struct choice *x = context;
	struct paleo_calibration head;

	if (x->own->path[0])
		return PALEO_OK;
	PALEO_TRY(paleo_calibration_load_preset(path, 0, &head, err));
	int is_other = paleo_own_is_of(&head, &x->who->device) &&
		       strcmp(head.device.name, x->who->device.name) != 0;
	paleo_calibration_release(&head);
	return is_other ? try_file(x, path, err) : PALEO_OK;
}

int paleo_choose_own(const struct paleo_device_info *who, struct paleo_calibration *out,
		     struct paleo_own *own, struct paleo_error *err)
{
	struct choice x = {.who = who, .out = out, .own = own};
	const char *name = who->device.name;
	char path[PALEO_PATH_MAX];

	*out = (struct paleo_calibration){.count = 0};
	*own = (struct paleo_own){.path = ""};
	if (paleo_find_local_calibration(name, path))
		PALEO_TRY(try_file(&x, path, err));
	if (!own->path[0] && paleo_find_shipped_calibration(name, path))
		PALEO_TRY(try_file(&x, path, err));
	if (!own->path[0] && who->versions[0])
		PALEO_TRY(paleo_find_calibrations(try_renamed, &x, err));
	return PALEO_OK;
}
