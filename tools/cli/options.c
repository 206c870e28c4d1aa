/* options.c - one option table per command: it drives parsing, --help, man pages and completion. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/cli/options.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum {
	HELP_COLUMN = 28,
	HELP_WIDTH = 96,
	LONG_OPTIONS = 256 /* getopt's codes of long options begin here, beyond all letters */
};

int options_complete(const struct option_spec *from, struct option_spec to[OPTIONS_MAX + 1])
{
	int n = 0;

	for (; from[n].name || from[n].like; n++) {
		assert(n < OPTIONS_MAX);
		to[n] = from[n].like ? *from[n].like : from[n];
		to[n].offset = from[n].offset;
		to[n].more = from[n].more;
		if (from[n].help)
			to[n].help = from[n].help;
	}
	to[n] = (struct option_spec){0};
	return n;
}

static int parse_number(const char *text, double *out)
{
	char *end;

	errno = 0;
	*out = strtod(text, &end) + 0.0; /* "-0" is 0 */
	return end != text && *end == '\0' && !errno;
}

/* "90", "90s", "8m", "1h" in seconds. */
static int parse_time(const char *text, double *out)
{
	static const struct {
		char unit;
		double seconds;
	} units[] = {{'s', 1}, {'m', 60}, {'h', 3600}};
	char number[32];
	size_t size = strlen(text);
	double scale = 1;

	if (!size || size >= sizeof(number))
		return 0;
	memcpy(number, text, size + 1);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (number[size - 1] == units[i].unit) {
			scale = units[i].seconds;
			number[size - 1] = '\0';
			break;
		}
	if (!parse_number(number, out))
		return 0;
	*out *= scale;
	return 1;
}

/* "65536", "64K", "64KiB", "1.5G": powers of 1024. */
static int parse_bytes(const char *text, double *out)
{
	static const char units[] = "KMGT";
	char *end;
	double scale = 1;

	if (!isdigit((unsigned char)text[0]) && text[0] != '.')
		return 0;
	*out = strtod(text, &end);
	const char *unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
	if (unit) {
		scale = ldexp(1, 10 * (int)(unit - units + 1));
		end += strncmp(end + 1, "iB", 2) ? 1 : 3;
	}
	*out *= scale;
	return *end == '\0';
}

/* "5", "5%". */
static int parse_percent(const char *text, double *out)
{
	char number[32];
	size_t size = strlen(text);

	if (!size || size >= sizeof(number))
		return 0;
	memcpy(number, text, size + 1);
	if (number[size - 1] == '%')
		number[size - 1] = '\0';
	return parse_number(number, out);
}

/* The value of an option that is a number in some unit; 0 if it is none. */
static int parse_value(enum option_type type, const char *text, double *out)
{
	if (type == OPTION_TIME)
		return parse_time(text, out);
	if (type == OPTION_PERCENT)
		return parse_percent(text, out);
	return type == OPTION_BYTES ? parse_bytes(text, out) : parse_number(text, out);
}

static const char *unit_help(enum option_type type)
{
	if (type == OPTION_TIME)
		return " seconds (90, 90s, 8m, 1h)";
	if (type == OPTION_PERCENT)
		return " percent (5, 5%)";
	return type == OPTION_BYTES ? " bytes (65536, 64K, 16M, 1.5G)" : "";
}

/* "cold, hot": all of them. */
static void name_words(const struct option_spec *o, char *all, size_t size)
{
	size_t at = 0;

	all[0] = '\0';
	for (int i = 0; o->words[i]; i++) {
		int n = snprintf(all + at, size - at, "%s%s", i ? ", " : "", o->words[i]);
		at += n > 0 && (size_t)n < size - at ? (size_t)n : 0;
	}
}

/* The position of the word of `size` bytes; -1 if it is none of them. */
static int find_word(const struct option_spec *o, const char *text, size_t size)
{
	char name[32];

	for (int i = 0; o->words[i]; i++)
		if (strlen(o->words[i]) == size && !strncmp(o->words[i], text, size))
			return i;
	if (!o->also || size >= sizeof(name))
		return -1;
	memcpy(name, text, size);
	name[size] = '\0';
	return o->also(name);
}

