convert without a file.

  $ paleo convert none.prototxt
  2> paleo-convert: none.prototxt: cannot open: No such file or directory
  [2]
  $ paleo convert
  2> paleo-convert: expected one network, as model.onnx, found 0 (see --help)
  [2]
