Every command has a man page that groff takes without a warning and that tells all of --help.

  $ command -v groff >/dev/null || skip "there is no groff"

  $ pages=$build/share/man/man1

render PAGE - as text in lines so long that none is broken

  $ render() {
  > 	groff -man -ww -Tascii -P-c -rLL=4000n -rHY=0 "$1" 2>"${1##*/}.warnings" | sed 's/.\x08//g'
  > }

  $ count=0
  $ for command in $(paleo --help | sed -n 's/^  \([a-z-]*\) .*/\1/p'); do
  > 	count=$((count + 1))
  > 	page=$pages/paleo-$command.1
  > 	render "$page" | tr -s ' \n' ' ' >text
  > 	for word in NAME SYNOPSIS DESCRIPTION OPTIONS EXAMPLES 'SEE ALSO' "paleo-$command - "; do
  > 		grep -qF -- "$word" text || echo "paleo-$command.1 has no $word"
  > 	done
  > 	# What --help says, word for word: usage, about, options, examples.
  > 	paleo "$command" --help | sed '/^$/d; /^options:$/d; /^examples:$/d; s/^usage: //; s/^Exit status: //' |
  > 		awk '/^(  )?[^ ]/ && NR > 1 { print "" } { printf "%s ", $0 }' | tr -s ' ' | sed 's/^ //; s/ $//' >help
  > 	[ "$(grep -c '^--' help)" -ge 2 ] || echo "$command --help has no options"
  > 	while read -r line; do
  > 		grep -qF -- "$line" text || echo "paleo-$command.1 lacks: $line"
  > 	done <help
  > done
  $ render "$pages/paleo.1" >text
  $ [ "$(grep -c '^ *paleo-[a-z-]*(1)$' text)" -eq $count ] || echo "paleo.1 does not list $count commands"
  $ cat ./*.warnings
  $ paleo help --man nonsense
  2> paleo: unknown command 'nonsense' (see paleo --help)
  [2]
  $ paleo help --completion tcsh
  2> paleo: --completion is 'tcsh', expected bash, zsh or fish
  [2]
