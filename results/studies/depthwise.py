# depthwise.py TIMM.csv - the two percentages of depthwise convolutions, from whole nets that others measured.
# SPDX-License-Identifier: Apache-2.0
"""Fits four numbers a GPU to whole nets in f16, channels innermost, eager: fractions of the tensor
cores' peak (dense convolutions) and of the bandwidth (these, and all that moves data), and of the
f32 peak and the bandwidth for depthwise ones; each layer takes the longer of both. Prints what they
err by, and what they do with the depthwise two of the other GPU. PALEO is the program."""
import csv
import json
import math
import os
import subprocess
import sys
import tempfile

PALEO = os.environ.get("PALEO", "build/bin/paleo")
GPUS = {"RTX_4090": (165.2e12, 82.6e12, 1008e9), "RTX_3090": (71e12, 35.6e12, 936e9)}
CONVNEXT_DEPTHS = (3, 3, 27, 3)
# Autocast normalises in f32 and multiplies by weights in f32: bytes an element of a block moves
# beyond the 18 that the works below have.
CONVNEXT_CASTS = 22


class Net:
    def __init__(self, image):
        self.layers = {"data": {"type": "Input", "parents": [], "tensor": [64, image, image, 3]}}
        self.last, self.channels = "data", 3

    def add(self, kind, **fields):
        name = "l%d" % len(self.layers)
        self.layers[name] = {"type": kind, "parents": [self.last], **fields}
        self.last = name

    def conv(self, size, out, stride=1, groups=1, padding="SAME", norm=None, **fields):
        shape = {"filter": [size, size, self.channels, out], "strides": [1, stride, stride, 1]}
        self.add("Convolution", **shape, padding=padding, groups=groups, **fields)
        self.channels = out
        for kind in norm or ():
            self.add(kind)


NORM, FULL = ("BatchNorm",), ("BatchNorm", "ReLU")


def resnet(net, wide):
    net.conv(7, 64, 2, norm=FULL)
    net.add("Pooling", ksize=[1, 3, 3, 1], strides=[1, 2, 2, 1], padding="SAME")
    for i, (width, blocks) in enumerate(((64, 3), (128, 4), (256, 6), (512, 3))):
        for block in range(blocks):
            begin, channels, stride = net.last, net.channels, 1 + (block == 0 and i > 0)
            net.conv(1, width * wide, norm=FULL)
            net.conv(3, width * wide, stride, norm=FULL)
            net.conv(1, 4 * width, norm=NORM)
            end = net.last
            if block == 0:
                net.last, net.channels = begin, channels
                net.conv(1, 4 * width, stride, norm=NORM)
                begin = net.last
            net.add("Elementwise", parents=[begin, end])
            net.add("ReLU")


def mobilenet1(net, _):
    net.conv(3, 32, 2, norm=FULL)
    for out, stride in [(64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2)] + 5 * [(512, 1)] + \
            [(1024, 2), (1024, 1)]:
        net.conv(3, net.channels, stride, net.channels, norm=FULL)
        net.conv(1, out, norm=FULL)


def mobilenet2(net, _):
    net.conv(3, 32, 2, norm=FULL)
    for times, out, blocks, stride in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2),
                                       (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)):
        for block in range(blocks):
            begin, channels = net.last, net.channels
            if times > 1:
                net.conv(1, channels * times, norm=FULL)
            net.conv(3, net.channels, stride if block == 0 else 1, net.channels, norm=FULL)
            net.conv(1, out, norm=NORM)
            if block:
                net.add("Elementwise", parents=[begin, net.last])
    net.conv(1, 1280, norm=FULL)


def convnext(net, width):
    net.conv(4, width, 4, padding="VALID", norm=("LayerNorm",))
    for i, depth in enumerate(CONVNEXT_DEPTHS):
        if i:
            net.add("LayerNorm")
            net.conv(2, width << i, 2, padding="VALID")
        for _ in range(depth):
            begin, channels = net.last, net.channels
            net.conv(7, channels, 1, channels, norm=("LayerNorm",))
            net.conv(1, 4 * channels, activation_fn="gelu")
            net.conv(1, channels, norm=("ReLU",))  # the layer's scale: as many bytes
            net.add("Elementwise", parents=[begin, net.last])


