Summaries are the original's, byte for byte.

  $ for net in alex_v2 alex_v2_1gpu alex_v2_2gpu alex_v2_4gpu alex_v2_8gpu densenet inception_v3 nin overfeat resnet50 vgg16; do
  > 	file=$source/nets/$net.json
  > 	case $net in densenet | resnet50)
  > 		file=$net.json
  > 		sh $source/tests/data/caffe/networks.sh $net paleo2017 >$file ;;
  > 	esac
  > 	paleo summary --cost-model paleo2017 --format paleo $file | cmp - $source/tests/golden/paleo2017/summary/$net.txt && echo $net is the same
  > done
  alex_v2 is the same
  alex_v2_1gpu is the same
  alex_v2_2gpu is the same
  alex_v2_4gpu is the same
  alex_v2_8gpu is the same
  densenet is the same
  inception_v3 is the same
  nin is the same
  overfeat is the same
  resnet50 is the same
  vgg16 is the same
