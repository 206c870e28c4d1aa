#!/bin/sh
# parts.sh BUILD WORK NET PART... - the parts that become packages: each file in one, and what each needs.
# SPDX-License-Identifier: Apache-2.0
set -eu

build=$1 work=$2 net=$3
shift 3
rm -rf "$work"
mkdir -p "$work"
wrong=0

# files PREFIX - what is installed there.
files() {
	(cd "$1" && find . ! -type d | sort)
}

# install PREFIX [PART]
install() {
	cmake --install "$build" --prefix "$1" ${2:+--component "$2"} >"$work/log" || {
		cat "$work/log"
		exit 1
	}
}

complain() {
	wrong=1
	echo "parts: $1"
}

install "$work/whole"
for part; do
	install "$work/parts/$part" "$part"
	[ -n "$(files "$work/parts/$part")" ] || complain "$part is empty"
	files "$work/parts/$part"
done | sort >"$work/listed"
files "$work/whole" | diff "$work/listed" - >"$work/differ" || {
	cat "$work/differ"
	complain "the parts (<) are not all that is installed (>)"
}

# The program needs its data, and nothing else.
unset PALEO_DATA_DIR PALEO_PLUGIN_DIR
cd "$work"
cp -R parts/program both
! both/bin/paleo-predict --device t4 --cost-model datasheet "$net" >said 2>&1 || complain "there was a net without data"
cp -R parts/data/. both
both/bin/paleo-predict --device t4 --batch 2 "$net" >said 2>&1 || complain "$(cat said)"
grep -q 'preset of t4' said || complain "the program does not find presets"
for page in paleo paleo-predict paleo-profile; do
	[ -e "both/share/man/man1/$page.1" ] || complain "no page of $page"
done
[ "$(readlink both/bin/paleo-predict)" = paleo ] || complain "paleo-predict is no link"
ls parts/dev/include/paleo/paleo.h >/dev/null || complain "dev has no headers"

[ $wrong -eq 0 ] && echo "parts: $(wc -l <listed) files in $# parts"
exit $wrong
