Without options every command takes the dtype and batch of the network's file, and nchw; where a device times
smaller batches it says so.

  $ sed '1s/{/{"dtype": "bf16", /' "$small" >own.json
  $ defaults() {
  > 	"$@" own.json 2>&1 | grep -o '^small, batch.*nchw\|, bf16, over\|in bf16, nchw'
  > }
  $ defaults paleo predict --device h100-sxm
  small, batch 32, bf16, nchw
  $ defaults paleo profile --device fake
  small, batch 4 instead of the file's 32, bf16, nchw
  $ defaults paleo simulate --device h100-sxm --workers 1 --quiet
  , bf16, over
  $ defaults paleo simulate --search --device h100-sxm --workers 1 --batch 4
  in bf16, nchw
  $ on='--format csv own.json'
  $ paleo simulate --device h100-sxm --workers 1 --scaling weak $on 2>/dev/null | columns dtype,layout,batch
  dtype,layout,batch
  bf16,nchw,32
  $ paleo fullpass --device fake --pass fwd $on 2>/dev/null | columns dtype,batch
  dtype,batch
  bf16,4
  $ paleo compare --time-budget 1s --device fake mode=cold,hot own.json 2>&1 | grep -o 'own, batch [0-9]*, bf16'
  own, batch 4, bf16

Networks of two dtypes have none in common:

  $ for command in predict simulate 'profile --device fake'; do
  > 	paleo $command own.json "$small"
  > done
  2> paleo-predict: the networks have different dtypes, bf16 and f32: choose one with --dtype
  2> paleo-simulate: the networks have different dtypes, bf16 and f32: choose one with --dtype
  2> paleo-profile: the networks have different dtypes, bf16 and f32: choose one with --dtype
  [2]
