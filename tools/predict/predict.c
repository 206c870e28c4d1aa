/* predict.c - the command `predict`: how long nets take, without running anything. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "library/source.h"
#include "model/device/device.h"
#include "paleo/net.h"
#include "tools/cli/choice.h"
#include "tools/cli/options.h"
#include "tools/predict/paleo2017.h"
#include "tools/print/print.h"
#include "tools/session/session.h"

struct settings {
	int cost_model, stack;
	int algorithm;
	const char *device;
	const struct paleo_device_info *who; /* of `device`; NULL: none is given */
	const char *devices;
	int batch;
	int dtype;
	int layout;
	int fuse;
	int framework, optimizer, separate_attention;
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
	/* Lists; each combination in turn becomes the fields above. */
	struct choice_lists lists;
	struct paleo_table *sweep; /* where a combination's sums go; NULL: there is but one */
};

#define AT(field) offsetof(struct settings, field)
static const struct option_spec options[] = {
	LIKE_MORE(device_predicted, AT(device), "; a comma-separated list gives a row for each"),
	LIKE(device_file, AT(devices)),
	LIKE(cost_model, AT(cost_model)),
	LIKE(stack, AT(stack)),
	LIKE(batches, AT(lists.batches)),
	LIKE_BUT(dtypes, AT(lists.dtypes),
		 "dtypes: {words} (default: the networks' own, else f32); in fp8 only "
		 "forward GEMMs, everything else in bf16"),
	LIKE(layouts, AT(lists.layouts)),
	LIKE(fuse, AT(fuse)),
	LIKE(framework, AT(framework)),
	LIKE(launch_us, AT(dispatch_us)),
	LIKE(separate_attention, AT(separate_attention)),
	LIKE_BUT(optimizer, AT(optimizer),
		 "with --framework: optimizer step: {words} (default sgd)"),
	LIKE(pass, AT(passes)),
	LIKE(calibration, AT(calibration)),
	LIKE(algorithm_file, AT(chosen)),
	LIKE(ppp_compute, AT(ppp_compute)),
	LIKE(ppp_memory, AT(ppp_memory)),
	LIKE(algorithm_2017, AT(algorithm)),
	LIKE(format, AT(format)),
	LIKE(filter, AT(filter)),
	VIEW_OPTION_ROWS(AT(view)),
	LIKE(trace, AT(trace)),
	LIKE(force, AT(force)),
	LIKE(seqs, AT(lists.seqs)),
	MODEL_OPTION_ROWS_BUT_SEQ(AT(model)),
	{0},
};

static int choose_source(const struct settings *s, struct paleo_source *out,
			 struct paleo_error *err)
{
	const struct paleo_source_wish wish = {
		.cost_model = (enum paleo_cost_model)s->cost_model,
		.dtype = (enum paleo_dtype)s->dtype,
		.stack = (enum paleo_stack)s->stack,
		.device = s->device,
		.who = s->who,
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
	int rc = paleo_choose_device(s->devices, s->device, s->who, &device, err);
	return rc ? rc : paleo_2017_device_from(&device, out, err);
}

static int predict_as_2017(const struct settings *s, const char *const *nets, int count,
			   struct paleo_error *err)
{
	struct paleo_2017_device device;

	if (s->calibration || s->chosen || s->ppp_memory > 0 || s->dtype != PALEO_F32 ||
	    s->layout != PALEO_NCHW || s->fuse || s->framework || s->separate_attention || s->trace)
		return paleo_fail(
			err, PALEO_EINPUT,
			"--cost-model paleo2017 is f32, nchw: leave out --calibration, "
			"--algorithm-file, --ppp-memory (--ppp-compute scales both), --fuse, "
			"--framework, --separate-attention, --trace");
	PALEO_TRY(find_device_2017(s, &device, err));
	const struct predict_2017 p = {
		.device = &device,
		.algorithm = choice_algorithm_2017[s->algorithm],
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
				  "--algorithm-file needs --cost-model datasheet or presets, or a "
				  "calibration with the kernel model 'conv'");
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
	predict_note_unknown(&source->calibration, p, notes);
	predict_note_guesses(p, notes);
	int rc = verdict_warn(&source->calibration, p, notes, err);
	return rc ? rc : report_print(&rs, stdout, err);
}

static int add_to_sweep(const struct settings *s, const struct plan *p,
			const struct paleo_calibration *c, struct paleo_error *err)
{
	predict_note_unknown(c, p, stderr);
	for (int i = 0; i < p->net_count; i++)
		net_note_print(p->nets[i].net, stderr);
	return sweep_add(s->sweep, p, c->device.name, s->model.seq, err);
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
			      .dispatch_s = s->dispatch_us * 1e-6},
		.separate_attention = s->separate_attention,
		.passes = choice_pass_bits[s->passes],
		.filter = s->filter,
		.opened = opened,
	};

	if (s->framework && s->fuse)
		return paleo_fail(err, PALEO_EINPUT,
				  "--framework decides what is fused: leave out --fuse");
	if (s->cost_model == CHOICE_COST_MODEL_2017)
		return predict_as_2017(s, nets, count, err);
	if (s->algorithm)
		return paleo_fail(err, PALEO_EINPUT, "--algorithm needs --cost-model paleo2017");
	PALEO_TRY(choose_source(s, &source, err));
	int rc = open_chosen(s, &source.calibration, &chosen, err);
	ps.chosen = chosen;
	if (!rc)
		rc = plan_make(&ps, &source.calibration, nets, count, &plan, err);
	if (!rc && !s->sweep)
		rc = plan_predict_power(&plan, &source.calibration, paleo_table_is_data(s->format),
					err);
	if (!rc && s->sweep)
		rc = add_to_sweep(s, &plan, &source.calibration, err);
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

	s->view.sort = VIEW_NET;
	s->dispatch_us = CHOICE_DISPATCH_US;
}

