"""traces.py FOLDER [THREADS] - real traces of PyTorch's profiler on a CPU: ResNet-50 and a small GPT, inference and training."""
# SPDX-License-Identifier: Apache-2.0
#
# Needs torch alone. Each trace is written whole, and beside it as NAME.cut.json.gz with the fields that are read.
import gzip
import json
import os
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F
from torch.profiler import ProfilerActivity, profile, schedule

FOLDER = sys.argv[1]
ATTEMPTS = 6
STEPS = 3  # of inference; of training 2
THREADS = int(sys.argv[2]) if len(sys.argv) > 2 else 1
ARGS = ("External id", "Input Dims", "Input type", "Concrete Inputs", "Input Strides")


class Bottleneck(nn.Module):
    def __init__(self, inputs, width, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, width, 1, stride, bias=False)  # where nets/resnet50.json strides
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = nn.Conv2d(width, 4 * width, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(4 * width)
        self.down = None
        if stride != 1 or inputs != 4 * width:
            self.down = nn.Sequential(nn.Conv2d(inputs, 4 * width, 1, stride, bias=False), nn.BatchNorm2d(4 * width))

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)), inplace=True)
        y = F.relu(self.bn2(self.conv2(y)), inplace=True)
        y = self.bn3(self.conv3(y))
        y += self.down(x) if self.down else x
        return F.relu(y, inplace=True)


class ResNet50(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 64, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        blocks, inputs = [], 64
        for width, count, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
            for i in range(count):
                blocks.append(Bottleneck(inputs, width, 1 if i else stride))
                inputs = 4 * width
        self.blocks = nn.Sequential(*blocks)
        self.fc = nn.Linear(2048, 1000)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.bn1(self.conv1(x)), inplace=True), 3, 2, 1)
        return self.fc(F.adaptive_avg_pool2d(self.blocks(x), 1).flatten(1))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        batch, tokens, width = x.shape
        q, k, v = (t.view(batch, tokens, self.heads, -1).transpose(1, 2) for t in self.qkv(self.norm1(x)).chunk(3, -1))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(batch, tokens, width)
        x = x + self.out(y)
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class GPT(nn.Module):
    def __init__(self, layers=4, width=512, heads=8, vocab=8192, tokens=256):
        super().__init__()
        self.table, self.places = nn.Embedding(vocab, width), nn.Embedding(tokens, width)
        self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(layers)))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocab, bias=False)

    def forward(self, x):
        return self.head(self.norm(self.blocks(self.table(x) + self.places(torch.arange(x.shape[1])))))


def infer(net, x):
    with torch.inference_mode():
        net(x)


def train(net, x, optimizer):
    optimizer.zero_grad()
    y = net(x)
    target = x if x.dtype == torch.long else torch.zeros(len(x), dtype=torch.long)
    F.cross_entropy(y.view(-1, y.shape[-1]), target.view(-1)).backward()
    optimizer.step()


def cut(path):
    """The fields that a reader needs."""
    with open(path, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    kept = []
    for e in events:
        if e.get("cat") not in ("cpu_op", "user_annotation"):
            continue
        e["args"] = {k: v for k, v in e["args"].items() if k in ARGS}
        e["ts"] = round(e["ts"] - events[0]["ts"], 3)
        kept.append(e)
    with gzip.GzipFile(path.replace(".json", ".cut.json.gz"), "wb", mtime=0) as file:
        file.write(json.dumps({"schemaVersion": 1, "traceEvents": kept}, separators=(",", ":")).encode())


def record(name, step, steps=STEPS, attempts=ATTEMPTS):
    """A trace of some steps, behind two that are not recorded: that of the fastest attempt, others being disturbed."""
    path, best = os.path.join(FOLDER, name + ".json"), float("inf")
    for _ in range(attempts):
        with profile(activities=[ProfilerActivity.CPU], record_shapes=True,
                     schedule=schedule(wait=1, warmup=1, active=steps),
                     on_trace_ready=lambda p: p.export_chrome_trace(path + ".new")) as p:
            took = 0
            for i in range(steps + 2):
                start = time.perf_counter()
                step()
                took += time.perf_counter() - start if i > 1 else 0
                p.step()
        if took < best:
            best = took
            os.replace(path + ".new", path)
    cut(path)


def main():
    torch.manual_seed(1)
    torch.set_num_threads(THREADS)
    images, words = torch.randn(2, 3, 224, 224), torch.randint(8192, (2, 256))
    net = ResNet50().eval()
    record("resnet50-infer", lambda: infer(net, images))
    net.train()
    sgd = torch.optim.SGD(net.parameters(), 0.01, momentum=0.9)
    record("resnet50-train", lambda: train(net, images, sgd), 2)
    gpt = GPT().eval()
    record("gpt-infer", lambda: infer(gpt, words))
    gpt.train()
    adam = torch.optim.AdamW(gpt.parameters())
    record("gpt-train", lambda: train(gpt, words, adam), 2)
    half = GPT().to(torch.bfloat16).eval()
    record("gpt-bf16", lambda: infer(half, words))


main()
