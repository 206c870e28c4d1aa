# cpu_probe.py ROUNDS - the first command on this CPU, then what it predicted: measures for some minutes.
# SPDX-License-Identifier: Apache-2.0
"""Prints a row for each prediction: `paleo predict --device cpu`, which probes the machine's speed, by the shipped
calibration and by one of 60 s made here first, against the training step of the `paleo profile` that follows. PALEO is
the program; run in the sources, on a quiet machine."""
import csv
import json
import os
import re
import subprocess
import sys
import tempfile

PALEO = os.path.abspath(os.environ.get("PALEO", "build/bin/paleo"))
NETS = {"vgg16": 1, "resnet50": 2, "bert_base": 1, "vit_b_16": 1, "convnext_tiny": 2, "regnet_y_3_2gf": 2}
UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1}


def run(*words, cwd=None):
    return subprocess.run([PALEO, *words], capture_output=True, text=True, check=True, cwd=cwd).stdout


def seconds(number, unit):
    return float(number) * UNITS[unit]


def predicted(net, batch, cwd):
    said = run("predict", "--device", "cpu", "--batch", batch, net, cwd=cwd)
    at = re.search(r"training step +predicted +([\d.]+) (\w+).*?90 %: ([\d.]+) to ([\d.]+) (\w+)", said)
    used = re.search(r"used: ([^;\n]*)", said)
    speed = used[1] if used else "as calibrated"
    return speed, seconds(at[1], at[2]), seconds(at[3], at[5]), seconds(at[4], at[5])


def measured(net, batch, cwd):
    records = os.path.join(cwd, "measured.jsonl")
    run("profile", "--device", "cpu", "--batch", batch, "--time-budget", "40s", "--output", records, "--force", net)
    said = run("compare", records, records, "--format", "jsonl", "--all")
    return sum(json.loads(line)["a_s"] for line in said.splitlines())


def main():
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["calibration", "round", "net", "speed", "error", "in_90", "half_width"])
    with tempfile.TemporaryDirectory() as shipped, tempfile.TemporaryDirectory() as own:
        run("calibrate", "--device", "cpu", cwd=own)
        for at in range(int(sys.argv[1])):
            for net, batch in NETS.items():
                said = {name: predicted(net, str(batch), cwd) for name, cwd in (("shipped", shipped), ("own", own))}
                step_s = measured(net, str(batch), shipped)
                for name, (speed, step, low, high) in said.items():
                    out.writerow([name, at + 1, net, speed, f"{step / step_s - 1:.4f}", int(low <= step_s <= high),
                                  f"{(high - low) / 2 / step:.3f}"])
                sys.stdout.flush()


main()
