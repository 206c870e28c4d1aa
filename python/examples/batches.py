"""Which batch of ResNet-50 brings how many images per second on a T4?"""
# SPDX-License-Identifier: Apache-2.0
import paleo

net = paleo.load("resnet50")
for batch in (1, 4, 16, 64):
    forward = paleo.predict(net, "t4", batch=batch, dtype="f16", passes="fwd").totals["forward"]
    print(f"batch {batch:3}: {batch / forward['total_s']:7.1f} images/s")
