/* algorithms.c - the command `algorithms`: what cuDNN would choose, without a GPU. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/algorithms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/save.h"
#include "base/text.h"
#include "library/find.h"
#include "paleo/net.h"
#include "tools/choice.h"
#include "tools/option_rows.h"
#include "tools/session/session.h"
#include "tools/words.h"

#define GIB 1073741824.0

enum {
	DESCRIPTION_MAX = 65536,
	NAME_MAX_BYTES = 64,
	TITLE_MAX = 200
};

static const double ANSWER_S = 30; /* cuDNN needs milliseconds */

struct settings {
	const char *device;
	struct option_words dtypes;
	int layout, fuse;
	int batch;
	int passes;
	int top;
	double workspace_limit_bytes;
	int format;
	const char *describe;
	int force, quiet;
};

#define AT(field) offsetof(struct settings, field)
static const struct option_spec options[] = {
	{.name = "device",
	 .type = OPTION_TEXT,
	 .offset = AT(device),
#define BACKEND(name, argument, help, ...) argument
	 .argument = "NAME|FILE|auto"
#include "model/device/backends.def"
#undef BACKEND
	 ,
#define BACKEND(name, argument, help, ...) help
	 .help = "t4, a100, l4, rtx4090, h100, h200, b200, or a JSON file that describes a GPU; "
		 "or one that is here: "
#include "model/device/backends.def"
#undef BACKEND
		 "or auto, the first of these that is usable"},
	WORDS("dtype", AT(dtypes), "TYPES", paleo_dtype_names,
	      "number types, with commas between: {words} (default f32); those of one byte "
	      "are for a device that is here"),
	{.like = &option_layout, .offset = AT(layout)},
	{.like = &option_fuse, .offset = AT(fuse)},
	{.like = &option_batch, .offset = AT(batch)},
	{.like = &option_pass, .offset = AT(passes)},
	WHOLE("top", AT(top), "N", 1, PALEO_ALGORITHMS_MAX,
	      "list so many of what is offered, the first choice first (default 1)"),
	{.like = &option_workspace_limit, .offset = AT(workspace_limit_bytes)},
	{.like = &option_format, .offset = AT(format)},
	{.like = &option_quiet, .offset = AT(quiet)},
	TEXT("describe", AT(describe), "FILE",
	     "write what the library itself says of GPU N there, in the form that --device "
	     "reads; nets are then not needed"),
	{.like = &option_force,
	 .offset = AT(force),
	 .help = "write over whatever that file holds, and follow a symbolic link"},
	{0},
};

static void defaults(void *settings)
{
	struct settings *s = settings;

	s->dtypes.count = 1; /* f32 */
	s->top = 1;
	s->workspace_limit_bytes = 4 * GIB;
}

