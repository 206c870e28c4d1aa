/* search_grid.c - what there is to choose from: looks lists up, numbers the choices. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/predict/calibration_file.h"
#include "tools/cli/choice.h"
#include "tools/simulate/search.h"

/* Destination of the words of a list. */
struct words {
	const char *option; /* "workers" */
	struct search_grid *grid;
	const struct paleo_link *mine; /* the user's links */
	int mine_count;
	const char *links; /* of --link */
};

typedef int take_word(const struct words *w, const char *word, int at, struct paleo_error *err);

/* Hands every word of a list with commas to `take`; *count is how many there are. */
static int each_word(const struct words *w, const char *text, take_word *take, int *count,
		     struct paleo_error *err)
{
	char word[PALEO_PLAN_TEXT + 1];

	for (*count = 0; *text; (*count)++) {
		size_t length = strcspn(text, ",");
		if (*count == SEARCH_LIST_MAX)
			return paleo_fail(err, PALEO_EINPUT, "--%s has more than %d words",
					  w->option, SEARCH_LIST_MAX);
		snprintf(word, sizeof(word), "%.*s", (int)length, text);
		PALEO_TRY(take(w, word, *count, err));
		text += length;
		text += *text == ',';
	}
	return *count ? PALEO_OK : paleo_fail(err, PALEO_EINPUT, "--%s is empty", w->option);
}

static int take_workers(const struct words *w, const char *word, int at, struct paleo_error *err)
{
	char *end;
	long n = strtol(word, &end, 10);

	if (end == word || *end || n < 1 || n > PALEO_WORKERS_MAX)
		return paleo_fail(err, PALEO_EINPUT,
				  "--%s has '%s', expected whole numbers from 1 to %d, as in "
				  "1,2,4",
				  w->option, word, PALEO_WORKERS_MAX);
	w->grid->workers[at] = (int)n;
	return PALEO_OK;
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
	struct search_strategy *s = &w->grid->strategies[at];

	*s = (struct search_strategy){.strategy = paleo_strategy_plan(), .uses_scheme = 1};
	int rc = paleo_plan_read(word, &s->plan, err);
	if (rc)
		paleo_error_prefix(err, "--%s has '%s'", w->option, word);
	return rc;
}

static int take_strategy(const struct words *w, const char *word, int at, struct paleo_error *err)
{
	const char *names[SEARCH_LIST_MAX + 1] = {0};
	int count;
	const struct paleo_strategy *table = paleo_strategies(&count);

	for (int i = 0; i < count && i < SEARCH_LIST_MAX; i++)
		names[i] = table[i].name;
	const struct paleo_strategy *s = paleo_strategy_find(word);
	const char *near = s || strchr(word, '+') ? NULL : paleo_nearest(word, names);
	if (!s && !near)
		return take_plan(w, word, at, err);
	if (!s)
		return unknown(w, word, near, err);
	int model = !strcmp(s->name, "model"), pipeline = !strcmp(s->name, "pipeline");
	w->grid->strategies[at] = (struct search_strategy){
		.strategy = s,
		.is_model = model,
		.is_pipeline = pipeline,
		.uses_scheme = !model && !pipeline,
		.shares_images = !model && !pipeline && strcmp(s->name, "tensor") != 0,
	};
	return PALEO_OK;
}

static int take_scheme(const struct words *w, const char *word, int at, struct paleo_error *err)
{
	const char *names[SEARCH_LIST_MAX + 1] = {0};
	int count;
	const struct paleo_scheme *table = paleo_schemes(&count);

	for (int i = 0; i < count && i < SEARCH_LIST_MAX; i++)
		names[i] = table[i].name;
	w->grid->schemes[at] = paleo_scheme_find(word);
	return w->grid->schemes[at] ? PALEO_OK : unknown(w, word, paleo_nearest(word, names), err);
}

static int take_link(const struct words *w, const char *word, int at, struct paleo_error *err)
{
	PALEO_TRY(paleo_link_choose(w->mine, w->mine_count, word, &w->grid->links[at], err));
	paleo_link_bundle(&w->grid->links[at], w->grid->s->links_per_node);
	return PALEO_OK;
}

static int take_device(const struct words *w, const char *word, int at, struct paleo_error *err)
{
	struct search_device *d = &w->grid->devices[at];

	*d = (struct search_device){.usd_per_hour = NAN};
	snprintf(d->named, sizeof(d->named), "%s", word);
	PALEO_TRY(session_who(word, 0, &d->who, err));
	PALEO_TRY(paleo_choose_device(w->grid->s->devices, d->who.device.name, &d->who, &d->device,
				      err));
	for (int i = 0; i < at; i++)
		if (!strcmp(w->grid->devices[i].device.name, d->device.name))
			return paleo_fail(err, PALEO_EINPUT, "--device has '%s' twice",
					  d->device.name);
	return PALEO_OK;
}

/* One --price DEVICE=USD_PER_HOUR. */
static int take_price(struct search_grid *g, const char *text, struct paleo_error *err)
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
	return paleo_fail(err, PALEO_EINPUT, "--price has '%s', which --device does not", name);
}

/* Costs can be compared if all have one, and else do not count. */
static int take_prices(struct search_grid *g, struct paleo_error *err)
{
	const struct simulate_settings *s = g->s;

	for (int i = 0; i < s->prices.count; i++)
		PALEO_TRY(take_price(g, s->prices.items[i], err));
	for (int i = 0; i < g->device_count; i++)
		if (isnan(g->devices[i].usd_per_hour) && (s->prices.count || s->budget > 0))
			return paleo_fail(err, PALEO_EINPUT,
					  "no --price for '%s': every device needs one",
					  g->devices[i].device.name);
	return PALEO_OK;
}

