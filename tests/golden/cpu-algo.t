What oneDNN lists is what is measured, rank by rank, and every answer is right.

  $ test -e $build/lib/paleo/libpaleo-cpu.so || skip "there is no CPU plug-in"

  $ paleo algorithms --device cpu --batch 4 --top 32 --format csv --pass fwd "$small" | columns rank,engine,op |
  > 	sed -n '/conv fwd/p; /gemm fwd/p' | sort >listed
  2> opening the CPU
  $ watch_others
  $ paleo-profile --device cpu --algorithm all --time-budget 60s --filter 'conv1|fc2' --pass fwd \
  > 	--output all.jsonl "$small" >said || [ $? = 7 ]
  2> opening the CPU
  $ sed -n '/"type":"record"/{/"rank"/!s/"mode"/"rank":0,"mode"/; p}' all.jsonl |
  > 	sed -n -E 's/.*"op":"((conv|gemm) [^"]*)","status":"(ok|disturbed)".*"algorithm":"([^"]*)".*"rank":([0-9]+).*/\5,\4,\1/p' |
  > 	sort >measured

What has run was checked against the reference; whether it has a time is the machine's matter.

  $ comm -13 listed measured >unlisted
  $ cat unlisted

On a busy machine the budget may end before all have run; the command says so then.

  $ if cmp -s listed measured || { grep -q ' left when the time budget ended' said && others_came; }; then
  > 	echo "the same"
  > else
  > 	diff listed measured
  > fi
  the same
  $ [ "$(grep -c conv listed)" -ge 2 ] && echo "several for a convolution"
  several for a convolution
  $ [ "$(cut -d, -f2,3 measured | sort -u | wc -l)" -eq "$(wc -l <measured)" ] && echo "all different"
  all different
  $ ! grep -q '"status":"disturbed"' all.jsonl || others_came || echo "disturbed by nobody"
  $ grep -c '"status":"incorrect"\|"status":"failed"' all.jsonl
  0
  [1]
