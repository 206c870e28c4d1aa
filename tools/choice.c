/* choice.c - the options that several commands have, and the words they offer. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/choice.h"

#include "model/net/net.h"
#include "model/predict/framework.h"
#include "tools/session/session.h"

const char *const choice_layout[] = {"nchw", "nhwc", NULL};
const char *const choice_pass[] = {"all", "fwd", "bwd", "update", NULL};
const unsigned choice_pass_bits[] = {PALEO_PASSES_ALL, PALEO_PASSES_FWD, PALEO_PASSES_BWD,
				     1u << PALEO_PASS_UPDATE};
const char *const choice_mode[] = {"cold", "hot", "weights-cold", "enqueue", NULL};
const char *const choice_optimizer[] = {"sgd", "momentum", "adam", NULL};
const char *const choice_format[] = {"text", "csv", "jsonl", "md", NULL};

/* The original comes last: a list without it ends before. */
#define LAWS "auto", "paleo", "calibrated", "presets", "unseen", "datasheet"
const char *const choice_law[] = {LAWS, "paleo2017", NULL};
static const char *const laws_of_works[] = {LAWS, NULL};
const enum paleo_law choice_law_of[] = {
	[CHOICE_LAW_AUTO] = PALEO_LAW_AUTO,       [CHOICE_LAW_PALEO] = PALEO_LAW_DATASHEET,
	[CHOICE_LAW_PRESETS] = PALEO_LAW_PRESETS, [CHOICE_LAW_CALIBRATED] = PALEO_LAW_CALIBRATED,
	[CHOICE_LAW_UNSEEN] = PALEO_LAW_UNSEEN,   [CHOICE_LAW_DATASHEET] = PALEO_LAW_DATASHEET,
};
#define ABOUT_LAWS                                                                                 \
	"auto, the best that is known: the device's calibration, else presets, else datasheet "    \
	"(default); calibrated; presets: published measurements of this GPU, else of its chip, "   \
	"its family, all; unseen: the same, but without those of its own chip, as if nobody had "  \
	"measured one; datasheet, or paleo: fractions of its peaks"

const struct option_spec option_law = {
	.name = "law",
	.type = OPTION_WORD,
	.argument = "LAW",
	.help = ABOUT_LAWS "; paleo2017: the original's numbers",
	.words = choice_law,
};

const struct option_spec option_law_of_works = {
	.name = "law",
	.type = OPTION_WORD,
	.argument = "LAW",
	.help = ABOUT_LAWS,
	.words = laws_of_works,
};

const struct option_spec option_device = {
	.name = "device",
	.type = OPTION_TEXT,
	.argument = session_device_argument,
	.help = session_device_help,
};

const struct option_spec option_devices = {
	.name = "devices",
	.type = OPTION_TEXT,
	.argument = "FILE",
	.help = "a JSON file that describes more devices",
};

const struct option_spec option_batch = {
	.name = "batch",
	.type = OPTION_INT,
	.argument = "N",
	.help = "batch size (default: the net's own)",
	.low = 1,
	.high = 1 << 20,
};

const struct option_spec option_batch_measured = {
	.name = "batch",
	.type = OPTION_INT,
	.argument = "N",
	.help = "batch size (default: the net's own; on a CPU at most 4)",
	.low = 1,
	.high = 1 << 20,
};

static int dtype_called(const char *name)
{
	enum paleo_dtype dtype;

	return paleo_dtype_of_table(name, &dtype) ? (int)dtype : -1;
}

const struct option_spec option_dtype = {
	.name = "dtype",
	.type = OPTION_WORD,
	.argument = "TYPE",
	.help = "number type: {words} (default f32); in those of one byte forward products alone, "
		"all else in bf16",
	.words = paleo_dtype_names,
	.also = dtype_called,
};

