/* test_calibration_file.c - a calibration reads back as written; broken ones are refused. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/predict/calibration_file.h"
#include "tests/unit/bad.h"
#include "tests/unit/unit.h"

static struct paleo_class_model example(const char *class_name, enum paleo_pass pass)
{
	struct paleo_class_model f = {.pass = pass,
				      .dtype = PALEO_BF16,
				      .ppp_compute = 0.1 + 0.2, /* 0.30000000000000004 */
				      .ppp_memory = 1.0 / 3,
				      .overhead_s = 5e-6,
				      .overlap = 16,
				      .half_depth = 12.5,
				      .half_width = 0,
				      .se_ppp_compute = 0.01,
				      .se_ppp_memory = NAN,
				      .se_overhead = 0.5,
				      .se_half_depth = 0.25,
				      .se_half_width = NAN,
				      .records = 7,
				      .heldout_median = 0.05,
				      .heldout_mean = 0.06,
				      .heldout_p90 = 0.1,
				      .ratio_low = 0.9,
				      .ratio_high = 1.1,
				      .correlation = 0.25,
				      .kind_correlation = 0.125,
				      .ppp = NAN};

	snprintf(f.class_name, sizeof(f.class_name), "%s", class_name);
	return f;
}

/* Equal, or both NaN. */
static void same(double a, double b)
{
	assert_true(a == b || (isnan(a) && isnan(b)));
}

static void same_model(const struct paleo_fitted_kernel *a, const struct paleo_fitted_kernel *b)
{
	assert_ptr_equal(a->kernel, b->kernel);
	assert_int_equal(a->operand_sets, b->operand_sets);
	assert_true(a->on_bound == b->on_bound);
	assert_memory_equal(a->sets, b->sets, sizeof(a->sets));
	for (int i = 0; i < a->kernel->count; i++) {
		const struct paleo_parameter *p = &a->kernel->parameters[i];
		same(paleo_parameter_get(p, &a->params), paleo_parameter_get(p, &b->params));
		same(a->se[i], b->se[i]);
	}
}

/* A tree that is full, and one leaf. */
static void plant(struct paleo_tree trees[2])
{
	memset(trees, 0, 2 * sizeof(*trees));
	for (int i = 0; i < PALEO_TREE_LEAVES; i++) {
		trees[0].nodes[i] = (struct paleo_tree_node){(float)i / 8 - 1, i % 5};
		trees[1].nodes[i].limit = INFINITY;
	}
	for (int i = 0; i < PALEO_TREE_LEAVES; i++)
		trees[0].leaf[i] = (short)(100 * i - 800);
	trees[1].leaf[0] = -30000;
}

static void same_trees(const struct paleo_trees *a, const struct paleo_trees *b)
{
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->features, b->features);
	for (int i = 0; i < a->count; i++) {
		const struct paleo_tree *x = &a->trees[i], *y = &b->trees[i];
		assert_memory_equal(x->leaf, y->leaf, sizeof(x->leaf));
		for (int j = 1; j < PALEO_TREE_LEAVES; j++)
			assert_true(x->nodes[j].limit == y->nodes[j].limit &&
				    x->nodes[j].feature == y->nodes[j].feature);
	}
}

static void same_factor(const struct paleo_class_model *a, const struct paleo_class_model *b)
{
	assert_string_equal(a->class_name, b->class_name);
	assert_int_equal(a->pass, b->pass);
	assert_int_equal(a->dtype, b->dtype);
	same(a->ppp_compute, b->ppp_compute);
	same(a->ppp_memory, b->ppp_memory);
	same(a->overhead_s, b->overhead_s);
	same(a->overlap, b->overlap);
	same(a->half_depth, b->half_depth);
	same(a->half_width, b->half_width);
	same(a->se_ppp_compute, b->se_ppp_compute);
	same(a->se_ppp_memory, b->se_ppp_memory);
	same(a->se_overhead, b->se_overhead);
	same(a->se_half_depth, b->se_half_depth);
	same(a->se_half_width, b->se_half_width);
	assert_int_equal(a->records, b->records);
	same(a->heldout_median, b->heldout_median);
	same(a->heldout_mean, b->heldout_mean);
	same(a->heldout_p90, b->heldout_p90);
	same(a->ratio_low, b->ratio_low);
	same(a->ratio_high, b->ratio_high);
	same(a->correlation, b->correlation);
	same(a->kind_correlation, b->kind_correlation);
	same(a->ppp, b->ppp);
	assert_int_equal(a->band_count, b->band_count);
	assert_memory_equal(a->bands, b->bands, sizeof(a->bands));
	assert_int_equal(a->model != NULL, b->model != NULL);
	assert_memory_equal(paleo_class_model_together(a), paleo_class_model_together(b),
			    (size_t)paleo_class_model_parameters(a));
	if (a->model && b->model)
		same_model(a->model, b->model);
	same_trees(&a->correction, &b->correction);
	same_trees(&a->spread, &b->spread);
}

