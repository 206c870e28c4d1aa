#!/bin/sh
# readme.sh ROOT - the README holds the two commands, and .ci/run runs the second as it stands there.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/house/lib.sh
. "$(dirname "$0")/lib.sh"

profile='./bootstrap.sh && build/bin/paleo-profile nets/vgg16.json'
tests='./bootstrap.sh && ctest --preset test'
found=$(
	cd "$1"
	for line in "$profile" "$tests"; do
		[ "$(grep -cxF "$line" README.md)" -eq 1 ] ||
			echo "README.md: must hold this line exactly once: $line"
	done
	[ "$(.ci/run --command)" = "$tests" ] || echo ".ci/run: does not run: $tests"
)
house_verdict readme "$found" 2
