The study of timm's table: the table of rows in, the same predictions out.

  $ command -v python3 >/dev/null || skip "there is no python3"

  $ rows=$source/results/studies/frameworks.csv

The rows that were predicted have what timm measured. A second release, and a net that make.py does not know, are
left out.

  $ awk -F, -v OFS=, '
  > 	NR == 1 { print "model,device,phase,precision,layout,mode,torch,batch,img,step_ms"; next }
  > 	{
  > 		torch = $2 == "train" ? "1.12" : "2.4.0"
  > 		mode = $1 == "compiled" ? "torch.compile" : $1
  > 		print $5, $4, $2, "amp_f16", $3, mode, torch, $7, $6, $8
  > 		print $5, $4, $2, "amp_f16", $3, mode, "1.13", $7, $6, 2 * $8
  > 	}
  > 	END { print "no_net", $4, $2, "amp_f16", $3, mode, torch, $7, $6, $8 }' $rows >timm.csv
  $ PALEO=$build/bin/paleo sh $source/results/studies/frameworks.sh timm.csv 2>/dev/null |
  > 	diff $rows - && echo "$(wc -l <timm.csv) lines in, $(wc -l <$rows) out"
  894 lines in, 447 out
