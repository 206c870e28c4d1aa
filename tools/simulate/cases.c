/* cases.c - `simulate --case`: the published cases, by the original and by our cost models. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/simulate/cases.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/table.h"
#include "base/text.h"
#include "model/paleo2017/sim.h"
#include "model/predict/predict.h"
#include "model/simulate/sim.h"
#include "model/source/presets.h"
#include "paleo/net.h"
#include "tools/cli/choice.h"

struct case_point {
	const struct published_curve *curve;
	const char *net, *scheme;
	int workers;
};

/* A step, and the summing of gradients within it. */
struct case_answer {
	double step_s, comm_s;
};

/* Images of a step over all workers. */
static double batch_of(const struct case_point *p)
{
	return p->curve->strong ? p->curve->batch : (double)p->curve->batch * p->workers;
}

/* Computing and summing gradients, which the original prints side by side, one after the other. */
static int data_2017(const struct case_point *p, const struct paleo_2017_net *net,
		     const struct paleo_2017_sim *sim, struct case_answer *out,
		     struct paleo_error *err)
{
	static const char *const schemes[PALEO_2017_SCHEMES] = {"one-to-all", "tree", "butterfly",
								"mixing"};
	struct paleo_2017_data d;
	int k = 0;

	while (k < PALEO_2017_SCHEMES && strcmp(schemes[k], p->scheme) != 0)
		k++;
	if (k == PALEO_2017_SCHEMES)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "the original has no all-reduce algorithm '%s'", p->scheme);
	PALEO_TRY(
		paleo_2017_data(net, sim, p->curve->batch, p->workers, p->curve->strong, &d, err));
	out->comm_s = d.sync_ms[k] / 1000;
	out->step_s = (d.comp_ms + d.sync_ms[k]) / 1000;
	return PALEO_OK;
}

/* The layers outside of the blocks, then those inside; gradients go by the tree. */
static int hybrid_2017(const struct case_point *p, const struct paleo_2017_net *net,
		       const struct paleo_2017_sim *sim, struct case_answer *out,
		       struct paleo_error *err)
{
	struct paleo_2017_hybrid d, m;

	PALEO_TRY(paleo_2017_hybrid(net, sim, p->curve->batch, p->workers, &d, &m, err));
	out->comm_s = d.sync_ms / 1000;
	out->step_s =
		(d.fwd_ms + d.bwd_ms + d.apply_ms + d.sync_ms + m.fwd_ms + m.bwd_ms + m.apply_ms) /
		1000;
	return PALEO_OK;
}

/* Under the cost model paleo2017. EUNSUPPORTED where the original ends with an
 * exception; EINPUT for names that it does not know. */
static int predict_2017(const struct case_point *p, const struct paleo_net *net,
			struct case_answer *out, struct paleo_error *err)
{
	const struct published_curve *c = p->curve;
	const struct paleo_2017_device *device = paleo_2017_device_find(c->device);
	const struct paleo_2017_network *network = paleo_2017_network_find(c->network);
	struct paleo_2017_net *original = NULL;

	if (!device || !network)
		return paleo_fail(err, PALEO_EINPUT, "the original has no device '%s' over '%s'",
				  c->device, c->network);
	struct paleo_2017_sim sim = {
		.options = {.device = device, .ppp_comp = c->ppp_comp, .ppp_comm = c->ppp_comm},
		.gbit_per_s = network->gbit_per_s,
	};
	int rc = paleo_2017_open(net, &original, err);
	if (!rc && !strcmp(c->parallel, "hybrid"))
		rc = hybrid_2017(p, original, &sim, out, err);
	else if (!rc)
		rc = data_2017(p, original, &sim, out, err);
	paleo_2017_close(original);
	return rc;
}

/* Under a calibration, which it releases. */
static int step(const struct case_point *p, const struct paleo_net *net,
		const struct paleo_device *device, struct paleo_calibration *by,
		struct case_answer *out, struct paleo_error *err)
{
	const struct published_curve *c = p->curve;
	struct paleo_sim_config config = {.net = net,
					  .cost_model = {.self = by, .op_s = paleo_predict_op_s}};
	struct paleo_sim_setup setup = {
		.fabric = {.between = *paleo_link_find(c->network),
			   .per_host = 1,
			   .servers = 1,
			   .reached = c->ppp_comm,
			   /* reads two numbers and writes one */
			   .reduce_s_per_byte = 3 / device->mem_bytes_per_s},
		.scheme = paleo_scheme_find(p->scheme),
		.workers = p->workers,
		.batch = (int)batch_of(p),
	};
	struct paleo_sim *sim = NULL;
	struct paleo_sim_step s;

	int rc = paleo_sim_open(&config, &sim, err);
	if (!rc)
		rc = paleo_sim_step(sim, paleo_strategy_find(c->parallel), &setup, &s, err);
	if (!rc)
		*out = (struct case_answer){.step_s = s.step_s, .comm_s = s.comm_s};
	paleo_sim_close(sim);
	paleo_calibration_release(by);
	return rc;
}

