#!/bin/sh
# wall_time.sh - where the wall time of a CPU profile goes, on this machine as it is and with load.
# SPDX-License-Identifier: Apache-2.0
#
#   tests/benchmark/wall_time.sh PROGRAM [BUSY]
#
# Profiles VGG-16 at batch 4 for a minute, then once more beside BUSY processes (default 4) that do
# nothing but compute, and a calibration of 20 s. Prints the phases of each.
# PROGRAM is build/bin/paleo. It takes about three minutes.
set -eu

program=$(realpath "$1")
busy=${2:-4}
nets=$(realpath "$(dirname "$0")/../../nets")
folder=$(mktemp -d)
loads=

stop_loads() {
	for load in $loads; do
		kill "$load" 2>/dev/null || true
	done
	loads=
}
trap 'stop_loads; rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
cd "$folder"

profile() {
	echo "== $1"
	timeout 180 "$program" profile --device cpu --batch 4 --verbose --force \
		"$nets/vgg16.json" >profile.txt || echo "exit status $?"
	grep -Ei 'busy|measured in' profile.txt || true
	sed -n '/^wall time/,$p' profile.txt
}

profile "a profile of VGG-16, as the machine is"
i=0
while [ "$i" -lt "$busy" ]; do
	sh -c 'while :; do :; done' &
	loads="$loads $!"
	i=$((i + 1))
done
profile "the same beside $busy busy processes"
stop_loads
echo "== a calibration with --time-budget 20s"
start=$(date +%s)
timeout 120 "$program" calibrate --device cpu --time-budget 20s --verbose --force >calibrate.txt ||
	echo "exit status $?"
sed -n '/^wall time/,/all else/p' calibrate.txt
echo "from start to exit: $(($(date +%s) - start)) s"
