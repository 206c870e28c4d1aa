/* explore_grid.c - what there is to choose from: looks lists up, numbers the choices. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "calib/calibration_file.h"
#include "tools/choice.h"
#include "tools/explore.h"

/* Where the words of a list go. */
struct words {
	const char *option; /* "workers" */
	struct explore_grid *grid;
	const struct paleo_link *mine; /* the user's links */
	int mine_count;
};

typedef int take_word(const struct words *w, const char *word, int at, struct paleo_error *err);

/* Hands every word of a list with commas to `take`; *count is how many there are. */
static int each_word(const struct words *w, const char *text, take_word *take, int *count,
		     struct paleo_error *err)
{
	char word[PALEO_PLAN_TEXT + 1];

	for (*count = 0; *text; (*count)++) {
		size_t length = strcspn(text, ",");
		if (*count == EXPLORE_LIST_MAX)
			return paleo_fail(err, PALEO_EINPUT, "--%s has more than %d words",
					  w->option, EXPLORE_LIST_MAX);
		snprintf(word, sizeof(word), "%.*s", (int)length, text);
		int rc = take(w, word, *count, err);
		if (rc)
			return rc;
		text += length;
		text += *text == ',';
	}
	return *count ? PALEO_OK : paleo_fail(err, PALEO_EINPUT, "--%s is empty", w->option);
}

static int whole_number(const struct words *w, const char *word, long high, int *out,
			struct paleo_error *err)
{
	char *end;
	long n = strtol(word, &end, 10);

	if (end == word || *end || n < 1 || n > high)
		return paleo_fail(err, PALEO_EINPUT,
				  "--%s has '%s', expected whole numbers from 1 to %ld, as in "
				  "1,2,4",
				  w->option, word, high);
	*out = (int)n;
	return PALEO_OK;
}

static int take_workers(const struct words *w, const char *word, int at, struct paleo_error *err)
{
	return whole_number(w, word, PALEO_WORKERS_MAX, &w->grid->workers[at], err);
}

static int take_batch(const struct words *w, const char *word, int at, struct paleo_error *err)
{
	return whole_number(w, word, 1 << 24, &w->grid->batches[at], err);
}

static int unknown(const struct words *w, const char *word, const char *near,
		   struct paleo_error *err)
{
	if (near)
		return paleo_fail(err, PALEO_EINPUT, "--%s has '%s' (did you mean '%s'?)",
				  w->option, word, near);
	return paleo_fail(err, PALEO_EINPUT, "--%s has the unknown word '%s' (see --help)",
			  w->option, word);
}

static int take_plan(const struct words *w, const char *word, int at, struct paleo_error *err)
{
	struct explore_strategy *s = &w->grid->strategies[at];

	*s = (struct explore_strategy){.strategy = paleo_strategy_plan(), .uses_scheme = 1};
	int rc = paleo_plan_read(word, &s->plan, err);
	if (rc)
		paleo_error_prefix(err, "--%s has '%s'", w->option, word);
	return rc;
}

static int take_strategy(const struct words *w, const char *word, int at, struct paleo_error *err)
{
	const char *names[EXPLORE_LIST_MAX + 1] = {0};
	int count;
	const struct paleo_strategy *table = paleo_strategies(&count);

	for (int i = 0; i < count && i < EXPLORE_LIST_MAX; i++)
		names[i] = table[i].name;
	const struct paleo_strategy *s = paleo_strategy_find(word);
	const char *near = s ? NULL : paleo_nearest(word, names);
	if (!s && !near)
		return take_plan(w, word, at, err);
	if (!s)
		return unknown(w, word, near, err);
	int model = !strcmp(s->name, "model"), pipeline = !strcmp(s->name, "pipeline");
	w->grid->strategies[at] = (struct explore_strategy){
		.strategy = s,
		.is_model = model,
		.uses_scheme = !model && !pipeline,
		.shares_images = !model && !pipeline && strcmp(s->name, "tensor") != 0,
	};
	return PALEO_OK;
}

static int take_scheme(const struct words *w, const char *word, int at, struct paleo_error *err)
{
	const char *names[EXPLORE_LIST_MAX + 1] = {0};
	int count;
	const struct paleo_scheme *table = paleo_schemes(&count);

	for (int i = 0; i < count && i < EXPLORE_LIST_MAX; i++)
		names[i] = table[i].name;
	w->grid->schemes[at] = paleo_scheme_find(word);
	return w->grid->schemes[at] ? PALEO_OK : unknown(w, word, paleo_nearest(word, names), err);
}

