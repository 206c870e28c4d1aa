/* powercap.c - reads the energy counters of /sys/class/powercap (RAPL). */
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "bench/powercap.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first line of a zone's file. EUNSUPPORTED. */
static int read_text(const struct paleo_powercap *p, const char *folder, const char *file,
		     char text[64], struct paleo_error *err)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s/%s", p->root, folder, file);
	FILE *f = fopen(path, "r");
	if (!f)
		return paleo_fail(err, PALEO_EUNSUPPORTED, "%s: %s%s", path, strerror(errno),
				  errno == EACCES ? ": run as root, or have it made readable" : "");
	int found = fgets(text, 64, f) != NULL;
	fclose(f);
	if (!found)
		return paleo_fail(err, PALEO_EUNSUPPORTED, "%s: cannot be read", path);
	text[strcspn(text, "\n")] = '\0';
	return PALEO_OK;
}

static int read_number(const struct paleo_powercap *p, const char *folder, const char *file,
		       double *out, struct paleo_error *err)
{
	char text[64], *end;
	int rc = read_text(p, folder, file, text, err);

	if (rc)
		return rc;
	*out = strtod(text, &end);
	if (end == text || *end || !(*out >= 0))
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "%s/%s/%s: is '%s', expected microjoules", p->root, folder, file,
				  text);
	return PALEO_OK;
}

/* "package-0", or "package-0 dram" of the memory of one; "" for others: cores and graphics are
 * parts of a package, psys has it all. */
static void name_zone(const struct paleo_powercap *p, const char *folder, char name[80])
{
	struct paleo_error ignored;
	char own[64], parent[64], above[96];

	name[0] = '\0';
	if (strlen(folder) >= sizeof(above) || read_text(p, folder, "name", own, &ignored))
		return;
	snprintf(above, sizeof(above), "%.*s", (int)(strrchr(folder, ':') - folder), folder);
	if (!strncmp(own, "package", 7))
		snprintf(name, 80, "%s", own);
	else if (!strcmp(own, "dram") && !read_text(p, above, "name", parent, &ignored))
		snprintf(name, 80, "%s dram", parent);
}

/* Drivers may show the same counters again: one of each name counts. */
static int add_zone(struct paleo_powercap *p, const char *folder, struct paleo_error *err)
{
	struct paleo_powercap_zone *z = &p->zones[p->count];
	int is_new = p->count < PALEO_POWERCAP_ZONES;

	if (!is_new)
		return PALEO_OK;
	name_zone(p, folder, z->name);
	for (int i = 0; i < p->count; i++)
		is_new &= strcmp(p->zones[i].name, z->name) != 0;
	if (!is_new || !z->name[0])
		return PALEO_OK;
	snprintf(z->folder, sizeof(z->folder), "%.95s", folder);
	int rc = read_number(p, folder, "energy_uj", &z->last_uj, err);
	if (!rc)
		rc = read_number(p, folder, "max_energy_range_uj", &z->range_uj, err);
	p->count += !rc;
	return rc;
}

static int is_zone(const struct dirent *entry)
{
	return strchr(entry->d_name, ':') != NULL;
}

int paleo_powercap_open(const char *root, struct paleo_powercap *out, struct paleo_error *err)
{
	struct dirent **names = NULL;
	int rc = PALEO_OK;

	*out = (struct paleo_powercap){.count = 0};
	snprintf(out->root, sizeof(out->root), "%s", root);
	int count = scandir(root, &names, is_zone, alphasort);
	for (int i = 0; i < count; i++) {
		if (!rc)
			rc = add_zone(out, names[i]->d_name, err);
		free(names[i]);
	}
	free(names);
	if (!rc && !out->count)
		rc = paleo_fail(err, PALEO_EUNSUPPORTED,
				"%s has no energy counter of a CPU package: there is none, or a "
				"virtual machine or container hides it",
				root);
	return rc;
}

int paleo_powercap_read(struct paleo_powercap *p, double *joules, struct paleo_error *err)
{
	for (int i = 0; i < p->count; i++) {
		struct paleo_powercap_zone *z = &p->zones[i];
		double now_uj, spent_uj;
		int rc = read_number(p, z->folder, "energy_uj", &now_uj, err);
		if (rc)
			return rc;
		spent_uj = now_uj - z->last_uj;
		p->joules += 1e-6 * (spent_uj < 0 ? spent_uj + z->range_uj : spent_uj);
		z->last_uj = now_uj;
	}
	*joules = p->joules;
	return PALEO_OK;
}
