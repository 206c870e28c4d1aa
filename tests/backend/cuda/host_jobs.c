/* host_jobs.c - the plug-in's kernels on the CPU, and their results against the reference. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "host_jobs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/backends/cuda/kernels.h"
#include "bench/backends/cuda/plans/plans.h"
#include "bench/fill.h"
#include "bench/reference.h"
#include "host_kernels.h"
#include "host_library.h"
#include "tests/unit/unit.h"

/*
 * The plans are the plug-in's own: which kernel, how many blocks, which geometry. Only
 * the launch is another: it runs the same text of the kernel on the CPU. What remains
 * untested is the device's compiler and the device.
 */
struct call {
	int number;
	unsigned blocks;
	struct paleo_frame frame;
};

static int launch(const struct paleo_step *step, const struct paleo_job *j, int copy,
		  struct paleo_error *err)
{
	const struct call *c = step->state;
	struct paleo_frame f = c->frame;
	struct paleo_parts parts;

	(void)err;
	paleo_frame_bind(&f, j, copy);
	paleo_parts_bind(&parts, j, copy);
	host_kernel_run(c->number, c->blocks, &f, &parts);
	return PALEO_OK;
}

static void release(struct paleo_step *step)
{
	free(step->state);
}

int paleo_kernel_add(struct paleo_job *j, enum paleo_job_phase phase, const char *name,
		     double blocks, const struct paleo_frame *f, struct paleo_error *err)
{
	struct call *c = malloc(sizeof(*c));
	struct paleo_step step = {.state = c, .launch = launch, .release = release};

	assert_non_null(c);
	*c = (struct call){host_kernel_find(name), (unsigned)blocks, *f};
	if (c->number < 0)
		fail_msg("no kernel is called '%s'", name);
	return paleo_job_add(j, phase, &step, err);
}

/* The kernels of a dtype are a program. */
static const char *dtype_word(void)
{
	return host_element_bytes() == 4 ? "f32" : "bf16";
}

/* An element of an operand, in its own dtype. */
static float value_at(const struct paleo_operand *o, const void *tensor, long long at)
{
	if (o->elem_bytes == 1)
		return (float)((const unsigned char *)tensor)[at];
	if (o->role == PALEO_INDEX)
		return (float)((const int *)tensor)[at];
	if (o->elem_bytes == sizeof(float))
		return ((const float *)tensor)[at];
	return host_element(tensor, at);
}

static void plan(struct paleo_job *j)
{
	struct paleo_error err;
	int rc = PALEO_EUNSUPPORTED;

	switch ((int)j->op.kind) {
	case PALEO_ELTWISE:
		rc = paleo_plan_eltwise(j, &err);
		break;
	case PALEO_UPDATE:
		rc = paleo_plan_update(j, &err);
		break;
	case PALEO_UPSAMPLE:
		rc = paleo_plan_upsample(j, &err);
		break;
	case PALEO_POOL:
		rc = paleo_plan_pool(j, &err);
		break;
	case PALEO_NORM:
		rc = paleo_plan_norm_kernels(j, &err);
		break;
	case PALEO_CONV: /* of these, the bias alone */
	case PALEO_GEMM:
		rc = j->op.pass == PALEO_FWD ? paleo_plan_bias(j, &err)
					     : paleo_plan_bias_gradient(j, &err);
		break;
	case PALEO_REDUCE:
		rc = paleo_plan_reduce(j, &err);
		break;
	case PALEO_COPY:
		rc = paleo_plan_copy(j, &err);
		break;
	case PALEO_ATTENTION: /* of this, the cache alone */
		rc = paleo_plan_cache(j, &err);
		break;
	case PALEO_MOE:
		rc = paleo_plan_moe(j, &err);
		break;
	case PALEO_EMBEDDING:
		rc = paleo_plan_embedding(j, &err);
		break;
	case PALEO_ROPE:
		rc = paleo_plan_rope(j, &err);
		break;
	case PALEO_CROSS_ENTROPY:
		rc = paleo_plan_cross_entropy(j, &err);
		break;
	default:
		snprintf(err.text, sizeof(err.text), "no kernel does this");
		break;
	}
	if (rc)
		fail_msg("%s", err.text);
}

/* Fills a tensor by the kernel, and looks whether it did as fill.h says. */
void host_job_fill(struct paleo_job *j, const struct paleo_operand *o, int tensor)
{
	struct paleo_frame f = paleo_frame_of_fill(j, o, tensor);
	int is_e4m3 = paleo_dtype_is_narrow(paleo_operand_dtype(&j->op, o->role));
	const char *name = o->role == PALEO_MASK    ? "fill_mask"
			   : o->role == PALEO_INDEX ? "fill_index"
			   : is_e4m3                ? "fill_e4m3"
						    : "fill";
	const void *to = paleo_job_address(j, o->role, tensor, 0);

	host_kernel_run(host_kernel_find(name), 3, &f, NULL);
	for (long long i = 0; i < f.count && !is_e4m3; i++) { /* codes: test_quantise.c */
		float expected = paleo_fill_value(&j->op, o->role, tensor, (double)i);
		long long at = (long long)paleo_job_place(j, o, (double)i);
		assert_true(value_at(o, to, at) == expected);
	}
}

