Records and calibrations of other versions are refused with what to do, and stay as they are.

  $ paleo-profile --device fake --rounds 3 --output new.jsonl "$small" >/dev/null
  $ paleo-calibrate --from new.jsonl --output new.json >/dev/null
  $ for version in 2 7; do
  > 	[ $version = 2 ] && schema=paleo-results || schema=paleo-records
  > 	sed "s,paleo-records/4,$schema/$version," new.jsonl >$version.jsonl
  > 	sed "s,paleo-calibration/4,paleo-calibration/$version," new.json >$version.json
  > 	cp $version.jsonl before
  > 	say paleo-validate $version.jsonl
  > 	say paleo-calibrate --from $version.jsonl --output c.json
  > 	say paleo-profile --device fake --resume --output $version.jsonl "$small"
  > 	say paleo-predict --calibration $version.json "$small"
  > 	cmp before $version.jsonl
  > done
  paleo-validate: 2.jsonl:1:25: schema: expected the schema 'paleo-records/4', found 'paleo-results/2': measure again
  -> 2
  paleo-calibrate: 2.jsonl:1:25: schema: expected the schema 'paleo-records/4', found 'paleo-results/2': measure again
  -> 2
  fake: fake device with known factors, for tests, fake 1
  not calibrated: the fake's measured peaks at PPP 1 compute, 1 memory (real times are usually longer)
  paleo-profile: 2.jsonl:1:25: schema: expected the schema 'paleo-records/4', found 'paleo-results/2': measure again
  -> 2
  paleo-predict: 2.json:2:13: schema: expected the schema 'paleo-calibration/4', found 'paleo-calibration/2': calibrate again
  -> 2
  paleo-validate: 7.jsonl:1:25: schema: expected the schema 'paleo-records/4', found 'paleo-records/7': written by a newer version; update paleo
  -> 2
  paleo-calibrate: 7.jsonl:1:25: schema: expected the schema 'paleo-records/4', found 'paleo-records/7': written by a newer version; update paleo
  -> 2
  fake: fake device with known factors, for tests, fake 1
  not calibrated: the fake's measured peaks at PPP 1 compute, 1 memory (real times are usually longer)
  paleo-profile: 7.jsonl:1:25: schema: expected the schema 'paleo-records/4', found 'paleo-records/7': written by a newer version; update paleo
  -> 2
  paleo-predict: 7.json:2:13: schema: expected the schema 'paleo-calibration/4', found 'paleo-calibration/7': written by a newer version; update paleo
  -> 2
  $ paleo-predict --calibration new.jsonl "$small"
  2> paleo-predict: new.jsonl:2:1: expected nothing after the value, found '{'
  [2]
