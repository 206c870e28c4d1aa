/* nvml.c - watches a GPU's clock, power and heat through the driver's management library. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/backends/cuda/nvml.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct nvml_device *nvml_device; /* opaque */

struct nvml_utilization {
	unsigned gpu, memory; /* percent over the last sampling period */
};

struct nvml_memory {
	unsigned long long total, free, used; /* bytes */
};

/* The functions that are used, as the library's documentation describes them. All return 0 when
 * they know an answer. */
#define FUNCTIONS(X)                                                                               \
	X(nvmlInit_v2, (void))                                                                     \
	X(nvmlShutdown, (void))                                                                    \
	X(nvmlSystemGetDriverVersion, (char *text, unsigned size))                                 \
	X(nvmlDeviceGetHandleByPciBusId_v2, (const char *bus_id, nvml_device *out))                \
	X(nvmlDeviceGetClockInfo, (nvml_device d, int which, unsigned *mhz))                       \
	X(nvmlDeviceGetMaxClockInfo, (nvml_device d, int which, unsigned *mhz))                    \
	X(nvmlDeviceGetTemperature, (nvml_device d, int sensor, unsigned *celsius))                \
	X(nvmlDeviceGetPowerUsage, (nvml_device d, unsigned *milliwatt))                           \
	X(nvmlDeviceGetTotalEnergyConsumption, (nvml_device d, unsigned long long *millijoule))    \
	X(nvmlDeviceGetUtilizationRates, (nvml_device d, struct nvml_utilization * out))           \
	X(nvmlDeviceGetUUID, (nvml_device d, char *text, unsigned size))                           \
	X(nvmlDeviceGetEnforcedPowerLimit, (nvml_device d, unsigned *milliwatt))                   \
	X(nvmlDeviceGetPowerManagementDefaultLimit, (nvml_device d, unsigned *milliwatt))          \
	X(nvmlDeviceGetMemoryInfo, (nvml_device d, struct nvml_memory * out))                      \
	X(nvmlDeviceGetCurrPcieLinkWidth, (nvml_device d, unsigned *lanes))                        \
	X(nvmlDeviceGetMaxPcieLinkWidth, (nvml_device d, unsigned *lanes))                         \
	X(nvmlDeviceGetCurrPcieLinkGeneration, (nvml_device d, unsigned *generation))              \
	X(nvmlDeviceGetMaxPcieLinkGeneration, (nvml_device d, unsigned *generation))               \
	X(nvmlDeviceGetNvLinkState, (nvml_device d, unsigned link, unsigned *is_active))           \
	X(nvmlDeviceGetEccMode, (nvml_device d, unsigned *now, unsigned *after_reboot))            \
	X(nvmlDeviceGetTotalEccErrors,                                                             \
	  (nvml_device d, int type, int counter, unsigned long long *count))                       \
	X(nvmlDeviceGetComputeRunningProcesses_v3, (nvml_device d, unsigned *count, void *infos))  \
	X(nvmlDeviceGetCurrentClocksEventReasons, (nvml_device d, unsigned long long *bits))       \
	X(nvmlDeviceGetCurrentClocksThrottleReasons, (nvml_device d, unsigned long long *bits))

enum {
	CLOCK_SM = 1,
	SENSOR_GPU = 0,
	UNCORRECTED = 1,
	SINCE_LOADED = 0,
	NVLINKS_MAX = 18,
	INSUFFICIENT_SIZE = 7,
	BUSY_PERCENT = 5 /* possible load of a desktop's windows */
};

static const long POLL_NS = 50000000; /* 20 times a second */
static const struct timespec PAST = {.tv_sec = 1,
				     .tv_nsec = 200000000}; /* covered by the utilisation */

/* Bits of the clock reasons, and our names for them. */
static const struct {
	unsigned bit;
	const char *word;
} reasons[] = {
	{1, "idle"},        {2, "app_clocks"},  {4, "power_cap"},   {8, "hw_slowdown"},
	{16, "sync_boost"}, {32, "sw_thermal"}, {64, "hw_thermal"}, {128, "power_brake"},
};

/* Observations since a begin. */
struct seen {
	double mhz, watt, celsius; /* sums, sum, highest */
	int clocks, powers;        /* how many were added up */
	unsigned long long reasons;
};

struct paleo_nvml {
	void *library;
#define MEMBER(name, arguments) int(*name) arguments; /* NOLINT(bugprone-macro-parentheses) */
	FUNCTIONS(MEMBER)
#undef MEMBER
	nvml_device device; /* NULL: none */
	unsigned highest_mhz;
	int own;           /* processes that were counted because of us, 0 or 1 */
	int was_busy;      /* 1: the device computed before we did anything */
	int others;        /* other processes */
	double used_bytes; /* of its memory, before this process used it */
	struct seen seen;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	int is_watching; /* the thread is there, and shall go on */
};

