/* fuzz_links.c - any bytes as a file of links; what is accepted reads back as written. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "model/device/link.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_file.h"

static void demand_link(const struct paleo_link *all, int count, const struct paleo_link *l)
{
	demand(paleo_link_among(all, count, l->name) == l);
	demand(isfinite(l->latency_s) && l->latency_s >= 0);
	demand(isfinite(l->bytes_per_s) && l->bytes_per_s > 0);
	for (int i = 0; i < l->range_count; i++) {
		const struct paleo_link_range *r = &l->ranges[i];
		demand(r->latency_s >= 0 && r->bytes_per_s > 0);
		demand(i == 0 || r->to_bytes > r[-1].to_bytes);
	}
	demand(!l->range_count || isinf(l->ranges[l->range_count - 1].to_bytes));
}

static void demand_same_text(const struct paleo_link *all, int count)
{
	struct paleo_link *again = NULL;
	struct paleo_error err;
	char *first = NULL, *second = NULL, path[FUZZ_PATH_MAX];
	int same = 0;

	demand(paleo_links_text(all, count, &first, &err) == 0);
	int fd = fuzz_file((const uint8_t *)first, strlen(first), path);
	demand(paleo_links_load(path, &again, &same, &err) == 0);
	demand(same == count);
	demand(paleo_links_text(again, same, &second, &err) == 0);
	demand(strcmp(first, second) == 0);
	free(first);
	free(second);
	free(again);
	fuzz_file_close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct paleo_link *all = NULL;
	struct paleo_error err;
	char path[FUZZ_PATH_MAX];
	int count = 0, fd = fuzz_file(data, size, path);

	if (paleo_links_load(path, &all, &count, &err) == 0) {
		for (int i = 0; i < count; i++)
			demand_link(all, count, &all[i]);
		demand_same_text(all, count);
		free(all);
	} else {
		demand(strncmp(err.text, path, strlen(path)) == 0);
	}
	fuzz_file_close(fd);
	return 0;
}
