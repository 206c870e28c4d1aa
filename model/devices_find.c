/* devices_find.c - finds a device by the name a user gives, or by the driver's word. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <strings.h>

#include "model/device.h"

enum {
	PLAIN_MAX = 64 /* as long as the longest name or title, with its NUL */
};

static int is_letter_or_digit(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
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
	return skip_word(skip_word(skip_word(plain, "nvidia"), "tesla"), "geforce");
}

static int same_name(const char *core, const char *name)
{
	char plain[PLAIN_MAX];

	return make_plain(name, plain) && !strcmp(core, core_of(plain));
}

const struct paleo_device *paleo_device_among(const struct paleo_device *list, int count,
					      const char *name)
{
	char plain[PLAIN_MAX];

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
	return NULL;
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
