/* devices_find.c - finds a device by the name a user gives, or by the driver's word. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "model/device/device.h"

enum {
	PLAIN_MAX = 64 /* as long as the longest name or title, with its NUL */
};

static int is_letter_or_digit(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static char to_lower(char c)
{
	return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

/* Leaves letters and digits, in lower case. Returns 0 if there are too many, or none. */
static int make_plain(const char *text, char plain[PLAIN_MAX])
{
	size_t length = 0;

	for (; *text; text++) {
		if (!is_letter_or_digit(*text))
			continue;
		if (length == PLAIN_MAX - 1)
			return 0;
		plain[length++] = to_lower(*text);
	}
	plain[length] = '\0';
	return length > 0;
}

static const char *skip_word(const char *plain, const char *word)
{
	size_t length = strlen(word);

	return strncmp(plain, word, length) ? plain : plain + length;
}

/* What is left of a plain name without the maker's and the family's word in front: "k80" of
 * "nvidiateslak80", so that all ways to call a card meet. */
static const char *core_of(const char *plain)
{
	plain = skip_word(skip_word(skip_word(plain, "nvidia"), "tesla"), "geforce");
	return skip_word(skip_word(skip_word(plain, "amd"), "radeon"), "instinct");
}

static int same_name(const char *core, const char *name)
{
	char plain[PLAIN_MAX];

	return make_plain(name, plain) && !strcmp(core, core_of(plain));
}

/* Cuts the next word off the text, a run of letters or of digits, in lower case. 0 at its end. */
static int next_word(const char **text, char word[PLAIN_MAX])
{
	const char *from = *text;
	size_t length = 0;

	while (*from && !is_letter_or_digit(*from))
		from++;
	int digits = is_digit(*from);
	while (is_letter_or_digit(from[length]) && is_digit(from[length]) == digits &&
	       length < PLAIN_MAX - 1) {
		word[length] = to_lower(from[length]);
		length++;
	}
	word[length] = '\0';
	*text = from + length;
	return length > 0;
}

static int has_word(const char *text, const char *wanted)
{
	char word[PLAIN_MAX];

	while (next_word(&text, word))
		if (!strcmp(word, wanted))
			return 1;
	return 0;
}

/* Words that tell no two devices apart. */
static int says_nothing(const char *word)
{
	static const char *const makers[] = {"nvidia", "amd",      "tesla", "geforce",
					     "radeon", "instinct", "gtx"};

	for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++)
		if (!strcmp(word, makers[i]))
			return 1;
	return 0;
}

/* A memory's size, "80 GB". */
static int is_size(const char *word, const char *rest)
{
	char unit[PLAIN_MAX];

	return !strcmp(word, "gb") ||
	       (is_digit(word[0]) && next_word(&rest, unit) && !strcmp(unit, "gb"));
}

/* Cuts the generation of a socket off what follows "SXM": 5 of "SXM5"; 0 if none is said. */
static int cut_generation(const char **rest)
{
	const char *after = *rest;
	char word[PLAIN_MAX];

	if (!next_word(&after, word) || !is_digit(word[0]) || word[1] || is_size(word, after))
		return 0;
	*rest = after;
	return word[0] - '0';
}

/* Whether all that `text` says, but for its socket's generation and for its memory if that may be
 * missing, is in `of`. *generation is 0 if it says none. */
static int words_are_in(const char *text, const char *of, int without_sizes, int *generation)
{
	char word[PLAIN_MAX];

	*generation = 0;
	while (next_word(&text, word)) {
		if (says_nothing(word) || (without_sizes && is_size(word, text)))
			continue;
		if (!has_word(of, word))
			return 0;
		if (!strcmp(word, "sxm"))
			*generation = cut_generation(&text);
	}
	return 1;
}

/* Of a socket's generation, one may say nothing. */
static int same_words(const char *name, const char *text)
{
	int asked, stated;

	return text[0] && words_are_in(name, text, 0, &asked) &&
	       words_are_in(text, name, 1, &stated) && (!asked || !stated || asked == stated);
}

/* "gb200" is not "h200 141 gb": what is written as one stands as one. */
static int begins_a_part(const char *name, const char *text)
{
	char first[PLAIN_MAX], plain[PLAIN_MAX];

	snprintf(first, sizeof(first), "%.*s", (int)strcspn(name, " -_"), name);
	for (char *c = first; *c; c++)
		*c = to_lower(*c);
	return make_plain(text, plain) && strstr(plain, first);
}

static int has_words(const char *name, const char *text)
{
	int generation;

	return begins_a_part(name, text) && words_are_in(name, text, 0, &generation);
}

int paleo_device_fits(const struct paleo_device *d, const char *name)
{
	char plain[PLAIN_MAX];

	return make_plain(name, plain) && core_of(plain)[0] &&
	       (has_words(name, d->title) || has_words(name, d->match));
}

/* The one whose title or driver's word has these words in any order: "A100_80GB_SXM", "H100_SXM5".
 * NULL for none or several. */
static const struct paleo_device *among_words(const struct paleo_device *list, int count,
					      const char *name)
{
	const struct paleo_device *found = NULL;

	for (int i = 0; i < count; i++) {
		if (!same_words(name, list[i].title) && !same_words(name, list[i].match))
			continue;
		if (found)
			return NULL;
		found = &list[i];
	}
	return found;
}

const struct paleo_device *paleo_device_among(const struct paleo_device *list, int count,
					      const char *name)
{
	char plain[PLAIN_MAX];

	if (!make_plain(name, plain))
		return NULL;
	for (int i = 0; i < count; i++) /* most names come from here */
		if (!strcmp(name, list[i].name))
			return &list[i];
	const char *core = core_of(plain);
	for (int i = 0; i < count; i++)
		if (same_name(core, list[i].name))
			return &list[i];
	for (int i = 0; i < count; i++)
		if (same_name(core, list[i].title))
			return &list[i];
	for (int i = 0; i < count; i++)
		if (same_name(core, list[i].match))
			return &list[i];
	return among_words(list, count, name);
}

const struct paleo_device *paleo_device_find(const char *name)
{
	int count;
	const struct paleo_device *list = paleo_devices(&count);

	return paleo_device_among(list, count, name);
}

/* Length of the first word. */
static size_t word_length(const char *name)
{
	size_t n = 0;

	while (is_letter_or_digit(name[n]))
		n++;
	return n;
}

int paleo_device_same_chip(const char *a, const char *b)
{
	const struct paleo_device *x = paleo_device_find(a), *y = paleo_device_find(b);

	if (x && x == y)
		return 1;
	if (x && y && x->chip[0] && y->chip[0])
		return !strcmp(x->chip, y->chip);
	return word_length(a) == word_length(b) && !strncasecmp(a, b, word_length(a));
}

/* Drivers before 2021 did not put the maker in front. */
static const char *without_maker(const char *driver_name)
{
	static const char maker[] = "NVIDIA ";
	size_t length = sizeof(maker) - 1;

	return strncasecmp(driver_name, maker, length) ? driver_name : driver_name + length;
}

const struct paleo_device *paleo_device_match(const char *driver_name)
{
	int count;
	const struct paleo_device *list = paleo_devices(&count);
	const char *word = without_maker(driver_name);

	for (int i = 0; i < count; i++)
		if (list[i].match[0] && !strcasecmp(word, without_maker(list[i].match)))
			return &list[i];
	return NULL;
}
