/* busy.h - whether other processes want this machine's processors. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_BUSY_H
#define PALEO_BENCH_BUSY_H

#include <stddef.h>

/* What the system tells at a moment; NAN where it does not. A plain value. */
struct paleo_busy {
	double load;     /* the mean number of processes that run or want to, of the last minute */
	double running;  /* the number now, with the one that asks */
	double pressure; /* share of the last ten seconds in which one waited for a processor */
	double steal_ticks; /* since the start: time that the host of a virtual machine kept */
	double all_ticks;   /* since the start: of all processors together */
	int cpus;           /* processors that are there */
};

/* Reads the texts of /proc/loadavg, /proc/pressure/cpu and /proc/stat; NULL: there is no such file.
 */
struct paleo_busy paleo_busy_parse(const char *loadavg, const char *pressure, const char *stat);

/* Reads these files now. */
struct paleo_busy paleo_busy_read(void);

/* Whether `count` readings, one after the other, are of a machine that is busy for what wants so
 * many threads: then 1, and *text says by what, without an end. Processes are busy that leave no
 * processor to a thread. The load of the last minute alone, which may be our own, makes no machine
 * busy. */
int paleo_busy_judge(const struct paleo_busy *readings, int count, int threads, char *text,
		     size_t size);

/* The same by readings of a fifth of a second. */
int paleo_busy_look(int threads, char *text, size_t size);

#endif
