/* record_tags.c - words that say what is to be known of a time before it is believed. */
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/record/record.h"

/* What a measured ceiling may be exceeded by, and a time may drift by, before it is said. */
static const double ABOVE = 1.05, DRIFT = 0.01;

/* 1 if the word is among those of a text, with blanks between. */
static int has_word(const char *text, const char *sought)
{
	size_t size = strlen(sought);

	while (*text) {
		size_t word = strcspn(text, " ");
		if (word == size && strncmp(text, sought, size) == 0)
			return 1;
		text += word;
		text += *text == ' ';
	}
	return 0;
}

int paleo_record_has_tag(const struct paleo_record *r, const char *tag)
{
	return has_word(r->tags, tag);
}

void paleo_record_tag(struct paleo_record *r, const char *tag)
{
	size_t used = strlen(r->tags);

	if (!paleo_record_has_tag(r, tag))
		snprintf(r->tags + used, sizeof(r->tags) - used, "%s%s", used ? " " : "", tag);
}

/* Algorithms that need fewer operations than the work counts. */
static int saves_operations(const struct paleo_record *r)
{
	return strstr(r->algorithm, "wino") || strstr(r->algorithm, "fft");
}

static int is_above(const struct paleo_record *r, const struct paleo_device *d)
{
	const struct paleo_work *w = &r->work;
	double time_s = r->timing.median_s, flop_per_s = paleo_device_peak(d, w);
	double bytes = w->read_bytes + w->write_bytes;

	if (!d->measured || strcmp(r->mode, "cold") != 0)
		return 0;
	if (flop_per_s > 0 && w->flops > ABOVE * flop_per_s * time_s && !saves_operations(r))
		return 1;
	return d->mem_bytes_per_s > 0 && bytes > ABOVE * d->mem_bytes_per_s * time_s;
}

/* What slows a device down against its will. */
static int was_throttled(const struct paleo_state *s)
{
	static const char *const words[] = {"hw_slowdown", "sw_thermal", "hw_thermal",
					    "power_brake"};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (has_word(s->reasons, words[i]))
			return 1;
	return 0;
}

/* Takes a tag away. */
static void untag(struct paleo_record *r, const char *tag)
{
	char words[sizeof(r->tags)], *rest = words;
	const char *word;

	memcpy(words, r->tags, sizeof(words));
	r->tags[0] = '\0';
	while ((word = strsep(&rest, " ")))
		if (word[0] && strcmp(word, tag) != 0)
			paleo_record_tag(r, word);
}

void paleo_record_judge(struct paleo_record *r, const struct paleo_device *d)
{
	if (r->status != PALEO_RECORD_OK)
		return;
	if (fabs(r->timing.drift) > DRIFT)
		paleo_record_tag(r, PALEO_TAG_DRIFT);
	if (was_throttled(&r->state))
		paleo_record_tag(r, PALEO_TAG_THROTTLED);
	if (has_word(r->state.reasons, "power_cap"))
		paleo_record_tag(r, PALEO_TAG_CAPPED);
	if (r->state.others > 0)
		paleo_record_tag(r, PALEO_TAG_SHARED);
	untag(r, PALEO_TAG_ABOVE); /* by other peaks */
	if (is_above(r, d))
		paleo_record_tag(r, PALEO_TAG_ABOVE);
}
