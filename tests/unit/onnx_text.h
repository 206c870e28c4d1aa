/* onnx_text.h - makes ONNX models of a few lines of text, for tests. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TESTS_UNIT_ONNX_TEXT_H
#define PALEO_TESTS_UNIT_ONNX_TEXT_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Each line is one of:
 *
 *   input x 2x3x8x8            floating point; a size may be a name: batchx3x8x8
 *   tokens x 2x16              whole numbers; sizes of - are those of a scalar
 *   output y                   what the model gives
 *   weight w 4x3x3x3           an initializer whose numbers are left out
 *   half w 8x6, brain w 8x6    the same of 16 bits, IEEE's and bfloat16
 *   bytes q 8x6                the same of whole numbers of 8 bits
 *   opset 6                    the version of the operators, 17 without it
 *   list k 1 -1 12             known whole numbers; "one k 0.5" is a single real one
 *   then y                     what the next If does where its condition holds, up to "end"
 *   else y                     the same where it does not
 *   end
 *   Conv x w -> y strides=1,1 group=1 direction:bidirectional ratio~0.5
 *   Slice x #0, #650, #0, -> y
 *
 * A type may have a domain in front: com.microsoft.Attention. Where = gives whole numbers (a comma
 * behind a single one makes it a list), : a word, ~ a real one, # a tensor. An input that begins
 * with # is the tensor that a Constant gives: #3 a whole number, #3, and #1,-1 lists, #0.5 a real
 * number, #true a truth value, #2x20 real zeros of these sizes.
 */
struct onnx_bytes {
	unsigned char at[1 << 17];
	size_t size;
};

static inline void onnx_varint(struct onnx_bytes *b, uint64_t v)
{
	for (; v > 0x7f; v >>= 7)
		b->at[b->size++] = (unsigned char)(v | 0x80);
	b->at[b->size++] = (unsigned char)v;
}

static inline void onnx_int(struct onnx_bytes *b, unsigned field, int64_t v)
{
	onnx_varint(b, field << 3);
	onnx_varint(b, (uint64_t)v);
}

static inline void onnx_float(struct onnx_bytes *b, unsigned field, float v)
{
	onnx_varint(b, field << 3 | 5);
	memcpy(b->at + b->size, &v, sizeof(v)); /* little endian here and there */
	b->size += sizeof(v);
}

static inline void onnx_put(struct onnx_bytes *b, unsigned field, const void *at, size_t size)
{
	onnx_varint(b, field << 3 | 2);
	onnx_varint(b, size);
	memcpy(b->at + b->size, at, size);
	b->size += size;
}

/* One of a list: packed as bytes, or a field of its own. */
static inline void onnx_real(struct onnx_bytes *b, unsigned field, float v, int is_packed)
{
	if (is_packed)
		onnx_put(b, field, &v, sizeof(v));
	else
		onnx_float(b, field, v);
}

static inline void onnx_text(struct onnx_bytes *b, unsigned field, const char *text)
{
	onnx_put(b, field, text, strlen(text));
}

/* ValueInfoProto: name, type {tensor_type {elem_type, shape {dim}}}. */
static inline void onnx_input(struct onnx_bytes *graph, const char *name, char *sizes, int type)
{
	struct onnx_bytes value = {.size = 0}, kind = {.size = 0}, tensor = {.size = 0},
			  shape = {.size = 0};
	char *rest;

	for (char *s = strtok_r(sizes, "x-", &rest); s; s = strtok_r(NULL, "x", &rest)) {
		struct onnx_bytes dim = {.size = 0};
		if (*s >= '0' && *s <= '9')
			onnx_int(&dim, 1, atoi(s));
		else
			onnx_text(&dim, 2, s);
		onnx_put(&shape, 1, dim.at, dim.size);
	}
	onnx_int(&tensor, 1, type);
	onnx_put(&tensor, 2, shape.at, shape.size);
	onnx_put(&kind, 1, tensor.at, tensor.size);
	onnx_text(&value, 1, name);
	onnx_put(&value, 2, kind.at, kind.size);
	onnx_put(graph, 11, value.at, value.size);
}

/* TensorProto.DataType of a line that begins so; 0: it is none of weights. */
static inline int onnx_weight_type(const char *word)
{
	static const struct {
		const char *word;
		int type;
	} types[] = {{"weight", 1}, {"packed", 2}, {"bytes", 3}, {"half", 10}, {"brain", 16}};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (!strcmp(word, types[i].word))
			return types[i].type;
	return 0;
}

