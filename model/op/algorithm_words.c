/* algorithm_words.c - a library's algorithm for people: its engine, notes and knobs in words. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/op/op.h"

struct word {
	const char *word, *people;
};

static const struct word notes[] = {
#define NOTE(word, people) {#word, people},
#include "model/op/algorithm_words.def"
	{"fast_accumulation", "fast accumulation"}, /* of cublasLt */
	{NULL, NULL}};

static const struct word knobs[] = {
#define KNOB(word, people) {#word, people},
#include "model/op/algorithm_words.def"
	{NULL, NULL}};

/* Of cublasLt; numbers whose meaning is known. */
static const struct numbered {
	struct word name;
	int first;
	const char *values; /* of the first number and those that follow, blanks between */
} numbers[] = {
#define NUMBERS(word, people, first, values) {{#word, people}, first, values},
#include "model/op/algorithm_words.def"
};

static const char *people(const struct word *list, const char *word)
{
	for (; list->word; list++)
		if (!strcmp(list->word, word))
			return list->people;
	return word;
}

/* Cuts the next word off *list. */
static int next_word(const char **list, char word[64])
{
	size_t size;

	*list += strspn(*list, " ");
	size = strcspn(*list, " ");
	snprintf(word, 64, "%.*s", (int)size, *list);
	*list += size;
	return size > 0;
}

/* The value of a number of cublasLt; NULL: it is not known. */
static int find_value(const char *knob, const char *number, const char **name, char value[64])
{
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		const char *at = numbers[i].values;
		long n = strtol(number, NULL, 10) - numbers[i].first;
		if (strcmp(numbers[i].name.word, knob) != 0 || n < 0)
			continue;
		while (next_word(&at, value) && n--)
			;
		if (!value[0]) /* another line may have it */
			continue;
		*name = numbers[i].name.people;
		return value[0] != '-';
	}
	return 0;
}

/* The numbers of tiles, stages and clusters are those of cublasLt in a list that has its `tile`. */
static int is_cublaslt(const char *list)
{
	return !strncmp(list, "tile=", 5);
}

static void append(char *out, size_t size, const char *before, const char *name, const char *value)
{
	size_t used = strlen(out);

	if (used + 1 < size)
		snprintf(out + used, size - used, "%s%s%s%s", used ? before : "", name,
			 *value ? " " : "", value);
}

void paleo_knobs_words(const char *list, int only_known, char *out, size_t size)
{
	int is_lt = is_cublaslt(list);
	char word[64], value[64];

	out[0] = '\0';
	while (next_word(&list, word)) {
		char *number = strchr(word, '=');
		if (!number)
			continue;
		*number++ = '\0';
		const char *name = people(knobs, word);
		if (is_lt && find_value(word, number, &name, value))
			append(out, size, ", ", name, value);
		else if (!only_known)
			append(out, size, ", ", name, number);
	}
}

void paleo_algorithm_words(const struct paleo_algorithm_texts *a, int only_known, char *out,
			   size_t size)
{
	const char *list = a->notes ? a->notes : "";
	char word[64], more[256];

	if (!a->engine || !a->engine[0]) {
		snprintf(out, size, "%s", a->name ? a->name : "");
		return;
	}
	const char *set = a->knobs ? a->knobs : "";
	snprintf(out, size, "%s %s", is_cublaslt(set) ? "algorithm" : "engine", a->engine);
	const char *before = ": ";
	while (next_word(&list, word)) {
		append(out, size, before, people(notes, word), "");
		before = ", ";
	}
	paleo_knobs_words(set, only_known, more, sizeof(more));
	if (more[0])
		append(out, size, before, more, "");
}

void paleo_algorithm_title(const struct paleo_algorithm_texts *a, char *out, size_t size)
{
	const char *more = strstr(a->name, " + "); /* " + bias in it" */
	int library = (int)strcspn(a->name, " ");
	char engine[128];

	paleo_algorithm_words(a, 1, engine, sizeof(engine));
	if (strchr(engine, ':'))
		snprintf(out, size, "%.*s %s%.40s", library, a->name, engine, more ? more : "");
	else
		snprintf(out, size, "%s", a->name);
}
