/* calibration_corrections.c - corrections in calibration.json: by trees, of whole passes. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/predict/calibration_file.h"

enum {
	WORD = 24, /* room for one with the blank before it */
	WORDS = 2 * PALEO_TREE_LEAVES
};

/* The text that is read, and the tree that it becomes. */
struct reader {
	const char *at;
	int features;
	struct paleo_tree *tree;
};

static int skip_blank(struct reader *r)
{
	if (*r->at != ' ')
		return 0;
	r->at++;
	return 1;
}

/* A leaf in the place of a node, below which none asks anything: all lead left. */
static void fill_leaf(struct paleo_tree *t, int node, int value)
{
	while (node < PALEO_TREE_LEAVES)
		node *= 2;
	t->leaf[node - PALEO_TREE_LEAVES] = (short)value;
}

/* A threshold, and its end; *end is `at` if there is none. Most have so few digits that both
 * numbers are exact, and the quotient is rounded once. */
static float read_limit(const char *at, const char **end)
{
	static const double powers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
	const char *c = at + (*at == '-');
	double digits = 0;
	int count = 0, behind = 0;

	for (int point = 0; (*c >= '0' && *c <= '9') || (*c == '.' && !point); c++) {
		if (*c == '.') {
			point = 1;
			continue;
		}
		digits = 10 * digits + (*c - '0');
		behind += point;
		count++;
	}
	if (!count || count > 9 || *c == 'e' || *c == 'E') {
		char *stop;
		float limit = strtof(at, &stop);
		*end = stop;
		return limit;
	}
	*end = c;
	digits /= powers[behind];
	return (float)(*at == '-' ? -digits : digits);
}

/* A whole number, and its end; *end is `at` if there is none, or one of more than nine digits. */
static int read_whole(const char *at, const char **end)
{
	const char *first = at + (*at == '-'), *c = first;
	int number = 0;

	while (*c >= '0' && *c <= '9' && c < first + 9)
		number = 10 * number + (*c++ - '0');
	*end = c == first || (*c >= '0' && *c <= '9') ? at : c;
	return *at == '-' ? -number : number;
}

/* "3<5.125 -12 40": the node's feature and threshold, then the subtree at or below it, then the one
 * above; or a leaf's value alone. 0 if it is neither. */
static int read_node(struct reader *r, int node)
{
	const char *end;
	const int number = read_whole(r->at, &end);

	if (end == r->at)
		return 0;
	r->at = end;
	if (*end != '<') {
		fill_leaf(r->tree, node, number);
		return number >= -PALEO_TREE_LEAF_MAX && number <= PALEO_TREE_LEAF_MAX;
	}
	if (node >= PALEO_TREE_LEAVES || number < 0 || number >= r->features)
		return 0;
	r->tree->nodes[node].feature = number;
	r->tree->nodes[node].limit = read_limit(end + 1, &r->at);
	if (r->at == end + 1 || !isfinite(r->tree->nodes[node].limit))
		return 0;
	/* depth ends at PALEO_TREE_DEPTH */
	return skip_blank(r) && read_node(r, 2 * node) && skip_blank(r) &&
	       read_node(r, 2 * node + 1);
}

static int read_tree(const struct paleo_json *v, int features, struct paleo_tree *out,
		     struct paleo_error *err)
{
	struct reader r = {.features = features, .tree = out};

	PALEO_TRY(paleo_json_to_string(v, &r.at, err));
	*out = (struct paleo_tree){.leaf = {0}};
	for (int i = 0; i < PALEO_TREE_LEAVES; i++)
		out->nodes[i].limit = INFINITY;
	if (!read_node(&r, 1) || *r.at)
		return paleo_json_fail(v, err,
				       "expected a tree such as \"3<5.125 -12 40\": features below "
				       "%d, leaves within %d, at most %d limits deep",
				       features, PALEO_TREE_LEAF_MAX, PALEO_TREE_DEPTH);
	return PALEO_OK;
}

