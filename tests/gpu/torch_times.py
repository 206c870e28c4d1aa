# torch_times.py - PyTorch's times of ops in a results file, beside ours. Exit 1: no PyTorch, or no GPU.
# SPDX-License-Identifier: Apache-2.0
#
# torch_times.py LAYERS.jsonl: prints "op<TAB>seconds" for some forward convolutions and products of each
# number type, spread over the times that we measured. PyTorch adds a convolution's bias in a kernel of its own, so
# of a op with bias it is "op<TAB>seconds with it<TAB>seconds without it".
import json
import sys

try:
    import torch
    from torch.nn import functional
except ImportError as reason:
    sys.exit(f"no PyTorch: {reason}")
if not torch.cuda.is_available():
    sys.exit("PyTorch sees no GPU")

CONVOLUTIONS, PRODUCTS = 5, 3  # of each number type
TYPES = {"f32": torch.float32, "tf32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}


def read_works(path):
    """The library's own choice, cold: {op: seconds}."""
    ops = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            try:
                r = json.loads(line)
            except ValueError:  # the end of a file that was cut
                continue
            if (r.get("type") == "record" and r["status"] == "ok" and not r.get("rank")
                    and r["mode"] == "cold"):
                ops[r["op"]] = r["timing"]["median_s"]
    return ops


def parse(op):
    """'conv fwd f32 n=1 ...' as its kind, pass, type and numbers; None for what PyTorch is not asked."""
    kind, way, dtype, *rest = op.split()
    fields = dict(word.split("=") for word in rest)
    layout = fields.pop("layout", "nchw")
    if way != "fwd" or dtype not in TYPES or "act" in fields:
        return None
    numbers = {key: int(value) for key, value in fields.items() if value.isdigit()}
    if kind == "conv" and (numbers.get("pad_t", 0) != numbers.get("pad_b", 0)
                           or numbers.get("pad_l", 0) != numbers.get("pad_r", 0)):
        return None
    if kind == "gemm" and (numbers.get("trans_a") or not numbers.get("trans_b")
                           or numbers.get("batch", 1) != 1):
        return None
    return (kind, dtype, layout, numbers) if kind in ("conv", "gemm") else None


def choose(ops):
    """Some of each kind and type, the longest first."""
    groups = {}
    for op in sorted(ops, key=ops.get, reverse=True):
        what = parse(op)
        if what:
            groups.setdefault(what[:3], []).append((op, what))
    for (kind, _, _), group in groups.items():
        wanted = min(len(group), CONVOLUTIONS if kind == "conv" else PRODUCTS)
        for i in range(wanted):
            yield group[i * len(group) // wanted]


def median_s(run, runs=30):
    """The median of `runs`, each behind something that overwrites the L2 cache."""
    flush = torch.empty(256 << 20, dtype=torch.int8, device="cuda")
    times = []
    for _ in range(10):
        run()
    for _ in range(runs):
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        flush.zero_()
        start.record()
        run()
        stop.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(stop) * 1e-3)
    return sorted(times)[runs // 2]


def uniform(*shape, dtype):
    return (torch.rand(*shape, device="cuda") * 2 - 1).to(dtype)


def conv(dtype, layout, p, has_bias):
    form = torch.channels_last if layout == "nhwc" else torch.contiguous_format
    x = uniform(p["n"], p["c"], p["h"], p["w"], dtype=TYPES[dtype]).to(memory_format=form)
    w = uniform(p["k"], p["c"] // p.get("groups", 1), p["r"], p["s"],
                dtype=TYPES[dtype]).to(memory_format=form)
    b = uniform(p["k"], dtype=TYPES[dtype]) if has_bias else None
    return lambda: functional.conv2d(
        x, w, b, stride=(p.get("stride_h", 1), p.get("stride_w", 1)),
        padding=(p.get("pad_t", 0), p.get("pad_l", 0)),
        dilation=(p.get("dil_h", 1), p.get("dil_w", 1)), groups=p.get("groups", 1))


def gemm(dtype, _, p, has_bias):
    a, b = uniform(p["m"], p["k"], dtype=TYPES[dtype]), uniform(p["n"], p["k"], dtype=TYPES[dtype])
    bias = uniform(p["n"], dtype=TYPES[dtype]) if has_bias else None
    return lambda: functional.linear(a, b, bias)


def main():
    torch.backends.cudnn.benchmark = False
    print("torch", torch.__version__, "cudnn", torch.backends.cudnn.version())
    for op, (kind, dtype, layout, numbers) in choose(read_works(sys.argv[1])):
        torch.backends.cuda.matmul.allow_tf32 = dtype == "tf32"
        torch.backends.cudnn.allow_tf32 = dtype == "tf32"
        with torch.no_grad():
            make = conv if kind == "conv" else gemm
            ways = [True, False] if numbers.get("bias") else [False]
            times = [median_s(make(dtype, layout, numbers, way)) for way in ways]
            print(op, *(f"{time:.9g}" for time in times), sep="\t", flush=True)


main()