static int take_link(const struct words *w, const char *word, int at, struct paleo_error *err)
{
	int rc = paleo_link_choose(w->mine, w->mine_count, word, &w->grid->links[at], err);
	if (!rc)
		paleo_link_bundle(&w->grid->links[at], w->grid->s->links_per_host);
	return rc;
}

static int take_device(const struct words *w, const char *word, int at, struct paleo_error *err)
{
	struct explore_device *d = &w->grid->devices[at];

	*d = (struct explore_device){.usd_per_hour = NAN};
	snprintf(d->named, sizeof(d->named), "%.*s", SESSION_NAME_MAX - 1, word);
	int rc = session_name(word, 0, d->called, err);
	if (!rc)
		rc = paleo_choose_device(w->grid->s->devices_file, d->called, &d->device, err);
	if (rc)
		return rc;
	for (int i = 0; i < at; i++)
		if (!strcmp(w->grid->devices[i].device.name, d->device.name))
			return paleo_fail(err, PALEO_EINPUT, "--devices has '%s' twice",
					  d->device.name);
	return PALEO_OK;
}

/* One --price DEVICE=USD_PER_HOUR. */
static int take_price(struct explore_grid *g, const char *text, struct paleo_error *err)
{
	char name[64], *end;
	const char *sign = strrchr(text, '=');
	double price = sign ? strtod(sign + 1, &end) : NAN;

	if (!sign || end == sign + 1 || *end || !(price >= 0) || isinf(price))
		return paleo_fail(err, PALEO_EINPUT,
				  "--price is '%s', expected DEVICE=USD_PER_HOUR, as in t4=0.35",
				  text);
	snprintf(name, sizeof(name), "%.*s", (int)(sign - text), text);
	for (int i = 0; i < g->device_count; i++)
		if (!strcmp(g->devices[i].named, name) ||
		    paleo_device_among(&g->devices[i].device, 1, name)) {
			g->devices[i].usd_per_hour = price;
			return PALEO_OK;
		}
	return paleo_fail(err, PALEO_EINPUT, "--price names '%s', which --devices does not", name);
}

/* Costs can be compared if all have one, and else do not count. */
static int take_prices(struct explore_grid *g, struct paleo_error *err)
{
	const struct explore_settings *s = g->s;

	for (int i = 0; i < s->prices.count; i++) {
		int rc = take_price(g, s->prices.items[i], err);
		if (rc)
			return rc;
	}
	for (int i = 0; i < g->device_count; i++)
		if (isnan(g->devices[i].usd_per_hour) && (s->prices.count || s->budget > 0))
			return paleo_fail(err, PALEO_EINPUT,
					  "there is no --price for '%s': costs are compared if "
					  "all devices have one",
					  g->devices[i].device.name);
	return PALEO_OK;
}

/* The file of --calibration that was made for this device; NULL if there is none. */
static int calibration_for(const struct explore_grid *g, const struct paleo_device *d,
			   const char **path, struct paleo_error *err)
{
	*path = NULL;
	for (int i = 0; !*path && i < g->s->calibrations.count; i++) {
		struct paleo_calibration c;
		int rc = paleo_calibration_load(g->s->calibrations.items[i], &c, err);
		if (rc)
			return rc;
		if (!strcmp(c.device.name, d->name))
			*path = g->s->calibrations.items[i];
		paleo_calibration_release(&c);
	}
	return PALEO_OK;
}

static int choose_source(const struct explore_grid *g, struct explore_device *d,
			 struct paleo_error *err)
{
	struct paleo_source_wish wish = {
		.law = choice_law_of[g->s->law],
		.dtype = g->dtype,
		.device = d->called,
		.devices = g->s->devices_file,
		.ppp_compute = g->s->ppp_comp,
		.ppp_memory = g->s->ppp_comp,
	};
	int rc = calibration_for(g, &d->device, &wish.calibration, err);

	return rc ? rc : paleo_choose_source(&wish, &d->source, err);
}

