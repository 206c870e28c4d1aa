/* study_nets.c - cross-validates the times of whole networks as frameworks ran them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/stats.h"
#include "base/table.h"
#include "base/text.h"
#include "calib/study.h"
#include "library/find.h"
#include "library/source.h"
#include "model/predict/predict.h"
#include "tools/cli/choice.h"
#include "tools/session/plan.h"
#include "tools/session/progress.h"
#include "tools/validate/study.h"

enum {
	SOURCES_MAX = 32
};

/* Parameter source of one device in one dtype. */
struct source {
	char device[64];
	enum paleo_dtype dtype;
	struct paleo_source source;
};

struct study {
	const struct study_nets_settings *settings;
	struct nets_measured measured;
	struct paleo_study_net *rows; /* one each */
	char (*titles)[64];           /* of the nets */
	struct source *sources;
	int source_count;
	double *errors; /* room for every row's, twice */
};

static int find_source(struct study *s, const struct net_measured *m,
		       const struct paleo_source **out, struct paleo_error *err)
{
	struct source *new = &s->sources[s->source_count];
	const struct paleo_source_wish wish = {
		.dtype = m->dtype,
		.device = s->settings->device ? s->settings->device : m->device,
		.devices = s->settings->devices,
	};

	for (int i = 0; i < s->source_count; i++) {
		*out = &s->sources[i].source;
		if (s->sources[i].dtype == m->dtype && !strcmp(s->sources[i].device, m->device))
			return PALEO_OK;
	}
	if (s->source_count == SOURCES_MAX)
		return paleo_fail(err, PALEO_EINPUT,
				  "more than %d devices and dtypes: use fewer tables at once",
				  SOURCES_MAX);
	PALEO_TRY(paleo_choose_source(&wish, &new->source, err));
	memcpy(new->device, m->device, sizeof(new->device));
	new->dtype = m->dtype;
	*out = &new->source;
	s->source_count++;
	if (!paleo_table_is_data((int)s->settings->format))
		paleo_print(stdout, "%s, %s: %s\n", new->source.calibration.device.title,
			    paleo_dtype_name(m->dtype), new->source.title);
	return PALEO_OK;
}

/* The net's file in the folder; 0: it is not there. */
static int find_file(const struct study *s, const struct net_measured *m, char *path)
{
	if (m->image)
		snprintf(path, PALEO_PATH_MAX, "%s/%s-%d.json", s->settings->nets, m->model,
			 m->image);
	else
		snprintf(path, PALEO_PATH_MAX, "%s/%s.json", s->settings->nets, m->model);
	return !access(path, R_OK);
}

/* The sum of the ops that the framework runs. */
static int predict(struct study *s, int at, const char *path, struct paleo_error *err)
{
	const struct net_measured *m = &s->measured.items[at];
	const struct plan_settings ps = {
		.batch = m->batch,
		.dtype = m->dtype,
		.layout = m->layout,
		.framework = {.name = m->framework,
			      .optimizer = (enum paleo_update_rule)s->settings->optimizer,
			      .no_factor = 1},
		.separate_attention = m->separate_attention,
		.passes = m->training ? PALEO_PASSES_ALL : PALEO_PASSES_FWD,
	};
	const struct paleo_source *source = NULL;
	struct plan plan = {0};
	double sum_s = 0;
	int rc = find_source(s, m, &source, err);

	if (!rc)
		rc = plan_make(&ps, &source->calibration, &path, 1, &plan, err);
	for (int i = 0; !rc && i < plan.nets[0].rows.count; i++) {
		const struct plan_op *w = &plan.ops[plan.nets[0].op_of[i]];
		if (!w->predicted)
			rc = paleo_fail(err, PALEO_EUNSUPPORTED,
					"%s: the device has no peak for one of its ops", path);
		sum_s += w->prediction.parts.total_s;
	}
	if (!rc) {
		s->rows[at].ops_s = sum_s;
		snprintf(s->titles[at], sizeof(s->titles[at]), "%s", plan.nets[0].net->title);
	}
	plan_release(&plan);
	return rc;
}

/* Rows that stay: of a wanted dtype, with a file of the net. */
static void keep_rows(struct study *s)
{
	int kept = 0, others = 0, unknown = 0;
	char path[PALEO_PATH_MAX];

	for (int i = 0; i < s->measured.count; i++) {
		const struct net_measured *m = &s->measured.items[i];
		if (s->settings->dtype != PALEO_DTYPES && s->settings->dtype != (int)m->dtype)
			others++;
		else if (!find_file(s, m, path))
			unknown++;
		else
			s->measured.items[kept++] = *m;
	}
	s->measured.count = kept;
	if (others)
		paleo_print(stderr, "%d row%s left out: other dtypes\n", others,
			    others == 1 ? "" : "s");
	if (unknown)
		paleo_print(stderr,
			    "%d row%s left out: no such network in '%s', MODEL-IMAGE.json\n",
			    unknown, unknown == 1 ? "" : "s", s->settings->nets);
}

