/* reproduce.c - the command `reproduce`: the published cases under the original's law and ours. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/reproduce.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/columns.h"
#include "base/json.h"
#include "base/table.h"
#include "paleo/net.h"
#include "tools/choice.h"
#include "tools/options.h"
#include "tools/training_cases.h"

struct settings {
	int format;
};

static const struct option_spec options[] = {
	{.like = &option_format, .offset = offsetof(struct settings, format)},
	{0},
};

enum {
	COL_CASE,
	COL_NET,
	COL_DEVICE,
	COL_NETWORK,
	COL_PPP_COMP,
	COL_PPP_COMM,
	COL_PARALLEL,
	COL_SCALING,
	COL_SCHEME,
	COL_BATCH,
	COL_WORKERS,
	COL_REPORTED,
	COL_SPEEDUP_2017,
	COL_SPEEDUP,
	COL_SPEEDUP_PRESETS,
	COL_COMM_2017,
	COL_COMM,
	COL_STEP_2017,
	COL_STEP,
	COL_STEP_PRESETS,
	COL_SOURCE,
	COLUMNS
};

static const struct paleo_column columns[COLUMNS] = {
	[COL_CASE] = PALEO_COLUMN_TEXT("case", "case"),
	[COL_NET] = PALEO_COLUMN_TEXT("net", "net"),
	[COL_DEVICE] = PALEO_COLUMN_TEXT("device", "device"),
	[COL_NETWORK] = PALEO_COLUMN_TEXT("network", "network"),
	[COL_PPP_COMP] = PALEO_COLUMN_DATA("ppp_comp"),
	[COL_PPP_COMM] = PALEO_COLUMN_DATA("ppp_comm"),
	[COL_PARALLEL] = PALEO_COLUMN_TEXT("parallel", "parallel"),
	[COL_SCALING] = PALEO_COLUMN_TEXT("scaling", "scaling"),
	[COL_SCHEME] = PALEO_COLUMN_TEXT("scheme", "scheme"),
	[COL_BATCH] = PALEO_COLUMN_NUMBER("batch", "batch", 1, 0),
	[COL_WORKERS] = PALEO_COLUMN_NUMBER("workers", "workers", 1, 0),
	[COL_REPORTED] = PALEO_COLUMN_NUMBER("reported_speedup", "reported", 1, 2),
	[COL_SPEEDUP_2017] = PALEO_COLUMN_NUMBER("paleo2017_speedup", "2017 speed-up", 1, 2),
	[COL_SPEEDUP] = PALEO_COLUMN_NUMBER("paleo_speedup", "paleo speed-up", 1, 2),
	[COL_SPEEDUP_PRESETS] = PALEO_COLUMN_NUMBER("presets_speedup", "presets speed-up", 1, 2),
	[COL_COMM_2017] = PALEO_COLUMN_NUMBER("paleo2017_comm_s", "2017 comm ms", 1e3, 2),
	[COL_COMM] = PALEO_COLUMN_NUMBER("paleo_comm_s", "paleo comm ms", 1e3, 2),
	[COL_STEP_2017] = PALEO_COLUMN_NUMBER("paleo2017_step_s", "2017 step ms", 1e3, 2),
	[COL_STEP] = PALEO_COLUMN_NUMBER("paleo_step_s", "paleo step ms", 1e3, 2),
	[COL_STEP_PRESETS] = PALEO_COLUMN_NUMBER("presets_step_s", "presets step ms", 1e3, 2),
	[COL_SOURCE] = PALEO_COLUMN_TEXT("reported_by", "reported by"),
};

/* What the laws say of a point: the original's, ours from the same fractions of peak, ours from
 * what was fitted to other GPUs. */
enum {
	LAW_2017,
	LAW_PALEO,
	LAW_PRESETS,
	LAWS
};

static int (*const laws[LAWS])(const struct reproduce_point *, const struct paleo_net *,
			       struct reproduce_answer *, struct paleo_error *) = {
	[LAW_2017] = reproduce_2017,
	[LAW_PALEO] = reproduce_paleo,
	[LAW_PRESETS] = reproduce_presets,
};

/* Images/s over those of the curve's first point. */
static double speedup(const struct reproduce_point *p, double step_s,
		      const struct reproduce_point *one, double one_s)
{
	return reproduce_batch(p) / step_s / (reproduce_batch(one) / one_s);
}

static int add_row(struct paleo_table *t, const struct reproduce_point *p,
		   const struct reproduce_answer answers[LAWS], const double speedups[LAWS],
		   struct paleo_error *err)
{
	const struct published_curve *c = p->curve;
	const struct published_report *r = published_report(c, p->net, p->scheme, p->workers);
	struct paleo_cell cells[COLUMNS] = {
		[COL_CASE] = {.text = c->of},
		[COL_NET] = {.text = p->net},
		[COL_DEVICE] = {.text = c->device},
		[COL_NETWORK] = {.text = c->network},
		[COL_PPP_COMP] = {.number = c->ppp_comp},
		[COL_PPP_COMM] = {.number = c->ppp_comm},
		[COL_PARALLEL] = {.text = c->parallel},
		[COL_SCALING] = {.text = c->strong ? "strong" : "weak"},
		[COL_SCHEME] = {.text = p->scheme},
		[COL_BATCH] = {.number = reproduce_batch(p)},
		[COL_WORKERS] = {.number = p->workers},
		[COL_REPORTED] = {.number = r ? r->speedup : NAN},
		[COL_SPEEDUP_2017] = {.number = speedups[LAW_2017]},
		[COL_SPEEDUP] = {.number = speedups[LAW_PALEO]},
		[COL_SPEEDUP_PRESETS] = {.number = speedups[LAW_PRESETS]},
		[COL_COMM_2017] = {.number = answers[LAW_2017].comm_s},
		[COL_COMM] = {.number = answers[LAW_PALEO].comm_s},
		[COL_STEP_2017] = {.number = answers[LAW_2017].step_s},
		[COL_STEP] = {.number = answers[LAW_PALEO].step_s},
		[COL_STEP_PRESETS] = {.number = answers[LAW_PRESETS].step_s},
		[COL_SOURCE] = {.text = r ? r->source : NULL},
	};

