/* algorithms.c - the command `algorithms`: what cuDNN would choose, without a GPU. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/algorithms/algorithms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/save.h"
#include "base/text.h"
#include "library/find.h"
#include "paleo/net.h"
#include "tools/cli/choice.h"
#include "tools/cli/options.h"
#include "tools/cli/view.h"
#include "tools/print/print.h"
#include "tools/session/session.h"

#define GIB 1073741824.0

enum {
	DESCRIPTION_MAX = 65536,
	NAME_MAX_BYTES = 64,
	TITLE_MAX = 200
};

static const double ANSWER_S = 30; /* cuDNN needs milliseconds */

struct algorithms_settings {
	const char *device;
	struct option_words dtypes;
	int layout, fuse;
	int batch;
	int passes;
	int top;
	double workspace_limit_bytes;
	int format;
	const char *describe, *against;
	int force, quiet, all;
};

#define AT(field) offsetof(struct algorithms_settings, field)
static const struct option_spec options[] = {
	LIKE(device_or_library, AT(device)),
	LIKE_BUT(dtypes, AT(dtypes),
		 "dtypes: {words} (default: the networks' own, else f32); fp8 needs a device of "
		 "this machine"),
	LIKE(layout, AT(layout)),
	LIKE(fuse, AT(fuse)),
	LIKE(batch, AT(batch)),
	LIKE(pass, AT(passes)),
	LIKE_BUT(top, AT(top),
		 "list the first N algorithms of each op, the library's choice first (default 1)"),
	LIKE(workspace_limit, AT(workspace_limit_bytes)),
	LIKE(against, AT(against)),
	LIKE_BUT(all, AT(all), "with --against: list all ops, not the first 10 that differ"),
	LIKE(format, AT(format)),
	LIKE(quiet, AT(quiet)),
	LIKE_BUT(
		output, AT(describe),
		"write the library's description of GPU N to this file, which --device then takes; "
		"needs no network"),
	LIKE(force, AT(force)),
	{0},
};

static void defaults(void *settings)
{
	struct algorithms_settings *s = settings;

	s->dtypes = (struct option_words){.items = {CHOICE_DTYPE_OWN}, .count = 1};
	s->top = 1;
	s->workspace_limit_bytes = 4 * GIB;
}

/* Everything one run holds. */
struct run {
	const struct algorithms_settings *settings;
	char device[NAME_MAX_BYTES];
	char *description;      /* NULL: the device is here */
	struct session session; /* its worker and who it is */
	struct paleo_table *table;
	const struct paleo_backend_entry *backend;
	const char *variable; /* names the folder of the library to ask; NULL: the usual one */
	FILE *answers;        /* JSON lines go here; NULL: they are printed as the options say */
	int lost;             /* ops without an answer, other than unsupported ones */
};

/* "devices/h200.json" is called h200. */
static void name_device(const char *path, char name[NAME_MAX_BYTES])
{
	const char *slash = strrchr(path, '/');

	snprintf(name, NAME_MAX_BYTES, "%.*s", NAME_MAX_BYTES - 1, slash ? slash + 1 : path);
	char *dot = strrchr(name, '.');
	if (dot && dot != name)
		*dot = '\0';
}

/* 1 if it is a device of this machine, not the name of a description. */
static int is_here(const char *device)
{
	struct paleo_error ignored;

	return !session_check(device, &ignored);
}

static int open_here(struct run *r, struct paleo_error *err)
{
	struct session_wish wish = {.worker.op_timeout_s = ANSWER_S, .quiet = r->settings->quiet};

	wish.worker.options.workspace_limit_bytes = r->settings->workspace_limit_bytes;
	wish.worker.variable = r->variable;
	wish.worker.value = r->settings->against;
	int rc = session_open(r->settings->device, &wish, &r->session, err);
	r->backend = r->session.backend;
	if (!rc)
		snprintf(r->device, sizeof(r->device), "%.*s", NAME_MAX_BYTES - 1,
			 r->session.info.device.name);
	return rc;
}

static const struct paleo_file_kind description_kind = {.what = "a description of a GPU",
							.marks = {"{", "\"deviceName\""}};

