/* checks.h - notes on an imported net: what its file has that the net leaves out. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_IMPORT_CHECKS_H
#define PALEO_IMPORT_CHECKS_H

#include "base/json.h"
#include "model/net/net.h"

struct paleo_hf_options;

/* Notes the towers of a config.json that are left out, and a checkpoint's index next to the file
 * with other bytes than the net's weights. ENOMEM. */
int paleo_check_config(const struct paleo_json *root, const char *file,
		       const struct paleo_hf_options *o, struct paleo_net *net,
		       struct paleo_error *err);

/* Notes if the net counts much less than `floats`, the numbers of its file that may be learned.
 * ENOMEM. */
int paleo_check_floats(double floats, struct paleo_net *net, struct paleo_error *err);

#endif
