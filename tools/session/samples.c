/* samples.c - writes each sample of a run as a line, CSV or JSON. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/session/samples.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define HEADER "op,mode,rank,round,visit,sample,reps,seconds"

static const struct paleo_file_kind kinds[] = {
	{.what = "samples of JSON lines", .marks = {"{\"op\":", "\"visit\":", "\"sample\":"}},
	{.what = "samples as CSV", .marks = {HEADER}},
};

static int ends_in(const char *text, const char *end)
{
	size_t size = strlen(text), length = strlen(end);

	return size > length && !strcmp(text + size - length, end);
}

int samples_open(const char *path, int resume, int force, struct samples **out,
		 struct paleo_error *err)
{
	int is_csv = ends_in(path, ".csv");
	const struct paleo_append_wish wish = {
		.kind = &kinds[is_csv], .resume = resume, .force = force};

	if (!is_csv && !ends_in(path, ".jsonl"))
		return paleo_fail(
			err, PALEO_EINPUT,
			"--samples is '%.200s', expected a file name that ends in .csv or "
			".jsonl",
			path);
	struct samples *s = calloc(1, sizeof(*s));
	if (!s)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for the samples");
	s->is_csv = is_csv;
	s->round = 1;
	int rc = paleo_append_open(path, &wish, &s->file, err);
	if (!rc && is_csv && !paleo_append_resumes(s->file))
		rc = paleo_append_lines(s->file, HEADER "\n", sizeof(HEADER), err);
	if (rc) {
		samples_close(s);
		return rc;
	}
	*out = s;
	return PALEO_OK;
}

/* Neither keys nor modes have a character that CSV or JSON would quote. */
static void print_line(const struct samples *s, const struct paleo_record *r, const char *key,
		       int i, FILE *out)
{
	if (s->is_csv)
		paleo_print(out, "%s,%s,%d,%d,%d,%d,%d,%.12g\n", key, r->mode, r->rank, s->round,
			    s->visit, i + 1, r->timing.reps, s->times[i]);
	else
		paleo_print(out,
			    "{\"op\":\"%s\",\"mode\":\"%s\",\"rank\":%d,\"round\":%d,\"visit\":%d,"
			    "\"sample\":%d,\"reps\":%d,\"seconds\":%.12g}\n",
			    key, r->mode, r->rank, s->round, s->visit, i + 1, r->timing.reps,
			    s->times[i]);
}

int samples_add(struct samples *s, const struct paleo_record *record, struct paleo_error *err)
{
	char key[PALEO_OP_KEY_MAX], *text = NULL;
	size_t size = 0;
	FILE *lines = NULL;

	s->visit++;
	if (record->status != PALEO_RECORD_OK)
		return PALEO_OK;
	lines = open_memstream(&text, &size);
	if (!lines)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for the samples");
	paleo_op_key(&record->op, key, sizeof(key));
	for (int i = 0; i < record->timing.samples && i < PALEO_RAW_SAMPLES_MAX; i++)
		print_line(s, record, key, i, lines);
	int rc = fclose(lines) ? paleo_fail(err, PALEO_ENOMEM, "out of memory for the samples")
			       : paleo_append_lines(s->file, text, size, err);
	free(text);
	return rc;
}

void samples_close(struct samples *s)
{
	if (s)
		paleo_append_close(s->file);
	free(s);
}
