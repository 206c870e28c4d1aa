/* records.h - opens a results file for writing, anew or to go on with it. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_SESSION_RECORDS_H
#define PALEO_TOOLS_SESSION_RECORDS_H

#include <stdio.h>

#include "base/append.h"
#include "base/error.h"
#include "base/grow.h"
#include "library/find.h"
#include "model/record/graph_record.h"
#include "model/record/record.h"
#include "tools/session/session.h"

/* Makes every folder on the way to a file. EIO. */
int make_folders(const char *path, struct paleo_error *err);

struct records {
	char path[PALEO_PATH_MAX];
	struct paleo_append *file;     /* NULL: not open */
	FILE *lines;                   /* in memory: what is about to be added */
	struct paleo_collected text;   /* of `lines` */
	const struct session *session; /* borrowed: its times go into the "end" line */
	double write_s;                /* that writing took */
	int is_changed;                /* 1: this run has added something */
	FILE *copy;                    /* in memory: what this run has added; NULL: not wanted */
	struct paleo_collected copied; /* of `copy` */
	struct paleo_results old;      /* what the file held, when resuming */
};

enum records_place {
	RECORDS_FILE,
	RECORDS_BOTH,  /* what is added is kept in memory, too, behind a meta line */
	RECORDS_MEMORY /* there alone; the file, if there is one, is only read, to resume */
};

/* Options for opening a results file. */
struct records_wish {
	enum records_place place;
	int resume;  /* go on with what it holds */
	int force;   /* replace whatever it holds */
	FILE *notes; /* where it is reported what became of an earlier file; NULL: nowhere */
};

/*
 * Opens `path`, making its folders. Anew: writes the meta line; earlier records are kept
 * next to it under a name that is reported, unless it is forced; what is no results file is
 * not replaced, unless it is forced. Resuming: reads it, refuses one of another device,
 * other library versions or another regime, says and cuts a broken last line, appends. Two runs
 * never write to one file: the second is refused. EINPUT, EIO. Close with records_close().
 */
int records_open(const char *path, const struct records_wish *wish, const struct session *s,
		 struct records *out, struct paleo_error *err);

/* The first line of a results file, of this session's device. */
void records_meta(const struct session *s, struct paleo_record_meta *m);

/* Each adds one line. EIO with the file's name. */
int records_add(struct records *r, const struct paleo_record *record, struct paleo_error *err);
int records_add_net(struct records *r, const struct paleo_net_rows *net, struct paleo_error *err);
int records_add_ceiling(struct records *r, const struct paleo_ceiling *c, struct paleo_error *err);
int records_add_condition(struct records *r, const struct paleo_condition *c,
			  struct paleo_error *err);
int records_add_pass(struct records *r, const struct paleo_graph_record *pass,
		     struct paleo_error *err);

/* Ends what this run has to add: with an "end" line if the run came to its end (`is_whole`) and the
 * file does not end in one already; and has it all on the disk. EIO. */
int records_finish(struct records *r, int is_whole, struct paleo_error *err);

void records_close(struct records *r);

/* Writes a file of lines that are there already, by the rules of records_open(). EINPUT, EIO. */
int records_write(const char *path, const struct records_wish *wish, const char *text, size_t size,
		  struct paleo_error *err);

#endif
