/* units.c - devices and networks of the original, and how counts become times. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "model/paleo2017/net.h"

/*
 * As they stand in the original's device.py, odd ones included: the clock of the
 * CPU is ten times what was meant (6 x 35000 MHz), that of the K20 is not its
 * 706 MHz, and the K80 is both of its dies (quirk 26).
 */
static const struct paleo_2017_device devices[] = {
	{"CPU_I7", "CPU i7 5930K", 210000, 289, 68, 0},
	{"GEFORCE_750_M", "GeForce 750 M", 941, 722.7, 80, 1},
	{"GEFORCE_780_TI", "GeForce 780 Ti", 875, 5040, 336, 1},
	{"K20", "K20", 1000, 3520, 208, 1},
	{"K20X", "K20X", 1000, 3935, 250, 1},
	{"K40", "K40", 745, 4290, 288, 1},
	{"K80", "K80", 560, 5600, 480, 1},
	{"TITAN_X", "Titan X", 1000, 6144, 336.5, 1},
};

static const struct paleo_2017_network networks[] = {
	{"aws", "AWS", 2},
	{"ethernet", "Ethernet", 10},
	{"ethernet20", "Ethernet", 20},
	{"infiniband", "Infiniband", 70},
	{"pcie2", "PCIe 2.0", 64},
	{"pcie3", "PCIe 3.0", 128},
};

enum {
	DEVICES = (int)(sizeof(devices) / sizeof(devices[0])),
	NETWORKS = (int)(sizeof(networks) / sizeof(networks[0]))
};

const struct paleo_2017_device *paleo_2017_device_find(const char *name)
{
	for (int i = 0; i < DEVICES; i++)
		if (!strcasecmp(devices[i].name, name))
			return &devices[i];
	return NULL;
}

const struct paleo_2017_network *paleo_2017_network_find(const char *name)
{
	for (int i = 0; i < NETWORKS; i++)
		if (!strcasecmp(networks[i].name, name))
			return &networks[i];
	return NULL;
}

int paleo_2017_device_from(const struct paleo_device *d, struct paleo_2017_device *out,
			   struct paleo_error *err)
{
	if (!(d->flop_per_s[PALEO_F32] > 0) || !(d->mem_bytes_per_s > 0) || !(d->clock_hz > 0))
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "the law paleo2017 wants a device's peak in f32, its bandwidth "
				  "and its clock; of '%s' one is not known",
				  d->name);
	*out = (struct paleo_2017_device){
		.clock_mhz = d->clock_hz / 1e6,
		.peak_gflops = d->flop_per_s[PALEO_F32] / 1e9,
		.mem_gb_per_s = d->mem_bytes_per_s / 1e9,
		.is_gpu = d->compute_capability > 0,
	};
	snprintf(out->name, sizeof(out->name), "%s", d->name);
	snprintf(out->title, sizeof(out->title), "%s", d->title);
	return PALEO_OK;
}

/* The order of the operations below is the original's: another one changes the last bit. */

double paleo_2017_comp_ms(const struct paleo_2017_units *u, double flops)
{
	if (flops == 0)
		return 0;
	return fmax(u->tick_ms, flops / 1e9 / u->peak_gflops * 1000 / u->ppp_comp);
}

double paleo_2017_link_ms(const struct paleo_2017_units *u, double bytes, double gb_per_s,
			  double ppp_comm)
{
	/* 2^30 against a bandwidth in 10^9 bytes/s: 7 % too fast (quirk 3). */
	return fmax(u->tick_ms, bytes / 1073741824.0 / gb_per_s * 1000 / ppp_comm);
}

double paleo_2017_comm_ms(const struct paleo_2017_units *u, double bytes)
{
	/* The fraction for computing scales the memory's traffic, too (quirk 4). */
	return paleo_2017_link_ms(u, bytes, u->mem_gb_per_s, u->ppp_comp);
}

double paleo_2017_pipelined(const struct paleo_2017_time *t)
{
	return fmax(t->comp_ms, t->comm_ms);
}

struct paleo_2017_time paleo_2017_update(const struct paleo_2017_device *device, double bytes)
{
	/* Fractions of peak do not reach the update (quirk 2). */
	struct paleo_2017_units u = paleo_2017_units_of(device, 1);
	struct paleo_2017_time t = {
		.comp_ms = paleo_2017_comp_ms(&u, 2 * floor(bytes / 4)),
		.comm_ms = 3 * paleo_2017_comm_ms(&u, bytes),
	};

	t.total_ms = t.comp_ms + t.comm_ms;
	return t;
}
