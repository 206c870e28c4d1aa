/* test_reference_smooth.c - the reference of other ops: own forward code, differences. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "reference_help.h"

enum {
	SIZE = 256 /* elements of all inputs of one op */
};

/* All of an op's inputs as numbers that can be moved, one after the other. */
struct inputs {
	struct paleo_op fwd;
	double x[SIZE]; /* x copy 0, copy 1, or x, scale, shift */
	double dy[SIZE];
};

/* The test's own forward pass: y from the inputs; returns the count of y. */
typedef int forward(const struct inputs *in, double *y);

static double loss(const struct inputs *in, forward *f)
{
	double y[SIZE], sum = 0;
	int n = f(in, y);

	for (int i = 0; i < n; i++)
		sum += y[i] * in->dy[i];
	return sum;
}

/* Derivative of sum(y dy) with respect to input number `at`, by a central difference. */
static double slope(struct inputs *in, int at, forward *f)
{
	const double step = 1e-5;
	double old = in->x[at];

	in->x[at] = old + step;
	double high = loss(in, f);
	in->x[at] = old - step;
	double low = loss(in, f);
	in->x[at] = old;
	return (high - low) / (2 * step);
}

static void put(struct inputs *in, int at, enum paleo_role role, int copy, int count)
{
	for (int i = 0; i < count; i++)
		in->x[at + i] = paleo_fill_value(&in->fwd, role, copy, i);
}

static void start(struct inputs *in, const struct paleo_op *fwd, const struct paleo_op *back,
		  int outputs)
{
	memset(in, 0, sizeof(*in));
	in->fwd = *fwd;
	for (int i = 0; i < outputs; i++)
		in->dy[i] = paleo_fill_value(back, PALEO_DY, 0, i);
}

static void check_forward(const struct inputs *in, forward *f)
{
	double y[SIZE];
	int n = f(in, y);

	for (int i = 0; i < n; i++)
		assert_near(result(&in->fwd, PALEO_Y, 0, i), y[i], 1e-12);
}

static void check_slopes(struct inputs *in, int at, int count, const struct paleo_op *back,
			 enum paleo_role role, int copy, forward *f)
{
	for (int i = 0; i < count; i++)
		assert_near(result(back, role, copy, i), slope(in, at + i, f), 1e-7);
}

/* As the textbook says it: z = (x - mean) / sqrt(var + eps), y = z scale + shift. */
static int norm_forward(const struct inputs *in, double *y)
{
	const struct paleo_norm_geom *g = &in->fwd.geom.norm;
	int plane = g->h * g->w, count = g->n * g->c * plane;
	const double *scale = in->x + count, *shift = scale + g->c;

	for (int i = 0; i < count; i++) {
		double sum = 0, squares = 0, members = 0;
		for (int j = 0; j < count; j++) {
			int same = g->mode == PALEO_BATCH_NORM
					   ? i / plane % g->c == j / plane % g->c
					   : i / plane / g->c == j / plane / g->c &&
						     i % plane == j % plane;
			if (!same)
				continue;
			sum += in->x[j];
			squares += in->x[j] * in->x[j];
			members++;
		}
		double mean = g->mode == PALEO_RMS_NORM ? 0 : sum / members;
		double z = (in->x[i] - mean) / sqrt(squares / members - mean * mean + 1e-5);
		int c = i / plane % g->c;
		y[i] = (g->scale ? z * scale[c] : z) + (g->shift ? shift[c] : 0);
	}
	return count;
}

static void norms(void **state)
{
	static const char *const modes[] = {"batch", "layer", "rms"};

	(void)state;
	for (int variant = 0; variant < 12; variant++) {
		int scale = variant / 3 & 1, shift = variant / 6;
		char key[128];
		struct inputs in;
		snprintf(key, sizeof(key), "norm fwd f32 mode=%s n=2 c=3 h=2 w=3%s%s",
			 modes[variant % 3], scale ? " scale=1" : "", shift ? " shift=1" : "");
		struct paleo_op fwd = given_op(key);
		struct paleo_op back = fwd;
		back.pass = PALEO_BWD_DATA;
		start(&in, &fwd, &back, 36);
		put(&in, 0, PALEO_X, 0, 36);
		put(&in, 36, PALEO_SCALE, 0, 3);
		put(&in, 39, PALEO_SHIFT, 0, 3);
		check_forward(&in, norm_forward);
		check_slopes(&in, 0, 36, &back, PALEO_DX, 0, norm_forward);
		if (scale)
			check_slopes(&in, 36, 3, &back, PALEO_DSCALE, 0, norm_forward);
		if (shift)
			check_slopes(&in, 39, 3, &back, PALEO_DSHIFT, 0, norm_forward);
	}
}