/* Says that this is none of the words, or of a list's, and which is near. */
static int refuse_word(const struct option_spec *o, const char *text, size_t size,
		       struct paleo_error *err)
{
	int several = o->type == OPTION_WORDS;
	char all[256], word[48];

	name_words(o, all, sizeof(all));
	snprintf(word, sizeof(word), "%.*s", (int)(size > 40 ? 40 : size), text);
	const char *near = paleo_nearest(word, o->words);
	return paleo_fail(err, PALEO_EINPUT, "--%s %s '%s', expected one%s of %s%s%s%s%s", o->name,
			  several ? "has" : "is", word, several ? " or more" : "", all,
			  several ? ", comma-separated" : "", near ? " (did you mean '" : "",
			  near ? near : "", near ? "'?)" : "");
}

static int set_word(const struct option_spec *o, const char *text, int *field,
		    struct paleo_error *err)
{
	int word = find_word(o, text, strlen(text));

	if (word < 0)
		return refuse_word(o, text, strlen(text), err);
	*field = word;
	return PALEO_OK;
}

static int set_words(const struct option_spec *o, const char *text, struct option_words *list,
		     struct paleo_error *err)
{
	list->count = 0;
	for (;; text++) {
		size_t size = strcspn(text, ",");
		int word = find_word(o, text, size);
		if (word < 0)
			return refuse_word(o, text, size, err);
		for (int i = 0; i < list->count; i++)
			if (list->items[i] == word)
				return paleo_fail(err, PALEO_EINPUT, "--%s has '%s' twice", o->name,
						  o->words[word]);
		assert(list->count < OPTION_WORDS_MAX); /* each once, and no option has so many */
		list->items[list->count++] = word;
		text += size;
		if (!*text)
			return PALEO_OK;
	}
}

static int set_list(const struct option_spec *o, const char *text, struct option_list *list,
		    struct paleo_error *err)
{
	if (list->count == OPTION_LIST_MAX)
		return paleo_fail(err, PALEO_EINPUT, "--%s was given more than %d times", o->name,
				  OPTION_LIST_MAX);
	list->items[list->count++] = text;
	return PALEO_OK;
}

static int set_number(const struct option_spec *o, const char *text, void *field,
		      struct paleo_error *err)
{
	double value;
	int good = parse_value(o->type, text, &value);

	good = good && value >= o->low && value <= o->high;
	if (o->type == OPTION_INT && good && value != floor(value))
		good = 0;
	if (!good)
		return paleo_fail(err, PALEO_EINPUT,
				  "--%s is '%s', expected %s from %.15g to %.15g%s", o->name, text,
				  o->type == OPTION_INT ? "a whole number" : "a number", o->low,
				  o->high, unit_help(o->type));
	if (o->type == OPTION_INT)
		*(int *)field = (int)value;
	else
		*(double *)field = value;
	return PALEO_OK;
}

/* "1,8,64" */
static int set_ints(const struct option_spec *o, const char *text, struct option_ints *list,
		    struct paleo_error *err)
{
	struct option_spec one = *o;
	char number[32];

	one.type = OPTION_INT;
	for (list->count = 0;; text++) {
		size_t size = strcspn(text, ",");
		if (list->count == OPTION_INTS_MAX)
			return paleo_fail(err, PALEO_EINPUT, "--%s has more than %d numbers",
					  o->name, OPTION_INTS_MAX);
		snprintf(number, sizeof(number), "%.*s", (int)(size < 31 ? size : 31), text);
		PALEO_TRY(set_number(&one, number, &list->items[list->count++], err));
		text += size;
		if (!*text)
			return PALEO_OK;
	}
}

static int set_option(const struct option_spec *o, const char *text, void *settings,
		      struct paleo_error *err)
{
	void *field = (char *)settings + o->offset;