const struct option_spec option_dtypes = {
	.name = "dtype",
	.type = OPTION_WORDS,
	.argument = "TYPES",
	.help = "number types, with commas between: {words} (default f32)",
	.words = paleo_dtype_names,
	.also = dtype_called,
};

const struct option_spec option_batches = {
	.name = "batch",
	.type = OPTION_INTS,
	.argument = "N,...",
	.help = "batch size (default: the net's own); several with commas between",
	.low = 1,
	.high = 1 << 20,
};

const struct option_spec option_layout = {
	.name = "layout",
	.type = OPTION_WORD,
	.argument = "L",
	.help = "how images lie in memory: nchw, or nhwc with channels innermost (default nchw)",
	.words = choice_layout,
};

const struct option_spec option_layouts = {
	.name = "layout",
	.type = OPTION_WORDS,
	.argument = "L",
	.help = "how images lie in memory: nchw, or nhwc with channels innermost, or both with a "
		"comma between (default nchw)",
	.words = choice_layout,
};

const struct option_spec option_fuse = {
	.name = "fuse",
	.type = OPTION_FLAG,
	.help = "as at inference: batch normalisations and activations within the products "
		"before them (with --pass fwd); predict also merges chains of works that go "
		"element by element",
};

const struct option_spec option_pass = {
	.name = "pass",
	.type = OPTION_WORD,
	.argument = "PASS",
	.help = "fwd, bwd, update or all of them (default all)",
	.words = choice_pass,
};

const struct option_spec option_mode = {
	.name = "mode",
	.type = OPTION_WORD,
	.argument = "MODE",
	.help = "cold rotates the operands, hot uses the same ones, weights-cold rotates weights "
		"alone; enqueue: the host's time of a launch (default cold)",
	.words = choice_mode,
};

const struct option_spec option_workspace_limit = {
	.name = "workspace-limit",
	.type = OPTION_BYTES,
	.argument = "BYTES",
	.help = "pass over algorithms that need more workspace, as 512M or 2G (default 4G)",
	.low = 1024,
	.high = 1e15,
};

const struct option_spec option_no_cudnn_norm = {
	.name = "no-cudnn-norm",
	.type = OPTION_FLAG,
	.help = "on a GPU: norms and average poolings by the kernels of paleo alone, never by "
		"cuDNN",
};

const struct option_spec option_threads = {
	.name = "threads",
	.type = OPTION_INT,
	.argument = "N",
	.help = "threads of the CPU (default, and at most: one per core)",
	.low = 1,
	.high = 4096,
};

const struct option_spec option_calibration = {
	.name = "calibration",
	.type = OPTION_TEXT,
	.argument = "FILE",
	.help = "predict with this calibration (default: the device's own if there is one)",
};

const struct option_spec option_ppp_compute = {
	.name = "ppp-compute",
	.type = OPTION_NUMBER,
	.argument = "F",
	.help = "without a calibration: platform percent of peak (PPP) of compute, the fraction of "
		"the "
		"peak FLOP/s that is reached (default 1)",
	.low = 0.001,
	.high = 2,
};

const struct option_spec option_ppp_memory = {
	.name = "ppp-memory",
	.type = OPTION_NUMBER,
	.argument = "F",
	.help = "without a calibration: PPP of memory, the fraction of the peak bandwidth that is "
		"reached (default 1)",
	.low = 0.001,
	.high = 2,
};

const struct option_spec option_operand_sets = {
	.name = "operand-sets",
	.formerly = "copies",
	.type = OPTION_INT,
	.argument = "N",
	.help = "of tables: the timing took turns with up to N copies of the weights, just "
		"enough to fill the cache (default 1)",
	.low = 1,
	.high = 1000,
};

const struct option_spec option_resume = {
	.name = "resume",
	.type = OPTION_FLAG,
	.help = "keep what the output file holds already and measure the rest",
};

const struct option_spec option_force = {
	.name = "force",
	.type = OPTION_FLAG,
	.help = "write over whatever the output file holds, and follow a symbolic link",
};