static int lrn_forward(const struct inputs *in, double *y)
{
	const struct paleo_lrn_geom *g = &in->fwd.geom.lrn;
	int plane = g->h * g->w, count = g->n * g->c * plane;

	for (int i = 0; i < count; i++) {
		double sum = 0;
		for (int j = 0; j < count; j++) {
			int far = abs(i / plane % g->c - j / plane % g->c);
			if (i % plane == j % plane && i / plane / g->c == j / plane / g->c &&
			    far <= g->size / 2)
				sum += in->x[j] * in->x[j];
		}
		y[i] = in->x[i] / pow(1 + 1e-4 * sum / g->size, 0.75);
	}
	return count;
}

static void lrn(void **state)
{
	struct paleo_op fwd = given_op("lrn fwd f32 n=2 c=7 h=1 w=2 size=5");
	struct paleo_op back = given_op("lrn bwd_data f32 n=2 c=7 h=1 w=2 size=5");
	struct inputs in;

	(void)state;
	start(&in, &fwd, &back, 28);
	put(&in, 0, PALEO_X, 0, 28);
	check_forward(&in, lrn_forward);
	for (int i = 0; i < 28; i++) /* the curved part is small: 1e-4; see it */
		assert_near(result(&back, PALEO_DX, 0, i), slope(&in, i, lrn_forward), 1e-9);
}

static int softmax_forward(const struct inputs *in, double *y)
{
	const struct paleo_softmax_geom *g = &in->fwd.geom.softmax;

	for (int i = 0; i < g->rows * g->cols; i++) {
		double ratio = 0;
		for (int j = i / g->cols * g->cols; j < (i / g->cols + 1) * g->cols; j++)
			ratio += exp(in->x[j] - in->x[i]);
		y[i] = 1 / ratio;
	}
	return g->rows * g->cols;
}

/* Backward y is an input of its own: the reference must be dy times the matrix diag(y) - y y^T. */
static void softmax(void **state)
{
	struct paleo_op fwd = given_op("softmax fwd f32 rows=3 cols=5");
	struct paleo_op back = given_op("softmax bwd_data f32 rows=3 cols=5");
	struct inputs in;

	(void)state;
	start(&in, &fwd, &back, 15);
	put(&in, 0, PALEO_X, 0, 15);
	check_forward(&in, softmax_forward);
	for (int i = 0; i < 15; i++) {
		double yi = paleo_fill_value(&back, PALEO_Y, 0, i), sum = 0;
		for (int j = i / 5 * 5; j < i / 5 * 5 + 5; j++)
			sum += ((i == j) * yi - yi * paleo_fill_value(&back, PALEO_Y, 0, j)) *
			       in.dy[j];
		assert_near(result(&back, PALEO_DX, 0, i), sum, 1e-12);
	}
}

static int reduce_forward(const struct inputs *in, double *y)
{
	const struct paleo_reduce_geom *g = &in->fwd.geom.reduce;

	for (int row = 0; row < g->rows; row++) {
		const double *x = &in->x[row * g->cols];
		double sum = 0, most = -INFINITY;
		for (int i = g->cols - 1; i >= 0; i--) {
			sum += x[i];
			most = fmax(most, x[i]);
		}
		const double values[] = {sum, sum / g->cols, most};
		y[row] = values[g->op];
	}
	return g->rows;
}

static void reduce(void **state)
{
	static const char *const ops[] = {"sum", "mean", "max"};

	(void)state;
	for (int op = 0; op < 3; op++) {
		char key[128];
		struct inputs in;
		snprintf(key, sizeof(key), "reduce fwd f32 op=%s rows=4 cols=7", ops[op]);
		struct paleo_op fwd = given_op(key);
		struct paleo_op back = fwd;
		back.pass = PALEO_BWD_DATA;
		start(&in, &fwd, &back, 4);
		put(&in, 0, PALEO_X, 0, 28);
		check_forward(&in, reduce_forward);
		if (op != PALEO_REDUCE_MAX)
			check_slopes(&in, 0, 28, &back, PALEO_DX, 0, reduce_forward);
	}
}

