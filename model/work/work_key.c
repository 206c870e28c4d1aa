/* work_key.c - the text key of a work, from one table of field names. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/work/work.h"
#include "model/work/work_fields.h"

/* Upper ends of the ranges: dimensions, padding, element counts. */
#define DIM_MAX 16777216.0
#define PAD_MAX 65536.0
#define COUNT_MAX 1099511627776.0

static const char *const kind_names[PALEO_WORK_KINDS] = {
	[PALEO_CONV] = "conv",       [PALEO_GEMM] = "gemm",     [PALEO_POOL] = "pool",
	[PALEO_ELTWISE] = "eltwise", [PALEO_NORM] = "norm",     [PALEO_LRN] = "lrn",
	[PALEO_SOFTMAX] = "softmax", [PALEO_COPY] = "copy",     [PALEO_UPSAMPLE] = "upsample",
	[PALEO_UPDATE] = "update",   [PALEO_REDUCE] = "reduce",
};
static const char *const pass_names[PALEO_PASSES] = {
	[PALEO_FWD] = "fwd",
	[PALEO_BWD_DATA] = "bwd_data",
	[PALEO_BWD_FILTER] = "bwd_filter",
	[PALEO_PASS_UPDATE] = "update",
};
static const char *const op_names[PALEO_ELTWISE_OPS + 1] = {
	[PALEO_RELU] = "relu",       [PALEO_RELU6] = "relu6",     [PALEO_LEAKY_RELU] = "leaky_relu",
	[PALEO_ELU] = "elu",         [PALEO_SIGMOID] = "sigmoid", [PALEO_TANH] = "tanh",
	[PALEO_GELU] = "gelu",       [PALEO_SILU] = "silu",       [PALEO_HARDSWISH] = "hardswish",
	[PALEO_DROPOUT] = "dropout", [PALEO_ADD] = "add",         [PALEO_MUL] = "mul",
	[PALEO_MAX] = "max",
};
static const char *const layout_names[] = {"nchw", "nhwc", NULL};
static const char *const pool_names[] = {"max", "avg", "avg_pad", NULL};
static const char *const norm_names[] = {"batch", "layer", "rms", "batch_inference", NULL};
/* 1 + the functions of one input, in the order of their enum. */
static const char *const act_names[] = {"none", "relu", "relu6", "leaky_relu", "elu", "sigmoid",
					"tanh", "gelu", "silu",  "hardswish",  NULL};
static const char *const upsample_names[] = {"nearest", "bilinear", NULL};
static const char *const reduce_names[] = {"sum", "mean", "max", NULL};
static const char *const rule_names[] = {"sgd", "momentum", "adam", NULL};

enum field_type {
	FIELD_INT,
	FIELD_WORD,
	FIELD_COUNT
};

/* One field: `normal` is the value that is left out of the key; -1 means that it always stands. */
struct field {
	const char *name;
	enum field_type type;
	size_t offset;
	double normal, low, high;
	const char *const *words;
};

#define AT(member) offsetof(struct paleo_work, geom.member)
#define DIM(name, member)                                                                          \
	{                                                                                          \
		name, FIELD_INT, AT(member), -1, 1, DIM_MAX, NULL                                  \
	}
#define ONE(name, member)                                                                          \
	{                                                                                          \
		name, FIELD_INT, AT(member), 1, 1, DIM_MAX, NULL                                   \
	}
#define PAD(name, member)                                                                          \
	{                                                                                          \
		name, FIELD_INT, AT(member), 0, 0, PAD_MAX, NULL                                   \
	}
#define FLAG(name, member)                                                                         \
	{                                                                                          \
		name, FIELD_INT, AT(member), 0, 0, 1, NULL                                         \
	}
#define WORD(name, member, words)                                                                  \
	{                                                                                          \
		name, FIELD_WORD, AT(member), -1, 0, 0, words                                      \
	}
#define ACT(member)                                                                                \
	{                                                                                          \
		"act", FIELD_WORD, AT(member), 0, 0, 0, act_names                                  \
	}
#define LAYOUT                                                                                     \
	{                                                                                          \
		"layout", FIELD_WORD, offsetof(struct paleo_work, layout), PALEO_NCHW, 0, 0,       \
			layout_names                                                               \
	}
