"""How does a training step of VGG-16 scale over GPUs, by two links?"""
# SPDX-License-Identifier: Apache-2.0
import paleo

net = paleo.load("vgg16", batch=64)
for link in ("nvlink4", "ethernet"):
    for workers in (1, 4, 16):
        step = paleo.simulate(net, "h100-sxm", dtype="bf16", workers=workers, link=link)
        print(
            f"{link:8} {workers:2} workers: {1e3 * step['step_s']:8.1f} ms,"
            f" {step['speedup']:5.2f} times as fast as one"
        )
