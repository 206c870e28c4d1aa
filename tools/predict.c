/* predict.c - the command `predict`: how long nets take, without running anything. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "library/choose.h"
#include "library/known.h"
#include "model/device/catalog.h"
#include "paleo/net.h"
#include "tools/choice.h"
#include "tools/model_options.h"
#include "tools/options.h"
#include "tools/predict_2017.h"
#include "tools/report.h"
#include "tools/session/session.h"
#include "tools/trace.h"

static const char *const algorithms[] = {"gemm", "precomp", "fft", "fft_tiling", NULL};

enum {
	NOT_GIVEN = -1
};

struct settings {
	int law;
	int algorithm;
	const char *device;
	const char *devices;
	int batch;
	int dtype;
	int layout;
	int fuse;
	int framework, optimizer, no_factor, separate_attention;
	double dispatch_us;
	int passes;
	const char *calibration;
	const char *chosen;
	double ppp_compute, ppp_memory;
	int format;
	const char *filter;
	const char *trace;
	int force;
	struct model_options model;
};

#define AT(field) offsetof(struct settings, field)
static const struct option_spec options[] = {
	{.name = "device",
	 .type = OPTION_TEXT,
	 .offset = AT(device),
	 .argument = "NAME",
	 .help = "a device that 'paleo devices' lists, or one whose calibration lies in "
		 "paleo-results/NAME/ (default: that of the calibration)"},
	{.like = &option_devices, .offset = AT(devices)},
	{.like = &option_law, .offset = AT(law)},
	{.like = &option_batch, .offset = AT(batch)},
	{.like = &option_dtype,
	 .offset = AT(dtype),
	 .help = "number type: {words} (default: the first net's own, else f32); in those of one "
		 "byte forward products alone, all else in bf16"},
	{.like = &option_layout,
	 .offset = AT(layout),
	 .help = "how images lie in memory: nchw, or nhwc with channels innermost; matters with "
		 "--algorithms, with calibrations of both, and to convolutions of --law presets on "
		 "tensor cores, which turn nchw (default nchw)"},
	{.like = &option_fuse, .offset = AT(fuse)},
	{.like = &option_framework, .offset = AT(framework)},
	{.like = &option_dispatch, .offset = AT(dispatch_us)},
	{.like = &option_no_factor, .offset = AT(no_factor)},
	{.name = "separate-attention",
	 .type = OPTION_FLAG,
	 .offset = AT(separate_attention),
	 .help = "of --framework: attention as products, copies and a softmax in f32, as models "
		 "ran it before PyTorch 2, instead of one kernel"},
	{.like = &option_optimizer,
	 .offset = AT(optimizer),
	 .help = "of --framework: {words} (default sgd)"},
	{.like = &option_pass, .offset = AT(passes)},
	{.like = &option_calibration, .offset = AT(calibration)},
	{.name = "algorithms",
	 .type = OPTION_TEXT,
	 .offset = AT(chosen),
	 .argument = "FILE",
	 .help = "what the library would run for convolutions: from paleo algorithms --format "
		 "jsonl, or a file of results/algorithms/"},
	{.like = &option_ppp_compute, .offset = AT(ppp_compute)},
	{.like = &option_ppp_memory, .offset = AT(ppp_memory)},
	{.name = "algorithm",
	 .type = OPTION_WORD,
	 .offset = AT(algorithm),
	 .argument = "A",
	 .help = "of convolutions with --law paleo2017: gemm, precomp, fft, fft_tiling (default "
		 "gemm)",
	 .words = algorithms},
	{.like = &option_format, .offset = AT(format)},
	{.like = &option_filter, .offset = AT(filter)},
	{.like = &option_trace, .offset = AT(trace)},
	{.like = &option_force,
	 .offset = AT(force),
	 .help = "write over whatever the file of --trace holds, and follow a symbolic link"},
	MODEL_OPTION_ROWS(AT(model)),
	{0},
};

static int choose_source(const struct settings *s, struct paleo_source *out,
			 struct paleo_error *err)
{
	const struct paleo_source_wish wish = {
		.law = choice_law_of[s->law],
		.dtype = (enum paleo_dtype)s->dtype,
		.device = s->device,
		.devices = s->devices,
		.calibration = s->calibration,
		.ppp_compute = s->ppp_compute,
		.ppp_memory = s->ppp_memory,
	};

	return paleo_choose_source(&wish, out, err);
}

/* The device as the original has it, or another one in its terms. */
static int find_device_2017(const struct settings *s, struct paleo_2017_device *out,
			    struct paleo_error *err)
{
	const struct paleo_2017_device *old =
		paleo_2017_device_find(s->device ? s->device : "TITAN_X");
	struct paleo_device device = {0};

