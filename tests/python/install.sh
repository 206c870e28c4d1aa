#!/bin/sh
# install.sh PYTHON_FOLDER WORK PYTHON3 - pip installs the package, which works from anywhere; exit 77: skipped.
# SPDX-License-Identifier: Apache-2.0
set -eu

rm -rf "$2"
mkdir -p "$2"
cp -R "$1" "$2/python" # pip builds beside the sources
"$3" -c 'import setuptools, pip; assert int(setuptools.__version__.split(".")[0]) >= 61' 2>/dev/null || {
	echo "install: python3 has no pip, or no setuptools of 61 or newer"
	exit 77
}
# --no-build-isolation: nothing is fetched
"$3" -m pip install --quiet --no-build-isolation --no-deps --disable-pip-version-check \
	--root-user-action=ignore --target "$2/there" "$2/python" >"$2/log" 2>&1 || {
	case $(cat "$2/log") in
	*"invalid command 'bdist_wheel'"* | *"No module named 'wheel'"*)
		echo "install: python3 has no wheel"
		exit 77
		;;
	esac
	cat "$2/log"
	exit 1
}
cd /
said=$(PYTHONPATH=$2/there "$3" -c 'import paleo; print(paleo.load("vgg16", batch=2))')
[ "$said" = "<paleo.Net vgg16, batch 2, 33 layers>" ] || {
	echo "install: the installed package said: $said"
	exit 1
}
echo "install: installed by pip, and loads a net"
