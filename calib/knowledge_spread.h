/* knowledge_spread.h - how much knowledge of another GPU errs, by GPUs that there is better of. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_KNOWLEDGE_SPREAD_H
#define PALEO_CALIB_KNOWLEDGE_SPREAD_H

#include <stdint.h>

#include "model/predict/calibration.h"

/*
 * How much knowledge of each nearness errs on works of a kind: the standard deviation of the
 * logarithm of the time, over `cards` GPUs that there is better of. Never less than that of what is
 * nearer; NaN where too few GPUs tell.
 */
struct paleo_known_spread {
	double sd[PALEO_NEARNESSES];
	int cards[PALEO_NEARNESSES];
};

/* Of products, of convolutions, of attention and experts in one kernel, of what moves data. */
enum paleo_known_group {
	PALEO_KNOWN_PRODUCTS,
	PALEO_KNOWN_CONVOLUTIONS,
	PALEO_KNOWN_FUSED,
	PALEO_KNOWN_MOVES,
	PALEO_KNOWN_GROUPS
};

/* Words of a file of spreads. */
extern const char *const paleo_known_group_names[PALEO_KNOWN_GROUPS];
extern const char *const paleo_nearness_names[PALEO_NEARNESSES];

struct paleo_known_spreads {
	struct paleo_known_spread of[PALEO_KNOWN_GROUPS];
	uint64_t presets; /* of these: paleo_presets_identity() */
};

enum paleo_known_group paleo_known_group_of(const struct paleo_work *w);

/* Tells sets of presets apart: by whose each is, when it was made, of what and how much. Goes on
 * from the presets before it; 0 for none. */
uint64_t paleo_presets_identity(uint64_t before, const struct paleo_calibration *preset);

/* Of calibrations made of published tables: each is priced as if its device had none. ENOMEM. */
int paleo_known_spreads_make(const struct paleo_calibration *presets, int count,
			     struct paleo_known_spreads *out, struct paleo_error *err);

/* Reads what `paleo study --presets --format csv` prints. EINPUT with the line; EIO, ENOMEM. */
int paleo_known_spreads_load(const char *path, struct paleo_known_spreads *out,
			     struct paleo_error *err);

#endif
