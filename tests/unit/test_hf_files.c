/* test_hf_files.c - published models' files against a table of their weights and caches. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "import/import.h"
#include "tests/unit/given.h"

enum {
	LINE_BYTES = 1 << 13,
	FILE_BYTES = 1 << 15,
	COLUMNS = 6
};

/* A line of tests/data/hf/models.tsv, which says what its columns are. */
struct row {
	char *model, *weights, *active, *cache, *config, *quantised;
};

static struct row split(char *line)
{
	char *columns[COLUMNS], *rest = line;

	line[strcspn(line, "\n")] = '\0';
	for (int i = 0; i < COLUMNS; i++)
		if (!(columns[i] = strtok_r(i ? NULL : line, "\t", &rest)))
			fail_msg("'%s' has %d columns", line, i);
	return (struct row){columns[0], columns[1], columns[2], columns[3], columns[4], columns[5]};
}

/* Copies a string of JSON with its quotes; returns where it ends. */
static const char *copy_string(const char *from, char **to)
{
	do {
		if (*from == '\\')
			*(*to)++ = *from++;
		*(*to)++ = *from++;
	} while (*from != '"');
	*(*to)++ = *from++;
	return from;
}

/* Copies up to a ')' or the end, with each N*(X) written out; returns where that is. */
static const char *expand(const char *from, char **to)
{
	while (*from && *from != ')') {
		size_t digits = strspn(from, "0123456789");
		if (*from == '"') {
			from = copy_string(from, to);
		} else if (digits && !strncmp(from + digits, "*(", 2)) {
			const char *inner = from + digits + 2;
			for (int i = atoi(from); i > 0; i--) {
				from = expand(inner, to);
				if (i > 1)
					*(*to)++ = ',';
			}
			from++;
		} else {
			*(*to)++ = *from++;
		}
	}
	return from;
}

static void write_file(const char *path, const char *text)
{
	static char expanded[FILE_BYTES];
	char *to = expanded;
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	assert_int_equal(*expand(text, &to), '\0');
	assert_in_range(to - expanded, 1, FILE_BYTES);
	assert_int_equal(fwrite(expanded, 1, (size_t)(to - expanded), out), to - expanded);
	assert_int_equal(fclose(out), 0);
}

/* The net of a model, of files that are gone then. */
static struct paleo_net *import(const struct row *r)
{
	char folder[] = "/tmp/paleo-models-XXXXXX", config[256], quantised[256];
	struct paleo_net *net = NULL;
	struct paleo_error err = {0};

	assert_non_null(mkdtemp(folder));
	snprintf(config, sizeof(config), "%s/%.150s.json", folder, r->model);
	snprintf(quantised, sizeof(quantised), "%s/%.150s_hf_quant.json", folder, r->model);
	write_file(config, r->config);
	if (strcmp(r->quantised, "-") != 0)
		write_file(quantised, r->quantised);
	int rc = paleo_import_net(config, "weights=bf16,seq=16", 0, &net, &err);
	unlink(config);
	unlink(quantised);
	rmdir(folder);
	if (rc)
		fail_msg("%s", err.text);
	return net;
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

static void compare(const struct row *r)
{
	struct paleo_net *net = import(r);
	const double weights = paleo_net_weights(net), active = paleo_net_active(net),
		     cache = paleo_net_cached_bytes(net, PALEO_BF16, PALEO_CACHED_TOKEN);

	paleo_net_free(net);
	if (!strcmp(r->weights, "-")) {
		if (weights != counted_weights(r->model))
			fail_msg("%s: taken with %.0f weights, others count %.0f", r->model,
				 weights, counted_weights(r->model));
	} else if (weights != strtod(r->weights, NULL) || active != strtod(r->active, NULL) ||
		   cache != strtod(r->cache, NULL)) {
		fail_msg("%s: %.0f weights, %.0f active, %.0f bytes of cache", r->model, weights,
			 active, cache);
	}
}

static void counts_as_the_table_says(void **state)
{
	static char line[LINE_BYTES];
	FILE *in = fopen("tests/data/hf/models.tsv", "r");
	int compared = 0;

	(void)state;
	assert_non_null(in);
	while (fgets(line, sizeof(line), in)) {
		assert_non_null(strchr(line, '\n'));
		if (*line == '#' || !strncmp(line, "model\t", 6))
			continue;
		const struct row r = split(line);
		compare(&r);
		compared++;
	}
	fclose(in);
	/* 35 of the table, 17 that are counted */
	assert_int_equal(compared, 52);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(counts_as_the_table_says)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
