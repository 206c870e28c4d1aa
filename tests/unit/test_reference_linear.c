/* test_reference_linear.c - the reference of linear ops against scatter loops and adjoints. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "reference_help.h"

enum {
	SIZE = 8192 /* of the largest tensor here */
};

static int count_of(const struct paleo_op *w, enum paleo_role role)
{
	struct paleo_operand list[PALEO_OPERANDS_MAX];
	int n = paleo_op_operands(w, list);
	const struct paleo_operand *o = paleo_operand_find(list, n, role);

	assert_non_null(o);
	assert_true(paleo_operand_count(o) <= SIZE);
	return (int)paleo_operand_count(o);
}

/* The input without its scale, which differs from pass to pass. */
static double plain(const struct paleo_op *w, enum paleo_role role, int copy, int index)
{
	return paleo_fill_value(w, role, copy, index) / paleo_fill_scale(w, role);
}

/* Inner product of a result, divided by its scale, with an input of another pass. */
static double inner(const struct paleo_op *a, enum paleo_role r, double scale,
		    const struct paleo_op *b, enum paleo_role input)
{
	double sum = 0;

	for (int i = 0; i < count_of(a, r); i++)
		sum += result(a, r, 0, i) / scale * plain(b, input, 0, i);
	return sum;
}

static const char *const convs[] = {
	"conv fwd f32 n=2 c=3 h=5 w=6 k=4 r=3 s=2",
	("conv fwd f32 n=1 c=4 h=7 w=8 k=6 r=3 s=3 stride_h=2 stride_w=3 pad_t=1 pad_l=2 pad_b=2 "
	 "groups=2"),
	"conv fwd f32 n=1 c=3 h=9 w=8 k=3 r=3 s=2 pad_t=2 pad_r=1 dil_h=2 dil_w=3 groups=3",
	"conv fwd f32 n=2 c=5 h=4 w=4 k=2 r=1 s=1 stride_h=2 stride_w=2",
	"conv fwd f32 n=1 c=2 h=4 w=3 k=3 r=7 s=5 pad_t=3 pad_l=2 pad_b=3 pad_r=2",
};

/* Every input pixel and tap adds to the one output it meets: the other way round than the
 * reference, which collects. */
static void scatter(const struct paleo_op *w, double *y)
{
	const struct paleo_conv_geom *g = &w->geom.conv;
	int per_group = g->c / g->groups, filters = g->k / g->groups;

	memset(y, 0, SIZE * sizeof(*y));
	for (int xi = 0; xi < g->n * g->c * g->h * g->w; xi++) {
		int col = xi % g->w, row = xi / g->w % g->h;
		int c = xi / g->w / g->h % g->c, n = xi / g->w / g->h / g->c;
		for (int wi = 0; wi < g->k * per_group * g->r * g->s; wi++) {
			int s = wi % g->s, r = wi / g->s % g->r;
			int wc = wi / g->s / g->r % per_group, k = wi / g->s / g->r / per_group;
			int up = row + g->pad_t - r * g->dil_h;
			int left = col + g->pad_l - s * g->dil_w;
			if (c != k / filters * per_group + wc || up < 0 || left < 0 ||
			    up % g->stride_h || left % g->stride_w)
				continue;
			int p = up / g->stride_h, q = left / g->stride_w;
			if (p < g->p && q < g->q)
				y[((n * g->k + k) * g->p + p) * g->q + q] +=
					(double)paleo_fill_value(w, PALEO_X, 0, xi) *
					(double)paleo_fill_value(w, PALEO_W, 0, wi);
		}
	}
}

static void conv_forward(void **state)
{
	static double y[SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof(convs) / sizeof(convs[0]); i++) {
		struct paleo_op w = given_op(convs[i]);
		scatter(&w, y);
		for (int j = 0; j < count_of(&w, PALEO_Y); j++)
			assert_near(result(&w, PALEO_Y, 0, j), y[j], 1e-9);
	}
}

/* y is linear in x and in w, so that <y, dy> = <dx, x> = <dw, w>. */
static void conv_adjoint(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(convs) / sizeof(convs[0]); i++) {
		struct paleo_op fwd = given_op(convs[i]);
		struct paleo_op data = other_pass(&fwd, PALEO_BWD_DATA);
		struct paleo_op filter = other_pass(&fwd, PALEO_BWD_FILTER);
		double y = inner(&fwd, PALEO_Y, paleo_fill_scale(&fwd, PALEO_W), &data, PALEO_DY);
		double x = inner(&data, PALEO_DX, paleo_fill_scale(&data, PALEO_W), &fwd, PALEO_X);
		double w = inner(&filter, PALEO_DW, paleo_fill_scale(&filter, PALEO_DY), &fwd,
				 PALEO_W);
		assert_near(x, y, 1e-9);
		assert_near(w, y, 1e-9);
	}
}

