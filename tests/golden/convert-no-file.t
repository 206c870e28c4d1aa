convert without a file.

  $ paleo convert none.prototxt
  2> paleo-convert: no net 'none.prototxt' here, in ./nets or among the shipped ones (did you mean 'nin'?)
  [2]
  $ paleo convert
  2> paleo-convert: expected one network, as model.onnx, found 0 (see --help)
  [2]

Shipped names are found as by every command; a net file is none to convert.

  $ paleo convert --phase decode qwen3-0.6b | head -n 2
  {
    "name": "qwen3-0.6b",
  $ paleo convert vgg16
  2> paleo-convert: $build/share/paleo/nets/vgg16.json: expected a config.json, found other JSON; a net file needs no conversion
  [2]