	if (old) {
		*out = *old;
		return PALEO_OK;
	}
	int rc = paleo_choose_device(s->devices, s->device, &device, err);
	return rc ? rc : paleo_2017_device_from(&device, out, err);
}

static int predict_as_2017(const struct settings *s, const char *const *nets, int count,
			   struct paleo_error *err)
{
	struct paleo_2017_device device;

	if (s->calibration || s->chosen || s->ppp_memory > 0 || s->dtype != PALEO_F32 ||
	    s->layout != PALEO_NCHW || s->fuse || s->framework || s->trace)
		return paleo_fail(
			err, PALEO_EINPUT,
			"--law paleo2017 knows no --calibration, no --algorithms, no --ppp-memory "
			"(--ppp-compute scales both), no --dtype but f32, no --layout "
			"but nchw, no --fuse, no --framework and no --trace");
	int rc = find_device_2017(s, &device, err);
	if (rc)
		return rc;
	const struct predict_2017 p = {
		.device = &device,
		.algorithm = algorithms[s->algorithm],
		.ppp = s->ppp_compute > 0 ? s->ppp_compute : 1,
		.batch = s->batch,
		.passes = choice_pass_bits[s->passes],
		.filter = s->filter,
		.format = (enum paleo_table_format)s->format,
	};
	return predict_2017_print(&p, nets, count, err);
}

/* 1: it is the user's own, and not a preset that takes a class's place. */
static int is_own(const struct paleo_calibration *c, const struct paleo_class_model *f)
{
	return !c->source_count || c->sources[f->source].nearness == PALEO_NEAR_OWN;
}

/* 1: the times of single algorithms of convolutions are known. */
static int knows_algorithms(const struct paleo_calibration *c)
{
	for (int i = 0; i < c->count; i++)
		if (is_own(c, &c->models[i]) && c->models[i].model &&
		    c->models[i].model->kernel->price_method)
			return 1;
	return 0;
}

/* The algorithms of a library on this device; not with a calibration that knows none, whose times
 * are of what the library ran there. */
static int open_chosen(const struct settings *s, const struct paleo_calibration *c,
		       struct paleo_chosen **out, struct paleo_error *err)
{
	if (!s->chosen)
		return PALEO_OK;
	if (c->backend[0] && !knows_algorithms(c))
		return paleo_fail(err, PALEO_EINPUT,
				  "--algorithms goes with a datasheet's peaks (--law paleo), "
				  "presets, or a calibration whose convolutions have the kernel "
				  "model 'conv': this one knows the times of what the library ran");
	int rc = paleo_chosen_load(s->chosen, out, err);
	if (!rc && !paleo_chosen_is_for(*out, c->device.name))
		rc = paleo_fail(err, PALEO_EINPUT, "%s: is of device '%s', not of '%s'", s->chosen,
				paleo_chosen_device(*out), c->device.name);
	return rc;
}