/* With bias, an output is larger by the bias; its gradient is the sum of dy over a channel. */
static void conv_bias(void **state)
{
	struct paleo_op without = given_op("conv fwd f32 n=2 c=2 h=4 w=3 k=3 r=2 s=2");
	struct paleo_op with = given_op("conv fwd f32 n=2 c=2 h=4 w=3 k=3 r=2 s=2 bias=1");
	struct paleo_op filter = given_op("conv bwd_filter f32 n=2 c=2 h=4 w=3 k=3 r=2 s=2 bias=1");
	double sum[3] = {0};

	(void)state;
	for (int i = 0; i < 2 * 3 * 6; i++) { /* 3x2 outputs a channel */
		int k = i / 6 % 3;
		assert_near(result(&with, PALEO_Y, 0, i) - result(&without, PALEO_Y, 0, i),
			    paleo_fill_value(&with, PALEO_BIAS, 0, k), 1e-9);
		sum[k] += paleo_fill_value(&filter, PALEO_DY, 0, i);
	}
	for (int k = 0; k < 3; k++)
		assert_near(result(&filter, PALEO_DBIAS, 0, k), sum[k], 1e-9);
}

/* All transposes, on explicit matrices op(A) and op(B). */
static void gemm(void **state)
{
	enum {
		M = 3,
		N = 4,
		K = 5,
		B = 2
	};

	(void)state;
	for (int variant = 0; variant < 4; variant++) {
		int ta = variant & 1, tb = variant >> 1;
		char key[128];
		snprintf(key, sizeof(key), "gemm fwd f32 m=3 n=4 k=5 batch=2%s%s",
			 ta ? " trans_a=1" : "", tb ? " trans_b=1" : "");
		struct paleo_op w = given_op(key);
		for (int y = 0; y < B * M * N; y++) {
			int b = y / (M * N), i = y / N % M, j = y % N;
			double sum = 0;
			for (int k = 0; k < K; k++) {
				int ai = b * M * K + (ta ? k * M + i : i * K + k);
				int bi = b * K * N + (tb ? j * K + k : k * N + j);
				sum += (double)paleo_fill_value(&w, PALEO_X, 0, ai) *
				       (double)paleo_fill_value(&w, PALEO_W, 0, bi);
			}
			assert_near(result(&w, PALEO_Y, 0, y), sum, 1e-9);
		}
	}
}

static void gemm_bias(void **state)
{
	struct paleo_op without = given_op("gemm fwd f32 m=3 n=4 k=5");
	struct paleo_op with = given_op("gemm fwd f32 m=3 n=4 k=5 bias=1");
	struct paleo_op filter = given_op("gemm bwd_filter f32 m=3 n=4 k=5 trans_a=1 bias=1");

	(void)state;
	for (int i = 0; i < 12; i++)
		assert_near(result(&with, PALEO_Y, 0, i) - result(&without, PALEO_Y, 0, i),
			    paleo_fill_value(&with, PALEO_BIAS, 0, i % 4), 1e-9);
	for (int i = 0; i < 3; i++) { /* A is stored 5 x 3 */
		double sum = 0;
		for (int k = 0; k < 5; k++)
			sum += paleo_fill_value(&filter, PALEO_X, 0, k * 3 + i);
		assert_near(result(&filter, PALEO_DBIAS, 0, i), sum, 1e-9);
	}
}

static const char *const adjoints[] = {
	"pool fwd f32 mode=avg n=1 c=2 h=5 w=6 r=3 s=2 stride_h=2 stride_w=1 pad_t=1 pad_r=1",
	("pool fwd f32 mode=avg_pad n=1 c=2 h=7 w=6 r=3 s=3 stride_h=2 stride_w=2 pad_t=1 pad_l=2 "
	 "pad_b=1"),
	"pool fwd f32 mode=avg n=2 c=3 h=4 w=5 r=4 s=5",
	"upsample fwd f32 mode=nearest n=1 c=2 h=3 w=4 scale_h=2 scale_w=3",
	"upsample fwd f32 mode=bilinear n=1 c=2 h=3 w=4 scale_h=2 scale_w=3",
	"upsample fwd f32 mode=bilinear n=1 c=1 h=1 w=5 scale_h=4 scale_w=1",
};

