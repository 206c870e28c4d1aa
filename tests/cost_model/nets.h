/* nets.h - the original's nets, opened once each. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TESTS_COST_MODEL_NETS_H
#define PALEO_TESTS_COST_MODEL_NETS_H

#include "model/paleo2017/paleo2017.h"

/* The original's net of this name, as it sees it: ours, but for resnet50 and densenet, which are
 * the original's own conversions. The test fails if there is none. Freed by nets_close(). */
const struct paleo_2017_net *nets_open(const char *name);
int nets_close(void **state); /* ends a group of tests */

/* A layer's number by its name; the test fails if there is none. */
int nets_layer(const struct paleo_2017_net *net, const char *name);

#endif