/* Everything one run holds. */
struct run {
	const struct settings *settings;
	char device[NAME_MAX_BYTES];
	char *description;      /* NULL: the device is here */
	struct session session; /* its worker and who it is */
	struct paleo_table *table;
	int lost; /* works without an answer, other than unsupported ones */
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
	int rc = session_open(r->settings->device, &wish, &r->session, err);
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
static const char *describing_backend(void)
{
	int count;
	const struct paleo_backend_entry *backends = paleo_backends(&count);

	for (int i = 0; i < count; i++)
		if (backends[i].describes)
			return backends[i].name;
	return "";
}

static int open_described(struct run *r, struct paleo_error *err)
{
	struct paleo_worker_config config = {.backend = describing_backend(),
					     .op_timeout_s = ANSWER_S};
	char path[PALEO_PATH_MAX];
	size_t size;

	int rc = paleo_find_described(r->settings->device, path, err);
	if (!rc)
		rc = paleo_file_read(path, DESCRIPTION_MAX, "a JSON file", &r->description, &size,
				     err);
	if (rc)
		return rc;
	name_device(path, r->device);
	progress_open(&r->session.progress, r->settings->quiet);
	config.told = progress_told(&r->session.progress);
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
		if (paleo_dtype_is_narrow((enum paleo_dtype)dtypes->items[i]))
			return paleo_dtype_names[dtypes->items[i]];
	return NULL;
}

/* The item with the same work, or NULL. */
static struct choice *find_choice(struct choices *c, const struct paleo_work *w)
{
	for (int i = 0; i < c->count; i++)
		if (paleo_work_equal(&c->items[i].first->work, w))
			return &c->items[i];
	return NULL;
}

/* The different works of the net, in the order of its passes: of a GPU that is only described,
 * convolutions alone have an answer. */
static int collect(const struct paleo_work_list *rows, int only_conv, struct choices *c,
		   struct paleo_error *err)
{
	c->items = calloc((size_t)rows->count + 1, sizeof(*c->items));
	if (!c->items)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d works", rows->count);
	for (int i = 0; i < rows->count; i++) {
		if (only_conv && rows->items[i].work.kind != PALEO_CONV)
			continue;
		struct choice *item = find_choice(c, &rows->items[i].work);
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
	char key[PALEO_WORK_KEY_MAX];
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < c->count; i++) {
		struct choice *item = &c->items[i];
		paleo_work_key(&item->first->work, key, sizeof(key));
		progress_step(p, i, c->count, NAN, key);
		rc = paleo_worker_algorithms(r->session.worker, &item->first->work,
					     r->settings->top, &item->answer, err);
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
		paleo_print(stdout, "%d of %d works without an answer; the first, %s %s: %s\n",
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
	paleo_print(stdout, ", batch %d, %s%s%s\n", c->net->batch, paleo_dtype_name(c->dtype),
		    c->layout == PALEO_NHWC ? ", nhwc" : "", c->fuse ? ", fused" : "");
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
	struct paleo_work_list rows = {0};
	struct paleo_net *net = NULL;
	const struct paleo_works_options how = {
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
	rc = paleo_net_works_with(net, &how, &rows, err);
	if (!rc)
		rc = collect(&rows, r->description != NULL, &c, err);
	if (!rc)
		rc = ask(r, &c, err);
	if (!rc)
		rc = print_choices(r, &c, err);
	free(c.items);
	paleo_work_list_release(&rows);
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

	if (!rc && !paleo_table_is_data(format))
		print_title(r);
	if (!rc && r->settings->describe)
		rc = write_description(r, err);
	r->table = algorithms_table();
	if (!rc && !r->table)
		rc = paleo_fail(err, PALEO_ENOMEM, "out of memory for the table");
	for (int i = 0; i < count && !rc; i++)
		for (int k = 0; k < dtypes->count && !rc; k++)
			rc = do_net(r, nets[i], (enum paleo_dtype)dtypes->items[k], err);
	if (!rc && format == PALEO_TABLE_CSV)
		rc = paleo_table_print(r->table, format, stdout, err);
	return rc;
}

static int run(const void *settings, const char *const *arguments, int count)
{
	struct run r = {.settings = settings};
	struct paleo_error err = {0};

	if (r.settings->describe && r.settings->device && !is_here(r.settings->device)) {
		paleo_print(stderr,
			    "paleo-algorithms: --describe is for a device that is here, not '%s'\n",
			    r.settings->device);
		return EXIT_MISUSE;
	}
	if (r.settings->fuse && choice_pass_bits[r.settings->passes] != PALEO_PASSES_FWD) {
		paleo_print(stderr,
			    "paleo-algorithms: --fuse is for inference: give --pass fwd, too\n");
		return EXIT_MISUSE;
	}
	const char *narrow = find_narrow(&r.settings->dtypes);
	if (r.settings->device && !is_here(r.settings->device) && narrow) {
		paleo_print(
			stderr,
			"paleo-algorithms: --dtype %s is for a device that is here, not '%s': of "
			"a described one convolutions alone are asked about, which have no %s "
			"(give bf16)\n",
			narrow, r.settings->device, narrow);
		return EXIT_MISUSE;
	}
	if (!r.settings->device || (!count && !r.settings->describe)) {
		paleo_print(stderr, "paleo-algorithms: %s (see --help)\n",
			    count || r.settings->describe
				    ? "--device was not given, for example h200"
				    : "no net was given, for example vgg16.json");
		return EXIT_MISUSE;
	}
	int rc = do_nets(&r, arguments, count, &err);
	paleo_table_free(r.table);
	session_close(&r.session);
	free(r.description);
	if (rc)
		return command_fail(&command_algorithms, &err);
	return r.lost ? EXIT_ROWS : EXIT_GOOD;
}

const struct command command_algorithms = {
	.name = "algorithms",
	.what = "lists what a library offers for a net's works, without a GPU too",
	.usage = "NET.json...",
	.about =
		"Asks cuDNN's heuristics which engine they would take for every different "
		"convolution of the nets, forward and both gradients, on a GPU that is only "
		"described: neither a GPU nor a driver is needed, but cuDNN and the CUDA plug-in "
		"are. For compute capability 7.5 and newer.\n"
		"Printed are the engine's number, its notes (tensor cores, Winograd, FFT, ...), "
		"how "
		"it runs, its workspace and how it is set; cuDNN gives no time. What paleo-profile "
		"would take on that GPU is rank 0, and --algo best:K measures the first K. "
		"docs/reference/algorithms.md says how a description is made.\n"
		"--device cpu or N asks the library of a device that is here, for all works: "
		"oneDNN, or cuDNN and cublasLt.\n"
		"Exit status: 0 good, 1 some works were lost to a fault of the library, 2 wrong "
		"options or files, 3 cuDNN or the plug-in is unusable, 4 no such device.",
	.examples = "paleo-algorithms --device h200 --dtype f32,tf32 vgg16\n"
		    "paleo-algorithms --device cpu --top 5 my-net.json\n",
	.options = options,
	.settings_size = sizeof(struct settings),
	.defaults = defaults,
	.run = run,
};
