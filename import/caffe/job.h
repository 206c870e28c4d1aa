/* job.h - a conversion in progress: Caffe's layers and blobs, and the net that is written. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_IMPORT_CAFFE_JOB_H
#define PALEO_IMPORT_CAFFE_JOB_H

#include "base/json.h"
#include "import/caffe/caffe.h"
#include "import/names.h"

/*
 * Only for the files in this folder.
 *
 * Only the first error of a file is reported: it is kept in the job, whose rc is not 0 then. From
 * there on nothing is read or reported any more, and output is discarded.
 */

enum {
	PALEO_CAFFE_DIM_MAX = 1 << 24, /* of the net format */
	PALEO_CAFFE_PAD_MAX = 65536,   /* of our ops */
	PALEO_CAFFE_AXES = 4,          /* of a net's tensor */
	PALEO_CAFFE_MANY = 65536,      /* bottoms or tops */
	PALEO_CAFFE_INPUTS_MAX = 256   /* that one layer gives */
};

/* A blob at one point in the file: an in-place layer makes a new one of the same name. */
struct paleo_caffe_blob {
	const char *name;
	int readers;        /* how often it is read; labels do not count */
	int reader;         /* a layer that reads it */
	const char *source; /* the layer of ours that gives it */
	struct paleo_shape
		shape; /* of rank 0 if it is nothing that a net can hold: labels, a loss */
};

struct paleo_caffe_layer {
	const struct paleo_caffe_field *field; /* layer { ... } */
	const struct paleo_caffe_field *param; /* its kind's message, or NULL */
	const struct paleo_caffe_kind *kind;
	const char *name; /* as in the file; the type if it has none */
	int *bottoms;     /* numbers of the blobs that are read, without labels */
	int *tops;        /* numbers of blobs */
	int bottom_count, top_count;
	int folded; /* 1: a Scale that is part of the BatchNorm before it */
};

struct paleo_caffe_job {
	const struct paleo_caffe_field *root;
	const struct paleo_caffe_options *options;
	struct paleo_error *err;
	int rc;       /* 0, EINPUT or ENOMEM */
	int deployed; /* 1: it has no loss, so rates of training do not count */
	struct paleo_caffe_layer *layers;
	int layer_count;
	struct paleo_caffe_blob *blobs;
	int blob_count, blob_capacity;
	struct paleo_names blob_names;      /* the newest blob of each name */
	struct paleo_names layer_names;     /* layer names, and how often each was used */
	struct paleo_names param_names;     /* of weights that could be shared */
	struct paleo_names input_names;     /* of the inputs that were written */
	int batch;                          /* of these; 0: there are none yet */
	struct paleo_caffe_string *strings; /* owned */
	struct paleo_json_writer *writer;
	const char *source; /* name of the layer of ours that was begun last, owned by the job */
};

/* A type of Caffe's layers; kinds.def lists them. */
struct paleo_caffe_kind {
	const char *type;             /* "Convolution" */
	const char *old;              /* "CONVOLUTION", its word in `layers`; or NULL */
	const char *param;            /* its message: "convolution_param"; or NULL */
	const char *const *fields;    /* of that message, NULL-ended */
	const char *other;            /* one more field of the layer; or NULL */
	int min_bottoms, max_bottoms; /* as in the file, labels included */
	int min_tops, max_tops;
	int flags;
	/* Writes the layer and sets the shapes of its tops. */
	void (*convert)(struct paleo_caffe_job *job, struct paleo_caffe_layer *l);
	const char *ours,
		*fn; /* of a plain one, the layer that it becomes; its activation or NULL */
};

enum {                               /* flags of a kind */
	PALEO_CAFFE_PICTURE = 1,     /* its first bottom must have height and width */
	PALEO_CAFFE_LEARNS = 2,      /* it has weights that can be frozen */
	PALEO_CAFFE_READS_FIRST = 4, /* of the bottoms only this is a tensor; the rest are labels */
	PALEO_CAFFE_READS_NONE = 8
};

#define KIND(function, ...)                                                                        \
	void paleo_caffe_convert_##function(struct paleo_caffe_job *job,                           \
					    struct paleo_caffe_layer *l);
#define PLAIN(...)
#include "import/caffe/kinds.def"
#undef KIND
#undef PLAIN
/* A layer that keeps the shape, whatever its fields. */
void paleo_caffe_convert_plain(struct paleo_caffe_job *job, struct paleo_caffe_layer *l);

/* EINPUT at the field, unless something was wrong before. */
#define paleo_caffe_refuse(job, f, ...)                                                            \
	((job)->rc ? (job)->rc : ((job)->rc = paleo_caffe_fail((f), (job)->err, __VA_ARGS__)))
