/* profile.c - the command `profile`: measures every layer of nets, predicted next to measured. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/profile/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "base/text.h"
#include "tools/cli/choice.h"
#include "tools/cli/options.h"
#include "tools/print/print.h"
#include "tools/session/ranks.h"
#include "tools/session/session.h"

#define AT(field) offsetof(struct profile_settings, field)
static const struct option_spec options[] = {
	LIKE_MORE(device, AT(device), "; 0,1 are profiled one by one, 0+1 divide the ops"),
	LIKE_BUT(batches, AT(lists.batches),
		 "batch sizes (default: the network file's; on a CPU at most 4)"),
	LIKE(dtypes, AT(lists.dtypes)),
	LIKE(layouts, AT(lists.layouts)),
	LIKE(seqs, AT(lists.seqs)),
	LIKE(fuse, AT(fuse)),
	LIKE(separate_attention, AT(separate_attention)),
	LIKE(pass, AT(passes)),
	LIKE(modes, AT(modes)),
	LIKE(algorithm, AT(algo)),
	LIKE(workspace_limit, AT(workspace_limit_bytes)),
	LIKE_BUT(time_budget, AT(budget_s),
		 "stop measuring after this time, with the peaks, from when the device is open "
		 "(default per "
		 "mode: 60s on a CPU, 2m on a GPU, plus 1s per op with --sustained)"),
	LIKE(sustained, AT(sustained)),
	LIKE(energy, AT(energy)),
	LIKE_MORE(rounds, AT(rounds),
		  " (default 3 to 8, as time allows; 1 with several algorithms and with "
		  "--sustained)"),
	LIKE(op_timeout, AT(timeout_s)),
	LIKE(no_cudnn_norm, AT(no_cudnn_norm)),
	LIKE(threads, AT(threads)),
	LIKE(calibration, AT(calibration)),
	LIKE(ppp_compute, AT(ppp_compute)),
	LIKE(ppp_memory, AT(ppp_memory)),
	LIKE_MORE(passes, AT(passes_from), ": print the in-network time of each row"),
	LIKE_BUT(output, AT(output),
		 "records file (default paleo-results/DEVICE/NET-bBATCH-DTYPE.jsonl, with the "
		 "layout and the options that change what is measured appended to DTYPE); an "
		 "existing file is kept as FILE.1"),
	LIKE(trace, AT(trace)),
	LIKE(samples, AT(samples)),
	LIKE(resume, AT(resume)),
	LIKE(retry_failed, AT(retry_failed)),
	LIKE(force, AT(force)),
	LIKE_MORE(verbose, AT(verbose), ": where the wall time went"),
	LIKE(format, AT(format)),
	LIKE(filter, AT(filter)),
	LIKE(op, AT(ops)),
	VIEW_OPTION_ROWS(AT(view)),
	{0},
};

static void defaults(void *settings)
{
	struct profile_settings *s = settings;

	s->device = "auto";
	s->algo = "heuristic";
	s->view.sort = VIEW_NET;
	s->modes.count = 1; /* cold */
}

/* The settings of one combination of the lists. */
static struct profile_settings combination(const struct profile_settings *all, int i)
{
	const struct choice_combination c = choice_combination(&all->lists, i);
	struct profile_settings s = *all;

	s.batch = c.batch;
	s.seq = c.seq;
	s.layout = c.layout;
	s.dtype = c.dtype;
	return s;
}

/* Several of anything have no file in common, and no header. */
static int check_several(const struct profile_settings *s, int devices, struct paleo_error *err)
{
	int runs = choice_combinations(&s->lists);
	const char *of = devices > 1 ? "device" : "combination";
	int count = devices > 1 ? devices : runs;

	if (devices == 1 && runs == 1)
		return PALEO_OK;
	if (s->output)
		return paleo_fail(err, PALEO_EINPUT,
				  "--output names one file for %d %ss; without it, each has its "
				  "own %s in paleo-results/",
				  count, of, devices > 1 ? "folder" : "file");
	if (s->trace || s->samples)
		return paleo_fail(err, PALEO_EINPUT,
				  "--%s names one file for %d %ss; profile one at a time",
				  s->trace ? "trace" : "samples", count, of);
	if (s->format == PALEO_TABLE_CSV)
		return paleo_fail(err, PALEO_EINPUT,
				  "--format csv has one header, for one %s; take jsonl or text for "
				  "%d %ss",
				  of, count, of);
	return PALEO_OK;
}

