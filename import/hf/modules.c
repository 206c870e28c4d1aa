/* modules.c - the types of a layer's GEMMs, by lists that name a checkpoint's modules. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "import/hf/modules.h"

#include <limits.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	NAME = 96,
	MODULES = 320,
	PATTERN = 256,
	HEAD = PALEO_HF_GEMMS, /* behind the GEMMs of a layer */
	NO_GEMM                /* never quantised */
};

/* Prefixes of a layer's number by family; the first is for all others. */
static const struct {
	const char *families, *stems;
} stems[] = {
	{"", "model.layers. model.language_model.layers. language_model.model.layers. layers."},
	{"gpt2 gpt_bigcode gptj gpt_neo codegen falcon bloom RefinedWeb RefinedWebModel qwen",
	 "transformer.h. h."},
	{"gpt_neox", "gpt_neox.layers."},
	{"opt whisper bart", "model.decoder.layers. model.encoder.layers."},
	{"mpt dbrx", "transformer.blocks."},
	{"chatglm", "transformer.encoder.layers."},
	{"mamba mamba2 nemotron_h falcon_mamba", "backbone.layers. model.layers."},
	{"bert roberta xlm-roberta deberta-v2", "bert.encoder.layer. encoder.layer."},
};

struct module {
	int gemm, way;
	int expert; /* 1 + its number; 0: of none, or of all */
	int named;  /* 1: a name with a layer's number names it, so this way is the file's */
	char name[NAME];
};

struct paleo_hf_modules {
	struct paleo_hf_config *c;
	const char *stems;
	int layers, count;
	struct module module[MODULES];
	int unmatched;
	char first[PATTERN / 2]; /* of those that match nothing */
	unsigned texts;          /* that were read */
	/* for each layer and behind them, by module: 0, or 1 + the number of the text that named it
	 * first, times PALEO_HF_TYPES, + its type */
	unsigned slots[];
};

static void add_module(struct paleo_hf_modules *s, int gemm, int way, const char *name, int expert)
{
	struct module *to = &s->module[s->count];
	const char *hash = strchr(name, '#');

	if (s->count == MODULES)
		return;
	*to = (struct module){.gemm = gemm, .way = way, .expert = hash ? 1 + expert : 0};
	snprintf(to->name, NAME, "%s", name);
	if (hash)
		snprintf(to->name, NAME, "%.*s%d%s", (int)(hash - name), name, expert, hash + 1);
	s->count++;
}

/* The modules of a GEMM; those of the first expert and of the last stand for all. */
static void add_modules(struct paleo_hf_modules *s, int gemm, const char *ways)
{
	char name[NAME];

	for (int way = s->count; *ways; ways += strspn(ways, " ")) {
		size_t length = strcspn(ways, " |");
		snprintf(name, NAME, "%.*s", (int)length, ways);
		add_module(s, gemm, way, name, 0);
		if (strchr(name, '#') && s->c->m->experts > 1)
			add_module(s, gemm, way, name, s->c->m->experts - 1);
		ways += length;
		way += *ways == '|';
		ways += *ways == '|';
	}
}

static void add_all(struct paleo_hf_modules *s, const struct paleo_hf_model *m)
{
#define GEMM(which, is_there, ways)                                                                \
	if (is_there)                                                                              \
		add_modules(s, (which), (ways));
#include "import/hf/modules.def"
#undef GEMM
}

int paleo_hf_modules_new(struct paleo_hf_config *c, struct paleo_hf_modules **out)
{
	const struct paleo_hf_model *m = c->m;
	int layers = m->layers + m->encoder_layers;
	struct paleo_hf_modules *s =
		calloc(1, sizeof(*s) + ((size_t)layers + 1) * MODULES * sizeof(s->slots[0]));

	if (!s)
		return paleo_fail(c->err, PALEO_ENOMEM, "out of memory");
	s->c = c;
	s->layers = layers;
	s->stems = stems[0].stems;
	for (size_t i = 1; i < sizeof(stems) / sizeof(stems[0]); i++)
		if (paleo_hf_is_in(stems[i].families, m->is.type))
			s->stems = stems[i].stems;
	add_all(s, m);
	*out = s;
	return PALEO_OK;
}

static unsigned *slot(struct paleo_hf_modules *s, int layer, int module)
{
	return &s->slots[(size_t)layer * MODULES + (size_t)module];
}

