# depthwise_gradients.py TIMM.csv - the two percentages of depthwise gradients, from training steps that others measured.
# SPDX-License-Identifier: Apache-2.0
"""Training steps on an RTX 3090 (f16 by autocast, eager, PyTorch 1.12). All other works are taken from paleo predict,
times the middle factor of nets without groups in the same layout. Fits the fractions of the f32 peak and of the
bandwidth that both gradients of depthwise layers reach to some nets, and judges others. PALEO is the program."""
import csv
import math
import re
import statistics
import sys

import frameworks

PEAK, BANDWIDTH = 35.6e12, 936e9
FITTED = ("mobilenetv2_100", "convnext_small", "efficientnet_b1")


def parts_of(row):
    """Whether there are groups; seconds of all but depthwise gradients; FLOPs and bytes of each of these."""
    grouped, rest_s, depthwise = False, 0, []
    for work in frameworks.works_of(row):
        groups = re.search(r" c=(\d+) .*groups=(\d+)", work["work"])
        grouped |= groups is not None
        if groups and groups[1] == groups[2] and work["work"].split()[1] != "fwd":
            depthwise.append((float(work["flops"]), float(work["bytes"])))
        else:
            rest_s += float(work["predicted_s"])
    return grouped, rest_s, depthwise


def gradients_s(compute, memory, depthwise):
    return sum(max(f / (compute * PEAK), b / (memory * BANDWIDTH)) for f, b in depthwise)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        rows = [r for r in csv.DictReader(file) if r["phase"] == "train" and r["model"] in frameworks.NETS]
    for row in rows:
        row["parts"], row["s"] = parts_of(row), float(row["step_ms"]) / 1e3
    factor = {layout: statistics.median(r["s"] / r["parts"][1] for r in rows
                                        if r["layout"] == layout and not r["parts"][0])
              for layout in ("nchw", "nhwc")}
    nets = [r for r in rows if r["parts"][2]]

    def error(row, compute, memory):
        return (factor[row["layout"]] * row["parts"][1] + gradients_s(compute, memory, row["parts"][2])) / row["s"] - 1

    def loss(compute, memory):
        return sum(math.log1p(error(r, compute, memory)) ** 2 for r in nets if r["model"] in FITTED)

    grid = [0.02 * 1.05 ** i for i in range(82)]
    _, compute, memory = min((loss(c, m), c, m) for c in grid for m in grid)
    print("factors of the rest: nchw %.3f, nhwc %.3f" % (factor["nchw"], factor["nhwc"]))
    print("fitted to %s: %.3f of the f32 peak, %.3f of the bandwidth" % (", ".join(FITTED), compute, memory))
    for name, judged in (("fitted", True), ("held out", False)):
        some = [r for r in nets if (r["model"] in FITTED) == judged]
        for pair in ((compute, memory), (0.2, 1)):
            errors = [100 * error(r, *pair) for r in some]
            print("%s, with %.3f and %.3f: mean |error| %.1f %%, from %+.1f to %+.1f, %d rows" %
                  (name, *pair, statistics.mean(map(abs, errors)), min(errors), max(errors), len(errors)))


main()
