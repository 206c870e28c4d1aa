/* graph.c - reads ModelProto and GraphProto (onnx.proto of github.com/onnx/onnx). */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/grow.h"
#include "import/onnx/onnx.h"

enum { /* fields of the messages */
	MODEL_GRAPH = 7,
	MODEL_OPSET = 8,
	OPSET_DOMAIN = 1,
	OPSET_VERSION = 2,
	GRAPH_NODE = 1,
	GRAPH_INITIALIZER = 5,
	GRAPH_INPUT = 11,
	GRAPH_OUTPUT = 12,
	NODE_INPUT = 1,
	NODE_OUTPUT = 2,
	NODE_NAME = 3,
	NODE_TYPE = 4,
	NODE_ATTRIBUTE = 5,
	NODE_DOMAIN = 7,
	ATTRIBUTE_GRAPH = 6,
	BRANCHES_DEPTH = 8, /* of If in If */
	ATTRIBUTE_NAME = 1,
	VALUE_NAME = 1,
	VALUE_TYPE = 2,
	TYPE_TENSOR = 1,
	TENSOR_TYPE_ELEMENT = 1,
	TENSOR_TYPE_SHAPE = 2,
	SHAPE_DIM = 1,
	DIM_VALUE = 1,
	DIM_NAME = 2
};

static int broken(const struct paleo_onnx_graph *g, const char *what, struct paleo_error *err)
{
	return paleo_fail(err, PALEO_EINPUT,
			  "%s: not a complete ONNX file: %s is truncated or damaged, expected a "
			  "model written by onnx.save() or an exporter",
			  g->path, what);
}

static int no_memory(struct paleo_error *err)
{
	return paleo_fail(err, PALEO_ENOMEM, "out of memory");
}

/* A new value, which the name means from now on; -2 without memory. */
static int new_name(struct paleo_onnx_graph *g, struct paleo_onnx_span text)
{
	struct paleo_onnx_name *names =
		paleo_grow(g->names, g->name_count, &g->name_room, sizeof(*names));

	if (!names)
		return -2;
	g->names = names;
	if (paleo_names_put(&g->numbers, text.at, (size_t)(text.end - text.at), g->name_count))
		return -2;
	names[g->name_count] = (struct paleo_onnx_name){.text = text};
	return g->name_count++;
}

/* The value of this name, created if missing; -1 for the empty name, -2 without memory. */
static int name_of(struct paleo_onnx_graph *g, struct paleo_onnx_span text)
{
	const size_t size = (size_t)(text.end - text.at);
	const int known = size ? paleo_names_get(&g->numbers, text.at, size) : -1;

	return !size || known >= 0 ? known : new_name(g, text);
}

/* Adds the value to a list of a node's. */
static int add_value(struct paleo_onnx_graph *g, struct paleo_onnx_span text, int **list,
		     int *count, struct paleo_error *err)
{
	int value = name_of(g, text);
	int *more = value < -1 ? NULL : realloc(*list, ((size_t)*count + 1) * sizeof(**list));

	if (!more)
		return no_memory(err);
	*list = more;
	more[(*count)++] = value;
	return PALEO_OK;
}

static int add_attribute(struct paleo_onnx_graph *g, struct paleo_onnx_node *n,
			 struct paleo_onnx_span message, struct paleo_error *err)
{
	struct paleo_onnx_attribute a = {.message = message};
	struct paleo_onnx_field f;
	int got;

	while ((got = paleo_onnx_next(&message, &f)) == 1) {
		if (f.number == ATTRIBUTE_NAME && f.wire == ONNX_BYTES)
			a.name = f.bytes;
	}
	if (got < 0)
		return broken(g, "an attribute", err);
	struct paleo_onnx_attribute *more =
		realloc(n->attributes, ((size_t)n->attribute_count + 1) * sizeof(*n->attributes));
	if (!more)
		return no_memory(err);
	n->attributes = more;
	more[n->attribute_count++] = a;
	return PALEO_OK;
}

