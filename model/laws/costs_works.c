/* costs_works.c - the laws that count works: paleo by the datasheet, calibrated by a fit. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "model/law.h"
#include "model/laws/law_list.h"

/*
 * Counts of a work are straight lines over the batch: so much for each image, so
 * much for the weights. Two batches tell them, and then every batch costs a few
 * multiplications instead of a walk of the net.
 */
struct line {
	double constant, slope;
};

/* A work whose time is no straight line: what is computed overlaps with what is moved, or thin
 * products run slower. */
struct curve {
	const struct paleo_factor *factor;
	struct line compute_s, memory_s;  /* at the device's full rate */
	struct line depth, width, width2; /* the smaller width counts */
	struct pair *pair;                /* of a factor that wants the work itself, or NULL */
	struct curve *next;
};

/* The same work at batches 1 and 2. */
struct pair {
	const struct paleo_device *device;
	struct paleo_work one, two;
};

/* One layer in one pass: the straight works as one, the others one by one. */
struct cell {
	struct line compute_s, memory_s;
	double overhead_s;
	struct curve *curves;
};

struct state {
	struct cell *cells; /* layers x PALEO_PASSES */
	int count;
	int only_batch; /* 0: any; otherwise the one whose shapes fit */
};

static double at(const struct line *l, double batch)
{
	return l->constant + l->slope * batch;
}

static void add_line(struct line *sum, struct line l)
{
	sum->constant += l.constant;
	sum->slope += l.slope;
}

/* The line through (1, a) and (2, b), over a rate; flat through infinity. */
static struct line line_through(double a, double b, double rate)
{
	if (isinf(a))
		return (struct line){.constant = a};
	return (struct line){.constant = (2 * a - b) / rate, .slope = (b - a) / rate};
}

static void close_costs(void *state)
{
	struct state *s = state;

	for (int i = 0; i < s->count; i++) {
		struct curve *next;
		for (struct curve *c = s->cells[i].curves; c; c = next) {
			next = c->next;
			free(c->pair);
			free(c);
		}
	}
	free(s->cells);
	free(s);
}

static void stretch(int *size, int two, double batch)
{
	*size = (int)(*size + (two - *size) * (batch - 1));
}

/* The work of a pair at another batch: what differs between the two goes on in a straight line. */
static struct paleo_work work_at(const struct pair *p, double batch)
{
	const struct paleo_work *two = &p->two;
	struct paleo_work w = p->one;

	w.flops += (two->flops - w.flops) * (batch - 1);
	w.read_bytes += (two->read_bytes - w.read_bytes) * (batch - 1);
	w.write_bytes += (two->write_bytes - w.write_bytes) * (batch - 1);
	switch (w.kind) {
	case PALEO_CONV:
		stretch(&w.geom.conv.n, two->geom.conv.n, batch);
		break;
	case PALEO_GEMM:
		stretch(&w.geom.gemm.m, two->geom.gemm.m, batch);
		stretch(&w.geom.gemm.n, two->geom.gemm.n, batch);
		stretch(&w.geom.gemm.k, two->geom.gemm.k, batch);
		stretch(&w.geom.gemm.batch, two->geom.gemm.batch, batch);
		break;
	case PALEO_POOL:
		stretch(&w.geom.pool.n, two->geom.pool.n, batch);
		break;
	case PALEO_ELTWISE:
		w.geom.eltwise.count +=
			(two->geom.eltwise.count - w.geom.eltwise.count) * (batch - 1);
		break;
	case PALEO_NORM:
		stretch(&w.geom.norm.n, two->geom.norm.n, batch);
		break;
	case PALEO_LRN:
		stretch(&w.geom.lrn.n, two->geom.lrn.n, batch);
		break;
	case PALEO_SOFTMAX:
		stretch(&w.geom.softmax.rows, two->geom.softmax.rows, batch);
		break;
	case PALEO_COPY:
		stretch(&w.geom.copy.rows, two->geom.copy.rows, batch);
		break;
	case PALEO_UPSAMPLE:
		stretch(&w.geom.upsample.n, two->geom.upsample.n, batch);
		break;
	case PALEO_REDUCE:
		stretch(&w.geom.reduce.rows, two->geom.reduce.rows, batch);
		break;
	case PALEO_UPDATE:
	case PALEO_WORK_KINDS:
		break;
	}
	return w;
}

