/* test_cgroup.c - limits of control groups, read from made-up trees of files. */
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/cgroup.h"
#include "tests/unit/unit.h"

struct file {
	const char *path, *text;
};

static char root[] = "cgroup-XXXXXX";

/* Writes a file and the folders above it. */
static void put(const struct file *f)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", root, f->path);
	for (char *c = strchr(path, '/'); c; c = strchr(c + 1, '/')) {
		*c = '\0';
		mkdir(path, 0700);
		*c = '/';
	}
	FILE *out = fopen(path, "w");
	assert_non_null(out);
	fputs(f->text, out);
	assert_int_equal(fclose(out), 0);
}

static struct paleo_cgroup_limits limits_of(const struct file *files)
{
	struct paleo_cgroup_limits limits;
	char command[64];

	strcpy(strchr(root, '-') + 1, "XXXXXX");
	assert_non_null(mkdtemp(root));
	for (; files->path; files++)
		put(files);
	paleo_cgroup_limits(root, &limits);
	snprintf(command, sizeof(command), "rm -r %s", root);
	assert_int_equal(system(command), 0);
	return limits;
}

/* The quota of the group above is smaller than its own, and the group's memory than that above. */
static void version_2(void **state)
{
	static const struct file files[] = {
		{"proc/self/cgroup", "0::/usr/app\n"},
		{"sys/fs/cgroup/usr/cpu.max", "150000 100000\n"},
		{"sys/fs/cgroup/usr/app/cpu.max", "max 100000\n"},
		{"sys/fs/cgroup/usr/memory.max", "4000\n"},
		{"sys/fs/cgroup/usr/memory.current", "3500\n"},
		{"sys/fs/cgroup/usr/app/memory.max", "1000\n"},
		{"sys/fs/cgroup/usr/app/memory.current", "100\n"},
		{NULL, NULL},
	};
	const struct paleo_cgroup_limits l = limits_of(files);

	(void)state;
	assert_true(l.cpus == 1.5 && l.memory_bytes == 1000 && l.free_bytes == 500);
}

/* Controllers have trees of their own, by the name of their list or of one of them. */
static void version_1(void **state)
{
	static const struct file files[] = {
		{"proc/self/cgroup", "5:memory:/usr\n4:cpu,cpuacct:/usr/step\n1:name=systemd:/x\n"},
		{"sys/fs/cgroup/cpu/usr/cpu.cfs_quota_us", "200000\n"},
		{"sys/fs/cgroup/cpu/usr/cpu.cfs_period_us", "100000\n"},
		{"sys/fs/cgroup/cpu/usr/step/cpu.cfs_quota_us", "-1\n"},
		{"sys/fs/cgroup/cpu/usr/step/cpu.cfs_period_us", "100000\n"},
		{"sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"},
		{"sys/fs/cgroup/memory/usr/memory.limit_in_bytes", "2048\n"},
		{"sys/fs/cgroup/memory/usr/memory.usage_in_bytes", "4096\n"},
		{NULL, NULL},
	};
	const struct paleo_cgroup_limits l = limits_of(files);

	(void)state;
	assert_true(l.cpus == 2 && l.memory_bytes == 2048 && l.free_bytes == 0);
}

/* The host's path is not there in a container, whose own group is the root. */
static void container(void **state)
{
	static const struct file files[] = {
		{"proc/self/cgroup", "2:cpu,cpuacct:/usr/0123\n"},
		{"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "50000\n"},
		{"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n"},
		{NULL, NULL},
	};

	(void)state;
	assert_true(limits_of(files).cpus == 0.5);
}

static void none(void **state)
{
	static const struct file empty[] = {{NULL, NULL}};
	static const struct file broken[] = {{"proc/self/cgroup", "0\n::\nmax\n"},
					     {"sys/fs/cgroup/cpu.max", ""},
					     {"sys/fs/cgroup/memory.max", "max\n"},
					     {NULL, NULL}};

	(void)state;
	for (int i = 0; i < 2; i++) {
		const struct paleo_cgroup_limits l = limits_of(i ? broken : empty);
		assert_true(isinf(l.cpus) && isinf(l.memory_bytes) && isinf(l.free_bytes));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(version_2),
		cmocka_unit_test(version_1),
		cmocka_unit_test(container),
		cmocka_unit_test(none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
