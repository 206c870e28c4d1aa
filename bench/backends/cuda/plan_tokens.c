/* plan_tokens.c - embeddings, rotary positions and the loss of words by our own kernels. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/backends/cuda/kernels.h"
#include "bench/backends/cuda/plans.h"

int paleo_plan_embedding(struct paleo_job *j, struct paleo_error *err)
{
	struct paleo_frame f = paleo_frame_of(&j->work);

	if (j->work.pass != PALEO_FWD)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "the cuda backend has no gradient of an embedding yet");
	paleo_job_name(j, "kernel", "embedding");
	return paleo_kernel_add_packs(j, PALEO_TIMED, "embedding_fwd", (double)f.n * f.c, &f, err);
}

int paleo_plan_rope(struct paleo_job *j, struct paleo_error *err)
{
	const char *name = j->work.pass == PALEO_FWD ? "rope_fwd" : "rope_bwd";
	struct paleo_frame f = paleo_frame_of(&j->work);

	paleo_job_name(j, "kernel", name);
	return paleo_kernel_add_pixels(j, PALEO_TIMED, name, (double)f.n * f.c * f.in_w / 2, &f,
				       err);
}

/* A block a row. */
int paleo_plan_cross_entropy(struct paleo_job *j, struct paleo_error *err)
{
	const char *name = j->work.pass == PALEO_FWD ? "cross_entropy_fwd" : "cross_entropy_bwd";
	struct paleo_frame f = paleo_frame_of(&j->work);

	paleo_job_name(j, "kernel", name);
	return paleo_kernel_add(j, PALEO_TIMED, name, f.n, &f, err);
}
