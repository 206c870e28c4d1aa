# check.zsh BUILD - what zsh offers for words of command lines, by the script that is installed.
# SPDX-License-Identifier: Apache-2.0
zmodload zsh/zpty
export HOME=$PWD ZDOTDIR=$PWD TERM=dumb
# An interactive shell in which Ctrl-X lists what completes the word.
cat >.zshrc <<EOF
PS1='> '
fpath=($1/share/zsh/site-functions \$fpath)
autoload -Uz compinit && compinit -u
LISTMAX=10000
bindkey '^X' list-choices
EOF
zpty -b shell zsh -i

# wait_for WORD... reads what the shell prints until all of these stood in it, 30 s at most.
wait_for() {
	local all= part word
	for ((tries = 0; tries < 600; tries++)); do
		while zpty -r -t shell part; do all+=$part; done
		for word; do
			[[ $all == *$word* ]] || break
		done
		[[ $all == *$word* ]] && return
		sleep 0.05
	done
	print -r -- "in vain: $* in: $all"
}

# offers LINE WORD... - its end can be completed by these words.
offers() {
	zpty -w -n shell "$1"$'\x18'
	shift
	wait_for "$@" && print -r -- "offered: $*"
	zpty -w -n shell $'\x15'
	zpty -w shell 'echo $((41 + 1))'
	wait_for 42
}
wait_for '> '
offers 'paleo ' simulate 'simulate distributed training'
offers 'paleo predict --dty' --dtype dtypes
offers 'paleo-predict --dtype=' bf16 tf32
offers 'paleo-profile --mode cold,' weights-cold
offers 'paleo-predict --device=h100' h100-nvl h100-sxm
zpty -d shell

# Every option of every command's --help stands in what zsh is told.
_arguments() { print -rl -- "$@"; }
for command in $(paleo --help | sed -n 's/^  \([a-z-]*\) .*/\1/p'); do
	words=("paleo-$command" --) CURRENT=2 service=paleo-$command
	. $1/share/zsh/site-functions/_paleo | sed -n 's/^[*]*\(--[a-z0-9-]*\).*/\1/p' | sort >offered
	paleo $command --help | sed -n 's/^  \(--[a-z0-9-]*\).*/\1/p' | sort | diff - offered
done
