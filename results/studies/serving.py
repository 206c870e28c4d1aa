# serving.py SERVING.csv CONFIGS [OPTION...] - measured servers of language models, beside what paleo serving says.
# SPDX-License-Identifier: Apache-2.0
"""SERVING.csv has one measured load a row (aiconfigurator's silicon_sample.csv with gpus, and attention_dp), CONFIGS is
a folder of config.json files. Prints serving.csv: errors of times to tokens by model, GPU, number of GPUs and server.
OPTIONs go to paleo serving. --fit fits the host's time per step instead, to each model without the others; --fit-ttft
fits the steps before a request is scheduled and the interval of TTFT, to each half of the models. PALEO is the
program."""
import csv
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

PALEO = os.environ.get("PALEO", "build/bin/paleo")
HOSTS = range(0, 1001, 50)  # microseconds that are tried
FRONT = 9  # steps before a request is scheduled, in predictions
HALF = {"DeepSeek-V3", "Qwen3-235B-A22B"}  # families of models of one half
GPUS = {"H100_SXM": "h100-sxm", "H200_SXM": "h200", "B200": "b200", "GB200": "gb200"}
# Model and precision: the file in CONFIGS, and the words behind it.
FILES = {
    ("meta-llama/Llama-3.1-8B-Instruct", ""): "meta-llama--Meta-Llama-3.1-8B.json",
    ("meta-llama/Llama-3.1-8B-Instruct", "fp8"): "meta-llama--Meta-Llama-3.1-8B.json:weights=fp8",
    ("nvidia/Llama-3.1-8B-Instruct-FP8", "fp8"): "meta-llama--Meta-Llama-3.1-8B.json:weights=fp8,kv=fp8",
    ("openai/gpt-oss-120b", "fp4"): "openai--gpt-oss-120b.json",
    ("openai/gpt-oss-120b", "fp8"): "openai--gpt-oss-120b.json",
    ("Qwen/Qwen3-235B-A22B-FP8", "fp8"): "Qwen--Qwen3-235B-A22B-FP8.json",
    ("deepseek-ai/DeepSeek-R1", "fp8"): "deepseek-ai--DeepSeek-R1.json",
    ("deepseek-ai/DeepSeek-R1", "fp4"): "nvidia--DeepSeek-V3.1-NVFP4.json",
    ("deepseek-ai/DeepSeek-V3", "fp8"): "deepseek-ai--DeepSeek-V3.json",
    ("deepseek-ai/DeepSeek-V3", "fp4"): "nvidia--DeepSeek-V3.1-NVFP4.json",
    ("nvidia/DeepSeek-R1-NVFP4", "fp4"): "nvidia--DeepSeek-V3.1-NVFP4.json",
    ("nvidia/DeepSeek-V3.1-NVFP4", "fp4"): "nvidia--DeepSeek-V3.1-NVFP4.json",
    ("zhipuai/GLM-5", "fp8"): "zai-org--GLM-5-FP8.json",
    ("zhipuai/GLM-5", "fp4"): "nvidia--GLM-5-NVFP4.json",
}
FAMILY = {"meta-llama/Llama-3.1-8B-Instruct": "Llama-3.1-8B", "nvidia/Llama-3.1-8B-Instruct-FP8": "Llama-3.1-8B",
          "openai/gpt-oss-120b": "gpt-oss-120b", "Qwen/Qwen3-235B-A22B-FP8": "Qwen3-235B-A22B",
          "deepseek-ai/DeepSeek-R1": "DeepSeek-V3", "deepseek-ai/DeepSeek-V3": "DeepSeek-V3",
          "nvidia/DeepSeek-R1-NVFP4": "DeepSeek-V3", "nvidia/DeepSeek-V3.1-NVFP4": "DeepSeek-V3",
          "zhipuai/GLM-5": "GLM-5"}


def case(row, folder):
    c = {"net": os.path.join(folder, FILES[row["model"], row["precision"]]), "device": GPUS[row["gpu"]]}
    c.update({"tp": int(row["tp"]), "pp": int(row["pp"]), "dp": int(row["attention_dp"]), "ep": int(row["moe_ep"])})
    c.update({k: int(row[k]) for k in ("isl", "osl")})
    c["concurrency"] = int(row["concurrency"] or float(row["batch_size"]) * int(row["attention_dp"]))
    c["ttft_s"], c["tpot_s"] = float(row["ttft_ms"]) / 1e3, float(row["tpot_ms"]) / 1e3
    return c


def is_known(net):
    return subprocess.run([PALEO, "summary", net], capture_output=True, check=False).returncode == 0


def priced(cases, options):
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        file.writelines(json.dumps(c) + "\n" for c in cases)
        file.flush()
        run = subprocess.run([PALEO, "serving", file.name, "--format", "csv", *options],
                             capture_output=True, text=True, check=False)
    if run.returncode > 1:
        sys.exit(run.stderr)
    return list(csv.DictReader(run.stdout.splitlines()))


def number(text):
    return float(text) if text else None


