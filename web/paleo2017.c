/* paleo2017.c - the answer by the original cost model: rows, totals, a curve per scheme. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "library/source.h"
#include "model/paleo2017/sim.h"
#include "web/job.h"

/* State shared by the predictions and the simulated steps of the original. */
struct original {
	const struct paleo_web_job *job;
	struct paleo_2017_net *net;
	struct paleo_2017_device device;
	struct paleo_2017_sim sim; /* its device is the one above */
	struct paleo_2017_time forward, backward, update;
	struct paleo_web_kinds kinds;
};

static int find_device(const char *name, struct paleo_2017_device *out, struct paleo_error *err)
{
	const struct paleo_2017_device *old = paleo_2017_device_find(name[0] ? name : "TITAN_X");
	struct paleo_device device;

	if (old) {
		*out = *old;
		return PALEO_OK;
	}
	int rc = paleo_choose_device(NULL, name, NULL, &device, err);
	return rc ? rc : paleo_2017_device_from(&device, out, err);
}

static int find_link(const char *name, double *gbit_per_s, struct paleo_error *err)
{
	const struct paleo_2017_network *old = paleo_2017_network_find(name[0] ? name : "ethernet");
	struct paleo_link link;

	if (old) {
		*gbit_per_s = old->gbit_per_s;
		return PALEO_OK;
	}
	PALEO_TRY(paleo_link_choose(NULL, 0, name, &link, err));
	*gbit_per_s = link.bytes_per_s * 8 / 1e9;
	return PALEO_OK;
}

static int setup(struct original *o, struct paleo_error *err)
{
	const struct paleo_web_request *r = o->job->request;

	PALEO_TRY(find_device(r->device, &o->device, err));
	PALEO_TRY(find_link(r->link, &o->sim.gbit_per_s, err));
	PALEO_TRY(paleo_2017_algorithms_named(r->algorithm[0] ? r->algorithm : "gemm",
					      &o->sim.options.algorithms, err));
	o->sim.options.device = &o->device;
	o->sim.options.ppp_comp = r->ppp_compute > 0 ? r->ppp_compute : 1;
	o->sim.options.ppp_comm = r->ppp_comm > 0 ? r->ppp_comm : 1;
	return paleo_2017_open(o->job->net, &o->net, err);
}

/* A device of 2017 has no intervals. */
static void put_row(struct original *o, const char *layer, const char *kind, const char *pass,
		    const struct paleo_2017_time *t)
{
	struct paleo_json_writer *w = o->job->out;

	paleo_json_open_object(w, NULL);
	paleo_json_put_string(w, "layer", layer);
	paleo_json_put_string(w, "kind", kind);
	paleo_json_put_string(w, "pass", pass);
	paleo_json_put_double(w, "s", t->total_ms / 1000);
	paleo_json_put_string(w, "bound", t->comp_ms >= t->comm_ms ? "compute" : "memory");
	paleo_json_close(w);
	paleo_web_add_kind(&o->kinds, kind, t->total_ms / 1000);
}

/* Rows of one pass. Here inputs are never fetched from other devices, as in the command. */
static int put_pass(struct original *o, enum paleo_2017_pass pass, const char *name,
		    struct paleo_2017_time *sum, struct paleo_error *err)
{
	struct paleo_2017_options how = o->sim.options;
	int count, rc = PALEO_OK;
	const struct paleo_2017_layer *layers = paleo_2017_layers(o->net, &count);

	how.ppp_comm = 1;
	how.batch = o->job->net->batch;
	how.no_fetch = 1;
	for (int i = 0; !rc && i < count; i++) {
		struct paleo_2017_time t;
		rc = paleo_2017_time(o->net, i, pass, &how, &t, err);
		if (rc)
			break;
		paleo_2017_add(sum, &t);
		if (t.total_ms > 0)
			put_row(o, layers[i].layer->name, layers[i].type, name, &t);
	}
	return rc;
}

