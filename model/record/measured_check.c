/* measured_check.c - rows of tables and traces that are refused, and why. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/record/measured.h"

const char *paleo_measured_refusal_text(enum paleo_measured_refusal why)
{
	static const char other_op[] =
		"an unsupported operation (expected gemm, bmm, conv2d, elementwise, softmax, "
		"layernorm, attention, moe, causal_conv, scan)";
	static const char *const texts[PALEO_REFUSALS] = {
		[PALEO_REFUSED_OP] = other_op,
		[PALEO_REFUSED_DTYPE] = "a dtype not supported by this operation",
		[PALEO_REFUSED_SHAPE] = "invalid sizes",
		[PALEO_REFUSED_COLUMN] = "there is no column",
		[PALEO_REFUSED_TIME] = "a time outside (0, 1 hour]",
		[PALEO_REFUSED_UNUSABLE] = "marked unusable in the file",
		[PALEO_REFUSED_TOO_FAST] = "above the device's peak FLOP/s",
		[PALEO_REFUSED_TOO_DENSE] = "above the memory's bandwidth",
	};

	return texts[why];
}

void paleo_measured_refuse(struct paleo_measured *m, int why, int line)
{
	if (m->refused[why]++ == 0)
		m->refused_line[why] = line;
}

/* Device limit that a row exceeds; -1: none. */
static int impossible(const struct paleo_measured_row *row, const struct paleo_device *d)
{
	const struct paleo_op *w = &row->op;
	const struct paleo_conv_geom *g = &w->geom.conv;
	double peak = paleo_device_peak(d, w), bytes = w->read_bytes + w->write_bytes;
	double factor = w->kind == PALEO_CONV && (double)g->r * g->s >= 9 ? 6 : 1.1;
	int computes = w->kind == PALEO_CONV || w->kind == PALEO_GEMM || w->kind == PALEO_ATTENTION;

	/* who has the busiest experts has other pairs than are counted */
	if (w->kind == PALEO_MOE && w->geom.moe.skew)
		return -1;
	if (peak > 0 && computes && w->flops / row->time_s > factor * peak)
		return PALEO_REFUSED_TOO_FAST;
	if (d->mem_bytes_per_s > 0 && d->cache_bytes > 0 && bytes > 3 * d->cache_bytes &&
	    bytes / row->time_s > 1.1 * d->mem_bytes_per_s)
		return PALEO_REFUSED_TOO_DENSE;
	return -1;
}

void paleo_measured_check(struct paleo_measured *m, const struct paleo_device *d)
{
	int kept = 0;

	for (int i = 0; i < m->count; i++) {
		int why = impossible(&m->rows[i], d);
		if (why >= 0)
			paleo_measured_refuse(m, why, m->rows[i].line);
		else
			m->rows[kept++] = m->rows[i];
	}
	m->count = kept;
}
