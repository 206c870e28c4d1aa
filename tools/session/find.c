/* find.c - finds nets, calibrations and results by name: as given, here, beside the program. */
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "tools/session/find.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "paleo_config.h"

enum {
	NAMES_MAX = 128,
	NAME_MAX_BYTES = 64
};

static int is_there(const char *path)
{
	struct stat st;

	return !stat(path, &st);
}

static int is_folder(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* The folder of shipped data, above the program's own. Returns 0 if it cannot be told. */
static int data_folder(char path[FIND_PATH_MAX])
{
	char self[FIND_PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n <= 0)
		return 0;
	self[n] = '\0';
	for (int up = 0; up < 2; up++) {
		char *slash = strrchr(self, '/');
		if (!slash)
			return 0;
		*slash = '\0';
	}
	int m = snprintf(path, FIND_PATH_MAX, "%s/" PALEO_DATA_DIR, self);
	return m > 0 && m < FIND_PATH_MAX;
}

/* Tries FOLDER/NAME and FOLDER/NAME.json. */
static int try_folder(const char *folder, const char *name, char path[FIND_PATH_MAX])
{
	static const char *const endings[] = {"", ".json"};

	for (int i = 0; i < 2; i++) {
		int n = snprintf(path, FIND_PATH_MAX, "%s/%s%s", folder, name, endings[i]);
		if (n > 0 && n < FIND_PATH_MAX && is_there(path))
			return 1;
	}
	return 0;
}

static int is_json(const struct dirent *e)
{
	const char *dot = strrchr(e->d_name, '.');

	return dot && !strcmp(dot, ".json");
}

/* The name of a JSON file in a folder that is nearest to `name`; "" if none is near. */
static void nearest_json(const char *folder, const char *name, char near[NAME_MAX_BYTES])
{
	char names[NAMES_MAX][NAME_MAX_BYTES];
	const char *list[NAMES_MAX + 1] = {0};
	int count = 0;
	DIR *dir = opendir(folder);
	const struct dirent *e;

	near[0] = '\0';
	if (!dir)
		return;
	while ((e = readdir(dir)) && count < NAMES_MAX) {
		const char *dot = strrchr(e->d_name, '.');
		if (!is_json(e) || dot - e->d_name >= NAME_MAX_BYTES)
			continue;
		snprintf(names[count], sizeof(names[count]), "%.*s", (int)(dot - e->d_name),
			 e->d_name);
		list[count] = names[count];
		count++;
	}
	closedir(dir);
	char bare[NAME_MAX_BYTES];
	snprintf(bare, sizeof(bare), "%s", name);
	bare[strcspn(bare, ".")] = '\0'; /* the ending may be what is misspelt */
	const char *found = paleo_nearest(bare, list);
	if (found)
		snprintf(near, NAME_MAX_BYTES, "%s", found);
}

int find_net(const char *name, char path[FIND_PATH_MAX], struct paleo_error *err)
{
	char data[FIND_PATH_MAX], folder[FIND_PATH_MAX + 8] = "", near[NAME_MAX_BYTES];

	if (!name[0])
		return paleo_fail(err, PALEO_EINPUT, "the name of a net is empty");
	if (strlen(name) >= FIND_PATH_MAX)
		return paleo_fail(err, PALEO_EINPUT, "the name of a net has %zu characters",
				  strlen(name));
	if (is_there(name)) {
		memcpy(path, name, strlen(name) + 1);
		return PALEO_OK;
	}
	if (strchr(name, '/')) {
		int why = errno;
		int n = snprintf(path, FIND_PATH_MAX, "%s.json", name);
		if (n > 0 && n < FIND_PATH_MAX && is_there(path))
			return PALEO_OK;
		return paleo_fail(err, PALEO_EINPUT, "%s: %s", name, strerror(why));
	}
	if (data_folder(data))
		snprintf(folder, sizeof(folder), "%s/nets", data);
	if (try_folder("nets", name, path) || (folder[0] && try_folder(folder, name, path)))
		return PALEO_OK;
	nearest_json(folder, name, near);
	return paleo_fail(err, PALEO_EINPUT,
			  "no net '%s' here, in ./nets or among the shipped ones%s%s%s", name,
			  near[0] ? " (did you mean '" : "", near, near[0] ? "'?)" : "");
}

int find_described(const char *name, char path[FIND_PATH_MAX], struct paleo_error *err)
{
	char data[FIND_PATH_MAX], folder[FIND_PATH_MAX + 16] = "", near[NAME_MAX_BYTES];

	if (strlen(name) >= FIND_PATH_MAX)
		return paleo_fail(err, PALEO_EINPUT, "the name of a device has %zu characters",
				  strlen(name));
	if (strchr(name, '/') || strchr(name, '.')) { /* a file */
		memcpy(path, name, strlen(name) + 1);
		return PALEO_OK;
	}
	if (data_folder(data))
		snprintf(folder, sizeof(folder), "%s/cudnn-devices", data);
	if (folder[0] && try_folder(folder, name, path))
		return PALEO_OK;
	nearest_json(folder, name, near);
	return paleo_fail(
		err, PALEO_EINPUT,
		"no description of '%s' for cudnn%s%s%s; there are t4, a100, l4, rtx4090, "
		"h100, h200, b200, and files of your own",
		name, near[0] ? " (did you mean '" : "", near, near[0] ? "'?)" : "");
}

int find_calibration(const char *device, char path[FIND_PATH_MAX])
{
	char data[FIND_PATH_MAX];
	int n = snprintf(path, FIND_PATH_MAX, "paleo-results/%s/calibration.json", device);

	if (n > 0 && n < FIND_PATH_MAX && is_there(path))
		return 1;
	if (!data_folder(data))
		return 0;
	n = snprintf(path, FIND_PATH_MAX, "%.3900s/results/%s/calibration.json", data, device);
	return n > 0 && n < FIND_PATH_MAX && is_there(path);
}

int find_presets(int (*take)(void *context, const char *path, struct paleo_error *err),
		 void *context, struct paleo_error *err)
{
	char data[FIND_PATH_MAX], folder[FIND_PATH_MAX + 20], path[FIND_PATH_MAX + 300];
	struct dirent **names;
	int rc = PALEO_OK;

	if (!data_folder(data))
		return PALEO_OK;
	snprintf(folder, sizeof(folder), "%s/results/presets", data);
	int count = scandir(folder, &names, is_json, alphasort);
	for (int i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]->d_name);
		if (!rc)
			rc = take(context, path, err);
		free(names[i]);
	}
	if (count >= 0)
		free(names);
	return rc;
}

int find_ceilings(const char *device, char path[FIND_PATH_MAX])
{
	snprintf(path, FIND_PATH_MAX, "paleo-results/%.200s/ceilings.jsonl", device);
	return is_there(path);
}

int make_folders(const char *path, struct paleo_error *err)
{
	char part[FIND_PATH_MAX];
	size_t size = strlen(path);

	if (size >= sizeof(part))
		return paleo_fail(err, PALEO_EINPUT, "the path '%.60s...' is too long", path);
	memcpy(part, path, size + 1);
	for (char *p = part + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		int why = mkdir(part, 0777) ? errno : 0;
		if (why && !is_folder(part))
			return paleo_fail(err, PALEO_EIO, "%s: cannot make this folder: %s", part,
					  strerror(why));
		*p = '/';
	}
	return PALEO_OK;
}
