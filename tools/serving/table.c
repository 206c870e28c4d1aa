/* table.c - the rows of `serving` as a table, and how far measured ones are off. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/table.h"

#include <math.h>

#include "library/source.h"
#include "model/simulate/sim.h"
#include "tools/serving/serving.h"

#define COLUMNS(X)                                                                                 \
	X(PALEO_COLUMN_DATA_TEXT("net"), .text = r->on->model->name)                               \
	X(PALEO_COLUMN_TEXT("device", "device"), .text = calibration->device.name)                 \
	X(PALEO_COLUMN_WHOLE("gpus", "GPUs"), .number = v->gpus)                                   \
	X(PALEO_COLUMN_NUMBER("prefill_gpus", "prefill", 1, 2),                                    \
	  .number = v->prefill_gpus > 0 ? v->prefill_gpus : NAN)                                   \
	X(PALEO_COLUMN_WHOLE("tp", "tp"), .number = or_missing(p->tp))                             \
	X(PALEO_COLUMN_WHOLE("pp", "pp"), .number = or_missing(p->pp))                             \
	X(PALEO_COLUMN_WHOLE("dp", "dp"), .number = or_missing(p->dp))                             \
	X(PALEO_COLUMN_WHOLE("ep", "ep"), .number = or_missing(p->ep))                             \
	X(PALEO_COLUMN_TEXT("batching", "batching"),                                               \
	  .text = paleo_batching_names[r->c->load.batching])                                       \
	X(PALEO_COLUMN_WHOLE("concurrency", "concurrency"), .number = r->c->load.concurrency)      \
	X(PALEO_COLUMN_WHOLE("isl", "isl"), .number = r->c->load.isl)                              \
	X(PALEO_COLUMN_WHOLE("osl", "osl"), .number = r->c->load.osl)                              \
	X(PALEO_COLUMN_TIME_APART("ttft_s", "TTFT"), .number = time_or_none(r, v->ttft.s))         \
	X(PALEO_COLUMN_DATA("ttft_low_s"), .number = time_or_none(r, v->ttft.interval.low))        \
	X(PALEO_COLUMN_DATA("ttft_high_s"), .number = time_or_none(r, v->ttft.interval.high))      \
	X(PALEO_COLUMN_TIME("tpot_s", "TPOT"), .number = time_or_none(r, v->tpot.s))               \
	X(PALEO_COLUMN_TIME("tpot_low_s", "low"), .number = time_or_none(r, v->tpot.interval.low)) \
	X(PALEO_COLUMN_TIME("tpot_high_s", "high"),                                                \
	  .number = time_or_none(r, v->tpot.interval.high))                                        \
	X(PALEO_COLUMN_TIME("comm_s", "links"),                                                    \
	  .number = v->gpus > 1 ? time_or_none(r, v->comm_s) : NAN)                                \
	X(PALEO_COLUMN_TIME("host_s", "host"), .number = time_or_none(r, v->host_s))               \
	X(PALEO_COLUMN_NUMBER("tokens_per_s_user", "tok/s/user", 1, 1),                            \
	  .number = time_or_none(r, v->per_user_s))                                                \
	X(PALEO_COLUMN_NUMBER("tokens_per_s_gpu", "tok/s/GPU", 1, 1),                              \
	  .number = time_or_none(r, v->per_gpu_s))                                                 \
	X(PALEO_COLUMN(.name = "token_j", .title = "J/token", .type = PALEO_CELL_NUMBER,           \
		       .significant = 3),                                                          \
	  .number = time_or_none(r, v->token.mean))                                                \
	X(PALEO_COLUMN_DATA("token_low_j"), .number = time_or_none(r, v->token.low))               \
	X(PALEO_COLUMN_DATA("token_high_j"), .number = time_or_none(r, v->token.high))             \
	X(PALEO_COLUMN_DATA_TEXT("power_of"),                                                      \
	  .text = r->on->source->power ? r->on->source->power->device.name : NULL)                 \
	X(PALEO_COLUMN_DATA("tokens_per_s"), .number = time_or_none(r, v->per_s))                  \
	X(PALEO_COLUMN_BYTES("weights_bytes", "weights"), .number = m->weights)                    \
	X(PALEO_COLUMN_BYTES("cache_bytes", "cache"), .number = m->cache)                          \
	X(PALEO_COLUMN_BYTES("activations_bytes", "act"), .number = m->activations)                \
	X(PALEO_COLUMN_DATA("usable_memory_bytes"), .number = m->room > 0 ? m->room : NAN)         \
	X(PALEO_COLUMN_WHOLE("largest_concurrency", "max concurrency"),                            \
	  .number = m->largest < 0 ? NAN : (double)m->largest)                                     \
	X(PALEO_COLUMN_TEXT("fits", "fits"), .text = m->largest < 0   ? NULL                       \
						     : r->result.fits ? "yes"                      \
								      : "no")                      \
	X(PALEO_COLUMN_TEXT("limits", "SLO"), .text = !r->has_limits ? NULL                        \
						      : r->is_kept   ? "met"                       \
								     : "missed")                     \
	X(PALEO_COLUMN_TIME_APART("measured_ttft_s", "meas. TTFT"), .number = r->c->ttft_s)        \
	X(PALEO_COLUMN_TIME("measured_tpot_s", "meas. TPOT"), .number = r->c->tpot_s)              \
	X(PALEO_COLUMN_PERCENT("tpot_error", "err %"),                                             \
	  .number = time_or_none(r, v->tpot.s / r->c->tpot_s - 1))                                 \
	X(PALEO_COLUMN_DATA_TEXT("source"), .text = source)

static const struct paleo_column columns[] = {COLUMNS(PALEO_COLUMN_OF)};

struct paleo_table *serving_table(void)
{
	return PALEO_TABLE_OF(columns);
}

static double time_or_none(const struct serving_row *r, double s)
{
	return r->result.fits ? s : NAN;
}

/* A part that nothing is divided by says nothing. */
static double or_missing(int parts)
{
	return parts > 1 ? (double)parts : NAN;
}

int serving_table_add(struct paleo_table *t, const struct serving_row *r, struct paleo_error *err)
{
	const struct paleo_serving_split *p = &r->c->split;
	const struct paleo_serving_result *v = &r->result;
	const struct paleo_serving_memory *m = &v->memory;
	const struct paleo_calibration *calibration = &r->on->source->source.calibration;
	char source[PALEO_SOURCE_TEXT_MAX];

	paleo_known_source(calibration, source);
	const struct paleo_cell cells[] = {COLUMNS(PALEO_CELL_OF)};
	return paleo_table_add(t, cells, err);
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
