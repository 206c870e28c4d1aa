/* work_fields.h - the named fields of every geometry: one table for key, parse and range check. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_WORK_WORK_FIELDS_H
#define PALEO_MODEL_WORK_WORK_FIELDS_H

#include "model/work/work.h"

/* Puts the default into every field that is 0 and whose default is not (strides, dilation, groups,
 * batch, inputs, parts). */
void paleo_work_fields_default(struct paleo_work *w);

/* EINPUT names the first field that is out of its range. */
int paleo_work_fields_check(const struct paleo_work *w, struct paleo_error *err);

#endif
