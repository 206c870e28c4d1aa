The ceilings of the real CPU: every number is positive, and what others disturbed is told.

  $ test -e $build/lib/paleo/libpaleo-cpu.so || skip "there is no CPU plug-in"

  $ watch_others
  $ paleo-check --device cpu --time-budget 2m --format csv --output cpu.jsonl >rows 2>notes || [ $? -ge 6 ]
  $ missing=0
  $ for name in fma_f32 gemm_f32 gemm_f32_zeros read write copy add fork_join dispatch; do
  > 	columns name,value <rows | grep -E "^$name,[0-9]" | grep -qvE ',0(\.0*)?$' || missing=$((missing + 1))
  > done
  $ ! grep -q 'within the time budget' notes || missing=0
  $ told=$(sed -n 's/^\([0-9]*\) not measured; the first: .*: other processes disturbed all of .*/\1/p' notes)
  $ [ "$missing" -le "${told:-0}" ] && echo "measured, or disturbed"
  measured, or disturbed
  $ [ "${told:-0}" = 0 ] || others_came || echo "disturbed by nobody"
  $ columns name,value <rows | grep -v ' fwd ' | grep -E ',(0(\.0*)?|-.*|nan)?$' || echo "all positive"
  all positive
  $ tail -n 1 cpu.jsonl | cut -c 1-13
  {"type":"end"
