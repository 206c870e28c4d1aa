/* predict_notes.h - what `predict` tells about what its times stand on. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_PREDICT_NOTES_H
#define PALEO_TOOLS_PREDICT_NOTES_H

#include <stdio.h>

#include "tools/session/plan.h"

/* How many convolutions are predicted with an algorithm; nothing without any. */
void predict_note_chosen(const struct plan *p, const struct paleo_chosen *c, FILE *out);

/* Of --layout nhwc: says so where the law knows nothing of it. */
void predict_note_layout(const struct paleo_calibration *c, enum paleo_dtype dtype, FILE *out);

/* Says so where works stand on a model that was fitted to nothing. */
void predict_note_guesses(const struct plan *p, FILE *out);

#endif
