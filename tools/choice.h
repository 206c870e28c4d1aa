/* choice.h - the words that several commands offer for the same option. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_CHOICE_H
#define PALEO_TOOLS_CHOICE_H

extern const char *const choice_dtype[];  /* in the order of enum paleo_dtype */
extern const char *const choice_layout[]; /* in the order of enum paleo_layout */
extern const char *const choice_pass[];   /* "all", "fwd", "bwd", "update" */
extern const unsigned choice_pass_bits[]; /* what each of these lists */
extern const char *const choice_mode[];   /* in the order of enum paleo_cache_mode */
extern const char *const choice_format[]; /* in the order of enum paleo_table_format */

#endif
