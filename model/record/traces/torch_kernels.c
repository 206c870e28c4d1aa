/* torch_kernels.c - which op of PyTorch started each kernel of a trace. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "model/record/traces/torch.h"

/* By thread and start, an op before those within it. */
static int by_start(const void *a, const void *b)
{
	const struct paleo_torch_op *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid - y->tid;
	if (x->start_us != y->start_us)
		return x->start_us > y->start_us ? 1 : -1;
	if (x->end_us != y->end_us)
		return x->end_us < y->end_us ? 1 : -1;
	return (x->id > y->id) - (x->id < y->id);
}

void paleo_torch_sort(struct paleo_torch *t)
{
	if (t->op_count)
		qsort(t->ops, (size_t)t->op_count, sizeof(*t->ops), by_start);
}

/* Who started a kernel or launch, in the order of that number. */
struct link {
	uint64_t number;
	int index;
};

static int by_number(const void *a, const void *b)
{
	const struct link *x = a, *y = b;

	if (x->number != y->number)
		return x->number > y->number ? 1 : -1;
	return x->index - y->index;
}

static int find_link(const struct link *links, int count, uint64_t number)
{
	const struct link wanted = {.number = number};
	int low = 0, high = count;

	while (number && low < high) {
		int middle = low + (high - low) / 2;
		if (links[middle].number < wanted.number)
			low = middle + 1;
		else
			high = middle;
	}
	return number && low < count && links[low].number == number ? links[low].index : -1;
}

/* The innermost op that ran on a thread at a time; -1: none. */
static int op_at(const struct paleo_torch *t, const struct paleo_torch_launch *l)
{
	int low = 0, high = t->op_count;

	while (low < high) {
		int middle = low + (high - low) / 2;
		const struct paleo_torch_op *w = &t->ops[middle];
		if (w->tid < l->tid || (w->tid == l->tid && w->start_us <= l->at_us))
			low = middle + 1;
		else
			high = middle;
	}
	for (low--; low >= 0 && t->ops[low].tid == l->tid; low--)
		if (t->ops[low].end_us >= l->at_us)
			return low;
	return -1;
}

static struct link *link_ops(const struct paleo_torch *t)
{
	struct link *links = malloc(((size_t)t->op_count + 1) * sizeof(*links));

	for (int i = 0; links && i < t->op_count; i++)
		links[i] = (struct link){t->ops[i].id, i};
	if (links)
		qsort(links, (size_t)t->op_count, sizeof(*links), by_number);
	return links;
}

static struct link *link_launches(const struct paleo_torch *t)
{
	struct link *links = malloc(((size_t)t->launch_count + 1) * sizeof(*links));

	for (int i = 0; links && i < t->launch_count; i++)
		links[i] = (struct link){t->launches[i].correlation, i};
	if (links)
		qsort(links, (size_t)t->launch_count, sizeof(*links), by_number);
	return links;
}

int paleo_torch_give_kernels(const struct paleo_torch *t, struct paleo_trace *to,
			     struct paleo_torch_gpu **out, struct paleo_error *err)
{
	struct paleo_torch_gpu *gpu = calloc((size_t)t->op_count + 1, sizeof(*gpu));
	struct link *ops = link_ops(t), *launches = link_launches(t);
	int rc = ops && launches && gpu ? PALEO_OK
					: paleo_fail(err, PALEO_ENOMEM,
						     "out of memory for the kernels of a trace");

	for (int i = 0; !rc && i < t->kernel_count; i++) {
		const struct paleo_torch_kernel *k = &t->kernels[i];
		const char *name = t->names.texts[k->name];
		int op = find_link(ops, t->op_count, k->id);
		int launch = op < 0 ? find_link(launches, t->launch_count, k->correlation) : -1;
		if (launch >= 0)
			op = op_at(t, &t->launches[launch]);
		to->out->total_s += k->us / 1e6;
		if (op < 0) {
			rc = paleo_trace_add_unmatched(to, name, k->us / 1e6, 1, "no op started it",
						       err);
			continue;
		}
		gpu[op].us += (float)k->us;
		gpu[op].is_tf32 |= strstr(name, "tf32") != NULL;
		if (strstr(name, "wgrad"))
			gpu[op].filter_us += (float)k->us;
	}
	free(ops);
	free(launches);
	if (rc)
		free(gpu);
	else
		*out = gpu;
	return rc;
}
