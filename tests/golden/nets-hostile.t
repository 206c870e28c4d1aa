Files that are no nets, within 10 s and 500 MB.

  $ : >empty.json
  $ mkdir folder.json
  $ truncate -s 1G large.json
  $ mkfifo pipe.json
  $ ln -s loop.json loop.json
  $ printf '\177ELF\002\001\001\000\377\376' >binary.json
  $ printf '{"name": "a\377", "layers": {}}' >latin.json
  $ head -c 1000000 /dev/zero | tr '\0' '[' >deep.json
  $ name=$(printf '\351t\351.json') # Latin 1
  $ for net in empty.json folder.json large.json pipe.json /dev/zero loop.json binary.json latin.json \
  > 	deep.json "$name"; do
  > 	say bounded 10 500 paleo-predict --device h200 "$net"
  > 	say bounded 10 500 paleo-profile --device fake --output never.jsonl "$net"
  > done
  paleo-predict: empty.json:1:1: expected a JSON value, found nothing
  -> 2
  paleo-profile: empty.json:1:1: expected a JSON value, found nothing
  -> 2
  paleo-predict: folder.json: is a folder without a config.json, expected a net's file or a model's folder
  -> 2
  paleo-profile: folder.json: is a folder without a config.json, expected a net's file or a model's folder
  -> 2
  paleo-predict: large.json: the file has 1074 MB, expected at most 67 MB
  -> 2
  paleo-profile: large.json: the file has 1074 MB, expected at most 67 MB
  -> 2
  paleo-predict: pipe.json: is not a regular file, expected a JSON file
  -> 2
  paleo-profile: pipe.json: is not a regular file, expected a JSON file
  -> 2
  paleo-predict: /dev/zero: is not a regular file, expected a JSON file
  -> 2
  paleo-profile: /dev/zero: is not a regular file, expected a JSON file
  -> 2
  paleo-predict: no net 'loop.json' here, in ./nets or among the shipped ones, which nets/README.md lists
  -> 2
  paleo-profile: no net 'loop.json' here, in ./nets or among the shipped ones, which nets/README.md lists
  -> 2
  paleo-predict: binary.json:1:1: expected a value, found the byte 0x7f
  -> 2
  paleo-profile: binary.json:1:1: expected a value, found the byte 0x7f
  -> 2
  paleo-predict: latin.json:1:12: the byte 0xff is not UTF-8
  -> 2
  paleo-profile: latin.json:1:12: the byte 0xff is not UTF-8
  -> 2
  paleo-predict: deep.json:1:65: more than 64 arrays and objects inside each other
  -> 2
  paleo-profile: deep.json:1:65: more than 64 arrays and objects inside each other
  -> 2
  paleo-predict: no net '\xe9t\xe9.json' here, in ./nets or among the shipped ones, which nets/README.md lists
  -> 2
  paleo-profile: no net '\xe9t\xe9.json' here, in ./nets or among the shipped ones, which nets/README.md lists
  -> 2
  $ name=$(head -c 10000 /dev/zero | tr '\0' n)
  $ bounded 10 500 paleo-predict --device h200 "$name"
  2> paleo-predict: the name of a network has 10000 characters, too many
  [2]
  $ cp "$small" "$(printf 'l\351t.json')"
  $ bounded 10 500 paleo-predict --device h200 --format csv "$(printf 'l\351t.json')" 2>/dev/null |
  > 	columns layer | sort -u | wc -l
  5
  $ [ ! -e never.jsonl ] && echo "nothing was measured"
  nothing was measured
