/* knowledge_queue.c - launches in a net, by tables that timed one call at a time. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "calib/knowledge.h"
#include "model/device/backends.h"

/* The parameter of a kernel model that is the time of its launch; NULL: it has none. */
static const struct paleo_parameter *launch_of(const struct paleo_kernel_model *kernel)
{
	for (int i = 0; i < kernel->count; i++)
		if (!strcmp(kernel->parameters[i].name, "launch_us"))
			return &kernel->parameters[i];
	return NULL;
}

static int queue_factor(struct paleo_class_model *f)
{
	int kernels = f->model && f->model->kernel->kernels ? f->model->kernel->kernels : 1;
	int changed = 0;
	const struct paleo_parameter *launch = f->model ? launch_of(f->model->kernel) : NULL;

	if (launch && paleo_parameter_get(launch, &f->model->params) > PALEO_QUEUED_US * kernels) {
		paleo_parameter_set(launch, &f->model->params, PALEO_QUEUED_LAUNCH_US * kernels);
		changed = 1;
	}
	if (f->overhead_s > PALEO_QUEUED_US * 1e-6 * kernels) {
		f->overhead_s = PALEO_QUEUED_LAUNCH_US * 1e-6 * kernels;
		changed = 1;
	}
	return changed;
}

int paleo_calibration_queue(struct paleo_calibration *c)
{
	int changed = 0;

	if (c->backend[0] && !paleo_backend_find(c->backend)->by_others)
		return 0;
	for (int i = 0; i < c->count; i++)
		changed += queue_factor(&c->models[i]);
	return changed;
}
