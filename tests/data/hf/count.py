#!/usr/bin/env python3
"""count.py [--write] TABLE - counts the models of a table from the shapes of their tensors.

The independent count behind tests/unit/test_hf_varied.c. A model is the list of tensors that the class of its
model_type makes in transformers, by name; a quantisation is what the tool that wrote the checkpoint does to modules of
these names. Nothing is import/'s. As in model/op/weight_types.def a scale of a whole row or matrix is left out, and the
order of GPTQ's columns. Prints where the table differs, or with --write fills its numbers in.
"""
# SPDX-License-Identifier: Apache-2.0
import dataclasses
import fnmatch
import json
import math
import re
import sys
from fractions import Fraction

COLUMNS = ("model", "words", "weights", "active", "bytes", "cache", "next", "flops", "config")


@dataclasses.dataclass(frozen=True)
class Tensor:
    name: str  # of its module
    shape: tuple  # of a Linear: outputs, inputs
    is_linear: bool = False
    used: Fraction = Fraction(1)  # the part of it that a token needs
    multiplies: bool = True  # it is a product of its own, not an expert's


def linear(name, inputs, outputs, bias=False, **more):
    yield Tensor(name, (outputs, inputs), is_linear=True, **more)
    if bias:
        yield Tensor(name, (outputs,), **more)


# Attention.


def head_sizes(c, is_local):
    """Heads, those of keys, numbers of a key and of a value; layers with a window may have others."""
    size = c.get("head_dim") or c["hidden_size"] // c["num_attention_heads"]
    own = {
        "heads": c["num_attention_heads"],
        "kv": c.get("num_key_value_heads", c["num_attention_heads"]),
        "k": size,
        "v": c.get("v_head_dim", size),
    }
    if is_local and "swa_head_dim" in c:
        own = {
            "heads": c["swa_num_attention_heads"],
            "kv": c["swa_num_key_value_heads"],
            "k": c["swa_head_dim"],
            "v": c["swa_v_head_dim"],
        }
    return own


def grouped_attention(c, family, layer, is_local):
    s, h, p = head_sizes(c, is_local), c["hidden_size"], f"{layer}self_attn."
    qkv_bias = family.get("qkv_bias", False) or c.get("attention_bias", False)
    out_bias = c.get("attention_bias", False) and not family.get("no_out_bias", False)
    yield from linear(p + "q_proj", h, s["heads"] * s["k"], qkv_bias)
    yield from linear(p + "k_proj", h, s["kv"] * s["k"], qkv_bias)
    yield from linear(p + "v_proj", h, s["kv"] * s["v"], qkv_bias)
    yield from linear(p + "o_proj", s["heads"] * s["v"], h, out_bias)
    norm = family.get("qk_norm")
    if norm == "head":
        yield Tensor(p + "q_norm", (s["k"],))
        yield Tensor(p + "k_norm", (s["k"],))
    if norm == "width":
        yield Tensor(p + "q_norm", (s["heads"] * s["k"],))
        yield Tensor(p + "k_norm", (s["kv"] * s["k"],))
    if family.get("sinks") == "all" or (family.get("sinks") == "local" and is_local):
        yield Tensor(p + "sinks", (s["heads"],))


def latent_attention(c, family, layer, is_local):
    h, heads, p = c["hidden_size"], c["num_attention_heads"], f"{layer}self_attn."
    nope, rope, value = c["qk_nope_head_dim"], c["qk_rope_head_dim"], c["v_head_dim"]
    if c.get("q_lora_rank"):
        yield from linear(p + "q_a_proj", h, c["q_lora_rank"])
        yield Tensor(p + "q_a_layernorm", (c["q_lora_rank"],))
        yield from linear(p + "q_b_proj", c["q_lora_rank"], heads * (nope + rope))
    else:
        yield from linear(p + "q_proj", h, heads * (nope + rope))
    yield from linear(p + "kv_a_proj_with_mqa", h, c["kv_lora_rank"] + rope)
    yield Tensor(p + "kv_a_layernorm", (c["kv_lora_rank"],))
    yield from linear(p + "kv_b_proj", c["kv_lora_rank"], heads * (nope + value))
    yield from linear(p + "o_proj", heads * value, h)


# What is behind attention.


