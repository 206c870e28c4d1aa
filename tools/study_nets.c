/* study_nets.c - the study of whole nets that others measured as frameworks ran them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/study_nets.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/columns.h"
#include "base/stats.h"
#include "base/text.h"
#include "calib/study_nets.h"
#include "library/choose.h"
#include "library/find.h"
#include "model/predict/framework.h"
#include "tools/choice.h"
#include "tools/nets_measured.h"
#include "tools/session/plan.h"
#include "tools/session/progress.h"

enum {
	SOURCES_MAX = 32
};

/* What predicts one device in one number type. */
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
				  "there are more than %d devices and number types: study fewer "
				  "tables at once",
				  SOURCES_MAX);
	int rc = paleo_choose_source(&wish, &new->source, err);
	if (rc)
		return rc;
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

/* The sum of the works that the framework runs. */
static int predict(struct study *s, int at, const char *path, struct paleo_error *err)
{
	const struct net_measured *m = &s->measured.items[at];
	const struct plan_settings ps = {
		.batch = m->batch,
		.dtype = m->dtype,
		.layout = m->layout,
		.framework = {.name = m->framework,
			      .optimizer = (enum paleo_update_rule)s->settings->optimizer,
			      .separate_attention = m->separate_attention,
			      .no_factor = 1},
		.passes = m->training ? PALEO_PASSES_ALL : PALEO_PASSES_FWD,
	};
	const struct paleo_source *source = NULL;
	struct plan plan = {0};
	double sum_s = 0;
	int rc = find_source(s, m, &source, err);

	if (!rc)
		rc = plan_make(&ps, &source->calibration, &path, 1, &plan, err);
	for (int i = 0; !rc && i < plan.nets[0].rows.count; i++) {
		const struct plan_work *w = &plan.works[plan.nets[0].work_of[i]];
		if (!w->predicted)
			rc = paleo_fail(err, PALEO_EUNSUPPORTED,
					"%s: the device has no peak for a work of it", path);
		sum_s += w->prediction.parts.total_s;
	}
	if (!rc) {
		s->rows[at].works_s = sum_s;
		snprintf(s->titles[at], sizeof(s->titles[at]), "%s", plan.nets[0].net->title);
	}
	plan_release(&plan);
	return rc;
}

/* Rows that stay: of a wanted number type, with a file of the net. */
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
		paleo_print(stderr, "%d row%s left out: of other number types\n", others,
			    others == 1 ? "" : "s");
	if (unknown)
		paleo_print(stderr, "%d row%s left out: '%s' has no such net, MODEL-IMAGE.json\n",
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
	return row->works_s * row->low <= row->measured_s &&
	       row->measured_s <= row->works_s * row->high;
}

static double error_of(const struct paleo_study_net *row)
{
	return row->works_s * row->factor / row->measured_s - 1;
}

enum {
	FRAMEWORK,
	PHASE,
	LAYOUT,
	DEVICE,
	NET,
	IMAGE,
	BATCH,
	MEASURED,
	WORKS,
	FACTOR,
	PREDICTED,
	ERROR,
	INSIDE,
	ROW_COLUMNS,
	ROWS = IMAGE, /* of sums */
	WORKS_ERROR,
	MEAN,
	MEDIAN,
	COVERAGE,
	ALL,
	LOW,
	HIGH,
	SUM_COLUMNS
};

static const struct paleo_column row_columns[ROW_COLUMNS] = {
	[FRAMEWORK] = PALEO_COLUMN_TEXT("framework", "framework"),
	[PHASE] = PALEO_COLUMN_TEXT("phase", "phase"),
	[LAYOUT] = PALEO_COLUMN_TEXT("layout", "layout"),
	[DEVICE] = PALEO_COLUMN_TEXT("device", "device"),
	[NET] = PALEO_COLUMN_TEXT("net", "net"),
	[IMAGE] = PALEO_COLUMN_WHOLE("image", "image"),
	[BATCH] = PALEO_COLUMN_WHOLE("batch", "batch"),
	[MEASURED] = PALEO_COLUMN_WHOLE("measured_s", "measured_s"),
	[WORKS] = PALEO_COLUMN_WHOLE("works_s", "works_s"),
	[FACTOR] = PALEO_COLUMN_WHOLE("factor", "factor"),
	[PREDICTED] = PALEO_COLUMN_WHOLE("predicted_s", "predicted_s"),
	[ERROR] = PALEO_COLUMN_WHOLE("error", "error"),
	[INSIDE] = PALEO_COLUMN_WHOLE("inside", "inside"),
};

