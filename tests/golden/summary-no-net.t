summary without a net.

  $ paleo summary
  2> paleo-summary: no network was given, for example vgg16 (see --help)
  [2]
