/* terminal.h - what a stream is shown on: how wide it is, and whether it has colours. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BASE_TERMINAL_H
#define PALEO_BASE_TERMINAL_H

#include <stdio.h>

/* Columns of the terminal, by COLUMNS or, where that is no number, by what it says itself; 0: the
 * stream is no terminal, or its width is not known, and lines may be of any length. */
int paleo_terminal_width(FILE *out);

/* 1 on a terminal with colours, unless NO_COLOR is set and not empty (no-color.org). */
int paleo_terminal_has_colour(FILE *out);

#endif