static int node_field(struct paleo_onnx_graph *g, struct paleo_onnx_node *n,
		      const struct paleo_onnx_field *f, struct paleo_error *err)
{
	if (f->wire != ONNX_BYTES)
		return PALEO_OK;
	switch (f->number) {
	case NODE_INPUT:
		return add_value(g, f->bytes, &n->inputs, &n->input_count, err);
	case NODE_OUTPUT:
		return add_value(g, f->bytes, &n->outputs, &n->output_count, err);
	case NODE_NAME:
		n->name = f->bytes;
		break;
	case NODE_TYPE:
		n->type = f->bytes;
		break;
	case NODE_DOMAIN:
		n->domain = f->bytes;
		break;
	case NODE_ATTRIBUTE:
		return add_attribute(g, n, f->bytes, err);
	default:
		break;
	}
	return PALEO_OK;
}

static int read_graph(struct paleo_onnx_graph *g, struct paleo_onnx_span message,
		      struct paleo_error *err);

/* A branch's initializers are its own, whatever those of other branches are called; they come
 * behind the nodes that read them. */
static int add_own_names(struct paleo_onnx_graph *g, struct paleo_onnx_span message,
			 struct paleo_error *err)
{
	struct paleo_onnx_tensor t;
	struct paleo_onnx_field f;

	while (paleo_onnx_next(&message, &f) == 1) {
		struct paleo_onnx_span name = {0};
		if (f.number == GRAPH_INITIALIZER && f.wire == ONNX_BYTES &&
		    !paleo_onnx_read_tensor(f.bytes, &t, &name) && name.at != name.end &&
		    new_name(g, name) < 0)
			return no_memory(err);
	}
	return PALEO_OK;
}

/* The graph of this attribute of an If, whose nodes come before it. */
static int add_branch(struct paleo_onnx_graph *g, const struct paleo_onnx_node *n, int is_then,
		      struct paleo_error *err)
{
	struct paleo_onnx_branch *branches =
		paleo_grow(g->branches, g->branch_count, &g->branch_room, sizeof(*branches));
	struct paleo_onnx_span message, graph = {0};
	struct paleo_onnx_field f;
	int depth = 0;

	if (!branches)
		return no_memory(err);
	g->branches = branches;
	for (int b = n->branch; b; b = branches[b - 1].inside)
		depth++;
	if (depth == BRANCHES_DEPTH)
		return broken(g, "too deeply nested If", err);
	branches[g->branch_count++] =
		(struct paleo_onnx_branch){.condition = n->input_count ? n->inputs[0] : -1,
					   .is_then = is_then,
					   .inside = n->branch};
	if (!paleo_onnx_attribute(n, is_then ? "then_branch" : "else_branch", &message))
		return PALEO_OK;
	while (paleo_onnx_next(&message, &f) == 1) {
		if (f.number == ATTRIBUTE_GRAPH && f.wire == ONNX_BYTES)
			graph = f.bytes;
	}
	g->branch = g->branch_count;
	int rc = graph.at ? add_own_names(g, graph, err) : PALEO_OK;
	if (!rc && graph.at)
		rc = read_graph(g, graph, err);
	g->branch = n->branch;
	return rc;
}

static int read_node(struct paleo_onnx_graph *g, struct paleo_onnx_node *n,
		     struct paleo_onnx_span message, struct paleo_error *err)
{
	struct paleo_onnx_field f;
	int got, rc = PALEO_OK;

	while (!rc && (got = paleo_onnx_next(&message, &f)) != 0)
		rc = got < 0 ? broken(g, "a node", err) : node_field(g, n, &f, err);
	for (int i = 0; i < n->input_count; i++) {
		if (n->inputs[i] >= 0)
			g->names[n->inputs[i]].readers++;
	}
	if (rc || !paleo_onnx_span_is(n->type, "If"))
		return rc;
	n->first_branch = g->branch_count;
	rc = add_branch(g, n, 1, err);
	n->second_branch = g->branch_count;
	return rc ? rc : add_branch(g, n, 0, err);
}

static void free_node(struct paleo_onnx_node *n)
{
	free(n->inputs);
	free(n->outputs);
	free(n->attributes);
}

static int add_node(struct paleo_onnx_graph *g, struct paleo_onnx_span message,
		    struct paleo_error *err)
{
	struct paleo_onnx_node made = {.branch = g->branch};
	int rc = read_node(g, &made, message, err);
	struct paleo_onnx_node *nodes =
		rc ? NULL : paleo_grow(g->nodes, g->node_count, &g->node_room, sizeof(*nodes));

