/* test_onnx_varied.c - graphs of many sizes; weights and FLOPs are counted from the sizes alone. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/onnx_expect.h"

enum {
	LINES_MAX = 1000,
	WEIGHT_MAX = 400
};

/* Converts the lines and compares the counts. Only what is learned has FLOPs here, or attention. */
static void count(const char *lines, const char *given, double weights, double flops)
{
	struct paleo_op_list ops = {0};
	struct paleo_net *net = NULL;
	struct paleo_error err = {0};
	char *json = NULL;
	double sum = 0;

	if (convert(lines, given, &json, &err) ||
	    paleo_net_parse("small", json, strlen(json), 0, &net, &err) ||
	    paleo_net_ops(net, PALEO_F32, PALEO_PASSES_FWD, &ops, &err))
		fail_msg("%s\n%s", lines, err.text);
	for (int i = 0; i < ops.count; i++)
		sum += ops.items[i].op.flops;
	if (paleo_net_weights(net) != weights || sum != flops)
		fail_msg("%.0f weights, not %.0f; %.0f FLOPs, not %.0f:\n%s",
			 paleo_net_weights(net), weights, sum, flops, lines);
	paleo_op_list_release(&ops);
	paleo_net_free(net);
	free(json);
}

/* The lines that make "w" of these sizes, in the i-th of six ways. */
static void put_weight(int way, const int *sizes, int n, char *out)
{
	char x[64] = "", turned[64] = "", list[64] = "", perm[64] = "";
	int product = 1;

	for (int i = 0; i < n; i++) {
		const char *comma = i ? "," : "", *by = i ? "x" : "";
		product *= sizes[i];
		snprintf(x + strlen(x), 16, "%s%d", by, sizes[i]);
		snprintf(turned + strlen(turned), 16, "%s%d", by, sizes[n - 1 - i]);
		snprintf(list + strlen(list), 16, " %d", sizes[i]);
		snprintf(perm + strlen(perm), 16, "%s%d", comma, n - 1 - i);
	}
	switch (way) {
	case 0: /* an initializer */
		snprintf(out, WEIGHT_MAX, "weight w %s\n", x);
		break;
	case 1: /* Constant */
		snprintf(out, WEIGHT_MAX, "Identity #%s -> w\n", x);
		break;
	case 2:
		snprintf(out, WEIGHT_MAX, "list s%s\nConstantOfShape s -> w value#0.5\n", list);
		break;
	case 3: /* a product with a number */
		snprintf(out, WEIGHT_MAX, "Mul #%s #0.5 -> w\n", x);
		break;
	case 4:
		snprintf(out, WEIGHT_MAX, "Identity #%s -> v\nTranspose v -> w perm=%s\n", turned,
			 perm);
		break;
	default:
		snprintf(out, WEIGHT_MAX, "list s%s\nReshape #%dx1 s -> w\n", list, product);
	}
}

/* Five layers, each with its weight in six ways: thirty graphs, no two of the same sizes. */
static void test_weights(void **state)
{
	char lines[LINES_MAX], weight[WEIGHT_MAX];

	(void)state;
	for (int i = 0; i < 30; i++) {
		const int c = 3 + i % 7, k = 2 + i % 4, side = 6 + i, way = i % 6;
		const int filter[] = {k, c, 3, 3}, back[] = {c, k, 4, 4}, each[] = {c, 1, 3, 3};
		const int rows[] = {c, k}, turned[] = {k, c};
		const double inner = (side - 2.0) * (side - 2), pixels = (double)side * side;

		switch (i / 6) {
		case 0:
			put_weight(way, filter, 4, weight);
			snprintf(lines, LINES_MAX, "input x 1x%dx%dx%d\n%sConv x w -> y\n", c, side,
				 side, weight);
			count(lines, NULL, c * k * 9, 2 * 9 * c * k * inner);
			break;
		case 1: /* 4 x 4, stride 2, a pad of 1: each pixel meets 16 weights per pair */
			put_weight(way, back, 4, weight);
			snprintf(lines, LINES_MAX,
				 "input x 1x%dx%dx%d\n%sConvTranspose x w -> y strides=2,2 "
				 "pads=1,1,1,1\n",
				 c, side, side, weight);
			count(lines, NULL, c * k * 16, 2 * 16 * c * k * pixels);
			break;
		case 2: /* depthwise */
			put_weight(way, each, 4, weight);
			snprintf(lines, LINES_MAX, "input x 1x%dx%dx%d\n%sConv x w -> y group=%d\n",
				 c, side, side, weight, c);
			count(lines, NULL, c * 9, 2 * 9 * c * inner);
			break;
		case 3:
			put_weight(way, rows, 2, weight);
			snprintf(lines, LINES_MAX, "input x 1x%dx%d\n%sMatMul x w -> y\n", side, c,
				 weight);
			count(lines, NULL, c * k, 2.0 * side * c * k);
			break;
		default:
			put_weight(way, turned, 2, weight);
			snprintf(lines, LINES_MAX, "input x %dx%d\n%sGemm x w -> y transB=1\n",
				 side, c, weight);
			count(lines, NULL, c * k, 2.0 * side * c * k);
		}
	}
}

