#!/bin/sh
# check.sh - beside a profile, what its rows take inside of the whole net.
# SPDX-License-Identifier: Apache-2.0
#
# Inside of a pass of the fake device a step takes its time alone, or 0.8 of it where the step before
# has just written what it reads, and 2 us more. So relu, whose input the convolution wrote, takes
# 0.8 * 8.0905 + 2 = 8.4724 us.
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"
export PALEO_FAKE=still

profile() {
	paleo-profile --device fake --output profile.jsonl "$@"
}
beside() {
	columns layer,kind,pass,cold_s,in_network_s | sed -E 's/([0-9]\.[0-9]{4})[0-9]*e/\1e/g'
}

paleo-fullpass --device fake --output passes.jsonl "$small" >/dev/null
profile --passes passes.jsonl --format csv "$small" 2>notes | beside
grep in-network notes
profile --passes passes.jsonl "$small" | grep 'in-network' | sed -E 's/[0-9]+\.[0-9]+ ms/TIME ms/g; s/  +/  /g'
echo "== of several passes with these rows the shortest; without these rows none"
profile --passes passes.jsonl --pass fwd "$small" | grep '^in-network'
paleo-fullpass --device fake --pass fwd --output fwd.jsonl "$small" >/dev/null
profile --passes fwd.jsonl "$small" | grep '^in-network'
profile --passes passes.jsonl --pass fwd --batch 2 "$small" | grep 'in-network'
paleo-fullpass --device fake --pass step --optimizer adam --output adam.jsonl "$small" >/dev/null
profile --passes adam.jsonl "$small" | grep '^in-network'
echo "== no run with clocks was quiet"
sed 's/"in_network_samples":[0-9]*/"in_network_samples":0/' fwd.jsonl >loud.jsonl
profile --passes loud.jsonl "$small" | grep '^in-network'
echo "== wrong files"
sed 's/"device":{"name":"fake"/"device":{"name":"other"/' passes.jsonl >other.jsonl
say profile --passes other.jsonl "$small" | tail -n 2
say profile --passes none.jsonl "$small"
