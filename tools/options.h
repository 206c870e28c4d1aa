/* options.h - one option table per command: it drives parsing, --help, man pages and completion. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_OPTIONS_H
#define PALEO_TOOLS_OPTIONS_H

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
	const struct option_spec *like; /* it is this one (tools/choice.h), but for its offset and,
					   where there is one, its help */
	const char *more;               /* with like: follows that one's help */
	const char *name;               /* "batch" for --batch */
	const char *formerly;           /* taken for it, too, but told to nobody; NULL: none */
	enum option_type type;
	size_t offset;            /* of the field in the command's settings */
	const char *argument;     /* how help calls it: "N" */
	const char *help;         /* one line; says the default. "{words}": all of `words` */
	double low, high;         /* of INT, NUMBER, TIME, BYTES, PERCENT */
	const char *const *words; /* of WORD and WORDS, NULL-ended */
	/* Which of the words another name stands for, -1: none. NULL: there are no other names. */
	int (*also)(const char *name);
};

/* A command of the program: one file in tools/, one line in commands.def. */
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
#include "tools/commands.def"
#undef COMMAND

/* How a program ends. */
enum exit_code {
	EXIT_GOOD = 0,
	EXIT_ROWS = 1,      /* some rows failed */
	EXIT_MISUSE = 2,    /* wrong options or files */
	EXIT_LIBRARY = 3,   /* the vendor's libraries are unusable */
	EXIT_NO_DEVICE = 4, /* no such device */
	EXIT_BUDGET = 5,    /* the time budget left rows without a time, measured or predicted */
	EXIT_SLOWER = 6,    /* what was compared is slower than may be */
	EXIT_INTERRUPTED = 130,
};

/* What a command line asks for. */
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

/* A command's options, each with all it has; those by a former name come last, without help. An
 * empty one ends them. Returns how many. */
int options_complete(const struct option_spec *from, struct option_spec to[OPTIONS_MAX + 1]);

/* All that is told of an option, on one line. */
void option_text(const struct option_spec *o, char *text, size_t size);

/* What every command has besides its table. */
extern const struct option_spec option_help, option_version;

/* The exit code that belongs to an enum paleo_status. */
int command_exit_code(int status);

/* Prints "paleo-profile: sentence" on stderr and returns the exit code of the error. */
int command_fail(const struct command *c, const struct paleo_error *err);

#endif