/* How many convolutions are predicted with an algorithm. */
static void print_chosen(const struct plan *p, const struct paleo_chosen *c, FILE *out)
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
static void print_layout(const struct settings *s, const struct paleo_calibration *c, FILE *out)
{
	static const char ending[] = ".nhwc"; /* of the classes of works in that layout */
	int known =
		s->layout != PALEO_NHWC || s->chosen || turns_images(c, (enum paleo_dtype)s->dtype);

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
static void print_guesses(const struct plan *p, FILE *out)
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

static int write_trace(const struct settings *s, const struct plan *p, const char *device,
		       struct paleo_error *err)
{
	struct trace *t = NULL;
	int rc = s->trace ? trace_open(s->trace, s->force, &t, err) : PALEO_OK;

	if (rc || !t)
		return rc;
	trace_plan(t, p, device);
	rc = trace_save(t, err);
	trace_close(t);
	return rc;
}

static int predict(const struct settings *s, const char *const *nets, int count,
		   struct paleo_error *err)
{
	struct paleo_source source = {0};
	struct paleo_chosen *chosen = NULL;
	struct plan plan = {0};
	struct plan_settings ps = {
		.batch = s->batch,
		.dtype = (enum paleo_dtype)s->dtype,
		.layout = (enum paleo_layout)s->layout,
		.fuse = s->fuse ? PALEO_FUSE_CHAINS : PALEO_FUSE_NOTHING,
		.framework = {.name = (enum paleo_framework)s->framework,
			      .optimizer = (enum paleo_update_rule)s->optimizer,
			      .separate_attention = s->separate_attention,
			      .dispatch_s = s->dispatch_us * 1e-6,
			      .no_factor = s->no_factor},
		.passes = choice_pass_bits[s->passes],
		.filter = s->filter,
	};

	if (s->framework && s->fuse)
		return paleo_fail(err, PALEO_EINPUT,
				  "--framework says itself what is put together: leave --fuse out");
	if (s->law == CHOICE_LAW_2017)
		return predict_as_2017(s, nets, count, err);
	if (s->algorithm)
		return paleo_fail(err, PALEO_EINPUT, "--algorithm goes with --law paleo2017");
	int rc = choose_source(s, &source, err);
	if (rc)
		return rc;
	rc = open_chosen(s, &source.calibration, &chosen, err);
	ps.chosen = chosen;
	if (!rc)
		rc = plan_make(&ps, &source.calibration, nets, count, &plan, err);
	if (!rc) {
		FILE *notes = paleo_table_is_data(s->format) ? stderr : stdout;
		paleo_print(notes, "%s: %s\n", source.calibration.device.title, source.title);
		print_chosen(&plan, chosen, notes);
		print_layout(s, &source.calibration, notes);
		print_guesses(&plan, notes);
		struct report_settings rs = {
			.plan = &plan,
			.calibration = &source.calibration,
			.device = &source.calibration.device,
			.format = (enum paleo_table_format)s->format,
		};
		rc = report_print(&rs, stdout, err);
	}
	if (!rc)
		rc = write_trace(s, &plan, source.calibration.device.title, err);
	plan_release(&plan);
	paleo_chosen_free(chosen);
	paleo_source_release(&source);
	return rc;
}

static void defaults(void *settings)
{
	struct settings *s = settings;

	s->dtype = NOT_GIVEN;
	s->dispatch_us = CHOICE_DISPATCH_US;
}

/* The number type that the first net names, where none was asked for. */
static int choose_dtype(struct settings *s, const char *net_name, struct paleo_error *err)
{
	struct paleo_net *net = NULL;

	if (s->dtype != NOT_GIVEN)
		return PALEO_OK;
	int rc = paleo_net_open(net_name, s->batch, &net, err);
	if (rc)
		return rc;
	s->dtype = net->number_type ? net->number_type - 1 : PALEO_F32;
	paleo_net_free(net);
	return PALEO_OK;
}

static int run(const void *settings, const char *const *arguments, int count)
{
	struct settings s = *(const struct settings *)settings;
	struct model_names *names = NULL;
	struct paleo_error err = {0};

	if (!count) {
		paleo_print(
			stderr,
			"paleo-predict: no net was given, for example vgg16.json (see --help)\n");
		return EXIT_MISUSE;
	}
	int rc = model_names_make(&s.model, arguments, count, &names, &err);
	if (!rc)
		rc = choose_dtype(&s, names->items[0], &err);
	if (!rc)
		rc = predict(&s, names->items, count, &err);
	free(names);
	return rc ? command_fail(&command_predict, &err) : EXIT_GOOD;
}

const struct command command_predict = {
	.name = "predict",
	.what = "predicts how long nets take on a device, without running anything",
	.usage = "NET.json...",
	.about =
		"Predicts the time of every layer and pass from a calibration, or from what others "
		"have measured of the device or of GPUs near it. Needs no device.\n"
		"A net is a file, or the bare name of a shipped one (vgg16). The first line says "
		"what times stand on, source each row's own. Low and high are the ends of the "
		"90 % interval. With --law datasheet each time is that of the arithmetic plus that "
		"of the memory traffic, both at peak speed: usually too short; --ppp-compute and "
		"--ppp-memory scale them.\n"
		"--law paleo2017 gives the original Paleo's numbers in milliseconds, for its own "
		"devices (TITAN_X, K80 ...; default TITAN_X) and for all others.\n"
		"Exit status: 0 good, 1 the law cannot tell or out of memory, 2 wrong options or "
		"files.",
	.examples = "paleo-predict --device h100-sxm --dtype bf16 --batch 64 resnet50\n"
		    "paleo-predict --calibration paleo-results/t4/calibration.json --format csv "
		    "my-net.json\n",
	.options = options,
	.settings_size = sizeof(struct settings),
	.defaults = defaults,
	.run = run,
};
