/* cgroup.h - limits that control groups set to this process: CPUs and memory. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_CGROUP_H
#define PALEO_BENCH_CGROUP_H

struct paleo_cgroup_limits {
	double cpus;         /* CPU time a second; infinite without a quota */
	double memory_bytes; /* the smallest limit; infinite without one */
	double free_bytes;   /* what the fullest group leaves; infinite without a limit */
};

/* The limits of this process's groups, versions 1 and 2, and of all groups above them. `root` is
 * the folder in which proc and sys lie: "" on a running system. */
void paleo_cgroup_limits(const char *root, struct paleo_cgroup_limits *out);

#endif
