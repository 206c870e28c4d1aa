# cpu_hour.py - four calibrations of one hour, each against the networks measured in all four minutes.
# SPDX-License-Identifier: Apache-2.0
"""Prints cpu_hour.csv. PALEO is the program; run in the sources.
"predict": training steps before measuring, at the speed of calibration a, against the run of minute b.
"live": the same as `paleo predict` said in minute b, at the speed it probed, by a calibration of an earlier minute, by
the shipped one ("shipped", "shipnow": before and after a calibration of that minute), by that of the other instruction
set ("other"), and in minute 4 by its factors at the peaks measured here, as if the shipped one were not there
("prior").
"compare": two runs of one network; then B's convolutions take 1.3 times and all its ops 1.15 times as long.
"pair": both sides measured in turn; then the same of the convolutions, 1.15 of one op at a time, and 1.03 of the total.
"""
import csv
import gzip
import itertools
import json
import math
import os
import re
import statistics
import subprocess
import tempfile

PALEO = os.path.abspath(os.environ.get("PALEO", "build/bin/paleo"))
HOURS = {"avx2": "tests/data/cpu/hour-avx2", "avx512": "tests/data/cpu/cpu-amd-epyc/hour"}
NETS = {"vgg16": 1, "resnet50": 2, "bert_base": 1, "vit_b_16": 1, "convnext_tiny": 2, "regnet_y_3_2gf": 2}
UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1}
LONG_S = 1e-3  # ops from here on are judged one by one
FALSE_DISCOVERIES = 0.05
COLUMNS = ("machine,what,a,b,net,error,in_90,ops,named,half_width,total,convs,convs_found,total_found,"
           "long_ops,long_ops_found")


def run(*words):
    return subprocess.run([PALEO, *words], capture_output=True, text=True, check=True).stdout


def seconds(number, unit):
    return float(number) * UNITS[unit]


def measured(records):
    """The training step: each row's op, by the pooled median of `report`'s and `compare`'s reader."""
    said = run("compare", records, records, "--format", "jsonl", "--all")
    return sum(json.loads(line)["a_s"] for line in said.splitlines())


def predicted(calibration, net):
    said = run("predict", "--calibration", calibration, "--batch", str(NETS[net]), net)
    at = re.search(r"training step +predicted +([\d.]+) (\w+).*?90 %: ([\d.]+) to ([\d.]+) (\w+)", said)
    return seconds(at[1], at[2]), seconds(at[3], at[5]), seconds(at[4], at[5])


def longer(path, out, only, factor):
    """A copy whose ops of a kind take longer."""
    with gzip.open(path, "rt") as lines, open(out, "w") as copy:
        for line in lines:
            record = json.loads(line)
            if record["type"] == "record" and record["op"].startswith(only) and record.get("timing"):
                for key, value in record["timing"].items():
                    if key.endswith("_s") and value is not None and not key.endswith("_per_s"):
                        record["timing"][key] = value * factor
            copy.write(json.dumps(record, separators=(",", ":")) + "\n")


