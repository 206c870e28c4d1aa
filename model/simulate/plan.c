/* plan.c - reads a plan by its table of words. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/simulate/sim.h"

enum {
	NUMBER_MAX = 1 << 20
};

/* One word of a plan: "tp" with a number behind it, or "sp". */
struct word {
	const char *name;
	size_t offset;
	int value; /* 0: a number follows the word */
};

#define AT(field) offsetof(struct paleo_plan, field)
static const struct word words[] = {
	{"dp", AT(data), 1}, /* data parallel: every plan, with the remaining workers */
	{"tp", AT(tp), 0},   /* tensor parallel: GEMMs, heads and experts' inner sizes divided */
	{"sp", AT(sequence), 1}, /* sequence parallel: parts repeated by tp are divided by tokens */
	{"exposed", AT(exposed), 1}, /* of sp: sends of tp are not overlapped with GEMMs */
	{"cp", AT(cp), 0}, /* context parallel: tokens divided, keys and values around a ring */
	{"gather", AT(gather), 1}, /* of cp: keys and values gathered instead */
	{"pp", AT(pp), 0},         /* pipeline: stages of layers, one forward one backward */
	{"v", AT(chunks), 0},      /* of pp: chunks of each stage, interleaved */
	{"zb1", AT(schedule), 2},  /* of pp: zero-bubble, the memory of one forward one backward */
	{"zb2", AT(schedule), 3},  /* of pp: zero-bubble with twice that memory */
	{"ep", AT(ep), 0},         /* expert parallel: experts divided, tokens sent to them */
	{"ep-overlap", AT(hidden), 1}, /* tokens travel beside another micro-batch's passes */
	{"etp", AT(etp), 0},           /* tensor parallel within an expert: 1, or as tp (default) */
	{"zero1", AT(zero), 1},        /* optimiser sharded */
	{"zero2", AT(zero), 2},        /* optimiser and gradients sharded */
	{"zero3", AT(zero), 3},        /* optimiser, gradients and weights sharded */
	{"fsdp", AT(zero), 3},         /* the same as zero3 */
	{"hsdp", AT(group), 0},        /* the same within groups of so many workers */
	{"full", AT(recompute), PALEO_RECOMPUTE_FULL}, /* blocks are recomputed */
	{"full", AT(blocks), 0}, /* as many blocks of a chunk of a stage are recomputed */
	{"selective", AT(recompute), PALEO_RECOMPUTE_ATTENTION}, /* attention is recomputed */
	{"selective-op", AT(recompute), PALEO_RECOMPUTE_OPS}, /* half of GEMMs, elementwise ops */
	{"selective-norm", AT(norms), 1},                     /* normalisations are recomputed */
	{"selective-act", AT(acts), 1}, /* activation functions between GEMMs are recomputed */
	{"graphs", AT(graphs), PALEO_GRAPHS_PARTS},    /* CUDA graphs of what is fixed */
	{"step-graph", AT(graphs), PALEO_GRAPHS_STEP}, /* one of all: nothing waits for the host */
	{"f32-logits", AT(wide_logits), 1},            /* the loss is of a copy of them in f32 */
	{"mb", AT(micro), 0}, /* sequences or images of a micro-batch (default 1) */
};

enum {
	WORDS = sizeof(words) / sizeof(words[0])
};

static int *field_of(struct paleo_plan *p, const struct word *w)
{
	return (int *)(void *)((char *)p + w->offset);
}

/* 1 if `text` is this word, with a number where one follows. */
static int take(const struct word *w, const char *text, int *value)
{
	size_t length = strlen(w->name);
	char *end = NULL;

	if (w->value) {
		*value = w->value;
		return !strcmp(w->name, text);
	}
	if (strncmp(w->name, text, length) != 0 || !isdigit((unsigned char)text[length]))
		return 0;
	long n = strtol(text + length, &end, 10);
	*value = (int)n;
	return !*end && n >= 1 && n <= NUMBER_MAX;
}

static int take_word(const char *text, struct paleo_plan *out, struct paleo_error *err)
{
	int value = 0;

	for (int i = 0; i < WORDS; i++) {
		if (!take(&words[i], text, &value))
			continue;
		if (*field_of(out, &words[i]))
			return paleo_fail(err, PALEO_EINPUT, "'%s': given twice in a plan", text);
		*field_of(out, &words[i]) = value;
		return PALEO_OK;
	}
	if (!strncmp(text, "offload", 7))
		return paleo_fail(err, PALEO_EINPUT,
				  "'%s': memory of the host is not modelled: leave it out, or "
				  "recompute ('full', 'selective')",
				  text);
	return paleo_fail(
		err, PALEO_EINPUT,
		"unknown word '%s' in a plan, expected words as in tp8+sp+pp4+zero1 (see --help)",
		text);
}

static int check(struct paleo_plan *p, struct paleo_error *err)
{
	if (p->blocks && p->recompute)
		return paleo_fail(err, PALEO_EINPUT, "'full%d' excludes 'full' and 'selective'",
				  p->blocks);
	if (p->blocks)
		p->recompute = PALEO_RECOMPUTE_FULL;
	if (p->exposed && !p->sequence)
		return paleo_fail(err, PALEO_EINPUT,
				  "'exposed' requires 'sp': without it sends of "
				  "tp never overlap");
	if (p->etp && p->etp != 1 && p->etp != p->tp)
		return paleo_fail(err, PALEO_EINPUT, "'etp' is 1 or as tp, not %d", p->etp);
	if (p->hidden && p->ep < 2)
		return paleo_fail(err, PALEO_EINPUT, "'ep-overlap' requires an ep above 1");
	if (p->group && p->zero && p->zero != 3)
		return paleo_fail(err, PALEO_EINPUT, "'hsdp' excludes zero1 and zero2");
	if (p->group)
		p->zero = 3;
	if (p->sequence && p->tp < 2)
		return paleo_fail(err, PALEO_EINPUT, "'sp' requires a tp above 1");
	if (p->gather && p->cp < 2)
		return paleo_fail(err, PALEO_EINPUT, "'gather' requires a cp above 1");
	if ((p->chunks > 1 || p->schedule) && p->pp < 2)
		return paleo_fail(err, PALEO_EINPUT, "'v', 'zb1' and 'zb2' require a pp above 1");
	return PALEO_OK;
}

int paleo_plan_read(const char *text, struct paleo_plan *out, struct paleo_error *err)
{
	struct paleo_plan p = {0};
	char word[PALEO_PLAN_TEXT];
	const char *at = text;

	if (strlen(text) >= sizeof(p.text))
		return paleo_fail(err, PALEO_EINPUT, "a plan has at most %d characters",
				  PALEO_PLAN_TEXT - 1);
	while (*at) {
		size_t length = strcspn(at, "+");
		snprintf(word, sizeof(word), "%.*s", (int)length, at);
		PALEO_TRY(take_word(word, &p, err));
		at += length + (at[length] == '+');
	}
	PALEO_TRY(check(&p, err));
	snprintf(p.text, sizeof(p.text), "%s", text);
	*out = p;
	return PALEO_OK;
}
