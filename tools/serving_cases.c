/* serving_cases.c - the cases of `serving`: all that lists of options make, or lines of a file. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/json.h"
#include "base/lines.h"
#include "tools/serving.h"

enum {
	LIST_MAX = 64,
	CASES_MAX = 1000000,
	LINE_MAX_BYTES = 1 << 16
};

/* The numbers of a case that lists and files give. */
enum number {
	TP,
	PP,
	DP,
	EP,
	ISL,
	OSL,
	CONCURRENCY,
	NUMBERS
};

static const struct {
	const char *name;
	int high;
} numbers[NUMBERS] = {
	[TP] = {"tp", 1024},
	[PP] = {"pp", 1024},
	[DP] = {"dp", 1024},
	[EP] = {"ep", 1024},
	[ISL] = {"isl", 1 << 22},
	[OSL] = {"osl", 1 << 22},
	[CONCURRENCY] = {"concurrency", 1 << 20},
};

static int *place_of(struct serving_case *c, enum number n)
{
	int *const places[NUMBERS] = {[TP] = &c->split.tp,
				      [PP] = &c->split.pp,
				      [DP] = &c->split.dp,
				      [EP] = &c->split.ep,
				      [ISL] = &c->load.isl,
				      [OSL] = &c->load.osl,
				      [CONCURRENCY] = &c->load.concurrency};

	return places[n];
}

int serving_case_add(struct serving_cases *to, const struct serving_case *c,
		     struct paleo_error *err)
{
	if (to->count == CASES_MAX)
		return paleo_fail(err, PALEO_EINPUT, "there are more than %d cases", CASES_MAX);
	struct serving_case *items = paleo_grow(to->items, to->count, &to->room, sizeof(*items));
	if (!items)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	to->items = items;
	items[to->count++] = *c;
	return PALEO_OK;
}

static int read_list(enum number n, const char *text, int *list, int *count,
		     struct paleo_error *err)
{
	*count = !text;
	list[0] = 0; /* not given */
	while (text && (*text || !*count)) {
		char *end;
		long value = strtol(text, &end, 10);
		if (end == text || (*end && *end != ',') || value < 1 || value > numbers[n].high)
			return paleo_fail(err, PALEO_EINPUT,
					  "--%s has '%.*s', expected whole numbers from 1 to %d, "
					  "as in 1,2,4",
					  numbers[n].name, (int)strcspn(text, ","), text,
					  numbers[n].high);
		if (*count == LIST_MAX)
			return paleo_fail(err, PALEO_EINPUT, "--%s has more than %d numbers",
					  numbers[n].name, LIST_MAX);
		list[(*count)++] = (int)value;
		text = end + (*end == ',');
	}
	return PALEO_OK;
}

/* A number of each list, as an odometer has digits. Returns 0 after the last. */
static int turn(int *at, const int *counts)
{
	for (int n = NUMBERS - 1; n >= 0; n--) {
		if (++at[n] < counts[n])
			return 1;
		at[n] = 0;
	}
	return 0;
}

int serving_grid(const struct serving_settings *s, const char *net, struct serving_cases *out,
		 struct paleo_error *err)
{
	const char *const usual = "1,8,64"; /* requests in flight */
	int is_found = s->ttft_ms > 0 || s->tpot_ms > 0;
	const char *const texts[NUMBERS] = {
		[TP] = s->tp,
		[PP] = s->pp,
		[DP] = s->dp,
		[EP] = s->ep,
		[ISL] = s->isl,
		[OSL] = s->osl,
		[CONCURRENCY] = s->concurrency || is_found ? s->concurrency : usual};
	int lists[NUMBERS][LIST_MAX], counts[NUMBERS], at[NUMBERS] = {0};
	struct serving_case c = {.ttft_s = NAN, .tpot_s = NAN};
	int rc = PALEO_OK;

	snprintf(c.net, sizeof(c.net), "%s", net);
	snprintf(c.device, sizeof(c.device), "%s", s->device ? s->device : "");
	for (int n = 0; !rc && n < NUMBERS; n++)
		rc = read_list((enum number)n, texts[n], lists[n], &counts[n], err);
	do {
		for (int n = 0; !rc && n < NUMBERS; n++)
			*place_of(&c, (enum number)n) = lists[n][at[n]];
		for (int b = 0; !rc && b < s->batching.count; b++) {
			c.load.batching = (enum paleo_batching)s->batching.items[b];
			rc = serving_case_add(out, &c, err);
		}
	} while (!rc && turn(at, counts));
	return rc;
}

