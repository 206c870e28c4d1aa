/* check.c - the command `check`: is a device as fast as its kind, its siblings and its own past. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/check/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "tools/session/records.h"
#include "tools/session/session.h"

#define AT(field) offsetof(struct check_settings, field)
static const struct option_spec options[] = {
	LIKE_MORE(device, AT(device),
		  "; all: every GPU, or the CPU without one; several with commas between, in turn"),
	LIKE_BUT(time_budget, AT(budget_s), "time for each device (default 60s)"),
	LIKE_BUT(from, AT(from),
		 "measure nothing: judge the checks in this file, or in the .jsonl files of this "
		 "folder; repeatable"),
	LIKE_BUT(fail_slower, AT(margin),
		 "what is less than P percent slower is not slow (default 3)"),
	LIKE_BUT(sustained, AT(sustained),
		 "measure what the device sustains, each after 1s of load; compute and memory only "
		 "(default: in bursts)"),
	LIKE_BUT(output, AT(output),
		 "records file (default paleo-results/DEVICE/ceilings.jsonl, which profile and "
		 "calibrate read; with --sustained ceilings-sustained.jsonl; of several devices "
		 "check.jsonl)"),
	LIKE_BUT(collective, AT(collective),
		 "under mpirun or srun also measure all-reduces of every two ranks and of all, in "
		 "the memory of the host (all-reduce)"),
	LIKE(force, AT(force)),
	LIKE(threads, AT(threads)),
	LIKE_BUT(all, AT(all), "of several devices, too, show every part"),
	LIKE(format, AT(format)),
	LIKE(quiet, AT(quiet)),
	{0},
};

static void defaults(void *settings)
{
	struct check_settings *s = settings;

	s->device = "auto";
	s->budget_s = 60;
	s->margin = 3;
	s->collective = -1;
}

enum {
	DEVICES_MAX = 64
};

/* The checks of a run, and what its file will have. */
struct run {
	const struct check_settings *settings;
	struct checks all;
	FILE *lines; /* in memory: records of several devices, one after another */
	struct paleo_collected text;
	struct paleo_error first; /* failure, of several devices */
	struct ranks *ranks;      /* NULL: this process is alone */
	int rank;
	FILE *notes;
	char path[PALEO_PATH_MAX]; /* of the records; "": none were written */
};

/* The one device: its file grows as it is measured, and is shown also where the rest failed. */
static int check_one(struct run *r, const char *device, struct paleo_error *err)
{
	const struct check_settings *s = r->settings;
	struct check_file file = {.path = ""};
	struct paleo_error unread;
	char *text = NULL;
	size_t size = 0;

	if (s->output && strlen(s->output) >= sizeof(file.path))
		return paleo_fail(err, PALEO_EINPUT, "--output has %zu characters",
				  strlen(s->output));
	snprintf(file.path, sizeof(file.path), "%s", s->output ? s->output : "");
	int rc = check_measure(s, device, &file, err);
	if (!file.has_peaks)
		return rc;
	memcpy(r->path, file.path, sizeof(r->path));
	int read = paleo_file_read(file.path, CHECK_BYTES_MAX, "records", &text, &size, &unread);
	if (!read)
		read = checks_add_text(&r->all, file.path, text, size, 1, &unread);
	if (!read)
		read = checks_add_past(&r->all, file.device, file.path, &unread);
	free(text);
	if (rc || !read)
		return rc;
	*err = unread;
	return read;
}

/* One of several: what fails is a row without a verdict, but for one that does not exist where
 * `is_last` is not NULL: *is_last is 1 then. */
static int add_device(struct run *r, const char *device, int *is_last, struct paleo_error *err)
{
	struct check_file file = {.path = ""};
	struct paleo_error why;
	char node[64], *text = NULL;
	size_t size = 0;
	int rc = check_measure_text(r->settings, device, &file, &text, &size, &why);

	if (rc && !r->first.status)
		r->first = why;
	if (is_last) {
		*is_last = rc == PALEO_ENODEVICE;
		if (*is_last)
			return PALEO_OK;
	}
	session_node(node, sizeof(node));
	if (rc)
		return checks_add_missing(&r->all, node, device, why.text, err);
	rc = checks_add_text(&r->all, device, text, size, 1, err);
	fwrite(text, 1, size, r->lines);
	free(text);
	return rc;
}

/* Every GPU there is; where none can be used what auto finds. */
static int check_every(struct run *r, struct paleo_error *err)
{
	char device[16];
	int rc = PALEO_OK, is_last = 0;

	for (int i = 0; !rc && !is_last && i < DEVICES_MAX; i++) {
		snprintf(device, sizeof(device), "%d", i);
		rc = add_device(r, device, &is_last, err);
		if (rc || i > 0 || !r->first.status)
			continue;
		checks_release(&r->all);
		return check_one(r, "auto", err);
	}
	r->first.status = PALEO_OK;
	return rc;
}

static int check_several(struct run *r, const struct device_list *list, struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < list->count; i++)
		rc = add_device(r, list->names[i], NULL, err);
	return rc;
}

