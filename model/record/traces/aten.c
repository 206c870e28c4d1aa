/* aten.c - an op of PyTorch's, by its name, and its arguments as the profiler wrote them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/record/traces/aten.h"

#include <stdlib.h>
#include <string.h>

static const struct aten_op ops[] = {
#define ATEN(name, matcher, what, pass, ...)                                                       \
	{name, paleo_aten_##matcher, what, PALEO_##pass, {__VA_ARGS__}},
#include "model/record/traces/aten.def"
#undef ATEN
};

/* Element `i` of a list; NULL: it is none, or is shorter. */
static const struct paleo_json *element(const struct paleo_json *list, int i)
{
	const struct paleo_json *e = NULL;

	if (i < 0 || !list || paleo_json_type(list) != PALEO_JSON_ARRAY)
		return NULL;
	for (e = paleo_json_first(list); e && i > 0; i--)
		e = paleo_json_next(e);
	return e;
}

static const char *text_of(const struct paleo_json *v)
{
	struct paleo_error ignored;
	const char *text = "";

	if (v && paleo_json_type(v) == PALEO_JSON_STRING)
		paleo_json_to_string(v, &text, &ignored);
	return text;
}

/* A list of numbers as a shape. */
static struct aten_shape shape_of(const struct paleo_json *v)
{
	struct aten_shape s = {.rank = -1};
	struct paleo_error ignored;
	int rank = 0;

	if (!v || paleo_json_type(v) != PALEO_JSON_ARRAY || paleo_json_size(v) > ATEN_RANK_MAX)
		return s;
	for (const struct paleo_json *e = paleo_json_first(v); e; e = paleo_json_next(e))
		if (paleo_json_to_double(e, 0, 1e15, &s.dims[rank++], &ignored))
			return s;
	s.rank = rank;
	return s;
}

struct aten_shape paleo_aten_shape(const struct aten_args *a, int i)
{
	return shape_of(element(a->dims, i));
}

double paleo_aten_product(const struct aten_shape *s, int from, int to)
{
	double product = 1;

	for (int i = from; i < to; i++)
		product *= s->dims[i];
	return product;
}

double paleo_aten_elements(const struct aten_shape *s)
{
	return s->rank > 0 ? paleo_aten_product(s, 0, s->rank) : 0;
}

double paleo_aten_list_elements(const struct aten_args *a, int i)
{
	const struct paleo_json *list = element(a->dims, i);
	struct aten_shape s = shape_of(list);
	double sum = 0;

	if (s.rank >= 0 || !list || paleo_json_type(list) != PALEO_JSON_ARRAY)
		return paleo_aten_elements(&s);
	for (const struct paleo_json *e = paleo_json_first(list); e; e = paleo_json_next(e)) {
		s = shape_of(e);
		sum += paleo_aten_elements(&s);
	}
	return sum;
}

int paleo_aten_dtype(const struct aten_args *a, int i, enum paleo_dtype *out)
{
	static const struct {
		const char *word;
		enum paleo_dtype dtype;
	} dtypes[] = {{"float", PALEO_F32},
		      {"c10::Half", PALEO_F16},
		      {"c10::BFloat16", PALEO_BF16},
		      {"c10::Float8_e4m3fn", PALEO_FP8}};
	const char *word = text_of(element(a->types, i));

	*out = a->usual;
	if (!strcmp(word, "TensorList"))
		return 1;
	for (size_t k = 0; k < sizeof(dtypes) / sizeof(dtypes[0]); k++) {
		if (strcmp(word, dtypes[k].word) != 0)
			continue;
		*out = dtypes[k].dtype;
		return 1;
	}
	return 0;
}

const char *paleo_aten_value(const struct aten_args *a, int i)
{
	return text_of(element(a->values, i));
}

int paleo_aten_numbers(const struct aten_args *a, int i, int count, int *out)
{
	const char *at = paleo_aten_value(a, i);
	int found = 0;

	for (; found < count; found++) {
		char *end;
		at += strspn(at, "[, ");
		long number = strtol(at, &end, 10);
		if (end == at || number < -1000000 || number > 1000000)
			break;
		out[found] = (int)number;
		at = end;
	}
	for (int k = found; found == 1 && k < count; k++)
		out[k] = out[0];
	return found;
}

int paleo_aten_flag(const struct aten_args *a, int i)
{
	return !strcmp(paleo_aten_value(a, i), "True");
}

int paleo_aten_is_turned(const struct aten_args *a, int i)
{
	const struct aten_shape s = paleo_aten_shape(a, i),
				steps = shape_of(element(a->strides, i));
	int r = s.rank;

	return r >= 2 && steps.rank == r && s.dims[r - 1] > 1 && s.dims[r - 2] > 1 &&
	       steps.dims[r - 2] == 1 && steps.dims[r - 1] > 1;
}

/* Channels are innermost: a picture's strides say so. */
static enum paleo_layout layout_of(const struct aten_args *a, int i)
{
	const struct aten_shape s = paleo_aten_shape(a, i),
				steps = shape_of(element(a->strides, i));

	return s.rank == 4 && steps.rank == 4 && s.dims[1] > 1 && steps.dims[1] == 1 &&
			       s.dims[2] * s.dims[3] > 1
		       ? PALEO_NHWC
		       : PALEO_NCHW;
}

int paleo_aten_finish(const struct aten_args *a, int typed, struct paleo_aten *out)
{
	struct paleo_error ignored;

	out->count = 0;
	if (!paleo_aten_dtype(a, typed, &out->ops[0].dtype)) {
		out->why = "of another dtype";
		return 0;
	}
	if (paleo_op_has_layout(out->ops[0].kind))
		out->ops[0].layout = layout_of(a, typed);
	out->count = paleo_op_has_dtype(&out->ops[0]) && !paleo_op_finish(&out->ops[0], &ignored);
	if (!out->count)
		out->why = "of sizes that no op here has";
	return out->count;
}

/* An op's name without the namespace that most have. */
static const struct aten_op *find(const char *name)
{
	if (!strncmp(name, "aten::", 6))
		name += 6;
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		if (!strcmp(name, ops[i].name))
			return &ops[i];
	return NULL;
}

int paleo_aten_match(const char *text, int in_backward, enum paleo_dtype usual,
		     struct paleo_aten *out, struct paleo_error *err)
{
	struct paleo_json_doc *doc = NULL;
	int rc = paleo_json_parse("call", 1, text, strlen(text), &doc, err);

	*out = (struct paleo_aten){.count = 0};
	if (rc)
		return rc;
	const struct paleo_json *root = paleo_json_root(doc);
	const struct aten_op *of = find(text_of(element(root, 0)));
	const struct aten_args a = {.dims = element(root, 1),
				    .types = element(root, 2),
				    .values = element(root, 3),
				    .strides = element(root, 4),
				    .in_backward = in_backward,
				    .usual = usual};
	if (!a.dims || !a.types || !a.values || !a.strides)
		rc = paleo_json_fail(root, err, "expected an op with four lists");
	else
		out->elements = paleo_aten_list_elements(&a, 0);
	if (!rc && of) {
		out->ops[0].pass = of->pass;
		if (!of->match(&a, of, out)) {
			out->count = 0;
			out->why = out->why ? out->why : "arguments that no op here has";
		}
	}
	paleo_json_free(doc);
	return rc;
}