static int read_text(const struct paleo_json *root, const char *key, char *out, size_t size,
		     struct paleo_error *err)
{
	const struct paleo_json *v = paleo_json_get(root, key);
	const char *text;

	if (!v)
		return PALEO_OK;
	int rc = paleo_json_to_string(v, &text, err);
	if (!rc && strlen(text) >= size)
		return paleo_json_fail(v, err, "is longer than %zu characters", size - 1);
	if (!rc)
		snprintf(out, size, "%s", text);
	return rc;
}

static int read_batching(const struct paleo_json *root, struct serving_case *c,
			 struct paleo_error *err)
{
	const struct paleo_json *v = paleo_json_get(root, "batching");
	const char *word;
	int rc = v ? paleo_json_to_string(v, &word, err) : PALEO_OK;

	if (!v || rc)
		return rc;
	for (int i = 0; i < PALEO_BATCHINGS; i++) {
		if (!strcmp(word, paleo_batching_names[i])) {
			c->load.batching = (enum paleo_batching)i;
			return PALEO_OK;
		}
	}
	return paleo_json_fail(v, err, "is '%s', expected continuous, static or disaggregated",
			       word);
}

static int read_numbers(const struct paleo_json *root, struct serving_case *c,
			struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int n = 0; !rc && n < NUMBERS; n++) {
		const struct paleo_json *v = paleo_json_get(root, numbers[n].name);
		int *to = place_of(c, (enum number)n);
		if (v)
			rc = paleo_json_to_int(v, 1, numbers[n].high, to, err);
		else if (n >= ISL)
			rc = paleo_json_need(root, numbers[n].name, &v, err);
	}
	return rc;
}

static int read_time(const struct paleo_json *root, const char *key, double *out,
		     struct paleo_error *err)
{
	const struct paleo_json *v = paleo_json_get(root, key);

	return v ? paleo_json_to_double(v, 1e-9, 1e6, out, err) : PALEO_OK;
}

static int read_case(const struct serving_settings *s, const struct paleo_json *root,
		     struct serving_case *c, struct paleo_error *err)
{
	static const char *const keys[] = {"net",    "device", "tp",  "pp",          "dp",
					   "ep",     "isl",    "osl", "concurrency", "batching",
					   "ttft_s", "tpot_s", NULL};
	const struct paleo_json *net;
	int rc = paleo_json_only(root, keys, err);

	*c = (struct serving_case){.ttft_s = NAN, .tpot_s = NAN};
	snprintf(c->device, sizeof(c->device), "%s", s->device ? s->device : "");
	if (!rc)
		rc = paleo_json_need(root, "net", &net, err);
	if (!rc)
		rc = read_text(root, "net", c->net, sizeof(c->net), err);
	if (!rc)
		rc = read_text(root, "device", c->device, sizeof(c->device), err);
	if (!rc)
		rc = read_batching(root, c, err);
	if (!rc)
		rc = read_numbers(root, c, err);
	if (!rc)
		rc = read_time(root, "ttft_s", &c->ttft_s, err);
	return rc ? rc : read_time(root, "tpot_s", &c->tpot_s, err);
}

int serving_cases_load(const struct serving_settings *s, const char *path,
		       struct serving_cases *out, struct paleo_error *err)
{
	struct paleo_lines *lines = NULL;
	struct paleo_line line;
	struct serving_case c;
	int is_there = 1;
	int rc = paleo_lines_open(path, LINE_MAX_BYTES, "a file of cases", &lines, err);

	for (int number = 1; !rc && is_there; number++) {
		struct paleo_json_doc *doc = NULL;
		rc = paleo_lines_next(lines, &line, &is_there, err);
		if (rc || !is_there || !line.size)
			continue;
		rc = paleo_json_parse(path, number, line.text, line.size, &doc, err);
		if (!rc)
			rc = read_case(s, paleo_json_root(doc), &c, err);
		if (!rc)
			rc = serving_case_add(out, &c, err);
		paleo_json_free(doc);
	}
	paleo_lines_close(lines);
	return rc;
}
