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
#include "tools/option_rows.h"
#include "tools/predict_2017.h"
#include "tools/predict_notes.h"
#include "tools/report.h"
#include "tools/session/session.h"
#include "tools/sweep.h"
#include "tools/trace.h"
#include "tools/verdict.h"

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
	struct view view;
	/* What several were asked for; each combination in turn becomes the fields above. */
	struct option_ints batches, seqs;
	struct option_words dtypes, layouts;
	struct paleo_table *sweep; /* where a combination's sums go; NULL: there is but one */
};

#define AT(field) offsetof(struct settings, field)
static const struct option_spec options[] = {
	TEXT("device", AT(device), "NAME",
	     "a device that 'paleo devices' lists, one whose calibration lies in "
	     "paleo-results/NAME/, or one of this machine, cpu or 0 (default: that of the "
	     "calibration); several with commas between"),
	{.like = &option_devices, .offset = AT(devices)},
	{.like = &option_law, .offset = AT(law)},
	{.like = &option_batches, .offset = AT(batches)},
	{.like = &option_dtypes,
	 .offset = AT(dtypes),
	 .help = "number types, with commas between: {words} (default: the first net's own, else "
		 "f32); in those of one byte forward products alone, all else in bf16"},
	{.like = &option_layouts,
	 .offset = AT(layouts),
	 .help = "how images lie in memory: nchw, nhwc with channels innermost, or both; matters "
		 "with "
		 "--algorithms, with calibrations of both, and to convolutions of --law presets on "
		 "tensor cores, which turn nchw (default nchw)"},
	{.like = &option_fuse, .offset = AT(fuse)},
	{.like = &option_framework, .offset = AT(framework)},
	{.like = &option_dispatch, .offset = AT(dispatch_us)},
	{.like = &option_no_factor, .offset = AT(no_factor)},
	FLAG("separate-attention", AT(separate_attention),
	     "of --framework: attention as products, copies and a softmax in f32, as models "
	     "ran it before PyTorch 2, instead of one kernel"),
	{.like = &option_optimizer,
	 .offset = AT(optimizer),
	 .help = "of --framework: {words} (default sgd)"},
	{.like = &option_pass, .offset = AT(passes)},
	{.like = &option_calibration, .offset = AT(calibration)},
	TEXT("algorithms", AT(chosen), "FILE",
	     "what the library would run for convolutions: from paleo algorithms --format "
	     "jsonl, or a file of results/algorithms/"),
	{.like = &option_ppp_compute, .offset = AT(ppp_compute)},
	{.like = &option_ppp_memory, .offset = AT(ppp_memory)},
	WORD("algorithm", AT(algorithm), "A", algorithms,
	     "of convolutions with --law paleo2017: gemm, precomp, fft, fft_tiling (default "
	     "gemm)"),
	{.like = &option_format, .offset = AT(format)},
	{.like = &option_filter, .offset = AT(filter)},
	VIEW_OPTION_ROWS(AT(view)),
	{.like = &option_trace, .offset = AT(trace)},
	{.like = &option_force,
	 .offset = AT(force),
	 .help = "write over whatever the file of --trace holds, and follow a symbolic link"},
	WHOLES("seq", AT(seqs), "N,...", 1, 1 << 24,
	       "of a config.json: new tokens of each sequence (default 1024; decoding 1); "
	       "several "
	       "with commas between"),
	MODEL_OPTION_ROWS_BUT_SEQ(AT(model)),
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

/* 1: the times of single algorithms of convolutions are known. */
static int knows_algorithms(const struct paleo_calibration *c)
{
	for (int i = 0; i < c->count; i++)
		if (verdict_is_own(c, &c->models[i]) && c->models[i].model &&
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

static int print_plan(const struct settings *s, const struct plan *p,
		      const struct paleo_source *source, const struct paleo_chosen *chosen,
		      struct paleo_error *err)
{
	FILE *notes = paleo_table_is_data(s->format) ? stderr : stdout;
	const struct report_settings rs = {
		.plan = p,
		.calibration = &source->calibration,
		.device = &source->calibration.device,
		.format = (enum paleo_table_format)s->format,
		.view = s->view,
	};

	paleo_print(notes, "%s: %s\n", source->calibration.device.title, source->title);
	predict_note_chosen(p, chosen, notes);
	if (s->layout == PALEO_NHWC && !s->chosen)
		predict_note_layout(&source->calibration, (enum paleo_dtype)s->dtype, notes);
	predict_note_guesses(p, notes);
	int rc = verdict_warn(&source->calibration, p, notes, err);
	return rc ? rc : report_print(&rs, stdout, err);
}

/* *opened is the first net, or NULL. */
static int predict(const struct settings *s, const char *const *nets, int count,
		   struct paleo_net **opened, struct paleo_error *err)
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
		.opened = opened,
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
	if (!rc && s->sweep)
		rc = sweep_add(s->sweep, &plan, source.calibration.device.name, s->model.seq, err);
	else if (!rc)
		rc = print_plan(s, &plan, &source, chosen, err);
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
	s->view.sort = VIEW_NET;
	s->dispatch_us = CHOICE_DISPATCH_US;
}

/* The number type that the first net names, where none was asked for: then *opened is that net. */
static int choose_dtype(struct settings *s, const char *net_name, struct paleo_net **opened,
			struct paleo_error *err)
{
	if (s->dtype != NOT_GIVEN)
		return PALEO_OK;
	int rc = paleo_net_open(net_name, s->batch, opened, err);
	if (!rc)
		s->dtype = (*opened)->number_type ? (*opened)->number_type - 1 : PALEO_F32;
	return rc;
}

/* One combination; `s` is a copy that is filled in. */
static int predict_one(struct settings *s, const char *const *nets, int count,
		       struct paleo_error *err)
{
	struct model_names *names = NULL;
	struct paleo_net *first = NULL;

	int rc = model_names_make(&s->model, nets, count, &names, err);
	if (!rc)
		rc = choose_dtype(s, names->items[0], &first, err);
	if (!rc)
		rc = predict(s, names->items, count, &first, err);
	paleo_net_free(first);
	free(names);
	return rc;
}

/* How many of a list count: one that was not given is one of its own. */
static int at_least_one(int count)
{
	return count ? count : 1;
}

/* All combinations for one device; the last list goes fastest. */
static int predict_device(const struct settings *all, const char *const *nets, int count,
			  struct paleo_error *err)
{
	int batches = at_least_one(all->batches.count), seqs = at_least_one(all->seqs.count);
	int layouts = at_least_one(all->layouts.count), dtypes = at_least_one(all->dtypes.count);
	char device[SESSION_NAME_MAX];
	int rc = session_name(all->device, all->calibration != NULL, device, err);

	for (int i = 0; !rc && i < dtypes * layouts * seqs * batches; i++) {
		struct settings s = *all;
		s.device = all->device ? device : NULL;
		s.batch = all->batches.items[i % batches];
		s.model.seq = all->seqs.items[i / batches % seqs];
		s.layout = all->layouts.items[i / batches / seqs % layouts];
		if (all->dtypes.count)
			s.dtype = all->dtypes.items[i / batches / seqs / layouts];
		rc = predict_one(&s, nets, count, err);
	}
	return rc;
}

/* Several of anything: a table with a row for each combination. */
static int predict_sweep(const struct settings *all, const char *const *nets, int count,
			 struct paleo_error *err)
{
	struct settings s = *all;
	char name[128];
	const char *rest = all->device;
	int rc = PALEO_OK;

	if (s.law == CHOICE_LAW_2017 || s.framework || s.trace)
		return paleo_fail(err, PALEO_EINPUT,
				  "several batches, types, layouts, lengths or devices go without "
				  "--law paleo2017, --framework and --trace");
	s.sweep = sweep_table();
	if (!s.sweep)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for the table");
	do {
		size_t size = rest ? strcspn(rest, ",") : 0;
		snprintf(name, sizeof(name), "%.*s", (int)(size < 127 ? size : 127),
			 rest ? rest : "");
		s.device = rest ? name : NULL;
		rc = predict_device(&s, nets, count, err);
		rest = rest && rest[size] ? rest + size + 1 : NULL;
	} while (!rc && rest);
	if (!rc)
		rc = paleo_table_print(s.sweep, (enum paleo_table_format)s.format, stdout, err);
	paleo_table_free(s.sweep);
	return rc;
}

static int run(const void *settings, const char *const *arguments, int count)
{
	const struct settings *s = settings;
	struct paleo_error err = {0};
	int rc;

	if (!count) {
		paleo_print(
			stderr,
			"paleo-predict: no net was given, for example vgg16.json (see --help)\n");
		return EXIT_MISUSE;
	}
	if (s->batches.count > 1 || s->seqs.count > 1 || s->dtypes.count > 1 ||
	    s->layouts.count > 1 || (s->device && strchr(s->device, ',')))
		rc = predict_sweep(s, arguments, count, &err);
	else
		rc = predict_device(s, arguments, count, &err);
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
		"First come the sums and where the time goes, then the ten longest of many rows "
		"(--top, --sort, --all). Several batches, types, layouts, lengths or devices make "
		"one table with a row for each combination.\n"
		"--law paleo2017 gives the original Paleo's numbers in milliseconds, for its own "
		"devices (TITAN_X, K80 ...; default TITAN_X) and for all others.\n"
		"Exit status: 0 good, 1 the law cannot tell or out of memory, 2 wrong options or "
		"files.",
	.examples = "paleo-predict --device h100-sxm --dtype bf16 --batch 64 resnet50\n"
		    "paleo-predict --device t4,l4 --dtype f16,f32 --batch 1,8,64 resnet50\n"
		    "paleo-predict --calibration paleo-results/t4/calibration.json --format csv "
		    "my-net.json\n",
	.options = options,
	.settings_size = sizeof(struct settings),
	.defaults = defaults,
	.run = run,
};
