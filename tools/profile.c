/* profile.c - the command `profile`: measures every layer of nets, predicted beside measured. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/profile.h"

#include <stdio.h>

#include "base/table.h"
#include "base/text.h"
#include "tools/choice.h"
#include "tools/profile_work.h"
#include "tools/session/device_list.h"
#include "tools/session/session.h"

#define AT(field) offsetof(struct profile_settings, field)
static const struct option_spec options[] = {
	{.like = &option_device,
	 .offset = AT(device),
	 .more = "; several in turn with commas between (0,1)"},
	{.like = &option_batch_measured, .offset = AT(batch)},
	{.like = &option_dtype, .offset = AT(dtype)},
	{.like = &option_layout, .offset = AT(layout)},
	{.like = &option_fuse, .offset = AT(fuse)},
	{.like = &option_pass, .offset = AT(passes)},
	{.name = "mode",
	 .type = OPTION_WORDS,
	 .offset = AT(modes),
	 .argument = "MODES",
	 .help = "cold rotates the operands, hot uses the same ones, weights-cold rotates weights "
		 "alone; enqueue: the host's time of a launch; several with commas between, the "
		 "first is held against the prediction (default cold)",
	 .words = choice_mode},
	{.name = "algo",
	 .type = OPTION_TEXT,
	 .offset = AT(algo),
	 .argument = "heuristic|best:K|all",
	 .help = "measure the library's own choice, the first K of its list, or all of it, and "
		 "take the fastest that is right (default heuristic)"},
	{.like = &option_workspace_limit, .offset = AT(workspace_limit_bytes)},
	{.name = "time-budget",
	 .type = OPTION_TIME,
	 .offset = AT(budget_s),
	 .argument = "TIME",
	 .help = "measure for so long at most (default for each mode 60s on a CPU, 20s on a GPU)",
	 .low = 0.1,
	 .high = 86400},
	{.name = "rounds",
	 .type = OPTION_INT,
	 .offset = AT(rounds),
	 .argument = "N",
	 .help = "go through all works so often within the budget; of a work's times the middle "
		 "one "
		 "counts (default 3 on a CPU, which shares its speed with others, 1 on a GPU and "
		 "with several algorithms)",
	 .low = 1,
	 .high = 100},
	{.name = "op-timeout",
	 .type = OPTION_TIME,
	 .offset = AT(timeout_s),
	 .argument = "TIME",
	 .help = "give a work up after so long, whatever it does (default: 30s to 60s beside its "
		 "share of the budget)",
	 .low = 0.001,
	 .high = 3600},
	{.name = "reverse",
	 .type = OPTION_FLAG,
	 .offset = AT(reverse),
	 .help = "measure the shortest works first, to see what the order does"},
	{.like = &option_no_cudnn_norm, .offset = AT(no_cudnn_norm)},
	{.like = &option_threads, .offset = AT(threads)},
	{.like = &option_calibration, .offset = AT(calibration)},
	{.like = &option_ppp_compute, .offset = AT(ppp_compute)},
	{.like = &option_ppp_memory, .offset = AT(ppp_memory)},
	{.name = "passes",
	 .type = OPTION_LIST,
	 .offset = AT(passes_from),
	 .argument = "FILE",
	 .help = "print beside each row its time inside of the whole net, in-network, of these "
		 "passes (paleo-fullpass --output); may be given several times"},
	{.name = "output",
	 .type = OPTION_TEXT,
	 .offset = AT(output),
	 .argument = "FILE",
	 .help = "where the records go (default paleo-results/DEVICE/NET-bBATCH-TYPE.jsonl, "
		 "with the layout, --fuse, --pass, --threads and --filter behind TYPE); earlier "
		 "records there are kept beside it, as FILE.1"},
	{.like = &option_trace, .offset = AT(trace)},
	{.like = &option_resume, .offset = AT(resume)},
	{.like = &option_retry_failed, .offset = AT(retry_failed)},
	{.like = &option_force, .offset = AT(force)},
	{.name = "verbose",
	 .type = OPTION_FLAG,
	 .offset = AT(verbose),
	 .help = "print at the end where the wall time went"},
	{.like = &option_format, .offset = AT(format)},
	{.like = &option_filter, .offset = AT(filter)},
	{.name = "work",
	 .type = OPTION_LIST,
	 .offset = AT(works),
	 .argument = "KEY",
	 .help = "measure this work alone, by its key from the column work of --format csv; may be "
		 "given several times, and no net then"},
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

/* What is told before any device is opened. */
static int check_all(const struct profile_settings *s, const struct profile_nets *nets,
		     struct device_list *devices, struct paleo_error *err)
{
	int rc = device_list_parse(s->device, devices, err);