static struct pair *make_pair(const struct paleo_device *d, const struct paleo_work *one,
			      const struct paleo_work *two)
{
	struct pair *p = malloc(sizeof(*p));

	if (p)
		*p = (struct pair){d, *one, *two};
	return p;
}

/* Works `a` and `b` are the same one at batches 1 and 2. */
static int add_work(struct cell *cell, const struct paleo_calibration *calibration,
		    const struct paleo_work *a, const struct paleo_work *b, struct paleo_error *err)
{
	const struct paleo_device *d = &calibration->device;
	struct paleo_prediction p;
	struct paleo_law_terms ta, tb;
	int rc = paleo_predict_work(calibration, a, &p, err);

	if (!rc)
		rc = paleo_law_terms(d, a, &ta, err);
	if (!rc)
		rc = paleo_law_terms(d, b, &tb, err);
	if (rc)
		return rc;
	const struct paleo_factor *f = p.factor;
	double peak = a->flops > 0 ? d->flop_per_s[a->dtype] : 1;
	struct line compute = line_through(a->flops, b->flops, peak);
	struct line memory = line_through(a->read_bytes + a->write_bytes,
					  b->read_bytes + b->write_bytes, d->mem_bytes_per_s);

	int by_work = f->model || f->residual.count;
	if (!by_work && f->overlap == 1 && f->half_depth == 0 && f->half_width == 0) {
		add_line(&cell->compute_s, (struct line){compute.constant / f->ppp_compute,
							 compute.slope / f->ppp_compute});
		add_line(&cell->memory_s, (struct line){memory.constant / f->ppp_memory,
							memory.slope / f->ppp_memory});
		cell->overhead_s += f->overhead_s;
		return PALEO_OK;
	}
	struct curve *c = malloc(sizeof(*c));
	struct pair *pair = by_work ? make_pair(d, a, b) : NULL;
	if (!c || (by_work && !pair)) {
		free(c);
		free(pair);
		return paleo_fail(err, PALEO_ENOMEM, "memory ran out while pricing a net");
	}
	*c = (struct curve){
		.factor = f,
		.pair = pair,
		.compute_s = compute,
		.memory_s = memory,
		.depth = line_through(ta.depth, tb.depth, 1),
		.width = line_through(ta.width, tb.width, 1),
		.width2 = {.constant = INFINITY},
		.next = cell->curves,
	};
	if (a->kind == PALEO_GEMM) {
		c->width = line_through(a->geom.gemm.m, b->geom.gemm.m, 1);
		c->width2 = line_through(a->geom.gemm.n, b->geom.gemm.n, 1);
	}
	cell->curves = c;
	return PALEO_OK;
}

/* Lists the works at two batches, or twice at the net's own. Release both lists. */
static int list_works(const struct paleo_net *net, enum paleo_dtype dtype,
		      struct paleo_work_list *a, struct paleo_work_list *b, int *only_batch,
		      struct paleo_error *err)
{
	struct paleo_net *one = NULL, *two = NULL;

	*only_batch = 0;
	int rc = paleo_net_at_batch(net, 1, &one, err);
	if (!rc)
		rc = paleo_net_at_batch(net, 2, &two, err);
	if (rc == PALEO_EINPUT)
		*only_batch = net->batch;
	if (rc && rc != PALEO_EINPUT)
		goto out;
	rc = paleo_net_works(*only_batch ? net : one, dtype, PALEO_PASSES_ALL, a, err);
	if (!rc)
		rc = paleo_net_works(*only_batch ? net : two, dtype, PALEO_PASSES_ALL, b, err);
out:
	/* The nets go; their works stay, so they are said to be of the layers of this one. */
	for (int i = 0; !rc && i < a->count; i++)
		a->items[i].layer = net->layers[a->items[i].layer->index];
	paleo_net_free(one);
	paleo_net_free(two);
	return rc;
}

static int open_costs(const struct paleo_net *net, const struct paleo_law_options *o, void **state,
		      struct paleo_error *err)
{
	struct paleo_work_list a = {0}, b = {0};
	struct state *s = calloc(1, sizeof(*s));

