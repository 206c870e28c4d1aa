/* capture.c - makes a CUDA graph of what is launched. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/backends/cuda/capture.h"

#include "bench/backends/cuda/status.h"

int paleo_cuda_capture(cudaStream_t stream, int (*launch)(const void *of, struct paleo_error *err),
		       const void *of, cudaGraphExec_t *out, struct paleo_error *err)
{
	cudaGraph_t graph = NULL;
	cudaGraphExec_t made = NULL;
	struct paleo_error why;
	int rc = paleo_cuda_check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal),
				  "begin a capture", err);

	if (rc)
		return rc;
	rc = launch(of, err);
	int ended = paleo_cuda_check(cudaStreamEndCapture(stream, &graph), "end a capture", &why);
	if (ended && (!rc || ended == PALEO_ECRASH)) { /* a lost device shows after the capture */
		*err = why;
		rc = ended;
	}
	if (!rc)
		rc = paleo_cuda_check(cudaGraphInstantiate(&made, graph, 0), "make a graph", err);
	if (!rc)
		rc = paleo_cuda_check(cudaGraphUpload(made, stream), "upload a graph", err);
	if (graph)
		cudaGraphDestroy(graph);
	if (rc && made)
		cudaGraphExecDestroy(made);
	if (!rc)
		*out = made;
	return rc;
}