def gated(name, h, inner, **more):
    yield from linear(name + ".gate_proj", h, inner, **more)
    yield from linear(name + ".up_proj", h, inner, **more)
    yield from linear(name + ".down_proj", inner, h, **more)


def dense(c, layer):
    yield from gated(f"{layer}mlp", c["hidden_size"], c["intermediate_size"])


def router(name, c, experts, is_module, has_bias):
    """A Linear of some classes, which tools may quantise; in others a bare matrix."""
    if is_module:
        yield from linear(name, c["hidden_size"], experts)
    else:
        yield Tensor(name, (experts, c["hidden_size"]))
    if has_bias:
        yield Tensor(name, (experts,))


def qwen_experts(c, layer):
    experts, share = c["num_experts"], Fraction(c["num_experts_per_tok"], c["num_experts"])
    yield from router(f"{layer}mlp.gate", c, experts, True, False)
    for i in range(experts):
        name = f"{layer}mlp.experts.{i}"
        yield from gated(name, c["hidden_size"], c["moe_intermediate_size"], used=share, multiplies=False)


def mixtral_experts(c, layer, has_bias=False):
    h, inner, experts = c["hidden_size"], c["intermediate_size"], c["num_local_experts"]
    more = {"used": Fraction(c["num_experts_per_tok"], experts), "multiplies": False}
    yield from router(f"{layer}block_sparse_moe.gate", c, experts, True, has_bias)
    for i in range(experts):
        name = f"{layer}block_sparse_moe.experts.{i}"
        yield from linear(name + ".w1", h, inner, **more)
        yield from linear(name + ".w2", inner, h, **more)
        yield from linear(name + ".w3", h, inner, **more)


def minimax_experts(c, layer):
    yield from mixtral_experts(c, layer, has_bias=True)


def deepseek_experts(c, layer):
    h, experts = c["hidden_size"], c["n_routed_experts"]
    share = Fraction(c["num_experts_per_tok"], experts)
    yield from router(f"{layer}mlp.gate", c, experts, False, c["topk_method"] == "noaux_tc")
    for i in range(experts):
        name = f"{layer}mlp.experts.{i}"
        yield from gated(name, h, c["moe_intermediate_size"], used=share, multiplies=False)
    shared = c.get("n_shared_experts") or 0
    if shared:
        yield from gated(f"{layer}mlp.shared_experts", h, shared * c["moe_intermediate_size"])


def gpt_oss_experts(c, layer):
    """Two tensors of all experts, with biases; products with a bias for the router, too."""
    h, inner, experts = c["hidden_size"], c["intermediate_size"], c["num_local_experts"]
    more = {"used": Fraction(c["num_experts_per_tok"], experts), "multiplies": False}
    yield from router(f"{layer}mlp.router", c, experts, False, True)
    for name, inputs, outputs in (("gate_up_proj", h, 2 * inner), ("down_proj", inner, h)):
        yield Tensor(f"{layer}mlp.experts.{name}", (experts * outputs, inputs), is_linear=True, **more)
        yield Tensor(f"{layer}mlp.experts.{name}_bias", (experts, outputs), **more)


def llama4_experts(c, layer):
    h, inner, experts = c["hidden_size"], c["intermediate_size"], c["num_local_experts"]
    more = {"used": Fraction(c["num_experts_per_tok"], experts), "multiplies": False}
    yield from router(f"{layer}feed_forward.router", c, experts, True, False)
    yield Tensor(f"{layer}feed_forward.experts.gate_up_proj", (experts, h, 2 * inner), **more)
    yield Tensor(f"{layer}feed_forward.experts.down_proj", (experts, inner, h), **more)
    yield from gated(f"{layer}feed_forward.shared_expert", h, inner)


def llama4_dense(c, layer):
    yield from gated(f"{layer}feed_forward", c["hidden_size"], c["intermediate_size_mlp"])


# Which layers have experts, and a window.


def from_first(c, i):
    return i >= c["first_k_dense_replace"]


def each_listed(c, i):
    return c["moe_layer_freq"][i] == 1


def each_step(c, i):
    only = c.get("mlp_only_layers") or []
    return i not in only and (i + 1) % c.get("decoder_sparse_step", 1) == 0


def each_interleaved(c, i):
    return (i + 1) % c["interleave_moe_layer_step"] == 0


def always(c, i):
    return True


def all_local(c, i):
    return bool(c.get("sliding_window"))