	if (!nodes) {
		free_node(&made);
		return rc ? rc : no_memory(err);
	}
	g->nodes = nodes;
	made.number = g->node_count;
	nodes[g->node_count++] = made;
	return PALEO_OK;
}

static int add_initializer(struct paleo_onnx_graph *g, struct paleo_onnx_span message,
			   struct paleo_error *err)
{
	struct paleo_onnx_tensor t;
	struct paleo_onnx_span name = {0};

	if (paleo_onnx_read_tensor(message, &t, &name))
		return broken(g, "an initializer", err);
	int value = name_of(g, name);
	if (value < -1)
		return no_memory(err);
	if (value >= 0) {
		g->names[value].is_initializer = 1;
		g->names[value].branch = g->branch;
		g->names[value].tensor = t;
	}
	return PALEO_OK;
}

static int read_dim(struct paleo_onnx_span message, double *size, struct paleo_onnx_span *name)
{
	struct paleo_onnx_field f;
	int got;

	*size = 0;
	while ((got = paleo_onnx_next(&message, &f)) == 1) {
		if (f.number == DIM_VALUE && f.wire == ONNX_VARINT)
			*size = (double)(int64_t)f.value;
		if (f.number == DIM_NAME && f.wire == ONNX_BYTES)
			*name = f.bytes;
	}
	return got;
}

/* TypeProto.Tensor, and the TensorShapeProto in it. */
static int read_tensor_type(struct paleo_onnx_span message, struct paleo_onnx_name *n)
{
	struct paleo_onnx_field f, d;
	int got, inner = 0;

	while (!inner && (got = paleo_onnx_next(&message, &f)) == 1) {
		if (f.number == TENSOR_TYPE_ELEMENT && f.wire == ONNX_VARINT)
			n->tensor.type = (int)f.value;
		if (f.number != TENSOR_TYPE_SHAPE || f.wire != ONNX_BYTES)
			continue;
		struct paleo_onnx_span shape = f.bytes;
		while ((inner = paleo_onnx_next(&shape, &d)) == 1) {
			if (d.number != SHAPE_DIM || d.wire != ONNX_BYTES)
				continue;
			if (n->tensor.rank == ONNX_RANK_MAX)
				return -1;
			int i = n->tensor.rank++;
			if (read_dim(d.bytes, &n->tensor.dims[i], &n->dim_names[i]))
				return -1;
		}
	}
	return inner ? inner : got;
}

/* ValueInfoProto: finds its name and its TypeProto.Tensor, empty if it is none. */
static int read_value(struct paleo_onnx_span message, struct paleo_onnx_span *name,
		      struct paleo_onnx_span *tensor)
{
	struct paleo_onnx_field f, t;
	int got, inner = 0;

	while (!inner && (got = paleo_onnx_next(&message, &f)) == 1) {
		if (f.number == VALUE_NAME && f.wire == ONNX_BYTES)
			*name = f.bytes;
		if (f.number != VALUE_TYPE || f.wire != ONNX_BYTES)
			continue;
		struct paleo_onnx_span type = f.bytes;
		while ((inner = paleo_onnx_next(&type, &t)) == 1) {
			if (t.number == TYPE_TENSOR && t.wire == ONNX_BYTES)
				*tensor = t.bytes;
		}
	}
	return inner ? inner : got;
}

static int add_input(struct paleo_onnx_graph *g, struct paleo_onnx_span message, int is_output,
		     struct paleo_error *err)
{
	struct paleo_onnx_span name = {0}, tensor = {0};

	if (read_value(message, &name, &tensor))
		return broken(g, "an input or output", err);
	int value = name_of(g, name);
	if (value < -1)
		return no_memory(err);
	if (value < 0)
		return PALEO_OK;
	struct paleo_onnx_name *n = &g->names[value];
	if (g->branch) { /* branches have no inputs */
		struct paleo_onnx_branch *b = &g->branches[g->branch - 1];
		n->readers += is_output;
		return is_output ? add_value(g, name, &b->outputs, &b->output_count, err)
				 : PALEO_OK;
	}
	if (is_output) {
		n->is_output = 1;
		n->readers++;
		return PALEO_OK;
	}
	n->is_input = 1;
	if (g->first_input < 0)
		g->first_input = value;
	if (!n->is_initializer && read_tensor_type(tensor, n))
		return broken(g, "the type of an input", err);
	return PALEO_OK;
}

