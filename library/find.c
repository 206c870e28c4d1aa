/* find.c - finds nets, calibrations and results by name: the path itself, ./, shipped data. */
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "library/find.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "model/device/device.h"
#include "paleo_config.h"

enum {
	NAMES_MAX = 128,
	NAME_MAX_BYTES = 64,
	FOLDERS_UP = 4 /* levels above this file in which share/paleo is searched */
};

static int is_there(const char *path)
{
	struct stat st;

	return !stat(path, &st);
}

/* Returns 1 and sets *path to the mapped file if this line of /proc/self/maps maps our own code.
 * "55d0c8a00000-55d0c8a21000 r-xp 00001000 fd:01 1234  /usr/bin/paleo" */
static int is_own(const char *line, char path[PALEO_PATH_MAX])
{
	const uintptr_t here = (uintptr_t)&is_own;
	const char *name = strchr(line, '/');
	char *dash;
	uintmax_t from = strtoumax(line, &dash, 16);
	uintmax_t to = *dash == '-' ? strtoumax(dash + 1, NULL, 16) : 0;

	if (!name || here < from || here >= to)
		return 0;
	snprintf(path, PALEO_PATH_MAX, "%s", name);
	return 1;
}

/* The file that this code was loaded from: the program, or libpaleo. Returns 0 if it is not known.
 * dladdr() would do for the library, but for the program it gives only argv[0]. Allocates nothing,
 * so that shipped data is found even when memory has run out. */
static int own_file(char path[PALEO_PATH_MAX])
{
	char text[PALEO_PATH_MAX + 128];
	size_t held = 0;
	int found = 0, fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);

	while (fd >= 0 && !found) {
		ssize_t n = read(fd, text + held, sizeof(text) - 1 - held);
		if (n <= 0)
			break;
		held += (size_t)n;
		text[held] = '\0';
		for (char *end; !found && (end = strchr(text, '\n'));) {
			*end = '\0';
			found = is_own(text, path);
			held -= (size_t)(end + 1 - text);
			memmove(text, end + 1, held + 1);
		}
	}
	if (fd >= 0)
		close(fd);
	return found;
}

/* The folder of shipped data: $PALEO_DATA_DIR, else share/paleo in a folder above ours: bin/..,
 * lib/.. or lib/x86_64-linux-gnu/../... Returns 0 if there is none. */
static int data_folder(char path[PALEO_PATH_MAX])
{
	const char *named = getenv("PALEO_DATA_DIR");
	char self[PALEO_PATH_MAX];
	char *slash;

	if (named && *named)
		return snprintf(path, PALEO_PATH_MAX, "%s", named) < PALEO_PATH_MAX;
	if (!own_file(self))
		return 0;
	for (int up = 0; up < FOLDERS_UP && (slash = strrchr(self, '/')); up++) {
		*slash = '\0';
		int n = snprintf(path, PALEO_PATH_MAX, "%s/" PALEO_DATA_DIR, self);
		if (n > 0 && n < PALEO_PATH_MAX && is_there(path))
			return 1;
	}
	return 0;
}

/* Tries FOLDER/NAME and FOLDER/NAME.json. */
static int try_folder(const char *folder, const char *name, char path[PALEO_PATH_MAX])
{
	static const char *const endings[] = {"", ".json"};

	for (int i = 0; i < 2; i++) {
		int n = snprintf(path, PALEO_PATH_MAX, "%s/%s%s", folder, name, endings[i]);
		if (n > 0 && n < PALEO_PATH_MAX && is_there(path))
			return 1;
	}
	return 0;
}

static int is_json(const struct dirent *e)
{
	const char *dot = strrchr(e->d_name, '.');

	return dot && !strcmp(dot, ".json");
}

static int is_visible(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

/* The JSON file in a folder whose name is nearest to `name`; "" if none is near. */
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
	char *dot = strrchr(bare, '.');
	if (dot && isalpha((unsigned char)dot[1]))
		*dot = '\0'; /* the extension may be misspelt */
	const char *found = paleo_nearest(bare, list);
	if (found)
		snprintf(near, NAME_MAX_BYTES, "%s", found);
}

int paleo_find_net(const char *name, char path[PALEO_PATH_MAX], struct paleo_error *err)
{
	char data[PALEO_PATH_MAX], folder[PALEO_PATH_MAX + 8] = "", near[NAME_MAX_BYTES];
	char models[PALEO_PATH_MAX + 16] = "";

	if (!name[0])
		return paleo_fail(err, PALEO_EINPUT, "the name of a net is empty");
	if (strlen(name) >= PALEO_PATH_MAX)
		return paleo_fail(err, PALEO_EINPUT, "the name of a net has %zu characters",
				  strlen(name));
	if (is_there(name)) {
		memcpy(path, name, strlen(name) + 1);
		return PALEO_OK;
	}
	if (strchr(name, '/')) {
		int why = errno;
		int n = snprintf(path, PALEO_PATH_MAX, "%s.json", name);
		if (n > 0 && n < PALEO_PATH_MAX && is_there(path))
			return PALEO_OK;
		return paleo_fail(err, PALEO_EINPUT, "%s: %s", name, strerror(why));
	}
	if (data_folder(data)) {
		snprintf(folder, sizeof(folder), "%s/nets", data);
		snprintf(models, sizeof(models), "%s/nets/llm", data);
	}
	if (try_folder("nets", name, path) || (folder[0] && try_folder(folder, name, path)) ||
	    (models[0] && try_folder(models, name, path)))
		return PALEO_OK;
	if (paleo_device_find(name))
		return paleo_fail(err, PALEO_EINPUT, "no net '%s': this is a device, use --device",
				  name);
	nearest_json(folder, name, near);
	if (!near[0])
		nearest_json(models, name, near);
	return paleo_fail(err, PALEO_EINPUT,
			  "no net '%s' here, in ./nets or among the shipped ones%s%s%s", name,
			  near[0] ? " (did you mean '" : "", near,
			  near[0] ? "'?)" : ", which nets/README.md lists");
}