/* FLOPs of attention of h heads of d numbers: of each score 2 d in either product, and 5 of its
 * softmax. A mask leaves t (t + 1) / 2 of the t x t scores. */
static double attention(int t, int h, int d, int is_causal)
{
	double scores = is_causal ? t * (t + 1) / 2.0 : (double)t * t;

	return h * scores * (4 * d + 5);
}

/* The same attention as ONNX says it from opset 23 on, and as ONNX Runtime does: queries, keys and
 * values apart, their weights packed, or few heads of keys, which is always masked. */
static void test_attention(void **state)
{
	char lines[LINES_MAX];

	(void)state;
	for (int i = 0; i < 6; i++) {
		const int t = 5 + 3 * i, h = 2 + 2 * (i % 2), d = 4 + 4 * (i % 3), n = h * d;
		const int masked = i % 2;
		const double products = 2.0 * t * n * n;

		snprintf(lines, LINES_MAX,
			 "opset 23\ninput x 1x%dx%d\nweight a %dx%d\nweight b %dx%d\nweight c "
			 "%dx%d\nMatMul x a -> q\nMatMul x b -> k\nMatMul x c -> v\nAttention q k "
			 "v -> y q_num_heads=%d kv_num_heads=%d is_causal=%d\n",
			 t, n, n, n, n, n, n, n, h, h, masked);
		count(lines, NULL, 3 * n * n, 3 * products + attention(t, h, d, masked));
		snprintf(lines, LINES_MAX,
			 "input x 1x%dx%d\nweight a %dx%d\nweight b %dx%d\nweight c %dx%d\n"
			 "MatMul x a -> q\nMatMul x b -> k\nMatMul x c -> v\nMultiHeadAttention q "
			 "k v -> y num_heads=%d unidirectional=%d\n",
			 t, n, n, n, n, n, n, n, h, masked);
		count(lines, NULL, 3 * n * n, 3 * products + attention(t, h, d, masked));
		snprintf(lines, LINES_MAX,
			 "input x 1x%dx%d\nweight w %dx%d\ncom.microsoft.Attention x w -> y "
			 "num_heads=%d unidirectional=%d\n",
			 t, n, n, 3 * n, h, masked);
		count(lines, NULL, 3 * n * n, 3 * products + attention(t, h, d, masked));
		snprintf(lines, LINES_MAX,
			 "input x 1x%dx%d\nweight w %dx%d\nMatMul x w -> q\nGroupQueryAttention q "
			 "- - -> y num_heads=%d kv_num_heads=%d\n",
			 t, n, n, 2 * n, h, h / 2);
		count(lines, NULL, 2 * n * n, 2 * products + attention(t, h, d, 1));
	}
}

/* A number without dimensions: given by its value, it chooses a branch, each with a "w" of its own;
 * or it scales what a layer gives, which is free. */
static void test_scalars(void **state)
{
	static const char branches[] = "tokens sr -\ninput x 1x8\nEqual sr #16000 -> c\n"
				       "then a\nweight w 8x6\nMatMul x w -> a\nend\n"
				       "else b\nweight w 8x3\nMatMul x w -> b\nend\nIf c -> y\n";

	(void)state;
	count(branches, "sr=16000", 48, 2 * 48);
	count(branches, "sr=8000", 24, 2 * 24);
	refuse(branches, NULL, "sr=16000");
	count("input s -\ninput x 1x8\nweight w 8x6\nMatMul x w -> p\nMul p s -> y\n", NULL, 48,
	      2 * 48);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_weights),
		cmocka_unit_test(test_attention),
		cmocka_unit_test(test_scalars),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
