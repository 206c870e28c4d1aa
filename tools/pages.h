/* pages.h - man pages and completion, from the tables of options. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_PAGES_H
#define PALEO_TOOLS_PAGES_H

#include "tools/options.h"

/* `commands` is NULL-ended in all of these. */

/* Prints the man page of a command. */
void manual_command(const struct command *c, FILE *out);

/* Prints the man page paleo(1), which lists the commands. */
void manual_paleo(const struct command *const *commands, FILE *out);

/* A shell that completes words, and what prints its script. */
struct completion_shell {
	const char *name;
	void (*print)(const struct command *const *commands, FILE *out);
};
extern const struct completion_shell completion_shells[]; /* the last has no name */

#endif
