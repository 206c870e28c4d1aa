/* study_cost_models.c - the cost models that a study judges, each fitted to measured ops. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/fit_parts.h"
#include "calib/study.h"
#include "model/predict/trees.h"

static struct paleo_tile_product product_of(const struct paleo_subject *s, int row)
{
	struct paleo_tile_product p = paleo_tile_product_of_op(&s->rows[row]->op, s->model.kernel);

	p.foot_bytes = paleo_kernel_model_footprint(&p, &s->device, s->operand_sets_max);
	return p;
}

static int is_batched(const struct paleo_subject *s)
{
	for (int i = 0; i < s->count; i++)
		if (s->rows[i]->op.geom.gemm.batch > 1)
			return 1;
	return 0;
}

static void begin(struct paleo_subject *s, const struct paleo_kernel_model *kernel,
		  int operand_sets)
{
	paleo_kernel_model_init(kernel, s->dtype, &s->model);
	s->model.operand_sets = operand_sets;
}

static void take_tile(const struct paleo_tile_model *from, struct paleo_fitted_kernel *m)
{
	memcpy(m->params, &from->params, sizeof(from->params));
	m->sets[0] = from->tiles;
}

static int fit_products(void *context, const int *rows, int count, struct paleo_error *err)
{
	struct paleo_subject *s = context;
	struct paleo_tile_row *chosen = malloc(((size_t)count + 1) * sizeof(*chosen));
	struct paleo_tile_model guess;
	struct paleo_tile_fit fit;

	if (!chosen)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", count);
	begin(s, paleo_kernel_model_for(&s->rows[0]->op, 0), s->operand_sets_max);
	enum paleo_dtype preset_dtype = paleo_kernel_model_preset_dtype(s->model.kernel, s->dtype);
	if (!count) {
		paleo_tile_guess(&s->device, preset_dtype, is_batched(s), s->gpu, &guess);
		take_tile(&guess, &s->model);
		free(chosen);
		return PALEO_OK;
	}
	for (int i = 0; i < count; i++)
		chosen[i] = (struct paleo_tile_row){product_of(s, rows[i]),
						    s->rows[rows[i]]->time_s, 1};
	int rc = paleo_fit_tile(&s->device, preset_dtype, chosen, count, s->gpu, &fit, err);
	if (!rc)
		take_tile(&fit.model, &s->model);
	free(chosen);
	return rc;
}

static int fit_convolutions(void *context, const int *rows, int count, struct paleo_error *err)
{
	struct paleo_subject *s = context;
	struct paleo_conv_row *chosen = malloc(((size_t)count + 1) * sizeof(*chosen));
	struct paleo_conv_fit fit;

	if (!chosen)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", count);
	begin(s, &paleo_kernel_conv, 1);
	for (int i = 0; i < count; i++) {
		const struct paleo_measured_row *r = s->rows[rows[i]];
		chosen[i] = (struct paleo_conv_row){&r->op, r->time_s,
						    paleo_conv_algorithm_find(r->algorithm), 1};
	}
	int rc = paleo_fit_conv(&s->device, s->pass, chosen, count, s->gpu, &fit, err);
	if (!rc) {
		memcpy(s->model.params, &fit.model.params, sizeof(fit.model.params));
		s->model.sets[0] = fit.model.sets.implicit_tiles;
		s->model.sets[1] = fit.model.sets.nonfused_tiles;
		s->model.sets[2] = fit.model.sets.winograd_blocks;
	}
	free(chosen);
	return rc;
}

/* A kernel model without sets, fitted from the start of its table. */
static int fit_plain(void *context, const int *rows, int count, struct paleo_error *err)
{
	struct paleo_subject *s = context;
	struct paleo_fit_row *chosen = calloc((size_t)count + 1, sizeof(*chosen));
	int rc = PALEO_OK;

	if (!chosen)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", count);
	for (int i = 0; i < count; i++) {
		const struct paleo_measured_row *r = s->rows[rows[i]];
		chosen[i].op = &r->op;
		chosen[i].log_s = log(r->time_s);
		chosen[i].weight = 1;
	}
	begin(s, paleo_kernel_model_for(&s->rows[0]->op, 0), 1); /* the same operands always */
	if (count)
		rc = paleo_fit_form(s->model.kernel, s->described, chosen, count, 1, &s->model,
				    err);
	free(chosen);
	return rc;
}

static double cost_model_s(const void *context, int row)
{
	const struct paleo_subject *s = context;

	return paleo_kernel_model_time(&s->model, &s->device, &s->rows[row]->op);
}

static int features(const void *context, int row, double x[PALEO_FEATURES_MAX])
{
	const struct paleo_subject *s = context;
	const struct paleo_op *w = &s->rows[row]->op;
	struct paleo_parts parts;
	int count = paleo_features(s->model.kernel, &s->device, w, x);

	s->model.kernel->price(&s->model, &s->device, w, &parts);
	paleo_features_of_cost_model(&parts, x);
	return count;
}

const struct paleo_holdout_cost_model *paleo_subject_cost_model(enum paleo_op_kind kind,
								enum paleo_pass pass)
{
	static const struct {
		enum paleo_op_kind kind;
		int passes; /* the first so many */
		struct paleo_holdout_cost_model cost_model;
	} cost_models[] = {
		{PALEO_GEMM,
		 PALEO_FWD + 1,
		 {.fit = fit_products, .predict_s = cost_model_s, .features = features}},
		{PALEO_CONV,
		 PALEO_BWD_FILTER + 1,
		 {.fit = fit_convolutions, .predict_s = cost_model_s, .features = features}},
		{PALEO_ELTWISE,
		 PALEO_BWD_DATA + 1,
		 {.fit = fit_plain, .predict_s = cost_model_s, .features = features}},
		{PALEO_SOFTMAX,
		 PALEO_BWD_DATA + 1,
		 {.fit = fit_plain, .predict_s = cost_model_s, .features = features}},
		{PALEO_NORM,
		 PALEO_BWD_DATA + 1,
		 {.fit = fit_plain, .predict_s = cost_model_s, .features = features}},
		{PALEO_ATTENTION,
		 PALEO_BWD_DATA + 1,
		 {.fit = fit_plain, .predict_s = cost_model_s, .features = features}},
		{PALEO_CAUSAL_CONV,
		 PALEO_FWD + 1,
		 {.fit = fit_plain, .predict_s = cost_model_s, .features = features}},
		{PALEO_SCAN,
		 PALEO_FWD + 1,
		 {.fit = fit_plain, .predict_s = cost_model_s, .features = features}},
		{PALEO_MOE,
		 PALEO_FWD + 1,
		 {.fit = fit_plain, .predict_s = cost_model_s, .features = features}},
	};

	for (size_t i = 0; i < sizeof(cost_models) / sizeof(cost_models[0]); i++)
		if (cost_models[i].kind == kind && (int)pass < cost_models[i].passes)
			return &cost_models[i].cost_model;
	return NULL;
}
