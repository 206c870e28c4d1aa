#!/bin/sh
# check.sh - a study of whole nets: exact where all nets err alike, and what is wrong with a table.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"

# Three nets, measured at half of the sum of what predict lists: each is told by the others.
head=model,device,phase,precision,layout,mode,torch,batch,img,step_ms
row() {
	paleo-predict --device rtx-4090 --dtype f16 --batch 2 --pass fwd --framework eager --no-factor --format csv "$1" \
		2>/dev/null | columns predicted_s |
		awk -v net="$1" 'NR > 1 { sum += $1 }
			END { printf "%s,RTX_4090,infer,amp_f16,nchw,eager,2.4.0,2,32,%.9f\n", net, 500 * sum }'
}
mkdir folder
for net in alex_v2 nin small; do
	cp "$1/tests/golden/small.json" folder/small-32.json
	[ "$net" = small ] || cp "$1/nets/$net.json" "folder/$net-32.json"
	cp "folder/$net-32.json" "$net.json"
done
{ echo $head && row alex_v2.json && row nin.json && row small.json; } | sed 's/[.]json//' >table.csv
echo "unknown,RTX_4090,infer,amp_f16,nchw,eager,2.4.0,2,32,1" >>table.csv
paleo-study --nets folder --format csv table.csv | columns framework,phase,layout,device,net,image,batch,factor,error,inside |
	awk -F, -v OFS=, 'NR > 1 { $8 = sprintf("%.4f", $8); $9 = $9 < 1e-6 && $9 > -1e-6 ? 0 : $9; $10 = "" } 1'
paleo-study --nets folder table.csv | awk 'NR > 1 && !/^-+$/ { print $1, $2, $3, $4 }'

# What is wrong is told with its line.
say paleo-study --nets folder --draws 2 table.csv
say paleo-study --nets empty table.csv
wrong() {
	{ echo $head && echo "$1"; } >wrong.csv
	say paleo-study --nets folder wrong.csv
}
wrong "nin,RTX_4090,infer,amp_f16,nchw,lazy,2.4.0,2,32,1"
wrong "nin,RTX_4090,infer,amp_f16,nchw,eager,2.4.0,2.5,32,1"
wrong "nin,RTX_4090,infer,amp_f16,nchw,eager,2.4.0,2,32,0"
wrong "../nin,RTX_4090,infer,amp_f16,nchw,eager,2.4.0,2,32,1"
wrong "nin,RTX_4090,infer"
echo model,device >wrong.csv
say paleo-study --nets folder wrong.csv
