/* test_record.c - results files: what is written is read back, and broken files are refused. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "model/record/graph_record.h"
#include "model/record/record.h"
#include "tests/unit/place.h"

static struct paleo_record make_record(const char *key, double median_s)
{
	struct paleo_record r = {
		.status = PALEO_RECORD_OK,
		.algorithm = "jit:\"avx512\"",
		.mode = "cold",
		.regime = "sustained",
		.device = "node gpu-1",
		.workspace_bytes = 1024,
		.verify_error = NAN,
		.verify_tolerance = 1e-5,
		.timing = {.median_s = median_s,
			   .ci_low_s = median_s,
			   .ci_high_s = median_s,
			   .drift = -0.25,
			   .samples = 30,
			   .reps = 7,
			   .stop = "precise"},
	};
	struct paleo_error err;

	assert_int_equal(paleo_op_parse(key, &r.op, &err), PALEO_OK);
	return r;
}

static const struct paleo_record_meta meta = {
	.backend = "fake",
	.versions = "fake 1",
	.host = "unit",
	.start_utc = "2026-01-02T03:04:05Z",
	.tool = "paleo",
	.threads = 2,
	.device = {.name = "unit", .flop_per_s = {[PALEO_BF16] = 0.1e12}, .mem_bytes = 3},
};

#define OP_A "softmax fwd f32 rows=4 cols=10"
#define OP_B "gemm fwd f32 m=4 n=10 k=50"

/* meta, A 1 s, B, a net of both, a ceiling twice, A again 3 s with a tag, end */
static void write_file(const char *path)
{
	struct paleo_error err;
	FILE *f = fopen(path, "w");
	struct paleo_record a = make_record(OP_A, 1), b = make_record(OP_B, 0.1);
	struct paleo_net_row rows[] = {
		{.layer = "prob", .kind = "softmax", .pass = PALEO_FWD, .op = a.op},
		{.layer = "fc", .kind = "gemm", .pass = PALEO_BWD_DATA, .op = b.op}};
	struct paleo_ceiling c = {.name = "copy", .unit = "B/s", .value = 4e12, .spread = NAN};
	struct paleo_net_rows net = {
		.net = "two", .batch = 4, .dtype = PALEO_F32, .rows = rows, .count = 2};

	assert_non_null(f);
	assert_int_equal(paleo_record_meta_write(&meta, f, &err), PALEO_OK);
	assert_int_equal(paleo_record_write(&a, f, &err), PALEO_OK);
	b.status = PALEO_RECORD_OOM;
	strcpy(b.reason, "no room");
	assert_int_equal(paleo_record_write(&b, f, &err), PALEO_OK);
	assert_int_equal(paleo_net_rows_write(&net, f, &err), PALEO_OK);
	assert_int_equal(paleo_ceiling_write(&c, f, &err), PALEO_OK);
	c.value = 5e12;
	assert_int_equal(paleo_ceiling_write(&c, f, &err), PALEO_OK);
	a.timing.median_s = 3;
	strcpy(a.tags, "drift");
	a.state = (struct paleo_state){.sm_mhz = 1200, .reasons = "idle"};
	assert_int_equal(paleo_record_write(&a, f, &err), PALEO_OK);
	assert_int_equal(paleo_record_end_write(NULL, 0, f, &err), PALEO_OK);
	assert_int_equal(fclose(f), 0);
}