/* TensorProto of 32-bit floats, or of another type, without numbers. */
static inline void onnx_weight(struct onnx_bytes *graph, const char *name, char *sizes, int type)
{
	struct onnx_bytes t = {.size = 0};
	char *rest;

	for (char *s = strtok_r(sizes, "x", &rest); s; s = strtok_r(NULL, "x", &rest))
		onnx_int(&t, 1, atoll(s));
	onnx_int(&t, 2, type);
	onnx_text(&t, 8, name);
	onnx_put(graph, 5, t.at, t.size);
}

static inline void onnx_list(struct onnx_bytes *graph, const char *name, char **rest)
{
	struct onnx_bytes t = {.size = 0}, numbers = {.size = 0};
	int count = 0;

	for (char *s = strtok_r(NULL, " ", rest); s; s = strtok_r(NULL, " ", rest), count++)
		onnx_varint(&numbers, (uint64_t)(int64_t)atoi(s));
	onnx_int(&t, 1, count);
	onnx_int(&t, 2, 7);
	onnx_put(&t, 7, numbers.at, numbers.size);
	onnx_text(&t, 8, name);
	onnx_put(graph, 5, t.at, t.size);
}

static inline void onnx_one(struct onnx_bytes *graph, const char *name, const char *number)
{
	struct onnx_bytes t = {.size = 0};

	onnx_int(&t, 2, 1);
	onnx_float(&t, 4, (float)atof(number));
	onnx_text(&t, 8, name);
	onnx_put(graph, 5, t.at, t.size);
}

/* TensorProto of what stands behind a #; its numbers are raw bytes, as exporters write them. */
static inline void onnx_tensor(struct onnx_bytes *t, char *text)
{
	static struct onnx_bytes raw;
	const int is_list = strchr(text, ',') != NULL, is_sizes = strchr(text, 'x') != NULL;
	const int is_truth = !strcmp(text, "true") || !strcmp(text, "false");
	const int is_real = !is_truth && strpbrk(text, ".e");
	const float real = (float)atof(text);
	char *rest;
	int count = 0;

	raw.size = is_sizes ? sizeof(real) : 0;
	for (char *s = strtok_r(text, ",x", &rest); s; s = strtok_r(NULL, ",x", &rest), count++) {
		const int64_t whole = atoll(s);
		if (is_sizes) {
			onnx_int(t, 1, whole);
			raw.size *= (size_t)whole;
		} else if (is_truth) {
			raw.at[raw.size++] = *s == 't';
		} else if (is_real) {
			memcpy(raw.at, &real, raw.size = sizeof(real));
		} else {
			memcpy(raw.at + raw.size, &whole, sizeof(whole));
			raw.size += sizeof(whole);
		}
	}
	if (is_sizes)
		memset(raw.at, 0, raw.size);
	if (is_list)
		onnx_int(t, 1, count);
	onnx_int(t, 2, is_truth ? 9 : is_sizes || is_real ? 1 : 7);
	onnx_put(t, 9, raw.at, raw.size);
}

/* AttributeProto of one word of a line. */
static inline void onnx_attribute(struct onnx_bytes *node, char *word)
{
	struct onnx_bytes a = {.size = 0};
	char *sign = strpbrk(word, "=:~#"), *rest;
	const char kind = *sign;

	*sign = '\0';
	onnx_text(&a, 1, word);
	if (kind == ':') {
		onnx_text(&a, 4, sign + 1);
	} else if (kind == '#') {
		struct onnx_bytes t = {.size = 0};
		onnx_tensor(&t, sign + 1);
		onnx_put(&a, 5, t.at, t.size);
	} else if (kind == '~' && !strchr(sign + 1, ','))
		onnx_float(&a, 2, (float)atof(sign + 1));
	else if (kind == '~')
		for (char *s = strtok_r(sign + 1, ",", &rest); s; s = strtok_r(NULL, ",", &rest))
			onnx_real(&a, 7, (float)atof(s), s != sign + 1);
	else if (!strchr(sign + 1, ','))
		onnx_int(&a, 3, atoi(sign + 1));
	else
		for (char *s = strtok_r(sign + 1, ",", &rest); s; s = strtok_r(NULL, ",", &rest))
			onnx_int(&a, 8, atoi(s));
	onnx_put(node, 5, a.at, a.size);
}

