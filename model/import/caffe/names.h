/* names.h - a table from names to numbers. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_IMPORT_CAFFE_NAMES_H
#define PALEO_MODEL_IMPORT_CAFFE_NAMES_H

/* A zero struct is an empty table. Names are borrowed. */
struct paleo_caffe_names {
	struct paleo_caffe_name *slots;
	unsigned capacity; /* a power of 2, or 0 */
	unsigned count;
};

/* The name's number, or -1. */
int paleo_caffe_names_get(const struct paleo_caffe_names *names, const char *name);

/* Gives the name a number >= 0, in place of the one it had. Returns 0, or -1: out of memory. */
int paleo_caffe_names_put(struct paleo_caffe_names *names, const char *name, int number);

void paleo_caffe_names_release(struct paleo_caffe_names *names);

#endif
