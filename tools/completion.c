/* completion.c - scripts with which bash, zsh and fish complete commands and options. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/text.h"
#include "tools/pages.h"

/* What a value can be, to a shell. */
static int is_word(const struct option_spec *o)
{
	return o->type == OPTION_WORD || o->type == OPTION_WORDS;
}

static int is_text(const struct option_spec *o)
{
	return o->type == OPTION_TEXT || o->type == OPTION_LIST;
}

static void print_words(const char *const *words, FILE *out)
{
	for (int i = 0; words[i]; i++)
		paleo_print(out, "%s%s", i ? " " : "", words[i]);
}

/* What is told, up to a semicolon outside of parentheses, with a backslash before each of `marks`.
 * It stands in '...' in these scripts. */
static void print_what(const char *text, const char *marks, FILE *out)
{
	for (int deep = 0; *text && (deep || *text != ';'); text++) {
		deep += (*text == '(') - (*text == ')');
		if (*text == '\'') {
			fputs("'\\''", out);
			continue;
		}
		if (strchr(marks, *text))
			fputc('\\', out);
		fputc(*text, out);
	}
}

static void print_option_what(const struct option_spec *o, const char *marks, FILE *out)
{
	char text[OPTION_TEXT_MAX];

	option_text(o, text, sizeof(text));
	print_what(text, marks, out);
}

/* All options of a command that are told, and the two that each has. Returns how many. */
static int list_options(const struct command *c, struct option_spec specs[OPTIONS_MAX + 3])
{
	int n = 0;

	options_complete(c->options, specs);
	while (specs[n].name && specs[n].help)
		n++;
	specs[n++] = option_help;
	specs[n++] = option_version;
	specs[n] = (struct option_spec){0};
	return n;
}

static const char bash_head[] =
	"# bash completion of paleo and paleo-COMMAND; made from the program's tables of options\n"
	"_paleo() {\n"
	"\tlocal current=$2 option=$3 command=${1##*/} options='' words='' before=''\n"
	"\tlocal files=1 several=\n"
	"\t# bash takes --option=value for three words\n"
	"\tif [[ $current == = ]]; then current=''; "
	"elif [[ $option == = ]]; then option=${COMP_WORDS[COMP_CWORD - 2]}; fi\n"
	"\tcommand=${command#paleo-}\n"
	"\tif [[ $command == paleo ]]; then\n"
	"\t\tif ((COMP_CWORD == 1)); then\n"
	"\t\t\tCOMPREPLY=($(compgen -W \"$_paleo_commands help --help --version\" -- "
	"\"$current\"))\n"
	"\t\t\treturn\n"
	"\t\tfi\n"
	"\t\tcommand=${COMP_WORDS[1]}\n"
	"\tfi\n"
	"\tcase $command in\n";

static const char bash_tail[] =
	"\thelp) words=$_paleo_commands files= ;;\n"
	"\tesac\n"
	"\tif [[ $several && $current == *,* ]]; then before=${current%,*},; "
	"current=${current##*,}; fi\n"
	"\tif [[ $current == -* && $option != =  ]]; then words=$options files=; fi\n"
	"\tif [[ $words ]]; then\n"
	"\t\tCOMPREPLY=($(compgen -P \"$before\" -W \"$words\" -- \"$current\"))\n"
	"\telif [[ $files ]]; then\n"
	"\t\tcompopt -o filenames 2>/dev/null\n"
	"\t\tlocal IFS=$'\\n'\n"
	"\t\tCOMPREPLY=($(compgen -f -- \"$current\"))\n"
	"\tfi\n"
	"}\n";

static void bash_command(const struct command *c, FILE *out)
{
	struct option_spec specs[OPTIONS_MAX + 3];

	list_options(c, specs);
	paleo_print(out, "\t%s)\n\t\toptions='", c->name);
	for (const struct option_spec *o = specs; o->name; o++)
		paleo_print(out, "%s--%s", o == specs ? "" : " ", o->name);
	fputs("'\n\t\tcase $option in\n", out);
	for (const struct option_spec *o = specs; o->name; o++) {
		if (!is_word(o))
			continue;
		paleo_print(out, "\t\t--%s) words='", o->name);
		print_words(o->words, out);
		paleo_print(out, "'%s ;;\n", o->type == OPTION_WORDS ? " several=1" : "");
	}
	int n = 0;
	for (const struct option_spec *o = specs; o->name; o++)
		if (o->type != OPTION_FLAG && !is_word(o) && !is_text(o))
			fputs(n++ ? " | --" : "\t\t--", out), fputs(o->name, out);
	fputs(n ? ") files= ;;\n" : "", out);
	fputs("\t\tesac\n\t\t;;\n", out);
}

