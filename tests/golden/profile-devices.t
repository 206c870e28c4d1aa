Two devices in one run: each has its worker and its folder, and its faults are its own.

  $ two() {
  > 	say paleo-profile --device fake,fake1 "$@" "$small" |
  > 		sed -n '/^device/p; /^paleo-profile/p; /^records/p; /^->/p; /^resumed/p; s/in [0-9.]* s/in TIME s/p'
  > }

  $ two
  device fake
  13 ops measured in TIME s, 0 unsupported, 0 failed
  records: paleo-results/fake-fake/small-b4-f32.jsonl
  device fake1
  13 ops measured in TIME s, 0 unsupported, 0 failed
  records: paleo-results/fake-fake1/small-b4-f32.jsonl
  -> 0
  $ find paleo-results -type f | sort
  paleo-results/fake-fake/small-b4-f32.jsonl
  paleo-results/fake-fake1/small-b4-f32.jsonl
  $ for folder in fake-fake fake-fake1; do
  > 	measured paleo-results/$folder/small-b4-f32.jsonl >$folder
  > done
  $ cmp fake-fake fake-fake1 && wc -l <fake-fake
  13

Again:

  $ two --resume
  device fake
  resumed: 13 of 13 ops measured before
  0 ops measured in TIME s, 0 unsupported, 0 failed
  records: paleo-results/fake-fake/small-b4-f32.jsonl
  device fake1
  resumed: 13 of 13 ops measured before
  0 ops measured in TIME s, 0 unsupported, 0 failed
  records: paleo-results/fake-fake1/small-b4-f32.jsonl
  -> 0

One device is not there:

  $ rm -r paleo-results
  $ PALEO_FAKE=nodevice two
  device fake
  paleo-profile: there is no fake device 0
  device fake1
  13 ops measured in TIME s, 0 unsupported, 0 failed
  records: paleo-results/fake-fake1/small-b4-f32.jsonl
  -> 4
  $ find paleo-results -type f | sort
  paleo-results/fake-fake1/small-b4-f32.jsonl
  $ PALEO_FAKE=nodevice1 two
  device fake
  13 ops measured in TIME s, 0 unsupported, 0 failed
  records: paleo-results/fake-fake/small-b4-f32.jsonl
  device fake1
  paleo-profile: there is no fake device 1
  -> 4

Wrong lists:

  $ for list in fake,fake 'fake,' ',fake' fake,2x fake,0123456789012345678901234567890123; do
  > 	say paleo-profile --device "$list" "$small" | tail -2
  > done
  paleo-profile: --device has 'fake' twice
  -> 2
  paleo-profile: --device has '', expected GPU numbers, comma-separated, cpu, or auto
  -> 2
  paleo-profile: --device has '', expected GPU numbers, comma-separated, cpu, or auto
  -> 2
  paleo-profile: --device is '2x', expected auto|N|cuda:N|cpu: GPU number N, the CPU, or the first usable one (default auto)
  -> 2
  paleo-profile: --device has '0123456789012345678901234567890123', expected GPU numbers, comma-separated, cpu, or auto
  -> 2
  $ paleo-profile --device fake,fake1 --output a.jsonl "$small"
  2> paleo-profile: --output names one file for 2 devices; without it, each has its own folder in paleo-results/
  [2]
  $ paleo-profile --device fake,fake1 --format csv "$small"
  2> paleo-profile: --format csv has one header, for one device; take jsonl or text for 2 devices
  [2]