void host_job_fill_inputs(struct paleo_job *j)
{
	memset(j->layout.base, 0xff, j->layout.total_bytes);
	for (int i = 0; i < j->operand_count; i++) {
		const struct paleo_operand *o = &j->operands[i];
		int comes_from_setup = o->role == PALEO_MASK && j->op.kind == PALEO_POOL;
		int is_stored = paleo_filler_of(&j->op, o->role, 0).stored != 0;
		if (comes_from_setup || is_stored ||
		    !((o->access & PALEO_READ) || o->role == PALEO_X))
			continue;
		for (int t = 0; t < o->copies; t++)
			host_job_fill(j, o, t);
	}
}

void host_job_launch(struct paleo_job *j, enum paleo_job_phase phase, int copy)
{
	struct paleo_error err;

	for (int i = 0; i < j->step_count[phase]; i++)
		assert_int_equal(j->steps[phase][i].launch(&j->steps[phase][i], j, copy, &err),
				 PALEO_OK);
}

/* Compares a result with the reference: every element, or where the reference takes many terms, one
 * of so many that it takes 2e7. Returns how many were compared. */
int host_job_compare(struct paleo_job *j, const struct paleo_operand *o, int tensor, int copy)
{
	const void *found = paleo_job_address(j, o->role, tensor, copy);
	double tolerance = paleo_reference_tolerance(&j->op);
	int count = (int)paleo_job_tensor_count(j, o, tensor);
	int step = 1 | (int)(count * paleo_reference_terms(&j->op, o->role) / 2e7), compared = 0;
	char key[PALEO_OP_KEY_MAX];

	paleo_op_key(&j->op, key, sizeof(key));
	for (int i = 0; i < count; i += step, compared++) {
		struct paleo_error err;
		double expected, magnitude;
		long long at = (long long)paleo_job_place(j, o, i);
		float v = value_at(o, found, at);
		int rc = paleo_reference_value(&j->op, o->role, tensor, i, &expected, &magnitude,
					       &err);
		if (rc == PALEO_EUNSUPPORTED && o->role == PALEO_MASK)
			return 0;
		assert_int_equal(rc, PALEO_OK);
		double error = fabs(v - expected);
		if (!(error == 0 || error / fmax(magnitude, 1e-30) <= tolerance))
			fail_msg("%s: %s %d at %d is %.9g, not %.9g (magnitude %.3g)", key,
				 paleo_role_name(o->role), tensor, i, (double)v, expected,
				 magnitude);
	}
	return compared;
}

static int compare_results(struct paleo_job *j, int copy)
{
	int compared = 0;

	for (int i = 0; i < j->operand_count; i++) {
		const struct paleo_operand *o = &j->operands[i];
		/* Of a convolution's and a product's gradients, the kernels give the bias' alone.
		 */
		if (!(o->access & PALEO_WRITE) ||
		    (o->role == PALEO_DW && j->op.kind == PALEO_CONV) ||
		    (o->role == PALEO_Y &&
		     (j->op.kind == PALEO_GEMM || j->op.kind == PALEO_ATTENTION)))
			continue;
		for (int t = 0; t < o->copies; t++)
			compared += host_job_compare(j, o, t, copy);
	}
	return compared;
}

/* Two sets of operands, the second a copy of the first, on which the op then runs. */
void host_job_take_memory(struct paleo_job *j)
{
	paleo_job_lay_out(j, 2);
	j->layout.base = aligned_alloc(256, j->layout.total_bytes);
	assert_non_null(j->layout.base);
}

/* `#` in a key is the dtype of the program. */
struct paleo_job host_job_begin(const char *key)
{
	const struct paleo_bench_options options = {.mode = PALEO_COLD};
	char whole[PALEO_OP_KEY_MAX];
	struct paleo_error err;
	struct paleo_op w;
	struct paleo_job j;
	int length = (int)strcspn(key, "#");

	snprintf(whole, sizeof(whole), "%.*s%s%s", length, key, key[length] ? dtype_word() : "",
		 key + length + (key[length] != 0));
	if (paleo_op_parse(whole, &w, &err))
		fail_msg("%s: %s", whole, err.text);
	paleo_job_begin(&j, &w, &options);
	return j;
}

struct paleo_job host_job_open(const char *key)
{
	struct paleo_job j = host_job_begin(key);

	plan(&j);
	host_job_take_memory(&j);
	return j;
}

void host_job_close(struct paleo_job *j)
{
	paleo_job_clear(j);
	free(j->layout.base);
}

void host_job_check(const char *key)
{
	struct paleo_job j = host_job_open(key);

	host_job_fill_inputs(&j);
	host_job_launch(&j, PALEO_SETUP, 0);
	memcpy(j.layout.base + j.layout.set_bytes, j.layout.base, j.layout.set_bytes);
	host_job_launch(&j, PALEO_TIMED, 1);
	if (j.op.kind == PALEO_ATTENTION)
		library_attends(&j);
	if (!compare_results(&j, 1))
		fail_msg("%s: nothing was compared", key);
	host_job_close(&j);
}
