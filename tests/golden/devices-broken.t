A file of devices with a misspelt key.

  $ paleo-devices --device-file $build/tests/bad/devices/key_misspelt.json
  2> paleo-devices: $build/tests/bad/devices/key_misspelt.json:3:20: devices[0]: unknown key 'flops_per_s' (did you mean 'flop_per_s'?)
  [2]

A name is a folder's, below paleo-results. UP/ is the folder above.

  $ mkdir -p outside/cpu outside/in && cp "$source/results/cpu-amd-epyc/calibration.json" outside/cpu && cd outside/in
  $ up=..; said() { sed "s,[.][.]/,UP/,g; s,:1:[0-9]*:,:1:COLUMN:,"; }
  $ echo '{"devices": [{"name": "UP/UP/esc", "flop_per_s": {"f32": 1e13}, "mem_bytes_per_s": 1e12}]}' | sed "s,UP,$up,g" >devices.json
  $ paleo predict --device-file devices.json --device "$up/$up/esc" vgg16 2>&1 | said
  paleo-predict: devices.json:1:COLUMN: devices[0].name: 'UP/UP/esc' cannot be a folder's name: expected one without '/' that does not begin with '.'
  $ paleo profile --device fake --quiet --output records.jsonl nin >out
  $ sed -i "s,\"name\":\"fake\",\"name\":\"$up/$up/esc\"," records.jsonl
  $ paleo calibrate --from records.jsonl 2>&1 | said
  paleo-calibrate: records.jsonl:1:COLUMN: device.name: 'UP/UP/esc' cannot be a folder's name: expected one without '/' that does not begin with '.'
  $ mkdir paleo-results; paleo predict --device "$up/$up/cpu" vgg16 2>&1 | said
  paleo-predict: unknown device 'UP/UP/cpu' ('paleo devices' lists all, docs/reference/devices.md describes how to add one)
  $ cd ..; find . -mindepth 1 | sort
  ./cpu
  ./cpu/calibration.json
  ./in
  ./in/devices.json
  ./in/out
  ./in/paleo-results
  ./in/records.jsonl
