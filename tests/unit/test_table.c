/* test_table.c - the formats from one list of columns. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "tests/unit/unit.h"

// clang-format off
static const struct paleo_column columns[] = {
	{.name = "layer", .title = "layer", .type = PALEO_CELL_STRING},
	{.name = "measured_s", .title = "measured ms", .type = PALEO_CELL_NUMBER,
	 .scale = 1e3, .decimals = 2},
	{.name = "error", .title = "error %", .type = PALEO_CELL_NUMBER, .scale = 100,
	 .decimals = 1},
	{.name = "mark", .title = "", .type = PALEO_CELL_STRING, .text_only = 1},
	{.name = "key", .title = "key", .type = PALEO_CELL_STRING, .data_only = 1},
	{.name = "note", .title = "note", .type = PALEO_CELL_STRING},
};
// clang-format on

enum {
	COLUMNS = sizeof(columns) / sizeof(columns[0])
};

static char *print(const struct paleo_table *t, enum paleo_table_format format)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	struct paleo_error err = {0};

	assert_non_null(out);
	assert_int_equal(paleo_table_print(t, format, out, &err), 0);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void expect(const struct paleo_table *t, enum paleo_table_format format,
		   const char *expected)
{
	char *text = print(t, format);

	assert_string_equal(text, expected);
	free(text);
}

static void add(struct paleo_table *t, const char *layer, double measured_s, double error,
		const char *note)
{
	char own[64];
	struct paleo_error err = {0};

	snprintf(own, sizeof(own), "%s", layer);
	struct paleo_cell cells[COLUMNS] = {
		{.text = own}, {.number = measured_s},    {.number = error},
		{.text = "*"}, {.text = "conv, \"f32\""}, {.text = note},
	};
	assert_int_equal(paleo_table_add(t, cells, &err), 0);
	memset(own, 'x', sizeof(own)); /* the table has its own copy */
}

static struct paleo_table *sample(double error, const char *note)
{
	struct paleo_table *t = paleo_table_new(columns, COLUMNS);
	struct paleo_error err = {0};

	assert_non_null(t);
	add(t, "conv1-1", 0.1, error, note);
	add(t, "\xc3\xa9t\xc3\xa9", 12.3456789, NAN, NULL); /* three letters, five bytes */
	assert_int_equal(paleo_table_rule(t, &err), 0);
	add(t, "all", NAN, -0.0001, NULL);
	return t;
}

/* Widths: 7 "conv1-1", 11 "measured ms", 7 "error %", 1 "*", 4 "note"; 4 gaps of 2: 38. */
static void text_is_aligned(void **state)
{
	(void)state;
	struct paleo_table *t = sample(0.125, "slow");

	expect(t, PALEO_TABLE_TEXT,
	       "layer    measured ms  error %     note\n"
	       "--------------------------------------\n"
	       "conv1-1       100.00     12.5  *  slow\n"
	       "\xc3\xa9t\xc3\xa9         12345.68        -  *  -\n"
	       "--------------------------------------\n"
	       "all                -      0.0  *  -\n");
	paleo_table_free(t);
	paleo_table_free(NULL);
}

static void column_missing_everywhere_is_left_out(void **state)
{
	(void)state;
	struct paleo_table *t = sample(0.125, NULL);

	expect(t, PALEO_TABLE_TEXT,
	       "layer    measured ms  error %\n"
	       "--------------------------------\n"
	       "conv1-1       100.00     12.5  *\n"
	       "\xc3\xa9t\xc3\xa9         12345.68        -  *\n"
	       "--------------------------------\n"
	       "all                -      0.0  *\n");
	paleo_table_free(t);
}

static void text_without_rows_is_the_heading(void **state)
{
	(void)state;
	struct paleo_table *t = paleo_table_new(columns, 3);

	expect(t, PALEO_TABLE_TEXT,
	       "layer  measured ms  error %\n"
	       "---------------------------\n");
	paleo_table_free(t);
}