/* The nets' names with the words of one combination, and the dtype where none was given. */
static int name_nets(struct profile_settings *s, const struct profile_nets *nets,
		     struct model_names **out, struct paleo_error *err)
{
	const struct model_options words = {.seq = s->seq};

	PALEO_TRY(model_names_make(&words, nets->names, nets->count, out, err));
	return choice_own_dtype((*out)->items, nets->count, s->batch, &s->dtype, NULL, err);
}

/* 1 if the ops are divided over several devices. */
static int is_divided(const struct profile_settings *s)
{
	return strchr(s->device, '+') || ranks_launcher();
}

/* Errors reported before any device is opened. */
static int check_all(const struct profile_settings *s, const struct profile_nets *nets,
		     struct device_list *devices, struct paleo_error *err)
{
	const int is_one = is_divided(s); /* each process has one device */
	int rc = PALEO_OK;

	devices->count = 0;
	if (!is_one)
		rc = device_list_parse(s->device, devices, err);
	for (int i = 0; !rc && i < devices->count; i++)
		rc = session_check(devices->names[i], err);
	if (!rc)
		rc = is_one ? PALEO_OK : check_several(s, devices->count, err);
	for (int i = 0; !rc && i < choice_combinations(&s->lists); i++) {
		struct profile_settings one = combination(s, i);
		struct model_names *names = NULL;
		rc = name_nets(&one, nets, &names, err);
		if (!rc)
			rc = profile_check(&one, &(struct profile_nets){names->items, nets->count},
					   err);
		free(names);
	}
	return rc;
}

static int profile_one(struct profile_settings *s, const char *device, int is_of_several,
		       const struct profile_nets *nets)
{
	struct model_names *names = NULL;
	struct paleo_error err = {0};

	int code = name_nets(s, nets, &names, &err)
			   ? command_fail(&command_profile, &err)
			   : profile_device(s, device, is_of_several,
					    &(struct profile_nets){names->items, nets->count});
	free(names);
	return code;
}

/* Says what follows, where there are several. */
static void tell_run(const struct profile_settings *s, const char *device, int devices, int first)
{
	FILE *notes = paleo_table_is_data(s->format) ? stderr : stdout;

	if (devices > 1)
		paleo_print(notes, first ? "device %s\n" : "\ndevice %s\n", device);
	else if (s->sweep && !first)
		fputc('\n', notes);
}

/* In turn: side by side they would share the host, its links and its power. */
static int profile_all(const struct profile_settings *all, const struct device_list *devices,
		       const struct profile_nets *nets)
{
	int runs = choice_combinations(&all->lists), code = EXIT_GOOD;

	for (int i = 0; i < devices->count * runs && code != EXIT_INTERRUPTED; i++) {
		struct profile_settings s = combination(all, i % runs);
		const char *device = devices->names[i / runs];
		tell_run(&s, device, i % runs ? 1 : devices->count, !i);
		int one = profile_one(&s, device, devices->count > 1, nets);
		if (one == EXIT_INTERRUPTED || !code)
			code = one;
	}
	return code;
}

/* The same with a table at the end, a row for each combination. */
static int profile_sweep(const struct profile_settings *all, const struct device_list *devices,
			 const struct profile_nets *nets)
{
	struct profile_settings s = *all;
	struct paleo_error err = {0};

	s.sweep = sweep_table();
	int rc = s.sweep ? PALEO_OK : paleo_fail(&err, PALEO_ENOMEM, "out of memory for the table");
	int code = rc ? EXIT_GOOD : profile_all(&s, devices, nets);
	if (!rc && !paleo_table_is_data(s.format)) { /* programs have had all rows */
		fputs("\nall combinations\n", stdout);
		rc = paleo_table_print(s.sweep, (enum paleo_table_format)s.format, stdout, &err);
	}
	paleo_table_free(s.sweep);
	return rc ? command_fail(&command_profile, &err) : code;
}

