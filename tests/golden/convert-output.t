convert writes a file whole or not at all.

  $ net=$source/tests/data/caffe/flat
  $ paleo convert --output net.json $net.prototxt
  $ paleo convert $net.prototxt | cmp - net.json
  $ paleo convert --output none/net.json $net.prototxt; echo "$? $(ls -A)"
  2 net.json
  2> paleo-convert: none/net.json: cannot be written: No such file or directory
  $ paleo convert --output net.json $build/tests/bad/caffe/input_unknown.prototxt 2>/dev/null; echo "$? $(ls -A)"
  2 net.json
  $ paleo convert $net.prototxt | cmp - net.json
  $ paleo convert --output net.json $net.prototxt
