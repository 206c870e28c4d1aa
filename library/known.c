/* known.c - a source of the best that is known of a device, be it measured here or by others. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "library/known.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "calib/calibration_file.h"
#include "calib/knowledge.h"
#include "calib/knowledge_pick.h"
#include "library/find.h"
#include "model/device/backends.h"

enum {
	VERSIONS_TEXT_MAX = 400 /* of several sources */
};

/* The shipped presets. */
struct presets {
	const struct paleo_device *device; /* that is asked for; NULL: for its neighbours' sake */
	int near_only;                     /* 1: of the others only the heads are read */
	struct paleo_calibration *items;
	int count, room;
	uint64_t identity; /* of all */
};

static enum paleo_nearness nearness(const struct presets *p, const struct paleo_calibration *c)
{
	return p->device ? paleo_nearness_of(p->device, &c->device) : PALEO_NEAR_ALL;
}

static int load_preset(void *context, const char *path, struct paleo_error *err)
{
	struct presets *p = context;
	struct paleo_calibration head;

	int rc = paleo_calibration_load_head(path, &head, err);
	if (rc)
		return rc;
	const enum paleo_nearness near = nearness(p, &head);
	p->identity = paleo_presets_identity(p->identity, &head);
	paleo_calibration_release(&head);
	if (p->near_only && near == PALEO_NEAR_ALL)
		return PALEO_OK;
	struct paleo_calibration *items = paleo_grow(p->items, p->count, &p->room, sizeof(*items));
	if (!items)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	p->items = items;
	/* Corrections are of the device alone. */
	rc = paleo_calibration_load_preset(path, near <= PALEO_NEAR_DEVICE, &items[p->count], err);
	if (rc)
		return rc;
	paleo_calibration_queue(&items[p->count]);
	p->count++;
	return PALEO_OK;
}

static void release_presets(struct presets *p)
{
	for (int i = 0; i < p->count; i++)
		paleo_calibration_release(&p->items[i]);
	free(p->items);
}

/* What is stored of how presets err, where it is of just these; without it all presets are read. */
static int find_spreads(struct presets *p, struct paleo_known_spreads *spreads, int *found,
			struct paleo_error *err)
{
	char path[PALEO_PATH_MAX];
	int there = paleo_find_spreads(path);
	int rc = there ? paleo_known_spreads_load(path, spreads, err) : PALEO_OK;

	*found = there && spreads->presets == p->identity;
	if (rc || *found)
		return rc;
	release_presets(p);
	*p = (struct presets){.device = p->device};
	return paleo_find_presets(load_preset, p, err);
}

/* The best of `own`, which may be NULL, and of presets. */
static int make(const struct paleo_knowledge *of, struct paleo_calibration *out,
		struct paleo_error *err)
{
	struct paleo_knowledge k = *of;
	struct presets presets = {.device = k.device, .near_only = !k.except_self};
	struct paleo_known_spreads spreads = {.presets = 0};
	int found = 0, rc = paleo_find_presets(load_preset, &presets, err);

	if (!rc && presets.near_only)
		rc = find_spreads(&presets, &spreads, &found, err);
	k.presets = presets.items;
	k.preset_count = presets.count;
	k.spreads = found ? &spreads : NULL;
	if (!rc)
		rc = paleo_knowledge_make(&k, out, err);
	release_presets(&presets);
	return rc;
}

int paleo_known_study(struct paleo_known_spreads *out, struct paleo_error *err)
{
	struct presets presets = {.device = NULL};
	int rc = paleo_find_presets(load_preset, &presets, err);

	if (!rc)
		rc = paleo_known_spreads_make(presets.items, presets.count, out, err);
	release_presets(&presets);
	return rc;
}

/* Marks the sources that factors stand on. */
static void mark_used(const struct paleo_calibration *c, char *used)
{
	memset(used, 0, (size_t)c->source_count);
	for (int i = 0; i < c->count; i++)
		used[c->models[i].source] = 1;
}

/* 1: two sources of one device are told as one. */
static int told_together(const struct paleo_class_source *a, const struct paleo_class_source *b)
{
	return a->nearness == b->nearness &&
	       (a->nearness == PALEO_NEAR_ALL || !strcmp(a->device, b->device));
}

/* The versions of all used sources from `first` on that are told with it, each once. */
static int list_versions(const struct paleo_calibration *c, const char *used, int first,
			 char text[VERSIONS_TEXT_MAX])
{
	const struct paleo_class_source *s = c->sources;
	int rows = 0;

	text[0] = '\0';
	for (int i = first; i < c->source_count; i++) {
		size_t at = strlen(text);
		if (!used[i] || !told_together(&s[i], &s[first]))
			continue;
		rows += s[i].records;
		if (!strstr(text, s[i].versions))
			snprintf(text + at, VERSIONS_TEXT_MAX - at, "%s%.120s", at ? ", " : "",
				 s[i].versions);
	}
	return rows;
}