static void reads_what_it_wrote(void **state)
{
	const struct place *p = *state;
	struct paleo_results r;
	struct paleo_error err;
	struct paleo_record a = make_record(OP_A, 3), b = make_record(OP_B, 0.1);

	write_file(p->path);
	if (paleo_results_load(p->path, &r, &err))
		fail_msg("%s", err.text);
	assert_true(r.complete && !r.is_cut);
	assert_int_equal(r.count, 2); /* A stands twice */
	assert_string_equal(r.meta.device.name, "unit");
	assert_true(r.meta.device.flop_per_s[PALEO_BF16] == 0.1e12);
	assert_true(r.meta.device.mem_bytes == 3 && r.meta.device.cache_bytes == 0);
	assert_int_equal(r.meta.threads, 2);
	const struct paleo_result *found = paleo_results_find(&r, &a.op, "cold");
	assert_non_null(found);
	assert_true(found->timing.median_s == 3 && found->timing.drift == -0.25);
	assert_true(isnan(found->verify_error));
	assert_string_equal(found->algorithm, a.algorithm);
	assert_string_equal(found->regime, "sustained");
	assert_string_equal(paleo_results_regime(&r), "sustained");
	assert_string_equal(found->tags, "drift");
	assert_true(found->state.sm_mhz == 1200 && found->state.power_w == 0);
	assert_string_equal(found->state.reasons, "idle");
	assert_null(paleo_results_find(&r, &a.op, "hot"));
	found = paleo_results_find(&r, &b.op, "cold");
	assert_non_null(found);
	assert_int_equal(found->status, PALEO_RECORD_OOM);
	assert_string_equal(found->reason, "no room");
	assert_string_equal(found->tags, "");
	assert_int_equal(r.ceiling_count, 1);
	assert_string_equal(r.ceilings[0].name, "copy");
	assert_true(r.ceilings[0].value == 5e12 && isnan(r.ceilings[0].spread));
	assert_int_equal(r.net_count, 1);
	assert_int_equal(r.nets[0].count, 2);
	assert_string_equal(r.nets[0].rows[1].layer, "fc");
	assert_int_equal(r.nets[0].rows[1].pass, PALEO_BWD_DATA);
	assert_true(paleo_op_equal(&r.nets[0].rows[0].op, &a.op));
	paleo_results_release(&r);
}

/* Packs a text, `times` over, by gzip into the file. */
static void pack(const char *path, const char *text, size_t size, int times)
{
	gzFile f = gzopen(path, "wb");

	assert_non_null(f);
	for (int i = 0; i < times; i++)
		assert_int_equal(gzwrite(f, text, (unsigned)size), (int)size);
	assert_int_equal(gzclose(f), Z_OK);
}

static void reads_what_is_packed(void **state)
{
	const struct place *p = *state;
	struct paleo_results plain, packed;
	struct paleo_error err;
	char text[1 << 14];

	write_file(p->path);
	assert_int_equal(paleo_results_load(p->path, &plain, &err), PALEO_OK);
	FILE *f = fopen(p->path, "r");
	assert_non_null(f);
	size_t size = fread(text, 1, sizeof(text), f);
	assert_int_equal(fclose(f), 0);
	pack(p->path, text, size, 1);
	if (paleo_results_load(p->path, &packed, &err))
		fail_msg("%s", err.text);
	assert_true(packed.complete);
	assert_int_equal(packed.count, plain.count);
	for (int i = 0; i < plain.count; i++)
		assert_true(packed.records[i].timing.median_s == plain.records[i].timing.median_s);
	paleo_results_release(&plain);
	paleo_results_release(&packed);
}

/* 65 MiB of blanks take 64 KiB on the disk, a thousandth. */
static void refuses_a_bomb(void **state)
{
	const struct place *p = *state;
	static char blanks[1 << 20];
	struct paleo_results r;
	struct paleo_error err;

	memset(blanks, ' ', sizeof(blanks));
	pack(p->path, blanks, sizeof(blanks), 65);
	assert_int_equal(paleo_results_load(p->path, &r, &err), PALEO_EINPUT);
	assert_non_null(strstr(err.text, p->path));
	assert_non_null(strstr(err.text, "unpacks to more than 100 times its size"));
}

static void cut_file(const char *path, off_t less)
{
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	assert_int_equal(fseek(f, 0, SEEK_END), 0);
	long size = ftell(f);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(truncate(path, size - less), 0);
}

/* The last line is 15 bytes, {"type":"end"}: cutting 1 leaves it without its line end, cutting 20
 * goes into the record before. */
