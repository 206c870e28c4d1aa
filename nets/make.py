# make.py - writes the nets of torchvision that are shipped here, as it builds them.
# SPDX-License-Identifier: Apache-2.0
"""make.py FOLDER writes all; make.py NAME --image PIXELS prints one, at another size of image; make.py FOLDER
--measured TABLE.csv writes MODEL-IMAGE.json for what the table's columns model and img name, where it can.
Sources stand in README.md; parameter counts are held to torchvision's by tests/unit/test_net.c."""
import argparse
import csv
import json
import os
import sys


class Net:
    """Layers one behind another; `last` is where the next one is put."""

    def __init__(self, title, image, batch=32):
        self.title = title
        self.layers = {"data": {"type": "Input", "parents": [], "tensor": [batch, image, image, 3]}}
        self.last, self.channels, self.image = "data", 3, image

    def add(self, name, kind, parents=None, **fields):
        self.layers[name] = {"type": kind, "parents": parents or [self.last], **fields}
        self.last = name
        return name

    def conv(self, name, size, out, stride=1, groups=1, norm=True, act=None, **fields):
        """A convolution as torchvision pads it, with batch normalisation unless norm is False."""
        fields.setdefault("padding", [(size - 1) // 2] * 2)
        if groups > 1:
            fields["groups"] = groups
        if norm:
            fields.update(normalizer_fn="batch_norm", normalizer_params={"scale": True})
        if act:
            fields["activation_fn"] = act
        self.add(name, "Convolution", filter=[size, size, self.channels, out],
                 strides=[1, stride, stride, 1], **fields)
        self.channels = out

    def linear(self, name, out, parents=None, act=None):
        self.add(name, "InnerProduct", parents, num_outputs=out, **({"activation_fn": act} if act else {}))

    def squeeze_excite(self, name, squeeze, act):
        """Hu et al. 2018: two 1x1 convolutions of the image's mean scale its channels."""
        begin, channels = self.last, self.channels
        self.add(name + "_mean", "AvgPool", **{"global": True})
        self.conv(name + "_squeeze", 1, squeeze, norm=False, act=act)
        self.conv(name + "_excite", 1, channels, norm=False, act="sigmoid")
        self.add(name, "Elementwise", [begin, self.last], op="mul")

    def classify(self, pool=True):
        if pool:
            self.add("pool", "AvgPool", **{"global": True})
        self.linear("fc", 1000)
        self.add("softmax", "Softmax")

    def text(self):
        lines = [f"    {json.dumps(k)}: {json.dumps(v)}" for k, v in self.layers.items()]
        return f'{{\n  "name": {json.dumps(self.title)},\n  "layers": {{\n' + ",\n".join(lines) + "\n  }\n}\n"


def resnet(net, blocks, bottleneck=True, width=64, groups=1):
    """He et al. 2015, with the stride in the 3x3 convolution (v1.5). `width` is of 64 channels."""
    net.conv("conv1", 7, 64, 2, act="relu")
    net.add("pool1", "Pooling", ksize=[1, 3, 3, 1], strides=[1, 2, 2, 1], padding=[1, 1])
    for i, count in enumerate(blocks):
        for block in range(count):
            name, stride = f"layer{i + 1}_{block}", 2 if block == 0 and i else 1
            begin, channels, planes = net.last, net.channels, 64 << i
            if bottleneck:
                out, inner = 4 * planes, planes * width // 64 * groups
                net.conv(name + "_conv1", 1, inner, act="relu")
                net.conv(name + "_conv2", 3, inner, stride, groups, act="relu")
                net.conv(name + "_conv3", 1, out)
            else:
                out = planes
                net.conv(name + "_conv1", 3, out, stride, act="relu")
                net.conv(name + "_conv2", 3, out)
            end = net.last
            if stride > 1 or channels != out:
                net.last, net.channels = begin, channels
                net.conv(name + "_downsample", 1, out, stride)
                begin = net.last
            net.add(name + "_sum", "Elementwise", [begin, end], activation_fn="relu")
    net.classify()


def mobilenet_v1(net):
    """Howard et al. 2017."""
    net.conv("conv1", 3, 32, 2, act="relu")
    for i, (out, stride) in enumerate([(64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2)] +
                                      5 * [(512, 1)] + [(1024, 2), (1024, 1)]):
        net.conv(f"block{i + 1}_depthwise", 3, net.channels, stride, net.channels, act="relu")
        net.conv(f"block{i + 1}_pointwise", 1, out, act="relu")
    net.classify()


def inverted(net, name, expand, out, size, stride, squeeze, act):
    """The block of MobileNet v2 and EfficientNet: wide, depthwise, narrow."""
    begin, channels = net.last, net.channels
    if expand > 1:
        net.conv(name + "_expand", 1, channels * expand, act=act)
    net.conv(name + "_depthwise", size, net.channels, stride, net.channels, act=act)
    if squeeze:
        net.squeeze_excite(name + "_se", squeeze, act)
    net.conv(name + "_project", 1, out)
    if stride == 1 and channels == out:
        net.add(name + "_sum", "Elementwise", [begin, net.last])


def mobilenet_v2(net):
    """Sandler et al. 2018."""
    net.conv("conv1", 3, 32, 2, act="relu6")
    for i, (expand, out, blocks, stride) in enumerate(
            ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1))):
        for block in range(blocks):
            inverted(net, f"stage{i + 1}_{block}", expand, out, 3, stride if block == 0 else 1, 0, "relu6")
    net.conv("conv_last", 1, 1280, act="relu6")
    net.classify()


