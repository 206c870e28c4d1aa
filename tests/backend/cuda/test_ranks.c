/* test_ranks.c - the plan of a convolution takes at each rank what the list tells of it. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "bench/backends/cuda/graph/graph.h"
#include "bench/backends/cuda/plans/plans.h"
#include "bench/backends/cuda/session.h"
#include "tests/unit/unit.h"

/* What stands in for cuDNN: so many engines for a convolution with its activation, with its bias,
 * and alone; or the error of asking for them. The handle points to it. */
enum {
	WITH_ACT,
	WITH_BIAS,
	ALONE,
	GRAPHS
};

struct offer {
	int engines[GRAPHS];
	int fault[GRAPHS];
};

/* A graph is only its number. */
static int build(struct paleo_cudnn_graph *g, int which)
{
	g->operation_count = which;
	return PALEO_OK;
}

int paleo_cudnn_graph_conv_act(struct paleo_cudnn_graph *g, const struct paleo_op *w,
			       struct paleo_error *err)
{
	(void)w;
	(void)err;
	return build(g, WITH_ACT);
}

int paleo_cudnn_graph_conv_bias(struct paleo_cudnn_graph *g, const struct paleo_op *w,
				struct paleo_error *err)
{
	(void)w;
	(void)err;
	return build(g, WITH_BIAS);
}

int paleo_cudnn_graph_conv(struct paleo_cudnn_graph *g, const struct paleo_op *w,
			   struct paleo_error *err)
{
	(void)w;
	(void)err;
	return build(g, ALONE);
}

void paleo_cudnn_graph_release(struct paleo_cudnn_graph *g)
{
	(void)g;
}

/* Engine 1.0 is the first with a bias. */
static struct paleo_algorithm engine(const struct paleo_cudnn_graph *g, int place)
{
	struct paleo_algorithm a = {0};

	snprintf(a.engine, sizeof(a.engine), "%d.%d", g->operation_count, place);
	return a;
}

int paleo_plan_choose(struct paleo_cudnn_graph *g, const struct paleo_engine_rules *rules,
		      struct paleo_plan *out, int *offered, struct paleo_error *err)
{
	const struct offer *o = (const void *)g->handle;
	int count = o->engines[g->operation_count], fault = o->fault[g->operation_count];

	if (fault)
		return paleo_fail(err, fault, "cudnn fails");
	*offered = count < rules->rank ? count : rules->rank;
	if (count <= rules->rank)
		return paleo_fail(err, PALEO_EUNSUPPORTED, "cudnn offers %d engines", count);
	*out = (struct paleo_plan){.algorithm = engine(g, rules->rank)};
	return PALEO_OK;
}

int paleo_plan_list(struct paleo_cudnn_graph *g, const struct paleo_engine_rules *rules, int most,
		    struct paleo_algorithms *out, struct paleo_error *err)
{
	const struct offer *o = (const void *)g->handle;
	int count = o->engines[g->operation_count], fault = o->fault[g->operation_count];

	(void)rules;
	if (fault)
		return paleo_fail(err, fault, "cudnn fails");
	if (count == 0)
		return paleo_fail(err, PALEO_EUNSUPPORTED, "cudnn offers no engine");
	*out = (struct paleo_algorithms){.count = count < most ? count : most};
	for (int i = 0; i < out->count; i++)
		out->items[i] = engine(g, i);
	return PALEO_OK;
}

/* Kernels behind the graph: not of interest here. */
int paleo_plan_bias(struct paleo_job *j, struct paleo_error *err)
{
	(void)j;
	(void)err;
	return PALEO_OK;
}

int paleo_plan_act(struct paleo_job *j, int act, struct paleo_error *err)
{
	(void)act;
	return paleo_plan_bias(j, err);
}

int paleo_dtype_check(const struct paleo_session *s, enum paleo_dtype dtype,
		      struct paleo_error *err)
{
	(void)s;
	(void)dtype;
	(void)err;
	return PALEO_OK;
}

/* What convolutions do not call, but the same files do. */
static int not_called(struct paleo_error *err)
{
	return paleo_fail(err, PALEO_EBACKEND, "this is not for convolutions");
}

int paleo_cudnn_graph_norm(struct paleo_cudnn_graph *g, const struct paleo_op *w,
			   struct paleo_error *err)
{
	(void)g;
	(void)w;
	return not_called(err);
}

int paleo_cudnn_graph_experts_first(struct paleo_cudnn_graph *g, const struct paleo_op *w,
				    struct paleo_error *err)
{
	return paleo_cudnn_graph_norm(g, w, err);
}

int paleo_cudnn_graph_experts_second(struct paleo_cudnn_graph *g, const struct paleo_op *w,
				     struct paleo_error *err)
{
	return paleo_cudnn_graph_norm(g, w, err);
}

int paleo_cudnn_graph_attention(struct paleo_cudnn_graph *g, const struct paleo_op *w,
				struct paleo_error *err)
{
	return paleo_cudnn_graph_norm(g, w, err);
}

