check: what a GPU reaches of its datasheet beside what another one of its kind has reached, whose peaks are shipped.

A made-up H200 that reaches what the shipped one does, and one whose memory is a fifth slower.

  $ h200() {
  > 	awk -v copy="$1" '
  > 		NR == 1 { print; print "{\"type\":\"condition\",\"node\":\"far\",\"unit\":\"GPU-1\"}"; next }
  > 		/"name":"(copy|read|write)"/ { match($0, /"value":[0-9.e+]*/)
  > 			$0 = substr($0, 1, RSTART + 7) copy * substr($0, RSTART + 8, RLENGTH - 8) substr($0, RSTART + RLENGTH) }
  > 		{ print }' "$source/results/h200/ceilings.jsonl" | sed "$2"
  > }
  $ h200 1 '' >same.jsonl && h200 0.8 '' >slow.jsonl
  $ paleo check --from same.jsonl | tail -n 1
  good: far GPU-1: 0.0 % slower than its kind's peaks (median part)
  $ paleo check --from slow.jsonl >out
  [6]
  $ tail -n 1 out
  SLOW: far GPU-1: 25.0 % slower than its kind's peaks (read), 3 parts beyond chance: nothing that its driver says
  $ paleo check --from slow.jsonl --format csv 2>/dev/null | columns name,slower_than_peaks | awk -F, '$2 != "" { print $1, NR == 1 ? $2 : int(1000 * $2 + 0.5) / 10 " %" }'
  name slower_than_peaks
  gemm_f32 0 %
  gemm_tf32 0 %
  gemm_f16 0 %
  gemm_bf16 0 %
  gemm_fp8 0 %
  copy 25 %
  read 25 %
  write 25 %

By other libraries GEMMs do not count; 3 % are within what equal GPUs differ by.

  $ h200 0.97 's/cudnn [0-9.]*/cudnn 9.99.0/' >other.jsonl
  $ paleo check --from other.jsonl | tail -n 1
  good: far GPU-1: 3.1 % slower than its kind's peaks (median part)
  $ paleo check --from other.jsonl --format csv 2>/dev/null | columns name,slower_than_peaks | awk -F, '$2 != "" { print $1 }'
  name
  copy
  read
  write

Of other kinds there is no evidence, which is said.

  $ h200 0.5 's/"name":"h200"/"name":"h300"/' >none.jsonl
  $ paleo check --from none.jsonl | tail -n 2
  no peaks of another h300 are known: what it reaches of its datasheet is not judged
  not judged: far GPU-1: nothing to compare it with: neither its kind, siblings nor earlier checks
