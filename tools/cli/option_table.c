/* option_table.c - the options of options.def, and the words they offer. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include "calib/fit.h"
#include "model/net/net.h"
#include "model/predict/predict.h"
#include "model/serving/serving.h"
#include "tools/cli/choice.h"
#include "tools/session/session.h"

const char *const choice_layout[] = {"nchw", "nhwc", NULL};
const char *const choice_pass[] = {"all", "fwd", "bwd", "update", NULL};
const char *const choice_extent[] = {"all", "fwd", "fwd+bwd", "step", NULL};
const char *const choice_mode[] = {"cold", "hot", "weights-cold", "enqueue", NULL};
const char *const choice_optimizer[] = {"sgd", "momentum", "adam", NULL};
const char *const choice_phase[] = {"train", "test", "prefill", "decode", NULL};
const char *const choice_algorithm_2017[] = {"gemm", "precomp", "fft", "fft_tiling", NULL};
const char *const choice_format[] = {"text", "csv", "jsonl", "md", NULL};
const char *const choice_format_2017[] = {"text", "csv", "jsonl", "md", "paleo", NULL};
const char *const choice_collective[] = {"all-reduce", "all-gather", "reduce-scatter", NULL};
const char *const choice_groups[] = {"layers", "channels", "images", "rows", NULL};
const char *const choice_case[] = {"all",       "firecaffe", "inception", "one-weird-trick",
				   "cloud",     "mxnet",     "dcgan",     "megatron",
				   "recompute", "llama3",    "training",  NULL};
const char *const choice_export[] = {
#define EXPORT(format) #format,
#include "tools/cli/exports.def"
#undef EXPORT
	NULL};
const char *const choice_export_model[] = {
#define EXPORT(format) #format,
#include "tools/cli/model_exports.def"
#undef EXPORT
	NULL};
const char *const choice_transport[] = {
#define TRANSPORT(name, ranks, ...) #name,
#include "bench/transports.def"
#undef TRANSPORT
	NULL};

/* In the order of enum view_sort. */
static const char *const choice_sort[] = {"time", "error", "name", NULL};
static const char *const choice_sort_steps[] = {"speed", "waiting", "name", NULL};
static const char *const choice_sort_lines[] = {"rows", "error", "name", NULL};

/* The original comes last: a list without it ends before. */
#define COST_MODELS "auto", "calibrated", "presets", "presets-excluding-self", "datasheet"
const char *const choice_cost_model[] = {COST_MODELS, "paleo2017", NULL};
static const char *const choice_cost_model_of_counts[] = {"auto", "paleo2017", NULL};
static const char *const choice_cost_model_of_ops[] = {COST_MODELS, NULL};
#define ABOUT_COST_MODELS                                                                          \
	"auto (default): calibrated, else presets, else datasheet; calibrated: the "               \
	"device's calibration; presets: published benchmarks of this GPU, else of its "            \
	"chip, its family, all GPUs; presets-excluding-self: presets without its own "             \
	"chip; datasheet: fractions of its peaks"

#define OF_CONFIG "of a config.json: "

static int choice_dtype_called(const char *name)
{
	enum paleo_dtype dtype;

	return paleo_dtype_of_table(name, &dtype) ? (int)dtype : -1;
}

#define OPTION(id, ...) const struct option_spec option_##id = __VA_ARGS__;
#include "tools/cli/options.def"
#undef OPTION

const struct option_spec option_transport = {
	.name = "transport",
	.type = OPTION_WORD,
	.argument = "NAME",
	.help = "with --link: measure now"
#define TRANSPORT(name, links, what, ranks, ...) ", by " #name " (" ranks ")"
#include "bench/transports.def"
#undef TRANSPORT
	,
	.words = choice_transport,
};

const struct option_spec option_device_or_library = {
	.name = "device",
	.type = OPTION_TEXT,
	.argument = "NAME|FILE|auto"
#define BACKEND(name, argument, help, ...) argument
#include "model/device/backends.def"
#undef BACKEND
	,
#define BACKEND(name, argument, help, ...) help
	.help = "a GPU that cuDNN is asked about (t4, a100, l4, rtx4090, h100, h200, b200, or "
		"a JSON file that describes one), or a device of this machine: "
#include "model/device/backends.def"
#undef BACKEND
		"or auto, the first usable one",
};
