/* predict_notes.c - what `predict` tells about what its times stand on. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/predict_notes.h"

#include <string.h>

#include "base/text.h"
#include "model/predict/tile.h"

/* How many convolutions are predicted with an algorithm. */
void predict_note_chosen(const struct plan *p, const struct paleo_chosen *c, FILE *out)
{
	int all = 0, known = 0, unused = 0;

	if (!c)
		return;
	for (int i = 0; i < p->work_count; i++) {
		const struct plan_work *w = &p->works[i];
		all += w->work.kind == PALEO_CONV;
		known += w->chosen != NULL;
		unused += w->chosen && w->use == PALEO_METHOD_UNUSED;
	}
	paleo_print(out, "algorithms of %s (%s) for %d of %d different convolutions",
		    paleo_chosen_device(c), paleo_chosen_library(c), known, all);
	if (unused)
		paleo_print(out, "; %d of these are not in the law and are predicted without",
			    unused);
	fputc('\n', out);
}

/* 1: the law of convolutions on tensor cores, which turn images of n, c, h, w. */
static int turns_images(const struct paleo_calibration *c, enum paleo_dtype dtype)
{
	struct paleo_tile_device d;
	struct paleo_error none;

	if (paleo_tile_device_of(&c->device, dtype, &d, &none) || !d.tensor)
		return 0;
	for (int i = 0; i < c->count; i++)
		if (c->models[i].dtype == dtype && c->models[i].model &&
		    !strcmp(c->models[i].model->kernel->name, "conv"))
			return 1;
	return 0;
}

/* Says so where the law knows nothing of the layout that was asked for. Works without a layout may
 * differ with it all the same: a Concatenate copies rows of other lengths. */
void predict_note_layout(const struct paleo_calibration *c, enum paleo_dtype dtype, FILE *out)
{
	static const char ending[] = ".nhwc"; /* of the classes of works in that layout */
	int known = turns_images(c, dtype);

	for (int i = 0; !known && i < c->count; i++) {
		size_t length = strlen(c->models[i].class_name);
		known = !c->models[i].stands_for[0] && length >= strlen(ending) &&
			!strcmp(c->models[i].class_name + length - strlen(ending), ending);
	}
	if (!known)
		paleo_print(
			out, "--layout nhwc%s\n",
			c->backend[0]
				? ": the calibration has no works with channels innermost, so "
				  "convolutions, poolings and normalisations take the times of "
				  "nchw (paleo calibrate --layout nhwc)"
				: " changes no time: datasheets know no layouts, presets those of "
				  "tensor cores alone; --algorithms FILE, or a calibration, does");
}

/* Says so where works stand on a model that was fitted to nothing. */
void predict_note_guesses(const struct plan *p, FILE *out)
{
	int guessed = 0;

	for (int i = 0; i < p->work_count; i++) {
		const struct paleo_class_model *f =
			p->works[i].predicted ? p->works[i].prediction.factor : NULL;
		guessed += f && f->model && f->model->kernel->is_guess && !f->records;
	}
	if (guessed)
		paleo_print(out,
			    "%d of %d different works, attention and experts, stand on a roofline "
			    "that was fitted to nothing\n",
			    guessed, p->work_count);
}
