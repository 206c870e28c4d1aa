/* manual.c - man pages, made from the tables of options as --help is. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "paleo_config.h"
#include "tools/pages.h"

/* What characters are for troff, where they are not themselves. */
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
	for (const struct option_spec *o = specs; o->name && o->help; o++)
		print_option(o, out);
	print_option(&option_help, out);
	print_option(&option_version, out);
	print_examples(c->examples, out);
	fputs(".SH SEE ALSO\n.BR paleo (1)\n", out);
}

void manual_paleo(const struct command *const *commands, FILE *out)
{
	print_head("", "", "tells how long a neural network takes, layer by layer", out);
	fputs(".SH SYNOPSIS\n\\fBpaleo\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR]...\n.br\n"
	      "\\fBpaleo\\-\\fICOMMAND\\fR [\\fIOPTION\\fR]...\n.SH DESCRIPTION\n"
	      "Predicts the time of each layer and measures it. "
	      "Each command has a page of its own and \\fB\\-\\-help\\fR.\n.SH COMMANDS\n",
	      out);
	for (; *commands; commands++) {
		fputs(".TP\n.BR paleo\\-", out);
		print_text((*commands)->name, strlen((*commands)->name), out);
		fputs(" (1)\n", out);
		print_line((*commands)->what, out);
	}
	fputs(".SH FILES\n.TP\n\\fIpaleo\\-results/DEVICE/\\fR\n"
	      "Records and calibrations, in the current folder: written by what measures, found by "
	      "the next command.\n"
	      ".SH ENVIRONMENT\n.TP\n\\fBPALEO_DATA_DIR\\fR\n"
	      "The folder of the shipped nets and calibrations; else \\fIshare/paleo\\fR beside "
	      "the "
	      "program's.\n.TP\n\\fBPALEO_PLUGIN_DIR\\fR\n"
	      "The folder of the plug\\-ins; else \\fIlib/paleo\\fR beside the program's.\n",
	      out);
}
