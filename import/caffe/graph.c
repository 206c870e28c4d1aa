/* graph.c - reads which layers there are in a phase, and which blobs they read and make. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/text.h"
#include "import/caffe/job.h"

// clang-format off
static const struct paleo_caffe_kind kinds[] = {
#define KIND(function, type, old, param, other, min_b, max_b, min_t, max_t, flags, ...) \
	{type, old, param, (const char *const[]){__VA_ARGS__, NULL}, other, \
	 min_b, max_b, min_t, max_t, flags, paleo_caffe_convert_##function, NULL, NULL},
#define PLAIN(ours, fn, type, old, param, flags, ...) \
	{type, old, param, (const char *const[]){__VA_ARGS__, NULL}, NULL, \
	 1, 1, 1, 1, flags, paleo_caffe_convert_plain, ours, fn},
#include "import/caffe/kinds.def"
#undef KIND
#undef PLAIN
};
// clang-format on

enum {
	KINDS = sizeof(kinds) / sizeof(kinds[0])
};

/* Layers of Caffe without a counterpart, with the reason where it is not obvious. */
struct refused {
	const char *type, *old;
	const char *why;
};

static const char loss[] = "a loss without a counterpart; remove it if possible";

// clang-format off
static const struct refused refused[] = {
	{"AbsVal", "ABSVAL", NULL},
	{"ArgMax", "ARGMAX", NULL},
	{"BatchReindex", NULL, NULL},
	{"Bias", NULL, NULL},
	{"BNLL", "BNLL", NULL},
	{"Clip", NULL, NULL},
	{"ContrastiveLoss", "CONTRASTIVE_LOSS", loss},
	{"Embed", NULL, NULL},
	{"EuclideanLoss", "EUCLIDEAN_LOSS", loss},
	{"Exp", "EXP", NULL},
	{"Filter", NULL, NULL},
	{"HDF5Output", "HDF5_OUTPUT", "nets write nothing; remove it"},
	{"HingeLoss", "HINGE_LOSS", loss},
	{"Im2col", "IM2COL", NULL},
	{"InfogainLoss", "INFOGAIN_LOSS", loss},
	{"Log", NULL, NULL},
	{"LSTM", NULL, "nets have no recurrent layers"},
	{"MultinomialLogisticLoss", "MULTINOMIAL_LOGISTIC_LOSS", loss},
	{"MVN", "MVN", NULL},
	{"Parameter", NULL, NULL},
	{"Python", NULL, "it is defined in another file"},
	{"Reduction", NULL, NULL},
	{"RNN", NULL, "nets have no recurrent layers"},
	{"SPP", NULL, NULL},
	{"Threshold", "THRESHOLD", NULL},
	{"Tile", NULL, NULL},
};
// clang-format on

enum {
	REFUSED = sizeof(refused) / sizeof(refused[0])
};

