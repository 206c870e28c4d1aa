Whole networks: exact where all err alike, and what is wrong with a table.

Three nets, measured at half of the sum of what predict lists: each is told by the others.

  $ head=model,device,phase,precision,layout,mode,torch,batch,img,step_ms
  $ row() {
  > 	paleo-predict --device rtx-4090 --dtype f16 --batch 2 --pass fwd --framework eager --format csv "$1" \
  > 		2>/dev/null | columns predicted_s |
  > 		awk -v net="$1" 'NR > 1 { sum += $1 }
  > 			END { printf "%s,RTX_4090,infer,amp_f16,nchw,eager,2.4.0,2,32,%.9f\n", net, 500 * sum }'
  > }
  $ mkdir folder
  $ for net in alex_v2 nin small; do
  > 	cp "$source/tests/golden/small.json" folder/small-32.json
  > 	[ "$net" = small ] || cp "$source/nets/$net.json" "folder/$net-32.json"
  > 	cp "folder/$net-32.json" "$net.json"
  > done
  $ { echo $head && row alex_v2.json && row nin.json && row small.json; } | sed 's/[.]json//' >table.csv
  $ echo "unknown,RTX_4090,infer,amp_f16,nchw,eager,2.4.0,2,32,1" >>table.csv
  $ paleo-validate --format csv table.csv folder | columns framework,phase,layout,device,net,image,batch,factor,error,inside |
  > 	awk -F, -v OFS=, 'NR > 1 { $8 = sprintf("%.4f", $8); $9 = $9 < 1e-6 && $9 > -1e-6 ? 0 : $9; $10 = "" } 1'
  framework,phase,layout,device,net,image,batch,factor,error,inside
  eager,infer,nchw,RTX_4090,alex_v2,32,2,0.5000,0,
  eager,infer,nchw,RTX_4090,nin,32,2,0.5000,0,
  eager,infer,nchw,RTX_4090,small,32,2,0.5000,0,
  2> 1 row left out: no such network in 'folder', MODEL-IMAGE.json
  $ paleo-validate table.csv folder | awk 'NR > 1 && !/^-+$/ { print $1, $2, $3, $4 }'
  framework phase layout device
  eager infer nchw RTX_4090
  - - - -
  - - - -
  - - - -
  2> 1 row left out: no such network in 'folder', MODEL-IMAGE.json

What is wrong is told with its line.

  $ paleo-validate --draws 2 table.csv folder
  2> paleo-validate: tables of whole networks take no --hold-out, --rows, --draws and --operand-sets
  [2]
  $ mkdir empty && paleo-validate table.csv empty
  2> 4 rows left out: no such network in 'empty', MODEL-IMAGE.json
  2> paleo-validate: no rows to validate on
  [2]
  $ wrong() {
  > 	{ echo $head && echo "$1"; } >wrong.csv
  > 	say paleo-validate wrong.csv folder
  > }
  $ wrong "nin,RTX_4090,infer,amp_f16,nchw,lazy,2.4.0,2,32,1"
  paleo-validate: wrong.csv:2: column 'mode': 'lazy', expected eager or torch.compile or compiled
  -> 2
  $ wrong "nin,RTX_4090,infer,amp_f16,nchw,eager,2.4.0,2.5,32,1"
  paleo-validate: wrong.csv:2: column 'batch': '2.5', expected a whole number
  -> 2
  $ wrong "nin,RTX_4090,infer,amp_f16,nchw,eager,2.4.0,2,32,0"
  paleo-validate: wrong.csv:2: column 'step_ms': '0', expected a number from 1e-06 to 3.6e+06
  -> 2
  $ wrong "../nets,RTX_4090,infer,amp_f16,nchw,eager,2.4.0,2,32,1"
  paleo-validate: wrong.csv:2: column 'model': '../nets', expected a name of at most 63 bytes without '/'
  -> 2
  $ wrong "nin,RTX_4090,infer"
  paleo-validate: wrong.csv:2: 3 fields, expected 10 as in the first line
  -> 2
  $ echo model,device >wrong.csv
  $ paleo-validate wrong.csv folder
  2> paleo-validate: wrong.csv:1: no column 'mode', required of a table of networks (docs/reference/tables.md)
  [2]
