Two answers of paleo algorithms against each other: which ops take another engine.

answers LIBRARY ENGINE KNOBS - answers of an H200 for three convolutions, of which the first has this engine.

  $ conv() {
  > 	printf '{"op":"conv fwd f32 n=%s c=64 h=56 w=56 k=64 r=3 s=3 pad_t=1 pad_l=1 pad_b=1 pad_r=1",' "$1"
  > 	printf '"layer":"%s","layers":%s' "$2" "$3"
  > }
  $ answers() {
  > 	echo '{"type":"meta","schema":"paleo-algorithms/2","device":"h200","title":"NVIDIA H200 SXM 141 GB",' \
  > 		'"library":"'"$1"'","net":"small","batch":8,"dtype":"f32","layout":"nchw","workspace_limit_bytes":1e9}'
  > 	echo "$(conv 64 conv1 3),\"algorithms\":[{\"engine\":$2,\"workspace_bytes\":$4}]}"
  > 	echo "$(conv 32 conv2 1),\"algorithms\":[{\"engine\":11,\"workspace_bytes\":0,\"knobs\":\"$3\"}]}"
  > 	echo "$(conv 16 conv3 1),\"algorithms\":[{\"engine\":11,\"workspace_bytes\":0}]}"
  > }
  $ answers "cudnn 9.19.0" 11 tile_size=4 0 >old.jsonl
  $ answers "cudnn 9.28.0" 57 tile_size=2 1e9 >new.jsonl

Times are the cost model's and are left out here.

  $ paleo compare old.jsonl new.jsonl | sed 's/: [0-9.]* % of/: N % of/; s/[+-][0-9.]* %, from.*/CHANGE/' |
  > 	awk '/ f32 / { print $1, $3, $4, $5, $8, $10; next } !/^differs|^---/'
  A  old.jsonl: NVIDIA H200 SXM 141 GB, cudnn 9.19.0
  B  new.jsonl: NVIDIA H200 SXM 141 GB, cudnn 9.28.0
  1 of 3 ops take another engine: N % of the predicted time
  1 of 3 ops take the same engine with other knobs: N % of the predicted time
  1 of 3 ops take the same: N % of the predicted time
  predicted with these algorithms: CHANGE

  engine conv1 3 fwd 11 57
  knobs conv2 1 fwd 11 11
  $ paleo compare --format csv old.jsonl new.jsonl 2>/dev/null >table
  $ columns differs,layer,layers,engine_a,engine_b,knobs_a,knobs_b <table
  differs,layer,layers,engine_a,engine_b,knobs_a,knobs_b
  engine,conv1,3,11,57,,
  knobs,conv2,1,11,11,tile_size=4,tile_size=2
  same,conv3,1,11,11,,

Shares of the predicted time are of all ops; an engine with a workspace moves more bytes.

  $ columns share,predicted_a_s,predicted_b_s <table | awk -F, '
  > 	NR > 1 { shares += $1 }
  > 	NR == 2 { print ($3 > $2 ? "longer" : "not longer") }
  > 	END { printf "%.3f\n", shares }'
  longer
  1.000
  $ paleo compare --fail-slower 1% old.jsonl new.jsonl >/dev/null
  [6]
  $ paleo compare --fail-layer 1% new.jsonl old.jsonl >/dev/null

The same answers have no row; all ops are listed if asked for.

  $ paleo compare old.jsonl old.jsonl | grep -v predicted
  A  old.jsonl: NVIDIA H200 SXM 141 GB, cudnn 9.19.0
  B  old.jsonl: NVIDIA H200 SXM 141 GB, cudnn 9.19.0
  $ paleo compare --all old.jsonl old.jsonl | grep -c '^same'
  3

What a library cannot do, and a device without a cost model:

  $ sed '/conv3/ s/"algorithms":.*/"status":"unsupported","reason":"no engine"}/' new.jsonl >fewer.jsonl
  $ paleo compare --format csv old.jsonl fewer.jsonl 2>/dev/null | columns layer,engine_a,engine_b,predicted_a_s | tail -n 1
  conv3,11,none,
  $ sed 's/"device":"h200","title":"[^"]*"/"device":"mine","title":"mine"/' old.jsonl >mine.jsonl
  $ paleo compare mine.jsonl mine.jsonl
  A  mine.jsonl: mine, cudnn 9.19.0
  B  mine.jsonl: mine, cudnn 9.19.0
  3 of 3 ops take the same
  no cost model of the device: the ops have no predicted time
  $ paleo compare --fail-slower 1 mine.jsonl mine.jsonl >/dev/null
  2> paleo-compare: --fail-slower needs predicted times, and the cost models have none for these ops on both sides
  [2]

Faults:

  $ sed '/conv/ s/n=[0-9]*/n=1/' old.jsonl >other.jsonl
  $ paleo compare old.jsonl other.jsonl
  2> paleo-compare: A and B have no op in common: ask both for the same networks, batch sizes, dtypes and layouts
  [2]
  $ sed 's/"layers":3/"layers":0/' old.jsonl >bad.jsonl
  $ paleo compare bad.jsonl old.jsonl
  2> paleo-compare: bad.jsonl:2:112: layers: expected an integer from 1 to 1073741824, found 0
  [2]
  $ paleo predict --device t4 --cost-model datasheet --format jsonl "$small" >rows.jsonl 2>/dev/null
  $ paleo compare old.jsonl rows.jsonl
  2> paleo-compare: old.jsonl: holds answers of paleo algorithms, and rows.jsonl does not: expected two files of one kind
  [2]
  $ paleo compare old.jsonl absent.jsonl
  2> paleo-compare: absent.jsonl: cannot open: No such file or directory
  [2]

Both libraries in one call; the folder must have one:

  $ paleo algorithms --device fake --against . alex_v2
  2> paleo-algorithms: --against: device 'fake' takes no library from a folder
  [2]
  $ paleo algorithms --device fake --against . --output x
  2> paleo-algorithms: --output writes a description and --against compares two libraries: give one of them
  [2]