int paleo_trees_read(const struct paleo_json *object, const char *key, struct paleo_trees *out,
		     struct paleo_error *err)
{
	static const char *const keys[] = {"features", "trees", NULL};
	const struct paleo_json *from = paleo_json_get(object, key);
	const struct paleo_json *v = NULL, *array = NULL;
	struct paleo_trees t = {0};

	*out = t;
	if (paleo_json_get(object, "residuals"))
		return paleo_json_fail(paleo_json_get(object, "residuals"), err,
				       "corrections of an earlier version: calibrate again");
	if (!from)
		return PALEO_OK;
	int rc = paleo_json_only(from, keys, err);
	if (!rc)
		rc = paleo_json_need(from, "features", &v, err);
	if (!rc)
		rc = paleo_json_to_int(v, 1, PALEO_FEATURES_MAX, &t.features, err);
	if (!rc)
		rc = paleo_json_need(from, "trees", &array, err);
	if (rc)
		return rc;
	if (paleo_json_type(array) != PALEO_JSON_ARRAY || paleo_json_size(array) > PALEO_TREES_MAX)
		return paleo_json_fail(array, err, "expected an array of %d trees at most",
				       PALEO_TREES_MAX);
	t.trees = calloc((size_t)paleo_json_size(array) + 1, sizeof(*t.trees));
	if (!t.trees)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	for (v = paleo_json_first(array); !rc && v; v = paleo_json_next(v))
		rc = read_tree(v, t.features, &t.trees[t.count++], err);
	if (rc)
		paleo_trees_release(&t);
	else
		*out = t;
	return rc;
}

int paleo_class_model_has_spread(const struct paleo_class_model *f)
{
	return f->unread ? paleo_json_get(f->unread, "spread") != NULL : f->spread.count > 0;
}

int paleo_trees_take(const struct paleo_class_model *f, const char *key, struct paleo_trees *out,
		     struct paleo_error *err)
{
	const struct paleo_trees *from = strcmp(key, "spread") ? &f->correction : &f->spread;
	size_t bytes = (size_t)from->count * sizeof(*from->trees);

	if (f->unread)
		return paleo_trees_read(f->unread, key, out, err);
	*out = (struct paleo_trees){from->count ? malloc(bytes) : NULL, from->count,
				    from->features};
	if (out->trees)
		memcpy(out->trees, from->trees, bytes);
	else if (from->count)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	return PALEO_OK;
}

static void write_node(const struct paleo_tree *t, int node, char *text)
{
	while (node < PALEO_TREE_LEAVES && isinf(t->nodes[node].limit))
		node *= 2;
	char *end = text + strlen(text);
	if (node >= PALEO_TREE_LEAVES) {
		snprintf(end, WORD, "%s%d", *text ? " " : "", t->leaf[node - PALEO_TREE_LEAVES]);
		return;
	}
	snprintf(end, WORD, "%s%d<%.5g", *text ? " " : "", t->nodes[node].feature,
		 (double)t->nodes[node].limit);
	write_node(t, 2 * node, text);
	write_node(t, 2 * node + 1, text);
}

void paleo_trees_write(const struct paleo_trees *t, const char *key, struct paleo_json_writer *w)
{
	paleo_json_open_object(w, key);
	paleo_json_put_int(w, "features", t->features);
	paleo_json_open_array(w, "trees");
	for (int i = 0; i < t->count; i++) {
		char text[WORDS * WORD] = "";
		write_node(&t->trees[i], 1, text);
		paleo_json_put_string(w, NULL, text);
	}
	paleo_json_close(w);
	paleo_json_close(w);
}

