/* quiet.c - how long this process had to wait for a processor: tells disturbed samples. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/quiet.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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
