/* ops.c - the answer by the cost models of ops: rows with intervals, totals, steps of workers. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "library/api.h"
#include "library/fits.h"
#include "library/trained.h"
#include "web/job.h"

/* A step at one batch of a worker, summed over its ops. */
struct summed {
	int batch;
	struct paleo_predicted_time time;
};

/* The steps of workers that share a net. */
struct steps {
	const struct paleo_web_job *job;
	const struct paleo_net *net; /* the job's, to be trained */
	struct paleo_sim *sim;
	const struct paleo_strategy *strategy;
	struct paleo_sim_setup setup;
	double single_per_s; /* images per second of one worker with the request's batch */
	struct summed summed[PALEO_WEB_LIST_MAX];
	int summed_count;
};

static const char *const total_names[PALEO_TOTALS] = {
	[PALEO_TOTAL_FORWARD] = "forward",
	[PALEO_TOTAL_BACKWARD] = "backward",
	[PALEO_TOTAL_FORWARD_BACKWARD] = "forward + backward",
	[PALEO_TOTAL_UPDATE] = "update",
	[PALEO_TOTAL_STEP] = "training step",
};

static int predict(const struct paleo_web_job *j, const struct paleo_net *net,
		   struct paleo_net_prediction **out, struct paleo_error *err)
{
	const struct paleo_web_request *r = j->request;
	const struct paleo_predict_options o = {
		.passes = r->passes[0] ? r->passes : NULL,
		.layout = r->layout[0] ? r->layout : NULL,
		.fuse = r->fuse,
	};

	return paleo_net_predict(j->predictor, net, &o, out, err);
}

static void put_time(struct paleo_json_writer *w, const struct paleo_predicted_time *t)
{
	paleo_json_put_double(w, "s", t->total_s);
	paleo_json_put_double(w, "low_s", t->low_s);
	paleo_json_put_double(w, "high_s", t->high_s);
}

static void put_totals(struct paleo_json_writer *w, const struct paleo_net_prediction *p)
{
	struct paleo_predicted_total t;

	paleo_json_open_array(w, "totals");
	for (int i = 0; i < PALEO_TOTALS; i++) {
		if (paleo_net_prediction_total(p, (enum paleo_total)i, &t))
			continue;
		paleo_json_open_object(w, NULL);
		paleo_json_put_string(w, "what", total_names[i]);
		put_time(w, &t.time);
		paleo_json_put_double(w, "flops", t.flops);
		paleo_json_put_int(w, "rows", t.rows);
		paleo_json_put_int(w, "predicted", t.predicted);
		paleo_json_close(w);
	}
	paleo_json_close(w);
}

static void put_rows(struct paleo_json_writer *w, const struct paleo_net_prediction *p)
{
	struct paleo_predicted_row row;
	struct paleo_web_kinds kinds = {.count = 0};

	paleo_json_open_array(w, "rows");
	for (int i = 0; !paleo_net_prediction_row(p, i, &row); i++) {
		paleo_json_open_object(w, NULL);
		paleo_json_put_string(w, "layer", row.layer);
		paleo_json_put_string(w, "kind", row.kind);
		paleo_json_put_string(w, "pass", row.pass);
		put_time(w, &row.time);
		paleo_json_put_double(w, "flops", row.flops);
		paleo_json_put_double(w, "bytes", row.bytes);
		paleo_json_put_string(w, "bound", row.bound);
		paleo_json_put_string(w, "source", row.source);
		paleo_json_close(w);
		if (row.predicted)
			paleo_web_add_kind(&kinds, row.kind, row.time.total_s);
	}
	paleo_json_close(w);
	paleo_web_put_kinds(w, &kinds);
}

/* Totals of a step at the batch of one worker, computed once. */
static int sum_step(struct steps *s, int batch, struct paleo_predicted_time *out,
		    struct paleo_error *err)
{
	struct paleo_net_prediction *p = NULL;
	struct paleo_net *net = NULL;
	struct paleo_predicted_total t;

	for (int i = 0; i < s->summed_count; i++) {
		if (s->summed[i].batch == batch) {
			*out = s->summed[i].time;
			return PALEO_OK;
		}
	}
	int rc = paleo_net_with_batch(s->net, batch, &net, err);
	if (!rc)
		rc = predict(s->job, net, &p, err);
	if (!rc) {
		rc = paleo_net_prediction_total(p, PALEO_TOTAL_STEP, &t);
		*out = rc ? (struct paleo_predicted_time){.low_s = NAN, .high_s = NAN} : t.time;
		s->summed[s->summed_count++] = (struct summed){batch, *out};
		rc = PALEO_OK;
	}
	paleo_net_prediction_close(p);
	paleo_net_close(net);
	return rc;
}