	switch (o->type) {
	case OPTION_FLAG:
		*(int *)field = 1;
		return PALEO_OK;
	case OPTION_TEXT:
		if (!text[0])
			return paleo_fail(err, PALEO_EINPUT, "--%s is empty, expected %s", o->name,
					  o->argument);
		*(const char **)field = text;
		return PALEO_OK;
	case OPTION_LIST:
		return set_list(o, text, field, err);
	case OPTION_INTS:
		return set_ints(o, text, field, err);
	case OPTION_WORD:
		return set_word(o, text, field, err);
	case OPTION_WORDS:
		return set_words(o, text, field, err);
	case OPTION_INT:
	case OPTION_NUMBER:
	case OPTION_TIME:
	case OPTION_BYTES:
	case OPTION_PERCENT:
		break;
	}
	return set_number(o, text, field, err);
}

/* The number of options that begin with these letters. */
static int count_beginning(const struct option_spec *specs, const char *letters)
{
	int n = 0;

	for (; specs->name; specs++)
		n += !strncmp(specs->name, letters, strlen(letters));
	return n;
}

/* The error of getopt as a sentence with the nearest option. `letter` is what it left in optopt: 0
 * for a long name that it does not know or that may be several. */
static int refuse(const struct option_spec *specs, const char *word, int code, int letter,
		  struct paleo_error *err)
{
	const char *names[OPTIONS_MAX + 3] = {0};
	char bare[64] = "";
	int n = 0;

	if (code == ':')
		return paleo_fail(err, PALEO_EINPUT, "%s needs a value", word);
	if (letter >= LONG_OPTIONS)
		return paleo_fail(err, PALEO_EINPUT, "'%.60s': this option takes no value", word);
	if (letter)
		return paleo_fail(err, PALEO_EINPUT,
				  "unknown option '-%c': options begin with -- (see --help)",
				  isgraph((unsigned char)letter) ? letter : '?');
	for (; specs[n].name; n++)
		names[n] = specs[n].name;
	names[n] = "help";
	names[n + 1] = "version";
	snprintf(bare, sizeof(bare), "%.*s", (int)strcspn(word, "="), word);
	const char *name = bare + strspn(bare, "-");
	if (count_beginning(specs, name) > 1)
		return paleo_fail(err, PALEO_EINPUT, "'%s' is ambiguous (see --help)", bare);
	const char *near = paleo_nearest(name, names);
	if (near)
		return paleo_fail(err, PALEO_EINPUT, "unknown option '%s' (did you mean '--%s'?)",
				  bare, near);
	return paleo_fail(err, PALEO_EINPUT, "unknown option '%s' (see --help)", bare);
}

/* Options may be written with '_' in place of '-', as the original Paleo's are: where that makes
 * the name (or the beginning) of an option of it, the word is changed in place. */
static void accept_underscores(const struct option_spec *specs, int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		char name[64];
		size_t size = strcspn(argv[i], "=");
		if (strncmp(argv[i], "--", 2) != 0 || size - 2 >= sizeof(name) ||
		    !memchr(argv[i], '_', size))
			continue;
		memcpy(name, argv[i] + 2, size - 2);
		name[size - 2] = '\0';
		for (char *p = name; *p; p++)
			if (*p == '_')
				*p = '-';
		if (count_beginning(specs, name) || former_option(name))
			memcpy(argv[i] + 2, name, size - 2);
	}
}

static int is_option(const struct option_spec *specs, const char *name)
{
	for (; specs->name; specs++)
		if (!strcmp(specs->name, name))
			return 1;
	return 0;
}

/* Refuses options of earlier versions and of other tools, also where they would abbreviate one of
 * today's. */
static int check_former(const struct option_spec *specs, int argc, char *const *argv,
			struct paleo_error *err)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		char name[64];
		if (strncmp(argv[i], "--", 2) != 0)
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(argv[i] + 2, "="), argv[i] + 2);
		const char *now = is_option(specs, name) ? NULL : former_option(name);
		if (now)
			return paleo_fail(err, PALEO_EINPUT, "unknown option '--%s': use %s", name,
					  now);
	}
	return PALEO_OK;
}

int options_parse(const struct command *c, int argc, char **argv, void *settings, int *first,
		  enum options_wish *wish, struct paleo_error *err)
{
	struct option longs[OPTIONS_MAX + 3] = {{0}};
	struct option_spec specs[OPTIONS_MAX + 1];
	int n = options_complete(c->options, specs);
	int code, at = 0;

