convert --shape gives the shape that a Caffe file does not say.

  $ paleo-convert --shape x=256x3x227x227 $build/tests/bad/caffe/input_unknown.prototxt
  {
    "name": "input_unknown",
    "layers": {
      "x": {
        "type": "Input",
        "parents": [],
        "tensor": [256, 227, 227, 3]
      },
      "ReLU": {
        "type": "ReLU",
        "parents": ["x"]
      }
    }
  }
  $ paleo-convert --shape y=1x3x4x4 --shape x=1x2x3x4 $build/tests/bad/caffe/input_unknown.prototxt
  2> paleo-convert: $build/tests/bad/caffe/input_unknown.prototxt:1:1: the net has no input 'y'
  [2]
  $ paleo convert --shape 3x4x4 $build/tests/bad/caffe/input_unknown.prototxt
  2> paleo-convert: '3x4x4' is not an input shape, expected NxCxHxW or NxC, as in 64x3x224x224, or NAME=NxCxHxW
  [2]
