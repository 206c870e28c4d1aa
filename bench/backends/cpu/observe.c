/* observe.c - the clock of the cores that a work runs on. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/backends/cpu/job.h"

/* kHz of one core by the kernel's governor; 0 where it does not tell. */
static double governor_khz(int cpu)
{
	char path[128], text[64] = "";

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq", cpu);
	FILE *f = fopen(path, "r");
	if (!f)
		return 0;
	if (!fgets(text, sizeof(text), f))
		text[0] = '\0';
	fclose(f);
	return strtod(text, NULL);
}

/* The mean over the cores that this process may use; 0 where it is not known. */
static double governor_mhz(const cpu_set_t *set)
{
	double sum = 0;
	int cores = 0;

	for (int i = 0; i < CPU_SETSIZE; i++) {
		double khz = CPU_ISSET(i, set) ? governor_khz(i) : 0;
		sum += khz * 1e-3;
		cores += khz > 0;
	}
	return cores ? sum / cores : 0;
}

/* The same by /proc/cpuinfo, which has a block of lines for each core. */
static double cpuinfo_mhz(const cpu_set_t *set)
{
	FILE *f = fopen("/proc/cpuinfo", "r");
	char line[512];
	double sum = 0;
	int cpu = -1, cores = 0;

	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f)) {
		const char *colon = strchr(line, ':');
		if (!colon)
			continue;
		if (strncmp(line, "processor", 9) == 0)
			cpu = (int)strtol(colon + 1, NULL, 10);
		if (strncmp(line, "cpu MHz", 7) != 0 || cpu < 0 || cpu >= CPU_SETSIZE ||
		    !CPU_ISSET(cpu, set))
			continue;
		sum += strtod(colon + 1, NULL);
		cores++;
	}
	fclose(f);
	return cores ? sum / cores : 0;
}

void paleo_cpu_observe_end(struct paleo_session *s, struct paleo_state *out)
{
	struct paleo_state state = {.sm_mhz = 0};
	cpu_set_t set;

	if (!sched_getaffinity(0, sizeof(set), &set)) {
		state.sm_mhz = governor_mhz(&set);
		if (state.sm_mhz == 0)
			state.sm_mhz = cpuinfo_mhz(&set);
	}
	if (s->host.clock_hz > 0)
		state.clock_ratio = state.sm_mhz * 1e6 / s->host.clock_hz;
	*out = state;
}
