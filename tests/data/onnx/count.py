#!/usr/bin/env python3
"""count.py FILE.onnx... - counts weights and multiplications by the shape inference of onnx itself.

The independent count behind tests/unit/test_onnx_files.c. Needs the package onnx; run by hand.
Weights are initializers of floating point, or, in a file without any, the inputs behind the first.
"""
# SPDX-License-Identifier: Apache-2.0
import math
import sys

import onnx
from onnx.helper import get_attribute_value


def count(path):
    g = onnx.shape_inference.infer_shapes(onnx.load(path), data_prop=True).graph
    shapes = {
        v.name: [d.dim_value for d in v.type.tensor_type.shape.dim]
        for v in list(g.input) + list(g.value_info) + list(g.output)
    }
    shapes.update({t.name: list(t.dims) for t in g.initializer})
    learned = [t.name for t in g.initializer] or [i.name for i in list(g.input)[1:]]
    products = unknown = 0
    for n in g.node:
        sizes = [shapes.get(name, []) for name in list(n.output)[:1] + list(n.input)[:2]]
        if n.op_type == "Conv":
            products += math.prod(sizes[0]) * math.prod(sizes[2][1:])
        elif n.op_type == "Gemm":
            turned = any(a.name == "transB" and get_attribute_value(a) for a in n.attribute)
            products += math.prod(sizes[0]) * sizes[2][1 if turned else 0]
        elif n.op_type in ("MatMul", "LSTM"):
            unknown += 1
    weights = sum(math.prod(shapes[k]) for k in learned)
    print(f"{path}: {weights} weights, {2 * products} FLOPs of products, {unknown} nodes not counted")


for argument in sys.argv[1:]:
    count(argument)
