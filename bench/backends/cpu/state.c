/* state.c - what a backward pass needs from its forward pass. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "bench/backends/cpu/job.h"

enum {
	ARGS = 7
};

/* The forward run's arguments: those of the job where it has them, others of our own. */
struct forward {
	dnnl_exec_arg_t args[ARGS];
	void *data[ARGS]; /* NULL where the memory is the job's */
	int count;
};

/* The job's own memory for this argument in this layout, or NULL. */
static dnnl_memory_t job_memory(const struct paleo_job *j, int id, const void *layout)
{
	for (int i = 0; i < j->slot_count; i++) {
		const struct paleo_cpu_slot *s = &j->slots[i];
		if (s->id == id && dnnl_memory_desc_equal(s->layout, layout))
			return j->sets[0].args[i].memory;
	}
	return NULL;
}

/* Adds argument `id`, if the forward primitive wants it. What is ours is zero. */
static int add_argument(const struct paleo_job *j, int id, struct forward *f,
			struct paleo_error *err)
{
	const void *layout = dnnl_primitive_desc_query_md(j->hint, dnnl_query_exec_arg_md, id);
	size_t bytes = layout ? dnnl_memory_desc_get_size(layout) : 0;
	int i = f->count;

	if (bytes == 0)
		return PALEO_OK;
	f->args[i].arg = id;
	f->args[i].memory = job_memory(j, id, layout);
	if (!f->args[i].memory) {
		f->data[i] = paleo_cpu_allocate(bytes);
		if (!f->data[i])
			return paleo_fail(err, PALEO_ENOMEM, "no memory for the forward pass");
		memset(f->data[i], 0, bytes);
		dnnl_status_t rc = dnnl_memory_create(&f->args[i].memory, layout,
						      j->session->engine, f->data[i]);
		if (rc != dnnl_success) {
			free(f->data[i]);
			f->data[i] = NULL;
			return paleo_cpu_fail(err, rc, "make a memory object");
		}
	}
	f->count++;
	return PALEO_OK;
}

/* The input x, where the backward pass does not read it itself. */
static int fill_source(const struct paleo_job *j, const struct forward *f, struct paleo_error *err)
{
	const struct paleo_cpu_tensor *src = &j->plan.spec.src;
	double dims[PALEO_CPU_RANK_MAX];

	for (int i = 0; i < src->rank; i++)
		dims[i] = (double)src->dims[i];
	struct paleo_cpu_tensor view = paleo_cpu_rows(src->type, src->rank, dims);
	for (int i = 0; i < f->count; i++) {
		if (f->args[i].arg == DNNL_ARG_SRC && f->data[i])
			return paleo_cpu_fill(j->session, &j->plan.work, PALEO_X, 0, &view,
					      f->args[i].memory, err);
	}
	return PALEO_OK;
}

static int run_forward(const struct paleo_job *j, struct forward *f, struct paleo_error *err)
{
	dnnl_primitive_t primitive = NULL;
	dnnl_status_t rc = dnnl_primitive_create(&primitive, j->hint);

	if (rc == dnnl_success)
		rc = dnnl_primitive_execute(primitive, j->session->stream, f->count, f->args);
	if (rc == dnnl_success)
		rc = dnnl_stream_wait(j->session->stream);
	dnnl_primitive_destroy(primitive);
	return rc == dnnl_success ? PALEO_OK : paleo_cpu_fail(err, rc, "run the forward pass");
}

int paleo_cpu_make_state(struct paleo_job *j, struct paleo_error *err)
{
	static const int ids[ARGS] = {DNNL_ARG_SRC,      DNNL_ARG_DST,  DNNL_ARG_SCALE,
				      DNNL_ARG_SHIFT,    DNNL_ARG_MEAN, DNNL_ARG_VARIANCE,
				      DNNL_ARG_WORKSPACE};
	struct forward f = {.count = 0};
	int rc = PALEO_OK, keeps = 0;

	for (int i = 0; i < j->slot_count; i++)
		keeps |= j->slots[i].arg < 0;
	if (!j->hint || !keeps)
		return PALEO_OK;
	for (int i = 0; i < ARGS && !rc; i++)
		rc = add_argument(j, ids[i], &f, err);
	if (!rc)
		rc = fill_source(j, &f, err);
	if (!rc)
		rc = run_forward(j, &f, err);
	for (int i = 0; i < f.count; i++) {
		if (!f.data[i])
			continue;
		dnnl_memory_destroy(f.args[i].memory);
		free(f.data[i]);
	}
	return rc;
}