static int read_graph(struct paleo_onnx_graph *g, struct paleo_onnx_span message,
		      struct paleo_error *err)
{
	struct paleo_onnx_field f;
	int rc = PALEO_OK, got = 0;

	while (!rc && (got = paleo_onnx_next(&message, &f)) == 1) {
		if (f.wire != ONNX_BYTES)
			continue;
		if (f.number == GRAPH_NODE)
			rc = add_node(g, f.bytes, err);
		else if (f.number == GRAPH_INITIALIZER)
			rc = add_initializer(g, f.bytes, err);
		else if (f.number == GRAPH_INPUT || f.number == GRAPH_OUTPUT)
			rc = add_input(g, f.bytes, f.number == GRAPH_OUTPUT, err);
	}
	return rc ? rc : got < 0 ? broken(g, "the graph", err) : PALEO_OK;
}

static void read_opset(struct paleo_onnx_graph *g, struct paleo_onnx_span message)
{
	struct paleo_onnx_field f;
	int ours = 1;
	double version = 0;

	while (paleo_onnx_next(&message, &f) == 1) {
		if (f.number == OPSET_DOMAIN && f.wire == ONNX_BYTES)
			ours = f.bytes.at == f.bytes.end || paleo_onnx_span_is(f.bytes, "ai.onnx");
		if (f.number == OPSET_VERSION && f.wire == ONNX_VARINT)
			version = (double)f.value;
	}
	if (ours)
		g->opset = version;
}

static int read_model(struct paleo_onnx_graph *g, struct paleo_onnx_span message,
		      struct paleo_error *err)
{
	struct paleo_onnx_field f;
	int rc = PALEO_OK, got = 0;

	while (!rc && (got = paleo_onnx_next(&message, &f)) == 1) {
		if (f.number == MODEL_GRAPH && f.wire == ONNX_BYTES)
			rc = read_graph(g, f.bytes, err);
		else if (f.number == MODEL_OPSET && f.wire == ONNX_BYTES)
			read_opset(g, f.bytes);
	}
	if (!rc && got < 0)
		rc = broken(g, "the model", err);
	if (!rc && !g->node_count)
		rc = broken(g, "the list of nodes", err);
	return rc;
}

int paleo_onnx_graph_parse(const char *path, const void *bytes, size_t size,
			   struct paleo_onnx_graph **out, struct paleo_error *err)
{
	struct paleo_onnx_graph *g = calloc(1, sizeof(*g));

	if (!g)
		return no_memory(err);
	g->path = path;
	g->first_input = -1;
	const unsigned char *at = size ? bytes : (const unsigned char *)"";
	int rc = read_model(g, (struct paleo_onnx_span){at, at + size}, err);
	if (rc) {
		paleo_onnx_graph_free(g);
		return rc;
	}
	*out = g;
	return PALEO_OK;
}

int paleo_onnx_graph_load(const char *path, struct paleo_onnx_graph **out, struct paleo_error *err)
{
	struct paleo_map map = {0};
	int rc = paleo_map_open(path, "an ONNX file", &map, err);

	if (!rc)
		rc = paleo_onnx_graph_parse(path, map.bytes, map.size, out, err);
	if (rc)
		paleo_map_close(&map);
	else
		(*out)->map = map;
	return rc;
}

void paleo_onnx_graph_free(struct paleo_onnx_graph *graph)
{
	if (!graph)
		return;
	paleo_names_release(&graph->numbers);
	for (int i = 0; i < graph->node_count; i++)
		free_node(&graph->nodes[i]);
	for (int i = 0; i < graph->branch_count; i++)
		free(graph->branches[i].outputs);
	free(graph->nodes);
	free(graph->branches);
	free(graph->names);
	paleo_map_close(&graph->map);
	free(graph);
}
