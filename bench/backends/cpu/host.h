/* host.h - the processor this runs on: name, cores, caches, memory. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_BACKENDS_CPU_HOST_H
#define PALEO_BENCH_BACKENDS_CPU_HOST_H

/* A plain value. */
struct paleo_cpu_host {
	char title[64];     /* "AMD EPYC 9654 96-Core Processor" */
	char name[64];      /* "cpu-amd-epyc-9654-96-core-processor" */
	char processor[64]; /* "AuthenticAMD family 25 model 17 stepping 1" */
	char boot[48];      /* the system's random name of this boot; "" if it has none */
	int cores; /* physical cores that this process may use, at most its cgroup's quota */
	double cache_bytes;    /* last level, all that these cores have together */
	double mem_bytes;      /* of the machine, or the cgroup's limit */
	double clock_hz;       /* the highest; 0: unknown */
	double clock_limit_hz; /* that no core exceeds */
};

/* Never fails: what cannot be found out gets a safe value (1 core, 32 MiB of cache). */
void paleo_cpu_host_read(struct paleo_cpu_host *out);

/* Memory that can be allocated now without swapping, in bytes. */
double paleo_cpu_host_free_bytes(void);

#endif