/* The attribute of an If that is a graph. */
static inline void onnx_branch(struct onnx_bytes *node, const char *name,
			       const struct onnx_bytes *graph)
{
	static struct onnx_bytes a;

	a.size = 0;
	onnx_text(&a, 1, name);
	onnx_put(&a, 6, graph->at, graph->size);
	onnx_put(node, 5, a.at, a.size);
}

static inline void onnx_output(struct onnx_bytes *graph, const char *name)
{
	struct onnx_bytes value = {.size = 0};

	onnx_text(&value, 1, name);
	onnx_put(graph, 12, value.at, value.size);
}

/* Puts a Constant of a tensor into the graph, and its output as an input of the node. */
static inline void onnx_constant(struct onnx_bytes *graph, struct onnx_bytes *node,
				 const char *text)
{
	struct onnx_bytes n = {.size = 0};
	char name[32], value[1024];

	snprintf(name, sizeof(name), "constant%zu", graph->size);
	snprintf(value, sizeof(value), "value%s", text);
	onnx_text(&n, 2, name);
	onnx_text(&n, 4, "Constant");
	onnx_attribute(&n, value);
	onnx_put(graph, 1, n.at, n.size);
	onnx_text(node, 1, name);
}

/* `branches` are those of an If. */
static inline void onnx_node(struct onnx_bytes *graph, const char *type, char **rest,
			     struct onnx_bytes branches[2])
{
	struct onnx_bytes n = {.size = 0};
	int outputs = 0;

	for (char *s = strtok_r(NULL, " ", rest); s; s = strtok_r(NULL, " ", rest)) {
		if (!strcmp(s, "->"))
			outputs = 1;
		else if (*s == '#')
			onnx_constant(graph, &n, s);
		else if (strpbrk(s, "=:~#"))
			onnx_attribute(&n, s);
		else
			onnx_text(&n, outputs ? 2 : 1, !strcmp(s, "-") ? "" : s);
	}
	for (int i = 0; i < 2 && !strcmp(type, "If"); i++) {
		onnx_branch(&n, i ? "else_branch" : "then_branch", &branches[i]);
		branches[i].size = 0;
	}
	const char *dot = strrchr(type, '.');
	onnx_text(&n, 4, dot ? dot + 1 : type);
	if (dot)
		onnx_put(&n, 7, type, (size_t)(dot - type));
	onnx_put(graph, 1, n.at, n.size);
}

/* The model of these lines. */
static inline void onnx_model(struct onnx_bytes *model, const char *lines)
{
	static struct onnx_bytes graph, branches[2];
	struct onnx_bytes *to = &graph;
	struct onnx_bytes opset = {.size = 0};
	static char text[1 << 15];
	char *line, *rest;
	int version = 17;

	graph.size = 0;
	if (snprintf(text, sizeof(text), "%s", lines) >= (int)sizeof(text))
		abort();
	for (char *l = strtok_r(text, "\n", &line); l; l = strtok_r(NULL, "\n", &line)) {
		const char *word = strtok_r(l, " ", &rest);
		if (!strcmp(word, "input") || !strcmp(word, "tokens")) {
			const char *name = strtok_r(NULL, " ", &rest);
			onnx_input(&graph, name, strtok_r(NULL, " ", &rest), *word == 'i' ? 1 : 7);
		} else if (!strcmp(word, "opset")) {
			version = atoi(strtok_r(NULL, " ", &rest));
		} else if (!strcmp(word, "output")) {
			onnx_output(&graph, strtok_r(NULL, " ", &rest));
		} else if (!strcmp(word, "then") || !strcmp(word, "else")) {
			to = &branches[*word == 'e'];
			onnx_output(to, strtok_r(NULL, " ", &rest));
		} else if (!strcmp(word, "end")) {
			to = &graph;
		} else if (onnx_weight_type(word)) {
			const char *name = strtok_r(NULL, " ", &rest);
			onnx_weight(to, name, strtok_r(NULL, " ", &rest), onnx_weight_type(word));
		} else if (!strcmp(word, "list")) {
			onnx_list(to, strtok_r(NULL, " ", &rest), &rest);
		} else if (!strcmp(word, "one")) {
			const char *name = strtok_r(NULL, " ", &rest);
			onnx_one(to, name, strtok_r(NULL, " ", &rest));
		} else {
			onnx_node(to, word, &rest, branches);
		}
	}
	model->size = 0;
	onnx_put(model, 7, graph.at, graph.size);
	onnx_int(&opset, 2, version);
	onnx_put(model, 8, opset.at, opset.size);
}

#endif
