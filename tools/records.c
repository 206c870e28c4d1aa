/* records.c - opens a results file for writing, anew or to go on with it. */
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "tools/records.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "paleo_config.h"

void records_meta(const struct session *s, struct paleo_record_meta *m)
{
	struct utsname u;
	time_t now = time(NULL);
	struct tm utc;

	*m = (struct paleo_record_meta){.threads = s->info.threads, .device = s->info.device};
	snprintf(m->backend, sizeof(m->backend), "%s", s->backend);
	snprintf(m->versions, sizeof(m->versions), "%s", s->info.versions);
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

	if (strcmp(m->backend, s->backend) != 0 ||
	    strcmp(m->device.name, s->info.device.name) != 0 ||
	    strcmp(m->versions, s->info.versions) != 0 || m->threads != s->info.threads)
		return paleo_fail(err, PALEO_EINPUT,
				  "holds records of %s %s (%s, %d threads), not of this device; "
				  "choose another file",
				  m->backend, m->device.name, m->versions, m->threads);
	return PALEO_OK;
}

static int open_old(const char *path, const struct session *s, struct records *r,
		    struct paleo_error *err)
{
	int rc = paleo_results_load(path, &r->old, err);

	if (rc)
		return rc;
	rc = check_same(&r->old, s, err);
	if (rc) {
		paleo_error_prefix(err, "%s", path);
		return rc;
	}
	return paleo_results_append(path, &r->file, err);
}

static int open_new(const char *path, const struct session *s, struct records *r,
		    struct paleo_error *err)
{
	struct paleo_record_meta meta;

	r->file = fopen(path, "we");
	if (!r->file)
		return paleo_fail(err, PALEO_EIO, "%s: cannot be written: %s", path,
				  strerror(errno));
	records_meta(s, &meta);
	int rc = paleo_record_meta_write(&meta, r->file, err);
	if (rc)
		paleo_error_prefix(err, "%s", path);
	return rc;
}

/* Keeps other runs of paleo out of a file until records_close(), making it if it is not there.
 * Devices and pipes are nobody's alone. */
static int lock_file(const char *path, int *lock, struct paleo_error *err)
{
	struct stat st;

	if (!stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return PALEO_OK;
	*lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (*lock < 0)
		return paleo_fail(err, PALEO_EIO, "%s: cannot be written: %s", path,
				  strerror(errno));
	/* some file systems have no locks: then there is nothing to be done */
	if (flock(*lock, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		return paleo_fail(err, PALEO_EINPUT,
				  "%s: another paleo is writing to this file; wait, or choose "
				  "another",
				  path);
	return PALEO_OK;
}

/* 1 if the file is empty or begins as a results file does. */
static int is_ours(int fd)
{
	static const char beginning[] = "{\"type\":\"meta\",\"schema\":\"paleo-results/";
	char text[sizeof(beginning) - 1];
	ssize_t n = pread(fd, text, sizeof(text), 0);

	return n == 0 || (n == (ssize_t)sizeof(text) && !memcmp(text, beginning, sizeof(text)));
}

int records_open(const char *path, int resume, const struct session *s, struct records *out,
		 struct paleo_error *err)
{
	struct records r = {.lock = -1};
	struct stat st;

	if (strlen(path) >= sizeof(r.path))
		return paleo_fail(err, PALEO_EINPUT, "the records' path has %zu characters",
				  strlen(path));
	memcpy(r.path, path, strlen(path) + 1);
	int rc = make_folders(path, err);
	if (!rc)
		rc = lock_file(path, &r.lock, err);
	if (!rc && !resume && r.lock >= 0 && !is_ours(r.lock))
		rc = paleo_fail(err, PALEO_EINPUT,
				"%s: holds something else than records of paleo, which would be "
				"lost; choose another file",
				path);
	int there = r.lock >= 0 && !fstat(r.lock, &st) && st.st_size > 0;
	if (!rc)
		rc = resume && there ? open_old(path, s, &r, err) : open_new(path, s, &r, err);
	if (rc) {
		records_close(&r);
		return rc;
	}
	*out = r;
	return PALEO_OK;
}

/* Puts the file's name in front of a failure to write to it. */
static int name_file(const struct records *r, int rc, struct paleo_error *err)
{
	if (rc)
		paleo_error_prefix(err, "%s", r->path);
	return rc;
}

int records_add(const struct records *r, const struct paleo_record *record, struct paleo_error *err)
{
	return name_file(r, paleo_record_write(record, r->file, err), err);
}

int records_add_net(const struct records *r, const struct paleo_net_rows *net,
		    struct paleo_error *err)
{
	return name_file(r, paleo_net_rows_write(net, r->file, err), err);
}

int records_add_ceiling(const struct records *r, const struct paleo_ceiling *c,
			struct paleo_error *err)
{
	return name_file(r, paleo_ceiling_write(c, r->file, err), err);
}

int records_add_pass(const struct records *r, const struct paleo_fullpass *pass,
		     struct paleo_error *err)
{
	return name_file(r, paleo_fullpass_write(pass, r->file, err), err);
}

int records_end(const struct records *r, struct paleo_error *err)
{
	return name_file(r, paleo_record_end_write(r->file, err), err);
}

int records_failed(enum paleo_record_status status)
{
	return status != PALEO_RECORD_OK && status != PALEO_RECORD_UNSUPPORTED;
}

void records_close(struct records *r)
{
	if (r->file)
		fclose(r->file);
	r->file = NULL;
	if (r->lock > STDERR_FILENO) /* 0 in a struct that was never opened */
		close(r->lock);
	r->lock = -1;
	paleo_results_release(&r->old);
}
