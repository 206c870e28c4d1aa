/* test_verify.c - every result is checked, at its ends too, at a bounded cost. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "reference_help.h"

/* Answers rightly but for one element, and notes what it was asked for. */
struct paleo_job {
	struct paleo_op op;
	enum paleo_role bad_role;
	int bad_copy;
	double bad_index; /* -1: none */
	float bad_value;
	int mask_is_private;
	int asked[PALEO_ROLES]; /* elements */
	double lowest[PALEO_ROLES], highest[PALEO_ROLES];
};

static int output(struct paleo_job *j, enum paleo_role role, int copy, const double *index, int n,
		  float *out, struct paleo_error *err)
{
	if (role == PALEO_MASK && j->mask_is_private)
		return paleo_fail(err, PALEO_EUNSUPPORTED, "the mask is the library's own");
	for (int i = 0; i < n; i++) {
		double value, magnitude;
		int rc = paleo_reference_value(&j->op, role, copy, index[i], &value, &magnitude,
					       err);
		if (rc)
			return rc;
		int bad = role == j->bad_role && copy == j->bad_copy && index[i] == j->bad_index;
		out[i] = bad ? j->bad_value : (float)value;
		if (!j->asked[role] || index[i] < j->lowest[role])
			j->lowest[role] = index[i];
		if (!j->asked[role] || index[i] > j->highest[role])
			j->highest[role] = index[i];
		j->asked[role]++;
	}
	return PALEO_OK;
}

static const struct paleo_backend stub = {.abi = PALEO_BACKEND_ABI, .output = output};

static int verify(const struct paleo_backend *b, struct paleo_job *j, const struct paleo_op *w,
		  int samples, struct paleo_verification *v, struct paleo_error *err)
{
	struct paleo_checks *c = NULL;
	int rc = paleo_checks_make(w, samples, &c, err);

	if (!rc)
		rc = paleo_checks_compare(c, b, j, v, err);
	paleo_checks_free(c);
	return rc;
}

static struct paleo_verification verified(struct paleo_job *j, const char *key, int samples)
{
	struct paleo_verification v;
	struct paleo_error err = {0};

	j->op = given_op(key);
	if (verify(&stub, j, &j->op, samples, &v, &err))
		fail_msg("%s", err.text);
	return v;
}

static void all_results(void **state)
{
	struct paleo_job j = {.bad_index = -1};
	struct paleo_verification v;

	(void)state;
	v = verified(&j, "norm bwd_data f32 mode=batch n=2 c=3 h=4 w=5 scale=1 shift=1", 1000);
	assert_true(v.error <= v.tolerance);
	assert_int_equal(j.asked[PALEO_DX], 120);
	assert_int_equal(j.asked[PALEO_DSCALE], 3);
	assert_int_equal(j.asked[PALEO_DSHIFT], 3);
	assert_int_equal(v.checked, 126);

	/* parts of 3, 2 and 2 columns, 2 rows: their own sizes, not the widest's */
	j = (struct paleo_job){.bad_index = -1};
	v = verified(&j, "copy bwd_data f32 rows=2 cols=7 parts=3", 1000);
	assert_int_equal(v.checked, 14);
	assert_true(j.highest[PALEO_DX] == 5);
}

/* A large result: as many as asked for, the first and the last among them. */
static void samples_with_ends(void **state)
{
	struct paleo_job j = {.bad_index = -1};
	struct paleo_verification v;

	(void)state;
	v = verified(&j, "eltwise fwd f32 op=relu count=1000000", 64);
	assert_int_equal(v.checked, 64);
	assert_true(j.lowest[PALEO_Y] == 0 && j.highest[PALEO_Y] == 999999);
}

/* Sums of 4000000 terms: two would cost 8e6, but four are the least. */
static void long_sums_are_few(void **state)
{
	struct paleo_job j = {.bad_index = -1};
	struct paleo_verification v;

	(void)state;
	v = verified(&j, "gemm fwd f32 m=4 n=4 k=4000000", 64);
	assert_int_equal(v.checked, 4);
	assert_true(v.error <= v.tolerance);
}

/* One wrong element at the end of the last result is found, named, and not hidden by later ones. */
static void wrong_is_found(void **state)
{
	struct paleo_job j = {.bad_role = PALEO_W, .bad_index = 999, .bad_value = 3};
	struct paleo_verification v;

	(void)state;
	v = verified(&j, "update update f32 rule=adam count=1000", 10);
	assert_false(v.error <= v.tolerance);
	assert_int_equal(v.role, PALEO_W);
	assert_true(v.index == 999 && v.found == 3);
	j.bad_value = NAN;
	v = verified(&j, "update update f32 rule=adam count=1000", 10);
	assert_false(v.error <= v.tolerance);
	assert_true(isnan(v.found) && v.index == 999);
	/* the third input's gradient */
	j = (struct paleo_job){.bad_role = PALEO_DX, .bad_copy = 1, .bad_index = 0, .bad_value = 9};
	v = verified(&j, "eltwise bwd_data f32 op=mul inputs=2 count=100", 10);
	assert_int_equal(v.copy, 1);
	assert_false(v.error <= v.tolerance);
}

