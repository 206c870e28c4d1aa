/* probes.h - probes of machine speed around the samples of an op, and their summary. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_PROBES_H
#define PALEO_BENCH_PROBES_H

#include "bench/backend.h"
#include "model/record/record.h"

enum {
	PALEO_PROBES_AT_END = 5
};

/* Probes after an op: reused as the next one's first probes, if it comes soon. */
struct paleo_probes_end {
	double flop_per_s[PALEO_PROBES_AT_END], bytes_per_s[PALEO_PROBES_AT_END];
	int count;
	double at_s; /* of the host's clock */
};

/* A device that is open in this process; zero but for the first two. */
struct paleo_open_device {
	const struct paleo_backend *b;
	struct paleo_session *s;
	struct paleo_probes_end last;
};

/* Inside bench only. */
struct paleo_probes {
	struct paleo_open_device *d;
	double *flop_per_s, *bytes_per_s, *scratch; /* `room` of each */
	int count, room;
	double spent_s; /* probing took so long */
	double next_s;  /* of the host's clock: before this none is taken between */
};

/* Makes room for the probes at both ends, and for `between` more. A backend without a probe has
 * none. ENOMEM. End with paleo_probes_close(). */
int paleo_probes_open(struct paleo_open_device *d, int between, struct paleo_probes *out,
		      struct paleo_error *err);
void paleo_probes_close(struct paleo_probes *p);

/* The medians of probes during so many seconds. ENOMEM; as the backend's probe. */
int paleo_probes_now(struct paleo_open_device *d, double seconds, struct paleo_rates *out,
		     struct paleo_error *err);

/* Probes several times before the op's first run, or reuses the probes after the previous op, if
 * less than half a second old. While others disturb the probes, only one is made. */
int paleo_probes_before(struct paleo_probes *p, struct paleo_error *err);

/* The same behind its last run, for the next op, too. */
int paleo_probes_behind(struct paleo_probes *p, struct paleo_error *err);

/* Probes once if there is room and ten times as long has passed as the last probe took: between
 * two samples, where the probes' own data may take the op's place in the caches. NULL: does
 * nothing.
 */
int paleo_probes_between(struct paleo_probes *p, struct paleo_error *err);

/* The medians of all probes, into the timing's speed. Disturbed rates are 0 and ignored; 0 where
 * there is no other. */
void paleo_probes_summarise(struct paleo_probes *p, struct paleo_timing *out);

#endif
