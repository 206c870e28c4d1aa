/* fuzz_comm.c - any bytes as measured collectives; what is read is finite, and can be fitted. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/fit_comm.h"
#include "tests/fuzz/fuzz.h"

static void check_sentence(const struct paleo_error *err)
{
	demand(err->status == PALEO_EINPUT);
	demand(err->text[0] != '\0');
}

static void check_fit(struct paleo_comm_points *points)
{
	struct paleo_link link = {0};
	struct paleo_comm_fit fit;
	struct paleo_error err;

	if (paleo_fit_comm_best(points, 2, &link, &fit, &err)) {
		check_sentence(&err);
		return;
	}
	demand(link.range_count >= 1 && link.range_count <= PALEO_LINK_RANGES_MAX);
	for (int i = 0; i < link.range_count; i++)
		demand(link.ranges[i].latency_s >= 0 && link.ranges[i].bytes_per_s > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct paleo_comm_points points = {0};
	struct paleo_error err;
	char *text = malloc(size + 1);

	demand(text != NULL);
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	if (paleo_comm_log_parse("fuzz", text, size, 0, &points, &err))
		check_sentence(&err);
	for (int i = 0; i < points.count; i++) {
		const struct paleo_comm_point *p = &points.items[i];
		demand(p->ranks >= 2 && p->bytes > 0 && p->time_s > 0);
		demand(isfinite(p->bytes) && isfinite(p->time_s));
	}
	check_fit(&points);
	paleo_comm_points_release(&points);
	free(text);
	return 0;
}
