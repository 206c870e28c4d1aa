/* job.c - prepares, runs and reads one op: the hooks of backend.h that deal with jobs. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/backends/cpu/job.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/clock.h"

/* Workspace of one primitive, unless set by the user: as on GPUs. */
#define WORKSPACE_BYTES 4294967296.0

static int check_dtype(const struct paleo_session *s, const struct paleo_op *w,
		       struct paleo_error *err)
{
	if (w->dtype == PALEO_F32 || (w->dtype == PALEO_BF16 && s->has_bf16))
		return PALEO_OK;
	if (w->dtype == PALEO_BF16)
		return paleo_fail(err, PALEO_EUNSUPPORTED, "'%s' does not multiply bf16; use f32",
				  s->host.title);
	return paleo_fail(err, PALEO_EUNSUPPORTED, "the cpu backend has no '%s'; use f32%s",
			  paleo_dtype_name(w->dtype), s->has_bf16 ? " or bf16" : "");
}

/* A primitive that oneDNN refuses is unsupported, not failed. */
static int refuse(const struct paleo_job *j, dnnl_status_t status, struct paleo_error *err)
{
	const struct paleo_op *w = &j->plan.op;

	if (status != dnnl_unimplemented && status != dnnl_invalid_arguments)
		return paleo_cpu_fail(err, status, "make a primitive");
	return paleo_fail(err, PALEO_EUNSUPPORTED, "oneDNN %s does not do '%s %s %s' of this shape",
			  j->session->version, paleo_op_kind_name(w->kind),
			  paleo_pass_name(w->pass), paleo_dtype_name(w->dtype));
}

/* Queries oneDNN's implementations for the job's primitive; makes its hint for a backward pass. */
static dnnl_status_t ask_offers(struct paleo_job *j, struct paleo_cpu_offers **out)
{
	struct paleo_cpu_spec *spec = &j->plan.spec;
	dnnl_engine_t engine = j->session->engine;
	dnnl_status_t rc = dnnl_success;

	if (spec->prop != dnnl_prop_kind_undef && spec->prop != dnnl_forward_training &&
	    spec->prop != dnnl_forward_inference) {
		struct paleo_cpu_spec forward = *spec;
		struct paleo_cpu_offers *first = NULL;
		forward.prop = dnnl_forward_training;
		rc = paleo_cpu_offers(engine, &forward, NULL, &first);
		if (rc == dnnl_success)
			j->hint = paleo_cpu_offers_next(first);
		paleo_cpu_offers_free(first);
	}
	return rc == dnnl_success ? paleo_cpu_offers(engine, spec, j->hint, out) : rc;
}

static void tell_offer(dnnl_primitive_desc_t d, struct paleo_algorithm *out)
{
	const char *name = "";
	int64_t scratch = 0;

	dnnl_primitive_desc_query(d, dnnl_query_impl_info_str, 0, &name);
	dnnl_primitive_desc_query(d, dnnl_query_memory_consumption_s64, 0, &scratch);
	*out = (struct paleo_algorithm){.workspace_bytes = (double)scratch};
	snprintf(out->name, sizeof(out->name), "%s", name);
}

/* The next implementation within the workspace limit, with its description; NULL after the last. */
static dnnl_primitive_desc_t next_offer(struct paleo_cpu_offers *offers,
					const struct paleo_bench_options *o,
					struct paleo_algorithm *what)
{
	double limit = o->workspace_limit_bytes > 0 ? o->workspace_limit_bytes : WORKSPACE_BYTES;
	dnnl_primitive_desc_t d;

	while ((d = paleo_cpu_offers_next(offers))) {
		tell_offer(d, what);
		if (what->workspace_bytes <= limit)
			return d;
		dnnl_primitive_desc_destroy(d);
	}
	return NULL;
}

/* Fills `list` with the implementations, at most `most`. */
static int list_offers(struct paleo_job *j, const struct paleo_bench_options *o, int most,
		       struct paleo_algorithms *list, struct paleo_error *err)
{
	struct paleo_cpu_offers *offers = NULL;
	dnnl_primitive_desc_t d;
	dnnl_status_t rc = ask_offers(j, &offers);

	if (rc != dnnl_success)
		return refuse(j, rc, err);
	list->count = 0;
	while (list->count < most && (d = next_offer(offers, o, &list->items[list->count]))) {
		dnnl_primitive_desc_destroy(d);
		list->count++;
	}
	paleo_cpu_offers_free(offers);
	return list->count ? PALEO_OK : refuse(j, dnnl_unimplemented, err);
}

