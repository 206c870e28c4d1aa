check: equal devices beside one another, beside their past, and from files.

A slow one of four is found and named, by what its driver says; the clock of the third is at 80 %.

  $ node=$(uname -n)
  $ shown() {
  > 	sed -E "s/$node/NODE/g; s/ +/ /g; s/-{4,}/----/" "$1"
  > }
  $ check() {
  > 	paleo check "$@" >out 2>err
  > 	echo "exit $?"
  > 	shown out
  > 	sed "s/$node/NODE/g" err >&2
  > }
  $ export PALEO_FAKE=still,seed=1,differs=0.01,clock2=0.8
  $ check --device fake,fake1,fake2,fake3 --output four.jsonl
  exit 6
  fake: fake device with known factors, for tests, fake 1
  fake: fake device with known factors, for tests, fake 1
  fake: fake device with known factors, for tests, fake 1
  fake: fake device with known factors, for tests, fake 1

  verdict node device slower % than in why
  ----
  good NODE fake-0 -1.2 its siblings median part -
  good NODE fake-1 -0.1 its siblings median part -
  SLOW NODE fake-2 24.6 its siblings median part clock at 72 % of its highest, elsewhere 90 %; clock reduced by sw_thermal
  good NODE fake-3 -0.1 its siblings median part -

  SLOW: NODE fake-2: 24.6 % slower than its siblings (median part), 16 parts beyond chance: clock at 72 % of its highest, elsewhere 90 %; clock reduced by sw_thermal
  4 devices: 3 good, 1 slow, 0 faulty, 0 not judged
  records: four.jsonl

Those are files of records, one device after another; other commands refuse what would mix them.

  $ grep -c '"type":"condition"' four.jsonl
  4
  $ paleo validate four.jsonl 2>&1 | sed "s/$node/NODE/g"
  paleo-validate: four.jsonl:22:1: a check of several devices: 'paleo check --from' reads it

They are judged again without measuring, with one that comes from another machine, and is slow by itself.

  $ mkdir shared && cp four.jsonl shared/a.jsonl
  $ sed "s/$node/~far/; s/fake-/far-/" four.jsonl >shared/b.jsonl
  $ check --from shared
  exit 6

  verdict node device slower % than in why
  ----
  good NODE fake-0 -1.2 its siblings median part -
  good NODE fake-1 -0.1 its siblings median part -
  SLOW NODE fake-2 24.6 its siblings median part clock at 72 % of its highest, elsewhere 90 %; clock reduced by sw_thermal
  good NODE fake-3 -0.1 its siblings median part -
  good ~far far-0 -1.2 its siblings median part -
  good ~far far-1 -0.1 its siblings median part -
  SLOW ~far far-2 24.6 its siblings median part clock at 72 % of its highest, elsewhere 90 %; clock reduced by sw_thermal
  good ~far far-3 -0.1 its siblings median part -

  SLOW: NODE fake-2: 24.6 % slower than its siblings (median part), 16 parts beyond chance: clock at 72 % of its highest, elsewhere 90 %; clock reduced by sw_thermal
  SLOW: ~far far-2: 24.6 % slower than its siblings (median part), 16 parts beyond chance: clock at 72 % of its highest, elsewhere 90 %; clock reduced by sw_thermal
  8 devices: 6 good, 2 slow, 0 faulty, 0 not judged
  $ paleo check --from shared --from four.jsonl --format csv 2>/dev/null | columns unit_id,name,slower_than_siblings,verdict | grep -E '^unit_id|(fake|far)-2,copy'
  unit_id,name,slower_than_siblings,verdict
  fake-2,copy,0.2532962122255735,SLOW
  far-2,copy,0.2532962122255735,SLOW

Without siblings, its past: the first check has none and is not judged.

  $ export PALEO_FAKE=still
  $ check --device fake --quiet | tail -n 4

  power limit 300 of 300 W, PCIe generation 5 of 5, 16 of 16 PCIe lanes, ECC on, 0 uncorrected errors
  not judged: NODE fake-0: nothing to compare it with: neither its kind, siblings nor earlier checks
  records: paleo-results/fake/ceilings.jsonl
  $ check --device fake | tail -n 2
  good: NODE fake-0: 0.0 % slower than its past (median part)
  records: paleo-results/fake/ceilings.jsonl
  $ PALEO_FAKE=still,clock=0.85 check --device fake | tail -n 2
  SLOW: NODE fake-0: 17.6 % slower than its past (median part), 16 parts beyond chance: clock at 76 % of its highest, elsewhere 90 %; clock reduced by sw_thermal
  records: paleo-results/fake/ceilings.jsonl

A wrong result is a fault.

  $ PALEO_FAKE=still,wrong=gelu check --device fake | tail -n 2
  FAULTY: NODE fake-0: 0.0 % slower than its past (median part): 1 of 10 ops failed, the first: incorrect: 'y' 0 is 1.0625 at position 980459, expected 0.0600240459: error 1, at most 0.0078 is rounding
  records: paleo-results/fake/ceilings.jsonl

What is less slower than --fail-slower is good.

  $ PALEO_FAKE=still,clock=0.85 paleo check --device fake --fail-slower 30% >/dev/null

The rest is judged where a device is missing; where all are, there is no verdict.

  $ PALEO_FAKE=still,nodevice1 check --device fake,fake1,fake2
  exit 7
  fake: fake device with known factors, for tests, fake 1
  fake: fake device with known factors, for tests, fake 1

  verdict node device slower % than in why
  ----
  good NODE fake-0 0.0 its siblings median part -
  good NODE fake-2 0.0 its siblings median part -
  not judged NODE fake1 - - - there is no fake device 1

  not judged: NODE fake1: there is no fake device 1
  3 devices: 2 good, 0 slow, 0 faulty, 1 not judged
  records: paleo-results/fake/check.jsonl
  $ PALEO_FAKE=still,nodevice,nodevice1 check --device fake,fake1
  exit 4

  verdict node device why
  ----
  not judged NODE fake there is no fake device 0
  not judged NODE fake1 there is no fake device 1

  not judged: NODE fake: there is no fake device 0
  not judged: NODE fake1: there is no fake device 1
  2 devices: 0 good, 0 slow, 0 faulty, 2 not judged
  2> paleo-check: there is no fake device 0
  $ paleo check --device fake,fake
  2> paleo-check: --device has 'fake' twice
  [2]
  $ paleo check --device fake,h100 2>&1 | cut -c 1-60
  paleo-check: --device is 'h100', expected auto|N|cuda:N|cpu:

A file without a check, and options that contradict each other.

  $ paleo profile --device fake --output p.jsonl "$small" >/dev/null
  $ paleo check --from p.jsonl
  2> paleo-check: p.jsonl: holds no check, expected records of 'paleo check' (.jsonl)
  [2]
  $ paleo check --from nothing
  2> paleo-check: nothing: cannot open: No such file or directory
  [2]
  $ paleo check --from shared --output x.jsonl
  2> paleo-check: --from measures nothing: no --output (see --help)
  [2]
