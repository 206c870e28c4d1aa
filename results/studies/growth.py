#!/usr/bin/env python3
"""growth.py LLM - steps of the time as a size grows, measured and predicted; prints growth.csv.

SPDX-License-Identifier: Apache-2.0

LLM is the folder of tables that README.md names. PALEO is the program, build/bin/paleo by default; predictions are
those of `paleo predict` without options. GEMMs: m to m + 1, of which the tables have pairs from 32 rows on. Encoders:
where the time at a length that is no multiple of 128 is between those at two that are; by area it would be as far as
`by_area` says, by tiles of 128 tokens as `by_tiles`.
"""
import csv
import gzip
import io
import json
import os
import statistics
import subprocess
import sys
import tempfile

PALEO = os.environ.get("PALEO", "build/bin/paleo")
GPUS = {"l40s": "L40S", "h100-sxm": "H100_SXM", "h200": "H200_SXM", "b200": "B200"}
LENGTHS = [(128, 192, 256), (256, 400, 512), (512, 576, 1024), (1024, 1296, 1536)]


def table(folder, name):
    with gzip.open(os.path.join(folder, f"{name}_trtllm-1.3.0rc20.csv.gz"), "rt") as file:
        return list(csv.DictReader(file))


def predicted(device, layers):
    """Seconds by layer of a net of these."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({"name": "steps", "dtype": "bf16", "layers": layers}, file)
        file.flush()
        out = subprocess.run([PALEO, "predict", "--device", device, "--pass", "fwd", "--format", "csv", file.name],
                             check=True, capture_output=True, text=True).stdout
    return {row["layer"]: float(row["predicted_s"]) for row in csv.DictReader(io.StringIO(out))}


def gemms(device, rows):
    times = {}
    for m in {r["m"] for r in rows}:
        mine = [r for r in rows if r["m"] == m]
        layers = {f"k{k}": {"type": "Input", "parents": [], "tensor": [int(m), int(k)]} for k in {r["k"] for r in mine}}
        for r in mine:
            layers[f"{r['n']}x{r['k']}"] = {"type": "InnerProduct", "parents": [f"k{r['k']}"], "bias": False,
                                            "num_outputs": int(r["n"])}
        seconds = predicted(device, layers)
        for r in mine:
            times[int(m), r["n"], r["k"]] = float(r["time_us"]), seconds[f"{r['n']}x{r['k']}"]
    pairs = [(times[m, n, k], times[m + 1, n, k]) for m, n, k in times if m >= 32 and (m + 1, n, k) in times]
    for who, name in enumerate(("measured", "predicted")):
        steps = [b[who] / a[who] for a, b in pairs]
        falls, rises = sum(s < 0.95 for s in steps), sum(s > 1.1 for s in steps)
        print(f"{device},gemm,m + 1,{name},{len(steps)},{100 * falls / len(steps):.1f},"
              f"{100 * rises / len(steps):.1f},{min(steps):.2f},{max(steps):.2f},,,")


def encoders(device, rows):
    times = {}
    rows = [r for r in rows if int(r["seq"]) in {n for three in LENGTHS for n in three}]
    for batch in {r["batch"] for r in rows}:
        mine = [r for r in rows if r["batch"] == batch]
        layers = {}
        for r in mine:
            width = int(r["heads"]) * int(r["head_dim"])
            name = f"{r['seq']},{r['heads']},{r['head_dim']}"
            sources = [f"{of}{r['seq']}x{width}" for of in "qkv"]
            for source in sources:
                layers[source] = {"type": "Input", "parents": [], "tensor": [int(batch), int(r["seq"]), width]}
            layers[name] = {"type": "FusedAttention", "parents": sources, "heads": int(r["heads"])}
        seconds = predicted(device, layers)
        for r in mine:
            key = f"{r['seq']},{r['heads']},{r['head_dim']}"
            times[batch, r["heads"], r["head_dim"], int(r["seq"])] = float(r["time_us"]), seconds[key]
    for low, at, high in LENGTHS:
        far = [[], []]
        for key in times:
            a, b, c = times.get(key[:3] + (low,)), times.get(key[:3] + (at,)), times.get(key[:3] + (high,))
            if key[3] == at and a and c and c[0] > 80 and c[0] > 1.5 * a[0]:  # long enough, and not of a launch
                for who in (0, 1):
                    far[who].append((b[who] - a[who]) / (c[who] - a[who]))
        area = (at ** 2 - low ** 2) / (high ** 2 - low ** 2)
        tiles = ((128 * -(-at // 128)) ** 2 - low ** 2) / (high ** 2 - low ** 2)
        for who, name in enumerate(("measured", "predicted")):
            print(f"{device},encoder,{at} of {low} to {high},{name},{len(far[who])},,,,,"
                  f"{statistics.median(far[who]):.2f},{area:.2f},{tiles:.2f}")


def main():
    print("device,op,step,times,pairs,falls_percent,rises_percent,least,most,far,by_area,by_tiles")
    for device, gpu in GPUS.items():
        gemms(device, table(sys.argv[1], f"gemm_bf16_{gpu}"))
        encoders(device, table(sys.argv[1], f"encoder_attn_{gpu}"))


main()