static void other_adjoints(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(adjoints) / sizeof(adjoints[0]); i++) {
		struct paleo_op fwd = given_op(adjoints[i]);
		struct paleo_op back = other_pass(&fwd, PALEO_BWD_DATA);
		assert_near(inner(&back, PALEO_DX, 1, &fwd, PALEO_X),
			    inner(&fwd, PALEO_Y, 1, &back, PALEO_DY), 1e-9);
	}
}

/* Three pixels a, b, c; padding 1 at the left: windows {-, a}, {b, c}. Only AVG_PAD counts the
 * padding. */
static void pool_average(void **state)
{
	struct paleo_op avg = given_op("pool fwd f32 mode=avg n=1 c=1 h=1 w=3 r=1 s=2 "
				       "stride_w=2 pad_l=1");
	struct paleo_op pad = given_op("pool fwd f32 mode=avg_pad n=1 c=1 h=1 w=3 r=1 s=2 "
				       "stride_w=2 pad_l=1");
	double a = plain(&avg, PALEO_X, 0, 0), b = plain(&avg, PALEO_X, 0, 1);
	double c = plain(&avg, PALEO_X, 0, 2);

	(void)state;
	assert_near(result(&avg, PALEO_Y, 0, 0), a, 1e-9);
	assert_near(result(&avg, PALEO_Y, 0, 1), (b + c) / 2, 1e-9);
	assert_near(result(&pad, PALEO_Y, 0, 0), a / 2, 1e-9);
	assert_near(result(&pad, PALEO_Y, 0, 1), (b + c) / 2, 1e-9);
}

/* The maximum by sorting out of the whole plane, and its gradient sent back from each window. In
 * bf16, which has few values, so that some are equal: the first of them wins. */
static void pool_maximum(void **state)
{
	enum {
		C = 250,
		H = 6,
		W = 5,
		P = 3,
		Q = 3
	};
	static double dx[C * H * W];
	int ties = 0;

	(void)state;
	struct paleo_op fwd =
		given_op("pool fwd bf16 mode=max n=1 c=250 h=6 w=5 r=3 s=3 stride_h=2 "
			 "stride_w=2 pad_t=1 pad_l=1 pad_r=1");
	struct paleo_op back = other_pass(&fwd, PALEO_BWD_DATA);
	assert_int_equal(count_of(&fwd, PALEO_Y), C * P * Q);
	for (int y = 0; y < C * P * Q; y++) {
		int best = -1, equal = 0;
		for (int x = y / (P * Q) * H * W; x < (y / (P * Q) + 1) * H * W; x++) {
			int down = x / W % H - (y / Q % P * 2 - 1), right = x % W - (y % Q * 2 - 1);
			if (down < 0 || down > 2 || right < 0 || right > 2)
				continue;
			double more = best < 0 ? 1
					       : plain(&fwd, PALEO_X, 0, x) -
							 plain(&fwd, PALEO_X, 0, best);
			equal = more > 0 ? 0 : equal + (more == 0);
			best = more > 0 ? x : best;
		}
		ties += equal > 0;
		assert_near(result(&fwd, PALEO_Y, 0, y), plain(&fwd, PALEO_X, 0, best), 1e-9);
		dx[best] += plain(&back, PALEO_DY, 0, y);
	}
	for (int x = 0; x < C * H * W; x++)
		assert_near(result(&back, PALEO_DX, 0, x), dx[x], 1e-9);
	assert_true(ties > 0);
}

/* Half-pixel centres at scale 2: outputs lie at -1/4, 1/4, 3/4, 5/4 ... of the inputs. */
static void upsample_weights(void **state)
{
	struct paleo_op w = given_op("upsample fwd f32 mode=bilinear n=1 c=1 h=1 w=2 scale_w=2");
	struct paleo_op near = given_op("upsample fwd f32 mode=nearest n=1 c=1 h=1 w=2 scale_w=2");
	double a = plain(&w, PALEO_X, 0, 0), b = plain(&w, PALEO_X, 0, 1);

	(void)state;
	assert_near(result(&w, PALEO_Y, 0, 0), a, 1e-9);
	assert_near(result(&w, PALEO_Y, 0, 1), 0.75 * a + 0.25 * b, 1e-9);
	assert_near(result(&w, PALEO_Y, 0, 2), 0.25 * a + 0.75 * b, 1e-9);
	assert_near(result(&w, PALEO_Y, 0, 3), b, 1e-9);
	assert_near(result(&near, PALEO_Y, 0, 1), a, 1e-9);
	assert_near(result(&near, PALEO_Y, 0, 2), b, 1e-9);
}

