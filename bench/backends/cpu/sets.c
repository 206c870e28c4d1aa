/* sets.c - the buffers of a job: number, contents, and results of a forward pass. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <math.h>
#include <omp.h>
#include <stdint.h>
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

/* Adds argument `id`, if the forward primitive requires it. Unused fields are zero. */
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
			return paleo_cpu_fill(j->session, &j->plan.op, PALEO_X, 0, &view,
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

/* Computes the state that a backward pass needs (winners, statistics) by running its forward pass
 * once on the first set. Nothing to do for most. */
static int make_state(struct paleo_job *j, struct paleo_error *err)
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

enum {
	COPIES_MAX = 4096, /* of the smallest ops, which are a few kilobytes */
	OWN = 3
};

/* Bytes that one thread clones at a time. */
#define PART (INT64_C(1) << 20)
/* Bytes of a cache line, and between two buffers, so that equal places in them meet in different
 * sets of the first-level cache. */
static const size_t line = 64, gap = 320;

static struct paleo_cpu_slot *add_slot(struct paleo_job *j, int id, int arg, size_t bytes)
{
	assert(j->slot_count < PALEO_CPU_SLOTS_MAX);
	struct paleo_cpu_slot *s = &j->slots[j->slot_count++];

	*s = (struct paleo_cpu_slot){.id = id, .arg = arg, .bytes = bytes, .offset = j->set_bytes};
	j->set_bytes += (bytes + line - 1) / line * line + gap;
	return s;
}

/* Adds the primitive's argument `id`; 0 if it has none. */
static int add_primitive_slot(struct paleo_job *j, int id, int arg)
{
	const void *layout = dnnl_primitive_desc_query_md(j->desc, dnnl_query_exec_arg_md, id);
	size_t bytes = layout ? dnnl_memory_desc_get_size(layout) : 0;

	if (bytes == 0)
		return 0;
	add_slot(j, id, arg, bytes)->layout = layout;
	return 1;
}

/* 1 if the plan binds this argument. */
static int is_bound(const struct paleo_job *j, int id)
{
	for (int i = 0; i < j->plan.count; i++)
		if (j->plan.args[i].id == id)
			return 1;
	return 0;
}

int paleo_cpu_list_slots(struct paleo_job *j, struct paleo_error *err)
{
	static const int own[OWN] = {DNNL_ARG_WORKSPACE, DNNL_ARG_MEAN, DNNL_ARG_VARIANCE};

	for (int i = 0; i < j->plan.count; i++) {
		const struct paleo_cpu_arg *a = &j->plan.args[i];
		if (j->plan.kernel)
			add_slot(j, 0, i,
				 paleo_cpu_count(&a->view) * dnnl_data_type_size(a->view.type));
		else if (!add_primitive_slot(j, a->id, i))
			return paleo_fail(err, PALEO_EBACKEND, "oneDNN takes no '%s' here",
					  paleo_role_name(a->role));
	}
	if (j->plan.kernel)
		return PALEO_OK;
	for (int i = 0; i < OWN; i++)
		if (!is_bound(j, own[i]))
			add_primitive_slot(j, own[i], -1);
	j->arg_count = j->slot_count;
	if (j->hint)
		j->arg_count += add_primitive_slot(j, DNNL_ARG_SHIFT, -1);
	return PALEO_OK;
}

/* A kernel's operand is in the order of its dims. */
static dnnl_status_t kernel_memory(struct paleo_job *j, const struct paleo_cpu_slot *slot,
				   void *data, dnnl_memory_t *out)
{
	struct paleo_cpu_tensor t = j->plan.args[slot->arg].view;

	paleo_cpu_set_rows(&t);
	return paleo_cpu_memory(j->session->engine, &t, data, out);
}

/* 1 if this buffer differs in each set. Data that oneDNN saves between passes counts as a
 * result. */
static int rotates(const struct paleo_job *j, const struct paleo_cpu_slot *slot)
{
	if (slot->arg < 0)
		return j->mode == PALEO_COLD;
	return paleo_role_rotates(j->mode, j->plan.args[slot->arg].role);
}

static int make_set(struct paleo_job *j, struct paleo_cpu_set *set, struct paleo_error *err)
{
	size_t n = (size_t)j->slot_count;

	set->data = paleo_cpu_allocate(j->set_bytes);
	set->args = calloc(n, sizeof(*set->args));
	set->pointers = calloc(n, sizeof(*set->pointers));
	if (!set->data || !set->args || !set->pointers)
		return paleo_fail(err, PALEO_ENOMEM, "no memory for %.1f MB of operands",
				  (double)j->set_bytes * 1e-6);
	for (size_t i = 0; i < n; i++) {
		const struct paleo_cpu_slot *slot = &j->slots[i];
		dnnl_memory_t *memory = &set->args[i].memory;
		const struct paleo_cpu_set *owner = rotates(j, slot) ? set : &j->sets[0];
		void *data = owner->data + slot->offset;
		dnnl_status_t rc = slot->layout ? dnnl_memory_create(memory, slot->layout,
								     j->session->engine, data)
						: kernel_memory(j, slot, data, memory);
		if (rc != dnnl_success)
			return paleo_cpu_fail(err, rc, "make a memory object");
		set->args[i].arg = slot->id;
		set->pointers[i] = data;
	}
	return PALEO_OK;
}

/* memset() by all threads. */
static void set_bytes(unsigned char *data, int byte, size_t bytes)
{
	int64_t parts = ((int64_t)bytes + PART - 1) / PART;

#pragma omp parallel for schedule(static)
	for (int64_t i = 0; i < parts; i++) {
		int64_t left = (int64_t)bytes - i * PART;
		memset(data + i * PART, byte, (size_t)(left < PART ? left : PART));
	}
}

/* Fills inputs; results are poisoned with NaN, so that unwritten elements are detected. */
static int fill_set(struct paleo_job *j, const struct paleo_cpu_set *set, int zeros,
		    struct paleo_error *err)
{
	for (int i = 0; i < j->slot_count; i++) {
		const struct paleo_cpu_slot *slot = &j->slots[i];
		const struct paleo_cpu_arg *a = slot->arg < 0 ? NULL : &j->plan.args[slot->arg];
		int is_read = a && (a->access & PALEO_READ);
		if (!is_read || zeros) {
			set_bytes(set->data + slot->offset, a && !is_read ? 0xff : 0, slot->bytes);
			continue;
		}
		int rc = paleo_cpu_fill(j->session, &j->plan.op, a->role, a->copy, &a->view,
					set->args[i].memory, err);
		if (rc)
			return rc;
	}
	return PALEO_OK;
}

/* 1 if this buffer is written before it is read. */
static int is_result(const struct paleo_job *j, const struct paleo_cpu_slot *slot)
{
	return slot->arg >= 0 && !(j->plan.args[slot->arg].access & PALEO_READ);
}

/* Makes a part of another set equal to the first set's; of results the pages are only touched. */
static void clone_part(const struct paleo_job *j, int64_t set, int64_t part)
{
	const size_t page = 4096;
	size_t begin = (size_t)(part * PART), end = begin + (size_t)PART;
	unsigned char *to = j->sets[set].data;

	for (int i = 0; i < j->slot_count; i++) {
		const struct paleo_cpu_slot *slot = &j->slots[i];
		size_t from = slot->offset > begin ? slot->offset : begin;
		size_t until = slot->offset + slot->bytes < end ? slot->offset + slot->bytes : end;
		if (from < until && !is_result(j, slot))
			memcpy(to + from, j->sets[0].data + from, until - from);
		for (size_t at = from; is_result(j, slot) && at < until; at += page)
			to[at] = 0;
	}
}

/* Makes all sets equal to the first, but for results: page faults occur before timing. Threads
 * write the parts that they will read, if each set has a part for every one, and the last sets
 * last: data still cached then is used last. */
static void clone_sets(const struct paleo_job *j)
{
	int64_t parts = ((int64_t)j->set_bytes + PART - 1) / PART;

	if (parts < omp_get_max_threads()) {
#pragma omp parallel for schedule(static, 1)
		for (int64_t i = parts; i < parts * j->copies; i++)
			clone_part(j, i / parts, i % parts);
		return;
	}
#pragma omp parallel
	for (int k = 1; k < j->copies; k++) {
#pragma omp for schedule(static) nowait
		for (int64_t i = 0; i < parts; i++)
			clone_part(j, k, i);
	}
}

/* The largest operand as f32: memory for filling, besides the sets. */
static double transfer_bytes(const struct paleo_job *j)
{
	double most = 0;

	for (int i = 0; i < j->plan.count; i++)
		most = fmax(most, (double)paleo_cpu_count(&j->plan.args[i].view) * sizeof(float));
	return most;
}

/* Limits on all sets and on one alone: an operand larger than a quarter of the memory is still
 * worth measuring. */
static void find_limits(const struct paleo_bench_options *o, double *all, double *one)
{
	double available = paleo_cpu_host_free_bytes();

	*all = o->memory_limit_bytes > 0 ? o->memory_limit_bytes : 0.25 * available;
	*one = o->memory_limit_bytes > 0 ? o->memory_limit_bytes : 0.75 * available;
	*one = fmin(*one, 0.9 * available);
}

int paleo_cpu_check_memory(double bytes, const struct paleo_bench_options *o,
			   struct paleo_error *err)
{
	double all, one;

	find_limits(o, &all, &one);
	if (bytes <= one)
		return PALEO_OK;
	return paleo_fail(err, PALEO_ENOMEM,
			  "%.2f GB are needed, %.2f GB may be used; try a smaller batch",
			  bytes * 1e-9, one * 1e-9);
}

/* Enough sets that three times the last-level cache is touched between two uses of a rotating
 * operand. */
static void choose_copies(struct paleo_job *j, const struct paleo_bench_options *o)
{
	double set = (double)j->set_bytes, rotating = 0, wanted = 1, all, one;

	find_limits(o, &all, &one);
	for (int i = 0; i < j->slot_count; i++)
		rotating += rotates(j, &j->slots[i]) ? (double)j->slots[i].bytes : 0;
	if (rotating > 0)
		wanted += ceil(3 * j->session->host.cache_bytes / rotating);
	wanted = fmin(wanted, floor(all / set));
	j->copies = (int)fmax(1, fmin(wanted, COPIES_MAX));
}

int paleo_cpu_make_sets(struct paleo_job *j, const struct paleo_bench_options *o,
			struct paleo_error *err)
{
	int rc = paleo_cpu_check_memory((double)j->set_bytes + transfer_bytes(j), o, err);

	if (rc)
		return rc;
	choose_copies(j, o);
	assert(j->copies > 0);
	j->sets = calloc((size_t)j->copies, sizeof(*j->sets));
	if (!j->sets)
		return paleo_fail(err, PALEO_ENOMEM, "no memory for %d sets", j->copies);
	for (int i = 0; i < j->copies; i++) {
		rc = make_set(j, &j->sets[i], err);
		if (rc)
			return rc;
	}
	rc = fill_set(j, &j->sets[0], o->zeros, err);
	if (!rc)
		rc = make_state(j, err);
	if (!rc)
		clone_sets(j);
	return rc;
}

void paleo_cpu_free_sets(struct paleo_job *j)
{
	for (int i = 0; j->sets && i < j->copies; i++) {
		struct paleo_cpu_set *set = &j->sets[i];
		for (int k = 0; set->args && k < j->slot_count; k++)
			dnnl_memory_destroy(set->args[k].memory);
		free(set->args);
		free(set->pointers);
		free(set->data);
	}
	free(j->sets);
	j->sets = NULL;
}