/* The description of a device's chip: rtx4090.json of "rtx-4090", h100.json of "h100-sxm". */
static int try_chip(const char *folder, const char *device, char path[PALEO_PATH_MAX])
{
	for (size_t length = strlen(device); length; length--) {
		char chip[NAME_MAX_BYTES];
		size_t used = 0;

		if (device[length] && device[length] != '-')
			continue;
		for (size_t i = 0; i < length && used + 1 < sizeof(chip); i++)
			if (device[i] != '-')
				chip[used++] = device[i];
		chip[used] = '\0';
		if (used && try_folder(folder, chip, path))
			return 1;
	}
	return 0;
}

int paleo_find_described(const char *name, char path[PALEO_PATH_MAX], struct paleo_error *err)
{
	char data[PALEO_PATH_MAX], folder[PALEO_PATH_MAX + 16] = "", near[NAME_MAX_BYTES];

	if (strlen(name) >= PALEO_PATH_MAX)
		return paleo_fail(err, PALEO_EINPUT, "the name of a device has %zu characters",
				  strlen(name));
	if (strchr(name, '/') || strchr(name, '.')) { /* a file */
		memcpy(path, name, strlen(name) + 1);
		return PALEO_OK;
	}
	if (data_folder(data))
		snprintf(folder, sizeof(folder), "%s/cudnn-devices", data);
	if (folder[0] && try_chip(folder, name, path))
		return PALEO_OK;
	nearest_json(folder, name, near);
	return paleo_fail(err, PALEO_EINPUT,
			  "no description of '%s' for cudnn%s%s%s; known are t4, a100, l4, "
			  "rtx4090, h100, h200, b200, and files of your own",
			  name, near[0] ? " (did you mean '" : "", near, near[0] ? "'?)" : "");
}

int paleo_find_local_calibration(const char *device, char path[PALEO_PATH_MAX])
{
	if (!paleo_device_is_name(device))
		return 0;
	int n = snprintf(path, PALEO_PATH_MAX, "paleo-results/%s/calibration.json", device);

	return n > 0 && n < PALEO_PATH_MAX && is_there(path);
}

int paleo_find_shipped_calibration(const char *device, char path[PALEO_PATH_MAX])
{
	char data[PALEO_PATH_MAX];

	if (!paleo_device_is_name(device) || !data_folder(data))
		return 0;
	int n = snprintf(path, PALEO_PATH_MAX, "%.3900s/results/%s/calibration.json", data, device);
	return n > 0 && n < PALEO_PATH_MAX && is_there(path);
}

/* Calls `take` for each entry of a folder of shipped data that passes the filter; `below`: a file
 * in each. */
static int find_each(const char *within, const char *below, int (*keep)(const struct dirent *),
		     int (*take)(void *context, const char *path, struct paleo_error *err),
		     void *context, struct paleo_error *err)
{
	char data[PALEO_PATH_MAX], folder[PALEO_PATH_MAX + 20], path[PALEO_PATH_MAX + 300];
	struct dirent **names;
	int rc = PALEO_OK;

	if (!data_folder(data))
		return PALEO_OK;
	snprintf(folder, sizeof(folder), "%s/%s", data, within);
	int count = scandir(folder, &names, keep, alphasort);
	if (count < 0 && errno != ENOENT)
		return paleo_fail(err, errno == ENOMEM ? PALEO_ENOMEM : PALEO_EIO,
				  "%s: cannot be read: %s", folder, strerror(errno));
	for (int i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%s%s", folder, names[i]->d_name, below);
		if (!rc && (!*below || is_there(path)))
			rc = take(context, path, err);
		free(names[i]);
	}
	if (count >= 0)
		free(names);
	return rc;
}

int paleo_find_presets(int (*take)(void *context, const char *path, struct paleo_error *err),
		       void *context, struct paleo_error *err)
{
	return find_each("results/presets", "", is_json, take, context, err);
}

int paleo_find_shipped(const char *file, char path[PALEO_PATH_MAX], struct paleo_error *err)
{
	char data[PALEO_PATH_MAX];

	if (!data_folder(data))
		return paleo_fail(
			err, PALEO_EIO,
			"the shipped presets were not found: install Paleo's data, or set "
			"PALEO_DATA_DIR to its folder share/paleo");
	snprintf(path, PALEO_PATH_MAX, "%.3900s/%.190s", data, file);
	return PALEO_OK;
}

int paleo_find_nets(const char *folder,
		    int (*take)(void *context, const char *path, struct paleo_error *err),
		    void *context, struct paleo_error *err)
{
	return find_each(folder, "", is_json, take, context, err);
}

int paleo_find_calibrations(int (*take)(void *context, const char *path, struct paleo_error *err),
			    void *context, struct paleo_error *err)
{
	return find_each("results", "/calibration.json", is_visible, take, context, err);
}

int paleo_find_ceilings(const char *device, char path[PALEO_PATH_MAX])
{
	snprintf(path, PALEO_PATH_MAX, "paleo-results/%.200s/ceilings.jsonl", device);
	return is_there(path);
}

int paleo_find_peaks(const char *device, int threads, char path[PALEO_PATH_MAX])
{
	snprintf(path, PALEO_PATH_MAX, "paleo-results/%.200s/peaks-t%d.jsonl", device, threads);
	return is_there(path);
}
