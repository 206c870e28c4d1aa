convert says which shape is missing.

  $ paleo-convert $build/tests/bad/caffe/input_unknown.prototxt
  2> paleo-convert: $build/tests/bad/caffe/input_unknown.prototxt:1:1: layer 'd': the shape of the input 'x' is incomplete: give it as FILE:x=256xCx227x227, with numbers for the letters
  [2]
