/* test_hf_files.c - published models' files against a table of their weights and caches. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/import/import.h"
#include "tests/unit/given.h"

/* The files lie beside the project, on machines that have them. */
#define FOLDER "../shared/data/hf_configs"

enum {
	SKIP = 77,
	LINE_BYTES = 1024,
	COLUMNS = 8 /* model, family, total, active, embedding, mtp, two of caches */
};

/* Splits the first columns of a line, in place. */
static void split(char *line, const char *columns[COLUMNS])
{
	for (int i = 0; i < COLUMNS; i++) {
		columns[i] = line;
		line += strcspn(line, ",");
		if (*line)
			*line++ = '\0';
	}
}

/* Models of which the table has no weights: what the classes of transformers 5.24 count, with the
 * numbers by which routers choose. */
static const struct {
	const char *model;
	double weights;
} counted[] = {
	{"Qwen--Qwen3.5-27B", 26895998464},
	{"Qwen--Qwen3.5-35B-A3B", 34660610688},
	{"Qwen--Qwen3.5-397B-A17B", 396346350336},
	{"nvidia--Qwen3.5-397B-A17B-NVFP4", 396346350336},
	{"nvidia--NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", 31577937344},
	{"nvidia--NVIDIA-Nemotron-3-Nano-30B-A3B-NVFP4", 31577937344},
	{"nvidia--NVIDIA-Nemotron-3-Super-120B-A12B-FP8", 120668687360},
	{"nvidia--NVIDIA-Nemotron-3-Super-120B-A12B-NVFP4", 120668687360},
	{"XiaomiMiMo--MiMo-V2-Flash", 308778768832 + 12032},
	{"stepfun-ai--Step-3.7-Flash", 195844496640 + 12096},
	{"MiniMaxAI--MiniMax-M3", 426174565632 + 7296},
	{"google--gemma-4-26B-A4B", 25233141760},
	{"nvidia--Gemma-4-26B-A4B-NVFP4", 25233141760},
	{"deepseek-ai--DeepSeek-V4-Flash", 284332230231.0 + 40 * 256},
	{"nvidia--DeepSeek-V4-Flash-NVFP4", 284332230231.0 + 40 * 256},
	{"sgl-project--DeepSeek-V4-Flash-FP8", 284332230231.0 + 40 * 256},
	{"nvidia--Llama-3_3-Nemotron-Super-49B-v1", 49867145216}, /* published */
};

static double counted_weights(const char *model)
{
	for (size_t i = 0; i < sizeof(counted) / sizeof(counted[0]); i++)
		if (!strcmp(counted[i].model, model))
			return counted[i].weights;
	return 0;
}

/* 1 if the model was compared: it is of a family that is known. */
static int compare(const char *const columns[COLUMNS])
{
	char path[LINE_BYTES];
	struct paleo_net *net = NULL;
	struct paleo_error err = {0};

	snprintf(path, sizeof(path), FOLDER "/%.200s.json", columns[0]);
	if (paleo_import_net(path, "weights=bf16,seq=16", 0, &net, &err)) {
		assert_non_null(strstr(err.text, path));
		assert_true(strstr(err.text, "' is not known") || !*columns[2]);
		return 0;
	}
	if (!*columns[2]) {
		if (paleo_net_weights(net) != counted_weights(columns[0]))
			fail_msg("%s: taken with %.0f weights, others count %.0f", columns[0],
				 paleo_net_weights(net), counted_weights(columns[0]));
		paleo_net_free(net);
		return 1;
	}
	if (paleo_net_weights(net) != strtod(columns[2], NULL) ||
	    paleo_net_active(net) != strtod(columns[3], NULL) ||
	    paleo_net_cached_bytes(net, PALEO_BF16, 0) != strtod(columns[6], NULL))
		fail_msg("%s: %.0f weights, %.0f active, %.0f bytes of cache", columns[0],
			 paleo_net_weights(net), paleo_net_active(net),
			 paleo_net_cached_bytes(net, PALEO_BF16, 0));
	paleo_net_free(net);
	return 1;
}

static void counts_as_the_table_says(void **state)
{
	FILE *in = fopen(FOLDER "/weights.csv", "r");
	char line[LINE_BYTES];
	const char *columns[COLUMNS];
	int compared = 0, first = 1;

	(void)state;
	assert_non_null(in);
	while (fgets(line, sizeof(line), in)) {
		split(line, columns);
		compared += !first && compare(columns);
		first = 0;
	}
	fclose(in);
	/* 35 of the table, 17 that are counted */
	assert_int_equal(compared, 52);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(counts_as_the_table_says)};

	if (access(FOLDER "/weights.csv", R_OK))
		return SKIP;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
