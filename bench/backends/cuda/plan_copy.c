/* plan_copy.c - concatenation and splitting: a copy in two dimensions for each part. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/backends/cuda/plans.h"
#include "bench/backends/cuda/session.h"
#include "bench/backends/cuda/status.h"

static int launch(const struct paleo_step *step, const struct paleo_job *j, int copy,
		  struct paleo_error *err)
{
	const struct paleo_copy_geom *g = &j->work.geom.copy;
	size_t element = (size_t)paleo_dtype_bytes(j->work.dtype);
	size_t row = (size_t)g->cols * element;
	int joins = j->work.pass == PALEO_FWD, rc = PALEO_OK;
	char *whole = paleo_job_address(j, joins ? PALEO_Y : PALEO_DY, 0, copy);

	(void)step;
	for (int i = 0; i < g->parts && !rc; i++) {
		int start;
		size_t width = (size_t)paleo_job_part(j, i, &start) * element;
		char *part = paleo_job_address(j, joins ? PALEO_X : PALEO_DX, i, copy);
		char *place = whole + (size_t)start * element;
		rc = paleo_cuda_check(cudaMemcpy2DAsync(joins ? place : part, joins ? row : width,
							joins ? part : place, joins ? width : row,
							width, (size_t)g->rows,
							cudaMemcpyDeviceToDevice,
							j->session->stream),
				      "copy a part", err);
	}
	return rc;
}

static void release(struct paleo_step *step)
{
	(void)step; /* it has no state */
}

int paleo_plan_copy(struct paleo_job *j, struct paleo_error *err)
{
	struct paleo_step step = {.launch = launch, .release = release};

	paleo_job_name(j, "cudaMemcpy2DAsync", "");
	return paleo_job_add(j, PALEO_TIMED, &step, err);
}