/* Sets the type of a module of a layer, or of the head, unless it was set before. */
static void set(struct paleo_hf_modules *s, int layer, int module, int type)
{
	int is_head = s->module[module].gemm == HEAD;
	unsigned *at = slot(s, is_head ? s->layers : layer, module);

	*at = *at ? *at : 1 + s->texts * PALEO_HF_TYPES + (unsigned)type;
}

/* 1 if a name is of a part that is left out, or of a module that is no GEMM. */
static int is_of_others(const char *name)
{
	static const char *const words[] = {
		"vision", "visual", "image", "audio",     "mtp",     "vit",    "projector",
		"talker", "code2w", "embed", "token2wav", "eh_proj", "nextn",  "norm",
		"wte",    "wpe",    "conv",  "merger",    "rotary",  "pooler", "classifier"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(name, words[i]))
			return 1;
	return 0;
}

/* A name without wildcards: the layer's number, and what is behind it. */
struct parsed {
	int layer;          /* -1: none */
	int side;           /* 1: of a decoder, 2: of an encoder; 0: not said */
	int expert;         /* 1 + the number of an expert */
	const char *before; /* its end is `rest`, or the number */
	const char *rest;
};

static struct parsed parse(const char *name)
{
	static const char words[] = "layers layer h blocks block";
	struct parsed p = {.layer = -1, .before = name, .rest = name};
	char word[PALEO_HF_KEY_BYTES];
	const char *expert = strstr(name, "experts.");

	for (const char *at = name; *at && p.layer < 0; at += *at == '.') {
		size_t length = strcspn(at, "."), digits = 0;
		snprintf(word, sizeof(word), "%.*s", (int)length, at);
		at += length;
		digits = *at ? strspn(at + 1, "0123456789") : 0;
		if (!paleo_hf_is_in(words, word) || !digits || digits > 6 ||
		    (at[1 + digits] && at[1 + digits] != '.'))
			continue;
		p.layer = (int)strtol(at + 1, NULL, 10);
		p.rest = at + 1 + digits + (at[1 + digits] == '.');
	}
	if (expert && expert[8] >= '0' && expert[8] <= '9')
		p.expert = 1 + (int)strtol(expert + 8, NULL, 10);
	p.side = !strncmp(name, "decoder.", 8) || strstr(name, ".decoder.")   ? 1
		 : !strncmp(name, "encoder.", 8) || strstr(name, ".encoder.") ? 2
									      : 0;
	return p;
}

/* 1 if a module's name has these parts, between dots; from its begin if `first`. */
static int has_parts(const char *name, const char *parts, int first)
{
	size_t length = strlen(parts);

	for (const char *at = name; (at = strstr(at, parts)) != NULL; at++)
		if ((at == name || (!first && at[-1] == '.')) &&
		    (!at[length] || at[length] == '.' || (length && at[length - 1] == '.')))
			return 1;
	return 0;
}

static int matches_name(const struct module *d, const struct parsed *p, int whole)
{
	const char *dot = strrchr(p->rest, '.');

	if (d->gemm == HEAD)
		return p->layer < 0 &&
		       (!strcmp(p->rest, d->name) || (dot && !strcmp(dot + 1, d->name)));
	if (whole)
		return p->layer >= 0 && !strcmp(d->name, p->rest);
	return !*p->rest || has_parts(d->name, p->rest, p->layer >= 0);
}

/* 1 if the layer is one of those that a name means. */
static int is_layer(const struct paleo_hf_modules *s, const struct parsed *p, int layer)
{
	int decoders = s->c->m->layers, encoder = layer >= decoders;
	int pair = s->layers > decoders;

	if (pair && p->side && p->side != 1 + encoder)
		return 0;
	return p->layer < 0 || p->layer == (encoder ? layer - decoders : layer);
}

static int set_name(struct paleo_hf_modules *s, const char *name, int whole, int type)
{
	const struct parsed p = parse(name);
	char before[NAME];
	int found = 0;

	snprintf(before, sizeof(before), "%.*s", (int)(p.rest - p.before), p.before);
	if (is_of_others(before) || p.layer >= s->layers)
		return 1;
	for (int k = 0; k < s->count; k++) {
		const struct module *d = &s->module[k];
		int other = d->expert && p.expert && p.expert != d->expert;
		found |= other;
		for (int i = 0; i < s->layers && matches_name(d, &p, whole); i++)
			if (is_layer(s, &p, i)) {
				set(s, i, k, type);
				s->module[k].named |= p.layer >= 0;
				found = 1;
			}
	}
	return found;
}