/* An op that each kernel model applies to. */
static const char *const op_of[] = {
	"gemm fwd f32 m=64 n=64 k=64 stored=nvfp4",
	"gemm fwd f32 m=64 n=64 k=64 stored=w8a8",
	"gemm fwd f32 m=64 n=64 k=64",
	"gemm fwd fp8 m=64 n=64 k=64",
	"conv fwd f32 n=1 c=8 h=8 w=8 k=8 r=3 s=3 groups=8",
	"conv bwd_data f32 n=1 c=8 h=8 w=8 k=8 r=3 s=3 groups=8",
	"conv fwd f32 n=1 c=3 h=8 w=8 k=8 r=3 s=3",
	"attention fwd f32 batch=1 q=8 keys=8 heads=2 kv_heads=2 qk=8 v=8",
	"attention fwd f32 batch=1 q=1 keys=8 heads=2 kv_heads=2 qk=8 v=8",
	"moe fwd f32 tokens=8 hidden=8 inter=8 experts=8 local=8 topk=2",
	"causal_conv fwd f32 batch=1 tokens=8 channels=8 taps=4",
	"scan fwd f32 rule=delta batch=1 tokens=128 heads=2 groups=2 qk=8 v=8",
	"eltwise fwd f32 op=relu count=100",
	"softmax fwd f32 rows=4 cols=10",
	"scan fwd f32 rule=delta batch=1 tokens=1 heads=2 groups=2 qk=8 v=8 cache=1",
	"gemm fwd f32 m=64 n=64 k=64",
	"conv fwd f32 n=1 c=3 h=8 w=8 k=8 r=3 s=3",
	"conv fwd f32 n=1 c=8 h=8 w=8 k=8 r=3 s=3 groups=8",
	"pool fwd f32 mode=max n=1 c=8 h=8 w=8 r=2 s=2",
	"norm fwd f32 mode=batch n=1 c=8 h=8 w=8",
	"update update f32 rule=sgd count=100"};

/* A calibration of one factor, on a device of 1 TFLOP/s. */
static struct paleo_calibration with_factor(struct paleo_class_model *f)
{
	return (struct paleo_calibration){.device = {.name = "x1",
						     .flop_per_s = {[PALEO_F32] = 1e12},
						     .mem_bytes_per_s = 1e11},
					  .mode = "hot",
					  .models = f,
					  .count = 1};
}