static int measure(struct run *r, struct paleo_error *err)
{
	const char *launcher = ranks_launcher();
	struct device_list list;

	if (launcher)
		return check_ranks(r->settings, launcher, &r->all, r->lines, &r->ranks, &r->rank,
				   err);
	if (!strcmp(r->settings->device, "all"))
		return check_every(r, err);
	int rc = device_list_parse(r->settings->device, &list, err);
	for (int i = 0; !rc && i < list.count; i++)
		rc = session_check(list.names[i], err);
	if (rc)
		return rc;
	return list.count == 1 ? check_one(r, list.names[0], err) : check_several(r, &list, err);
}

static int read_files(struct run *r, struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < r->settings->from.count; i++)
		rc = checks_add_path(&r->all, r->settings->from.items[i], err);
	checks_take_latest(&r->all);
	return rc;
}

/* The past of the devices, then the file with all of them. */
static int keep(struct run *r, struct paleo_error *err)
{
	const struct check_settings *s = r->settings;
	const struct records_wish wish = {.force = s->force, .notes = r->notes};
	const char *kind = "";
	char path[PALEO_PATH_MAX];

	if (fflush(r->lines))
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for the records");
	for (int i = r->all.count - 1; i >= 0; i--)
		if (r->all.items[i].results.has_condition)
			kind = r->all.items[i].results.meta.device.name;
	if (r->first.status && !*kind) {
		*err = r->first;
		return err->status;
	}
	if (!r->text.size)
		return PALEO_OK;
	snprintf(path, sizeof(path), "paleo-results/%.200s/check.jsonl", kind);
	int rc = checks_add_past(&r->all, kind, NULL, err);
	if (!rc)
		rc = records_write(s->output ? s->output : path, &wish, r->text.text, r->text.size,
				   err);
	snprintf(r->path, sizeof(r->path), "%s", s->output ? s->output : path);
	return rc;
}

static int show(struct run *r, int *code, struct paleo_error *err)
{
	int rc = checks_add_shipped(&r->all, err);

	if (!rc)
		rc = checks_judge(&r->all, r->settings->margin / 100, err);

	if (!rc)
		rc = checks_print(&r->all, r->settings, err);
	if (r->path[0])
		paleo_print(r->notes, "records: %s\n", r->path);
	*code = checks_exit_code(&r->all);
	return rc;
}

/* Measures or reads, keeps, judges and prints. What was measured is shown also where the rest
 * failed. */
static int check(struct run *r, int *code, struct paleo_error *err)
{
	struct paleo_error unshown;
	int rc = r->settings->from.count ? read_files(r, err) : measure(r, err);

	if (!rc && r->rank == 0)
		rc = keep(r, err);
	if (r->rank || (rc && !r->all.count))
		return rc;
	int shown = show(r, code, rc ? &unshown : err);
	return rc ? rc : shown;
}

static int run(const void *settings, const char *const *arguments, int count)
{
	const struct check_settings *s = settings;
	struct run r = {.settings = s, .notes = paleo_table_is_data(s->format) ? stderr : stdout};
	struct paleo_error err = {0};
	int code = EXIT_GOOD;

	if (count) {
		paleo_print(stderr, "paleo-check: unexpected argument '%s' (see --help)\n",
			    arguments[0]);
		return EXIT_MISUSE;
	}
	if (s->from.count && s->output)
		return command_misuse(&command_check, "--from measures nothing: no --output");
	if (s->collective > PALEO_ALL_REDUCE || (s->collective >= 0 && !ranks_launcher()))
		return command_misuse(&command_check,
				      "--collective all-reduce is for ranks: start it by mpirun");
	r.lines = paleo_collect(&r.text);
	int rc = r.lines ? check(&r, &code, &err)
			 : paleo_fail(&err, PALEO_ENOMEM, "out of memory for the records");
	if (r.lines)
		fclose(r.lines);
	free(r.text.text);
	checks_release(&r.all);
	if (rc)
		code = command_fail(&command_check, &err);
	fflush(stdout);
	ranks_end(r.ranks, code);
	return code;
}

const struct command command_check = {
	.name = "check",
	.what = "find slow devices: compare with their kind, siblings and past",
	.usage = "",
	.about = "Measures a device's peaks: FLOP/s of every dtype on random values and on "
		 "zeros, read, write and copy bandwidth of memory and caches, launch "
		 "overhead, on a GPU also transfers between CPU and device; then ten ops "
		 "of ResNet-50 and GPT-2 that the cost model predicts best.\n"
		 "Each device is compared with predictions for its kind, with the other "
		 "devices of its kind, and with its earlier checks in paleo-results/. It "
		 "is good, slow, faulty (an op failed or had a wrong result), or not "
		 "judged. A device without fault is called slow in at most 1 % of the runs "
		 "of each comparison.\n"
		 "Started by mpirun or srun each rank checks one GPU, and rank 0 prints "
		 "one table. docs/guide/check.md explains the method, and how a job's "
		 "prolog uses it.\n"
		 "A peak is the best of its samples, with their interquartile range; "
		 "profile and calibrate use peaks if threads and library versions match.\n"
		 "Exit status: 0 all devices are good, 1 one is faulty, or failure, 2 "
		 "wrong options or files, 3 unusable vendor libraries, 4 no such device, 6 "
		 "a device is slow, 7 none is slow but one is not judged.",
	.examples = "paleo-check --device all\n"
		    "paleo-check --device 0 --format csv\n"
		    "mpirun -np 8 paleo-check\n"
		    "paleo-check --from shared/checks\n",
	.options = options,
	.settings_size = sizeof(struct check_settings),
	.defaults = defaults,
	.run = run,
};
