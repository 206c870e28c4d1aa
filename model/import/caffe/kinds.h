/* kinds.h - a type of Caffe's layers that can be converted. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_IMPORT_CAFFE_KINDS_H
#define PALEO_MODEL_IMPORT_CAFFE_KINDS_H

#include "model/import/caffe/job.h"

/* Which bottoms of a layer are tensors of the net; the others are labels, and not looked at. */
enum paleo_caffe_reads {
	PALEO_CAFFE_READS_ALL,
	PALEO_CAFFE_READS_FIRST,
	PALEO_CAFFE_READS_NONE,
};

/* A constant; kinds.def lists them. */
struct paleo_caffe_kind {
	const char *type;          /* "Convolution" */
	const char *old;           /* "CONVOLUTION", its word in `layers`; or NULL */
	const char *param;         /* its message: "convolution_param"; or NULL */
	const char *const *fields; /* of that message, NULL-ended */
	const char *const *others; /* more fields of the layer; or NULL */
	enum paleo_caffe_reads reads;
	int min_bottoms, max_bottoms; /* as in the file, labels included */
	int min_tops, max_tops;
	int picture; /* 1: its first bottom must have height and width */
	int learns;  /* 1: it has weights that can be frozen */
	/* Writes it, and says which shape its tops have. */
	int (*convert)(struct paleo_caffe_job *job, struct paleo_caffe_layer *l,
		       struct paleo_error *err);
};

#define PALEO_CAFFE_KIND(name) extern const struct paleo_caffe_kind paleo_caffe_kind_##name;
#include "model/import/caffe/kinds.def"
#undef PALEO_CAFFE_KIND

enum {
	PALEO_CAFFE_MANY = 65536 /* bottoms or tops */
};

/* *out is the kind of layer { ... }. EINPUT for a type that is unknown or has no counterpart. */
int paleo_caffe_find_kind(const struct paleo_caffe_field *layer,
			  const struct paleo_caffe_kind **out, struct paleo_error *err);

#endif
