/* test_routing.c - tokens of a worker's experts: by hand, and as drawn from the law. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/hash.h"
#include "model/predict/routing.h"
#include "tests/unit/given.h"

enum {
	EXPERTS = 128,
	TOPK = 8,
	DRAWS = 400
};

static struct paleo_moe_geom experts(int tokens, int local, int skew)
{
	return (struct paleo_moe_geom){.tokens = tokens,
				       .hidden = 8,
				       .inter = 8,
				       .experts = EXPERTS,
				       .local = local,
				       .topk = TOPK,
				       .skew = skew};
}

/* Two tokens have 16 pairs, of which 8 are on half of the experts; 32 have 2 for each of these, and
 * 33 a second tile in each. */
static void experts_take_pairs_in_turn(void **state)
{
	(void)state;
	struct paleo_moe_geom g = experts(2, EXPERTS / 2, 0);
	struct paleo_routing r = paleo_routing_of(&g, 8);

	assert_true(r.pairs == 8 && r.hit == 8 && r.load == 1 && r.rows == 64);
	g = experts(32, EXPERTS / 2, 0);
	r = paleo_routing_of(&g, 2);
	assert_true(r.pairs == 128 && r.hit == 64 && r.rows == 128);
	g = experts(33, EXPERTS / 2, 0);
	r = paleo_routing_of(&g, 2);
	assert_true(r.pairs == 132 && r.hit == 64 && r.rows == 256);
}

/* 64 tokens, all on 32 local experts, would be 16 each. */
static void tiles_hold_the_tokens_as_if_all_were_local(void **state)
{
	(void)state;
	static const struct {
		int tokens, local;
		double most, rows;
	} cases[] = {{1, 32, 256, 8},   {64, 32, 256, 16},   {65, 32, 256, 32},
		     {65, 128, 256, 8}, {4096, 1, 256, 256}, {4096, 1, 100, 100}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct paleo_moe_geom g = experts(cases[i].tokens, cases[i].local, 0);
		assert_true(paleo_routing_tile(&g, cases[i].most) == cases[i].rows);
	}
}

/* A share between low and high, where those below it are u of all. */
static double share_at(double u, double alpha, double low, double high)
{
	double power = 1 - alpha;

	return pow(u * (pow(high, power) - pow(low, power)) + pow(low, power), 1 / power);
}

/* Experts' numbers of pairs as a benchmark draws them: shares of all, the busiest worker first.
 * Adds to what the routing should be. */
static void draw(const struct paleo_moe_geom *g, int seed, double tile, struct paleo_routing *sum)
{
	double shares[EXPERTS], all = 0, most = 0;
	double pairs = (double)g->tokens * g->topk;
	int first = 0, many = pairs > EXPERTS;

	for (int i = 0; i < EXPERTS; i++) {
		uint64_t h = paleo_hash((uint64_t)seed * EXPERTS + (uint64_t)i);
		shares[i] = share_at((double)(h >> 11) / 9007199254740992.0, g->skew / 100.0,
				     many ? 1 : 0.01, many ? 0.8 * g->tokens : 2);
		all += shares[i];
	}
	for (int i = 0; i < EXPERTS; i += g->local) {
		double part = 0;
		for (int k = i; k < i + g->local; k++)
			part += shares[k];
		first = part > most ? i : first;
		most = fmax(part, most);
	}
	for (int k = first; k < first + g->local; k++) {
		double n = fmin(rint(shares[k] / all * pairs), g->tokens);
		sum->pairs += n / DRAWS;
		sum->hit += (n > 0) / (double)DRAWS;
		sum->rows += ceil(n / tile) * tile / DRAWS;
	}
}

static void near(const struct paleo_moe_geom *g, const char *what, double a, double b)
{
	if (!(fabs(a / b - 1) < 0.15))
		fail_msg("%s of %d tokens, %d local, skew %d: %g, drawn %g", what, g->tokens,
			 g->local, g->skew, a, b);
}

/* The busiest worker's pairs, its experts with a token and their tiles are the means of draws
 * within 15 %; numbers of ops' time differ by as much from draw to draw. */
static void follows_draws_of_the_law(void **state)
{
	(void)state;
	static const int tokens[] = {32, 256, 4096}, locals[] = {1, 4, 32, 128};

	for (int skew = 101; skew <= 120; skew += 19)
		for (int t = 0; t < 3; t++)
			for (int i = 0; i < 4; i++) {
				struct paleo_moe_geom g = experts(tokens[t], locals[i], skew);
				double tile = paleo_routing_tile(&g, 64);
				struct paleo_routing r = paleo_routing_of(&g, tile), sum = {0};
				for (int seed = 0; seed < DRAWS; seed++)
					draw(&g, seed, tile, &sum);
				near(&g, "pairs", r.pairs, sum.pairs);
				near(&g, "experts hit", r.hit, sum.hit);
				near(&g, "rows", r.rows, sum.rows);
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(experts_take_pairs_in_turn),
		cmocka_unit_test(tiles_hold_the_tokens_as_if_all_were_local),
		cmocka_unit_test(follows_draws_of_the_law),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