int paleo_caffe_no_memory(struct paleo_caffe_job *job);

/* graph.c: fills layers and blobs from the file. */
void paleo_caffe_read_graph(struct paleo_caffe_job *job);

/* input.c: writes the inputs that the net itself names. */
void paleo_caffe_write_inputs(struct paleo_caffe_job *job);
/* input.c: EINPUT if an input in the options was not written. */
void paleo_caffe_check_inputs(struct paleo_caffe_job *job);

/* caffe.c: values. */

/* The only field `name` of a message, which may be NULL; NULL if it has none. */
const struct paleo_caffe_field *paleo_caffe_field(struct paleo_caffe_job *job,
						  const struct paleo_caffe_field *message,
						  const char *name);
/* A field that is a message with these fields (NULL-ended; NULL: any). */
void paleo_caffe_check_message(struct paleo_caffe_job *job, const struct paleo_caffe_field *f,
			       const char *const *names);
/* The text of a string; "" of another type. */
const char *paleo_caffe_string(struct paleo_caffe_job *job, const struct paleo_caffe_field *f);
/* The field `name` of `message`, which may be NULL. *out stays as it is where the field is missing;
 * EINPUT if it is there twice, of another type, or out of its range. */
void paleo_caffe_get_int(struct paleo_caffe_job *job, const struct paleo_caffe_field *message,
			 const char *name, int low, int high, int *out);
void paleo_caffe_get_double(struct paleo_caffe_job *job, const struct paleo_caffe_field *message,
			    const char *name, double low, double high, double *out);
void paleo_caffe_get_bool(struct paleo_caffe_job *job, const struct paleo_caffe_field *message,
			  const char *name, int *out);
void paleo_caffe_get_enum(struct paleo_caffe_job *job, const struct paleo_caffe_field *message,
			  const char *name, const char *const *words, int *out);
/* An axis of the layer's first bottom, of this rank, counted from the end if it is negative. */
void paleo_caffe_get_axis(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l,
			  const char *name, int rank, int *out);
/* The layer's axis, which must be 1; `why` is the net's counterpart. */
void paleo_caffe_need_channels(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l,
			       const char *why);
/* The layer's num_output, which must be there. */
int paleo_caffe_need_outputs(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l);
/* The size as an integer; EINPUT at the layer unless 1 <= size <= PALEO_CAFFE_DIM_MAX; `what` names
 * it. */
int paleo_caffe_dim(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l, double size,
		    const char *what);
/* The shape of the layer's bottom `i`. */
const struct paleo_shape *paleo_caffe_in(const struct paleo_caffe_job *job,
					 const struct paleo_caffe_layer *l, int i);
/* "4x3x8x8", in Caffe's order n, c, h, w; 48 bytes hold every shape. */
void paleo_caffe_shape_text(const struct paleo_shape *s, char *buf, size_t size);

/* caffe.c: layers of ours. */

/*
 * Begins a layer of ours of this type, named after `name`, with these parents: 1, or 0 if something
 * is wrong. Its other keys follow, then paleo_caffe_end(). Its name is `name` without '@' and
 * control characters, and with a number behind it if there is one of that name.
 */
int paleo_caffe_begin(struct paleo_caffe_job *job, const char *name, const char *type,
		      const char *const *parents, int count);
/* The same for layer `l`, with its name and its bottoms. EINPUT if one is repeated. */
int paleo_caffe_begin_layer(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l,
			    const char *type);
void paleo_caffe_end(struct paleo_caffe_job *job);
/* Ends the layer, and sets its output number `top` of layer `l`, with this shape. */
void paleo_caffe_end_layer(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l, int top,
			   const struct paleo_shape *shape);
/* A whole layer whose output is shaped as its input, with one word as its key; NULL: without. */
void paleo_caffe_write_plain(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l,
			     const char *type, const char *key, const char *word);
/* A whole layer with this shape as its "output_shape". */
void paleo_caffe_write_shaped(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l,
			      const char *type, const struct paleo_shape *out);
/* The size of a blob's axis, in Caffe's order. */
int *paleo_caffe_size(struct paleo_shape *s, int axis);
/* "dim": that axis of a shape, as a net counts it. */
void paleo_caffe_put_dim(struct paleo_caffe_job *job, const struct paleo_shape *s, int axis);
/* "key": [a, b, ...] */
void paleo_caffe_put_ints(struct paleo_caffe_job *job, const char *key, const int *values,
			  int count);
/* Blob `to` is the same as blob `from`. */
void paleo_caffe_alias(struct paleo_caffe_job *job, int from, int to);
/* EINPUT at the layer if two of its bottoms are the same output of one layer. */
void paleo_caffe_check_parents(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l);

#endif
