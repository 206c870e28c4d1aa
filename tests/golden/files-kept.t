No run writes over what another has left: not its records, and not what is not paleo's.

  $ folder=paleo-results/fake
  $ log=$source/tests/data/comm/nccl_2.json caffe=$source/tests/data/caffe/flat.prototxt

  $ profile() {
  > 	paleo-profile --device fake "$@"
  > }

short COMMAND... - the sentences it ends with.

  $ short() {
  > 	say "$@" | grep -E '^(paleo-|->|earlier|resumed|.*(cut|truncated))' || :
  > }

Runs with other options have files of their own, others are kept:

  $ profile "$small" >/dev/null
  $ cp $folder/small-b4-f32.jsonl first
  $ profile --filter softmax "$small" >/dev/null
  $ profile --filter '^(conv|fc)' --pass fwd "$small" >/dev/null
  $ profile --filter '^(conv|fd)' --pass fwd "$small" >/dev/null
  $ profile --threads 1 "$small" >/dev/null
  $ cmp first $folder/small-b4-f32.jsonl && echo "the first is as it was"
  the first is as it was
  $ short profile "$small"
  earlier records: paleo-results/fake/small-b4-f32.jsonl.1, until you remove them
  -> 0
  $ cmp first $folder/small-b4-f32.jsonl.1 && echo "and is kept"
  and is kept
  $ short profile --force "$small"
  -> 0
  $ ls $folder
  small-b4-f32-fwd-only-__conv_fc_-0955c8e3.jsonl
  small-b4-f32-fwd-only-__conv_fd_-8b47f41e.jsonl
  small-b4-f32-only-softmax.jsonl
  small-b4-f32-t1.jsonl
  small-b4-f32.jsonl
  small-b4-f32.jsonl.1
  $ paleo-profile --device fake --filter softmax --resume "$small" | grep resumed
  resumed: 2 of 2 ops measured before

What is not paleo's is not written over:

  $ echo "a letter to somebody" >letter
  $ cp letter copy
  $ short profile --output letter "$small"
  paleo-profile: letter: does not hold records of paleo and would be overwritten: choose another file, or replace it with --force
  -> 2
  $ short paleo-calibrate --from first --output letter
  paleo-calibrate: letter: does not hold a calibration and would be overwritten: choose another file, or replace it with --force
  -> 2
  $ short paleo-calibrate --link fitted "$log" --output letter
  paleo-calibrate: letter: does not hold links of paleo and would be overwritten: choose another file, or replace it with --force
  -> 2
  $ short paleo-convert "$caffe" --output letter
  paleo-convert: letter: does not hold a net and would be overwritten: choose another file, or replace it with --force
  -> 2
  $ short paleo-check --device fake --output letter
  paleo-check: letter: does not hold records of paleo and would be overwritten: choose another file, or replace it with --force
  -> 2
  $ short paleo-fullpass --device fake --output letter "$small"
  paleo-fullpass: letter: does not hold records of paleo and would be overwritten: choose another file, or replace it with --force
  -> 2
  $ short paleo-algorithms --device fake --output letter
  paleo-algorithms: letter: does not hold a description of a GPU and would be overwritten: choose another file, or replace it with --force
  -> 2
  $ short profile --resume --output letter "$small"
  paleo-profile: letter: does not hold records of paleo and would be overwritten: choose another file, or replace it with --force
  -> 2
  $ cmp letter copy && echo "it is still there"
  it is still there
  $ paleo-calibrate --link fitted "$log" --output link.json >/dev/null
  $ short paleo-calibrate --from first --output link.json
  paleo-calibrate: link.json: does not hold a calibration and would be overwritten: choose another file, or replace it with --force
  -> 2
  $ short paleo-calibrate --from first --force --output letter
  -> 0
  $ grep -c '"paleo-calibration/' letter
  1

Nor are symbolic links:

  $ cp copy letter
  $ ln -s letter link
  $ short profile --output link "$small"
  paleo-profile: link: is a symbolic link: name the file itself, or write to its target with --force
  -> 2
  $ short paleo-calibrate --from first --output link
  paleo-calibrate: link: is a symbolic link: name the file itself, or write to its target with --force
  -> 2
  $ short paleo-calibrate --link fitted "$log" --output link
  paleo-calibrate: link: is a symbolic link: name the file itself, or write to its target with --force
  -> 2
  $ short paleo-convert "$caffe" --output link
  paleo-convert: link: is a symbolic link: name the file itself, or write to its target with --force
  -> 2
  $ cmp letter copy && [ -L link ] && echo "both are still there"
  both are still there
  $ short profile --force --output link "$small"
  -> 0
  $ [ -L link ] && grep -c '"type":"end"' letter
  1

