/* law_list.h - the laws that the table holds. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_LAWS_LAW_LIST_H
#define PALEO_MODEL_LAWS_LAW_LIST_H

#include "model/laws/laws.h"

extern const struct paleo_law paleo_law_paleo2017;  /* costs_2017.c */
extern const struct paleo_law paleo_law_paleo;      /* costs_works.c */
extern const struct paleo_law paleo_law_calibrated; /* costs_works.c */

#endif