def efficientnet_v2_s(net):
    """Tan, Le 2021, table 4."""
    net.conv("stem", 3, 24, 2, act="silu")
    stages = (("fused", 1, 24, 2, 1), ("fused", 4, 48, 4, 2), ("fused", 4, 64, 4, 2), ("se", 4, 128, 6, 2),
              ("se", 6, 160, 9, 1), ("se", 6, 256, 15, 2))
    for i, (kind, expand, out, blocks, stride) in enumerate(stages):
        for block in range(blocks):
            name, step = f"stage{i + 1}_{block}", stride if block == 0 else 1
            begin, channels = net.last, net.channels
            if kind == "se":
                inverted(net, name, expand, out, 3, step, channels // 4, "silu")
                continue
            if expand > 1:
                net.conv(name + "_expand", 3, channels * expand, step, act="silu")
                net.conv(name + "_project", 1, out)
            else:
                net.conv(name + "_conv", 3, out, step, act="silu")
            if step == 1 and channels == out:
                net.add(name + "_sum", "Elementwise", [begin, net.last])
    net.conv("head", 1, 1280, act="silu")
    net.classify()


def efficientnet(net, widths, depths):
    """Tan, Le 2019, widths and depths already scaled."""
    net.conv("stem", 3, widths[0], 2, act="silu")
    shapes = ((1, 3, 1), (6, 3, 2), (6, 5, 2), (6, 3, 2), (6, 5, 1), (6, 5, 2), (6, 3, 1))
    for i, (expand, size, stride) in enumerate(shapes):
        for block in range(depths[i]):
            inverted(net, f"stage{i + 1}_{block}", expand, widths[i + 1], size, stride if block == 0 else 1,
                     net.channels // 4, "silu")
    net.conv("head", 1, 4 * widths[7], act="silu")
    net.classify()


def regnet(net, widths, depths, group, squeeze=True):
    """Radosavovic et al. 2020."""
    net.conv("stem", 3, 32, 2, act="relu")
    for i, (out, count) in enumerate(zip(widths, depths)):
        for block in range(count):
            name, begin, channels, stride = f"stage{i + 1}_{block}", net.last, net.channels, 2 if block == 0 else 1
            net.conv(name + "_conv1", 1, out, act="relu")
            net.conv(name + "_conv2", 3, out, stride, out // min(group, out), act="relu")
            if squeeze:
                net.squeeze_excite(name + "_se", (channels + 2) // 4, "relu")
            net.conv(name + "_conv3", 1, out)
            end = net.last
            if block == 0:
                net.last, net.channels = begin, channels
                net.conv(name + "_downsample", 1, out, 2)
                begin = net.last
            net.add(name + "_sum", "Elementwise", [begin, end], activation_fn="relu")
    net.classify()


def convnext(net, width, depths):
    """Liu et al. 2022."""
    net.conv("stem", 4, width, 4, norm=False, padding="VALID")
    net.add("stem_norm", "LayerNorm")
    for i, depth in enumerate(depths):
        if i:
            net.add(f"down{i + 1}_norm", "LayerNorm")
            net.conv(f"down{i + 1}", 2, width << i, 2, norm=False, padding="VALID")
        for block in range(depth):
            name, begin, channels = f"stage{i + 1}_{block}", net.last, net.channels
            net.conv(name + "_depthwise", 7, channels, 1, channels, norm=False)
            side = net.image // 4 >> i
            net.add(name + "_tokens", "Reshape", output_shape=[-1, side * side, channels])
            net.add(name + "_norm", "LayerNorm")
            net.linear(name + "_expand", 4 * channels, act="gelu")
            net.linear(name + "_project", channels)
            net.add(name + "_scale", "Scale")
            net.add(name + "_image", "Reshape", output_shape=[-1, side, side, channels])
            net.add(name + "_sum", "Elementwise", [begin, net.last])
    net.add("pool", "AvgPool", **{"global": True})
    net.add("norm", "LayerNorm")
    net.classify(pool=False)


def vit(net, patch, width, depth, heads):
    """Dosovitskiy et al. 2020."""
    net.conv("patches", patch, width, patch, norm=False, padding="VALID")
    net.add("tokens", "Reshape", output_shape=[-1, (net.image // patch) ** 2, width])
    net.add("class_token", "ClassToken")
    net.add("positions", "Position")
    for block in range(depth):
        name, begin = f"block{block + 1}", net.last
        norm = net.add(name + "_norm1", "LayerNorm")
        for part in ("query", "key", "value"):
            net.linear(f"{name}_{part}", width, [norm])
        net.add(name + "_attention", "FusedAttention", [f"{name}_{p}" for p in ("query", "key", "value")],
                heads=heads)
        net.linear(name + "_project", width)
        begin = net.add(name + "_sum1", "Elementwise", [begin, net.last])
        net.add(name + "_norm2", "LayerNorm")
        net.linear(name + "_mlp1", 4 * width, act="gelu")
        net.linear(name + "_mlp2", width)
        net.add(name + "_sum2", "Elementwise", [begin, net.last])
    net.add("norm", "LayerNorm")
    net.add("token", "FirstToken")
    net.classify(pool=False)


def vgg(net, blocks, norm):
    for i, count in enumerate(blocks):
        for k in range(count):
            net.conv(f"conv{i + 1}_{k + 1}", 3, min(64 << i, 512), norm=norm, act="relu")
        net.add(f"pool{i + 1}", "Pooling", ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID")
    net.linear("fc6", 4096, act="relu")
    net.linear("fc7", 4096, act="relu")
    net.linear("fc8", 1000)
    net.add("softmax", "Softmax")


# name: title, image, builder, arguments.
SHIPPED = {
    "resnet18": ("ResNet-18", 224, resnet, ([2, 2, 2, 2], False)),
    "resnet34": ("ResNet-34", 224, resnet, ([3, 4, 6, 3], False)),
    "resnet50_v15": ("ResNet-50 v1.5", 224, resnet, ([3, 4, 6, 3],)),
    "resnet101": ("ResNet-101 v1.5", 224, resnet, ([3, 4, 23, 3],)),
    "resnet152": ("ResNet-152 v1.5", 224, resnet, ([3, 8, 36, 3],)),
    "wide_resnet50": ("Wide ResNet-50-2", 224, resnet, ([3, 4, 6, 3], True, 128)),
    "resnext50": ("ResNeXt-50 32x4d", 224, resnet, ([3, 4, 6, 3], True, 4, 32)),
    "mobilenet_v1": ("MobileNet v1", 224, mobilenet_v1, ()),
    "mobilenet_v2": ("MobileNet v2", 224, mobilenet_v2, ()),
    "efficientnet_v2_s": ("EfficientNet v2 S", 384, efficientnet_v2_s, ()),
    "regnet_y_3_2gf": ("RegNetY 3.2 GF", 224, regnet, ((72, 216, 576, 1512), (2, 5, 13, 1), 24)),
    "convnext_small": ("ConvNeXt-S", 224, convnext, (96, (3, 3, 27, 3))),
    "convnext_base": ("ConvNeXt-B", 224, convnext, (128, (3, 3, 27, 3))),
    "vit_b_16": ("ViT-B/16", 224, vit, (16, 768, 12, 12)),
}
# Not shipped: what the study of other people's times has beside these.
OTHERS = {
    "convnext_large": ("ConvNeXt-L", 224, convnext, (192, (3, 3, 27, 3))),
    "efficientnet_b1": ("EfficientNet B1", 240, efficientnet, ((32, 16, 24, 40, 80, 112, 192, 320), (2, 3, 3, 4, 4, 5, 2))),
    "efficientnet_b2": ("EfficientNet B2", 260, efficientnet, ((32, 16, 24, 48, 88, 120, 208, 352), (2, 3, 3, 4, 4, 5, 2))),
    "efficientnet_b3": ("EfficientNet B3", 300, efficientnet, ((40, 24, 32, 48, 96, 136, 232, 384), (2, 3, 3, 5, 5, 6, 2))),
    "regnet_x_3_2gf": ("RegNetX 3.2 GF", 224, regnet, ((96, 192, 432, 1008), (2, 6, 15, 2), 48, False)),
    "regnet_x_400mf": ("RegNetX 400 MF", 224, regnet, ((32, 64, 160, 384), (1, 2, 7, 12), 16, False)),
    "regnet_x_800mf": ("RegNetX 800 MF", 224, regnet, ((64, 128, 288, 672), (1, 3, 7, 5), 16, False)),
    "regnet_y_800mf": ("RegNetY 800 MF", 224, regnet, ((64, 128, 320, 768), (1, 3, 8, 2), 16)),
    "regnet_y_16gf": ("RegNetY 16 GF", 224, regnet, ((224, 448, 1232, 3024), (2, 4, 11, 1), 112)),
    "regnet_y_8gf": ("RegNetY 8 GF", 224, regnet, ((168, 448, 896, 2016), (2, 4, 10, 1), 56)),
    "resnext101_32x8d": ("ResNeXt-101 32x8d", 224, resnet, ([3, 4, 23, 3], True, 8, 32)),
    "vit_s_16": ("ViT-S/16", 224, vit, (16, 384, 12, 6)),
    "vit_t_16": ("ViT-Ti/16", 224, vit, (16, 192, 12, 3)),
    "vit_b_32": ("ViT-B/32", 224, vit, (32, 768, 12, 12)),
    "vit_l_16": ("ViT-L/16", 224, vit, (16, 1024, 24, 16)),
    "vgg11": ("VGG-11", 224, vgg, ((1, 1, 2, 2, 2), False)),
    "vgg13": ("VGG-13", 224, vgg, ((2, 2, 2, 2, 2), False)),
    "vgg16_plain": ("VGG-16", 224, vgg, ((2, 2, 3, 3, 3), False)),
    "vgg16_bn": ("VGG-16 with batch normalisation", 224, vgg, ((2, 2, 3, 3, 3), True)),
    "vgg19": ("VGG-19", 224, vgg, ((2, 2, 4, 4, 4), False)),
}

# Nets as timm calls them, in the tables that paleo validate reads.
MEASURED = {"resnet18": "resnet18", "resnet34": "resnet34", "resnet50": "resnet50_v15", "resnet101": "resnet101",
            "resnet152": "resnet152", "wide_resnet50_2": "wide_resnet50", "resnext50_32x4d": "resnext50",
            "resnext101_32x8d": "resnext101_32x8d", "mobilenetv1_100": "mobilenet_v1",
            "mobilenetv2_100": "mobilenet_v2", "efficientnetv2_s": "efficientnet_v2_s",
            "efficientnet_b1": "efficientnet_b1", "efficientnet_b2": "efficientnet_b2",
            "efficientnet_b3": "efficientnet_b3", "regnety_032": "regnet_y_3_2gf", "regnety_080": "regnet_y_8gf",
            "regnety_160": "regnet_y_16gf", "regnetx_032": "regnet_x_3_2gf", "regnetx_004": "regnet_x_400mf",
            "regnetx_008": "regnet_x_800mf", "regnety_008": "regnet_y_800mf", "convnext_small": "convnext_small",
            "convnext_base": "convnext_base", "convnext_large": "convnext_large", "vit_base_patch16_224": "vit_b_16",
            "vit_small_patch16_224": "vit_s_16", "vit_tiny_patch16_224": "vit_t_16", "vit_base_patch32_224": "vit_b_32",
            "vit_large_patch16_224": "vit_l_16", "deit_base_patch16_224": "vit_b_16",
            "deit_small_patch16_224": "vit_s_16", "deit_tiny_patch16_224": "vit_t_16", "vgg11": "vgg11",
            "vgg13": "vgg13", "vgg16": "vgg16_plain", "vgg16_bn": "vgg16_bn", "vgg19": "vgg19"}


def make(name, image=None):
    title, own, build, arguments = {**SHIPPED, **OTHERS}[name]
    net = Net(title, image or own)
    build(net, *arguments)
    return net.text()


def write_measured(folder, table):
    with open(table, encoding="utf-8") as file:
        wanted = {(row["model"], row["img"]) for row in csv.DictReader(file) if row["model"] in MEASURED}
    for model, image in sorted(wanted):
        with open(os.path.join(folder, f"{model}-{image}.json"), "w", encoding="utf-8") as file:
            file.write(make(MEASURED[model], int(image)))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", help="a folder for all that is shipped, or the name of one net")
    parser.add_argument("--image", type=int, help="pixels of a side")
    parser.add_argument("--measured", help="a table of nets that others measured")
    arguments = parser.parse_args()
    if arguments.measured:
        write_measured(arguments.what, arguments.measured)
        return
    if arguments.what in SHIPPED or arguments.what in OTHERS:
        sys.stdout.write(make(arguments.what, arguments.image))
        return
    for name in SHIPPED:
        with open(os.path.join(arguments.what, name + ".json"), "w", encoding="utf-8") as file:
            file.write(make(name))


if __name__ == "__main__":
    main()