static const struct paleo_json_field pass_fields[] = {
	{"factor", PALEO_FIELD_NUMBER, offsetof(struct paleo_pass_correction, factor), .low = 0.01,
	 .high = 100},
	{"spread", PALEO_FIELD_NUMBER, offsetof(struct paleo_pass_correction, spread), .high = 100,
	 .nullable = 1},
	{"nets", PALEO_FIELD_INT, offsetof(struct paleo_pass_correction, nets), .low = 1,
	 .high = 1000000},
	{"update_factor", PALEO_FIELD_NUMBER, offsetof(struct paleo_pass_correction, update_factor),
	 .low = 0.01, .high = 100, .optional = 1},
	{"fused", PALEO_FIELD_INT, offsetof(struct paleo_pass_correction, fused), .high = 1,
	 .optional = 1},
	{0},
};

void paleo_passes_write(const struct paleo_calibration *c, struct paleo_json_writer *w)
{
	if (!c->pass_count)
		return;
	paleo_json_open_array(w, "passes");
	for (int i = 0; i < c->pass_count; i++) {
		const struct paleo_pass_correction *p = &c->passes[i];
		paleo_json_open_object(w, NULL);
		paleo_json_put_string(w, "extent", paleo_extent_name(p->extent));
		paleo_json_put_string(w, "dtype", paleo_dtype_name(p->dtype));
		if (p->layout)
			paleo_json_put_string(w, "layout", paleo_layout_name(p->layout));
		paleo_json_fields_write(w, pass_fields, p);
		paleo_json_close(w);
	}
	paleo_json_close(w);
}

/* Without the key it is the usual one. */
static int read_layout(const struct paleo_json *object, struct paleo_pass_correction *p,
		       struct paleo_error *err)
{
	const struct paleo_json *v = paleo_json_get(object, "layout");
	const char *word = NULL;

	int rc = v ? paleo_json_to_string(v, &word, err) : PALEO_OK;
	if (!rc && v && strcmp(word, paleo_layout_name(PALEO_NHWC)) != 0)
		rc = paleo_json_fail(v, err, "unknown layout '%s', expected '%s' or no key", word,
				     paleo_layout_name(PALEO_NHWC));
	if (!rc && v)
		p->layout = PALEO_NHWC;
	return rc;
}

static int read_one(const struct paleo_json *v, struct paleo_pass_correction *p,
		    struct paleo_error *err)
{
	static const char *const others[] = {"extent", "dtype", "layout", NULL};
	const struct paleo_json *place = NULL;
	const char *word = NULL;

	PALEO_TRY(paleo_json_fields_read(v, pass_fields, others, p, err));
	PALEO_TRY(paleo_json_need(v, "extent", &place, err));
	PALEO_TRY(paleo_json_to_string(place, &word, err));
	PALEO_TRY(paleo_calibration_place(place, paleo_extent_parse(word, &p->extent, err), err));
	PALEO_TRY(paleo_json_need(v, "dtype", &place, err));
	PALEO_TRY(paleo_json_to_string(place, &word, err));
	PALEO_TRY(paleo_calibration_place(place, paleo_dtype_parse(word, &p->dtype, err), err));
	return read_layout(v, p, err);
}

int paleo_passes_read(const struct paleo_json *root, struct paleo_calibration *c,
		      struct paleo_error *err)
{
	const struct paleo_json *array = paleo_json_get(root, "passes");

	if (!array)
		return PALEO_OK;
	if (paleo_json_type(array) != PALEO_JSON_ARRAY ||
	    paleo_json_size(array) > PALEO_PASS_CORRECTIONS_MAX)
		return paleo_json_fail(array, err, "expected an array of at most %d corrections",
				       PALEO_PASS_CORRECTIONS_MAX);
	for (const struct paleo_json *v = paleo_json_first(array); v; v = paleo_json_next(v)) {
		struct paleo_pass_correction p = {.nets = 0};
		PALEO_TRY(read_one(v, &p, err));
		if (paleo_calibration_pass(c, &p))
			return paleo_json_fail(v, err, "a second correction of '%s' in %s",
					       paleo_extent_name(p.extent),
					       paleo_dtype_name(p.dtype));
		c->passes[c->pass_count++] = p;
	}
	return PALEO_OK;
}
