/* caffe_network.h - the text of a network that tests/data/caffe/networks.sh writes. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TESTS_UNIT_CAFFE_NETWORK_H
#define PALEO_TESTS_UNIT_CAFFE_NETWORK_H

#include <stdio.h>

#include "tests/unit/unit.h"

enum {
	CAFFE_NETWORK_MAX = 1 << 17
};

/* Writes it into `text`, not terminated, and returns its size. `form` is "prototxt" or "paleo2017".
 */
static inline size_t caffe_network(const char *net, const char *form, char text[CAFFE_NETWORK_MAX])
{
	char command[160];

	snprintf(command, sizeof(command), "sh tests/data/caffe/networks.sh %s %s", net, form);
	FILE *in = popen(command, "r");
	assert_non_null(in);
	size_t size = fread(text, 1, CAFFE_NETWORK_MAX, in);
	if (pclose(in) || size == CAFFE_NETWORK_MAX)
		fail_msg("'%s' failed; run the test in the project's root", command);
	return size;
}

#endif
