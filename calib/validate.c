/* validate.c - how far predictions are from measurements that the fit has not seen. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "calib/validate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pairs {
	struct paleo_judged *list;
	int count;
};

static int compare_groups(const struct paleo_op *a, const struct paleo_op *b)
{
	int order = strcmp(paleo_op_class(a), paleo_op_class(b));

	if (order == 0)
		order = (a->pass > b->pass) - (a->pass < b->pass);
	return order ? order : (a->dtype > b->dtype) - (a->dtype < b->dtype);
}

static int by_group(const void *a, const void *b)
{
	const struct paleo_judged *x = a;
	const struct paleo_judged *y = b;
	int order = compare_groups(x->op, y->op);

	/* Records are in one array: their order breaks ties. */
	return order ? order : (x->op > y->op) - (x->op < y->op);
}

/* Sorts the pairs and fills in groups and the whole. */
static int judge_groups(struct pairs *pairs, struct paleo_validation *v, struct paleo_error *err)
{
	double *scratch = malloc(((size_t)pairs->count + 1) * sizeof(*scratch));

	v->groups = malloc(((size_t)pairs->count + 1) * sizeof(*v->groups));
	if (!scratch || !v->groups) {
		free(scratch);
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	}
	qsort(pairs->list, (size_t)pairs->count, sizeof(*pairs->list), by_group);
	for (int first = 0; first < pairs->count;) {
		const struct paleo_op *w = pairs->list[first].op;
		struct paleo_validated_group *g = &v->groups[v->group_count++];
		int n = 1;
		while (first + n < pairs->count &&
		       compare_groups(w, pairs->list[first + n].op) == 0)
			n++;
		*g = (struct paleo_validated_group){.pass = w->pass, .dtype = w->dtype};
		snprintf(g->class_name, sizeof(g->class_name), "%s", paleo_op_class(w));
		g->errors = paleo_errors_of(pairs->list + first, n, scratch);
		g->paleo = paleo_errors_of_paleo(pairs->list + first, n, scratch);
		first += n;
	}
	v->all = paleo_errors_of(pairs->list, pairs->count, scratch);
	v->all_paleo = paleo_errors_of_paleo(pairs->list, pairs->count, scratch);
	free(scratch);
	return paleo_slices_make(pairs->list, pairs->count, &v->slices, &v->slice_count, err);
}

/* A record with a time, or NULL. */
static const struct paleo_result *good(const struct paleo_results *r, const struct paleo_op *w,
				       const char *mode)
{
	const struct paleo_result *record = paleo_results_find(r, w, mode);

	return record && record->status == PALEO_RECORD_OK ? record : NULL;
}

/* The time of a net's row, if it was measured: with the net's other rows, else at all. A failure in
 * a later file does not hide a time of an earlier one. */
static const struct paleo_result *measured(const struct paleo_results *r,
					   const struct paleo_net_rows *net,
					   const struct paleo_op *w, const char *mode)
{
	const struct paleo_result *record = good(paleo_results_of_net(r, net), w, mode);

	if (!record)
		record = good(r, w, mode);
	for (int i = r->part_count - 1; !record && i >= 0; i--)
		record = good(&r->parts[i], w, mode);
	return record;
}

/* Record and its prediction at the probed machine speed. */
static int judge_record(const struct paleo_calibration *c, const struct paleo_result *record,
			struct paleo_judged *out, struct paleo_prediction *p,
			struct paleo_error *err)
{
	const struct paleo_device d = paleo_fit_device_at(c, &record->timing);

	PALEO_TRY(paleo_predict_on(c, &d, &record->op, p, err));
	*out = (struct paleo_judged){&record->op, record->timing.median_s,
				     paleo_heldout_of(&d, &record->op, p), 0};
	return PALEO_OK;
}

/* Predictions of forward and backward, for the interval of their sum. */
struct to_sum {
	struct paleo_prediction *list;
	int count;
};

/* `record`: of the row's op; NULL if it was not measured. */
static int add_row(const struct paleo_calibration *c, const struct paleo_result *record,
		   enum paleo_pass pass, struct pairs *pairs, struct to_sum *sum,
		   struct paleo_validated_net *out, struct paleo_error *err)
{
	struct paleo_prediction p;

	out->rows++;
	if (!record) {
		out->missing++;
		return PALEO_OK;
	}
	struct paleo_judged *judged = &pairs->list[pairs->count];

	PALEO_TRY(judge_record(c, record, judged, &p, err));
	pairs->count++;
	out->seen += paleo_calibration_saw(c, &record->op);
	out->borrowed += !p.exact;
	if (pass == PALEO_FWD) {
		out->predicted_fwd_s += p.parts.total_s;
		out->before_fwd_s += judged->predicted.before_s;
		out->paleo_fwd_s += judged->predicted.paleo_s;
		out->measured_fwd_s += record->timing.median_s;
	}
	if (pass != PALEO_PASS_UPDATE) {
		sum->list[sum->count++] = p;
		out->predicted_s += p.parts.total_s;
		out->before_s += judged->predicted.before_s;
		out->paleo_s += judged->predicted.paleo_s;
		out->measured_s += record->timing.median_s;
	}
	return PALEO_OK;
}

