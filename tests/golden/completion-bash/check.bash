# check.bash BUILD - what bash offers for words of command lines, by the script that is installed.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC1090,SC1091
set -u
source "$1/share/bash-completion/completions/paleo-predict"

# try WORD... - prints what completes the last word.
try() {
	COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
	_paleo "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
	echo "$*: ${COMPREPLY[*]}"
}

touch net.json
try paleo pre
try paleo help va
try paleo predict --dt
try paleo-predict --dtype f
try paleo-predict --dtype = bf
try paleo-profile --mode cold,h
try paleo predict --device a100-8
try paleo serving --device h100-sxm,l40
try paleo-profile --batch ''
try paleo-profile --filter = n
try paleo-profile --resume n
complete -p paleo paleo-predict

# Every option of every command's --help is offered.
for command in $(paleo --help | sed -n 's/^  \([a-z-]*\) .*/\1/p'); do
	COMP_WORDS=(paleo "$command" --) COMP_CWORD=2 COMPREPLY=()
	_paleo paleo -- "$command"
	printf '%s\n' "${COMPREPLY[@]}" | sort >offered
	paleo "$command" --help | sed -n 's/^  \(--[a-z0-9-]*\).*/\1/p' | sort | diff - offered
done