/* The interval of a step is that of its computing; links have none. */
static int put_step(struct steps *s, int workers, struct paleo_error *err)
{
	const int strong = !strcmp(s->job->request->scaling, "strong");
	double batch = strong ? s->net->batch : (double)s->net->batch * workers;
	struct paleo_predicted_time sum;
	struct paleo_sim_step step;

	if (batch > 1 << 24)
		return paleo_fail(err, PALEO_EINPUT, "%d workers with %d images each are too many",
				  workers, s->net->batch);
	s->setup.workers = workers;
	s->setup.batch = (int)batch;
	PALEO_TRY(paleo_sim_step(s->sim, s->strategy, &s->setup, &step, err));
	PALEO_TRY(sum_step(s, step.worker_batch, &sum, err));
	const struct paleo_web_point p = {
		.workers = step.workers,
		.batch = batch,
		.step_s = step.step_s,
		.low_s = step.step_s - (sum.total_s - sum.low_s),
		.high_s = step.step_s + (sum.high_s - sum.total_s),
		.fwd_s = step.fwd_s,
		.bwd_s = step.bwd_s,
		.update_s = step.update_s,
		.comm_s = step.comm_s,
		.exposed_s = step.exposed_s,
		.speedup = batch / step.step_s / s->single_per_s,
		.memory_bytes = paleo_sim_memory_sum(&step.memory),
		.device_bytes =
			paleo_device_memory_bytes(paleo_predictor_device(s->job->predictor)),
	};
	paleo_web_put_point(s->job, &p);
	return PALEO_OK;
}

static int put_curve(struct steps *s, const char *scheme, struct paleo_error *err)
{
	const struct paleo_web_request *r = s->job->request;
	struct paleo_json_writer *w = s->job->out;
	int rc = PALEO_OK;

	s->setup.scheme = paleo_scheme_find(scheme);
	if (!s->setup.scheme)
		return paleo_fail(err, PALEO_EINPUT, "there is no scheme '%s'", scheme);
	paleo_json_open_object(w, NULL);
	paleo_json_put_string(w, "scheme", s->setup.scheme->name);
	paleo_json_open_array(w, "points");
	for (int i = 0; !rc && i < r->worker_count; i++)
		rc = put_step(s, r->workers[i], err);
	paleo_json_close(w);
	if (rc)
		paleo_json_put_string(w, "error", err->text);
	paleo_json_close(w);
	return rc == PALEO_ENOMEM ? rc : PALEO_OK;
}

static int single_rate(struct steps *s, struct paleo_error *err)
{
	struct paleo_sim_step step;

	s->setup.scheme = paleo_scheme_find("ring");
	s->setup.workers = 1;
	s->setup.batch = s->net->batch;
	PALEO_TRY(paleo_sim_step(s->sim, paleo_strategy_find("data"), &s->setup, &step, err));
	s->single_per_s = s->setup.batch / step.step_s;
	return PALEO_OK;
}

/* Nets without a backward pass: the rest of the answer is kept. */
static int put_no_curves(const struct paleo_web_job *j, const struct paleo_error *why)
{
	paleo_json_put_string(j->out, "curves_error", why->text);
	return PALEO_OK;
}

static int put_curves(struct steps *s, struct paleo_error *err)
{
	const struct paleo_web_request *r = s->job->request;
	int rc = single_rate(s, err);

	if (rc == PALEO_ENOMEM)
		return rc;
	if (rc)
		return put_no_curves(s->job, err);
	paleo_json_open_array(s->job->out, "curves");
	if (!r->scheme_count)
		rc = put_curve(s, "ring", err);
	for (int i = 0; !rc && i < r->scheme_count; i++)
		rc = put_curve(s, r->schemes[i], err);
	paleo_json_close(s->job->out);
	return rc;
}