int paleo_cudnn_graph_attention_state(struct paleo_cudnn_graph *g, const struct paleo_op *w,
				      struct paleo_error *err)
{
	return paleo_cudnn_graph_norm(g, w, err);
}

int paleo_plan_bias_gradient(struct paleo_job *j, struct paleo_error *err)
{
	(void)j;
	return not_called(err);
}

int paleo_plan_cache(struct paleo_job *j, struct paleo_error *err)
{
	return paleo_plan_bias_gradient(j, err);
}

int paleo_plan_norm_kernels(struct paleo_job *j, struct paleo_error *err)
{
	return paleo_plan_bias_gradient(j, err);
}

int paleo_plan_norm_statistics(struct paleo_job *j, struct paleo_error *err)
{
	return paleo_plan_bias_gradient(j, err);
}

int paleo_gemm_algorithms(struct paleo_session *s, const struct paleo_op *w,
			  const struct paleo_bench_options *o, int most,
			  struct paleo_algorithms *out, struct paleo_error *err)
{
	(void)s;
	(void)w;
	(void)o;
	(void)most;
	(void)out;
	return not_called(err);
}

#define GEOMETRY "conv fwd f32 n=2 c=3 h=9 w=11 k=5 r=3 s=3 bias=1"

/* The plan of this rank: its engine, or the error. */
static int plan(struct offer *o, const char *key, int rank, struct paleo_algorithm *out)
{
	struct paleo_session s = {.cudnn = (void *)o};
	struct paleo_bench_options options = {0};
	struct paleo_job j = {0};
	struct paleo_error err;
	struct paleo_op w;

	assert_int_equal(paleo_op_parse(key, &w, &err), PALEO_OK);
	paleo_job_begin(&j, &w, &options);
	j.session = &s;
	j.rank = rank;
	int rc = paleo_plan_conv(&j, &err);
	assert_int_equal(j.rank, rank);
	assert_int_equal(j.step_count[PALEO_TIMED], rc ? 0 : 1);
	*out = j.chosen;
	paleo_job_clear(&j);
	return rc;
}

static int list(struct offer *o, const char *key, struct paleo_algorithms *out)
{
	struct paleo_session s = {.cudnn = (void *)o};
	struct paleo_bench_options options = {0};
	struct paleo_error err;
	struct paleo_op w;

	assert_int_equal(paleo_op_parse(key, &w, &err), PALEO_OK);
	return paleo_algorithms_list(&s, &w, &options, PALEO_ALGORITHMS_MAX, out, &err);
}

/* By hand: the engines of each way, one way after another. */
static void ranks_are_places_in_the_list(void **state)
{
	static struct {
		const char *key, *engines; /* rank after rank */
		struct offer offer;
	} cases[] = {
		{GEOMETRY, "1.0 2.0 2.1 2.2 2.3 2.4 ", {.engines = {0, 1, 5}}},
		{GEOMETRY, "2.0 2.1 2.2 2.3 ", {.engines = {0, 0, 4}}},
		{GEOMETRY, "1.0 1.1 1.2 2.0 ", {.engines = {0, 3, 1}}},
		{GEOMETRY, "1.0 1.1 ", {.engines = {0, 2, 0}}},
		{GEOMETRY " act=relu", "0.0 0.1 1.0 2.0 2.1 2.2 ", {.engines = {2, 1, 3}}},
		{GEOMETRY " act=relu", "1.0 2.0 2.1 ", {.engines = {0, 1, 2}}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct paleo_algorithms all = {0};
		struct paleo_algorithm a;
		char words[128] = "";
		assert_int_equal(list(&cases[i].offer, cases[i].key, &all), PALEO_OK);
		for (int rank = 0; rank < all.count; rank++) {
			assert_int_equal(plan(&cases[i].offer, cases[i].key, rank, &a), PALEO_OK);
			assert_string_equal(a.engine, all.items[rank].engine);
			assert_int_equal(a.has_bias, all.items[rank].has_bias);
			assert_int_equal(a.has_act, all.items[rank].has_act);
			size_t length = strlen(words);
			snprintf(words + length, sizeof(words) - length, "%s ", a.engine);
		}
		assert_string_equal(words, cases[i].engines);
		for (int rank = all.count; rank < all.count + 3; rank++)
			assert_int_equal(plan(&cases[i].offer, cases[i].key, rank, &a),
					 PALEO_EUNSUPPORTED);
	}
}

/* No engines is an answer; what went wrong is none, and no other way makes up for it. */
static void faults_are_not_passed_over(void **state)
{
	static const int faults[] = {PALEO_ENOMEM, PALEO_ECRASH, PALEO_EBACKEND};

	(void)state;
	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++) {
		struct offer o = {.engines = {0, 0, 4}, .fault = {0, faults[i], 0}};
		struct paleo_algorithms all;
		struct paleo_algorithm a;
		for (int rank = 0; rank < 3; rank++)
			assert_int_equal(plan(&o, GEOMETRY, rank, &a), faults[i]);
		assert_int_equal(list(&o, GEOMETRY, &all), faults[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranks_are_places_in_the_list),
		cmocka_unit_test(faults_are_not_passed_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
