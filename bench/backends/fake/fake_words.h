/* fake_words.h - how the environment variable PALEO_FAKE makes the fake backend misbehave. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_BACKENDS_FAKE_FAKE_WORDS_H
#define PALEO_BENCH_BACKENDS_FAKE_FAKE_WORDS_H

#include <stddef.h>

#include "model/op/op.h"

/*
 * The environment variable PALEO_FAKE makes it misbehave: words separated by commas. Those with a
 * text are for ops whose key contains it, with " rank=1 hot" appended for the algorithm of this
 * rank in this mode:
 *
 *   crash=TEXT        dies of SIGSEGV when it is prepared
 *   hang=TEXT         never returns from its first run
 *   oom=TEXT          memory is insufficient
 *   unsupported=TEXT  cannot be run
 *   fail=TEXT         the library fails when it is run
 *   wrong=TEXT        results are off by one
 *   nan=TEXT          results are NaN
 *   slow=TEXT         each run takes 20 ms of real time; not counted in its elapsed time
 *   still             times have no noise
 *   disturbed=TEXT    as if the process were stopped during each run
 *   noisy=TEXT        times have twenty times the noise
 *   slower=TEXT       takes 2 % longer
 *   planner-crash     dies of SIGSEGV when it is asked for algorithms
 *   peaks             its peaks cannot be measured; peaks-crash: it dies of it
 *   doubt             they are measured at half of their value, and unreliable
 *   boot=NAME         its host is booted under this name
 *   hot=TEXT          its heat slows it down
 *   nodevice          there is no device (nodevice1: no second one)
 *   library           the vendor's library is unusable
 *   die               dies when it is opened; no-energy: has no energy counter
 *
 * those with a number:
 *
 *   seed=N            the noise of another run, and in it of each round another one
 *   throttle=S        an op that has run for S seconds back to back takes a quarter longer
 *   moment=F          the machine's speed differs by so much, a share, from one round to the next
 *   clock=F           its clock is this share of the usual one (clock1=F: that of the second)
 *   differs=F         rates and ops differ by so much, a share, from one device to the next
 *
 * and those with a number of seconds, as a GPU and its libraries would take them:
 *
 *   open-delay=S      until it is open
 *   op-delay=S      until an op is prepared
 *   step-delay=S      for each step of a whole net, until that is prepared
 *   ceilings-delay=S  until its ceilings are measured
 */

enum {
	PALEO_FAKE_KEY_MAX = PALEO_OP_KEY_MAX + 32
};

/* 1 if PALEO_FAKE has the word, and for words with a text, the key contains it. */
int paleo_fake_asked(const char *word, const char *key);

/* The text after a word in PALEO_FAKE; "" without one. */
void paleo_fake_value(const char *word, char *text, size_t size);

/* Sleeps for the time given in PALEO_FAKE, so many times; not at all without one. */
void paleo_fake_delay(const char *word, int times);

#endif
