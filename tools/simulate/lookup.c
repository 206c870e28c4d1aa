/* lookup.c - looks up what `simulate` was asked for: lists, links, nets, terms of 2017. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "import/import.h"
#include "tools/cli/choice.h"
#include "tools/print/print.h"
#include "tools/simulate/simulate.h"

/* The next word of a list with commas: copies it and moves *text behind it; 0 at the end. Too long
 * a word is cut, and is no word then. */
static int next_word(const char **text, char *word, size_t size)
{
	size_t length = strcspn(*text, ",");

	if (!**text)
		return 0;
	snprintf(word, size, "%.*s", (int)length, *text);
	*text += length;
	*text += **text == ',';
	return 1;
}

static int full(const char *option, int count, struct paleo_error *err)
{
	if (count < SIMULATE_LIST_MAX)
		return PALEO_OK;
	return paleo_fail(err, PALEO_EINPUT, "--%s has more than %d words", option,
			  SIMULATE_LIST_MAX);
}

static int parse_workers(const char *text, int *list, int *count, struct paleo_error *err)
{
	char word[32], *end;

	while (next_word(&text, word, sizeof(word))) {
		long n = strtol(word, &end, 10);
		if (end == word || *end || n < 1 || n > PALEO_WORKERS_MAX)
			return paleo_fail(err, PALEO_EINPUT,
					  "--workers has '%s', expected whole numbers from 1 "
					  "to %d, as in 1,2,4",
					  word, PALEO_WORKERS_MAX);
		PALEO_TRY(full("workers", *count, err));
		list[(*count)++] = (int)n;
	}
	return *count ? PALEO_OK : paleo_fail(err, PALEO_EINPUT, "--workers is empty");
}

static int parse_scaling(const char *text, struct simulate_plan *p, struct paleo_error *err)
{
	char word[32];

	while (next_word(&text, word, sizeof(word))) {
		int strong = !strcmp(word, "strong");
		if (!strong && strcmp(word, "weak") != 0)
			return paleo_fail(err, PALEO_EINPUT,
					  "--scaling has '%s', expected weak, strong or both",
					  word);
		PALEO_TRY(full("scaling", p->scaling_count, err));
		p->strong[p->scaling_count++] = strong;
	}
	return p->scaling_count ? PALEO_OK : paleo_fail(err, PALEO_EINPUT, "--scaling is empty");
}

/* A strategy of the table, or the words of a plan. */
static int take_strategy(const char *word, struct simulate_plan *p, int at, struct paleo_error *err)
{
	p->strategies[at] = paleo_strategy_find(word);
	if (p->strategies[at])
		return PALEO_OK;
	int rc = paleo_plan_read(word, &p->plans[at], err);
	if (rc)
		paleo_error_prefix(err, "--strategy has '%s'", word);
	p->strategies[at] = paleo_strategy_plan();
	return rc;
}

static int parse_strategies(const char *text, struct simulate_plan *p, struct paleo_error *err)
{
	char word[PALEO_PLAN_TEXT + 1];

	while (next_word(&text, word, sizeof(word))) {
		PALEO_TRY(full("strategy", p->strategy_count, err));
		PALEO_TRY(take_strategy(word, p, p->strategy_count, err));
		p->strategy_count++;
	}
	return p->strategy_count ? PALEO_OK : paleo_fail(err, PALEO_EINPUT, "--strategy is empty");
}

static int parse_schemes(const char *text, struct simulate_plan *p, struct paleo_error *err)
{
	char word[32];
	int all;
	const struct paleo_scheme *table = paleo_schemes(&all);
	const char *names[SIMULATE_LIST_MAX + 1] = {0};

	for (int i = 0; i < all && i < SIMULATE_LIST_MAX; i++)
		names[i] = table[i].name;
	while (next_word(&text, word, sizeof(word))) {
		const struct paleo_scheme *s = paleo_scheme_find(word);
		const char *near = paleo_nearest(word, names);
		if (!s && near)
			return paleo_fail(err, PALEO_EINPUT,
					  "--all-reduce has '%s' (did you mean '%s'?)", word, near);
		if (!s)
			return paleo_fail(err, PALEO_EINPUT,
					  "--all-reduce has the unknown word '%s' (see --help)",
					  word);
		PALEO_TRY(full("all-reduce", p->scheme_count, err));
		p->schemes[p->scheme_count++] = s;
	}
	return p->scheme_count ? PALEO_OK : paleo_fail(err, PALEO_EINPUT, "--all-reduce is empty");
}