#define COUNT(name, member)                                                                        \
	{                                                                                          \
		name, FIELD_COUNT, AT(member), -1, 1, COUNT_MAX, NULL                              \
	}
#define END                                                                                        \
	{                                                                                          \
		NULL, FIELD_INT, 0, 0, 0, 0, NULL                                                  \
	}

static const struct field conv_fields[] = {
	DIM("n", conv.n),
	DIM("c", conv.c),
	DIM("h", conv.h),
	DIM("w", conv.w),
	DIM("k", conv.k),
	DIM("r", conv.r),
	DIM("s", conv.s),
	ONE("stride_h", conv.stride_h),
	ONE("stride_w", conv.stride_w),
	PAD("pad_t", conv.pad_t),
	PAD("pad_l", conv.pad_l),
	PAD("pad_b", conv.pad_b),
	PAD("pad_r", conv.pad_r),
	ONE("dil_h", conv.dil_h),
	ONE("dil_w", conv.dil_w),
	ONE("groups", conv.groups),
	FLAG("bias", conv.bias),
	ACT(conv.act),
	LAYOUT,
	END,
};
static const struct field gemm_fields[] = {
	DIM("m", gemm.m),
	DIM("n", gemm.n),
	DIM("k", gemm.k),
	ONE("batch", gemm.batch),
	FLAG("trans_a", gemm.trans_a),
	FLAG("trans_b", gemm.trans_b),
	FLAG("bias", gemm.bias),
	ACT(gemm.act),
	END,
};
static const struct field pool_fields[] = {
	WORD("mode", pool.mode, pool_names),
	DIM("n", pool.n),
	DIM("c", pool.c),
	DIM("h", pool.h),
	DIM("w", pool.w),
	DIM("r", pool.r),
	DIM("s", pool.s),
	ONE("stride_h", pool.stride_h),
	ONE("stride_w", pool.stride_w),
	PAD("pad_t", pool.pad_t),
	PAD("pad_l", pool.pad_l),
	PAD("pad_b", pool.pad_b),
	PAD("pad_r", pool.pad_r),
	LAYOUT,
	END,
};
static const struct field eltwise_fields[] = {
	WORD("op", eltwise.op, op_names),
	ONE("inputs", eltwise.inputs),
	COUNT("count", eltwise.count),
	END,
};
static const struct field norm_fields[] = {
	WORD("mode", norm.mode, norm_names),
	DIM("n", norm.n),
	DIM("c", norm.c),
	DIM("h", norm.h),
	DIM("w", norm.w),
	FLAG("scale", norm.scale),
	FLAG("shift", norm.shift),
	LAYOUT,
	END,
};
static const struct field lrn_fields[] = {
	DIM("n", lrn.n),
	DIM("c", lrn.c),
	DIM("h", lrn.h),
	DIM("w", lrn.w),
	DIM("size", lrn.size),
	LAYOUT,
	END,
};
static const struct field softmax_fields[] = {
	DIM("rows", softmax.rows),
	DIM("cols", softmax.cols),
	END,
};
static const struct field copy_fields[] = {
	DIM("rows", copy.rows),
	DIM("cols", copy.cols),
	ONE("parts", copy.parts),
	END,
};
static const struct field upsample_fields[] = {
	WORD("mode", upsample.mode, upsample_names),
	DIM("n", upsample.n),
	DIM("c", upsample.c),
	DIM("h", upsample.h),
	DIM("w", upsample.w),
	ONE("scale_h", upsample.scale_h),
	ONE("scale_w", upsample.scale_w),
	LAYOUT,
	END,
};
static const struct field update_fields[] = {
	WORD("rule", update.rule, rule_names),
	COUNT("count", update.count),
	END,
};
static const struct field reduce_fields[] = {
	WORD("op", reduce.op, reduce_names),
	DIM("rows", reduce.rows),
	DIM("cols", reduce.cols),
	END,
};

static const struct field *const fields_of[PALEO_WORK_KINDS] = {
	[PALEO_CONV] = conv_fields,         [PALEO_GEMM] = gemm_fields,
	[PALEO_POOL] = pool_fields,         [PALEO_ELTWISE] = eltwise_fields,
	[PALEO_NORM] = norm_fields,         [PALEO_LRN] = lrn_fields,
	[PALEO_SOFTMAX] = softmax_fields,   [PALEO_COPY] = copy_fields,
	[PALEO_UPSAMPLE] = upsample_fields, [PALEO_UPDATE] = update_fields,
	[PALEO_REDUCE] = reduce_fields,
};

