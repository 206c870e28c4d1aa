"""How long is a training step of ResNet-50 on three GPUs?"""
# SPDX-License-Identifier: Apache-2.0
import paleo

net = paleo.load("resnet50", batch=64)
for name in ("t4", "a100-80-sxm", "h100-sxm"):
    prediction = paleo.predict(net, name, dtype="f16")
    step = prediction.totals["step"]
    print(
        f"{name:12} {1e3 * step['total_s']:7.2f} ms"
        f"  90 %: {1e3 * step['low_s']:.2f} to {1e3 * step['high_s']:.2f} ms"
    )