/* The device of a case of which everything is known here; NULL with a sentence otherwise. */
static const struct paleo_device *device_of(const struct published_curve *c, const char *scheme,
					    struct paleo_error *err)
{
	const struct paleo_device *device = paleo_device_find(c->device);

	if (device && paleo_link_find(c->network) && paleo_scheme_find(scheme) &&
	    paleo_strategy_find(c->parallel))
		return device;
	paleo_error_set(err, PALEO_EINPUT,
			"the case '%s' names an unknown device, link or strategy", c->of);
	return NULL;
}

/* Under the cost model paleo, with the datasheet and the same fractions of peak. EINPUT likewise.
 */
static int predict_paleo(const struct case_point *p, const struct paleo_net *net,
			 struct case_answer *out, struct paleo_error *err)
{
	const struct published_curve *c = p->curve;
	const struct paleo_device *device = device_of(c, p->scheme, err);
	struct paleo_calibration calibration = {0};

	if (!device)
		return PALEO_EINPUT;
	PALEO_TRY(paleo_calibration_datasheet(device, c->ppp_comp, c->ppp_comp, &calibration, err));
	return step(p, net, device, &calibration, out, err);
}

/* Under the cost models of how GPUs work, with what was fitted to other GPUs; only the links have a
 * fraction of their peak. EINPUT likewise, EUNSUPPORTED where the device lacks a number. */
static int predict_presets(const struct case_point *p, const struct paleo_net *net,
			   struct case_answer *out, struct paleo_error *err)
{
	const struct paleo_device *device = device_of(p->curve, p->scheme, err);
	struct paleo_calibration calibration = {0};

	if (!device)
		return PALEO_EINPUT;
	const struct paleo_presets_for of = {.device = device, .dtype = PALEO_F32};

	PALEO_TRY(paleo_calibration_presets(&of, &calibration, err));
	return step(p, net, device, &calibration, out, err);
}

#define COLUMNS(X)                                                                                 \
	X(PALEO_COLUMN_TEXT("case", "case"), .text = c->of)                                        \
	X(PALEO_COLUMN_TEXT("net", "net"), .text = p->net)                                         \
	X(PALEO_COLUMN_TEXT("device", "device"), .text = c->device)                                \
	X(PALEO_COLUMN_TEXT("network", "network"), .text = c->network)                             \
	X(PALEO_COLUMN_DATA("ppp_compute"), .number = c->ppp_comp)                                 \
	X(PALEO_COLUMN_DATA("ppp_link"), .number = c->ppp_comm)                                    \
	X(PALEO_COLUMN_TEXT("strategy", "strategy"), .text = c->parallel)                          \
	X(PALEO_COLUMN_TEXT("scaling", "scaling"), .text = c->strong ? "strong" : "weak")          \
	X(PALEO_COLUMN_TEXT("all_reduce", "all-reduce"), .text = p->scheme)                        \
	X(PALEO_COLUMN_NUMBER("batch", "batch", 1, 0), .number = batch_of(p))                      \
	X(PALEO_COLUMN_NUMBER("workers", "workers", 1, 0), .number = p->workers)                   \
	X(PALEO_COLUMN_NUMBER("reported_speedup", "reported", 1, 2),                               \
	  .number = r ? r->speedup : NAN)                                                          \
	X(PALEO_COLUMN_NUMBER("paleo2017_speedup", "2017 speedup", 1, 2),                          \
	  .number = speedups[COST_MODEL_2017])                                                     \
	X(PALEO_COLUMN_NUMBER("paleo_speedup", "paleo speedup", 1, 2),                             \
	  .number = speedups[COST_MODEL_PALEO])                                                    \
	X(PALEO_COLUMN_NUMBER("presets_speedup", "presets speedup", 1, 2),                         \
	  .number = speedups[COST_MODEL_PRESETS])                                                  \
	X(PALEO_COLUMN_NUMBER("paleo2017_comm_s", "2017 comm ms", 1e3, 2),                         \
	  .number = answers[COST_MODEL_2017].comm_s)                                               \
	X(PALEO_COLUMN_NUMBER("paleo_comm_s", "paleo comm ms", 1e3, 2),                            \
	  .number = answers[COST_MODEL_PALEO].comm_s)                                              \
	X(PALEO_COLUMN_NUMBER("paleo2017_step_s", "2017 step ms", 1e3, 2),                         \
	  .number = answers[COST_MODEL_2017].step_s)                                               \
	X(PALEO_COLUMN_NUMBER("paleo_step_s", "paleo step ms", 1e3, 2),                            \
	  .number = answers[COST_MODEL_PALEO].step_s)                                              \
	X(PALEO_COLUMN_NUMBER("presets_step_s", "presets step ms", 1e3, 2),                        \
	  .number = answers[COST_MODEL_PRESETS].step_s)                                            \
	X(PALEO_COLUMN_TEXT("reported_by", "reported by"), .text = r ? r->source : NULL)

