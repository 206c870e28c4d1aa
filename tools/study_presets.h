/* study_presets.h - the study of presets: how much what is known of one GPU errs on another. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_STUDY_PRESETS_H
#define PALEO_TOOLS_STUDY_PRESETS_H

#include "base/table.h"

/* Prints on stdout the spread of each kind of works and nearness of knowledge, over the shipped
 * presets. EIO, EINPUT, ENOMEM. */
int study_presets(enum paleo_table_format format, struct paleo_error *err);

#endif
