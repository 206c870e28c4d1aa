/* choice.c - the options that several commands have, and the words they offer. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/choice.h"

#include "model/net/net.h"
#include "model/predict/framework.h"
#include "tools/option_rows.h"
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

const struct option_spec option_law =
	WORD("law", 0, "LAW", choice_law, ABOUT_LAWS "; paleo2017: the original's numbers");

const struct option_spec option_law_of_works = WORD("law", 0, "LAW", laws_of_works, ABOUT_LAWS);

const struct option_spec option_device =
	TEXT("device", 0, session_device_argument, session_device_help);

const struct option_spec option_devices =
	TEXT("devices", 0, "FILE", "a JSON file that describes more devices");

const struct option_spec option_batch =
	WHOLE("batch", 0, "N", 1, 1 << 20, "batch size (default: the net's own)");

const struct option_spec option_batch_measured = WHOLE(
	"batch", 0, "N", 1, 1 << 20, "batch size (default: the net's own; on a CPU at most 4)");

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

const struct option_spec option_batches =
	WHOLES("batch", 0, "N,...", 1, 1 << 20,
	       "batch size (default: the net's own); several with commas between");

const struct option_spec option_layout =
	WORD("layout", 0, "L", choice_layout,
	     "how images lie in memory: nchw, or nhwc with channels innermost (default nchw)");

const struct option_spec option_layouts =
	WORDS("layout", 0, "L", choice_layout,
	      "how images lie in memory: nchw, or nhwc with channels innermost, or both with a "
	      "comma between (default nchw)");

const struct option_spec option_fuse =
	FLAG("fuse", 0,
	     "as at inference: batch normalisations and activations within the products "
	     "before them (with --pass fwd); predict also merges chains of works that go "
	     "element by element");

const struct option_spec option_pass =
	WORD("pass", 0, "PASS", choice_pass, "fwd, bwd, update or all of them (default all)");

const struct option_spec option_mode =
	WORD("mode", 0, "MODE", choice_mode,
	     "cold rotates the operands, hot uses the same ones, weights-cold rotates weights "
	     "alone; enqueue: the host's time of a launch (default cold)");

const struct option_spec option_workspace_limit =
	BYTES("workspace-limit", 0, "BYTES", 1024, 1e15,
	      "pass over algorithms that need more workspace, as 512M or 2G (default 4G)");

const struct option_spec option_no_cudnn_norm =
	FLAG("no-cudnn-norm", 0,
	     "on a GPU: norms and average poolings by the kernels of paleo alone, never by "
	     "cuDNN");

const struct option_spec option_threads = WHOLE(
	"threads", 0, "N", 1, 4096, "threads of the CPU (default, and at most: one per core)");

const struct option_spec option_calibration =
	TEXT("calibration", 0, "FILE",
	     "predict with this calibration (default: the device's own if there is one)");

const struct option_spec option_ppp_compute =
	NUMBER("ppp-compute", 0, "F", 0.001, 2,
	       "without a calibration: platform percent of peak (PPP) of compute, the fraction of "
	       "the "
	       "peak FLOP/s that is reached (default 1)");

const struct option_spec option_ppp_memory =
	NUMBER("ppp-memory", 0, "F", 0.001, 2,
	       "without a calibration: PPP of memory, the fraction of the peak bandwidth that is "
	       "reached (default 1)");

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

const struct option_spec option_resume =
	FLAG("resume", 0, "keep what the output file holds already and measure the rest");

const struct option_spec option_force =
	FLAG("force", 0, "write over whatever the output file holds, and follow a symbolic link");

const struct option_spec option_trace =
	TEXT("trace", 0, "FILE.json",
	     "also write a timeline that ui.perfetto.dev and chrome://tracing open");

const struct option_spec option_retry_failed =
	FLAG("retry-failed", 0,
	     "as --resume, but measure again what crashed, hung, did not fit or failed");

const struct option_spec option_format =
	WORD("format", 0, "F", choice_format,
	     "text, csv, jsonl or md, a table of Markdown (default text)");

const struct option_spec option_quiet = FLAG("quiet", 0, "no line of progress on a terminal");

const struct option_spec option_filter =
	TEXT("filter", 0, "REGEX", "only layers whose name matches");

const struct option_spec option_host_link =
	TEXT("host-link", 0, "NAME", "the link within a host, for --workers-per-host");

const struct option_spec option_workers_per_host =
	WHOLE("workers-per-host", 0, "N", 1, 1024, "workers of one host (default 1)");

const struct option_spec option_links_per_host =
	WHOLE("links-per-host", 0, "N", 1, 1024,
	      "links of each host to the others, side by side (default 1)");

const struct option_spec option_servers =
	WHOLE("servers", 0, "N", 1, 1 << 20, "parameter servers (default 1)");

const struct option_spec option_overlap =
	FLAG("overlap", 0, "gradients travel while the backward pass goes on");

const struct option_spec option_bucket_mib =
	NUMBER("bucket-mib", 0, "F", 0, 1 << 20,
	       "with --overlap: MiB of gradients that go together (default 25)");

const struct option_spec option_micro_batches =
	WHOLE("micro-batches", 0, "N", 1, 1 << 20, "of a pipeline (default four for each stage)");

const struct option_spec option_recompute =
	FLAG("recompute", 0, "keep activations at checkpoints, compute the rest again");

double choice_framework_factor(int framework, int no_factor)
{
	const struct paleo_framework_factor *f =
		paleo_framework_factor_find((enum paleo_framework)framework, 1, PALEO_NCHW);

	return f && !no_factor ? f->factor : 0;
}

const struct option_spec option_framework =
	WORD("framework", 0, "F", paleo_framework_names,
	     "who runs the works: none; eager, PyTorch kernel by kernel, in 16 bits with "
	     "autocast; compiled, torch.compile (default none)");

const struct option_spec option_dispatch =
	NUMBER("dispatch-us", 0, "US", 0, 1000,
	       "of --framework: what the host takes to start a kernel; a pass takes that times "
	       "its kernels at least (default 5)");

const struct option_spec option_no_factor =
	FLAG("no-factor", 0, "of --framework: leave out the factor that was fitted to whole nets");

const struct option_spec option_optimizer =
	WORD("optimizer", 0, "NAME", choice_optimizer,
	     "how a step updates weights: {words} (default sgd)");
