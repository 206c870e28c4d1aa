/* plan_tokens.c - embeddings, rotary positions and the loss of words by our own kernels. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "bench/backends/cuda/kernels.h"
#include "bench/backends/cuda/plans.h"

/* Scattered by lists of the tokens of each row, instead of by sums in memory: each row is written
 * once, and rounded once. */
static int add_gradient(struct paleo_job *j, struct paleo_frame *f, struct paleo_error *err)
{
	double vocab = f->limit;
	int rc = paleo_kernel_add(j, PALEO_TIMED, "embedding_no_lists",
				  ceil(vocab / PALEO_KERNEL_THREADS), f, err);

	paleo_job_need_workspace(j, (vocab + f->n) * (double)sizeof(int));
	paleo_job_name(j, "kernel", "embedding_bwd");
	if (!rc)
		rc = paleo_kernel_add(j, PALEO_TIMED, "embedding_lists",
				      ceil((double)f->n / PALEO_KERNEL_THREADS), f, err);
	if (rc)
		return rc;
	/* rows of no whole packs go by single elements */
	int is_packed = f->c % paleo_kernel_pack(j) == 0;
	f->count = (long long)vocab * f->c;
	return paleo_kernel_add(j, PALEO_TIMED, "embedding_bwd",
				ceil((double)f->count / (is_packed ? paleo_kernel_pack(j) : 1) /
				     PALEO_KERNEL_THREADS),
				f, err);
}

int paleo_plan_embedding(struct paleo_job *j, struct paleo_error *err)
{
	struct paleo_frame f = paleo_frame_of(&j->work);

	if (j->work.pass != PALEO_FWD)
		return add_gradient(j, &f, err);
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