def judge(rows):
    """Of TPOT: median and mean of |error|, bias, within the 90 % interval; of TTFT: median, bias, within; in percent."""
    errors = [number(r["tpot_s"]) / number(r["measured_tpot_s"]) - 1 for r in rows]
    first = [number(r["ttft_s"]) / number(r["measured_ttft_s"]) - 1 for r in rows]

    def inside(time):
        return sum(number(r[time + "_low_s"] or "nan") <= number(r[f"measured_{time}_s"])
                   <= number(r[time + "_high_s"] or "nan") for r in rows) / len(rows)

    return [len(rows)] + [f"{100 * x:.1f}" for x in (
        statistics.median(map(abs, errors)), statistics.mean(map(abs, errors)), statistics.median(errors),
        inside("tpot"), statistics.median(map(abs, first)), statistics.median(first), inside("ttft"))]


def loss(rows):
    """Of a number that is fitted: the median of |log(predicted / measured)|."""
    return statistics.median(abs(math.log(number(r["tpot_s"]) / number(r["measured_tpot_s"]))) for r in rows)


def fit(out_of):
    """The host's time per step that suits all other families best, and the errors of the family with it."""
    tried = {us: out_of(["--launch-us", str(us)]) for us in HOSTS}
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["family", "host_us_of_others", "rows", "tpot_median", "tpot_mean", "tpot_bias", "within_90",
                     "ttft_median", "ttft_bias", "ttft_within_90"])
    chosen = []
    for family in sorted({r["family"] for r in tried[HOSTS[0]]}):
        best = min(HOSTS, key=lambda us: loss([r for r in tried[us] if r["family"] != family]))
        mine = [r for r in tried[best] if r["family"] == family]
        chosen += mine
        writer.writerow([family, best] + judge(mine))
    writer.writerow(["all", ""] + judge(chosen))
    writer.writerow(["all on one GPU", ""] + judge([r for r in chosen if r["number"] == "1"]))
    writer.writerow(["of all families", min(HOSTS, key=lambda us: loss(tried[us]))])


def fit_ttft(rows):
    """Steps before a request is scheduled, and quantiles of measured over predicted, fitted to one half and to all; the
    median error of the other half with them, and how many of its rows lie within."""
    def log(r, steps):
        return math.log(number(r["measured_ttft_s"]) /
                        (number(r["ttft_s"]) + (steps - FRONT) * number(r["tpot_s"])))

    halves = [[r for r in rows if (r["family"] in HALF) == side] for side in (True, False)]
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["fitted_to", "steps", "low", "low50", "high50", "high", "rows", "ttft_median", "within_90"])
    for name, mine, others in (("half", *halves), ("other half", *halves[::-1]), ("all", rows, rows)):
        steps = min((x / 2 for x in range(41)), key=lambda x: statistics.median(abs(log(r, x)) for r in mine))
        cuts = statistics.quantiles([log(r, steps) for r in mine], n=20)
        logs = [log(r, steps) for r in others]
        writer.writerow([name, steps] + [f"{math.exp(cuts[i]):.2f}" for i in (0, 4, 14, 18)] + [
            len(logs), f"{100 * statistics.median(abs(math.exp(-x) - 1) for x in logs):.1f}",
            f"{100 * sum(cuts[0] <= x <= cuts[18] for x in logs) / len(logs):.1f}"])


def main():
    table, folder, options = sys.argv[1], sys.argv[2], sys.argv[3:]
    rows = list(csv.DictReader(open(table, encoding="utf-8")))
    known = {net: is_known(os.path.join(folder, net)) for net in set(FILES.values())}
    kept = [r for r in rows if known[FILES[r["model"], r["precision"]]]]
    cases = [case(r, folder) for r in kept]

    def out_of(more):
        return [{**p, "family": FAMILY[r["model"]], "server": r["backend"], "precision": r["precision"] or "bf16",
                 "gpu": r["gpu"], "number": "1" if r["gpus"] == "1" else "2 to 8"}
                for r, p in zip(kept, priced(cases, options + more)) if p["fits"] == "yes"]

    if options[:1] in (["--fit"], ["--fit-ttft"]):
        how = options.pop(0)
        return fit(out_of) if how == "--fit" else fit_ttft(out_of([]))
    fits = out_of([])
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["group", "rows", "tpot_median", "tpot_mean", "tpot_bias", "within_90", "ttft_median", "ttft_bias",
                     "ttft_within_90"])
    writer.writerow(["all"] + judge(fits))
    for keys in (("number",), ("family",), ("gpu",), ("server",), ("number", "family", "gpu", "server", "precision")):
        for value in sorted({tuple(r[k] for k in keys) for r in fits}):
            writer.writerow([" ".join(value)] + judge([r for r in fits if tuple(r[k] for k in keys) == value]))
    print(f"{len(rows)} rows, {len(rows) - len(kept)} of models that are not known, "
          f"{len(kept) - len(fits)} that do not fit", file=sys.stderr)
    return None


if __name__ == "__main__":
    main()