/* Writes the description of the device that is here. */
static int write_description(struct run *r, struct paleo_error *err)
{
	const char *path = r->settings->describe;
	char text[DESCRIPTION_MAX];

	int rc = paleo_worker_describe(r->session.worker, text, sizeof(text), err);
	if (rc)
		return rc;
	size_t size = strlen(text);
	if (size + 1 < sizeof(text))
		memcpy(text + size, "\n", sizeof("\n"));
	return paleo_save(path, &description_kind, r->settings->force, text, err);
}

/* The one that opens devices that are only described. */
static const struct paleo_backend_entry *describing_backend(void)
{
	int count;
	const struct paleo_backend_entry *backends = paleo_backends(&count);

	for (int i = 0; i < count; i++)
		if (backends[i].describes)
			return &backends[i];
	return paleo_backend_find("");
}

static int open_described(struct run *r, struct paleo_error *err)
{
	struct paleo_worker_config config = {
		.op_timeout_s = ANSWER_S, .variable = r->variable, .value = r->settings->against};
	char path[PALEO_PATH_MAX];
	size_t size;

	int rc = paleo_find_described(r->settings->device, path, err);
	if (!rc)
		rc = paleo_file_read(path, DESCRIPTION_MAX, "a JSON file", &r->description, &size,
				     err);
	if (rc)
		return rc;
	r->backend = describing_backend();
	config.backend = r->backend->name;
	name_device(path, r->device);
	progress_open(&r->session.progress, r->settings->quiet);
	config.progress = progress_listener(&r->session.progress);
	config.description = r->description;
	config.options.workspace_limit_bytes = r->settings->workspace_limit_bytes;
	rc = paleo_worker_open(&config, &r->session.worker, &r->session.info, err);
	if (rc == PALEO_EINPUT)
		paleo_error_prefix(err, "%.300s", path);
	return rc;
}

/* The first of them in which only products are done, or NULL. */
static const char *find_narrow(const struct option_words *dtypes)
{
	for (int i = 0; i < dtypes->count; i++)
		if (dtypes->items[i] != CHOICE_DTYPE_OWN &&
		    paleo_dtype_is_narrow((enum paleo_dtype)dtypes->items[i]))
			return paleo_dtype_names[dtypes->items[i]];
	return NULL;
}

/* The item with the same op, or NULL. */
static struct choice *find_choice(struct choices *c, const struct paleo_op *w)
{
	for (int i = 0; i < c->count; i++)
		if (paleo_op_equal(&c->items[i].first->op, w))
			return &c->items[i];
	return NULL;
}

/* The different ops of the net, in the order of its passes: of a GPU that is only described,
 * convolutions alone have an answer. */
static int collect(const struct paleo_op_list *rows, int only_conv, struct choices *c,
		   struct paleo_error *err)
{
	c->items = calloc((size_t)rows->count + 1, sizeof(*c->items));
	if (!c->items)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d ops", rows->count);
	for (int i = 0; i < rows->count; i++) {
		if (only_conv && rows->items[i].op.kind != PALEO_CONV)
			continue;
		struct choice *item = find_choice(c, &rows->items[i].op);
		if (!item) {
			item = &c->items[c->count++];
			item->first = &rows->items[i];
		}
		item->layers++;
	}
	return PALEO_OK;
}

static int ask(struct run *r, struct choices *c, struct paleo_error *err)
{
	struct progress *p = &r->session.progress;
	char key[PALEO_OP_KEY_MAX];
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < c->count; i++) {
		struct choice *item = &c->items[i];
		paleo_op_key(&item->first->op, key, sizeof(key));
		progress_step(p, i, c->count, NAN, key);
		rc = paleo_worker_algorithms(r->session.worker, &item->first->op, r->settings->top,
					     &item->answer, err);
		int status = rc ? PALEO_OK : item->answer.status;
		r->lost += status && status != PALEO_EUNSUPPORTED;
	}
	progress_clear(p);
	return rc;
}

/* In text, reasons are too long for a row. */
static void print_reasons(const struct choices *c)
{
	const struct choice *first = NULL;
	int count = 0;

	for (int i = 0; i < c->count; i++) {
		if (!c->items[i].answer.status)
			continue;
		count++;
		first = first ? first : &c->items[i];
	}
	if (first)
		paleo_print(stdout, "%d of %d ops without algorithms; the first, %s %s: %s\n",
			    count, c->count, first->first->layer->name,
			    paleo_pass_name(first->first->pass), first->answer.error.text);
}

