/* known.c - shipped presets as a parameter source for a device, and the text that names it. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/grow.h"
#include "library/find.h"
#include "library/source.h"
#include "model/predict/calibration_file.h"

enum {
	VERSIONS_TEXT_MAX = 400 /* for several sources */
};

/* The shipped presets. */
struct presets {
	const struct paleo_device *
		device; /* the device to predict; NULL: none, only the presets' neighbours matter */
	int near_only;  /* 1: the other presets are not read */
	struct paleo_calibration *items;
	int count, room;
	uint64_t identity; /* of all */
};

/* Nearness of a preset's device, which its file is named after: "h100-sxm_vllm.json". */
static enum paleo_nearness nearness(const struct presets *p, const char *file)
{
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(file, "_."), file);
	const struct paleo_device *measured = paleo_device_find(name);
	return p->device && measured ? paleo_nearness_of(p->device, measured) : PALEO_NEAR_ALL;
}

static int load_preset(void *context, const char *path, struct paleo_error *err)
{
	struct presets *p = context;
	const char *file = strrchr(path, '/') + 1;
	const enum paleo_nearness near = nearness(p, file);
	struct stat st;

	if (stat(path, &st))
		return paleo_fail(err, PALEO_EIO, "%s: cannot open: %s", path, strerror(errno));
	p->identity = paleo_presets_identity(p->identity, file, (uint64_t)st.st_size);
	if (p->near_only && near == PALEO_NEAR_ALL)
		return PALEO_OK;
	struct paleo_calibration *items = paleo_grow(p->items, p->count, &p->room, sizeof(*items));
	if (!items)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	p->items = items;
	/* Corrections are of the device alone. */
	PALEO_TRY(paleo_calibration_load_preset(path, near <= PALEO_NEAR_DEVICE, &items[p->count],
						err));
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

/* Reads the stored errors of presets. They are of presets of these names and sizes, so that a file
 * that is missing, added or shortened is seen. */
static int load_spreads(const struct presets *p, struct paleo_known_spreads *out,
			struct paleo_error *err)
{
	char path[PALEO_PATH_MAX];

	PALEO_TRY(paleo_find_shipped("results/presets/spreads.csv", path, err));
	PALEO_TRY(paleo_known_spreads_load(path, out, err));
	if (out->presets == p->identity)
		return PALEO_OK;
	return paleo_fail(
		err, PALEO_EINPUT,
		"%s: does not match the presets in its folder: reinstall paleo, or remake it "
		"by 'paleo validate --cost-model presets --format csv'",
		path);
}

/* Marks the sources that factors are based on. */
static void mark_used(const struct paleo_calibration *c, char *used)
{
	memset(used, 0, (size_t)c->source_count);
	for (int i = 0; i < c->count; i++)
		used[c->models[i].source] = 1;
}

/* 1 if a factor is of the stack. */
static int uses_stack(const struct paleo_calibration *c, enum paleo_stack stack)
{
	char used[PALEO_CLASS_MODELS_MAX];
	int uses = 0;

	mark_used(c, used);
	for (int i = 0; i < c->source_count; i++)
		uses |= used[i] && paleo_stack_of(c->sources[i].versions) == stack;
	return uses;
}

int paleo_known_make(struct paleo_knowledge *of, struct paleo_calibration *out,
		     struct paleo_error *err)
{
	struct paleo_knowledge k = *of;
	struct presets presets = {.device = k.device, .near_only = !k.except_self};
	struct paleo_known_spreads spreads;
	int rc = paleo_find_presets(load_preset, &presets, err);

	if (!rc)
		rc = load_spreads(&presets, &spreads, err);
	if (!of->stack)
		of->stack = paleo_stack_default(k.device, presets.items, presets.count);
	k.stack = of->stack;
	k.presets = presets.items;
	k.preset_count = presets.count;
	k.spreads = k.except_self ? NULL : &spreads;
	if (!rc)
		rc = paleo_knowledge_make(&k, out, err);
	if (!rc && !uses_stack(out, of->stack))
		of->stack = PALEO_STACK_AUTO;
	release_presets(&presets);
	return rc;
}

int paleo_choose_power(const struct paleo_calibration *c, int any_gpu,
		       struct paleo_calibration *shipped, const struct paleo_calibration **out,
		       struct paleo_error *err)
{
	char file[PALEO_PATH_MAX], path[PALEO_PATH_MAX];

	*shipped = (struct paleo_calibration){.count = 0};
	*out = c->power.idle > 0 ? c : NULL;
	if (*out || !(c->device.tdp_w > 0) || c->device.is_processor)
		return PALEO_OK;
	snprintf(file, sizeof(file), "results/power/%.64s.json", c->device.name);
	PALEO_TRY(paleo_find_shipped(file, path, err));
	if (access(path, F_OK) != 0) {
		if (!any_gpu)
			return PALEO_OK;
		PALEO_TRY(paleo_find_shipped("results/power/b200.json", path, err));
	}
	PALEO_TRY(paleo_calibration_load(path, shipped, err));
	*out = shipped->power.idle > 0 ? shipped : NULL;
	return PALEO_OK;
}

int paleo_known_study(struct paleo_known_spreads *out, struct paleo_error *err)
{
	struct presets presets = {.device = NULL};
	int rc = paleo_find_presets(load_preset, &presets, err);

	if (!rc)
		rc = paleo_known_spreads_make(presets.items, presets.count, out, err);
	out->presets = presets.identity;
	release_presets(&presets);
	return rc;
}

/* 1: two sources of one device are printed together. */
static int printed_together(const struct paleo_class_source *a, const struct paleo_class_source *b)
{
	return a->nearness == b->nearness &&
	       (a->nearness == PALEO_NEAR_ALL || !strcmp(a->device, b->device));
}

/* 1: a list, "a, b", has this item. */
static int has_item(const char *among, const char *item, size_t length)
{
	while (*among) {
		size_t n = strcspn(among, ",");
		if (n == length && !memcmp(among, item, length))
			return 1;
		among += n + strspn(among + n, ", ");
	}
	return 0;
}

/* Adds the items of a list that another one does not have yet. */
static void add_items(char text[VERSIONS_TEXT_MAX], const char *list)
{
	while (*list) {
		size_t at = strlen(text), n = strcspn(list, ",");
		if (!has_item(text, list, n))
			snprintf(text + at, VERSIONS_TEXT_MAX - at, "%s%.*s", at ? ", " : "",
				 (int)n, list);
		list += n + strspn(list + n, ", ");
	}
}

/* Library versions of all used sources from `first` on that are printed together with it, without
 * duplicates. */
static int list_versions(const struct paleo_calibration *c, const char *used, int first,
			 char text[VERSIONS_TEXT_MAX])
{
	const struct paleo_class_source *s = c->sources;
	int rows = 0;

	text[0] = '\0';
	for (int i = first; i < c->source_count; i++) {
		if (!used[i] || !printed_together(&s[i], &s[first]))
			continue;
		rows += s[i].records;
		add_items(text, s[i].versions);
	}
	return rows;
}

/* "those of t4 (2000 rows of neusight torch-2.1)". */
static void describe_source(const struct paleo_calibration *c, const char *used, int i, char *text,
			    size_t size)
{
	const struct paleo_class_source *s = &c->sources[i];
	char versions[VERSIONS_TEXT_MAX];
	int rows = list_versions(c, used, i, versions);

	if (s->nearness == PALEO_NEAR_ALL)
		snprintf(text, size, "the median over all GPUs");
	else
		snprintf(text, size, "%s%s (%d rows of %s)", s->device,
			 s->nearness == PALEO_NEAR_STACK    ? ", another stack"
			 : s->nearness == PALEO_NEAR_CHIP   ? ", same chip"
			 : s->nearness == PALEO_NEAR_FAMILY ? ", same family"
							    : "",
			 rows, versions);
}

/* Index of the next of these sources to print, from `i` on; `source_count` if there is none. */
static int next_printed(const struct paleo_calibration *c, const char *used, int i)
{
	for (; i < c->source_count; i++) {
		int printed = 0;
		for (int k = 0; k < i; k++)
			printed |= used[k] && printed_together(&c->sources[k], &c->sources[i]);
		if (used[i] && !printed && c->sources[i].nearness != PALEO_NEAR_OWN)
			break;
	}
	return i;
}

void paleo_known_describe(const struct paleo_calibration *c, const char *before, char *title,
			  size_t size)
{
	char used[PALEO_CLASS_MODELS_MAX];

	mark_used(c, used);
	const int first = next_printed(c, used, 0);
	for (int i = first; i < c->source_count;) {
		int next = next_printed(c, used, i + 1), last = next == c->source_count;
		size_t at = strlen(title);
		at += (size_t)snprintf(title + at, size - at, "%s",
				       i == first ? before
				       : last     ? "; for the rest "
						  : "; then ");
		if (at >= size)
			return;
		describe_source(c, used, i, title + at, size - at);
		i = next;
	}
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
