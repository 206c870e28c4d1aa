/* simulate_plan.c - looks up what `simulate` was asked for: lists, links, the original's terms. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "tools/choice.h"
#include "tools/simulate.h"

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
					  "--num-workers has '%s', expected whole numbers from 1 "
					  "to %d, as in 1,2,4",
					  word, PALEO_WORKERS_MAX);
		int rc = full("num-workers", *count, err);
		if (rc)
			return rc;
		list[(*count)++] = (int)n;
	}
	return *count ? PALEO_OK : paleo_fail(err, PALEO_EINPUT, "--num-workers is empty");
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
		int rc = full("scaling", p->scaling_count, err);
		if (rc)
			return rc;
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
		paleo_error_prefix(err, "--parallel has '%s'", word);
	p->strategies[at] = paleo_strategy_plan();
	return rc;
}

static int parse_strategies(const char *text, struct simulate_plan *p, struct paleo_error *err)
{
	char word[PALEO_PLAN_TEXT + 1];

	while (next_word(&text, word, sizeof(word))) {
		int rc = full("parallel", p->strategy_count, err);
		if (!rc)
			rc = take_strategy(word, p, p->strategy_count, err);
		if (rc)
			return rc;
		p->strategy_count++;
	}
	return p->strategy_count ? PALEO_OK : paleo_fail(err, PALEO_EINPUT, "--parallel is empty");
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
					  "--scheme has '%s' (did you mean '%s'?)", word, near);
		if (!s)
			return paleo_fail(err, PALEO_EINPUT,
					  "--scheme has the unknown word '%s' (see --help)", word);
		int rc = full("scheme", p->scheme_count, err);
		if (rc)
			return rc;
		p->schemes[p->scheme_count++] = s;
	}
	return p->scheme_count ? PALEO_OK : paleo_fail(err, PALEO_EINPUT, "--scheme is empty");
}

/* A fitted link stands in place of --network: the one of its name if there are several. */
static int fitted_link(const struct simulate_settings *s, struct paleo_link *out,
		       struct paleo_error *err)
{
	struct paleo_link *links = NULL;
	int count = 0;
	int rc = paleo_links_load(s->link_calibration, &links, &count, err);

	if (rc)
		return rc;
	const struct paleo_link *l = s->network ? paleo_link_among(links, count, s->network) : NULL;
	if (!l && count > 1)
		rc = paleo_fail(err, PALEO_EINPUT, "%s holds %d links: choose one with --network",
				s->link_calibration, count);
	else
		*out = l ? *l : links[0];
	free(links);
	return rc;
}

static int choose_links(const struct simulate_settings *s, struct paleo_fabric *f,
			struct paleo_error *err)
{
	struct paleo_link *mine = NULL;
	int count = 0;
	int rc = s->links ? paleo_links_load(s->links, &mine, &count, err) : PALEO_OK;

	if (!rc && s->link_calibration)
		rc = fitted_link(s, &f->between, err);
	else if (!rc)
		rc = paleo_link_choose(mine, count, s->network ? s->network : "ethernet",
				       &f->between, err);
	if (!rc)
		paleo_link_bundle(&f->between, s->links_per_host);
	if (!rc && s->host_link)
		rc = paleo_link_choose(mine, count, s->host_link, &f->within, err);
	if (!rc && !s->host_link && s->workers_per_host > 1)
		rc = paleo_fail(err, PALEO_EINPUT,
				"--workers-per-host %d needs --host-link, the link within a host",
				s->workers_per_host);
	free(mine);
	return rc;
}

/* The same in the original's terms, or why it has none. */
static int translate(const struct simulate_settings *s, struct simulate_plan *p,
		     struct paleo_error *err)
{
	const struct paleo_2017_device *d = s->device ? paleo_2017_device_find(s->device) : NULL;
	const struct paleo_2017_network *n =
		s->network ? paleo_2017_network_find(s->network) : NULL;
	int rc = PALEO_OK;

	for (int i = 0; i < p->strategy_count; i++)
		if (strcmp(p->strategies[i]->name, "data") != 0 &&
		    strcmp(p->strategies[i]->name, "model") != 0 &&
		    strcmp(p->strategies[i]->name, "hybrid") != 0)
			return paleo_fail(err, PALEO_EINPUT,
					  "the original knows data, model and hybrid parallelism, "
					  "not '%s': leave out --law paleo2017 and --format paleo",
					  p->strategies[i]->name);
	if (d)
		p->device_2017 = *d;
	else
		rc = paleo_2017_device_from(&p->device, &p->device_2017, err);
	if (!rc && s->algorithm)
		rc = paleo_2017_algorithms_named(s->algorithm, &p->sim_2017.options.algorithms,
						 err);
	p->network_title = n ? n->title : p->fabric.between.title;
	p->sim_2017.gbit_per_s = n ? n->gbit_per_s : p->fabric.between.bytes_per_s * 8 / 1e9;
	p->sim_2017.options.ppp_comp = s->ppp_comp;
	p->sim_2017.options.ppp_comm = s->ppp_comm;
	p->sim_2017.use_pipeline = s->use_pipeline;
	return rc;
}

int simulate_plan_make(const struct simulate_settings *s, const struct paleo_device *device,
		       struct simulate_plan *out, struct paleo_error *err)
{
	struct simulate_plan *p = out;

	*p = (struct simulate_plan){
		.s = s,
		.device = *device,
		.fabric = {.per_host = s->workers_per_host,
			   .servers = s->servers,
			   .reached = s->ppp_comm,
			   /* reads two numbers and writes one */
			   .reduce_s_per_byte =
				   device->mem_bytes_per_s > 0 ? 3 / device->mem_bytes_per_s : 0},
	};
	int rc = parse_workers(s->num_workers, p->workers, &p->worker_count, err);
	if (!rc)
		rc = parse_scaling(s->scaling, p, err);
	if (!rc)
		rc = parse_strategies(s->parallel, p, err);
	if (!rc)
		rc = parse_schemes(s->schemes, p, err);
	if (!rc)
		rc = choose_links(s, &p->fabric, err);
	if (rc)
		return rc;
	memcpy(p->hybrid, p->workers, sizeof(p->hybrid));
	p->hybrid_count = p->worker_count;
	if (s->hybrid_workers) {
		p->hybrid[0] = s->hybrid_workers;
		p->hybrid_count = 1;
	}
	if (s->law == CHOICE_LAW_2017) {
		rc = translate(s, p, err);
		p->sim_2017.options.device = &p->device_2017;
	}
	return rc;
}
