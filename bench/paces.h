/* paces.h - looks at a device's pace beside the samples of a work, and what they come to. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_PACES_H
#define PALEO_BENCH_PACES_H

#include "bench/backend.h"
#include "model/record.h"

/* Inside bench only. */
struct paleo_paces {
	const struct paleo_backend *b;
	struct paleo_session *s;
	double *flop_per_s, *bytes_per_s, *scratch; /* `room` of each */
	int count, room;
	double next_s; /* of the host's clock: before this none is taken between */
};

/* Makes room for the looks at both ends, and for `between` more. A backend that knows no pace has
 * none, and looks at nothing. ENOMEM. End with paleo_paces_close(). */
int paleo_paces_open(const struct paleo_backend *b, struct paleo_session *s, int between,
		     struct paleo_paces *out, struct paleo_error *err);
void paleo_paces_close(struct paleo_paces *p);

/* Looks several times: before the work's first run, and after its last. */
int paleo_paces_look_at_end(struct paleo_paces *p, struct paleo_error *err);

/* Looks once if there is room and ten times as long has passed as the last look took: between two
 * samples, where the looks' own data may take the work's place in the caches. NULL: does nothing.
 */
int paleo_paces_look_between(struct paleo_paces *p, struct paleo_error *err);

/* The medians of all looks, into the timing's pace; 0 where there was none. */
void paleo_paces_summarise(struct paleo_paces *p, struct paleo_timing *out);

#endif