def listed_local(c, i):
    types = c.get("layer_types")
    return bool(types) and types[i] == "sliding_attention"


def last_local(c, i):
    """Qwen: the layers behind max_window_layers, if it is switched on."""
    return bool(c.get("use_sliding_window")) and i >= c["max_window_layers"]


def pattern_local(c, i):
    return c["hybrid_layer_pattern"][i] == 1


def qwen3_local(c, i):
    return listed_local(c, i) if "layer_types" in c else last_local(c, i)


DEEPSEEK = {"attention": latent_attention, "experts": deepseek_experts, "has_experts": from_first}
QWEN3 = {"qk_norm": "head", "local": qwen3_local}
QWEN3_MOE = {**QWEN3, "experts": qwen_experts, "has_experts": each_step}
FAMILIES = {
    "llama": {},
    "mistral": {"local": all_local},
    "qwen2": {"qkv_bias": True, "no_out_bias": True, "local": last_local},
    "mimo": {"no_out_bias": True},
    "qwen3": QWEN3,
    "qwen3_vl_text": QWEN3,
    "qwen3_moe": QWEN3_MOE,
    "qwen3_vl_moe_text": QWEN3_MOE,
    "mixtral": {"experts": mixtral_experts, "local": all_local},
    "minimax_m2": {"experts": minimax_experts, "qk_norm": "width"},
    "gpt_oss": {"experts": gpt_oss_experts, "sinks": "all", "local": listed_local},
    "llama4_text": {"experts": llama4_experts, "dense": llama4_dense, "has_experts": each_interleaved},
    "mimo_v2_flash": {
        "experts": deepseek_experts,
        "has_experts": each_listed,
        "sinks": "local",
        "local": pattern_local,
    },
    "deepseek_v2": DEEPSEEK,
    "deepseek_v3": DEEPSEEK,
    "kimi_k2": DEEPSEEK,
}


def never(c, i):
    return False


def decoder(c):
    family, h, words = FAMILIES[c["model_type"]], c["hidden_size"], c["vocab_size"]
    is_tied, stem = c.get("tie_word_embeddings", False), c["stem"]
    yield Tensor(stem + "embed_tokens", (words, h), used=Fraction(int(is_tied)), multiplies=is_tied)
    for i in range(c["num_hidden_layers"]):
        layer = f"{stem}layers.{i}."
        attention = family.get("attention", grouped_attention)
        yield from attention(c, family, layer, family.get("local", never)(c, i))
        if "experts" in family and family.get("has_experts", always)(c, i):
            yield from family["experts"](c, layer)
        else:
            yield from family.get("dense", dense)(c, layer)
        yield Tensor(layer + "input_layernorm", (h,))
        yield Tensor(layer + "post_attention_layernorm", (h,))
    yield Tensor(stem + "norm", (h,))
    if not is_tied:
        yield from linear("lm_head", h, words)


def cache_of(c):
    """Bytes in two-byte numbers of a token in all layers, and of the next one where windows are full."""
    family, of_all, of_next = FAMILIES[c["model_type"]], 0, 0
    for i in range(c["num_hidden_layers"]):
        is_local = family.get("local", never)(c, i)
        s = head_sizes(c, is_local)
        numbers = s["kv"] * (s["k"] + s["v"])
        if family.get("attention") is latent_attention:
            numbers = c["kv_lora_rank"] + c["qk_rope_head_dim"]
        of_all += 2 * numbers
        of_next += 0 if is_local else 2 * numbers
    return of_all, of_next


# Towers.


def norm(name, h):
    yield Tensor(name, (h,))
    yield Tensor(name, (h,))


def encoder_layer(p, h, inner, key_bias=True, names=("fc1", "fc2")):
    for name in ("q_proj", "k_proj", "v_proj", "out_proj"):
        yield from linear(f"{p}self_attn.{name}", h, h, key_bias or name != "k_proj")
    yield from linear(p + names[0], h, inner, True)
    yield from linear(p + names[1], inner, h, True)
    yield from norm(p + "layer_norm1", h)
    yield from norm(p + "layer_norm2", h)


