Nets that are not there, or whose names are misspelt.

  $ predict="paleo-predict --device h100-sxm"
  $ mkdir -p nets folder.json
  $ cp "$small" nets/mine.json
  $ for net in '' vgg61 vgg61.json vgg16.jsn xyzzy ./vgg16.json mine/ folder.json; do
  > 	say $predict "$net"
  > done
  paleo-predict: the name of a net is empty
  -> 2
  paleo-predict: no net 'vgg61' here, in ./nets or among the shipped ones (did you mean 'vgg16'?)
  -> 2
  paleo-predict: no net 'vgg61.json' here, in ./nets or among the shipped ones (did you mean 'vgg16'?)
  -> 2
  paleo-predict: no net 'vgg16.jsn' here, in ./nets or among the shipped ones (did you mean 'vgg16'?)
  -> 2
  paleo-predict: no net 'xyzzy' here, in ./nets or among the shipped ones, which nets/README.md lists
  -> 2
  paleo-predict: ./vgg16.json: No such file or directory
  -> 2
  paleo-predict: mine/: No such file or directory
  -> 2
  paleo-predict: folder.json: is a folder without a config.json, expected a net's file or a model's folder
  -> 2
  $ $predict --format csv mine ./nets/mine vgg16 | columns net | sort -u
  mine
  net
  vgg16
  2> NVIDIA H100 SXM 80 GB: published benchmarks, nothing measured here: the median over all GPUs
