/* nvml.c - stand-in for the driver's management library: a device with known numbers. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "fault.h"

/* Called GPU-stand-in, limited to 600 of 700 W, on 8 of 16 lanes, with 3 uncorrected errors and 2
 * of 18 NVLinks; 5 GB of its memory are used. 1900 of 1980 MHz, 350 W, 61 degrees, a joule more at
 * each question, one process, which is ours. PALEO_FAULT nvml-hot: it is slowed down to 1410 MHz by
 * its heat, nvml-capped: by its limit of power; nvml-shared: there is another process; nvml-used:
 * the device is busy; nvml-starting: it is when first asked. WITHOUT_POWER: an older library. */
int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlSystemGetDriverVersion(char *text, unsigned size);
int nvmlDeviceGetHandleByPciBusId_v2(const char *bus_id, void **out);
int nvmlDeviceGetClockInfo(void *d, int which, unsigned *mhz);
int nvmlDeviceGetMaxClockInfo(void *d, int which, unsigned *mhz);
int nvmlDeviceGetTemperature(void *d, int sensor, unsigned *celsius);
int nvmlDeviceGetPowerUsage(void *d, unsigned *milliwatt);
int nvmlDeviceGetTotalEnergyConsumption(void *d, unsigned long long *millijoule);
int nvmlDeviceGetComputeRunningProcesses_v3(void *d, unsigned *count, void *infos);
int nvmlDeviceGetUtilizationRates(void *d, unsigned percent[2]);
int nvmlDeviceGetCurrentClocksEventReasons(void *d, unsigned long long *bits);
int nvmlDeviceGetCurrentClocksThrottleReasons(void *d, unsigned long long *bits);
int nvmlDeviceGetUUID(void *d, char *text, unsigned size);
int nvmlDeviceGetEnforcedPowerLimit(void *d, unsigned *milliwatt);
int nvmlDeviceGetPowerManagementDefaultLimit(void *d, unsigned *milliwatt);
int nvmlDeviceGetMemoryInfo(void *d, unsigned long long bytes[3]);
int nvmlDeviceGetCurrPcieLinkWidth(void *d, unsigned *lanes);
int nvmlDeviceGetMaxPcieLinkWidth(void *d, unsigned *lanes);
int nvmlDeviceGetNvLinkState(void *d, unsigned link, unsigned *is_active);
int nvmlDeviceGetEccMode(void *d, unsigned *now, unsigned *after_reboot);
int nvmlDeviceGetTotalEccErrors(void *d, int type, int counter, unsigned long long *count);

int nvmlInit_v2(void)
{
	return is_fault("nvml-silent") ? 9 : 0;
}

int nvmlShutdown(void)
{
	return 0;
}

int nvmlSystemGetDriverVersion(char *text, unsigned size)
{
	if (size < sizeof("123.45"))
		return 7;
	memcpy(text, "123.45", sizeof("123.45"));
	return 0;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *bus_id, void **out)
{
	static char handle;

	*out = &handle;
	return strcmp(bus_id, "0000:0f:00.0") ? 6 : 0;
}

int nvmlDeviceGetClockInfo(void *d, int which, unsigned *mhz)
{
	(void)d;
	*mhz = is_fault("nvml-hot") ? 1410 : 1900;
	return which != 1;
}

int nvmlDeviceGetMaxClockInfo(void *d, int which, unsigned *mhz)
{
	(void)d;
	*mhz = 1980;
	return which != 1;
}

int nvmlDeviceGetTemperature(void *d, int sensor, unsigned *celsius)
{
	(void)d;
	*celsius = 61;
	return sensor;
}

int nvmlDeviceGetComputeRunningProcesses_v3(void *d, unsigned *count, void *infos)
{
	static int questions;

	(void)d;
	(void)infos;
	/* the first question comes before our process is one of them */
	*count = (unsigned)(questions++ > 0) + (unsigned)is_fault("nvml-shared");
	return *count ? 7 : 0;
}

/* Of the multiprocessors and of the memory. */
int nvmlDeviceGetUtilizationRates(void *d, unsigned percent[2])
{
	static int questions;

	(void)d;
	percent[0] =
		is_fault("nvml-used") || (is_fault("nvml-starting") && questions == 0) ? 50 : 0;
	percent[1] = 0;
	questions++;
	return 0;
}

static unsigned long long reasons(void)
{
	return is_fault("nvml-hot") ? 32 : is_fault("nvml-capped") ? 4 : 0;
}

#ifdef WITHOUT_POWER
int nvmlDeviceGetCurrentClocksThrottleReasons(void *d, unsigned long long *bits)
{
	(void)d;
	*bits = reasons();
	return 0;
}
#else
int nvmlDeviceGetPowerUsage(void *d, unsigned *milliwatt)
{
	(void)d;
	*milliwatt = 350000;
	return 0;
}

int nvmlDeviceGetTotalEnergyConsumption(void *d, unsigned long long *millijoule)
{
	static unsigned long long counter;

	(void)d;
	counter += 1000;
	*millijoule = counter;
	return 0;
}

int nvmlDeviceGetCurrentClocksEventReasons(void *d, unsigned long long *bits)
{
	(void)d;
	*bits = reasons();
	return 0;
}
#endif

int nvmlDeviceGetUUID(void *d, char *text, unsigned size)
{
	(void)d;
	if (size < sizeof("GPU-stand-in"))
		return 7;
	memcpy(text, "GPU-stand-in", sizeof("GPU-stand-in"));
	return 0;
}

int nvmlDeviceGetEnforcedPowerLimit(void *d, unsigned *milliwatt)
{
	(void)d;
	*milliwatt = 600000;
	return 0;
}

int nvmlDeviceGetPowerManagementDefaultLimit(void *d, unsigned *milliwatt)
{
	(void)d;
	*milliwatt = 700000;
	return 0;
}

/* In all, free, used. */
int nvmlDeviceGetMemoryInfo(void *d, unsigned long long bytes[3])
{
	(void)d;
	bytes[0] = 80000000000;
	bytes[1] = 75000000000;
	bytes[2] = 5000000000;
	return 0;
}

int nvmlDeviceGetCurrPcieLinkWidth(void *d, unsigned *lanes)
{
	(void)d;
	*lanes = 8;
	return 0;
}

int nvmlDeviceGetMaxPcieLinkWidth(void *d, unsigned *lanes)
{
	(void)d;
	*lanes = 16;
	return 0;
}

int nvmlDeviceGetNvLinkState(void *d, unsigned link, unsigned *is_active)
{
	(void)d;
	*is_active = link < 2;
	return link < 18 ? 0 : 2;
}

int nvmlDeviceGetEccMode(void *d, unsigned *now, unsigned *after_reboot)
{
	(void)d;
	*now = *after_reboot = 1;
	return 0;
}

int nvmlDeviceGetTotalEccErrors(void *d, int type, int counter, unsigned long long *count)
{
	(void)d;
	*count = 3;
	return type == 1 && counter == 0 ? 0 : 2;
}