static int make_primitive(struct paleo_job *j, const struct paleo_bench_options *o,
			  struct paleo_error *err)
{
	struct paleo_cpu_offers *offers = NULL;
	dnnl_status_t rc = ask_offers(j, &offers);
	int seen = 0;

	if (rc != dnnl_success)
		return refuse(j, rc, err);
	while ((j->desc = next_offer(offers, o, &j->algorithm)) && seen++ < o->rank)
		dnnl_primitive_desc_destroy(j->desc);
	paleo_cpu_offers_free(offers);
	if (!j->desc && seen)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "oneDNN offers %d implementation%s for this, none of rank %d",
				  seen, seen == 1 ? "" : "s", o->rank);
	rc = j->desc ? dnnl_primitive_create(&j->primitive, j->desc) : dnnl_unimplemented;
	return rc == dnnl_success ? PALEO_OK : refuse(j, rc, err);
}

static int make_scratch(struct paleo_job *j, int rank, struct paleo_error *err)
{
	const struct paleo_cpu_kernel *k = j->plan.kernel;

	if (rank > 0)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "there is one kernel for this kind of op");
	snprintf(j->algorithm.name, sizeof(j->algorithm.name), "%s", k->name);
	if (!k->scratch)
		return PALEO_OK;
	j->scratch_bytes = k->scratch(&j->plan.op, j->threads);
	j->scratch = paleo_cpu_allocate(j->scratch_bytes);
	if (!j->scratch)
		return paleo_fail(err, PALEO_ENOMEM, "no memory for %.1f MB of scratch",
				  (double)j->scratch_bytes * 1e-6);
	j->algorithm.workspace_bytes = (double)j->scratch_bytes;
	return PALEO_OK;
}

/*
 * Some versions of backward normalisations require the shift, too, without using it; others refuse
 * it, and neither can be queried. 1 if it was given and has been removed: try again.
 */
static int drop_shift(struct paleo_job *j)
{
	const struct paleo_cpu_slot *last = &j->slots[j->slot_count - 1];

	if (last->arg >= 0 || last->id != DNNL_ARG_SHIFT || j->arg_count < j->slot_count)
		return 0;
	j->arg_count--;
	return 1;
}

/* Runs once on a set, and waits. */
static int run_set(struct paleo_job *j, const struct paleo_cpu_set *set, struct paleo_error *err)
{
	dnnl_status_t rc;

	if (j->plan.kernel) {
		j->plan.kernel->run(&j->plan.op, set->pointers, j->scratch);
		return PALEO_OK;
	}
	rc = dnnl_primitive_execute(j->primitive, j->session->stream, j->arg_count, set->args);
	if (rc == dnnl_success)
		rc = dnnl_stream_wait(j->session->stream);
	return rc == dnnl_success ? PALEO_OK : paleo_cpu_fail(err, rc, "run");
}

/* A job with a plan and nothing else. */
static int begin_job(struct paleo_session *s, const struct paleo_op *w,
		     const struct paleo_bench_options *o, struct paleo_job **out,
		     struct paleo_error *err)
{
	struct paleo_job *j;
	int rc = check_dtype(s, w, err);

	if (!rc && o->mode == PALEO_ENQUEUE)
		rc = paleo_fail(err, PALEO_EUNSUPPORTED,
				"a CPU runs an op when it is called: nothing is enqueued");
	/* Before any count of elements can overflow an integer. */
	if (!rc)
		rc = paleo_cpu_check_memory(w->read_bytes + w->write_bytes, o, err);
	if (rc)
		return rc;
	j = calloc(1, sizeof(*j));
	if (!j)
		return paleo_fail(err, PALEO_ENOMEM, "no memory for a job");
	j->session = s;
	j->read = -1;
	j->mode = o->mode;
	j->threads = o->threads > 0 ? o->threads : s->host.cores;
	/* Primitives are made for the number of threads that is set at that time. */
	omp_set_num_threads(j->threads);
	rc = paleo_cpu_plan(w, &j->plan, err);
	if (rc) {
		paleo_cpu_release(j);
		return rc;
	}
	*out = j;
	return PALEO_OK;
}

int paleo_cpu_algorithms(struct paleo_session *s, const struct paleo_op *w,
			 const struct paleo_bench_options *o, int most,
			 struct paleo_algorithms *out, struct paleo_error *err)
{
	struct paleo_job *j = NULL;
	int rc = begin_job(s, w, o, &j, err);

	if (rc)
		return rc;
	if (j->plan.kernel)
		rc = paleo_fail(err, PALEO_EUNSUPPORTED,
				"there is one kernel for this kind of op: '%s'",
				j->plan.kernel->name);
	else
		rc = list_offers(j, o, most, out, err);
	paleo_cpu_release(j);
	return rc;
}

