/* net_build.h - a net while it is loaded: names, scopes, layers with their JSON. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_NET_NET_BUILD_H
#define PALEO_MODEL_NET_NET_BUILD_H

/* Running out of memory is reported by us; the library would end the program. */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "base/json.h"
#include "model/net/layer.h"

/* Scope in which a layer's parents are named: the file's top level, a Block, or a ModelParallel. */
struct paleo_scope {
	struct paleo_scope *up;        /* enclosing scope; NULL at the top level */
	struct paleo_scope *next;      /* of all, the last one made first */
	const struct paleo_json *json; /* the block; NULL at the top level */
	int splits;                    /* of a ModelParallel; 0 for others */
	size_t prefix_size;
	char prefix[]; /* "" or the block's full name and '/' */
};

/* Target of a full name. Names of split layers are without their "@0". */
struct paleo_name {
	struct paleo_scope *block; /* the block of this name; NULL for a layer */
	int index;                 /* a layer: its draft, or that of its split 0 */
	int stride;                /* drafts from one split to the next */
	int splits;                /* 0: not a split layer */
	UT_hash_handle hh;
	char text[];
};

/* One layer of the net that will be. */
struct paleo_draft {
	struct paleo_layer *layer;
	const struct paleo_json *json;
	struct paleo_scope *scope;
	int *parents; /* drafts; owned */
};

struct paleo_build {
	struct paleo_draft *drafts; /* in the order of the file, blocks expanded in place */
	int count, capacity;
	struct paleo_name *names;   /* by full name, in the same order */
	struct paleo_scope *scopes; /* all; the top level is the last */
	double edges;               /* from parents to children */
};

/* Frees all of it; layers that were taken over by a net must be NULL in their drafts. */
void paleo_build_release(struct paleo_build *b);
void paleo_layer_free(struct paleo_layer *l); /* NULL allowed */

/* net_blocks.c: fills drafts, names and scopes from the "layers" of the file's object. */
int paleo_build_expand(struct paleo_build *b, const struct paleo_json *root,
		       struct paleo_error *err);

/* net_parents.c: finds every draft's parents. Checks endpoints, too. */
int paleo_build_connect(struct paleo_build *b, struct paleo_error *err);

/* net_order.c: writes the drafts' indices in topological order, the file's order where that is
 * one, to `order` (b->count of them). EINPUT names the layers of a cycle. */
int paleo_build_order(const struct paleo_build *b, int *order, struct paleo_error *err);

#endif
