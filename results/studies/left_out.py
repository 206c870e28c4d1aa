#!/usr/bin/env python3
"""left_out.py LLM - how a GPU is predicted of which few rows or none are known; prints left_out.csv.

SPDX-License-Identifier: Apache-2.0

LLM is the folder of tables that README.md names. PALEO is the program, build/bin/paleo by default.
"other chips" are presets of all chips but its own, "100 rows" a fit to so many of its rows in five folds,
and "same chip" the preset of the card that is named beside it, with the datasheet of the GPU that is judged.
"""
import csv
import gzip
import io
import json
import os
import subprocess
import sys
import tempfile

PALEO = os.environ.get("PALEO", "build/bin/paleo")
PRESETS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "presets")
GPUS = {  # as tables call it: its preset, another card with its chip
    "H100_SXM": ("h100-sxm", "h200"),
    "H200_SXM": ("h200", "h100-sxm"),
    "B200": ("b200", "gb200"),
    "L40S": ("l40s", None),
}
TABLES = [(op, dtype) for op in ("gemm", "prefill_attn", "decode_attn") for dtype in ("bf16", "fp8")]


def rows(*arguments):
    out = subprocess.run([PALEO, *arguments], check=True, capture_output=True, text=True).stdout
    return list(csv.DictReader(io.StringIO(out)))


def table(folder, work, op, dtype, gpu):
    """The table with the columns that name it."""
    path = os.path.join(work, f"{op}_{dtype}_{gpu}.csv")
    with gzip.open(os.path.join(folder, f"{op}_{dtype}_{gpu}_trtllm-1.3.0rc20.csv.gz"), "rt") as old:
        names = old.readline()
        with open(path, "w") as new:
            new.write("gpu,op,source,lib," + names)
            for line in old:
                new.write(f"{gpu},{op},aiconfigurator,TRTLLM-1.3.0rc20,{line}")
    return path


def sister(work, device, other):
    """The other card's preset as one of this device."""
    with open(os.path.join(PRESETS, device + ".json")) as f:
        datasheet = json.load(f)["device"]
    with open(os.path.join(PRESETS, other + ".json")) as f:
        preset = json.load(f)
    path = os.path.join(work, f"{other}-as-{device}.json")
    with open(path, "w") as f:
        json.dump({**preset, "device": datasheet}, f)
    return path


def show(*cells):
    print(",".join(cell if isinstance(cell, str) else f"{100 * cell:.1f}" for cell in cells))


def share(text):
    return float(text) if text else ""


def judge(path, device, other, work):
    common = ("--format", "csv", "--operand-sets", "5", "--device", device)
    for known, options in (("other chips", ("--cost-model", "presets-excluding-self")), ("100 rows", ("--rows", "100", "--draws", "3"))):
        best = {}
        for r in rows("validate", "--quiet", *common, *options, path):
            if r["cost_model"] != "paleo":  # the corrected cost model comes last, where there is one
                best[r["op"], r["dtype"]] = r
        for (kind, dtype), r in best.items():
            show(device, kind, dtype, os.path.basename(path), known, share(r["median"]), share(r["mean"]),
                 share(r["coverage"]))
    if other:
        for r in rows("validate", *common, "--calibration", sister(work, device, other), path):
            if r["what"] == "class":
                show(device, r["name"], r["dtype"], os.path.basename(path), "same chip: " + other, share(r["median"]),
                     share(r["mean"]), "")


def main():
    print("device,work,dtype,table,known,median_percent,mean_percent,within_90_percent")
    with tempfile.TemporaryDirectory() as work:
        for gpu, (device, other) in GPUS.items():
            for op, dtype in TABLES:
                judge(table(sys.argv[1], work, op, dtype, gpu), device, other, work)


main()
