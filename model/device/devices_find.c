/* devices_find.c - finds a device by a user's or the driver's word; the user's own first. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
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

/* Strips the maker and family from a plain name: "k80" for "nvidiateslak80", so that all spellings
 * of a card match. */
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

/* Words that do not distinguish devices. */
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

/* Cuts the generation of a socket off the text after "SXM": 5 of "SXM5"; 0 if there is none. */
static int cut_generation(const char **rest)
{
	const char *after = *rest;
	char word[PLAIN_MAX];

	if (!next_word(&after, word) || !is_digit(word[0]) || word[1] || is_size(word, after))
		return 0;
	*rest = after;
	return word[0] - '0';
}

/* Returns 1 if all words of `text` are in `of`, except the socket's generation and, if it may be
 * missing, the memory. *generation is 0 if there is none. */
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

/* Either side may omit a socket's generation. */
static int same_words(const char *name, const char *text)
{
	int asked, stated;

	return text[0] && words_are_in(name, text, 0, &asked) &&
	       words_are_in(text, name, 1, &stated) && (!asked || !stated || asked == stated);
}

/* "gb200" is not "h200 141 gb": a word must match as a whole. */
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

/* 1 if the device's title or driver name has all distinguishing words of `name`: "A100_SXM" fits
 * several. */
static int fits(const struct paleo_device *d, const char *name)
{
	char plain[PLAIN_MAX];

	return make_plain(name, plain) && core_of(plain)[0] &&
	       (has_words(name, d->title) || has_words(name, d->match));
}

/* The device whose title or driver name has these words in any order: "A100_80GB_SXM", "H100_SXM5".
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

/* Other driver's names of a GPU in the table: of boards for one customer or with another amount of
 * the CPU's memory. */
static const char *usual_name(const char *driver_name)
{
	static const char *const others[][2] = {
		{"NVIDIA A100-PG509-200", "NVIDIA A100-SXM4-40GB"},
		{"NVIDIA A100-PG506-232", "NVIDIA A100-SXM4-80GB"},
		{"NVIDIA A100-SXM-80GB", "NVIDIA A100-SXM4-80GB"},
		{"A100-SXM-80GB", "NVIDIA A100-SXM4-80GB"},
		{"NVIDIA H100 80GB HBM2e", "NVIDIA H100 PCIe"},
		{"NVIDIA GH200 120GB", "NVIDIA GH200 480GB"},
		{"NVIDIA GH200 96GB HBM3", "NVIDIA GH200 480GB"},
		{"NVIDIA GH200 141GB HBM3e", "NVIDIA GH200 144G HBM3e"},
		{"Tesla V100-DGXS-32GB", "Tesla V100-SXM2-32GB"},
		{"Tesla V100-SXM2-32GB-LS", "Tesla V100-SXM2-32GB"},
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strcasecmp(driver_name, others[i][0]))
			return others[i][1];
	return driver_name;
}

const struct paleo_device *paleo_device_among(const struct paleo_device *list, int count,
					      const char *name)
{
	char plain[PLAIN_MAX];

	for (int i = 0; i < count && is_letter_or_digit(*name); i++) /* most are exact */
		if (*name == *list[i].name && !strcmp(name, list[i].name))
			return &list[i];
	if (!make_plain(name, plain))
		return NULL;
	name = usual_name(name);
	for (int i = 0; i < count; i++) /* "Tesla K80" is one die, "K80" both */
		if (!strcmp(name, list[i].match))
			return &list[i];
	if (!make_plain(name, plain))
		return NULL;
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
	const char *word = without_maker(usual_name(driver_name));

	for (int i = 0; i < count; i++)
		if (list[i].match[0] && !strcasecmp(word, without_maker(list[i].match)))
			return &list[i];
	return NULL;
}

/* All known devices: the user's own, then the shipped ones. */

int paleo_catalog_make(const char *path, struct paleo_catalog *out, struct paleo_error *err)
{
	int shipped_count, mine_count = 0;
	const struct paleo_device *shipped = paleo_devices(&shipped_count);
	struct paleo_device *mine = NULL;

	if (path)
		PALEO_TRY(paleo_devices_load(path, &mine, &mine_count, err));
	struct paleo_device *all =
		realloc(mine, ((size_t)mine_count + (size_t)shipped_count) * sizeof(*all));
	if (!all) {
		free(mine);
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for the list of devices");
	}
	*out = (struct paleo_catalog){.devices = all, .count = mine_count};
	for (int i = 0; i < shipped_count; i++)
		if (!paleo_device_among(all, mine_count, shipped[i].name))
			all[out->count++] = shipped[i];
	return PALEO_OK;
}

void paleo_catalog_release(struct paleo_catalog *c)
{
	free(c->devices);
	*c = (struct paleo_catalog){0};
}

/* Writes "h100-pcie, h100-sxm" to `list` for "H100", and "a100-40-sxm, a100-80-sxm" for "a100_sxm":
 * devices that all its words fit. Returns how many there are; devices that do not fit into the
 * buffer are omitted. */
static int kinds_of(const struct paleo_catalog *c, const char *name, char *list, size_t size)
{
	size_t at = 0;
	int count = 0;

	list[0] = '\0';
	for (int i = 0; i < c->count; i++) {
		const char *of = c->devices[i].name;
		if (!fits(&c->devices[i], name))
			continue;
		int n = snprintf(list + at, size - at, "%s%s", count++ ? ", " : "", of);
		if (n < 0 || (size_t)n >= size - at) {
			list[at] = '\0';
			break;
		}
		at += (size_t)n;
	}
	return count;
}

static int unknown_device(const struct paleo_catalog *c, const char *name, struct paleo_error *err)
{
	char list[256];
	int count = kinds_of(c, name, list, sizeof(list));

	if (count > 1)
		return paleo_fail(err, PALEO_EINPUT, "device '%s' is ambiguous: %s", name, list);
	if (count == 1)
		return paleo_fail(err, PALEO_EINPUT, "unknown device '%s' (did you mean '%s'?)",
				  name, list);
	const char **names = calloc((size_t)c->count + 1, sizeof(*names));

	if (!names)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for the names of devices");
	for (int i = 0; i < c->count; i++)
		names[i] = c->devices[i].name;
	const char *near = paleo_nearest(name, names);
	free(names);
	if (near)
		return paleo_fail(
			err, PALEO_EINPUT,
			"unknown device '%s' (did you mean '%s'? 'paleo devices' lists all)", name,
			near);
	return paleo_fail(err, PALEO_EINPUT,
			  "unknown device '%s' ('paleo devices' lists all, "
			  "docs/reference/devices.md describes how to add one)",
			  name);
}

int paleo_catalog_find(const struct paleo_catalog *c, const char *name,
		       const struct paleo_device **out, struct paleo_error *err)
{
	const struct paleo_device *d = paleo_device_among(c->devices, c->count, name);

	if (!d)
		return unknown_device(c, name, err);
	*out = d;
	return PALEO_OK;
}

int paleo_catalog_find_measured(const struct paleo_catalog *c, const char *given,
				const char *called, const struct paleo_device **out,
				struct paleo_error *err)
{
	char die[sizeof((*out)->name)];

	if (given)
		return paleo_catalog_find(c, given, out, err);
	int length = snprintf(die, sizeof(die), "%s-die", called);
	*out = length < (int)sizeof(die) ? paleo_device_among(c->devices, c->count, die) : NULL;
	return *out ? PALEO_OK : paleo_catalog_find(c, called, out, err);
}