static int read_setup(struct steps *s, struct paleo_error *err)
{
	const struct paleo_web_request *r = s->job->request;
	double memory = paleo_device_bytes_per_s(paleo_predictor_device(s->job->predictor));

	s->strategy = paleo_strategy_find(r->strategy[0] ? r->strategy : "data");
	if (!s->strategy)
		return paleo_fail(err, PALEO_EINPUT, "there is no strategy '%s'", r->strategy);
	s->setup = (struct paleo_sim_setup){
		.fabric = {.per_host = 1,
			   .servers = 1,
			   .reached = r->ppp_comm > 0 ? r->ppp_comm : 1,
			   .reduce_s_per_byte = memory > 0 ? 3 / memory : 0},
		.overlap = r->overlap,
		.bucket_bytes = PALEO_API_BUCKET_BYTES,
	};
	if (r->link[0])
		return paleo_link_choose(NULL, 0, r->link, &s->setup.fabric.between, err);
	paleo_fabric_usual(&s->setup.fabric,
			   paleo_device_name(paleo_predictor_device(s->job->predictor)));
	return PALEO_OK;
}

/* Curves of the net as `simulate` trains it. */
static int put_steps(struct steps *s, const struct paleo_trained_net *net,
		     enum paleo_update_rule optimizer, struct paleo_error *err)
{
	const struct paleo_web_job *j = s->job;
	const struct paleo_sim_config config = {
		.net = net->net,
		.dtype = j->predictor->dtype,
		.optimizer = optimizer,
		.device = paleo_calibration_timed(&j->predictor->source.calibration),
		.cost_model = {.self = &j->predictor->source.calibration,
			       .op_s = paleo_predict_op_s},
		.open_part = paleo_trained_net_part,
		.open_self = net,
	};
	int rc = paleo_sim_open(&config, &s->sim, err);

	s->net = net->net;
	if (!rc)
		rc = put_curves(s, err);
	paleo_sim_close(s->sim);
	return rc;
}

static int put_scaling(const struct paleo_web_job *j, struct paleo_error *err)
{
	const struct paleo_web_request *r = j->request;
	const char *word = r->optimizer[0] ? r->optimizer : NULL;
	struct steps s = {.job = j};
	struct paleo_trained_net net = {.net = NULL};
	int rule = 0;

	int rc = paleo_api_word("optimizer", word, paleo_api_optimizers, &rule, err);
	if (!rc)
		rc = read_setup(&s, err);
	if (rc)
		return rc;
	rc = paleo_trained_net_open(r->net, r->batch, &net, err);
	if (rc)
		return rc == PALEO_ENOMEM ? rc : put_no_curves(j, err);
	rc = put_steps(&s, &net, (enum paleo_update_rule)rule, err);
	paleo_net_free(net.net);
	return rc;
}

/* The commands' line about memory. */
static void put_memory(const struct paleo_web_job *j)
{
	const struct paleo_device *d = paleo_predictor_device(j->predictor);
	enum paleo_dtype dtype = j->predictor->dtype;
	int training = strcmp(j->request->passes, "fwd") != 0;
	char cache[PALEO_FITS_MAX], step[PALEO_FITS_MAX];
	int optimizer = 0;
	struct paleo_error ignored;

	paleo_api_word("optimizer", j->request->optimizer[0] ? j->request->optimizer : NULL,
		       paleo_api_optimizers, &optimizer, &ignored);
	paleo_fits_cache(j->net, dtype, d, cache);
	paleo_fits_step(j->net, dtype, (enum paleo_update_rule)optimizer, training, d, step);
	paleo_json_open_array(j->out, "memory");
	if (cache[0])
		paleo_json_put_string(j->out, NULL, cache);
	if (step[0])
		paleo_json_put_string(j->out, NULL, step);
	paleo_json_close(j->out);
}

int paleo_web_ops(struct paleo_web_job *j, struct paleo_error *err)
{
	const struct paleo_device *d = paleo_predictor_device(j->predictor);
	struct paleo_net_prediction *p = NULL;

	PALEO_TRY(predict(j, j->net, &p, err));
	paleo_json_put_string(j->out, "device", paleo_device_title(d));
	paleo_json_put_string(j->out, "stands_on", paleo_predictor_title(j->predictor));
	paleo_json_put_string(j->out, "dtype", paleo_predictor_dtype(j->predictor));
	paleo_json_put_double(j->out, "device_bytes", paleo_device_memory_bytes(d));
	put_memory(j);
	put_totals(j->out, p);
	put_rows(j->out, p);
	paleo_net_prediction_close(p);
	return put_scaling(j, err);
}
