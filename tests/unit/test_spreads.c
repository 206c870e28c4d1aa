/* test_spreads.c - how much presets err on one another: the file of it, and when it counts. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "library/source.h"
#include "tests/unit/unit.h"

enum {
	ROWS = PALEO_KNOWN_GROUPS * PALEO_NEARNESSES
};

/* Writes a file of spreads, `cards` of row i are i, and `line` stands in the place of row `at`. */
static void write_file(const char *path, int at, const char *line)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs("ops,knowledge,gpus,sd_log,presets\n", f);
	for (int i = 0; i < ROWS; i++)
		if (i == at)
			fputs(line, f);
		else
			fprintf(f, "%s,%s,%d,%s,00000000000000ff\n",
				paleo_known_group_names[i / PALEO_NEARNESSES],
				paleo_nearness_names[i % PALEO_NEARNESSES], i, i % 2 ? "0.25" : "");
	assert_int_equal(fclose(f), 0);
}

static void reads_what_is_written(void **state)
{
	char path[] = "/tmp/paleo-spreads-XXXXXX";
	struct paleo_known_spreads s;
	struct paleo_error err;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	write_file(path, -1, "");
	assert_int_equal(paleo_known_spreads_load(path, &s, &err), PALEO_OK);
	assert_int_equal(s.presets, 255);
	for (int i = 0; i < ROWS; i++) {
		const struct paleo_known_spread *g = &s.of[i / PALEO_NEARNESSES];
		assert_int_equal(g->cards[i % PALEO_NEARNESSES], i);
		if (i % 2)
			assert_true(g->sd[i % PALEO_NEARNESSES] == 0.25);
		else
			assert_true(isnan(g->sd[i % PALEO_NEARNESSES]));
	}
	remove(path);
}

static void refuses_what_is_damaged(void **state)
{
	static const char *const lines[] = {
		"",
		"products,family,3,0.25\n",
		"products,chip,3,0.25,00000000000000ff\n",
		"moves,family,3,0.25,00000000000000ff\n",
		"products,family,-3,0.25,00000000000000ff\n",
		"products,family,3x,0.25,00000000000000ff\n",
		"products,family,3,nan,00000000000000ff\n",
		"products,family,3,-0.25,00000000000000ff\n",
		"products,family,3,0.25,00000000000000fe\n",
		"products,family,3,0.25,00000000000000ff,\n",
	};
	char path[] = "/tmp/paleo-spreads-XXXXXX", place[80];
	struct paleo_known_spreads s;
	struct paleo_error err;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	snprintf(place, sizeof(place), "%s:6: expected the line of 'GEMMs' and 'family'", path);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		write_file(path, PALEO_NEAR_FAMILY, lines[i]);
		assert_int_equal(paleo_known_spreads_load(path, &s, &err), PALEO_EINPUT);
		assert_memory_equal(err.text, place, strlen(place));
	}
	remove(path);
}

/* A file of another name or size is another, and order counts. */
static void tells_presets_apart(void **state)
{
	(void)state;
	uint64_t t4 = paleo_presets_identity(0, "t4.json", 7);
	uint64_t p4 = paleo_presets_identity(0, "p4.json", 7);
	assert_true(t4 == paleo_presets_identity(0, "t4.json", 7));
	assert_true(t4 != p4 && t4 != paleo_presets_identity(0, "t4.json", 8));
	assert_true(paleo_presets_identity(t4, "p4.json", 7) !=
		    paleo_presets_identity(p4, "t4.json", 7));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_what_is_written),
		cmocka_unit_test(refuses_what_is_damaged),
		cmocka_unit_test(tells_presets_apart),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