/* The file of --calibration that was made for this device; NULL if there is none. */
static int calibration_for(const struct search_grid *g, const struct paleo_device *d,
			   const char **path, struct paleo_error *err)
{
	*path = NULL;
	for (int i = 0; !*path && i < g->s->calibrations.count; i++) {
		struct paleo_calibration c;

		PALEO_TRY(paleo_calibration_load(g->s->calibrations.items[i], &c, err));
		if (!strcmp(c.device.name, d->name))
			*path = g->s->calibrations.items[i];
		paleo_calibration_release(&c);
	}
	return PALEO_OK;
}

static int choose_source(const struct search_grid *g, struct search_device *d,
			 struct paleo_error *err)
{
	struct paleo_source_wish wish = {
		.cost_model = (enum paleo_cost_model)g->s->cost_model,
		.dtype = g->dtype,
		.stack = (enum paleo_stack)g->s->stack,
		.device = d->who.device.name,
		.who = &d->who,
		.devices = g->s->devices,
		.ppp_compute = g->s->ppp_compute,
		.ppp_memory = g->s->ppp_compute,
	};
	int rc = calibration_for(g, &d->device, &wish.calibration, err);

	return rc ? rc : paleo_choose_source(&wish, &d->source, err);
}

static int take_lists(struct words *w, struct paleo_error *err)
{
	struct search_grid *g = w->grid;
	const struct simulate_settings *s = g->s;
	const struct {
		const char *option, *text;
		take_word *take;
		int *count;
	} lists[] = {
		{"device", s->device, take_device, &g->device_count},
		{"workers", s->workers, take_workers, &g->worker_count},
		{"strategy", s->strategy, take_strategy, &g->strategy_count},
		{"all-reduce", s->schemes, take_scheme, &g->scheme_count},
		{"link", w->links, take_link, &g->link_count},
	};

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		w->option = lists[i].option;
		PALEO_TRY(each_word(w, lists[i].text, lists[i].take, lists[i].count, err));
	}
	g->batch_count = s->lists.batches.count;
	memcpy(g->batches, s->lists.batches.items, sizeof(s->lists.batches.items));
	w->option = "node-link";
	if (s->node_link)
		return paleo_link_choose(w->mine, w->mine_count, s->node_link, &g->node_link, err);
	if (s->workers_per_node > 1)
		return paleo_fail(err, PALEO_EINPUT,
				  "--workers-per-node %d needs --node-link, the link within a node",
				  s->workers_per_node);
	return PALEO_OK;
}

int search_grid_make(const struct simulate_settings *s, struct search_grid *out,
		     struct paleo_error *err)
{
	struct paleo_link *mine = NULL;
	struct words w = {.grid = out};

	*out = (struct search_grid){.s = s, .dtype = (enum paleo_dtype)s->dtype};
	w.links = s->link;
	int rc = choice_links(s->links, "ethernet", &mine, &w.mine_count, &w.links, err);
	w.mine = mine;
	if (!rc)
		rc = take_lists(&w, err);
	if (simulate_is_usual_fabric(s))
		snprintf(out->links[0].name, sizeof(out->links[0].name), "usual");
	if (!rc)
		rc = take_prices(out, err);
	for (int i = 0; !rc && i < out->device_count; i++)
		rc = choose_source(out, &out->devices[i], err);
	free(mine);
	return rc;
}

void search_grid_release(struct search_grid *g)
{
	for (int i = 0; i < g->device_count; i++)
		paleo_source_release(&g->devices[i].source);
	g->device_count = 0;
}

int search_group_size(const struct search_grid *g)
{
	return g->strategy_count * g->scheme_count * g->link_count;
}

long long search_grid_size(const struct search_grid *g)
{
	return (long long)g->device_count * g->batch_count * g->worker_count * search_group_size(g);
}

/* Takes the last digit of a number off, in the base of a list's length. */
static int last_digit(long long *id, int base)
{
	int digit = (int)(*id % base);

	*id /= base;
	return digit;
}

struct search_choice search_choice_at(const struct search_grid *g, long long id)
{
	struct search_choice c;

	c.scheme = last_digit(&id, g->scheme_count);
	c.strategy = last_digit(&id, g->strategy_count);
	c.link = last_digit(&id, g->link_count);
	c.workers = last_digit(&id, g->worker_count);
	c.batch = last_digit(&id, g->batch_count);
	c.device = (int)id;
	return c;
}

/* A lone worker exchanges nothing. */
int search_uses_link(const struct search_grid *g, const struct search_choice *c)
{
	return g->strategies[c->strategy].is_model || g->workers[c->workers] > 1;
}

int search_uses_scheme(const struct search_grid *g, const struct search_choice *c)
{
	return g->strategies[c->strategy].uses_scheme && g->workers[c->workers] > 1;
}

int search_distinct(const struct search_grid *g, const struct search_choice *c)
{
	if (g->strategies[c->strategy].is_model && c->workers > 0)
		return 0;
	if (g->strategies[c->strategy].is_pipeline && g->workers[c->workers] == 1 &&
	    g->strategy_count > 1)
		return 0;
	return (c->scheme == 0 || search_uses_scheme(g, c)) &&
	       (c->link == 0 || search_uses_link(g, c));
}