static int eltwise_forward(const struct inputs *in, double *y)
{
	const struct paleo_eltwise_geom *g = &in->fwd.geom.eltwise;
	int n = (int)g->count;

	for (int i = 0; i < n; i++) {
		double x = in->x[i], other = in->x[n + i];
		const double values[PALEO_ELTWISE_OPS] = {
			[PALEO_RELU] = fmax(x, 0),
			[PALEO_RELU6] = fmin(fmax(x, 0), 6),
			[PALEO_LEAKY_RELU] = fmax(x, x / 100),
			[PALEO_ELU] = x < 0 ? exp(x) - 1 : x,
			[PALEO_SIGMOID] = 0.5 + 0.5 * tanh(x / 2),
			[PALEO_TANH] = (exp(2 * x) - 1) / (exp(2 * x) + 1),
			[PALEO_GELU] = x * erfc(-x / sqrt(2)) / 2,
			[PALEO_SILU] = x / (1 + exp(-x)),
			[PALEO_HARDSWISH] = x * fmin(fmax(x + 3, 0), 6) / 6,
			[PALEO_DROPOUT] = 2 * x * paleo_fill_keep(i),
			[PALEO_ADD] = x + other,
			[PALEO_MUL] = x * other,
			[PALEO_MAX] = fmax(x, other),
			[PALEO_SILU_MUL] = x * other / (1 + exp(-x)),
		};
		y[i] = values[g->op];
	}
	return n;
}

static void eltwise(void **state)
{
	(void)state;
	for (int op = 0; op < PALEO_ELTWISE_OPS; op++) {
		int inputs = op >= PALEO_ADD ? 2 : 1;
		char key[128];
		struct inputs in;
		snprintf(key, sizeof(key), "eltwise fwd f32 op=%s%s count=50",
			 paleo_eltwise_name((enum paleo_eltwise_op)op),
			 inputs == 2 ? " inputs=2" : "");
		struct paleo_op fwd = given_op(key);
		struct paleo_op back = fwd;
		back.pass = PALEO_BWD_DATA;
		start(&in, &fwd, &back, 50);
		put(&in, 0, PALEO_X, 0, 50);
		if (inputs == 2)
			put(&in, 50, PALEO_X, 1, 50);
		check_forward(&in, eltwise_forward);
		for (int copy = 0; copy < inputs && op != PALEO_ADD; copy++)
			check_slopes(&in, 50 * copy, 50, &back, PALEO_DX, copy, eltwise_forward);
	}
}

/* As the formulas are usually written, element by element. */
static void updates(void **state)
{
	struct paleo_op sgd = given_op("update update f32 rule=sgd count=9");
	struct paleo_op momentum = given_op("update update f32 rule=momentum count=9");
	struct paleo_op adam = given_op("update update f32 rule=adam count=9");
	const double lr = 1.0 / 1024;

	(void)state;
	for (int i = 0; i < 9; i++) {
		double w = paleo_fill_value(&sgd, PALEO_W, 0, i);
		double g = paleo_fill_value(&sgd, PALEO_DY, 0, i);
		double v = paleo_fill_value(&sgd, PALEO_STATE1, 0, i);
		double u = paleo_fill_value(&sgd, PALEO_STATE2, 0, i);
		assert_near(result(&sgd, PALEO_W, 0, i), w - lr * g, 1e-12);
		assert_near(result(&momentum, PALEO_STATE1, 0, i), 0.9 * v + g, 1e-12);
		assert_near(result(&momentum, PALEO_W, 0, i), w - lr * (0.9 * v + g), 1e-12);
		double m1 = 0.9 * v + 0.1 * g, m2 = 0.999 * u + 0.001 * g * g;
		assert_near(result(&adam, PALEO_STATE1, 0, i), m1, 1e-12);
		assert_near(result(&adam, PALEO_STATE2, 0, i), m2, 1e-12);
		assert_near(result(&adam, PALEO_W, 0, i),
			    w - lr * (m1 / 0.1) / (sqrt(m2 / 0.001) + 1e-8), 1e-12);
	}
}

/* Weights of 16 bits are the copy of f32 ones, which are changed; the optimizer's state is f32. */
static void updates_of_masters(void **state)
{
	struct paleo_op adam = given_op("update update bf16 rule=adam count=9");

	(void)state;
	assert_int_equal(paleo_operand_dtype(&adam, PALEO_W), PALEO_BF16);
	assert_int_equal(paleo_operand_dtype(&adam, PALEO_DY), PALEO_BF16);
	for (int i = 0; i < 9; i++) {
		double w = paleo_fill_value(&adam, PALEO_MASTER, 0, i);
		double g = paleo_fill_value(&adam, PALEO_DY, 0, i);
		double m = 0.9 * paleo_fill_value(&adam, PALEO_STATE1, 0, i) + 0.1 * g;
		double v = 0.999 * paleo_fill_value(&adam, PALEO_STATE2, 0, i) + 0.001 * g * g;
		double expected = w - (m / 0.1) / (sqrt(v / 0.001) + 1e-8) / 1024;
		assert_true(w != paleo_round_to((float)w, PALEO_BF16));
		assert_near(result(&adam, PALEO_MASTER, 0, i), expected, 1e-12);
		assert_near(result(&adam, PALEO_W, 0, i), expected, 1e-12);
	}
}

