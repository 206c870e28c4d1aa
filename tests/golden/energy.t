Energy: measured in windows between steps of a counter that moves every 100 ms.

The fake draws 30 W, and 70 W more at its peak of 1e13 FLOP/s in f32: an op takes 30 W times its time and 7 pJ a FLOP.

  $ profile() { PALEO_FAKE=still paleo profile --device fake --format csv "$@"; }
  $ near() { awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } {
  > 	truth = 30 * $at["measured_s"] + 7e-12 * $at["flops"]; error = $at["measured_j"] / truth - 1
  > 	watts = $at["measured_j"] / $at["measured_s"] / $at["measured_w"] - 1
  > 	print $at["kind"], (error < 0.02 && error > -0.02 ? "within 2 %" : error), (watts < 0.01 && watts > -0.01 ? "W x s" : watts) }'; }
  $ profile --energy --output e.jsonl --filter 'conv[12]|fc8|pool1' --pass fwd "$source/nets/alex_v2.json" 2>notes | near
  conv within 2 % W x s
  relu within 2 % W x s
  max_pool within 2 % W x s
  conv within 2 % W x s
  relu within 2 % W x s
  conv within 2 % W x s

A results file keeps the window.

  $ grep -c '"energy_s":[34567]' e.jsonl
  6
  $ grep energy notes
  energy: each op, warm, also runs for 3 s or more between steps of the energy counter; idle power is included

Without the option, and without a counter, nothing is known.

  $ profile --output f.jsonl --filter conv1 --pass fwd "$source/nets/alex_v2.json" 2>/dev/null | cut -d, -f40-44
  predicted_j,measured_w,measured_j,status,tags
  ,,,,
  ,,,,
  $ PALEO_FAKE=no-energy paleo profile --device fake --energy --output g.jsonl --filter conv1 --pass fwd --quiet \
  > 	"$source/nets/alex_v2.json" | grep energy
  energy: not measured: no energy counter, as asked for

compare and report have the energies that both sides have; a net that takes 2 % longer in its convolutions takes so much more.

  $ whole() { PALEO_FAKE=still$2 paleo profile --device fake --energy --pass fwd --output "$1.jsonl" "$small" >/dev/null; }
  $ whole a '' && whole b ,slower=conv
  $ paleo compare a.jsonl b.jsonl | grep -E '^ *energy|^small' | sed 's/(95.*%), //'
  small, batch 4, f32: SAME, +0.8 % from 38.523 to 38.828 us
    energy: +0.8 %, from 0.00117 to 0.00118 J
  $ paleo compare a.jsonl b.jsonl --format csv 2>/dev/null | columns layer,kind,energy_change | awk -F, 'NR == 1 { print; next } { print $1, $2, int(1000 * $3 + 0.5) / 10 " %" }'
  layer,kind,energy_change
  conv1 conv 2 %
  conv1 relu 0 %
  pool1 max_pool 0 %
  fc2 inner_product 0 %
  softmax softmax 0 %
  $ paleo report a.jsonl >/dev/null && grep -o '"measured_j":[0-9.e-]*' report.html | wc -l
  6
