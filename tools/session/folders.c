/* folders.c - makes the folders on the way to a file. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/session/folders.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

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