static void text_stays_in_its_line(void **state)
{
	(void)state;
	struct paleo_table *t = paleo_table_new(columns, 2);
	struct paleo_error err = {0};
	const struct paleo_cell cells[] = {{.text = "a\nb\x1b[2J"}, {.number = 1e30}};

	assert_int_equal(paleo_table_add(t, cells, &err), 0);
	expect(t, PALEO_TABLE_TEXT,
	       "layer          measured ms\n"
	       "--------------------------\n"
	       "a\\x0ab\\x1b[2J        1e+33\n"); /* 13 + 2 + 11 */
	paleo_table_free(t);
}

/* Blank lines keep the table apart; a bar in a cell ends it unless it is escaped. */
static void md_is_a_table(void **state)
{
	(void)state;
	struct paleo_table *t = sample(0.125, "a|b");

	expect(t, PALEO_TABLE_MD,
	       "\n"
	       "| layer | measured ms | error % |  | note |\n"
	       "| --- | ---: | ---: | --- | --- |\n"
	       "| conv1-1 | 100.00 | 12.5 | * | a\\|b |\n"
	       "| \xc3\xa9t\xc3\xa9 | 12345.68 | - | * | - |\n"
	       "| all | - | 0.0 | * | - |\n"
	       "\n");
	paleo_table_free(t);
}

static void csv_is_quoted_and_whole(void **state)
{
	(void)state;
	struct paleo_table *t = sample(1.0 / 3, "two\nlines");

	add(t, "a,b", INFINITY, 0, "");
	expect(t, PALEO_TABLE_CSV,
	       "layer,measured_s,error,key,note\n"
	       "conv1-1,0.1,0.3333333333333333,\"conv, \"\"f32\"\"\",two\\x0alines\n"
	       "\xc3\xa9t\xc3\xa9,12.3456789,,\"conv, \"\"f32\"\"\",\n"
	       "all,,-0.0001,\"conv, \"\"f32\"\"\",\n"
	       "\"a,b\",,0,\"conv, \"\"f32\"\"\",\"\"\n");
	paleo_table_free(t);
}

static void jsonl_has_an_object_a_row(void **state)
{
	(void)state;
	struct paleo_table *t = sample(1.0 / 3, "two\nlines");

	expect(t, PALEO_TABLE_JSONL,
	       "{\"layer\":\"conv1-1\",\"measured_s\":0.1,\"error\":0.3333333333333333,"
	       "\"key\":\"conv, \\\"f32\\\"\",\"note\":\"two\\nlines\"}\n"
	       "{\"layer\":\"\xc3\xa9t\xc3\xa9\",\"measured_s\":12.3456789,\"error\":null,"
	       "\"key\":\"conv, \\\"f32\\\"\",\"note\":null}\n"
	       "{\"layer\":\"all\",\"measured_s\":null,\"error\":-0.0001,"
	       "\"key\":\"conv, \\\"f32\\\"\",\"note\":null}\n");
	paleo_table_free(t);
}

static void full_disk_is_an_error(void **state)
{
	(void)state;
	struct paleo_table *t = sample(0.1, NULL);
	FILE *out = fopen("/dev/full", "w");
	struct paleo_error err = {0};

	assert_non_null(out);
	for (int format = PALEO_TABLE_TEXT; format <= PALEO_TABLE_JSONL; format++) {
		assert_int_equal(paleo_table_print(t, (enum paleo_table_format)format, out, &err),
				 PALEO_EIO);
		assert_string_equal(err.text, "the table could not be written completely");
	}
	fclose(out);
	paleo_table_free(t);
}

