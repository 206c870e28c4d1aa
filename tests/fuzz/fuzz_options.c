/* fuzz_options.c - any words as a command line; what is accepted is within the table's bounds. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "tests/fuzz/fuzz.h"
#include "tools/cli/choice.h"
#include "tools/session/session.h"

enum {
	WORDS_MAX = 64
};

/* What tools/cli/option_table.c takes of the session, whose backends are not wanted here. */
const char session_device_argument[] = "auto", session_device_help[] = "a device";

struct settings {
	const char *text;
	struct option_list list;
	struct option_words words;
	int count, dtype, flag;
	double share, time_s, bytes, percent;
	struct option_ints counts;
};

#define AT(field) offsetof(struct settings, field)
static const struct option_spec options[] = {
	{.name = "text", .type = OPTION_TEXT, .offset = AT(text), .argument = "T", .help = "text"},
	{.name = "list", .type = OPTION_LIST, .offset = AT(list), .argument = "T", .help = "texts"},
	{.name = "count",
	 .type = OPTION_INT,
	 .offset = AT(count),
	 .argument = "N",
	 .help = "number",
	 .low = 1,
	 .high = 100},
	{.name = "share",
	 .type = OPTION_NUMBER,
	 .offset = AT(share),
	 .argument = "F",
	 .help = "number",
	 .low = 0,
	 .high = 1},
	{.name = "time",
	 .type = OPTION_TIME,
	 .offset = AT(time_s),
	 .argument = "TIME",
	 .help = "time",
	 .low = 0.1,
	 .high = 86400},
	{.name = "bytes",
	 .type = OPTION_BYTES,
	 .offset = AT(bytes),
	 .argument = "BYTES",
	 .help = "bytes",
	 .low = 1,
	 .high = 1e15},
	{.name = "percent",
	 .type = OPTION_PERCENT,
	 .offset = AT(percent),
	 .argument = "P",
	 .help = "percent",
	 .high = 100},
	{.name = "counts",
	 .type = OPTION_INTS,
	 .offset = AT(counts),
	 .argument = "N,...",
	 .help = "numbers",
	 .low = 1,
	 .high = 100},
	{.name = "modes",
	 .type = OPTION_WORDS,
	 .offset = AT(words),
	 .argument = "WORDS",
	 .help = "words",
	 .words = choice_mode},
	{.like = &option_dtype, .offset = AT(dtype)},
	{.like = &option_resume, .offset = AT(flag)},
	{0},
};

static const struct command command = {
	.name = "fuzz",
	.what = "",
	.usage = "",
	.about = "",
	.examples = "",
	.options = options,
	.settings_size = sizeof(struct settings),
};

/* 0: the option was not given. */
static void demand_within(double x, double low, double high)
{
	demand(x == 0 || (x >= low && x <= high));
}

static void demand_settings(const struct settings *s)
{
	demand_within(s->count, 1, 100);
	demand_within(s->share, 0, 1);
	demand_within(s->time_s, 0.1, 86400);
	demand_within(s->bytes, 1, 1e15);
	demand(s->flag == 0 || s->flag == 1);
	demand(s->dtype >= 0 && paleo_dtype_names[s->dtype] != NULL);
	demand(s->list.count >= 0 && s->list.count <= OPTION_LIST_MAX);
	demand(s->words.count >= 0 && s->words.count <= OPTION_WORDS_MAX);
	for (int i = 0; i < s->words.count; i++)
		for (int j = 0; j < i; j++)
			demand(s->words.items[i] != s->words.items[j]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char program[] = "fuzz";
	char *text = malloc(size + 1), *argv[WORDS_MAX + 2] = {program}, *rest = NULL;
	struct settings settings = {0};
	enum options_wish wish;
	struct paleo_error err = {0};
	int argc = 1, first = 0;

	demand(text != NULL);
	memcpy(text, data, size);
	text[size] = '\0';
	for (char *word = strtok_r(text, "\n", &rest); word && argc <= WORDS_MAX;
	     word = strtok_r(NULL, "\n", &rest))
		argv[argc++] = word;
	if (options_parse(&command, argc, argv, &settings, &first, &wish, &err)) {
		demand(err.status == PALEO_EINPUT && err.text[0] != '\0');
	} else if (wish == WISH_RUN) {
		demand(first >= 1 && first <= argc);
		demand_settings(&settings);
	}
	free(text);
	return 0;
}