static void drops_a_cut_line(void **state)
{
	const struct place *p = *state;
	struct paleo_results r;
	struct paleo_error err;
	struct paleo_record a = make_record(OP_A, 3);

	write_file(p->path);
	cut_file(p->path, 1);
	assert_int_equal(paleo_results_load(p->path, &r, &err), PALEO_OK);
	assert_true(r.is_cut && !r.complete);
	assert_true(paleo_results_find(&r, &a.op, "cold")->timing.median_s == 3);
	paleo_results_release(&r);
	cut_file(p->path, 19);
	assert_int_equal(paleo_results_load(p->path, &r, &err), PALEO_OK);
	assert_true(paleo_results_find(&r, &a.op, "cold")->timing.median_s == 1);
	paleo_results_release(&r);
}

static void finds_among_many(void **state)
{
	(void)state;
	struct paleo_results r = {.count = 0};
	struct paleo_error err;
	struct paleo_record a = make_record(OP_A, 1);

	for (int i = 1; i <= 3000; i++) {
		a.op.geom.softmax.rows = i;
		a.timing.median_s = i;
		assert_int_equal(paleo_results_add(&r, &a, &err), PALEO_OK);
	}
	for (int i = 1; i <= 3000; i++) {
		a.op.geom.softmax.rows = i;
		assert_true(paleo_results_find(&r, &a.op, "cold")->timing.median_s == i);
		assert_null(paleo_results_find(&r, &a.op, "hot"));
		for (a.rank = 2; a.rank > 0; a.rank--) { /* slower, the higher the rank */
			a.timing.median_s = i * (0.5 + 0.2 * a.rank);
			assert_int_equal(paleo_results_add(&r, &a, &err), PALEO_OK);
		}
	}
	for (int i = 1; i <= 3000; i++) {
		a.op.geom.softmax.rows = i;
		assert_int_equal(paleo_results_find(&r, &a.op, "cold")->rank, 1);
		for (int rank = 0; rank < 3; rank++)
			assert_int_equal(paleo_results_candidate(&r, &a.op, "cold", rank)->rank,
					 rank);
		assert_null(paleo_results_candidate(&r, &a.op, "cold", 3));
	}
	paleo_results_release(&r);
	paleo_results_release(NULL);
}

/* Of several algorithms the fastest right one stands for the op; old records have rank 0. */
static void fastest_candidate_stands(void **state)
{
	const struct place *p = *state;
	struct paleo_results r;
	struct paleo_error err;
	struct paleo_record a = make_record(OP_A, 3), b = make_record(OP_B, 5);
	FILE *f = fopen(p->path, "w");

	assert_non_null(f);
	assert_int_equal(paleo_record_meta_write(&meta, f, &err), PALEO_OK);
	assert_int_equal(paleo_record_write(&b, f, &err), PALEO_OK);
	for (int rank = 0; rank < 4; rank++) { /* 3 s, 2 s, 1 s but wrong, crash */
		a.rank = rank;
		a.timing.median_s = 3 - rank;
		a.status = rank < 2    ? PALEO_RECORD_OK
			   : rank == 2 ? PALEO_RECORD_INCORRECT
				       : PALEO_RECORD_CRASH;
		snprintf(a.engine, sizeof(a.engine), "%d", rank);
		a.is_fallback = rank == 1;
		assert_int_equal(paleo_record_write(&a, f, &err), PALEO_OK);
	}
	assert_int_equal(fclose(f), 0);
	if (paleo_results_load(p->path, &r, &err))
		fail_msg("%s", err.text);
	assert_int_equal(r.count, 5);
	const struct paleo_result *best = paleo_results_find(&r, &a.op, "cold");
	assert_true(best->rank == 1 && best->timing.median_s == 2 && best->is_fallback);
	assert_string_equal(best->engine, "1");
	for (int rank = 0; rank < 4; rank++)
		assert_int_equal(paleo_results_candidate(&r, &a.op, "cold", rank)->rank, rank);
	assert_null(paleo_results_candidate(&r, &a.op, "cold", 4));
	assert_null(paleo_results_candidate(&r, &b.op, "cold", 1));
	for (int i = 0; i < r.count; i++)
		assert_int_equal(paleo_results_stands(&r, i), i == 0 || i == 2);
	/* the best one is measured again, and is slower than the first */
	a = paleo_result_record(best);
	a.timing.median_s = 4;
	assert_int_equal(paleo_results_add(&r, &a, &err), PALEO_OK);
	assert_int_equal(r.count, 5);
	assert_int_equal(paleo_results_find(&r, &a.op, "cold")->rank, 0);
	paleo_results_release(&r);
}

