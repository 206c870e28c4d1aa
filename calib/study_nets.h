/* study_nets.h - how well a factor on predicted works predicts whole nets that others measured. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_CALIB_STUDY_NETS_H
#define PALEO_CALIB_STUDY_NETS_H

#include "base/error.h"

/* One measured time of a net. */
struct paleo_study_net {
	int group;                /* rows of one group have their factor together */
	int net;                  /* rows of one net are held out together; >= 0 */
	double measured_s;        /* > 0 */
	double works_s;           /* the sum of the predicted works, > 0 */
	double factor, low, high; /* filled in, of other nets; NaN where there are none */
};

/* Each row's factor: the geometric middle of measured / predicted of its group's other nets, and
 * the range that holds 90 % of these, wider for few (split conformal). ENOMEM. */
int paleo_study_nets(struct paleo_study_net *rows, int count, struct paleo_error *err);

/* The same of all nets of a group, into the factor of *out. ENOMEM. */
int paleo_study_nets_all(const struct paleo_study_net *rows, int count, int group,
			 struct paleo_study_net *out, struct paleo_error *err);

#endif
