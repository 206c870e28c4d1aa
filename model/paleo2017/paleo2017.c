/* paleo2017.c - the cost model of the original Paleo (2017): nets, layers, bounds, summary. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/paleo2017/paleo2017.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/net/layers/common.h"
#include "model/net/layers/params.h"
#include "model/paleo2017/net.h"

static int out_of_memory(struct paleo_error *err)
{
	return paleo_fail(err, PALEO_ENOMEM, "memory ran out while reading a net as the original");
}

void paleo_2017_close(struct paleo_2017_net *net)
{
	if (!net)
		return;
	free(net->layers);
	free(net->prices);
	free(net->parents);
	free(net->dropped);
	free(net->nest);
	free(net);
}

/* Numbers the parents. The original ends where one was not met before its child. */
static int link_parents(struct paleo_2017_net *net, struct paleo_error *err)
{
	size_t edges = 0;
	int *numbers = malloc((size_t)net->source->count * sizeof(*numbers));

	for (int i = 0; i < net->count; i++)
		edges += (size_t)net->layers[i].layer->parent_count;
	net->parents = malloc((edges + 1) * sizeof(*net->parents));
	if (!numbers || !net->parents) {
		free(numbers);
		return out_of_memory(err);
	}
	for (int i = 0; i < net->source->count; i++)
		numbers[i] = -1;
	int *at = net->parents, rc = PALEO_OK;
	for (int i = 0; !rc && i < net->count; i++) {
		struct paleo_2017_layer *l = &net->layers[i];
		l->parents = at;
		l->parent_count = l->layer->parent_count;
		for (int p = 0; !rc && p < l->parent_count; p++, at++) {
			*at = numbers[l->layer->parents[p]->index];
			if (*at < 0)
				rc = paleo_fail(err, PALEO_EUNSUPPORTED,
						"the original visits layer '%s' before its parent "
						"'%s' and ends",
						l->layer->name, l->layer->parents[p]->name);
		}
		numbers[l->layer->index] = i;
	}
	free(numbers);
	return rc;
}

int paleo_2017_open(const struct paleo_net *net, struct paleo_2017_net **out,
		    struct paleo_error *err)
{
	struct paleo_2017_net *n = calloc(1, sizeof(*n));

	if (!n)
		return out_of_memory(err);
	n->source = net;
	int rc = paleo_2017_walk(n, err);
	if (!rc)
		rc = link_parents(n, err);
	if (!rc) {
		n->prices = calloc((size_t)n->count, sizeof(*n->prices));
		rc = n->prices ? PALEO_OK : out_of_memory(err);
	}
	for (int i = 0; !rc && i < n->count; i++) {
		rc = paleo_2017_shape(n, i, err);
		if (!rc)
			paleo_2017_count(n, i);
	}
	if (rc) {
		paleo_2017_close(n);
		return rc;
	}
	*out = n;
	return PALEO_OK;
}

const struct paleo_2017_layer *paleo_2017_layers(const struct paleo_2017_net *net, int *count)
{
	*count = net->count;
	return net->layers;
}

const struct paleo_layer *const *paleo_2017_dropped(const struct paleo_2017_net *net, int *count)
{
	*count = net->dropped_count;
	return net->dropped;
}

const struct paleo_2017_nest *paleo_2017_nested(const struct paleo_2017_net *net, int *count)
{
	*count = net->nest_count;
	return net->nest;
}

int paleo_2017_bounds(const struct paleo_2017_net *net, const double *ms, double *lower,
		      double *upper, struct paleo_error *err)
{
	double low = 0, high = 0, longest = 0, sum = 0, branch = 0;
	int depth = 0;

	for (int i = 0; i < net->nest_count; i++) {
		const struct paleo_2017_nest *n = &net->nest[i];
		switch (n->mark) {
		case PALEO_2017_LAYER:
			if (depth) {
				branch += ms[n->layer];
			} else {
				low += ms[n->layer];
				high += ms[n->layer];
			}
			break;
		case PALEO_2017_FORK:
			if (depth++)
				return paleo_fail(err, PALEO_EUNSUPPORTED,
						  "a fork is nested in a branch of another one, "
						  "where the original ends in model parallelism");
			longest = sum = 0;
			break;
		case PALEO_2017_BRANCH:
			branch = 0;
			break;
		case PALEO_2017_BRANCH_END:
			longest = fmax(longest, branch);
			sum += branch;
			break;
		case PALEO_2017_FORK_END:
			depth--;
			low += longest;
			high += sum;
			break;
		}
	}
	*lower = low;
	*upper = high;
	return PALEO_OK;
}

