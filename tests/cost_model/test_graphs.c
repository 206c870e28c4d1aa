/* test_graphs.c - order, nesting and summaries of nets are the original's. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cost_model/csv.h"
#include "tests/cost_model/nets.h"
#include "tests/unit/unit.h"

enum {
	TEXT = 16384
};

static void append(char *text, const char *more)
{
	assert_true(strlen(text) + strlen(more) < TEXT);
	strcat(text, more);
}

/* The topological order, names between spaces. */
static void write_order(const struct paleo_2017_net *net, char *text)
{
	int count;
	const struct paleo_2017_layer *layers = paleo_2017_layers(net, &count);

	text[0] = '\0';
	for (int i = 0; i < count; i++) {
		append(text, i ? " " : "");
		append(text, layers[i].layer->name);
	}
}

/* The nested list as Python prints it: a tuple of one has a comma behind it. */
static void write_nested(const struct paleo_2017_net *net, char *text)
{
	int count, layers, depth = 0, first = 1;
	int branches[8] = {0}; /* of the forks that are open */
	const struct paleo_2017_layer *layer = paleo_2017_layers(net, &layers);
	const struct paleo_2017_nest *nest = paleo_2017_nested(net, &count);

	strcpy(text, "[");
	for (int i = 0; i < count; i++) {
		int end = nest[i].mark == PALEO_2017_BRANCH_END ||
			  nest[i].mark == PALEO_2017_FORK_END;
		append(text, first || end ? "" : ", ");
		first = nest[i].mark == PALEO_2017_FORK || nest[i].mark == PALEO_2017_BRANCH;
		switch (nest[i].mark) {
		case PALEO_2017_LAYER:
			append(text, layer[nest[i].layer].layer->name);
			break;
		case PALEO_2017_FORK:
			assert_true(++depth < 8);
			branches[depth] = 0;
			append(text, "(");
			break;
		case PALEO_2017_BRANCH:
			branches[depth]++;
			append(text, "[");
			break;
		case PALEO_2017_BRANCH_END:
			append(text, "]");
			break;
		case PALEO_2017_FORK_END:
			append(text, branches[depth--] == 1 ? ",)" : ")");
			break;
		}
	}
	append(text, "]");
}

static void graphs_are_walked_as_by_the_original(void **state)
{
	static struct csv c;
	static char text[TEXT];
	int rows = 0, count;

	(void)state;
	csv_open(&c, "graph");
	for (; csv_next(&c); rows++) {
		const struct paleo_2017_net *net = nets_open(csv_text(&c, "net"));
		int edges = 0;
		const struct paleo_2017_layer *layers = paleo_2017_layers(net, &count);
		assert_int_equal(count, (int)csv_number(&c, "num_layers_topo"));
		for (int i = 0; i < count; i++)
			edges += layers[i].parent_count;
		assert_int_equal(edges, (int)csv_number(&c, "num_edges"));
		write_order(net, text);
		assert_string_equal(text, csv_text(&c, "topological_order"));
		write_nested(net, text);
		assert_string_equal(text, csv_text(&c, "nested_list"));
		paleo_2017_dropped(net, &count);
		assert_int_equal(count, 0);
	}
	csv_close(&c);
	assert_int_equal(rows, 11);
}

static void write_shape(const struct paleo_2017_shape *s, char *text)
{
	char number[16];

	for (int i = 0; i < s->rank; i++) {
		snprintf(number, sizeof(number), "%s%d", i ? "x" : "", s->dims[i]);
		append(text, number);
	}
}

/* The shapes of the inputs: of an InnerProduct's flattened one, or of all parents. */
static void write_inputs(const struct paleo_2017_net *net, int i, char *text)
{
	int count;
	const struct paleo_2017_layer *layers = paleo_2017_layers(net, &count);
	const struct paleo_2017_layer *l = &layers[i];

	text[0] = '\0';
	if (l->parent_count < 2) {
		write_shape(&l->in, text);
		return;
	}
	for (int p = 0; p < l->parent_count; p++) {
		append(text, p ? ";" : "");
		write_shape(&layers[l->parents[p]].out, text);
	}
}

static void write_parents(const struct paleo_layer *l, char *text)
{
	text[0] = '\0';
	for (int p = 0; p < l->parent_count; p++) {
		append(text, p ? ";" : "");
		append(text, l->parents[p]->name);
	}
}

static void check_summary(const struct csv *c, const struct paleo_2017_net *net)
{
	static char text[TEXT];
	int count, i = (int)csv_number(c, "topo_index");
	const struct paleo_2017_layer *layers = paleo_2017_layers(net, &count);

	assert_true(i < count);
	const struct paleo_2017_layer *l = &layers[i];
	assert_string_equal(l->layer->name, csv_text(c, "layer"));
	assert_string_equal(l->type, csv_text(c, "layertype"));
	assert_string_equal(l->layer->kind->type, csv_text(c, "spec_type"));
	assert_int_equal(l->device, (int)csv_number(c, "device_id"));
	assert_true(l->params == csv_number(c, "num_params"));
	assert_true(l->weights_bytes == csv_number(c, "weights_in_bytes"));
	assert_true(l->activations == csv_number(c, "num_activations"));
	write_parents(l->layer, text);
	assert_string_equal(text, csv_text(c, "parents"));
	write_inputs(net, i, text);
	assert_string_equal(text, csv_text(c, "input_shapes"));
	text[0] = '\0';
	write_shape(&l->out, text);
	assert_string_equal(text, csv_text(c, "output_shape"));
	if (!strcmp(l->type, "conv2d")) {
		assert_int_equal(l->pad[0], (int)csv_number(c, "pad_h"));
		assert_int_equal(l->pad[1], (int)csv_number(c, "pad_w"));
		assert_int_equal(l->backprop, (int)csv_number(c, "backprop"));
	}
	/* "conv1|[128, 54, 54, 64]  Filters: ..." */
	const char *words = strstr(csv_text(c, "summary_line"), "]  ");
	assert_non_null(words);
	paleo_2017_describe(l, text, sizeof(text));
	assert_string_equal(text, words + strlen("]  "));
}

static void summaries_are_the_originals(void **state)
{
	static struct csv c;
	int rows = 0;

	(void)state;
	csv_open(&c, "summary");
	for (; csv_next(&c); rows++)
		check_summary(&c, nets_open(csv_text(&c, "net")));
	csv_close(&c);
	assert_int_equal(rows, 554);
}

static void totals_are_the_originals(void **state)
{
	static struct csv c;
	int rows = 0, count;

	(void)state;
	csv_open(&c, "summary_totals");
	for (; csv_next(&c); rows++) {
		const struct paleo_2017_net *net = nets_open(csv_text(&c, "net"));
		double params = 0, bytes = 0, activations = 0;
		const struct paleo_2017_layer *layers = paleo_2017_layers(net, &count);
		for (int i = 0; i < count; i++) {
			params += layers[i].params;
			bytes += layers[i].weights_bytes;
			activations += layers[i].activations;
		}
		assert_true(params == csv_number(&c, "num_params"));
		assert_true(bytes == csv_number(&c, "weights_in_bytes"));
		assert_true(4 * activations == csv_number(&c, "activation_bytes"));
	}
	csv_close(&c);
	assert_int_equal(rows, 11);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(graphs_are_walked_as_by_the_original),
		cmocka_unit_test(summaries_are_the_originals),
		cmocka_unit_test(totals_are_the_originals),
	};

	return cmocka_run_group_tests(tests, NULL, nets_close);
}