static void reads_every_kernel_model_that_it_wrote(void **state)
{
	(void)state;
	int count;
	const struct paleo_kernel_model *const *models = paleo_kernel_models(&count);
	struct paleo_error err;

	assert_int_equal(count, 21);
	for (int i = 0; i < count; i++) {
		struct paleo_tree trees[2];
		struct paleo_fitted_kernel m;
		struct paleo_class_model f = example("gemm", PALEO_FWD);
		struct paleo_calibration read, c = with_factor(&f);
		struct paleo_op w;
		char *text;
		assert_int_equal(paleo_op_parse(op_of[i], &w, &err), PALEO_OK);
		assert_ptr_equal(paleo_kernel_model_for(&w, models[i]->host), models[i]);
		f.dtype = PALEO_F32;
		paleo_kernel_model_init(models[i], PALEO_F32, &m);
		m.operand_sets = 5;
		m.se[1] = 0.125;
		m.together[0] = m.together[2] = 1;
		if (m.kernel->count > 3)
			m.together[1] = m.together[3] = 2;
		m.on_bound = 1ULL << (m.kernel->count - 1);
		m.sets[0] = m.kernel->sets[0].name ? 5 : 0;
		paleo_parameter_set(&m.kernel->parameters[1], &m.params, 0.1 + 0.2);
		f.model = &m;
		plant(trees);
		f.correction = (struct paleo_trees){trees, 2, 5};
		f.spread = (struct paleo_trees){trees, 1, 5};
		f.band_count = 2;
		f.bands[0] = (struct paleo_band){0, {0.5, 2, 0.8, 1.25}};
		f.bands[1] = (struct paleo_band){1e-3, {0.9, 1.1, 0.95, 1.05}};
		assert_int_equal(paleo_calibration_text(&c, &text, &err), PALEO_OK);
		if (paleo_calibration_parse("x", text, strlen(text), &read, &err))
			fail_msg("%s", err.text);
		same_factor(&read.models[0], &f);
		free(text);
		paleo_calibration_release(&read);
	}
}

static struct paleo_calibration parsed(const char *text)
{
	struct paleo_calibration c;
	struct paleo_error err;

	if (paleo_calibration_parse("x", text, strlen(text), &c, &err))
		fail_msg("%s", err.text);
	return c;
}

/* What is committed reads back as the same when it is written today. */
static void rewrites_a_committed_calibration(void **state)
{
	(void)state;
	struct paleo_calibration before;
	struct paleo_error err;
	char *text, *again;

	if (paleo_calibration_load("results/cpu-amd-epyc/calibration.json", &before, &err))
		fail_msg("%s", err.text);
	assert_int_equal(paleo_calibration_text(&before, &text, &err), PALEO_OK);
	struct paleo_calibration now = parsed(text);
	assert_int_equal(now.count, before.count);
	for (int i = 0; i < now.count; i++)
		same_factor(&now.models[i], &before.models[i]);
	assert_true(now.speed.flop_per_s == before.speed.flop_per_s &&
		    now.speed.bytes_per_s == before.speed.bytes_per_s);
	assert_int_equal(paleo_calibration_text(&now, &again, &err), PALEO_OK);
	assert_string_equal(again, text);
	free(text);
	free(again);
	paleo_calibration_release(&now);
	paleo_calibration_release(&before);
}

/* Trees that are left unread are those of the file once they are taken; skipped ones are none. */
static void leaves_trees_unread(void **state)
{
	static const char path[] = "results/presets/t4.json";
	struct paleo_calibration whole, later, without;
	struct paleo_trees trees;
	struct paleo_error err;
	int taken = 0;

	(void)state;
	assert_int_equal(paleo_calibration_load(path, &whole, &err), PALEO_OK);
	assert_int_equal(paleo_calibration_load_preset(path, 1, &later, &err), PALEO_OK);
	assert_int_equal(paleo_calibration_load_preset(path, 0, &without, &err), PALEO_OK);
	assert_int_equal(later.count, whole.count);
	for (int i = 0; i < whole.count; i++) {
		const struct paleo_class_model *f = &whole.models[i];
		assert_int_equal(later.models[i].correction.count, 0);
		assert_int_equal(paleo_trees_take(&later.models[i], "correction", &trees, &err), 0);
		same_trees(&trees, &f->correction);
		taken += trees.count;
		paleo_trees_release(&trees);
		assert_int_equal(paleo_trees_take(&later.models[i], "spread", &trees, &err), 0);
		same_trees(&trees, &f->spread);
		paleo_trees_release(&trees);
		assert_int_equal(paleo_class_model_has_spread(&later.models[i]),
				 f->spread.count > 0);
		assert_int_equal(paleo_class_model_has_spread(&without.models[i]), 0);
	}
	assert_true(taken > 0);
	paleo_calibration_release(&whole);
	paleo_calibration_release(&later);
	paleo_calibration_release(&without);
}

