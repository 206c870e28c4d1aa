/* profile.c - the command `profile`: measures every layer of nets, predicted beside measured. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/profile.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/table.h"
#include "base/text.h"
#include "tools/choice.h"
#include "tools/model_options.h"
#include "tools/option_rows.h"
#include "tools/profile_work.h"
#include "tools/session/device_list.h"
#include "tools/session/session.h"
#include "tools/sweep.h"

#define AT(field) offsetof(struct profile_settings, field)
static const struct option_spec options[] = {
	{.like = &option_device,
	 .offset = AT(device),
	 .more = "; several in turn with commas between (0,1)"},
	{.like = &option_batches,
	 .offset = AT(batches),
	 .help = "batch size (default: the net's own; on a CPU at most 4); several with commas "
		 "between"},
	{.like = &option_dtypes, .offset = AT(dtypes)},
	{.like = &option_layouts, .offset = AT(layouts)},
	WHOLES("seq", AT(seqs), "N,...", 1, 1 << 24,
	       "of a config.json: new tokens of each sequence (default 1024); several with "
	       "commas between"),
	{.like = &option_fuse, .offset = AT(fuse)},
	{.like = &option_pass, .offset = AT(passes)},
	WORDS("mode", AT(modes), "MODES", choice_mode,
	      "cold rotates the operands, hot uses the same ones, weights-cold rotates weights "
	      "alone; enqueue: the host's time of a launch; several with commas between, the "
	      "first is held against the prediction (default cold)"),
	TEXT("algo", AT(algo), "heuristic|best:K|all",
	     "measure the library's own choice, the first K of its list, or all of it, and "
	     "take the fastest that is right (default heuristic)"),
	{.like = &option_workspace_limit, .offset = AT(workspace_limit_bytes)},
	TIME("time-budget", AT(budget_s), "TIME", 0.1, 86400,
	     "measure for so long at most (default for each mode 60s on a CPU, 20s on a GPU)"),
	WHOLE("rounds", AT(rounds), "N", 1, 100,
	      "go through all works so often within the budget; of a work's times the middle "
	      "one "
	      "counts (default 3 on a CPU, which shares its speed with others, 1 on a GPU and "
	      "with several algorithms)"),
	TIME("op-timeout", AT(timeout_s), "TIME", 0.001, 3600,
	     "give a work up after so long, whatever it does (default: 30s to 60s beside its "
	     "share of the budget)"),
	FLAG("reverse", AT(reverse),
	     "measure the shortest works first, to see what the order does"),
	{.like = &option_no_cudnn_norm, .offset = AT(no_cudnn_norm)},
	{.like = &option_threads, .offset = AT(threads)},
	{.like = &option_calibration, .offset = AT(calibration)},
	{.like = &option_ppp_compute, .offset = AT(ppp_compute)},
	{.like = &option_ppp_memory, .offset = AT(ppp_memory)},
	EACH("passes", AT(passes_from), "FILE",
	     "print beside each row its time inside of the whole net, in-network, of these "
	     "passes (paleo-fullpass --output); may be given several times"),
	TEXT("output", AT(output), "FILE",
	     "where the records go (default paleo-results/DEVICE/NET-bBATCH-TYPE.jsonl, "
	     "with the layout, --fuse, --pass, --threads and --filter behind TYPE); earlier "
	     "records there are kept beside it, as FILE.1"),
	{.like = &option_trace, .offset = AT(trace)},
	{.like = &option_resume, .offset = AT(resume)},
	{.like = &option_retry_failed, .offset = AT(retry_failed)},
	{.like = &option_force, .offset = AT(force)},
	FLAG("verbose", AT(verbose), "print at the end where the wall time went"),
	{.like = &option_format, .offset = AT(format)},
	{.like = &option_filter, .offset = AT(filter)},
	EACH("work", AT(works), "KEY",
	     "measure this work alone, by its key from the column work of --format csv; may be "
	     "given several times, and no net then"),
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

static int at_least_one(int count)
{
	return count ? count : 1;
}

/* How many combinations of the lists there are. */
static int combinations(const struct profile_settings *s)
{
	return at_least_one(s->batches.count) * at_least_one(s->seqs.count) *
	       at_least_one(s->layouts.count) * at_least_one(s->dtypes.count);
}

