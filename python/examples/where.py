"""Where does the time of VGG-16's forward pass go?"""
# SPDX-License-Identifier: Apache-2.0
import paleo

rows = paleo.predict("vgg16", "h100-sxm", batch=64, dtype="bf16", passes="fwd").rows
total = sum(row["total_s"] for row in rows)
for kind, seconds in rows.sum_by("kind", "total_s").items():
    print(f"{kind:9} {100 * seconds / total:5.1f} %")
longest = max(rows, key=lambda row: row["total_s"])
print(f"longest: {longest['layer']}, {1e6 * longest['total_s']:.0f} us, bound by {longest['bound']}")