static int glob(const char *pattern, const char *text)
{
	const char *star = NULL, *at = NULL;

	while (*text) {
		if (*pattern == '*') {
			star = pattern++;
			at = text;
		} else if (*pattern && (*pattern == '?' || *pattern == *text)) {
			pattern++;
			text++;
		} else if (star) {
			pattern = star + 1;
			text = ++at;
		} else {
			return 0;
		}
	}
	return !pattern[strspn(pattern, "*")];
}

/* 1 if the pattern is a name, or what one begins with before a dot. */
static int globs(const char *pattern, char *name)
{
	int found = glob(pattern, name);

	for (char *dot = strchr(name, '.'); dot && !found; dot = strchr(dot + 1, '.')) {
		*dot = '\0';
		found = glob(pattern, name);
		*dot = '.';
	}
	return found;
}

/* Python's pattern as one of POSIX that begins where the text does; -1: it has more. */
static int translate(const char *p, char *out, size_t size)
{
	size_t used = (size_t)snprintf(out, size, "^(");
	int set_open = 0, counts = 0;

	for (; *p && used + 20 < size; p++) {
		const char *put = NULL;
		char one[3] = {*p, '\0', '\0'};
		if (*p == '\\') {
			p++;
			put = *p == 'd' ? "0-9" : *p == 'w' ? "A-Za-z0-9_" : NULL;
			if (!*p || (!put && strchr("abfnrtvsSWDBZ0123456789", *p)))
				return -1;
			snprintf(one, sizeof(one), set_open ? "%c" : "\\%c", *p);
			used += (size_t)snprintf(out + used, size - used,
						 put && !set_open ? "[%s]" : "%s", put ? put : one);
			continue;
		}
		set_open = *p == '[' || (set_open && *p != ']');
		counts += *p == '{' ? 1 + (strcspn(p, "}") > 5) : 0;
		if (!strncmp(p, "(?", 2) && strncmp(p, "(?:", 3) != 0)
			return -1;
		out[used++] = *p;
		if (*p == '(' && p[1] == '?')
			p += 2;
		else if (strchr("*+?}", *p) && p[1] == '?' && !set_open)
			p++;
	}
	snprintf(out + used, size - used, ")");
	return *p || counts > 1 ? -1 : 0;
}

/* A pattern, of wildcards or as a regular expression. */
struct pattern {
	const char *glob;
	regex_t regex;
};

static int matches_full(const struct pattern *p, char *name)
{
	return p->glob ? globs(p->glob, name) : !regexec(&p->regex, name, 0, NULL, 0);
}

static int matches_in_layer(const struct paleo_hf_modules *s, const struct pattern *p, int layer,
			    const struct module *d)
{
	const char *words = s->stems;
	char stem[PALEO_HF_KEY_BYTES], name[2 * NAME];
	int decoders = s->c->m->layers, number = layer < decoders ? layer : layer - decoders;
	int found = 0;

	while (!found && paleo_hf_next_word(&words, stem)) {
		snprintf(name, sizeof(name), "%s%d.%s", stem, number, d->name);
		if (d->gemm == HEAD)
			snprintf(name, sizeof(name), "%s", d->name);
		found = matches_full(p, name);
	}
	return found;
}

/* A pattern without digits matches in each layer what it matches in the first. */
static int set_pattern(struct paleo_hf_modules *s, const struct pattern *p, const char *text,
		       int type)
{
	int alike = !text[strcspn(text, "0123456789[")] && !strstr(text, "\\d"), found = 0;

	for (int k = 0; k < s->count; k++) {
		int is = 0;
		for (int i = 0; i < s->layers; i++) {
			if (!i || (!alike && s->module[k].gemm != HEAD))
				is = matches_in_layer(s, p, i, &s->module[k]);
			if (is)
				set(s, i, k, type);
			found |= is;
		}
	}
	return found;
}

/* Tools that look for parts of names take any part. */
static int set_within(struct paleo_hf_modules *s, const char *text, int type)
{
	char stars[NAME + 2];
	const struct pattern p = {.glob = stars};

	snprintf(stars, sizeof(stars), "*%.90s*", text);
	return set_pattern(s, &p, text, type);
}

static int set_regex(struct paleo_hf_modules *s, const struct paleo_json *at, const char *text,
		     int type, int *found)
{
	char posix[2 * PATTERN];
	struct pattern p = {.glob = NULL};

	if (strlen(text) > PATTERN || translate(text, posix, sizeof(posix)) ||
	    regcomp(&p.regex, posix, REG_EXTENDED | REG_NOSUB))
		return paleo_json_fail(at, s->c->err,
				       "cannot read the pattern '%.100s', expected a regular "
				       "expression without lookaround; set a type with weights=",
				       text);
	*found = set_pattern(s, &p, text, type);
	regfree(&p.regex);
	return PALEO_OK;
}