/* A fit that ends on a bound has its logarithm: exp(log(1e7)) is more than 1e7. */
static void reads_parameters_on_their_bounds(void **state)
{
	(void)state;
	int count;
	const struct paleo_kernel_model *const *models = paleo_kernel_models(&count);
	struct paleo_error err;

	for (int i = 0; i < 2 * count; i++) {
		const struct paleo_kernel_model *kernel = models[i / 2];
		struct paleo_fitted_kernel m;
		struct paleo_class_model f = example("gemm", PALEO_FWD);
		struct paleo_calibration read, c = with_factor(&f);
		char *text;
		f.dtype = PALEO_F32;
		paleo_kernel_model_init(kernel, PALEO_F32, &m);
		for (int j = kernel->first ? 1 : 0; j < kernel->count; j++) {
			const struct paleo_parameter *p = &kernel->parameters[j];
			paleo_parameter_set_log(p, &m.params, log(i % 2 ? p->high : p->low));
		}
		f.model = &m;
		assert_int_equal(paleo_calibration_text(&c, &text, &err), PALEO_OK);
		if (paleo_calibration_parse("x", text, strlen(text), &read, &err))
			fail_msg("%s", err.text);
		same_model(read.models[0].model, &m);
		free(text);
		paleo_calibration_release(&read);
	}
}

static void reads_what_it_wrote(void **state)
{
	(void)state;
	struct paleo_class_model factors[] = {example("conv.depthwise", PALEO_BWD_FILTER),
					      example("update.adam", PALEO_PASS_UPDATE),
					      example("any", PALEO_FWD)};
	uint64_t seen[] = {UINT64_C(0x0123456789abcdef), UINT64_C(0xfedcba9876543210)};
	struct paleo_calibration c = {.device = {.name = "x1",
						 .flop_per_s = {[PALEO_BF16] = 1e12},
						 .mem_bytes_per_s = 1e11},
				      .backend = "fake",
				      .versions = "a \"b\" 1.2",
				      .mode = "hot",
				      .created_utc = "2026-01-02T03:04:05Z",
				      .speed = {4e11, 6e10},
				      .threads = 3,
				      .records = 14,
				      .models = factors,
				      .count = 3,
				      .seen = seen,
				      .seen_count = 2};
	struct paleo_calibration read;
	struct paleo_error err;
	char path[] = "/tmp/paleo-calibration-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	struct paleo_save *to = NULL;
	assert_int_equal(paleo_save_begin(path, &paleo_calibration_kind, 0, &to, &err), PALEO_OK);
	assert_int_equal(paleo_calibration_save(&c, to, &err), PALEO_OK);
	paleo_save_end(to);
	int rc = paleo_calibration_load(path, &read, &err);
	unlink(path);
	if (rc)
		fail_msg("%s", err.text);
	assert_string_equal(read.backend, "fake");
	assert_string_equal(read.versions, c.versions);
	assert_string_equal(read.mode, "hot");
	assert_string_equal(read.created_utc, c.created_utc);
	assert_string_equal(read.device.name, "x1");
	assert_true(read.device.flop_per_s[PALEO_BF16] == 1e12);
	assert_true(read.speed.flop_per_s == 4e11 && read.speed.bytes_per_s == 6e10);
	assert_int_equal(read.threads, 3);
	assert_int_equal(read.records, 14);
	assert_int_equal(read.count, 3);
	for (int i = 0; i < 3; i++)
		same_factor(&read.models[i], &factors[i]);
	assert_int_equal(read.seen_count, 2);
	assert_true(read.seen[0] == seen[0] && read.seen[1] == seen[1]);
	paleo_calibration_release(&read);
}

static int load_bad(const char *file, struct paleo_error *err)
{
	struct paleo_calibration c = {.count = -7};
	int rc = paleo_calibration_load(file, &c, err);

	return c.count == -7 ? rc : PALEO_OK;
}

static void refuses_broken_files(void **state)
{
	(void)state;
	assert_true(every_bad_file_is_refused("calibrations", load_bad, NULL) > 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_what_it_wrote),
		cmocka_unit_test(reads_every_kernel_model_that_it_wrote),
		cmocka_unit_test(rewrites_a_committed_calibration),
		cmocka_unit_test(reads_parameters_on_their_bounds),
		cmocka_unit_test(leaves_trees_unread),
		cmocka_unit_test(refuses_broken_files),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