/* 2 rows of 7 columns from parts of 3, 2 and 2 columns; row 1 begins at 7. */
static void copies(void **state)
{
	struct paleo_op fwd = given_op("copy fwd f32 rows=2 cols=7 parts=3");
	struct paleo_op back = given_op("copy bwd_data f32 rows=2 cols=7 parts=3");

	(void)state;
	assert_near(result(&fwd, PALEO_Y, 0, 2), plain(&fwd, PALEO_X, 0, 2), 1e-9);
	assert_near(result(&fwd, PALEO_Y, 0, 3), plain(&fwd, PALEO_X, 1, 0), 1e-9);
	assert_near(result(&fwd, PALEO_Y, 0, 7), plain(&fwd, PALEO_X, 0, 3), 1e-9);
	assert_near(result(&fwd, PALEO_Y, 0, 13), plain(&fwd, PALEO_X, 2, 3), 1e-9);
	assert_near(result(&back, PALEO_DX, 0, 3), plain(&back, PALEO_DY, 0, 7), 1e-9);
	assert_near(result(&back, PALEO_DX, 1, 2), plain(&back, PALEO_DY, 0, 10), 1e-9);
	assert_near(result(&back, PALEO_DX, 2, 1), plain(&back, PALEO_DY, 0, 6), 1e-9);
}

/* The nearest of all e4m3 numbers, found by looking at each: s eeee mmm, bias 7, the largest 448;
 * of two as near the one whose last bit is 0. */
static double nearest_e4m3(double v)
{
	double best = 0;
	int best_code = 0;

	for (int code = 0; code < 127; code++) {
		int e = code >> 3, m = code & 7;
		double at = e ? ldexp(8 + m, e - 10) : ldexp(m, -9);
		double off = fabs(fabs(v) - at), least = fabs(fabs(v) - best);
		if (off > least || (off == least && best_code % 2 == 0))
			continue;
		best = at;
		best_code = code;
	}
	return copysign(best, v);
}

/* Activations are quantised by their largest element, weights hold e4m3 times a power of two. */
static void gemm_quantised(void **state)
{
	struct paleo_op w = given_op("gemm fwd fp8 m=3 n=5 k=32 trans_b=1 bias=1");
	double scale = paleo_fill_scale(&w, PALEO_W), most = 0;

	(void)state;
	for (int i = 0; i < 3 * 32; i++)
		most = fmax(most, fabs((double)paleo_fill_value(&w, PALEO_X, 0, i)));
	assert_true(most > 0.5 && most <= 1 && scale == 0.125); /* 2^-round(log2(32)/2) */
	for (int y = 0; y < 15; y++) {
		double sum = paleo_fill_value(&w, PALEO_BIAS, 0, y % 5);
		for (int k = 0; k < 32; k++) {
			int xi = y / 5 * 32 + k, wi = y % 5 * 32 + k;
			double x = paleo_fill_value(&w, PALEO_X, 0, xi);
			double f = paleo_fill_value(&w, PALEO_W, 0, wi);
			assert_true(nearest_e4m3(f / scale) == f / scale);
			sum += nearest_e4m3(x * 448 / most) * most / 448 * f;
		}
		/* x * 448/most is rounded to f32 before: at a tie that may decide otherwise */
		assert_near(result(&w, PALEO_Y, 0, y), sum, 1e-6);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(conv_forward),   cmocka_unit_test(conv_adjoint),
		cmocka_unit_test(conv_bias),      cmocka_unit_test(gemm),
		cmocka_unit_test(gemm_bias),      cmocka_unit_test(gemm_quantised),
		cmocka_unit_test(other_adjoints), cmocka_unit_test(pool_average),
		cmocka_unit_test(pool_maximum),   cmocka_unit_test(upsample_weights),
		cmocka_unit_test(copies),
	};

	return cmocka_run_group_tests_name("reference_linear", tests, NULL, NULL);
}
