#!/bin/sh
# networks.sh NET FORM - two networks of Caffe's zoo, written from their dimensions, as Caffe or the original has them.
# SPDX-License-Identifier: Apache-2.0
#
# NET is densenet (40 layers, growth 12, for images of 32 x 32) or resnet50. FORM is prototxt, or paleo2017: the net
# file that the original's converter made of it, with its faults: what works in place is dropped, a padding is SAME or
# VALID, the kernel of a global pooling is that of the convolution before, the ratio of a Dropout is taken as what is
# kept. Layers are sorted by name, as there.
set -eu

write() {
	awk -v net="$1" -v form="$2" '
	function layer(name, type, from, to, fields, made,    bottoms) {
		bottoms = from
		if (form == "prototxt") {
			gsub(/ /, "\" bottom: \"", bottoms)
			printf "layer { name: \"%s\" type: \"%s\" bottom: \"%s\" top: \"%s\"%s }\n",
				name, type, bottoms, to, fields
		} else if (made != "") {
			gsub(/ /, "\", \"", bottoms)
			printf "\"%s\": {\"parents\": [\"%s\"], \"type\": %s}\n", name, bottoms, made
		}
	}
	function param(of, fields) {
		return sprintf(" %s_param { %s }", of, fields)
	}
	function window(key, size, rest, stride, same) {
		return sprintf("\"%s\": [%s%s], \"strides\": [1, %d, %d, 1], \"padding\": \"%s\"",
			key, size, rest, stride, stride, same ? "SAME" : "VALID")
	}
	function convolution(name, from, outputs, side, stride, fields) {
		fields = sprintf("num_output: %d pad: %d kernel_size: %d stride: %d%s", outputs, side / 2, side,
			stride, fields)
		layer(name, "Convolution", from, name, param("convolution", fields),
			"\"Convolution\", " window("filter", side ", " side, ", -1, " outputs, stride, side > 1))
	}
	function pooling(name, from, side, stride, fields) {
		layer(name, "Pooling", from, name, param("pooling", fields),
			"\"Pooling\", " window("ksize", "1, " side ", " side, ", 1", stride, 0))
	}
	function product(name, from, outputs, fields) {
		layer(name, "InnerProduct", from, name,
			param("inner_product", "num_output: " outputs fields),
			"\"InnerProduct\", \"num_outputs\": " outputs)
	}
	function input(side) {
		if (form == "prototxt")
			printf "input: \"data\" input_dim: 1 input_dim: 3 input_dim: %d input_dim: %d\n", side, side
		else
			printf "\"data\": {\"parents\": [], \"type\": \"Input\", \"tensor\": [1, %d, %d, 3]}\n", side, side
	}

	# DenseNet: what a layer of growth makes is put behind what it came from.
	function filled(type) {
		return " weight_filler { type: \"" type "\" } bias_filler { type: \"constant\" }"
	}
	function norm(from) {
		norms++
		layer("BatchNorm" norms, "BatchNorm", from, "BatchNorm" norms, still still still, "\"BatchNorm\"")
		layer("Scale" norms, "Scale", "BatchNorm" norms, "BatchNorm" norms,
			param("scale", "filler { value: 1 } bias_term: true bias_filler { value: 0 }"))
		layer("ReLU" norms, "ReLU", "BatchNorm" norms, "BatchNorm" norms)
		return "BatchNorm" norms
	}
	function grow(from, outputs, side) {
		from = norm(from)
		convolution("Convolution" norms + 1, from, outputs, side, 1, " bias_term: false" filled("msra"))
		layer("Dropout" norms, "Dropout", "Convolution" norms + 1, "Dropout" norms,
			param("dropout", "dropout_ratio: 0.2"),
			"\"Dropout\", \"dropout_keep_prob\": 0.20000000298023224")
		return "Dropout" norms
	}
	function densenet(    block, i, at, new) {
		still = " param { lr_mult: 0 decay_mult: 0 }"
		input(32)
		at = "Convolution1"
		convolution(at, "data", 16, 3, 1, " bias_term: false" filled("msra"))
		for (block = 1; block <= 3; block++) {
			for (i = 0; i < 12; i++) {
				new = grow(at, 12, 3)
				layer("Concat" ++concats, "Concat", at " " new, "Concat" concats,
					param("concat", "axis: 1"), "\"Concatenate\", \"dim\": 3")
				at = "Concat" concats
			}
			if (block == 3)
				break
			at = grow(at, 16 + block * 144, 1)
			pooling("Pooling" block, at, 2, 2, "pool: AVE kernel_size: 2 stride: 2")
			at = "Pooling" block
		}
		pooling("Pooling3", norm(at), 3, 1, "pool: AVE global_pooling: true")
		product("InnerProduct1", "Pooling3", 10, " bias_term: true" filled("xavier"))
		layer("SoftmaxWithLoss1", "SoftmaxWithLoss", "InnerProduct1", "SoftmaxWithLoss1",
			" bottom: \"data\"", "\"Softmax\"")
		layer("Accuracy1", "Accuracy", "InnerProduct1", "Accuracy1", " bottom: \"data\"", "\"Accuracy\"")
	}

	# ResNet: three convolutions beside a way around them.
	function normed(name, tail, relu) {
		layer("bn" tail, "BatchNorm", name, name, param("batch_norm", "use_global_stats: true"))
		layer("scale" tail, "Scale", name, name, param("scale", "bias_term: true"))
		if (relu)
			layer(name "_relu", "ReLU", name, name)
	}
	function branch(block, part, from, outputs, side, stride) {
		convolution("res" block "_branch" part, from, outputs, side, stride, " bias_term: false")
		normed("res" block "_branch" part, block "_branch" part, part == "2a" || part == "2b")
		return "res" block "_branch" part
	}
	function resnet(    stage, i, block, width, stride, at, around) {
		input(224)
		convolution("conv1", "data", 64, 7, 2)
		normed("conv1", "_conv1", 1)
		pooling("pool1", "conv1", 3, 2, "kernel_size: 3 stride: 2 pool: MAX")
		at = "pool1"
		split("0 3 4 6 3", blocks, " ")
		for (stage = 2; stage <= 5; stage++)
			for (i = 1; i <= blocks[stage]; i++) {
				block = stage substr("abcdef", i, 1)
				width = 16 * 2 ^ stage
				stride = i == 1 && stage > 2 ? 2 : 1
				around = i == 1 ? branch(block, "1", at, 4 * width, 1, stride) : at
				at = branch(block, "2a", at, width, 1, stride)
				at = branch(block, "2b", at, width, 3, 1)
				at = branch(block, "2c", at, 4 * width, 1, 1)
				layer("res" block, "Eltwise", around " " at, "res" block, "", "\"Elementwise\"")
				at = "res" block
				layer(at "_relu", "ReLU", at, at)
			}
		pooling("pool5", at, 7, 1, "kernel_size: 7 stride: 1 pool: AVE")
		product("fc1000", "pool5", 1000, "")
		layer("prob", "Softmax", "fc1000", "prob", "", "\"Softmax\"")
	}
	BEGIN {
		if (net == "densenet")
			densenet()
		else
			resnet()
	}'
}

case $1,$2 in
densenet,prototxt | resnet50,prototxt)
	write "$1" "$2"
	;;
densenet,paleo2017 | resnet50,paleo2017)
	printf '{"name": "%s", "layers": {\n' "$1"
	write "$1" "$2" | LC_ALL=C sort | sed '$!s/$/,/'
	echo '}}'
	;;
*)
	echo "networks.sh: expected densenet or resnet50, then prototxt or paleo2017, got '$1' '$2'" >&2
	exit 2
	;;
esac
