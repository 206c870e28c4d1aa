Names of 10,000 characters, batches beyond 2^24 elements, ops beyond 2^40.

  $ name=$(head -c 10000 /dev/zero | tr '\0' n)
  $ cat >long.json <<END
  > {"name": "$name", "layers": {
  >   "data": {"type": "Input", "parents": [], "tensor": [1, 2, 2, 1]},
  >   "$name": {"type": "ReLU", "parents": ["data"]}}}
  > END
  $ bounded 10 500 paleo-profile --device fake --output long.jsonl long.json |
  > 	sed -n '/^n/p; /^\.\.\./s/  .*//p; /^1 op/s/in .* s,/in TIME s,/p'
  not calibrated: the fake's measured peaks at PPP 1 compute, 1 memory (real times are usually longer)
  nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn..., batch 1, f32, nchw, 0 parameters
  ...nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn
  1 ops measured in TIME s, 0 unsupported, 0 failed
  $ paleo-predict --device h200 --format csv long.json 2>/dev/null | columns layer | tail -1 | wc -c
  10001
  $ cut -c1-80 long.jsonl | grep -c '"type":"net","net":"long"'
  1

  $ printf '{"name": "\\u001b[31m", "layers": {"data": {"type": "Input", "parents": [], "tensor": [1, 2, 2, 1]},
  > "a\\u001b\\nb": {"type": "ReLU", "parents": ["data"]}}}' >escape.json
  $ paleo-predict --device h200 escape.json | grep -n "$(printf '\033')" || echo "no escape"
  no escape

  $ cat >batch.json <<END
  > {"name": "batch", "layers": {
  >   "data": {"type": "Input", "parents": [], "tensor": [1, 32, 32, 1]},
  >   "reshape": {"type": "Reshape", "parents": ["data"], "output_shape": [1024, 1]},
  >   "fc": {"type": "InnerProduct", "parents": ["data"], "num_outputs": 16777216}}}
  > END
  $ bounded 10 500 paleo-predict --device h200 --batch 1048576 batch.json
  2> paleo-predict: batch.json:3:14: layers.reshape: 'output_shape' has 1024 elements, the parent 1073741824; write -1 for the batch if that is the difference
  [2]
  $ sed '/reshape/d' batch.json >fc.json
  $ bounded 10 500 paleo-predict --device h200 --batch 1048576 --format csv --pass fwd fc.json 2>/dev/null |
  > 	columns layer,flops,op | tail -1
  fc,3.604638920500838e+16,gemm fwd f32 m=1048576 n=16777216 k=1024 trans_b=1 bias=1
  $ sed 's/32, 32, 1\]/4096, 4096, 1]/' fc.json >weights.json
  $ bounded 10 500 paleo-predict --device h200 weights.json
  2> paleo-predict: weights.json: layer 'fc', update: update: 'count' is 281474993487872, expected an integer from 1 to 1099511627776
  [2]
  $ sed 's/32, 32, 1\]/4096, 4097, 1]/' fc.json >flat.json
  $ bounded 10 500 paleo-predict --device h200 flat.json
  2> paleo-predict: flat.json:3:9: layers.fc: the number of inputs, H x W x C, would be 16781312, expected 1 to 16777216
  [2]
  $ sed 's/: 16777216/: 65535/; s/32, 32, 1\]/4096, 4096, 1]/' fc.json >memory.json
  $ bounded 10 500 paleo-profile --device fake --batch 1048576 --output memory.jsonl memory.json >text
  [1]
  $ sed -n '/ rows* [a-z]*: /p' text
    2 rows oom: 7.5e+13 bytes do not fit into the fake memory
    1 row oom: 1.32e+13 bytes do not fit into the fake memory
