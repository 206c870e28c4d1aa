/* csv.h - the fields of a line between commas. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BASE_CSV_H
#define PALEO_BASE_CSV_H

enum {
	PALEO_CSV_OPEN_QUOTE = -1
};

/* Splits a line at its commas, in place; a field may stand in quotes, and blanks around it do not
 * count. Returns how many, `max` + 1 if there are more than that; or PALEO_CSV_OPEN_QUOTE. */
int paleo_csv_split(char *line, char **fields, int max);

#endif
