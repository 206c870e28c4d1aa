/* device_list.c - several devices named in one option: "0,1". */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/session/device_list.h"

#include <stdio.h>
#include <string.h>

static int add_name(const char *name, size_t length, struct device_list *list,
		    struct paleo_error *err)
{
	if (length == 0 || length >= DEVICE_NAME_MAX)
		return paleo_fail(err, PALEO_EINPUT,
				  "--device names '%.*s', expected numbers of GPUs with commas "
				  "between them, cpu, or auto",
				  (int)(length > 60 ? 60 : length), name);
	if (list->count == DEVICE_LIST_MAX)
		return paleo_fail(err, PALEO_EINPUT, "--device names more than %d devices",
				  DEVICE_LIST_MAX);
	char *to = list->names[list->count];
	memcpy(to, name, length);
	to[length] = '\0';
	for (int i = 0; i < list->count; i++)
		if (!strcmp(list->names[i], to))
			return paleo_fail(err, PALEO_EINPUT, "--device names '%s' twice", to);
	list->count++;
	return PALEO_OK;
}

int device_list_parse(const char *text, struct device_list *out, struct paleo_error *err)
{
	int rc = PALEO_OK;

	*out = (struct device_list){.count = 0};
	for (;;) {
		size_t length = strcspn(text, ",");
		rc = add_name(text, length, out, err);
		if (rc || !text[length])
			return rc;
		text += length + 1;
	}
}
