/* records.c - opens a results file for writing, anew or to go on with it. */
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "tools/session/records.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "bench/clock.h"
#include "paleo_config.h"
#include "tools/session/runner.h"

static int is_folder(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

int make_folders(const char *path, struct paleo_error *err)
{
	char part[PATH_MAX];
	size_t size = strlen(path);

	if (size >= sizeof(part))
		return paleo_fail(err, PALEO_EINPUT, "the path '%.60s...' is too long", path);
	memcpy(part, path, size + 1);
	for (char *p = part + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		int why = mkdir(part, 0777) ? errno : 0;
		if (why && !is_folder(part))
			return paleo_fail(err, PALEO_EIO, "%s: cannot make this folder: %s", part,
					  strerror(why));
		*p = '/';
	}
	return PALEO_OK;
}

void records_meta(const struct session *s, struct paleo_record_meta *m)
{
	struct utsname u;
	time_t now = time(NULL);
	struct tm utc;

	*m = (struct paleo_record_meta){.threads = s->info.threads, .device = s->info.device};
	snprintf(m->backend, sizeof(m->backend), "%s", s->backend->name);
	snprintf(m->versions, sizeof(m->versions), "%s", s->info.versions);
	memcpy(m->processor, s->info.processor, sizeof(m->processor));
	memcpy(m->boot, s->info.boot, sizeof(m->boot));
	if (!uname(&u))
		snprintf(m->host, sizeof(m->host), "%.30s %.60s %.30s", u.sysname, u.release,
			 u.machine);
	if (gmtime_r(&now, &utc))
		strftime(m->start_utc, sizeof(m->start_utc), "%Y-%m-%dT%H:%M:%SZ", &utc);
	snprintf(m->tool, sizeof(m->tool), "paleo %s (%s)", PALEO_VERSION, PALEO_REVISION);
}

static int check_same(const struct paleo_results *old, const struct session *s,
		      struct paleo_error *err)
{
	const struct paleo_record_meta *m = &old->meta;
	const char *held = paleo_results_regime(old);
	const char *wanted = paleo_regime_name(paleo_measure_regime(&s->policy));

	if (strcmp(m->backend, s->backend->name) != 0 ||
	    strcmp(m->device.name, s->info.device.name) != 0 ||
	    strcmp(m->versions, s->info.versions) != 0 || m->threads != s->info.threads)
		return paleo_fail(err, PALEO_EINPUT,
				  "holds records of %s %s (%s, %d threads), not of this device; "
				  "choose another file",
				  m->backend, m->device.name, m->versions, m->threads);
	if (held[0] && strcmp(held, wanted) != 0)
		return paleo_fail(err, PALEO_EINPUT,
				  "holds %s times, and %s ones are asked for; choose another file",
				  held, wanted);
	return PALEO_OK;
}

static const struct paleo_file_kind kind = {
	/* paleo-records/4, and paleo-results/ of before */
	.what = "records of paleo",
	.marks = {"{\"type\":\"meta\",\"schema\":\"paleo-re"}};

/* Adds the line that was written to memory; `rc` is what came of that. */
static int add_line(struct records *r, int rc, struct paleo_error *err)
{
	double start_s = paleo_now_s();

	if (rc)
		paleo_error_prefix(err, "%s", r->path);
	else if (r->file)
		rc = paleo_append_lines(r->file, r->text.text, r->text.size, err);
	if (!rc && r->copy &&
	    (fwrite(r->text.text, 1, r->text.size, r->copy) != r->text.size || fflush(r->copy)))
		rc = paleo_fail(err, PALEO_ENOMEM, "out of memory for a copy of records");
	r->text.size = 0;
	r->is_changed = 1;
	r->write_s += paleo_now_s() - start_s;
	return rc;
}

static int add_meta(struct records *r, const struct session *s, struct paleo_error *err)
{
	struct paleo_record_meta meta;

	records_meta(s, &meta);
	return add_line(r, paleo_record_meta_write(&meta, r->lines, err), err);
}

/* What is added is kept in memory, behind a meta line. */
static int open_copy(struct records *r, const struct session *s, struct paleo_error *err)
{
	struct paleo_record_meta meta;

	r->copy = paleo_collect(&r->copied);
	if (!r->copy)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for a copy of records");
	records_meta(s, &meta);
	return paleo_record_meta_write(&meta, r->copy, err);
}

static int open_old(struct records *r, const struct session *s, FILE *notes,
		    struct paleo_error *err)
{
	PALEO_TRY(paleo_results_load(r->path, &r->old, err));
	int rc = check_same(&r->old, s, err);
	if (rc)
		paleo_error_prefix(err, "%s", r->path);
	else if (notes && paleo_append_was_cut(r->file))
		paleo_print(notes, "%s: ignored the truncated last line\n", r->path);
	return rc;
}

static int open_new(struct records *r, const struct session *s, FILE *notes,
		    struct paleo_error *err)
{
	int rc = add_meta(r, s, err);

	if (!rc && notes && paleo_append_kept(r->file))
		paleo_print(notes, "earlier records: %s, until you remove them\n",
			    paleo_append_kept(r->file));
	return rc;
}

static int open_file(struct records *r, const struct records_wish *wish, const struct session *s,
		     struct paleo_error *err)
{
	const struct paleo_append_wish how = {
		.kind = &kind, .resume = wish->resume, .force = wish->force};
	int rc = make_folders(r->path, err);

	if (!rc)
		rc = paleo_append_open(r->path, &how, &r->file, err);
	if (rc)
		return rc;
	return paleo_append_resumes(r->file) ? open_old(r, s, wish->notes, err)
					     : open_new(r, s, wish->notes, err);
}

int records_open(const char *path, const struct records_wish *wish, const struct session *s,
		 struct records *out, struct paleo_error *err)
{
	*out = (struct records){.session = s, .lines = NULL};
	if (strlen(path) >= sizeof(out->path))
		return paleo_fail(err, PALEO_EINPUT, "the records' path has %zu characters",
				  strlen(path));
	memcpy(out->path, path, strlen(path) + 1);
	out->lines = paleo_collect(&out->text);
	int rc = out->lines ? PALEO_OK : paleo_fail(err, PALEO_ENOMEM, "%s: out of memory", path);
	if (!rc && wish->place != RECORDS_MEMORY)
		rc = open_file(out, wish, s, err);
	else if (!rc && wish->resume && !access(path, R_OK))
		rc = paleo_results_load(path, &out->old, err);
	if (!rc && wish->place != RECORDS_FILE)
		rc = open_copy(out, s, err);
	if (rc)
		records_close(out);
	return rc;
}

int records_add(struct records *r, const struct paleo_record *record, struct paleo_error *err)
{
	return add_line(r, paleo_record_write(record, r->lines, err), err);
}

/* 1 if the file holds the same rows of the net already. */
static int has_net(const struct paleo_results *old, const struct paleo_net_rows *net)
{
	for (int i = 0; i < old->net_count; i++)
		if (paleo_net_rows_equal(&old->nets[i], net))
			return 1;
	return 0;
}

int records_add_net(struct records *r, const struct paleo_net_rows *net, struct paleo_error *err)
{
	if (has_net(&r->old, net))
		return PALEO_OK;
	return add_line(r, paleo_net_rows_write(net, r->lines, err), err);
}

int records_add_ceiling(struct records *r, const struct paleo_ceiling *c, struct paleo_error *err)
{
	return add_line(r, paleo_ceiling_write(c, r->lines, err), err);
}

int records_add_condition(struct records *r, const struct paleo_condition *c,
			  struct paleo_error *err)
{
	return add_line(r, paleo_condition_write(c, r->lines, err), err);
}

int records_add_pass(struct records *r, const struct paleo_graph_record *pass,
		     struct paleo_error *err)
{
	return add_line(r, paleo_graph_record_write(pass, r->lines, err), err);
}

int records_finish(struct records *r, int is_whole, struct paleo_error *err)
{
	double wall_s;
	const struct paleo_spent spent = spent_of(r->session, r, &wall_s);
	const int has_ops = spent.s[PALEO_PHASE_PREPARE] > 0;

	if (is_whole && (r->is_changed || !r->old.complete))
		PALEO_TRY(add_line(
			r, paleo_record_end_write(has_ops ? &spent : NULL, wall_s, r->lines, err),
			err));
	return r->file ? paleo_append_sync(r->file, err) : PALEO_OK;
}

void records_close(struct records *r)
{
	paleo_append_close(r->file);
	r->file = NULL;
	if (r->lines)
		fclose(r->lines);
	r->lines = NULL;
	if (r->copy)
		fclose(r->copy);
	r->copy = NULL;
	free(r->copied.text);
	r->copied = (struct paleo_collected){0};
	free(r->text.text);
	r->text = (struct paleo_collected){0};
	paleo_results_release(&r->old);
}

int records_write(const char *path, const struct records_wish *wish, const char *text, size_t size,
		  struct paleo_error *err)
{
	const struct paleo_append_wish how = {.kind = &kind, .force = wish->force};
	struct paleo_append *file = NULL;
	int rc = make_folders(path, err);

	if (!rc)
		rc = paleo_append_open(path, &how, &file, err);
	if (!rc)
		rc = paleo_append_lines(file, text, size, err);
	if (!rc)
		rc = paleo_append_sync(file, err);
	if (!rc && wish->notes && paleo_append_kept(file))
		paleo_print(wish->notes, "earlier records: %s, until you remove them\n",
			    paleo_append_kept(file));
	paleo_append_close(file);
	return rc;
}
