/* verify.c - compares the results of a prepared job with the reference. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "bench/fill.h"
#include "bench/reference.h"

/* Terms that checking one result may cost, and the fewest elements that are checked. */
#define TERMS_MAX 1e7
#define ELEMENTS_MIN 4

/* One tensor to check, and room for so many elements of it. */
struct check {
	const struct paleo_work *w;
	enum paleo_role role;
	int copy;
	double count; /* of its elements */
	int n;        /* to be checked */
	double *index;
	float *found;
};

/* Elements of one tensor; the parts of a copy differ. */
static double tensor_count(const struct paleo_work *w, const struct paleo_operand *o, int copy)
{
	if (w->kind == PALEO_COPY && o->copies > 1)
		return (double)w->geom.copy.rows * paleo_copy_part(&w->geom.copy, copy, NULL);
	return paleo_operand_count(o);
}

static int choose_count(const struct paleo_work *w, enum paleo_role role, int samples, double count)
{
	double affordable = floor(TERMS_MAX / paleo_reference_terms(w, role));

	if (samples > affordable)
		samples = affordable > ELEMENTS_MIN ? (int)affordable : ELEMENTS_MIN;
	return count < samples ? (int)count : samples;
}

/* All elements if there are no more; else the first, the last and random ones between. */
static void choose_elements(struct check *c)
{
	const uint32_t stream = UINT32_MAX; /* of no tensor */

	for (int i = 0; i < c->n; i++) {
		double part = paleo_fill_hash(stream, (uint64_t)i) * 0x1p-32 +
			      paleo_fill_hash(stream - 1, (uint64_t)i) * 0x1p-64;
		c->index[i] = c->n == c->count ? i : floor(part * (c->count - 1));
	}
	c->index[0] = 0;
	c->index[c->n - 1] = c->count - 1;
}

/* The smallest normal number: a result below it is rounded to a fixed step. */
static double smallest_normal(enum paleo_dtype dtype)
{
	if (paleo_dtype_is_narrow(dtype))
		return 0x1p-6;
	return dtype == PALEO_F16 ? 0x1p-14 : FLT_MIN;
}

static double relative_error(double found, double expected, double magnitude,
			     enum paleo_dtype dtype)
{
	double difference = fabs(found - expected);

	return difference == 0 ? 0 : difference / fmax(magnitude, smallest_normal(dtype));
}

static int compare(const struct check *c, struct paleo_verification *v, struct paleo_error *err)
{
	double expected, magnitude;

	for (int i = 0; i < c->n; i++) {
		int rc = paleo_reference_value(c->w, c->role, c->copy, c->index[i], &expected,
					       &magnitude, err);
		if (rc)
			return rc;
		double error = relative_error(c->found[i], expected, magnitude,
					      paleo_operand_dtype(c->w, c->role));
		v->checked++;
		if (v->checked > 1 && (isnan(v->error) || error <= v->error))
			continue;
		v->error = error;
		v->role = c->role;
		v->copy = c->copy;
		v->index = c->index[i];
		v->expected = expected;
		v->found = c->found[i];
	}
	return PALEO_OK;
}

static int check_tensor(const struct paleo_backend *b, struct paleo_job *j, struct check *c,
			struct paleo_verification *v, struct paleo_error *err)
{
	int rc;

	c->index = malloc((size_t)c->n * sizeof(*c->index));
	c->found = malloc((size_t)c->n * sizeof(*c->found));
	if (!c->index || !c->found) {
		rc = paleo_fail(err, PALEO_ENOMEM, "no memory to check %d elements", c->n);
		goto out;
	}
	choose_elements(c);
	for (int i = 0; i < c->n; i++)
		c->found[i] = NAN;
	rc = b->output(j, c->role, c->copy, c->index, c->n, c->found, err);
	if (!rc)
		rc = compare(c, v, err);
	/* What a forward pass leaves for its backward pass may be the library's own. */
	if (rc == PALEO_EUNSUPPORTED && c->role == PALEO_MASK)
		rc = PALEO_OK;
out:
	free(c->index);
	free(c->found);
	return rc;
}

static int check_operand(const struct paleo_backend *b, struct paleo_job *j,
			 const struct paleo_operand *o, struct check *c,
			 struct paleo_verification *v, struct paleo_error *err)
{
	int samples = c->n / o->copies > ELEMENTS_MIN ? c->n / o->copies : ELEMENTS_MIN;
	int rc = PALEO_OK;

	for (int copy = 0; copy < o->copies && !rc; copy++) {
		struct check one = {.w = c->w, .role = o->role, .copy = copy};
		one.count = tensor_count(c->w, o, copy);
		one.n = choose_count(c->w, o->role, samples, one.count);
		rc = check_tensor(b, j, &one, v, err);
	}
	return rc;
}

int paleo_verify(const struct paleo_backend *b, struct paleo_job *j, const struct paleo_work *w,
		 int samples, struct paleo_verification *out, struct paleo_error *err)
{
	struct paleo_operand list[PALEO_OPERANDS_MAX];
	struct paleo_verification v = {.tolerance = paleo_reference_tolerance(w)};
	struct check c = {.w = w, .n = samples};
	int operands = paleo_work_operands(w, list);

	for (int i = 0; i < operands && samples > 0; i++) {
		if (!(list[i].access & PALEO_WRITE))
			continue;
		int rc = check_operand(b, j, &list[i], &c, &v, err);
		if (rc)
			return rc;
	}
	if (samples > 0 && !v.checked)
		return paleo_fail(err, PALEO_EBACKEND, "no result of the work could be checked");
	*out = v;
	return PALEO_OK;
}