static double field_get(const struct paleo_work *w, const struct field *f)
{
	const char *at = (const char *)w + f->offset;
	double count;
	int value;

	if (f->type == FIELD_COUNT) {
		memcpy(&count, at, sizeof(count));
		return count;
	}
	memcpy(&value, at, sizeof(value));
	return value;
}

static void field_put(struct paleo_work *w, const struct field *f, double number)
{
	char *at = (char *)w + f->offset;
	int value;

	if (f->type == FIELD_COUNT) {
		memcpy(at, &number, sizeof(number));
		return;
	}
	value = (int)number;
	memcpy(at, &value, sizeof(value));
}

static int word_count(const char *const *words)
{
	int n = 0;

	while (words[n])
		n++;
	return n;
}

void paleo_work_fields_default(struct paleo_work *w)
{
	for (const struct field *f = fields_of[w->kind]; f->name; f++)
		if (f->normal == 1 && field_get(w, f) == 0)
			field_put(w, f, 1);
}

static int check_field(const struct paleo_work *w, const struct field *f, struct paleo_error *err)
{
	double value = field_get(w, f);
	double high = f->type == FIELD_WORD ? word_count(f->words) - 1 : f->high;

	/* the comparison refuses NaN too; the cast refuses fractions */
	if (!(value >= f->low && value <= high) || value != (double)(long long)value)
		return paleo_fail(err, PALEO_EINPUT,
				  "'%s' is %.15g, expected a whole number %.15g to %.15g", f->name,
				  value, f->low, high);
	return PALEO_OK;
}

int paleo_work_fields_check(const struct paleo_work *w, struct paleo_error *err)
{
	for (const struct field *f = fields_of[w->kind]; f->name; f++) {
		int rc = check_field(w, f, err);
		if (rc)
			return rc;
	}
	return PALEO_OK;
}

void paleo_work_key(const struct paleo_work *w, char *buf, size_t size)
{
	int at = snprintf(buf, size, "%s %s %s", kind_names[w->kind], pass_names[w->pass],
			  paleo_dtype_names[w->dtype]);

	for (const struct field *f = fields_of[w->kind]; f->name; f++) {
		double value = field_get(w, f);
		if (value == f->normal)
			continue;
		assert(at > 0 && (size_t)at < size);
		if (f->type == FIELD_WORD)
			at += snprintf(buf + at, size - (size_t)at, " %s=%s", f->name,
				       f->words[(int)value]);
		else
			at += snprintf(buf + at, size - (size_t)at, " %s=%.0f", f->name, value);
	}
	assert((size_t)at < size);
}

/* The position of `word` (length `size`) in a list of `count` names, or -1. */
static int find_word(const char *const *words, int count, const char *word, size_t size)
{
	for (int i = 0; i < count; i++)
		if (strlen(words[i]) == size && !memcmp(words[i], word, size))
			return i;
	return -1;
}

/* The next word of a key: its start, and its length in *size; NULL at the end. */
static const char *next_word(const char **rest, size_t *size)
{
	const char *start = *rest + strspn(*rest, " ");

	*size = strcspn(start, " ");
	*rest = start + *size;
	return *size ? start : NULL;
}

static int parse_head(const char **rest, struct paleo_work *w, struct paleo_error *err)
{
	static const struct {
		const char *what;
		const char *const *names;
		int count;
	} head[] = {
		{"kind of work", kind_names, PALEO_WORK_KINDS},
		{"pass", pass_names, PALEO_PASSES},
		{"number type", paleo_dtype_names, PALEO_DTYPES},
	};
	int found[3] = {0};

	for (int i = 0; i < 3; i++) {
		size_t size;
		const char *word = next_word(rest, &size);
		if (!word)
			return paleo_fail(err, PALEO_EINPUT, "the %s is missing", head[i].what);
		found[i] = find_word(head[i].names, head[i].count, word, size);
		if (found[i] < 0)
			return paleo_fail(err, PALEO_EINPUT, "unknown %s '%.*s'", head[i].what,
					  (int)size, word);
	}
	w->kind = (enum paleo_work_kind)found[0];
	w->pass = (enum paleo_pass)found[1];
	w->dtype = (enum paleo_dtype)found[2];
	return PALEO_OK;
}

