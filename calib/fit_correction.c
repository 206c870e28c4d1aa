/* fit_correction.c - fits to each class of a calibration what its law errs by, where that helps. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "calib/fit_correction.h"

#include <math.h>
#include <stdlib.h>

#include "calib/fit_trees.h"
#include "model/predict/features.h"
#include "model/predict/smooth.h"

/* The trees' rows: by what logarithm the law of a group errs at its own. */
static int list_errors(const struct paleo_fit_row *rows, int count,
		       const struct paleo_device *device, const struct paleo_class_model *f,
		       struct paleo_trees_row *out, struct paleo_error *err)
{
	struct paleo_tile_device d;
	struct paleo_parts parts;
	int features = 0;
	int rc = paleo_tile_device_of(device, f->dtype, &d, err);

	for (int i = 0; !rc && i < count; i++) {
		const struct paleo_work *w = rows[i].work;
		rc = paleo_class_model_law(device, f, w, &parts, err);
		if (rc)
			break;
		features = paleo_features(paleo_kernel_model_for(w, 0), &d, w, out[i].x);
		paleo_features_of_law(&parts, out[i].x);
		out[i].value = rows[i].log_s - log(parts.total_s);
		out[i].weight = rows[i].weight;
		out[i].group = rows[i].shape;
	}
	return rc ? rc : features;
}

/* What the law of one group errs by at works like its own rows, where that is shown to help. */
static int add_correction(const struct paleo_fit_row *rows, int count,
			  const struct paleo_device *device, struct paleo_class_model *f,
			  struct paleo_error *err)
{
	struct paleo_trees_row *list;

	if (count < PALEO_CORRECTED_ROWS)
		return PALEO_OK;
	list = malloc((size_t)count * sizeof(*list));
	if (!list)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	int rc = list_errors(rows, count, device, f, list, err);
	if (rc > 0)
		rc = paleo_fit_correction(list, count, rc, &f->correction, NULL, err);
	free(list);
	return rc == PALEO_EUNSUPPORTED ? PALEO_OK : rc;
}

int paleo_fit_corrections(const struct paleo_fit_row *rows, int count, struct paleo_calibration *c,
			  struct paleo_error *err)
{
	struct paleo_class_model *f = c->models;
	int rc = PALEO_OK;

	for (int first = 0; !rc && first < count; f++) {
		int size = paleo_fit_rows_group(rows + first, count - first);
		rc = add_correction(rows + first, size, &c->device, f, err);
		first += size;
	}
	return rc;
}