/* 1 if the library has this function and it knew an answer. */
#define ASK(n, name, ...) ((n)->name && (n)->name(__VA_ARGS__) == 0)

static void *open_library(void)
{
	static const char *const places[] = {"libnvidia-ml.so.1",
					     "/usr/local/nvidia/lib64/libnvidia-ml.so.1",
					     "/usr/local/nvidia/lib/libnvidia-ml.so.1"};
	void *library = NULL;

	for (size_t i = 0; !library && i < sizeof(places) / sizeof(*places); i++)
		library = dlopen(places[i], RTLD_NOW | RTLD_LOCAL);
	return library;
}

struct paleo_nvml *paleo_nvml_open(void)
{
	struct paleo_nvml *n = calloc(1, sizeof(*n));
	pthread_condattr_t monotonic;

	if (!n)
		return NULL;
	n->library = open_library();
	if (!n->library) {
		free(n);
		return NULL;
	}
#define FIND(name, arguments) *(void **)&n->name = dlsym(n->library, #name);
	FUNCTIONS(FIND)
#undef FIND
	if (!n->nvmlInit_v2 || n->nvmlInit_v2() != 0) {
		dlclose(n->library);
		free(n);
		return NULL;
	}
	pthread_mutex_init(&n->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&n->wake, &monotonic);
	pthread_condattr_destroy(&monotonic);
	return n;
}

void paleo_nvml_close(struct paleo_nvml *n)
{
	if (!n)
		return;
	if (n->nvmlShutdown)
		n->nvmlShutdown();
	pthread_cond_destroy(&n->wake);
	pthread_mutex_destroy(&n->lock);
	dlclose(n->library);
	free(n);
}

void paleo_nvml_driver(const struct paleo_nvml *n, char *text, unsigned size)
{
	if (!n || !ASK(n, nvmlSystemGetDriverVersion, text, size))
		text[0] = '\0';
}

int paleo_nvml_find(struct paleo_nvml *n, const char *bus_id)
{
	if (!n || !ASK(n, nvmlDeviceGetHandleByPciBusId_v2, bus_id, &n->device))
		return 0;
	if (!ASK(n, nvmlDeviceGetMaxClockInfo, n->device, CLOCK_SM, &n->highest_mhz))
		n->highest_mhz = 0;
	return 1;
}

double paleo_nvml_clock_ratio(const struct paleo_nvml *n)
{
	unsigned mhz;

	if (!n || !n->device || !n->highest_mhz ||
	    !ASK(n, nvmlDeviceGetClockInfo, n->device, CLOCK_SM, &mhz))
		return 0;
	return (double)mhz / n->highest_mhz;
}

int paleo_nvml_joules(const struct paleo_nvml *n, double *joules)
{
	unsigned long long millijoule;

	if (!n || !n->device ||
	    !ASK(n, nvmlDeviceGetTotalEnergyConsumption, n->device, &millijoule))
		return 0;
	*joules = (double)millijoule * 1e-3;
	return 1;
}

/* Processes with a context on the device; 0 where that cannot be seen, as in some containers. */
static int count_processes(const struct paleo_nvml *n)
{
	unsigned count = 0;

	if (!n->nvmlDeviceGetComputeRunningProcesses_v3)
		return 0;
	/* without a buffer it fails and returns their number */
	int answer = n->nvmlDeviceGetComputeRunningProcesses_v3(n->device, &count, NULL);
	return answer == 0 || answer == INSUFFICIENT_SIZE ? (int)count : 0;
}

void paleo_nvml_count_users(struct paleo_nvml *n, int is_ours)
{
	struct nvml_utilization use = {0};

	if (!n || !n->device)
		return;
	int count = count_processes(n);
	if (is_ours) {
		n->own = count > 0;
		return;
	}
	/* The first answer may reflect the driver's own start, or our own last run. */
	for (int i = 0; i < 2 && (i == 0 || n->was_busy); i++) {
		if (i > 0)
			nanosleep(&PAST, NULL);
		n->was_busy = ASK(n, nvmlDeviceGetUtilizationRates, n->device, &use) &&
			      use.gpu >= BUSY_PERCENT;
	}
	n->others = count;
	struct nvml_memory memory;
	if (ASK(n, nvmlDeviceGetMemoryInfo, n->device, &memory))
		n->used_bytes = (double)memory.used;
}

/* An unsigned answer, or 0. */
#define NUMBER(n, name) (ASK(n, name, (n)->device, &value) ? value : 0)

static void read_links(const struct paleo_nvml *n, struct paleo_condition *out)
{
	unsigned value;

	out->pcie_width = (int)NUMBER(n, nvmlDeviceGetCurrPcieLinkWidth);
	out->pcie_width_max = (int)NUMBER(n, nvmlDeviceGetMaxPcieLinkWidth);
	out->pcie_generation = (int)NUMBER(n, nvmlDeviceGetCurrPcieLinkGeneration);
	out->pcie_generation_max = (int)NUMBER(n, nvmlDeviceGetMaxPcieLinkGeneration);
	for (unsigned link = 0; link < NVLINKS_MAX; link++)
		out->nvlinks +=
			ASK(n, nvmlDeviceGetNvLinkState, n->device, link, &value) && value == 1;
}

