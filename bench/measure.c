/* measure.c - prepares, checks and times one op, and makes a record of the outcome. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/measure.h"

#include <math.h>
#include <stdio.h>

#include "base/stats.h"
#include "bench/clock.h"
#include "bench/probes.h"
#include "bench/reference.h"
#include "bench/samples.h"

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

void paleo_measure_sustain(struct paleo_measure_policy *p)
{
	p->sustain_s = PALEO_SUSTAIN_S;
	p->sample_s = 0.01;
}

void paleo_measure_repeat(struct paleo_measure_policy *p)
{
	p->warmup_s /= 3;
	p->energy_s = 0;
	p->verify_samples = 0;
}

static int check_policy(const struct paleo_measure_policy *p, struct paleo_error *err)
{
	if (p->min_samples < 1 || p->max_samples < p->min_samples || p->max_samples > 1000000)
		return paleo_fail(err, PALEO_EINPUT,
				  "%d to %d samples, expected 1 or more, and at most 1000000",
				  p->min_samples, p->max_samples);
	/* the comparisons refuse NaN too */
	if (!(p->target_ci >= 0 && p->sample_s > 0 && p->sample_s < 1e6 && p->budget_s >= 0 &&
	      p->warmup_s >= 0 && p->sustain_s >= 0 && p->energy_s >= 0 && p->max_disturbed >= 0))
		return paleo_fail(err, PALEO_EINPUT,
				  "a time of the measuring policy is negative or NaN");
	return PALEO_OK;
}

enum paleo_regime paleo_measure_regime(const struct paleo_measure_policy *p)
{
	return p->sustain_s > 0 ? PALEO_SUSTAINED : PALEO_BURST;
}

struct paleo_record paleo_measure_record(const struct paleo_op *w,
					 const struct paleo_bench_options *options,
					 const struct paleo_measure_policy *policy)
{
	struct paleo_record r = {
		.op = *w, .rank = options->rank, .verify_error = NAN, .verify_tolerance = NAN};

	snprintf(r.mode, sizeof(r.mode), "%s", paleo_cache_mode_name(options->mode));
	snprintf(r.regime, sizeof(r.regime), "%s", paleo_regime_name(paleo_measure_regime(policy)));
	return r;
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

/* Checks the results; `when` is for the message. A wrong one is a status of the record, not a
 * failure; its time is discarded. */
static int check_results(const struct paleo_backend *b, struct paleo_job *j,
			 const struct paleo_checks *c, const char *when, struct paleo_record *r,
			 struct paleo_error *err)
{
	struct paleo_verification v;
	double start_s = paleo_now_s();

	int rc = paleo_checks_compare(c, b, j, &v, err);
	r->spent.s[PALEO_PHASE_CHECK] += paleo_now_s() - start_s;
	if (rc)
		return rc;
	r->verify_error =
		isnan(r->verify_error) || isnan(v.error) ? v.error : fmax(r->verify_error, v.error);
	r->verify_tolerance = v.tolerance;
	if (v.error <= v.tolerance)
		return PALEO_OK;
	r->status = PALEO_RECORD_INCORRECT;
	r->timing = (struct paleo_timing){.operand_sets = r->timing.operand_sets};
	snprintf(r->reason, sizeof(r->reason),
		 "%s'%s' %d is %.9g at position %.0f, expected %.9g: error %.2g, at most %.2g is "
		 "rounding",
		 when, paleo_role_name(v.role), v.copy, v.found, v.index, v.expected, v.error,
		 v.tolerance);
	return PALEO_OK;
}

/* Samples, and probes the device's speed before and after; and between, where all data are new
 * to the caches anyway and the load need not go on. */
static int sample(struct paleo_open_device *d, struct paleo_job *j,
		  const struct paleo_bench_options *options,
		  const struct paleo_measure_policy *policy, struct paleo_record *r,
		  struct paleo_error *err)
{
	const struct paleo_backend *b = d->b;
	const int may_probe = options->mode == PALEO_COLD && policy->sustain_s == 0;
	struct paleo_probes probes;
	int rc = paleo_probes_open(d, policy->max_samples, &probes, err);

	if (!rc)
		rc = paleo_probes_before(&probes, err);
	if (b->observe_begin)
		b->observe_begin(d->s);
	if (!rc)
		rc = paleo_sample_job(b, j, policy, may_probe ? &probes : NULL, &r->timing,
				      &r->spent, err);
	if (b->observe_end)
		b->observe_end(d->s, &r->state);
	if (!rc && policy->energy_s > 0 && r->timing.samples)
		rc = paleo_measure_energy(d, j, policy, r->timing.median_s, &r->state, err);
	if (!rc)
		rc = paleo_probes_behind(&probes, err);
	if (!rc) {
		paleo_probes_summarise(&probes, &r->timing);
		r->status = paleo_samples_status(&r->timing, r->reason, sizeof(r->reason));
		r->least_s = r->timing.samples ? 0 : r->timing.min_s;
	}
	r->spent.s[PALEO_PHASE_PROBES] = probes.spent_s;
	paleo_probes_close(&probes);
	return rc;
}

/* Samples a job whose results are right, and looks at them once more where samples come from
 * another launch than the one that was checked. */
static int sample_between_checks(struct paleo_open_device *d, struct paleo_job *j,
				 const struct paleo_bench_options *options,
				 const struct paleo_measure_policy *policy, struct paleo_record *r,
				 struct paleo_error *err)
{
	struct paleo_checks *c = NULL;
	double start_s = paleo_now_s();

	int rc = paleo_checks_make(&r->op, policy->verify_samples, &c, err);
	r->spent.s[PALEO_PHASE_CHECK] = paleo_now_s() - start_s;
	if (!rc)
		rc = check_results(d->b, j, c, "", r, err);
	if (!rc && r->status == PALEO_RECORD_OK) {
		rc = sample(d, j, options, policy, r, err);
		if (!rc && d->b->replays && paleo_checks_hold_again(c))
			rc = check_results(d->b, j, c, "after the samples ", r, err);
	}
	paleo_checks_free(c);
	return rc;
}

static int measure_job(struct paleo_open_device *d, struct paleo_job *j,
		       const struct paleo_bench_options *options,
		       const struct paleo_measure_policy *policy, struct paleo_record *r,
		       struct paleo_error *err)
{
	return policy->verify_samples > 0 ? sample_between_checks(d, j, options, policy, r, err)
					  : sample(d, j, options, policy, r, err);
}

int paleo_measure(struct paleo_open_device *d, const struct paleo_op *w,
		  const struct paleo_bench_options *options,
		  const struct paleo_measure_policy *policy, struct paleo_record *out,
		  struct paleo_error *err)
{
	struct paleo_record r = paleo_measure_record(w, options, policy);
	struct paleo_job_info info = {.operand_sets = 1};
	struct paleo_error fault = {0};
	struct paleo_job *j = NULL;

	int rc = check_policy(policy, err);
	if (rc)
		return rc;
	double start_s = paleo_now_s(), prepare_s;
	rc = d->b->prepare(d->s, w, options, &j, &info, &fault);
	prepare_s = paleo_now_s() - start_s - info.fill_s;
	if (!rc) {
		paleo_record_take(&r, &info.algorithm);
		r.timing.operand_sets = info.operand_sets;
		rc = measure_job(d, j, options, policy, &r, &fault);
		if (info.cold_reps && r.timing.reps > info.cold_reps)
			paleo_record_tag(&r, PALEO_TAG_RESIDENT);
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