/* "vgg16", or "vgg16 nhwc". */
static void name_net(const struct paleo_net_rows *net, char *out, size_t size)
{
	snprintf(out, size, "%.55s%s", net->net,
		 paleo_net_rows_layout(net) == PALEO_NHWC ? " nhwc" : "");
}

static int judge_net(const struct paleo_calibration *c, const struct paleo_results *r,
		     const struct paleo_net_rows *net, struct paleo_validated_net *out,
		     struct paleo_error *err)
{
	struct paleo_validated_net v = {
		.batch = net->batch, .dtype = net->dtype, .fitted = c->records};
	size_t room = (size_t)net->count + 1;
	struct pairs pairs = {malloc(room * sizeof(struct paleo_judged)), 0};
	struct to_sum sum = {malloc(room * sizeof(*sum.list)), 0};
	struct paleo_prediction_sum total = {0};
	double *scratch = malloc(room * sizeof(*scratch));
	int rc = PALEO_OK;

	if (!pairs.list || !scratch || !sum.list)
		rc = paleo_fail(err, PALEO_ENOMEM, "out of memory");
	name_net(net, v.net, sizeof(v.net));
	for (int i = 0; !rc && i < net->count; i++)
		rc = add_row(c, measured(r, net, &net->rows[i].op, c->mode), net->rows[i].pass,
			     &pairs, &sum, &v, err);
	if (!rc)
		rc = paleo_prediction_add_up(sum.list, sum.count, &total, err);
	if (!rc) {
		v.errors = paleo_errors_of(pairs.list, pairs.count, scratch);
		v.interval = total.interval;
		*out = v;
	}
	free(scratch);
	free(sum.list);
	free(pairs.list);
	return rc;
}

/* Marks the records of one net's ops. */
static void mark_ops(const struct paleo_results *r, const char *mode,
		     const struct paleo_net_rows *net, unsigned char *skip)
{
	for (int i = 0; i < net->count; i++) {
		const struct paleo_result *record = paleo_results_find(r, &net->rows[i].op, mode);
		if (record)
			skip[record - r->records] = 1;
	}
}

/* Marks the records of the net's ops, in all its batch sizes and dtypes, in addition to those that
 * the options skip. Returns how many records are left. */
static int skip_net(const struct paleo_results *r, const struct paleo_fit_options *o,
		    const struct paleo_net_rows *net, unsigned char *skip)
{
	const char *mode = o->mode ? o->mode : "cold";
	int left = 0;

	for (int i = 0; i < r->count; i++)
		skip[i] = o->skip ? o->skip[i] : 0;
	for (int i = 0; i < r->net_count; i++)
		if (strcmp(r->nets[i].net, net->net) == 0)
			mark_ops(r, mode, &r->nets[i], skip);
	for (int i = 0; i < r->count; i++)
		left += !skip[i] && paleo_results_stands(r, i) &&
			r->records[i].status == PALEO_RECORD_OK &&
			strcmp(r->records[i].mode, mode) == 0;
	return left;
}

/* Result for a net that cannot be held out, because there is no other data. */
static void not_judged(const struct paleo_net_rows *net, struct paleo_validated_net *out)
{
	*out = (struct paleo_validated_net){.batch = net->batch,
					    .dtype = net->dtype,
					    .errors = paleo_errors_none(),
					    .rows = net->count,
					    .predicted_fwd_s = NAN,
					    .measured_fwd_s = NAN,
					    .predicted_s = NAN,
					    .measured_s = NAN,
					    .before_fwd_s = NAN,
					    .before_s = NAN,
					    .paleo_fwd_s = NAN,
					    .paleo_s = NAN,
					    .interval = PALEO_NO_INTERVAL};
	name_net(net, out->net, sizeof(out->net));
}

/* The net as predicted by a fit to everything else. */
static int hold_out_net(const struct paleo_results *r, const struct paleo_fit_options *o,
			const struct paleo_net_rows *net, struct paleo_validated_net *out,
			struct paleo_error *err)
{
	unsigned char *skip = malloc((size_t)r->count + 1);
	struct paleo_fit_options without = *o; /* its parts are not reported: nets are */
	struct paleo_calibration c = {.count = 0};
	int rc = PALEO_OK;

