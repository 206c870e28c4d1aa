#!/bin/sh
# bootstrap.sh - installs what is missing, configures and builds; then build/bin/paleo is ready.
# SPDX-License-Identifier: Apache-2.0
#
# On Debian and Ubuntu it installs packages, as root or with sudo, and only if some are missing.
# Elsewhere it names them and goes on. CUDA is used where it is found, and never needed.
# It builds the program and its plug-ins; ctest builds the tests before it runs them.
set -eu
cd "$(dirname "$0")"
mkdir -p build
log=build/bootstrap.log
beat=
trap '[ -z "$beat" ] || kill -KILL "$beat" 2>/dev/null' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

say() {
	printf 'bootstrap: %s\n' "$*"
}

# tell_progress WHAT says every ten seconds how far it is, until it is killed.
tell_progress() {
	seconds=0
	while sleep 10 >/dev/null 2>&1; do
		seconds=$((seconds + 10))
		say "$1: $seconds s$(sed -n 's/^\[ *\([0-9]*%\)\].*/, \1/p' "$log" | tail -n 1)"
	done
}

# quietly WHAT COMMAND... runs it with what it prints in $log.
quietly() {
	what=$1
	shift
	: >"$log"
	tell_progress "$what" &
	beat=$!
	status=0
	"$@" >"$log" 2>&1 || status=$?
	kill -KILL "$beat" 2>/dev/null || :
	wait "$beat" 2>/dev/null || :
	beat=
	return "$status"
}

# stop SENTENCE ends the script, after the end of the log.
stop() {
	tail -n 40 "$log" >&2
	say "$1; all that was printed is in $log" >&2
	exit 1
}

# Prints the Debian packages that are needed and not there, on one line.
missing_packages() {
	missing=
	for tool in gcc make cmake pkg-config; do
		command -v "$tool" >/dev/null || missing="$missing $tool"
	done
	for package in libc6-dev libcjson-dev libdnnl-dev libcmocka-dev uthash-dev zlib1g-dev; do
		case $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || :) in
		installed) ;;
		*) missing="$missing $package" ;;
		esac
	done
	echo "${missing# }"
}

# install_packages NAME... asks for root only here.
install_packages() {
	as_root=
	if [ "$(id -u)" -ne 0 ]; then
		command -v sudo >/dev/null || {
			say "not root and there is no sudo; as root run: apt-get install $*" >&2
			exit 1
		}
		as_root=sudo
	fi
	# One broken source of others must not keep ours from being installed.
	apt "reading the lists of packages" update ||
		say "some lists of packages could not be read; going on with the others"
	say "to install: $*"
	apt "downloading and installing them" install -y --no-install-recommends "$@" ||
		stop "apt-get could not install them"
}

# apt WHAT ARGUMENT... runs apt-get, and waits while another program holds one of its locks.
apt() {
	doing=$1
	shift
	tries=120
	told=
	say "$doing ..."
	until quietly "$doing" $as_root env LC_ALL=C DEBIAN_FRONTEND=noninteractive apt-get -q "$@"; do
		holder=$(sed -n 's/.*Could not get lock.*It is held by \(process [^)]*)\).*/\1/p' "$log" | head -n 1)
		tries=$((tries - 1))
		grep -q 'Could not get lock' "$log" && [ "$tries" -gt 0 ] || return 1
		[ "$told" = "now by $holder" ] ||
			say "apt is in use by ${holder:-another program}; waiting for it, ten minutes at most"
		told="now by $holder"
		sleep "${BOOTSTRAP_WAIT:-5}"
	done
}

if command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; then
	packages=$(missing_packages)
	if [ -n "$packages" ]; then
		# shellcheck disable=SC2086 # a list of words
		install_packages $packages
	else
		say "nothing to install"
	fi
else
	say "no apt-get here; needed are: gcc, make, CMake 3.22, cJSON, cmocka, uthash, zlib and," \
		"for the CPU, oneDNN 2.x or 3.x, with their headers"
fi

say "configuring ..."
quietly "configuring" cmake --preset release || stop "the configuration ended with an error"
sed -n 's/^-- \(.* plug-in: .*\)/bootstrap: \1/p' "$log"
jobs=$(nproc)
say "building the program with $jobs jobs ..."
quietly "building" cmake --build --preset release --target programs --parallel "$jobs" ||
	stop "the build ended with an error"
grep 'warning:' "$log" || :
say "ready. Next: build/bin/paleo-profile nets/vgg16.json (measures it here), ctest --preset test (builds and runs the tests)"
