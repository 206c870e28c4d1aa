/* test_hf_varied.c - varied configurations against a table that another program counts. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/hf/hf.h"
#include "tests/unit/given.h"

enum {
	LINE_BYTES = 1 << 13,
	CONFIGURATIONS = 50
};

/* Columns of tests/data/hf/varied.tsv, whose head says what they are. */
enum column {
	MODEL,
	WORDS,
	WEIGHTS,
	ACTIVE,
	BYTES,
	CACHE,
	NEXT,
	FLOPS,
	CONFIG,
	COLUMNS
};

static struct paleo_net *net_of(char *const *columns)
{
	const char *text = columns[CONFIG];
	struct paleo_hf_options o = {0};
	struct paleo_json_doc *doc = NULL;
	struct paleo_net *net = NULL;
	struct paleo_error err = {0};
	char *out = NULL;

	if (paleo_hf_options_read(columns[WORDS], &o, &err) ||
	    paleo_json_parse_python(columns[MODEL], text, strlen(text), &doc, &err) ||
	    paleo_hf_convert(paleo_json_root(doc), NULL, columns[MODEL], &o, &out, &err) ||
	    paleo_net_parse(columns[MODEL], out, strlen(out), 0, &net, &err))
		fail_msg("%s: %s", columns[MODEL], err.text);
	free(out);
	paleo_json_free(doc);
	return net;
}

/* FLOPs of products alone, forward. */
static double products_of(const struct paleo_net *net, enum paleo_dtype dtype)
{
	struct paleo_op_list list = {0};
	struct paleo_error err = {0};
	double flops = 0;

	assert_int_equal(paleo_net_ops(net, dtype, PALEO_PASSES_FWD, &list, &err), PALEO_OK);
	for (int i = 0; i < list.count; i++)
		if (list.items[i].op.kind == PALEO_GEMM)
			flops += list.items[i].op.flops;
	paleo_op_list_release(&list);
	return flops;
}

/* How many columns are wrong. Blocks that a matrix does not fill have a scale as others do: bytes
 * differ by less than 1e-6. */
static int compare(char *const *columns)
{
	struct paleo_net *net = net_of(columns);
	const enum paleo_dtype dtype = (enum paleo_dtype)(net->dtype - 1);
	const double counted[COLUMNS] = {
		[WEIGHTS] = paleo_net_weights(net),
		[ACTIVE] = paleo_net_active(net),
		[BYTES] = paleo_net_weight_bytes(net, dtype),
		[CACHE] = paleo_net_cached_bytes(net, PALEO_BF16, PALEO_CACHED_TOKEN),
		[NEXT] = paleo_net_cached_bytes(net, PALEO_BF16, PALEO_CACHED_NEXT),
		[FLOPS] = products_of(net, dtype),
	};
	int wrong = 0;

	paleo_net_free(net);
	for (int i = WEIGHTS; i <= FLOPS; i++) {
		const double right = strtod(columns[i], NULL);
		const double near = i == BYTES ? 1e-6 * right : 0;
		if (!strcmp(columns[i], "-") || fabs(counted[i] - right) <= near)
			continue;
		print_error("%s: column %d: %.1f instead of %s\n", columns[MODEL], i, counted[i],
			    columns[i]);
		wrong++;
	}
	return wrong;
}

static void counts_as_the_table_says(void **state)
{
	static char line[LINE_BYTES];
	FILE *in = fopen("tests/data/hf/varied.tsv", "r");
	int compared = 0, wrong = 0;

	(void)state;
	assert_non_null(in);
	while (fgets(line, sizeof(line), in)) {
		char *columns[COLUMNS] = {line}, *rest = line;
		assert_non_null(strchr(line, '\n'));
		if (*line == '#' || !strncmp(line, "model\t", 6))
			continue;
		for (int i = 0; i < COLUMNS; i++)
			assert_non_null(columns[i] = strtok_r(i ? NULL : line, "\t\n", &rest));
		wrong += compare(columns);
		compared++;
	}
	fclose(in);
	assert_int_equal(wrong, 0);
	assert_int_equal(compared, CONFIGURATIONS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(counts_as_the_table_says)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
