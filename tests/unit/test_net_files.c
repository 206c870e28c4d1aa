/* test_net_files.c - whole files: broken nets are refused with their place, good ones come out. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/net/net.h"
#include "tests/unit/bad.h"
#include "tests/unit/unit.h"

enum {
	FIELDS_MAX = 8
};

/* Splits a line at its tabs, in place; returns how many fields there were. Others are empty. */
static int split(char *line, char *fields[FIELDS_MAX])
{
	static char none[] = "";
	int n = 0;

	for (int i = 0; i < FIELDS_MAX; i++)
		fields[i] = none;
	line[strcspn(line, "\n")] = '\0';
	for (char *rest = line; rest && n < FIELDS_MAX; n++) {
		fields[n] = rest;
		rest = strchr(rest, '\t');
		if (rest)
			*rest++ = '\0';
	}
	return n;
}

static FILE *open_list(const char *path)
{
	FILE *list = fopen(path, "r");

	if (!list)
		fail_msg("cannot read '%s'; run the test in the project's root", path);
	return list;
}

static int load_bad(const char *file, struct paleo_error *err)
{
	struct paleo_net *net = NULL;
	int rc = paleo_net_load(file, 0, &net, err);

	if (net)
		rc = PALEO_OK;
	paleo_net_free(net);
	return rc;
}

/* 1 if the sentence begins with the expected place "file:line:" and holds the word behind that. */
static int says(const char *sentence, const char *expected)
{
	const char *word = strstr(expected, ": ");
	size_t place = (size_t)(word + 1 - expected);

	return !strncmp(sentence, expected, place) && strstr(sentence + place, word + 2);
}

static void every_broken_net_is_refused_at_its_fault(void **state)
{
	(void)state;
	assert_true(every_bad_file_is_refused("nets", load_bad, says) > 100);
}

static const struct paleo_layer *find(const struct paleo_net *net, const char *name)
{
	for (int i = 0; i < net->count; i++)
		if (!strcmp(net->layers[i]->name, name))
			return net->layers[i];
	return NULL;
}

/* The layer "*" is the whole net, its "shape" the number of layers. */
static int check_good(const char *path, char *const field[])
{
	struct paleo_net *net = NULL;
	struct paleo_error err = {0};
	char shape[48] = "";
	double weights = -1;

	if (paleo_net_load(path, 0, &net, &err)) {
		print_error("%s\n", err.text);
		return 1;
	}
	const struct paleo_layer *l = find(net, field[1]);
	if (l) {
		paleo_shape_text(&l->out, shape, sizeof(shape));
		weights = paleo_layer_weights(l);
	} else if (!strcmp(field[1], "*")) {
		snprintf(shape, sizeof(shape), "%d", net->count);
		weights = paleo_net_weights(net);
	}
	paleo_net_free(net);
	if (!strcmp(shape, field[2]) && weights == strtod(field[3], NULL))
		return 0;
	print_error("%s, '%s': expected %s and %s weights, got '%s' and %.0f\n", path, field[1],
		    field[2], field[3], shape, weights);
	return 1;
}

/* Checks what expected.txt says of the nets in its folder; returns how many rows it has. */
static int check_folder(const char *folder)
{
	char line[512], path[300];
	char *field[FIELDS_MAX];
	int wrong = 0, rows = 0;

	snprintf(path, sizeof(path), "%s/expected.txt", folder);
	FILE *list = open_list(path);
	while (fgets(line, sizeof(line), list)) {
		if (line[0] == '#')
			continue;
		assert_in_range(split(line, field), 4, 5);
		snprintf(path, sizeof(path), "%s/%s", folder, field[0]);
		wrong += check_good(path, field);
		rows++;
	}
	fclose(list);
	assert_int_equal(wrong, 0);
	return rows;
}

static void every_good_net_has_its_shapes_and_weights(void **state)
{
	(void)state;
	assert_true(check_folder("tests/nets_extra") > 60);
}

/* The nets that Caffe's become: test_caffe.c checks that they do. */
static void every_net_of_caffe_has_its_shapes_and_weights(void **state)
{
	(void)state;
	assert_true(check_folder("tests/data/caffe") > 40);
}

/*
 * Where the original is wrong, what is right instead: Caffe's pooling rounds up, so
 * ResNet's pool1 turns 112 into 56 and not 55, and so do the layers behind it; and
 * DenseNet's last pooling is global, where the original took the window of the layer
 * before.
 */
static void correct(const char *net, const char *layer, char *shape, size_t size)
{
	char *at = strstr(shape, "x55x55x");

	if (!strcmp(net, "resnet50") && at)
		at[2] = at[5] = '6';
	if (!strcmp(net, "densenet") && !strcmp(layer, "Pooling3"))
		snprintf(shape, size, "1x1x1x448");
}

/* 1 if the layer is not there or has another shape. */
static int check_original(const struct paleo_net *net, const char *name, const char *original)
{
	const struct paleo_layer *l = find(net, name);
	char expected[48], shape[48] = "no layer";

	snprintf(expected, sizeof(expected), "%s", original);
	correct(net->name, name, expected, sizeof(expected));
	if (l)
		paleo_shape_text(&l->out, shape, sizeof(shape));
	if (!strcmp(shape, expected))
		return 0;
	print_error("%s, '%s': expected %s, got %s\n", net->name, name, expected, shape);
	return 1;
}

static void every_shape_is_that_of_the_original(void **state)
{
	FILE *list = open_list("tests/data/original_shapes.tsv");
	struct paleo_net *net = NULL;
	struct paleo_error err = {0};
	char line[512], path[300];
	char *field[FIELDS_MAX];
	int wrong = 0, rows = 0;

	(void)state;
	while (fgets(line, sizeof(line), list)) {
		if (line[0] == '#')
			continue;
		assert_int_equal(split(line, field), 3);
		if (!net || strcmp(net->name, field[0]) != 0) {
			paleo_net_free(net);
			net = NULL;
			snprintf(path, sizeof(path), "nets/%s.json", field[0]);
			assert_int_equal(paleo_net_load(path, 0, &net, &err), PALEO_OK);
		}
		wrong += check_original(net, field[1], field[2]);
		rows++;
	}
	paleo_net_free(net);
	fclose(list);
	assert_int_equal(wrong, 0);
	assert_int_equal(rows, 554); /* layers of the eleven nets */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_broken_net_is_refused_at_its_fault),
		cmocka_unit_test(every_good_net_has_its_shapes_and_weights),
		cmocka_unit_test(every_net_of_caffe_has_its_shapes_and_weights),
		cmocka_unit_test(every_shape_is_that_of_the_original),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
