/* read_records.c - how many records are read of results files, or why none are. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "model/record/record.h"

/* Prints for each file a line: the number of its records, or a sentence. */
int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		struct paleo_results results;
		struct paleo_error err = {0};

		if (paleo_results_load(argv[i], &results, &err)) {
			printf("%s\n", err.text);
			continue;
		}
		printf("%d\n", results.count);
		paleo_results_release(&results);
	}
	return 0;
}