A path that is too long for a file is not cut:

  $ long=$(awk 'BEGIN { for (i = 0; i < 2500; i++) printf "d/"; print "file" }')
  $ short profile --output "$long" "$small"
  paleo-profile: the output's path is too long
  -> 2
  $ short paleo-check --device fake --output "$long" | cut -c 1-60
  paleo-check: --output has 5004 characters
  -> 2
  $ short paleo-fullpass --device fake --output "$long" "$small"
  paleo-fullpass: the records' path has 5004 characters
  -> 2
  $ short paleo-calibrate --from first --output "$long" | cut -c 1-60
  paleo-calibrate: the path 'd/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d
  -> 2
  $ ls -d d 2>/dev/null || echo "no folder is made for it"
  no folder is made for it

Two calibrations into one file:

  $ PALEO_FAKE=slow paleo-calibrate --device fake --time-budget 100s --output cal.json >/dev/null 2>&1 &
  $ pid=$!
  $ soon test -e .cal.json.lock
  $ short paleo-calibrate --from first --output cal.json
  paleo-calibrate: cal.json: another paleo is writing to this file; wait, or choose another
  -> 2
  $ kill $pid
  $ wait $pid || echo "interrupted -> $?"
  interrupted -> 130
  $ short paleo-calibrate --from first --output cal.json
  -> 0
  $ find . -name '.*.lock' -o -name '.*.part'

A folder that vanishes:

  $ PALEO_FAKE=slow paleo-profile --device fake --output gone/records.jsonl alex_v2 >out 2>&1 &
  $ pid=$!
  $ soon has_records 2 gone/records.jsonl
  $ rm -r gone
  $ wait $pid
  [2]
  $ grep '^paleo' out
  paleo-profile: gone/records.jsonl: the file was removed or replaced during writing; its contents are lost

A file that is cut:

  $ head -n 5 first >cut.jsonl
  $ printf '{"type":"rec' >>cut.jsonl
  $ short profile --resume --output cut.jsonl "$small"
  cut.jsonl: ignored the truncated last line
  resumed: 4 of 13 ops measured before
  records: cut.jsonl
  -> 0
  $ measured cut.jsonl | cmp - /dev/stdin <<EOT && echo "every op once"
  > $(measured first)
  > EOT
  every op once
  $ grep -c '"type":"end"' cut.jsonl
  1
  $ cp cut.jsonl whole.jsonl
  $ head -n 8 first >torn.jsonl
  $ printf '{"type":"rec' >>torn.jsonl
  $ short paleo-calibrate --from torn.jsonl --output cal.json
  torn.jsonl: ignored the truncated last line
  -> 0
  $ paleo report --output torn.html torn.jsonl 2>&1
  torn.jsonl: ignored the truncated last line
  paleo-report: torn.jsonl: has no network, expected records of paleo profile
  [2]
  $ short profile --resume --output cut.jsonl "$small"
  resumed: 13 of 13 ops measured before
  records: cut.jsonl
  -> 0
  $ cmp cut.jsonl whole.jsonl && echo "nothing to add, nothing written"
  nothing to add, nothing written

A lock that is no file of ours:

  $ ln -s first .linked.json.lock; paleo calibrate --from first --output linked.json >out
  2> paleo-calibrate: linked.json: cannot be locked: .linked.json.lock is a symbolic link: remove it
  [2]
  $ rm .linked.json.lock; mkdir .linked.json.lock
  $ paleo calibrate --from first --output linked.json >out
  2> paleo-calibrate: linked.json: cannot be locked: .linked.json.lock is a directory: remove it
  [2]
  $ rmdir .linked.json.lock; paleo calibrate --from first --output linked.json >out

A file that was cut at the end of a line has no 'end' line.

  $ grep -v '"type":"end"' first >ended.jsonl; head -n 8 first >line.jsonl
  $ paleo calibrate --from line.jsonl --output cal.json >out
  2> line.jsonl: has no 'end' line, as the run was not finished or the file is truncated; used what it has
  $ paleo validate --calibration cal.json line.jsonl >out
  2> line.jsonl: has no 'end' line, as the run was not finished or the file is truncated; used what it has
  $ paleo compare first line.jsonl >out
  2> line.jsonl: has no 'end' line, as the run was not finished or the file is truncated; used what it has
  $ paleo report --output line.html line.jsonl
  2> line.jsonl: has no 'end' line, as the run was not finished or the file is truncated; used what it has
  2> paleo-report: line.jsonl: has no network, expected records of paleo profile
  [2]
  $ paleo report --output ended.html ended.jsonl
  report: ended.html
  2> ended.jsonl: has no 'end' line, as the run was not finished or the file is truncated; used what it has
  $ paleo validate --calibration cal.json first >out
  $ PALEO_FAKE=slow paleo-profile --device fake --output short.jsonl alex_v2 >out 2>&1 &
  $ pid=$!
  $ soon has_records 2 short.jsonl
  $ truncate -s 100 short.jsonl
  $ wait $pid
  [2]
  $ grep '^paleo' out | sed 's/of [0-9]* bytes/of SOME bytes/'
  paleo-profile: short.jsonl: the file was truncated during writing: of SOME bytes 100 are left; --resume measures the missing ops again
