/* busy.c - checks whether other processes use this machine's CPUs and delay ours. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench/clock.h"

enum {
	READINGS = 11,
	TEXT_MAX = 8192, /* of /proc/stat: the lines of the CPUs come first */
	STEAL_FIELD = 7  /* of a CPU's times in /proc/stat, counted from 0 */
};

/* More than these are said to make a machine busy: processes beyond the CPUs that are left
 * over, shares of waiting and of stolen time. */
static const double OTHERS_MAX = 0.5, PRESSURE_MAX = 0.1, STEAL_MAX = 0.05;

static const struct timespec apart = {.tv_nsec = 20000000};

/* "5.84 11.17 6.25 2/95 1343" */
static void parse_loadavg(const char *text, struct paleo_busy *out)
{
	const char *slash = text ? strchr(text, '/') : NULL;
	char *end;

	if (!slash)
		return;
	double load = strtod(text, &end);
	if (end == text)
		return;
	while (slash > text && slash[-1] >= '0' && slash[-1] <= '9')
		slash--;
	out->load = load;
	out->running = strtod(slash, NULL);
}

/* "some avg10=0.07 avg60=28.84 ...", in percent */
static void parse_pressure(const char *text, struct paleo_busy *out)
{
	static const char key[] = "some avg10=";
	const char *at = text ? strstr(text, key) : NULL;

	if (at)
		out->pressure = strtod(at + strlen(key), NULL) / 100;
}

/* "cpu  81451 0 28367 76212 681 0 217 194 0 0": user, nice, system, idle, iowait, irq, softirq,
 * steal. A guest's times, which follow, are part of the first two. Lines of each CPU follow.
 */
static void parse_stat(const char *text, struct paleo_busy *out)
{
	double all = 0, steal = NAN;
	char *end;

	if (!text || strncmp(text, "cpu ", 4) != 0)
		return;
	const char *at = text + 4;
	for (int i = 0; i <= STEAL_FIELD; i++) {
		double ticks = strtod(at, &end);
		if (end == at)
			return;
		all += ticks;
		steal = ticks;
		at = end;
	}
	out->steal_ticks = steal;
	out->all_ticks = all;
	for (at = strstr(text, "\ncpu"); at; at = strstr(at + 1, "\ncpu"))
		out->cpus++;
}

struct paleo_busy paleo_busy_parse(const char *loadavg, const char *pressure, const char *stat)
{
	struct paleo_busy b = {
		.load = NAN, .running = NAN, .pressure = NAN, .steal_ticks = NAN, .all_ticks = NAN};

	parse_loadavg(loadavg, &b);
	parse_pressure(pressure, &b);
	parse_stat(stat, &b);
	return b;
}

/* The beginning of a file, in `text`; NULL if it cannot be read. */
static const char *read_text(const char *path, char text[TEXT_MAX])
{
	FILE *f = fopen(path, "re");

	if (!f)
		return NULL;
	size_t size = fread(text, 1, TEXT_MAX - 1, f);
	fclose(f);
	text[size] = '\0';
	return size ? text : NULL;
}

struct paleo_busy paleo_busy_read(void)
{
	char load[TEXT_MAX], pressure[TEXT_MAX], stat[TEXT_MAX];

	return paleo_busy_parse(read_text("/proc/loadavg", load),
				read_text("/proc/pressure/cpu", pressure),
				read_text("/proc/stat", stat));
}

/* Adds a part to a sentence, behind a comma if it is not the first. */
__attribute__((format(printf, 3, 4))) static void add(char *text, size_t size, const char *form,
						      ...)
{
	size_t used = strlen(text);
	va_list rest;

	if (used && used < size)
		used += (size_t)snprintf(text + used, size - used, ", ");
	if (used >= size)
		return;
	va_start(rest, form);
	vsnprintf(text + used, size - used, form, rest);
	va_end(rest);
}

int paleo_busy_judge(const struct paleo_busy *readings, int count, int threads, char *text,
		     size_t size)
{
	const struct paleo_busy *first = &readings[0], *last = &readings[count - 1];
	double others = 0;

	for (int i = 0; i < count; i++)
		others += (readings[i].running - 1) / count;
	double ticks = last->all_ticks - first->all_ticks;
	double stolen = ticks > 0 ? (last->steal_ticks - first->steal_ticks) / ticks : NAN;
	double left_over = fmax(last->cpus - threads, 0);
	/* comparisons with unknown values (NaN) are false */
	int busy = others > left_over + OTHERS_MAX || last->pressure > PRESSURE_MAX ||
		   stolen > STEAL_MAX;

	text[0] = '\0';
	if (!busy)
		return 0;
	if (!isnan(others))
		add(text, size, "%.1f other processes on %d CPU%s", others, last->cpus,
		    last->cpus == 1 ? "" : "s");
	if (!isnan(last->load))
		add(text, size, "load %.1f", last->load);
	if (!isnan(last->pressure))
		add(text, size, "some waited in %.0f %% of the last 10 s", 100 * last->pressure);
	if (stolen > 0)
		add(text, size, "%.0f %% of the time went to other virtual machines", 100 * stolen);
	return 1;
}

int paleo_busy_look(int threads, char *text, size_t size)
{
	struct paleo_busy readings[READINGS];

	for (int i = 0; i < READINGS; i++) {
		if (i)
			nanosleep(&apart, NULL);
		readings[i] = paleo_busy_read();
	}
	return paleo_busy_judge(readings, READINGS, threads, text, size);
}

/* Nanoseconds of one thread; 0 if it has ended meanwhile. `tasks` is the open folder. */
static double thread_delay_ns(int tasks, const char *thread)
{
	char path[320], text[128];

	snprintf(path, sizeof(path), "%s/schedstat", thread);
	int file = openat(tasks, path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return 0;
	ssize_t size = read(file, text, sizeof(text) - 1);
	close(file);
	if (size <= 0)
		return 0;
	text[size] = '\0';
	char *second;
	strtoull(text, &second, 10); /* the first number is the time it ran */
	return (double)strtoull(second, NULL, 10);
}

double paleo_quiet_delay_s(void)
{
	DIR *tasks = opendir("/proc/self/task");
	const struct dirent *entry;
	double sum_ns = 0;

	if (!tasks)
		return 0;
	while ((entry = readdir(tasks))) {
		if (entry->d_name[0] != '.')
			sum_ns += thread_delay_ns(dirfd(tasks), entry->d_name);
	}
	closedir(tasks);
	return sum_ns * 1e-9;
}
