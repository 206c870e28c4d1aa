Options and commands that do not exist, or lack or have a value.

  $ paleo profil
  2> paleo: unknown command 'profil' (did you mean 'profile'?)
  [2]
  $ paleo xyzzy
  2> paleo: unknown command 'xyzzy' (see paleo --help)
  [2]
  $ paleo help profil
  2> paleo: unknown command 'profil' (did you mean 'profile'?)
  [2]
  $ paleo-profile --devcie 0
  2> paleo-profile: unknown option '--devcie' (did you mean '--device'?)
  [2]
  $ paleo-profile -batch 3
  2> paleo-profile: unknown option '-b': options begin with -- (see --help)
  [2]
  $ paleo-profile --resume=1
  2> paleo-profile: '--resume=1': this option takes no value
  [2]
  $ paleo-predict --f text
  2> paleo-predict: '--f' is ambiguous (see --help)
  [2]
  $ paleo-predict --device
  2> paleo-predict: --device needs a value
  [2]
  $ paleo-predict --format xml
  2> paleo-predict: --format is 'xml', expected one of text, csv, jsonl, md
  [2]
  $ paleo-predict --batch 0
  2> paleo-predict: --batch is '0', expected a whole number from 1 to 1048576
  [2]
  $ paleo-predict --batch 1048577
  2> paleo-predict: --batch is '1048577', expected a whole number from 1 to 1048576
  [2]
  $ paleo-predict --batch 99999999999999999999
  2> paleo-predict: --batch is '99999999999999999999', expected a whole number from 1 to 1048576
  [2]
  $ paleo-predict --batch 1.5
  2> paleo-predict: --batch is '1.5', expected a whole number from 1 to 1048576
  [2]
  $ paleo-predict --batch nan
  2> paleo-predict: --batch is 'nan', expected a whole number from 1 to 1048576
  [2]
  $ paleo-profile --time-budget 1d
  2> paleo-profile: --time-budget is '1d', expected a number from 0.1 to 86400 seconds (90, 90s, 8m, 1h)
  [2]
  $ paleo-predict --calibration ''
  2> paleo-predict: --calibration is empty, expected FILE
  [2]
  $ paleo-predict
  2> paleo-predict: no network was given, for example vgg16 (see --help)
  [2]
  $ paleo-profile
  2> paleo-profile: no network was given, for example vgg16 (see --help)
  [2]
  $ paleo-validate
  2> paleo-validate: no records or tables were given, for example paleo-results/DEVICE/*.jsonl (see --help)
  [2]
  $ paleo-calibrate records.jsonl
  2> paleo-calibrate: no net 'records.jsonl' here, in ./nets or among the shipped ones, which nets/README.md lists
  [2]
  $ paleo-profile --device gpu "$small"
  2> paleo-profile: --device is 'gpu', expected auto|N|cuda:N|cpu: GPU number N, the CPU, or the first usable one (default auto)
  [2]
  $ paleo-profile --device -1 "$small"
  2> paleo-profile: --device is '-1', expected auto|N|cuda:N|cpu: GPU number N, the CPU, or the first usable one (default auto)
  [2]