def clip_tower(c):
    h, places = c["hidden_size"], (c["image_size"] // c["patch_size"]) ** 2 + 1
    yield Tensor("class_embedding", (h,))
    yield Tensor("patch_embedding", (h, 3, c["patch_size"], c["patch_size"]))
    yield Tensor("position_embedding", (places, h))
    yield from norm("pre_layrnorm", h)
    for i in range(c["num_hidden_layers"]):
        yield from encoder_layer(f"encoder.layers.{i}.", h, c["intermediate_size"])
    yield from norm("post_layernorm", h)


def siglip_tower(c):
    h, places = c["hidden_size"], (c["image_size"] // c["patch_size"]) ** 2
    yield Tensor("patch_embedding", (h, 3, c["patch_size"], c["patch_size"]))
    yield Tensor("patch_embedding", (h,))
    yield Tensor("position_embedding", (places, h))
    for i in range(c["num_hidden_layers"]):
        yield from encoder_layer(f"encoder.layers.{i}.", h, c["intermediate_size"])
    yield from norm("post_layernorm", h)
    yield Tensor("head.probe", (1, 1, h))
    yield from linear("head.attention.in_proj", h, 3 * h, True)
    yield from linear("head.attention.out_proj", h, h, True)
    yield from norm("head.layernorm", h)
    yield from linear("head.mlp.fc1", h, c["intermediate_size"], True)
    yield from linear("head.mlp.fc2", c["intermediate_size"], h, True)


def whisper(c):
    h = c["d_model"]
    yield from linear("encoder.conv1", 3 * c["num_mel_bins"], h, True)
    yield from linear("encoder.conv2", 3 * h, h, True)
    yield Tensor("encoder.embed_positions", (c["max_source_positions"], h))
    for i in range(c["encoder_layers"]):
        yield from encoder_layer(f"encoder.layers.{i}.", h, c["encoder_ffn_dim"], key_bias=False)
    yield from norm("encoder.layer_norm", h)
    yield Tensor("decoder.embed_tokens", (c["vocab_size"], h))
    yield Tensor("decoder.embed_positions", (c["max_target_positions"], h))
    for i in range(c["decoder_layers"]):
        layer = f"decoder.layers.{i}."
        yield from encoder_layer(layer, h, c["decoder_ffn_dim"], key_bias=False)
        for name in ("q_proj", "k_proj", "v_proj", "out_proj"):
            yield from linear(f"{layer}encoder_attn.{name}", h, h, name != "k_proj")
        yield from norm(layer + "encoder_attn_layer_norm", h)
    yield from norm("decoder.layer_norm", h)


TOWERS = {"clip_vision_model": clip_tower, "siglip_vision_model": siglip_tower, "whisper": whisper}


# How a Linear is stored: the bytes of `outputs` x `inputs` numbers.


def whole(bits, group=0, each=0):
    """Whole numbers; a group of them along the inputs has `each` bits more."""

    def count(outputs, inputs):
        return Fraction(outputs * inputs * bits, 8) + (
            Fraction(outputs * math.ceil(inputs / group) * each, 8) if group > 0 else 0
        )

    return count


def blocks(outputs, inputs):
    return outputs * inputs + 4 * math.ceil(outputs / 128) * math.ceil(inputs / 128)


def wide(outputs, inputs):
    return 2 * outputs * inputs


FLOATS = {"FP8": whole(8), "NVFP4": whole(4, 16, 8), "MXFP4": whole(4, 32, 8)}


def compressed_tensors(q):
    """Names are whole, or patterns behind re:; a class stands for all of its modules. Symmetric numbers have no zero."""

    def names(name, entries):
        return any(re.match(e[3:], name) if e.startswith("re:") else e in (name, "Linear") for e in entries)

    def scheme(w):
        bits, group = w["num_bits"], w.get("group_size") or 0
        if w["type"] == "float":
            return whole(8) if bits == 8 else FLOATS["NVFP4" if group == 16 else "MXFP4"]
        return whole(bits, group, 16 + (0 if w.get("symmetric", True) else bits))

    def of(name):
        for group in q["config_groups"].values():
            if names(name, group["targets"]) and not names(name, q.get("ignore", [])):
                return scheme(group["weights"])
        return wide

    return of


def awq(q):
    """Any part of a name; the head stays. Zeros are packed as the numbers are."""

    def of(name):
        is_left = name == "lm_head" or any(part in name for part in q.get("modules_to_not_convert") or [])
        return wide if is_left else whole(q["bits"], q["group_size"], 16 + q["bits"])

    return of


def gptq(q):
    """The first pattern counts: -: leaves a module out, +: has settings of its own. Zeros always are there."""

    def of(name):
        if name == "lm_head" and not q.get("lm_head"):
            return wide
        own = q
        for pattern, settings in q.get("dynamic", {}).items():
            if re.match(pattern[2:], name):
                if pattern.startswith("-:"):
                    return wide
                own = {**q, **settings}
                break
        return whole(own["bits"], own["group_size"], 16 + own["bits"])

    return of


def bitsandbytes(q):
    """Any part of a name. Blocks of 64 numbers have a scale of 32 bits."""

    def of(name):
        if any(part in name for part in q["llm_int8_skip_modules"]):
            return wide
        return whole(4, 64, 32) if q.get("load_in_4bit") else whole(8)

    return of


def fp8(q):
    """Names of modules, or of what they are in, between dots; the head stays."""

    def of(name):
        left = ["lm_head", *q.get("modules_to_not_convert", [])]
        return wide if any(f".{part}." in f".{name}." for part in left) else blocks

    return of


def modelopt(q):
    def of(name):
        is_left = any(fnmatch.fnmatchcase(name, pattern) for pattern in q["exclude_modules"])
        return wide if is_left else FLOATS[q["quant_algo"]]

    return of


def mxfp4(q):
    """gpt-oss: experts alone, if no pattern names them."""

    def of(name):
        is_left = any(fnmatch.fnmatchcase(name, pattern + "*") for pattern in q["modules_to_not_convert"])
        return FLOATS["MXFP4"] if ".experts." in name and not is_left else wide

    return of


TOOLS = {
    "compressed-tensors": compressed_tensors,
    "awq": awq,
    "gptq": gptq,
    "bitsandbytes": bitsandbytes,
    "fp8": fp8,
    "modelopt": modelopt,
    "mxfp4": mxfp4,
}


def product(shape):
    return math.prod(shape)


def count(config):
    """The numbers of a row by its columns."""
    c = {"stem": "model.", **config}
    if "text_config" in config:
        tied = {"tie_word_embeddings": config.get("tie_word_embeddings", False)}
        c = {"stem": "model.language_model.", **tied, **config["text_config"]}
    tower = TOWERS.get(c["model_type"])
    tensors = list(tower(c) if tower else decoder(c))
    q = config.get("quantization_config")
    stored = TOOLS[q["quant_method"]](q) if q else lambda name: wide
    bytes_of = sum(
        stored(t.name)(*t.shape) if t.is_linear and not tower else 2 * product(t.shape) for t in tensors
    )
    found = {"weights": sum(product(t.shape) for t in tensors), "bytes": float(bytes_of)}
    if tower:
        return found
    found["active"] = sum(product(t.shape) * t.used for t in tensors)
    found["cache"], found["next"] = cache_of(c)
    found["flops"] = flops_of(tensors)
    return found


def flops_of(tensors):
    """Of a token's products outside attention and experts: two for each number, one for one of a bias."""
    flops = 0
    for t in tensors:
        is_bias = len(t.shape) == 1 and t.multiplies and ("proj" in t.name or "gate" in t.name or "router" in t.name)
        if len(t.shape) == 2 and t.multiplies:
            flops += 2 * product(t.shape)
        elif is_bias:
            flops += product(t.shape)
    return flops


def checked(line):
    """The line as it should be, and whether it is."""
    row = dict(zip(COLUMNS, line.rstrip("\n").split("\t")))
    for key, number in count(json.loads(row["config"])).items():
        text = f"{number:.3f}".rstrip("0").rstrip(".") if isinstance(number, float) else str(number)
        if row[key] not in (text, "-"):
            print(f"{row['model']}: {row[key]} {key}, {text} counted")
            row[key] = text
    made = "\t".join(row[column] for column in COLUMNS) + "\n"
    return made, made == line


def main(arguments):
    is_written, path = arguments[0] == "--write", arguments[-1]
    lines, right = [], True
    with open(path, encoding="utf-8") as table:
        for line in table:
            if not line.startswith(("#", "model\t")):
                line, same = checked(line)
                right = right and same
            lines.append(line)
    if is_written:
        with open(path, "w", encoding="utf-8") as table:
            table.writelines(lines)
    return 0 if right or is_written else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
