A device that its heat slows down: the row is measured twice, the file keeps both.

  $ PALEO_FAKE=hot=relu paleo-profile --device fake --pass fwd --output out.jsonl "$small" >text
  $ grep -o '^[0-9]* throttled' text
  1 throttled
  $ grep -c '"type":"record"' out.jsonl
  6
  $ grep '"op":"eltwise fwd' out.jsonl | grep -o '"tags":"[a-z ]*throttled"' | sed 's/drift //'
  "tags":"throttled"
  "tags":"throttled"
  $ grep -o '"state":.*' out.jsonl | sort -u
  "state":{"sm_mhz":900,"clock_ratio":0.9,"power_w":null,"temp_c":40,"energy_j":null,"reasons":""}}
  "state":{"sm_mhz":900,"clock_ratio":0.9,"power_w":null,"temp_c":40,"energy_j":null,"reasons":"sw_thermal"}}
