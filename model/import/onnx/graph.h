/* graph.h - an ONNX file as nodes and values; weights are not read. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_IMPORT_ONNX_GRAPH_H
#define PALEO_MODEL_IMPORT_ONNX_GRAPH_H

#include "base/error.h"
#include "base/map.h"
#include "model/import/onnx/wire.h"

enum {
	ONNX_RANK_MAX = 8,
	ONNX_NUMBERS_MAX = 65536 /* of a constant that is read */
};

/* TensorProto.DataType, those that matter here */
enum paleo_onnx_type {
	ONNX_FLOAT = 1,
	ONNX_UINT8 = 2,
	ONNX_INT8 = 3,
	ONNX_INT32 = 6,
	ONNX_INT64 = 7,
	ONNX_BOOL = 9,
	ONNX_FLOAT16 = 10,
	ONNX_DOUBLE = 11,
	ONNX_BFLOAT16 = 16
};

struct paleo_onnx_tensor {
	int type; /* enum paleo_onnx_type, or others */
	int rank;
	double dims[ONNX_RANK_MAX];
	struct paleo_onnx_span message; /* where its numbers are */
};

struct paleo_onnx_attribute {
	struct paleo_onnx_span name;
	struct paleo_onnx_span message;
};

struct paleo_onnx_node {
	struct paleo_onnx_span name, type, domain;
	int *inputs, *outputs; /* values; -1: left out */
	int input_count, output_count;
	struct paleo_onnx_attribute *attributes;
	int attribute_count;
	int number; /* its place among the graph's nodes, also of what is made of a node */
	int branch; /* 1 + the branch it is in; 0: none */
	int first_branch, second_branch; /* of an If: if its condition holds, and if not */
};

/* One of the two graphs of an If. Its nodes stand among those of the whole graph, in front of the
 * If. */
struct paleo_onnx_branch {
	int condition; /* a value */
	int is_then;   /* 1: taken if the condition holds */
	int inside;    /* 1 + the branch that the If itself is in; 0: none */
	int *outputs, output_count;
};

/* What the file says of a value: an input, an initializer, or the output of a node. */
struct paleo_onnx_name {
	struct paleo_onnx_span text;
	struct paleo_onnx_slot *slot;
	int is_input, is_initializer, is_output;
	int readers;                     /* nodes, and 1 for an output of the graph */
	struct paleo_onnx_tensor tensor; /* of inputs and initializers; a dim of 0 has no size */
	struct paleo_onnx_span dim_names[ONNX_RANK_MAX]; /* of inputs: "batch", "sequence" */
};

struct paleo_onnx_graph {
	const char *path;
	struct paleo_map map;
	struct paleo_onnx_node *nodes; /* in topological order, as ONNX demands */
	int node_count, node_room;
	struct paleo_onnx_branch *branches;
	int branch_count, branch_room;
	int branch; /* while it is read: 1 + the branch that nodes are in */
	struct paleo_onnx_name *names;
	int name_count, name_room;
	int first_input;               /* of the list of inputs; -1: none */
	struct paleo_onnx_slot *slots; /* from names to their numbers */
	double opset;
};

/* Reads a file. *out is owned by the caller: paleo_onnx_graph_free(). EIO, EINPUT, ENOMEM. */
int paleo_onnx_graph_load(const char *path, struct paleo_onnx_graph **out, struct paleo_error *err);

/* The same of bytes, which must stay. */
int paleo_onnx_graph_parse(const char *path, const void *bytes, size_t size,
			   struct paleo_onnx_graph **out, struct paleo_error *err);
void paleo_onnx_graph_free(struct paleo_onnx_graph *graph); /* NULL allowed */

/* An attribute's message, or 0. */
int paleo_onnx_attribute(const struct paleo_onnx_node *n, const char *name,
			 struct paleo_onnx_span *out);

/* A file's whole number as an int: the nearest one, INT_MIN for NaN. */
int paleo_onnx_fit_int(double value);

/* Attributes with what they are if they are left out; a whole one fits an int. */
double paleo_onnx_int(const struct paleo_onnx_node *n, const char *name, double fallback);
double paleo_onnx_float(const struct paleo_onnx_node *n, const char *name, double fallback);
/* The text of an attribute, cut to fit. 0, or -1: there is none, or it is longer. */
int paleo_onnx_text(const struct paleo_onnx_node *n, const char *name, char *out, size_t size);
int paleo_onnx_word(const struct paleo_onnx_node *n, const char *name, const char *is);

/* How many whole numbers the attribute has, at most `room` of which are copied; -1 without it. */
int paleo_onnx_ints(const struct paleo_onnx_node *n, const char *name, double *out, int room);
/* The same of real ones. */
int paleo_onnx_floats(const struct paleo_onnx_node *n, const char *name, double *out, int room);

/* Reads TensorProto's head. 0, or -1 where it is broken. */
int paleo_onnx_read_tensor(struct paleo_onnx_span message, struct paleo_onnx_tensor *out,
			   struct paleo_onnx_span *name);

double paleo_onnx_tensor_count(const struct paleo_onnx_tensor *t);

/* 1 if the type is one of floating point. */
int paleo_onnx_is_float(int type);

/* Its numbers, `count` of them. 0, or -1 where they are not in the file. */
int paleo_onnx_tensor_numbers(const struct paleo_onnx_tensor *t, double *out, int count);

#endif
