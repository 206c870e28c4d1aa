/* clock.h - the clock, a thread's own time, and whether other processes disturb the timing. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_CLOCK_H
#define PALEO_BENCH_CLOCK_H

#include <stddef.h>

/* Monotonic seconds since a fixed point; unaffected by changes of the date. Tests replace this
 * clock. */
double paleo_now_s(void);

/*
 * Seconds that the threads of this process have been ready but not running, summed over all threads
 * since each began: its growth during a sample is time lost to other processes. From
 * /proc/self/task/<n>/schedstat, the second number; 0 where the kernel does not report it.
 */
double paleo_quiet_delay_s(void);

/* Time of the calling thread up to now. A plain value. */
struct paleo_own_time {
	double ran_s;    /* its CPU time */
	double waited_s; /* ready but not running, as above */
	int threads;     /* of the process, with it */
};

struct paleo_own_time paleo_own_time(void);

/* 1 if a stop of the process (SIGSTOP) has ended since the last call; the clock ran on during it.
 * By SIGCONT, which stays pending: a handler would run on the stack of a library's kernel, which
 * need not be one. Only after paleo_watch_stops(), before any other thread is made. */
int paleo_was_stopped(void);
void paleo_watch_stops(void);

/* System load at one time; NAN where unknown. A plain value. */
struct paleo_busy {
	double load;        /* the mean number of runnable processes, of the last minute */
	double running;     /* the number now, with the one that asks */
	double pressure;    /* share of the last ten seconds in which one waited for a CPU */
	double steal_ticks; /* since the start: time that the host of a virtual machine kept */
	double all_ticks;   /* since the start: of all CPUs together */
	int cpus;           /* CPUs that are there */
};

/* Reads the texts of /proc/loadavg, /proc/pressure/cpu and /proc/stat; NULL: there is no such file.
 */
struct paleo_busy paleo_busy_parse(const char *loadavg, const char *pressure, const char *stat);

/* Reads these files now. */
struct paleo_busy paleo_busy_read(void);

/* Returns 1 if `count` successive readings show a machine too busy for so many threads, with the
 * reason in *text, unterminated. Processes count if they leave no CPU to a thread. The load of the
 * last minute alone, which may be our own, is not enough. */
int paleo_busy_judge(const struct paleo_busy *readings, int count, int threads, char *text,
		     size_t size);

/* The same by readings of a fifth of a second. */
int paleo_busy_look(int threads, char *text, size_t size);

#endif
