/* gather.c - checks from records files: of this run, of a shared folder, of before. */
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "tools/check/check.h"

enum {
	PAST_FILES = 32, /* the latest */
	FILES_MAX = 10000
};

static struct checked *add(struct checks *all, struct paleo_error *err)
{
	void *items = paleo_grow(all->items, all->count, &all->room, sizeof(*all->items));

	if (!items) {
		paleo_error_set(err, PALEO_ENOMEM, "out of memory for checks");
		return NULL;
	}
	all->items = items;
	all->items[all->count] = (struct checked){.is_now = 1};
	return &all->items[all->count++];
}

int checks_add_missing(struct checks *all, const char *node, const char *device, const char *why,
		       struct paleo_error *err)
{
	struct checked *c = add(all, err);

	if (!c)
		return PALEO_ENOMEM;
	struct paleo_condition *at = &c->results.condition;
	snprintf(at->node, sizeof(at->node), "%s", node);
	snprintf(at->unit, sizeof(at->unit), "%s", device);
	snprintf(c->missing, sizeof(c->missing), "%s", why);
	return PALEO_OK;
}

static int add_part(struct checks *all, const char *name, int is_op, struct paleo_error *err)
{
	for (int i = 0; i < all->part_count; i++)
		if (all->parts[i].is_op == is_op && !strcmp(all->parts[i].name, name))
			return PALEO_OK;
	void *parts = paleo_grow(all->parts, all->part_count, &all->part_room, sizeof(*all->parts));
	if (!parts)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for the parts of devices");
	all->parts = parts;
	struct check_part *p = &all->parts[all->part_count++];
	*p = (struct check_part){.is_op = is_op};
	snprintf(p->name, sizeof(p->name), "%s", name);
	return PALEO_OK;
}

static int add_parts(struct checks *all, const struct paleo_results *r, struct paleo_error *err)
{
	char key[PALEO_OP_KEY_MAX];
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < r->ceiling_count; i++)
		rc = add_part(all, r->ceilings[i].name, 0, err);
	for (int i = 0; !rc && i < r->count; i++) {
		paleo_op_key(&r->records[i].op, key, sizeof(key));
		rc = add_part(all, key, 1, err);
	}
	return rc;
}

/* One device's lines. */
static int add_section(struct checks *all, const char *name, const char *text, size_t size,
		       int is_now, struct paleo_error *err)
{
	struct paleo_results r;
	int rc = paleo_results_parse(name, text, size, &r, err);

	if (rc)
		return rc;
	struct checked *c = r.has_condition ? add(all, err) : NULL;
	if (!c) {
		rc = r.has_condition ? PALEO_ENOMEM : PALEO_OK;
		paleo_results_release(&r);
		return rc;
	}
	c->results = r;
	c->is_now = is_now;
	return is_now ? add_parts(all, &r, err) : PALEO_OK;
}

int checks_add_text(struct checks *all, const char *name, const char *text, size_t size, int is_now,
		    struct paleo_error *err)
{
	static const char first[] = "\n{\"type\":\"meta\"";
	const char *end = text + size;
	int rc = PALEO_OK;

	while (!rc && text < end) {
		const char *next = memmem(text, (size_t)(end - text), first, strlen(first));
		const char *stop = next ? next + 1 : end;
		rc = add_section(all, name, text, (size_t)(stop - text), is_now, err);
		text = stop;
	}
	return rc;
}

static int add_file(struct checks *all, const char *path, int is_now, struct paleo_error *err)
{
	char *text = NULL;
	size_t size;
	int rc = paleo_gzip_read(path, CHECK_BYTES_MAX, "a records file", &text, &size, err);

	if (!rc)
		rc = checks_add_text(all, path, text, size, is_now, err);
	free(text);
	return rc;
}

static int is_records(const struct dirent *entry)
{
	return strstr(entry->d_name, ".jsonl") != NULL;
}

/* ceilings.jsonl, check.jsonl, and what was kept of them: NAME.1 ... */
static int is_check(const struct dirent *entry)
{
	return is_records(entry) &&
	       (!strncmp(entry->d_name, "ceilings.", 9) || !strncmp(entry->d_name, "check.", 6));
}

static void release_names(struct dirent **names, int count)
{
	for (int i = 0; i < count; i++)
		free(names[i]);
	free(names);
}

