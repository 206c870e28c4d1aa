#!/bin/sh
# bootstrap.sh - installs what is missing, configures and builds; then build/bin/paleo is ready.
# SPDX-License-Identifier: Apache-2.0
#
# On Debian and Ubuntu it installs packages, as root or with sudo, and only if some are missing.
# Elsewhere it names them and goes on. CUDA is used where it is found, and never needed.
set -eu
cd "$(dirname "$0")"

say() {
	printf 'bootstrap: %s\n' "$*"
}

# Prints the Debian packages that are needed and not there, on one line.
missing_packages() {
	missing=
	for tool in gcc make cmake pkg-config; do
		command -v "$tool" >/dev/null || missing="$missing $tool"
	done
	for package in libc6-dev libdnnl-dev libcmocka-dev uthash-dev zlib1g-dev; do
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
	say "installing with apt-get: $*"
	# One broken source of others must not keep ours from being installed.
	$as_root apt-get update -qq || say "apt-get update failed in part; going on"
	$as_root env DEBIAN_FRONTEND=noninteractive \
		apt-get install -qq -y --no-install-recommends "$@" >/dev/null
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
	say "no apt-get here; needed are: gcc, make, CMake 3.22, cmocka, uthash, zlib and," \
		"for the CPU, oneDNN 2.x or 3.x, with their headers"
fi

cmake --preset release
cmake --build --preset release --parallel "$(nproc)"
say "done: build/bin/paleo"
