/* answer.c - the one call of the page: a request in, an answer out, both JSON. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "web/answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "web/job.h"

struct paleo_web {
	struct paleo_net *net;
	char net_name[1024];
	int net_batch; /* requested batch */
	struct paleo_predictor *predictor;
	struct paleo_web_request
		predictor_for; /* its device, cost model, dtype and fractions matter */
};

struct paleo_web *paleo_web_open(void)
{
	return calloc(1, sizeof(struct paleo_web));
}

void paleo_web_close(struct paleo_web *web)
{
	if (!web)
		return;
	paleo_net_close(web->net);
	paleo_predictor_close(web->predictor);
	free(web);
}

static int open_net(struct paleo_web *web, const struct paleo_web_request *r,
		    struct paleo_error *err)
{
	struct paleo_net *net = NULL;

	if (web->net && web->net_batch == r->batch && !strcmp(web->net_name, r->net))
		return PALEO_OK;
	PALEO_TRY(paleo_net_open(r->net, r->batch, &net, err));
	paleo_net_close(web->net);
	web->net = net;
	web->net_batch = r->batch;
	memcpy(web->net_name, r->net, sizeof(web->net_name));
	return PALEO_OK;
}

static int same_predictor(const struct paleo_web_request *a, const struct paleo_web_request *b)
{
	return !strcmp(a->device, b->device) && !strcmp(a->cost_model, b->cost_model) &&
	       !strcmp(a->dtype, b->dtype) && a->ppp_compute == b->ppp_compute &&
	       a->ppp_memory == b->ppp_memory;
}

static int open_predictor(struct paleo_web *web, const struct paleo_web_request *r,
			  struct paleo_error *err)
{
	const struct paleo_predictor_options o = {
		.device = r->device,
		.cost_model = r->cost_model[0] ? r->cost_model : NULL,
		.dtype = r->dtype,
		.ppp_compute = r->ppp_compute,
		.ppp_memory = r->ppp_memory,
	};
	struct paleo_predictor *predictor = NULL;

	if (web->predictor && same_predictor(&web->predictor_for, r))
		return PALEO_OK;
	PALEO_TRY(paleo_predictor_open(&o, &predictor, err));
	paleo_predictor_close(web->predictor);
	web->predictor = predictor;
	web->predictor_for = *r;
	return PALEO_OK;
}

static void put_net(struct paleo_json_writer *w, const struct paleo_net *net)
{
	const char *unit;
	double items = paleo_net_items(net, &unit);

	paleo_json_open_object(w, "net");
	paleo_json_put_string(w, "name", net->name);
	paleo_json_put_string(w, "title", net->title);
	paleo_json_put_int(w, "batch", net->batch);
	paleo_json_put_double(w, "items", items);
	paleo_json_put_string(w, "unit", unit);
	paleo_json_put_int(w, "layers", net->count);
	paleo_json_put_double(w, "weights", paleo_net_weight_count(net));
	paleo_json_close(w);
}

static int predict(struct paleo_web *web, struct paleo_web_request *r, struct paleo_json_writer *w,
		   struct paleo_error *err)
{
	const int original = !strcmp(r->cost_model, "paleo2017");
	struct paleo_web_job job = {.request = r, .out = w};

	PALEO_TRY(open_net(web, r, err));
	job.net = web->net;
	if (!r->dtype[0]) {
		enum paleo_dtype type = paleo_net_dtype(web->net);
		const char *name = paleo_dtype_name((enum paleo_dtype)type);
		memcpy(r->dtype, name, strlen(name) + 1);
	}
	put_net(w, web->net);
	if (original)
		return paleo_web_2017(&job, err);
	PALEO_TRY(open_predictor(web, r, err));
	job.predictor = web->predictor;
	return paleo_web_ops(&job, err);
}

static int answer(struct paleo_web *web, const char *text, struct paleo_json_writer *w,
		  struct paleo_error *err)
{
	struct paleo_web_request request;

	PALEO_TRY(paleo_web_request_read(text, &request, err));
	if (!strcmp(request.ask, "lists"))
		return paleo_web_lists(w, err);
	if (request.ask[0] && strcmp(request.ask, "prediction") != 0)
		return paleo_fail(err, PALEO_EINPUT,
				  "unknown request '%s', expected prediction or lists",
				  request.ask);
	return predict(web, &request, w, err);
}

