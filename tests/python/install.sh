#!/bin/sh
# install.sh PYTHON_FOLDER WORK PYTHON3 - pip installs the package, which works from anywhere; exit 77: skipped.
# SPDX-License-Identifier: Apache-2.0
set -eu

python=$3
work=$2
rm -rf "$work"
mkdir -p "$work"
cp -R "$1" "$work/python" # pip builds beside the sources
"$python" -m pip --version >/dev/null 2>&1 || {
	echo "skipped: python3 has no pip"
	exit 77
}

# install [OPTION]... - what pip says is in $work/log
install() {
	"$python" -m pip install --quiet --no-deps --disable-pip-version-check --root-user-action=ignore \
		--target "$work/there" "$@" "$work/python" >"$work/log" 2>&1
}

# With what is here, else with what pip fetches to build a package.
install --no-build-isolation || install || {
	grep -q 'No matching distribution\|Could not find a version' "$work/log" || {
		cat "$work/log"
		exit 1
	}
	echo "skipped: pip has neither setuptools with wheel here nor where to fetch them"
	exit 77
}
cd /
said=$(PYTHONPATH=$work/there "$python" -c 'import paleo; print(paleo.load("vgg16", batch=2))')
[ "$said" = "<paleo.Net vgg16, batch 2, 25 layers>" ] || {
	echo "install: the installed package said: $said"
	exit 1
}
echo "install: installed by pip, and loads a net"
