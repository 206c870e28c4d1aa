# cpu_prior.py - networks of two calibrated CPUs, predicted as if their machine had no calibration.
# SPDX-License-Identifier: Apache-2.0
"""Prints cpu_prior.csv. "same": the machine's own factors are a prior, as it has other threads; "other": its calibration
is not there, so that the prior is another CPU's, of another instruction set. PALEO is the program; run in the sources."""
import glob
import gzip
import json
import os
import re
import shutil
import statistics
import subprocess
import tempfile

PALEO = os.path.abspath(os.environ.get("PALEO", "build/bin/paleo"))
DATA = os.path.join(os.path.dirname(PALEO), "../share/paleo")
OPS_FROM_S = 1e-4  # shorter ones follow neither peak


def nets(records, data):
    """The networks of a file of records, predicted beside measured."""
    with tempfile.TemporaryDirectory() as folder:
        open(os.path.join(folder, "r.jsonl"), "w").write(records)
        subprocess.run([PALEO, "report", "--output", "r.html", "r.jsonl"], cwd=folder, check=True,
                       stdout=subprocess.DEVNULL, env=dict(os.environ, PALEO_DATA_DIR=data))
        page = open(os.path.join(folder, "r.html")).read()
    return json.loads(re.search("id='data'>(.*?)</script>", page, re.S)[1])["runs"][0]["nets"]


def study(machine, data):
    sums, ops, inside = [], [], []
    for path in sorted(glob.glob(f"tests/data/cpu/{machine}/*-b*-f32.jsonl.gz")):
        for net in nets(gzip.open(path, "rt").read().replace('"threads":2', '"threads":3'), data):
            step = next(s for s in net["sums"] if s["what"] == "training step")
            sums.append(abs(step["s"] / step["measured_s"] - 1))
            for row in net["rows"]:
                if row.get("measured_s", 0) > OPS_FROM_S:
                    ops.append(abs(row["s"] / row["measured_s"] - 1))
                    inside.append(row.get("low_s") and row["low_s"] <= row["measured_s"] <= row["high_s"])
    held = "-" if None in inside else "%.0f" % (100 * statistics.mean(inside))
    return "%d,%.1f,%.1f,%d,%.1f,%s" % (len(sums), 100 * statistics.median(sums), 100 * max(sums), len(ops),
                                        100 * statistics.median(ops), held)


print("machine,prior,nets,sum_median_%,sum_max_%,ops,op_median_%,ops_in_90_%")
for machine in ("cpu-amd-epyc", "cpu-amd-epyc-avx2"):
    print(f"{machine},same,{study(machine, DATA)}")
    with tempfile.TemporaryDirectory() as folder:
        other = os.path.join(folder, "paleo")
        shutil.copytree(DATA, other, ignore=shutil.ignore_patterns(machine))
        print(f"{machine},other,{study(machine, other)}")