	memset(settings, 0, c->settings_size);
	if (c->defaults)
		c->defaults(settings);
	for (int i = 0; i < n; i++)
		longs[i] = (struct option){specs[i].name, specs[i].type != OPTION_FLAG, NULL,
					   LONG_OPTIONS + i};
	longs[n] = (struct option){"help", 0, NULL, LONG_OPTIONS + n};
	longs[n + 1] = (struct option){"version", 0, NULL, LONG_OPTIONS + n + 1};

	accept_underscores(specs, argc, argv);
	PALEO_TRY(check_former(specs, argc, argv, err));
	*wish = WISH_RUN;
	optind = 1;
	opterr = 0;
	while ((code = getopt_long(argc, argv, ":h", longs, &at)) != -1) {
		if (code == 'h' || code >= LONG_OPTIONS + n) {
			*wish = code == LONG_OPTIONS + n + 1 ? WISH_VERSION : WISH_HELP;
			return PALEO_OK;
		}
		if (code < LONG_OPTIONS)
			return refuse(specs, argv[optind - 1], code, optopt, err);
		PALEO_TRY(set_option(&specs[code - LONG_OPTIONS], optarg, settings, err));
	}
	*first = optind;
	return PALEO_OK;
}

/* Prints text broken at blanks, each line but the first indented. */
static void print_wrapped(const char *text, int column, FILE *out)
{
	int at = column;

	while (*text) {
		int word = (int)strcspn(text, " ");
		if (at > column && at + 1 + word > HELP_WIDTH) {
			paleo_print(out, "\n%*s", column, "");
			at = column;
		} else if (at > column) {
			fputc(' ', out);
			at++;
		}
		paleo_print(out, "%.*s", word, text);
		at += word;
		text += word;
		text += strspn(text, " ");
	}
	fputc('\n', out);
}

void option_text(const struct option_spec *o, char *text, size_t size)
{
	static const char mark[] = "{words}";
	char words[256] = "";
	const char *place = o->words ? strstr(o->help, mark) : NULL;
	int before = place ? (int)(place - o->help) : (int)strlen(o->help);

	if (place)
		name_words(o, words, sizeof(words));
	snprintf(text, size, "%.*s%s%s%s", before, o->help, words,
		 place ? place + strlen(mark) : "", o->more ? o->more : "");
}

static void print_option(const struct option_spec *o, FILE *out)
{
	char left[64], help[OPTION_TEXT_MAX];

	snprintf(left, sizeof(left), "  --%s%s%s", o->name, o->argument ? " " : "",
		 o->argument ? o->argument : "");
	paleo_print(out, "%-*s", HELP_COLUMN, left);
	if ((int)strlen(left) >= HELP_COLUMN)
		paleo_print(out, "\n%*s", HELP_COLUMN, "");
	option_text(o, help, sizeof(help));
	print_wrapped(help, HELP_COLUMN, out);
}

const struct option_spec option_help = {.name = "help", .help = "print this help"};
const struct option_spec option_version = {.name = "version", .help = "print the version"};

void options_help(const struct command *c, FILE *out)
{
	struct option_spec specs[OPTIONS_MAX + 1];

	paleo_print(out, "usage: paleo-%s [OPTION]...%s%s\n\n", c->name, c->usage[0] ? " " : "",
		    c->usage);
	for (const char *p = c->about; *p;) {
		const char *end = strchr(p, '\n');
		char line[1024];
		snprintf(line, sizeof(line), "%.*s", end ? (int)(end - p) : (int)strlen(p), p);
		print_wrapped(line, 0, out);
		p = end ? end + 1 : p + strlen(p);
	}
	fputs("\noptions:\n", out);
	options_complete(c->options, specs);
	for (const struct option_spec *o = specs; o->name; o++)
		print_option(o, out);
	print_option(&option_help, out);
	print_option(&option_version, out);
	fputs("\nexamples:\n", out);
	for (const char *p = c->examples; *p; p += strcspn(p, "\n") + 1)
		paleo_print(out, "  %.*s\n", (int)strcspn(p, "\n"), p);
}