/* Starts a new text, since the writer may have stopped within an object. */
static char *complaint(const struct paleo_error *err)
{
	struct paleo_json_writer *w = paleo_json_writer_new();
	struct paleo_error unread;
	char *text = NULL;

	if (!w)
		return NULL;
	paleo_json_open_object(w, NULL);
	paleo_json_put_string(w, "error", err->text);
	paleo_json_close(w);
	if (paleo_json_writer_text(w, 0, &text, &unread))
		text = NULL;
	paleo_json_writer_free(w);
	return text;
}

char *paleo_web_answer(struct paleo_web *web, const char *request)
{
	struct paleo_json_writer *w = paleo_json_writer_new();
	struct paleo_error err;
	char *text = NULL;

	if (!w)
		return NULL;
	paleo_json_open_object(w, NULL);
	int rc = answer(web, request, w, &err);
	if (!rc) {
		paleo_json_close(w);
		rc = paleo_json_writer_text(w, 0, &text, &err);
	}
	paleo_json_writer_free(w);
	return rc ? complaint(&err) : text;
}

/* Hours of training and dollars, if requested. */
static void put_training(const struct paleo_web_job *j, const struct paleo_web_point *p)
{
	const struct paleo_web_request *r = j->request;
	double hours = r->epoch_size * r->epochs / p->batch * p->step_s / 3600;

	if (!(r->epoch_size > 0) || !(r->epochs > 0))
		return;
	if (r->whole_hours)
		hours = ceil(hours);
	paleo_json_put_double(j->out, "hours", hours);
	if (r->usd_per_hour > 0)
		paleo_json_put_double(j->out, "usd", hours * r->usd_per_hour * p->workers);
}

void paleo_web_put_point(const struct paleo_web_job *j, const struct paleo_web_point *p)
{
	struct paleo_json_writer *w = j->out;

	paleo_json_open_object(w, NULL);
	paleo_json_put_int(w, "workers", p->workers);
	paleo_json_put_double(w, "batch", p->batch);
	paleo_json_put_double(w, "step_s", p->step_s);
	paleo_json_put_double(w, "low_s", p->low_s);
	paleo_json_put_double(w, "high_s", p->high_s);
	paleo_json_put_double(w, "fwd_s", p->fwd_s);
	paleo_json_put_double(w, "bwd_s", p->bwd_s);
	paleo_json_put_double(w, "update_s", p->update_s);
	paleo_json_put_double(w, "comm_s", p->comm_s);
	paleo_json_put_double(w, "exposed_s", p->exposed_s);
	paleo_json_put_double(w, "images_per_s", p->batch / p->step_s);
	paleo_json_put_double(w, "speedup", p->speedup);
	paleo_json_put_double(w, "memory_bytes", p->memory_bytes);
	if (p->device_bytes > 0)
		paleo_json_put_bool(w, "fits", p->memory_bytes <= p->device_bytes);
	put_training(j, p);
	paleo_json_close(w);
}

void paleo_web_add_kind(struct paleo_web_kinds *k, const char *name, double s)
{
	int i = 0;

	while (i < k->count && strcmp(k->items[i].name, name) != 0)
		i++;
	if (i == PALEO_WEB_KINDS_MAX)
		return;
	if (i == k->count)
		k->items[k->count++] = (struct paleo_web_kind){name, 0};
	k->items[i].s += s;
}

static int longest_first(const void *a, const void *b)
{
	const struct paleo_web_kind *x = a, *y = b;

	return x->s != y->s ? (x->s < y->s) - (x->s > y->s) : strcmp(x->name, y->name);
}

void paleo_web_put_kinds(struct paleo_json_writer *w, struct paleo_web_kinds *k)
{
	qsort(k->items, (size_t)k->count, sizeof(k->items[0]), longest_first);
	paleo_json_open_array(w, "kinds");
	for (int i = 0; i < k->count; i++) {
		paleo_json_open_object(w, NULL);
		paleo_json_put_string(w, "kind", k->items[i].name);
		paleo_json_put_double(w, "s", k->items[i].s);
		paleo_json_close(w);
	}
	paleo_json_close(w);
}
