/* profile.h - what the command `profile` was asked for, profiling one device, and single ops. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_PROFILE_PROFILE_H
#define PALEO_TOOLS_PROFILE_PROFILE_H

#include "base/table.h"
#include "tools/cli/choice.h"
#include "tools/cli/view.h"

/* Settings by the options. */
struct profile_settings {
	const char *device;
	int batch;
	int dtype;
	int layout;
	int fuse;
	int separate_attention;
	int passes;
	struct option_words modes; /* the first is what predictions are held against */
	const char *algo;
	double workspace_limit_bytes;
	double budget_s, timeout_s;
	int rounds;    /* 0: the usual */
	int sustained; /* enum paleo_regime */
	int energy;
	int threads, no_cudnn_norm;
	const char *calibration;
	struct option_list passes_from; /* files of whole passes, for times in-network */
	double ppp_compute, ppp_memory;
	const char *output;
	const char *trace;
	const char *samples;
	int verbose;
	int resume, retry_failed, force;
	int format;
	struct view view;
	struct option_list ops; /* keys of ops to measure, and no nets */
	const char *filter;
	int seq; /* of a config.json; 0: not given */
	/* Lists; each combination in turn becomes batch, seq, dtype and layout. */
	struct choice_lists lists;
	struct paleo_table
		*sweep; /* where the sums of each combination go; NULL: there is but one */
};

/* The nets to profile, as they were named. */
struct profile_nets {
	const char *const *names;
	int count;
};

/* Finds a mistake in what was asked for before any device is opened. EINPUT. */
int profile_check(const struct profile_settings *s, const struct profile_nets *nets,
		  struct paleo_error *err);

/* Profiles the nets on one device, from opening it to closing it, and prints the report; what goes
 * wrong is said on stderr. `is_of_several` 1: other devices are profiled, too, so that this one's
 * records are distinguished from theirs. Under a launcher each rank measures a part of the ops on
 * its own device. Returns the exit code. */
int profile_device(const struct profile_settings *s, const char *device, int is_of_several,
		   const struct profile_nets *nets);

/* Measures the ops of --op on the first device, in each mode, and prints a row for each; what
 * goes wrong is said on stderr. Returns the exit code. */
int profile_ops(const struct profile_settings *s, const char *device);

#endif
