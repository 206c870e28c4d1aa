/* job.c - parts of a job: operands, steps, workspace, and their addresses. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/backends/cuda/job.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Libraries require 16 bytes, cudaMalloc gives 256: every tensor is aligned like a separate
 * allocation. */
#define ALIGNMENT ((size_t)256)

static size_t aligned(double bytes)
{
	return ((size_t)bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

void paleo_job_begin(struct paleo_job *j, const struct paleo_op *w,
		     const struct paleo_bench_options *o)
{
	*j = (struct paleo_job){.op = *w, .options = *o};
	j->operand_count = paleo_op_operands(w, j->operands);
}

int paleo_job_add(struct paleo_job *j, enum paleo_job_phase phase, struct paleo_step *step,
		  struct paleo_error *err)
{
	if (j->step_count[phase] == PALEO_JOB_STEPS) {
		step->release(step);
		return paleo_fail(err, PALEO_EBACKEND, "an op takes more than %d steps",
				  PALEO_JOB_STEPS);
	}
	j->steps[phase][j->step_count[phase]++] = *step;
	return PALEO_OK;
}

int paleo_job_hide(struct paleo_job *j, enum paleo_role role, double count, int elem_bytes,
		   struct paleo_error *err)
{
	if (j->operand_count == PALEO_JOB_OPERANDS)
		return paleo_fail(err, PALEO_EBACKEND, "an op takes more than %d operands",
				  PALEO_JOB_OPERANDS);
	assert(!paleo_job_operand(j, role));
	j->operands[j->operand_count++] = (struct paleo_operand){
		.role = role,
		.copies = 1,
		.rank = 1,
		.dims = {count},
		.elem_bytes = elem_bytes,
		.bytes = count * elem_bytes,
	};
	return PALEO_OK;
}

int paleo_job_hide_like(struct paleo_job *j, enum paleo_role role, enum paleo_role like,
			struct paleo_error *err)
{
	const struct paleo_operand *o = paleo_job_operand(j, like);
	int rc = paleo_job_hide(j, role, paleo_operand_count(o), o->elem_bytes, err);

	if (rc)
		return rc;
	struct paleo_operand *hidden = &j->operands[j->operand_count - 1];
	hidden->rank = o->rank;
	memcpy(hidden->dims, o->dims, sizeof(hidden->dims));
	return PALEO_OK;
}

void paleo_job_need_workspace(struct paleo_job *j, double bytes)
{
	if (bytes > j->workspace_bytes)
		j->workspace_bytes = bytes;
}

void paleo_job_name(struct paleo_job *j, const char *library, const char *words)
{
	size_t used = strlen(j->algorithm);

	snprintf(j->algorithm + used, sizeof(j->algorithm) - used, "%s%s%s%s", used ? " + " : "",
		 library, *words ? " " : "", words);
}

void paleo_job_clear(struct paleo_job *j)
{
	for (int phase = 0; phase < PALEO_JOB_PHASES; phase++) {
		for (int i = 0; i < j->step_count[phase]; i++)
			j->steps[phase][i].release(&j->steps[phase][i]);
		j->step_count[phase] = 0;
	}
	j->operand_count = paleo_op_operands(&j->op, j->operands);
	j->workspace_bytes = 0;
	j->algorithm[0] = '\0';
	j->chosen = (struct paleo_algorithm){0};
}

double paleo_job_tensor_count(const struct paleo_job *j, const struct paleo_operand *o, int tensor)
{
	int is_part = o->role == PALEO_X || o->role == PALEO_DX;

	if (j->op.kind == PALEO_COPY && is_part)
		return (double)j->op.geom.copy.rows *
		       paleo_copy_part(&j->op.geom.copy, tensor, NULL);
	return paleo_operand_count(o);
}

double paleo_job_place(const struct paleo_job *j, const struct paleo_operand *o, double index)
{
	long long i = (long long)index;

	if (o->rank != 4 || j->op.layout != PALEO_NHWC)
		return index;
	long long channels = (long long)o->dims[1], plane = (long long)(o->dims[2] * o->dims[3]);
	long long image = i / (channels * plane), c = i / plane % channels, pixel = i % plane;
	return (double)((image * plane + pixel) * channels + c);
}

void paleo_job_lay_out(struct paleo_job *j, int copies)
{
	struct paleo_job_layout *l = &j->layout;
	size_t end = 0;

	for (int i = 0; i < j->operand_count; i++) {
		const struct paleo_operand *o = &j->operands[i];
		/* The first part of a copy op is the widest. */
		l->offset[i] = end;
		l->distance[i] = aligned(paleo_job_tensor_count(j, o, 0) * o->elem_bytes);
		end += l->distance[i] * (size_t)o->copies;
	}
	l->set_bytes = end;
	l->copies = copies;
	l->workspace_offset = end * (size_t)copies;
	l->total_bytes = l->workspace_offset + aligned(j->workspace_bytes);
}

static int operand_index(const struct paleo_job *j, enum paleo_role role)
{
	for (int i = 0; i < j->operand_count; i++)
		if (j->operands[i].role == role)
			return i;
	return -1;
}

const struct paleo_operand *paleo_job_operand(const struct paleo_job *j, enum paleo_role role)
{
	return paleo_operand_find(j->operands, j->operand_count, role);
}

/* Number of tensors of the operands before this one. */
static int first_tensor(const struct paleo_job *j, int operand)
{
	int count = 0;

	for (int i = 0; i < operand; i++)
		count += j->operands[i].copies;
	return count;
}

int paleo_job_part(const struct paleo_job *j, int i, int *start)
{
	if (!j->placed)
		return paleo_copy_part(&j->op.geom.copy, i, start);
	*start = 0;
	for (int k = 0; k < i; k++)
		*start += j->widths[k];
	return j->widths[i];
}

void *paleo_job_address(const struct paleo_job *j, enum paleo_role role, int tensor, int copy)
{
	const struct paleo_job_layout *l = &j->layout;
	int i = operand_index(j, role);

	if (i < 0)
		return NULL;
	if (j->placed)
		return j->placed[first_tensor(j, i) + tensor];
	assert(copy < l->copies && tensor < j->operands[i].copies);
	size_t set = paleo_role_rotates(j->options.mode, role) ? (size_t)copy : 0;
	return l->base + set * l->set_bytes + l->offset[i] + (size_t)tensor * l->distance[i];
}

void *paleo_job_workspace(const struct paleo_job *j)
{
	return j->layout.base + j->layout.workspace_offset;
}
