/* checks.h - what a file has besides what its net counts: sentences for the net's note. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_IMPORT_CHECKS_H
#define PALEO_IMPORT_CHECKS_H

#include "base/json.h"
#include "model/net/net.h"

struct paleo_hf_options;

/* Of a config.json: towers besides the text's, and the bytes of the checkpoint's index next to the
 * file, if there is one. ENOMEM. */
int paleo_check_config(const struct paleo_json *root, const char *file,
		       const struct paleo_hf_options *o, struct paleo_net *net,
		       struct paleo_error *err);

/* Of a file with so many numbers that may be learned. ENOMEM. */
int paleo_check_floats(double floats, struct paleo_net *net, struct paleo_error *err);

#endif