static int make_sets(struct paleo_job *j, const struct paleo_bench_options *o,
		     struct paleo_error *err)
{
	double start_s = paleo_now_s();
	int rc = paleo_cpu_make_sets(j, o, err);

	j->fill_s = paleo_now_s() - start_s;
	return rc;
}

int paleo_cpu_prepare(struct paleo_session *s, const struct paleo_op *w,
		      const struct paleo_bench_options *o, struct paleo_job **out,
		      struct paleo_job_info *info, struct paleo_error *err)
{
	struct paleo_job *j = NULL;
	int rc = begin_job(s, w, o, &j, err);

	if (rc)
		return rc;
	rc = j->plan.kernel ? make_scratch(j, o->rank, err) : make_primitive(j, o, err);
	if (!rc)
		rc = paleo_cpu_list_slots(j, err);
	if (!rc)
		rc = make_sets(j, o, err);
	if (!rc)
		rc = run_set(j, &j->sets[0], err);
	if (rc && j->sets && drop_shift(j))
		rc = run_set(j, &j->sets[0], err);
	if (rc) {
		paleo_cpu_release(j);
		return rc;
	}
	j->next = 1 % j->copies; /* the caches hold the first set */
	*info = (struct paleo_job_info){
		.algorithm = j->algorithm, .operand_sets = j->copies, .fill_s = j->fill_s};
	*out = j;
	return PALEO_OK;
}

int paleo_cpu_run(struct paleo_job *j, int reps, double *elapsed_s, struct paleo_error *err)
{
	double start;

	j->has_been_run = 1;
	omp_set_num_threads(j->threads);
	start = paleo_now_s();
	for (int i = 0; i < reps; i++) {
		int rc = run_set(j, &j->sets[j->next], err);
		if (rc)
			return rc;
		j->next = (j->next + 1) % j->copies;
	}
	*elapsed_s = paleo_now_s() - start;
	return PALEO_OK;
}

/* The slot of a result, or -1. */
static int find_result(const struct paleo_job *j, enum paleo_role role, int copy)
{
	for (int i = 0; i < j->slot_count; i++) {
		const struct paleo_cpu_slot *s = &j->slots[i];
		const struct paleo_cpu_arg *a = s->arg < 0 ? NULL : &j->plan.args[s->arg];
		if (a && a->role == role && a->copy == copy && (a->access & PALEO_WRITE))
			return i;
	}
	return -1;
}

/* Reads a result once, in its operand's order; many calls ask for parts of it. */
static int read_result(struct paleo_job *j, int slot, struct paleo_error *err)
{
	const struct paleo_cpu_tensor *view = &j->plan.args[j->slots[slot].arg].view;

	if (j->read == slot)
		return PALEO_OK;
	free(j->values);
	j->read = -1;
	j->values = paleo_cpu_allocate(paleo_cpu_count(view) * sizeof(*j->values));
	if (!j->values)
		return paleo_fail(err, PALEO_ENOMEM, "no memory to read a result");
	int rc = paleo_cpu_read(j->session, view, j->sets[0].args[slot].memory, j->values, err);
	if (!rc)
		j->read = slot;
	return rc;
}

int paleo_cpu_output(struct paleo_job *j, enum paleo_role role, int copy, const double *index,
		     int n, float *out, struct paleo_error *err)
{
	int slot = find_result(j, role, copy);
	int rc;

	if (slot < 0)
		return paleo_fail(err, PALEO_EUNSUPPORTED, "'%s' is in a private format of oneDNN",
				  paleo_role_name(role));
	if (j->has_been_run)
		return paleo_fail(err, PALEO_EBACKEND, "results are read before the first run");
	rc = read_result(j, slot, err);
	if (rc)
		return rc;
	size_t count = paleo_cpu_count(&j->plan.args[j->slots[slot].arg].view);
	for (int i = 0; i < n; i++) {
		if (!(index[i] >= 0 && index[i] < (double)count))
			return paleo_fail(err, PALEO_EBACKEND, "'%s' has no element %.0f",
					  paleo_role_name(role), index[i]);
		out[i] = j->values[(size_t)index[i]];
	}
	return PALEO_OK;
}

void paleo_cpu_release(struct paleo_job *j)
{
	if (!j)
		return;
	paleo_cpu_free_sets(j);
	dnnl_primitive_destroy(j->primitive);
	dnnl_primitive_desc_destroy(j->desc);
	dnnl_primitive_desc_destroy(j->hint);
	free(j->scratch);
	free(j->values);
	free(j);
}