int simulate_is_usual_fabric(const struct simulate_settings *s)
{
	return !s->link && !s->links && !s->node_link && s->workers_per_node == 1 &&
	       s->links_per_node == 1 && s->cost_model != CHOICE_COST_MODEL_2017;
}

static int choose_links(const struct simulate_settings *s, struct simulate_plan *p,
			struct paleo_error *err)
{
	struct paleo_fabric *f = &p->fabric;
	struct paleo_link *mine = NULL;
	const char *name = s->link;
	int count = 0, rc;

	if (simulate_is_usual_fabric(s)) {
		paleo_fabric_usual(f, p->device.name);
		return PALEO_OK;
	}
	rc = choice_links(s->links, "ethernet", &mine, &count, &name, err);
	if (!rc)
		rc = paleo_link_choose(mine, count, name, &f->between, err);
	if (!rc)
		paleo_link_bundle(&f->between, s->links_per_node);
	if (!rc && s->node_link)
		rc = paleo_link_choose(mine, count, s->node_link, &f->within, err);
	if (!rc && !s->node_link && s->workers_per_node > 1)
		rc = paleo_fail(err, PALEO_EINPUT,
				"--workers-per-node %d needs --node-link, the link within a node",
				s->workers_per_node);
	free(mine);
	return rc;
}

/* The same in the original's terms, or why it has none. */
static int translate(const struct simulate_settings *s, struct simulate_plan *p,
		     struct paleo_error *err)
{
	const struct paleo_2017_device *d = s->device ? paleo_2017_device_find(s->device) : NULL;
	const struct paleo_2017_network *n = s->link ? paleo_2017_network_find(s->link) : NULL;

	for (int i = 0; i < p->strategy_count; i++)
		if (strcmp(p->strategies[i]->name, "data") != 0 &&
		    strcmp(p->strategies[i]->name, "model") != 0 &&
		    strcmp(p->strategies[i]->name, "hybrid") != 0)
			return paleo_fail(err, PALEO_EINPUT,
					  "the original has data, model and hybrid "
					  "parallelism, not '%s': leave out --cost-model "
					  "paleo2017 and --format paleo",
					  p->strategies[i]->name);
	if (d)
		p->device_2017 = *d;
	else
		PALEO_TRY(paleo_2017_device_from(&p->device, &p->device_2017, err));
	PALEO_TRY(paleo_2017_algorithms_named(choice_algorithm_2017[s->algorithm],
					      &p->sim_2017.options.algorithms, err));
	p->network_title = n ? n->title : p->fabric.between.title;
	p->sim_2017.gbit_per_s = n ? n->gbit_per_s : p->fabric.between.bytes_per_s * 8 / 1e9;
	p->sim_2017.options.ppp_comp = s->ppp_compute;
	p->sim_2017.options.ppp_comm = s->ppp_link;
	p->sim_2017.use_pipeline = s->use_pipeline;
	return PALEO_OK;
}

int simulate_plan_make(const struct simulate_settings *s, const struct paleo_device *device,
		       struct simulate_plan *out, struct paleo_error *err)
{
	struct simulate_plan *p = out;

	*p = (struct simulate_plan){
		.s = s,
		.device = *device,
		.fabric = {.per_host = s->workers_per_node,
			   .servers = s->servers,
			   .reached = s->ppp_link,
			   /* reads two numbers and writes one */
			   .reduce_s_per_byte =
				   device->mem_bytes_per_s > 0 ? 3 / device->mem_bytes_per_s : 0},
	};
	PALEO_TRY(parse_workers(s->workers ? s->workers : "1,2,4,8,16,32,64,128", p->workers,
				&p->worker_count, err));
	PALEO_TRY(parse_scaling(s->scaling ? s->scaling : "weak,strong", p, err));
	PALEO_TRY(parse_strategies(s->strategy ? s->strategy : "data", p, err));
	PALEO_TRY(parse_schemes(s->schemes, p, err));
	PALEO_TRY(choose_links(s, p, err));
	if (s->cost_model == CHOICE_COST_MODEL_2017) {
		PALEO_TRY(translate(s, p, err));
		p->sim_2017.options.device = &p->device_2017;
	}
	return PALEO_OK;
}
