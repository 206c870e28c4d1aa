/* beside.h - layers that servers run beside the experts: those of experts that all tokens share. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_SERVING_BESIDE_H
#define PALEO_MODEL_SERVING_BESIDE_H

#include "model/serving/rows.h"

/* What one of a net's works is: the experts themselves, or of a layer of the same layer of the
 * model that neither waits for them nor they for it. */
enum paleo_beside paleo_beside_of(const struct paleo_work_list *list,
				  const struct paleo_net_work *w);

/*
 * Servers launch such layers on a stream of their own. Both then take as long as the longer of
 * them, but no less than their bytes take together, and their FLOPs: the parts of the prediction.
 * What that saves is taken off those beside the experts, in `p`, of which there is one for each
 * work.
 */
void paleo_beside_hide(const struct paleo_step_work *works, struct paleo_prediction *p, int count);

#endif