static int print_text(const struct choices *c, enum paleo_table_format format,
		      struct paleo_error *err)
{
	struct paleo_table *t = algorithms_table();

	if (!t)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for the table");
	putchar('\n');
	paleo_text_put(c->net->title, TITLE_MAX, stdout);
	paleo_print(stdout, ", batch %d, %s, %s%s\n", c->net->batch, paleo_dtype_name(c->dtype),
		    paleo_layout_name(c->layout), c->fuse ? ", fused" : "");
	int rc = algorithms_add(t, c, err);
	if (!rc)
		rc = paleo_table_print(t, format, stdout, err);
	if (!rc)
		print_reasons(c);
	paleo_table_free(t);
	return rc;
}

static int print_choices(struct run *r, const struct choices *c, struct paleo_error *err)
{
	const enum paleo_table_format format = (enum paleo_table_format)r->settings->format;

	if (r->answers)
		return algorithms_print_json(c, r->answers, err);
	switch (format) {
	case PALEO_TABLE_TEXT:
	case PALEO_TABLE_MD:
		return print_text(c, format, err);
	case PALEO_TABLE_CSV: /* one header for all */
		return algorithms_add(r->table, c, err);
	case PALEO_TABLE_JSONL:
		break;
	}
	return algorithms_print_json(c, stdout, err);
}

static int do_net(struct run *r, const char *name, enum paleo_dtype dtype, struct paleo_error *err)
{
	struct paleo_op_list rows = {0};
	struct paleo_net *net = NULL;
	const struct paleo_ops_options how = {
		.dtype = dtype,
		.layout = (enum paleo_layout)r->settings->layout,
		.passes = choice_pass_bits[r->settings->passes],
		.fuse = r->settings->fuse,
	};
	struct choices c = {
		.device = r->device,
		.info = &r->session.info,
		.dtype = dtype,
		.layout = how.layout,
		.fuse = how.fuse,
		.workspace_limit_bytes = r->settings->workspace_limit_bytes,
	};

	int rc = paleo_net_open(name, r->settings->batch, &net, err);
	if (rc)
		return rc;
	c.net = net;
	rc = paleo_net_ops_with(net, &how, &rows, err);
	if (!rc)
		rc = collect(&rows, r->description != NULL, &c, err);
	if (!rc)
		rc = ask(r, &c, err);
	if (!rc)
		rc = print_choices(r, &c, err);
	free(c.items);
	paleo_op_list_release(&rows);
	paleo_net_free(net);
	return rc;
}

static void print_title(const struct run *r)
{
	char title[1024];

	if (r->description) {
		paleo_print(stdout, "cuda, described: %s, %s\n", r->session.info.device.title,
			    r->session.info.versions);
		return;
	}
	session_title(&r->session, title, sizeof(title));
	paleo_print(stdout, "%s\n", title);
}

static int do_nets(struct run *r, const char *const *nets, int count, struct paleo_error *err)
{
	enum paleo_table_format format = (enum paleo_table_format)r->settings->format;
	const struct option_words *dtypes = &r->settings->dtypes;
	int rc = is_here(r->settings->device) ? open_here(r, err) : open_described(r, err);

	if (!rc && !paleo_table_is_data(format) && !r->answers)
		print_title(r);
	if (!rc && r->settings->describe)
		rc = write_description(r, err);
	r->table = algorithms_table();
	if (!rc && !r->table)
		rc = paleo_fail(err, PALEO_ENOMEM, "out of memory for the table");
	for (int i = 0; i < count && !rc; i++)
		for (int k = 0; k < dtypes->count && !rc; k++) {
			int dtype = dtypes->items[k];
			rc = choice_own_dtype(&nets[i], 1, r->settings->batch, &dtype, NULL, err);
			if (!rc)
				rc = do_net(r, nets[i], (enum paleo_dtype)dtype, err);
		}
	if (!rc && format == PALEO_TABLE_CSV && !r->answers)
		rc = paleo_table_print(r->table, format, stdout, err);
	return rc;
}

static void release(struct run *r)
{
	paleo_table_free(r->table);
	session_close(&r->session);
	free(r->description);
}

