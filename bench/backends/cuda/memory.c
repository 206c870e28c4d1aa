/* memory.c - takes device memory for a job, fills its inputs, poisons and reads its results. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/backends/cuda/session.h"
#include "bench/fill.h"

#define GIB 1073741824.0

/* Bytes of a set of operands that rotate with each launch. Hidden ones, without access, are for the
 * setup steps. */
static double rotating_bytes(const struct paleo_job *j)
{
	double bytes = 0;

	for (int i = 0; i < j->operand_count; i++)
		if (j->operands[i].access &&
		    paleo_role_rotates(j->options.mode, j->operands[i].role))
			bytes += j->operands[i].bytes;
	return bytes;
}

int paleo_memory_is_resident(const struct paleo_job *j)
{
	/* a single set is touched as a whole before it is used again */
	double between = fmax(j->layout.copies - 1, 1) * rotating_bytes(j);

	return j->options.mode == PALEO_COLD && between < j->session->properties.l2CacheSize;
}

/* Enough sets that a set has left the cache when it is used again: three caches' worth. */
static int wanted_copies(const struct paleo_job *j)
{
	double bytes = rotating_bytes(j);

	if (bytes == 0)
		return 1;
	double copies = 1 + ceil(3.0 * j->session->properties.l2CacheSize / bytes);
	if (copies < 2)
		return 2;
	return copies > PALEO_JOB_COPIES ? PALEO_JOB_COPIES : (int)copies;
}

/* Bytes that may be taken: the user's limit, and never the last of the device. */
static int memory_limit(const struct paleo_job *j, double *limit, struct paleo_error *err)
{
	size_t available, total;
	int rc = paleo_cuda_check(cudaMemGetInfo(&available, &total), "query free memory", err);

	if (rc)
		return rc;
	double most = (double)available - fmin(2 * GIB, 0.25 * (double)available);
	*limit = most;
	if (j->options.memory_limit_bytes > 0)
		*limit = fmin(most, j->options.memory_limit_bytes);
	return PALEO_OK;
}

static int take(struct paleo_job *j, int copies, struct paleo_error *err)
{
	void *base;

	paleo_job_lay_out(j, copies);
	int rc = paleo_cuda_check(cudaMalloc(&base, j->layout.total_bytes), "take memory", err);
	if (!rc)
		j->layout.base = base;
	return rc;
}

/* Free memory may be fragmented: a size too large in one piece may fit with fewer copies. */
static int take_fewer(struct paleo_job *j, int copies, struct paleo_error *err)
{
	int rc = take(j, copies, err);

	while (rc == PALEO_ENOMEM && copies > 1) {
		copies /= 2;
		rc = take(j, copies, err);
	}
	if (rc == PALEO_ENOMEM)
		paleo_error_prefix(err, "%.2f GiB for one set of operands and the workspace",
				   (double)j->layout.total_bytes / GIB);
	return rc;
}

int paleo_memory_take(struct paleo_job *j, struct paleo_error *err)
{
	int copies = wanted_copies(j);
	double limit;
	int rc = memory_limit(j, &limit, err);

	if (rc)
		return rc;
	paleo_job_lay_out(j, 1);
	double one = (double)j->layout.set_bytes;
	double rest = (double)(j->layout.total_bytes - j->layout.set_bytes);
	if (one + rest > limit)
		return paleo_fail(
			err, PALEO_ENOMEM,
			"one set of operands takes %.2f GiB and the workspace %.2f GiB, but "
			"only %.2f GiB may be used",
			one / GIB, rest / GIB, limit / GIB);
	double affordable = floor((limit - rest) / one);
	return take_fewer(j, affordable < copies ? (int)affordable : copies, err);
}

void paleo_memory_give_back(struct paleo_job *j)
{
	cudaFree(j->layout.base);
	j->layout.base = NULL;
}

/* Inputs, and hidden operands: x is the one that is an input of the setup steps. They compute the
 * mask of max pooling. */
static int is_filled(const struct paleo_job *j, const struct paleo_operand *o)
{
	if (o->role == PALEO_MASK && j->op.kind == PALEO_POOL)
		return 0;
	if (paleo_filler_of(&j->op, o->role, 0).stored)
		return 0; /* the setup steps do, with their scales */
	return (o->access & PALEO_READ) || o->role == PALEO_X;
}

static int fill_tensor(const struct paleo_job *j, const struct paleo_operand *o, int tensor,
		       struct paleo_error *err)
{
	struct paleo_session *s = j->session;
	struct paleo_frame f = paleo_frame_of_fill(j, o, tensor);

	if (j->options.zeros)
		return paleo_cuda_check(
			cudaMemsetAsync(
				paleo_job_address(j, o->role, tensor, 0), 0,
				(size_t)(paleo_job_tensor_count(j, o, tensor) * o->elem_bytes),
				s->stream),
			"fill with zeros", err);
	int is_e4m3 = paleo_dtype_is_narrow(paleo_operand_dtype(&j->op, o->role));
	const char *name = o->role == PALEO_MASK    ? "fill_mask"
			   : o->role == PALEO_INDEX ? "fill_index"
			   : is_e4m3                ? "fill_e4m3"
						    : "fill";
	return paleo_kernels_fill(s, j->op.dtype, name, &f, err);
}