static int profile_divided(const struct profile_settings *all, const struct profile_nets *nets)
{
	struct profile_settings s = combination(all, 0);

	if (choice_combinations(&all->lists) > 1 || s.samples)
		return command_misuse(&command_profile,
				      "ops are divided of one combination of batch, dtype, layout "
				      "and length, without --samples");
	return profile_one(&s, s.device, 0, nets);
}

static int run(const void *settings, const char *const *arguments, int count)
{
	const struct profile_settings *s = settings;
	const struct profile_nets nets = {arguments, count};
	struct device_list devices;
	struct paleo_error err = {0};

	if (s->ops.count && !count) {
		if (device_list_parse(s->device, &devices, &err) ||
		    session_check(devices.names[0], &err))
			return command_fail(&command_profile, &err);
		return profile_ops(s, devices.names[0]);
	}
	if (s->ops.count) {
		paleo_error_set(&err, PALEO_EINPUT,
				"--op names what to measure: no net goes with it");
		return command_fail(&command_profile, &err);
	}
	if (!count)
		return command_misuse(&command_profile, "no network was given, for example vgg16");
	if (check_all(s, &nets, &devices, &err))
		return command_fail(&command_profile, &err);
	if (is_divided(s))
		return profile_divided(s, &nets);
	return choice_combinations(&s->lists) > 1 ? profile_sweep(s, &devices, &nets)
						  : profile_all(s, &devices, &nets);
}

const struct command command_profile = {
	.name = "profile",
	.what = "time every layer on this device, compare with the prediction",
	.usage = "NET...",
	.about = "Times every layer of the networks on the device: forward, backward and "
		 "update (identical ops once). Each row has the predicted and measured time, "
		 "the error, the achieved speed and what bounds it.\n"
		 "--mode cold,hot,enqueue measures each op in each of these cache states and "
		 "prints the times in columns.\n"
		 "--algorithm best:K also times the library's other algorithms of each op: "
		 "totals use the fastest; regret is the time lost by the library's own "
		 "choices.\n"
		 "NET is a shipped network (vgg16), or a file: a network, ONNX, Caffe or "
		 "config.json. --resume continues an interrupted run; failed ops stay failed, "
		 "unless --retry-failed measures them again.\n"
		 "Several batch sizes, dtypes, layouts or sequence lengths are profiled one by "
		 "one, each with its own records file and the full time budget; a summary "
		 "table comes last.\n"
		 "--device 0,1 profiles GPUs one by one, each with its own worker, folder "
		 "(paleo-results/DEVICE-N/) and full time budget. --device 0+1 "
		 "divides the ops over equal GPUs, mpirun and srun over those of the ranks; some "
		 "ops are measured on all of them, to compare the devices.\n"
		 "Exit status: 0 success, 1 some rows failed, 2 wrong options or files, 3 "
		 "unusable vendor libraries, 4 no such device, 5 out of time: some rows have "
		 "neither a measured nor a predicted time, 6 devices that divide the ops "
		 "differ, 7 less than half of the predicted time "
		 "was measured undisturbed, 130 interrupted.",
	.examples = "paleo-profile --batch 4 vgg16 resnet50\n"
		    "paleo-profile --op 'gemm fwd f32 m=512 n=512 k=512'\n"
		    "paleo-profile --device 0 --dtype f16 --layout nhwc --batch 64 resnet50\n"
		    "paleo-profile --mode cold,hot --time-budget 2m --format csv my-net.json\n",
	.options = options,
	.settings_size = sizeof(struct profile_settings),
	.defaults = defaults,
	.run = run,
};