/* One combination; `s` is a copy that is filled in. */
static int predict_one(struct settings *s, const char *const *nets, int count,
		       struct paleo_error *err)
{
	struct model_names *names = NULL;
	struct paleo_net *first = NULL;

	int rc = model_names_make(&s->model, nets, count, &names, err);
	if (!rc)
		rc = choice_own_dtype(names->items, count, s->batch, &s->dtype, &first, err);
	if (!rc)
		rc = predict(s, names->items, count, &first, err);
	paleo_net_free(first);
	free(names);
	return rc;
}

/* All combinations for one device. */
static int predict_device(const struct settings *all, const char *const *nets, int count,
			  struct paleo_error *err)
{
	struct paleo_device_info who;
	int rc = session_who(all->device, all->calibration != NULL, &who, err);

	for (int i = 0; !rc && i < choice_combinations(&all->lists); i++) {
		const struct choice_combination c = choice_combination(&all->lists, i);
		struct settings s = *all;
		s.device = all->device ? who.device.name : NULL;
		s.who = all->device ? &who : NULL;
		s.batch = c.batch;
		s.model.seq = c.seq;
		s.layout = c.layout;
		s.dtype = c.dtype;
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

	if (s.cost_model == CHOICE_COST_MODEL_2017 || s.trace)
		return paleo_fail(
			err, PALEO_EINPUT,
			"lists of batch sizes, dtypes, layouts, lengths or devices take no "
			"--cost-model paleo2017 and --trace");
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

	if (!count)
		return command_misuse(&command_predict, "no network was given, for example vgg16");
	if (choice_combinations(&s->lists) > 1 || (s->device && strchr(s->device, ',')))
		rc = predict_sweep(s, arguments, count, &err);
	else
		rc = predict_device(s, arguments, count, &err);
	return rc ? command_fail(&command_predict, &err) : EXIT_GOOD;
}

const struct command command_predict = {
	.name = "predict",
	.what = "predict the time of networks on a device, without running them",
	.usage = "NET...",
	.about = "Predicts the time of every layer and pass from a calibration, or from "
		 "published benchmarks of the device or similar GPUs. Needs no device.\n"
		 "NET is a shipped network (vgg16, llama3-8b), or a file: a network, ONNX, Caffe "
		 "or config.json. The first line says what the predictions are based on, column "
		 "source per row. Low and high bound the 90 % interval. --cost-model datasheet "
		 "adds compute and memory time, each at peak speed: usually too short; "
		 "--ppp-compute and --ppp-memory scale them.\n"
		 "Totals come first, then where the time goes, then the ten slowest rows "
		 "(--top, --sort, --all). Several batch sizes, dtypes, layouts, sequence "
		 "lengths or devices make one table with a row for each combination.\n"
		 "--cost-model paleo2017 prints the original Paleo's times in milliseconds; "
		 "--device also takes its devices (TITAN_X, the default, K80 ...).\n"
		 "Exit status: 0 success, 1 nothing to predict from or out of memory, 2 wrong "
		 "options or files.",
	.examples = "paleo-predict --device h100-sxm --dtype bf16 --batch 64 resnet50\n"
		    "paleo-predict --device t4,l4 --dtype f16,f32 --batch 1,8,64 resnet50\n"
		    "paleo-predict --calibration paleo-results/t4/calibration.json --format csv "
		    "my-net.json\n",
	.options = options,
	.settings_size = sizeof(struct settings),
	.defaults = defaults,
	.run = run,
};
