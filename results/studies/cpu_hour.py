# cpu_hour.py - four calibrations of one hour, each against the networks measured in all four minutes.
# SPDX-License-Identifier: Apache-2.0
"""Prints cpu_hour.csv: training steps predicted before measuring, at the calibration's speed ("predict"), and runs of
one network compared ("compare"): equal, then with B's convolutions 1.3 times and with all its ops 1.15 times as long.
The records are in tests/data/cpu/cpu-amd-epyc-avx2/hour. PALEO is the program; run in the sources."""
import csv
import gzip
import itertools
import json
import os
import re
import subprocess
import tempfile

PALEO = os.path.abspath(os.environ.get("PALEO", "build/bin/paleo"))
HOUR = "tests/data/cpu/cpu-amd-epyc-avx2/hour"
NETS = {"vgg16": 1, "resnet50": 2, "bert_base": 1, "vit_b_16": 1, "convnext_tiny": 2, "regnet_y_3_2gf": 2}
UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1}
LONG_S = 1e-3  # ops from here on are judged one by one


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


def main():
    table = csv.writer(open(1, "w", closefd=False), lineterminator="\n")
    table.writerow("what,a,b,net,error,in_90,ops,named,half_width,total,convs,convs_found,total_found".split(","))
    with tempfile.TemporaryDirectory() as folder:
        for a in range(1, 5):
            run("calibrate", "--from", f"{HOUR}/{a}-design.jsonl.gz", "--output", f"{folder}/{a}.json")
        for a, b, net in itertools.product(range(1, 5), range(1, 5), NETS):
            truth = measured(f"{HOUR}/{b}-{net}.jsonl.gz")
            time, low, high = predicted(f"{folder}/{a}.json", net)
            table.writerow(["predict", a, b, net, "%.4f" % (time / truth - 1), int(low <= truth <= high)] + 7 * [""])
        for (a, b), net in itertools.product(itertools.combinations(range(1, 5), 2), NETS):
            old, new = (f"{HOUR}/{i}-{net}.jsonl.gz" for i in (a, b))
            longer(new, f"{folder}/conv.jsonl", "conv ", 1.3)
            longer(new, f"{folder}/all.jsonl", "", 1.15)
            named, ops, _, _, total, half = compared(old, new)
            _, _, found, convs, _, _ = compared(old, f"{folder}/conv.jsonl")
            slower = compared(old, f"{folder}/all.jsonl")[4]
            table.writerow(["compare", a, b, net, "", "", ops, named, "%.3f" % half, total, convs, found, slower])


if __name__ == "__main__":
    main()
