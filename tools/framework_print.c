/* framework_print.c - what a net takes as a framework runs it: works, host, factor. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/framework_print.h"

#include "base/text.h"
#include "model/predict/framework.h"

/* What the rows of some passes come to. */
struct part {
	double works_s;
	int kernels;
};

static struct part add_up(const struct plan *p, const struct plan_net *n, unsigned passes)
{
	struct part sum = {0};

	for (int i = 0; i < n->rows.count; i++) {
		const struct plan_work *w = &p->works[n->work_of[i]];
		if (!(passes & 1u << n->rows.items[i].pass))
			continue;
		sum.works_s += w->prediction.parts.total_s;
		sum.kernels++;
	}
	return sum;
}

/* Forward and backward wait for the host each by itself; an update is a few kernels. */
static double host_s(const struct plan *p, const struct plan_net *n, double dispatch_s)
{
	struct part forward = add_up(p, n, PALEO_PASSES_FWD);
	struct part backward = add_up(p, n, PALEO_PASSES_BWD);

	return paleo_framework_pass_s(forward.works_s, forward.kernels, dispatch_s) +
	       paleo_framework_pass_s(backward.works_s, backward.kernels, dispatch_s) +
	       add_up(p, n, 1u << PALEO_PASS_UPDATE).works_s;
}

void framework_print(const struct plan *p, const struct plan_net *n, FILE *out)
{
	const struct plan_framework *f = &p->framework;
	int training = p->training;

	if (f->name == PALEO_FRAMEWORK_NONE)
		return;
	struct part all = add_up(p, n, PALEO_PASSES_ALL);
	double seconds = host_s(p, n, f->dispatch_s);
	const struct paleo_framework_factor *factor =
		f->no_factor ? NULL : paleo_framework_factor_find(f->name, training, p->layout);
	paleo_print(out, "  %s, %s: %d kernels, works %.3f ms, ", paleo_framework_names[f->name],
		    training ? "training" : "inference", all.kernels, 1e3 * all.works_s);
	paleo_print(out,
		    seconds > all.works_s ? "the host's dispatch makes it %.3f ms\n"
					  : "the host is hidden (%.3f ms)\n",
		    1e3 * (seconds > all.works_s ? seconds : all.kernels * f->dispatch_s));
	if (!factor) {
		paleo_print(out, "  %-18s  predicted %10.3f ms without a framework's factor\n",
			    "as it runs", 1e3 * seconds);
		return;
	}
	paleo_print(out,
		    "  %-18s  predicted %10.3f ms  %8.1f images/s  90 %%: %.3f to %.3f ms: "
		    "%.2f of the works, fitted to %d nets (%s)\n",
		    "as it runs", 1e3 * seconds * factor->factor,
		    n->net->batch / (seconds * factor->factor), 1e3 * seconds * factor->low,
		    1e3 * seconds * factor->high, factor->factor, factor->nets, factor->source);
}
