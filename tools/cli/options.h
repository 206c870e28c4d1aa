/* options.h - one option table per command: it drives parsing, --help, man pages and completion. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_CLI_OPTIONS_H
#define PALEO_TOOLS_CLI_OPTIONS_H

#include <stddef.h>
#include <stdio.h>

#include "base/error.h"

enum option_type {
	OPTION_FLAG,    /* int, set to 1 */
	OPTION_TEXT,    /* const char *, borrowed from argv */
	OPTION_LIST,    /* struct option_list, one more at each use */
	OPTION_INT,     /* int within [low, high] */
	OPTION_INTS,    /* struct option_ints: several of them with commas between */
	OPTION_NUMBER,  /* double within [low, high] */
	OPTION_TIME,    /* double in seconds: "90", "90s", "8m", "1h" */
	OPTION_BYTES,   /* double in bytes: "65536", "64K", "1.5G", in powers of 1024 */
	OPTION_PERCENT, /* double in per cent: "5", "5%" */
	OPTION_WORD,    /* int, the position in `words` */
	OPTION_WORDS,   /* struct option_words: several of them with commas between, each once */
};

enum {
	OPTIONS_MAX = 64,
	OPTION_TEXT_MAX = 2048,
	OPTION_LIST_MAX = 256,
	OPTION_WORDS_MAX = 16,
	OPTION_INTS_MAX = 32
};

struct option_ints {
	int items[OPTION_INTS_MAX], count;
};

struct option_list {
	const char *items[OPTION_LIST_MAX];
	int count;
};

struct option_words {
	int items[OPTION_WORDS_MAX]; /* positions in `words`, in the order they were given */
	int count;
};

/* One option; a table ends with one that has neither a name nor a like. */
struct option_spec {
	const struct option_spec *like; /* an entry of options.def; offset and help may differ */
	const char *more;               /* appended to the help of `like` */
	const char *name;               /* "batch" for --batch */
	enum option_type type;
	size_t offset;            /* of the field in the command's settings */
	const char *argument;     /* placeholder in help: "N" */
	const char *help;         /* one line with the default; "{words}": all of `words` */
	double low, high;         /* of INT, NUMBER, TIME, BYTES, PERCENT */
	const char *const *words; /* of WORD and WORDS, NULL-ended */
	/* Which of the words another name stands for, -1: none. NULL: there are no other names. */
	int (*also)(const char *name);
};

/* A line of a command's table: an entry of options.def, with its help, more after it, or another.
 */
#define LIKE(option, at)                                                                           \
	{                                                                                          \
		.like = &option_##option, .offset = (at)                                           \
	}
#define LIKE_MORE(option, at, after)                                                               \
	{                                                                                          \
		.like = &option_##option, .offset = (at), .more = (after)                          \
	}
#define LIKE_BUT(option, at, about)                                                                \
	{                                                                                          \
		.like = &option_##option, .offset = (at), .help = (about)                          \
	}

/* A command of the program: one file or folder in tools/, one line in commands.def. */
struct command {
	const char *name;     /* "profile" */
	const char *what;     /* one line for the list of commands */
	const char *usage;    /* what follows the options: "NET.json..." */
	const char *about;    /* paragraphs for --help */
	const char *examples; /* command lines for --help, each with its line end */
	const struct option_spec *options;
	size_t settings_size;
	void (*defaults)(void *settings); /* NULL: all zero */
	/* `count` arguments that are not options. Returns the exit code. */
	int (*run)(const void *settings, const char *const *arguments, int count);
};

/* The commands there are: command_profile ... */
#define COMMAND(name) extern const struct command command_##name;
#include "tools/cli/commands.def"
#undef COMMAND

/* What to type now for an option of earlier versions or other tools, or a former command; NULL: it
 * is none. */
const char *former_option(const char *name);
const char *former_command(const char *name);

/* Exit codes. */
enum exit_code {
	EXIT_GOOD = 0,
	EXIT_ROWS = 1,       /* some rows failed */
	EXIT_MISUSE = 2,     /* wrong options or files */
	EXIT_LIBRARY = 3,    /* the vendor's libraries are unusable */
	EXIT_NO_DEVICE = 4,  /* no such device */
	EXIT_BUDGET = 5,     /* the time budget left rows without a time, measured or predicted */
	EXIT_SLOWER = 6,     /* what was compared is slower than may be */
	EXIT_UNMEASURED = 7, /* less than half of the predicted time was measured */
	EXIT_INTERRUPTED = 130,
};