static void print_bash(const struct command *const *commands, FILE *out)
{
	fputs(bash_head, out);
	for (int i = 0; commands[i]; i++)
		bash_command(commands[i], out);
	fputs(bash_tail, out);
	fputs("_paleo_commands='", out);
	for (int i = 0; commands[i]; i++)
		paleo_print(out, "%s%s", i ? " " : "", commands[i]->name);
	fputs("'\ncomplete -F _paleo paleo", out);
	for (int i = 0; commands[i]; i++)
		paleo_print(out, " paleo-%s", commands[i]->name);
	fputc('\n', out);
}

static void zsh_option(const struct option_spec *o, FILE *out)
{
	paleo_print(out, "\t\t\t'%s--%s%s[", o->type == OPTION_LIST ? "*" : "", o->name,
		    o->type == OPTION_FLAG ? "" : "=");
	print_option_what(o, "[]:\\", out);
	fputc(']', out);
	if (o->type != OPTION_FLAG) {
		paleo_print(out, ":%s:", o->argument ? o->argument : "value");
		if (is_text(o))
			fputs("_files", out);
		if (is_word(o)) {
			fputs(o->type == OPTION_WORDS ? "_values -s , word " : "(", out);
			print_words(o->words, out);
			fputs(o->type == OPTION_WORDS ? "" : ")", out);
		}
	}
	fputs("' \\\n", out);
}

static void print_zsh(const struct command *const *commands, FILE *out)
{
	struct option_spec specs[OPTIONS_MAX + 3];

	fputs("#compdef paleo", out);
	for (int i = 0; commands[i]; i++)
		paleo_print(out, " paleo-%s", commands[i]->name);
	fputs("\n# zsh completion; made from the program's tables of options\n"
	      "_paleo() {\n"
	      "\tlocal command=${service#paleo-}\n"
	      "\tlocal -a commands=(\n",
	      out);
	for (int i = 0; commands[i]; i++) {
		paleo_print(out, "\t\t'%s:", commands[i]->name);
		print_what(commands[i]->what, ":\\", out);
		fputs("'\n", out);
	}
	fputs("\t\t'help:tells about a command'\n\t)\n"
	      "\tif [[ $command == paleo ]]; then\n"
	      "\t\tif (( CURRENT == 2 )); then _describe command commands; return; fi\n"
	      "\t\tcommand=$words[2]\n"
	      "\t\tshift words\n"
	      "\t\t(( CURRENT-- ))\n"
	      "\tfi\n"
	      "\tcase $command in\n"
	      "\thelp) _describe command commands ;;\n",
	      out);
	for (int i = 0; commands[i]; i++) {
		list_options(commands[i], specs);
		paleo_print(out, "\t%s)\n\t\t_arguments \\\n", commands[i]->name);
		for (const struct option_spec *o = specs; o->name; o++)
			zsh_option(o, out);
		fputs("\t\t\t'*:file:_files'\n\t\t;;\n", out);
	}
	fputs("\tesac\n}\n_paleo \"$@\"\n", out);
}

static void fish_option(const struct command *c, const struct option_spec *o, FILE *out)
{
	for (int alone = 0; alone < 2; alone++) {
		if (alone)
			paleo_print(out, "complete -c paleo-%s", c->name);
		else
			paleo_print(out, "complete -c paleo -n '__fish_seen_subcommand_from %s'",
				    c->name);
		paleo_print(out, " -l %s%s", o->name,
			    o->type == OPTION_FLAG ? ""
			    : is_text(o)           ? " -r"
						   : " -x");
		if (is_word(o)) {
			/* fish completes a comma's next word by itself when the list is asked of it
			 */
			paleo_print(out, " -a '%s",
				    o->type == OPTION_WORDS ? "(__fish_append , " : "");
			print_words(o->words, out);
			fputs(o->type == OPTION_WORDS ? ")'" : "'", out);
		}
		fputs(" -d '", out);
		print_option_what(o, "\\", out);
		fputs("'\n", out);
	}
}

static void print_fish(const struct command *const *commands, FILE *out)
{
	struct option_spec specs[OPTIONS_MAX + 3];

	fputs("# fish completion; made from the program's tables of options\n", out);
	for (int i = 0; commands[i]; i++) {
		paleo_print(out, "complete -c paleo -f -n __fish_use_subcommand -a %s -d '",
			    commands[i]->name);
		print_what(commands[i]->what, "\\", out);
		fputs("'\n", out);
		list_options(commands[i], specs);
		for (const struct option_spec *o = specs; o->name; o++)
			fish_option(commands[i], o, out);
	}
}

const struct completion_shell completion_shells[] = {
	{"bash", print_bash},
	{"zsh", print_zsh},
	{"fish", print_fish},
	{NULL, NULL},
};