/* The files of a folder whose names `keep` takes, in the order of their names, the last `most`. */
static int add_folder(struct checks *all, const char *folder,
		      int (*keep)(const struct dirent *entry), int most, const char *except,
		      int is_now, struct paleo_error *err)
{
	struct dirent **names = NULL;
	char path[PALEO_PATH_MAX];
	int rc = PALEO_OK, count = scandir(folder, &names, keep, versionsort);

	if (count < 0)
		return paleo_fail(err, PALEO_EIO, "%s: cannot read this folder: %s", folder,
				  strerror(errno));
	for (int i = count > most ? count - most : 0; !rc && i < count; i++) {
		if (snprintf(path, sizeof(path), "%s/%s", folder, names[i]->d_name) >=
		    (int)sizeof(path))
			rc = paleo_fail(err, PALEO_EINPUT, "%s: too long a path", folder);
		else if (!except || strcmp(path, except) != 0)
			rc = add_file(all, path, is_now, err);
	}
	release_names(names, count);
	return rc;
}

int checks_add_path(struct checks *all, const char *path, struct paleo_error *err)
{
	struct stat st;
	int before = all->count;
	int rc = !stat(path, &st) && S_ISDIR(st.st_mode)
			 ? add_folder(all, path, is_records, FILES_MAX, NULL, 1, err)
			 : add_file(all, path, 1, err);

	if (!rc && all->count == before)
		rc = paleo_fail(err, PALEO_EINPUT,
				"%s: holds no check, expected records of 'paleo check' (.jsonl)",
				path);
	return rc;
}

int checks_add_past(struct checks *all, const char *device, const char *except,
		    struct paleo_error *err)
{
	char folder[PALEO_PATH_MAX];
	struct stat st;

	snprintf(folder, sizeof(folder), "paleo-results/%.200s", device);
	if (stat(folder, &st))
		return PALEO_OK;
	return add_folder(all, folder, is_check, PAST_FILES, except, 0, err);
}

/* The peaks that were measured of a kind, bursts and sustained. */
static int add_shipped(struct checks *all, const char *kind, const char *file,
		       struct paleo_error *err)
{
	char name[128], path[PALEO_PATH_MAX];
	struct paleo_results r;

	snprintf(name, sizeof(name), "results/%.64s/%s", kind, file);
	PALEO_TRY(paleo_find_shipped(name, path, err));
	if (access(path, R_OK))
		return PALEO_OK;
	PALEO_TRY(paleo_results_load(path, &r, err));
	struct checked *c = add(all, err);
	if (!c) {
		paleo_results_release(&r);
		return PALEO_ENOMEM;
	}
	c->results = r;
	c->is_now = 0;
	c->is_shipped = 1;
	return PALEO_OK;
}

int checks_add_shipped(struct checks *all, struct paleo_error *err)
{
	int rc = PALEO_OK, count = all->count;

	for (int i = 0; i < count && !rc; i++) {
		char kind[64];
		int is_first = all->items[i].is_now && !all->items[i].missing[0];
		snprintf(kind, sizeof(kind), "%s", all->items[i].results.meta.device.name);
		for (int k = 0; k < i; k++)
			is_first &= !all->items[k].is_now || all->items[k].missing[0] ||
				    strcmp(all->items[k].results.meta.device.name, kind) != 0;
		if (is_first)
			rc = add_shipped(all, kind, "ceilings.jsonl", err);
		if (is_first && !rc)
			rc = add_shipped(all, kind, "ceilings-sustained.jsonl", err);
	}
	return rc;
}

int checked_same_device(const struct checked *a, const struct checked *b)
{
	const struct paleo_results *x = &a->results, *y = &b->results;

	return !strcmp(x->meta.device.name, y->meta.device.name) &&
	       !strcmp(x->condition.node, y->condition.node) &&
	       !strcmp(x->condition.unit, y->condition.unit);
}

/* Of equal times the one that was read last is the later one. */
static int is_later(const struct checked *a, const struct checked *b)
{
	int order = strcmp(a->results.meta.start_utc, b->results.meta.start_utc);

	return order ? order > 0 : a > b;
}

void checks_take_latest(struct checks *all)
{
	for (int i = 0; i < all->count; i++)
		for (int k = 0; k < all->count; k++)
			if (i != k && checked_same_device(&all->items[i], &all->items[k]) &&
			    is_later(&all->items[k], &all->items[i]))
				all->items[i].is_now = 0;
}

void checks_release(struct checks *all)
{
	for (int i = 0; i < all->count; i++) {
		struct checked *c = &all->items[i];
		for (int b = 0; b < CHECK_BESIDES; b++)
			free(c->findings[b]);
		free(c->kind_s);
		paleo_results_release(&c->results);
	}
	free(all->items);
	free(all->parts);
	*all = (struct checks){0};
}

void checked_name(const struct checked *c, char *text, size_t size)
{
	const struct paleo_condition *at = &c->results.condition;

	snprintf(text, size, "%s%s%s", at->node, at->unit[0] ? " " : "", at->unit);
}