/* The request of a command line. */
enum options_wish {
	WISH_RUN,
	WISH_HELP,
	WISH_VERSION,
};

/* Fills `settings` (zeroed, then defaults) from the command line; what is left are the arguments:
 * argv[*first ...]. EINPUT with a sentence. After --help or --version it reads no further. */
int options_parse(const struct command *c, int argc, char **argv, void *settings, int *first,
		  enum options_wish *wish, struct paleo_error *err);

/* Prints a command's help, made from its table. */
void options_help(const struct command *c, FILE *out);

/* A command's options, each with all it has. An empty one ends them. Returns how many. */
int options_complete(const struct option_spec *from, struct option_spec to[OPTIONS_MAX + 1]);

/* The help of an option, on one line. */
void option_text(const struct option_spec *o, char *text, size_t size);

/* Options that every command has besides its table. */
extern const struct option_spec option_help, option_version;

/* Prints "paleo-profile: sentence" on stderr and returns the exit code of the error. */
int command_fail(const struct command *c, const struct paleo_error *err);

/* Prints "paleo-profile: sentence (see --help)" on stderr and returns EXIT_MISUSE. */
int command_misuse(const struct command *c, const char *sentence);

/* One line for one option of a command's table: a macro for each type. `word` is "batch" for
 * --batch, `at` the offset of the field (0 of an option that commands share), `called` how help
 * calls what follows, `about` the help. */
#define OPTION_ROW(kind, word, at, called, about)                                                  \
	.name = (word), .type = (kind), .offset = (at), .argument = (called), .help = (about)
#define OPTION_ROW_WITHIN(kind, word, at, called, from, to, about)                                 \
	{                                                                                          \
		OPTION_ROW(kind, word, at, called, about), .low = (from), .high = (to)             \
	}
#define OPTION_ROW_OF(kind, word, at, called, list, about)                                         \
	{                                                                                          \
		OPTION_ROW(kind, word, at, called, about), .words = (list)                         \
	}
#define WORD_OR(word, called, kind, list, other, about)                                            \
	{                                                                                          \
		OPTION_ROW(kind, word, 0, called, about), .words = (list), .also = (other)         \
	}

#define FLAG(word, at, about)                                                                      \
	{                                                                                          \
		OPTION_ROW(OPTION_FLAG, word, at, NULL, about)                                     \
	}
#define TEXT(word, at, called, about)                                                              \
	{                                                                                          \
		OPTION_ROW(OPTION_TEXT, word, at, called, about)                                   \
	}
#define EACH(word, at, called, about)                                                              \
	{                                                                                          \
		OPTION_ROW(OPTION_LIST, word, at, called, about)                                   \
	}
#define WORD(word, at, called, list, about)                                                        \
	OPTION_ROW_OF(OPTION_WORD, word, at, called, list, about)
#define WORDS(word, at, called, list, about)                                                       \
	OPTION_ROW_OF(OPTION_WORDS, word, at, called, list, about)
#define WHOLE(word, at, called, from, to, about)                                                   \
	OPTION_ROW_WITHIN(OPTION_INT, word, at, called, from, to, about)
#define WHOLES(word, at, called, from, to, about)                                                  \
	OPTION_ROW_WITHIN(OPTION_INTS, word, at, called, from, to, about)
#define NUMBER(word, at, called, from, to, about)                                                  \
	OPTION_ROW_WITHIN(OPTION_NUMBER, word, at, called, from, to, about)
#define TIME(word, at, called, from, to, about)                                                    \
	OPTION_ROW_WITHIN(OPTION_TIME, word, at, called, from, to, about)
#define PERCENT(word, at, called, from, to, about)                                                 \
	OPTION_ROW_WITHIN(OPTION_PERCENT, word, at, called, from, to, about)
#define BYTES(word, at, called, from, to, about)                                                   \
	OPTION_ROW_WITHIN(OPTION_BYTES, word, at, called, from, to, about)

/* Prints the man page of a command. */
void manual_command(const struct command *c, FILE *out);

/* Prints the man page paleo(1), which lists the commands, a NULL-ended list here and below. */
void manual_paleo(const struct command *const *commands, FILE *out);

/* A shell that completes words, and what prints its script. */
struct completion_shell {
	const char *name;
	void (*print)(const struct command *const *commands, FILE *out);
};
extern const struct completion_shell completion_shells[]; /* the last has no name */

#endif