static void refuse_type(struct paleo_caffe_job *job, const struct paleo_caffe_field *type, int old)
{
	const char *names[KINDS + REFUSED + 1], *word = type->text;
	int count = 0;

	for (int i = 0; i < REFUSED; i++) {
		const char *name = old ? refused[i].old : refused[i].type;
		if (!name)
			continue;
		if (!strcmp(name, word))
			paleo_caffe_refuse(job, type, "'%s' cannot be converted: %s", word,
					   refused[i].why ? refused[i].why
							  : "nets have no layer like it");
		names[count++] = name;
	}
	for (int i = 0; i < KINDS; i++) {
		const char *name = old ? kinds[i].old : kinds[i].type;
		if (name)
			names[count++] = name;
	}
	names[count] = NULL;
	const char *near = paleo_nearest(word, names);
	paleo_caffe_refuse(job, type, "unknown layer type '%s'%s%s%s", word,
			   near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
}

/* The kind of layer { ... }; NULL for a type that is unknown or has no counterpart. */
static const struct paleo_caffe_kind *find_kind(struct paleo_caffe_job *job,
						const struct paleo_caffe_field *layer)
{
	const int old = !strcmp(layer->name, "layers");
	const struct paleo_caffe_field *type = paleo_caffe_field(job, layer, "type"),
				       *inner = old ? paleo_caffe_first(layer, "layer") : NULL;

	if (inner)
		paleo_caffe_refuse(job, inner,
				   "layers within 'layers' are Caffe's oldest form; bring the file "
				   "up to date with Caffe's upgrade_net_proto_text");
	if (!type)
		paleo_caffe_refuse(job, layer, "the layer has no 'type'");
	else if (!old && type->type != PALEO_CAFFE_STRING)
		paleo_caffe_refuse(job, type, "expected a type in quotes: \"Convolution\"");
	else if (old && type->type != PALEO_CAFFE_WORD)
		paleo_caffe_refuse(job, type,
				   "expected a type without quotes: CONVOLUTION; quoted types "
				   "belong in 'layer', not in 'layers'");
	if (job->rc)
		return NULL;
	for (int i = 0; i < KINDS; i++) {
		const char *name = old ? kinds[i].old : kinds[i].type;
		if (name && !strcmp(name, type->text))
			return &kinds[i];
	}
	refuse_type(job, type, old);
	return NULL;
}

static const char *const phases[] = {"TRAIN", "TEST", NULL};

/* 1 if the net's state has this stage. */
static int has_stage(const struct paleo_caffe_field *state, const char *stage)
{
	const struct paleo_caffe_field *f = state ? paleo_caffe_first(state, "stage") : NULL;

	while (f && !(f->type == PALEO_CAFFE_STRING && !strcmp(f->text, stage)))
		f = paleo_caffe_again(f);
	return f != NULL;
}

/* 1 if each of the rule's fields `name` is (wanted 1) or is not (0) a stage of the net. */
static int check_stages(struct paleo_caffe_job *job, const struct paleo_caffe_field *rule,
			const char *name, int wanted, const struct paleo_caffe_field *state)
{
	int meets = 1;

	for (const struct paleo_caffe_field *f = paleo_caffe_first(rule, name); f;
	     f = paleo_caffe_again(f))
		meets &= has_stage(state, paleo_caffe_string(job, f)) == wanted;
	return meets;
}

static int meets_rule(struct paleo_caffe_job *job, const struct paleo_caffe_field *rule)
{
	static const char *const names[] = {"phase", "min_level", "max_level",
					    "stage", "not_stage", NULL};
	int phase = job->options->test, level = 0, low = INT_MIN, high = INT_MAX;

	paleo_caffe_check_message(job, rule, names);
	const struct paleo_caffe_field *state = paleo_caffe_field(job, job->root, "state");
	paleo_caffe_get_int(job, state, "level", INT_MIN, INT_MAX, &level);
	paleo_caffe_get_enum(job, rule, "phase", phases, &phase);
	paleo_caffe_get_int(job, rule, "min_level", INT_MIN, INT_MAX, &low);
	paleo_caffe_get_int(job, rule, "max_level", INT_MIN, INT_MAX, &high);
	const int has_all = check_stages(job, rule, "stage", 1, state),
		  has_none = check_stages(job, rule, "not_stage", 0, state);
	return phase == job->options->test && level >= low && level <= high && has_all && has_none;
}

/* 1 if the layer belongs to the net in the requested phase. */
static int is_in_phase(struct paleo_caffe_job *job, const struct paleo_caffe_field *layer)
{
	const struct paleo_caffe_field *include = paleo_caffe_first(layer, "include");
	const struct paleo_caffe_field *exclude = paleo_caffe_first(layer, "exclude");
	int met = 0;

	if (include && exclude)
		paleo_caffe_refuse(job, exclude, "expected either 'include' or 'exclude'");
	for (const struct paleo_caffe_field *rule = include ? include : exclude; rule && !job->rc;
	     rule = paleo_caffe_again(rule))
		met |= meets_rule(job, rule);
	return include ? met : !met;
}

/* Two layers that name their weights alike have the same ones. */
static void check_shared(struct paleo_caffe_job *job, const struct paleo_caffe_field *name)
{
	const char *text = paleo_caffe_string(job, name);
	const int line = text[0] ? paleo_names_get(&job->param_names, text, strlen(text)) : -1;

	if (line >= 0)
		paleo_caffe_refuse(job, name,
				   "the weights '%s' are those of line %d, but layers of a net "
				   "cannot share weights",
				   text, line);
	if (text[0] && !job->rc &&
	    paleo_names_put(&job->param_names, text, strlen(text), name->line))
		paleo_caffe_no_memory(job);
}

static void check_rate(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l,
		       const struct paleo_caffe_field *rate)
{
	double value = 1;

	if (!job->rc)
		job->rc = paleo_caffe_to_double(rate, -FLT_MAX, FLT_MAX, &value, job->err);
	if (value == 0 && l->kind->flags & PALEO_CAFFE_LEARNS && !job->deployed)
		paleo_caffe_refuse(job, rate,
				   "0 freezes weights, but all layers of a net are trained; remove "
				   "it to count the layer as trained, or take the net of testing: "
				   "paleo convert --phase test");
}

/* param { name: "a" lr_mult: 1 }; in the old form param: "a". */
static void check_param(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l,
			const struct paleo_caffe_field *param)
{
	static const char *const names[] = {"name", "share_mode", "lr_mult", "decay_mult", NULL};

	if (param->type == PALEO_CAFFE_STRING) {
		check_shared(job, param);
		return;
	}
	paleo_caffe_check_message(job, param, names);
	const struct paleo_caffe_field *name = paleo_caffe_field(job, param, "name");
	if (name)
		check_shared(job, name);
	const struct paleo_caffe_field *rate = paleo_caffe_field(job, param, "lr_mult");
	if (rate && !job->options->test)
		check_rate(job, l, rate);
}

/* EINPUT if the layer's weights are shared, frozen, or its gradients are cut off. */
static void check_weights(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l)
{
	const struct paleo_caffe_field *f;

	for (f = paleo_caffe_first(l->field, "param"); f; f = paleo_caffe_again(f))
		check_param(job, l, f);
	if (job->options->test)
		return;
	for (f = paleo_caffe_first(l->field, "blobs_lr"); f; f = paleo_caffe_again(f))
		check_rate(job, l, f);
	f = paleo_caffe_first(l->field, "propagate_down");
	for (int down = 1; f && !job->rc; f = paleo_caffe_again(f)) {
		job->rc = paleo_caffe_to_bool(f, &down, job->err);
		if (!down)
			paleo_caffe_refuse(
				job, f,
				"a net cannot stop a gradient; remove it to count the gradient");
	}
}

/* A new blob, from now on the one of its name. Its number. */
static int add_blob(struct paleo_caffe_job *job, const char *name)
{
	struct paleo_caffe_blob *blobs =
		paleo_grow(job->blobs, job->blob_count, &job->blob_capacity, sizeof(*blobs));

	if (!blobs || paleo_names_put(&job->blob_names, name, strlen(name), job->blob_count)) {
		job->blobs = blobs ? blobs : job->blobs;
		paleo_caffe_no_memory(job);
		return 0;
	}
	job->blobs = blobs;
	blobs[job->blob_count] = (struct paleo_caffe_blob){.name = name, .reader = -1};
	return job->blob_count++;
}

/* EINPUT unless the field `name` has from `low` to `high` entries. Returns a list for their
 * numbers; NULL on an error. */
static int *new_list(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l,
		     const char *name, int low, int high)
{
	const int count = paleo_caffe_count(l->field, name);

	if (low == high && count != low)
		paleo_caffe_refuse(job, l->field, "expected %d of '%s', found %d", low, name,
				   count);
	if (count < low || count > high)
		paleo_caffe_refuse(job, l->field, "expected %s%d of '%s', found %d",
				   count < low ? "at least " : "at most ", count < low ? low : high,
				   name, count);
	int *list = job->rc ? NULL : calloc((size_t)count + 1, sizeof(*list));
	if (!list)
		paleo_caffe_no_memory(job);
	return list;
}

static void read_bottoms(struct paleo_caffe_job *job, struct paleo_caffe_layer *l)
{
	const struct paleo_caffe_kind *kind = l->kind;
	const struct paleo_caffe_field *f = paleo_caffe_first(l->field, "bottom");
	const int count = kind->flags & PALEO_CAFFE_READS_NONE    ? 0
			  : kind->flags & PALEO_CAFFE_READS_FIRST ? 1
								  : kind->max_bottoms;

	l->bottoms = new_list(job, l, "bottom", kind->min_bottoms, kind->max_bottoms);
	for (; f && l->bottom_count < count && !job->rc; f = paleo_caffe_again(f)) {
		const char *name = paleo_caffe_string(job, f);
		const int blob = paleo_names_get(&job->blob_names, name, strlen(name));
		if (blob < 0)
			paleo_caffe_refuse(job, f, "no earlier layer defines '%s'", name);
		if (job->rc)
			return;
		job->blobs[blob].readers++;
		job->blobs[blob].reader = (int)(l - job->layers);
		l->bottoms[l->bottom_count++] = blob;
	}
}

/* 1 if the layer reads a blob of this name: then it may make one, in place. */
static int reads_name(const struct paleo_caffe_job *job, const struct paleo_caffe_layer *l,
		      const char *name)
{
	for (int i = 0; i < l->bottom_count; i++) {
		if (!strcmp(job->blobs[l->bottoms[i]].name, name))
			return 1;
	}
	return 0;
}

static void read_tops(struct paleo_caffe_job *job, struct paleo_caffe_layer *l)
{
	const struct paleo_caffe_field *f = paleo_caffe_first(l->field, "top");

	l->tops = new_list(job, l, "top", l->kind->min_tops, l->kind->max_tops);
	for (; f && !job->rc; f = paleo_caffe_again(f)) {
		const char *name = paleo_caffe_string(job, f);
		if (paleo_names_get(&job->blob_names, name, strlen(name)) >= 0 &&
		    !reads_name(job, l, name))
			paleo_caffe_refuse(job, f, "'%s' is defined twice", name);
		if (!job->rc)
			l->tops[l->top_count++] = add_blob(job, name);
	}
}

/* Appends a NULL-ended list. */
static int append(const char **names, int count, const char *const *more)
{
	while (*more)
		names[count++] = *more++;
	names[count] = NULL;
	return count;
}

/* Checks the names of the layer's fields and of those in its kind's message, which it finds. */
static void check_fields(struct paleo_caffe_job *job, struct paleo_caffe_layer *l)
{
	static const char *const common[] = {"name",
					     "type",
					     "bottom",
					     "top",
					     "phase",
					     "include",
					     "exclude",
					     "loss_weight",
					     "param",
					     "propagate_down",
					     "blobs",
					     "blobs_lr",
					     "weight_decay",
					     "blob_share_mode",
					     NULL};
	const struct paleo_caffe_kind *kind = l->kind;
	const char *const own[] = {kind->param, kind->other, NULL};
	const char *names[32];

	append(names, append(names, 0, own), common);
	paleo_caffe_check_message(job, l->field, names);
	l->param = kind->param ? paleo_caffe_field(job, l->field, kind->param) : NULL;
	if (l->param)
		paleo_caffe_check_message(job, l->param, kind->fields);
}

static void read_layer(struct paleo_caffe_job *job, const struct paleo_caffe_field *field)
{
	struct paleo_caffe_layer *l = &job->layers[job->layer_count];

	paleo_caffe_check_message(job, field, NULL);
	if (job->rc || !is_in_phase(job, field) || job->rc)
		return;
	l->field = field;
	l->kind = find_kind(job, field);
	if (!l->kind)
		return;
	job->layer_count++; /* from here on its lists are freed with the job */
	const struct paleo_caffe_field *name = paleo_caffe_field(job, field, "name");
	l->name = name ? paleo_caffe_string(job, name) : "";
	l->name = l->name[0] ? l->name : l->kind->type;
	check_fields(job, l);
	check_weights(job, l);
	read_bottoms(job, l);
	read_tops(job, l);
}

/* The blobs that the net itself names: input: "data". */
static void read_inputs(struct paleo_caffe_job *job)
{
	const struct paleo_caffe_field *f = paleo_caffe_first(job->root, "input");

	for (; f && !job->rc; f = paleo_caffe_again(f)) {
		const char *name = paleo_caffe_string(job, f);
		if (paleo_names_get(&job->blob_names, name, strlen(name)) >= 0)
			paleo_caffe_refuse(job, f, "'%s' is an input twice", name);
		if (!job->rc)
			add_blob(job, name);
	}
}

static void check_root(struct paleo_caffe_job *job)
{
	static const char *const names[] = {"name",       "input",  "input_shape",    "input_dim",
					    "layer",      "layers", "force_backward", "state",
					    "debug_info", NULL};
	const struct paleo_caffe_field *layer = paleo_caffe_first(job->root, "layer");
	const struct paleo_caffe_field *old = paleo_caffe_first(job->root, "layers");
	int forced = 0;

	paleo_caffe_check_message(job, job->root, names);
	if (layer && old)
		paleo_caffe_refuse(job, old, "expected 'layer' or 'layers', not both");
	if (!layer && !old)
		paleo_caffe_refuse(job, job->root, "it has no 'layer'");
	const struct paleo_caffe_field *state = paleo_caffe_field(job, job->root, "state");
	if (state)
		paleo_caffe_check_message(job, state, NULL);
	paleo_caffe_get_bool(job, job->root, "force_backward", &forced);
	if (forced && !job->options->test)
		paleo_caffe_refuse(
			job, paleo_caffe_first(job->root, "force_backward"),
			"a net has no gradient of its input; remove it to count the net without");
}

/* 1 if the net has a loss: else it is one to deploy, which is not trained. */
static int has_loss(const struct paleo_caffe_job *job, const char *name)
{
	const struct paleo_caffe_field *f = paleo_caffe_first(job->root, name);
	int found = 0;

	for (; f && !found; f = paleo_caffe_again(f)) {
		const struct paleo_caffe_field *type = paleo_caffe_first(f, "type");
		found = type &&
			(type->type == PALEO_CAFFE_STRING || type->type == PALEO_CAFFE_WORD) &&
			(strstr(type->text, "Loss") || strstr(type->text, "LOSS"));
	}
	return found;
}

void paleo_caffe_read_graph(struct paleo_caffe_job *job)
{
	const char *name = paleo_caffe_first(job->root, "layer") ? "layer" : "layers";
	const struct paleo_caffe_field *f = paleo_caffe_first(job->root, name);

	check_root(job);
	job->deployed = !has_loss(job, name);
	read_inputs(job);
	if (job->rc)
		return;
	job->layers = calloc((size_t)paleo_caffe_count(job->root, name), sizeof(*job->layers));
	if (!job->layers)
		paleo_caffe_no_memory(job);
	for (; f && !job->rc; f = paleo_caffe_again(f))
		read_layer(job, f);
}
