/* host.c - the CPU this runs on: name, cores, caches, memory. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/backends/cpu/job.h"
#include "bench/cgroup.h"

static const double default_cache_bytes = 32.0 * 1024 * 1024;
static const double highest_clock_hz = 1e10; /* of any CPU */

/* The first line of a small file, without its end. 0 if there is none. */
static int read_line(const char *path, char *buf, size_t size)
{
	FILE *f = fopen(path, "r");
	int found;

	if (!f)
		return 0;
	found = fgets(buf, (int)size, f) != NULL;
	fclose(f);
	if (found)
		buf[strcspn(buf, "\n")] = '\0';
	return found;
}

/* The value of "key: value" in a file such as /proc/cpuinfo; 0 if there is none. */
static int read_field(const char *path, const char *key, char *buf, size_t size)
{
	char line[512];
	FILE *f = fopen(path, "r");
	int found = 0;

	if (!f)
		return 0;
	while (!found && fgets(line, sizeof(line), f)) {
		size_t n = strlen(key);
		const char *colon = strchr(line, ':');
		if (!colon || strncmp(line, key, n) != 0 || !strchr(": \t", line[n]))
			continue;
		colon += 1 + strspn(colon + 1, " \t");
		snprintf(buf, size, "%.*s", (int)strcspn(colon, "\n"), colon);
		found = 1;
	}
	fclose(f);
	return found;
}

/* A number with K, M or G behind it, in bytes; kB counts as K. */
static double parse_bytes(const char *text)
{
	char *end;
	double value = strtod(text, &end);

	end += strspn(end, " ");
	switch (toupper((unsigned char)*end)) {
	case 'K':
		return value * 1024;
	case 'M':
		return value * 1024 * 1024;
	case 'G':
		return value * 1024 * 1024 * 1024;
	default:
		return value;
	}
}

/* "AMD EPYC 9654 96-Core Processor" -> "cpu-amd-epyc-9654-96-core-processor" */
static void short_name(const char *title, char *buf, size_t size)
{
	size_t n = (size_t)snprintf(buf, size, "cpu");

	for (const char *s = title; *s && n + 2 < size; s++) {
		if (isalnum((unsigned char)*s)) {
			if (s == title || !isalnum((unsigned char)s[-1]))
				buf[n++] = '-';
			buf[n++] = (char)tolower((unsigned char)*s);
		}
	}
	buf[n] = '\0';
}

static void read_title(struct paleo_cpu_host *h)
{
	char text[256];

	if (!read_field("/proc/cpuinfo", "model name", text, sizeof(text)) &&
	    !read_line("/proc/device-tree/model", text, sizeof(text)))
		snprintf(text, sizeof(text), "unknown CPU");
	snprintf(h->title, sizeof(h->title), "%.63s", text);
	short_name(h->title, h->name, sizeof(h->name));
}

/* Virtual machines call CPUs of different years "AMD EPYC". */
static void read_processor(struct paleo_cpu_host *h)
{
	static const char *const keys[] = {"vendor_id", "cpu family", "model", "stepping"};
	static const char *const words[] = {"", " family ", " model ", " stepping "};
	char text[64];
	size_t used = 0;

	for (int i = 0; i < 4 && used < sizeof(h->processor); i++)
		if (read_field("/proc/cpuinfo", keys[i], text, sizeof(text)))
			used += (size_t)snprintf(h->processor + used, sizeof(h->processor) - used,
						 "%s%s", words[i], text);
	if (!used)
		snprintf(h->processor, sizeof(h->processor), "%s", h->title);
}

/* 1 if this CPU is the first of a list such as "0,64" or "3-4" in its folder of sysfs. */
static int is_first_of(int cpu, const char *file)
{
	char path[128], text[256];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/%s", cpu, file);
	return !read_line(path, text, sizeof(text)) || strtol(text, NULL, 10) == cpu;
}

/* Size of the last level of cache, if this CPU is the first of those that share it; 0 if not. */
static double own_cache_bytes(int cpu)
{
	char path[128], text[256];
	int last = -1;
	long last_level = 0;

	for (int i = 0; i < 10; i++) {
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/cache/index%d/level",
			 cpu, i);
		long level = read_line(path, text, sizeof(text)) ? strtol(text, NULL, 10) : -1;
		if (level >= last_level) {
			last = i;
			last_level = level;
		}
	}
	snprintf(path, sizeof(path), "cache/index%d/shared_cpu_list", last);
	if (last < 0 || !is_first_of(cpu, path))
		return 0;
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/cache/index%d/size", cpu, last);
	return read_line(path, text, sizeof(text)) ? parse_bytes(text) : 0;
}

static void read_cores(struct paleo_cpu_host *h)
{
	cpu_set_t set;
	int cpus = 0;

	if (sched_getaffinity(0, sizeof(set), &set) != 0)
		CPU_ZERO(&set);
	for (int i = 0; i < CPU_SETSIZE; i++) {
		if (!CPU_ISSET(i, &set))
			continue;
		cpus++;
		h->cores += is_first_of(i, "topology/thread_siblings_list");
		h->cache_bytes += own_cache_bytes(i);
	}
	/* Pinned to second siblings alone: each is a core's only one for us. */
	if (h->cores == 0)
		h->cores = cpus > 0 ? cpus : 1;
	if (h->cache_bytes <= 0)
		h->cache_bytes = (double)sysconf(_SC_LEVEL3_CACHE_SIZE);
	if (h->cache_bytes <= 0)
		h->cache_bytes = default_cache_bytes;
}

/* The reported clock may exclude boost, which less than doubles it. */
static double clock_limit(const struct paleo_cpu_host *h)
{
	char text[128];
	double now_hz = 0;

	if (read_field("/proc/cpuinfo", "cpu MHz", text, sizeof(text)))
		now_hz = strtod(text, NULL) * 1e6;
	double told_hz = fmax(h->clock_hz, now_hz);
	return told_hz > 0 ? 2 * told_hz : highest_clock_hz;
}

void paleo_cpu_host_read(struct paleo_cpu_host *out)
{
	struct paleo_cpu_host h = {.cores = 0};
	struct paleo_cgroup_limits limits;
	char text[128];

	read_title(&h);
	read_processor(&h);
	read_line("/proc/sys/kernel/random/boot_id", h.boot, sizeof(h.boot));
	read_cores(&h);
	paleo_cgroup_limits("", &limits);
	h.cores = (int)fmax(1, fmin(h.cores, floor(limits.cpus)));
	if (read_field("/proc/meminfo", "MemTotal", text, sizeof(text)))
		h.mem_bytes = fmin(parse_bytes(text), limits.memory_bytes);
	if (read_line("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", text, sizeof(text)))
		h.clock_hz = strtod(text, NULL) * 1e3;
	h.clock_limit_hz = clock_limit(&h);
	*out = h;
}

double paleo_cpu_host_free_bytes(void)
{
	char text[128];
	double available = 1024.0 * 1024 * 1024;
	struct paleo_cgroup_limits limits;

	if (read_field("/proc/meminfo", "MemAvailable", text, sizeof(text)))
		available = parse_bytes(text);
	paleo_cgroup_limits("", &limits);
	return fmin(available, limits.free_bytes);
}