static int predict_all(struct study *s, struct paleo_error *err)
{
	char path[PALEO_PATH_MAX];
	struct progress progress;
	int rc = PALEO_OK;

	progress_open(&progress, s->settings->quiet);
	for (int i = 0; !rc && i < s->measured.count; i++) {
		const struct net_measured *m = &s->measured.items[i];
		progress_step(&progress, i, s->measured.count, NAN, m->model);
		struct paleo_study_net *row = &s->rows[i];
		find_file(s, m, path);
		rc = predict(s, i, path, err);
		row->measured_s = m->step_s;
		row->group = ((int)m->framework * 2 + m->training) * PALEO_LAYOUTS + (int)m->layout;
		row->net = i;
		for (int j = i - 1; !rc && j >= 0; j--)
			if (!strcmp(s->titles[j], s->titles[i]))
				row->net = s->rows[j].net;
	}
	progress_clear(&progress);
	return rc ? rc : paleo_study_nets(s->rows, s->measured.count, err);
}

static int is_inside(const struct paleo_study_net *row)
{
	return row->ops_s * row->low <= row->measured_s &&
	       row->measured_s <= row->ops_s * row->high;
}

static double error_of(const struct paleo_study_net *row)
{
	return row->ops_s * row->factor / row->measured_s - 1;
}

/* Of a sum over a net's rows `m` is NULL. */
#define NAME_COLUMNS(X)                                                                            \
	X(PALEO_COLUMN_TEXT("framework", "framework"),                                             \
	  .text = m ? paleo_framework_names[m->framework] : NULL)                                  \
	X(PALEO_COLUMN_TEXT("phase", "phase"), .text = !m            ? NULL                        \
						       : m->training ? "train"                     \
								     : "infer")                    \
	X(PALEO_COLUMN_TEXT("layout", "layout"), .text = m ? choice_layout[m->layout] : NULL)      \
	X(PALEO_COLUMN_TEXT("device", "device"), .text = m ? m->device : NULL)

#define ROW_COLUMNS(X)                                                                             \
	NAME_COLUMNS(X)                                                                            \
	X(PALEO_COLUMN_TEXT("net", "net"), .text = m->model)                                       \
	X(PALEO_COLUMN_WHOLE("image", "image"),                                                    \
	  .number = m->image ? (double)m->image : (double)NAN)                                     \
	X(PALEO_COLUMN_WHOLE("batch", "batch"), .number = m->batch)                                \
	X(PALEO_COLUMN_WHOLE("measured_s", "measured_s"), .number = row->measured_s)               \
	X(PALEO_COLUMN_WHOLE("ops_s", "ops_s"), .number = row->ops_s)                              \
	X(PALEO_COLUMN_WHOLE("factor", "factor"), .number = row->factor)                           \
	X(PALEO_COLUMN_WHOLE("predicted_s", "predicted_s"), .number = row->ops_s * row->factor)    \
	X(PALEO_COLUMN_WHOLE("error", "error"), .number = error_of(row))                           \
	X(PALEO_COLUMN_WHOLE("inside", "inside"),                                                  \
	  .number = isnan(row->factor) ? (double)NAN : (double)is_inside(row))

#define SUM_COLUMNS(X)                                                                             \
	NAME_COLUMNS(X)                                                                            \
	X(PALEO_COLUMN_TEXT("net", "net"), .text = by_net ? s->titles[first] : NULL)               \
	X(PALEO_COLUMN_WHOLE("rows", "rows"), .number = (double)n)                                 \
	X(PALEO_COLUMN_PERCENT("ops", "ops alone %"),                                              \
	  .number = paleo_quantile_sorted(ops, n, 0.5))                                            \
	X(PALEO_COLUMN_PERCENT("mean", "mean %"), .number = paleo_mean(errors, n))                 \
	X(PALEO_COLUMN_PERCENT("median", "median %"),                                              \
	  .number = paleo_quantile_sorted(errors, n, 0.5))                                         \
	X(PALEO_COLUMN_PERCENT("coverage", "in 90 % interval"),                                    \
	  .number = (double)inside / (double)n)                                                    \
	X(PALEO_COLUMN_RATIO("factor", "factor"), .number = all.factor)                            \
	X(PALEO_COLUMN_RATIO("low", "low"), .number = all.low)                                     \
	X(PALEO_COLUMN_RATIO("high", "high"), .number = all.high)

static const struct paleo_column row_columns[] = {ROW_COLUMNS(PALEO_COLUMN_OF)};
static const struct paleo_column sum_columns[] = {SUM_COLUMNS(PALEO_COLUMN_OF)};

