/* serving_shop.c - what cases of `serving` share: a device is looked up once, a model read once. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "library/choose.h"
#include "library/find.h"
#include "model/import/import.h"
#include "tools/choice.h"
#include "tools/serving.h"
#include "tools/session/session.h"

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
	int rc = paleo_find_net(bare, path, err);
	if (!rc)
		rc = paleo_import_model(path, words, &m->options, &m->model, m->name, err);
	if (!rc && (m->options.batch || m->options.seq || m->options.past))
		rc = paleo_fail(err, PALEO_EINPUT,
				"%s: batch=, seq= and past= are not of a server: use "
				"--concurrency, --isl and --osl",
				net);
	return rc;
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
	int rc = read_model(net, m, err);
	if (!rc)
		*out = m;
	return rc;
}

static int find_source(struct serving_shop *shop, const char *device, enum paleo_dtype dtype,
		       struct serving_source **out, struct paleo_error *err)
{
	const struct serving_settings *s = shop->s;
	char name[SESSION_NAME_MAX];
	const struct paleo_source_wish wish = {
		.law = choice_law_of[s->law],
		.dtype = dtype,
		.device = device[0] ? name : NULL,
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
	int rc = session_name(device, s->calibration != NULL, name, err);
	if (!rc)
		rc = paleo_choose_source(&wish, &made->source, err);
	if (!rc)
		*out = made;
	return rc;
}

/* What joins the GPUs; one GPU alone needs nothing. *joined: as struct serving_served has it. */
static int find_link(const struct serving_settings *s, const struct paleo_device *d, int gpus,
		     struct paleo_link *out, int *joined, struct paleo_error *err)
{
	struct paleo_link *mine = NULL;
	int count = 0, most = 0, rc = PALEO_OK;
	const struct paleo_link *usual = paleo_link_within(d->name, &most);

	*out = (struct paleo_link){.name = ""};
	*joined = 0;
	if (gpus == 1)
		return PALEO_OK;
	if (!s->network && usual) {
		*out = *usual;
		*joined = gpus > most ? most : 0;
	} else if (!s->network)
		return paleo_fail(err, PALEO_EINPUT,
				  "what joins several '%s' in a host is not known: give --network, "
				  "for example pcie4-x16",
				  d->name);
	else if (s->links)
		rc = paleo_links_load(s->links, &mine, &count, err);
	if (!rc && s->network)
		rc = paleo_link_choose(mine, count, s->network, out, err);
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
		.split = c->split,
		.host_s = s->host_us * 1e-6,
		.memory_share = s->memory_share,
		.skew = (int)(100 * s->skew + 0.5),
		.chunk = s->chunk,
		.cached = s->cached,
		.drafts = s->drafts,
		.accepted = s->drafts ? s->accepted : 0,
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
	int rc = find_model(shop, c->net, &m, err);

	if (!rc)
		complete(&c->split, &m->options);
	if (!rc)
		rc = find_source(shop, c->device,
				 m->model.weights.dtype
					 ? (enum paleo_dtype)(m->model.weights.dtype - 1)
					 : m->model.dtype,
				 &source, err);
	for (int i = 0; !rc && i < shop->served_count; i++) {
		const struct serving_served *s = shop->served[i];
		if (s->model == m && s->source == source && s->apart == is_apart &&
		    s->served.isl == c->load.isl && same_split(&s->serving.split, &c->split)) {
			*out = s;
			return PALEO_OK;
		}
	}
	if (rc)
		return rc;
	struct serving_served *made =
		add(&shop->served, shop->served_count, &shop->served_room, sizeof(*made), err);
	if (!made)
		return PALEO_ENOMEM;
	shop->served_count++;
	made->model = m;
	made->source = source;
	made->apart = is_apart;
	rc = make_served(shop->s, c, made, err);
	if (!rc)
		*out = made;
	return rc;
}

void serving_shop_release(struct serving_shop *shop)
{
	for (int i = 0; i < shop->served_count; i++) {
		paleo_served_release(&shop->served[i]->served);
		free(shop->served[i]);
	}
	for (int i = 0; i < shop->source_count; i++) {
		paleo_source_release(&shop->sources[i]->source);
		free(shop->sources[i]);
	}
	for (int i = 0; i < shop->model_count; i++)
		free(shop->models[i]);
	free(shop->served);
	free(shop->sources);
	free(shop->models);
}
