/* records.h - opens a results file for writing, anew or to go on with it. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_RECORDS_H
#define PALEO_TOOLS_RECORDS_H

#include <stdio.h>

#include "model/record.h"
#include "tools/find.h"
#include "tools/session.h"

struct records {
	char path[FIND_PATH_MAX];
	FILE *file;
	struct paleo_results old; /* what the file held, when resuming */
};

/*
 * Opens `path`, making its folders. Anew: truncates it and writes the meta line.
 * Resuming: reads it, refuses one of another device or other library versions,
 * cuts a broken last line, appends. Close with records_close().
 */
int records_open(const char *path, int resume, const struct session *s, struct records *out,
		 struct paleo_error *err);
/* What a results file says of this session's device, in its first line. */
void records_meta(const struct session *s, struct paleo_record_meta *m);

void records_close(struct records *r);

#endif