/* Reads the value behind '=' into the field. */
static int parse_value(struct paleo_work *w, const struct field *f, const char *text, size_t size,
		       struct paleo_error *err)
{
	char *end;

	if (f->type == FIELD_WORD) {
		int i = find_word(f->words, word_count(f->words), text, size);
		if (i < 0)
			return paleo_fail(err, PALEO_EINPUT, "unknown %s '%.*s'", f->name,
					  (int)size, text);
		field_put(w, f, i);
		return PALEO_OK;
	}
	double value = strtod(text, &end);
	if (end != text + size || strspn(text, "0123456789") != size || !(value <= COUNT_MAX))
		return paleo_fail(err, PALEO_EINPUT, "'%s' is '%.*s', expected a whole number",
				  f->name, (int)size, text);
	if (f->type == FIELD_INT && value > DIM_MAX)
		return paleo_fail(err, PALEO_EINPUT, "'%s' is %.0f, expected at most %.0f", f->name,
				  value, DIM_MAX);
	field_put(w, f, value);
	return PALEO_OK;
}

/* Reads one "name=value"; fields come in the table's order, so *f only moves forward. */
static int parse_field(struct paleo_work *w, const struct field **f, const char *word, size_t size,
		       struct paleo_error *err)
{
	const char *equals = memchr(word, '=', size);
	size_t name_size = equals ? (size_t)(equals - word) : size;

	while ((*f)->name &&
	       (strlen((*f)->name) != name_size || memcmp((*f)->name, word, name_size) != 0))
		(*f)++;
	if (!equals || !(*f)->name)
		return paleo_fail(err, PALEO_EINPUT,
				  "'%.*s' is not a field of '%s', or out of order, or twice",
				  (int)size, word, kind_names[w->kind]);
	int rc = parse_value(w, *f, equals + 1, size - name_size - 1, err);
	(*f)++;
	return rc;
}

int paleo_work_parse(const char *key, struct paleo_work *out, struct paleo_error *err)
{
	struct paleo_work w = {0};
	const char *rest = key;
	const char *word;
	size_t size;

	int rc = parse_head(&rest, &w, err);
	if (rc)
		goto fail;
	const struct field *f = fields_of[w.kind];
	while ((word = next_word(&rest, &size))) {
		rc = parse_field(&w, &f, word, size, err);
		if (rc)
			goto fail;
	}
	rc = paleo_work_finish(&w, err);
	if (rc)
		goto fail;
	*out = w;
	return PALEO_OK;
fail:
	paleo_error_prefix(err, "work '%.200s'", key);
	return rc;
}

int paleo_work_equal(const struct paleo_work *a, const struct paleo_work *b)
{
	if (a->kind != b->kind || a->pass != b->pass || a->dtype != b->dtype)
		return 0;
	for (const struct field *f = fields_of[a->kind]; f->name; f++)
		if (field_get(a, f) != field_get(b, f))
			return 0;
	return 1;
}

const char *paleo_work_kind_name(enum paleo_work_kind kind)
{
	return kind_names[kind];
}

const char *paleo_pass_name(enum paleo_pass pass)
{
	return pass_names[pass];
}

const char *paleo_layout_name(enum paleo_layout layout)
{
	return layout_names[layout];
}

int paleo_work_has_layout(enum paleo_work_kind kind)
{
	for (const struct field *f = fields_of[kind]; f->name; f++)
		if (f->words == layout_names)
			return 1;
	return 0;
}

const char *paleo_eltwise_name(enum paleo_eltwise_op op)
{
	return op_names[op];
}

int paleo_pass_parse(const char *word, enum paleo_pass *out, struct paleo_error *err)
{
	int i = find_word(pass_names, PALEO_PASSES, word, strlen(word));

	if (i < 0)
		return paleo_fail(err, PALEO_EINPUT,
				  "unknown pass '%s', expected fwd, bwd_data, bwd_filter or update",
				  word);
	*out = (enum paleo_pass)i;
	return PALEO_OK;
}
