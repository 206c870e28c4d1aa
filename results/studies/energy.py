#!/usr/bin/env python3
# energy.py POWER [CALIBRATION] - fits the shipped power model, results/power/b200.json, and prints how far it errs.
# SPDX-License-Identifier: Apache-2.0
"""POWER is the folder of tables power_OP_B200_STACK.csv.gz: times and watts of kernels on one B200, from aiconfigurator's
successor aisimulate 0.13 (Apache-2.0). PALEO is the program, build/bin/paleo by default; CALIBRATION is a fit that was made before. Prints energy.csv: by class and
dtype the relative errors of held-out shape families in percent, those of five nearest neighbours and of a law linear in
FLOP/s and bytes/s on as many rows, and how often the 90 % interval holds."""
import collections, csv, gzip, hashlib, json, math, os, subprocess, sys, tempfile

FAMILY = {"gemm": ("n", "k"), "moe": ("hidden", "inter", "topk", "experts"), "encoder_attn": ("heads", "head_dim")}
ATTENTION = ("heads", "kv_heads", "head_dim", "window")
TEXTS = ("kernel", "dtype", "attn_dtype", "kv_dtype", "gpu", "op", "source", "lib", "timed_by")
ROWS, FOLDS, NEAREST = 1000, 5, 5
PEAK = {"bf16": 2250e12, "fp8": 4500e12, "fp8_block": 4500e12}


def table(path, folder):
    """Writes the table with the columns that `paleo calibrate --from` reads; returns its path, op and rows."""
    op = os.path.basename(path).split("_B200")[0][len("power_"):]
    with gzip.open(path, "rt") as f:
        rows = list(csv.DictReader(f))
    out = os.path.join(folder, op + ".csv")
    for row in rows:
        row.update(gpu="B200", op=op, source="aiconfigurator", lib="TRTLLM-1.3.0rc20", timed_by="graph")
        row["dtype"] = row.get("dtype") or row.get("attn_dtype") or "bf16"
        row.pop("attn_dtype", None)
    with open(out, "w", newline="") as f:
        writer = csv.DictWriter(f, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    return out, op, rows


def amounts(op, r):
    """FLOPs and bytes of a row, roughly: for the linear law."""
    n = {k: float(v) for k, v in r.items() if k not in TEXTS}
    size = {"bf16": 2, "fp8": 1, "fp8_block": 1}.get(r["dtype"], 0.5625)
    if op == "gemm":
        return 2 * n["m"] * n["n"] * n["k"], size * n["k"] * (n["m"] + n["n"]) + 2 * n["m"] * n["n"]
    if op == "moe":
        chosen = n["tokens"] * n["topk"] / n["ep"]
        weights = 3 * n["hidden"] * n["inter"] / n["tp"]
        return 2 * chosen * weights, size * weights * min(n["experts"] / n["ep"], chosen) + 4 * n["tokens"] * n["hidden"]
    heads, dim, queries = n["heads"], n["head_dim"], n.get("seq_q", n.get("seq"))
    keys = n.get("past", 0) + queries
    if n.get("window"):
        keys = min(keys, n["window"])
    kv = n.get("kv_heads", heads) * (1 if r.get("kv_dtype") == "fp8" else 2)
    pairs = queries * (keys if op != "prefill_attn" else keys - queries / 2 if keys > queries else keys / 2)
    return 4 * n["batch"] * heads * dim * pairs, n["batch"] * dim * (4 * heads * queries + 2 * kv * keys)


def fold(op, r):
    family = " ".join(r[c] for c in FAMILY.get(op, ATTENTION))
    return int(hashlib.md5(family.encode()).hexdigest(), 16) % FOLDS


def place(r):
    return [math.log2(float(v) + 1) for k, v in r.items() if k not in TEXTS and not k.endswith(("_us", "_w"))]


def solve(a, b):
    """Gauss, of three equations."""
    n = len(b)
    for i in range(n):
        for j in range(n):
            if j != i:
                f = a[j][i] / a[i][i]
                a[j] = [x - f * y for x, y in zip(a[j], a[i])]
                b[j] -= f * b[i]
    return [b[i] / a[i][i] for i in range(n)]


def linear(op, train, test):
    """P = c0 + c1 FLOP/s + c2 bytes/s, least squares of relative errors."""
    def x(r):
        flops, size = amounts(op, r)
        s = float(r["time_us"]) * 1e-6
        return [1, flops / s / PEAK.get(r["dtype"], 9000e12), size / s / 8e12]
    a, b = [[1e-9 * (i == j) for j in range(3)] for i in range(3)], [0.0] * 3
    for r in train:
        u, w = x(r), float(r["power_w"])
        for i in range(3):
            b[i] += u[i] / w
            for j in range(3):
                a[i][j] += u[i] * u[j] / w ** 2
    c = solve(a, b)
    return [sum(p * q for p, q in zip(c, x(r))) for r in test]


def neighbours(op, train, test):
    points = [(place(r), math.log(float(r["power_w"]))) for r in train]
    out = []
    for r in test:
        at = place(r)
        near = sorted((sum((p - q) ** 2 for p, q in zip(at, x)), y) for x, y in points)[:NEAREST]
        out.append(math.exp(sum(y for _, y in near) / len(near)))
    return out


def errors(op, rows, how):
    """Mean error of held-out families, in percent."""
    found = []
    for k in range(FOLDS):
        test = [r for r in rows if fold(op, r) == k]
        train = [r for r in rows if fold(op, r) != k]
        if test and train:
            found += [abs(p / float(r["power_w"]) - 1) for p, r in zip(how(op, train, test), test)]
    return 100 * sum(found) / len(found)


def groups(tables):
    """Rows by op and dtype, at most ROWS of each, chosen by a hash."""
    out = collections.defaultdict(list)
    for _, op, rows in tables:
        for r in rows:
            out[op, r["dtype"]].append(r)
    return {key: sorted(rows, key=lambda r: hashlib.md5(str(r).encode()).digest())[:ROWS]
            for key, rows in out.items()}


def keep(path):
    """Leaves the power model in place of the factors, which predict no time."""
    with open(path) as f:
        model = json.load(f)
    model["fitted_to"] = []
    model["factors"] = model["factors"][:1]
    model["factors"][0].pop("correction", None)
    out = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "power", "b200.json")
    with open(out, "w") as f:
        json.dump(model, f, indent=1)
        f.write("\n")
    return model["power"]


def main():
    power = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        tables = [table(os.path.join(power, f), folder) for f in sorted(os.listdir(power)) if f.endswith(".csv.gz")]
        model = sys.argv[2] if len(sys.argv) > 2 else os.path.join(folder, "b200.json")
        if len(sys.argv) < 3:
            command = [os.environ.get("PALEO", "build/bin/paleo"), "calibrate", "--device", "b200", "--operand-sets", "5",
                       "--output", model]
            for path, _, _ in tables:
                command += ["--from", path]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        p = keep(model)
    print("by,class,dtype,rows,mean,median,interval_low,interval_high,covered")
    for c in p["classes"]:
        print("power model,%s,%s,%d,%.1f,%.1f,%.3f,%.3f,%.3f" % (
            c["class"], c["dtype"], c["records"], 100 * c["heldout_mean"], 100 * c["heldout_median"], c["ratio_low"],
            c["ratio_high"], c["covered"]))
    for (op, dtype), rows in sorted(groups(tables).items()):
        print("five neighbours,%s,%s,%d,%.1f,,,," % (op, dtype, len(rows), errors(op, rows, neighbours)))
        print("linear law,%s,%s,%d,%.1f,,,," % (op, dtype, len(rows), errors(op, rows, linear)))


main()
