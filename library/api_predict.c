/* api_predict.c - the functions of paleo/predict.h. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "library/api.h"
#include "model/net/graph.h"
#include "paleo/predict.h"

/* A row, and the texts that it points into. */
struct row {
	struct paleo_predicted_row shown;
	char *layer;
	char op[PALEO_OP_KEY_MAX];
	char source[PALEO_SOURCE_TEXT_MAX];
};

struct paleo_net_prediction {
	struct row *rows;
	int count;
	struct paleo_predicted_total totals[PALEO_TOTALS]; /* without rows: missing */
};

/* The passes of each total, and the corresponding full pass. */
static const struct {
	unsigned parts[3]; /* each of which is required */
	int extent;        /* enum paleo_extent; -1: none */
} sums[PALEO_TOTALS] = {
	[PALEO_TOTAL_FORWARD] = {{PALEO_PASSES_FWD}, PALEO_EXTENT_FWD},
	[PALEO_TOTAL_BACKWARD] = {{PALEO_PASSES_BWD}, -1},
	[PALEO_TOTAL_FORWARD_BACKWARD] = {{PALEO_PASSES_FWD, PALEO_PASSES_BWD}, PALEO_EXTENT_BOTH},
	[PALEO_TOTAL_UPDATE] = {{1u << PALEO_PASS_UPDATE}, -1},
	[PALEO_TOTAL_STEP] = {{PALEO_PASSES_FWD, PALEO_PASSES_BWD, 1u << PALEO_PASS_UPDATE},
			      PALEO_EXTENT_STEP},
};

static const struct paleo_predicted_time no_time = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};

/* Inputs of the totals. */
struct job {
	const struct paleo_calibration *calibration;
	const struct paleo_ops_options *how;
	const struct paleo_op_list *list;
	struct paleo_prediction *each; /* of every row */
	struct paleo_prediction *some; /* scratch for those of one total */
	struct paleo_net_prediction *out;
};

static int read_options(const struct paleo_predict_options *o, enum paleo_dtype dtype,
			struct paleo_ops_options *how, struct paleo_error *err)
{
	static const char *const passes[] = {"all", "fwd", "bwd", "update", NULL};
	static const unsigned bits[] = {PALEO_PASSES_ALL, PALEO_PASSES_FWD, PALEO_PASSES_BWD,
					1u << PALEO_PASS_UPDATE};
	const char *const layouts[] = {paleo_layout_name(PALEO_NCHW), paleo_layout_name(PALEO_NHWC),
				       NULL};
	int pass = 0, layout = 0;

	PALEO_TRY(paleo_api_word("passes", o->passes, passes, &pass, err));
	PALEO_TRY(paleo_api_word("layout", o->layout, layouts, &layout, err));
	if (o->fuse && bits[pass] != PALEO_PASSES_FWD)
		return paleo_fail(err, PALEO_EINPUT, "fuse is for inference: passes must be 'fwd'");
	*how = (struct paleo_ops_options){.dtype = dtype,
					  .layout = (enum paleo_layout)layout,
					  .passes = bits[pass],
					  .fuse = o->fuse ? PALEO_FUSE_CHAINS : PALEO_FUSE_NOTHING};
	return PALEO_OK;
}

static struct paleo_predicted_time time_of(const struct paleo_parts *p,
					   const struct paleo_interval *interval)
{
	return (struct paleo_predicted_time){
		.total_s = p->total_s,
		.compute_s = p->compute_s,
		.memory_s = p->memory_s,
		.overhead_s = p->overhead_s,
		.low_s = interval->low,
		.high_s = interval->high,
		.low50_s = interval->low50,
		.high50_s = interval->high50,
	};
}

/* An op that the device cannot run is not an error: its row says so. */
static int predict_row(struct job *j, int i, struct paleo_error *err)
{
	const struct paleo_net_op *from = &j->list->items[i];
	struct paleo_prediction *p = &j->each[i];
	struct row *r = &j->out->rows[i];

	r->layer = strdup(from->layer->name);
	if (!r->layer)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for a layer's name");
	paleo_op_key(&from->op, r->op, sizeof(r->op));
	r->shown = (struct paleo_predicted_row){
		.layer = r->layer,
		.kind = from->what,
		.pass = paleo_pass_name(from->pass),
		.dtype = paleo_dtype_name(from->op.dtype),
		.op = r->op,
		.flops = from->op.flops,
		.bytes = from->op.read_bytes + from->op.write_bytes,
		.time = no_time,
	};
	int rc = paleo_predict_op(j->calibration, &from->op, p, err);
	if (rc)
		return rc == PALEO_EUNSUPPORTED ? PALEO_OK : rc;
	paleo_class_model_source(j->calibration, p->factor, r->source);
	r->shown.predicted = 1;
	r->shown.bound = paleo_bound_name(p->bound);
	r->shown.source = r->source;
	r->shown.time = time_of(&p->parts, &p->interval);
	return PALEO_OK;
}

/* Adds up the rows of some passes. */
static int add_up(struct job *j, unsigned passes, struct paleo_predicted_total *t,
		  struct paleo_error *err)
{
	struct paleo_prediction_sum sum;
	int count = 0;