def compared(a, b):
    """Different ops: verdicts of all, and of long convolutions; that of the total; the median half-width."""
    said = run("compare", a, b, "--format", "jsonl", "--all")
    ops = {json.loads(line)["op_a"]: json.loads(line) for line in said.splitlines()}
    total = re.search(r"^\S+, batch \d+, f32: (\w+),", run("compare", a, b), re.M)[1]
    named = [o["verdict"] in ("SLOWER", "FASTER") for o in ops.values()]
    convs = [o["verdict"] == "SLOWER" for o in ops.values() if o["op_a"].startswith("conv ") and o["a_s"] > LONG_S]
    halves = sorted((o["change_high"] - o["change_low"]) / 2 for o in ops.values() if o["a_s"] > LONG_S)
    return sum(named), len(named), sum(convs), len(convs), total, halves[len(halves) // 2]


def tail(t, degrees):
    """Student's t: the probability beyond +-t, by the trapezoidal rule over its angle."""
    steps, low = 2000, math.atan(t / math.sqrt(degrees))
    height = (math.pi / 2 - low) / steps
    area = sum(math.cos(low + i * height) ** (degrees - 1) for i in range(1, steps)) * height
    area += height * math.cos(low) ** (degrees - 1) / 2
    return 2 * area * math.gamma((degrees + 1) / 2) / math.gamma(degrees / 2) / math.sqrt(math.pi)


def quantile(degrees):
    """That beyond which 2.5 % lie on each side."""
    low, high = 1.0, 100.0
    while high - low > 1e-4:
        middle = (low + high) / 2
        low, high = (middle, high) if tail(middle, degrees) > 0.05 else (low, middle)
    return high


QUANTILES = {degrees: quantile(degrees) for degrees in range(2, 101)}


def degrees_of(ops):
    """The degrees of freedom that the ops' intervals and probabilities agree on best."""
    def gap(degrees):
        return sum(abs(tail(abs(o["log"]) / o["half"] * QUANTILES[degrees], degrees) - o["p"]) for o in ops)
    return min(QUANTILES, key=gap)


def found(probabilities, judged):
    """How many of the judged have a change beyond noise, by Benjamini and Hochberg."""
    ranked = sorted(probabilities.values())
    bound = max((p for i, p in enumerate(ranked) if p <= FALSE_DISCOVERIES * (i + 1) / len(ranked)), default=-1)
    return sum(probabilities[key] <= bound for key in judged)


def pair(rows):
    """A row of the table for one pair: equal sides, and what would have been found of changes put into B."""
    total = next(r for r in rows if not r["op"])
    ops = {r["op"]: {"log": math.log1p(float(r["change"])), "p": float(r["p"]), "a_s": float(r["a_s"]),
                     "half": (math.log1p(float(r["high"])) - math.log1p(float(r["low"]))) / 2}
           for r in rows if r["op"] and r["p"]}
    degrees = degrees_of(ops.values())

    def slower(keys, factor):
        changed = {k: tail(abs(o["log"] + math.log(factor) * (k in keys)) / o["half"] * QUANTILES[degrees], degrees)
                   for k, o in ops.items()}
        return found(changed, keys)

    convs = [k for k, o in ops.items() if k.startswith("conv ") and o["a_s"] > LONG_S]
    long = [k for k, o in ops.items() if o["a_s"] > LONG_S]
    halves = [math.expm1(ops[k]["half"]) for k in long]
    return [len(ops), found({k: o["p"] for k, o in ops.items()}, list(ops)), "%.3f" % statistics.median(halves),
            total["verdict"], len(convs), slower(convs, 1.3) if convs else 0,
            int((1 + float(total["low"])) * 1.03 > 1), len(long), sum(slower([k], 1.15) for k in long)]


def main():
    table = csv.writer(open(1, "w", closefd=False), lineterminator="\n")
    table.writerow(COLUMNS.split(","))
    for machine, hour in HOURS.items():
        truth = {(b, net): measured(f"{hour}/{b}-{net}.jsonl.gz") for b in range(1, 5) for net in NETS}
        with tempfile.TemporaryDirectory() as folder:
            for a in range(1, 5):
                run("calibrate", "--from", f"{hour}/{a}-design.jsonl.gz", "--output", f"{folder}/{a}.json")
            for a, b, net in itertools.product(range(1, 5), range(1, 5), NETS):
                time, low, high = predicted(f"{folder}/{a}.json", net)
                table.writerow([machine, "predict", a, b, net, "%.4f" % (time / truth[b, net] - 1),
                                int(low <= truth[b, net] <= high)] + 9 * [""])
            for (a, b), net in itertools.product(itertools.combinations(range(1, 5), 2), NETS):
                old, new = (f"{hour}/{i}-{net}.jsonl.gz" for i in (a, b))
                longer(new, f"{folder}/conv.jsonl", "conv ", 1.3)
                longer(new, f"{folder}/all.jsonl", "", 1.15)
                named, ops, _, _, total, half = compared(old, new)
                _, _, seen, convs, _, _ = compared(old, f"{folder}/conv.jsonl")
                slower = compared(old, f"{folder}/all.jsonl")[4]
                table.writerow([machine, "compare", a, b, net, "", "", ops, named, "%.3f" % half, total, convs, seen,
                                int(slower == "SLOWER"), "", ""])
        if os.path.exists(f"{hour}/live.csv"):
            for row in csv.DictReader(open(f"{hour}/live.csv")):
                step = truth[int(row["minute"]), row["net"]]
                table.writerow([machine, "live", row["by"], row["minute"], row["net"],
                                "%.4f" % (float(row["step_s"]) / step - 1),
                                int(float(row["low_s"]) <= step <= float(row["high_s"])) if row["low_s"] else ""] +
                               9 * [""])
        if os.path.exists(f"{hour}/pairs.csv.gz"):
            pairs = list(csv.DictReader(gzip.open(f"{hour}/pairs.csv.gz", "rt")))
            for (minute, net), rows in itertools.groupby(pairs, lambda r: (r["minute"], r["net"])):
                ops, named, half, total, convs, seen, totals, long, ones = pair(list(rows))
                table.writerow([machine, "pair", minute, minute, net, "", "", ops, named, half, total, convs, seen,
                                totals, long, ones])


if __name__ == "__main__":
    main()
