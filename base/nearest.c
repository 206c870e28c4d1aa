/* nearest.c - finds the word that was probably meant. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <string.h>

#include "base/json.h"

enum {
	WORD_MAX = 63 /* a longer word gets no hint */
};

/* Upper or lower case is no difference. */
static int differ(char a, char b)
{
	return tolower((unsigned char)a) != tolower((unsigned char)b);
}

static int least(int a, int b)
{
	return a < b ? a : b;
}

/*
 * Insertions, deletions, replacements and swaps of two neighbours that turn `a` into `b`
 * (Damerau-Levenshtein in the form that edits no part twice). Both have at most WORD_MAX bytes.
 */
static int distance(const char *a, const char *b)
{
	int rows[3][WORD_MAX + 1]; /* row i: from the first i bytes of a */
	int m = (int)strlen(a);
	int n = (int)strlen(b);

	for (int j = 0; j <= n; j++)
		rows[0][j] = j;
	for (int i = 1; i <= m; i++) {
		const int *before = rows[(i + 1) % 3];
		const int *above = rows[(i - 1) % 3];
		int *row = rows[i % 3];
		row[0] = i;
		for (int j = 1; j <= n; j++) {
			int replaced = above[j - 1] + differ(a[i - 1], b[j - 1]);
			row[j] = least(replaced, least(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && !differ(a[i - 1], b[j - 2]) &&
			    !differ(a[i - 2], b[j - 1]))
				row[j] = least(row[j], before[j - 2] + 1);
		}
	}
	return rows[m % 3][n];
}

const char *paleo_nearest(const char *word, const char *const *candidates)
{
	const char *best = NULL;
	int best_distance = WORD_MAX;
	size_t length = strlen(word);

	if (length > WORD_MAX)
		return NULL;
	for (; *candidates; candidates++) {
		size_t other = strlen(*candidates);
		int longer = (int)(other > length ? other : length);
		if (longer > WORD_MAX)
			continue;
		int d = distance(word, *candidates);
		/* A third of the length, rounded up; but something must be left in common. */
		if (d <= (longer + 2) / 3 && d < longer && d < best_distance) {
			best = *candidates;
			best_distance = d;
		}
	}
	return best;
}