/* The settings of one of them; the last list goes fastest. */
static struct profile_settings combination(const struct profile_settings *all, int i)
{
	int batches = at_least_one(all->batches.count), seqs = at_least_one(all->seqs.count);
	int layouts = at_least_one(all->layouts.count);
	struct profile_settings s = *all;

	s.batch = all->batches.items[i % batches];
	s.seq = all->seqs.items[i / batches % seqs];
	s.layout = all->layouts.items[i / batches / seqs % layouts];
	s.dtype = all->dtypes.items[i / batches / seqs / layouts];
	return s;
}

/* Several of anything have no file in common, and no header. */
static int check_several(const struct profile_settings *s, int devices, struct paleo_error *err)
{
	int runs = combinations(s);
	const char *of = devices > 1 ? "device" : "combination";
	int count = devices > 1 ? devices : runs;

	if (devices == 1 && runs == 1)
		return PALEO_OK;
	if (s->output)
		return paleo_fail(err, PALEO_EINPUT,
				  "--output names one file for %d %ss; without it, each has its "
				  "own %s in paleo-results/",
				  count, of, devices > 1 ? "folder" : "file");
	if (s->trace)
		return paleo_fail(err, PALEO_EINPUT,
				  "--trace names one file for %d %ss; profile one at a time", count,
				  of);
	if (s->format == PALEO_TABLE_CSV)
		return paleo_fail(err, PALEO_EINPUT,
				  "--format csv has one header, for one %s; take jsonl or text for "
				  "%d %ss",
				  of, count, of);
	return PALEO_OK;
}

/* The nets' names with the words of one combination. */
static int name_nets(const struct profile_settings *s, const struct profile_nets *nets,
		     struct model_names **out, struct paleo_error *err)
{
	const struct model_options words = {.seq = s->seq};

	return model_names_make(&words, nets->names, nets->count, out, err);
}

/* What is told before any device is opened. */
static int check_all(const struct profile_settings *s, const struct profile_nets *nets,
		     struct device_list *devices, struct paleo_error *err)
{
	int rc = device_list_parse(s->device, devices, err);

	for (int i = 0; !rc && i < devices->count; i++)
		rc = session_check(devices->names[i], err);
	if (!rc)
		rc = check_several(s, devices->count, err);
	for (int i = 0; !rc && i < combinations(s); i++) {
		const struct profile_settings one = combination(s, i);
		struct model_names *names = NULL;
		rc = name_nets(&one, nets, &names, err);
		if (!rc)
			rc = profile_check(&one, &(struct profile_nets){names->items, nets->count},
					   err);
		free(names);
	}
	return rc;
}

static int profile_one(const struct profile_settings *s, const char *device, int is_of_several,
		       const struct profile_nets *nets)
{
	struct model_names *names = NULL;
	struct paleo_error err = {0};

	if (name_nets(s, nets, &names, &err))
		return command_fail(&command_profile, &err);
	int code = profile_device(s, device, is_of_several,
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
	int runs = combinations(all), code = EXIT_GOOD;

	for (int i = 0; i < devices->count * runs && code != EXIT_INTERRUPTED; i++) {
		const struct profile_settings s = combination(all, i % runs);
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

static int misuse(const char *text)
{
	paleo_print(stderr, "paleo-profile: %s\n", text);
	return EXIT_MISUSE;
}

static int run(const void *settings, const char *const *arguments, int count)
{
	const struct profile_settings *s = settings;
	const struct profile_nets nets = {arguments, count};
	struct device_list devices;
	struct paleo_error err = {0};

	if (s->works.count && !count) {
		if (device_list_parse(s->device, &devices, &err) ||
		    session_check(devices.names[0], &err))
			return command_fail(&command_profile, &err);
		return profile_works(s, devices.names[0]);
	}
	if (s->works.count)
		return misuse("--work names what to measure: no net goes with it");
	if (!count)
		return misuse("no net was given, for example vgg16.json (see --help)");
	if (check_all(s, &nets, &devices, &err))
		return command_fail(&command_profile, &err);
	return combinations(s) > 1 ? profile_sweep(s, &devices, &nets)
				   : profile_all(s, &devices, &nets);
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
		"Several batches, types, layouts or lengths are profiled in turn, each with a "
		"file of its own and the whole time budget; a table with a row for each comes "
		"last.\n"
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