/* What a set holds of a record is the record again, but for what measuring it took; two records
 * share their texts. A million of them, with 80 bytes to judge each and as much to sort them, fit
 * into a gibibyte. */
static void holds_a_text_once(void **state)
{
	(void)state;
	struct paleo_results r = {.count = 0};
	struct paleo_record a = make_record(OP_A, 3), b;
	struct paleo_error err;

	strcpy(a.reason, "no room");
	strcpy(a.engine, "11");
	strcpy(a.knobs, "factor=1");
	strcpy(a.notes, "winograd");
	strcpy(a.behaviour, "runtime_compilation");
	strcpy(a.tags, "drift");
	b = make_record(OP_B, 1);
	assert_int_equal(paleo_results_add(&r, &a, &err), PALEO_OK);
	assert_int_equal(paleo_results_add(&r, &b, &err), PALEO_OK);
	const struct paleo_record again = paleo_result_record(&r.records[0]);
	assert_memory_equal(&again.op, &a.op, sizeof(a.op));
	assert_memory_equal(&again.timing, &a.timing, sizeof(a.timing));
	assert_string_equal(again.reason, a.reason);
	assert_string_equal(again.mode, a.mode);
	assert_string_equal(again.algorithm, a.algorithm);
	assert_string_equal(again.engine, a.engine);
	assert_string_equal(again.knobs, a.knobs);
	assert_string_equal(again.notes, a.notes);
	assert_string_equal(again.behaviour, a.behaviour);
	assert_string_equal(again.tags, a.tags);
	assert_ptr_equal(r.records[0].algorithm, r.records[1].algorithm);
	assert_true(sizeof(*r.records) <= 600);
	paleo_results_release(&r);
}

/* The first set that is joined moves; behind the second both are there as they were. */
static void joins(void **state)
{
	(void)state;
	struct paleo_results all = {.meta = meta}, part = {.meta = {.threads = 7}};
	const struct paleo_record first = make_record(OP_A, 1), later = make_record(OP_A, 2);
	struct paleo_error err;

	assert_int_equal(paleo_results_add(&part, &first, &err), PALEO_OK);
	const struct paleo_result *moved = part.records;
	assert_int_equal(paleo_results_join(&all, &part, &err), PALEO_OK);
	assert_ptr_equal(all.records, moved);
	assert_int_equal(all.meta.threads, meta.threads);
	assert_int_equal(part.count, 0);
	assert_int_equal(paleo_results_add(&part, &later, &err), PALEO_OK);
	assert_int_equal(paleo_results_join(&all, &part, &err), PALEO_OK);
	assert_int_equal(all.count, 1);
	assert_true(all.records[0].timing.median_s == 2);
	assert_int_equal(all.part_count, 2);
	assert_true(all.parts[0].records[0].timing.median_s == 1);
	paleo_results_release(&all);
}

#define META                                                                                       \
	"{\"type\":\"meta\",\"schema\":\"paleo-records/"                                           \
	"4\",\"backend\":\"fake\",\"versions\":\"\","                                              \
	"\"host\":\"\",\"start_utc\":\"\",\"tool\":\"\",\"threads\":1,\"device\":{\"name\":\"u\"}" \
	"}\n"

