# frameworks.py TIMM.csv - whole nets as PyTorch ran them, against predictions; fits one factor per framework and mode.
# SPDX-License-Identifier: Apache-2.0
"""Sums the works that `paleo predict --framework` lists (with --no-factor) for every row of timm's tables
whose net nets/make.py builds, and prints frameworks.csv. The factor that a net is judged with is the geometric middle
of the other nets' (measured / predicted), on all cards and sizes, of the same framework, mode and layout; its interval
holds 90 % of these. PALEO is the program. --factors prints the factors of all nets instead."""
import csv
import math
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "nets"))
import make  # noqa: E402

PALEO = os.environ.get("PALEO", "build/bin/paleo")
GPUS = {"RTX_4090": "rtx-4090", "RTX_3090": "rtx-3090"}
NETS = {"resnet18": "resnet18", "resnet34": "resnet34", "resnet50": "resnet50_v15", "resnet101": "resnet101",
        "resnet152": "resnet152", "wide_resnet50_2": "wide_resnet50", "resnext50_32x4d": "resnext50",
        "resnext101_32x8d": "resnext101_32x8d", "mobilenetv1_100": "mobilenet_v1", "mobilenetv2_100": "mobilenet_v2",
        "efficientnetv2_s": "efficientnet_v2_s", "efficientnet_b1": "efficientnet_b1",
        "efficientnet_b2": "efficientnet_b2", "efficientnet_b3": "efficientnet_b3", "regnety_032": "regnet_y_3_2gf",
        "regnety_080": "regnet_y_8gf", "regnety_160": "regnet_y_16gf", "regnetx_032": "regnet_x_3_2gf", "regnetx_004": "regnet_x_400mf",
        "regnetx_008": "regnet_x_800mf", "regnety_008": "regnet_y_800mf",
        "convnext_small": "convnext_small", "convnext_base": "convnext_base", "convnext_large": "convnext_large",
        "vit_base_patch16_224": "vit_b_16", "vit_small_patch16_224": "vit_s_16", "vit_tiny_patch16_224": "vit_t_16",
        "vit_base_patch32_224": "vit_b_32", "vit_large_patch16_224": "vit_l_16", "deit_base_patch16_224": "vit_b_16",
        "deit_small_patch16_224": "vit_s_16", "deit_tiny_patch16_224": "vit_t_16", "vgg11": "vgg11", "vgg13": "vgg13",
        "vgg16": "vgg16_plain", "vgg16_bn": "vgg16_bn", "vgg19": "vgg19"}
FRAMEWORK = {"eager": "eager", "torch.compile": "compiled"}
# Rows of an older release of the same card and net would count a net twice.
NEWEST = {("RTX_3090", "infer"): "2.4.0", ("RTX_3090", "train"): "1.12", ("RTX_4090", "infer"): "2.4.0"}


def works_of(row):
    """The lines of paleo predict for a row of the table. Before PyTorch 2 attention was no fused kernel."""
    image, batch = int(row["img"]), int(float(row["batch"]))
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        file.write(make.make(NETS[row["model"]], image))
        file.flush()
        command = [PALEO, "predict", "--device", GPUS[row["device"]], "--dtype", "f16", "--layout", row["layout"],
                   "--batch", str(batch), "--framework", FRAMEWORK[row["mode"]], "--no-factor", "--format", "csv"]
        command += ["--pass", "fwd"] if row["phase"] == "infer" else ["--optimizer", "momentum"]
        command += ["--separate-attention"] if row["torch"].startswith("1.") else []
        text = subprocess.run(command + [file.name], check=True, capture_output=True, text=True).stdout
    return list(csv.DictReader(text.splitlines()))


def predicted_s(row, cache):
    key = tuple(row[name] for name in ("device", "img", "batch", "phase", "layout", "mode")) + (net_of(row),)
    if key not in cache:
        cache[key] = sum(float(work["predicted_s"]) for work in works_of(row))
    return cache[key]


def middle(ratios):
    """Geometric middle and the range of 90 % of the ratios, wider for few (split conformal)."""
    logs = sorted(math.log(r) for r in ratios)
    n = len(logs)
    at = logs[n // 2] if n % 2 else (logs[n // 2 - 1] + logs[n // 2]) / 2
    rank = min(n - 1, math.ceil(0.95 * (n + 1)) - 1)
    return math.exp(at), math.exp(logs[n - 1 - rank]), math.exp(logs[rank])


def net_of(row):
    return NETS[row["model"]]


def main():
    cache, groups = {}, {}
    with open(sys.argv[1], encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["model"] in NETS and NEWEST.get((row["device"], row["phase"])) == row["torch"]:
                groups.setdefault((FRAMEWORK[row["mode"]], row["phase"], row["layout"]), []).append(row)
    if "--factors" not in sys.argv:
        print("framework,phase,layout,device,net,image,batch,measured_ms,works_ms,factor,predicted_ms,error_percent,inside")
    for (framework, phase, layout), rows in sorted(groups.items()):
        ratios = {}
        for row in rows:
            row["works_s"] = predicted_s(row, cache)
            ratios.setdefault(net_of(row), []).append(float(row["step_ms"]) / 1e3 / row["works_s"])
        if "--factors" in sys.argv:
            print(framework, phase, layout, "%.3f (%.3f to %.3f), %d nets" %
                  (*middle([r for net in ratios.values() for r in net]), len(ratios)))
            continue
        for row in rows:
            factor, low, high = middle([r for net, some in ratios.items() if net != net_of(row) for r in some])
            measured, works = float(row["step_ms"]), 1e3 * row["works_s"]
            print("%s,%s,%s,%s,%s,%s,%s,%.3f,%.3f,%.3f,%.3f,%.1f,%d" %
                  (framework, phase, layout, row["device"], row["model"], row["img"], row["batch"], measured, works,
                   factor, works * factor, 100 * (works * factor / measured - 1),
                   works * low <= measured <= works * high))


if __name__ == "__main__":
    main()
