/* records.c - opens a results file for writing, anew or to go on with it. */
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "tools/records.h"

#include <errno.h>
#include <string.h>
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
				  "choose another --output",
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

	int rc = make_folders(path, err);
	if (rc)
		return rc;
	r->file = fopen(path, "w");
	if (!r->file)
		return paleo_fail(err, PALEO_EIO, "%s: cannot be written: %s", path,
				  strerror(errno));
	records_meta(s, &meta);
	return paleo_record_meta_write(&meta, r->file, err);
}

int records_open(const char *path, int resume, const struct session *s, struct records *out,
		 struct paleo_error *err)
{
	struct records r = {0};
	struct stat st;

	snprintf(r.path, sizeof(r.path), "%s", path);
	int there = !stat(path, &st) && st.st_size > 0;
	int rc = resume && there ? open_old(path, s, &r, err) : open_new(path, s, &r, err);
	if (rc) {
		records_close(&r);
		return rc;
	}
	*out = r;
	return PALEO_OK;
}

void records_close(struct records *r)
{
	if (r->file)
		fclose(r->file);
	r->file = NULL;
	paleo_results_release(&r->old);
}
