The outputs in the guides are today's.

  $ command -v python3 >/dev/null || skip "there is no python3"

  $ python3 $source/docs/outputs.py $source $build && echo "the guide's outputs are today's"
  the guide's outputs are today's
