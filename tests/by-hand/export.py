"""export.py TABLE.csv - an export for AIConfigurator, loaded and queried by aiconfigurator 0.10.0."""
# SPDX-License-Identifier: Apache-2.0
#
# Needs `pip install aiconfigurator==0.10.0`. Prints whether its loader has the latencies of the table, and of GEMMs,
# which take the place of its own of TensorRT-LLM on an H100, how far its answers are from the table.
import csv
import glob
import os
import shutil
import sys
import tempfile

import aiconfigurator
from aiconfigurator.sdk import common
from aiconfigurator.sdk.operations.attention import load_context_attention_data, load_generation_attention_data
from aiconfigurator.sdk.operations.gemm import load_gemm_data
from aiconfigurator.sdk.perf_database import PerfDatabase

LOADERS = {
    "gemm": load_gemm_data,
    "context_attention": load_context_attention_data,
    "generation_attention": load_generation_attention_data,
}

with open(sys.argv[1], encoding="utf-8") as file:
    rows = list(csv.DictReader(file))


def latencies(loaded):
    if "latency" in loaded:
        return [loaded["latency"]]
    return [latency for part in loaded.values() for latency in latencies(part)]


name = rows[0]["op_name"]
same = sorted(latencies(LOADERS[name](sys.argv[1]))) == sorted(float(row["latency"]) for row in rows)
print(f"{name}: {len(rows)} rows, loaded {'exactly' if same else 'differently'}")
if name != "gemm":
    sys.exit(not same)


def key(row):
    return common.GEMMQuantMode[row["gemm_dtype"]], int(row["m"]), int(row["n"]), int(row["k"])


with tempfile.TemporaryDirectory() as folder:
    systems = os.path.join(folder, "systems")
    shipped = os.path.join(os.path.dirname(aiconfigurator.__file__), "systems")
    shutil.copytree(shipped, systems)
    place = sorted(glob.glob(f"{systems}/data/h100_sxm/trtllm/*/gemm_perf.parquet"))[-1]
    os.remove(place)
    shutil.copy(sys.argv[1], os.path.splitext(place)[0] + ".txt")
    version = os.path.basename(os.path.dirname(place))
    database = PerfDatabase("h100_sxm", "trtllm", version, systems)

    def answer(quant, m, n, k):
        return float(database.query_gemm(m, n, k, quant))

    off = [abs(answer(*key(row)) / float(row["latency"]) - 1) for row in rows]
    print(f"queried ({version}): {sum(o > 1e-6 for o in off)} answers differ, the worst by {max(off):.0%}")