/* Where all are checked, none is passed over. */
static void each_is_looked_at(void **state)
{
	(void)state;
	for (int i = 0; i < 12; i++) {
		struct paleo_job j = {.bad_role = PALEO_Y, .bad_index = i, .bad_value = 9};
		struct paleo_verification v = verified(&j, "softmax fwd f32 rows=3 cols=4", 12);
		assert_int_equal(v.checked, 12);
		assert_false(v.error <= v.tolerance);
		assert_true(v.index == i);
	}
}

/* Right, but the last element is never written. */
static int all_but_one(struct paleo_job *j, enum paleo_role role, int copy, const double *index,
		       int n, float *out, struct paleo_error *err)
{
	return output(j, role, copy, index, n - 1, out, err);
}

static void unwritten_is_wrong(void **state)
{
	const struct paleo_backend lazy = {.abi = PALEO_BACKEND_ABI, .output = all_but_one};
	struct paleo_op w = given_op("softmax fwd f32 rows=2 cols=3");
	struct paleo_job j = {.op = w, .bad_index = -1};
	struct paleo_verification v = {0};
	struct paleo_error err = {0};

	(void)state;
	assert_int_equal(verify(&lazy, &j, &w, 10, &v, &err), 0);
	assert_false(v.error <= v.tolerance);
	assert_true(v.index == 5);
}

/* Only a mask may be kept back. */
static void private_masks(void **state)
{
	struct paleo_job j = {.bad_index = -1, .mask_is_private = 1};
	struct paleo_verification v;

	(void)state;
	v = verified(&j, "pool fwd f32 mode=max n=1 c=1 h=4 w=4 r=2 s=2", 100);
	assert_int_equal(v.checked, 9);
	v = verified(&j, "eltwise fwd f32 op=dropout count=50", 100);
	assert_int_equal(v.checked, 50);
}

static int keeps_back(struct paleo_job *j, enum paleo_role role, int copy, const double *index,
		      int n, float *out, struct paleo_error *err)
{
	if (role != PALEO_MASK)
		return paleo_fail(err, PALEO_EUNSUPPORTED, "the result is the library's own");
	return output(j, role, copy, index, n, out, err);
}

static int loses_mask(struct paleo_job *j, enum paleo_role role, int copy, const double *index,
		      int n, float *out, struct paleo_error *err)
{
	if (role == PALEO_MASK)
		return paleo_fail(err, PALEO_EBACKEND, "the mask cannot be read");
	return output(j, role, copy, index, n, out, err);
}

/* A result may not, and a mask that is there must be read. */
static void results_are_public(void **state)
{
	const struct paleo_backend secret = {.output = keeps_back}, broken = {.output = loses_mask};
	struct paleo_op w = given_op("eltwise fwd f32 op=dropout count=50");
	struct paleo_job j = {.op = w, .bad_index = -1};
	struct paleo_verification v;
	struct paleo_error err = {0};

	(void)state;
	assert_int_equal(verify(&secret, &j, &w, 10, &v, &err), PALEO_EUNSUPPORTED);
	assert_int_equal(verify(&broken, &j, &w, 10, &v, &err), PALEO_EBACKEND);
}

/* What is known once is compared again: the second look sees what changed meanwhile. An optimiser's
 * step changes its weights each time. */
static void look_twice(void **state)
{
	struct paleo_op w = given_op("softmax fwd f32 rows=2 cols=3");
	struct paleo_job j = {.op = w, .bad_index = -1};
	struct paleo_checks *c = NULL;
	struct paleo_verification v;
	struct paleo_error err = {0};

	(void)state;
	assert_int_equal(paleo_checks_make(&w, 10, &c, &err), PALEO_OK);
	assert_int_equal(paleo_checks_compare(c, &stub, &j, &v, &err), PALEO_OK);
	assert_true(v.error <= v.tolerance && paleo_checks_hold_again(c));
	j.bad_role = PALEO_Y;
	j.bad_index = 4;
	assert_int_equal(paleo_checks_compare(c, &stub, &j, &v, &err), PALEO_OK);
	assert_true(v.error > v.tolerance && v.index == 4 && v.checked == 6);
	paleo_checks_free(c);
	w = given_op("update update f32 rule=sgd count=10");
	assert_int_equal(paleo_checks_make(&w, 10, &c, &err), PALEO_OK);
	assert_false(paleo_checks_hold_again(c));
	paleo_checks_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_results),        cmocka_unit_test(samples_with_ends),
		cmocka_unit_test(long_sums_are_few),  cmocka_unit_test(wrong_is_found),
		cmocka_unit_test(unwritten_is_wrong), cmocka_unit_test(private_masks),
		cmocka_unit_test(results_are_public), cmocka_unit_test(each_is_looked_at),
		cmocka_unit_test(look_twice),
	};

	return cmocka_run_group_tests_name("verify", tests, NULL, NULL);
}
