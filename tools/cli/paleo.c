/* paleo.c - the program: finds the command by its first argument or its own name, and runs it. */
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "paleo_config.h"
#include "tools/cli/options.h"

static const struct command *const commands[] = {
#define COMMAND(name) &command_##name,
#include "tools/cli/commands.def"
#undef COMMAND
	NULL,
};

/* The exit code that belongs to an enum paleo_status. */
static int command_exit_code(int status)
{
	switch ((enum paleo_status)status) {
	case PALEO_OK:
		return EXIT_GOOD;
	case PALEO_EINPUT:
	case PALEO_EIO:
		return EXIT_MISUSE;
	case PALEO_ELIBRARY:
	case PALEO_EBACKEND:
	case PALEO_ECRASH:
	case PALEO_ETIMEOUT: /* the device did not open; a late row is no failure of the command */
		return EXIT_LIBRARY;
	case PALEO_ENODEVICE:
		return EXIT_NO_DEVICE;
	case PALEO_ENOMEM:
	case PALEO_EUNSUPPORTED:
		break;
	}
	return EXIT_ROWS;
}

int command_fail(const struct command *c, const struct paleo_error *err)
{
	fflush(stdout); /* what was said before stands before, also in a file of both */
	paleo_print(stderr, "paleo-%s: %s\n", c->name, err->text);
	return command_exit_code(err->status);
}

int command_misuse(const struct command *c, const char *sentence)
{
	paleo_print(stderr, "paleo-%s: %s (see --help)\n", c->name, sentence);
	return EXIT_MISUSE;
}

static const struct command *find_command(const char *name)
{
	for (int i = 0; commands[i]; i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	return NULL;
}

static void print_usage(FILE *out)
{
	fputs("usage: paleo COMMAND [OPTION]... (or paleo-COMMAND [OPTION]...)\n\n"
	      "Predict and measure the time of neural networks, layer by layer.\n\n"
	      "commands:\n",
	      out);
	for (int i = 0; commands[i]; i++)
		paleo_print(out, "  %-10s  %s\n", commands[i]->name, commands[i]->what);
	fputs("\n'paleo help COMMAND' or 'paleo COMMAND --help' prints options and examples, "
	      "'paleo --version' the version.\n",
	      out);
}

static int unknown_command(const char *word)
{
	const char *names[sizeof(commands) / sizeof(commands[0])] = {0};

	for (int i = 0; commands[i]; i++)
		names[i] = commands[i]->name;
	const char *near = paleo_nearest(word, names), *now = former_command(word);
	if (now)
		paleo_print(stderr, "paleo: '%s' is now '%s'\n", word, now);
	else if (near)
		paleo_print(stderr, "paleo: unknown command '%s' (did you mean '%s'?)\n", word,
			    near);
	else
		paleo_print(stderr, "paleo: unknown command '%s' (see paleo --help)\n", word);
	return EXIT_MISUSE;
}

static int print_version(void)
{
	paleo_print(stdout, "paleo %s (%s)\n", PALEO_VERSION, PALEO_REVISION);
	return EXIT_GOOD;
}

static int run_command(const struct command *c, int argc, char **argv)
{
	struct paleo_error err;
	enum options_wish wish;
	int first, code;
	void *settings = calloc(1, c->settings_size);

	if (!settings) {
		paleo_print(stderr, "paleo-%s: out of memory\n", c->name);
		return EXIT_ROWS;
	}
	if (options_parse(c, argc, argv, settings, &first, &wish, &err)) {
		code = command_fail(c, &err);
	} else if (wish == WISH_HELP) {
		options_help(c, stdout);
		code = EXIT_GOOD;
	} else if (wish == WISH_VERSION) {
		code = print_version();
	} else {
		code = c->run(settings, (const char *const *)(argv + first), argc - first);
	}
	free(settings);
	return code;
}

/* 'paleo help', 'paleo help COMMAND'. */
static int print_help(const char *name)
{
	const struct command *c = name ? find_command(name) : NULL;

	if (name && !c && strcmp(name, "help") != 0)
		return unknown_command(name);
	if (c)
		options_help(c, stdout);
	else
		print_usage(stdout);
	return EXIT_GOOD;
}

/* 'paleo help --man [COMMAND]', 'paleo help --completion SHELL': what the build installs. Returns
 * -1 if it is neither. */
static int print_page(const char *option, const char *name)
{
	const struct command *c = name ? find_command(name) : NULL;

	if (!strcmp(option, "--man")) {
		if (name && !c)
			return unknown_command(name);
		if (c)
			manual_command(c, stdout);
		else
			manual_paleo(commands, stdout);
		return EXIT_GOOD;
	}
	if (strcmp(option, "--completion") != 0)
		return -1;
	for (const struct completion_shell *s = completion_shells; s->name; s++)
		if (name && !strcmp(s->name, name)) {
			s->print(commands, stdout);
			return EXIT_GOOD;
		}
	paleo_print(stderr, "paleo: --completion is '%s', expected bash, zsh or fish\n",
		    name ? name : "");
	return EXIT_MISUSE;
}

static int run_paleo(int argc, char **argv)
{
	const char *slash = strrchr(argv[0], '/');
	const char *self = slash ? slash + 1 : argv[0];
	const char *prefix = "paleo-";

	if (!strncmp(self, prefix, strlen(prefix))) {
		const struct command *c = find_command(self + strlen(prefix));
		return c ? run_command(c, argc, argv) : unknown_command(self + strlen(prefix));
	}
	if (argc < 2) {
		print_usage(stderr);
		return EXIT_MISUSE;
	}
	if (!strcmp(argv[1], "--version"))
		return print_version();
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return print_help(NULL);
	if (!strcmp(argv[1], "help")) {
		int code = argc > 2 ? print_page(argv[2], argv[3]) : -1;
		return code >= 0 ? code : print_help(argv[2]);
	}
	const struct command *c = find_command(argv[1]);
	return c ? run_command(c, argc - 1, argv + 1) : unknown_command(argv[1]);
}

/* Takes the places of standard streams that the caller closed: a results file must not become
 * standard output. What is then read or written there fails, as it would have. */
static int hold_standard_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			return 0;
	return 1;
}

int main(int argc, char **argv)
{
	if (!hold_standard_streams() || argc < 1)
		return EXIT_MISUSE;
	signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is reported like a full disk */
	int code = run_paleo(argc, argv);
	/* a table that could not be written must not look like success */
	if (!fflush(stdout) && !ferror(stdout))
		return code;
	if (code == EXIT_GOOD)
		paleo_print(stderr, "paleo: writing to standard output failed\n");
	return code ? code : EXIT_MISUSE;
}
