/* serving_table.c - the rows of `serving` as a table, and how far measured ones are off. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "base/columns.h"
#include "base/stats.h"
#include "base/text.h"
#include "library/known.h"
#include "model/simulate/pareto.h"
#include "tools/serving.h"

enum {
	COL_NET,
	COL_DEVICE,
	COL_GPUS,
	COL_PREFILL_GPUS,
	COL_TP,
	COL_PP,
	COL_DP,
	COL_EP,
	COL_BATCHING,
	COL_CONCURRENCY,
	COL_ISL,
	COL_OSL,
	COL_TTFT,
	COL_TTFT_LOW,
	COL_TTFT_HIGH,
	COL_TPOT,
	COL_TPOT_LOW,
	COL_TPOT_HIGH,
	COL_COMM,
	COL_HOST,
	COL_USER,
	COL_GPU,
	COL_ALL,
	COL_WEIGHTS,
	COL_CACHE,
	COL_ACTIVATIONS,
	COL_ROOM,
	COL_LARGEST,
	COL_FITS,
	COL_LIMITS,
	COL_SEEN_TTFT,
	COL_SEEN_TPOT,
	COL_ERROR,
	COL_SOURCE,
	COLUMNS
};

static const struct paleo_column columns[COLUMNS] = {
	[COL_NET] = PALEO_COLUMN_DATA_TEXT("net"),
	[COL_DEVICE] = PALEO_COLUMN_TEXT("device", "device"),
	[COL_GPUS] = PALEO_COLUMN_WHOLE("gpus", "GPUs"),
	[COL_PREFILL_GPUS] = PALEO_COLUMN_NUMBER("prefill_gpus", "prefill", 1, 2),
	[COL_TP] = PALEO_COLUMN_WHOLE("tp", "tp"),
	[COL_PP] = PALEO_COLUMN_WHOLE("pp", "pp"),
	[COL_DP] = PALEO_COLUMN_WHOLE("dp", "dp"),
	[COL_EP] = PALEO_COLUMN_WHOLE("ep", "ep"),
	[COL_BATCHING] = PALEO_COLUMN_TEXT("batching", "batching"),
	[COL_CONCURRENCY] = PALEO_COLUMN_WHOLE("concurrency", "requests"),
	[COL_ISL] = PALEO_COLUMN_WHOLE("isl", "isl"),
	[COL_OSL] = PALEO_COLUMN_WHOLE("osl", "osl"),
	[COL_TTFT] = PALEO_COLUMN_TIME_APART("ttft_s", "TTFT"),
	[COL_TTFT_LOW] = PALEO_COLUMN_DATA("ttft_low_s"),
	[COL_TTFT_HIGH] = PALEO_COLUMN_DATA("ttft_high_s"),
	[COL_TPOT] = PALEO_COLUMN_TIME("tpot_s", "TPOT"),
	[COL_TPOT_LOW] = PALEO_COLUMN_TIME("tpot_low_s", "low"),
	[COL_TPOT_HIGH] = PALEO_COLUMN_TIME("tpot_high_s", "high"),
	[COL_COMM] = PALEO_COLUMN_TIME("comm_s", "links"),
	[COL_HOST] = PALEO_COLUMN_TIME("host_s", "host"),
	[COL_USER] = PALEO_COLUMN_NUMBER("tokens_per_s_user", "tok/s/user", 1, 1),
	[COL_GPU] = PALEO_COLUMN_NUMBER("tokens_per_s_gpu", "tok/s/GPU", 1, 1),
	[COL_ALL] = PALEO_COLUMN_DATA("tokens_per_s"),
	[COL_WEIGHTS] = PALEO_COLUMN_BYTES("weights_bytes", "weights"),
	[COL_CACHE] = PALEO_COLUMN_BYTES("cache_bytes", "cache"),
	[COL_ACTIVATIONS] = PALEO_COLUMN_BYTES("activations_bytes", "act"),
	[COL_ROOM] = PALEO_COLUMN_DATA("room_bytes"),
	[COL_LARGEST] = PALEO_COLUMN_WHOLE("largest_concurrency", "at most"),
	[COL_FITS] = PALEO_COLUMN_TEXT("fits", "fits"),
	[COL_LIMITS] = PALEO_COLUMN_TEXT("limits", "limits"),
	[COL_SEEN_TTFT] = PALEO_COLUMN_TIME_APART("measured_ttft_s", "meas. TTFT"),
	[COL_SEEN_TPOT] = PALEO_COLUMN_TIME("measured_tpot_s", "meas. TPOT"),
	[COL_ERROR] = PALEO_COLUMN_PERCENT("tpot_error", "err %"),
	[COL_SOURCE] = PALEO_COLUMN_DATA_TEXT("source"),
};

struct paleo_table *serving_table(void)
{
	return paleo_table_new(columns, COLUMNS);
}

static double time_or_none(const struct serving_row *r, double s)
{
	return r->result.fits ? s : NAN;
}

static void time_cells(const struct serving_row *r, struct paleo_cell *c)
{
	const struct paleo_serving_result *v = &r->result;

	c[COL_TTFT].number = time_or_none(r, v->ttft.s);
	c[COL_TTFT_LOW].number = time_or_none(r, v->ttft.interval.low);
	c[COL_TTFT_HIGH].number = time_or_none(r, v->ttft.interval.high);
	c[COL_TPOT].number = time_or_none(r, v->tpot.s);
	c[COL_TPOT_LOW].number = time_or_none(r, v->tpot.interval.low);
	c[COL_TPOT_HIGH].number = time_or_none(r, v->tpot.interval.high);
	c[COL_COMM].number = v->gpus > 1 ? time_or_none(r, v->comm_s) : NAN;
	c[COL_HOST].number = time_or_none(r, v->host_s);
	c[COL_USER].number = time_or_none(r, v->per_user_s);
	c[COL_GPU].number = time_or_none(r, v->per_gpu_s);
	c[COL_PREFILL_GPUS].number = v->prefill_gpus > 0 ? v->prefill_gpus : NAN;
	c[COL_ALL].number = time_or_none(r, v->per_s);
	c[COL_SEEN_TTFT].number = r->c->ttft_s;
	c[COL_SEEN_TPOT].number = r->c->tpot_s;
	c[COL_ERROR].number = time_or_none(r, v->tpot.s / r->c->tpot_s - 1);
}

static void memory_cells(const struct serving_row *r, struct paleo_cell *c)
{
	const struct paleo_serving_memory *m = &r->result.memory;

	c[COL_WEIGHTS].number = m->weights;
	c[COL_CACHE].number = m->cache;
	c[COL_ACTIVATIONS].number = m->activations;
	c[COL_ROOM].number = m->room > 0 ? m->room : NAN;
	c[COL_LARGEST].number = m->largest < 0 ? NAN : (double)m->largest;
	c[COL_FITS].text = m->largest < 0 ? NULL : r->result.fits ? "yes" : "no";
}

/* A part that nothing is divided by says nothing. */
static double or_missing(int parts)
{
	return parts > 1 ? (double)parts : NAN;
}