	return paleo_table_add(t, cells, err);
}

/* What the laws say of a point, and how much faster that is than the curve's first. */
static int answer(const struct reproduce_point *p, const struct reproduce_point *first,
		  struct reproduce_answer answers[LAWS], const struct reproduce_answer *firsts,
		  double speedups[LAWS], struct paleo_error *err)
{
	struct paleo_net *net = NULL;
	int rc = paleo_net_open(p->net, 0, &net, err);

	for (int k = 0; !rc && k < LAWS; k++) {
		rc = laws[k](p, net, &answers[k], err);
		if (!rc)
			speedups[k] = speedup(p, answers[k].step_s, first, firsts[k].step_s);
	}
	paleo_net_free(net);
	return rc;
}

static int add_curve(struct paleo_table *t, const struct published_curve *c, const char *scheme,
		     struct paleo_error *err)
{
	struct reproduce_point p[CASE_POINTS_MAX];
	struct reproduce_answer answers[CASE_POINTS_MAX][LAWS];
	double speedups[LAWS];
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < CASE_POINTS_MAX && c->workers[i]; i++) {
		p[i] = (struct reproduce_point){.curve = c,
						.net = c->net ? c->net : c->nets[i],
						.scheme = scheme,
						.workers = c->workers[i]};
		rc = answer(&p[i], &p[0], answers[i], answers[0], speedups, err);
		if (!rc)
			rc = add_row(t, &p[i], answers[i], speedups, err);
	}
	return rc;
}

static int add_case(struct paleo_table *t, const char *name, struct paleo_error *err)
{
	int count, rc = PALEO_OK;
	const struct published_curve *c = published_curves(&count);

	for (int i = 0; i < count; i++)
		for (int k = 0; !rc && k < CASE_SCHEMES_MAX && c[i].schemes[k]; k++)
			if (!strcmp(c[i].of, name))
				rc = add_curve(t, &c[i], c[i].schemes[k], err);
	return rc;
}

static int check_name(const char *name, struct paleo_error *err)
{
	const char *const *cases = published_cases();

	for (int i = 0; cases[i]; i++)
		if (!strcmp(cases[i], name))
			return PALEO_OK;
	const char *near = paleo_nearest(name, cases);
	if (near)
		return paleo_fail(err, PALEO_EINPUT, "unknown case '%s' (did you mean '%s'?)", name,
				  near);
	return paleo_fail(err, PALEO_EINPUT, "unknown case '%s' (see --help)", name);
}

/* 1 if all names are of training steps, which have another table; 0 if none is; -1 for both. */
static int of_training(const char *const *wanted, int count)
{
	int training = 0;

	for (int i = 0; i < count; i++)
		training += training_source_find(wanted[i]) != NULL;
	return training == 0 ? 0 : training == count ? 1 : -1;
}

static int add_training(struct paleo_table *t, const char *const *wanted, int count,
			struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < count; i++)
		rc = training_add(t, wanted[i], err);
	return rc;
}

static int add_cases(struct paleo_table *t, const char *const *wanted, int count,
		     struct paleo_error *err)
{
	const char *const *cases = published_cases();
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < count; i++)
		rc = check_name(wanted[i], err);
	for (int i = 0; !rc && i < count; i++)
		rc = add_case(t, wanted[i], err);
	for (int i = 0; !rc && !count && cases[i]; i++)
		rc = add_case(t, cases[i], err);
	return rc;
}

static int run(const void *settings, const char *const *arguments, int count)
{
	const struct settings *s = settings;
	struct paleo_error err = {0};
	int training = of_training(arguments, count);
	struct paleo_table *t = training > 0 ? training_table() : paleo_table_new(columns, COLUMNS);

	int rc = t ? PALEO_OK : paleo_fail(&err, PALEO_ENOMEM, "out of memory");
	if (!rc && training < 0)
		rc = paleo_fail(&err, PALEO_EINPUT,
				"megatron, recompute and llama3 have a table of their own: name "
				"them without others");
	if (!rc)
		rc = training ? add_training(t, arguments, count, &err)
			      : add_cases(t, arguments, count, &err);
	if (!rc)
		rc = paleo_table_print(t, (enum paleo_table_format)s->format, stdout, &err);
	paleo_table_free(t);
	return rc ? command_fail(&command_reproduce, &err) : EXIT_GOOD;
}

const struct command command_reproduce = {
	.name = "reproduce",
	.what = "simulates the published cases as the original did, and as we do",
	.usage = "[CASE...]",
	.about = "Prints for each published case, or those that are named, the speed-up that was "
		 "reported, where it is known here, the original's estimate (law paleo2017) and "
		 "ours: from the same datasheet and fractions of peak (law paleo), and from what "
		 "was fitted to other GPUs (law presets).\n"
		 "Cases: firecaffe (NiN), inception, one-weird-trick (AlexNet, hybrid and data "
		 "parallel), cloud (AlexNet), mxnet, dcgan. docs/method/cases.md tells more.\n"
		 "Steps of training transformers have a table of their own: megatron, recompute, "
		 "llama3. docs/method/training.md tells more.\n"
		 "Exit status: 0 good, 1 out of memory, 2 wrong options or files.",
	.examples = "paleo-reproduce firecaffe\n",
	.options = options,
	.settings_size = sizeof(struct settings),
	.run = run,
};
