A network file says in which dtype it is computed; number_type is what that key was called before.

  $ for key in dtype number_type; do
  > 	sed "s/\"name\"/\"$key\": \"f16\", \"name\"/" "$small" >$key.json
  > 	paleo predict --device t4 --cost-model datasheet --format csv $key.json 2>/dev/null | columns dtype | sort -u
  > done
  dtype
  f16
  dtype
  f16
  $ sed 's/"name"/"dtype": "f16", "number_type": "f16", "name"/' "$small" >both.json
  $ paleo summary both.json
  2> paleo-summary: both.json:2:34: number_type: 'number_type' is 'dtype' now: leave it out
  [2]
