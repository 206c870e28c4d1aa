A GPU where there is none: code 4, or 3 where the libraries do not load.

  $ test -e $build/lib/paleo/libpaleo-cpu.so || skip "there is no CPU plug-in"
  $ test ! -e /dev/nvidia0 || skip "there is a GPU"

  $ for device in 0 7; do
  > 	code=0
  > 	paleo-profile --device $device --output never.jsonl "$small" >out 2>err || code=$?
  > 	[ $code = 3 ] || [ $code = 4 ] || echo "$device: code $code"
  > 	grep -qE '^paleo-profile: [^A-Z].*[^.]$' err || cat err
  > 	cat out
  > done
  $ paleo-profile --output auto.jsonl --pass fwd --filter softmax --time-budget 2s "$small" |
  > 	sed -n '1s/^cpu: .*/the CPU/p; 2s/^no GPU: .*/and why/p'
  the CPU
  and why
  2> opening the GPU
  2> opening the CPU
