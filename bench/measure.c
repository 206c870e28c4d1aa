/* measure.c - prepares, checks and times one work, and makes a record of what came of it. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/measure.h"

#include <math.h>
#include <stdio.h>

#include "base/stats.h"
#include "bench/clock.h"
#include "bench/probes.h"
#include "bench/reference.h"
#include "bench/samples.h"
#include "bench/sampling.h"

void paleo_measure_defaults(struct paleo_measure_policy *p)
{
	*p = (struct paleo_measure_policy){
		.target_ci = 0.01,
		.min_samples = PALEO_INTERVAL_SAMPLES,
		.max_samples = 200,
		.sample_s = 2e-3,
		.budget_s = 0.5,
		.warmup_s = 0.03,
		.max_disturbed = 0.02,
		.verify_samples = 64,
	};
}

static int check_policy(const struct paleo_measure_policy *p, struct paleo_error *err)
{
	if (p->min_samples < 1 || p->max_samples < p->min_samples || p->max_samples > 1000000)
		return paleo_fail(err, PALEO_EINPUT,
				  "%d to %d samples, expected 1 or more, and at most 1000000",
				  p->min_samples, p->max_samples);
	/* the comparisons refuse NaN too */
	if (!(p->target_ci >= 0 && p->sample_s > 0 && p->sample_s < 1e6 && p->budget_s >= 0 &&
	      p->warmup_s >= 0 && p->max_disturbed >= 0))
		return paleo_fail(err, PALEO_EINPUT,
				  "a time of the measuring policy is negative or no number");
	return PALEO_OK;
}

enum paleo_record_status paleo_measure_status(int rc)
{
	switch ((enum paleo_status)rc) {
	case PALEO_OK:
		return PALEO_RECORD_OK;
	case PALEO_EUNSUPPORTED:
		return PALEO_RECORD_UNSUPPORTED;
	case PALEO_ENOMEM:
		return PALEO_RECORD_OOM;
	case PALEO_ETIMEOUT:
		return PALEO_RECORD_TIMEOUT;
	case PALEO_ECRASH:
		return PALEO_RECORD_CRASH;
	case PALEO_EINPUT:
	case PALEO_EIO:
	case PALEO_EBACKEND:
	case PALEO_ENODEVICE:
	case PALEO_ELIBRARY:
		break;
	}
	return PALEO_RECORD_FAILED;
}

/* Checks the results. A wrong one is a status of the record, not a failure. */
static int check_results(const struct paleo_backend *b, struct paleo_job *j, int samples,
			 struct paleo_record *r, struct paleo_error *err)
{
	struct paleo_verification v;

	int rc = paleo_verify(b, j, &r->work, samples, &v, err);
	if (rc)
		return rc;
	r->verify_error = v.error;
	r->verify_tolerance = v.tolerance;
	if (v.error <= v.tolerance)
		return PALEO_OK;
	r->status = PALEO_RECORD_INCORRECT;
	snprintf(r->reason, sizeof(r->reason),
		 "'%s' %d is %.9g at position %.0f, expected %.9g: error %.2g, at most %.2g is "
		 "rounding",
		 paleo_role_name(v.role), v.copy, v.found, v.index, v.expected, v.error,
		 v.tolerance);
	return PALEO_OK;
}

/* Samples, and probes the device's speed before and after; and between, where all data are new
 * to the caches anyway. */
static int sample(struct paleo_open_device *d, struct paleo_job *j,
		  const struct paleo_bench_options *options,
		  const struct paleo_measure_policy *policy, struct paleo_record *r,
		  struct paleo_error *err)
{
	const struct paleo_backend *b = d->b;
	struct paleo_probes probes;
	int rc = paleo_probes_open(d, policy->max_samples, &probes, err);

	if (!rc)
		rc = paleo_probes_before(&probes, err);
	if (b->observe_begin)
		b->observe_begin(d->s);
	if (!rc)
		rc = paleo_sample_job(b, j, policy, options->mode == PALEO_COLD ? &probes : NULL,
				      &r->timing, &r->spent, err);
	if (b->observe_end)
		b->observe_end(d->s, &r->state);
	if (!rc)
		rc = paleo_probes_behind(&probes, err);
	if (!rc) {
		paleo_probes_summarise(&probes, &r->timing);
		r->status = paleo_samples_status(&r->timing, r->reason, sizeof(r->reason));
	}
	r->spent.s[PALEO_PHASE_PROBES] = probes.spent_s;
	paleo_probes_close(&probes);
	return rc;
}

static int measure_job(struct paleo_open_device *d, struct paleo_job *j,
		       const struct paleo_bench_options *options,
		       const struct paleo_measure_policy *policy, struct paleo_record *r,
		       struct paleo_error *err)
{
	if (policy->verify_samples > 0) {
		double start_s = paleo_now_s();
		int rc = check_results(d->b, j, policy->verify_samples, r, err);
		r->spent.s[PALEO_PHASE_CHECK] = paleo_now_s() - start_s;
		if (rc || r->status != PALEO_RECORD_OK)
			return rc;
	}
	return sample(d, j, options, policy, r, err);
}

int paleo_measure(struct paleo_open_device *d, const struct paleo_work *w,
		  const struct paleo_bench_options *options,
		  const struct paleo_measure_policy *policy, struct paleo_record *out,
		  struct paleo_error *err)
{
	struct paleo_record r = {
		.work = *w, .rank = options->rank, .verify_error = NAN, .verify_tolerance = NAN};
	struct paleo_job_info info = {.operand_sets = 1};
	struct paleo_error fault = {0};
	struct paleo_job *j = NULL;

	int rc = check_policy(policy, err);
	if (rc)
		return rc;
	snprintf(r.mode, sizeof(r.mode), "%s", paleo_cache_mode_name(options->mode));
	double start_s = paleo_now_s(), prepare_s;
	rc = d->b->prepare(d->s, w, options, &j, &info, &fault);
	prepare_s = paleo_now_s() - start_s - info.fill_s;
	if (!rc) {
		paleo_record_take(&r, &info.algorithm);
		r.timing.operand_sets = info.operand_sets;
		if (info.is_resident)
			paleo_record_tag(&r, PALEO_TAG_RESIDENT);
		rc = measure_job(d, j, options, policy, &r, &fault);
		start_s = paleo_now_s();
		d->b->release(j);
		prepare_s += paleo_now_s() - start_s;
	}
	r.spent.s[PALEO_PHASE_FILL] = info.fill_s;
	r.spent.s[PALEO_PHASE_PREPARE] = prepare_s;
	if (rc) {
		r.status = paleo_measure_status(rc);
		snprintf(r.reason, sizeof(r.reason), "%.*s", (int)sizeof(r.reason) - 1, fault.text);
	}
	*out = r;
	return PALEO_OK;
}
