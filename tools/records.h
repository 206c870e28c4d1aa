/* records.h - opens a results file for writing, anew or to go on with it. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_RECORDS_H
#define PALEO_TOOLS_RECORDS_H

#include <stdio.h>

#include "model/fullpass.h"
#include "model/record.h"
#include "tools/find.h"
#include "tools/session.h"

struct records {
	char path[FIND_PATH_MAX];
	FILE *file;
	int lock;                 /* a descriptor that holds the file's lock; below 3: none */
	struct paleo_results old; /* what the file held, when resuming */
};

/*
 * Opens `path`, making its folders. Anew: replaces earlier records and writes the
 * meta line; what is no results file is not replaced. Resuming: reads it, refuses
 * one of another device or other library versions, cuts a broken last line,
 * appends. Two runs never write to one file: the second is refused. EINPUT, EIO.
 * Close with records_close().
 */
int records_open(const char *path, int resume, const struct session *s, struct records *out,
		 struct paleo_error *err);

/* What a results file says of this session's device, in its first line. */
void records_meta(const struct session *s, struct paleo_record_meta *m);

/* Each writes one line and flushes it. EIO with the file's name. */
int records_add(const struct records *r, const struct paleo_record *record,
		struct paleo_error *err);
int records_add_net(const struct records *r, const struct paleo_net_rows *net,
		    struct paleo_error *err);
int records_add_ceiling(const struct records *r, const struct paleo_ceiling *c,
			struct paleo_error *err);
int records_add_pass(const struct records *r, const struct paleo_fullpass *pass,
		     struct paleo_error *err);
int records_end(const struct records *r, struct paleo_error *err);

/* 1 for what --retry-failed measures again: there is no time, and no word of the library that there
 * can be none. */
int records_failed(enum paleo_record_status status);

void records_close(struct records *r);

#endif