static int take_lists(struct words *w, struct paleo_error *err)
{
	struct explore_grid *g = w->grid;
	const struct explore_settings *s = g->s;
	const struct {
		const char *option, *text;
		take_word *take;
		int *count;
	} lists[] = {
		{"devices", s->devices, take_device, &g->device_count},
		{"batches", s->batches, take_batch, &g->batch_count},
		{"workers", s->workers, take_workers, &g->worker_count},
		{"strategies", s->strategies, take_strategy, &g->strategy_count},
		{"schemes", s->schemes, take_scheme, &g->scheme_count},
		{"links", s->links, take_link, &g->link_count},
	};

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		w->option = lists[i].option;
		int rc = each_word(w, lists[i].text, lists[i].take, lists[i].count, err);
		if (rc)
			return rc;
	}
	w->option = "host-link";
	if (s->host_link)
		return paleo_link_choose(w->mine, w->mine_count, s->host_link, &g->host_link, err);
	if (s->workers_per_host > 1)
		return paleo_fail(err, PALEO_EINPUT,
				  "--workers-per-host %d needs --host-link, the link within a host",
				  s->workers_per_host);
	return PALEO_OK;
}

/* The type that training takes today, where nothing else is asked for: to compare GPUs in f32 would
 * leave out what most of their price is for. */
static void choose_dtype(struct explore_grid *g)
{
	static const enum paleo_dtype wanted[] = {PALEO_BF16, PALEO_F16, PALEO_F32};

	g->dtype = (enum paleo_dtype)g->s->dtype;
	for (size_t i = 0; g->s->dtype < 0 && i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		int all = 1;
		g->dtype = wanted[i];
		for (int d = 0; d < g->device_count; d++)
			all &= g->devices[d].device.flop_per_s[g->dtype] > 0;
		if (all)
			return;
	}
}

int explore_grid_make(const struct explore_settings *s, struct explore_grid *out,
		      struct paleo_error *err)
{
	struct paleo_link *mine = NULL;
	struct words w = {.grid = out};

	*out = (struct explore_grid){.s = s};
	int rc = PALEO_OK;
	if (s->links_file)
		rc = paleo_links_load(s->links_file, &mine, &w.mine_count, err);
	w.mine = mine;
	if (!rc)
		rc = take_lists(&w, err);
	if (!rc)
		rc = take_prices(out, err);
	if (!rc)
		choose_dtype(out);
	for (int i = 0; !rc && i < out->device_count; i++)
		rc = choose_source(out, &out->devices[i], err);
	free(mine);
	return rc;
}

void explore_grid_release(struct explore_grid *g)
{
	for (int i = 0; i < g->device_count; i++)
		paleo_source_release(&g->devices[i].source);
	g->device_count = 0;
}

int explore_group_size(const struct explore_grid *g)
{
	return g->strategy_count * g->scheme_count * g->link_count;
}

long long explore_grid_size(const struct explore_grid *g)
{
	return (long long)g->device_count * g->batch_count * g->worker_count *
	       explore_group_size(g);
}

/* Takes the last digit of a number off, in the base of a list's length. */
static int last_digit(long long *id, int base)
{
	int digit = (int)(*id % base);

	*id /= base;
	return digit;
}

struct explore_choice explore_choice_at(const struct explore_grid *g, long long id)
{
	struct explore_choice c;

	c.scheme = last_digit(&id, g->scheme_count);
	c.strategy = last_digit(&id, g->strategy_count);
	c.link = last_digit(&id, g->link_count);
	c.workers = last_digit(&id, g->worker_count);
	c.batch = last_digit(&id, g->batch_count);
	c.device = (int)id;
	return c;
}

/* A lone worker exchanges nothing. */
int explore_uses_link(const struct explore_grid *g, const struct explore_choice *c)
{
	return g->strategies[c->strategy].is_model || g->workers[c->workers] > 1;
}

int explore_uses_scheme(const struct explore_grid *g, const struct explore_choice *c)
{
	return g->strategies[c->strategy].uses_scheme && g->workers[c->workers] > 1;
}

int explore_distinct(const struct explore_grid *g, const struct explore_choice *c)
{
	if (g->strategies[c->strategy].is_model && c->workers > 0)
		return 0;
	return (c->scheme == 0 || explore_uses_scheme(g, c)) &&
	       (c->link == 0 || explore_uses_link(g, c));
}
