/* test_convolutions.c - sizes, paddings and gradients of convolutions are the original's. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/net/layers/window.h"
#include "model/paleo2017/net.h"
#include "tests/cost_model/csv.h"
#include "tests/cost_model/nets.h"
#include "tests/unit/unit.h"

static int is(const struct csv *c, const char *column, double value)
{
	if (csv_number(c, column) == value)
		return 1;
	print_error("%s, %s: %s is %.17g\n", c->fields[0], c->fields[1], column, value);
	return 0;
}

static int check_geometry(const struct csv *c)
{
	int size = (int)csv_number(c, "size"), kernel = (int)csv_number(c, "kernel");
	int stride = (int)csv_number(c, "stride"), valid = !strcmp(csv_text(c, "padding"), "VALID");
	struct paleo_window w = {
		.size = {kernel, kernel},
		.stride = {stride, stride},
		.dilation = {1, 1},
		.padding = valid ? PALEO_PADDING_VALID : PALEO_PADDING_SAME,
	};
	const int in[4] = {1, size, size, 1};
	struct paleo_2017_conv fwd = paleo_2017_conv_of(&w, in, 1), data, filter;

	paleo_2017_gradients(&fwd, w.stride, valid, &data, &filter);
	return is(c, "out", fwd.oh) && is(c, "pad", fwd.pad_h) && is(c, "grad_in_size", data.h) &&
	       is(c, "grad_in_pad", data.pad_h) && is(c, "grad_in_out", data.oh) &&
	       is(c, "grad_in_ok", data.fits) && is(c, "grad_filter_size", filter.kh) &&
	       is(c, "grad_filter_pad", filter.pad_h) && is(c, "grad_filter_out", filter.oh) &&
	       is(c, "grad_filter_ok", filter.fits) && is(c, "percent_holes", data.holes_input) &&
	       is(c, "percent_holes", filter.holes_filter);
}

static void windows_have_the_originals_geometry(void **state)
{
	static struct csv c;
	int rows = 0, wrong = 0;

	(void)state;
	csv_open(&c, "conv_geometry");
	for (; csv_next(&c); rows++)
		wrong += !check_geometry(&c);
	csv_close(&c);
	assert_int_equal(wrong, 0);
	assert_int_equal(rows, 2136);
}

static int has_shape(const struct csv *c, const char *column, double a, double b, double d,
		     double e)
{
	char text[100];

	snprintf(text, sizeof(text), "%.0fx%.0fx%.0fx%.0f", a, b, d, e);
	if (!strcmp(text, csv_text(c, column)))
		return 1;
	print_error("%s, %s: %s is %s\n", csv_text(c, "net"), csv_text(c, "layer"), column, text);
	return 0;
}

static int check_gradient(const struct csv *c, const struct paleo_2017_net *net)
{
	const struct paleo_2017_price *p = &net->prices[nets_layer(net, csv_text(c, "layer"))];
	int data = !strcmp(csv_text(c, "wrt"), "inputs");
	const struct paleo_2017_conv *g = data ? &p->bwd_data : &p->bwd_filter;

	return has_shape(c, "inputs", g->n, g->h, g->w, g->cin) &&
	       has_shape(c, "filters", g->kh, g->kw, g->cin, g->cout) &&
	       has_shape(c, "outputs", g->n, g->oh, g->ow, g->cout) && is(c, "pad_h", g->pad_h) &&
	       is(c, "pad_w", g->pad_w) && is(c, "shape_ok", g->fits) &&
	       is(c, "percent_holes", data ? g->holes_input : g->holes_filter) &&
	       !strcmp(csv_text(c, "hole_position"), data ? "inputs" : "filters");
}

static void gradients_are_the_originals_convolutions(void **state)
{
	static struct csv c;
	int rows = 0, wrong = 0;

	(void)state;
	csv_open(&c, "conv_gradients");
	for (; csv_next(&c); rows++)
		wrong += !check_gradient(&c, nets_open(csv_text(&c, "net")));
	csv_close(&c);
	assert_int_equal(wrong, 0);
	assert_int_equal(rows, 568);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows_have_the_originals_geometry),
		cmocka_unit_test(gradients_are_the_originals_convolutions),
	};

	return cmocka_run_group_tests(tests, NULL, nets_close);
}