static int put_rows(struct original *o, struct paleo_error *err)
{
	double bytes = 0;
	int count;
	const struct paleo_2017_layer *layers = paleo_2017_layers(o->net, &count);

	for (int i = 0; i < count; i++)
		bytes += layers[i].weights_bytes;
	o->update = paleo_2017_update(&o->device, bytes);
	paleo_json_open_array(o->job->out, "rows");
	int rc = put_pass(o, PALEO_2017_FWD, "fwd", &o->forward, err);
	if (!rc)
		rc = put_pass(o, PALEO_2017_BWD_DATA, "bwd_data", &o->backward, err);
	if (!rc)
		rc = put_pass(o, PALEO_2017_BWD_FILTER, "bwd_filter", &o->backward, err);
	put_row(o, "all weights", "update", "update", &o->update);
	paleo_json_close(o->job->out);
	return rc;
}

static void put_totals(const struct original *o)
{
	struct paleo_json_writer *w = o->job->out;
	struct paleo_2017_time step = o->forward;

	paleo_2017_add(&step, &o->backward);
	paleo_2017_add(&step, &o->update);
	const struct {
		const char *what;
		double ms;
	} totals[] = {{"forward", o->forward.total_ms},
		      {"backward", o->backward.total_ms},
		      {"update", o->update.total_ms},
		      {"training step", step.total_ms}};
	paleo_json_open_array(w, "totals");
	for (size_t i = 0; i < sizeof(totals) / sizeof(totals[0]); i++) {
		paleo_json_open_object(w, NULL);
		paleo_json_put_string(w, "what", totals[i].what);
		paleo_json_put_double(w, "s", totals[i].ms / 1000);
		paleo_json_close(w);
	}
	paleo_json_close(w);
}

static int put_point(const struct original *o, enum paleo_2017_scheme scheme, int workers,
		     struct paleo_error *err)
{
	const struct paleo_web_request *r = o->job->request;
	const int strong = !strcmp(r->scaling, "strong"), batch = o->job->net->batch;
	struct paleo_2017_data one, d;

	PALEO_TRY(paleo_2017_data(o->net, &o->sim, batch, 1, 0, &one, err));
	PALEO_TRY(paleo_2017_data(o->net, &o->sim, batch, workers, strong, &d, err));
	double step_s = (d.comp_ms + d.sync_ms[scheme]) / 1000;
	double single_per_s = batch / (one.comp_ms / 1000);
	const struct paleo_web_point p = {
		.workers = workers,
		.batch = d.batch,
		.step_s = step_s,
		.low_s = NAN,
		.high_s = NAN,
		.fwd_s = d.fwd_ms / 1000,
		.bwd_s = d.bwd_ms / 1000,
		.update_s = d.apply_ms / 1000,
		.comm_s = d.sync_ms[scheme] / 1000,
		.exposed_s = d.sync_ms[scheme] / 1000,
		.speedup = d.batch / step_s / single_per_s,
		.memory_bytes = NAN,
	};
	paleo_web_put_point(o->job, &p);
	return PALEO_OK;
}

static int put_curves(const struct original *o, struct paleo_error *err)
{
	static const char *const names[PALEO_2017_SCHEMES] = {"one-to-all", "tree", "butterfly",
							      "mixing"};
	const struct paleo_web_request *r = o->job->request;
	struct paleo_json_writer *w = o->job->out;
	int rc = PALEO_OK;

	paleo_json_open_array(w, "curves");
	for (int k = 0; !rc && k < PALEO_2017_SCHEMES; k++) {
		paleo_json_open_object(w, NULL);
		paleo_json_put_string(w, "scheme", names[k]);
		paleo_json_open_array(w, "points");
		for (int i = 0; !rc && i < r->worker_count; i++)
			rc = put_point(o, (enum paleo_2017_scheme)k, r->workers[i], err);
		paleo_json_close(w);
		paleo_json_close(w);
	}
	paleo_json_close(w);
	return rc;
}

int paleo_web_2017(struct paleo_web_job *j, struct paleo_error *err)
{
	struct original o = {.job = j};
	char text[160];
	int rc = setup(&o, err);

	if (!rc) {
		snprintf(text, sizeof(text), "the cost model paleo2017 at PPP %g, links at %g",
			 o.sim.options.ppp_comp, o.sim.options.ppp_comm);
		paleo_json_put_string(j->out, "device", o.device.title);
		paleo_json_put_string(j->out, "stands_on", text);
		paleo_json_put_string(j->out, "dtype", "f32");
		rc = put_rows(&o, err);
	}
	if (!rc) {
		put_totals(&o);
		paleo_web_put_kinds(j->out, &o.kinds);
		rc = put_curves(&o, err);
	}
	paleo_2017_close(o.net);
	return rc;
}