/* "those of t4 (2000 rows of neusight torch-2.1)". */
static void tell_source(const struct paleo_calibration *c, const char *used, int i, char *text,
			size_t size)
{
	const struct paleo_class_source *s = &c->sources[i];
	char versions[VERSIONS_TEXT_MAX];
	int rows = list_versions(c, used, i, versions);

	if (s->nearness == PALEO_NEAR_ALL)
		snprintf(text, size, "the middle of all GPUs");
	else
		snprintf(text, size, "those of %s%s (%d rows of %s)", s->device,
			 s->nearness == PALEO_NEAR_CHIP     ? ", which has its chip"
			 : s->nearness == PALEO_NEAR_FAMILY ? ", of its family"
							    : "",
			 rows, versions);
}

/* The next of these sources that is to be told, from `i` on; `source_count` if there is none. */
static int next_told(const struct paleo_calibration *c, const char *used, int i)
{
	for (; i < c->source_count; i++) {
		int told = 0;
		for (int k = 0; k < i; k++)
			told |= used[k] && told_together(&c->sources[k], &c->sources[i]);
		if (used[i] && !told && c->sources[i].nearness != PALEO_NEAR_OWN)
			break;
	}
	return i;
}

/* Adds to a title what the factors stand on, the nearest first, but for the calibration itself;
 * `before` stands in front of it, if there is any. */
static void tell_sources(const struct paleo_calibration *c, const char *before, char *title,
			 size_t size)
{
	char used[PALEO_CLASS_MODELS_MAX];

	mark_used(c, used);
	const int first = next_told(c, used, 0);
	for (int i = first; i < c->source_count;) {
		int next = next_told(c, used, i + 1), last = next == c->source_count;
		size_t at = strlen(title);
		at += (size_t)snprintf(title + at, size - at, "%s",
				       i == first ? before
				       : last     ? "; for the rest "
						  : "; then ");
		if (at >= size)
			return;
		tell_source(c, used, i, title + at, size - at);
		i = next;
	}
}

int paleo_known_presets(const struct paleo_device *device, enum paleo_dtype dtype, int except_self,
			struct paleo_source *out, struct paleo_error *err)
{
	struct paleo_knowledge k = {.device = device, .dtype = dtype, .except_self = except_self};

	int rc = paleo_source_check_presets(device, err);
	if (!rc)
		rc = paleo_source_has_peak(device, dtype, err);
	if (!rc)
		rc = make(&k, &out->calibration, err);
	if (rc)
		return rc;
	snprintf(out->title, sizeof(out->title), "presets%s, no measurement of yours",
		 except_self ? " of other chips" : "");
	tell_sources(&out->calibration, ": ", out->title, sizeof(out->title));
	return PALEO_OK;
}

/* What has no preset, and no factor, stays as it is. */
static int stays(int rc)
{
	return rc == PALEO_EUNSUPPORTED || rc == PALEO_EINPUT;
}

static int complete(enum paleo_dtype dtype, struct paleo_source *b, struct paleo_error *err)
{
	struct paleo_calibration best = {0};
	int launches = paleo_calibration_queue(&b->calibration);
	struct paleo_knowledge k = {
		.device = &b->calibration.device, .dtype = dtype, .own = &b->calibration};

	int rc = make(&k, &best, err);
	if (rc)
		return stays(rc) ? PALEO_OK : rc;
	paleo_calibration_release(&b->calibration);
	b->calibration = best;
	size_t at = strlen(b->title);
	if (launches && at < sizeof(b->title))
		snprintf(b->title + at, sizeof(b->title) - at,
			 "; launches as in a queue, without the host's dispatch");
	tell_sources(&b->calibration, "; what it lacks by presets: ", b->title, sizeof(b->title));
	return PALEO_OK;
}

int paleo_known_best(enum paleo_dtype dtype, struct paleo_source *b, struct paleo_error *err)
{
	struct paleo_source presets = {0};
	int rc = PALEO_OK;

	if (paleo_backend_find(b->calibration.backend)->hardware == PALEO_GPU)
		rc = complete(dtype, b, err);
	else if (!b->calibration.backend[0])
		rc = paleo_known_presets(&b->calibration.device, dtype, 0, &presets, err);
	if (presets.calibration.count) {
		paleo_source_release(b);
		*b = presets;
	}
	if (stays(rc))
		return PALEO_OK;
	if (rc)
		paleo_source_release(b);
	return rc;
}

void paleo_known_source(const struct paleo_calibration *c, char text[PALEO_SOURCE_TEXT_MAX])
{
	struct paleo_class_model first = {.source = PALEO_CLASS_MODELS_MAX};

	for (int i = 0; i < c->count; i++)
		if (c->models[i].source < first.source)
			first = c->models[i];
	first.stands_for[0] = '\0';
	paleo_class_model_source(c, &first, text);
}
