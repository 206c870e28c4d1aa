/* csv.c - the fields of a line between commas. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/lines.h"

static int is_blank(char c)
{
	return c == ' ' || c == '\t';
}

int paleo_csv_split(char *line, char **fields, int max)
{
	int n = 0, more = 1;
	char *from = line, *to = line;

	for (; more && n < max; n++) {
		int quoted = 0;
		char *end = to; /* end of the text without trailing blanks */
		while (is_blank(*from))
			from++;
		fields[n] = to;
		for (; *from && (quoted || *from != ','); from++) {
			if (*from == '"')
				quoted = !quoted;
			else
				*to++ = *from;
			if (quoted || !is_blank(*from))
				end = to;
		}
		if (quoted)
			return PALEO_CSV_OPEN_QUOTE;
		more = *from == ',';
		from++;
		to = end;
		*to++ = '\0';
	}
	return more ? max + 1 : n;
}