static int add_rows(const struct study *s, struct paleo_table *t, struct paleo_error *err)
{
	for (int i = 0; i < s->measured.count; i++) {
		const struct net_measured *m = &s->measured.items[i];
		const struct paleo_study_net *row = &s->rows[i];
		const struct paleo_cell cells[] = {ROW_COLUMNS(PALEO_CELL_OF)};
		PALEO_TRY(paleo_table_add(t, cells, err));
	}
	return PALEO_OK;
}

/* 1 if two rows are summed together: of one group and device, or of one net. */
static int is_together(const struct study *s, int i, int j, int by_net)
{
	const struct paleo_study_net *a = &s->rows[i], *b = &s->rows[j];

	if (by_net)
		return a->net == b->net;
	return a->group == b->group &&
	       !strcmp(s->measured.items[i].device, s->measured.items[j].device);
}

/* The sum over all rows that go with the first one. */
static int add_sum(const struct study *s, int first, int by_net, struct paleo_table *t,
		   struct paleo_error *err)
{
	double *ops = s->errors, *errors = s->errors + s->measured.count;
	const struct net_measured *m = by_net ? NULL : &s->measured.items[first];
	struct paleo_study_net all = {.factor = NAN, .low = NAN, .high = NAN};
	size_t n = 0;
	int inside = 0, rc = PALEO_OK;

	for (int i = first; i < s->measured.count; i++) {
		const struct paleo_study_net *row = &s->rows[i];
		if (isnan(row->factor) || !is_together(s, first, i, by_net))
			continue;
		ops[n] = row->ops_s / row->measured_s - 1;
		errors[n++] = fabs(error_of(row));
		inside += is_inside(row);
	}
	if (!n)
		return PALEO_OK;
	if (!by_net)
		rc = paleo_study_nets_all(s->rows, s->measured.count, s->rows[first].group, &all,
					  err);
	paleo_sort(ops, n);
	paleo_sort(errors, n);
	const struct paleo_cell cells[] = {SUM_COLUMNS(PALEO_CELL_OF)};
	return rc ? rc : paleo_table_add(t, cells, err);
}

static int add_sums(const struct study *s, int by_net, struct paleo_table *t,
		    struct paleo_error *err)
{
	for (int i = 0; i < s->measured.count; i++) {
		int is_first = 1;
		for (int j = 0; is_first && j < i; j++)
			is_first = !is_together(s, i, j, by_net);
		if (is_first)
			PALEO_TRY(add_sum(s, i, by_net, t, err));
	}
	return PALEO_OK;
}

static int print(const struct study *s, struct paleo_error *err)
{
	int is_data = paleo_table_is_data((int)s->settings->format);
	struct paleo_table *t = is_data ? PALEO_TABLE_OF(row_columns) : PALEO_TABLE_OF(sum_columns);
	int rc = t ? PALEO_OK : paleo_fail(err, PALEO_ENOMEM, "out of memory for a table");

	if (!rc && is_data)
		rc = add_rows(s, t, err);
	else if (!rc)
		rc = add_sums(s, 0, t, err);
	if (!rc && !is_data)
		rc = paleo_table_rule(t, err);
	if (!rc && !is_data)
		rc = add_sums(s, 1, t, err);
	if (!rc)
		rc = paleo_table_print(t, s->settings->format, stdout, err);
	paleo_table_free(t);
	return rc;
}

static int prepare(struct study *s, struct paleo_error *err)
{
	size_t count = (size_t)s->measured.count;

	if (!count)
		return paleo_fail(err, PALEO_EINPUT, "no rows to validate on");
	s->rows = calloc(count, sizeof(*s->rows));
	s->titles = calloc(count, sizeof(*s->titles));
	s->errors = calloc(2 * count, sizeof(*s->errors));
	s->sources = calloc(SOURCES_MAX, sizeof(*s->sources));
	return s->rows && s->titles && s->errors && s->sources
		       ? PALEO_OK
		       : paleo_fail(err, PALEO_ENOMEM, "out of memory for a study of nets");
}

int study_nets(const struct study_nets_settings *settings, const char *const *tables, int count,
	       struct paleo_error *err)
{
	struct study s = {.settings = settings};
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < count; i++)
		rc = nets_measured_read(tables[i], &s.measured, err);
	if (!rc) {
		keep_rows(&s);
		rc = prepare(&s, err);
	}
	if (!rc)
		rc = predict_all(&s, err);
	if (!rc)
		rc = print(&s, err);
	for (int i = 0; i < s.source_count; i++)
		paleo_source_release(&s.sources[i].source);
	free(s.sources);
	free(s.errors);
	free(s.titles);
	free(s.rows);
	free(s.measured.items);
	return rc;
}
