/* nets.h - the original's nets, opened once each. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TESTS_LAW_NETS_H
#define PALEO_TESTS_LAW_NETS_H

#include "model/laws/paleo2017.h"

/*
 * The original's net of this name, as it sees it. Ours are the same but for
 * resnet50 and densenet, which come from a folder of the original's conversions
 * ($PALEO_REFERENCE/caffe): NULL without that. Freed by nets_close().
 */
const struct paleo_2017_net *nets_open(const char *name);
void nets_close(void);

/* A layer's number by its name; the test fails if there is none. */
int nets_layer(const struct paleo_2017_net *net, const char *name);

#endif
