/* api_predictor.c - the functions of paleo/predictor.h. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "library/api.h"
#include "library/choose.h"

/* A fraction of a peak: 0 is not given; the limits are those of the program's options. */
static int check_fraction(const char *what, double x, struct paleo_error *err)
{
	if (x == 0 || (x >= 0.001 && x <= 2))
		return PALEO_OK;
	return paleo_fail(err, PALEO_EINPUT, "%s is %g, expected 0.001 to 2, or 0 for none", what,
			  x);
}

static int read_options(const struct paleo_predictor_options *o, struct paleo_source_wish *w,
			struct paleo_error *err)
{
	int law = 0, dtype = 0;

	int rc = paleo_api_word("law", o->law, paleo_law_names, &law, err);
	if (!rc)
		rc = paleo_api_word("number type", o->dtype, paleo_dtype_names, &dtype, err);
	if (!rc)
		rc = check_fraction("ppp_compute", o->ppp_compute, err);
	if (!rc)
		rc = check_fraction("ppp_memory", o->ppp_memory, err);
	*w = (struct paleo_source_wish){
		.law = (enum paleo_law)law,
		.dtype = (enum paleo_dtype)dtype,
		.device = o->device,
		.devices = o->devices,
		.calibration = o->calibration,
		.ppp_compute = o->ppp_compute,
		.ppp_memory = o->ppp_memory,
	};
	return rc;
}

int paleo_predictor_open(const struct paleo_predictor_options *options,
			 struct paleo_predictor **out, struct paleo_error *err)
{
	struct paleo_source_wish wish;
	PALEO_API_BEGIN(err);

	if (!options || !out)
		return paleo_api_null(!options ? "options" : "place for a predictor", err);
	int rc = read_options(options, &wish, err);
	if (rc)
		return rc;
	struct paleo_predictor *p = calloc(1, sizeof(*p));
	if (!p)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for a predictor");
	p->dtype = wish.dtype;
	rc = paleo_choose_source(&wish, &p->source, err);
	if (rc)
		free(p);
	else
		*out = p;
	return rc;
}

void paleo_predictor_close(struct paleo_predictor *predictor)
{
	if (predictor)
		paleo_source_release(&predictor->source);
	free(predictor);
}

const char *paleo_predictor_title(const struct paleo_predictor *predictor)
{
	return predictor->source.title;
}

const struct paleo_device *paleo_predictor_device(const struct paleo_predictor *predictor)
{
	return &predictor->source.calibration.device;
}

const char *paleo_predictor_dtype(const struct paleo_predictor *predictor)
{
	return paleo_dtype_name(predictor->dtype);
}