const struct option_spec option_trace = {
	.name = "trace",
	.type = OPTION_TEXT,
	.argument = "FILE.json",
	.help = "also write a timeline that ui.perfetto.dev and chrome://tracing open",
};

const struct option_spec option_retry_failed = {
	.name = "retry-failed",
	.type = OPTION_FLAG,
	.help = "as --resume, but measure again what crashed, hung, did not fit or failed",
};

const struct option_spec option_format = {
	.name = "format",
	.type = OPTION_WORD,
	.argument = "F",
	.help = "text, csv, jsonl or md, a table of Markdown (default text)",
	.words = choice_format,
};

const struct option_spec option_quiet = {
	.name = "quiet",
	.type = OPTION_FLAG,
	.help = "no line of progress on a terminal",
};

const struct option_spec option_filter = {
	.name = "filter",
	.type = OPTION_TEXT,
	.argument = "REGEX",
	.help = "only layers whose name matches",
};

const struct option_spec option_host_link = {
	.name = "host-link",
	.type = OPTION_TEXT,
	.argument = "NAME",
	.help = "the link within a host, for --workers-per-host",
};

const struct option_spec option_workers_per_host = {
	.name = "workers-per-host",
	.type = OPTION_INT,
	.argument = "N",
	.help = "workers of one host (default 1)",
	.low = 1,
	.high = 1024,
};

const struct option_spec option_links_per_host = {
	.name = "links-per-host",
	.type = OPTION_INT,
	.argument = "N",
	.help = "links of each host to the others, side by side (default 1)",
	.low = 1,
	.high = 1024,
};

const struct option_spec option_servers = {
	.name = "servers",
	.type = OPTION_INT,
	.argument = "N",
	.help = "parameter servers (default 1)",
	.low = 1,
	.high = 1 << 20,
};

const struct option_spec option_overlap = {
	.name = "overlap",
	.type = OPTION_FLAG,
	.help = "gradients travel while the backward pass goes on",
};

const struct option_spec option_bucket_mib = {
	.name = "bucket-mib",
	.type = OPTION_NUMBER,
	.argument = "F",
	.help = "with --overlap: MiB of gradients that go together (default 25)",
	.low = 0,
	.high = 1 << 20,
};

const struct option_spec option_micro_batches = {
	.name = "micro-batches",
	.type = OPTION_INT,
	.argument = "N",
	.help = "of a pipeline (default four for each stage)",
	.low = 1,
	.high = 1 << 20,
};

const struct option_spec option_recompute = {
	.name = "recompute",
	.type = OPTION_FLAG,
	.help = "keep activations at checkpoints, compute the rest again",
};

double choice_framework_factor(int framework, int no_factor)
{
	const struct paleo_framework_factor *f =
		paleo_framework_factor_find((enum paleo_framework)framework, 1, PALEO_NCHW);

	return f && !no_factor ? f->factor : 0;
}

const struct option_spec option_framework = {
	.name = "framework",
	.type = OPTION_WORD,
	.argument = "F",
	.help = "who runs the works: none; eager, PyTorch kernel by kernel, in 16 bits with "
		"autocast; compiled, torch.compile (default none)",
	.words = paleo_framework_names,
};

const struct option_spec option_dispatch = {
	.name = "dispatch-us",
	.type = OPTION_NUMBER,
	.argument = "US",
	.help = "of --framework: what the host takes to start a kernel; a pass takes that times "
		"its kernels at least (default 5)",
	.low = 0,
	.high = 1000,
};

const struct option_spec option_no_factor = {
	.name = "no-factor",
	.type = OPTION_FLAG,
	.help = "of --framework: leave out the factor that was fitted to whole nets",
};

const struct option_spec option_optimizer = {
	.name = "optimizer",
	.type = OPTION_WORD,
	.argument = "NAME",
	.help = "how a step updates weights: {words} (default sgd)",
	.words = choice_optimizer,
};
