/* transfer.c - copies values into oneDNN's memory and out of it, in any layout. */
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <oneapi/dnnl/dnnl_debug.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "bench/backends/cpu/job.h"
#include "bench/backends/cpu/kernels.h"
#include "bench/fill.h"

enum {
	LINE = 64,           /* bytes of a cache line */
	HUGE_PAGE = 2 << 20, /* bytes; of x86, and no harm elsewhere */
	CHUNK = 8192         /* elements that one thread fills at a time */
};

int paleo_cpu_fail(struct paleo_error *err, dnnl_status_t status, const char *what)
{
	if (status == dnnl_out_of_memory)
		return paleo_fail(err, PALEO_ENOMEM, "oneDNN could not %s: out of memory", what);
	if (status == dnnl_unimplemented)
		return paleo_fail(err, PALEO_EUNSUPPORTED, "oneDNN could not %s: not implemented",
				  what);
	return paleo_fail(err, PALEO_EBACKEND, "oneDNN could not %s: %s", what,
			  dnnl_status2str(status));
}

/* Operands of some size lie on huge pages, where the system gives them to those who ask: on small
 * ones the same op takes up to a tenth more or less time, as its pages happen to lie. */
void *paleo_cpu_allocate(size_t bytes)
{
	size_t line = bytes >= HUGE_PAGE ? HUGE_PAGE : LINE;
	void *p = NULL;

	if (posix_memalign(&p, line, bytes > 0 ? bytes : LINE) != 0)
		return NULL;
	if (bytes >= HUGE_PAGE)
		madvise(p, bytes, MADV_HUGEPAGE);
	return p;
}

size_t paleo_cpu_count(const struct paleo_cpu_tensor *t)
{
	size_t count = 1;

	for (int i = 0; i < t->rank; i++)
		count *= (size_t)t->dims[i];
	return count;
}

static dnnl_status_t reorder(struct paleo_session *s, dnnl_memory_t from, dnnl_memory_t to)
{
	dnnl_exec_arg_t args[] = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};
	dnnl_primitive_desc_t desc = NULL;
	dnnl_primitive_t primitive = NULL;
	const void *from_layout = NULL, *to_layout = NULL;
	dnnl_status_t rc = paleo_cpu_memory_layout(from, &from_layout);

	if (rc == dnnl_success)
		rc = paleo_cpu_memory_layout(to, &to_layout);
	if (rc == dnnl_success)
		rc = dnnl_reorder_primitive_desc_create(&desc, from_layout, s->engine, to_layout,
							s->engine, NULL);
	if (rc == dnnl_success)
		rc = dnnl_primitive_create(&primitive, desc);
	if (rc == dnnl_success)
		rc = dnnl_primitive_execute(primitive, s->stream, 2, args);
	if (rc == dnnl_success)
		rc = dnnl_stream_wait(s->stream);
	dnnl_primitive_destroy(primitive);
	dnnl_primitive_desc_destroy(desc);
	return rc;
}

/* The operand's own numbers, f32 and row-major, as a memory on `data`. */
static dnnl_status_t plain_memory(struct paleo_session *s, const struct paleo_cpu_tensor *view,
				  float *data, dnnl_memory_t *out)
{
	struct paleo_cpu_tensor plain = *view;

	plain.type = dnnl_f32;
	return paleo_cpu_memory(s->engine, &plain, data, out);
}

/* Between values in the operand's order and a memory. */
static int copy(struct paleo_session *s, const struct paleo_cpu_tensor *view, float *values,
		dnnl_memory_t memory, int is_read, struct paleo_error *err)
{
	dnnl_memory_t plain = NULL;
	dnnl_status_t rc = plain_memory(s, view, values, &plain);

	if (rc == dnnl_success)
		rc = is_read ? reorder(s, memory, plain) : reorder(s, plain, memory);
	dnnl_memory_destroy(plain);
	return rc == dnnl_success
		       ? PALEO_OK
		       : paleo_cpu_fail(err, rc, is_read ? "read a result" : "fill an input");
}

int paleo_cpu_put(struct paleo_session *s, const struct paleo_cpu_tensor *view, float *values,
		  dnnl_memory_t memory, struct paleo_error *err)
{
	return copy(s, view, values, memory, 0, err);
}

int paleo_cpu_read(struct paleo_session *s, const struct paleo_cpu_tensor *view,
		   dnnl_memory_t memory, float *out, struct paleo_error *err)
{
	return copy(s, view, out, memory, 1, err);
}

/* The data of a memory that has the operand's own numbers in their order; NULL where it has not. */
static float *plain_data(struct paleo_session *s, const struct paleo_cpu_tensor *view,
			 dnnl_memory_t memory)
{
	const void *layout = NULL, *own = NULL;
	dnnl_memory_t plain = NULL;
	void *data = NULL;

	if (paleo_cpu_memory_layout(memory, &own) == dnnl_success &&
	    plain_memory(s, view, NULL, &plain) == dnnl_success &&
	    paleo_cpu_memory_layout(plain, &layout) == dnnl_success &&
	    dnnl_memory_desc_equal(own, layout))
		dnnl_memory_get_data_handle(memory, &data);
	dnnl_memory_destroy(plain);
	return data;
}

/* The common case of filling: two or three times as fast in a separate loop. */
PALEO_CPU_CLONES
static void fill_uniform(const struct paleo_filler *f, uint64_t first, int n, float *out)
{
	const uint32_t stream = f->stream;
	const float scale = f->scale;

#pragma omp simd
	for (int i = 0; i < n; i++)
		out[i] = paleo_fill_uniform(stream, first + (uint64_t)i) * scale;
}

int paleo_cpu_fill(struct paleo_session *s, const struct paleo_op *w, enum paleo_role role,
		   int copy, const struct paleo_cpu_tensor *view, dnnl_memory_t memory,
		   struct paleo_error *err)
{
	const struct paleo_filler f = paleo_filler_of(w, role, copy);
	int64_t count = (int64_t)paleo_cpu_count(view);
	float *own = plain_data(s, view, memory), *values = own;

	if (!own)
		values = paleo_cpu_allocate((size_t)count * sizeof(*values));
	if (!values)
		return paleo_fail(err, PALEO_ENOMEM, "no memory for %.0f values of '%s'",
				  (double)count, paleo_role_name(role));
#pragma omp parallel for schedule(static)
	for (int64_t i = 0; i < count; i += CHUNK) {
		int n = (int)(count - i < CHUNK ? count - i : CHUNK);
		if (paleo_filler_is_uniform(&f))
			fill_uniform(&f, (uint64_t)i, n, values + i);
		else
			paleo_fill(w, role, copy, (double)i, (size_t)n, values + i);
	}
	if (own)
		return PALEO_OK;
	int rc = paleo_cpu_put(s, view, values, memory, err);
	free(values);
	return rc;
}
