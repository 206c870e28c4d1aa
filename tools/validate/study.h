/* study.h - `validate` on published tables: of ops, of whole networks; and on presets. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_VALIDATE_STUDY_H
#define PALEO_TOOLS_VALIDATE_STUDY_H

#include "base/table.h"
#include "model/net/net.h"

/* Settings of a study. */
struct study_settings {
	const char *device;  /* that was measured; NULL: what the tables call it */
	const char *devices; /* a file of more devices, or NULL */
	int dtype;           /* PALEO_DTYPES: every type */
	int groups;          /* enum paleo_study_groups */
	int rows;            /* to fit to at most; 0: predict by other GPUs' presets */
	int draws, operand_sets;
	enum paleo_table_format format;
	int quiet; /* 1: no line of progress */
};

/* Cross-validates the cost models of each kind of op on each table and prints their errors. A table
 * that cannot be studied is reported on stderr and does not hide the others' rows. Returns the exit
 * code. */
int study_tables(const struct study_settings *s, const char *const *tables, int count);

struct study_nets_settings {
	const char *nets;    /* the folder of the nets' files: MODEL-IMAGE.json, MODEL.json */
	const char *device;  /* that was measured; NULL: what the tables call it */
	const char *devices; /* a file of more devices, or NULL */
	int dtype;           /* PALEO_DTYPES: every type */
	int optimizer;       /* enum paleo_update_rule, of training */
	enum paleo_table_format format;
	int quiet; /* 1: no line of progress */
};

/* Prints on stdout errors by framework, phase, layout, device, and by net; as data, every row.
 * EINPUT, EIO, EUNSUPPORTED, ENOMEM. */
int study_nets(const struct study_nets_settings *s, const char *const *tables, int count,
	       struct paleo_error *err);

/* Prints on stdout the spread of each kind of ops and nearness of knowledge, over the shipped
 * presets. EIO, EINPUT, ENOMEM. */
int study_presets(enum paleo_table_format format, struct paleo_error *err);

/* One time of a net. */
struct net_measured {
	char model[64], device[64]; /* as the table calls them */
	enum paleo_framework framework;
	enum paleo_layout layout;
	enum paleo_dtype dtype;
	int training;
	int separate_attention; /* 1: the release had no kernel for it */
	int batch, image;       /* image 0: not given */
	double step_s;
};

struct nets_measured {
	struct net_measured *items; /* owned: free() */
	int count, room;
};

/* Adds the rows of a table, with the columns of docs/reference/tables.md, to *out. EINPUT with the
 * line and the column; EIO; ENOMEM. */
int nets_measured_read(const char *path, struct nets_measured *out, struct paleo_error *err);

#endif
