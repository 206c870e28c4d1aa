/* test_experts.c - the reference of experts' gradients, by differences of an own forward pass. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "reference_help.h"

enum {
	TOKENS = 6,
	HIDDEN = 5,
	INTER = 3,
	EXPERTS = 4,
	TOPK = 2,
	ROWS = TOKENS * TOPK,
	WIDTH_MAX = 2 * INTER
};

#define GEOMETRY "f32 tokens=6 hidden=5 inter=3 experts=4 local=4 topk=2"

/* What lies between, by rows of pairs: an expert's after another's. */
struct pass {
	struct paleo_op op;
	int width;
	int token[ROWS], expert[ROWS];
	double gate[ROWS];
	double inner[ROWS][WIDTH_MAX];
};

static double input(const struct pass *p, enum paleo_role role, int at)
{
	return (double)paleo_fill_value(&p->op, role, 0, at);
}

static struct pass pass_of(const char *key)
{
	struct pass p = {.width = INTER};
	struct paleo_error err;
	int row = 0;

	assert_int_equal(paleo_op_parse(key, &p.op, &err), PALEO_OK);
	p.width *= p.op.geom.moe.gated ? 2 : 1;
	for (int expert = 0; expert < EXPERTS; expert++) {
		for (int pair = 0; pair < TOKENS * TOPK; pair++) {
			if ((int)input(&p, PALEO_INDEX, pair) != expert)
				continue;
			p.token[row] = pair / TOPK;
			p.expert[row] = expert;
			p.gate[row] = input(&p, PALEO_GATE, pair);
			for (int j = 0; j < p.width; j++)
				p.inner[row][j] = input(&p, PALEO_INNER, row * p.width + j);
			row++;
		}
	}
	assert_int_equal(row, ROWS);
	return p;
}

static double between(const struct pass *p, int row, int j)
{
	double a = p->inner[row][j];

	if (!p->op.geom.moe.gated)
		return fmax(a, 0) * fmax(a, 0);
	return a / (1 + exp(-a)) * p->inner[row][INTER + j];
}

/* The sum of y dy, as far as this row is a part of it. */
static double loss(const struct pass *p, int row)
{
	double sum = 0;

	for (int c = 0; c < HIDDEN; c++)
		for (int j = 0; j < INTER; j++)
			sum += input(p, PALEO_DY, p->token[row] * HIDDEN + c) * p->gate[row] *
			       between(p, row, j) *
			       input(p, PALEO_W2, (p->expert[row] * HIDDEN + c) * INTER + j);
	return sum;
}

static double slope(struct pass *p, int row, int j)
{
	const double step = 1e-5;
	double old = p->inner[row][j];

	p->inner[row][j] = old + step;
	double high = loss(p, row);
	p->inner[row][j] = old - step;
	double low = loss(p, row);
	p->inner[row][j] = old;
	return (high - low) / (2 * step);
}

static void expect(const struct pass *p, enum paleo_role role, int at, double expected)
{
	struct paleo_error err;
	double value, magnitude;

	assert_int_equal(paleo_reference_value(&p->op, role, 0, at, &value, &magnitude, &err),
			 PALEO_OK);
	if (!(fabs(value - expected) <= 1e-7))
		fail_msg("%s at %d is %.9g, not %.9g", paleo_role_name(role), at, value, expected);
}

/* Gradients of what is between by differences, those of tokens by these. */
static void check_tokens(const char *key)
{
	struct pass p = pass_of(key);
	double dx[TOKENS][HIDDEN] = {{0}};

	for (int row = 0; row < ROWS; row++) {
		for (int j = 0; j < p.width; j++) {
			double of_inner = slope(&p, row, j);
			expect(&p, PALEO_DINNER, row * p.width + j, of_inner);
			for (int i = 0; i < HIDDEN; i++)
				dx[p.token[row]][i] +=
					of_inner *
					input(&p, PALEO_W,
					      (p.expert[row] * p.width + j) * HIDDEN + i);
		}
	}
	for (int i = 0; i < TOKENS * HIDDEN; i++)
		expect(&p, PALEO_DX, i, dx[i / HIDDEN][i % HIDDEN]);
}

static void gradients_of_tokens(void **state)
{
	(void)state;
	check_tokens("moe bwd_data " GEOMETRY " gated=1");
	check_tokens("moe bwd_data " GEOMETRY);
}

/* y is linear in both matrices: each gradient is a sum over the expert's rows. */
static void check_experts(const char *key)
{
	struct pass p = pass_of(key);
	double first[EXPERTS][WIDTH_MAX][HIDDEN] = {{{0}}};
	double second[EXPERTS][HIDDEN][INTER] = {{{0}}};

	for (int row = 0; row < ROWS; row++) {
		for (int i = 0; i < HIDDEN; i++) {
			int at = p.token[row] * HIDDEN + i;
			for (int j = 0; j < p.width; j++)
				first[p.expert[row]][j][i] +=
					input(&p, PALEO_DINNER, row * p.width + j) *
					input(&p, PALEO_X, at);
			for (int j = 0; j < INTER; j++)
				second[p.expert[row]][i][j] +=
					p.gate[row] * input(&p, PALEO_DY, at) * between(&p, row, j);
		}
	}
	for (int e = 0, at = 0; e < EXPERTS; e++)
		for (int j = 0; j < p.width; j++)
			for (int i = 0; i < HIDDEN; i++)
				expect(&p, PALEO_DW, at++, first[e][j][i]);
	for (int at = 0; at < EXPERTS * HIDDEN * INTER; at++)
		expect(&p, PALEO_DW2, at,
		       second[at / (HIDDEN * INTER)][at / INTER % HIDDEN][at % INTER]);
}

static void gradients_of_experts(void **state)
{
	(void)state;
	check_experts("moe bwd_filter " GEOMETRY " gated=1");
	check_experts("moe bwd_filter " GEOMETRY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gradients_of_tokens),
		cmocka_unit_test(gradients_of_experts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
