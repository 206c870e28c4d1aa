/* older_api.c - the algorithms that cuDNN's older API offers for a 3x3 convolution. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <cuda_runtime_api.h>
#include <cudnn.h>
#include <stdio.h>

/*
 * The graph API offers Winograd on few devices and FFT on none; does the older one, which is
 * deprecated, have them? Prints one line for each pass: the algorithms in the order of its
 * heuristics. Exit 77: there is no GPU, or this cuDNN has the older API no more.
 */
enum {
	SKIP = 77,
	MOST = 16
};

#if CUDNN_VERSION < 100000
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static const char *const forward[] = {
	"implicit_gemm", "implicit_precomp", "gemm",     "direct",
	"fft",           "fft_tiling",       "winograd", "winograd_steps"};
static const char *const to_data[] = {"0", "1", "fft", "fft_tiling", "winograd", "winograd_steps"};
static const char *const to_filter[] = {"0",         "1", "fft", "3", "winograd", "winograd_steps",
					"fft_tiling"};

struct problem {
	cudnnHandle_t handle;
	cudnnTensorDescriptor_t image;
	cudnnFilterDescriptor_t filter;
	cudnnConvolutionDescriptor_t conv;
};

/* 32 images of 64 planes of 56 x 56 pixels, 64 filters of 3 x 3, in f32 without tensor cores. */
static cudnnStatus_t describe(struct problem *p)
{
	cudnnStatus_t rc = cudnnCreate(&p->handle);

	if (!rc)
		rc = cudnnCreateTensorDescriptor(&p->image);
	if (!rc)
		rc = cudnnSetTensor4dDescriptor(p->image, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 32,
						64, 56, 56);
	if (!rc)
		rc = cudnnCreateFilterDescriptor(&p->filter);
	if (!rc)
		rc = cudnnSetFilter4dDescriptor(p->filter, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 64,
						64, 3, 3);
	if (!rc)
		rc = cudnnCreateConvolutionDescriptor(&p->conv);
	if (!rc)
		rc = cudnnSetConvolution2dDescriptor(p->conv, 1, 1, 1, 1, 1, 1,
						     CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT);
	if (!rc)
		rc = cudnnSetConvolutionMathType(p->conv, CUDNN_FMA_MATH);
	return rc;
}

/* The names of those that the heuristics say can run. */
#define PRINT(what, names, perf, count)                                                            \
	do {                                                                                       \
		printf("%s:", (what));                                                             \
		for (int i = 0; i < (count); i++)                                                  \
			if (!(perf)[i].status &&                                                   \
			    (size_t)(perf)[i].algo < sizeof(names) / sizeof(*(names)))             \
				printf(" %s", (names)[(perf)[i].algo]);                            \
		printf("\n");                                                                      \
	} while (0)

static cudnnStatus_t ask(const struct problem *p)
{
	cudnnConvolutionFwdAlgoPerf_t fwd[MOST];
	cudnnConvolutionBwdDataAlgoPerf_t data[MOST];
	cudnnConvolutionBwdFilterAlgoPerf_t filter[MOST];
	int count = 0;

	cudnnStatus_t rc = cudnnGetConvolutionForwardAlgorithm_v7(
		p->handle, p->image, p->filter, p->conv, p->image, MOST, &count, fwd);
	if (!rc) {
		PRINT("fwd", forward, fwd, count);
		rc = cudnnGetConvolutionBackwardDataAlgorithm_v7(
			p->handle, p->filter, p->image, p->conv, p->image, MOST, &count, data);
	}
	if (!rc) {
		PRINT("bwd_data", to_data, data, count);
		rc = cudnnGetConvolutionBackwardFilterAlgorithm_v7(
			p->handle, p->image, p->image, p->conv, p->filter, MOST, &count, filter);
	}
	if (!rc)
		PRINT("bwd_filter", to_filter, filter, count);
	return rc;
}

int main(void)
{
	struct problem p = {.handle = NULL};
	int devices = 0;

	if (cudaGetDeviceCount(&devices) || !devices) {
		printf("there is no GPU\n");
		return SKIP;
	}
	cudnnStatus_t rc = describe(&p);
	if (!rc)
		rc = ask(&p);
	if (rc)
		printf("%s\n", cudnnGetErrorString(rc));
	return rc != 0;
}
#else
int main(void)
{
	printf("this cudnn has the older API no more\n");
	return SKIP;
}
#endif