int algorithms_ask(const struct algorithms_settings *s, const char *variable,
		   const char *const *nets, int count, FILE *answers, struct algorithms_asked *out,
		   struct paleo_error *err)
{
	struct run r = {.settings = s, .variable = variable, .answers = answers};
	int rc = do_nets(&r, nets, count, err);

	*out = (struct algorithms_asked){r.backend, r.lost};
	release(&r);
	return rc;
}

static int run(const void *settings, const char *const *arguments, int count)
{
	struct run r = {.settings = settings};
	const struct answers_view view = {
		.a_name = "this machine's",
		.b_name = r.settings->against,
		.format = (enum paleo_table_format)r.settings->format,
		.top = r.settings->all ? 0 : VIEW_TOP,
	};
	struct paleo_error err = {0};

	if (r.settings->describe && r.settings->device && !is_here(r.settings->device)) {
		paleo_print(stderr,
			    "paleo-algorithms: --output describes a device of this machine, not "
			    "'%s'\n",
			    r.settings->device);
		return EXIT_MISUSE;
	}
	if (r.settings->describe && r.settings->against) {
		paleo_print(stderr, "paleo-algorithms: --output writes a description and --against "
				    "compares two libraries: give one of them\n");
		return EXIT_MISUSE;
	}
	if (r.settings->fuse && choice_pass_bits[r.settings->passes] != PALEO_PASSES_FWD) {
		paleo_print(stderr, "paleo-algorithms: --fuse needs --pass fwd (inference)\n");
		return EXIT_MISUSE;
	}
	const char *narrow = find_narrow(&r.settings->dtypes);
	if (r.settings->device && !is_here(r.settings->device) && narrow) {
		paleo_print(stderr,
			    "paleo-algorithms: --dtype %s needs a device of this machine, not '%s':"
			    " descriptions cover convolutions only, which have no %s (use bf16)\n",
			    narrow, r.settings->device, narrow);
		return EXIT_MISUSE;
	}
	if (r.settings->top > PALEO_ALGORITHMS_MAX) {
		paleo_print(stderr, "paleo-algorithms: --top is %d, expected at most %d\n",
			    r.settings->top, PALEO_ALGORITHMS_MAX);
		return EXIT_MISUSE;
	}
	if (!r.settings->device || (!count && !r.settings->describe))
		return command_misuse(&command_algorithms,
				      count || r.settings->describe
					      ? "--device was not given, for example h200"
					      : "no network was given, for example vgg16");
	int rc = r.settings->against ? algorithms_against(r.settings, r.settings->against, &view,
							  arguments, count, &r.lost, &err)
				     : do_nets(&r, arguments, count, &err);
	release(&r);
	if (rc)
		return command_fail(&command_algorithms, &err);
	return r.lost ? EXIT_ROWS : EXIT_GOOD;
}

const struct command command_algorithms = {
	.name = "algorithms",
	.what = "list the algorithms a library offers for each op, with or without a GPU",
	.usage = "NET...",
	.about = "Asks cuDNN's heuristics for the engines of every distinct convolution of the "
		 "networks, forward and both gradients, on a GPU that is only described: needs "
		 "cuDNN and the CUDA plug-in, but no GPU and no driver. For compute capability 7.5 "
		 "and newer.\n"
		 "Prints the engine's number, its notes (tensor cores, Winograd, FFT, ...), "
		 "behaviour, workspace and knobs; cuDNN gives no time. Rank 0 is what "
		 "paleo-profile would run on that GPU; --algorithm best:K measures the first K. "
		 "docs/reference/algorithms.md explains how to make a description.\n"
		 "--against FOLDER asks the library of that folder, too, and prints only the ops "
		 "that take another algorithm, with their share of the predicted time.\n"
		 "--device cpu or N asks the library of a device of this machine, for all ops: "
		 "oneDNN, or cuDNN and cublasLt.\n"
		 "Exit status: 0 success, 1 some ops were lost to a library fault, 2 wrong options "
		 "or files, 3 unusable cuDNN or plug-in, 4 no such device.",
	.examples = "paleo-algorithms --device h200 --dtype f32,tf32 vgg16\n"
		    "paleo-algorithms --device cpu --top 5 my-net.json\n"
		    "paleo-algorithms --device h200 --against new-cudnn/lib resnet50\n",
	.options = options,
	.settings_size = sizeof(struct algorithms_settings),
	.defaults = defaults,
	.run = run,
};
