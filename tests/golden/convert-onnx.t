convert reads ONNX, and refuses options that are for other formats.

  $ paleo convert $source/tests/fuzz/corpus/onnx/shapes.onnx
  {
    "name": "shapes",
    "layers": {
      "x": {
        "type": "Input",
        "parents": [],
        "tensor": [2, 4, 4, 3]
      },
      "Mul_5": {
        "type": "Activation",
        "parents": ["x"],
        "fn": "silu"
      }
    }
  }
  $ paleo convert --phase test $source/tests/fuzz/corpus/onnx/shapes.onnx
  2> paleo-convert: $source/tests/fuzz/corpus/onnx/shapes.onnx: an ONNX model takes named sizes (--shape), at most 16, and no phases
  [2]
  $ paleo convert --shape 3 $build/tests/bad/caffe/input_unknown.prototxt
  2> paleo-convert: '3' is not an input shape, expected NxCxHxW or NxC, as in 64x3x224x224, or NAME=NxCxHxW
  [2]
