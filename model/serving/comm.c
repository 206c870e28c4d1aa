/* comm.c - what GPUs that serve one model exchange in a step, and how long it takes. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "model/serving/rows.h"

/*
 * GPUs that all reach each other directly, by kernels of servers. In one go each reads what all
 * others have; in two, each adds up its part, and then reads the other parts: fewer bytes, after
 * several messages. The shorter counts. The three numbers are fitted to all-reduces on three
 * generations of NVLink (docs/method/serving.md).
 */
static double all_reduce_s(const struct paleo_link *l, int gpus, double bytes)
{
	static const double once = 0.49, messages = 7.1, twice = 0.68;
	double others = gpus - 1;
	double one_go = l->latency_s + others * bytes / (once * l->bytes_per_s);
	double two_goes =
		messages * l->latency_s + 2 * others / gpus * bytes / (twice * l->bytes_per_s);

	return fmin(one_go, two_goes);
}

/* Tokens go to the GPUs that have their experts. A part of the experts that none of a token's top
 * ones is in is not sent to; what is on the GPU itself does not travel. */
static double all_to_all_s(const struct paleo_served *s, double bytes)
{
	const struct paleo_serving_split *p = &s->serving->split;
	const struct paleo_link *l = &s->serving->link;
	double gpus = (double)p->tp * p->dp;
	double parts = p->ep * (1 - pow(1 - 1.0 / p->ep, paleo_hf_busy_experts(s->serving->model)));
	double copies = gpus / p->ep * parts * (gpus - 1) / gpus;

	return l->latency_s + copies * bytes / l->bytes_per_s;
}

double paleo_served_comm_s(const struct paleo_served *s, double tokens)
{
	const struct paleo_serving_split *p = &s->serving->split;
	const struct paleo_link *l = &s->serving->link;
	double bytes = tokens * paleo_stream_bytes(s);
	double sums = paleo_hf_sums(s->serving->model, 0);
	double spread = p->dp > 1 ? s->expert_layers : 0; /* layers with all-to-alls */
	double sum_s = 0;

	if (p->tp > 1)
		sum_s += (sums - spread) * all_reduce_s(l, p->tp, bytes);
	if (spread > 0)
		sum_s += 2 * spread * all_to_all_s(s, bytes);
	if (p->pp > 1)
		sum_s += (p->pp - 1) * (l->latency_s + fmax(1, s->serving->model->streams) * bytes /
							       l->bytes_per_s);
	return sum_s;
}
