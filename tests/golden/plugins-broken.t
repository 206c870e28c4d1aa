Plug-ins that are absent, garbage, something else, or of another interface.

  $ for kind in absent garbage folder; do
  > 	mkdir $kind
  > done
  $ head -c 4096 /dev/zero >garbage/libpaleo-cuda.so
  $ mkdir folder/libpaleo-cuda.so
  $ for kind in empty other; do
  > 	mkdir $kind
  > 	cp "$build/tests/unit/plugins/libpaleo-$kind.so" $kind/libpaleo-cuda.so
  > done
  $ for kind in absent garbage folder empty other; do
  > 	PALEO_PLUGIN_DIR=$kind say paleo-profile --device 0 --output never.jsonl "$small"
  > done >said
  $ PALEO_PLUGIN_DIR=other say paleo-profile --output never.jsonl "$small" >>said
  $ sed 's/has interface [0-9]*, this program has [0-9]*:/has interface A, this program has B:/' said
  opening the GPU
  paleo-profile: plug-in 'cuda' was not built or not installed: no 'absent/libpaleo-cuda.so' (set PALEO_PLUGIN_DIR if it is elsewhere)
  -> 3
  opening the GPU
  paleo-profile: plug-in 'cuda' does not load: garbage/libpaleo-cuda.so: invalid ELF header; install the version of its library that it was built for, or build paleo on this machine
  -> 3
  opening the GPU
  paleo-profile: plug-in 'cuda' does not load: folder/libpaleo-cuda.so: cannot read file data: Is a directory; install the version of its library that it was built for, or build paleo on this machine
  -> 3
  opening the GPU
  paleo-profile: 'empty/libpaleo-cuda.so' is not a plug-in: it lacks 'paleo_backend_table'
  -> 3
  opening the GPU
  paleo-profile: 'other/libpaleo-cuda.so' has interface A, this program has B: rebuild both
  -> 3
  opening the GPU
  opening the CPU
  paleo-profile: no GPU: 'other/libpaleo-cuda.so' has interface A, this program has B: rebuild both; no CPU: plug-in 'cpu' was not built or not installed: no 'other/libpaleo-cpu.so' (set PALEO_PLUGIN_DIR if it is elsewhere)
  -> 3
