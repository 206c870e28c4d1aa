/* cases.c - the cases of `serving`: lists of options, lines of a file, and what they share. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/json.h"
#include "base/lines.h"
#include "import/import.h"
#include "library/find.h"
#include "library/source.h"
#include "tools/cli/choice.h"
#include "tools/serving/serving.h"
#include "tools/session/session.h"

/* Steps before a request is scheduled: fitted to measured servers (docs/method/serving.md). */
#define FRONT_STEPS 9

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
	const char *name; /* in a file */
	int high;
	const char *option; /* NULL: the same */
} numbers[NUMBERS] = {
	[TP] = {"tp", 1024, NULL},
	[PP] = {"pp", 1024, NULL},
	[DP] = {"dp", 1024, NULL},
	[EP] = {"ep", 1024, NULL},
	[ISL] = {"isl", 1 << 22, NULL},
	[OSL] = {"osl", 1 << 22, NULL},
	[CONCURRENCY] = {"concurrency", 1 << 20, "max-concurrency"},
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

static int serving_case_add(struct serving_cases *to, const struct serving_case *c,
			    struct paleo_error *err)
{
	if (to->count == CASES_MAX)
		return paleo_fail(err, PALEO_EINPUT, "more than %d cases", CASES_MAX);
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
	const char *option = numbers[n].option ? numbers[n].option : numbers[n].name;

	*count = !text;
	list[0] = 0; /* not given */
	while (text && (*text || !*count)) {
		char *end;
		long value = strtol(text, &end, 10);
		if (end == text || (*end && *end != ',') || value < 1 || value > numbers[n].high)
			return paleo_fail(err, PALEO_EINPUT,
					  "--%s has '%.*s', expected whole numbers from 1 to %d, "
					  "as in 1,2,4",
					  option, (int)strcspn(text, ","), text, numbers[n].high);
		if (*count == LIST_MAX)
			return paleo_fail(err, PALEO_EINPUT, "--%s has more than %d numbers",
					  option, LIST_MAX);
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

int serving_grid(const struct serving_settings *s, const char *net, const char *device,
		 struct serving_cases *out, struct paleo_error *err)
{
	/* requests in flight; of a table for others, as many as vLLM takes */
	const char *const usual = s->export == SERVING_NO_EXPORT ? "1,8,64" : "256";
	int is_found = s->ttft_ms > 0 || s->tpot_ms > 0;
	const char *const texts[NUMBERS] = {
		[TP] = s->tp,
		[PP] = s->pp,
		[DP] = s->dp,
		[EP] = s->ep,
		[ISL] = s->isl ? s->isl : "1024",
		[OSL] = s->osl ? s->osl : "256",
		[CONCURRENCY] = s->concurrency || is_found ? s->concurrency : usual};
	int lists[NUMBERS][LIST_MAX], counts[NUMBERS], at[NUMBERS] = {0};
	struct serving_case c = {.ttft_s = NAN, .tpot_s = NAN};
	int rc = PALEO_OK;

	snprintf(c.net, sizeof(c.net), "%s", net);
	snprintf(c.device, sizeof(c.device), "%s", device);
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
	PALEO_TRY(paleo_json_to_string(v, &text, err));
	if (strlen(text) >= size)
		return paleo_json_fail(v, err, "is longer than %zu characters", size - 1);
	snprintf(out, size, "%s", text);
	return PALEO_OK;
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
	for (int n = 0; n < NUMBERS; n++) {
		const struct paleo_json *v = paleo_json_get(root, numbers[n].name);
		int *to = place_of(c, (enum number)n);
		if (v)
			PALEO_TRY(paleo_json_to_int(v, 1, numbers[n].high, to, err));
		else if (n >= ISL)
			PALEO_TRY(paleo_json_need(root, numbers[n].name, &v, err));
	}
	return PALEO_OK;
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

/* Room for one pointer more in a list, and `size` zeroed bytes for what it points at. */
static void *add(void *list, int count, int *room, size_t size, struct paleo_error *err)
{
	void ***items = list;
	void **grown = paleo_grow(*items, count, room, sizeof(void *));
	void *made = grown ? calloc(1, size) : NULL;

	if (grown)
		*items = grown;
	if (!made) {
		paleo_error_set(err, PALEO_ENOMEM, "out of memory");
		return NULL;
	}
	grown[count] = made;
	return made;
}

static int read_model(const char *net, struct serving_model *m, struct paleo_error *err)
{
	const char *words = paleo_import_words(net);
	char bare[PALEO_PATH_MAX], path[PALEO_PATH_MAX];
	size_t length = words ? (size_t)(words - net) - 1 : strlen(net);

	snprintf(bare, sizeof(bare), "%.*s", (int)length, net);
	PALEO_TRY(paleo_find_net(bare, path, err));
	PALEO_TRY(paleo_import_model(path, words, &m->options, &m->model, m->name, err));
	if ((m->options.batch || m->options.seq || m->options.past))
		return paleo_fail(err, PALEO_EINPUT,
				  "%s: batch=, seq= and past= do not apply to serving: use "
				  "--max-concurrency, --isl and --osl",
				  net);
	return PALEO_OK;
}

static int find_model(struct serving_shop *shop, const char *net, struct serving_model **out,
		      struct paleo_error *err)
{
	for (int i = 0; i < shop->model_count; i++) {
		if (!strcmp(shop->models[i]->net, net)) {
			*out = shop->models[i];
			return PALEO_OK;
		}
	}
	struct serving_model *m =
		add(&shop->models, shop->model_count, &shop->model_room, sizeof(*m), err);
	if (!m)
		return PALEO_ENOMEM;
	shop->model_count++;
	snprintf(m->net, sizeof(m->net), "%s", net);
	PALEO_TRY(read_model(net, m, err));
	if (shop->s->dtype != CHOICE_DTYPE_OWN)
		m->model.dtype = (enum paleo_dtype)shop->s->dtype;
	*out = m;
	return PALEO_OK;
}

/* Sources of each stack, where they have presets of the device and none was asked for. */
static int add_stacks(const struct paleo_source_wish *of, struct serving_source *to,
		      struct paleo_error *err)
{
	struct paleo_source_wish wish = *of;
	int count = of->stack || !to->source.stack ? 0 : PALEO_STACKS - 1, rc = PALEO_OK;

	for (int *i = &to->stack_count; !rc && *i < count; ++*i) {
		wish.stack = (enum paleo_stack)(*i + 1);
		to->calibrations[*i] = &to->stacks[*i].calibration;
		rc = paleo_choose_source(&wish, &to->stacks[*i], err);
	}
	return rc;
}

static int find_source(struct serving_shop *shop, const char *device, enum paleo_dtype dtype,
		       struct serving_source **out, struct paleo_error *err)
{
	const struct serving_settings *s = shop->s;
	struct paleo_device_info who;
	const struct paleo_source_wish wish = {
		.cost_model = (enum paleo_cost_model)s->cost_model,
		.stack = (enum paleo_stack)s->stack,
		.dtype = dtype,
		.device = device[0] ? who.device.name : NULL,
		.who = device[0] ? &who : NULL,
		.devices = s->devices,
		.calibration = s->calibration,
	};

	for (int i = 0; i < shop->source_count; i++) {
		if (shop->sources[i]->dtype == dtype && !strcmp(shop->sources[i]->device, device)) {
			*out = shop->sources[i];
			return PALEO_OK;
		}
	}
	struct serving_source *made =
		add(&shop->sources, shop->source_count, &shop->source_room, sizeof(*made), err);
	if (!made)
		return PALEO_ENOMEM;
	shop->source_count++;
	snprintf(made->device, sizeof(made->device), "%s", device);
	made->dtype = dtype;
	PALEO_TRY(session_who(device, s->calibration != NULL, &who, err));
	PALEO_TRY(paleo_choose_source(&wish, &made->source, err));
	PALEO_TRY(add_stacks(&wish, made, err));
	PALEO_TRY(paleo_choose_power(&made->source.calibration, 0, &made->shipped_power,
				     &made->power, err));
	*out = made;
	return PALEO_OK;
}

/* The link between the GPUs; none for one GPU. *joined: as struct serving_served has it. */
static int find_link(const struct serving_settings *s, const struct paleo_device *d, int gpus,
		     struct paleo_link *out, int *joined, struct paleo_error *err)
{
	struct paleo_link *mine = NULL;
	const char *name = s->network;
	struct paleo_node usual = {.gpus = 0};
	int count = 0, is_usual = paleo_node_usual(d->name, &usual);

	*out = (struct paleo_link){.name = ""};
	*joined = 0;
	if (gpus == 1)
		return PALEO_OK;
	if (!s->network && !s->links && is_usual) {
		*out = *usual.within;
		*joined = gpus > usual.gpus ? usual.gpus : 0;
		return PALEO_OK;
	}
	if (!s->network && !s->links)
		return paleo_fail(err, PALEO_EINPUT,
				  "no known link within a node of '%s': give --link, for example "
				  "pcie4-x16",
				  d->name);
	int rc = choice_links(s->links, NULL, &mine, &count, &name, err);
	if (!rc)
		rc = paleo_link_choose(mine, count, name, out, err);
	free(mine);
	return rc;
}

static int make_served(const struct serving_settings *s, const struct serving_case *c,
		       struct serving_served *made, struct paleo_error *err)
{
	const struct paleo_calibration *calibration = &made->source->source.calibration;
	const struct paleo_serving_split *p = &c->split;
	struct paleo_serving *v = &made->serving;

	*v = (struct paleo_serving){
		.model = &made->model->model,
		.options = made->model->options,
		.calibration = calibration,
		.others = made->source->calibrations,
		.other_count = made->source->stack_count,
		.power = made->source->power,
		.split = c->split,
		.host_s = s->host_us * 1e-6,
		.memory_share = s->memory_share,
		.skew = (int)(100 * s->skew + 0.5),
		.chunk = s->chunk,
		.cached = s->cached,
		.drafts = s->drafts,
		.accepted = s->drafts ? s->accepted : 0,
		.rounds = s->rounds,
		.front_steps = FRONT_STEPS,
	};
	int rc = find_link(s, &calibration->device, p->tp * p->pp * p->dp * (1 + made->apart),
			   &v->link, &made->joined, err);
	return rc ? rc : paleo_served_make(v, c->load.isl, &made->served, err);
}

static int same_split(const struct paleo_serving_split *a, const struct paleo_serving_split *b)
{
	return a->tp == b->tp && a->pp == b->pp && a->dp == b->dp && a->ep == b->ep;
}

static int or_else(int given, int words)
{
	return given ? given : words ? words : 1;
}

static void complete(struct paleo_serving_split *p, const struct paleo_hf_options *words)
{
	p->tp = or_else(p->tp, words->tp);
	p->pp = or_else(p->pp, words->pp);
	p->dp = or_else(p->dp, 0);
	p->ep = or_else(p->ep, words->ep ? words->ep : p->dp);
}

int serving_find(struct serving_shop *shop, struct serving_case *c,
		 const struct serving_served **out, struct paleo_error *err)
{
	struct serving_model *m = NULL;
	struct serving_source *source = NULL;
	int is_apart = c->load.batching == PALEO_DISAGGREGATED;

	PALEO_TRY(find_model(shop, c->net, &m, err));
	complete(&c->split, &m->options);
	PALEO_TRY(find_source(shop, c->device,
			      m->model.weights[0].dtype
				      ? (enum paleo_dtype)(m->model.weights[0].dtype - 1)
				      : m->model.dtype,
			      &source, err));
	for (int i = 0; i < shop->served_count; i++) {
		const struct serving_served *s = shop->served[i];
		if (s->model == m && s->source == source && s->apart == is_apart &&
		    s->served.isl == c->load.isl && same_split(&s->serving.split, &c->split)) {
			*out = s;
			return PALEO_OK;
		}
	}
	struct serving_served *made =
		add(&shop->served, shop->served_count, &shop->served_room, sizeof(*made), err);
	if (!made)
		return PALEO_ENOMEM;
	shop->served_count++;
	made->model = m;
	made->source = source;
	made->apart = is_apart;
	PALEO_TRY(make_served(shop->s, c, made, err));
	*out = made;
	return PALEO_OK;
}

void serving_shop_release(struct serving_shop *shop)
{
	for (int i = 0; i < shop->served_count; i++) {
		paleo_served_release(&shop->served[i]->served);
		free(shop->served[i]);
	}
	for (int i = 0; i < shop->source_count; i++) {
		paleo_source_release(&shop->sources[i]->source);
		paleo_calibration_release(&shop->sources[i]->shipped_power);
		for (int k = 0; k < shop->sources[i]->stack_count; k++)
			paleo_source_release(&shop->sources[i]->stacks[k]);
		free(shop->sources[i]);
	}
	for (int i = 0; i < shop->model_count; i++)
		free(shop->models[i]);
	free(shop->served);
	free(shop->sources);
	free(shop->models);
}
