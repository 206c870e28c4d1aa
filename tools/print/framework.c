/* framework.c - a net as a framework runs it: launches of the host, a factor of measured nets. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/text.h"
#include "model/predict/predict.h"
#include "tools/print/print.h"

/* Totals of the rows of some passes. */
struct part {
	double ops_s;
	int kernels;
};

static struct part add_up(const struct plan *p, const struct plan_net *n, unsigned passes)
{
	struct part sum = {0};

	for (int i = 0; i < n->rows.count; i++) {
		const struct plan_op *w = &p->ops[n->op_of[i]];
		if (!(passes & 1u << n->rows.items[i].pass))
			continue;
		sum.ops_s += w->prediction.parts.total_s;
		sum.kernels++;
	}
	return sum;
}

/* With ops that take `factor` times as long. Forward and backward wait for the host each by itself;
 * an update is a few kernels. */
static double host_s(const struct plan *p, const struct plan_net *n, double factor)
{
	struct part forward = add_up(p, n, PALEO_PASSES_FWD);
	struct part backward = add_up(p, n, PALEO_PASSES_BWD);
	double dispatch_s = p->framework.dispatch_s;

	return paleo_framework_pass_s(factor * forward.ops_s, forward.kernels, dispatch_s) +
	       paleo_framework_pass_s(factor * backward.ops_s, backward.kernels, dispatch_s) +
	       factor * add_up(p, n, 1u << PALEO_PASS_UPDATE).ops_s;
}

/* The layout of a net's images: without convolutions nothing is converted, as in NHWC. */
static enum paleo_layout layout_of(const struct plan *p, const struct plan_net *n)
{
	for (int i = 0; i < n->rows.count; i++)
		if (p->ops[n->op_of[i]].op.kind == PALEO_CONV)
			return p->layout;
	return PALEO_NHWC;
}

static const struct paleo_framework_factor *factor_of(const struct plan *p,
						      const struct plan_net *n)
{
	const struct plan_framework *f = &p->framework;

	return f->no_factor ? NULL
			    : paleo_framework_factor_find(f->name, p->training, layout_of(p, n));
}

struct framework_time framework_time_of(const struct plan *p, const struct plan_net *n)
{
	const struct paleo_framework_factor *factor = factor_of(p, n);
	double ops_s = add_up(p, n, PALEO_PASSES_ALL).ops_s;

	if (p->framework.name == PALEO_FRAMEWORK_NONE)
		return (struct framework_time){NAN, NAN, NAN};
	if (!factor)
		return (struct framework_time){host_s(p, n, 1) / ops_s, NAN, NAN};
	double over = host_s(p, n, factor->factor) / ops_s;
	return (struct framework_time){over, over * factor->low / factor->factor,
				       over * factor->high / factor->factor};
}

void framework_print(const struct plan *p, const struct plan_net *n, FILE *out)
{
	const struct plan_framework *f = &p->framework;
	const struct paleo_framework_factor *factor = factor_of(p, n);
	int training = p->training;

	if (f->name == PALEO_FRAMEWORK_NONE)
		return;
	struct part all = add_up(p, n, PALEO_PASSES_ALL);
	struct framework_time t = framework_time_of(p, n);
	double seconds = all.ops_s * t.factor;
	int waits = seconds > (factor ? factor->factor : 1) * all.ops_s;
	paleo_print(out, "  %s, %s: %d kernels, %.3f ms on the GPU; ",
		    paleo_framework_names[f->name], training ? "training" : "inference",
		    all.kernels, 1e3 * all.ops_s);
	paleo_print(out,
		    waits ? "bound by launch overhead: %.3f ms\n"
			  : "launch overhead (%.3f ms) fully overlapped\n",
		    1e3 * (waits ? seconds : all.kernels * f->dispatch_s));
	paleo_print(out, "  %-18s  predicted %10.3f ms", "as it runs", 1e3 * seconds);
	if (!factor) {
		fputs(", no framework factor\n", out);
		return;
	}
	const char *unit;
	double items = paleo_net_items(n->net, &unit);
	paleo_print(out,
		    "  %8.1f %s/s  90 %%: %.3f to %.3f ms: %.2f of the ops, fitted to %d nets "
		    "(%s)\n",
		    items / seconds, unit, 1e3 * all.ops_s * t.low, 1e3 * all.ops_s * t.high,
		    factor->factor, factor->nets, factor->source);
}
