# bert.py - published fine-tuning steps of BERT in f16 on twelve GPUs, beside what paleo predict says.
# SPDX-License-Identifier: Apache-2.0
"""Prints bert.csv: sequences per second of BERT base and large on SQuAD (384 tokens) as published
(github.com/lambdal/deeplearning-benchmark, PyTorch 22.09, one GPU; batches of its file of batch sizes), as
predicted, and whether the 90 % interval holds them; then the sums. OPTIONs replace those of paleo predict that
say how it ran. PALEO is the program."""
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

PALEO = os.environ.get("PALEO", "build/bin/paleo")
AS_RUN = ["--framework", "eager", "--separate-attention", "--optimizer", "adam"]
# Batches and sequences per second, base and large.
STEPS = {
    "quadro-rtx-8000": (192, 64, 146, 50),
    "v100-sxm2": (48, 16, 189, 57),
    "rtx-3090": (96, 28, 172, 52),
    "a10": (96, 28, 135, 42),
    "a100-40-pcie": (160, 48, 368, 117),
    "a100-80-pcie": (320, 112, 415, 140),
    "a100-80-sxm": (320, 112, 443, 152),
    "rtx-6000-ada": (192, 64, 255, 79),
    "rtx-a6000": (192, 64, 198, 68),
    "rtx-4090": (96, 28, 297, 93),
    "h100-pcie": (320, 112, 567, 203),
    "h100-sxm": (320, 112, 812, 301),
}
NETS = {"base": (768, 12, 12), "large": (1024, 24, 16)}


def config(size):
    hidden, layers, heads = NETS[size]
    return {"model_type": "bert", "hidden_size": hidden, "num_hidden_layers": layers, "num_attention_heads": heads,
            "intermediate_size": 4 * hidden, "hidden_act": "gelu", "vocab_size": 30528, "type_vocab_size": 2,
            "max_position_embeddings": 512, "hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.1}


def predicted(folder, size, device, batch, options):
    """Milliseconds of a step, and their bounds."""
    name = os.path.join(folder, size + ".json")
    with open(name, "w", encoding="utf-8") as out:
        json.dump(config(size), out)
    text = subprocess.run([PALEO, "predict", name + ":train,seq=384", "--device", device, "--dtype", "f16",
                           "--batch", str(batch)] + options, check=True, capture_output=True, text=True).stdout
    for line in ("as it runs", "training step"):
        found = re.search(line + r" +predicted +([\d.]+) ms.*90 %: ([\d.]+) to ([\d.]+) ms", text)
        if found:
            return [float(x) for x in found.groups()]
    raise SystemExit("no step in:\n" + text)


def main():
    errors, held = [], 0
    print("device,net,batch,published_per_s,predicted_per_s,error,in_90_percent")
    with tempfile.TemporaryDirectory() as folder:
        for device, (base, large, base_rate, large_rate) in STEPS.items():
            for size, batch, rate in (("base", base, base_rate), ("large", large, large_rate)):
                ms, low, high = predicted(folder, size, device, batch, sys.argv[1:] or AS_RUN)
                inside = low <= 1e3 * batch / rate <= high
                errors.append(ms * rate / batch / 1e3 - 1)
                held += inside
                print(f"{device},{size},{batch},{rate},{1e3 * batch / ms:.1f},{errors[-1]:.4f},{int(inside)}")
    print(f"all,,{len(errors)},,,{statistics.mean(errors):.4f},{held / len(errors):.4f}")
    print(f"all absolute,,{len(errors)},,,{statistics.mean(map(abs, errors)):.4f},")


main()