static const struct paleo_column columns[] = {COLUMNS(PALEO_COLUMN_OF)};

/* What the cost models say of a point: the original's, ours from the same fractions of peak, ours
 * from what was fitted to other GPUs. */
enum {
	COST_MODEL_2017,
	COST_MODEL_PALEO,
	COST_MODEL_PRESETS,
	COST_MODELS
};

static int (*const cost_models[COST_MODELS])(const struct case_point *, const struct paleo_net *,
					     struct case_answer *, struct paleo_error *) = {
	[COST_MODEL_2017] = predict_2017,
	[COST_MODEL_PALEO] = predict_paleo,
	[COST_MODEL_PRESETS] = predict_presets,
};

/* Images/s over those of the curve's first point. */
static double speedup(const struct case_point *p, double step_s, const struct case_point *one,
		      double one_s)
{
	return batch_of(p) / step_s / (batch_of(one) / one_s);
}

static int add_row(struct paleo_table *t, const struct case_point *p,
		   const struct case_answer answers[COST_MODELS],
		   const double speedups[COST_MODELS], struct paleo_error *err)
{
	const struct published_curve *c = p->curve;
	const struct published_report *r = published_report(c, p->net, p->scheme, p->workers);
	const struct paleo_cell cells[] = {COLUMNS(PALEO_CELL_OF)};

	return paleo_table_add(t, cells, err);
}

/* What the cost models say of a point, and how much faster that is than the curve's first. */
static int answer(const struct case_point *p, const struct case_point *first,
		  struct case_answer answers[COST_MODELS], const struct case_answer *firsts,
		  double speedups[COST_MODELS], struct paleo_error *err)
{
	struct paleo_net *net = NULL;
	int rc = paleo_net_open(p->net, 0, &net, err);

	for (int k = 0; !rc && k < COST_MODELS; k++) {
		rc = cost_models[k](p, net, &answers[k], err);
		if (!rc)
			speedups[k] = speedup(p, answers[k].step_s, first, firsts[k].step_s);
	}
	paleo_net_free(net);
	return rc;
}

static int add_curve(struct paleo_table *t, const struct published_curve *c, const char *scheme,
		     struct paleo_error *err)
{
	struct case_point p[CASE_POINTS_MAX];
	struct case_answer answers[CASE_POINTS_MAX][COST_MODELS];
	double speedups[COST_MODELS];

	for (int i = 0; i < CASE_POINTS_MAX && c->workers[i]; i++) {
		p[i] = (struct case_point){.curve = c,
					   .net = c->net ? c->net : c->nets[i],
					   .scheme = scheme,
					   .workers = c->workers[i]};
		PALEO_TRY(answer(&p[i], &p[0], answers[i], answers[0], speedups, err));
		PALEO_TRY(add_row(t, &p[i], answers[i], speedups, err));
	}
	return PALEO_OK;
}

/* A curve for each scheme. */
static int add_curves(struct paleo_table *t, const struct published_curve *c,
		      struct paleo_error *err)
{
	for (int k = 0; k < CASE_SCHEMES_MAX && c->schemes[k]; k++)
		PALEO_TRY(add_curve(t, c, c->schemes[k], err));
	return PALEO_OK;
}

static int add_case(struct paleo_table *t, const char *name, struct paleo_error *err)
{
	int count, rc = PALEO_OK;
	const struct published_curve *c = published_curves(&count);

	for (int i = 0; !rc && i < count; i++)
		if (!strcmp(c[i].of, name))
			rc = add_curves(t, &c[i], err);
	return rc;
}

int cases_print(const struct option_words *wanted, enum paleo_table_format format,
		struct paleo_error *err)
{
	int training = 0, steps = 0, count = 0, rc = PALEO_OK, every = 0;
	const struct published_curve *curves = published_curves(&count);

	for (int i = 0; i < wanted->count; i++) {
		every |= wanted->items[i] == CHOICE_EVERY_CASE;
		training += training_has(choice_case[wanted->items[i]]);
		steps |= !strcmp(choice_case[wanted->items[i]], "training");
	}
	if ((training && training < wanted->count) || (steps && wanted->count > 1))
		return paleo_fail(
			err, PALEO_EINPUT,
			"the tables of megatron, recompute and llama3, of training and of "
			"the other cases have different columns: name the cases of one");
	struct paleo_table *t = steps      ? steps_table()
				: training ? training_table()
					   : PALEO_TABLE_OF(columns);
	if (!t)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	for (int i = 0; !rc && every && i < count; i++)
		rc = add_curves(t, &curves[i], err);
	for (int i = 0; !rc && !every && i < wanted->count; i++) {
		const char *name = choice_case[wanted->items[i]];
		rc = steps      ? steps_add(t, err)
		     : training ? training_add(t, name, err)
				: add_case(t, name, err);
	}
	if (!rc)
		rc = paleo_table_print(t, format, stdout, err);
	paleo_table_free(t);
	return rc;
}