	for (int i = 0; !rc && i < devices->count; i++)
		rc = session_check(devices->names[i], err);
	if (!rc && devices->count > 1 && s->output)
		return paleo_fail(err, PALEO_EINPUT,
				  "--output names one file for %d devices; without it, each has "
				  "its own folder in paleo-results/",
				  devices->count);
	if (!rc && devices->count > 1 && s->trace)
		return paleo_fail(err, PALEO_EINPUT,
				  "--trace names one file for %d devices; profile one at a time",
				  devices->count);
	if (!rc && devices->count > 1 && s->format == PALEO_TABLE_CSV)
		return paleo_fail(err, PALEO_EINPUT,
				  "--format csv has one header, for one device; take jsonl or "
				  "text for %d devices",
				  devices->count);
	return rc ? rc : profile_check(s, nets, err);
}

static int run(const void *settings, const char *const *arguments, int count)
{
	const struct profile_settings *s = settings;
	const struct profile_nets nets = {arguments, count};
	struct device_list devices;
	struct paleo_error err = {0};
	int code = EXIT_GOOD;

	if (s->works.count && !count) {
		if (device_list_parse(s->device, &devices, &err) ||
		    session_check(devices.names[0], &err))
			return command_fail(&command_profile, &err);
		return profile_works(s, devices.names[0]);
	}
	if (s->works.count) {
		paleo_print(stderr, "paleo-profile: --work names what to measure: no net goes with "
				    "it\n");
		return EXIT_MISUSE;
	}
	if (!count) {
		paleo_print(
			stderr,
			"paleo-profile: no net was given, for example vgg16.json (see --help)\n");
		return EXIT_MISUSE;
	}
	if (check_all(s, &nets, &devices, &err))
		return command_fail(&command_profile, &err);
	/* In turn: side by side they would share the host, its links and its power. */
	for (int i = 0; i < devices.count && code != EXIT_INTERRUPTED; i++) {
		FILE *notes = paleo_table_is_data(s->format) ? stderr : stdout;
		if (devices.count > 1)
			paleo_print(notes, i ? "\ndevice %s\n" : "device %s\n", devices.names[i]);
		int one = profile_device(s, devices.names[i], devices.count > 1, &nets);
		if (one == EXIT_INTERRUPTED || !code)
			code = one;
	}
	return code;
}

const struct command command_profile = {
	.name = "profile",
	.what = "measures every layer of nets and prints predicted beside measured",
	.usage = "NET.json...",
	.about =
		"Runs every layer of the nets on the device, forward, backward and update, equal "
		"works as one, and prints for each row the predicted and the measured time, "
		"the error, the speed reached and what bounds it.\n"
		"--mode cold,hot,enqueue measures each work in each of these ways, one after the "
		"other, and prints their times side by side.\n"
		"--algo best:K also measures what else the library offers for each work: the net "
		"is then as fast as its fastest algorithms, and the regret is what the library's "
		"own choices cost.\n"
		"A net is a file, or the bare name of a shipped one (vgg16). Measuring happens in "
		"a worker process; an interrupted run goes on with --resume, which keeps what has "
		"failed, too; --retry-failed tries that again.\n"
		"--device 0,1 profiles each GPU in turn, with a worker and a folder "
		"(paleo-results/DEVICE-N/) of its own; each has the whole time budget.\n"
		"Exit status: 0 good, 1 some rows failed, 2 wrong options or files, 3 the vendor's "
		"libraries are unusable, 4 no such device, 5 the time budget left rows "
		"with neither a measured nor a predicted time, 130 interrupted.",
	.examples = "paleo-profile --batch 4 vgg16 resnet50\n"
		    "paleo-profile --work 'gemm fwd f32 m=512 n=512 k=512'\n"
		    "paleo-profile --device 0 --dtype f16 --layout nhwc --batch 64 resnet50\n"
		    "paleo-profile --mode cold,hot --time-budget 2m --format csv my-net.json\n",
	.options = options,
	.settings_size = sizeof(struct profile_settings),
	.defaults = defaults,
	.run = run,
};
