"""export.py PROGRAM ... - exports, loaded and queried by the program that they are for."""
# SPDX-License-Identifier: Apache-2.0
#
# export.py aiconfigurator TABLE.csv           needs `pip install aiconfigurator==0.10.0`
# export.py calculon CHECKOUT SYSTEM.json      a checkout of github.com/calculon-ai/calculon
# export.py llmservingsim CHECKOUT TABLE.csv...  of github.com/casys-kaist/LLMServingSim; `pip install pandas`
# export.py vidur mlp.csv attention.csv        needs `pip install vidur==0.0.26`; tables of Llama 3 8B at tp 1
#
# Prints whether the program's own loader has what the export says, and exits with 1 if not.
import csv
import glob
import json
import os
import shutil
import sys
import tempfile
import types


def rows_of(path):
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(file))


def say(what, count, off, how):
    print(f"{what}: {count} {how}, {'all as exported' if not off else f'{off} differ'}")
    return off


def latencies(loaded):
    if "latency" in loaded:
        return [loaded["latency"]]
    return [latency for part in loaded.values() for latency in latencies(part)]


def gemms_queried(table, rows):
    """GEMMs take the place of its own of TensorRT-LLM on an H100."""
    import aiconfigurator
    from aiconfigurator.sdk import common
    from aiconfigurator.sdk.perf_database import PerfDatabase

    with tempfile.TemporaryDirectory() as folder:
        systems = os.path.join(folder, "systems")
        shipped = os.path.join(os.path.dirname(aiconfigurator.__file__), "systems")
        shutil.copytree(shipped, systems)
        place = sorted(glob.glob(f"{systems}/data/h100_sxm/trtllm/*/gemm_perf.parquet"))[-1]
        os.remove(place)
        shutil.copy(table, os.path.splitext(place)[0] + ".txt")
        version = os.path.basename(os.path.dirname(place))
        database = PerfDatabase("h100_sxm", "trtllm", version, systems)

        def off(row):
            quant = common.GEMMQuantMode[row["gemm_dtype"]]
            answer = database.query_gemm(int(row["m"]), int(row["n"]), int(row["k"]), quant)
            return abs(float(answer) / float(row["latency"]) - 1)

        all_off = [off(row) for row in rows]
        print(f"queried ({version}): {sum(o > 1e-6 for o in all_off)} answers differ, the worst by {max(all_off):.0%}")


def aiconfigurator(table):
    from aiconfigurator.sdk.operations.attention import load_context_attention_data, load_generation_attention_data
    from aiconfigurator.sdk.operations.gemm import load_gemm_data

    loaders = {
        "gemm": load_gemm_data,
        "context_attention": load_context_attention_data,
        "generation_attention": load_generation_attention_data,
    }
    rows = rows_of(table)
    name = rows[0]["op_name"]
    same = sorted(latencies(loaders[name](table))) == sorted(float(row["latency"]) for row in rows)
    if name == "gemm":
        gemms_queried(table, rows)
    return say(name, len(rows), 0 if same else len(rows), "rows loaded")


def calculon(checkout, path):
    sys.path.insert(0, checkout)
    from calculon.system import System

    with open(path, encoding="utf-8") as file:
        config = json.load(file)
    system = System(config)
    off = points = 0
    for name, engine in config["matrix"].items():
        system.set_datatype(name)
        for gflop, share in engine["gflops_efficiency"]:
            points += 1
            off += abs(system.get_matrix_throughput(gflop * 1e9) / (share * engine["tflops"] * 1e12) - 1) > 1e-9
    for megabytes, share in config["mem1"]["MB_efficiency"]:
        points += 1
        off += abs(system.get_mem1_throughput(megabytes * 1e6) / (share * config["mem1"]["GBps"] * 1e9) - 1) > 1e-9
    for network in system.networks:
        ring = network.time("all_reduce", 1e9, network.size)
        print(f"all-reduce of 1 GB over {network.size}: {ring * 1e3:.3f} ms")
    return say("calculon", points, off, "rates queried")