int paleo_memory_fill(struct paleo_job *j, struct paleo_error *err)
{
	cudaStream_t stream = j->session->stream;
	const struct paleo_job_layout *l = &j->layout;
	/* All ones are not a number in any of the dtypes. */
	int rc = paleo_cuda_check(cudaMemsetAsync(l->base, 0xff, l->total_bytes, stream),
				  "poison the results", err);

	for (int i = 0; i < j->operand_count && !rc; i++) {
		const struct paleo_operand *o = &j->operands[i];
		for (int t = 0; t < o->copies && !rc && is_filled(j, o); t++)
			rc = fill_tensor(j, o, t, err);
	}
	return rc;
}

int paleo_memory_poison(const struct paleo_job *j, struct paleo_error *err)
{
	const struct paleo_job_layout *l = &j->layout;
	int rc = PALEO_OK;

	for (int set = 0; set < l->copies; set++) {
		for (int i = 0; i < j->operand_count && !rc; i++) {
			const struct paleo_operand *o = &j->operands[i];
			char *at = l->base + (size_t)set * l->set_bytes + l->offset[i];
			if (o->access == PALEO_WRITE)
				rc = paleo_cuda_check(
					cudaMemsetAsync(at, 0xff,
							l->distance[i] * (size_t)o->copies,
							j->session->stream),
					"poison the results", err);
		}
	}
	return rc;
}

int paleo_memory_spread(struct paleo_job *j, struct paleo_error *err)
{
	const struct paleo_job_layout *l = &j->layout;
	int rc = PALEO_OK;

	for (int i = 1; i < l->copies && !rc; i++)
		rc = paleo_cuda_check(cudaMemcpyAsync(l->base + (size_t)i * l->set_bytes, l->base,
						      l->set_bytes, cudaMemcpyDeviceToDevice,
						      j->session->stream),
				      "copy the inputs", err);
	return rc;
}

static float float_of_bits(uint32_t bits)
{
	float v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

static float float_of_half(uint32_t half)
{
	uint32_t exponent = half >> 10 & 31, mantissa = half & 1023;
	float v;

	if (exponent == 31)
		v = mantissa ? NAN : INFINITY;
	else if (exponent == 0)
		v = (float)mantissa * 0x1p-24f;
	else
		v = ldexpf((float)(mantissa | 1024), (int)exponent - 25);
	return half >> 15 ? -v : v;
}

/* Only e4m3 results of ops in fp8 have one byte. */
static float float_of_e4m3(uint32_t code)
{
	uint32_t exponent = code >> 3 & 15, mantissa = code & 7;
	float v;

	if (exponent == 15 && mantissa == 7)
		v = NAN;
	else if (exponent == 0)
		v = (float)mantissa * 0x1p-9f;
	else
		v = ldexpf((float)(mantissa | 8), (int)exponent - 10);
	return code >> 7 ? -v : v;
}

float paleo_memory_value(int elem_bytes, enum paleo_dtype dtype, uint32_t raw)
{
	if (elem_bytes == 1)
		return paleo_dtype_is_narrow(dtype) ? float_of_e4m3(raw) : (float)raw;
	if (elem_bytes == 4)
		return float_of_bits(raw);
	return paleo_dtype_wide(dtype) == PALEO_BF16 ? float_of_bits(raw << 16)
						     : float_of_half(raw);
}

int paleo_memory_read(struct paleo_job *j, enum paleo_role role, int copy, const double *index,
		      int n, float *out, struct paleo_error *err)
{
	const struct paleo_operand *o = paleo_job_operand(j, role);
	int rc = PALEO_OK;

	if (!o || copy < 0 || copy >= o->copies)
		return paleo_fail(err, PALEO_EINPUT, "the op has no result '%s' %d",
				  paleo_role_name(role), copy);
	uint32_t *raw = calloc((size_t)n + 1, sizeof(*raw));
	if (!raw)
		return paleo_fail(err, PALEO_ENOMEM, "no memory for %d elements", n);
	const char *from = paleo_job_address(j, role, copy, j->last_set);
	size_t bytes = (size_t)o->elem_bytes;
	for (int i = 0; i < n && !rc; i++) {
		size_t at = (size_t)paleo_job_place(j, o, index[i]) * bytes;
		rc = paleo_cuda_check(cudaMemcpyAsync(&raw[i], from + at, bytes,
						      cudaMemcpyDeviceToHost, j->session->stream),
				      "read a result", err);
	}
	if (!rc)
		rc = paleo_cuda_check(cudaStreamSynchronize(j->session->stream), "read the results",
				      err);
	for (int i = 0; i < n && !rc; i++)
		out[i] = paleo_memory_value(o->elem_bytes, j->op.dtype, raw[i]);
	free(raw);
	return rc;
}