NETS = [("resnet50", resnet, 1, (160, 176, 224, 288)), ("wide_resnet50_2", resnet, 2, (176, 224, 288)),
        ("mobilenetv1_100", mobilenet1, 0, (224, 256)), ("mobilenetv2_100", mobilenet2, 0, (224,)),
        ("convnext_small", convnext, 96, (224, 288, 384)),
        ("convnext_base", convnext, 128, (224, 256, 288, 320, 384)),
        ("convnext_large", convnext, 192, (224, 288, 384))]


def works_of(build, argument, image):
    """FLOPs and bytes of one image: of dense and of depthwise convolutions, and bytes of the rest."""
    net, batch = Net(image), 64
    build(net, argument)
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({"name": "net", "layers": net.layers}, file)
        file.flush()
        fuse = [] if build is convnext else ["--fuse"]
        text = subprocess.run([PALEO, "predict", "--device", "rtx-4090", "--cost-model", "paleo", "--dtype", "f16",
                               "--layout", "nhwc", "--pass", "fwd", "--batch", str(batch), "--format", "csv",
                               *fuse, file.name], check=True, capture_output=True, text=True).stdout
    dense, depthwise, moved = [], [], 0
    for row in csv.DictReader(text.splitlines()):
        flops, moves = float(row["flops"]) / batch, float(row["bytes"]) / batch
        if row["work"].startswith("conv"):
            (depthwise if "groups=" in row["work"] else dense).append((flops, moves))
        else:
            moved += moves
    if build is convnext:
        moved += CONVNEXT_CASTS / 4 * sum(moves for _, moves in depthwise)
    return dense, depthwise, moved


def predicted_s(gpu, logs, works):
    peak, vector, bandwidth = GPUS[gpu]
    p = [math.exp(x) for x in logs[:2]] + [math.exp(min(x, 0)) for x in logs[2:]]
    dense, depthwise, moved = works
    return (sum(max(f / (p[0] * peak), b / (p[1] * bandwidth)) for f, b in dense) + moved / (p[1] * bandwidth) +
            sum(max(f / (p[2] * vector), b / (p[3] * bandwidth)) for f, b in depthwise))


def fit(gpu, nets, start, free):
    """The logarithms of `free` numbers, by steps along the axes."""
    def loss(logs):
        return sum(abs(math.log(predicted_s(gpu, logs, works) / time_s)) ** 1.5 for works, time_s in nets)
    logs, least, step = list(start), loss(start), 0.4
    while step > 0.004:
        moved = False
        for j in free:
            for sign in (step, -step):
                other = logs[:j] + [logs[j] + sign] + logs[j + 1:]
                if loss(other) < least:
                    logs, least, moved = other, loss(other), True
        step = step if moved else step / 2
    return logs


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        rows = [r for r in csv.DictReader(file)
                if (r["phase"], r["layout"], r["mode"]) == ("infer", "nhwc", "eager")]
    works = {(name, image): works_of(build, argument, image)
             for name, build, argument, images in NETS for image in images}
    nets, own = {}, {}
    for gpu in GPUS:
        nets[gpu] = {}
        for key, w in works.items():
            times = [float(r["step_ms"]) / float(r["batch"]) / 1e3 for r in rows
                     if (r["device"], r["model"], r["img"]) == (gpu, key[0], str(key[1]))]
            if times:
                nets[gpu][key] = (w, sum(times) / len(times))
        start = [math.log(x) for x in (0.8, 0.8, 0.2, 0.8)]
        own[gpu] = fit(gpu, list(nets[gpu].values()), start, range(4))
        print(gpu, "of the peaks: dense %.2f, memory %.2f, depthwise %.2f of f32, %.2f of memory" %
              tuple(math.exp(x) if i < 2 else math.exp(min(x, 0)) for i, x in enumerate(own[gpu])))
    for gpu, other in zip(GPUS, reversed(GPUS)):
        without = [n for key, n in nets[gpu].items() if "resnet" in key[0]]
        for told, pair in (("the other GPU's", own[other][2:]), ("0.2 and 1", [math.log(0.2), 0])):
            logs = fit(gpu, without, own[gpu][:2] + pair, range(2))
            errors = [predicted_s(gpu, logs, w) / s - 1 for key, (w, s) in nets[gpu].items() if "resnet" not in key[0]]
            print(gpu, "with", told, "depthwise: mean |error| %.1f %%, from %+.1f to %+.1f, of %d nets" %
                  (100 * sum(map(abs, errors)) / len(errors), 100 * min(errors), 100 * max(errors), len(errors)))


main()