int paleo_hf_modules_set(struct paleo_hf_modules *s, const struct paleo_json *at, const char *text,
			 enum paleo_hf_match match, int type)
{
	const struct pattern p = {.glob = text};
	int found = 0, rc = PALEO_OK;

	s->texts++;
	if (!strncmp(text, "re:", 3)) {
		match = PALEO_HF_MATCH_REGEX;
		text += 3;
	}
	if (match == PALEO_HF_MATCH_REGEX)
		rc = set_regex(s, at, text, type, &found);
	else if (strpbrk(text, "*?"))
		found = set_pattern(s, &p, text, type);
	else
		found = set_name(s, text, match == PALEO_HF_MATCH_NAME, type) ||
			(match == PALEO_HF_MATCH_PART && set_within(s, text, type));
	const char *layer = strstr(text, "layers.");
	int beyond = layer && strtol(layer + strlen("layers."), NULL, 10) >= s->layers;
	if (!rc && !found && !beyond && !is_of_others(text) && !s->unmatched++)
		snprintf(s->first, sizeof(s->first), "%.100s", text);
	return rc;
}

static int is_way(const struct paleo_hf_modules *s, int module, int gemm, int way)
{
	return module < s->count && s->module[module].gemm == gemm && s->module[module].way == way;
}

/* The type of a module that a text gave it, or of the others. */
static int type_at(unsigned slot, int rest)
{
	return slot ? (int)((slot - 1) % PALEO_HF_TYPES) : rest;
}

/* The type of a GEMM of a layer: that of all its modules, by the way to name them that a text meant
 * first; -1 where they differ, after an error. */
static int type_of(struct paleo_hf_modules *s, const struct paleo_json *at, int layer, int gemm,
		   int rest)
{
	const struct module *cut = NULL;
	unsigned earliest = UINT_MAX;
	int one_is_named = 0;

	for (int k = 0; k < s->count; k++)
		one_is_named |= s->module[k].gemm == gemm && s->module[k].named;
	for (int k = 0, end; k < s->count; k = end) {
		const struct module *d = &s->module[k], *other = NULL;
		unsigned by = *slot(s, layer, k);
		int first = type_at(by, rest), named = d->named;
		for (end = k + 1; is_way(s, end, d->gemm, d->way); end++) {
			int is = type_at(*slot(s, layer, end), rest);
			other = is != first ? &s->module[end] : other;
			named |= s->module[end].named;
		}
		if (one_is_named && !named)
			continue;
		if (d->gemm == gemm && !other && by && by < earliest)
			earliest = by;
		cut = d->gemm == gemm && other && !cut ? other : cut;
	}
	if (earliest != UINT_MAX || !cut)
		return type_at(earliest == UINT_MAX ? 0 : earliest, rest);
	paleo_json_complain(at, s->c->err,
			    "layer %d: '%s' is stored in another type than '%s', but both are one "
			    "GEMM: list both or neither, or set a type with weights=",
			    layer, cut->name, cut[-1].name);
	return -1;
}

static void say_unmatched(struct paleo_hf_modules *s)
{
	char more[32] = "";

	if (!s->unmatched)
		return;
	if (s->unmatched > 1)
		snprintf(more, sizeof(more), " and %d more", s->unmatched - 1);
	paleo_hf_say(s->c->m, "types of weights: '%s'%s match%s no layer of this model;", s->first,
		     more, more[0] ? "" : "es");
}

int paleo_hf_modules_end(struct paleo_hf_modules *s, const struct paleo_json *at, int rest)
{
	struct paleo_hf_model *m = s->c->m;
	int type = type_of(s, at, s->layers, HEAD, m->head_stored);

	m->head_stored = type < 0 ? 0 : type;
	for (int i = 0; i < s->layers && type >= 0; i++)
		for (int gemm = 0; gemm < PALEO_HF_GEMMS && type >= 0; gemm++) {
			type = type_of(s, at, i, gemm, rest);
			m->layer[i].stored[gemm] = (unsigned char)(type < 0 ? 0 : type);
		}
	if (type < 0)
		return PALEO_EINPUT;
	say_unmatched(s);
	return PALEO_OK;
}

void paleo_hf_modules_free(struct paleo_hf_modules *s)
{
	free(s);
}