static const struct paleo_column sum_columns[SUM_COLUMNS] = {
	[FRAMEWORK] = PALEO_COLUMN_TEXT("framework", "framework"),
	[PHASE] = PALEO_COLUMN_TEXT("phase", "phase"),
	[LAYOUT] = PALEO_COLUMN_TEXT("layout", "layout"),
	[DEVICE] = PALEO_COLUMN_TEXT("device", "device"),
	[NET] = PALEO_COLUMN_TEXT("net", "net"),
	[ROWS] = PALEO_COLUMN_WHOLE("rows", "rows"),
	[WORKS_ERROR] = PALEO_COLUMN_PERCENT("works", "works alone %"),
	[MEAN] = PALEO_COLUMN_PERCENT("mean", "mean %"),
	[MEDIAN] = PALEO_COLUMN_PERCENT("median", "median %"),
	[COVERAGE] = PALEO_COLUMN_PERCENT("coverage", "in 90 % interval"),
	[ALL] = PALEO_COLUMN_RATIO("factor", "factor"),
	[LOW] = PALEO_COLUMN_RATIO("low", "low"),
	[HIGH] = PALEO_COLUMN_RATIO("high", "high"),
};

/* The cells that say what was measured. */
static void name_row(const struct net_measured *m, struct paleo_cell *cells)
{
	cells[FRAMEWORK].text = paleo_framework_names[m->framework];
	cells[PHASE].text = m->training ? "train" : "infer";
	cells[LAYOUT].text = choice_layout[m->layout];
	cells[DEVICE].text = m->device;
}

static int add_rows(const struct study *s, struct paleo_table *t, struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < s->measured.count; i++) {
		const struct net_measured *m = &s->measured.items[i];
		const struct paleo_study_net *row = &s->rows[i];
		struct paleo_cell cells[ROW_COLUMNS] = {
			[NET] = {.text = m->model},
			[IMAGE] = {.number = m->image ? (double)m->image : (double)NAN},
			[BATCH] = {.number = m->batch},
			[MEASURED] = {.number = row->measured_s},
			[WORKS] = {.number = row->works_s},
			[FACTOR] = {.number = row->factor},
			[PREDICTED] = {.number = row->works_s * row->factor},
			[ERROR] = {.number = error_of(row)},
			[INSIDE] = {.number = isnan(row->factor) ? (double)NAN
								 : (double)is_inside(row)},
		};
		name_row(m, cells);
		rc = paleo_table_add(t, cells, err);
	}
	return rc;
}

/* Whether two rows are summed together: of one group and device, or of one net. */
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
	double *works = s->errors, *errors = s->errors + s->measured.count;
	struct paleo_cell cells[SUM_COLUMNS] = {0};
	struct paleo_study_net all = {.factor = NAN, .low = NAN, .high = NAN};
	size_t n = 0;
	int inside = 0, rc = PALEO_OK;

	for (int i = first; i < s->measured.count; i++) {
		const struct paleo_study_net *row = &s->rows[i];
		if (isnan(row->factor) || !is_together(s, first, i, by_net))
			continue;
		works[n] = row->works_s / row->measured_s - 1;
		errors[n++] = fabs(error_of(row));
		inside += is_inside(row);
	}
	if (!n)
		return PALEO_OK;
	if (by_net) {
		cells[NET].text = s->titles[first];
	} else {
		name_row(&s->measured.items[first], cells);
		rc = paleo_study_nets_all(s->rows, s->measured.count, s->rows[first].group, &all,
					  err);
	}
	paleo_sort(works, n);
	paleo_sort(errors, n);
	cells[ROWS].number = (double)n;
	cells[WORKS_ERROR].number = paleo_quantile_sorted(works, n, 0.5);
	cells[MEAN].number = paleo_mean(errors, n);
	cells[MEDIAN].number = paleo_quantile_sorted(errors, n, 0.5);
	cells[COVERAGE].number = (double)inside / (double)n;
	cells[ALL].number = all.factor;
	cells[LOW].number = all.low;
	cells[HIGH].number = all.high;
	return rc ? rc : paleo_table_add(t, cells, err);
}

static int add_sums(const struct study *s, int by_net, struct paleo_table *t,
		    struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < s->measured.count; i++) {
		int is_first = 1;
		for (int j = 0; is_first && j < i; j++)
			is_first = !is_together(s, i, j, by_net);
		if (is_first)
			rc = add_sum(s, i, by_net, t, err);
	}
	return rc;
}

static int print(const struct study *s, struct paleo_error *err)
{
	int is_data = paleo_table_is_data((int)s->settings->format);
	struct paleo_table *t = is_data ? paleo_table_new(row_columns, ROW_COLUMNS)
					: paleo_table_new(sum_columns, SUM_COLUMNS);
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
		return paleo_fail(err, PALEO_EINPUT, "no row of the tables can be studied");
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