	if (!s || !(s->cells = calloc((size_t)net->count * PALEO_PASSES, sizeof(*s->cells)))) {
		free(s);
		return paleo_fail(err, PALEO_ENOMEM, "memory ran out while pricing a net");
	}
	s->count = net->count * PALEO_PASSES;
	int rc = list_works(net, o->dtype, &a, &b, &s->only_batch, err);
	assert(rc || a.count == b.count); /* the batch changes sizes alone */
	for (int i = 0; !rc && i < a.count; i++) {
		const struct paleo_net_work *w = &a.items[i];
		struct cell *cell = &s->cells[w->layer->index * PALEO_PASSES + (int)w->pass];
		rc = add_work(cell, o->calibration, &w->work, &b.items[i].work, err);
	}
	paleo_work_list_release(&a);
	paleo_work_list_release(&b);
	if (rc) {
		close_costs(s);
		return rc;
	}
	*state = s;
	return PALEO_OK;
}

static void add_curve(const struct curve *c, double batch, struct paleo_cost *sum)
{
	struct paleo_law_terms terms = {
		.compute_s = at(&c->compute_s, batch),
		.memory_s = at(&c->memory_s, batch),
		.depth = at(&c->depth, batch),
		.width = fmin(at(&c->width, batch), at(&c->width2, batch)),
	};
	struct paleo_law_time t;

	if (c->pair) {
		const struct paleo_work w = work_at(c->pair, batch);
		struct paleo_error ignored; /* the work was priced when the costs were opened */
		if (paleo_factor_time(c->pair->device, c->factor, &w, &t, &ignored))
			return;
	} else {
		paleo_law_time(&terms, c->factor, &t);
	}
	sum->compute_s += t.compute_s;
	sum->memory_s += t.memory_s;
	sum->overhead_s += t.overhead_s;
	sum->total_s += t.total_s;
}

static int check_batch(const struct state *s, int batch, struct paleo_error *err)
{
	if (!s->only_batch || batch == s->only_batch)
		return PALEO_OK;
	return paleo_fail(err, PALEO_EUNSUPPORTED,
			  "the net has a layer whose shape fits a batch of %d alone, not %d",
			  s->only_batch, batch);
}

static void add_cell(const struct cell *cell, double batch, struct paleo_cost *sum)
{
	double compute_s = at(&cell->compute_s, batch), memory_s = at(&cell->memory_s, batch);

	sum->compute_s += compute_s;
	sum->memory_s += memory_s;
	sum->overhead_s += cell->overhead_s;
	sum->total_s += compute_s + memory_s + cell->overhead_s;
	for (const struct curve *c = cell->curves; c; c = c->next)
		add_curve(c, batch, sum);
}

static int cost(const void *state, int layer, enum paleo_pass pass, int batch,
		struct paleo_cost *out, struct paleo_error *err)
{
	const struct state *s = state;
	int rc = check_batch(s, batch, err);

	if (rc)
		return rc;
	*out = (struct paleo_cost){0};
	add_cell(&s->cells[layer * PALEO_PASSES + (int)pass], batch, out);
	return PALEO_OK;
}

static int sum(const void *state, unsigned passes, int batch, struct paleo_cost *out,
	       struct paleo_error *err)
{
	const struct state *s = state;
	struct paleo_cost all = {0};
	int rc = check_batch(s, batch, err);

	if (rc)
		return rc;
	for (int i = 0; i < s->count; i++)
		if (passes & 1u << i % PALEO_PASSES)
			add_cell(&s->cells[i], batch, &all);
	*out = all;
	return PALEO_OK;
}

const struct paleo_law paleo_law_paleo = {
	.name = "paleo",
	.what = "the original's structure without its bugs: FLOPs and bytes over fractions of peak",
	.open = open_costs,
	.close = close_costs,
	.cost = cost,
	.sum = sum,
};

const struct paleo_law paleo_law_calibrated = {
	.name = "calibrated",
	.what = "factors fitted to measurements of the device",
	.open = open_costs,
	.close = close_costs,
	.cost = cost,
	.sum = sum,
};