/* Text of the original's summary. */

/* A text that is written piece by piece, and cut when the buffer is full. */
struct text {
	char *buf;
	size_t size, used;
};

static void put(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct text *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int n = vsnprintf(t->buf + t->used, t->size - t->used, format, args);
	va_end(args);
	if (n > 0)
		t->used += (size_t)n < t->size - t->used ? (size_t)n : t->size - t->used - 1;
}

static void put_list(struct text *t, const int *items, int count)
{
	for (int i = 0; i < count; i++)
		put(t, "%s%d", i ? ", " : "[", items[i]);
	put(t, "]");
}

/* 1234567 as "1,234,567". */
static void put_thousands(struct text *t, double number)
{
	char digits[32];
	int n = snprintf(digits, sizeof(digits), "%.0f", number);

	for (int i = 0; i < n; i++)
		put(t, "%s%c", i && (n - i) % 3 == 0 ? "," : "", digits[i]);
}

static void put_padding(struct text *t, const struct paleo_window *w)
{
	switch (w->padding) {
	case PALEO_PADDING_VALID:
		put(t, "VALID");
		break;
	case PALEO_PADDING_SAME:
		put(t, "SAME");
		break;
	case PALEO_PADDING_LIST:
		put_list(t, w->before, 2);
		break;
	}
}

static void put_convolution(struct text *t, const struct paleo_2017_layer *l)
{
	const struct paleo_convolution_param *p = l->layer->param;

	put(t, "Filters: ");
	put_list(t, l->filter, 4);
	put(t, "  Pad: ");
	put_padding(t, &p->window);
	put(t, " (%d, %d) Stride: %d, %d Params: ", l->pad[0], l->pad[1], p->window.stride[0],
	    p->window.stride[1]);
	put_thousands(t, l->params);
}

static void put_deconvolution(struct text *t, const struct paleo_2017_layer *l)
{
	put(t, "Filters: ");
	put_list(t, l->filter, 4);
	put(t, "  Params: ");
	put_thousands(t, l->params);
}

static void put_pool(struct text *t, const struct paleo_2017_layer *l)
{
	const struct paleo_pool_param *p = l->layer->param;

	put(t, "Kernel: ");
	put_list(t, p->window.size, 2);
	put(t, "  Stride: ");
	put_list(t, p->window.stride, 2);
}

static void put_details(struct text *t, const struct paleo_2017_layer *l)
{
	const struct paleo_layer_kind *kind = l->layer->kind;

	if (kind == &paleo_kind_convolution) {
		put_convolution(t, l);
	} else if (kind == &paleo_kind_deconvolution) {
		put_deconvolution(t, l);
	} else if (kind == &paleo_kind_pooling || kind == &paleo_kind_avg_pool) {
		put_pool(t, l);
	} else if (kind == &paleo_kind_dropout) {
		const struct paleo_dropout_param *p = l->layer->param;
		put(t, "Keep prob: %f", p->keep);
	} else if (kind == &paleo_kind_softmax) {
		put(t, "Classes: %d", l->out.dims[1]);
	} else if (kind == &paleo_kind_inner_product) {
		put(t, "Outputs: %d Params: ", l->out.dims[1]);
		put_thousands(t, l->params);
	} else if (!strncmp(l->type, "generic_", strlen("generic_"))) {
		put(t, "Generic layer: %s", l->type);
	}
}

void paleo_2017_describe(const struct paleo_2017_layer *l, char *buf, size_t size)
{
	struct text t = {.buf = buf, .size = size};

	buf[0] = '\0';
	put_details(&t, l);
}
