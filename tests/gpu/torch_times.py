# torch_times.py - PyTorch's times of some works, to hold ours against. Exit 1: no PyTorch, or no GPU.
# SPDX-License-Identifier: Apache-2.0
import sys

try:
    import torch
    from torch.nn import functional
except ImportError as reason:
    sys.exit(f"no PyTorch: {reason}")
if not torch.cuda.is_available():
    sys.exit("PyTorch sees no GPU")

# n, c, h, k, r, stride, padding: layers of VGG-16 (batch 32), ResNet-50 (64), AlexNet (128).
CONVOLUTIONS = [
    (32, 64, 224, 64, 3, 1, 1),
    (32, 256, 56, 256, 3, 1, 1),
    (32, 512, 28, 512, 3, 1, 1),
    (64, 64, 56, 256, 1, 1, 0),
    (128, 3, 227, 96, 11, 4, 0),
]
PRODUCTS = [(8192, 8192, 8192), (32, 4096, 25088), (128, 4096, 9216)]


def median_s(run, runs=50):
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


def main():
    torch.backends.cudnn.benchmark = False
    print("torch", torch.__version__, "cudnn", torch.backends.cudnn.version())
    for name, dtype, tf32 in (("f32", torch.float32, False), ("tf32", torch.float32, True),
                              ("bf16", torch.bfloat16, True)):
        torch.backends.cuda.matmul.allow_tf32 = tf32
        torch.backends.cudnn.allow_tf32 = tf32
        form = torch.channels_last if name == "bf16" else torch.contiguous_format
        for n, c, h, k, r, stride, pad in CONVOLUTIONS:
            x = uniform(n, c, h, h, dtype=dtype).to(memory_format=form)
            w = uniform(k, c, r, r, dtype=dtype).to(memory_format=form)
            time_s = median_s(lambda: functional.conv2d(x, w, stride=stride, padding=pad))
            print(f"conv fwd {name} n={n} c={c} h={h} w={h} k={k} r={r} s={r} stride={stride} "
                  f"pad={pad}\t{time_s:.9g}")
        for m, n, k in PRODUCTS:
            a, b = uniform(m, k, dtype=dtype), uniform(n, k, dtype=dtype)
            time_s = median_s(lambda: functional.linear(a, b))
            print(f"gemm fwd {name} m={m} n={n} k={k} trans_b=1\t{time_s:.9g}")


main()