	if (!skip)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	without.skip = skip;
	without.progress = (struct paleo_progress){0};
	if (skip_net(r, o, net, skip) == 0) {
		not_judged(net, out);
		goto out;
	}
	rc = paleo_fit(r, &without, &c, NULL, err);
	if (!rc)
		rc = judge_net(&c, r, net, out, err);
	if (rc)
		paleo_error_prefix(err, "net '%s' held out", net->net);
out:
	free(skip);
	paleo_calibration_release(&c);
	return rc;
}

static int make_nets(const struct paleo_results *r, struct paleo_validation *v,
		     struct paleo_error *err)
{
	v->nets = calloc((size_t)r->net_count + 1, sizeof(*v->nets));
	return v->nets ? PALEO_OK : paleo_fail(err, PALEO_ENOMEM, "out of memory");
}

static int judge_heldout(const struct paleo_results *r, const struct paleo_fit_options *o,
			 struct paleo_validation *v, struct paleo_error *err)
{
	size_t room = (size_t)r->count + 1;
	struct paleo_heldout *held = malloc(room * sizeof(*held));
	struct pairs pairs = {malloc(room * sizeof(struct paleo_judged)), 0};
	int rc = PALEO_OK;

	if (!held || !pairs.list)
		rc = paleo_fail(err, PALEO_ENOMEM, "out of memory");
	if (!rc)
		rc = paleo_fit_heldout(r, o, 1, held, err);
	for (int i = 0; !rc && i < r->count; i++)
		if (!isnan(held[i].predicted_s))
			pairs.list[pairs.count++] = (struct paleo_judged){
				&r->records[i].op, r->records[i].timing.median_s, held[i], 0};
	if (!rc && pairs.count == 0 && r->net_count == 0)
		rc = paleo_fail(err, PALEO_EINPUT, "%d record%s too few to hold some out", r->count,
				r->count == 1 ? " is" : "s are");
	if (!rc)
		rc = judge_groups(&pairs, v, err);
	if (!rc)
		rc = paleo_few_shot_judge(r, o, held, &v->few, &v->few_count, err);
	free(held);
	free(pairs.list);
	return rc;
}

int paleo_validate(const struct paleo_results *r, const struct paleo_fit_options *o,
		   struct paleo_validation *out, struct paleo_error *err)
{
	struct paleo_validation v = {.seen_known = 1};
	int rc = judge_heldout(r, o, &v, err);

	if (!rc)
		rc = make_nets(r, &v, err);
	for (int i = 0; !rc && i < r->net_count; i++) {
		paleo_progress_report(&o->progress, i, r->net_count);
		rc = hold_out_net(r, o, &r->nets[i], &v.nets[v.net_count++], err);
	}
	if (rc) {
		paleo_validation_release(&v);
		return rc;
	}
	*out = v;
	return PALEO_OK;
}

static int judge_records(const struct paleo_calibration *c, const struct paleo_results *r,
			 struct paleo_validation *v, struct paleo_error *err)
{
	struct pairs pairs = {malloc(((size_t)r->count + 1) * sizeof(struct paleo_judged)), 0};
	struct paleo_prediction p;
	int rc = PALEO_OK;

	if (!pairs.list)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	for (int i = 0; !rc && i < r->count; i++) {
		const struct paleo_result *record = &r->records[i];
		if (record->status != PALEO_RECORD_OK || strcmp(record->mode, c->mode) != 0 ||
		    !paleo_results_stands(r, i))
			continue;
		rc = judge_record(c, record, &pairs.list[pairs.count], &p, err);
		if (rc)
			break;
		v->seen += paleo_calibration_saw(c, &record->op);
		pairs.count++;
	}
	if (!rc && pairs.count == 0)
		rc = paleo_fail(err, PALEO_EINPUT,
				"no record was measured in mode '%s', that of the calibration",
				c->mode);
	if (!rc)
		rc = judge_groups(&pairs, v, err);
	free(pairs.list);
	return rc;
}

int paleo_validate_calibration(const struct paleo_calibration *c, const struct paleo_results *r,
			       struct paleo_validation *out, struct paleo_error *err)
{
	struct paleo_validation v = {.seen_known = c->seen_count > 0};
	int rc = PALEO_OK;

	if (strcmp(c->device.name, r->meta.device.name) != 0)
		return paleo_fail(err, PALEO_EINPUT,
				  "the calibration is of device '%s', the records are of '%s'",
				  c->device.name, r->meta.device.name);
	rc = judge_records(c, r, &v, err);
	if (!rc)
		rc = make_nets(r, &v, err);
	for (int i = 0; !rc && i < r->net_count; i++)
		rc = judge_net(c, r, &r->nets[i], &v.nets[v.net_count++], err);
	if (rc) {
		paleo_validation_release(&v);
		return rc;
	}
	*out = v;
	return PALEO_OK;
}

void paleo_validation_release(struct paleo_validation *v)
{
	if (!v)
		return;
	free(v->groups);
	free(v->slices);
	free(v->few);
	free(v->nets);
	*v = (struct paleo_validation){.seen = 0};
}