/* What has no reference says so. */
static void no_reference(void **state)
{
	struct paleo_op pool = given_op("pool fwd f32 mode=max n=1 c=1 h=2 w=2 r=2 s=2");
	double value = 7, magnitude = 7;
	struct paleo_error err = {0};

	(void)state;
	assert_int_equal(paleo_reference_value(&pool, PALEO_MASK, 0, 0, &value, &magnitude, &err),
			 PALEO_EUNSUPPORTED);
	assert_string_equal(err.text, "'mask' of a pool fwd has no reference");
	assert_true(value == 7 && magnitude == 7);
}

/* Enough for rounding, too little for the next worse dtype, however long the sum. */
static void tolerances(void **state)
{
	struct paleo_op w = given_op("gemm fwd f32 m=1 n=1 k=16777216");

	(void)state;
	/* products of factors of 10 bits err by 2^-11 / sqrt(3) each, so 4e-4 together */
	assert_true(paleo_reference_tolerance(&w) < 5e-4);
	w = given_op("conv fwd f32 n=1 c=512 h=14 w=14 k=512 r=3 s=3");
	assert_true(paleo_reference_tolerance(&w) < 4e-4);
	w.dtype = PALEO_TF32;
	assert_true(paleo_reference_tolerance(&w) > 2 * 0x1p-10);
	w.dtype = PALEO_F16;
	assert_true(paleo_reference_tolerance(&w) < 2e-3);
	w.dtype = PALEO_BF16;
	assert_true(paleo_reference_tolerance(&w) < 1e-2);
}

/* The sum of so many random products in e4m3 as Hopper's tensor cores have it: 32 at once, cut as
 * they are aligned to the largest of them and of the sum, and the sum cut to 13 bits of mantissa.
 * Returns the error over the magnitude. */
static double fast_error(uint32_t stream, int n)
{
	double sum = 0, exact = 0, squares = 0;

	for (int k = 0; k < n; k += 32) {
		double products[33] = {sum}, most = fabs(sum), step;
		for (int i = 0; i < 32; i++) {
			uint64_t at = (uint64_t)k + (uint64_t)i;
			float x = paleo_round_to(448 * paleo_fill_uniform(stream, at), PALEO_FP8);
			float w = paleo_round_to(paleo_fill_uniform(stream + 1, at), PALEO_FP8);
			products[1 + i] = (double)x * (double)w;
			exact += products[1 + i];
			squares += products[1 + i] * products[1 + i];
			most = fmax(most, fabs(products[1 + i]));
		}
		step = ldexp(1, ilogb(most) - 13);
		sum = 0;
		for (int i = 0; i < 33; i++)
			sum += trunc(products[i] / step) * step;
		step = sum != 0 ? ldexp(1, ilogb(sum) - 13) : 1;
		sum = trunc(sum / step) * step;
	}
	return fabs(sum - exact) / fmax(sqrt(squares), fabs(exact));
}

/* It holds for such sums; what sums with promotions are allowed, 2^-10, is too little for long
 * ones. */
static void fast_accumulation_has_a_bound(void **state)
{
	static const int terms[] = {32, 256, 4096, 16384};

	(void)state;
	for (size_t i = 0; i < sizeof(terms) / sizeof(*terms); i++) {
		char key[PALEO_OP_KEY_MAX];
		double most = 0;
		snprintf(key, sizeof(key), "gemm fwd fp8 m=16 n=16 k=%d trans_b=1", terms[i]);
		struct paleo_op w = given_op(key);
		double allowed = paleo_reference_tolerance(&w) - 2 * 0x1p-8;
		for (uint32_t stream = 0; stream < 400; stream += 2)
			most = fmax(most, fast_error(1000 + stream, terms[i]));
		assert_true(most <= allowed);
		assert_true(terms[i] < 4096 || most > 0x1p-10);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(norms),        cmocka_unit_test(lrn),
		cmocka_unit_test(softmax),      cmocka_unit_test(eltwise),
		cmocka_unit_test(updates),      cmocka_unit_test(updates_of_masters),
		cmocka_unit_test(no_reference), cmocka_unit_test(tolerances),
		cmocka_unit_test(reduce),       cmocka_unit_test(fast_accumulation_has_a_bound),
	};

	return cmocka_run_group_tests_name("reference_smooth", tests, NULL, NULL);
}
