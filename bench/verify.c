/* verify.c - compares the results of a job with the reference, as often as it is asked to. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "bench/fill.h"
#include "bench/reference.h"

/* Terms that checking one result may cost, and the fewest elements that are checked. */
#define TERMS_MAX 1e7
#define ELEMENTS_MIN 4

/* Elements of one tensor, their expected values, and buffers for the actual ones. */
struct tensor {
	enum paleo_role role;
	int copy, n;
	double *index, *expected, *magnitude;
	float *found;
};

struct paleo_checks {
	struct paleo_op op;
	struct tensor *tensors;
	int count;
	int is_in_place; /* a result is an operand, too */
};

/* Elements of one tensor; the parts of a copy differ. */
static double tensor_count(const struct paleo_op *w, const struct paleo_operand *o, int copy)
{
	if (w->kind == PALEO_COPY && o->copies > 1)
		return (double)w->geom.copy.rows * paleo_copy_part(&w->geom.copy, copy, NULL);
	return paleo_operand_count(o);
}

static int choose_count(const struct paleo_op *w, enum paleo_role role, int samples, double count)
{
	double affordable = floor(TERMS_MAX / paleo_reference_terms(w, role));

	if (samples > affordable)
		samples = affordable > ELEMENTS_MIN ? (int)affordable : ELEMENTS_MIN;
	return count < samples ? (int)count : samples;
}

/* All elements if there are few; else the first, the last and random ones between. */
static void choose_elements(struct tensor *t, double count)
{
	const uint32_t stream = UINT32_MAX; /* of no tensor */

	for (int i = 0; i < t->n; i++) {
		double part = paleo_fill_hash(stream, (uint64_t)i) * 0x1p-32 +
			      paleo_fill_hash(stream - 1, (uint64_t)i) * 0x1p-64;
		t->index[i] = t->n == count ? i : floor(part * (count - 1));
	}
	t->index[0] = 0;
	t->index[t->n - 1] = count - 1;
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

/* Tensors saved by a forward pass for its backward pass may be in a library's private format. */
static int is_private(const struct tensor *t, int rc)
{
	return rc == PALEO_EUNSUPPORTED && t->role == PALEO_MASK;
}

static int find_expected(const struct paleo_op *w, struct tensor *t, struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int i = 0; i < t->n && !rc; i++)
		rc = paleo_reference_value(w, t->role, t->copy, t->index[i], &t->expected[i],
					   &t->magnitude[i], err);
	if (!is_private(t, rc))
		return rc;
	t->n = 0;
	return PALEO_OK;
}

/* A tensor with `samples` of its elements, which belongs to the checks. */
static int add_tensor(struct paleo_checks *c, const struct paleo_operand *o, int copy, int samples,
		      struct paleo_error *err)
{
	double count = tensor_count(&c->op, o, copy);
	struct tensor *t = &c->tensors[c->count];

	*t = (struct tensor){.role = o->role, .copy = copy};
	t->n = choose_count(&c->op, o->role, samples, count);
	t->index = calloc(3 * (size_t)t->n, sizeof(*t->index));
	t->found = calloc((size_t)t->n, sizeof(*t->found));
	c->count++;
	if (!t->index || !t->found)
		return paleo_fail(err, PALEO_ENOMEM, "no memory to check %d elements", t->n);
	t->expected = t->index + t->n;
	t->magnitude = t->expected + t->n;
	choose_elements(t, count);
	return find_expected(&c->op, t, err);
}

void paleo_checks_free(struct paleo_checks *c)
{
	if (!c)
		return;
	for (int i = 0; i < c->count; i++) {
		free(c->tensors[i].index);
		free(c->tensors[i].found);
	}
	free(c->tensors);
	free(c);
}

static int count_results(const struct paleo_operand *list, int count)
{
	int results = 0;

	for (int i = 0; i < count; i++)
		results += list[i].access & PALEO_WRITE ? list[i].copies : 0;
	return results;
}

int paleo_checks_make(const struct paleo_op *w, int samples, struct paleo_checks **out,
		      struct paleo_error *err)
{
	struct paleo_operand list[PALEO_OPERANDS_MAX];
	struct paleo_checks *c = calloc(1, sizeof(*c));
	int operands = paleo_op_operands(w, list), rc = PALEO_OK;

	if (c)
		c->tensors = calloc((size_t)count_results(list, operands) + 1, sizeof(*c->tensors));
	if (!c || !c->tensors) {
		free(c);
		return paleo_fail(err, PALEO_ENOMEM, "no memory to check results");
	}
	c->op = *w;
	for (int i = 0; i < operands && !rc; i++) {
		const struct paleo_operand *o = &list[i];
		int each = samples / o->copies > ELEMENTS_MIN ? samples / o->copies : ELEMENTS_MIN;
		if (!(o->access & PALEO_WRITE))
			continue;
		c->is_in_place |= (o->access & PALEO_READ) != 0;
		for (int copy = 0; copy < o->copies && !rc; copy++)
			rc = add_tensor(c, o, copy, each, err);
	}
	if (rc) {
		paleo_checks_free(c);
		return rc;
	}
	*out = c;
	return PALEO_OK;
}

int paleo_checks_hold_again(const struct paleo_checks *c)
{
	return !c->is_in_place;
}

static void compare(const struct paleo_checks *c, const struct tensor *t,
		    struct paleo_verification *v)
{
	for (int i = 0; i < t->n; i++) {
		double error = relative_error(t->found[i], t->expected[i], t->magnitude[i],
					      paleo_operand_dtype(&c->op, t->role));
		v->checked++;
		if (v->checked > 1 && (isnan(v->error) || error <= v->error))
			continue;
		v->error = error;
		v->role = t->role;
		v->copy = t->copy;
		v->index = t->index[i];
		v->expected = t->expected[i];
		v->found = t->found[i];
	}
}

int paleo_checks_compare(const struct paleo_checks *c, const struct paleo_backend *b,
			 struct paleo_job *j, struct paleo_verification *out,
			 struct paleo_error *err)
{
	struct paleo_verification v = {.tolerance = paleo_reference_tolerance(&c->op)};

	for (int i = 0; i < c->count; i++) {
		const struct tensor *t = &c->tensors[i];
		for (int k = 0; k < t->n; k++)
			t->found[k] = NAN;
		if (t->n == 0)
			continue;
		int rc = b->output(j, t->role, t->copy, t->index, t->n, t->found, err);
		if (is_private(t, rc))
			continue;
		if (rc)
			return rc;
		compare(c, t, &v);
	}
	if (!v.checked)
		return paleo_fail(err, PALEO_EBACKEND, "no result of the op could be checked");
	*out = v;
	return PALEO_OK;
}
