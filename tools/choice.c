/* choice.c - the words that several commands offer for the same option. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/choice.h"

#include <stddef.h>

#include "model/net.h"

const char *const choice_dtype[] = {"f32", "tf32", "f16", "bf16", NULL};
const char *const choice_layout[] = {"nchw", "nhwc", NULL};
const char *const choice_pass[] = {"all", "fwd", "bwd", "update", NULL};
const unsigned choice_pass_bits[] = {PALEO_PASSES_ALL, PALEO_PASSES_FWD, PALEO_PASSES_BWD,
				     1u << PALEO_PASS_UPDATE};
const char *const choice_mode[] = {"cold", "hot", "weights-cold", "enqueue", NULL};
const char *const choice_format[] = {"text", "csv", "jsonl", NULL};
