/* former.c - options and commands of earlier versions, and what to type now. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <string.h>

#include "tools/cli/options.h"

struct former {
	const char *name, *now;
};

static const struct former options[] = {
#define FORMER_COMMAND(old, now)
#define FORMER_OPTION(old, now) {old, now},
#include "tools/cli/former.def"
#undef FORMER_COMMAND
#undef FORMER_OPTION
	{NULL, NULL},
};

static const struct former commands[] = {
#define FORMER_COMMAND(old, now) {old, now},
#define FORMER_OPTION(old, now)
#include "tools/cli/former.def"
#undef FORMER_COMMAND
#undef FORMER_OPTION
	{NULL, NULL},
};

static const char *find(const struct former *f, const char *name)
{
	while (f->name && strcmp(f->name, name) != 0)
		f++;
	return f->now;
}

const char *former_option(const char *name)
{
	return find(options, name);
}

const char *former_command(const char *name)
{
	return find(commands, name);
}
