/* cgroup.c - reads control groups, of version 2 and of version 1, from /proc and /sys. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/cgroup.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	GROUP_MAX = 512,
	FILE_MAX = 1024
};

/* Two numbers of a file, of which the second may be missing: 0. "max" is infinite. Returns how many
 * there are. */
static int read_numbers(const char *folder, const char *file, double out[2])
{
	char path[FILE_MAX], text[128] = "", *end;

	out[0] = out[1] = 0;
	if (snprintf(path, sizeof(path), "%s/%s", folder, file) >= (int)sizeof(path))
		return 0;
	FILE *f = fopen(path, "r");
	if (!f)
		return 0;
	int found = fgets(text, sizeof(text), f) != NULL;
	fclose(f);
	if (!found)
		return 0;
	end = text + 3;
	out[0] = strncmp(text, "max", 3) == 0 ? INFINITY : strtod(text, &end);
	out[1] = strtod(end, NULL);
	return out[1] > 0 ? 2 : 1;
}

static double read_number(const char *folder, const char *file, double otherwise)
{
	double n[2];

	return read_numbers(folder, file, n) ? n[0] : otherwise;
}

/* Takes a quota of so many microseconds in each period; below 0 there is none. */
static void take_quota(double quota, double period, struct paleo_cgroup_limits *out)
{
	if (quota > 0 && period > 0)
		out->cpus = fmin(out->cpus, quota / period);
}

static void take_memory(double limit, double used, struct paleo_cgroup_limits *out)
{
	out->memory_bytes = fmin(out->memory_bytes, limit);
	out->free_bytes = fmin(out->free_bytes, fmax(limit - used, 0));
}

/* One group, in whichever version its files are. */
static void take_group(const char *folder, struct paleo_cgroup_limits *out)
{
	double max[2];

	if (read_numbers(folder, "cpu.max", max) == 2)
		take_quota(max[0], max[1], out);
	take_quota(read_number(folder, "cpu.cfs_quota_us", 0),
		   read_number(folder, "cpu.cfs_period_us", 0), out);
	take_memory(read_number(folder, "memory.max", INFINITY),
		    read_number(folder, "memory.current", 0), out);
	take_memory(read_number(folder, "memory.limit_in_bytes", INFINITY),
		    read_number(folder, "memory.usage_in_bytes", 0), out);
}

/* A group and those above it in a tree. In a container its own group is the visible root, and
 * folders of the path on the host are not there. */
static void take_groups(const char *tree, char *group, struct paleo_cgroup_limits *out)
{
	char folder[FILE_MAX];

	for (;;) {
		if (snprintf(folder, sizeof(folder), "%s%s", tree, group) < (int)sizeof(folder))
			take_group(folder, out);
		char *slash = strrchr(group, '/');
		if (!slash)
			return;
		*slash = '\0';
	}
}

/* A line of /proc/self/cgroup: "0::/user.slice", or of version 1 "4:cpu,cpuacct:/docker/1", whose
 * tree has the name of the list or of one controller. */
static void take_line(const char *root, char *line, struct paleo_cgroup_limits *out)
{
	char *list = strchr(line, ':'), *group = list ? strchr(list + 1, ':') : NULL;
	char tree[FILE_MAX], path[GROUP_MAX], *rest = NULL;

	if (!group)
		return;
	*group++ = '\0';
	group[strcspn(group, "\n")] = '\0';
	snprintf(path, sizeof(path), "%s", group);
	snprintf(tree, sizeof(tree), "%s/sys/fs/cgroup%s%s", root, list[1] ? "/" : "", list + 1);
	take_groups(tree, path, out);
	if (!strchr(list + 1, ','))
		return;
	for (char *name = strtok_r(list + 1, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
		snprintf(path, sizeof(path), "%s", group);
		snprintf(tree, sizeof(tree), "%s/sys/fs/cgroup/%s", root, name);
		take_groups(tree, path, out);
	}
}

void paleo_cgroup_limits(const char *root, struct paleo_cgroup_limits *out)
{
	char path[FILE_MAX], line[GROUP_MAX];

	*out = (struct paleo_cgroup_limits){INFINITY, INFINITY, INFINITY};
	snprintf(path, sizeof(path), "%s/proc/self/cgroup", root);
	FILE *f = fopen(path, "r");
	if (!f)
		return;
	while (fgets(line, sizeof(line), f))
		take_line(root, line, out);
	fclose(f);
}