void paleo_nvml_condition(const struct paleo_nvml *n, struct paleo_condition *out)
{
	unsigned value, later;
	unsigned long long errors;

	*out = (struct paleo_condition){.unit = ""};
	if (!n || !n->device)
		return;
	if (!ASK(n, nvmlDeviceGetUUID, n->device, out->unit, (unsigned)sizeof(out->unit)))
		out->unit[0] = '\0';
	out->power_limit_w = NUMBER(n, nvmlDeviceGetEnforcedPowerLimit) * 1e-3;
	out->power_default_w = NUMBER(n, nvmlDeviceGetPowerManagementDefaultLimit) * 1e-3;
	out->used_bytes = n->used_bytes;
	read_links(n, out);
	out->has_ecc = ASK(n, nvmlDeviceGetEccMode, n->device, &value, &later) && value == 1;
	if (ASK(n, nvmlDeviceGetTotalEccErrors, n->device, UNCORRECTED, SINCE_LOADED, &errors))
		out->ecc_errors = errors < INT_MAX ? (int)errors : INT_MAX;
}

/* Asks for everything once; with the lock held, or without a thread. */
static void poll_device(struct paleo_nvml *n)
{
	struct seen *s = &n->seen;
	unsigned value;
	unsigned long long bits = 0;

	if (ASK(n, nvmlDeviceGetClockInfo, n->device, CLOCK_SM, &value)) {
		s->mhz += value;
		s->clocks++;
	}
	if (ASK(n, nvmlDeviceGetPowerUsage, n->device, &value)) {
		s->watt += value * 1e-3;
		s->powers++;
	}
	if (ASK(n, nvmlDeviceGetTemperature, n->device, SENSOR_GPU, &value) && value > s->celsius)
		s->celsius = value;
	if (n->nvmlDeviceGetCurrentClocksEventReasons)
		n->nvmlDeviceGetCurrentClocksEventReasons(n->device, &bits);
	else if (n->nvmlDeviceGetCurrentClocksThrottleReasons) /* older drivers' name for it */
		n->nvmlDeviceGetCurrentClocksThrottleReasons(n->device, &bits);
	s->reasons |= bits;
}

static void *watch(void *argument)
{
	struct paleo_nvml *n = argument;
	struct timespec next;

	pthread_mutex_lock(&n->lock);
	while (n->is_watching) {
		clock_gettime(CLOCK_MONOTONIC, &next);
		next.tv_nsec += POLL_NS;
		if (next.tv_nsec >= 1000000000) {
			next.tv_nsec -= 1000000000;
			next.tv_sec++;
		}
		pthread_cond_timedwait(&n->wake, &n->lock, &next);
		if (n->is_watching)
			poll_device(n);
	}
	pthread_mutex_unlock(&n->lock);
	return NULL;
}

void paleo_nvml_begin(struct paleo_nvml *n)
{
	if (!n || !n->device)
		return;
	n->seen = (struct seen){.clocks = 0};
	n->is_watching = 1;
	if (pthread_create(&n->thread, NULL, watch, n))
		n->is_watching = 0; /* then only the end reports */
}

static void end_thread(struct paleo_nvml *n)
{
	if (!n->is_watching)
		return;
	pthread_mutex_lock(&n->lock);
	n->is_watching = 0;
	pthread_cond_signal(&n->wake);
	pthread_mutex_unlock(&n->lock);
	pthread_join(n->thread, NULL);
}

static void write_reasons(unsigned long long bits, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++)
		if ((bits & reasons[i].bit) && used < size)
			used += (size_t)snprintf(text + used, size - used, "%s%s", used ? " " : "",
						 reasons[i].word);
}

void paleo_nvml_end(struct paleo_nvml *n, struct paleo_state *out)
{
	struct paleo_state state = {.sm_mhz = 0};

	*out = state;
	if (!n || !n->device)
		return;
	end_thread(n);
	struct seen *s = &n->seen;
	if (s->clocks == 0 || s->powers == 0)
		poll_device(n); /* it was shorter than a round of the thread */
	if (s->clocks)
		state.sm_mhz = s->mhz / s->clocks;
	if (n->highest_mhz)
		state.clock_ratio = state.sm_mhz / n->highest_mhz;
	if (s->powers)
		state.power_w = s->watt / s->powers;
	state.temp_c = s->celsius;
	n->others = count_processes(n) - n->own;
	state.others = n->others > n->was_busy ? n->others : n->was_busy;
	write_reasons(s->reasons, state.reasons, sizeof(state.reasons));
	*out = state;
}
