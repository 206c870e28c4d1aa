/* text.c - the words of the original's summary. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "model/net/layers/kinds.h"
#include "model/net/layers/params.h"
#include "model/net/layers/pool.h"
#include "model/paleo2017/net.h"

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
