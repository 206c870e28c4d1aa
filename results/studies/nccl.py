# nccl.py FOLDER - the parameters of NVLink under NCCL, fitted to published times of its collectives; prints nccl.csv.
# SPDX-License-Identifier: Apache-2.0
"""FOLDER has aiconfigurator's nccl tables (README.md). A collective of n bytes on p GPUs has s = p - 1 steps, an
all-reduce twice as many, and takes ((start + s latency)^v + (s n / (p share rate))^v)^(1/v); an all-reduce adds
(p - 1)/p n at three memory accesses a byte. Each link's four numbers minimise the mean of |log(predicted/measured)|
over all-reduce, all-gather and reduce-scatter in 16 bits. On PCI Express the rate of p GPUs may fall as (2/p)^crowd, a
fifth number. Rows: what it was fitted to, what it is judged on."""
import csv
import gzip
import math
import os
import statistics
import sys

LINKS = {  # NVLink's rate and the GPU's memory, in bytes per second; tables
    "nvlink3": (300e9, 2.039e12, ["A100_80GB_SXM_nccl-2.27.3"]),
    "nvlink4": (450e9, 3.35e12, ["H100_SXM_nccl-2.29.2", "H200_SXM_nccl-2.29.2"]),
    "nvlink5": (900e9, 8e12, ["B200_nccl-2.29.2", "GB200_nccl-2.29.2"]),
    "pcie4-x16": (31.5e9, 0.864e12, ["L40S_nccl-2.27.3"]),
}
OTHERS = {"nvlink4": "H100_SXM_nccl-2.27.3", "nvlink5": "B200_nccl-2.27.3"}
RINGS = ("all_reduce", "all_gather", "reduce_scatter")


def read(name):
    with gzip.open(os.path.join(sys.argv[1], f"nccl_{name}.csv.gz"), "rt") as table:
        return [(r["coll"], int(r["ranks"]), float(r["bytes"]), float(r["time_us"]) * 1e-6)
                for r in csv.DictReader(table) if r["dtype"] == "half"]


def predicted(at, link, coll, p, n):
    start, latency, share, v, *crowd = at
    rate, memory, _ = LINKS[link]
    rate *= (2 / p) ** (crowd[0] if crowd else 0)
    steps = (2 if coll == "all_reduce" else 1) * (p - 1)
    added = 0 if coll in ("all_gather", "alltoall") else (p - 1) / p * n * 3 / memory
    return ((start + steps * latency) ** v + (steps * n / (p * share * rate)) ** v) ** (1 / v) + added


def errors(at, link, rows):
    return [abs(math.log(predicted(at, link, *row[:3]) / row[3])) for row in rows]


def fit(link, rows, crowd):
    """Pattern search over the logarithms."""
    at, step = [math.log(x) for x in (5e-6, 1e-6, 0.7, 0.7, 1)[:4 + crowd]], 0.5
    best = math.inf
    while step > 1e-4:
        before = best
        for i in range(len(at)):
            for sign in (1, -1):
                tried = at[:i] + [at[i] + sign * step] + at[i + 1:]
                cost = statistics.mean(errors([math.exp(x) for x in tried], link, rows))
                if cost < best - 1e-9:
                    at, best = tried, cost
        if best == before:
            step /= 2
    return [math.exp(x) for x in at]


def main():
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["link", "fitted_to", "start_us", "latency_us", "share", "v", "crowd", "judged_on", "rows", "mean", "median"])
    for link, (_, _, names) in LINKS.items():
        rows = [row for name in names for row in read(name)]
        rings = [row for row in rows if row[0] in RINGS]
        judged = [(" ".join(names), rings, [("the same", rings), ("the same, from 4 MB", [r for r in rings if r[2] >= 4 << 20]),
                                            ("alltoall", [r for r in rows if r[0] == "alltoall"])])]
        if link in OTHERS:
            judged[0][2].append((OTHERS[link], [r for r in read(OTHERS[link]) if r[0] in RINGS]))
        judged.append(("2 and 8 ranks", [r for r in rings if r[1] != 4], [("4 ranks", [r for r in rings if r[1] == 4])]))
        for crowd, (what, fitted, sets) in ((crowd, j) for crowd in (0, 1)[:1 + link.startswith("pcie")] for j in judged):
            at = fit(link, fitted, crowd)
            for name, on in sets:
                e = [abs(predicted(at, link, *r[:3]) / r[3] - 1) for r in on]
                out.writerow([link, what, f"{at[0] * 1e6:.3g}", f"{at[1] * 1e6:.3g}", f"{at[2]:.3g}", f"{at[3]:.3g}",
                              f"{at[4]:.3g}" if crowd else "",
                              name, len(e), f"{statistics.mean(e):.3f}", f"{statistics.median(e):.3f}"])


main()