/* Three digits of each, the points below one another; what is missing stands to the right. */
static void small_numbers_keep_their_digits(void **state)
{
	(void)state;
	static const struct paleo_column two[] = {
		{.name = "s",
		 .title = "ms",
		 .type = PALEO_CELL_NUMBER,
		 .scale = 1e3,
		 .decimals = 3,
		 .significant = 3},
		{.name = "note", .title = "note", .type = PALEO_CELL_STRING},
	};
	const double times[] = {1.5, 0.0123456, 2.00049e-6, 9.996e-7, 1e-30, 0, NAN};
	struct paleo_table *t = paleo_table_new(two, 2);
	struct paleo_error err = {0};

	assert_non_null(t);
	for (int i = 0; i < 7; i++) {
		struct paleo_cell cells[2] = {{.number = times[i]}, {.text = "x"}};
		assert_int_equal(paleo_table_add(t, cells, &err), 0);
	}
	expect(t, PALEO_TABLE_TEXT,
	       "                  ms  note\n"
	       "--------------------------\n"
	       "1500.000              x\n"
	       "  12.346              x\n"
	       "   0.00200            x\n"
	       "   0.001000           x\n"
	       "   0.000000000000000  x\n"
	       "   0.000              x\n"
	       "                   -  x\n");
	paleo_table_free(t);
	assert_int_equal(paleo_decimals(0.1234, 3, 3), 3);
	assert_int_equal(paleo_decimals(-0.01234, 3, 3), 4);
	assert_int_equal(paleo_decimals(INFINITY, 3, 3), 3);
}

/* Times share the unit of the longest, but for those of another size; a rate has no other title.
 * 2 ms and 30 us; 15 s; 3e9 and 2.5e7 FLOP; 1.5e12 and 8.3e8 FLOP/s. */
static void units_fit_the_largest(void **state)
{
	(void)state;
	static const struct paleo_column of[] = {
		PALEO_COLUMN_TIME("low_s", "low"),
		PALEO_COLUMN_TIME("high_s", "high"),
		PALEO_COLUMN_TIME_APART("answer_s", "answer"),
		PALEO_COLUMN_FLOP("flops", "fwd"),
		PALEO_COLUMN_FLOP_PER_S("flop_per_s", ""),
	};
	struct paleo_table *t = paleo_table_new(of, 5);
	const struct paleo_cell large[5] = {{.number = 1e-3},
					    {.number = 2e-3},
					    {.number = 15},
					    {.number = 3e9},
					    {.number = 1.5e12}};
	const struct paleo_cell small[5] = {{.number = 2e-5},
					    {.number = 3e-5},
					    {.number = 12},
					    {.number = 2.5e7},
					    {.number = 8.3e8}};
	struct paleo_error err = {0};

	assert_non_null(t);
	assert_int_equal(paleo_table_add(t, small, &err), 0);
	assert_int_equal(paleo_table_add(t, large, &err), 0);
	expect(t, PALEO_TABLE_MD,
	       "\n| low ms | high ms | answer s | fwd GFLOP | TFLOP/s |\n"
	       "| ---: | ---: | ---: | ---: | ---: |\n"
	       "| 0.0200 | 0.0300 | 12.000 | 0.0250 | 0.000830 |\n"
	       "| 1.000 | 2.000 | 15.000 | 3.00 | 1.50 |\n\n");
	paleo_table_free(t);
	t = paleo_table_new(of, 5);
	assert_non_null(t);
	assert_int_equal(paleo_table_add(t, small, &err), 0);
	expect(t, PALEO_TABLE_MD,
	       "\n| low us | high us | answer s | fwd MFLOP | GFLOP/s |\n"
	       "| ---: | ---: | ---: | ---: | ---: |\n"
	       "| 20.000 | 30.000 | 12.000 | 25.0 | 0.830 |\n\n");
	paleo_table_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_aligned),
		cmocka_unit_test(column_missing_everywhere_is_left_out),
		cmocka_unit_test(text_without_rows_is_the_heading),
		cmocka_unit_test(text_stays_in_its_line),
		cmocka_unit_test(md_is_a_table),
		cmocka_unit_test(csv_is_quoted_and_whole),
		cmocka_unit_test(jsonl_has_an_object_a_row),
		cmocka_unit_test(full_disk_is_an_error),
		cmocka_unit_test(small_numbers_keep_their_digits),
		cmocka_unit_test(units_fit_the_largest),
	};

	return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
