/* phase.c - whether a layer belongs to the net in a phase: include and exclude. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <string.h>

#include "model/import/caffe/job.h"
#include "model/import/caffe/values.h"

static const char *const phases[] = {"TRAIN", "TEST", NULL};

/* 1 if the net's state has this stage. */
static int has_stage(const struct paleo_caffe_field *state, const char *stage)
{
	const struct paleo_caffe_field *f = state ? paleo_caffe_first(state, "stage") : NULL;

	while (f && !(f->type == PALEO_CAFFE_STRING && !strcmp(f->text, stage)))
		f = paleo_caffe_again(f);
	return f != NULL;
}

/* Clears *meets if one of the rule's fields `name` is (wanted 0) or is not (1) a stage of the net.
 */
static int check_stages(const struct paleo_caffe_field *rule, const char *name, int wanted,
			const struct paleo_caffe_field *state, int *meets, struct paleo_error *err)
{
	const char *stage;

	for (const struct paleo_caffe_field *f = paleo_caffe_first(rule, name); f;
	     f = paleo_caffe_again(f)) {
		int rc = paleo_caffe_to_string(f, &stage, err);
		if (rc)
			return rc;
		if (has_stage(state, stage) != wanted)
			*meets = 0;
	}
	return PALEO_OK;
}

static int meets_rule(const struct paleo_caffe_job *job, const struct paleo_caffe_field *rule,
		      int *out, struct paleo_error *err)
{
	static const char *const names[] = {"phase", "min_level", "max_level",
					    "stage", "not_stage", NULL};
	const struct paleo_caffe_field *state = NULL;
	int phase = job->options->test, level = 0, low = INT_MIN, high = INT_MAX;
	int rc = paleo_caffe_to_message(rule, err);

	if (!rc)
		rc = paleo_caffe_only(rule, names, err);
	if (!rc)
		rc = paleo_caffe_one(job->root, "state", &state, err);
	if (!rc)
		rc = paleo_caffe_get_int(state, "level", INT_MIN, INT_MAX, &level, err);
	if (!rc)
		rc = paleo_caffe_get_enum(rule, "phase", phases, &phase, err);
	if (!rc)
		rc = paleo_caffe_get_int(rule, "min_level", INT_MIN, INT_MAX, &low, err);
	if (!rc)
		rc = paleo_caffe_get_int(rule, "max_level", INT_MIN, INT_MAX, &high, err);
	int meets = phase == job->options->test && level >= low && level <= high;
	if (!rc)
		rc = check_stages(rule, "stage", 1, state, &meets, err);
	if (!rc)
		rc = check_stages(rule, "not_stage", 0, state, &meets, err);
	if (!rc)
		*out = meets;
	return rc;
}

/* *out is 1 if one of the layer's rules of this name is met. */
static int meets_any(const struct paleo_caffe_job *job, const struct paleo_caffe_field *layer,
		     const char *name, int *out, struct paleo_error *err)
{
	*out = 0;
	for (const struct paleo_caffe_field *rule = paleo_caffe_first(layer, name); rule;
	     rule = paleo_caffe_again(rule)) {
		int meets = 0;
		int rc = meets_rule(job, rule, &meets, err);
		if (rc)
			return rc;
		*out |= meets;
	}
	return PALEO_OK;
}

int paleo_caffe_in_phase(const struct paleo_caffe_job *job, const struct paleo_caffe_field *layer,
			 int *out, struct paleo_error *err)
{
	const struct paleo_caffe_field *include = paleo_caffe_first(layer, "include");
	const struct paleo_caffe_field *exclude = paleo_caffe_first(layer, "exclude");
	int met;

	if (include && exclude)
		return paleo_caffe_fail(exclude, err, "expected either 'include' or 'exclude'");
	int rc = meets_any(job, layer, include ? "include" : "exclude", &met, err);
	if (!rc)
		*out = include ? met : !met;
	return rc;
}
