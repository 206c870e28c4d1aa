/* powercap.h - the energy that CPU packages and their memory take, by the kernel's counters. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_POWERCAP_H
#define PALEO_BENCH_POWERCAP_H

#include "base/error.h"

enum {
	PALEO_POWERCAP_ZONES = 32
};

/* A counter in microjoules, which begins again at 0 behind its range. */
struct paleo_powercap_zone {
	char folder[96]; /* "intel-rapl:0" */
	char name[80];   /* "package-0" */
	double range_uj, last_uj;
};

/* The zones of this machine: each package, and the memory of each where it is counted apart. */
struct paleo_powercap {
	char root[128];
	struct paleo_powercap_zone zones[PALEO_POWERCAP_ZONES];
	int count;
	double joules; /* of all, since it was opened */
};

/* Finds the zones in `root` (/sys/class/powercap), and reads them once. EUNSUPPORTED where there
 * are none, or this user may not read them. */
int paleo_powercap_open(const char *root, struct paleo_powercap *out, struct paleo_error *err);

/* The joules of all zones since it was opened; each counter may have begun again once since the
 * last call. EUNSUPPORTED. */
int paleo_powercap_read(struct paleo_powercap *p, double *joules, struct paleo_error *err);

#endif
