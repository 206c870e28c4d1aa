/* engine.c - an inference engine's profile beside what its network is predicted to take. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/session/engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/lines.h"
#include "base/text.h"
#include "model/predict/predict.h"
#include "model/record/traces/trace.h"
#include "paleo/net.h"
#include "tools/session/session.h"

enum {
	HEAD_BYTES = 1 << 16, /* by which a file is known */
	OTHERS_TOLD = 5       /* layers without an op */
};

/* 1 if a file is JSON of trtexec --exportLayerInfo, by its first bytes. */
static int is_info(const char *path)
{
	struct paleo_lines *lines = NULL;
	struct paleo_error ignored;
	const char *head = "";
	size_t size = 0;
	int is = !paleo_lines_open(path, HEAD_BYTES, "layers of trtexec", &lines, &ignored) &&
		 !paleo_lines_peek(lines, HEAD_BYTES - 1, &head, &size, &ignored) &&
		 paleo_trace_has(head, size, "\"Layers\"");

	paleo_lines_close(lines);
	return is;
}

int engine_given(const char *const *arguments, int count)
{
	const struct paleo_trace_format *format = NULL, *next = NULL;
	struct paleo_error ignored;

	if (count < 2 || paleo_trace_format_of(arguments[0], &format, &ignored) || !format ||
	    format->has_sizes)
		return 0;
	if (!paleo_trace_format_of(arguments[1], &next, &ignored) && next)
		return 0;
	return count > 2 && is_info(arguments[2]) ? 3 : 2;
}

static int open_source(const struct engine_wish *w, struct engine_run *r, struct paleo_error *err)
{
	struct paleo_device_info who;
	const struct paleo_source_wish wish = {.cost_model = w->cost_model,
					       .dtype = r->dtype,
					       .stack = w->stack,
					       .device = w->device ? who.device.name : NULL,
					       .who = w->device ? &who : NULL,
					       .devices = w->devices,
					       .calibration = w->calibration};

	if (!w->device && !w->calibration)
		return paleo_fail(err, PALEO_EINPUT,
				  "a profile of layers does not say which device it is of: "
				  "--device NAME ('paleo devices' lists names)");
	PALEO_TRY(session_who(w->device, w->calibration != NULL, &who, err));
	return paleo_choose_source(&wish, &r->source, err);
}

int engine_open(const struct engine_wish *w, struct engine_run *r, struct paleo_error *err)
{
	const struct paleo_measured_wish wish = {NULL, NULL};

	*r = (struct engine_run){.net = NULL};
	PALEO_TRY(paleo_measured_read(w->given[0], &wish, &r->measured, err));
	PALEO_TRY(paleo_net_open(w->given[1], w->batch, &r->net, err));
	r->dtype = w->dtype ? (enum paleo_dtype)(w->dtype - 1) : paleo_net_dtype(r->net);
	PALEO_TRY(open_source(w, r, err));
	return paleo_engine_match(&r->measured, r->net, r->dtype, w->count > 2 ? w->given[2] : NULL,
				  &r->engine, err);
}

void engine_close(struct engine_run *r)
{
	paleo_engine_release(&r->engine);
	paleo_source_release(&r->source);
	paleo_net_free(r->net);
	paleo_measured_release(&r->measured);
}

/* Each word once. */
static void add_what(struct engine_time *t, const char *what)
{
	const size_t used = strlen(t->what);

	if (!strstr(t->what, what) && used + strlen(what) + 3 < sizeof(t->what))
		snprintf(t->what + used, sizeof(t->what) - used, "%s%s", used ? ", " : "", what);
}

int engine_predict(const struct engine_run *r, const struct paleo_op_list *ops,
		   struct engine_time *out, struct paleo_error *err)
{
	const struct paleo_calibration *c = &r->source.calibration;
	struct paleo_prediction *list = calloc((size_t)ops->count + 1, sizeof(*list));
	struct paleo_prediction_sum sum = {.interval = PALEO_NO_INTERVAL};
	struct paleo_error ignored;
	int rc = PALEO_OK;

	*out = (struct engine_time){.is_predicted = ops->count > 0, .op.dtype = r->dtype};
	if (!list)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d ops", ops->count);
	for (int i = 0; i < ops->count; i++) {
		const struct paleo_op *w = &ops->items[i].op;
		add_what(out, ops->items[i].what);
		out->op.flops += w->flops;
		out->op.read_bytes += w->read_bytes;
		out->op.write_bytes += w->write_bytes;
		if (paleo_predict_op(c, w, &list[i], &ignored))
			out->is_predicted = 0;
		else if (list[i].parts.total_s > out->predicted.parts.total_s)
			out->predicted = list[i];
	}
	if (out->is_predicted)
		rc = paleo_prediction_add_up(list, ops->count, &sum, err);
	out->predicted.parts = sum.parts;
	out->predicted.interval = sum.interval;
	free(list);
	return rc;
}

int engine_tell(const struct engine_run *r, const char *path, FILE *notes, struct paleo_error *err)
{
	const struct paleo_engine *e = &r->engine;
	struct engine_time rest;
	double more_s = 0;
	int told = e->matched;

	paleo_print(notes, "%s: %s, %.3f ms in %d layers, %.1f %% of it in %d matched ones of %s\n",
		    path, r->measured.format, 1e3 * e->total_s, e->count,
		    100 * e->matched_s / e->total_s, e->matched, r->net->name);
	for (; told < e->count && told < e->matched + OTHERS_TOLD; told++)
		paleo_print(notes, "  not matched: %.1f %%, %.80s: %s\n",
			    100 * e->layers[told].time_s / e->total_s, e->layers[told].name,
			    e->layers[told].why);
	for (int i = told; i < e->count; i++)
		more_s += e->layers[i].time_s;
	if (told < e->count)
		paleo_print(notes, "  not matched: %.1f %% in %d more\n", 100 * more_s / e->total_s,
			    e->count - told);
	PALEO_TRY(engine_predict(r, &e->rest, &rest, err));
	if (rest.is_predicted)
		paleo_print(
			notes,
			"  in no layer: %d op%s of the network (%s), predicted %.3f ms, the first "
			"of %.80s\n",
			e->rest.count, e->rest.count == 1 ? "" : "s", rest.what,
			1e3 * rest.predicted.parts.total_s, e->rest.items[0].layer->name);
	paleo_print(notes, "predicted: %s\n", r->source.title);
	return PALEO_OK;
}
