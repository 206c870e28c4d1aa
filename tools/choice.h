/* choice.h - the words that several commands offer for the same option. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_CHOICE_H
#define PALEO_TOOLS_CHOICE_H

extern const char *const choice_dtype[];  /* in the order of enum paleo_dtype */
extern const char *const choice_layout[]; /* in the order of enum paleo_layout */
extern const char *const choice_pass[];   /* "all", "fwd", "bwd", "update" */
extern const unsigned choice_pass_bits[]; /* what each of these lists */
extern const char *const choice_mode[];   /* in the order of enum paleo_cache_mode */
extern const char *const choice_format[]; /* in the order of enum paleo_table_format */

/* Options of several commands; `at` is the offset of an int in the command's settings. */
#define CHOICE_LAYOUT_OPTION(at)                                                                   \
	{                                                                                          \
		.name = "layout", .type = OPTION_WORD, .offset = (at), .argument = "L",            \
		.help = "how images lie in memory: nchw, or nhwc with channels innermost "         \
			"(default nchw)",                                                          \
		.words = choice_layout                                                             \
	}
#define CHOICE_FUSE_OPTION(at)                                                                     \
	{                                                                                          \
		.name = "fuse", .type = OPTION_FLAG, .offset = (at),                               \
		.help = "as at inference: activations within the products before them, batch "     \
			"normalisation with given statistics (with --pass fwd)"                    \
	}

#endif