static void refuses(void **state)
{
	(void)state;
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"", "r.jsonl: has no complete line, expected a 'meta' line first"},
		{"{\"type\":\"end\"}\n",
		 "r.jsonl:1:9: type: a results file begins with a 'meta' line, not 'end'"},
		{META "{\"type\":\"recrd\"}\n",
		 "r.jsonl:2:9: type: unknown type of line 'recrd' (did you mean 'record'?)"},
		{META "garbage\n", NULL},
		{META "{\"type\":\"ceiling\",\"name\":\"copy\",\"unit\":\"B/s\",\"value\":0,"
		      "\"spread\":null,\"how\":\"\"}\n",
		 "r.jsonl:2:54: value: expected a number from 1e-12 to 1e+300, found 0"},
		{META "{\"type\":\"record\",\"op\":\"softmax fwd f32 rows=0 cols=3\"}\n", NULL},
		{"{\"type\":\"meta\",\"schema\":\"paleo-records/9\"}\n",
		 "r.jsonl:1:25: schema: expected the schema 'paleo-records/4', found "
		 "'paleo-records/9': written by a newer version; update paleo"},
		{"{\"type\":\"meta\",\"schema\":\"paleo-results/2\"}\n",
		 "r.jsonl:1:25: schema: expected the schema 'paleo-records/4', found "
		 "'paleo-results/2': measure again"},
	};
	struct paleo_results r;
	struct paleo_error err;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(paleo_results_parse("r.jsonl", cases[i].text,
						     strlen(cases[i].text), &r, &err),
				 PALEO_EINPUT);
		if (cases[i].message)
			assert_string_equal(err.text, cases[i].message);
		else
			assert_memory_equal(err.text, "r.jsonl:2:", strlen("r.jsonl:2:"));
	}
}

/* Each fault of a record line that is otherwise whole, with the sentence it must give. */
static void refuses_records(void **state)
{
	(void)state;
	static const struct {
		const char *middle, *message;
	} cases[] = {
		{"\"op\":\"softmax fwd f32 rows=4\",\"status\":\"oom\"", "op: "},
		{"\"op\":\"" OP_A "\",\"status\":\"okay\"",
		 "status: unknown status 'okay' (did you mean 'ok'?)"},
		{"\"op\":\"" OP_A "\",\"status\":\"ok\"", "the key 'timing' is missing"},
		{"\"op\":\"" OP_A "\",\"status\":\"oom\",\"tming\":1",
		 "unknown key 'tming' (did you mean 'timing'?)"},
	};
	struct paleo_results r;
	struct paleo_error err;
	char text[1024];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(text, sizeof(text),
			 META "{\"type\":\"record\",\"reason\":\"\",\"algorithm\":\"\",\"mode\":"
			      "\"cold\",\"workspace_bytes\":0,\"verify_error\":null,"
			      "\"verify_tolerance\":null,%s}\n",
			 cases[i].middle);
		assert_int_equal(paleo_results_parse("r.jsonl", text, strlen(text), &r, &err),
				 PALEO_EINPUT);
		if (!strstr(err.text, cases[i].message) || strncmp(err.text, "r.jsonl:2:", 10) != 0)
			fail_msg("'%s' does not say '%s'", err.text, cases[i].message);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(fastest_candidate_stands, make_place, drop_place),
		cmocka_unit_test_setup_teardown(reads_what_it_wrote, make_place, drop_place),
		cmocka_unit_test_setup_teardown(reads_what_is_packed, make_place, drop_place),
		cmocka_unit_test_setup_teardown(refuses_a_bomb, make_place, drop_place),
		cmocka_unit_test_setup_teardown(drops_a_cut_line, make_place, drop_place),
		cmocka_unit_test(finds_among_many),
		cmocka_unit_test(holds_a_text_once),
		cmocka_unit_test(joins),
		cmocka_unit_test(refuses),
		cmocka_unit_test(refuses_records),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