def llmservingsim(checkout, *tables):
    sys.path.insert(0, os.path.abspath(checkout))
    from serving.core import trace_generator as sim

    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/tp1")
        for table in tables:
            shutil.copy(table, f"{folder}/tp1")
        profile = {"root": folder, "available_tps": [1], "tables": {}, "architecture": {"catalog": {}}}

        def answer(name, row):
            if name == "dense.csv":
                return sim._lookup_dense(profile, row["layer"], 1, int(row["tokens"]))
            if name == "per_sequence.csv":
                return sim._lookup_per_sequence(profile, row["layer"], 1, int(row["sequences"]))
            if name == "moe.csv":
                return sim._lookup_moe(profile, int(row["ep"]), int(row["tokens"]), int(row["activated_experts"]))
            axes = ("prefill_chunk", "prefill_key", "n_decode", "kv_decode")
            return sim._lookup_attention(profile, 1, *(int(row[axis]) for axis in axes))

        for table in tables:
            name, rows = os.path.basename(table), rows_of(table)
            # in whole nanoseconds, at least one
            off = sum(abs(answer(name, row) - max(1, 1e3 * float(row["time_us"]))) > 1 for row in rows)
            failed += say(name, len(rows), off, "rows queried")
    return failed


def held_out(name, rows, axes):
    """A fifth of the rows by a forest of the other rows, as Vidur trains for each layer."""
    from sklearn.ensemble import RandomForestRegressor

    column, odd = f"time_stats.{name}.median", rows.sample(frac=0.2, random_state=1)
    even = rows.drop(odd.index)
    forest = RandomForestRegressor(n_estimators=60, max_depth=32, random_state=0).fit(even[axes], even[column])
    error = (forest.predict(odd[axes]) / odd[column] - 1).abs()
    print(f"{name}: {len(odd)} rows held out, median error {error.median():.1%}, p95 {error.quantile(0.95):.1%}")


def vidur(mlp, attention):
    from vidur.config.model_config import Llama38BModelConfig
    from vidur.execution_time_predictor.sklearn_execution_time_predictor import SklearnExecutionTimePredictor as Vidur

    reader = types.SimpleNamespace(
        _model_config=Llama38BModelConfig(),
        _replica_config=types.SimpleNamespace(tensor_parallel_size=1),
        _block_size=16,
    )
    reader._read_input_file = lambda path: Vidur._read_input_file(reader, path)
    steps = Vidur._load_compute_df(reader, mlp)
    seen = Vidur._get_attention_df_with_derived_features(reader, Vidur._load_attention_df(reader, attention))
    prompts, answers = seen[~seen["is_decode"]], seen[seen["is_decode"]]
    lacking = sum(
        int(part[f"time_stats.{name}.median"].isna().sum())
        for part, names in (
            (steps, "attn_pre_proj attn_post_proj mlp_up_proj mlp_down_proj mlp_act attn_rope add"),
            (prompts, "attn_prefill attn_kv_cache_save"),
            (answers, "attn_decode attn_kv_cache_save"),
        )
        for name in names.split()
    )
    for name in ("attn_pre_proj", "mlp_up_proj", "mlp_act", "input_layernorm"):
        held_out(name, steps, ["num_tokens"])
    held_out("attn_prefill", prompts, ["kv_cache_size", "prefill_chunk_size"])
    held_out("attn_decode", answers, ["batch_size", "kv_cache_size"])
    return (
        say("mlp", len(steps), len(rows_of(mlp)) - len(steps), "rows loaded")
        + say("attention", len(seen), len(rows_of(attention)) - len(seen), "rows loaded")
        + say("times", len(steps) + len(seen), lacking, "rows with all that it trains on")
    )


PROGRAMS = {program.__name__: program for program in (aiconfigurator, calculon, llmservingsim, vidur)}
sys.exit(PROGRAMS[sys.argv[1]](*sys.argv[2:]) != 0)
