/* test_norm_graphs.c - how normalisations are described to cuDNN; needs no device. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/backends/cuda/graph/graph.h"
#include "tests/unit/unit.h"

/* Type, dimensions and strides of the graph's tensor with this identifier, as cuDNN has kept them.
 */
static void read_tensor(const struct paleo_cudnn_graph *g, int64_t uid, cudnnDataType_t *type,
			int64_t dims[4], int64_t strides[4])
{
	for (int i = 0; i < g->made_count; i++) {
		int64_t found, n;
		cudnnBackendDescriptor_t d = g->made[i];
		if (cudnnBackendGetAttribute(d, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1,
					     &n, &found) ||
		    found != uid)
			continue;
		assert_int_equal(cudnnBackendGetAttribute(d, CUDNN_ATTR_TENSOR_DATA_TYPE,
							  CUDNN_TYPE_DATA_TYPE, 1, &n, type),
				 0);
		assert_int_equal(cudnnBackendGetAttribute(d, CUDNN_ATTR_TENSOR_DIMENSIONS,
							  CUDNN_TYPE_INT64, 4, &n, dims),
				 0);
		assert_int_equal(cudnnBackendGetAttribute(d, CUDNN_ATTR_TENSOR_STRIDES,
							  CUDNN_TYPE_INT64, 4, &n, strides),
				 0);
		return;
	}
	fail_msg("no tensor %d", (int)uid);
}

/* Of one pixel, channels are innermost: n, c, 1, 1 has strides c, 1, c, c; and what is learned is
 * f32 where images are not. */
static void check_parameters(const char *key, int64_t rows, int64_t c)
{
	struct paleo_cudnn_graph g = {.layout = PALEO_NCHW};
	struct paleo_error err;
	struct paleo_op w;
	cudnnDataType_t type;
	int64_t dims[4], strides[4];

	assert_int_equal(paleo_op_parse(key, &w, &err), PALEO_OK);
	assert_int_equal(paleo_cudnn_graph_norm(&g, &w, &err), PALEO_OK);
	read_tensor(&g, 1 + PALEO_SCALE, &type, dims, strides);
	assert_int_equal(type, CUDNN_DATA_FLOAT);
	assert_memory_equal(dims, ((int64_t[4]){1, c, 1, 1}), sizeof(dims));
	assert_memory_equal(strides, ((int64_t[4]){c, 1, c, c}), sizeof(strides));
	read_tensor(&g, 1 + PALEO_X, &type, dims, strides);
	assert_int_equal(type, CUDNN_DATA_BFLOAT16);
	if (rows) {
		assert_memory_equal(dims, ((int64_t[4]){rows, c, 1, 1}), sizeof(dims));
		assert_memory_equal(strides, ((int64_t[4]){c, 1, c, c}), sizeof(strides));
		read_tensor(&g, 1 + PALEO_STATE2, &type, dims, strides);
		assert_memory_equal(dims, ((int64_t[4]){rows, 1, 1, 1}), sizeof(dims));
		assert_memory_equal(strides, ((int64_t[4]){1, 1, 1, 1}), sizeof(strides));
	} else { /* 5 x 7 pixels in planes */
		assert_memory_equal(strides, ((int64_t[4]){35 * c, 35, 7, 1}), sizeof(strides));
	}
	paleo_cudnn_graph_release(&g);
}

static void norms_are_described_as_in_the_samples(void **state)
{
	(void)state;
	check_parameters("norm fwd bf16 mode=layer n=40 c=64 h=1 w=1 scale=1 shift=1", 40, 64);
	check_parameters("norm bwd_data bf16 mode=rms n=40 c=64 h=1 w=1 scale=1", 40, 64);
	check_parameters("norm fwd bf16 mode=layer n=4 c=64 h=5 w=2 scale=1 shift=1 layout=nhwc",
			 40, 64);
	check_parameters("norm fwd bf16 mode=batch n=4 c=64 h=5 w=7 scale=1 shift=1", 0, 64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(norms_are_described_as_in_the_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
