/* pages.c - man pages and completion for bash, zsh and fish, from the tables of options. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "model/device/device.h"
#include "paleo_config.h"
#include "tools/cli/options.h"

/* Characters that troff needs escaped. */
static const char *troff(char c)
{
	switch (c) {
	case '\\':
		return "\\(rs";
	case '-':
		return "\\-";
	case '\'':
		return "\\(aq";
	case '"':
		return "\\(dq";
	case '`':
		return "\\(ga";
	case '^':
		return "\\(ha";
	case '~':
		return "\\(ti";
	}
	return NULL;
}

/* Prints the first `size` bytes of a line of text. No line of it can be a request: a full stop at
 * its beginning is hidden. */
static void print_text(const char *text, size_t size, FILE *out)
{
	if (size && text[0] == '.')
		fputs("\\&", out);
	for (size_t i = 0; i < size && text[i]; i++) {
		const char *other = troff(text[i]);
		if (other)
			fputs(other, out);
		else
			fputc(text[i], out);
	}
}

static void print_line(const char *text, FILE *out)
{
	print_text(text, strlen(text), out);
	fputc('\n', out);
}

/* "PALEO-PROFILE": a page's title. */
static void print_head(const char *dash, const char *name, const char *what, FILE *out)
{
	paleo_print(out, ".\\\" made from the program's tables of options\n.TH PALEO");
	fputs(*dash ? "\\-" : "", out);
	for (const char *p = name; *p; p++) {
		fputs(*p == '-' ? "\\" : "", out);
		fputc(toupper((unsigned char)*p), out);
	}
	paleo_print(out, " 1 \"\" \"paleo %s\" \"paleo\"\n.SH NAME\npaleo%s", PALEO_VERSION,
		    *dash ? "\\-" : "");
	print_text(name, strlen(name), out);
	fputs(" \\- ", out);
	print_line(what, out);
}

static void print_option(const struct option_spec *o, FILE *out)
{
	char text[OPTION_TEXT_MAX];

	fputs(".TP\n\\fB\\-\\-", out);
	print_text(o->name, strlen(o->name), out);
	fputs("\\fR", out);
	if (o->argument) {
		fputs(" \\fI", out);
		print_text(o->argument, strlen(o->argument), out);
		fputs("\\fR", out);
	}
	fputc('\n', out);
	option_text(o, text, sizeof(text));
	print_line(text, out);
}

/* A paragraph for each line; the one on the exit status has a section of its own. */
static void print_about(const char *about, FILE *out)
{
	static const char status[] = "Exit status: ";

	for (const char *p = about; *p;) {
		size_t size = strcspn(p, "\n");
		int exits = !strncmp(p, status, strlen(status));
		fputs(exits ? ".SH EXIT STATUS\n" : p == about ? "" : ".PP\n", out);
		size_t skip = exits ? strlen(status) : 0;
		print_text(p + skip, size - skip, out);
		fputc('\n', out);
		p += size + (p[size] == '\n');
	}
}

static void print_examples(const char *examples, FILE *out)
{
	fputs(".SH EXAMPLES\n.EX\n", out);
	for (const char *p = examples; *p;) {
		size_t size = strcspn(p, "\n");
		print_text(p, size, out);
		fputc('\n', out);
		p += size + (p[size] == '\n');
	}
	fputs(".EE\n", out);
}

void manual_command(const struct command *c, FILE *out)
{
	struct option_spec specs[OPTIONS_MAX + 1];

	print_head("-", c->name, c->what, out);
	fputs(".SH SYNOPSIS\n\\fBpaleo\\-", out);
	print_text(c->name, strlen(c->name), out);
	fputs("\\fR [\\fIOPTION\\fR]...", out);
	if (*c->usage)
		fputc(' ', out);
	print_line(c->usage, out);
	fputs(".SH DESCRIPTION\n", out);
	print_about(c->about, out);
	fputs(".SH OPTIONS\n", out);
	options_complete(c->options, specs);
	for (const struct option_spec *o = specs; o->name; o++)
		print_option(o, out);
	print_option(&option_help, out);
	print_option(&option_version, out);
	print_examples(c->examples, out);
	fputs(".SH SEE ALSO\n.BR paleo (1)\n", out);
}

void manual_paleo(const struct command *const *commands, FILE *out)
{
	print_head("", "", "predict and measure the time of neural networks, layer by layer", out);
	fputs(".SH SYNOPSIS\n\\fBpaleo\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR]...\n.br\n"
	      "\\fBpaleo\\-\\fICOMMAND\\fR [\\fIOPTION\\fR]...\n.SH DESCRIPTION\n"
	      "Predicts and measures the time of each layer. "
	      "Each command has its own page and \\fB\\-\\-help\\fR.\n.SH COMMANDS\n",
	      out);
	for (; *commands; commands++) {
		fputs(".TP\n.BR paleo\\-", out);
		print_text((*commands)->name, strlen((*commands)->name), out);
		fputs(" (1)\n", out);
		print_line((*commands)->what, out);
	}
	fputs(".SH FILES\n.TP\n\\fIpaleo\\-results/DEVICE/\\fR\n"
	      "Records and calibrations, in the current folder, which later commands find.\n"
	      ".SH ENVIRONMENT\n.TP\n\\fBPALEO_DATA_DIR\\fR\n"
	      "The folder of the shipped nets and calibrations; default: \\fIshare/paleo\\fR next "
	      "to "
	      "the program's.\n.TP\n\\fBPALEO_PLUGIN_DIR\\fR\n"
	      "The folder of the plug\\-ins; default: \\fIlib/paleo\\fR next to the program's.\n",
	      out);
}

/* Completions of a value. */
static int is_word(const struct option_spec *o)
{
	return o->type == OPTION_WORD || o->type == OPTION_WORDS;
}

static int is_text(const struct option_spec *o)
{
	return o->type == OPTION_TEXT || o->type == OPTION_LIST;
}

/* 1: the names of devices that predictions are for. */
static int is_device(const struct option_spec *o)
{
	return !strcmp(o->name, "device") && o->argument && !strcmp(o->argument, "NAME");
}

static void print_devices(FILE *out)
{
	int count;
	const struct paleo_device *list = paleo_devices(&count);

	fputs("cpu 0", out);
	for (int i = 0; i < count; i++)
		paleo_print(out, " %s", list[i].name);
}

static void print_words(const char *const *words, FILE *out)
{
	for (int i = 0; words[i]; i++)
		paleo_print(out, "%s%s", i ? " " : "", words[i]);
}

/* The help of an option, up to a semicolon outside of parentheses, with a backslash before each of
 * `marks`. It stands in '...' in these scripts. */
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

/* All options of a command that are printed, and the two that each has. Returns how many. */
static int list_options(const struct command *c, struct option_spec specs[OPTIONS_MAX + 3])
{
	int n = 0;

	options_complete(c->options, specs);
	while (specs[n].name)
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
		if (is_device(o))
			fputs("\t\t--device) words=$_paleo_devices several=1 ;;\n", out);
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
	fputs("'\n_paleo_devices='", out);
	print_devices(out);
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
		if (is_device(o)) {
			fputs("_values -s , device ", out);
			print_devices(out);
		} else if (is_text(o)) {
			fputs("_files", out);
		}
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
	fputs("\t\t'help:print the help of a command'\n\t)\n"
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
			    o->type == OPTION_FLAG        ? ""
			    : is_text(o) && !is_device(o) ? " -r"
							  : " -x");
		if (is_device(o)) {
			fputs(" -a '(__fish_append , ", out);
			print_devices(out);
			fputs(")'", out);
		}
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