int serving_table_add(struct paleo_table *t, const struct serving_row *r, struct paleo_error *err)
{
	const struct paleo_serving_split *p = &r->c->split;
	const struct paleo_calibration *calibration = &r->on->source->source.calibration;
	char source[PALEO_SOURCE_TEXT_MAX];
	struct paleo_cell c[COLUMNS] = {
		[COL_NET] = {.text = r->on->model->name},
		[COL_DEVICE] = {.text = calibration->device.name},
		[COL_GPUS] = {.number = r->result.gpus},
		[COL_TP] = {.number = or_missing(p->tp)},
		[COL_PP] = {.number = or_missing(p->pp)},
		[COL_DP] = {.number = or_missing(p->dp)},
		[COL_EP] = {.number = or_missing(p->ep)},
		[COL_BATCHING] = {.text = paleo_batching_names[r->c->load.batching]},
		[COL_CONCURRENCY] = {.number = r->c->load.concurrency},
		[COL_ISL] = {.number = r->c->load.isl},
		[COL_OSL] = {.number = r->c->load.osl},
		[COL_LIMITS] = {.text = !r->has_limits ? NULL
					: r->is_kept   ? "kept"
						       : "missed"},
		[COL_SOURCE] = {.text = source},
	};

	paleo_known_source(calibration, source);
	time_cells(r, c);
	memory_cells(r, c);
	return paleo_table_add(t, c, err);
}

int serving_counts(const struct serving_row *r)
{
	return r->result.fits && r->is_kept;
}

int serving_front(const struct serving_row *rows, int count, int *keep, struct paleo_error *err)
{
	struct paleo_pareto front = {0};
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < count; i++) {
		const struct paleo_serving_result *v = &rows[i].result;
		const struct paleo_pareto_point p = {.goals = {-v->per_user_s, -v->per_gpu_s},
						     .id = i};
		keep[i] = 0;
		if (serving_counts(&rows[i]))
			rc = paleo_pareto_add(&front, &p, err);
	}
	for (int i = 0; !rc && i < front.count; i++)
		keep[front.points[i].id] = 1;
	paleo_pareto_release(&front);
	return rc;
}
