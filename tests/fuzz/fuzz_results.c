/* fuzz_results.c - any bytes as a results file; what is accepted must hold usable records. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "model/record/record.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_file.h"

static void demand_record(const struct paleo_results *all, const struct paleo_result *r)
{
	demand(paleo_results_candidate(all, &r->op, r->mode, r->rank) == r);
	demand(paleo_results_find(all, &r->op, r->mode) != NULL);
	if (r->status == PALEO_RECORD_OK)
		demand(isfinite(r->timing.median_s) && r->timing.median_s >= 0);
}

static void demand_net(const struct paleo_net_rows *net)
{
	demand(net->count == 0 || net->rows != NULL);
	for (int i = 0; i < net->count; i++)
		demand(isfinite(net->rows[i].op.flops));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct paleo_results results;
	struct paleo_error err;
	char path[FUZZ_PATH_MAX];
	int fd = fuzz_file(data, size, path);

	if (paleo_results_load(path, &results, &err) == 0) {
		for (int i = 0; i < results.count; i++)
			demand_record(&results, &results.records[i]);
		for (int i = 0; i < results.net_count; i++)
			demand_net(&results.nets[i]);
		paleo_results_release(&results);
	} else {
		demand(strstr(err.text, path) != NULL);
	}
	fuzz_file_close(fd);
	return 0;
}
