/* fuzz_devices.c - any bytes as a file of devices; what is accepted can be found. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "model/device/device.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_file.h"

static void demand_device(const struct paleo_device *all, int count, const struct paleo_device *d)
{
	int peaks = 0;

	demand(paleo_device_among(all, count, d->name) == d);
	demand(isfinite(d->mem_bytes_per_s) && d->mem_bytes_per_s > 0);
	demand(isfinite(d->mem_bytes) && d->mem_bytes >= 0);
	for (int t = 0; t < PALEO_DTYPES; t++) {
		demand(isfinite(d->flop_per_s[t]) && d->flop_per_s[t] >= 0);
		peaks += d->flop_per_s[t] > 0;
	}
	demand(peaks > 0);
	demand(paleo_device_same_chip(d->name, d->name));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct paleo_device *all = NULL;
	struct paleo_error err;
	char path[FUZZ_PATH_MAX];
	int count = 0, fd = fuzz_file(data, size, path);

	if (paleo_devices_load(path, &all, &count, &err) == 0) {
		demand(count > 0);
		for (int i = 0; i < count; i++)
			demand_device(all, count, &all[i]);
		free(all);
	} else {
		demand(strncmp(err.text, path, strlen(path)) == 0);
	}
	fuzz_file_close(fd);
	return 0;
}
