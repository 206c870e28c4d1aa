/* onnx.h - an ONNX file as nodes and values, and as the text of one of our net files. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_IMPORT_ONNX_ONNX_H
#define PALEO_IMPORT_ONNX_ONNX_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/file.h"
#include "import/names.h"

/* Bytes of the file; nothing is copied. */
struct paleo_onnx_span {
	const unsigned char *at, *end;
};

enum paleo_onnx_wire { /* protobuf's wire types that ONNX uses */
	ONNX_VARINT = 0,
	ONNX_FIXED64 = 1,
	ONNX_BYTES = 2,
	ONNX_FIXED32 = 5
};

struct paleo_onnx_field {
	unsigned number;
	enum paleo_onnx_wire wire;
	uint64_t value;               /* of all but ONNX_BYTES */
	struct paleo_onnx_span bytes; /* of ONNX_BYTES: a text, a message, packed numbers */
};

/* Takes the next field off the front of a message: 1. At its end 0; where it is broken -1. */
int paleo_onnx_next(struct paleo_onnx_span *message, struct paleo_onnx_field *out);

/* The span of a text. */
struct paleo_onnx_span paleo_onnx_span_of(const char *text);
int paleo_onnx_span_is(struct paleo_onnx_span s, const char *text);
/* 1 if it is one of these words, with spaces between. */
int paleo_onnx_span_in(struct paleo_onnx_span s, const char *words);

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
	int number; /* index among the graph's nodes, also for nodes derived from it */
	int branch; /* 1 + the branch it is in; 0: none */
	int first_branch, second_branch; /* of an If: if its condition holds, and if not */
};

/* One of the two graphs of an If. Its nodes are among those of the whole graph, before the If. */
struct paleo_onnx_branch {
	int condition; /* a value */
	int is_then;   /* 1: taken if the condition holds */
	int inside;    /* 1 + the branch that the If itself is in; 0: none */
	int *outputs, output_count;
};

/* Description of a value in the file: an input, an initializer, or the output of a node. */
struct paleo_onnx_name {
	struct paleo_onnx_span text;
	int is_input, is_initializer, is_output;
	int branch;                      /* of an initializer: 1 + the branch it is in; 0: none */
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
	int first_input;            /* of the list of inputs; -1: none */
	struct paleo_names numbers; /* of the names */
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

/* The first field of this number in an attribute's message, or 0. */
int paleo_onnx_find_field(const struct paleo_onnx_node *n, const char *name, unsigned number,
			  struct paleo_onnx_field *out);

/* A file's whole number as an int: the nearest one, INT_MIN for NaN. */
int paleo_onnx_fit_int(double value);

/* Attributes with their default; an integer fits an int. */
double paleo_onnx_int(const struct paleo_onnx_node *n, const char *name, double fallback);
double paleo_onnx_float(const struct paleo_onnx_node *n, const char *name, double fallback);
/* The text of an attribute, copied into a buffer. 0, or -1: there is none, or it is longer. */
int paleo_onnx_text(const struct paleo_onnx_node *n, const char *name, char *out, size_t size);
int paleo_onnx_word(const struct paleo_onnx_node *n, const char *name, const char *is);

/* Number of integers in the attribute, of which at most `room` are copied; -1 without it. */
int paleo_onnx_ints(const struct paleo_onnx_node *n, const char *name, double *out, int room);
/* The same of real ones. */
int paleo_onnx_floats(const struct paleo_onnx_node *n, const char *name, double *out, int room);

/* Reads TensorProto's head. 0, or -1 where it is broken. */
int paleo_onnx_read_tensor(struct paleo_onnx_span message, struct paleo_onnx_tensor *out,
			   struct paleo_onnx_span *name);

double paleo_onnx_tensor_count(const struct paleo_onnx_tensor *t);

/* Floats of a file's initializers, or of its Constant nodes, with or without those
 * in the branches of an If. */
double paleo_onnx_floats_of(const struct paleo_onnx_graph *g, int constants, int branches);

/* 1 if the type is one of floating point. */
int paleo_onnx_is_float(int type);

/* Its numbers, `count` of them. 0, or -1 where they are not in the file. */
int paleo_onnx_tensor_numbers(const struct paleo_onnx_tensor *t, double *out, int count);

enum {
	ONNX_SIZES_MAX = 16
};

/* A size that the file leaves open: of of the dimensions with this name, or of those without one;
 * the shape of an input; or the value of an input that is a number. */
struct paleo_onnx_size {
	const char *name; /* "batch", "sequence=128", "x=1x3x48x192"; "" for those without a name */
	int rank;         /* of `size` */
	int size[ONNX_RANK_MAX];
};

struct paleo_onnx_options {
	struct paleo_onnx_size sizes[ONNX_SIZES_MAX];
	int size_count;
};

/* Reads "sequence=128", "x=1x3x48x192", or "128" for dimensions without a name. EINPUT. `text` must
 * stay. */
int paleo_onnx_size_parse(const char *text, struct paleo_onnx_size *out, struct paleo_error *err);

/*
 * The net file's text, owned by the caller: free(). Conversions are listed in
 * docs/reference/onnx.md. EINPUT names the file and every kind of node that cannot be converted,
 * with its count and the first node; or the dimension whose size is missing. ENOMEM.
 */
int paleo_onnx_convert(const struct paleo_onnx_graph *graph, const struct paleo_onnx_options *o,
		       char **json, struct paleo_error *err);

#endif