	*t = (struct paleo_predicted_total){.one_pass_s = NAN};
	for (int i = 0; i < j->list->count; i++) {
		if (!(passes & 1u << j->list->items[i].pass))
			continue;
		t->rows++;
		t->flops += j->list->items[i].op.flops;
		if (j->out->rows[i].shown.predicted)
			j->some[count++] = j->each[i];
	}
	PALEO_TRY(paleo_prediction_add_up(j->some, count, &sum, err));
	t->predicted = count;
	t->time = count ? time_of(&sum.parts, &sum.interval) : no_time;
	return PALEO_OK;
}

/* The full pass over the total's passes, where the calibration has one. */
static int add_one_pass(struct job *j, int extent, unsigned passes, struct paleo_predicted_total *t,
			struct paleo_error *err)
{
	const unsigned update = 1u << PALEO_PASS_UPDATE;
	struct paleo_predicted_total layers, updates;
	const struct paleo_pass_correction like = {.extent = (enum paleo_extent)extent,
						   .dtype = j->how->dtype,
						   .layout = j->how->layout,
						   .fused = j->how->fuse};
	const struct paleo_pass_correction *c =
		extent < 0 ? NULL : paleo_calibration_pass(j->calibration, &like);

	if (!c)
		return PALEO_OK;
	PALEO_TRY(add_up(j, passes & ~update, &layers, err));
	PALEO_TRY(add_up(j, passes & update, &updates, err));
	t->one_pass_s = paleo_pass_time(c, layers.predicted ? layers.time.total_s : 0,
					updates.predicted ? updates.time.total_s : 0);
	return PALEO_OK;
}

static int add_totals(struct job *j, struct paleo_error *err)
{
	unsigned there = 0;

	for (int i = 0; i < j->list->count; i++)
		there |= 1u << j->list->items[i].pass;
	for (int s = 0; s < PALEO_TOTALS; s++) {
		unsigned passes = 0;
		int whole = 1;
		for (int k = 0; k < 3; k++) {
			passes |= sums[s].parts[k];
			whole &= !sums[s].parts[k] || (sums[s].parts[k] & there);
		}
		if (!whole)
			continue;
		PALEO_TRY(add_up(j, passes, &j->out->totals[s], err));
		PALEO_TRY(add_one_pass(j, sums[s].extent, passes, &j->out->totals[s], err));
	}
	return PALEO_OK;
}

static int predict(const struct paleo_calibration *c, const struct paleo_ops_options *how,
		   const struct paleo_op_list *list, struct paleo_net_prediction *out,
		   struct paleo_error *err)
{
	size_t count = (size_t)list->count + 1;
	struct job j = {.calibration = c, .how = how, .list = list, .out = out};
	int rc = PALEO_OK;

	j.each = calloc(count, sizeof(*j.each));
	j.some = calloc(count, sizeof(*j.some));
	out->rows = calloc(count, sizeof(*out->rows));
	if (!j.each || !j.some || !out->rows)
		rc = paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", list->count);
	for (int i = 0; !rc && i < list->count; i++) {
		out->count++;
		rc = predict_row(&j, i, err);
	}
	if (!rc)
		rc = add_totals(&j, err);
	free(j.each);
	free(j.some);
	return rc;
}

int paleo_net_predict(const struct paleo_predictor *predictor, const struct paleo_net *net,
		      const struct paleo_predict_options *options,
		      struct paleo_net_prediction **out, struct paleo_error *err)
{
	const struct paleo_predict_options defaults = {.passes = NULL};
	struct paleo_ops_options how;
	struct paleo_op_list list = {0};
	PALEO_API_BEGIN(err);

	if (!predictor || !net || !out)
		return paleo_api_null(!predictor ? "predictor"
				      : !net     ? "net"
						 : "place for a prediction",
				      err);
	PALEO_TRY(read_options(options ? options : &defaults, predictor->dtype, &how, err));
	struct paleo_net_prediction *p = calloc(1, sizeof(*p));
	if (!p)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for a prediction");
	int rc = paleo_net_ops_with(net, &how, &list, err);
	if (!rc)
		rc = predict(&predictor->source.calibration, &how, &list, p, err);
	paleo_op_list_release(&list);
	if (rc)
		paleo_net_prediction_close(p);
	else
		*out = p;
	return rc;
}

void paleo_net_prediction_close(struct paleo_net_prediction *prediction)
{
	if (!prediction)
		return;
	for (int i = 0; i < prediction->count; i++)
		free(prediction->rows[i].layer);
	free(prediction->rows);
	free(prediction);
}

int paleo_net_prediction_row_count(const struct paleo_net_prediction *prediction)
{
	return prediction->count;
}

int paleo_net_prediction_row(const struct paleo_net_prediction *prediction, int i,
			     struct paleo_predicted_row *out)
{
	if (!prediction || !out || i < 0 || i >= prediction->count)
		return PALEO_EINPUT;
	*out = prediction->rows[i].shown;
	return PALEO_OK;
}

int paleo_net_prediction_total(const struct paleo_net_prediction *prediction,
			       enum paleo_total which, struct paleo_predicted_total *out)
{
	int w = (int)which;

	if (!prediction || !out || w < 0 || w >= PALEO_TOTALS || !prediction->totals[w].rows)
		return PALEO_EINPUT;
	*out = prediction->totals[w];
	return PALEO_OK;
}
